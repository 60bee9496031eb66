"""Who is related to whom in a PAG, and how surely: parents, children, ancestors, descendants."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Final, TypeVar

from dicola.graphs.marks import ARROW, CIRCLE, TAIL, MixedGraph

Kinship = tuple[frozenset[int], frozenset[int]]
"""The marks that an edge u - v may have at u and at v for u to count as a relative of v."""

_TAIL: Final = frozenset({TAIL})
_ARROW: Final = frozenset({ARROW})
PARENT: Final[Kinship] = (_TAIL, _ARROW)
_CHILD: Final[Kinship] = (_ARROW, _TAIL)
SPOUSE: Final[Kinship] = (_ARROW, _ARROW)
_POSSIBLE_PARENT: Final[Kinship] = (frozenset({TAIL, CIRCLE}), frozenset({ARROW, CIRCLE}))
_POSSIBLE_CHILD: Final[Kinship] = (frozenset({ARROW, CIRCLE}), frozenset({TAIL, CIRCLE}))


Vertex = TypeVar("Vertex", bound=Hashable)


def reached(start: Vertex, onward: Callable[[Vertex], Iterable[Vertex]]) -> set[Vertex]:
    """The start and all to which steps lead, where ``onward`` says how one can go on from a vertex."""
    found, stack = {start}, [start]
    while stack:
        new = [v for v in onward(stack.pop()) if v not in found]
        found.update(new)
        stack += new
    return found


class Relatives(MixedGraph):
    """The relatives of a vertex, as the marks tell them.

    Every question takes the name of a vertex and returns a tuple of names, in the order of
    ``names``; a name that is no vertex raises ``InvalidGraph``. The possible relatives are those
    that no mark rules out; the definite ones are always among them.

    Examples
    --------
    >>> from dicola import PAG
    >>> pag = PAG.from_text("A o-> B; B --> C; C --> D; D <-> E")
    >>> pag.parents("B"), pag.possible_parents("B"), pag.spouses("D")
    ((), ('A',), ('E',))
    >>> pag.ancestors("D"), pag.possible_ancestors("D")
    (('B', 'C'), ('A', 'B', 'C'))

    """

    def neighbours(self, v: object) -> tuple[str, ...]:
        """The vertices that share an edge with v, whatever its marks."""
        return self._named(self.around[self.index(v)])

    def parents(self, v: object) -> tuple[str, ...]:
        """The vertices u with ``u --> v``: a tail at u and an arrowhead at v.

        Each is a cause of v, directly or through variables not shown (or, where the sample was
        selected, a cause of selection).
        """
        return self._related(v, PARENT)

    def children(self, v: object) -> tuple[str, ...]:
        """The vertices u with ``v --> u``: a tail at v and an arrowhead at u."""
        return self._related(v, _CHILD)

    def spouses(self, v: object) -> tuple[str, ...]:
        """The vertices u with ``u <-> v``: an arrowhead at both ends, so a hidden common cause."""
        return self._related(v, SPOUSE)

    def possible_parents(self, v: object) -> tuple[str, ...]:
        """The vertices u whose edge to v could be ``u --> v``: no arrowhead at u and no tail at v.

        These are ``u --> v``, ``u o-> v``, ``u o-o v`` and ``u --o v``, so ``parents`` are among them.
        """
        return self._related(v, _POSSIBLE_PARENT)

    def possible_children(self, v: object) -> tuple[str, ...]:
        """The vertices u whose edge to v could be ``v --> u``: no arrowhead at v and no tail at u.

        These are ``v --> u``, ``v o-> u``, ``v o-o u`` and ``v --o u``, so ``children`` are among them.
        """
        return self._related(v, _POSSIBLE_CHILD)

    def ancestors(self, v: object) -> tuple[str, ...]:
        """The vertices u with a directed path ``u --> … --> v``; v itself is not among them.

        Each is a cause of v in every graph of the class (or, where the sample was selected, a cause
        of selection). There may be further causes that every such graph has in common and no
        directed path shows.
        """
        return self._reached(v, PARENT)

    def possible_ancestors(self, v: object) -> tuple[str, ...]:
        """The vertices u with a potentially directed path from u to v; v itself is not among them.

        No edge of such a path has an arrowhead at the end nearer to u or a tail at the end nearer
        to v (Zhang 2008). Every observed cause of v is among them, unless the sample was selected:
        undirected edges, ``---``, are no steps of such a path. ``ancestors`` are among them too.
        """
        return self._reached(v, _POSSIBLE_PARENT)

    def descendants(self, v: object) -> tuple[str, ...]:
        """The vertices u with a directed path ``v --> … --> u``; v itself is not among them."""
        return self._reached(v, _CHILD)

    def possible_descendants(self, v: object) -> tuple[str, ...]:
        """The vertices u with a potentially directed path from v to u; v itself is not among them.

        The same paths as in ``possible_ancestors``: u is a possible descendant of v iff v is a
        possible ancestor of u.
        """
        return self._reached(v, _POSSIBLE_CHILD)

    def _related(self, v: object, kinship: Kinship) -> tuple[str, ...]:
        return self._named(self._beside(self.index(v), kinship))

    def _reached(self, v: object, kinship: Kinship) -> tuple[str, ...]:
        start = self.index(v)
        return self._named(reached(start, lambda u: self._beside(u, kinship)) - {start})

    def _beside(self, v: int, kinship: Kinship) -> list[int]:
        at_u, at_v = kinship
        return [u for u, mark in self.around[v].items() if mark in at_u and self.around[u][v] in at_v]

    def _named(self, vertices: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.names[u] for u in sorted(vertices))
