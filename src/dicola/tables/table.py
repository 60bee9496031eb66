"""The table that every test starts from, made from whatever table the user holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from dicola.allowed import NAMES, check, checked, instance
from dicola.errors import InvalidData, InvalidSetting, counted
from dicola.graphs.marks import listed
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
        What each label is, by its type: "continuous", "binary" (yes or no), "nominal" (text,
        categories), "ordered" (categories with an order) or "date"; in a table that was
        ``understood``, by its values too.
    levels : tuple of tuples of str
        For each label its levels, where it has any.
    points : tuple of tuples of float
        For each label the numbers behind its levels, where they are numbers.
    is_understood : bool
        Do the kinds go by the values as well?

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
    points: tuple[tuple[float, ...], ...]
    is_understood: bool = False

    @classmethod
    def from_frame(cls, frame: pd.DataFrame) -> Table:
        """Take a DataFrame whose columns are numbers, text or categories.

        Parameters
        ----------
        frame : DataFrame
            Columns of bools are binary; text and categories are nominal, or ordered where the
            categories are; text that reads as numbers throughout is taken as numbers.

        Raises
        ------
        InvalidData
            Where names repeat or are empty, or a column has another type, such as complex numbers.

        """
        check("frame", frame, instance(pd.DataFrame))
        names = distinct_names(frame.columns)
        order = name_order(names)
        if frame.shape[1] and (block := _one_block_of_floats(frame)) is not None:
            return cls._of_numbers(block.T[order].T, names, order)
        columns = [column for _, column in frame.items()]
        return cls.of_columns([column_of(columns[i], names[i]) for i in order], names, n_rows=len(frame))

    @classmethod
    def of_columns(cls, columns: Sequence[Column], names: tuple[str, ...], *, n_rows: int, is_understood: bool = False) -> Table:
        """Columns put together.

        Parameters
        ----------
        columns : sequence of Column
            In the fixed order of their names.
        names : tuple of str
            The same names in the user's order.
        n_rows : int
            How many values each column has.
        is_understood : bool
            Do their kinds go by their values?

        """
        values = np.empty((n_rows, len(columns)), dtype=np.float64, order="F")
        for target, column in enumerate(columns):
            values[:, target] = column.values
        values.setflags(write=False)
        labels, kinds, levels, points = (tuple(getattr(each, part) for each in columns) for part in ("name", "kind", "levels", "points"))
        return cls(values, labels, names, kinds, levels, points, is_understood)

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
        nothing = ((),) * len(order)
        return cls(values, tuple(names[i] for i in order), names, (kind,) * len(order), nothing, nothing)

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.values.shape[0])

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns in the order of ``labels``, as views of ``values``."""
        return tuple(map(Column, self.labels, self.kinds, self.values.T, self.levels, self.points))

    @checked()
    def understood(self, kinds: Mapping[str, Kind] | None = None, missing_values: Iterable[object] = ()) -> Table:
        """The same table with kinds that go by the values too: what a test for mixed columns takes.

        Numbers that take few values become ordered, nominal or binary; two levels become binary;
        levels that no row has are dropped; markers such as ``?`` and rare words among numbers
        become gaps. The rules stand in :mod:`dicola.tables.kinds`. Nothing is left out here, so
        there may be columns of the kinds constant, identifier, date and text.

        Parameters
        ----------
        kinds : dict, optional
            The kinds of some columns by name, where the rules are not to decide.
        missing_values : iterable, optional
            Values that stand for gaps, such as -999.

        """
        from dicola.tables.kinds import understood

        return self if self.is_understood else understood(self, kinds or {}, tuple(missing_values))[0]

    def with_columns(self, columns: Sequence[Column], *, is_understood: bool = True) -> Table:
        """The same table with other columns of the same names.

        Parameters
        ----------
        columns : sequence of Column
            Each in the place of the old one.
        is_understood : bool
            Do their kinds go by their values?

        """
        if not all(new.values is old.values for new, old in zip(columns, self.columns, strict=True)):
            return Table.of_columns(columns, self.names, n_rows=self.n_samples, is_understood=is_understood)
        kinds, levels, points = (tuple(getattr(each, part) for each in columns) for part in ("kind", "levels", "points"))
        return replace(self, kinds=kinds, levels=levels, points=points, is_understood=is_understood)

    def coded_as(self, columns: Sequence[Column]) -> Table:
        """The same table with its words numbered as in some columns of the same kinds, name by name.

        A word that does not occur there is a gap.

        Parameters
        ----------
        columns : sequence of Column
            One per column of this table, in its fixed order.

        """
        return self.with_columns([_coded_as(own, other) for own, other in zip(self.columns, columns, strict=True)])

    def choose(self, names: Iterable[str]) -> Table:
        """The same table with some of its columns, in the order of the names given.

        Parameters
        ----------
        names : iterable of str
            Names of columns.

        """
        check("names", names, NAMES)
        chosen = tuple(map(str, names))
        if unknown := [name for name in chosen if name not in self.labels]:
            raise InvalidData(f"the table has no column {listed(unknown)}. Its columns: {listed(self.names)}.")
        if set(chosen) == set(self.names):
            return replace(self, names=chosen)
        place = {label: i for i, label in enumerate(self.labels)}
        kept = sorted(place[name] for name in chosen)
        values = np.take(self.values.T, kept, axis=0).T
        values.setflags(write=False)
        labels, kinds, levels, points = (tuple(part[i] for i in kept) for part in (self.labels, self.kinds, self.levels, self.points))
        return Table(values, labels, chosen, kinds, levels, points, self.is_understood)  # type: ignore[arg-type]

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

        Words and categories come as categories, numbers as numbers, binary ones as 1 and 0.
        """
        frame = pd.DataFrame(self.values, columns=list(self.labels))[list(self.names)]
        if not any(self.levels):
            return frame
        levelled = [column for column in self.columns if column.levels and not column.points]
        return frame.assign(**{c.name: pd.Categorical.from_codes(c.codes, pd.Index(c.levels), c.kind == "ordered") for c in levelled})

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
    if callable(getattr(data, "get_columns", None)) and any(hasattr(each.dtype, "categories") for each in data.get_columns()):
        return Table.from_frame(_with_categories(data))
    if callable(to_numpy) and all(isinstance(name, str) for name in names):
        return Table.from_array(to_numpy(), names)
    if callable(to_pandas) and isinstance(frame := to_pandas(), pd.DataFrame):
        return Table.from_frame(frame)
    return None


def _coded_as(column: Column, other: Column) -> Column:
    if not other.levels or other.points:
        return replace(column, kind=other.kind) if column.is_numeric else column
    place = {level: float(code) for code, level in enumerate(other.levels)}
    codes = np.array([*(place.get(level, np.nan) for level in column.levels), np.nan])
    return replace(other, name=column.name, values=codes[column.codes] if column.levels else np.full(len(column.values), np.nan))


def _with_categories(data: Any) -> pd.DataFrame:
    """A polars frame in which some columns have categories; those of an Enum have an order."""
    columns: dict[str, Any] = {}
    for column in data.get_columns():
        is_enum = type(column.dtype).__name__ == "Enum"
        columns[column.name] = pd.Categorical(column.to_list(), list(column.dtype.categories), True) if is_enum else column.to_numpy()
    return pd.DataFrame(columns)


def _one_block_of_floats(frame: pd.DataFrame) -> NDArray[np.float64] | None:
    """The numbers, where they can be seen without a copy."""
    if not all(dtype == np.float64 for dtype in frame.dtypes):
        return None
    first, block = frame[frame.columns[0]].to_numpy()[:1], frame.to_numpy()
    return block if np.shares_memory(first, block[:1, :1]) else None


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
