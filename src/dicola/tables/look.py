"""A look at a table before anything is learned: what every column is, what is wrong with it, and what would be done about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dicola.allowed import checked
from dicola.errors import InvalidSetting, Sentence, counted
from dicola.graphs.marks import listed
from dicola.tables.columns import USED, Column, Kind
from dicola.tables.gaps import drivers_of_gaps
from dicola.tables.kinds import understood
from dicola.tables.redundancy import (
    Function,
    copies,
    correlation_with_gaps,
    functions_of_categories,
    linear_functions,
    near_copies,
)
from dicola.tables.table import Table, as_table

What = Literal[
    "told", "identifier", "constant", "empty", "date", "text", "copy", "function", "words", "infinite", "markers", "gaps",
    "gaps_depend", "codes", "grades", "skewed", "near_copy", "determined",
]  # fmt: skip
LEAVES_OUT: Final = ("told", "identifier", "constant", "empty", "date", "text", "copy", "function")
_STOPS: Final = ("identifier", "constant", "empty", "date", "text", "copy", "function", "words", "infinite")
_SKEWED: Final = 2.0
_MOSTLY_EMPTY: Final = 0.05  # share of rows with a value, below which a column is left out
_FEW_ENTRIES: Final = 10
_MOST_CORRELATED: Final = 1000  # columns up to which near copies and linear functions are looked for
_MOST_SHOWN: Final = 500  # columns up to which every one is written down
_ROWS_FOR_TIES: Final = 1000
_AT_ONCE: Final = 16  # columns that are looked at together, so that they stay near the processor

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Finding:
    """Something to know about some columns.

    Parameters
    ----------
    what : str
        Of which sort it is: "identifier", "copy", "gaps", "skewed", ….
    columns : tuple of str
        The columns it is about; those that it leaves out stand alone in it.
    sentence : str
        What was found and what is done about it.

    """

    what: What
    columns: tuple[str, ...]
    sentence: str

    @property
    def leaves_out(self) -> bool:
        """Is its column left out?"""
        return self.what in LEAVES_OUT

    @property
    def stops(self) -> bool:
        """Does a strict run stop at it?"""
        return self.what in _STOPS


@dataclass(frozen=True)
class Seen:
    """What one column is.

    Parameters
    ----------
    name, kind : str
        Its name and its kind.
    levels : int
        How many different levels it has; 0 for a continuous column.
    gaps : int
        Rows without a value.
    skew : float or None
        The skewness of a continuous column.
    ties : float or None
        The share of its entries that others repeat, for a continuous column, where it was looked at.
    use : str
        "used", or why it is left out.

    """

    name: str
    kind: Kind
    levels: int
    gaps: int
    skew: float | None
    ties: float | None
    use: str


@dataclass(frozen=True)
class Look:
    """What a table is, with everything that is worth knowing before it is learned from.

    ``str()`` of it is one screen of text; a notebook shows a card.

    Attributes
    ----------
    n_rows : int
        Rows of the table.
    n_columns : int
        Columns of the table.
    columns : tuple of Seen
        Every column in the user's order; of large tables those with something to tell.
    findings : tuple of Finding
        All there is to know.
    missing : str
        How gaps would be treated; empty where there are none.
    table : Table or None
        The columns that are used, understood; not written down.

    """

    n_rows: int
    n_columns: int
    columns: tuple[Seen, ...]
    findings: tuple[Finding, ...]
    missing: str = ""
    table: Table | None = field(default=None, repr=False, compare=False)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The columns that are left out, in the order of the findings."""
        return tuple(finding.columns[0] for finding in self.findings if finding.leaves_out)

    @property
    def problems(self) -> tuple[Finding, ...]:
        """What a strict run stops at."""
        return tuple(finding for finding in self.findings if finding.stops)

    def about(self, *what: What) -> tuple[str, ...]:
        """The columns with such findings.

        Parameters
        ----------
        *what : str
            Sorts of findings.

        """
        return tuple(dict.fromkeys(name for finding in self.findings if finding.what in what for name in finding.columns))

    def of_kind(self, *kinds: Kind) -> tuple[str, ...]:
        """The columns of these kinds.

        Parameters
        ----------
        *kinds : str
            Kinds of columns.

        """
        return tuple(column.name for column in self.columns if column.kind in kinds)

    def with_findings(self, findings: Iterable[Finding], missing: str | None = None) -> Look:
        """The same with more findings; columns that they leave out are marked so.

        Parameters
        ----------
        findings : iterable of Finding
            What to add.
        missing : str, optional
            How gaps are treated, where that is known now.

        """
        added = tuple(findings)
        if not added and missing in (None, self.missing):
            return self
        use = {finding.columns[0]: _use(finding) for finding in added if finding.leaves_out}
        table = self.table if self.table is None or not use else self.table.choose(name for name in self.table.names if name not in use)
        columns = tuple(replace(column, use=use.get(column.name, column.use)) for column in self.columns)
        taken = self.missing if missing is None else missing
        return replace(self, columns=columns, findings=(*self.findings, *added), table=table, missing=taken)

    def settings(self) -> dict[str, Any]:
        """The settings that say in full what is done by itself: columns that are left out, and gaps."""
        return {**({"drop": list(self.left_out)} if self.left_out else {}), **({"missing": self.missing} if self.missing else {})}

    def command(self, file: str = "table.csv") -> str:
        """The command that goes on from here, with everything that is done spelled out.

        Parameters
        ----------
        file : str
            The file with the table.

        """
        drop = ",".join(f'"{name}"' if "," in name or '"' in name else name for name in self.left_out)
        quoted = f"'{drop}'" if drop and not all(c.isalnum() or c in "_-.," for c in drop) else drop
        return " ".join(["dicola fit", file, *(["--drop", quoted] if drop else []), *(["--missing", self.missing] if self.missing else [])])

    def call(self) -> str:
        """The same in Python."""
        return f"DiCoLa({', '.join(f'{name}={value!r}' for name, value in self.settings().items())}).fit(frame)"

    def to_pandas(self) -> pd.DataFrame:
        """One row per column of the table."""
        return pd.DataFrame([asdict(column) for column in self.columns])

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "rows": self.n_rows,
            "columns": self.n_columns,
            "seen": [asdict(column) for column in self.columns],
            "findings": [{"what": each.what, "columns": list(each.columns), "sentence": str(each.sentence)} for each in self.findings],
            "missing": self.missing,
        }

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> Look:
        """What ``to_dict`` gave, without the table.

        Parameters
        ----------
        facts : dict
            What was written down.

        """
        found = (Finding(each["what"], tuple(each["columns"]), each["sentence"]) for each in facts["findings"])
        seen = tuple(Seen(**column) for column in facts["seen"])
        return cls(facts["rows"], facts["columns"], seen, tuple(found), facts["missing"])

    def __str__(self) -> str:
        return "\n".join(_lines(self))

    def _repr_html_(self) -> str:
        from dicola.report.look_card import look_card

        return look_card(self)


@checked()
def look(
    data: Table | pd.DataFrame | Any,
    *,
    kinds: Mapping[str, Kind] | None = None,
    drop: str | Iterable[str] = (),
    missing_values: Iterable[object] = (),
) -> Look:
    """What is this table, what is wrong with it, and what would be done about it?

    Parameters
    ----------
    data : DataFrame, array, dict, sparse matrix or Table
        One column per variable.
    kinds : dict, optional
        The kinds of some columns, such as ``{"sex": "nominal"}``; the rules for the others stand in
        :mod:`dicola.tables.kinds`.
    drop : str or iterable of str
        Columns to leave out.
    missing_values : iterable
        Values that stand for gaps, such as -999.

    Returns
    -------
    Look
        ``str()`` of it is one screen of text; a notebook shows a card.

    Raises
    ------
    InvalidSetting
        Where a column is named that there is not, or a kind.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> heat = rng.normal(20, 5, size=200)
    >>> frame = pd.DataFrame({"id": range(200), "celsius": heat, "fahrenheit": 32 + 1.8 * heat, "yield": heat + rng.normal(size=200)})
    >>> for finding in look(frame).findings:
    ...     print(finding.sentence)
    'id' counts the rows (an identifier); it is left out.
    'fahrenheit' is an exact linear function of 'celsius'; it is left out.

    """
    seen = first_look(as_table(data), kinds or {}, drop, tuple(missing_values))
    assert seen.table is not None
    ties = {column.name: _ties(column) for column in seen.table.columns if column.kind == "continuous"}
    seen = replace(seen, columns=tuple(replace(column, ties=ties.get(column.name)) for column in seen.columns))
    assert seen.table is not None
    return seen.with_findings(relations(seen.table), missing=suggested(seen.table))


def suggested(table: Table) -> str:
    """How gaps are best treated where the test is not known yet; empty where there are none."""
    if not np.isnan(table.values).any():
        return ""
    return "em" if "continuous" in table.kinds or "ordered" in table.kinds else "testwise"


def first_look(table: Table, kinds: Mapping[str, Kind], drop: str | Iterable[str] = (), missing_values: Sequence[object] = ()) -> Look:
    """Everything but what takes the correlations of all columns."""
    left = _named((drop,) if isinstance(drop, str) else tuple(drop), table)
    if left:
        table = table.choose(name for name in table.names if name not in left)
    settled, remarks = understood(table, {name: kind for name, kind in kinds.items() if name not in left}, missing_values)
    place = {label: i for i, label in enumerate(settled.labels)}
    columns = [settled.columns[place[name]] for name in settled.names]
    findings = [Finding("told", (name,), f"{name!r} is left out, as told.") for name in left]
    findings += _not_used(columns, kinds)
    gone = {finding.columns[0] for finding in findings}
    left_in = [column for column in columns if column.name not in gone]
    twice = [(left_in[column], left_in[of[0]]) for column, of in copies(left_in)]
    findings += [Finding("copy", (copy.name,), _about_copy(copy, original)) for copy, original in twice]
    gone = {finding.columns[0] for finding in findings}
    used = [column for column in columns if column.name not in gone]
    findings += [Finding(r.what, (r.column,), f"{r.column!r}: {r.sentence}") for r in remarks if r.column not in gone]  # type: ignore[arg-type]
    facts = _Facts(columns)
    findings += _about_values(used, facts, kinds)
    table_used = settled.choose(column.name for column in used)
    return Look(settled.n_samples, len(settled.names) + len(left), _seen(columns, facts, findings), tuple(findings), table=table_used)


def _named(drop: tuple[str, ...], table: Table) -> tuple[str, ...]:
    if unknown := [str(name) for name in drop if name not in table.names]:
        raise InvalidSetting(
            Sentence("{drop} names {unknown}, not among the columns. Correct the names or leave them out.", unknown=listed(unknown))
        )
    return tuple(dict.fromkeys(drop))


class _Facts:
    """Gaps of every column and skewness of the continuous ones, by name, worked out for all at once."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self.gaps = {column.name: 0 for column in columns}
        self.skew: dict[str, float] = {}
        for start in range(0, len(columns), _AT_ONCE):
            self._add(columns[start : start + _AT_ONCE])

    def _add(self, columns: Sequence[Column]) -> None:
        values = np.array([column.values for column in columns])
        missing = np.isnan(values) if np.isnan(values.sum()) else None
        gaps = np.zeros(len(columns), dtype=np.int64) if missing is None else missing.sum(axis=1)
        present = np.maximum(values.shape[1] - gaps, 1)
        with np.errstate(all="ignore"):
            values -= ((values if missing is None else np.where(missing, 0.0, values)).sum(axis=1) / present)[:, None]
            if missing is not None:
                values[missing] = 0.0
            squares = values * values
            skew = np.einsum("ij,ij->i", squares, values) / present / (squares.sum(axis=1) / present) ** 1.5
        self.gaps.update((column.name, int(count)) for column, count in zip(columns, gaps, strict=True))
        found = zip(columns, np.where(np.isfinite(skew), skew, 0.0).tolist(), strict=True)
        self.skew.update((column.name, value) for column, value in found if column.kind == "continuous")


def _not_used(columns: Sequence[Column], kinds: Mapping[str, Kind]) -> Iterator[Finding]:
    for column in columns:
        if column.kind not in USED:
            yield Finding(column.kind, (column.name,), _about_kind(column))  # type: ignore[arg-type]
        elif column.name not in kinds and np.isnan(column.values.sum()):
            entries = int((~column.missing).sum())
            if entries < max(_FEW_ENTRIES, _MOSTLY_EMPTY * len(column.values)) and entries < len(column.values) / 2:
                yield Finding("empty", (column.name,), f"{column.name!r} has only {counted(entries, 'entry', 'entries')}; it is left out.")


def _about_kind(column: Column) -> str:
    name, entries = column.name, int((~column.missing).sum())
    if column.kind == "constant":
        return f"{name!r} is empty; it is left out." if not entries else f"{name!r} is constant; it is left out."
    if column.kind == "identifier":
        what = "differs in every row" if column.levels else "counts the rows"
        return f"{name!r} {what} (an identifier); it is left out."
    if column.kind == "date":
        return f"{name!r} holds dates; it is left out. As days, it is of the kind continuous."
    return f"{name!r} holds {len(column.levels):,} different texts in {entries:,} rows; it is left out."


def _about_copy(column: Column, original: Column) -> str:
    how = "a copy" if not column.levels or column.levels == original.levels else "a copy, level for level,"
    return f"{column.name!r} is {how} of {original.name!r}; it is left out."


def _about_values(columns: Sequence[Column], facts: _Facts, kinds: Mapping[str, Kind]) -> Iterator[Finding]:
    """What to know of the columns that are used: grades, gaps, skew."""
    grades = [c.name for c in columns if c.kind == "ordered" and c.points and c.name not in kinds]
    if grades:
        yield Finding("grades", tuple(grades), f"few different numbers, read as grades: {_names(grades)}.")
    skewed = [c.name for c in columns if abs(facts.skew.get(c.name, 0.0)) > _SKEWED]
    if skewed:
        most = max(skewed, key=lambda name: abs(facts.skew[name]))
        yield Finding("skewed", tuple(skewed), f"skewed: {_names(skewed)} (the most: {most!r}, {facts.skew[most]:.1f}).")
    gaps = {column.name: facts.gaps[column.name] for column in columns if facts.gaps[column.name]}
    if gaps:
        yield _about_gaps(columns, gaps)
        yield from _about_drivers(columns)


def _about_gaps(columns: Sequence[Column], gaps: Mapping[str, int]) -> Finding:
    n = len(columns[0].values)
    complete = n - int(np.logical_or.reduce([column.missing for column in columns]).sum())
    share = 100 * sum(gaps.values()) / (n * len(columns))
    shown = _names([f"{name!r} ({count:,})" for name, count in sorted(gaps.items(), key=lambda item: -item[1])], quoted=True)
    rows = "no row is complete" if not complete else f"{complete:,} of {n:,} rows are complete"
    return Finding(
        "gaps",
        tuple(gaps),
        f"gaps in {counted(len(gaps), 'column')}, {f'{share:.1f}' if share >= 0.1 else 'under 0.1'} % of all cells; {rows}: {shown}.",
    )


def _about_drivers(columns: Sequence[Column]) -> Iterator[Finding]:
    shown = [_standard_ranks(column) for column in columns]
    present = np.column_stack([~column.missing for column in columns])
    by_driver: dict[int, list[str]] = {}
    for column, driver in drivers_of_gaps(present, np.column_stack(shown)).items():
        by_driver.setdefault(driver, []).append(columns[column].name)
    for driver, names in by_driver.items():
        sentence = f"the gaps of {_names(names)} depend on {columns[driver].name!r}, so they are not left by chance alone."
        yield Finding("gaps_depend", tuple(names), sentence)


def _standard_ranks(column: Column) -> Floats:
    """Ranks, or whether a word is the most frequent one; centred, scaled, 0 in gaps."""
    values = column.values
    if column.levels and not column.points:
        codes = column.codes
        values = np.where(codes < 0, np.nan, codes == np.bincount(codes[codes >= 0]).argmax())
    ranks = pd.Series(values).rank().to_numpy(dtype=np.float64)
    centred = ranks - np.nanmean(ranks)
    scale = np.sqrt(np.nanmean(centred**2))
    return np.nan_to_num(centred / (scale if scale > 0 else 1.0))


def _ties(column: Column) -> float:
    """The share of entries that another row repeats, in the first rows."""
    values = np.sort(column.values[:_ROWS_FOR_TIES])
    same = values[1:] == values[:-1]
    repeated = np.append(same, False) | np.append(False, same)
    entries = int((~np.isnan(values)).sum())
    return round(float(repeated.sum()) / max(entries, 1), 3)


def relations(table: Table, correlation: Floats | None = None, *, leave_out: bool = True) -> list[Finding]:
    """Near copies and exact functions; ``correlation`` is that of the numeric columns in the order of the labels, where it is known."""
    place = {label: i for i, label in enumerate(table.labels)}
    columns = [table.columns[place[name]] for name in table.names]
    numeric = [column for column in columns if column.is_numeric and column.kind != "nominal"]
    found: list[Finding] = []
    if 2 <= len(numeric) <= _MOST_CORRELATED and table.n_samples > 2:
        values = np.column_stack([column.values for column in numeric])
        if correlation is None:
            correlation = correlation_with_gaps(values)
        functions = linear_functions(values, correlation) if leave_out else []
        found += [Finding("function", (numeric[f.column].name,), _about_function(f, numeric)) for f in functions]
        gone = {f.column for f in functions}
        near = [(a, b) for a, b in near_copies(correlation) if not {a, b} & gone]
        found += [
            Finding("near_copy", (numeric[a].name, numeric[b].name), f"{numeric[a].name!r} and {numeric[b].name!r} are nearly the same "
                    f"(correlation {correlation[a, b]:.3f}); given one, the other tells little.")
            for a, b in near
        ]  # fmt: skip
    left = {finding.columns[0] for finding in found if finding.leaves_out}
    levelled = [column for column in columns if column.levels and column.name not in left]
    return [*found, *(_about_categories(f, levelled) for f in functions_of_categories(levelled))]


def _about_function(function: Function, columns: Sequence[Column]) -> str:
    name, of = columns[function.column].name, [columns[i].name for i in function.of]
    return f"{name!r} is an exact linear function of {_names(of)}; it is left out."


def _about_categories(function: Function, columns: Sequence[Column]) -> Finding:
    name, of = columns[function.column].name, [columns[i].name for i in function.of]
    what = "fixes" if len(of) == 1 else "fix"
    return Finding("determined", (name,), f"{_names(of)} {what} {name!r}; given the former, the latter is independent of everything.")


def _names(names: Sequence[str], quoted: bool = False, most: int = 12) -> str:
    """Names in a row, the last after "and"; of many the first ones."""
    shown = list(names[:most]) if quoted else [repr(name) for name in names[:most]]
    if len(names) > most:
        return f"{', '.join(shown)} and {len(names) - most} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _use(finding: Finding) -> str:
    return "left out: " + ("as told" if finding.what == "told" else finding.what)


def _seen(columns: Sequence[Column], facts: _Facts, findings: Sequence[Finding]) -> tuple[Seen, ...]:
    use = {finding.columns[0]: _use(finding) for finding in findings if finding.leaves_out}
    told = {name for finding in findings for name in finding.columns}
    shown = columns if len(columns) <= _MOST_SHOWN else [column for column in columns if column.name in told or column.levels]
    return tuple(
        Seen(
            name=column.name,
            kind=column.kind,
            levels=len(column.levels),
            gaps=facts.gaps[column.name],
            skew=round(facts.skew[column.name], 3) if column.name in facts.skew else None,
            ties=None,
            use=use.get(column.name, "used"),
        )
        for column in shown
    )


def _lines(seen: Look) -> Iterator[str]:
    yield f"{counted(seen.n_rows, 'row', spec=',')}, {counted(seen.n_columns, 'column', spec=',')}"
    yield ""
    rows = [("column", "kind", "levels", "gaps", "skew", "ties", "use"), *map(_row, seen.columns)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.rjust(width) if i in (2, 3, 4, 5) else cell.ljust(width) for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
    if len(seen.columns) < seen.n_columns:
        yield f"… {seen.n_columns - len(seen.columns):,} more columns, continuous, with nothing to tell"
    yield ""
    yield from (f"- {finding.sentence}" for finding in seen.findings)
    if not seen.findings:
        yield "- nothing stands in the way."


def _row(column: Seen) -> tuple[str, ...]:
    skew = "" if column.skew is None else f"{column.skew:.1f}"
    ties = "" if not column.ties else f"{100 * column.ties:.0f} %"
    return (column.name, column.kind, str(column.levels or ""), str(column.gaps or ""), skew, ties, column.use)
