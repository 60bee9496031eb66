"""The path searches behind R4, R5, R9 and R10; each walks edges, not vertices, where a vertex may be passed in two ways."""

from __future__ import annotations

from collections import deque

from dicola.graphs.marks import ARROW, CIRCLE, TAIL
from dicola.orient.partial import PartialGraph


def discriminating_path(graph: PartialGraph, a: int, b: int, c: int, max_length: int | None = None) -> tuple[int, ...] | None:
    """A shortest path ``(d, …, a, b, c)`` that discriminates b, given a <-* b, a --> c and b adjacent to c.

    Every vertex between d and b is a collider and a parent of c; d is not adjacent to c. The search runs back from a over parents of
    c; whether it may go on depends on the last edge alone, so visiting each vertex once is enough.
    """
    path_after = {a: b}
    queue = deque([(a, 4)])
    while queue:
        t, length = queue.popleft()
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
    found = graph.reach[a, m] = {m}
    walked = {(a, m)}
    stack = [(a, m)]
    while stack:
        u, v = stack.pop()
        beside_u = graph.around[u]
        for w, mark in graph.around[v].items():
            if mark == TAIL or w in (a, u) or w in beside_u or graph.around[w][v] == ARROW or (v, w) in walked:
                continue
            if graph.is_definite(u, v, w):
                walked.add((v, w))
                found.add(w)
                stack.append((v, w))
    return found


def uncovered_circle_path(graph: PartialGraph, a: int, b: int) -> tuple[int, ...] | None:
    """An uncovered simple path ``(a, c, …, d, b)`` of o-o edges with a, d and c, b not adjacent."""

    def is_circle_edge(u: int, v: int) -> bool:
        return graph.around[u][v] == CIRCLE and graph.around[v][u] == CIRCLE

    starts = [c for c in graph.around[a] if c != b and is_circle_edge(a, c) and not graph.adjacent(c, b)]
    stack: list[tuple[int, ...]] = [(a, c) for c in reversed(starts)]
    while stack:
        path = stack.pop()
        u, v = path[-2], path[-1]
        for w in reversed(graph.around[v]):
            if w in path or not is_circle_edge(v, w) or graph.adjacent(u, w) or not graph.is_definite(u, v, w):
                continue
            if w == b:
                if len(path) >= 3 and not graph.adjacent(a, v) and graph.is_definite(a, b, v) and graph.is_definite(b, a, path[1]):
                    return (*path, b)
                continue
            stack.append((*path, w))
    return None
