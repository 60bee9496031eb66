"""Searches for the MAG with the best score: from orders, from a partly oriented graph, from both; and what is kept of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import GivenRest
from dicola.graphs.mag import MAG
from dicola.graphs.marks import ARROW, TAIL
from dicola.graphs.pag import PAG
from dicola.orient.equivalence import mag_to_pag, member_mag
from dicola.orient.fixpoint import Orientation
from dicola.score.ancestral import Marks, ancestral_marks, marks_of_dag
from dicola.score.base import Score
from dicola.score.mag_climb import Climbed, climb
from dicola.score.order_search import Ordered, best_of, order_search
from dicola.score.registry import score_behind

_FEW = 150  # variables up to which candidates are all pairs that depend given the rest at 5 %; beyond, at 1/k^2
_SMALL = 3  # variables of a small district
_NEAR = 40.0  # a climb from marks that is behind the best by more than this seldom catches up
_DECISIVE = 20.0  # what three moves must gain: for less they did more harm than good. One edge costs that from 22,000 rows on.
_MORE_STARTS, _CYCLES, _SHAKES, _DEAR = 5, 10, (2, 5), 15.0
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
    def of(cls, ci: Inquiry, penalty: float = 2.0, threshold: float = 6.0, max_district: int = 10) -> MagSearch:
        """The search on the data behind a test; candidates are the pairs that depend on each other given all the rest."""
        score = score_behind(ci, penalty)
        n = len(ci)
        return cls(score, Inquiry.of(ci).during("blankets").ask(GivenRest(0.05 if n <= _FEW else 1 / n**2)), threshold, max_district)

    def book(self, ci: Inquiry) -> None:
        """Write the work into the ledger of a test."""
        for kind, count in self.work.items():
            ci.book_score(kind, count)

    def climb(
        self,
        start: Marks,
        *,
        within: bool = False,
        threshold: float | None = None,
        max_district: int | None = None,
        third: float | None = None,
    ) -> Climbed:
        """The climb from an ancestral graph; ``within`` its edges, no others are added."""
        found = climb(
            self.score,
            start,
            np.zeros_like(self.candidates) if within else self.candidates,
            self.threshold if threshold is None else threshold,
            max_district=self.max_district if max_district is None else max_district,
            third=third,
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
        """The climb from a partly oriented graph made ancestral.

        Wrong marks join many variables by bidirected edges, and such districts are slow to fit. So a start far behind the ``rival`` score
        is made again with small ones, and only where single moves bring it near the rival does the climb go on.
        """
        start = ancestral_marks(marks)
        if self.score.mag(MAG(start, self.score.names)) <= rival + _NEAR:
            return self.climb(start)
        found = self.climb(ancestral_marks(marks, _SMALL), threshold=-np.inf, max_district=_SMALL)
        return found if found.score > rival + _NEAR else self.climb(found.marks)

    def finished(self, found: Climbed) -> Climbed:
        """The last climbs, where an edge is worth enough for that to do good: three moves ahead, and from another graph of the class."""
        if self.score.price <= _DECISIVE:
            return found
        found = self.climb(found.marks, third=_DECISIVE)
        return best([found, self.climb(member_mag(mag_to_pag(self.mag(found))).marks, third=_DECISIVE)])

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


def linear_extension(marks: Marks, random: np.random.Generator) -> list[int]:
    """Positions in a random order, every parent before its children."""
    parents = (marks.T == TAIL) & (marks == ARROW)
    waiting, left, order = parents.sum(axis=0), np.ones(len(marks), dtype=np.bool_), []
    while left.any():
        v = int(random.choice(np.nonzero(left & (waiting == 0))[0]))
        left[v] = False
        order.append(v)
        waiting -= parents[v]
    return order


def shaken(marks: Marks, random: np.random.Generator) -> list[int]:
    """A random order of an ancestral graph, in which a few variables near each other have moved to random places."""
    order = linear_extension(marks, random)
    near = [int(random.integers(len(marks)))]
    for v in near:  # grows while it is read: breadth first
        near += [w for w in np.nonzero(marks[v])[0].tolist() if w not in near]
    for v in near[: int(random.choice(_SHAKES))]:
        order.remove(v)
        order.insert(int(random.integers(len(order) + 1)), v)
    return order


def _explored(search: MagSearch, marks: Marks, seed: int) -> Climbed:
    """The best of the climbs from the DAG near the order of a graph, from that of random orders (up to 100 variables), and from itself."""
    found = [search.from_order_of(marks)]
    if len(marks) <= _UNION:
        found.append(search.from_orders(3, seed))
    winner = search.climb(best(found).marks)
    return search.finished(best([winner, search.from_marks(marks, winner.score)]))


def balanced(ci: Inquiry, found: Orientation, seed: int) -> tuple[MAG, float]:
    """The MAG with the best score that is found from what the decomposition found, and its score."""
    search = MagSearch.of(ci)
    winner = _explored(search, found.pag.marks, seed)
    search.book(ci)
    return search.mag(winner), winner.score


def accurate(ci: Inquiry, found: Orientation, seed: int, tested: PAG) -> tuple[MAG, float]:
    """The same from more starts: the PAG that tests alone give, random orders each on its own, and orders near that of the best graph;
    at the end a climb that looks at dearer first moves.
    """
    search, random = MagSearch.of(ci), np.random.default_rng([seed, 1])
    winner = _explored(search, found.pag.marks, seed)
    winner = best([winner, search.from_marks(tested.marks, winner.score)])
    for _ in range(_MORE_STARTS):
        start = search.from_dag(order_search(search.score, random.permutation(len(ci))))
        winner = best([winner, search.climb(start.marks)])
    for _ in range(_CYCLES):
        start = search.from_dag(order_search(search.score, shaken(winner.marks, random)))
        winner = best([winner, search.climb(start.marks)])
    winner = search.finished(search.climb(winner.marks, threshold=_DEAR))
    search.book(ci)
    return search.mag(winner), winner.score
