"""Algebra of correlations behind the tests and scores of Gaussian data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpotrf, dpotri, dpstrf

from dicola._kernels.precision import symmetric_block
from dicola.errors import InvalidData
from dicola.tables.moments import products_of
from dicola.tables.redundancy import needed

# Share of a column's variance left when all others are known; below it they determine the column.
COLLINEAR = 1e-9
_SMALL = 500  # columns up to which a second matrix costs nothing
_ROUNDING = 1e-18  # of a square; a column that varies less beside its mean may be constant


def covariance_names(matrix: object) -> list[str] | None:
    """The names of a covariance matrix that is a DataFrame, with the same names down and across."""
    if not isinstance(matrix, pd.DataFrame):
        return None
    columns = [str(name) for name in matrix.columns]
    if not isinstance(matrix.index, pd.RangeIndex) and [str(name) for name in matrix.index] != columns:
        raise InvalidData("the rows and columns of the covariance matrix have different names, or another order; they must agree.")
    return columns


def correlation_of(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlation matrix of the columns.

    Where scales are extreme each column is brought near 1, so that no square over- or underflows.
    """
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        covariance = _covariance_of(values)
    squares = covariance.diagonal()
    if not ((squares > 1e-200) & (squares < 1e200)).all():
        _, exponent = np.frexp(np.abs(values).max(axis=0))
        covariance = _covariance_of(np.ldexp(values, -exponent))
    return standardised(covariance)


def correlation_of_rows(values: NDArray[np.float64], times: NDArray[np.int64]) -> NDArray[np.float64] | None:
    """Correlation matrix of the columns where each row counts as often as given.

    ``None`` where scales are extreme, or a column hardly varies beside its mean.

    Rows that do not count are left out: of a table drawn with replacement that is every third.
    """
    there = np.flatnonzero(times)
    weights = times[there].astype(np.float64)
    columns = np.take(values.T, there, axis=1)
    means, rows = columns @ weights / weights.sum(), weights.sum()
    columns -= means[:, None]
    columns *= np.sqrt(weights)
    covariance = products_of(columns)
    squares = np.diag(covariance)
    is_plain = (squares > 1e-200) & (squares < 1e200) & (squares > _ROUNDING * rows * means**2)
    return standardised(covariance) if is_plain.all() else None


def _covariance_of(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Covariances of the columns, but for a common factor."""
    centred = values - values.mean(axis=0)
    return products_of(centred.T)


def standardised(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """A symmetric matrix of covariances turned into correlations, in place; it stays symmetric to the bit."""
    scale = np.sqrt(covariance.diagonal())
    for row, own in zip(covariance, scale, strict=True) if len(scale) > _SMALL else [(covariance, scale[:, None])]:
        row /= own * scale  # a product is the same both ways round
    covariance.flat[:: len(covariance) + 1] = 1.0
    return covariance


def inverse_of(correlation: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The inverse of a correlation matrix by Cholesky, upper triangle only.

    ``None`` where the matrix is not positive definite.
    """
    # LAPACK reads by columns: the lower triangle of the transpose is our upper one, row by row.
    factor, failed = dpotrf(correlation.copy().T, lower=1, overwrite_a=1, clean=0)
    if failed:
        return None
    inverse, failed = dpotri(factor, lower=1, overwrite_c=1)
    return None if failed else np.asarray(inverse.T)


def residual(matrix: NDArray[np.float64], block: NDArray[np.int64], rest: NDArray[np.int64]) -> NDArray[np.float64]:
    """What is left of a block when the rest is swept out of a positive definite matrix, of which the upper triangle is read.

    Of correlations: those of the block given the rest, not scaled. Of their inverse: that of the block
    where the rest is gone.

    Raises
    ------
    numpy.linalg.LinAlgError
        The rest is singular.

    """
    within, across = symmetric_block(matrix, block, block), symmetric_block(matrix, rest, block)
    if len(rest):
        factor, failed = dpotrf(symmetric_block(matrix, rest, rest), lower=1, overwrite_a=1, clean=0)
        if failed:
            raise np.linalg.LinAlgError
        across = solve_triangular(factor, across, lower=True, check_finite=False)
        within = within - across.T @ across
    return (within + within.T) / 2


def check_correlation(
    correlation: NDArray[np.float64], inverse: NDArray[np.float64] | None, labels: tuple[str, ...], n_samples: int
) -> None:
    """Refuse columns that repeat or determine each other: independence given a copy says nothing.

    With no more rows than columns every column is determined by the rest whatever it holds, so
    only copies are looked for then.
    """
    left = None if inverse is None else 1.0 / inverse.diagonal()
    if left is not None and np.isfinite(left).all() and (left > COLLINEAR).all():
        return
    refuse_copies(_copies(correlation), labels)
    if n_samples > len(labels) + 1:
        involved = _determined_columns(correlation)
        named = ", ".join(repr(labels[i]) for i in involved[:8]) + (" …" if len(involved) > 8 else "")
        raise InvalidData(f"the columns {named} are perfectly collinear: one is a linear combination of the others. Drop one of them.")


def refuse_copies(pairs: Iterable[tuple[int, int]], labels: tuple[str, ...]) -> None:
    """Name the first pair of columns that are copies of each other."""
    for a, b in pairs:
        raise InvalidData(f"the columns {labels[a]!r} and {labels[b]!r} are copies of each other (correlation ±1). Drop one of them.")


def standardised_rows(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The columns as rows of mean 0 and length 1: their products are correlations."""
    rows = np.array(values.T, order="C")
    _, exponent = np.frexp(np.abs(rows).max(axis=1))
    rows = np.asarray(np.ldexp(rows, -exponent[:, None]), dtype=np.float64)  # near 1, so that no square over- or underflows
    rows -= rows.mean(axis=1, keepdims=True)
    rows /= np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    rows.setflags(write=False)
    return np.asarray(rows)


def _copies(correlation: NDArray[np.float64]) -> Iterator[tuple[int, int]]:
    """Pairs of columns that are copies of each other, row by row, so that no second matrix is made."""
    for a, row in enumerate(correlation):
        for b in np.flatnonzero(np.abs(row[a + 1 :]) > 1 - 1e-12).tolist():
            yield a, a + 1 + b


def _determined_columns(correlation: NDArray[np.float64]) -> list[int]:
    """The columns of one linear dependence.

    They are one that a Cholesky factorisation leaves over, and those that it is made of.
    """
    factor, pivots, rank, _ = dpstrf(correlation, tol=COLLINEAR)
    if rank == len(correlation):
        rank -= 1  # the last one is nearly determined
    weight = solve_triangular(factor[:rank, :rank], factor[:rank, rank])
    target, others = int(pivots[rank]) - 1, [int(pivots[i]) - 1 for i in range(rank)]
    return sorted([*needed(correlation, target, others, weight), target])
