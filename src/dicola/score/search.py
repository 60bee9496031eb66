"""Searches for the MAG with the best score: from orders, from a partly oriented graph, from both; and what is kept of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dicola.blankets.auto import AutoBlankets
from dicola.blankets.total_conditioning import TotalConditioning
from dicola.ci.inquiry import Inquiry
from dicola.graphs.mag import MAG
from dicola.graphs.marks import ARROW, TAIL
from dicola.graphs.pag import PAG
from dicola.orient.equivalence import mag_to_pag, member_mag
from dicola.orient.fixpoint import Orientation
from dicola.score.ancestral import Marks, ancestral_marks, marks_of_dag, reached
from dicola.score.base import OrderedDag, Score
from dicola.score.factors import FactorSearch
from dicola.score.mag_climb import Climbed, climb
from dicola.score.order_search import best_of, order_search
from dicola.score.registry import score_behind

_FEW = 150  # variables up to which candidates are all pairs that depend given the rest at 5 %; beyond, at 1/k^2. Likewise for factors.
_SMALL = 3  # variables of a small district
_NEAR = 40.0  # a climb from marks that is behind the best by more than this seldom catches up
_MANY, _DECISIVE = 22_000, 20.0  # rows from which three moves are looked at, and what they must gain: for less they did more harm than good
_MORE_STARTS, _CYCLES, _SHAKES, _DEAR = 5, 10, (2, 5), 15.0
_HIDDEN = 3.0  # what a hidden variable costs beyond its edges
_UNION = 100  # variables up to which a search from random orders is made beside that from the decomposition


@dataclass(frozen=True)
class MagSearch:
    """A score, the pairs between which edges may be added, and who books the work."""

    ci: Inquiry
    score: Score
    candidates: NDArray[np.bool_]
    threshold: float = 6.0
    max_district: int = 10
    third: float | None = None
    surcharge: float = 0.0

    @classmethod
    def of(cls, ci: Inquiry, penalty: float = 2.0, threshold: float = 6.0, max_district: int = 10) -> MagSearch:
        """The search on the data behind a test; candidates are the pairs that depend on each other given all the rest, or given what the
        rows of a wide table allow.
        """
        score, n = score_behind(ci, penalty), len(ci)
        is_wide = ci.n_samples is not None and ci.n_samples < ci.test.rows_to_condition_on(n - 2)
        blankets = AutoBlankets() if is_wide else TotalConditioning(0.05 if n <= _FEW else 1 / n**2)
        return cls(ci, score, blankets.learn(ci.during("blankets")), threshold, max_district)

    def climb(self, start: Marks) -> Climbed:
        """The climb from an ancestral graph."""
        found = climb(self.score, start, self.candidates, self.threshold, self.max_district, self.third, self.surcharge)
        self.ci.book_score("district fits", found.n_fits)
        return found

    def from_dag(self, found: OrderedDag) -> Climbed:
        """The climb from the DAG of an order search, which has all edges worth having."""
        self.ci.book_score("parent searches", found.work)
        return replace(self, candidates=np.zeros_like(self.candidates)).climb(marks_of_dag(found.parents))

    def from_orders(self, n_starts: int, seed: int) -> Climbed:
        """The climb from the best DAG of some searches from random orders."""
        return self.from_dag(best_of(self.score, n_starts, seed))

    def from_order_of(self, marks: Marks) -> Climbed:
        """The climb from the best DAG near the order of a partly oriented graph."""
        return self.from_dag(order_search(self.score, linear_extension(ancestral_marks(marks))))

    def from_marks(self, marks: Marks, rival: float) -> Climbed:
        """The climb from a partly oriented graph made ancestral.

        Wrong marks join many variables by bidirected edges, and such districts are slow to fit. So a start far behind the ``rival`` score
        is made again with small ones, and only where single moves bring it near the rival does the climb go on.
        """
        start = ancestral_marks(marks)
        if self.score.mag(MAG(start, self.score.names)) <= rival + _NEAR:
            return self.climb(start)
        found = replace(self, threshold=-np.inf, max_district=_SMALL).climb(ancestral_marks(marks, _SMALL))
        return found if found.score > rival + _NEAR else self.climb(found.marks)

    def finished(self, found: Climbed) -> Climbed:
        """The last climbs.

        With many rows they are those three moves ahead, and from another graph of the class. With few a bidirected edge pays for the
        hidden variable it claims: turning -> into <-> is free otherwise, and noise decides. Before the last climb that would cut ways.
        """
        if self.score.n_samples < _MANY:
            kept = np.zeros_like(self.candidates)  # to add edges was the work of the climbs before
            return replace(self, candidates=kept, threshold=self.threshold + _HIDDEN, surcharge=_HIDDEN).climb(found.marks)
        ahead = replace(self, third=_DECISIVE)
        found = ahead.climb(found.marks)
        return best([found, ahead.climb(member_mag(mag_to_pag(self.mag(found))).marks)])

    def with_factors(self, found: Climbed) -> Climbed:
        """The graph with sets of variables made the children of one hidden variable, where that pays."""
        terms = self.score.kernel_terms()
        if terms is None or len(self.score) > _FEW:
            return found
        marks = FactorSearch(terms, _HIDDEN).improved(found.marks)
        return found._replace(marks=marks, score=self.score.mag(MAG(marks, self.score.names)))

    def mag(self, found: Climbed) -> MAG:
        """The MAG of a climb: with an edge for each pair that no set separates."""
        return MAG(found.marks, self.score.names).maximal()


def best(found: Iterable[Climbed]) -> Climbed:
    """The one with the best score, the first of equals."""
    return min(found, key=lambda each: each.score)


def linear_extension(marks: Marks, choose: Callable[[NDArray[np.intp]], int] = min) -> list[int]:
    """Positions, every parent before its children; of those that may come next the one that is chosen, by default the first."""
    parents = (marks.T == TAIL) & (marks == ARROW)  # parents[u, v]: u -> v
    waiting, order = parents.sum(axis=0), list[int]()
    while len(order) < len(marks):
        v = int(choose(np.flatnonzero(waiting == 0)))
        waiting -= parents[v]
        waiting[v] = -1
        order.append(v)
    return order


def shaken(marks: Marks, random: np.random.Generator) -> list[int]:
    """A random order of an ancestral graph, in which a few variables near each other have moved to random places."""
    order = linear_extension(marks, random.choice)
    near = reached(int(random.integers(len(marks))), lambda v: np.flatnonzero(marks[v]).tolist())
    for v in near[: int(random.choice(_SHAKES))]:
        order.remove(v)
        order.insert(int(random.integers(len(order) + 1)), v)
    return order


@dataclass(frozen=True)
class BestMag:
    """A last step: the MAG with the best score that is found from what the decomposition found, and its score.

    With ``longer`` more starts are made, the PAG that tests alone give among them.
    """

    longer: bool = False

    def refine(self, ci: Inquiry, found: Orientation, seed: int, by_tests: Callable[[], PAG]) -> tuple[MAG, float]:
        """From the oriented graph to a MAG; ``by_tests`` makes the PAG that tests alone give.

        It is the best of the climbs from the DAG near the order of the graph, from that of random orders (up to 100 variables), and from
        the graph itself.
        """
        tested = by_tests() if self.longer else None
        search, marks = MagSearch.of(ci), found.pag.marks
        starts = [search.from_order_of(marks)]
        if len(marks) <= _UNION:
            starts.append(search.from_orders(3, seed))
        winner = search.climb(best(starts).marks)
        winner = search.finished(best([winner, search.from_marks(marks, winner.score)]))
        if tested is not None:
            winner = _longer(search, winner, tested, np.random.default_rng([seed, 1]))
        winner = search.with_factors(winner)
        return search.mag(winner), winner.score


def _longer(search: MagSearch, winner: Climbed, tested: PAG, random: np.random.Generator) -> Climbed:
    """The best from more starts: the PAG by tests, random orders each on its own, and orders near that of the best graph;
    at the end a climb that looks at dearer first moves.
    """
    winner = best([winner, search.from_marks(tested.marks, winner.score)])
    for cycle in range(_MORE_STARTS + _CYCLES):
        order = random.permutation(len(tested)) if cycle < _MORE_STARTS else shaken(winner.marks, random)
        start = search.from_dag(order_search(search.score, order))
        winner = best([winner, search.climb(start.marks)])
    return search.finished(replace(search, threshold=_DEAR).climb(winner.marks))
