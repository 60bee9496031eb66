"""m-separation in time linear in the graph.

A walk is open given Z when every collider on it is an ancestor of Z and every non-collider is outside Z. In an ancestral graph open
walks and open paths reach the same vertices, so a search over the states (vertex, "entered through an arrowhead?") decides
separation (Richardson and Spirtes 2002; the "Bayes ball" idea of Shachter 1998 carried to mixed graphs).
"""

from __future__ import annotations

from dicola.graphs.bits import members
from dicola.graphs.marks import ARROW, TAIL, MixedGraph


class MSeparation:
    """The answers of one graph to "is x separated from y by Z?"; vertices are indices, sets are bit masks."""

    def __init__(self, graph: MixedGraph) -> None:
        n = len(graph)
        self._into = [0] * n  # neighbours w whose edge has an arrowhead at v
        self._away = [0] * n  # neighbours w whose edge has no arrowhead at v
        self._headed = [0] * n  # neighbours w whose edge has an arrowhead at w
        for v in range(n):
            for w, mark_at_w in graph.around[v].items():
                bit = 1 << w
                if graph.around[w][v] == ARROW:
                    self._into[v] |= bit
                else:
                    self._away[v] |= bit
                if mark_at_w == ARROW:
                    self._headed[v] |= bit
        self.ancestors = _anterior_sets(graph)

    def ancestors_of(self, mask: int) -> int:
        """All ancestors of a set, the set included (anterior vertices where there are undirected edges)."""
        found = 0
        for v in members(mask):
            found |= self.ancestors[v]
        return found

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


def _anterior_sets(graph: MixedGraph) -> list[int]:
    """For each vertex its ancestors and itself; undirected edges count as steps towards it."""
    n = len(graph)
    before = [0] * n
    for v in range(n):
        for w in graph.around[v]:
            if graph.around[v][w] == TAIL:  # w -> v or w -- v
                before[v] |= 1 << w
    found = [1 << v for v in range(n)]
    waiting = [mask.bit_count() for mask in before]
    ready = [v for v in range(n) if not waiting[v]]
    for v in ready:  # grows while it is read: a topological order
        for w in members(before[v]):
            found[v] |= found[w]
        for w in graph.around[v]:
            if graph.around[w][v] == TAIL:  # v is a step towards w
                waiting[w] -= 1
                if not waiting[w]:
                    ready.append(w)
    return found if len(ready) == n else _closed(found, before)


def _closed(found: list[int], before: list[int]) -> list[int]:
    """Repeat the union until stable: needed only where steps run in a circle (undirected edges, invalid graphs)."""
    changed = True
    while changed:
        changed = False
        for v in range(len(found)):
            union = found[v]
            for w in members(before[v]):
                union |= found[w]
            if union != found[v]:
                found[v], changed = union, True
    return found
