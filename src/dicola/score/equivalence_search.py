"""Greedy equivalence search: from the empty graph to a class of DAGs, edge by edge.

First edges are put in, one at a time, then taken out. The states are classes of Markov equivalent
DAGs, each written as a graph of directed and undirected edges (Chickering 2002, GES).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations, permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola.score.ancestral import reached
from dicola.score.base import OrderedDag, Score, to_precision
from dicola.watch import heed

GAIN = 1e-6  # what a step must improve the score by

Local = Callable[[int, frozenset[int]], float]
Way = tuple[frozenset[int], frozenset[int]]
"""A side, and the parents that y has beside x once it is directed."""


class _Step(NamedTuple):
    """Put in or take out the edge x - y, and direct the ``side``: into y, or away from x and y."""

    change: float
    x: int
    y: int
    side: tuple[int, ...]


def equivalence_search(score: Score, max_side: int | None = None, bars: NDArray[np.bool_] | None = None) -> OrderedDag:
    """Insert the edge that lowers the score most while one does, then delete likewise.

    Ties go to the first pair by position.

    Parameters
    ----------
    score : Score
        Any score; it is asked for one variable given its parents at a time.
    max_side : int, optional
        An insertion may direct a set of neighbours as well; this bounds its size (``None``: no
        limit).
    bars : matrix of bool, optional
        ``bars[u, v]``: u is no parent of v. Only classes with a DAG that obeys are looked at.

    Returns
    -------
    OrderedDag
        A DAG of the best class found. The lower its score the better.

    """

    @cache
    def local(v: int, parents: frozenset[int]) -> float:
        heed()
        return score.local(v, sorted(parents))

    graph = Pattern([set() for _ in score.names], [set() for _ in score.names])
    graph = _climb(graph, local, 1, lambda state, x, y: state.insertions(x, y, max_side), bars)
    graph = _climb(graph, local, -1, Pattern.deletions, bars)
    parents, order = graph.obeying(bars).a_dag()
    total = sum(local(v, frozenset(above)) for v, above in enumerate(parents))
    return OrderedDag.of(order, parents, total, local.cache_info().currsize)


def _climb(
    graph: Pattern, local: Local, sign: int, ways: Callable[[Pattern, int, int], Iterator[Way]], bars: NDArray[np.bool_] | None = None
) -> Pattern:
    """The best allowed step again and again, edges put in (``sign`` 1) or taken out (-1); only changed pairs are looked at anew."""
    n = len(graph.parents)
    steps: dict[tuple[int, int], list[_Step]] = {}
    changed = set(range(n))
    while True:
        for x, y in permutations(range(n), 2):
            if x in changed or y in changed:
                worths = [(sign * (local(y, given | {x}) - local(y, given)), side) for side, given in ways(graph, x, y)]
                steps[x, y] = [_Step(to_precision(change), x, y, tuple(sorted(side))) for change, side in worths if change < -GAIN]
        every = sorted(chain.from_iterable(steps.values()))
        heed()
        step = next((step for step in every if graph.allows(step) and graph.after(step).has_obeying(bars)), None)
        if step is None:
            return graph
        after = graph.after(step)
        changed = {v for v in range(n) if after.around(v) != graph.around(v)}
        graph = after


@dataclass(frozen=True, eq=False)
class Pattern:
    """A class of DAGs: all agree on ``parents``; the direction of those ``beside`` is open."""

    parents: list[set[int]]
    beside: list[set[int]]

    def around(self, v: int) -> tuple[set[int], set[int], set[int]]:
        """All that is known of the edges at v."""
        return self.parents[v], self.beside[v], {w for w, above in enumerate(self.parents) if v in above}

    def adjacent(self, x: int, y: int) -> bool:
        """Is there an edge between the two?"""
        return x in self.parents[y] or y in self.parents[x] or x in self.beside[y]

    def is_clique(self, vertices: frozenset[int]) -> bool:
        """Are all of them adjacent to each other?"""
        heed()  # as many sets are asked about as neighbours have subsets
        return all(self.adjacent(a, b) for a, b in combinations(sorted(vertices), 2))

    def shared(self, x: int, y: int) -> frozenset[int]:
        """Open neighbours of y that are adjacent to x."""
        return frozenset(v for v in self.beside[y] if v != x and self.adjacent(v, x))

    def insertions(self, x: int, y: int, max_side: int | None) -> Iterator[Way]:
        """Ways to put in x → y (Chickering's Insert), paths unchecked."""
        if self.adjacent(x, y):
            return
        shared = self.shared(x, y)
        free = sorted(v for v in self.beside[y] if v != x and v not in shared)
        sides = [frozenset[int]()] if self.is_clique(shared) else []
        while sides:
            yield from ((side, shared | side | self.parents[y]) for side in sides)
            if max_side is not None and len(sides[0]) >= max_side:
                return
            sides = [side | {v} for side in sides for v in free if v > max(side, default=-1) and self.is_clique(shared | side | {v})]

    def deletions(self, x: int, y: int) -> Iterator[Way]:
        """Ways to take out x → y or x - y (Chickering's Delete)."""
        if x not in self.parents[y] and x not in self.beside[y]:
            return
        shared = self.shared(x, y)
        for size in range(len(shared) + 1):
            for side in map(frozenset, combinations(sorted(shared), size)):
                if self.is_clique(shared - side):
                    yield side, (shared - side) | (self.parents[y] - {x})

    def allows(self, step: _Step) -> bool:
        """May the step be made?

        For an insertion every path from y to x that may be directed must meet the shared neighbours
        or the side.
        """
        closed = self.shared(step.x, step.y).union(step.side)
        before = reached(step.x, lambda v: (self.parents[v] | self.beside[v]) - closed)
        return self.adjacent(step.x, step.y) or step.y not in before

    def after(self, step: _Step) -> Pattern:
        """The class with the edge put in, or taken out where it is there."""
        x, y = step.x, step.y
        after = Pattern([set(each) for each in self.parents], [set(each) for each in self.beside])
        if not self.adjacent(x, y):
            after.parents[y].add(x)
            for v in step.side:
                after._direct(v, y)
            return after._completed()
        after.parents[y].discard(x)
        after.beside[y].discard(x)
        after.beside[x].discard(y)
        for v in step.side:
            after._direct(y, v)
            if v in after.beside[x]:
                after._direct(x, v)
        return after._completed()

    def obeying(self, bars: NDArray[np.bool_] | None) -> Pattern:
        """The graph with those edges directed whose other direction is barred."""
        after = Pattern([set(each) for each in self.parents], [set(each) for each in self.beside])
        for v, open_beside in enumerate(self.beside) if bars is not None else ():
            for u in open_beside:
                if bars is not None and bars[u, v]:
                    after._direct(v, u)
        return after

    def has_obeying(self, bars: NDArray[np.bool_] | None) -> bool:
        """Has the class a DAG in which no arc is barred?"""
        if bars is None:
            return True
        if any(bars[u, v] for v, above in enumerate(self.parents) for u in above):
            return False
        if any(bars[u, v] and bars[v, u] for v, others in enumerate(self.beside) for u in others):
            return False
        try:
            self.obeying(bars).a_dag()
        except StopIteration:
            return False
        return True

    def _direct(self, u: int, v: int) -> None:
        self.beside[u].discard(v)
        self.beside[v].discard(u)
        self.parents[v].add(u)

    def a_dag(self) -> tuple[list[set[int]], list[int]]:
        """Parents in a DAG of the class, and an order with parents first (Dor and Tarsi 1992)."""
        left, parents = set(range(len(self.parents))), [set(each) for each in self.parents]
        backwards: list[int] = []
        while left:
            sink = next(v for v in sorted(left) if self._is_sink(v, left))
            parents[sink] |= self.beside[sink] & left
            left.remove(sink)
            backwards.append(sink)
        return parents, backwards[::-1]

    def _is_sink(self, v: int, left: set[int]) -> bool:
        if any(v in self.parents[w] for w in left):
            return False
        others = (self.parents[v] | self.beside[v]) & left
        return all(self.adjacent(u, w) for u in self.beside[v] & left for w in others if w != u)

    def _completed(self) -> Pattern:
        """The graph of the class of a DAG that extends this one (Chickering 1995).

        An arc is directed iff all DAGs of the class have it. Of the arcs into y, the one from the
        latest parent x decides: with arcs directed into x from beyond the parents of y, or other
        parents of y that x does not have, all of them are directed, else those that are so into x.
        """
        parents, order = self.a_dag()
        after = Pattern([set() for _ in order], [set() for _ in order])
        for y in order:
            if not parents[y]:
                continue
            x = max(parents[y], key=order.index)
            is_open = after.parents[x] <= parents[y] <= parents[x] | {x}
            after.parents[y] |= after.parents[x] if is_open else parents[y]
            for u in parents[y] - after.parents[y]:
                after.beside[u].add(y)
                after.beside[y].add(u)
        return after
