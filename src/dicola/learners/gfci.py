"""GFCI: a hybrid that starts from the class of DAGs that a greedy equivalence search finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import Adjacency
from dicola.learners.hybrid import Hybrid
from dicola.score.equivalence_search import equivalence_search
from dicola.score.law import Law
from dicola.score.registry import score_behind


@dataclass(frozen=True)
class GFCI(Hybrid):
    """Greedy equivalence search by BIC; tests then remove what hidden variables brought in.

    An unshielded triple of its DAG is a collider iff it is one there; one that appears only when a
    test removes an edge is decided by the set that removed it.

    Parameters
    ----------
    max_condition_size : int, optional
        Largest set that a test conditions on.
    penalty : float
        The price of an edge; 2 is the usual one (see ``GaussianBIC`` and ``BlockBIC``).
    max_side : int, optional
        How many further edges an insertion directs at most.

    """

    name, title = "gfci", "GFCI"
    reference = "Ogarrio, Spirtes and Ramsey (2016); Chickering (2002)"
    guarantee = "a heuristic; may keep edges that only Possible-D-Sep removes; needs data that can be scored"

    max_side: int | None = None

    def dag(self, ci: Inquiry, seed: int, law: Law | None) -> tuple[Adjacency, Sequence[int]]:
        found = equivalence_search(score_behind(ci, self.penalty), self.max_side, None if law is None else law.parent_bars)
        ci.book_score("local scores", found.work)
        return found.parents, found.order.tolist()
