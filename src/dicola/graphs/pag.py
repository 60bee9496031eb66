"""Partial ancestral graphs: what all members of a Markov equivalence class of MAGs have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dicola.errors import InvalidGraph, counted
from dicola.graphs.marks import ARROW, CIRCLE, TAIL, Edge, Mark
from dicola.graphs.relatives import PARENT, SPOUSE, Relatives, reached

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class PAG(Relatives):
    """A partial ancestral graph, learned or true.

    An arrowhead at v says "v is not a cause of the other end", a tail says "v is a cause of the
    other end" (or of selection), a circle says that the data cannot tell (Zhang 2008).

    Parameters
    ----------
    marks : square matrix of int
        ``marks[a, b]`` is the mark at b: 0 no edge, 1 circle, 2 arrowhead, 3 tail, the codes of
        pcalg. A DataFrame brings its names.
    names : iterable of str, optional
        In the order of the matrix; X1, X2, … by default.

    Examples
    --------
    >>> print(PAG.from_matrix([[0, 2], [1, 0]], ["A", "B"]))
    A o-> B

    """

    def count(self, mark: Mark) -> int:
        """How many edge ends carry this mark.

        Parameters
        ----------
        mark : Mark
            Or its code: 1 circle, 2 arrowhead, 3 tail.

        """
        return int((self.marks == int(mark)).sum())

    def ends_in_words(self) -> str:
        """How many edge ends carry which mark: ``3 arrowheads, 1 tail, 2 circles``."""
        kinds = (("arrowhead", Mark.ARROW), ("tail", Mark.TAIL), ("circle", Mark.CIRCLE))
        return ", ".join(counted(self.count(mark), kind) for kind, mark in kinds)

    def is_directed(self, u: object, v: object) -> bool:
        """Is there an edge ``u --> v``?

        Parameters
        ----------
        u, v : str
            Names of two vertices.

        """
        a, b = self.index(u), self.index(v)
        return bool(self.marks[a, b] == ARROW and self.marks[b, a] == TAIL)

    def is_visible(self, u: object, v: object) -> bool:
        """Is ``u --> v`` such that no hidden common cause of u and v can stand behind it?

        So it is when some w that is not adjacent to v has an arrowhead at u, or reaches u by a path
        of colliders, all parents of v, that ends in an arrowhead at u (Zhang 2008, Definition 8).

        Parameters
        ----------
        u, v : str
            Names of two vertices.

        Raises
        ------
        InvalidGraph
            There is no edge ``u --> v``; only directed edges are visible or not.

        Examples
        --------
        >>> PAG.from_text("W o-> U; U --> V").is_visible("U", "V")
        True
        >>> PAG.from_text("U --> V").is_visible("U", "V")
        False

        """
        if not self.is_directed(u, v):
            raise InvalidGraph(f"visible is said of directed edges; there is no edge {u!s} --> {v!s}.")
        a, b = self.index(u), self.index(v)
        parents = set(self._beside(b, PARENT))
        colliders = reached(a, lambda t: parents.intersection(self._beside(t, SPOUSE)))
        return any(w != b and w not in self.around[b] for t in colliders for w in self.around[t] if self.around[w][t] == ARROW)

    def in_words(self) -> list[str]:
        """One sentence per edge, in the order of ``edges()``."""
        return [edge_in_words(edge) for edge in self.edges()]

    def draw(self) -> str:
        """A drawing as SVG text, with a true circle, arrowhead or tail at each end; needs no other program."""
        from dicola.report.drawing import draw

        return draw(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """The drawing of ``draw`` on Matplotlib axes, for papers.

        Needs the extra ``plot``: ``pag.plot().figure.savefig("pag.pdf")``.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; text and lines take its scale. By default on a new figure of fitting
            size.

        Raises
        ------
        MissingExtra
            Matplotlib is not installed.

        """
        from dicola.report.figures import plot_pag

        return plot_pag(self, ax)

    def plot_matrix(
        self, ax: Axes | None = None, order: Sequence[str] | None = None, groups: Mapping[str, Sequence[str]] | None = None
    ) -> Axes:
        """The mark matrix on Matplotlib axes: the square in row a and column b shows the mark at b.

        An arrowhead is black, a tail blue, a circle red, and each has its sign.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default on a new figure.
        order : sequence of str, optional
            The names from top to bottom.
        groups : mapping of titles to names, optional
            Sets such a list out in blocks, with the names in no group at the end; not with
            ``order``.

        Raises
        ------
        InvalidGraph
            Both ``order`` and ``groups`` are given.
        MissingExtra
            Matplotlib is not installed.

        """
        from dicola.report.figures import plot_matrix

        return plot_matrix(self, ax, order, groups)

    def _repr_svg_(self) -> str | None:
        from dicola.report.card import drawing_for_notebook

        return drawing_for_notebook(self)

    def _repr_html_(self) -> str | None:
        from dicola.report.card import pag_card

        return pag_card(self)


WORDS = {
    (TAIL, ARROW): "{u} is a cause of {v} (directly or through variables not shown).",
    (ARROW, ARROW): "{u} and {v} share a hidden common cause; neither causes the other.",
    (CIRCLE, ARROW): "{v} is not a cause of {u}: either {u} causes {v}, or a hidden common cause drives both.",
    (CIRCLE, CIRCLE): "{u} and {v} are dependent whatever is held fixed; the direction is open.",
    (TAIL, TAIL): "{u} and {v} are tied together by selection of the sample.",
    (TAIL, CIRCLE): "{u} is a cause of {v} or of selection of the sample; whether {v} acts back is open.",
}
"""What an edge claims, by its marks at u and at v."""


def edge_in_words(edge: Edge) -> str:
    """What the edge claims, as a sentence."""
    return WORDS[int(edge.mark_u), int(edge.mark_v)].format(u=edge.u, v=edge.v)
