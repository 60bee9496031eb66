"""Greedy equivalence search: from the empty graph to a class of DAGs, edge by edge.

First edges are put in, one at a time, then taken out. The states are classes of Markov equivalent
DAGs, each written as a graph of directed and undirected edges (Chickering 2002, GES).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from dicola.score.base import Score

GAIN = 1e-6  # what a step must improve the score by

Local = Callable[[int, frozenset[int]], float]


@dataclass(frozen=True, eq=False)
class Equivalence:
    """The best class found, by one of its DAGs: ``parents[v, u]`` says u → v."""

    parents: NDArray[np.bool_]
    order: NDArray[np.int64]
    score: float
    n_scores: int


@dataclass(frozen=True)
class _Step:
    """Put in or take out the edge x - y, and direct the ``side``: into y, or away from x and y."""

    change: float
    x: int
    y: int
    side: frozenset[int]


def equivalence_search(score: Score, max_side: int | None = None) -> Equivalence:
    """Insert the edge that lowers the score most while one does, then delete likewise.

    Ties go to the first pair by position.

    Parameters
    ----------
    score : Score
        Any score; it is asked for one variable given its parents at a time.
    max_side : int, optional
        An insertion may direct a set of neighbours as well; this bounds its size (``None``: no
        limit).

    Returns
    -------
    Equivalence
        A DAG of the best class found. The lower its score the better.

    """
    known: dict[tuple[int, frozenset[int]], float] = {}

    def local(v: int, parents: frozenset[int]) -> float:
        if (v, parents) not in known:
            known[v, parents] = score.local(v, sorted(parents))
        return known[v, parents]

    graph = Pattern(len(score))
    graph = _climb(graph, lambda state, x, y: state.insertions(local, x, y, max_side), Pattern.inserted)
    graph = _climb(graph, lambda state, x, y: state.deletions(local, x, y), Pattern.deleted)
    parents, order = graph.a_dag()
    matrix = np.zeros((len(score), len(score)), np.bool_)
    for v, above in enumerate(parents):
        matrix[v, sorted(above)] = True
    total = sum(local(v, frozenset(above)) for v, above in enumerate(parents))
    return Equivalence(matrix, np.array(order, dtype=np.int64), total, len(known))


def _climb(graph: Pattern, steps: Callable[[Pattern, int, int], Iterator[_Step]], apply: Callable[[Pattern, _Step], Pattern]) -> Pattern:
    """The best allowed step again and again; only changed pairs are looked at anew."""
    n = len(graph.parents)
    open_steps: dict[tuple[int, int], list[_Step]] = {}
    changed = set(range(n))
    while True:
        for x in range(n):
            for y in range(n):
                if x != y and (x in changed or y in changed):
                    open_steps[x, y] = list(steps(graph, x, y))
        every = sorted((step for found in open_steps.values() for step in found), key=lambda s: (s.change, s.x, s.y, sorted(s.side)))
        step = next((step for step in every if graph.allows(step)), None)
        if step is None:
            return graph
        after = apply(graph, step)
        changed = {v for v in range(n) if after.around(v) != graph.around(v)}
        graph = after


class Pattern:
    """A class of DAGs: all agree on ``parents``; the direction of those ``beside`` is open."""

    def __init__(self, n: int) -> None:
        self.parents: list[set[int]] = [set() for _ in range(n)]
        self.beside: list[set[int]] = [set() for _ in range(n)]

    def around(self, v: int) -> tuple[set[int], set[int], set[int]]:
        """All that is known of the edges at v."""
        return self.parents[v], self.beside[v], {w for w, above in enumerate(self.parents) if v in above}

    def adjacent(self, x: int, y: int) -> bool:
        """Is there an edge between the two?"""
        return x in self.parents[y] or y in self.parents[x] or x in self.beside[y]

    def is_clique(self, vertices: frozenset[int]) -> bool:
        """Are all of them adjacent to each other?"""
        return all(self.adjacent(a, b) for a, b in combinations(sorted(vertices), 2))

    def shared(self, x: int, y: int) -> frozenset[int]:
        """Open neighbours of y that are adjacent to x."""
        return frozenset(v for v in self.beside[y] if v != x and self.adjacent(v, x))

    def insertions(self, local: Local, x: int, y: int, max_side: int | None) -> Iterator[_Step]:
        """Ways to put in x → y that lower the score (Chickering's Insert), paths unchecked."""
        if self.adjacent(x, y):
            return
        shared = self.shared(x, y)
        free = sorted(v for v in self.beside[y] if v != x and v not in shared)
        sides = [frozenset[int]()] if self.is_clique(shared) else []
        while sides:
            for side in sides:
                given = shared | side | self.parents[y]
                change = local(y, given | {x}) - local(y, given)
                if change < -GAIN:
                    yield _Step(change, x, y, side)
            if max_side is not None and len(sides[0]) >= max_side:
                return
            sides = [side | {v} for side in sides for v in free if v > max(side, default=-1) and self.is_clique(shared | side | {v})]

    def deletions(self, local: Local, x: int, y: int) -> Iterator[_Step]:
        """Ways to take out x → y or x - y that lower the score (Chickering's Delete)."""
        if x not in self.parents[y] and x not in self.beside[y]:
            return
        shared = self.shared(x, y)
        for size in range(len(shared) + 1):
            for side in map(frozenset, combinations(sorted(shared), size)):
                if not self.is_clique(shared - side):
                    continue
                given = (shared - side) | (self.parents[y] - {x})
                change = local(y, frozenset(given)) - local(y, frozenset(given | {x}))
                if change < -GAIN:
                    yield _Step(change, x, y, side)

    def allows(self, step: _Step) -> bool:
        """May the step be made?

        For an insertion every path from y to x that may be directed must meet the shared neighbours
        or the side.
        """
        if self.adjacent(step.x, step.y):
            return True
        closed = self.shared(step.x, step.y) | step.side
        seen, stack = {step.y}, [step.y]
        while stack:
            v = stack.pop()
            for w in range(len(self.parents)):
                if w in seen or w in closed or not (v in self.parents[w] or w in self.beside[v]):
                    continue
                if w == step.x:
                    return False
                seen.add(w)
                stack.append(w)
        return True

    def inserted(self, step: _Step) -> Pattern:
        """The class after an insertion."""
        after = self._copy()
        after.parents[step.y].add(step.x)
        for v in step.side:
            after._direct(v, step.y)
        return after._completed()

    def deleted(self, step: _Step) -> Pattern:
        """The class after a deletion."""
        after, x, y = self._copy(), step.x, step.y
        after.parents[y].discard(x)
        after.beside[y].discard(x)
        after.beside[x].discard(y)
        for v in step.side:
            after._direct(y, v)
            if v in after.beside[x]:
                after._direct(x, v)
        return after._completed()

    def _direct(self, u: int, v: int) -> None:
        self.beside[u].discard(v)
        self.beside[v].discard(u)
        self.parents[v].add(u)

    def _copy(self) -> Pattern:
        copy = Pattern(0)
        copy.parents, copy.beside = [set(each) for each in self.parents], [set(each) for each in self.beside]
        return copy

    def a_dag(self) -> tuple[list[set[int]], list[int]]:
        """Parents in a DAG of the class, and an order with parents first (Dor and Tarsi 1992)."""
        left, parents = set(range(len(self.parents))), [set(each) for each in self.parents]
        backwards: list[int] = []
        while left:
            sink = next(v for v in sorted(left) if self._is_sink(v, left))
            for u in self.beside[sink] & left:
                parents[sink].add(u)
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

        An arc is directed iff all DAGs of the class have it. Arcs are labelled in the order of
        their heads, then from the latest tail to the earliest.
        """
        parents, order = self.a_dag()
        place = {v: i for i, v in enumerate(order)}
        compelled: list[set[int]] = [set() for _ in order]
        reversible: list[set[int]] = [set() for _ in order]
        for y in order:
            for x in sorted(parents[y], key=place.__getitem__, reverse=True):
                if x in compelled[y] or x in reversible[y]:
                    continue
                if compelled[x] - parents[y]:
                    compelled[y] |= parents[y]
                    reversible[y].clear()
                    break
                compelled[y] |= compelled[x]
                reversible[y] -= compelled[y]
                unknown = parents[y] - compelled[y] - reversible[y]
                (compelled if any(z != x and z not in parents[x] for z in parents[y]) else reversible)[y].update(unknown)
        after = Pattern(len(order))
        after.parents = compelled
        for y, others in enumerate(reversible):
            for x in others:
                after.beside[x].add(y)
                after.beside[y].add(x)
        return after
