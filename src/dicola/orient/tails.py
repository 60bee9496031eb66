"""R8-R10: the tails that complete the PAG (Zhang 2008)."""

from __future__ import annotations

from dicola.graphs.marks import ARROW, CIRCLE, TAIL
from dicola.orient.partial import PartialGraph
from dicola.orient.paths import uncovered_reach


def _is_open_arrow(graph: PartialGraph, a: int, c: int) -> bool:
    """A o-> c."""
    return graph.around[a].get(c) == ARROW and graph.around[c][a] == CIRCLE


def _onward(graph: PartialGraph, a: int, c: int) -> list[int]:
    """The neighbours of a but c to which the edge could point."""
    around = graph.around
    return [b for b, mark in around[a].items() if mark != TAIL and b != c and around[b][a] != ARROW]


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
    for b in _onward(graph, a, c):
        if b not in beside_c and graph.is_definite(b, a, c) and c in uncovered_reach(graph, a, b):
            return graph.put(c, a, TAIL, "R9", (a, b, c))
    return False


def r10(graph: PartialGraph, a: int, c: int) -> bool:
    """A o-> c, b --> c <-- d, uncovered potentially directed paths from a to b and to d whose first vertices m and w are distinct
    and not adjacent  =>  a --> c.
    """
    if not _is_open_arrow(graph, a, c):
        return False
    parents = [b for b, mark in graph.around[c].items() if mark == TAIL and graph.around[b][c] == ARROW]
    if len(parents) < 2:
        return False
    reach = {m: uncovered_reach(graph, a, m) for m in _onward(graph, a, c)}
    ways = [(b, first) for b in parents if (first := [m for m in reach if b in reach[m]])]
    for i, (b, first) in enumerate(ways):
        for d, other in ways[i + 1 :]:
            for m in first:
                for w in other:
                    if m != w and not graph.adjacent(m, w) and graph.is_definite(m, a, w):
                        return graph.put(c, a, TAIL, "R10", (a, c, b, d, m, w))
    return False
