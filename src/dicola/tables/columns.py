"""One column of a table: numbers, grades, yes or no, or levels; and what a pandas column is of these."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_bool_dtype, is_complex_dtype, is_numeric_dtype, is_object_dtype, is_string_dtype

from dicola.errors import InvalidData

Kind = Literal["continuous", "ordered", "nominal", "binary", "constant", "identifier", "date", "text"]
USED: tuple[Kind, ...] = ("continuous", "ordered", "nominal", "binary")
"""The kinds that a test may take; columns of the other kinds tell nothing about causes and are left out."""
KINDS: tuple[Kind, ...] = (*USED, "constant", "identifier", "date", "text")
_MAY_BE_A_NUMBER = re.compile(r"\d|inf", re.IGNORECASE)
_FLOATS: Final = np.dtype(np.float64)
_MICROSECONDS_A_DAY = 86_400_000_000


@dataclass(frozen=True, eq=False)
class Column:
    """One variable of a table: a value per row, and what the values are.

    Parameters
    ----------
    name : str
        The name of the variable.
    kind : str
        "continuous" (numbers), "ordered" (grades), "nominal" (levels without an order, such as
        words) or "binary" (two levels); "constant", "identifier", "date" and "text" are not used.
    values : array of float64
        One number per row, NaN where it is missing. Numbers are kept as they are, whatever their
        kind; words and categories have the position of each row's level here.
    levels : tuple of str
        The levels of words and categories, also those that no row has, and of numbers that were
        found to be grades or levels; empty for the others. Those of an ordered column ascend.
    points : tuple of float
        The number behind each level, ascending, where the levels are numbers; else empty.

    Examples
    --------
    >>> from dicola import Table
    >>> (colour,) = Table.from_frame(pd.DataFrame({"colour": ["red", "blue", None]})).columns
    >>> colour.kind, colour.levels, colour.codes.tolist(), colour.missing.tolist()
    ('nominal', ('blue', 'red'), [1, 0, -1], [False, False, True])

    """

    name: str
    kind: Kind
    values: NDArray[np.float64]
    levels: tuple[str, ...] = ()
    points: tuple[float, ...] = ()

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows have no value."""
        return np.isnan(self.values)

    @property
    def is_numeric(self) -> bool:
        """Are the values numbers that mean something as such? Grades and yes or no are."""
        return bool(self.points) or self.kind in ("ordered", "binary") or (not self.levels and self.kind not in ("nominal", "date"))

    @property
    def codes(self) -> NDArray[np.intp]:
        """The position of each row's level, -1 where one is missing; refused for a continuous column."""
        if self.kind in ("continuous", "date"):
            raise InvalidData(f"column {self.name!r} is continuous: its numbers are no codes of levels.")
        if self.points:
            places = np.searchsorted(np.array(self.points), self.values)
            return np.where(self.missing, -1, places).astype(np.intp)
        return np.where(self.missing, -1.0, self.values).astype(np.intp)


def column_of(series: pd.Series[Any], name: str) -> Column:
    """The kind that a pandas column has by its type, and its values.

    Text that reads as numbers throughout counts as numbers. Dates are days since 1970. Other types,
    such as complex numbers, are refused.
    """
    dtype = series.dtype
    if dtype is _FLOATS:
        return Column(name, "continuous", series.to_numpy())
    if is_object_dtype(dtype) and (texts := _plain_texts(series)) is not None:
        return _of_texts(*texts, name)
    if is_bool_dtype(dtype):
        return _of_numbers(series, name, "binary")
    if is_numeric_dtype(dtype) and not is_complex_dtype(dtype):
        return _of_numbers(series, name, "continuous")
    if isinstance(dtype, pd.CategoricalDtype):
        return _of_levels(pd.Categorical(series), name)
    entries = pd.api.types.infer_dtype(series) if is_object_dtype(dtype) else None
    if getattr(dtype, "kind", "O") in "mM" or entries in ("datetime", "date", "timedelta"):
        return _of_dates(series, name)
    if entries is None and not is_string_dtype(series):
        raise InvalidData(f"column {name!r} has the type {dtype}; numbers are needed. Encode the column or drop it.")
    if (entries or pd.api.types.infer_dtype(series)) == "string":
        return _of_texts(*pd.factorize(series.to_numpy(dtype=object)), name)
    numbers = pd.to_numeric(series, errors="coerce")
    if is_complex_dtype(numbers):
        raise InvalidData(f"column {name!r} holds complex numbers; real numbers are needed. Encode the column or drop it.")
    if (numbers.isna() & series.notna()).any():
        return _of_levels(pd.Categorical(series.map(str, na_action="ignore")), name)
    return _of_numbers(numbers, name, "binary" if is_bool_dtype(numbers) else "continuous")


def _plain_texts(series: pd.Series[Any]) -> tuple[NDArray[np.intp], NDArray[Any]] | None:
    """By row the place of its text, -1 for a gap, and the texts; ``None`` where there is anything else. Each is looked at once."""
    entries = series.to_numpy(dtype=object)
    if not (len(entries) and isinstance(entries[0], str)):
        return None
    try:
        rows, texts = pd.factorize(entries)
    except TypeError:  # something that cannot be compared
        return None
    return (rows, texts) if all(type(text) is str for text in texts) else None


def _of_numbers(series: pd.Series[Any], name: str, kind: Kind) -> Column:
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "biuf":  # no gaps but NaN: nothing to look for
        return Column(name, kind, np.asarray(series, dtype=np.float64))
    return Column(name, kind, series.to_numpy(dtype=np.float64, na_value=np.nan))


def _of_texts(rows: NDArray[np.intp], texts: Iterable[str], name: str) -> Column:
    """A column of texts, each looked at once: by row the place of its text, -1 for a gap."""
    found = list(texts)
    numbers = numbers_in(found)
    if not np.isnan(numbers).any():
        return Column(name, "continuous", np.append(numbers, np.nan)[rows])
    levels = sorted(found)
    places = {text: place for place, text in enumerate(levels)}
    return Column(name, "nominal", np.array([*(places[text] for text in found), np.nan])[rows], tuple(levels))


def numbers_in(texts: Sequence[str]) -> NDArray[np.float64]:
    """The texts as numbers, a gap where one is none; pandas is not asked about plain words.

    >>> numbers_in(["a", "b"]).tolist(), numbers_in(["1e2", "b", "-inf"]).tolist()
    ([nan, nan], [100.0, nan, -inf])
    """
    if not any(map(_MAY_BE_A_NUMBER.search, texts)):
        return np.full(len(texts), np.nan)
    return pd.to_numeric(pd.Series(texts, dtype=object), errors="coerce").to_numpy(dtype=np.float64)


def _of_levels(levelled: pd.Categorical[Any], name: str) -> Column:
    codes = levelled.codes.astype(np.float64)
    codes[codes < 0] = np.nan
    return Column(name, "ordered" if levelled.ordered else "nominal", codes, tuple(str(level) for level in levelled.categories))


def _of_dates(series: pd.Series[Any], name: str) -> Column:
    """Days since 1970, or days that something lasted."""
    if getattr(series.dtype, "kind", "O") == "m" or pd.api.types.infer_dtype(series) == "timedelta":
        days = pd.to_timedelta(series).to_numpy().astype("timedelta64[us]")
    else:
        days = pd.to_datetime(series, utc=True).dt.tz_localize(None).to_numpy().astype("datetime64[us]")
    values = days.astype(np.int64) / _MICROSECONDS_A_DAY
    values[np.isnat(days)] = np.nan
    return Column(name, "date", values)


def first_text(column: Column) -> tuple[int, str] | None:
    """The first row of a nominal column that does not read as a number, and what it holds."""
    codes = column.codes
    is_text = np.isnan(numbers_in(column.levels))
    rows = np.flatnonzero(np.append(is_text, False)[codes])  # a gap has the code -1 and is no text
    return (int(rows[0]), column.levels[codes[rows[0]]]) if len(rows) else None
