"""R5-R7: tails due to selection of the sample (Zhang 2008). They never fire without selection, and stay off by default."""

from __future__ import annotations

from dicola.graphs.marks import CIRCLE, TAIL
from dicola.orient.partial import PartialGraph
from dicola.orient.paths import uncovered_circle_path


def r5(graph: PartialGraph, a: int, b: int, marks: tuple[int, ...] = (CIRCLE,)) -> bool:
    """A o-o b and an uncovered circle path (a, c, …, d, b) with a, d and c, b not adjacent  =>  the whole cycle is undirected.

    Tails that were known beforehand may stand in it as well: what the rule needs is that there are no arrowheads.
    """
    if graph.around[a][b] not in marks or graph.around[b][a] not in marks:
        return False
    path = uncovered_circle_path(graph, a, b, marks)
    if path is None:
        return False
    changed = False
    for u, v in zip(path, (*path[1:], a), strict=True):
        changed |= graph.put(u, v, TAIL, "R5", path)
        changed |= graph.put(v, u, TAIL, "R5", path)
    return changed


def r6(graph: PartialGraph, a: int, b: int, c: int) -> bool:
    """A --- b o-* c  =>  a tail at b."""
    if not graph.is_tail(a, b) or not graph.is_tail(b, a) or not graph.is_circle(c, b):
        return False
    return graph.put(c, b, TAIL, "R6", (a, b, c))


def r7(graph: PartialGraph, a: int, b: int, c: int) -> bool:
    """A --o b o-* c with a, c not adjacent  =>  a tail at b."""
    if a == c or not graph.is_tail(b, a) or not graph.is_circle(a, b) or not graph.is_circle(c, b) or graph.adjacent(a, c):
        return False
    if not graph.is_definite(a, b, c):
        return False
    return graph.put(c, b, TAIL, "R7", (a, b, c))
