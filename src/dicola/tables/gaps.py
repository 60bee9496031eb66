"""Gaps: the covariance of rows with gaps by maximum likelihood, draws for the gaps, and which gaps depend on other columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfc

from dicola._kernels import gaps as kernel

Floats = NDArray[np.float64]
_CLOSE: Final = 1e-4  # change of a correlation at which EM stops
_MOST_STEPS: Final = 200
_EXTREME: Final = 250  # powers of two beyond which squares of many rows may not fit into a number
_RIDGE: Final = 1e-7  # keeps columns that determine each other invertible


@dataclass(frozen=True, eq=False)
class Moments:
    """Means and covariances of columns with gaps, the most likely ones if the rows are Gaussian.

    They hold where gaps depend on what was observed in the same row and on nothing else (missing at random).

    Parameters
    ----------
    mean, covariance : array of float
        In the order of the columns.
    n_rows : int
        Rows of the table.
    effective : int
        As many complete rows tell about as much: the harmonic mean, over pairs of columns, of the
        number of rows that have both.
    steps : int
        Steps that EM took.

    """

    mean: Floats
    covariance: Floats
    n_rows: int
    effective: int
    steps: int


def near_one(values: Floats) -> tuple[Floats, NDArray[np.int32]]:
    """The columns with those of extreme scale brought near 1 by powers of two, and these; the other powers are 0."""
    _, exponents = np.frexp(np.nanmax(np.abs(values), axis=0, initial=0.0))
    exponents = np.where(np.abs(exponents) > _EXTREME, exponents, 0).astype(np.int32)
    return (np.ldexp(values, -exponents) if exponents.any() else values), exponents


class Rows:
    """Standardised rows ordered by where their gaps are, as the kernels take them."""

    def __init__(self, values: Floats) -> None:
        missing = np.isnan(values)
        order = np.lexsort(np.packbits(missing, axis=1).T[::-1]) if values.size else np.arange(len(values))
        self.missing = np.ascontiguousarray(missing[order])
        self.is_new = np.append(True, (self.missing[1:] != self.missing[:-1]).any(axis=1))[: len(values)]
        self.order = order
        present = np.maximum((~missing).sum(axis=0), 1)
        ordered = np.where(self.missing, 0.0, values[order])
        self.shift = ordered.sum(axis=0) / present
        ordered = np.where(self.missing, 0.0, ordered - self.shift)
        scale = np.sqrt((ordered**2).sum(axis=0) / present)
        self.scale = np.where(scale > 0, scale, 1.0)
        self.standard = np.ascontiguousarray(ordered / self.scale)

    def room(self) -> tuple[Floats, NDArray[np.int64]]:
        """Space for the kernels."""
        p = self.standard.shape[1]
        return np.empty((3, p, p)), np.empty(p, dtype=np.int64)


class Fit(NamedTuple):
    """Mean and covariance on the scale of the table."""

    mean: Floats
    covariance: Floats
    steps: int

    def on_scale_of(self, rows: Rows) -> tuple[Floats, Floats]:
        """Mean and covariance of the standardised rows."""
        return (self.mean - rows.shift) / rows.scale, self.covariance / np.outer(rows.scale, rows.scale)


def moments(values: Floats) -> Moments:
    """Means and covariances by EM (Dempster, Laird and Rubin 1977).

    Parameters
    ----------
    values : array of float
        Rows and columns, NaN for a gap; every column has some values. Extreme ones are brought near
        1, column by column, so that no square over- or underflows.

    """
    values, _ = near_one(values)
    mean, covariance, steps = most_likely(Rows(values))
    return Moments(mean, covariance, len(values), effective_rows(~np.isnan(values)), steps)


def effective_rows(present: NDArray[np.bool_]) -> int:
    """The harmonic mean, over pairs of columns, of the number of rows that have both."""
    p = present.shape[1]
    if p < 2:
        return int(present.sum())
    counts = present.astype(np.float64)
    both = (counts.T @ counts)[np.triu_indices(p, 1)]
    # A few pairs that hardly ever occur together must not speak for all.
    return int(len(both) / (1 / np.maximum(both, max(len(present) / 10, 1))).sum())


def most_likely(rows: Rows) -> Fit:
    """Mean and covariance by EM."""
    n, p = rows.standard.shape
    mean, covariance = np.zeros(p), np.eye(p)
    room, gaps = rows.room()
    prior = p if n < 2 * p else 0  # pseudo-rows of independent columns, where the rows are too few
    steps, change = 0, np.inf
    while change > _CLOSE and steps < _MOST_STEPS:
        steps += 1
        centred = rows.standard - mean
        spread = np.zeros((p, p))
        kernel.fill(centred, rows.missing, rows.is_new, np.ascontiguousarray(np.linalg.inv(covariance)), spread, room, gaps)
        shift = centred.mean(axis=0)
        centred -= shift
        after = (centred.T @ centred + spread + prior * np.eye(p)) / (n + prior) + _RIDGE * np.eye(p)
        change = max(float(np.abs(after - covariance).max()), float(np.abs(shift).max()))
        mean, covariance = mean + shift, after
    return Fit(mean * rows.scale + rows.shift, covariance * np.outer(rows.scale, rows.scale), steps)


_ENOUGH: Final = 10  # gaps, and entries, below which nothing is said about why they are there
_LEVEL: Final = 1e-3


def drivers_of_gaps(present: NDArray[np.bool_], standard: Floats) -> dict[int, int]:
    """Columns whose gaps go with the values of another column, each with the one they go with most.

    Parameters
    ----------
    present : matrix of bool
        Where there are values.
    standard : matrix of float
        Ranks or the like, centred and scaled column by column over what is present; 0 in gaps.

    """
    counts = present.sum(axis=0)
    asked = np.flatnonzero((counts >= _ENOUGH) & (len(present) - counts >= _ENOUGH))
    if not len(asked):
        return {}
    gaps, seen = (~present[:, asked]).astype(np.float64), present.astype(np.float64)
    both = gaps.T @ seen  # gaps of the one where the other is present
    spread = both - both**2 / np.maximum(counts, 1)
    scale = np.sqrt(np.maximum(spread, 0.0) * np.maximum((standard**2).sum(axis=0), 1e-300))
    with np.errstate(all="ignore"):
        correlation = np.where((both >= _ENOUGH) & (scale > 0), (gaps.T @ standard) / scale, 0.0)
    correlation[np.arange(len(asked)), asked] = 0.0
    strength = np.abs(correlation) * np.sqrt(counts)
    best = strength.argmax(axis=1)
    p_values = erfc(strength[np.arange(len(asked)), best] / np.sqrt(2.0))
    is_sure = p_values * strength.size < _LEVEL
    return {int(column): int(driver) for column, driver, sure in zip(asked, best, is_sure, strict=True) if sure}
