"""Grades or codes? Whole numbers may be either; other columns tell.

A column of few whole numbers is read as grades (1 < 2 < 3) unless another column contradicts: its mean, over the rows of each number,
goes up and down again by more than chance allows. Read as codes of categories, nothing is lost then but the order, which was of no use.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import chdtrc

from dicola.tables.columns import USED, Column

_PARTNERS: Final = 100  # columns that are asked, spread over all
_ROWS: Final = 5000  # likewise
_LEVEL: Final = 1e-3
_SHARE: Final = 0.02  # of a partner's variance that the order misses; less does no harm

Floats = NDArray[np.float64]


def without_order(columns: Sequence[Column], asked: Sequence[bool]) -> Iterator[int]:
    """The places of the columns asked about whose numbers, of three or more, are no grades."""
    places = [i for i, (column, is_asked) in enumerate(zip(columns, asked, strict=True)) if is_asked and _may_be_codes(column)]
    if not places:
        return
    rows = slice(None, None, -(-len(columns[0].values) // _ROWS))
    owners, partners = _partners(columns, rows)
    for place in places:
        others = partners[:, owners != place]
        if others.shape[1] and _contradicts(columns[place].codes[rows], len(columns[place].levels), others):
            yield place


def _may_be_codes(column: Column) -> bool:
    return len(column.points) > 2 and all(point == round(point) for point in column.points)


def _partners(columns: Sequence[Column], rows: slice) -> tuple[NDArray[np.int64], Floats]:
    """Ranks of numbers, and one column per level of words, each standardised, gaps at the mean; and whose they are."""
    used = [i for i, column in enumerate(columns) if column.kind in USED]
    used = used[:: -(-len(used) // _PARTNERS)]
    owners: list[int] = []
    shown: list[Floats] = []
    for i in used:
        column = columns[i]
        if column.is_numeric:
            shown.append(np.asarray(pd.Series(column.values[rows]).rank(), dtype=np.float64))
        else:
            codes = column.codes[rows]
            shown.extend(np.where(codes < 0, np.nan, codes == level).astype(np.float64) for level in range(min(len(column.levels), 5)))
        owners += [i] * (len(shown) - len(owners))
    matrix = np.column_stack(shown) if shown else np.empty((0, 0))
    gaps = np.isnan(matrix)
    matrix = np.where(gaps, 0.0, matrix)
    present = np.maximum((~gaps).sum(axis=0), 1)
    matrix = np.where(gaps, 0.0, matrix - matrix.sum(axis=0) / present)
    scale = np.sqrt((matrix**2).sum(axis=0) / len(matrix))
    return np.array(owners, dtype=np.int64), matrix / np.where(scale > 0, scale, 1.0)


def _contradicts(codes: NDArray[np.intp], levels: int, partners: Floats) -> bool:
    """Does some partner follow the levels by more than it can in an order, up or down?"""
    present = codes >= 0
    group, values = codes[present], partners[present]
    sizes = np.bincount(group, minlength=levels).astype(np.float64)
    occurs = sizes > 0
    belongs = (group == np.flatnonzero(occurs)[:, None]).astype(np.float64)
    sizes, n = sizes[occurs], len(group)
    if len(sizes) < 3:
        return False
    sums = belongs @ values
    between = (sums**2 / sizes[:, None]).sum(axis=0)
    in_order = np.maximum(_explained(sums, sizes), _explained(sums[::-1], sizes[::-1]))
    total = (values**2).sum(axis=0)
    missed = np.maximum(between - in_order, 0.0)
    within = np.maximum(total - between, 1e-12 * total + 1e-300)
    p_values = chdtrc(len(sizes) - 2, n * missed / within)
    return bool(((p_values < _LEVEL / partners.shape[1]) & (missed > _SHARE * total)).any())


def _explained(sums: Floats, sizes: Floats) -> Floats:
    """The sum of squares that the best rising means explain, by the max-min formula of isotonic regression."""
    c = len(sizes)
    upto, rows = np.vstack([np.zeros(sums.shape[1]), np.cumsum(sums, axis=0)]), np.concatenate([[0.0], np.cumsum(sizes)])
    rising = np.empty_like(sums)
    for i in range(c):
        lowest = [np.min([(upto[b + 1] - upto[a]) / (rows[b + 1] - rows[a]) for b in range(i, c)], axis=0) for a in range(i + 1)]
        rising[i] = np.max(lowest, axis=0)
    return np.asarray((2 * rising * sums - sizes[:, None] * rising**2).sum(axis=0))
