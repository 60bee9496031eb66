"""Tables from files: CSV and its like, Excel and Parquet."""

from __future__ import annotations

import re
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from lzma import LZMAError
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import pandas as pd

from dicola.errors import DicolaError, InvalidData, Sentence, counted
from dicola.extras import from_extra
from dicola.files import refuse_unreadable
from dicola.tables.names import distinct_names, named_or_positions
from dicola.tables.table import Table
from dicola.tables.unpacking import TextSource, refuse_grown

PARQUET = (".parquet", ".pq")
_EXCEL = (".xlsx", ".xlsm")
# Raised at files that are not what their ending says; the last two by openpyxl.
_SPOILT = (pd.errors.ParserError, OSError, EOFError, ImportError, ValueError, zlib.error, BadZipFile, LZMAError, KeyError, SyntaxError)


def read_table(path: str | Path, *, header: bool | None = None) -> Table:
    """Read a CSV, TSV, Excel or Parquet file with a header of names.

    In text files, which may be packed with gzip and the like, columns are told apart by comma,
    semicolon or tab, whichever cuts the first line into most parts; ``.tsv`` files by tab. In a
    file with semicolons numbers may have a decimal comma. Of an Excel file the first sheet is
    read. A first column without a name is taken as row labels and left out, and so is an index of
    a Parquet file without one; an index with a name is a column. A pipe such as ``/dev/stdin`` is
    read as text. What unpacks to far more than its size could stand for is refused.

    Text and gaps are read as they are; a test that needs numbers refuses them.

    Parameters
    ----------
    path : str or Path
        The file; its ending says what it is.
    header : bool, optional
        ``False`` reads a file without names and calls its columns X1, X2, …; ``True`` takes the
        first line as names whatever it holds. By default a first line of numbers is refused,
        unless they count the columns.

    Returns
    -------
    Table

    Raises
    ------
    InvalidData
        Where there is no such file, it is a folder, a named pipe or a device, it holds no table of
        at least two columns, or more than can be meant.
    MissingExtra
        Where Parquet needs pyarrow or Excel needs openpyxl.

    """
    if not isinstance(path, str | Path):
        raise InvalidData(f"read_table takes the path of a file, not a {type(path).__name__}.")
    file, shown = Path(path), repr(str(path))
    refuse_unreadable(file, InvalidData)
    if file.suffix.lower() in PARQUET:
        return Table.from_frame(_read_parquet(file))
    source = _workbook(file) if file.suffix.lower() in _EXCEL else TextSource(file)
    separator, columns = first_names(source)
    if header is False:
        columns = named_or_positions(None, len(columns))
    elif header is None and _are_values(columns):
        raise InvalidData(
            Sentence(
                "the first line of {shown} holds numbers where the names of the columns should stand. "
                "If the file has no header, read it with {header=False}; if these are the names, with {header=True}.",
                shown=shown,
            )
        )
    frame = _read_rows(source, separator, has_header=header is not False)
    if frame.shape[1] != len(columns):
        raise InvalidData(f"{shown} has {counted(len(columns), 'name')} in its header but {counted(frame.shape[1], 'column')} below it.")
    if len(columns) == 1:
        how = ", told apart by commas, semicolons or tabs" if separator else ""
        raise InvalidData(f"{shown} has 1 column; looking for causes needs at least two{how}.")
    if not columns[0].strip():
        frame, columns = frame.iloc[:, 1:], columns[1:]
    distinct_names(columns)
    frame.columns = pd.Index(columns)
    return Table.from_frame(_with_decimal_points(frame) if separator == ";" else frame)


def _workbook(file: Path) -> Path:
    """An Excel file, which is packed XML, if it unpacks to what its size could stand for."""
    from_extra("openpyxl", "openpyxl")
    with readable(file), ZipFile(file) as packed:
        refuse_grown(file, sum(part.file_size for part in packed.infolist()))
    return file


def first_names(source: TextSource | Path) -> tuple[str, list[str]]:
    """The separator of the file, none for Excel, and the entries of its first line."""
    as_text: dict[str, Any] = {"header": None, "nrows": 1, "dtype": str, "keep_default_na": False}
    if isinstance(source, Path):
        with readable(source):
            return "", _entries(pd.read_excel(source, **as_text))
    file, lines = source.file, {}
    for sep in (",", ";", "\t"):
        with readable(file), source.open() as stream:
            lines[sep] = _entries(pd.read_csv(stream, sep=sep, encoding="utf-8-sig", **as_text))
    tabs = file.name.lower().removesuffix(".gz").endswith(".tsv") and len(lines["\t"]) > 1
    separator = "\t" if tabs else max(lines, key=lambda sep: len(lines[sep]))
    return separator, lines[separator]


def _entries(line: pd.DataFrame) -> list[str]:
    return [str(entry) for entry in _filled(line).iloc[0]]


def _filled(frame: pd.DataFrame) -> pd.DataFrame:
    if frame.empty:  # so pandas hands over an empty sheet; for an empty text it raises this itself
        raise pd.errors.EmptyDataError
    return frame


def _are_values(columns: list[str]) -> bool:
    """Does a first line look like a row of the table?

    Whole numbers may be names, if they count the columns from 0 or 1.
    """
    names = [name.strip() for name in columns]
    if any(re.fullmatch(r"[+-]?(\d+[.,]\d*|[.,]\d+|\d+([.,]\d*)?[eE][+-]?\d+)", name) for name in names):
        return True
    names = names[1:] if names and not names[0] else names
    counted = [[str(i + start) for i in range(len(names))] for start in (0, 1)]
    return bool(names) and all(re.fullmatch(r"[+-]?\d+", name) for name in names) and names not in counted


def _read_rows(source: TextSource | Path, separator: str, has_header: bool) -> pd.DataFrame:
    header = 0 if has_header else None
    if isinstance(source, Path):
        with readable(source):
            return _filled(pd.read_excel(source, header=header).dropna(how="all"))
    with readable(source.file), source.open() as stream, warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        return _filled(pd.read_csv(stream, sep=separator, header=header, index_col=False, encoding="utf-8-sig", low_memory=False))


@contextmanager
def readable(file: Path) -> Iterator[None]:
    """Turn what can go wrong in reading a file into a sentence."""
    shown = repr(str(file))
    try:
        yield
    except pd.errors.EmptyDataError:
        raise InvalidData(f"{shown} is empty or has no rows below its header; a header and rows of numbers are needed.") from None
    except pd.errors.ParserWarning:
        raise InvalidData(f"{shown} has rows that are longer than its header; every row needs one value for every name.") from None
    except DicolaError:
        raise
    except _SPOILT as error:
        raise InvalidData(f"{shown} could not be read as a table: {str(error).strip()}.") from None


def _with_decimal_points(frame: pd.DataFrame) -> pd.DataFrame:
    """Columns of numbers with a decimal comma, as numbers."""
    comma = re.compile(r"\s*[+-]?(\d+(,\d*)?|,\d+)([eE][+-]?\d+)?\s*")
    for name, column in frame.select_dtypes(exclude=["number", "bool"]).items():
        if all(comma.fullmatch(str(value)) for value in column.dropna()):
            frame[name] = column.str.replace(",", ".", regex=False)
    return frame


def _read_parquet(file: Path) -> pd.DataFrame:
    parquet = from_extra("pyarrow.parquet", "pyarrow")
    with readable(file):
        size = parquet.read_metadata(file)
        refuse_grown(file, size.num_rows * size.num_columns * 8)
        return _with_named_index(pd.read_parquet(file))


def _with_named_index(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with what its index calls by a name as first columns, where a CSV would have them."""
    named = [level for level, name in enumerate(frame.index.names) if name is not None]
    return frame.reset_index(level=named) if named else frame
