"""BOSS-FCI: a hybrid that starts from the best DAG of an order search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import Adjacency
from dicola.learners.hybrid import Hybrid
from dicola.score.law import Law
from dicola.score.order_search import best_of
from dicola.score.registry import score_behind


@dataclass(frozen=True)
class BossFCI(Hybrid):
    """The best DAG of order searches by BIC; tests then remove what hidden variables brought in.

    An unshielded triple of the DAG is a collider iff it is one there; one that appears only when a
    test removes an edge is decided by the set that removed it.

    Parameters
    ----------
    max_condition_size : int, optional
        Largest set that a test conditions on.
    penalty : float
        The price of an edge; 2 is the usual one (see ``GaussianBIC`` and ``BlockBIC``).
    n_starts : int
        How many random orders are searched from.

    """

    name, title = "boss-fci", "BOSS-FCI"
    reference = "Ogarrio, Spirtes and Ramsey (2016); Andrews et al. (2023)"
    guarantee = "a heuristic; may keep edges that only Possible-D-Sep removes; needs data that can be scored"

    n_starts: int = 3

    def dag(self, ci: Inquiry, seed: int, law: Law | None) -> tuple[Adjacency, Sequence[int]]:
        found = best_of(score_behind(ci, self.penalty), self.n_starts, seed, None if law is None else law.parent_bars)
        ci.book_score("parent searches", found.work)
        return found.parents, found.order.tolist()
