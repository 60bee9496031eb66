"""Partial ancestral graphs: what all members of a Markov equivalence class of MAGs have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dicola.errors import InvalidGraph, counted
from dicola.graphs.marks import ARROW, CIRCLE, TAIL, Edge, Mark
from dicola.graphs.relatives import PARENT, SPOUSE, Relatives, reached

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike


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

    def visible_edges(self) -> list[Edge]:
        """The directed edges behind which no hidden common cause can stand, in the order of ``edges()``."""
        directed = (edge for edge in self.edges() if self.is_directed(edge.u, edge.v))
        return [edge for edge in directed if self.is_visible(edge.u, edge.v)]

    def is_confounded(self, u: object, v: object) -> bool | None:
        """Does a hidden common cause stand behind two variables, beside what was measured?

        ``True`` for ``u <-> v``: some hidden variable causes both, in every graph of the class.
        ``False`` for a visible edge, and where there is no edge: no hidden variable can act on both
        unless by way of measured ones. ``None`` where the marks leave it open.

        Parameters
        ----------
        u, v : str
            Names of two vertices.

        Raises
        ------
        InvalidGraph
            A vertex is named twice, or is not of the graph.

        Examples
        --------
        >>> pag = PAG.from_text("W o-> U; U --> V; V <-> T; S o-> T")
        >>> pag.is_confounded("V", "T"), pag.is_confounded("U", "V"), pag.is_confounded("W", "U")
        (True, False, None)

        """
        a, b = self.index(u), self.index(v)
        if a == b:
            raise InvalidGraph(f"a hidden common cause is one of two variables; {u!s} was named twice.")
        marks = (self.marks[b, a], self.marks[a, b])
        if marks == (ARROW, ARROW):
            return True
        if not marks[0] or any(self.is_directed(s, t) and self.is_visible(s, t) for s, t in ((u, v), (v, u))):
            return False
        return None

    def district(self, v: object) -> tuple[str, ...]:
        """V and all that is joined to it by ``<->`` alone: in one district with it in every graph of the class.

        Parameters
        ----------
        v : str
            The name of a vertex.

        """
        return self._named(reached(self.index(v), lambda u: self._beside(u, SPOUSE)))

    def possible_district(self, v: object) -> tuple[str, ...]:
        """V and all that some graph of the class may have in one district with it.

        They are joined to v by a path on which every inner vertex is a collider and no edge is
        visible: the possible c-component of Jaber, Zhang and Bareinboim (2018).

        Parameters
        ----------
        v : str
            The name of a vertex.

        Examples
        --------
        >>> pag = PAG.from_text("W o-> U; T o-> U; U --> V")
        >>> pag.district("U"), pag.possible_district("W"), pag.possible_district("V")
        (('U',), ('W', 'U', 'T'), ('V',))

        """
        visible = {frozenset((self.index(edge.u), self.index(edge.v))) for edge in self.visible_edges()}
        start = self.index(v)

        def onward(step: tuple[int, bool]) -> list[tuple[int, bool]]:
            u, may_pass = step
            beside = self.around[u].items() if may_pass else ()
            collided = ((w, mark) for w, mark in beside if step == (start, True) or self.around[w][u] == ARROW)
            return [(w, mark == ARROW) for w, mark in collided if w != start and frozenset((u, w)) not in visible]

        return self._named({u for u, _ in reached((start, True), onward)})

    def possible_dsep(self, v: object) -> tuple[str, ...]:
        """Where a set that separates v from another variable may lie (Spirtes, Glymour and Scheines 2000).

        All that a path from v reaches on which every inner vertex is a collider, or adjacent
        vertices of the path surround it in a triangle.

        Parameters
        ----------
        v : str
            The name of a vertex.

        """
        from dicola.effects.reading import possible_dsep

        return possible_dsep(self, v)

    def definite_ancestors(self, v: object) -> tuple[str, ...]:
        """The vertices that are causes of v in every graph of the class; v itself is not among them.

        Beside those with a directed path (``ancestors``) these are the u from which two uncovered
        potentially directed paths lead to v whose second vertices are not adjacent: one of the two
        must be directed, whatever the circles stand for (as in Zhang's R10).

        Parameters
        ----------
        v : str
            The name of a vertex.

        Examples
        --------
        >>> pag = PAG.from_text("U o-o A; U o-o B; A --> V; B --> V")
        >>> pag.ancestors("V"), pag.definite_ancestors("V")
        (('A', 'B'), ('U', 'A', 'B'))

        """
        from dicola.effects.reading import definite_ancestors

        return definite_ancestors(self, v)

    def adjustment_sets(self, x: object, y: object, limit: int | None = 1000) -> list[tuple[str, ...]]:
        """All minimal sets of variables to hold fixed so that what is left between x and y is the effect of x.

        A set is listed iff it is an adjustment set in every graph with hidden variables that this
        PAG stands for, and no part of it is (generalised adjustment criterion; Perković, Textor,
        Kalisch and Maathuis 2018). A graph that is no legal PAG, as learned ones may be, is judged
        by the legal one next to it; one that knowledge has made more definite is judged as it is.

        Parameters
        ----------
        x, y : str
            Names of the treatment and of the outcome.
        limit : int, optional
            How many sets to list at most, 1,000 by default; a list as long as this may be cut.
            ``None``: all of them, which may be exponentially many.

        Returns
        -------
        list of tuples of str
            The smaller first. ``[()]`` says that nothing needs to be held fixed, an empty list that
            there is no such set; ``dicola.effect(pag, x, y).reason`` then says why.

        Raises
        ------
        InvalidGraph
            A name is no vertex, or was given twice, or the graph speaks of selection of the sample.

        Examples
        --------
        >>> pag = PAG.from_text("W o-> X; V o-> X; X --> Y; W o-> Y")
        >>> pag.adjustment_sets("X", "Y")
        [('W',)]

        """
        from dicola.effects.adjustment import adjustment_sets

        return adjustment_sets(self, x, y, limit)

    def optimal_adjustment_set(self, x: object, y: object, covariance: ArrayLike, bound: int = 10) -> tuple[str, ...] | None:
        """Of all adjustment sets, minimal or not, the one that leaves the least variance.

        With a set z, √n times the error of the coefficient of x in the regression of y on x and z
        has the variance σ(yy | x, z) / σ(xx | z) for Gaussian variables. Holding further causes of
        y fixed lowers it, further causes of x raise it, so the best set is often not minimal.

        Parameters
        ----------
        x, y : str
            Names of the treatment and of the outcome.
        covariance : square matrix of float
            Of all variables, in the order of ``names``, such as ``frame[list(pag.names)].cov()``.
        bound : int
            How many variables are tried in all combinations. Where more are allowed, those of a
            smallest adjustment set are tried with the ones that tell most about y beside it.

        Returns
        -------
        tuple of str, or None
            ``None`` where there is no adjustment set.

        Raises
        ------
        InvalidData
            The covariance has another size than the graph.
        InvalidGraph
            As for ``adjustment_sets``.

        Examples
        --------
        >>> pag = PAG.from_text("V o-> X; X --> Y; W o-> Y")
        >>> covariance = [[1, .5, .3, 0], [.5, 1, .6, 0], [.3, .6, 1, .7], [0, 0, .7, 1]]
        >>> pag.names, pag.optimal_adjustment_set("X", "Y", covariance)
        (('V', 'X', 'Y', 'W'), ('W',))

        """
        from dicola.effects.variance import optimal_adjustment_set

        return optimal_adjustment_set(self, x, y, covariance, bound)

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


WORDS_OF_SELECTED = WORDS | {
    (TAIL, ARROW): "{u} is a cause of {v} or of selection of the sample; {v} is a cause of neither.",
    (ARROW, ARROW): "{u} and {v} share a hidden common cause, or hidden causes by which the sample was selected; neither causes the other.",
    (CIRCLE, ARROW): "{v} is a cause neither of {u} nor of selection of the sample; what {u} is a cause of is open.",
}
"""The same where the sample may have been selected: a tail says "causes the other, or selection", an arrowhead "neither"."""


def edge_in_words(edge: Edge, selection: bool = False) -> str:
    """What the edge claims, as a sentence; with ``selection`` where the sample may have been selected."""
    words = WORDS_OF_SELECTED if selection else WORDS
    return words[int(edge.mark_u), int(edge.mark_v)].format(u=edge.u, v=edge.v)
