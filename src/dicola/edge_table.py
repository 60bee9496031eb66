"""The edges of a graph as a table, each with the test that came closest to removing it."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from itertools import combinations, combinations_with_replacement, zip_longest
from math import isnan, nan
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dicola._kernels.partial_correlation import SINGULAR
from dicola.ci.base import CITest
from dicola.ci.fisher_z import FisherZ
from dicola.ci.gaussian_copula import GaussianCopula
from dicola.confidence import EDGE_COLUMNS
from dicola.errors import InvalidData
from dicola.graphs.marks import listed
from dicola.graphs.pag import PAG
from dicola.graphs.skeleton import Pair, Skeleton, Variables
from dicola.spreadsheets import as_named, harmless_csv

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Pools = tuple[Variables, Variables]
"""Of one edge, the neighbours of its first end and of its second that may be held fixed."""

_LARGEST: Final = 2  # variables held fixed at once
_POOL: Final = 30  # neighbours of an end that are tried; the cost grows with their square


def edge_table(pag: PAG, skeleton: Skeleton, ci: CITest | None = None) -> pd.DataFrame:
    """One row per edge, with the test that came closest to removing it.

    An edge stands because no set of variables made its ends independent. Here they are tested once
    more given every set of at most two neighbours of one end, nothing held fixed included, and the
    largest p-value is told: the larger it is, the weaker the edge. It can lie above the level of
    the test, where a score kept the edge or no leaf held these variables together. Of an end with
    more than 30 neighbours we try 30: those it shares with the other end, then the first in
    ``ci.labels``.

    Parameters
    ----------
    pag : PAG
        The graph.
    skeleton : Skeleton
        Its skeleton; its separating sets know the leaves in which a pair was decided.
    ci : CITest, optional
        The test to ask. The columns of evidence stay empty without it, for an oracle, for a test
        without p-values and for one that is slow (``ci.is_slow``).

    Returns
    -------
    pandas.DataFrame
        The columns of ``pag.to_pandas()``, and ``p_value``; ``given``, the names held fixed, as
        text (empty text: nothing was); ``partial_correlation`` given these and its ``sign``, ``+``
        or ``-``, where the test has one; ``leaves``, the numbers of the leaves in which both ends
        stood before the learner, as text such as ``3, 7``.

    Raises
    ------
    InvalidData
        If the test does not know a variable of the graph.

    """
    edges = pag.edges()
    evidence = [ClosestTest()] * len(edges) if ci is None or ci.is_slow or ci.alpha is None else _evidence(pag, ci)
    place = {name: i for i, name in enumerate(skeleton.labels)}
    leaves = [", ".join(map(str, sorted(skeleton.sets.leaves_with(place[edge.u], place[edge.v])))) for edge in edges]
    columns = {name: pd.Series([row[i] for row in evidence], dtype=kind) for i, (name, kind) in enumerate(_KINDS.items())}
    return pag.to_pandas().assign(**columns, leaves=pd.Series(leaves, dtype="str"))


class ClosestTest(NamedTuple):
    """The columns about the test that came closest to removing an edge; empty if none was asked."""

    p_value: float = nan
    given: str | None = None
    sign: str | None = None
    partial_correlation: float = nan


SCORE_COLUMNS: Final = ("score_without", "score_u", "score_v")
"""Columns of a scored run: by how much the graph scores worse without an edge, and with another mark at its ends."""
_NAMES: Final = ("u", "v", "given")  # columns that hold names
_ENDS: Final = ["u", "v", "mark_u", "mark_v"]
_KINDS: Final = {"p_value": "float64", "given": "str", "sign": "str", "partial_correlation": "float64"}


def _evidence(pag: PAG, ci: CITest) -> list[ClosestTest]:
    """The weakest test of each edge, as the columns tell it."""
    place = {name: i for i, name in enumerate(ci.labels)}
    unknown = [name for name in pag.names if name not in place]
    if unknown:
        raise InvalidData(f"the test does not know {listed(unknown)}; pass one made from the table that the graph was learned from.")
    pairs = [_sorted_pair(place[edge.u], place[edge.v]) for edge in pag.edges()]
    pools = _pools(pairs, len(ci))
    if type(ci) is FisherZ or (type(ci) is GaussianCopula and not ci.has_classes):  # a subclass may have a verdict of its own
        found = _weakest_partial_correlations(ci, pairs, pools)
    else:
        found = [_weakest(ci, pair, pool) for pair, pool in zip(pairs, pools, strict=True)]
    return [_told(ci, pair, z) for pair, z in zip(pairs, found, strict=True)]


def _sorted_pair(x: int, y: int) -> Pair:
    return (x, y) if x < y else (y, x)


def _told(ci: CITest, pair: Pair, z: Variables) -> ClosestTest:
    p_value = ci.verdict(*pair, z).p_value
    if isnan(p_value):
        return ClosestTest()
    correlate = getattr(ci, "partial_correlation", None)
    r = nan if correlate is None else float(correlate(*pair, z))
    return ClosestTest(p_value, ", ".join(ci.labels[v] for v in z), "+" if r > 0 else "-" if r < 0 else None, r)


def _pools(pairs: Sequence[Pair], n: int) -> list[Pools]:
    around: list[set[int]] = [set() for _ in range(n)]
    for x, y in pairs:
        around[x].add(y)
        around[y].add(x)
    return [(_pool(around[x] - {y}, around[y]), _pool(around[y] - {x}, around[x])) for x, y in pairs]


def _pool(beside: set[int], beside_other: set[int]) -> Variables:
    shared_first = [*sorted(beside & beside_other), *sorted(beside - beside_other)]
    return tuple(sorted(shared_first[:_POOL]))


def _weakest(ci: CITest, pair: Pair, pools: Pools) -> Variables:
    """The set with the largest p-value, the first of equals."""
    sets = list(dict.fromkeys(z for size in range(_LARGEST + 1) for pool in pools for z in combinations(pool, size)))
    logs = ci.log_p_values(*pair, sets)
    values = ci.p_values(*pair, sets) if logs is None else logs
    return sets[int(np.argmax(np.where(np.isnan(values), -np.inf, values)))]


def _weakest_partial_correlations(ci: FisherZ, pairs: Sequence[Pair], pools: Sequence[Pools]) -> list[Variables]:
    """``_weakest`` for Fisher's z test: the same sets in the same order, for all edges at once."""
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    # One row per edge: its pool, filled up with -1.
    rooms = [np.array([*zip_longest(*pool, fillvalue=-1)], dtype=np.int64).reshape(-1, len(pool)).T for pool in zip(*pools, strict=True)]
    best = _strength(ci, ends)
    found: list[Variables] = [()] * len(pairs)
    testable = ci.n_samples - 4  # with more held fixed there are too few rows
    for size in range(1, min(_LARGEST, testable) + 1):
        for room in rooms:
            for chosen in combinations(range(room.shape[1]), size):
                rows = np.nonzero(room[:, chosen[-1]] >= 0)[0]
                given = room[rows[:, None], chosen]
                strength = _strength(ci, np.hstack([ends[rows], given]))
                weaker = strength < best[rows]
                best[rows[weaker]] = strength[weaker]
                for row, z in zip(rows[weaker].tolist(), given[weaker].tolist(), strict=True):
                    found[row] = tuple(z)
    return found


def _strength(ci: FisherZ, rows: Ints) -> Floats:
    """The strength of ``ci.verdict(x, y, z)`` for rows ``x, y, *z``, by the same steps."""
    index, size = rows.T, rows.shape[1]
    left = {(a, b): ci.correlations_of(index[a], index[b]) for a, b in combinations_with_replacement(range(size), 2)}
    for p in range(2, size):
        # A variable that is determined by those before it adds nothing.
        pivot = np.where(left[p, p] < SINGULAR, np.inf, left[p, p])
        with_p = {a: left[_sorted_pair(a, p)] for a in (0, 1, *range(p + 1, size))}
        left = {(a, b): left[a, b] - with_p[a] / pivot * with_p[b] for a, b in combinations_with_replacement(with_p, 2)}
    xy, xx, yy = left[0, 1], left[0, 0], left[1, 1]
    is_determined = np.minimum(xx, yy) < SINGULAR
    r = np.where(is_determined, 0.0, xy / np.sqrt(np.where(is_determined, 1.0, xx * yy)))
    freedom = ci.n_samples - (size - 2) - 3
    return np.asarray(np.arctanh(np.minimum(np.abs(r), 1.0 - 1e-15)) * np.sqrt(freedom), dtype=np.float64)


def to_csv(table: pd.DataFrame) -> str:
    """The table as the text of ``edges.csv``, which spreadsheets open: no name in it is a formula to them."""
    return harmless_csv(table, _NAMES)


def from_csv(text: str, pag: PAG) -> pd.DataFrame:
    """Read back what ``to_csv`` wrote of a graph, to the last digit; ``InvalidData`` where its rows are not the edges of that graph."""
    table = pd.read_csv(StringIO(text), dtype=str, keep_default_na=False, na_filter=False)
    table = table.assign(**{name: [as_named(cell) for cell in table[name]] for name in _NAMES})
    edges = pag.to_pandas()
    if not {*edges, "leaves"} <= set(table) or not table[_ENDS].astype(object).equals(edges[_ENDS].astype(object)):
        raise InvalidData(
            "edges.csv does not hold the edges of pag.json, each once and in its order; it was changed, or is of another run."
        )
    values = {name: [float(value) if value else nan for value in table[name]] for name, kind in _KINDS.items() if kind == "float64"}
    told = [not isnan(value) for value in values["p_value"]]
    given = [text if asked else None for text, asked in zip(table["given"], told, strict=True)]
    columns = {**values, "given": given, "sign": [text or None for text in table["sign"]]}
    scores = {name: pd.Series([float(text) if text else nan for text in table[name]]) for name in SCORE_COLUMNS if name in table}
    known = (*EDGE_COLUMNS, "decided")  # bootstrap.csv and discovery.json have what they say
    table = table.drop(columns=[name for name in known if name in table])
    return table.assign(**{name: pd.Series(columns[name], dtype=kind) for name, kind in _KINDS.items()}, **scores)
