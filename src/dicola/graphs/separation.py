"""m-separation in time linear in the graph.

A walk is open given Z when every collider on it is an ancestor of Z and every non-collider is outside Z. In an ancestral graph open
walks and open paths reach the same vertices, so a search over the states (vertex, "entered through an arrowhead?") decides
separation (Richardson and Spirtes 2002; the "Bayes ball" idea of Shachter 1998 carried to mixed graphs).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from dicola.errors import InvalidGraph
from dicola.graphs.bits import mask_of, members, union
from dicola.graphs.marks import ARROW, TAIL, MixedGraph


class MSeparation:
    """The answers of one graph to "is x separated from y by Z?"; vertices are indices, sets are bit masks."""

    def __init__(self, graph: MixedGraph) -> None:
        around = graph.around
        # Of each vertex v the neighbours w whose edge has an arrowhead at v, has none at v, has one at w.
        self._into = [mask_of(w for w in row if around[w][v] == ARROW) for v, row in enumerate(around)]
        self._away = [mask_of(row) & ~into for row, into in zip(around, self._into, strict=True)]
        self._headed = [mask_of(w for w, mark in row.items() if mark == ARROW) for row in around]
        self.ancestors = _anterior_sets(graph)

    def ancestors_of(self, mask: int) -> int:
        """All ancestors of a set, the set included (anterior vertices where there are undirected edges)."""
        return union(self.ancestors, mask)

    def connected(self, x: int, given: int) -> int:
        """Vertices outside ``given`` that are m-connected to x."""
        return self.walk(x, given, self.ancestors_of(given)) & ~given

    def separated(self, x: int, y: int, given: int) -> bool:
        """X ⟂ y | given."""
        return not self.connected(x, given) >> y & 1

    def walk(self, x: int, blocked: int, openers: int) -> int:
        """Vertices reached from x when non-colliders in ``blocked`` stop a walk and colliders in ``openers`` let it pass.

        Reached vertices of ``blocked`` are reported too: a blanket search reads them off one walk.
        """
        others = ~(1 << x)
        headed = self._headed[x]
        reached_head = headed
        reached_tail = (self._into[x] | self._away[x]) & ~headed
        new_head, new_tail = reached_head, reached_tail
        while new_head or new_tail:
            found_head = found_tail = 0
            for v in members(new_head):
                onward = self._into[v] if openers >> v & 1 else 0
                if not blocked >> v & 1:
                    onward |= self._away[v]
                found_head |= onward & self._headed[v]
                found_tail |= onward & ~self._headed[v]
            for v in members(new_tail & ~blocked):
                onward = self._into[v] | self._away[v]
                found_head |= onward & self._headed[v]
                found_tail |= onward & ~self._headed[v]
            new_head = found_head & ~reached_head & others
            new_tail = found_tail & ~reached_tail & others
            reached_head |= new_head
            reached_tail |= new_tail
        return reached_head | reached_tail


class Separable(MixedGraph):
    """A graph of arrowheads and tails, in which separation is decided."""

    @cached_property
    def separation(self) -> MSeparation:
        """Index-level answers about separation."""
        return MSeparation(self)

    def m_separated(self, x: object, y: object, z: Iterable[object] | str = ()) -> bool:
        """Is every path between x and y blocked given z?

        Parameters
        ----------
        x, y : str
            Names of two vertices.
        z : iterable of str, or str
            Names of others; by default nothing is given.

        Raises
        ------
        InvalidGraph
            A vertex is named twice, or is not of the graph.

        """
        a, b, given = self.index(x), self.index(y), self.indices(z)
        if a == b or a in given or b in given:
            raise InvalidGraph(f"x, y and z must be different variables; got {x!r}, {y!r} and {tuple(z)!r}.")
        return self.separation.separated(a, b, mask_of(given))


def _anterior_sets(graph: MixedGraph) -> list[int]:
    """For each vertex its ancestors and itself; undirected edges count as steps towards it."""
    n = len(graph)
    before = [mask_of(w for w, mark in row.items() if mark == TAIL) for row in graph.around]  # w -> v or w -- v
    found = [1 << v for v in range(n)]
    waiting = [mask.bit_count() for mask in before]
    ready = [v for v in range(n) if not waiting[v]]
    for v in ready:  # grows while it is read: a topological order
        found[v] |= union(found, before[v])
        for w in graph.around[v]:
            if graph.around[w][v] == TAIL:  # v is a step towards w
                waiting[w] -= 1
                if not waiting[w]:
                    ready.append(w)
    return found if len(ready) == n else _closed(found, before)


def _closed(found: list[int], before: list[int]) -> list[int]:
    """Repeat the union until stable: needed only where steps run in a circle (undirected edges, invalid graphs)."""
    while (grown := [own | union(found, mask) for own, mask in zip(found, before, strict=True)]) != found:
        found = grown
    return found
