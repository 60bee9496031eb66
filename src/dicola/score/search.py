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

    def climb(self, start: Marks, threshold: float | None = None) -> Climbed:
        """The climb from an ancestral graph."""
        found = climb(
            self.score, start, self.candidates, self.threshold if threshold is None else threshold, max_district=self.max_district
        )
        self.work["district fits"] += found.n_fits
        return found

    def from_orders(self, n_starts: int, seed: int) -> Climbed:
        """The climb from the best DAG of some searches from random orders."""
        return self._from_dag(best_of(self.score, n_starts, seed))

    def from_graph(self, marks: Marks) -> Climbed:
        """The better of two climbs: from a partly oriented graph made ancestral, and from the best DAG near its order."""
        start = ancestral_marks(marks)
        return best([self.climb(start), self._from_dag(order_search(self.score, topological_order(start)))])

    def _from_dag(self, found: Ordered) -> Climbed:
        self.work["parent searches"] += found.n_searches
        return self.climb(marks_of_dag(found.parents))

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
    """Refine what the decomposition found: climb from its graph, and from the best DAG near its order; up to 100 variables also from
    the best DAG of random orders. The graph with the best score stands, as the PAG of its MAG.
    """
    search = MagSearch.of(ci)
    found = [search.from_graph(orientation.pag.reordered(ci.labels).marks)]
    if len(ci) <= _UNION:
        found.append(search.from_orders(3, seed))
    search.book(ci)
    winner = best(found)
    refined = skeleton_of_mag(search.mag(winner), ci.names, skeleton.warnings)
    return refined, orient(refined), winner.score
