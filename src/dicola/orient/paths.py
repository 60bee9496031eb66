"""The path searches behind R4, R5, R9 and R10; each walks edges, not vertices, where a vertex may be passed in two ways."""

from __future__ import annotations

from collections import deque

from dicola.graphs.marks import ARROW, CIRCLE, TAIL
from dicola.orient.partial import PartialGraph
from dicola.watch import heed


def discriminating_path(graph: PartialGraph, a: int, b: int, c: int, max_length: int | None = None) -> tuple[int, ...] | None:
    """A shortest path ``(d, …, a, b, c)`` that discriminates b, given a <-* b, a --> c and b adjacent to c.

    Every vertex between d and b is a collider and a parent of c; d is not adjacent to c. The search runs back from a over parents of
    c; whether it may go on depends on the last edge alone, so visiting each vertex once is enough.
    """
    path_after = {a: b}
    queue = deque([(a, 4)])
    while queue:
        t, length = queue.popleft()
        if not len(path_after) & 15:
            heed()
        if max_length is not None and length > max_length:
            graph.cut_short = True
            return None
        for d in graph.around[t]:
            if d in (b, c) or d in path_after or not graph.is_arrow(d, t):
                continue
            if not graph.adjacent(d, c):
                path = [d, t]
                while path[-1] != b:
                    path.append(path_after[path[-1]])
                return (*path, c)
            if graph.is_parent(d, c) and graph.is_arrow(t, d):
                path_after[d] = t
                queue.append((d, length + 1))
    return None


def uncovered_reach(graph: PartialGraph, a: int, m: int) -> set[int]:
    """Where the uncovered potentially directed paths ``(a, m, …)`` lead to.

    Walked over ordered edges: ``(u, v)`` may be followed by ``(v, w)`` if u and w are not adjacent. Walks that repeat a vertex other
    than a are harmless: were the first edge a --> m in a member of the class, every later edge would have to point onwards too.
    """
    known = graph.reach.get((a, m))
    if known is not None:
        return known
    around, all_definite = graph.around, not graph.ambiguous
    found = graph.reach[a, m] = {m}
    walked = {(a, m)}
    stack = [(a, m)]
    while stack:
        u, v = stack.pop()
        if not len(walked) & 63:
            heed()
        beside_u = around[u]
        for w, mark in around[v].items():
            if mark == TAIL or w in beside_u or w in (u, a) or around[w][v] == ARROW or (v, w) in walked:
                continue
            if all_definite or graph.is_definite(u, v, w):
                walked.add((v, w))
                found.add(w)
                stack.append((v, w))
    return found


def uncovered_circle_path(graph: PartialGraph, a: int, b: int, marks: tuple[int, ...] = (CIRCLE,)) -> tuple[int, ...] | None:
    """A shortest uncovered path ``(a, c, …, d, b)`` of o-o edges with a, d and c, b not adjacent.

    Walked over ordered edges, so that a vertex may come up twice. That is harmless: an arrowhead at b on a - b would have to be passed
    on along the walk, from one unshielded triple to the next, until a were an ancestor of itself or had an arrowhead from a descendant.
    """
    around = graph.around
    before: dict[tuple[int, int], tuple[int, int] | None] = {}
    queue: deque[tuple[int, int]] = deque()

    def go(u: int, v: int, last: tuple[int, int] | None) -> None:
        if around[u][v] in marks and around[v][u] in marks and (u, v) not in before:
            before[u, v] = last
            queue.append((u, v))

    for c in around[a]:
        if c != b and c not in around[b] and graph.is_definite(b, a, c):
            go(a, c, None)
    while queue:
        u, v = queue.popleft()
        if not len(before) & 63:
            heed()
        for w in around[v]:
            if w in (a, u) or w in around[u] or not graph.is_definite(u, v, w):
                continue
            if w != b or (v not in around[a] and graph.is_definite(a, b, v)):
                go(v, w, (u, v))
        if (v, b) in before:
            path, step = [b], before[v, b]
            while step is not None:
                path.append(step[1])
                step = before[step]
            return (a, *reversed(path))
    return None
