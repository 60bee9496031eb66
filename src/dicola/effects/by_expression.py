"""The size of an effect from rows by an expression: for linear relations from the covariance, for categories by counting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from dicola.effects.estimation import Estimate, Floats, check_ends, is_binary, level_names, numbers
from dicola.effects.expression import Distribution, Expression
from dicola.effects.gaussian_expression import on_gaussian
from dicola.errors import InvalidData, counted
from dicola.tables.columns import Column
from dicola.tables.table import Table

REPLICATES: Final = 200
"""Tables drawn for the error of an estimate."""
_MOST_CELLS: Final = 1_000_000
_FEWEST: Final = 0.9  # of the drawn tables that must give a value
_COUNTED: Final = ("binary", "nominal", "ordered")

Values = NDArray[np.float64]
Worked = Callable[[NDArray[np.int64]], Values]
"""What an expression gives on some rows, one value per treatment."""


def estimate_by(
    expression: Expression, table: Table, xs: Sequence[str], y: str, *, level: float = 0.95, seed: int = 0
) -> dict[str, Estimate]:
    """The effects of some variables, all of which are set, on another, by an expression for P(y | do(xs)).

    Where all columns that matter are categories, they are counted: with binary treatments the
    effect is that of all of them having their second level and not their first, under the name of
    all. Else relations are taken as linear, and each treatment has an effect per unit, the others
    being held where they are set. Errors are those of 200 tables drawn from the rows, for the graph
    as it is.

    Parameters
    ----------
    expression : Expression
        As ``identify`` gives it.
    table : Table
        The rows.
    xs : sequence of str
        The treatments, numbers or of two levels.
    y : str
        The outcome, likewise.
    level : float
        Of the intervals.
    seed : int
        For the drawn tables.

    Raises
    ------
    InvalidData
        Columns are of kinds that no number can be told for, or the rows are too few.

    """
    labels, said, n, work = _prepared(expression, table, xs, y)
    values = _whole(work, n)
    drawn = _drawn(work, n, seed)
    reach = float(ndtri((1 + level) / 2))
    place = {column.name: column for column in table.columns}
    notes = _notes([place[x] for x in xs], place[y], said, table.n_samples - n)
    found = {}
    for label, value, error in zip(labels, values.tolist(), drawn.std(axis=0, ddof=1).tolist(), strict=True):
        interval = (value - reach * error, value + reach * error)
        found[label] = Estimate((), value, error, interval, level, said, n, notes=notes)
    return found


def values_by(expression: Expression, table: Table, xs: Sequence[str], y: str) -> dict[str, float]:
    """The same without errors.

    Parameters
    ----------
    expression, table, xs, y
        As in ``estimate_by``.

    """
    labels, _, n, work = _prepared(expression, table, xs, y)
    return dict(zip(labels, _whole(work, n).tolist(), strict=True))


def _whole(work: Worked, n: int) -> Values:
    values = work(np.arange(n))
    if not np.isfinite(values).all():
        raise InvalidData("some of the combinations of levels that the expression asks for have no rows.")
    return values


def _prepared(expression: Expression, table: Table, xs: Sequence[str], y: str) -> tuple[list[str], str, int, Worked]:
    """What the effects are called, how they are worked out, from how many rows, and what does it."""
    for x in xs:
        check_ends(table, x, y)
    place = {column.name: column for column in table.columns}
    names = [name for name in table.names if name in {*expression.mentioned, *xs, y}]
    if missing := sorted({*expression.mentioned} - set(names)):
        raise InvalidData(f"the table has no column {missing[0]!r}, which the expression names.")
    columns = [place[name] for name in names]
    if all(column.kind in _COUNTED for column in columns) and all(is_binary(place[x]) for x in xs):
        return [" and ".join(xs)], "plug-in", *_by_counting(expression, columns, xs, y)
    return list(xs), "covariance", *_by_covariance(expression, columns, xs, y)


def _drawn(work: Worked, n: int, seed: int) -> Values:
    """The values on tables drawn with replacement; table i depends on the seed and on i alone."""
    found = []
    for i in range(REPLICATES):
        try:
            values = work(np.random.default_rng([seed, i]).integers(n, size=n))
        except InvalidData:
            continue
        if np.isfinite(values).all():
            found.append(values)
    if len(found) < _FEWEST * REPLICATES:
        raise InvalidData(f"the expression has a value in {len(found)} of {REPLICATES} tables drawn from the rows only: they are too few.")
    return np.array(found)


def _by_covariance(expression: Expression, columns: Sequence[Column], xs: Sequence[str], y: str) -> tuple[int, Worked]:
    for column in columns:
        if not (column.is_numeric or is_binary(column)):
            raise InvalidData(f"the expression names {column.name}, which is {column.kind}, beside numbers: there is no estimate for that.")
    values = _complete(np.column_stack([numbers(column) for column in columns]))
    names = [column.name for column in columns]
    if len(values) <= len(names) + 2:
        raise InvalidData(f"{counted(len(values), 'row')} without gaps are too few for {counted(len(names), 'column')}.")

    def work(rows: NDArray[np.int64]) -> Values:
        covariance = np.atleast_2d(np.cov(values[rows], rowvar=False))
        return on_gaussian(expression, covariance, names).slopes(y, xs)

    return len(values), work


def _by_counting(expression: Expression, columns: Sequence[Column], xs: Sequence[str], y: str) -> tuple[int, Worked]:
    sizes = [max(len(column.levels), int(column.codes.max(initial=0)) + 1) for column in columns]
    if prod(sizes) > _MOST_CELLS:
        raise InvalidData(f"the columns of the expression have {prod(sizes):,} combinations of levels, too many to count.")
    codes = np.column_stack([column.codes for column in columns])
    codes = codes[(codes >= 0).all(axis=1)]
    cells = np.ravel_multi_index(tuple(codes.T), tuple(sizes))
    names = tuple(column.name for column in columns)
    outcome = next(column for column in columns if column.name == y)
    worth = (
        np.arange(sizes[names.index(y)], dtype=np.float64) if is_binary(outcome) else np.array(outcome.points or range(len(outcome.levels)))
    )

    def mean(whole: Distribution, at: int) -> float:
        """The mean of the outcome with all treatments at one of their levels; of what makes no difference, the first value with rows."""
        part = whole.at({x: at for x in xs if x in whole.names})
        rest = [name for name in part.names if name != y]
        means = np.tensordot(part.over((*rest, y)).values, worth, axes=1)
        known = means[np.isfinite(means)]
        return float(known.flat[0]) if known.size else float("nan")

    def work(rows: NDArray[np.int64]) -> Values:
        counts = np.bincount(cells[rows], minlength=prod(sizes)).reshape(sizes)
        whole = expression.evaluate(Distribution(names, counts / len(rows)))
        return np.array([mean(whole, 1) - mean(whole, 0)])

    return len(codes), work


def _complete(values: Floats) -> Floats:
    return values[~np.isnan(values).any(axis=1)]


def _notes(treatments: Sequence[Column], outcome: Column, said: str, gaps: int) -> tuple[str, ...]:
    notes = [f"the error is that of {REPLICATES} tables drawn from the rows."]
    if gaps:
        notes.append(f"{counted(gaps, 'row')} with gaps in these columns were left out.")
    if said == "covariance":
        notes.append("relations are taken as linear.")
    if is_binary(outcome):
        notes.append(f"the effect is on the probability that {outcome.name} is {level_names(outcome)[1]}.")
    pairs = [(each.name, *level_names(each)) for each in treatments if is_binary(each)]
    return (*notes, *(f"the effect is that of {name} being {second} and not {first}." for name, first, second in pairs))
