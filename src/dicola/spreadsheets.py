"""Tables for spreadsheets: a cell that begins like a formula would be run as one when the file is opened."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    import pandas as pd

_FORMULA: Final = re.compile("'*[=+\\-@\t\r\n]")


def harmless(cell: str) -> str:
    """The text with an apostrophe before it where a spreadsheet would take it for a formula.

    Spreadsheets run cells that begin with ``=``, ``+``, ``-`` or ``@``, also after a tab or a new
    line. A text that begins with apostrophes before one of these gets one more, so that
    :func:`as_named` leads back from every text.

    >>> harmless("=HYPERLINK(1)"), harmless("income"), harmless("'=1")
    ("'=HYPERLINK(1)", 'income', "''=1")
    """
    return f"'{cell}" if _FORMULA.match(cell) else cell


def as_named(cell: str) -> str:
    """The text that :func:`harmless` was given.

    >>> as_named("'=HYPERLINK(1)"), as_named("income"), as_named("'tis")
    ('=HYPERLINK(1)', 'income', "'tis")
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def harmless_csv(table: pd.DataFrame, columns: Iterable[str]) -> str:
    """A table as CSV, with :func:`harmless` texts in the columns that hold names; gaps stay gaps.

    A name with a carriage return alone has all texts quoted: otherwise a spreadsheet would begin a row there, with any formula.
    """
    named = {name: [harmless(cell) if isinstance(cell, str) else cell for cell in table[name]] for name in columns}
    splits = any(isinstance(cell, str) and "\r" in cell for cells in named.values() for cell in cells)
    quoted: Literal[0, 2] = csv.QUOTE_NONNUMERIC if splits else csv.QUOTE_MINIMAL
    return str(table.assign(**named).to_csv(index=False, lineterminator="\n", quoting=quoted))
