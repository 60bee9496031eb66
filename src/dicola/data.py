"""Tables at the door: read, check, and put the columns into their fixed order.

The library works on columns sorted by name, before any sum is taken, so that permuting a named table changes nothing, not even
rounding. Answers go back in the user's order.
"""

from __future__ import annotations

import re
import warnings
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from lzma import LZMAError
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpotrf, dpotri, dpstrf

from dicola.errors import InvalidData, MissingExtra

COLLINEAR = 1e-9  # share of a column's variance left when all others are known, below which it counts as determined by them


_RUNS_OF_DIGITS = re.compile(r"([0-9]+)")


def name_order(names: Sequence[str]) -> list[int]:
    """Positions of the names in the fixed order: numbers inside a name count as numbers, so X2 comes before X10."""
    known: dict[str, tuple[bool, int, str]] = {}
    keys = [([known.get(p) or known.setdefault(p, _piece(p)) for p in _RUNS_OF_DIGITS.split(name)], name) for name in names]
    return sorted(range(len(names)), key=keys.__getitem__)


def _piece(part: str) -> tuple[bool, int, str]:
    """A run of digits by its value (length without leading zeros, then digits), before any other text."""
    digits = part.lstrip("0")
    return (False, len(digits), digits) if part[:1].isascii() and part[:1].isdigit() else (True, 0, part)


def distinct_names(names: Iterable[object]) -> tuple[str, ...]:
    """Names as distinct, non-empty strings."""
    result = tuple(str(name) for name in names)
    seen: set[str] = set()
    for position, name in enumerate(result, start=1):
        if not name.strip():
            raise InvalidData(f"column {position} has no name; give every column a name.")
        if not name.isprintable() and any("\ud800" <= letter <= "\udfff" for letter in name):
            raise InvalidData(f"the name of column {position}, {name!r}, holds half a character, which no file can store; rename it.")
        if name in seen:
            raise InvalidData(f"the column name {name!r} appears more than once; rename one of them.")
        seen.add(name)
    return result


@dataclass(frozen=True, eq=False)
class Dataset:
    """A numeric table without gaps: ``values`` has one column a variable, in the fixed order ``labels``; each lies together in memory.

    ``names`` are the same names in the user's order; ``kinds`` says of each label what it is (``"continuous"``).
    """

    values: NDArray[np.float64]
    labels: tuple[str, ...]
    names: tuple[str, ...]
    kinds: tuple[str, ...]

    @classmethod
    def from_frame(cls, frame: pd.DataFrame) -> Dataset:
        """Take a DataFrame whose columns are numbers."""
        names = distinct_names(frame.columns)
        order = name_order(names)
        whole = frame.to_numpy()
        if whole.dtype == np.float64 and frame.shape[1] and np.shares_memory(whole[:1, :1], frame[frame.columns[0]].to_numpy()[:1]):
            return cls._checked(whole.T[order].T, names, order)  # one block of floats, seen without a copy
        values = np.empty((len(frame), len(names)), dtype=np.float64, order="F")
        for target, source in enumerate(order):
            values[:, target] = _numbers(frame.iloc[:, source], names[source])
        return cls._checked(values, names, order)

    @classmethod
    def from_array(cls, array: ArrayLike, names: Iterable[object] | None = None) -> Dataset:
        """Take a two-dimensional array; without ``names`` the columns are called X1, X2, … by position."""
        if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
            raise InvalidData("the array has masked entries, which are missing values. Drop or fill these rows or columns first.")
        try:
            values = np.asarray(array)
        except ValueError:
            raise InvalidData("the rows of the table have different lengths; every row needs a value for every column.") from None
        if values.ndim != 2:
            raise InvalidData(f"a table has two dimensions (rows, columns); this array has shape {values.shape}.")
        if values.dtype.kind not in "biuf":
            return cls.from_frame(pd.DataFrame(values, columns=named_or_positions(names, values.shape[1])))
        columns = distinct_names(named_or_positions(names, values.shape[1]))
        order = name_order(columns)
        return cls._checked(np.array(values.T[order], dtype=np.float64, order="C").T, columns, order)

    @classmethod
    def _checked(cls, values: NDArray[np.float64], names: tuple[str, ...], order: list[int]) -> Dataset:
        labels = tuple(names[i] for i in order)
        _check_shape(values)
        _check_gaps(values, labels)
        _check_constant(values, labels)
        values.setflags(write=False)
        return cls(values, labels, names, ("continuous",) * len(labels))

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.values.shape[0])

    def to_frame(self) -> pd.DataFrame:
        """The table in the user's column order."""
        return pd.DataFrame(self.values, columns=list(self.labels))[list(self.names)]

    def __repr__(self) -> str:
        return f"<Dataset: {self.n_samples} rows, {len(self.names)} columns>"


def as_dataset(data: Dataset | pd.DataFrame | ArrayLike) -> Dataset:
    """A Dataset from whatever table the user holds."""
    if isinstance(data, Dataset):
        return data
    if isinstance(data, pd.DataFrame):
        return Dataset.from_frame(data)
    if isinstance(data, str | Path):
        raise InvalidData(f"{str(data)!r} is a path, not a table; read it first with dicola.read_table.")
    if not isinstance(data, np.ndarray):
        foreign = _foreign_frame(data)
        if foreign is not None:
            return foreign
    return Dataset.from_array(data)


def _foreign_frame(data: Any) -> Dataset | None:
    """A table of another library with named columns, such as polars or pyarrow; ``None`` if it is none."""
    columns, to_numpy, to_pandas = (getattr(data, name, None) for name in ("columns", "to_numpy", "to_pandas"))
    names = list(columns) if isinstance(columns, Iterable) else [None]
    if callable(to_numpy) and all(isinstance(name, str) for name in names):
        return Dataset.from_array(to_numpy(), names)
    if callable(to_pandas) and isinstance(frame := to_pandas(), pd.DataFrame):
        return Dataset.from_frame(frame)
    return None


def read_table(path: str | Path, *, header: bool | None = None) -> Dataset:
    """Read a CSV, TSV or Parquet file with a header of names; gzip and the like by the ending of the name.

    Columns are told apart by comma, semicolon or tab, whichever cuts the first line into most parts; ``.tsv`` files by tab. In a file with
    semicolons numbers may have a decimal comma. ``header=False`` reads a file without names and calls its columns X1, X2, …;
    ``header=True`` takes the first line as names whatever it holds. By default a first line of numbers is refused, unless they count the
    columns. A first column without a name is taken as row labels and left out.
    """
    if not isinstance(path, str | Path):
        raise InvalidData(f"read_table takes the path of a file, not a {type(path).__name__}.")
    file, shown = Path(path), repr(str(path))
    if not file.is_file():
        raise InvalidData(f"there is no file {shown}.")
    if file.suffix.lower() in {".parquet", ".pq"}:
        return Dataset.from_frame(_read_parquet(file))
    separator, columns = _first_line(file)
    if header is False:
        columns = named_or_positions(None, len(columns))
    elif header is None and _are_values(columns):
        raise InvalidData(
            f"the first line of {shown} holds numbers where the names of the columns should stand. "
            "If the file has no header, read it with header=False; if these are the names, with header=True."
        )
    frame = _read_rows(file, separator, has_header=header is not False)
    if frame.empty:
        raise InvalidData(f"{shown} is empty or has no rows below its header; a header and rows of numbers are needed.")
    if frame.shape[1] != len(columns):
        raise InvalidData(f"{shown} has {len(columns)} names in its header but {frame.shape[1]} columns below it.")
    if len(columns) == 1:
        raise InvalidData(f"{shown} has 1 column; looking for causes needs at least two, told apart by commas, semicolons or tabs.")
    if not columns[0].strip():
        frame, columns = frame.iloc[:, 1:], columns[1:]
    distinct_names(columns)
    frame.columns = pd.Index(columns)
    return Dataset.from_frame(_with_decimal_points(frame) if separator == ";" else frame)


def _first_line(file: Path) -> tuple[str, list[str]]:
    """The separator of the file and the entries of its first line."""
    with _readable(file):
        lines = {
            separator: pd.read_csv(file, sep=separator, header=None, nrows=1, dtype=str, keep_default_na=False, encoding="utf-8-sig").iloc[
                0
            ]
            for separator in (",", ";", "\t")
        }
    tabs = file.name.lower().removesuffix(".gz").endswith(".tsv") and len(lines["\t"]) > 1
    separator = "\t" if tabs else max(lines, key=lambda sep: len(lines[sep]))
    return separator, [str(name) for name in lines[separator]]


def _are_values(columns: list[str]) -> bool:
    """Does a first line look like a row of the table? Whole numbers may be names, if they count the columns from 0 or 1."""
    names = [name.strip() for name in columns]
    if any(re.fullmatch(r"[+-]?(\d+[.,]\d*|[.,]\d+|\d+([.,]\d*)?[eE][+-]?\d+)", name) for name in names):
        return True
    names = names[1:] if names and not names[0] else names
    counted = [[str(i + start) for i in range(len(names))] for start in (0, 1)]
    return bool(names) and all(re.fullmatch(r"[+-]?\d+", name) for name in names) and names not in counted


def _read_rows(file: Path, separator: str, has_header: bool) -> pd.DataFrame:
    with _readable(file), warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        header = 0 if has_header else None
        return pd.read_csv(file, sep=separator, header=header, index_col=False, encoding="utf-8-sig", low_memory=False)


@contextmanager
def _readable(file: Path) -> Iterator[None]:
    """Turn what can go wrong in reading a file into a sentence."""
    shown = repr(str(file))
    try:
        yield
    except pd.errors.EmptyDataError:
        raise InvalidData(f"{shown} is empty or has no rows below its header; a header and rows of numbers are needed.") from None
    except pd.errors.ParserWarning:
        raise InvalidData(f"{shown} has rows that are longer than its header; every row needs one value for every name.") from None
    except (pd.errors.ParserError, OSError, EOFError, ImportError, ValueError, zlib.error, BadZipFile, LZMAError) as error:
        raise InvalidData(f"{shown} could not be read as a table: {str(error).strip()}.") from None


def _with_decimal_points(frame: pd.DataFrame) -> pd.DataFrame:
    """Columns of numbers with a decimal comma, as numbers."""
    comma = re.compile(r"\s*[+-]?(\d+(,\d*)?|,\d+)([eE][+-]?\d+)?\s*")
    texts = [name for name, column in frame.items() if not pd.api.types.is_numeric_dtype(column)]
    for name in texts:
        column = frame[name]
        if all(comma.fullmatch(str(value)) for value in column.dropna()):
            frame[name] = column.str.replace(",", ".", regex=False)
    return frame


def _read_parquet(file: Path) -> pd.DataFrame:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise MissingExtra("reading Parquet needs pyarrow; install it with: pip install pyarrow") from None
    try:
        return pd.read_parquet(file)
    except (OSError, ValueError) as error:
        raise InvalidData(f"{str(file)!r} could not be read as Parquet: {str(error).strip()}.") from None


def covariance_names(matrix: object) -> list[str] | None:
    """The names that a covariance matrix carries, if it is a labelled one: a DataFrame with the same names down and across."""
    if not isinstance(matrix, pd.DataFrame):
        return None
    columns = [str(name) for name in matrix.columns]
    if not isinstance(matrix.index, pd.RangeIndex) and [str(name) for name in matrix.index] != columns:
        raise InvalidData("the rows and columns of the covariance matrix have different names, or another order; they must agree.")
    return columns


def named_or_positions(names: Iterable[object] | None, count: int) -> list[str]:
    """The names given, or X1, X2, … by position."""
    if names is None:
        return [f"X{i + 1}" for i in range(count)]
    given = [str(name) for name in names]
    if len(given) != count:
        raise InvalidData(f"{len(given)} names were given for {count} columns.")
    return given


def _numbers(column: pd.Series[Any], name: str) -> NDArray[np.float64]:
    """The column as floats, or a sentence that says which value is none."""
    if pd.api.types.is_bool_dtype(column) or (pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_complex_dtype(column)):
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    if column.dtype == object or pd.api.types.is_string_dtype(column):
        converted = pd.to_numeric(column, errors="coerce")
        if pd.api.types.is_complex_dtype(converted):
            raise InvalidData(f"column {name!r} holds complex numbers; real numbers are needed. Encode the column or drop it.")
        bad = converted.isna() & column.notna()
        if not bad.any():
            return converted.to_numpy(dtype=np.float64, na_value=np.nan)
        row = int(np.nonzero(bad.to_numpy())[0][0])
        raise InvalidData(
            f"column {name!r} holds text ({str(column.iloc[row])!r} in row {row + 1}); numbers are needed. Encode the column or drop it."
        )
    raise InvalidData(f"column {name!r} has the type {column.dtype}; numbers are needed. Encode the column or drop it.")


def _check_shape(values: NDArray[np.float64]) -> None:
    rows, columns = values.shape
    if columns < 2:
        raise InvalidData(f"the table has {columns} column{'s' if columns != 1 else ''}; looking for causes needs at least two.")
    if rows == 0:
        raise InvalidData("the table has no rows.")


def _check_gaps(values: NDArray[np.float64], labels: tuple[str, ...]) -> None:
    with np.errstate(all="ignore"):
        if np.isfinite(values.sum()) or np.isfinite(values).all():  # a finite sum has finite terms
            return
    for what, bad in (("missing", np.isnan(values)), ("infinite", np.isinf(values))):
        counts = bad.sum(axis=0)
        if counts.any():
            named = ", ".join(f"{labels[i]!r} ({int(counts[i])})" for i in np.nonzero(counts)[0][:5])
            more = "" if (counts > 0).sum() <= 5 else f" and {int((counts > 0).sum()) - 5} more columns"
            raise InvalidData(f"there are {what} values in {named}{more}. Drop or fill these rows or columns first.")


def _check_constant(values: NDArray[np.float64], labels: tuple[str, ...]) -> None:
    for column in np.nonzero(values[0] == values[-1])[0]:
        if (values[:, column] == values[0, column]).all():
            raise InvalidData(f"column {labels[column]!r} is constant: it can have no cause or effect here. Drop it.")


def correlation_of(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlation matrix of the columns; where their scales are extreme each is brought near 1, so that no square over- or underflows."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        covariance = _covariance_of(values)
    squares = np.diag(covariance)
    if not ((squares > 1e-200) & (squares < 1e200)).all():
        _, exponent = np.frexp(np.abs(values).max(axis=0))
        covariance = _covariance_of(np.ldexp(values, -exponent))
    return standardised(covariance)


def _covariance_of(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Covariances of the columns, but for a common factor."""
    centred = values - values.mean(axis=0)
    return np.asarray(centred.T @ centred)


def standardised(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """A symmetric matrix of covariances turned into correlations, in place."""
    scale = np.sqrt(np.diag(covariance))
    covariance /= scale[:, None]
    covariance /= scale
    np.fill_diagonal(covariance, 1.0)
    return covariance


def inverse_of(correlation: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The inverse of a correlation matrix, upper triangle only, by Cholesky; ``None`` where the matrix is not positive definite."""
    factor, failed = dpotrf(correlation.copy().T, lower=1, overwrite_a=1, clean=0)  # row by row its upper triangle
    if failed:
        return None
    inverse, failed = dpotri(factor, lower=1, overwrite_c=1)
    return None if failed else np.asarray(inverse.T)


def check_correlation(
    correlation: NDArray[np.float64], inverse: NDArray[np.float64] | None, labels: tuple[str, ...], n_samples: int
) -> None:
    """Refuse columns that repeat or determine each other: independence given a copy of oneself says nothing.

    With no more rows than columns every column is determined by the rest whatever it holds, so only copies are looked for then.
    """
    left = None if inverse is None else 1.0 / np.diag(inverse)
    if left is not None and np.isfinite(left).all() and (left > COLLINEAR).all():
        return
    close = np.argwhere(np.triu(np.abs(correlation) > 1 - 1e-12, k=1))
    if len(close):
        a, b = (labels[int(i)] for i in close[0])
        raise InvalidData(f"the columns {a!r} and {b!r} are copies of each other (correlation ±1). Drop one of them.")
    if n_samples > len(labels) + 1:
        involved = _determined_columns(correlation)
        named = ", ".join(repr(labels[i]) for i in involved[:8]) + (" …" if len(involved) > 8 else "")
        raise InvalidData(f"the columns {named} are perfectly collinear: one is a linear combination of the others. Drop one of them.")


def _determined_columns(correlation: NDArray[np.float64]) -> list[int]:
    """The columns of one linear dependence: one that a Cholesky factorisation leaves over, and those that it is made of."""
    factor, pivots, rank, _ = dpstrf(correlation, tol=COLLINEAR)
    if rank == len(correlation):
        rank -= 1  # the last one is nearly determined
    weight = solve_triangular(factor[:rank, :rank], factor[:rank, rank])
    return sorted(int(pivots[i]) - 1 for i in (*np.nonzero(np.abs(weight) > 1e-6)[0], rank))
