"""MAG-BIC: the maximal ancestral graph with the best score that a search finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from dicola.ci.inquiry import Evidence
from dicola.errors import InvalidSetting
from dicola.graphs.skeleton import RecordedSets, Skeleton
from dicola.learners.base import Context, Learner, checked_limit, local_test, skeleton_of
from dicola.orient.equivalence import AncestralSets
from dicola.score.search import MagSearch


@dataclass(frozen=True)
class MagBIC(Learner):
    """Search for the MAG with the best Gaussian BIC: from the best DAG climb over ancestral graphs.

    Needs a test that knows correlations. Each pair that is not adjacent is separated by its
    ancestors. Alone, the PAG is that of a MAG: legal by construction.

    Parameters
    ----------
    penalty : float
        The price of an edge, as a multiple of that of the plain criterion.
    n_starts : int
        How many order searches the best DAG is taken from.
    threshold : float
        How much of the score the first of two moves may cost.
    max_district : int
        Most variables of a district, those joined by bidirected edges.

    """

    name: ClassVar[str] = "mag-bic"
    title: ClassVar[str] = "MAG-BIC"
    reference: ClassVar[str] = "Richardson and Spirtes (2002), Drton, Eichler and Richardson (2009), Andrews et al. (2023)"
    guarantee: ClassVar[str] = "consistent score, heuristic search; linear relations"
    complete: ClassVar[bool] = False
    takes_knowledge: ClassVar[bool] = False
    allows_selection: ClassVar[bool] = False
    needs_data: ClassVar[bool] = True
    auto_stop: ClassVar[str] = "reference"

    penalty: float = 2.0
    n_starts: int = 3
    threshold: float = 6.0
    max_district: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_limit("n_starts", self.n_starts)
        if not self.n_starts or not self.max_district:
            raise InvalidSetting("n_starts and max_district must be whole numbers from 1 on.")

    def learn_skeleton(self, ci: Evidence, variables: Sequence[int] | None = None, context: Context | None = None) -> Skeleton:
        context = context or Context()
        local, chosen = local_test(ci, variables)
        search = MagSearch.of(local, self.penalty, self.threshold, self.max_district)
        mag = search.mag(search.from_orders(self.n_starts, context.seed))
        return skeleton_of(ci, chosen, mag.marks != 0, RecordedSets(otherwise=AncestralSets(mag)))
