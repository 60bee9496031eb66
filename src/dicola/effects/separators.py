"""All minimal sets that part two vertices of an undirected graph, one after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from dicola.graphs.bits import members, union


def minimal_separators(neighbours: Sequence[int], a: int, b: int) -> Iterator[int]:
    """Every minimal set of vertices without which no path joins a and b, each once, those nearest to a first.

    From a set S and a vertex v of it that is not joined to b, the next one is the nearest to b's
    side once v is on the side of a; all minimal sets are met this way, with polynomial time from
    one to the next (Kloks and Kratsch 1998; for adjustment van der Zander, Liskiewicz and Textor
    2014).

    Parameters
    ----------
    neighbours : sequence of int
        For each vertex the mask of its neighbours.
    a, b : int
        Two different vertices.

    """
    first = _beyond(neighbours, 1 << a, b)
    if first is None:
        return
    met, queue = {first}, deque([first])
    while queue:
        separator = queue.popleft()
        yield separator
        side = _component(neighbours, a, ~separator)
        for v in members(separator & ~neighbours[b]):
            following = _beyond(neighbours, side | 1 << v, b)
            if following is not None and following not in met:
                met.add(following)
                queue.append(following)


def without(neighbours: Sequence[int], gone: int) -> list[int]:
    """The graph in which those of the mask cannot be held fixed: ways through them become edges."""
    masks = list(neighbours)
    for v in members(gone):
        beside = masks[v]
        masks[v] = 0
        for u in members(beside):
            masks[u] = (masks[u] | beside) & ~(1 << u | 1 << v)
    return masks


def _beyond(neighbours: Sequence[int], side: int, b: int) -> int | None:
    """The minimal set around the part of b, once a side and all next to it are left; ``None`` where b is next to it."""
    left = side | union(neighbours, side)
    if left >> b & 1:
        return None
    part = _component(neighbours, b, ~left)
    return union(neighbours, part) & ~part


def _component(neighbours: Sequence[int], start: int, inside: int) -> int:
    found = new = 1 << start
    while new:
        new = union(neighbours, new) & inside & ~found
        found |= new
    return found
