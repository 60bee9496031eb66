"""Columns that tell nothing new: copies, and exact functions of other columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from dicola.tables.columns import Column
from dicola.tables.gaps import moments, near_one

Floats = NDArray[np.float64]
_DETERMINED: Final = 1e-9  # share of a column's variance left when the columns it is made of are known
_SUSPECT: Final = 1e-4  # likewise, where gaps blur the covariance: then the rows themselves are asked
_NEAR: Final = 0.99  # correlation from which two columns are nearly the same
_FIRST: Final = 64  # rows that tell most columns apart
_AT_ONCE: Final = 256  # columns whose first rows are looked at together
_ROWS_FOR_FUNCTIONS: Final = 500
_SETS_AT_ONCE: Final = 32
_LEAST = 5  # rows with rarer levels, below which a column may be fixed by chance
_MOST_CATEGORIES: Final = 25  # columns of categories among which functions of two others are looked for


class Function(NamedTuple):
    """A column that others determine: its place, and theirs."""

    column: int
    of: tuple[int, ...]


def copies(columns: Sequence[Column]) -> list[Function]:
    """Columns with the same values as an earlier one, or with its levels under other names."""
    groups: dict[bytes, list[int]] = {}
    for begin in range(0, len(columns), _AT_ONCE):
        for place, look in enumerate(_first_looks(columns[begin : begin + _AT_ONCE]), begin):
            groups.setdefault(look, []).append(place)
    found = []
    for group in (group for group in groups.values() if len(group) > 1):
        first: dict[bytes, int] = {}
        for place in group:
            original = first.setdefault(_as_seen(columns[place]).tobytes(), place)
            if original != place:
                found.append(Function(place, (original,)))
    return sorted(found)


def _first_looks(columns: Sequence[Column]) -> Iterator[bytes]:
    """What the first rows of each column look like: the same in columns that are copies."""
    rows = np.array([column.values[:_FIRST] for column in columns]) + 0.0  # so that -0 is 0
    levelled = np.flatnonzero([_goes_by_levels(column) for column in columns])
    entries = rows[levelled]
    first = (entries[:, :, None] == entries[:, None, :]).argmax(axis=2) if entries.size else entries  # the row that had each level first
    rows[levelled] = np.where(np.isnan(entries), np.nan, first)
    return (row.tobytes() for row in rows)


def _goes_by_levels(column: Column) -> bool:
    return bool(column.levels) and column.kind not in ("identifier", "date", "text")


def _as_seen(column: Column) -> Floats:
    """The values; of columns with levels, the levels numbered as they first occur."""
    if not _goes_by_levels(column):
        return column.values + 0.0
    codes = column.codes
    _, first, places = np.unique(codes, return_index=True, return_inverse=True)
    order = np.empty(len(first))
    order[np.argsort(first)] = np.arange(len(first))
    return np.where(codes < 0, np.nan, order[places])


def correlation_with_gaps(values: Floats) -> Floats:
    """The correlations of columns, by maximum likelihood where there are gaps."""
    has_gaps = np.isnan(values).any()
    covariance = moments(values).covariance if has_gaps else np.atleast_2d(np.cov(near_one(values)[0], rowvar=False))
    scale = np.sqrt(np.diag(covariance))
    return np.asarray(covariance / np.outer(scale, scale))


def linear_functions(values: Floats, correlation: Floats) -> list[Function]:
    """Columns that are an exact linear function of earlier ones; these are independent of each other.

    With no more rows than columns every column is one of the others, so none is told then.
    """
    n, p = values.shape
    if n <= p + 1:
        return []
    suspect = _SUSPECT if np.isnan(values).any() else _DETERMINED
    if _leaves_more(correlation, 2 * suspect):
        return []
    factor = np.zeros((p, p))  # of Cholesky, over the columns kept so far
    kept: list[int] = []
    found: list[Function] = []
    for column in range(p):
        so_far = factor[: len(kept), : len(kept)]
        row = solve_triangular(so_far, correlation[kept, column], lower=True, check_finite=False) if kept else np.empty(0)
        left = float(correlation[column, column] - row @ row)
        if left <= suspect and kept:
            weights = solve_triangular(so_far, row, lower=True, trans="T", check_finite=False)
            made_of = needed(correlation, column, kept, weights)
            if made_of and _determines(values[:, made_of], values[:, column]):
                found.append(Function(column, made_of))
                continue
        factor[len(kept), : len(kept)] = row
        factor[len(kept), len(kept)] = np.sqrt(max(left, 1e-12))
        kept.append(column)
    return found


def _leaves_more(correlation: Floats, share: float) -> bool:
    """Does every column leave more of the variance of the next one than that?"""
    try:
        return bool((np.diag(np.linalg.cholesky(correlation)) ** 2 > share * np.diag(correlation)).all())
    except np.linalg.LinAlgError:
        return False


def needed(correlation: Floats, target: int, others: Sequence[int], weights: Floats) -> tuple[int, ...]:
    """Of the columns that determine a target those without which they would not, in their order.

    A target that is determined up to a little noise has a small weight on every other column, fitted
    to that noise. Such columns have no part in it: they are left out, the smallest weight first, as
    long as what is left of the target stays as little.
    """
    kept = [others[i] for i in np.flatnonzero(np.abs(weights) > 1e-6).tolist()]
    most = 10 * max(_left(correlation, target, kept), _DETERMINED)
    size = dict(zip(others, np.abs(weights).tolist(), strict=True))
    for column in sorted(kept, key=lambda v: (size[v], v)):
        rest = [v for v in kept if v != column]
        if rest and _left(correlation, target, rest) <= most:
            kept = rest
    return tuple(kept)


def _left(correlation: Floats, target: int, others: Sequence[int]) -> float:
    """The share of a target's variance that is left where other columns, none of which determines another, are known."""
    if not others:
        return 1.0
    across = correlation[np.ix_(others, [target])][:, 0]
    return float(correlation[target, target] - across @ np.linalg.lstsq(correlation[np.ix_(others, others)], across, rcond=None)[0])


def _determines(columns: Floats, target: Floats) -> bool:
    """Is the target linear in the columns, on the rows that have all of them?"""
    complete = ~(np.isnan(columns).any(axis=1) | np.isnan(target))
    if complete.sum() <= columns.shape[1] + 2:
        return False
    values = near_one(np.column_stack((columns[complete], target[complete])))[0]  # sums of huge numbers would overflow
    centred = values - values.mean(axis=0)
    x, y = centred[:, :-1], centred[:, -1]
    scale = np.sqrt((x**2).sum(axis=0))
    weights, *_ = np.linalg.lstsq(x / np.where(scale > 0, scale, 1.0), y, rcond=1e-12)
    left = y - (x / np.where(scale > 0, scale, 1.0)) @ weights
    return bool(left @ left <= 100 * _DETERMINED * max(y @ y, 1e-300))


def near_copies(correlation: Floats) -> Iterator[tuple[int, int]]:
    """Pairs of columns whose correlation is almost 1 or -1."""
    for a, b in np.argwhere(np.triu(np.abs(correlation) > _NEAR, k=1)):
        yield int(a), int(b)


def functions_of_categories(columns: Sequence[Column]) -> list[Function]:
    """Columns of categories that one other such column determines, or two where the columns are few.

    The first rows rule out nearly all; what is left is asked of all rows.
    """
    levelled = [i for i, column in enumerate(columns) if column.levels and len(column.levels) <= _ROWS_FOR_FUNCTIONS // 5]
    if len(columns) > 200 or len(levelled) < 2:
        return []
    codes = {i: columns[i].codes for i in levelled}
    first = np.column_stack([codes[i][:_ROWS_FOR_FUNCTIONS] for i in levelled]).astype(np.int16)
    counts = np.array([len(columns[i].levels) for i in levelled])
    found: dict[int, Function] = {}
    for size in (1, 2) if len(levelled) <= _MOST_CATEGORIES else (1,):
        sets = np.array(list(combinations(range(len(levelled)), size)))
        for number, place in np.argwhere(_left_by(first, sets, counts)).tolist():
            of, target, levels = tuple(levelled[i] for i in sets[number].tolist()), levelled[place], int(counts[place])
            is_finer = levels <= counts[sets[number]].prod()
            if target in found or not is_finer or any(found.get(i, (0, ()))[1] == (target,) for i in of):
                continue
            cell = _cells([codes[i] for i in of], counts[sets[number]].tolist())
            # The first rows may have one level only of a column whose others are rare.
            if _is_function(cell[:_ROWS_FOR_FUNCTIONS], codes[target][:_ROWS_FOR_FUNCTIONS], levels, least=0) and _is_function(
                cell, codes[target], levels
            ):
                found[target] = Function(target, of)
    return [found[target] for target in sorted(found)]


def _cells(codes: Sequence[NDArray[np.intp]], levels: Sequence[int]) -> NDArray[np.intp]:
    """One number per combination of levels, -1 where one is missing."""
    cell = np.zeros(len(codes[0]), dtype=np.intp)
    for code, count in zip(codes, levels, strict=True):
        cell = np.where((code < 0) | (cell < 0), -1, cell * count + code)
    return cell


def _left_by(codes: NDArray[np.int16], sets: NDArray[np.intp], counts: NDArray[np.intp]) -> NDArray[np.bool_]:
    """By set of columns and column: may the set determine it, as far as these rows tell? The first of them rule out most."""
    found = _not_denied(codes[:_FIRST], sets, counts)
    left = np.flatnonzero(found.any(axis=1))
    for some in np.array_split(left, -(-len(left) // _SETS_AT_ONCE) or 1):
        found[some] &= _not_denied(codes, sets[some], counts)
    return found


def _not_denied(codes: NDArray[np.int16], sets: NDArray[np.intp], counts: NDArray[np.intp]) -> NDArray[np.bool_]:
    """The same as far as rows tell that are next to each other by the levels of the set.

    Every entry of ``codes``, a column each, is a level of so many as ``counts`` says, or -1.
    """
    cell = codes[:, sets[:, 0]]
    for column in sets.T[1:]:
        cell = np.where((cell < 0) | (codes[:, column] < 0), np.int16(-1), cell * counts[column].astype(np.int16) + codes[:, column])
    order = np.argsort(cell, axis=0, kind="stable")
    cells, levels = np.take_along_axis(cell, order, axis=0), codes[order]
    same = (cells[1:] == cells[:-1]) & (cells[1:] >= 0)
    differ = (levels[1:] != levels[:-1]) & (levels[1:] >= 0) & (levels[:-1] >= 0)
    found: NDArray[np.bool_] = ~(differ & same[:, :, None]).any(axis=0)
    found[np.arange(len(sets))[:, None], sets] = False
    return found


def _is_function(cell: NDArray[np.intp], target: NDArray[np.intp], levels: int, least: int = _LEAST) -> bool:
    """Does every cell have one level of the target? At least so many rows must have another than the most frequent one."""
    present = (cell >= 0) & (target >= 0)
    cell, target = cell[present], target[present]
    if len(cell) == 0:
        return False
    counts = np.bincount(cell * levels + target, minlength=(int(cell.max()) + 1) * levels).reshape(-1, levels)
    is_pure = bool(((counts > 0).sum(axis=1) <= 1).all())
    return is_pure and int(counts.sum() - counts.sum(axis=0).max()) >= least
