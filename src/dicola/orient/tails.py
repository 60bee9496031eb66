"""R8-R10: the tails that complete the PAG (Zhang 2008)."""

from __future__ import annotations

from dicola.graphs.marks import TAIL
from dicola.orient.partial import PartialGraph
from dicola.orient.paths import uncovered_reach


def _is_open_arrow(graph: PartialGraph, a: int, c: int) -> bool:
    """A o-> c."""
    return graph.is_arrow(a, c) and graph.is_circle(c, a)


def r8(graph: PartialGraph, a: int, b: int, c: int) -> bool:
    """A --> b --> c or a --o b --> c, and a o-> c  =>  a --> c."""
    if not _is_open_arrow(graph, a, c) or not graph.is_parent(b, c):
        return False
    if not graph.is_tail(b, a) or graph.is_tail(a, b):
        return False
    return graph.put(c, a, TAIL, "R8", (a, b, c))


def r9(graph: PartialGraph, a: int, c: int) -> bool:
    """A o-> c and an uncovered potentially directed path (a, b, …, c) with b, c not adjacent  =>  a --> c."""
    if not _is_open_arrow(graph, a, c):
        return False
    beside_c = graph.around[c]
    for b in [b for b in graph.around[a] if b != c and b not in beside_c and graph.may_point(a, b)]:
        if graph.is_definite(b, a, c) and c in uncovered_reach(graph, a, b):
            return graph.put(c, a, TAIL, "R9", (a, b, c))
    return False


def r10(graph: PartialGraph, a: int, c: int) -> bool:
    """A o-> c, b --> c <-- d, uncovered potentially directed paths from a to b and to d whose first vertices m and w are distinct
    and not adjacent  =>  a --> c.
    """
    if not _is_open_arrow(graph, a, c):
        return False
    parents = [b for b in graph.around[c] if b != a and graph.is_parent(b, c)]
    if len(parents) < 2:
        return False
    first = [m for m in graph.around[a] if m != c and graph.may_point(a, m)]
    apart = [(m, w) for m in first for w in first if m != w and not graph.adjacent(m, w) and graph.is_definite(m, a, w)]
    if not apart:
        return False
    reach = {m: uncovered_reach(graph, a, m) for m in first}
    for i, b in enumerate(parents):
        for d in parents[i + 1 :]:
            for m, w in apart:
                if b in reach[m] and d in reach[w]:
                    return graph.put(c, a, TAIL, "R10", (a, c, b, d, m, w))
    return False
