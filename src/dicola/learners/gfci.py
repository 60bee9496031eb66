"""GFCI: a hybrid that starts from the class of DAGs that a greedy equivalence search finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dicola.ci.base import Adjacency, CITest
from dicola.graphs.skeleton import RecordedSets
from dicola.learners.adjacency import start_from_dag
from dicola.learners.base import Context, checked_limit
from dicola.learners.fci import FCI
from dicola.score.equivalence_search import equivalence_search
from dicola.score.gaussian_bic import GaussianBIC


@dataclass(frozen=True)
class GFCI(FCI):
    """A greedy equivalence search by Gaussian BIC, from whose DAG FCI's two phases remove edges.

    An unshielded triple of the DAG is a collider iff it is one there; one that a test lays bare is decided by the set that did so.
    ``penalty`` is that of the Gaussian BIC; an insertion directs at most ``max_side`` further edges.
    """

    name: ClassVar[str] = "gfci"
    title: ClassVar[str] = "GFCI"
    reference: ClassVar[str] = "Ogarrio, Spirtes and Ramsey (2016); Chickering (2002)"
    guarantee: ClassVar[str] = "as FCI in the limit of many rows; with fewer a heuristic; needs linear Gaussian data"
    complete: ClassVar[bool] = False
    allows_selection: ClassVar[bool] = False
    needs_data: ClassVar[bool] = True

    penalty: float = 2.0
    max_side: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_limit("max_side", self.max_side)

    @property
    def is_local(self) -> bool:
        """Equal scores in two parts would be told apart by position."""
        return False

    def _start(self, ci: CITest, context: Context) -> tuple[Adjacency, RecordedSets]:
        found = equivalence_search(GaussianBIC.of(ci, self.penalty), self.max_side)
        ci.book_score("local scores", found.n_scores)
        return start_from_dag(found.parents, found.order.tolist())
