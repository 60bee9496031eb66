"""Ancestral graphs to start a climb from: of a partly oriented graph and of a DAG."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dicola.graphs.bits import mask_of, members, union
from dicola.graphs.marks import ARROW, CIRCLE, TAIL
from dicola.orient.equivalence import cardinality_order
from dicola.watch import heed

if TYPE_CHECKING:
    from dicola.score.law import Law

Marks = NDArray[np.int8]


def marks_of_dag(parents: NDArray[np.bool_]) -> Marks:
    """The mark matrix of a DAG; ``parents[v, u]`` says u -> v."""
    return np.where(parents.T, ARROW, np.where(parents, TAIL, 0)).astype(np.int8)


def ancestral_marks(marks: Marks, law: Law | None = None) -> Marks:
    """An ancestral graph with the same edges, as like a partly oriented graph as can be.

    Edges come in by how sure their marks are: first ->, then <->, then o-> as ->, then o-o,
    directed by maximum cardinality search so that few colliders arise. One that would close a
    directed or almost directed cycle becomes the first of <->, ->, <- that closes none; one that
    goes along with the ancestors never does. Under a ``law`` arrows from causes that are known come
    first, and each kind must obey; an edge that may have none is left out.
    """
    graph = _grown(_Ancestral(len(marks)) if law is None else _Obeying(law), marks)
    if law is not None and not graph.is_complete:  # edges were in the way of a path that must be there: that path first
        return _grown(_Obeying(law, marks), marks).marks
    return graph.marks


def _grown(graph: _Ancestral, marks: Marks) -> _Ancestral:
    """The graph with the edges of another one, as like them as can be."""
    is_open = (marks == CIRCLE) & (marks.T == CIRCLE)
    beside = [set(np.flatnonzero(row).tolist()) for row in is_open] if is_open.any() else []
    place = np.argsort(cardinality_order(beside)).tolist()
    arrows, edges = [], []
    for a, b in np.argwhere(np.triu(marks)).tolist():
        at_a, at_b = int(marks[b, a]), int(marks[a, b])
        if is_open[a, b]:
            u, v = sorted((a, b), key=place.__getitem__)
            edges.append((3, place[u], place[v], (u, v, _FORTH)))
        elif at_a == at_b == ARROW:
            edges.append((1, a, b, (a, b, _BOTH)))
        else:
            u, v = (b, a) if at_a == ARROW or at_b == TAIL else (a, b)
            if CIRCLE in (at_a, at_b):
                edges.append((2, a, b, (u, v, _FORTH)))
            else:
                arrows.append((u, v))
    graph.insert_arrows(arrows)
    for *_, edge in sorted(edges):
        heed()
        graph.insert(*edge)
    graph.is_complete = graph.complete()
    return graph


_FORTH, _BACK, _BOTH = 1, 2, 3


class _Ancestral:
    """An ancestral graph that grows edge by edge; sets of vertices are masks."""

    def __init__(self, n: int) -> None:
        self.marks: Marks = np.zeros((n, n), dtype=np.int8)
        self.above = [1 << v for v in range(n)]
        self.below = [1 << v for v in range(n)]
        self.siblings = [0] * n
        self.with_siblings = 0
        self.is_complete = False

    def insert_arrows(self, arrows: Sequence[tuple[int, int]]) -> None:
        """Add the first edges, all of them arrows: at once where they close no cycle."""
        parents, children = [0] * len(self.marks), [0] * len(self.marks)
        for u, v in arrows:
            parents[v] |= 1 << u
            children[u] |= 1 << v
        waiting = [mask.bit_count() for mask in parents]
        order = [v for v, count in enumerate(waiting) if not count]
        for u in order:  # grows while it is read
            for v in members(children[u]):
                waiting[v] -= 1
                if not waiting[v]:
                    order.append(v)
        if len(order) < len(self.marks):
            for u, v in arrows:
                self.insert(u, v, _FORTH)
            return
        for v in order:
            self.above[v] |= union(self.above, parents[v])
        for u in reversed(order):
            self.below[u] |= union(self.below, children[u])
        for u, v in arrows:
            self.marks[u, v], self.marks[v, u] = ARROW, TAIL

    def insert(self, u: int, v: int, wanted: int) -> None:
        """Add the edge as wanted, or else as the first kind that keeps the graph ancestral."""
        self._add(u, v, next(kind for kind in (wanted, _BOTH, _FORTH, _BACK) if self._allows(u, v, kind)))

    def _add(self, u: int, v: int, kind: int) -> None:
        if kind == _BOTH:
            self.marks[u, v] = self.marks[v, u] = ARROW
            self.siblings[u] |= 1 << v
            self.siblings[v] |= 1 << u
            self.with_siblings |= 1 << u | 1 << v
            return
        if kind == _BACK:
            u, v = v, u
        self.marks[u, v], self.marks[v, u] = ARROW, TAIL
        above, below = self.above[u], self.below[v]
        for w in members(below):
            self.above[w] |= above
        for w in members(above):
            self.below[w] |= below

    def complete(self) -> bool:
        """Add the edges that must be there; could all be added? Without a law none must be there."""
        return True

    def _allows(self, u: int, v: int, kind: int) -> bool:
        if kind == _BOTH:
            return not (self.above[u] >> v & 1 or self.above[v] >> u & 1)
        if kind == _BACK:
            u, v = v, u
        if self.above[u] >> v & 1:
            return False
        return not any(self.siblings[x] & self.below[v] for x in members(self.above[u] & self.with_siblings))


class _Obeying(_Ancestral):
    """An ancestral graph that obeys a law.

    With the graph that it is to be ``like``, paths that must lead from one variable to another
    which it may not be adjacent to are there from the start, through variables adjacent to both if
    possible.
    """

    def __init__(self, law: Law, like: Marks | None = None) -> None:
        super().__init__(len(law.claims.labels))
        self.law, self.barred = law, [mask_of(np.flatnonzero(row).tolist()) for row in law.claims.barred]
        for u, v in law.needed.tolist():
            if not law.claims.apart[u, v]:
                self._add(u, v, _FORTH)
        if like is not None:
            self._lead_all(like)

    def insert_arrows(self, arrows: Sequence[tuple[int, int]]) -> None:
        for u, v in arrows:
            self.insert(u, v, _FORTH)

    def insert(self, u: int, v: int, wanted: int) -> None:
        if self.marks[u, v] or self.law.claims.apart[u, v]:
            return
        kind = next((kind for kind in (wanted, _BOTH, _FORTH, _BACK) if self._allows(u, v, kind)), None)
        if kind is not None:
            self._add(u, v, kind)

    def complete(self) -> bool:
        for u, v in np.argwhere(np.triu(self.law.claims.joined)).tolist():
            self.insert(u, v, _FORTH)
            if not self.marks[u, v]:  # said to be adjacent, so that something must explain it
                self._add(u, v, next(kind for kind in (_BOTH, _FORTH, _BACK) if _Ancestral._allows(self, u, v, kind)))
        return self._lead_all(self.marks)

    def _lead_all(self, near: Marks) -> bool:
        """Add the paths that must be there and are not; were there ways for all of them?"""
        led = [self._lead(u, v, near) for u, v in self.law.needed.tolist() if not self.above[v] >> u & 1]
        return all(led)

    def _lead(self, u: int, v: int, near: Marks) -> bool:
        """Add a path from u to v, which must be no neighbours, by way of one other; best one next to both. Was there one?"""
        apart = self.law.claims.apart
        others = sorted(range(len(self.marks)), key=lambda w: -int(near[u, w] > 0) - int(near[w, v] > 0))
        for w in others:
            steps = [(a, b) for a, b in ((u, w), (w, v)) if not (self.marks[a, b] == ARROW and self.marks[b, a] == TAIL)]
            if w in (u, v) or any(self.marks[a, b] or apart[a, b] or not self._allows(a, b, _FORTH) for a, b in steps):
                continue
            for a, b in steps:
                self._add(a, b, _FORTH)
            return True
        return False

    def _allows(self, u: int, v: int, kind: int) -> bool:
        if kind == _BOTH and self.law.never_both[u, v]:
            return False
        if kind != _BOTH:
            first, last = (u, v) if kind == _FORTH else (v, u)
            below = self.below[last]
            if any(self.barred[x] & below for x in members(self.above[first])):
                return False
        return super()._allows(u, v, kind)


def reached(start: int, near: Callable[[int], Iterable[int]]) -> list[int]:
    """The start and all that steps to what is near lead to, breadth first."""
    found, seen = [start], {start}
    for v in found:  # grows while it is read
        new = [w for w in near(v) if w not in seen]
        found += new
        seen.update(new)
    return found
