"""What is known beforehand, along paths: marks that follow from claims and other marks together."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dicola.claims import Claims
from dicola.graphs.bits import mask_of, members, union
from dicola.graphs.marks import ARROW, CIRCLE, TAIL
from dicola.orient.partial import PartialGraph
from dicola.orient.selection import r5


class KnownRules(Protocol):
    """What claims add to the rules of a PAG."""

    def apply(self, graph: PartialGraph) -> None:
        """Put every mark that follows."""


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


class KnownOfSelection:
    """What claims add where the sample may have been selected; sound, and nothing more is claimed for it.

    An arrowhead at a says that a is no cause of selection. So, with "a does not cause b", there is
    an arrowhead at a on its edge to b; and what such an a causes is no cause of selection either. A
    tail at a on an edge to some b that a does not cause, and an undirected edge, say that a causes
    selection: then a, and what causes a, have tails on all their edges.
    """

    def __init__(self, claims: Claims) -> None:
        self._barred, self._causes = claims.barred, claims.causes

    def apply(self, graph: PartialGraph) -> None:
        """Put every mark that follows, again where one led to another."""
        before = -1
        while graph.n_changes != before:
            before = graph.n_changes
            ends = [(other, at, mark) for other, row in enumerate(graph.around) for at, mark in row.items()]
            free = self._passed_on({at for _, at, mark in ends if mark == ARROW}, self._causes)
            bound = {at for other, at, mark in ends if mark == TAIL and (self._barred[at, other] or graph.is_tail(at, other))}
            bound = self._passed_on(bound, self._causes.T)
            for other, at in [(other, at) for other, at, mark in ends if mark == CIRCLE]:
                if at in free and self._barred[at, other]:
                    graph.put(other, at, ARROW, "knowledge beside an arrowhead", (other, at))
                elif at in bound:
                    graph.put(other, at, TAIL, "knowledge of selection", (other, at))
                else:
                    self._despite_tails(graph, other, at, free)

    def _despite_tails(self, graph: PartialGraph, a: int, b: int, free: set[int]) -> None:
        """The circle at b on its edge to a: what rules would put, had there been circles where tails were put before them."""
        via = next((c for c in graph.around[a] if graph.is_tail(c, a) and graph.is_arrow(c, b)), None)
        if a in free and graph.is_tail(b, a):  # so that a causes b
            graph.put(a, b, ARROW, "knowledge beside an arrowhead", (a, b))
        elif via is not None:  # b causes neither via nor selection, so not a either, which causes one of them
            graph.put(a, b, ARROW, "R2", (a, via, b))
        else:
            r5(graph, a, b, (CIRCLE, TAIL))

    @staticmethod
    def _passed_on(found: set[int], steps: NDArray[np.bool_]) -> set[int]:
        return found | set(np.flatnonzero(steps[sorted(found)].any(axis=0)).tolist()) if found else found


def _reached(children: list[int], start: int) -> int:
    """The start and all that lies behind it, as a mask."""
    found, new = 0, 1 << start
    while new:
        found |= new
        new = union(children, new) & ~found
    return found
