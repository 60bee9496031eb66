"""How often what was found came again in bootstrap tables, and how sure that makes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dicola.calibration import CALIBRATIONS, Calibration
from dicola.claims import Claims
from dicola.errors import InvalidData, counted
from dicola.files import own_folder
from dicola.graphs.formats import native
from dicola.graphs.marks import ARROW, CIRCLE, TAIL, Edge, Mark
from dicola.graphs.pag import PAG
from dicola.result_folder import write_beside
from dicola.score.legal import legal_pag, unless_denied
from dicola.spreadsheets import as_named, harmless_csv

Pair = tuple[str, str]
_MARKS: Final = (Mark.CIRCLE, Mark.ARROW, Mark.TAIL)
_BOTH: Final = [(at_u, at_v) for at_u in _MARKS for at_v in _MARKS]
_SIGNS: Final = [Edge("u", "v", *both).arrow for both in _BOTH]
KINDS: Final = ("-->", "<--", "<->", "o->", "<-o", "o-o")
"""The types of edge between u and v, as they are printed; selection of the sample adds three."""

OF_SELECTION: Final = ("---", "--o", "o--")
EDGE_COLUMNS: Final = ("adjacent", "frequency", "frequency_u", "frequency_v", "confidence", "confidence_u", "confidence_v")
"""What a bootstrap adds to a table of edges."""


class Frequency(NamedTuple):
    """How often an edge came in bootstrap tables: as shares of all tables.

    ``adjacent`` counts any edge between the two, ``same`` the edge with exactly these marks,
    ``at_u`` and ``at_v`` those with this mark at u and at v. The last three are the calibrated
    probabilities of the edge and of these marks; ``None`` where no calibration is known.
    """

    adjacent: float
    same: float
    at_u: float
    at_v: float
    confidence: float | None = None
    confidence_u: float | None = None
    confidence_v: float | None = None


@dataclass(frozen=True)
class Bootstrap:
    """What came of a run made again on many tables drawn from the rows of one.

    A frequency is the share of these tables in whose graph something stands. It says how much the
    answer depends on chance in the rows, not how far the assumptions of the method hold.

    Attributes
    ----------
    pag : PAG
        What was learned from the whole table.
    counts : dict
        For each pair of names that was adjacent in some graph, in the order of ``pag.names``, how
        often it was joined in each of nine ways: ``mark at u × mark at v``, each circle, arrowhead,
        tail.
    replicates : int
        The number of tables.
    seed : int
        The seed they were drawn with.
    replace : bool
        Were rows drawn with replacement?
    fraction : float
        Rows of a drawn table, as a share of those of the whole.
    calibration : str or None
        The name of the map from frequencies to probabilities in :mod:`dicola.calibration`.
    redrawn : int
        Tables that were drawn once more, as no test could be made of them (a constant column, say).
    claims : Claims or None
        What was known beforehand, for the consensus to obey.

    """

    pag: PAG
    counts: Mapping[Pair, tuple[int, ...]] = field(repr=False)
    replicates: int
    seed: int = 0
    replace: bool = True
    fraction: float = 1.0
    calibration: str | None = None
    redrawn: int = 0
    claims: Claims | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, pag: PAG, keys: Iterable[NDArray[np.int64]], **settings: Any) -> Bootstrap:
        """Count the graphs of drawn tables.

        Parameters
        ----------
        pag : PAG
            What was learned from the whole table.
        keys : iterable of arrays
            What ``keys_of`` gives for each graph, its vertices in the order of those of ``pag``.
        **settings
            The other attributes.

        """
        tables = list(keys)
        found, times = np.unique(np.concatenate(tables) if tables else np.empty(0, np.int64), return_counts=True)
        counts: dict[Pair, list[int]] = {}
        for key, many in zip(found.tolist(), times.tolist(), strict=True):
            pair, kind = divmod(key, len(_BOTH))
            a, b = divmod(pair, len(pag))
            counts.setdefault((pag.names[a], pag.names[b]), [0] * len(_BOTH))[kind] = many
        return cls(pag, {pair: tuple(many) for pair, many in counts.items()}, len(tables), **settings)

    @property
    def frequencies(self) -> pd.DataFrame:
        """``to_pandas()``."""
        return self.to_pandas()

    def to_pandas(self) -> pd.DataFrame:
        """One row per pair that was adjacent in some table, with the shares of all tables.

        Returns
        -------
        pandas.DataFrame
            ``u``, ``v``; ``adjacent``; one column per type of edge (``-->``, ``<--``, ``<->``,
            ``o->``, ``<-o``, ``o-o``, and with selection of the sample ``---``, ``--o``, ``o--``),
            which add up to ``adjacent``; one per end and mark (``u_circle``, ``u_arrow``,
            ``u_tail``, ``v_circle``, …); and ``confidence``, the calibrated probability that the
            pair is adjacent, where a calibration is known.

        """
        return self._table.copy()

    @cached_property
    def _table(self) -> pd.DataFrame:
        known, table = self._calibration, ways_in_columns(list(self.counts), np.array(list(self.counts.values())), self.replicates)
        if known is None:
            return table
        return table.assign(confidence=known.of_adjacency(table["adjacent"].to_numpy(), self.replicates))

    @property
    def _calibration(self) -> Calibration | None:
        return None if self.calibration is None else CALIBRATIONS[self.calibration]

    def of_edge(self, edge: Edge) -> Frequency:
        """How often an edge came, and how sure that makes it.

        Parameters
        ----------
        edge : Edge
            One of ``pag.edges()``, or any other.

        """
        many = np.array(self._counts_of(edge.u, edge.v)).reshape(len(_MARKS), len(_MARKS))
        at_u, at_v = _MARKS.index(edge.mark_u), _MARKS.index(edge.mark_v)
        shares = (many.sum(), many[at_u, at_v], many[at_u].sum(), many[:, at_v].sum())
        adjacent, same, of_u, of_v = (float(share) / self.replicates for share in shares)
        known = self._calibration
        if known is None:
            return Frequency(adjacent, same, of_u, of_v)
        sure = known.of_adjacency(np.array([adjacent]), self.replicates)
        marks = [known.of_mark(mark, np.array([share]), self.replicates) for mark, share in ((edge.mark_u, of_u), (edge.mark_v, of_v))]
        return Frequency(adjacent, same, of_u, of_v, *(float(each[0]) for each in (sure, *marks)))

    def _counts_of(self, u: str, v: str) -> tuple[int, ...]:
        """The nine counts of a pair as seen from u."""
        nothing = (0,) * len(_BOTH)
        if (u, v) in self.counts:
            return self.counts[u, v]
        turned = self.counts.get((v, u), nothing)
        return tuple(turned[3 * at_v + at_u] for at_u in range(3) for at_v in range(3))

    def adjacent(self, u: str, v: str) -> float:
        """The share of tables in which two variables are adjacent.

        Parameters
        ----------
        u, v : str
            Their names.

        """
        return sum(self._counts_of(u, v)) / self.replicates

    def beside(self, edges: pd.DataFrame) -> pd.DataFrame:
        """A table of edges with how often each came.

        Parameters
        ----------
        edges : DataFrame
            With ``u``, ``v``, ``mark_u`` and ``mark_v`` as ``pag.to_pandas()`` has them.

        Returns
        -------
        DataFrame
            With ``adjacent``; ``frequency`` of exactly this edge, ``frequency_u`` and
            ``frequency_v`` of its marks; and, where a calibration is known, ``confidence``,
            ``confidence_u`` and ``confidence_v``: the probabilities of the edge and of each mark.

        """
        parts = edges[["u", "v", "mark_u", "mark_v"]].itertuples(index=False, name=None)
        rows = [self.of_edge(Edge(u, v, Mark[at_u.upper()], Mark[at_v.upper()])) for u, v, at_u, at_v in parts]
        columns = EDGE_COLUMNS if self.calibration is not None else EDGE_COLUMNS[:4]
        return edges.assign(**{name: pd.Series([row[i] for row in rows], dtype="float64") for i, name in enumerate(columns)})

    @cached_property
    def consensus(self) -> PAG:
        """A legal PAG that the tables agree on.

        A pair is adjacent where it is so in more than half of the tables. Each end has the mark that
        it has in more than half of the tables where the pair is adjacent, else a circle. Where no
        class of MAGs has exactly these marks, it is the PAG of a MAG nearby: arrows first, then
        bidirected edges, then those with circles, each kept as it is unless it closes a cycle. With
        knowledge that MAG obeys, but for causes that the answer itself denies, and what is known
        puts its marks on the PAG.
        """
        marks = np.zeros((len(self.pag), len(self.pag)), dtype=np.int8)
        for (u, v), many in self.counts.items():
            total = sum(many)
            if 2 * total <= self.replicates:
                continue
            a, b, by_kind = self.pag.index(u), self.pag.index(v), np.array(many).reshape(3, 3)
            marks[b, a], marks[a, b] = _mark_of_most(by_kind.sum(axis=1)), _mark_of_most(by_kind.sum(axis=0))
        return legal_pag(PAG(marks, self.pag.names), None if self.claims is None else unless_denied(self.claims, self.pag))

    def undecided_as_circles(self, least: float = 0.8) -> PAG:
        """What was learned from the whole table, with a circle in place of each mark that is not sure.

        It is not sure where a circle is the more probable by the calibration; where none is known,
        where fewer than a share of the tables in which the pair is adjacent have it. In simulations
        more marks are right then than in the answer itself, but no class of MAGs need have exactly
        these marks.

        Parameters
        ----------
        least : float
            The share, where no calibration is known.

        """
        marks = self.pag.to_matrix()
        for edge in self.pag.edges():
            open_too = self.of_edge(Edge(edge.u, edge.v, Mark.CIRCLE, Mark.CIRCLE))
            often, a, b = self.of_edge(edge), self.pag.index(edge.u), self.pag.index(edge.v)
            if _is_unsure(often.at_u, often.adjacent, least, often.confidence_u, open_too.confidence_u):
                marks[b, a] = CIRCLE
            if _is_unsure(often.at_v, often.adjacent, least, often.confidence_v, open_too.confidence_v):
                marks[a, b] = CIRCLE
        return PAG(marks, self.pag.names)

    def summary(self) -> str:
        """A line for a person."""
        how = "with replacement" if self.replace else "without replacement"
        share = "" if self.fraction == 1.0 else f", {100 * self.fraction:g} % of the rows each"
        found = [self.of_edge(edge) for edge in self.pag.edges()]
        firm, weak = sum(each.adjacent >= 0.9 for each in found), sum(each.adjacent <= 0.5 for each in found)
        sure = "" if self.calibration is not None else "; frequencies alone, as probabilities are not calibrated for such a run"
        edges = f"{firm} of {counted(len(found), 'edge')} came in at least 90 %, {weak} in at most half"
        agreed = f"the consensus has {counted(self.consensus.n_edges, 'edge')}"
        return f"{counted(self.replicates, 'table')} drawn {how}{share}; {edges}; {agreed}{sure}"

    def write(self, folder: str | Path) -> Path:
        """Write ``bootstrap.csv`` and the consensus as ``consensus.csv``, both or none.

        A result in that folder is left alone; ``Discovery.write`` writes its own bootstrap.

        Parameters
        ----------
        folder
            Made where it does not exist.

        Raises
        ------
        InvalidData
            The folder cannot be written, is the current one, or holds a result with a bootstrap.

        """
        return write_beside(own_folder(folder), self.texts())

    def texts(self) -> dict[str, str]:
        """The text of each file that ``write`` writes."""
        return {
            "bootstrap.csv": harmless_csv(_types(self._table), ("u", "v")),
            "consensus.csv": native.to_csv(self.consensus),
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything but the graph and the counts, ready for JSON."""
        names = ("replicates", "seed", "replace", "fraction", "calibration", "redrawn")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def from_csv(cls, text: str, facts: Mapping[str, Any], pag: PAG, claims: Claims | None = None) -> Bootstrap:
        """Read back ``bootstrap.csv``.

        Parameters
        ----------
        text : str
            The text of the file.
        facts : dict
            What ``to_dict`` gave.
        pag : PAG
            What was learned from the whole table.
        claims : Claims, optional
            What was known beforehand.

        Raises
        ------
        InvalidData
            The shares are not those of so many tables, or the pairs not those of the graph.

        """
        table = pd.read_csv(StringIO(text), keep_default_na=False, dtype={"u": str, "v": str})
        many = np.zeros((len(table), len(_BOTH)))
        for kind in (*KINDS, *OF_SELECTION):
            if kind in table:
                many[:, _SIGNS.index(kind)] = table[kind] * facts["replicates"]
        if len(many) and not np.allclose(many, np.rint(many), atol=1e-6):
            raise InvalidData("bootstrap.csv holds shares that are none of so many tables; it was changed, or is of another run.")
        rows = np.rint(many).astype(np.int64).tolist()
        ends = ((as_named(u), as_named(v)) for u, v in zip(table["u"], table["v"], strict=True))
        counts = {pair: tuple(row) for pair, row in zip(ends, rows, strict=True)}
        order = {name: at for at, name in enumerate(pag.names)}
        if len(counts) < len(rows) or not all(order.get(u, -1) < order.get(v, -1) and u in order for u, v in counts):
            raise InvalidData("bootstrap.csv must name pairs of variables of the graph, in its order and each once.")
        return cls(pag, counts, **facts, claims=claims)

    def __hash__(self) -> int:
        return hash((self.pag, self.replicates, self.seed))


def ways_in_columns(pairs: Sequence[Pair], ways: NDArray[Any], total: float = 1.0) -> pd.DataFrame:
    """A table of the shares of adjacency, types of edges and marks at both ends.

    ``ways`` has a row per pair and a column for each of nine ways to join it: ``mark at u × mark at v``. The types that only selection
    of the sample brings are left out where none came.
    """
    by_kind = ways.reshape(-1, len(_MARKS), len(_MARKS))
    ends = pd.DataFrame(list(pairs), columns=["u", "v"], dtype="str")
    kinds = [kind for kind in (*KINDS, *OF_SELECTION) if kind in KINDS or by_kind[:, *divmod(_SIGNS.index(kind), 3)].any()]
    at_ends = {"u": by_kind.sum(axis=2), "v": by_kind.sum(axis=1)}
    return ends.assign(
        adjacent=by_kind.sum(axis=(1, 2)) / total,
        **{kind: by_kind[:, *divmod(_SIGNS.index(kind), 3)] / total for kind in kinds},
        **{f"{end}_{mark.name.lower()}": found[:, i] / total for end, found in at_ends.items() for i, mark in enumerate(_MARKS)},
    )


def _types(table: pd.DataFrame) -> pd.DataFrame:
    """The columns of ``bootstrap.csv``."""
    return table[["u", "v", "adjacent", *(kind for kind in (*KINDS, *OF_SELECTION) if kind in table)]]


def way_of(marks: NDArray[np.int8], a: int, b: int) -> int:
    """Which of the nine ways joins two adjacent vertices of a graph by its mark matrix."""
    return 3 * (int(marks[b, a]) - CIRCLE) + int(marks[a, b]) - CIRCLE


def keys_of(marks: NDArray[np.int8]) -> NDArray[np.int64]:
    """A number for each edge of a graph by its mark matrix: the pair, and the way in which it is joined."""
    a, b = np.nonzero(np.triu(marks))
    at_a, at_b = marks[b, a].astype(np.int64), marks[a, b].astype(np.int64)
    return np.asarray((a * len(marks) + b) * len(_BOTH) + 3 * (at_a - CIRCLE) + at_b - CIRCLE, dtype=np.int64)


def _is_unsure(share: float, adjacent: float, least: float, confidence: float | None, as_circle: float | None) -> bool:
    if confidence is None or as_circle is None:
        return share < least * adjacent
    return as_circle > confidence


def _mark_of_most(many: NDArray[np.int64]) -> int:
    """The mark that more than half have, else a circle."""
    most = int(np.argmax(many))
    return (CIRCLE, ARROW, TAIL)[most] if 2 * many[most] > many.sum() else CIRCLE
