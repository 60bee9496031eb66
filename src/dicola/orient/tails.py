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
    for b in _first_steps(graph, a, c):
        if not graph.adjacent(b, c) and graph.is_definite(b, a, c) and c in uncovered_reach(graph, a, b):
            return graph.put(c, a, TAIL, "R9", (a, b, c))
    return False


def r10(graph: PartialGraph, a: int, c: int) -> bool:
    """A o-> c, b --> c <-- d, uncovered potentially directed paths from a to b and to d whose first vertices m and w are distinct
    and not adjacent  =>  a --> c.
    """
    if not _is_open_arrow(graph, a, c):
        return False
    parents = [b for b in sorted(graph.around[c]) if b != a and graph.is_parent(b, c)]
    first = _first_steps(graph, a, c)
    apart = {(m, w) for m in first for w in first if m != w and not graph.adjacent(m, w) and graph.is_definite(m, a, w)}
    if len(parents) < 2 or not apart:
        return False
    reach = {m: uncovered_reach(graph, a, m) for m in first}
    for i, b in enumerate(parents):
        for d in parents[i + 1 :]:
            for m, w in sorted(apart):
                if b in reach[m] and d in reach[w]:
                    return graph.put(c, a, TAIL, "R10", (a, c, b, d, m, w))
    return False


def _first_steps(graph: PartialGraph, a: int, c: int) -> list[int]:
    """Where a potentially directed path from a may begin, other than with c."""
    return [m for m in sorted(graph.around[a]) if m != c and graph.may_point(a, m)]
