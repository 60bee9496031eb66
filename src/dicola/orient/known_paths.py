"""What is known beforehand, along paths: marks that follow from claims and other marks together."""

from __future__ import annotations

import numpy as np

from dicola.claims import Claims
from dicola.graphs.bits import mask_of, members, union
from dicola.graphs.marks import ARROW, CIRCLE, TAIL
from dicola.orient.partial import PartialGraph


class KnownPaths:
    """Two rules that claims add to those of a PAG; both are sound, and nothing more is claimed for them.

    If x causes u and v causes y, by marks or by claims, and x does not cause y, then u does not
    cause v: an arrowhead at u on an edge between them. And an edge that cannot be <-> has a tail
    opposite its arrowhead (``Claims.never_bidirected``).
    """

    def __init__(self, graph: PartialGraph, claims: Claims) -> None:
        n = len(graph)
        adjacency = np.zeros((n, n), dtype=np.bool_)
        for a, row in enumerate(graph.around):
            adjacency[a, list(row)] = True
        plain = adjacency & claims.never_bidirected(adjacency) if claims.unconfounded.any() else np.zeros_like(adjacency)
        self._plain = [(a, b) for a, b in np.argwhere(plain).tolist()]
        self._barred = [mask_of(np.flatnonzero(row).tolist()) for row in claims.barred]
        self._causes = [mask_of(np.flatnonzero(row).tolist()) for row in claims.causes]

    def apply(self, graph: PartialGraph) -> None:
        """Put every mark that follows."""
        for a, b in self._plain:
            if graph.is_arrow(a, b) and graph.is_circle(b, a):
                graph.put(b, a, TAIL, "unconfounded", (b, a))
        if any(self._barred):
            self._along_paths(graph)

    def _along_paths(self, graph: PartialGraph) -> None:
        open_ends = [(a, b) for a, row in enumerate(graph.around) for b in row if graph.around[b][a] == CIRCLE]
        if not open_ends:
            return
        children = [self._causes[a] | mask_of(b for b, mark in row.items() if mark == ARROW and graph.around[b][a] == TAIL)
                    for a, row in enumerate(graph.around)]  # fmt: skip
        below = [_reached(children, a) for a in range(len(graph))]
        above = [0] * len(graph)
        for a, mask in enumerate(below):
            for b in members(mask):
                above[b] |= 1 << a
        never = {u: union(self._barred, above[u]) for u in {u for u, _ in open_ends}}
        for u, v in open_ends:
            if never[u] & below[v]:
                graph.put(v, u, ARROW, "knowledge on a path", (v, u))


def _reached(children: list[int], start: int) -> int:
    """The start and all that lies behind it, as a mask."""
    found, new = 0, 1 << start
    while new:
        found |= new
        new = union(children, new) & ~found
    return found
