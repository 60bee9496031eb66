"""One column of a table: numbers, yes or no, or levels; and what a pandas column is of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_bool_dtype, is_complex_dtype, is_numeric_dtype, is_string_dtype

from dicola.errors import InvalidData

Kind = Literal["continuous", "binary", "nominal"]


@dataclass(frozen=True, eq=False)
class Column:
    """One variable of a table: a value per row, and what the values are.

    Parameters
    ----------
    name : str
        The name of the variable.
    kind : {"continuous", "binary", "nominal"}
        Numbers; yes or no as 1 and 0; or levels without an order, such as words.
    values : array of float64
        One number per row, NaN where it is missing. A nominal column has the position of each
        row's level here.
    levels : tuple of str
        The levels of a nominal column, also those that no row has; empty for the other kinds.

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

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows have no value."""
        return np.isnan(self.values)

    @property
    def codes(self) -> NDArray[np.intp]:
        """The values as whole numbers, -1 where one is missing; refused for a continuous column."""
        if self.kind == "continuous":
            raise InvalidData(f"column {self.name!r} is continuous: its numbers are no codes of levels.")
        return np.where(self.missing, -1.0, self.values).astype(np.intp)


def column_of(series: pd.Series[Any], name: str) -> Column:
    """The kind that a pandas column has by its type, and its values.

    Text that reads as numbers throughout counts as numbers. Types that are neither numbers nor
    levels (dates, complex numbers) are refused.
    """
    if is_bool_dtype(series):
        return _of_numbers(series, name, "binary")
    if is_numeric_dtype(series) and not is_complex_dtype(series):
        return _of_numbers(series, name, "continuous")
    if isinstance(series.dtype, pd.CategoricalDtype):
        return _of_levels(pd.Categorical(series), name)
    if series.dtype != object and not is_string_dtype(series):
        raise InvalidData(f"column {name!r} has the type {series.dtype}; numbers are needed. Encode the column or drop it.")
    numbers = pd.to_numeric(series, errors="coerce")
    if is_complex_dtype(numbers):
        raise InvalidData(f"column {name!r} holds complex numbers; real numbers are needed. Encode the column or drop it.")
    if (numbers.isna() & series.notna()).any():
        return _of_levels(pd.Categorical(series.map(str, na_action="ignore")), name)
    return _of_numbers(numbers, name, "binary" if is_bool_dtype(numbers) else "continuous")


def _of_numbers(series: pd.Series[Any], name: str, kind: Kind) -> Column:
    return Column(name, kind, series.to_numpy(dtype=np.float64, na_value=np.nan))


def _of_levels(levelled: pd.Categorical[Any], name: str) -> Column:
    codes = levelled.codes.astype(np.float64)
    codes[codes < 0] = np.nan
    return Column(name, "nominal", codes, tuple(str(level) for level in levelled.categories))


def first_text(column: Column) -> tuple[int, str] | None:
    """The first row of a nominal column that does not read as a number, and what it holds."""
    codes = column.codes
    is_text = pd.to_numeric(pd.Series(column.levels, dtype=object), errors="coerce").isna()
    rows = np.flatnonzero(np.append(is_text, False)[codes])  # a gap has the code -1 and is no text
    return (int(rows[0]), column.levels[codes[rows[0]]]) if len(rows) else None
