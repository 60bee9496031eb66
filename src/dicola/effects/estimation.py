"""The size of an effect from rows, once a set to hold fixed is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, Final, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from dicola.allowed import check
from dicola.effects.variance import asymptotic_variance
from dicola.errors import InvalidData, counted, not_allowed
from dicola.tables.columns import Column
from dicola.tables.table import Table

Floats = NDArray[np.float64]
Method = Literal["auto", "gaussian", "robust", "doubly-robust"]
METHODS: Final[tuple[str, ...]] = get_args(Method)
_FOLDS: Final = 5
_CLIPPED: Final = 0.01  # propensities nearer than this to 0 or 1 are moved to it
_FEW: Final = 10  # rows of either treatment that a fold needs


@dataclass(frozen=True)
class Estimate:
    """The size of an effect with its error, for a set that was held fixed.

    Attributes
    ----------
    given : tuple of str
        What was held fixed.
    value : float
        By how much the mean of the outcome changes, per unit of the treatment; for a binary
        treatment, from its first level to its second.
    error : float
        The standard error.
    interval : pair of float
        The confidence interval.
    level : float
        Its level, such as 0.95.
    method : {"gaussian", "robust", "doubly-robust", "covariance", "plug-in"}
        How it was estimated; the last two by an expression beyond adjustment.
    n_rows : int
        The rows that were used: those without gaps in the columns that matter.
    t_value, df : float or None, int or None
        The t statistic and the degrees of freedom of the regression, for the robustness value.
    notes : tuple of str
        What to know before it is believed.

    """

    given: tuple[str, ...]
    value: float
    error: float
    interval: tuple[float, float]
    level: float
    method: str
    n_rows: int
    t_value: float | None = None
    df: int | None = None
    notes: tuple[str, ...] = ()

    def robustness_value(self, share: float = 1.0, level: float | None = None) -> float | None:
        """How strong a further hidden cause would have to be to explain the effect away.

        The share of what is left of treatment and outcome (once the set is held fixed) that it
        would have to explain, of both alike. With f = share · abs(t) / √df,

            RV = ½ (√(f⁴ + 4 f²) − f²),

        and with a ``level`` the cause only has to make the interval of that level reach zero:
        then f = share · abs(t) / √df − q / √(df − 1), where q is the quantile of the t distribution
        with df − 1 degrees of freedom, and RV = 0 where f is negative (Cinelli and Hazlett 2020,
        equations 18 and 19).

        Parameters
        ----------
        share : float
            The part of the effect that is to be explained away: 1 is all of it.
        level : float, optional
            The level of the interval that is to reach zero.

        Returns
        -------
        float or None
            Between 0 and 1; ``None`` for a doubly robust estimate, which has no t statistic.

        """
        if self.t_value is None or self.df is None:
            return None
        f = share * abs(self.t_value) / sqrt(self.df)
        if level is not None:
            f -= float(stdtrit(self.df - 1, (1 + level) / 2)) / sqrt(self.df - 1) if self.df > 1 else f
        return 0.0 if f <= 0 else (sqrt(f**4 + 4 * f**2) - f**2) / 2


class _Rows(NamedTuple):
    """Treatment, outcome and what is held fixed, as numbers, without gaps."""

    treatment: Floats
    outcome: Floats
    fixed: Floats
    is_binary: bool
    outcome_is_binary: bool
    notes: tuple[str, ...]


def estimate(
    table: Table, x: str, y: str, given: Sequence[str], *, method: Method = "auto", level: float = 0.95, seed: int = 0
) -> Estimate:
    """The effect of x on y from some rows, with a set held fixed.

    Parameters
    ----------
    table : Table
        Rows; nominal columns are held fixed level by level.
    x, y : str
        The treatment and the outcome; each a number or of two levels.
    given : sequence of str
        An adjustment set.
    method : {"auto", "gaussian", "robust", "doubly-robust"}
        ``"gaussian"``: the closed form for jointly Gaussian variables, from their covariance.
        ``"robust"``: linear regression with errors that allow for unequal variances (HC3).
        ``"doubly-robust"``: for a binary treatment, outcome and treatment both modelled, each on
        other rows than it is used on (AIPW with cross-fitting). ``"auto"``: the last for a binary
        treatment where both levels have rows enough, else the second.
    level : float
        Of the interval.
    seed : int
        For the folds of the doubly robust estimate.

    Raises
    ------
    InvalidData
        Where a column is of a kind that has no such effect, or rows are too few.

    """
    check_choice(method, level)
    rows = _rows(table, x, y, given)
    n = len(rows.treatment)
    if n - rows.fixed.shape[1] < 3:
        raise InvalidData(f"{counted(n, 'row')} without gaps are too few to estimate the effect of {x} on {y}.")
    if method == "doubly-robust" and not rows.is_binary:
        raise InvalidData(f"method='doubly-robust' is for a treatment of two levels; {x} has more. Take method='robust'.")
    counts = np.bincount(rows.treatment.astype(np.intp), minlength=2) if rows.is_binary else np.zeros(2)
    enough = bool((counts >= _FEW * _FOLDS).all())
    if method == "doubly-robust" and not enough:
        raise InvalidData(
            f"each of the two levels of {x} needs {_FEW * _FOLDS} rows for method='doubly-robust'; they have {counts.tolist()}."
        )
    if method == "doubly-robust" or (method == "auto" and rows.is_binary and enough):
        found = _doubly_robust(rows, level, seed)
    else:
        found = _regression(rows, x, robust=method != "gaussian", level=level)
    return replace(found, given=tuple(given), notes=(*rows.notes, *found.notes))


def check_choice(method: str, level: float) -> None:
    """Refuse what is no method or no level."""
    if method not in METHODS:
        raise not_allowed("method", method, f"it may be {', '.join(map(repr, METHODS))}.")
    check("level", level)


def check_ends(table: Table, x: str, y: str) -> None:
    """Refuse a treatment or outcome that is no number and has other than two levels."""
    place = {column.name: column for column in table.columns}
    for name, role in ((x, "treatment"), (y, "outcome")):
        if name not in place:
            raise InvalidData(f"the table has no column {name!r}, which the graph has.")
        column = place[name]
        if not (column.is_numeric or column.kind == "binary"):
            raise InvalidData(
                f"{column.name} is {column.kind}: a number for the effect would depend on how its levels are numbered. "
                f"Choose two levels, or an indicator of one, as the {role}."
            )


def numeric_covariance(table: Table, names: Sequence[str]) -> Floats | None:
    """The covariance of some columns from rows without gaps; ``None`` where one is no number, or rows are too few."""
    place = {column.name: column for column in table.columns}
    if not all(name in place and (place[name].is_numeric or place[name].kind == "binary") for name in names):
        return None
    values = np.column_stack([numbers(place[name]) for name in names])
    values = values[~np.isnan(values).any(axis=1)]
    return np.atleast_2d(np.cov(values, rowvar=False)) if len(values) > len(names) + 2 else None


def _regression(rows: _Rows, x: str, *, robust: bool, level: float) -> Estimate:
    """The coefficient of the treatment: by the closed form of a Gaussian, its error too, or with an error by HC3."""
    n = len(rows.treatment)
    basis = _basis(np.column_stack([np.ones(n), rows.fixed]))
    left = rows.treatment - basis @ (basis.T @ rows.treatment)
    strength, df = float(left @ left), n - basis.shape[1] - 1
    if strength <= 1e-12 * max(float(rows.treatment @ rows.treatment), 1e-300):
        raise InvalidData(f"{x} does not vary once the set is held fixed, so its effect cannot be estimated.")
    if df < 1:
        raise InvalidData(f"{counted(n, 'row')} without gaps are too few to estimate the effect of {x}.")
    other = rows.outcome - basis @ (basis.T @ rows.outcome)
    value = float(left @ other) / strength
    residual = other - value * left
    plain = sqrt(float(residual @ residual) / df / strength)
    error = _hc3(basis, left, residual) if robust else _gaussian_error(rows, df)
    reach = float(stdtrit(df, (1 + level) / 2)) * error
    t_value = value / plain if plain > 0 else None
    method = "robust" if robust else "gaussian"
    return Estimate((), value, error, (value - reach, value + reach), level, method, n, t_value, df)


def _gaussian_error(rows: _Rows, df: int) -> float:
    """√(σ(yy | x, z) / (σ(xx | z) · df)), from the covariance alone."""
    stacked = np.column_stack([rows.treatment, rows.outcome, rows.fixed])
    centred = stacked - stacked.mean(axis=0)
    covariance = centred.T @ centred
    given = list(range(2, stacked.shape[1]))
    variance = asymptotic_variance(covariance, 0, 1, given)
    return sqrt(max(variance, 0.0) / df)


def _hc3(basis: Floats, left: Floats, residual: Floats) -> float:
    """The standard error that allows for unequal variances (MacKinnon and White 1985): residuals over 1 minus their leverage."""
    strength = float(left @ left)
    leverage = np.einsum("ij,ij->i", basis, basis) + left**2 / strength
    freed = residual / np.maximum(1 - leverage, 1e-10)
    return float(np.sqrt(((left * freed) ** 2).sum()) / strength)


def _doubly_robust(rows: _Rows, level: float, seed: int) -> Estimate:
    """The mean of μ₁ − μ₀ + a (y − μ₁) / e − (1 − a) (y − μ₀) / (1 − e), every model fitted on the other folds (AIPW)."""
    from sklearn.model_selection import StratifiedKFold

    treated = rows.treatment == 1
    scores = np.empty(len(treated))
    clipped = 0
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=seed)
    for others, own in folds.split(rows.fixed, treated):
        chance = _chance(rows.fixed[others], treated[others], rows.fixed[own])
        clipped += int(((chance < _CLIPPED) | (chance > 1 - _CLIPPED)).sum())
        chance = np.clip(chance, _CLIPPED, 1 - _CLIPPED)
        means = [_mean(rows, others[treated[others] == arm], own) for arm in (False, True)]
        outcome, weight = rows.outcome[own], np.where(treated[own], 1 / chance, -1 / (1 - chance))
        scores[own] = means[1] - means[0] + weight * (outcome - np.where(treated[own], means[1], means[0]))
    value, error = float(scores.mean()), float(scores.std(ddof=1) / sqrt(len(scores)))
    reach = float(ndtri((1 + level) / 2)) * error
    notes = (f"{counted(clipped, 'row')} had a chance of treatment near 0 or 1, where little can be compared.",) if clipped else ()
    return Estimate((), value, error, (value - reach, value + reach), level, "doubly-robust", len(scores), notes=notes)


def _chance(fixed: Floats, treated: NDArray[np.bool_], at: Floats) -> Floats:
    from sklearn.linear_model import LogisticRegression

    if not fixed.shape[1]:
        return np.full(len(at), treated.mean())
    return np.asarray(_scaled(LogisticRegression(max_iter=1000)).fit(fixed, treated).predict_proba(at)[:, 1])


def _mean(rows: _Rows, others: NDArray[np.intp], own: NDArray[np.intp]) -> Floats:
    """The mean of the outcome among some rows, at what is held fixed in others."""
    from sklearn.linear_model import LinearRegression, LogisticRegression

    outcome, fixed = rows.outcome[others], rows.fixed[others]
    if not fixed.shape[1] or (outcome == outcome[0]).all():
        return np.full(len(own), outcome.mean())
    if rows.outcome_is_binary:
        return np.asarray(_scaled(LogisticRegression(max_iter=1000)).fit(fixed, outcome).predict_proba(rows.fixed[own])[:, 1])
    return np.asarray(LinearRegression().fit(fixed, outcome).predict(rows.fixed[own]))


def _scaled(model: Any) -> Any:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), model)


def _basis(columns: Floats) -> Floats:
    """An orthonormal basis of what some columns span, copies and functions of others left out."""
    from scipy.linalg import qr

    scaled = columns / np.maximum(np.sqrt(np.einsum("ij,ij->j", columns, columns)), 1e-300)
    q, r, _ = qr(scaled, mode="economic", pivoting=True)
    return np.asarray(q[:, np.abs(np.diag(r)) > 1e-10])


def _rows(table: Table, x: str, y: str, given: Sequence[str]) -> _Rows:
    check_ends(table, x, y)
    place = {column.name: column for column in table.columns}
    treatment, outcome = place[x], place[y]
    for name in given:
        if name not in place:
            raise InvalidData(f"the table has no column {name!r}, which the graph has.")
        if place[name].kind in ("date", "text", "identifier"):
            raise InvalidData(f"{name} is a column of the kind {place[name].kind}, which cannot be held fixed; encode it first.")
    stacked = [numbers(treatment), numbers(outcome), *(part for name in given for part in _fixed(place[name]))]
    values = np.column_stack(stacked)
    complete = np.asarray(~np.isnan(values).any(axis=1))
    values = values[complete]
    return _Rows(
        values[:, 0], values[:, 1], values[:, 2:], is_binary(treatment), is_binary(outcome), tuple(_told(treatment, outcome, complete))
    )


def _told(treatment: Column, outcome: Column, complete: NDArray[np.bool_]) -> list[str]:
    notes = []
    if not complete.all():
        notes.append(f"{counted(int((~complete).sum()), 'row')} with gaps in these columns were left out.")
    notes += [f"{each.name} is a grade: its steps are taken as equal." for each in (treatment, outcome) if each.kind == "ordered"]
    if is_binary(outcome):
        notes.append(f"the effect is on the probability that {outcome.name} is {level_names(outcome)[1]}.")
    if is_binary(treatment):
        notes.append(f"the effect is that of {treatment.name} being {level_names(treatment)[1]} and not {level_names(treatment)[0]}.")
    return notes


def level_names(column: Column) -> tuple[str, str]:
    """The two levels of a binary column."""
    return (column.levels[0], column.levels[1]) if len(column.levels) == 2 else ("0", "1")


def is_binary(column: Column) -> bool:
    """Has a column two levels?"""
    return column.kind == "binary"


def numbers(column: Column) -> Floats:
    """The values, those of a binary column as 0 and 1."""
    if not is_binary(column):
        return column.values
    codes = column.codes.astype(np.float64)
    return np.where(codes < 0, np.nan, codes)


def _fixed(column: Column) -> list[Floats]:
    """What to regress on to hold a column fixed: itself, or an indicator of each level but the first."""
    if column.is_numeric or column.kind == "binary":
        return [numbers(column)]
    codes = column.codes
    gap = np.where(codes < 0, np.nan, 0.0)
    used = np.unique(codes[codes >= 0])
    return [gap + (codes == level) for level in used[1:]]
