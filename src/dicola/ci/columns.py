"""The columns of numbers that stand for a variable: indicators of levels, polynomials of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from dicola.ci.categories import codes_of
from dicola.tables.checks import check_gaps
from dicola.tables.table import Table

Floats = NDArray[np.float64]
LEVELLED = ("nominal", "ordered", "binary")
"""Kinds of columns that stand for levels."""

_TOGETHER = 64  # columns whose curves are made at once
RARE = 5  # rows below which a level is taken together with other rare ones


class Columns(NamedTuple):
    """Columns of numbers, standardised or not; those of variable i are ``values[:, begins[i]:begins[i + 1]]``.

    Of these, the ones from ``curves[i]`` on are curves of the others. ``pooled`` names the variables
    of which rare levels were taken together.
    """

    values: Floats
    begins: NDArray[np.int64]
    curves: NDArray[np.int64]
    pooled: tuple[str, ...]


def columns_of(table: Table, degree: int = 1, *, gaps: bool = False) -> Columns:
    """The columns that stand for the variables of a table: indicators of levels; numbers, and curves of them up to a degree.

    Gaps, where they are let in, are NaN in all columns of a variable.
    """
    check_gaps(table, allowed=gaps)
    gapped = np.asarray(np.isnan(table.values).any(axis=0)).tolist()
    complete = [] if degree < 2 else [c for c, has in zip(table.columns, gapped, strict=True) if c.kind not in LEVELLED and not has]
    together = dict(zip([column.name for column in complete], _with_curves([column.values for column in complete], degree), strict=True))
    parts, widths, pooled = [], [], []
    for column, has_gaps in zip(table.columns, gapped, strict=True):
        present = ~column.missing if has_gaps else slice(None)
        if column.kind in LEVELLED:
            codes, levels = codes_of(column)
            block = _levels_shown(codes[present], levels)
            if block.shape[1] + 1 < levels:
                pooled.append(column.name)
            widths.append(block.shape[1])
        elif (known := together.get(column.name)) is not None:
            block = known
            widths.append(1)
        else:
            numbers = column.values[present]
            block = np.column_stack([numbers, curves_of(numbers, degree)])
            widths.append(1)
        parts.append(_where(present, block) if isinstance(present, np.ndarray) else block)
    return _side_by_side(parts, widths, pooled)


def columns_of_codes(codes: NDArray[np.int16], levels: NDArray[np.int64], names: Sequence[str]) -> Columns:
    """The same for categories by their codes, a row per variable; -1 is a gap."""
    blocks = [_levels_shown(own[own >= 0].astype(np.int64), int(many)) for own, many in zip(codes, levels, strict=True)]
    pooled = [name for name, block, many in zip(names, blocks, levels, strict=True) if block.shape[1] + 1 < many]
    parts = [_where(own >= 0, block) for own, block in zip(codes, blocks, strict=True)]
    return _side_by_side(parts, [part.shape[1] for part in parts], pooled)


def _levels_shown(codes: NDArray[np.int64], levels: int) -> Floats:
    return indicators(without_rare_levels(codes, levels))


def _where(present: NDArray[np.bool_], block: Floats) -> Floats:
    """The rows of a block where there are some, NaN elsewhere."""
    if present.all():
        return block
    found = np.full((len(present), block.shape[1]), np.nan)
    found[present] = block
    return found


def _side_by_side(parts: Sequence[Floats], widths: Sequence[int], pooled: Sequence[str]) -> Columns:
    begins = np.cumsum([0, *(part.shape[1] for part in parts)], dtype=np.int64)
    values = np.empty((len(parts[0]), begins[-1]), order="F")  # what is copied lies side by side then
    for begin, part in zip(begins.tolist(), parts, strict=False):
        values[:, begin : begin + part.shape[1]] = part
    return Columns(values, begins, begins[:-1] + np.array(widths, dtype=np.int64), tuple(pooled))


def without_rare_levels(codes: NDArray[np.int64], levels: int) -> NDArray[np.int64]:
    """The codes with rare levels taken together; where these are still rare, with the rarest of the others.

    >>> without_rare_levels(np.repeat([0, 1, 2, 3], [9, 2, 7, 1]), 4).tolist()[::4]
    [0, 0, 0, 1, 1]
    """
    counts = np.bincount(codes, minlength=levels)
    if counts.min() >= RARE or levels < 3:
        return codes
    order = np.argsort(counts, kind="stable")
    many = max(int(np.searchsorted(np.cumsum(counts[order]), RARE)) + 1, int((counts < RARE).sum()))
    together = order[: min(many, levels - 1)]
    number = np.full(levels, -1, dtype=np.int64)
    kept = np.setdiff1d(np.arange(levels), together)
    number[kept] = np.arange(len(kept))
    number[together] = len(kept)
    return np.unique(number[codes], return_inverse=True)[1]


def indicators(codes: NDArray[np.int64]) -> Floats:
    """A column per level but the most frequent, 1 where a row has it; which one is left out changes no test."""
    counts = np.bincount(codes)
    shown = np.flatnonzero(np.arange(len(counts)) != counts.argmax())
    return np.asarray(codes == shown[:, None], dtype=np.float64).T


def normal_scores(values: Floats) -> Floats:
    """The values by rank on the scale of a standard normal variable; equal ones share the mean rank.

    A strictly increasing function of the values has the same scores.
    """
    return _scores_and_different(values)[0]


def _scores_and_different(values: Floats) -> tuple[Floats, int]:
    """The normal scores, and how many values differ."""
    order, n = np.argsort(values), len(values)
    ranked = values[order]
    scores = np.empty(n)
    if (ranked[1:] > ranked[:-1]).all():
        scores[order] = _scores_of_ranks(n)
        return scores, n
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    mean_ranks = np.cumsum(counts) - (counts - 1) / 2.0
    return np.asarray(ndtri(mean_ranks / (n + 1.0))[which]), len(counts)


@lru_cache(maxsize=1)
def _scores_of_ranks(n: int) -> Floats:
    """The normal scores of n values that all differ, ascending: those of every such column of a table."""
    return np.asarray(ndtri(np.arange(1.0, n + 1.0) / (n + 1.0)))


def curves_of(values: Floats, degree: int) -> Floats:
    """Hermite polynomials of the normal scores of a column, from degree 2 on; by rank, so that no outlier rules them.

    Those that the few different values of a column determine are left out.
    """
    scores, different = _scores_and_different(values)
    found = _polynomials(scores, min(degree, different - 1))
    return np.column_stack(found) if found else np.empty((len(values), 0))


def _polynomials(scores: Floats, degree: int) -> list[Floats]:
    """Hermite polynomials of the scores, from degree 2 on."""
    before, last = np.ones_like(scores), scores
    found = []
    for power in range(2, degree + 1):
        before, last = last, scores * last - (power - 1) * before
        found.append(last)
    return found


def _with_curves(numbers: Sequence[Floats], degree: int) -> Iterator[Floats | None]:
    """Columns as long as each other, each with its curves beside it; those whose values all differ are done together.

    The others are left to ``curves_of``.
    """
    for begin in range(0, len(numbers), _TOGETHER):
        rows = np.stack(numbers[begin : begin + _TOGETHER])
        n = rows.shape[1]
        order = np.argsort(rows, axis=1) + n * np.arange(len(rows))[:, None]  # in all rows as one
        ranked = rows.take(order)
        differ = (ranked[:, 1:] > ranked[:, :-1]).all(axis=1) & (n > degree)
        scores = np.empty_like(rows)
        scores.ravel()[order] = _scores_of_ranks(n)
        shown = np.stack([rows, *_polynomials(scores, degree)], axis=1)
        yield from (block.T if all_differ else None for block, all_differ in zip(shown, differ.tolist(), strict=True))
