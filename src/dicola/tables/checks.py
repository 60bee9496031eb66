"""What a test may ask of a table before it uses it, each with the sentence that refuses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dicola.errors import InvalidData, counted
from dicola.tables.columns import first_text
from dicola.tables.table import Table


def numeric_matrix(table: Table, *, gaps: bool = False) -> NDArray[np.float64]:
    """The values of a table of numbers without gaps and constants: what correlations need.

    Parameters
    ----------
    table : Table
        The table.
    gaps : bool
        Let gaps in, but not infinities.

    Raises
    ------
    InvalidData
        Where there are text, gaps, constants, fewer than two columns or no rows.

    """
    check_numbers(table)
    check_shape(table)
    check_gaps(table, allowed=gaps)
    check_constants(table)
    return table.values


def check_numbers(table: Table) -> None:
    """Refuse words, categories and dates; the first such column is named."""
    if table.kinds.count("continuous") == len(table.kinds):
        return
    column = next((each for each in table.columns if not each.is_numeric), None)
    if column is None:
        return
    text = None if column.kind == "date" else first_text(column)
    of_type = "date" if column.kind == "date" else "category"
    what = f"has the type {of_type}" if text is None else f"holds text ({text[1]!r} in row {text[0] + 1})"
    raise InvalidData(f"column {column.name!r} {what}; numbers are needed. Encode the column or drop it.")


def check_shape(table: Table) -> None:
    """Refuse fewer than two columns, and no rows."""
    columns = len(table.labels)
    if columns < 2:
        raise InvalidData(f"the table has {counted(columns, 'column')}; looking for causes needs at least two.")
    if table.n_samples == 0:
        raise InvalidData("the table has no rows.")


def check_gaps(table: Table, *, allowed: bool = False) -> None:
    """Refuse missing and infinite values; the columns are named with how many they have.

    Parameters
    ----------
    table : Table
        The table.
    allowed : bool
        Refuse infinities only.

    """
    values, labels = table.values, table.labels
    with np.errstate(all="ignore"):
        if np.isfinite(values.sum()) or np.isfinite(values).all():  # a finite sum has finite terms
            return
    for what, bad in (("missing", np.isnan(values)), ("infinite", np.isinf(values))):
        counts = bad.sum(axis=0)
        if counts.any() and not (allowed and what == "missing"):
            named = ", ".join(f"{labels[i]!r} ({int(counts[i])})" for i in np.nonzero(counts)[0][:5])
            more = "" if (counts > 0).sum() <= 5 else f" and {counted(int((counts > 0).sum()) - 5, 'more column')}"
            raise InvalidData(
                f"there are {what} values in {named}{more}. Drop or fill these rows or columns first; NaN and inf cannot be used."
            )


def check_constants(table: Table) -> None:
    """Refuse a column that has the same value in every row."""
    values = table.values
    with np.errstate(invalid="ignore"):
        suspects = np.nonzero((values[0] == values[-1]) | np.isnan(values[0] + values[-1]))[0]
    for column in suspects:
        present = values[~np.isnan(values[:, column]), column]
        if len(present) == 0 or (present == present[0]).all():
            raise InvalidData(f"column {table.labels[column]!r} is constant: it can have no cause or effect here. Drop it.")
