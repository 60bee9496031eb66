"""Means and covariances of rows that come in blocks: a table that does not fit into memory needs no more than variables² numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits

from dicola.allowed import NAMES_OR_NONE, checked
from dicola.errors import InvalidData, counted
from dicola.graphs.marks import listed
from dicola.tables.checks import numeric_matrix
from dicola.tables.names import distinct_names
from dicola.tables.streams import blocks_of
from dicola.tables.table import as_table

Item = TypeVar("Item")
_AT_ONCE, _TILE = 10_000, 4096  # rows whose products are made in one call, and those of a tile
_FEW = 1000  # columns whose products are made by one thread, beside the one that reads
_CELLS = 1 << 20  # numbers of a block that are worked on together, so that they stay near the processor


class Moments:
    """Means and covariances, from block after block of rows.

    Each block is taken relative to the mean so far, so that no digits are lost where means are
    large beside the spread. With the result a graph is learned, and again when rows have come.

    Parameters
    ----------
    names : iterable of str, optional
        Names of the columns; by default those of the first rows.

    Attributes
    ----------
    names : tuple of str
        Names of the columns; none before the first rows.
    rows : int
        The number of rows.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> moments = Moments()
    >>> for part in range(10):
    ...     a, c = rng.normal(size=(2, 500))
    ...     moments = moments.partial_fit({"A": a, "B": a + c + rng.normal(size=500), "C": c})
    >>> moments
    Moments(3 columns, 5000 rows)
    >>> from dicola import FisherZ, discover
    >>> print(discover(FisherZ.from_covariance(moments.covariance, moments.n_samples)).pag)
    A o-> B
    C o-> B

    """

    def __init__(self, names: Iterable[object] | None = None) -> None:
        self.rows = 0
        self._weight = self._squares = 0.0  # the sums of weights and of their squares
        self._begin(() if names is None else distinct_names(names))

    def _begin(self, names: tuple[str, ...]) -> None:
        self.names = names
        # A mean is kept as a rough one and the rest, which has the digits that the rough one has no room for.
        self._rough, self._rest = np.zeros(len(names)), np.zeros(len(names))
        self._products = np.zeros((len(names), len(names)))

    def __repr__(self) -> str:
        return f"Moments({counted(len(self.names), 'column')}, {counted(self.rows, 'row')})"

    @classmethod
    @checked(columns=NAMES_OR_NONE)
    def of_file(cls, path: str | Path, columns: Iterable[str] | None = None) -> Moments:
        """Those of a file, or of all files in a folder, read block by block.

        Parameters
        ----------
        path : str or Path
            A Parquet or text file (CSV, TSV, packed or not), or a folder of such files with the
            same columns: then all of them, by name.
        columns : iterable of str, optional
            Those to read; by default all.

        Raises
        ------
        InvalidData
            A file cannot be read, lacks a column, or holds what is no number.
        MissingExtra
            Parquet needs pyarrow.

        """
        moments = cls(columns)
        with ExitStack() as held:
            for block in _ahead(blocks_of(path, moments.names)):
                if not moments.rows and len(block.names) <= _FEW:  # of so few, threads of linear algebra wait more than they work
                    held.enter_context(threadpool_limits(1, user_api="blas"))
                moments._take_names(block.names)
                moments._add(dict(zip(block.names, block.columns, strict=True)), None)
        return moments

    def partial_fit(self, rows: Any, weights: ArrayLike | None = None) -> Self:
        """Take more rows in.

        Parameters
        ----------
        rows : DataFrame, array, dict or Table
            Numbers without gaps; with names, the same as before in any order.
        weights : array of float, optional
            How much each row counts, 0 or more; by default all the same.

        Raises
        ------
        InvalidData
            There are other columns, gaps or texts, or weights that are none.

        """
        table = as_table(rows)
        self._take_names(table.names)
        values = numeric_matrix(table)
        many = None if weights is None else _checked_weights(weights, table.n_samples)
        self._add(dict(zip(table.labels, values.T, strict=True)), many)
        return self

    def merged(self, other: Moments) -> Moments:
        """Those of all rows of both, such as of two parts of a table that two machines have read.

        Parameters
        ----------
        other : Moments
            Of the same columns in the same order.

        """
        if not isinstance(other, Moments):
            raise InvalidData(f"Moments are merged with Moments, not with a {type(other).__name__}.")
        if self.names != other.names:
            raise InvalidData(f"the columns are not the same: {listed(self.names)} here, {listed(other.names)} there.")
        both = Moments(self.names)
        both._rough = self._rough if self.rows else other._rough
        for each in (self, other):
            both._merge(each.rows, each._weight, each._squares, each._rough - both._rough + each._rest, each._products)
        return both

    @property
    def n_samples(self) -> int:
        """The number of rows; with weights, of as many equal ones as tell as much: (Σw)² / Σw²."""
        return int(self._weight**2 / self._squares + 1e-9) if self.rows else 0

    @property
    def means(self) -> pd.Series:
        """The means of the columns."""
        return pd.Series(self._rough + self._rest, index=list(self.names))

    @property
    def covariance(self) -> pd.DataFrame:
        """The covariance matrix; its divisor is the number of rows less 1, with weights Σw - Σw² / Σw."""
        if self.n_samples < 2:
            raise InvalidData(f"a covariance needs at least 2 rows, and there {'is 1' if self.rows else 'are none'}.")
        divisor = self._weight - self._squares / self._weight
        return pd.DataFrame(self._products / divisor, index=list(self.names), columns=list(self.names))

    def _take_names(self, names: tuple[str, ...]) -> None:
        if not self.names:
            self._begin(names)
        elif set(names) != set(self.names):
            lacks, more = sorted(set(self.names) - set(names)), sorted(set(names) - set(self.names))
            told = [f"{what} {listed(tuple(which))}" for what, which in (("lacks", lacks), ("has besides", more)) if which]
            raise InvalidData(f"each block needs the columns of the first; this one {' and '.join(told)}.")

    def _add(self, by_name: dict[str, NDArray[np.float64]], weights: NDArray[np.float64] | None) -> None:
        """Take in columns, some rows at a time."""
        columns = [by_name[name] for name in self.names]
        rows = len(columns[0])
        step = max(1, _CELLS // max(1, len(columns)))
        for begin in range(0, rows, step):
            end = min(rows, begin + step)
            some = weights if weights is None else weights[begin:end]
            if not self.rows:
                self._rough = np.array([column[begin:end].mean() for column in columns])
            shift = self._rough + self._rest
            block = np.empty((len(columns), end - begin))
            for row, column, mean in zip(block, columns, shift.tolist(), strict=True):
                np.subtract(column[begin:end], mean, out=row)
            if some is None:
                weight = squares = float(end - begin)
                away = block.sum(axis=1)
            else:
                weight, squares = float(some.sum()), float(some @ some)
                away = block @ some
                block *= np.sqrt(some)
            if not weight:
                continue
            away /= weight
            products = products_of(block)
            products -= np.outer(weight * away, away)
            self._merge(end - begin, weight, squares, away + (shift - self._rough), products)

    def _merge(self, rows: int, weight: float, squares: float, rest: NDArray[np.float64], products: NDArray[np.float64]) -> None:
        """Take in a block by its means, less the rough ones, and its products around its means (Chan, Golub and LeVeque 1979)."""
        total = self._weight + weight
        if not total:
            return
        if not np.isfinite(products).all():
            raise InvalidData("some numbers are missing, infinite or too large to be squared; leave out their rows or columns.")
        away = rest - self._rest
        self._products += products
        self._products += np.outer(away * (self._weight * weight / total), away)
        self._rest = self._rest + away * (weight / total)
        self.rows += rows
        self._weight, self._squares = total, self._squares + squares


def products_of(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The products of all rows with each other; beyond ten thousand by tiles, since OpenBLAS in several threads dies of more at once."""
    n = len(rows)
    if n <= _AT_ONCE:
        return np.asarray(rows @ rows.T)
    found = np.empty((n, n))
    for a in range(0, n, _TILE):
        for b in range(a, n, _TILE):
            found[a : a + _TILE, b : b + _TILE] = tile = rows[a : a + _TILE] @ rows[b : b + _TILE].T
            found[b : b + _TILE, a : a + _TILE] = tile.T
    return found


def _checked_weights(weights: ArrayLike, rows: int) -> NDArray[np.float64]:
    try:
        found = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidData("weights are numbers, one for each row.") from None
    if found.shape != (rows,):
        raise InvalidData(f"there are {counted(rows, 'row')} and weights of shape {found.shape}; each row needs one.")
    if not (np.isfinite(found).all() and (found >= 0).all()):
        raise InvalidData("a weight is negative or no number; each must be 0 or more.")
    return found


def _ahead(items: Iterator[Item]) -> Iterator[Item]:
    """The same items, the next of which is made while one is worked on."""
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = reader.submit(next, items, None)
            yield item
