"""Gaps filled in several times by draws, so that what is not known shows in how the fillings differ.

Numbers are standardised and levels become columns of 0 and 1. Each filling takes a fresh choice of the rows (a bootstrap), fits means and
covariances to it by EM, and draws what is missing given what is there (Honaker and King 2010). Of a drawn row of 0 and 1 the largest level
is taken, of a drawn grade or count the nearest value that occurs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dicola._kernels import gaps as kernel
from dicola.tables.columns import Column
from dicola.tables.gaps import Rows, most_likely, near_one
from dicola.tables.table import Table

FILLINGS: Final = 10
_FEW_VALUES: Final = 100  # a column with no more different numbers is filled with these only

Floats = NDArray[np.float64]


def imputed(table: Table, seed: int, fillings: int = FILLINGS) -> list[Table]:
    """The table with its gaps filled in, several times.

    Parameters
    ----------
    table : Table
        One that was understood, so that its kinds can be relied on.
    seed : int
        Seed of the draws.
    fillings : int
        How many tables to make.

    """
    blocks = [_as_numbers(column) for column in table.columns]
    ends = np.cumsum([block.shape[1] for block in blocks])
    values = np.column_stack(blocks)
    rng = np.random.default_rng(seed)
    filled = (_drawn(values, rng) for _ in range(fillings))
    return [table.with_columns(_columns(table, np.split(each, ends[:-1], axis=1)), is_understood=table.is_understood) for each in filled]


def _as_numbers(column: Column) -> Floats:
    """One column of numbers; of levels one column of 0 and 1 each, but for the last."""
    if column.is_numeric and column.kind != "nominal":
        return column.values[:, None]
    codes = column.codes[:, None]
    return np.where(codes < 0, np.nan, codes == np.arange(max(len(column.levels) - 1, 1))).astype(np.float64)


def _drawn(values: Floats, rng: np.random.Generator) -> Floats:
    """The rows with draws in their gaps."""
    n, p = values.shape
    plain, exponents = near_one(values)
    rows = Rows(plain)
    mean, covariance = most_likely(Rows(plain[rng.integers(0, n, n)])).on_scale_of(rows)
    centred = rows.standard - mean
    room, gaps = rows.room()
    noise = rng.standard_normal((n, p))
    kernel.draw(centred, rows.missing, rows.is_new, np.ascontiguousarray(np.linalg.inv(covariance)), noise, room, gaps)
    drawn = np.empty_like(values)
    drawn[rows.order] = (centred + mean) * rows.scale + rows.shift
    return np.where(np.isnan(values), np.ldexp(drawn, exponents), values)


def _columns(table: Table, blocks: list[Floats]) -> list[Column]:
    return [_filled(column, block) if column.missing.any() else column for column, block in zip(table.columns, blocks, strict=True)]


def _filled(column: Column, block: Floats) -> Column:
    gaps, values = column.missing, column.values.copy()
    if column.is_numeric and column.kind != "nominal":
        occurring = np.unique(column.values[~gaps])
        values[gaps] = _nearest(block[gaps, 0], occurring) if len(occurring) <= _FEW_VALUES else block[gaps, 0]
    else:
        levels = np.column_stack([block[gaps], 1.0 - block[gaps].sum(axis=1)]).argmax(axis=1)
        values[gaps] = np.array(column.points)[levels] if column.points else levels
    return replace(column, values=values)


def _nearest(drawn: Floats, occurring: Floats) -> Floats:
    places = np.searchsorted((occurring[1:] + occurring[:-1]) / 2, drawn)
    return occurring[places]
