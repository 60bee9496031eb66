"""Searches for the MAG with the best score: from orders, from a partly oriented graph, from both; and what is kept of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dicola.ci.base import CITest
from dicola.graphs.equivalence import skeleton_of_mag
from dicola.graphs.mag import MAG
from dicola.graphs.marks import ARROW, TAIL
from dicola.graphs.skeleton import Skeleton
from dicola.orient.fixpoint import Orientation, orient
from dicola.score.ancestral import Marks, ancestral_marks, marks_of_dag
from dicola.score.base import Score
from dicola.score.gaussian_bic import GaussianBIC
from dicola.score.mag_climb import Climbed, climb
from dicola.score.order_search import Ordered, best_of, order_search

_FEW = 150  # variables up to which candidates are all pairs that depend given the rest at 5 %; beyond, at 1/k^2
_SMALL = 3  # largest district of a start that comes from marks: where these are wrong they make huge ones
_NEAR = 40.0  # a climb from marks that is behind the best by more than this will not catch up
_UNION = 100  # variables up to which a search from random orders is made beside that from the decomposition


@dataclass
class MagSearch:
    """A score, the pairs between which edges may be added, and the account of the work."""

    score: Score
    candidates: NDArray[np.bool_]
    threshold: float = 6.0
    max_district: int = 10
    work: dict[str, int] = field(default_factory=lambda: {"district fits": 0, "parent searches": 0})

    @classmethod
    def of(cls, ci: CITest, penalty: float = 2.0, threshold: float = 6.0, max_district: int = 10) -> MagSearch:
        """The search on the data behind a test; candidates are the pairs that depend on each other given all the rest."""
        score = GaussianBIC.of(ci, penalty)
        n = len(ci)
        return cls(score, ci.during("blankets").given_rest(0.05 if n <= _FEW else 1 / n**2), threshold, max_district)

    def book(self, ci: CITest) -> None:
        """Write the work into the ledger of a test."""
        for kind, count in self.work.items():
            ci.book_score(kind, count)

    def climb(self, start: Marks, *, within: bool = False, threshold: float | None = None, max_district: int | None = None) -> Climbed:
        """The climb from an ancestral graph; ``within`` its edges, no others are added."""
        found = climb(
            self.score,
            start,
            np.zeros_like(self.candidates) if within else self.candidates,
            self.threshold if threshold is None else threshold,
            max_district=self.max_district if max_district is None else max_district,
        )
        self.work["district fits"] += found.n_fits
        return found

    def from_dag(self, found: Ordered) -> Climbed:
        """The climb from the DAG of an order search, which has all edges worth having."""
        self.work["parent searches"] += found.n_searches
        return self.climb(marks_of_dag(found.parents), within=True)

    def from_orders(self, n_starts: int, seed: int) -> Climbed:
        """The climb from the best DAG of some searches from random orders."""
        return self.from_dag(best_of(self.score, n_starts, seed))

    def from_order_of(self, marks: Marks) -> Climbed:
        """The climb from the best DAG near the order of a partly oriented graph."""
        return self.from_dag(order_search(self.score, topological_order(ancestral_marks(marks))))

    def from_marks(self, marks: Marks, rival: float) -> Climbed:
        """The climb from a partly oriented graph made ancestral; single moves only where it stays far behind the ``rival`` score."""
        found = self.climb(ancestral_marks(marks, _SMALL), threshold=-np.inf, max_district=_SMALL)
        return found if found.score > rival + _NEAR else self.climb(found.marks)

    def mag(self, found: Climbed) -> MAG:
        """The MAG of a climb: with an edge for each pair that no set separates."""
        return MAG(found.marks, self.score.names).maximal()


def best(found: Iterable[Climbed]) -> Climbed:
    """The one with the best score, the first of equals."""
    return min(found, key=lambda each: each.score)


def topological_order(marks: Marks) -> list[int]:
    """Positions, every parent before its children; ties by position."""
    parents = (marks.T == TAIL) & (marks == ARROW)  # parents[u, v]: u -> v
    waiting, left, order = parents.sum(axis=0), set(range(len(marks))), []
    while left:
        v = min(u for u in left if not waiting[u])
        left.remove(v)
        order.append(v)
        waiting -= parents[v]
    return order


def balanced(ci: CITest, skeleton: Skeleton, orientation: Orientation, seed: int) -> tuple[Skeleton, Orientation, float]:
    """Refine what the decomposition found.

    Climb from the best DAG near its order, up to 100 variables also from the best DAG of random orders, and from the graph itself. The
    one with the best score stands, as the PAG of its MAG.
    """
    search = MagSearch.of(ci)
    marks = orientation.pag.reordered(ci.labels).marks
    found = [search.from_order_of(marks)]
    if len(ci) <= _UNION:
        found.append(search.from_orders(3, seed))
    found = [search.climb(best(found).marks)]
    found.append(search.from_marks(marks, found[0].score))
    search.book(ci)
    winner = best(found)
    refined = skeleton_of_mag(search.mag(winner), ci.names, skeleton.warnings)
    return refined, orient(refined), winner.score
