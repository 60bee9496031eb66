"""m-separation in time linear in the graph.

A walk is open given Z when every collider on it is an ancestor of Z and every non-collider is outside Z. In an ancestral graph open
walks and open paths reach the same vertices, so a search over the states (vertex, "entered through an arrowhead?") decides
separation (Richardson and Spirtes 2002; the "Bayes ball" idea of Shachter 1998 carried to mixed graphs).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from dicola.errors import InvalidGraph
from dicola.graphs.bits import mask_of, union
from dicola.graphs.marks import ARROW, TAIL, MixedGraph


class MSeparation:
    """The answers of one graph to "is x separated from y by Z?"; vertices are indices, sets are bit masks."""

    def __init__(self, graph: MixedGraph) -> None:
        around, self._n = graph.around, len(graph)
        # Of each vertex v, at its bit: the neighbours along edges with an arrowhead at v, without one, and along all. Where the other end
        # of the edge has an arrowhead, w stands at bit w, else at bit n + w: so a walk enters it.
        self._into, self._away, self._along = dict[int, int](), dict[int, int](), dict[int, int]()
        for v, row in enumerate(around):
            into = away = 0
            for w, mark in row.items():
                entered = 1 << (w if mark == ARROW else self._n + w)
                if around[w][v] == ARROW:
                    into |= entered
                else:
                    away |= entered
            self._into[1 << v], self._away[1 << v], self._along[1 << v] = into, away, into | away
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

    def separated_by_ancestors(self, x: int, y: int) -> bool:
        """Do the ancestors of the two separate them? The same as to ask ``separated``: what lies above those is known already."""
        above = self.ancestors[x] | self.ancestors[y]
        return not self.walk(x, above & ~(1 << x | 1 << y), above) >> y & 1

    def walk(self, x: int, blocked: int, openers: int) -> int:
        """Vertices reached from x when non-colliders in ``blocked`` stop a walk and colliders in ``openers`` let it pass.

        Reached vertices of ``blocked`` are reported too: a blanket search reads them off one walk.
        """
        n, into, away, along = self._n, self._into, self._away, self._along
        everything = (1 << n) - 1
        new = along[1 << x]
        reached = new | 1 << x | 1 << n + x
        while new:
            by_head, by_tail = new & everything, new >> n
            found = 0
            for steps, left in (
                (along, (by_head & openers | by_tail) & ~blocked),
                (into, by_head & openers & blocked),
                (away, by_head & ~openers & ~blocked),
            ):
                while left:
                    bit = left & -left
                    found |= steps[bit]
                    left ^= bit
            new = found & ~reached
            reached |= new
        return (reached | reached >> n) & everything & ~(1 << x)


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
    before = [[w for w, mark in row.items() if mark == TAIL] for row in graph.around]  # w -> v or w -- v
    found = [1 << v for v in range(n)]
    waiting = list(map(len, before))
    ready = [v for v in range(n) if not waiting[v]]
    for v in ready:  # grows while it is read: a topological order
        for w in before[v]:
            found[v] |= found[w]
        for w in graph.around[v]:
            if graph.around[w][v] == TAIL:  # v is a step towards w
                waiting[w] -= 1
                if not waiting[w]:
                    ready.append(w)
    return found if len(ready) == n else _closed(found, before)


def _closed(found: list[int], before: list[list[int]]) -> list[int]:
    """Repeat the union until stable: needed only where steps run in a circle (undirected edges, invalid graphs)."""
    masks = list(map(mask_of, before))
    while (grown := [own | union(found, mask) for own, mask in zip(found, masks, strict=True)]) != found:
        found = grown
    return found
