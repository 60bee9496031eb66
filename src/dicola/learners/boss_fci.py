"""BOSS-FCI: a hybrid that starts from the DAG with the best score instead of the complete graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dicola.ci.base import Adjacency, CITest
from dicola.errors import InvalidSetting
from dicola.graphs.skeleton import RecordedSets
from dicola.learners.adjacency import start_from_dag
from dicola.learners.base import Context
from dicola.learners.fci import FCI
from dicola.score.gaussian_bic import GaussianBIC
from dicola.score.order_search import best_of


@dataclass(frozen=True)
class BossFCI(FCI):
    """The best DAG of some order searches, from which FCI's two phases remove edges.

    Colliders are decided as in GFCI. ``n_starts`` random orders are searched from; ``penalty`` is that of the Gaussian BIC.
    """

    name: ClassVar[str] = "boss-fci"
    title: ClassVar[str] = "BOSS-FCI"
    reference: ClassVar[str] = "Ogarrio, Spirtes and Ramsey (2016); Andrews et al. (2023)"
    guarantee: ClassVar[str] = "as FCI if the order search ends in the best DAG; a heuristic otherwise; needs linear Gaussian data"
    complete: ClassVar[bool] = False
    allows_selection: ClassVar[bool] = False
    needs_data: ClassVar[bool] = True

    n_starts: int = 3
    penalty: float = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.n_starts, bool) or not isinstance(self.n_starts, int) or self.n_starts < 1:
            raise InvalidSetting(f"n_starts is {self.n_starts!r}; it must be a whole number from 1 on.")

    @property
    def is_local(self) -> bool:
        """Start orders are drawn over all variables."""
        return False

    def _start(self, ci: CITest, context: Context) -> tuple[Adjacency, RecordedSets]:
        found = best_of(GaussianBIC.of(ci, self.penalty), self.n_starts, context.seed)
        ci.book_score("parent searches", found.n_searches)
        return start_from_dag(found.parents, found.order.tolist())
