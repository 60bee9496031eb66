"""The table that every test starts from, made from whatever table the user holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from dicola.errors import InvalidData, InvalidSetting, counted
from dicola.tables.columns import Column, Kind, column_of
from dicola.tables.names import distinct_names, name_order, named_or_positions

_DENSE = 1 << 30  # entries of a sparse matrix up to which it is filled in: 8 GB of numbers


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of kinds, in the fixed order of their names; nothing in it can be changed.

    Gaps, constants and text are let in: what a test cannot use, that test refuses
    (:mod:`dicola.tables.checks`). ``Dataset`` is another name for it.

    Parameters
    ----------
    values : array of float64
        One column per variable in the order of ``labels``, each lying together in memory. NaN
        is a gap. A nominal column has the positions of its levels here.
    labels : tuple of str
        The names in the fixed order in which the library works.
    names : tuple of str
        The names in the user's order.
    kinds : tuple of str
        What each label is: "continuous", "binary" (yes or no) or "nominal" (text, categories).
    levels : tuple of tuples of str
        For each label its levels, if it is nominal.

    Examples
    --------
    >>> table = Table.from_frame(pd.DataFrame({"X10": [1.5, 2.5, 4.0], "X9": ["low", "high", "low"]}))
    >>> table.labels, table.kinds
    (('X9', 'X10'), ('nominal', 'continuous'))
    >>> table.rows([2, 2]).to_frame()
       X10   X9
    0  4.0  low
    1  4.0  low

    """

    values: NDArray[np.float64]
    labels: tuple[str, ...]
    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    levels: tuple[tuple[str, ...], ...]

    @classmethod
    def from_frame(cls, frame: pd.DataFrame) -> Table:
        """Take a DataFrame whose columns are numbers, text or categories.

        Parameters
        ----------
        frame : DataFrame
            Columns of bools are binary; text and categories are nominal; text that reads as
            numbers throughout is taken as numbers.

        Raises
        ------
        InvalidData
            Where names repeat or are empty, or a column has another type, such as dates.

        """
        names = distinct_names(frame.columns)
        order = name_order(names)
        if frame.shape[1] and _is_one_block_of_floats(frame):
            return cls._of_numbers(frame.to_numpy().T[order].T, names, order)
        values = np.empty((len(frame), len(names)), dtype=np.float64, order="F")
        kinds, levels = [], []
        for target, source in enumerate(order):
            column = column_of(frame.iloc[:, source], names[source])
            values[:, target] = column.values  # noqa: PD011
            kinds.append(column.kind)
            levels.append(column.levels)
        values.setflags(write=False)
        return cls(values, tuple(names[i] for i in order), names, tuple(kinds), tuple(levels))

    @classmethod
    def from_array(cls, array: ArrayLike | Any, names: Iterable[object] | None = None) -> Table:
        """Take a two-dimensional array, a list of rows or a SciPy sparse matrix.

        Parameters
        ----------
        array : array
            Rows and columns. Masked entries are gaps.
        names : iterable, optional
            The names of the columns; without them X1, X2, … by position.

        Raises
        ------
        InvalidData
            Where the array has other than two dimensions, or other than one name per column.

        """
        values = _as_array(array)
        if values.ndim != 2:
            raise InvalidData(f"a table has two dimensions (rows, columns); this array has shape {values.shape}.")
        columns = named_or_positions(names, values.shape[1])
        if values.dtype.kind not in "biuf":
            return cls.from_frame(pd.DataFrame(values, columns=columns))
        distinct = distinct_names(columns)
        order = name_order(distinct)
        kind: Kind = "binary" if values.dtype.kind == "b" else "continuous"
        return cls._of_numbers(np.array(values.T[order], dtype=np.float64, order="C").T, distinct, order, kind)

    @classmethod
    def _of_numbers(cls, values: NDArray[np.float64], names: tuple[str, ...], order: list[int], kind: Kind = "continuous") -> Table:
        values.setflags(write=False)
        return cls(values, tuple(names[i] for i in order), names, (kind,) * len(order), ((),) * len(order))

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.values.shape[0])

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns in the order of ``labels``, as views of ``values``."""
        return tuple(map(Column, self.labels, self.kinds, self.values.T, self.levels))

    def rows(self, index: ArrayLike) -> Table:
        """The same columns with a choice of rows, as a bootstrap or a fold needs it.

        Parameters
        ----------
        index : array of int or bool
            Positions of rows in any order, repeats allowed, or a mask with one entry per row.

        Raises
        ------
        InvalidSetting
            Where a position is not in the table or the mask has another length.

        """
        values = np.take(self.values.T, _positions(index, self.n_samples), axis=1).T
        values.setflags(write=False)
        return replace(self, values=values)

    def to_frame(self) -> pd.DataFrame:
        """The table in the user's column order.

        Nominal columns come as categories, binary ones as 1 and 0.
        """
        frame = pd.DataFrame(self.values, columns=list(self.labels))[list(self.names)]
        if "nominal" not in self.kinds:
            return frame
        nominal = [column for column in self.columns if column.kind == "nominal"]
        return frame.assign(**{c.name: pd.Categorical.from_codes(c.codes, pd.Index(c.levels)) for c in nominal})

    def __repr__(self) -> str:
        return f"<Table: {counted(self.n_samples, 'row')}, {counted(len(self.names), 'column')}>"


Dataset = Table


def as_table(data: Table | pd.DataFrame | Mapping[Any, Any] | ArrayLike | Any) -> Table:
    """A Table from whatever table the user holds.

    Parameters
    ----------
    data : Table, DataFrame, dict, array, list of rows or sparse matrix
        A dict has a column per name. A table of another library (polars, also lazy, or pyarrow)
        keeps its names.

    Raises
    ------
    InvalidData
        Where it is no table, with the reason.

    """
    if isinstance(data, Table):
        return data
    if isinstance(data, pd.DataFrame):
        return Table.from_frame(data)
    if isinstance(data, str | Path):
        raise InvalidData(f"{str(data)!r} is a path, not a table; read it first with dicola.read_table.")
    if isinstance(data, Mapping) and not hasattr(data, "toarray"):  # SciPy's dok_array is a dict too
        return Table.from_frame(_frame_of(data))
    return _foreign_frame(data) or Table.from_array(data)


def _frame_of(columns: Mapping[Any, Any]) -> pd.DataFrame:
    try:
        return pd.DataFrame(dict(columns))
    except ValueError:
        raise InvalidData("a dict is a table if every name in it has a column of values, and all columns have the same length.") from None


def _foreign_frame(data: Any) -> Table | None:
    """A table of another library with named columns, such as polars; ``None`` if it is none."""
    to_numpy, to_pandas, collect = (getattr(data, name, None) for name in ("to_numpy", "to_pandas", "collect"))
    if callable(collect) and to_numpy is None and to_pandas is None:
        return _foreign_frame(collect())  # a lazy frame, which only has its values after this
    columns = getattr(data, "columns", None)
    names = list(columns) if isinstance(columns, Iterable) else [None]
    if callable(to_numpy) and all(isinstance(name, str) for name in names):
        return Table.from_array(to_numpy(), names)
    if callable(to_pandas) and isinstance(frame := to_pandas(), pd.DataFrame):
        return Table.from_frame(frame)
    return None


def _is_one_block_of_floats(frame: pd.DataFrame) -> bool:
    """Can the numbers be seen without a copy?"""
    first = frame[frame.columns[0]].to_numpy()[:1]
    return first.dtype == np.float64 and np.shares_memory(first, frame.to_numpy()[:1, :1])


def _as_array(array: Any) -> NDArray[Any]:
    """The entries as NumPy holds them: sparse matrices filled in, masked entries as NaN."""
    if hasattr(array, "toarray"):
        if prod(array.shape) > _DENSE:
            raise InvalidData(
                f"the sparse matrix has shape {array.shape}, too much to fill in unasked. "
                "Choose fewer columns, or call .toarray() on it first."
            )
        array = array.toarray()
    if np.ma.is_masked(array):
        array = array.astype(object).filled(np.nan)
    try:
        return np.asarray(array)
    except ValueError:
        raise InvalidData("the rows of the table have different lengths; every row needs a value for every column.") from None


def _positions(index: ArrayLike, n_rows: int) -> NDArray[np.intp]:
    """The positions of the rows that an index or a mask means, counted from 0."""
    try:
        chosen = np.asarray(index)
        if chosen.ndim == 1:
            return np.arange(n_rows)[chosen if chosen.size else slice(0)]
    except (IndexError, ValueError):
        pass
    raise InvalidSetting(
        f"rows are chosen by a list of whole numbers from 0 to {n_rows - 1}, or by a mask of {n_rows} times true or false."
    )
