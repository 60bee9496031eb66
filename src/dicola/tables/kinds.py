"""What the columns of a table are, by stated rules: type, values, how many differ, and names.

A kind that the user gives stands. Otherwise, gaps and markers such as ``?`` taken out:

1. one value or none: **constant**; two: **binary**;
2. dates, and text in which every entry is one: **date**;
3. whole numbers that all differ and count the rows, in steps of one size; numbers that mostly
   differ under a name such as ``id``; text that differs in every row: **identifier** (from 20 rows
   on);
4. fewer than ten different numbers, five rows or more for each: **ordered**, or **nominal** where
   they are whole and rise with some other column at first and then fall, or the like
   (:mod:`dicola.tables.grades`). In a table that holds mostly such columns, codes that count from
   0 or 1 up to 100 without a hole are read likewise;
5. other numbers: **continuous**;
6. categories with an order: **ordered**; other words and categories: **nominal**, but **text** with
   more than 100 levels, or more than ten and fewer than five rows for each.

Entries that are no numbers, in a column that holds numbers otherwise, are gaps if they are rare (one
in twenty, or one in a hundred where there are fewer than ten different numbers); so are infinities.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola.errors import InvalidSetting, counted, not_allowed
from dicola.graphs.marks import listed
from dicola.tables.columns import KINDS, Column, Kind, numbers_in
from dicola.tables.grades import without_order
from dicola.tables.table import Table

FEW = 10  # fewer different numbers are grades or levels
MOST_LEVELS = 100  # more different texts are not compared
MARKERS = frozenset({"", "?", "NA", "N/A", "n/a", "na", "NaN", "nan", "null", "NULL", "None", "<NA>", "#N/A", "#NA", "NaT"})
_MARKERS_AMONG_NUMBERS = frozenset({"-", "--", ".", "..", "*", "missing", "unknown"})
_ROWS_PER_LEVEL = 5
_ROWS_FOR_IDENTIFIERS = 20
_RARE, _RARE_AMONG_FEW = 0.05, 0.01
_FIRST_ROWS = 100  # most columns show in these that they are plain numbers
_NAMES_ROWS = re.compile(r"(?:.*[^a-z])?(?:ids?|idx|index|key|uuid|guid|row(?:id|num|number|names?)?|record|serial)", re.IGNORECASE)
_DATE = re.compile(r"\s*(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})([ T]\d.*)?\s*")

Floats = NDArray[np.float64]


class Remark(NamedTuple):
    """Something that was made of the entries of a column: ``"markers"``, ``"words"``, ``"infinite"`` or ``"codes"``."""

    column: str
    what: str
    sentence: str


def understood(table: Table, kinds: Mapping[str, Kind], missing_values: Collection[object] = ()) -> tuple[Table, tuple[Remark, ...]]:
    """The table with kinds by these rules, and what had to be made of entries on the way."""
    check_kinds(kinds, table.names)
    reader = _Reader(kinds, *_as_numbers_and_texts(missing_values))
    plain = _plain_numbers(table) & (not reader.numbers)
    columns = list(table.columns)
    for place in np.flatnonzero(~plain | np.array([label in kinds for label in table.labels], dtype=bool)).tolist():
        columns[place] = reader.read(columns[place])
    _read_codes(columns, reader)
    for place in without_order(columns, [c.kind == "ordered" and bool(c.points) and c.name not in kinds for c in columns]):
        columns[place] = replace(columns[place], kind="nominal")
        reader.remarks.append(_about_codes(columns[place]))
    place_of = {label: i for i, label in enumerate(table.labels)}
    remarks = tuple(sorted(reader.remarks, key=lambda remark: place_of[remark.column]))
    return table.with_columns(columns), remarks


def check_kinds(kinds: Mapping[str, Kind], names: Collection[str]) -> None:
    """Refuse names of no column and kinds that there are not, all in one sentence each."""
    if not isinstance(kinds, Mapping):
        raise not_allowed("kinds", kinds, "it must be a dict such as {'sex': 'nominal'}.")
    if unknown := [str(name) for name in kinds if name not in names]:
        raise InvalidSetting(f"kinds are given for {listed(unknown)}, not among the columns. Correct the names or leave them out.")
    if wrong := {str(name): kind for name, kind in kinds.items() if kind not in KINDS}:
        shown = ", ".join(f"{name!r}: {kind!r}" for name, kind in wrong.items())
        raise InvalidSetting(f"there is no such kind: {shown}. Known: {', '.join(KINDS)}.")


def _as_numbers_and_texts(missing_values: Collection[object]) -> tuple[frozenset[float], frozenset[str]]:
    texts = frozenset(str(value).strip() for value in missing_values)
    numbers = numbers_in(sorted(texts))
    return frozenset(numbers[~np.isnan(numbers)].tolist()), texts


def _plain_numbers(table: Table) -> NDArray[np.bool_]:
    """Columns that show at first sight to be finite numbers of many values that do not count rows."""
    values = table.values
    if not len(values):
        return np.zeros(len(table.labels), dtype=bool)
    first = np.sort(values[:_FIRST_ROWS].T, axis=1)
    with np.errstate(all="ignore"):
        different = 1 + (first[:, 1:] > first[:, :-1]).sum(axis=1)
        is_finite = np.isfinite(values.sum(axis=0))
        is_whole = (first == np.rint(first)).all(axis=1)
    may_count_rows = is_whole & (different == first.shape[1]) & (len(values) >= _ROWS_FOR_IDENTIFIERS)
    for place in np.flatnonzero(is_whole & ~may_count_rows).tolist():
        may_count_rows[place] = _NAMES_ROWS.fullmatch(table.labels[place]) is not None
    is_number = np.array([kind == "continuous" for kind in table.kinds], dtype=bool)
    return np.asarray(is_number & is_finite & (different >= FEW) & ~may_count_rows)


class _Reader:
    """Reads columns one by one and keeps what it had to make of their entries."""

    def __init__(self, kinds: Mapping[str, Kind], numbers: frozenset[float], texts: frozenset[str]) -> None:
        self.kinds, self.numbers, self.texts = kinds, numbers, texts
        self.remarks: list[Remark] = []

    def read(self, column: Column) -> Column:
        declared = self.kinds.get(column.name)
        if column.kind == "date":
            return replace(column, kind=declared or ("date" if len(np.unique(_present(column))) > 1 else "constant"))
        is_words = bool(column.levels) or column.kind == "nominal"
        return self._words(column, declared) if is_words else self._numbers(column, declared)

    def _numbers(self, column: Column, declared: Kind | None) -> Column:
        values = self._without_infinities(column)
        if self.numbers and (marked := np.isin(values, list(self.numbers))).any():
            self._remark(column, "markers", f"{counted(int(marked.sum()), 'entry stands', 'entries stand')} for a gap, as told.")
            values = np.where(marked, np.nan, values)
        column = replace(column, values=values)
        points = np.unique(_present(column))
        kind = declared or _kind_of_numbers(column, points)
        _check_declared(column.name, declared, len(points))
        if kind not in ("ordered", "nominal", "binary"):
            return replace(column, kind=kind, levels=(), points=())
        levels = ("False", "True") if column.kind == "binary" and not column.points else tuple(f"{point:.12g}" for point in points)
        if len(levels) != len(points):  # only one of true and false occurs
            levels = tuple(levels[int(point)] for point in points)
        return replace(column, kind=kind, levels=levels, points=tuple(points.tolist()))

    def _without_infinities(self, column: Column) -> Floats:
        infinite = np.isinf(column.values)
        if not infinite.any():
            return column.values
        count, row = int(infinite.sum()), int(np.argmax(infinite)) + 1
        self._remark(
            column, "infinite", f"{counted(count, 'infinite entry is a gap', 'infinite entries are gaps')} (the first in row {row})."
        )
        return np.where(infinite, np.nan, column.values)

    def _words(self, column: Column, declared: Kind | None) -> Column:
        are_categories = bool(column.levels) and not np.isnan(numbers_in(column.levels)).any()  # text of numbers alone has come as numbers
        column = self._without_markers(column)
        numbers = numbers_in(column.levels)
        if declared in (None, "continuous") and not (are_categories and declared is None) and self._are_numbers(column, numbers, declared):
            taken = np.append(numbers, np.nan)[column.codes]
            self._remark_words(column, numbers)
            return self._numbers(Column(column.name, "continuous", taken), declared)
        column = _used_levels(column)
        _check_declared(column.name, declared, len(column.levels))
        return Column(column.name, declared or _kind_of_words(column), column.values, column.levels, column.points)

    def _without_markers(self, column: Column) -> Column:
        """Levels that stand for a gap become gaps."""
        texts = [level.strip() for level in column.levels]
        has_numbers = not np.isnan(numbers_in(texts)).all()
        known = MARKERS | self.texts | (_MARKERS_AMONG_NUMBERS if has_numbers else frozenset())
        if known.isdisjoint(texts):
            return column
        marks = np.array([text in known for text in texts], dtype=bool)
        marked = np.append(marks, False)[column.codes]
        if not marked.any():
            return column
        shown = listed([column.levels[i] for i in np.unique(column.codes[marked])])
        self._remark(column, "markers", f"{counted(int(marked.sum()), 'entry', 'entries')} {shown} taken as {_gaps(int(marked.sum()))}.")
        return replace(column, values=np.where(marked, np.nan, column.values))

    def _are_numbers(self, column: Column, numbers: Floats, declared: Kind | None) -> bool:
        """Are the entries numbers but for a few?"""
        if declared is None and not np.isfinite(numbers).any():
            return False
        is_number = np.isfinite(np.append(numbers, np.nan)[column.codes])
        present = ~column.missing
        if not is_number.any():
            if declared == "continuous":
                raise InvalidSetting(f"column {column.name!r} was declared continuous, and none of its entries is a number.")
            return False
        if declared is not None:
            return True
        different = len(np.unique(np.append(numbers, np.nan)[column.codes][is_number]))
        words = int(present.sum() - is_number.sum())
        return bool(words <= (_RARE if different >= FEW else _RARE_AMONG_FEW) * present.sum())

    def _remark_words(self, column: Column, numbers: Floats) -> None:
        is_word = np.append(~np.isfinite(numbers), False)[column.codes]
        if is_word.any():
            count, row = int(is_word.sum()), int(np.argmax(is_word))
            shown = f"{column.levels[column.codes[row]]!r} in row {row + 1}"
            number = counted(count, "entry that is no number is a gap", "entries that are no numbers are gaps")
            self._remark(column, "words", f"{number} ({'' if count == 1 else 'the first: '}{shown}).")

    def _remark(self, column: Column, what: str, sentence: str) -> None:
        self.remarks.append(Remark(column.name, what, sentence))


def _present(column: Column) -> Floats:
    return column.values[~column.missing]


def _gaps(count: int) -> str:
    return "a gap" if count == 1 else "gaps"


def _used_levels(column: Column) -> Column:
    """The column without levels that no row has."""
    codes = column.codes
    used = np.bincount(codes[codes >= 0], minlength=len(column.levels)) > 0
    if used.all():
        return column
    places = np.append(np.cumsum(used) - 1.0, np.nan)
    return replace(column, values=places[codes], levels=tuple(level for level, is_used in zip(column.levels, used, strict=True) if is_used))


def _check_declared(name: str, declared: Kind | None, different: int) -> None:
    if declared == "binary" and different > 2:
        raise InvalidSetting(f"column {name!r} was declared binary, and it has {different} different values.")


def _kind_of_numbers(column: Column, points: Floats) -> Kind:
    present = _present(column)
    if len(points) <= 2:
        return "binary" if len(points) == 2 else "constant"
    if _is_identifier(column.name, present, points):
        return "identifier"
    return "ordered" if len(points) < FEW and len(present) >= _ROWS_PER_LEVEL * len(points) else "continuous"


def _is_identifier(name: str, present: Floats, points: Floats) -> bool:
    if len(present) < _ROWS_FOR_IDENTIFIERS or not (points == np.rint(points)).all():
        return False
    if len(points) == len(present) and np.ptp(np.diff(points)) == 0:
        return True
    return _NAMES_ROWS.fullmatch(name) is not None and 2 * len(points) > len(present)


def _kind_of_words(column: Column) -> Kind:
    different = len(column.levels)
    if different <= 2:
        return "binary" if different == 2 else "constant"
    present = int((~column.missing).sum())
    if all(_DATE.fullmatch(level) for level in column.levels):
        return "date"
    if different == present >= _ROWS_FOR_IDENTIFIERS:
        return "identifier"
    if column.kind == "ordered":
        return "ordered"
    return "text" if different > MOST_LEVELS or (different > FEW and present < _ROWS_PER_LEVEL * different) else "nominal"


def _read_codes(columns: list[Column], reader: _Reader) -> None:
    """Where most columns have few levels, read codes of more levels as such too."""
    if 2 * sum(column.kind in ("ordered", "nominal", "binary") for column in columns) < len(columns):
        return
    for place, column in enumerate(columns):
        if column.kind != "continuous" or column.name in reader.kinds:
            continue
        present = _present(column)
        if not (present[:_FIRST_ROWS] == np.rint(present[:_FIRST_ROWS])).all():
            continue
        points = np.unique(present)
        counts_up = len(points) <= MOST_LEVELS and points[0] in (0.0, 1.0) and np.array_equal(np.diff(points), np.ones(len(points) - 1))
        if counts_up and len(present) >= _ROWS_PER_LEVEL * len(points):
            columns[place] = replace(column, kind="ordered", levels=tuple(f"{p:.12g}" for p in points), points=tuple(points.tolist()))


def _about_codes(column: Column) -> Remark:
    sentence = f"{len(column.levels)} whole numbers in no order that other columns follow, so they are read as codes of categories."
    return Remark(column.name, "codes", sentence)
