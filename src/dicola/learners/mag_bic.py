"""MAG-BIC: the maximal ancestral graph with the best score that a search finds."""

from __future__ import annotations

from dataclasses import dataclass

from dicola.ci.inquiry import Inquiry
from dicola.graphs.skeleton import RecordedSets
from dicola.learners.base import Context, Found, Learner
from dicola.orient.equivalence import AncestralSets
from dicola.score.search import FEW_ORDERS, MagSearch


@dataclass(frozen=True)
class MagBIC(Learner):
    """Search for the MAG with the best BIC: from the best DAG climb over ancestral graphs.

    Needs a test that knows correlations or blocks of columns. Each pair that is not adjacent is separated by its
    ancestors. Alone, the PAG is that of a MAG: legal by construction.

    Parameters
    ----------
    penalty : float
        The price of an edge; 2 is the usual one (see ``GaussianBIC`` and ``BlockBIC``).
    n_starts : int
        How many order searches the best DAG is taken from, up to 150 variables; beyond, one.
    threshold : float
        How much of the score the first of two moves may cost; below zero no two are looked at.
    max_district : int
        Most variables of a district, those joined by bidirected edges.

    """

    name, title = "mag-bic", "MAG-BIC"
    reference = "Richardson and Spirtes (2002), Drton, Eichler and Richardson (2009), Andrews et al. (2023)"
    guarantee = "consistent score, heuristic search; linear relations"
    allows_selection = False
    needs_data = True
    auto_stop = "reference"

    penalty: float = 2.0
    n_starts: int = 3
    threshold: float = 6.0
    max_district: int = 10

    def search(self, ci: Inquiry, context: Context) -> Found:
        search = MagSearch.of(ci, float(self.penalty), float(self.threshold), self.max_district, claims=context.claims_on(ci))
        dag = search.dag_of_orders(self.n_starts if len(ci) <= FEW_ORDERS else 1, context.seed)
        mag = search.mag(search.obeying(search.from_dag(dag)))
        return Found(mag.marks != 0, RecordedSets(otherwise=AncestralSets(mag)))
