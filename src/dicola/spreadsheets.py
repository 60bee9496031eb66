"""Tables for spreadsheets: a cell that begins like a formula would be run as one when the file is opened."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

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


def harmless_table(table: pd.DataFrame, columns: Iterable[str]) -> pd.DataFrame:
    """The table with :func:`harmless` texts in these columns; gaps stay gaps."""
    return table.assign(**{name: [harmless(cell) if isinstance(cell, str) else cell for cell in table[name]] for name in columns})
