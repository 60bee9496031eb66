"""One mark matrix for every kind of graph.

``M[a, b]`` is the mark **at b** on the edge between a and b: 0 no edge, 1 circle, 2 arrowhead, 3 tail. These are the codes of
pcalg's ``amat.pag``. So ``a -> b`` is ``M[a, b] = 2, M[b, a] = 3``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dicola.allowed import NAMES, check
from dicola.errors import InvalidGraph, counted

if TYPE_CHECKING:
    import pandas as pd

NONE: Final = 0
CIRCLE: Final = 1
ARROW: Final = 2
TAIL: Final = 3

_BAND: Final = 256  # rows of a matrix that are checked at once
_READING_RANK: Final = {TAIL: 0, CIRCLE: 1, ARROW: 2}
_LEFT: Final = {CIRCLE: "o", ARROW: "<", TAIL: "-"}
_RIGHT: Final = {CIRCLE: "o", ARROW: ">", TAIL: "-"}
MOST_NODES: Final = 20_000  # the mark matrix of as many takes 400 MB
MARK_OF: Final = {"o": CIRCLE, "<": ARROW, ">": ARROW, "-": TAIL}
_EDGE_TEXT: Final = re.compile(r"(?P<u>.+?)(?<!\s)\s++(?P<left>[o<-])-(?P<right>[o>-])\s++(?P<v>.+)")


class Mark(IntEnum):
    """What stands at one end of an edge; prints as ``o``, ``>`` or ``-``."""

    NONE = NONE
    CIRCLE = CIRCLE
    ARROW = ARROW
    TAIL = TAIL

    def __str__(self) -> str:
        return " " if self is Mark.NONE else _RIGHT[self]


@dataclass(frozen=True, slots=True)
class Edge:
    """One edge with the marks at its two ends."""

    u: str
    v: str
    mark_u: Mark
    mark_v: Mark

    @property
    def arrow(self) -> str:
        """The edge without its ends: ``o->``, ``<->``, ``---``."""
        return f"{_LEFT[self.mark_u]}-{_RIGHT[self.mark_v]}"

    def __str__(self) -> str:
        return f"{self.u} {self.arrow} {self.v}"


class MixedGraph:
    """Named vertices and one frozen int8 mark matrix; the ground on which DAG, MAG and PAG stand.

    Equality compares names and marks; the order of the vertices does not matter.

    Parameters
    ----------
    marks : square matrix of int
        ``marks[a, b]`` is the mark at b: 0 no edge, 1 circle, 2 arrowhead, 3 tail. A DataFrame
        brings its names along.
    names : iterable of str, optional
        In the order of the matrix; X1, X2, … by default.

    Raises
    ------
    InvalidGraph
        The matrix is not square, holds other numbers, or has an edge with a mark at one end only.

    """

    names: tuple[str, ...]
    marks: NDArray[np.int8]

    def __init__(self, marks: ArrayLike, names: Iterable[object] | None = None) -> None:
        own = _names_of_frame(marks)
        names = own if names is None else checked_names(names)
        if own is not None and own != names:
            raise InvalidGraph("the data frame carries names of its own, and others were given; leave out names, or pass frame.to_numpy().")
        try:
            matrix = np.asarray(marks)
            if matrix.dtype.kind not in "iu":
                matrix = matrix.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            raise InvalidGraph("a mark matrix is a square table of the numbers 0, 1, 2 and 3.") from None
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise InvalidGraph(f"a mark matrix is square; this one has shape {matrix.shape}.")
        self.names = tuple(f"X{i + 1}" for i in range(len(matrix))) if names is None else names
        if len(self.names) != len(matrix):
            raise InvalidGraph(
                f"{counted(len(self.names), 'name was', 'names were')} given for a matrix of {counted(len(matrix), 'vertex', 'vertices')}."
            )
        self.marks = _checked_matrix(matrix, self.names)

    @classmethod
    def trusted(cls, marks: NDArray[np.int8], names: tuple[str, ...]) -> Self:
        """A graph of marks that were made in this library, so that nothing needs to be checked again."""
        graph = cls.__new__(cls)
        graph.names, graph.marks = names, marks
        marks.setflags(write=False)
        return graph

    @classmethod
    def from_matrix(cls, matrix: ArrayLike, names: Iterable[object] | None = None) -> Self:
        """Build from a matrix in pcalg's PAG codes.

        Parameters
        ----------
        matrix : square matrix of int
            ``matrix[a, b]`` is the mark at b. A DataFrame brings its names along.
        names : iterable of str, optional
            In the order of the matrix; X1, X2, … by default.

        """
        return cls(matrix, names)

    @classmethod
    def from_text(cls, text: str, nodes: Iterable[object] | None = None) -> Self:
        """Read what ``str(graph)`` prints.

        Parameters
        ----------
        text : str
            One edge per line (or separated by ``;``), such as ``A o-> B``.
        nodes : iterable of str, optional
            Fixes the order and may add isolated ones; by default the order in which the edges name
            them.

        Raises
        ------
        InvalidGraph
            A line is not an edge, or names what is not among the nodes.

        Examples
        --------
        >>> print(MixedGraph.from_text("A o-> B; B <-> C"))
        A o-> B
        B <-> C

        """
        check("text", text)
        edges: list[tuple[str, str, int, int]] = []
        for line in re.split(r"[;\n]", text):
            if not line.strip():
                continue
            match = _EDGE_TEXT.fullmatch(line.strip())
            if match is None:
                raise InvalidGraph(f"{line.strip()!r} is not an edge; write it like 'A o-> B', 'A <-> B' or 'A --> B'.")
            edges.append((match["u"], match["v"], MARK_OF[match["left"]], MARK_OF[match["right"]]))
        seen = dict.fromkeys(name for u, v, *_ in edges for name in (u, v))
        return cls.from_marked_edges(edges, seen if nodes is None else nodes)

    @classmethod
    def from_marked_edges(cls, edges: Iterable[tuple[str, str, int, int]], nodes: Iterable[object]) -> Self:
        """Build from edges with the marks at their two ends.

        Parameters
        ----------
        edges : iterable of tuples
            ``(u, v, mark at u, mark at v)``; an edge given twice must be given alike.
        nodes : iterable of str
            All vertices, in order.

        Raises
        ------
        InvalidGraph
            An edge names what is not among the nodes, joins a vertex to itself, or contradicts
            another.

        Examples
        --------
        >>> edges = [("A", "B", Mark.CIRCLE, Mark.ARROW)]
        >>> print(MixedGraph.from_marked_edges(edges, nodes="AB"))
        A o-> B

        """
        names = checked_names(nodes)
        if len(names) > MOST_NODES:
            raise InvalidGraph(f"the graph has {len(names):,} nodes; at most {MOST_NODES:,} fit into a matrix of marks.")
        index = {name: i for i, name in enumerate(names)}
        matrix = np.zeros((len(names), len(names)), dtype=np.int8)
        for u, v, mark_u, mark_v in edges:
            for name in (u, v):
                if name not in index:
                    raise InvalidGraph(f"the edge {u!r} - {v!r} names {name!r}, which is not among the nodes.")
            a, b = index[u], index[v]
            if a == b:
                raise InvalidGraph(f"{u!r} has an edge to itself.")
            if matrix[a, b] and (matrix[b, a], matrix[a, b]) != (mark_u, mark_v):
                raise InvalidGraph(f"the edge between {u!r} and {v!r} is given twice with different marks.")
            matrix[b, a], matrix[a, b] = mark_u, mark_v
        matrix.setflags(write=False)
        return cls(matrix, names)

    @classmethod
    def read(cls, path: str | Path, format: str | None = None) -> Self:
        """Read a file of any exchange format.

        Parameters
        ----------
        path : str or Path
            A folder stands for the ``pag.json`` or ``pag.csv`` in it.
        format : str, optional
            A name from ``dicola.graphs.formats.registry``, such as ``"tetrad"``; by default it is
            told by the ending and the content.

        """
        from dicola.graphs.formats.registry import read

        return cls._like(read(path, format))

    def write(self, path: str | Path, format: str | None = None) -> Path:
        """Write a file in an exchange format.

        Parameters
        ----------
        path : str or Path
            By default its ending tells the format: ``pag.dot``, ``pag.graphml``, ….
        format : str, optional
            A name from ``dicola.graphs.formats.registry``, whatever the ending.

        """
        from dicola.graphs.formats.registry import write

        return write(self, path, format)

    @classmethod
    def from_networkx(cls, graph: Any) -> Self:
        """Take a NetworkX graph.

        Parameters
        ----------
        graph : networkx.Graph
            Its edges carry ``marks={u: "o", v: ">"}``; or a plain ``DiGraph`` of arcs.

        """
        from dicola.graphs.formats.networkx import from_networkx

        return cls._like(from_networkx(graph))

    def to_networkx(self) -> Any:
        """A ``networkx.Graph`` whose edges carry ``marks={u: "o", v: ">"}``."""
        from dicola.graphs.formats.networkx import to_networkx

        return to_networkx(self)

    @classmethod
    def from_causal_learn(cls, graph: Any, names: Iterable[object] | None = None) -> Self:
        """Take a graph of causal-learn.

        Parameters
        ----------
        graph : GeneralGraph or matrix
            The graph, or its matrix in causal-learn's codes.
        names : iterable of str, optional
            Names for a matrix, which has none.

        """
        from dicola.graphs.formats.causal_learn import from_general_graph

        return cls._like(from_general_graph(graph, names))

    def to_causal_learn(self) -> Any:
        """causal-learn's ``GeneralGraph``."""
        from dicola.graphs.formats.causal_learn import to_general_graph

        return to_general_graph(self)

    @classmethod
    def from_pywhy(cls, graph: Any) -> Self:
        """Take a graph of pywhy-graphs.

        Parameters
        ----------
        graph : PAG, ADMG or CPDAG of pywhy-graphs
            Or any mixed-edge graph with their kinds of edges.

        """
        from dicola.graphs.formats.pywhy import from_pywhy

        return cls._like(from_pywhy(graph))

    def to_pywhy(self) -> Any:
        """The ``PAG`` of pywhy-graphs."""
        from dicola.graphs.formats.pywhy import to_pywhy

        return to_pywhy(self)

    def to_pandas(self) -> pd.DataFrame:
        """A table with one row per edge, in the order of ``edges()``.

        Returns
        -------
        pandas.DataFrame
            All columns are text: ``u`` and ``v``, the ends, such that the edge reads from tail to
            arrowhead; ``mark_u`` and ``mark_v``, each ``circle``, ``arrow`` or ``tail``; ``edge``,
            as printed, such as ``o->``; ``type``, what it claims in a few words. A graph without
            edges has these columns and no rows.

        Examples
        --------
        >>> print(MixedGraph.from_text("A o-> B; C <-- B").to_pandas().to_string())
           u  v  mark_u mark_v edge                                type
        0  A  B  circle  arrow  o->  u causes v, or hidden common cause
        1  B  C    tail  arrow  -->                          u causes v

        """
        from dicola.graphs.formats.pandas import to_pandas

        return to_pandas(self)

    @classmethod
    def _like(cls, graph: MixedGraph) -> Self:
        return graph if type(graph) is cls else cls(graph.marks, graph.names)

    def to_matrix(self) -> NDArray[np.int8]:
        """The mark matrix in pcalg's PAG codes, a fresh copy in the order of ``names``."""
        return self.marks.copy()

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def index(self, name: object) -> int:
        """Position of a vertex by its name.

        Parameters
        ----------
        name : str
            Anything else is taken as its ``str()``.

        Raises
        ------
        InvalidGraph
            There is no such vertex.

        """
        found = self._index.get(str(name))
        if found is None:
            raise InvalidGraph(f"{str(name)!r} is not a vertex of this graph. Its vertices: {listed(self.names)}.")
        return found

    def indices(self, names: Iterable[object] | str) -> tuple[int, ...]:
        """Positions of several vertices.

        Parameters
        ----------
        names : iterable of str, or str
            One name alone is taken as a set of one.

        Raises
        ------
        InvalidGraph
            One of them is not a vertex.

        """
        check("names", names, NAMES)
        return (self.index(names),) if isinstance(names, str) else tuple(self.index(name) for name in names)

    @cached_property
    def around(self) -> tuple[dict[int, int], ...]:
        """For each vertex a its neighbours b with the mark at b: the sparse reading of the matrix."""
        rows = ((row, np.flatnonzero(row)) for row in self.marks)
        return tuple(dict(zip(beside.tolist(), row[beside].tolist(), strict=True)) for row, beside in rows)

    def pairs(self) -> list[tuple[int, int]]:
        """Adjacent pairs ``(a, b)`` with ``a < b``, sorted."""
        return [(a, b) for a, row in enumerate(self.around) for b in sorted(row) if a < b]

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return int(np.count_nonzero(self.marks)) // 2

    def edges(self) -> list[Edge]:
        """Edges in the order of the vertices, each written so that it reads from tail to arrowhead."""
        found = []
        for a, b in self.pairs():
            mark_a, mark_b = self.around[b][a], self.around[a][b]
            if _READING_RANK[mark_a] > _READING_RANK[mark_b]:
                a, b, mark_a, mark_b = b, a, mark_b, mark_a
            found.append(Edge(self.names[a], self.names[b], Mark(mark_a), Mark(mark_b)))
        return found

    def reordered(self, names: Sequence[object]) -> Self:
        """The same graph with its vertices in another order.

        Parameters
        ----------
        names : sequence of str
            A permutation of ``names``.

        Raises
        ------
        InvalidGraph
            It is not a permutation.

        """
        if names is self.names:
            return self
        check("names", names, NAMES)
        wanted = tuple(map(str, names))
        if wanted == self.names:
            return self
        if len(wanted) != len(self.names) or set(wanted) != set(self.names):
            checked_names(wanted)
            raise InvalidGraph("a new order must name every vertex of the graph once and nothing else.")
        order = np.array([self._index[name] for name in wanted])
        return self.trusted(self.marks.take(order, 0).take(order, 1), wanted)

    def __str__(self) -> str:
        return "\n".join(str(edge) for edge in self.edges())

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {counted(len(self.names), 'vertex', 'vertices')}, {counted(self.n_edges, 'edge')}>"

    def __len__(self) -> int:
        return len(self.names)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, MixedGraph):
            return NotImplemented
        return set(self.names) == set(other.names) and np.array_equal(self.marks, other.reordered(self.names).marks)

    def __hash__(self) -> int:
        return hash((frozenset(self.names), self.n_edges))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.marks, self.names)


def checked_names(names: Iterable[object]) -> tuple[str, ...]:
    """Names as a tuple of distinct strings."""
    check("names", names, NAMES)
    result = tuple(str(name) for name in names)
    if len(set(result)) != len(result):
        raise InvalidGraph(f"the name {first_twice(result)!r} appears more than once; names must be distinct.")
    for name in result:
        if not name.isprintable() and any("\ud800" <= letter <= "\udfff" for letter in name):
            raise InvalidGraph(f"the name {name!r} holds half a character, which no file can store; rename it.")
    return result


def first_twice(names: Iterable[str]) -> str:
    """The first of the names that stands there more than once."""
    return next(name for name, count in Counter(names).items() if count > 1)


def _names_of_frame(marks: object) -> tuple[str, ...] | None:
    """The names that a data frame brings along; ``None`` for an array, or a frame that only numbers its rows and columns."""
    if not (hasattr(marks, "index") and hasattr(marks, "columns")):
        return None
    rows, columns = [str(row) for row in marks.index], [str(column) for column in marks.columns]
    if rows != columns:
        raise InvalidGraph("a data frame of marks has its rows named like its columns, in the same order; these differ.")
    return None if rows == [str(i) for i in range(len(rows))] else checked_names(columns)


def listed(names: Sequence[str], limit: int = 8) -> str:
    """A short list for a message."""
    shown = ", ".join(repr(name) for name in names[:limit])
    return shown if len(names) <= limit else f"{shown}, … ({len(names)} in all)"


def _are_codes(rows: NDArray[Any]) -> bool:
    return bool(((rows >= NONE) & (rows <= TAIL)).all()) and (rows.dtype.kind in "iu" or np.array_equal(rows, np.rint(rows)))


def _checked_matrix(matrix: NDArray[Any], names: tuple[str, ...]) -> NDArray[np.int8]:
    bands = [slice(start, start + _BAND) for start in range(0, len(matrix), _BAND)]  # so that nothing as large as the matrix is made
    if not all(_are_codes(matrix[band]) for band in bands):
        raise InvalidGraph("a mark matrix holds only 0 (no edge), 1 (circle), 2 (arrowhead) and 3 (tail).")
    # What nobody can write to need not be copied; the largest matrices take hundreds of megabytes.
    is_frozen = matrix.dtype == np.int8 and matrix.base is None and not matrix.flags.writeable
    values = matrix if is_frozen else matrix.astype(np.int8)
    for band in bands:
        for row, column in np.argwhere((values[band] != 0) != (values[:, band].T != 0))[:1]:
            raise InvalidGraph(f"the edge {names[band.start + row]!r} - {names[column]!r} has a mark at one end only.")
    for i in np.nonzero(np.diag(values))[0][:1]:
        raise InvalidGraph(f"{names[i]!r} has an edge to itself.")
    values.setflags(write=False)
    return values
