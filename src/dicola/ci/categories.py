"""The columns of a table as categories: one whole number per row and column."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola.errors import InvalidData, Sentence
from dicola.tables.checks import check_shape
from dicola.tables.columns import USED, Column
from dicola.tables.table import Table, as_table

MOST_NUMBERS = 20  # different values up to which a column of numbers is taken for categories
_MOST_LEVELS = 2**15 - 1
_MOST_BITS = 16  # levels up to which a column is kept as sets of rows too: no more memory than its codes


class Coded(NamedTuple):
    """Codes 0, 1, … of the levels that occur, a row per variable, -1 for a gap; and how many levels each has."""

    codes: NDArray[np.int16]
    levels: NDArray[np.int64]


def usable(data: Table | Any) -> Table:
    """The table with kinds that go by its values, where each column has one that a test can take.

    Raises
    ------
    InvalidData
        Where a column is constant, an identifier, a date or text.

    """
    table = as_table(data).understood()
    check_shape(table)
    for name, kind in zip(table.labels, table.kinds, strict=True):
        if kind == "constant":
            raise InvalidData(f"column {name!r} is constant: it can have no cause or effect here. Drop it.")
        if kind not in USED:
            told = {"identifier": "looks like an identifier", "date": "holds dates", "text": "holds text"}[kind]
            raise InvalidData(
                f"column {name!r} {told}, which no test can take. Drop it, or say what it is with kinds={{{name!r}: 'nominal'}}."
            )
    return table


def coded(table: Table) -> Coded:
    """The table as categories.

    Raises
    ------
    InvalidData
        Where a column of numbers has more than 20 different values, or a column only one.

    """
    codes = np.empty((len(table.labels), table.n_samples), dtype=np.int16)
    levels = np.empty(len(table.labels), dtype=np.int64)
    for i, column in enumerate(table.columns):
        codes[i], levels[i] = codes_of(column)
    return Coded(codes, levels)


def codes_of(column: Column) -> tuple[NDArray[np.int64], int]:
    """The codes of one column, and how many there are."""
    if column.levels and column.kind not in ("continuous", "date") and 2 <= len(column.levels) <= _MOST_LEVELS:
        levelled = column.codes
        if np.bincount(levelled[levelled >= 0], minlength=len(column.levels)).all():
            return levelled, len(column.levels)
    found, codes = np.unique(column.values[~column.missing], return_inverse=True)
    if column.kind == "continuous" and len(found) > MOST_NUMBERS:
        raise InvalidData(
            Sentence(
                "column {name!r} has {many} different numbers, and a test by counting needs categories. "
                "Take {ci_test=degenerate_gaussian}, which takes both, or put the numbers into a few classes.",
                name=column.name,
                many=len(found),
            )
        )
    if len(found) < 2:
        raise InvalidData(f"column {column.name!r} is constant: it can have no cause or effect here. Drop it.")
    if len(found) > _MOST_LEVELS:
        raise InvalidData(f"column {column.name!r} has {len(found)} different levels; it looks like an identifier. Drop it.")
    filled = np.full(len(column.values), -1, dtype=np.int64)
    filled[~column.missing] = codes
    return filled, len(found)


def rows_by_level(codes: NDArray[np.int16], levels: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Sets of rows as bits: which rows have each level of each variable, and where the levels of a variable begin.

    A variable of many levels has none, and its place is -1.

    >>> bits, places = rows_by_level(np.array([[0, 1, 1], [2, 0, 1]], dtype=np.int16), np.array([2, 3]))
    >>> bits.ravel().tolist(), places.tolist()
    ([1, 6, 2, 4, 1], [0, 2])
    """
    taken = levels <= _MOST_BITS
    places = np.where(taken, np.append(0, np.cumsum(np.where(taken, levels, 0)))[:-1], -1)
    bits = np.zeros((int(levels[taken].sum()), -(-codes.shape[1] // 64)), dtype="<u8")
    whole = bits.view(np.uint8)
    for v in np.flatnonzero(taken):
        here = np.packbits(codes[v] == np.arange(levels[v])[:, None], axis=1, bitorder="little")
        whole[places[v] : places[v] + levels[v], : here.shape[1]] = here
    return bits.astype(np.uint64, copy=False), places
