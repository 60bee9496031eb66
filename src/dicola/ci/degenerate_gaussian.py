"""Tests of blocks of columns: the degenerate Gaussian for mixed tables, and its extension by polynomials."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dicola._kernels import blocks as kernel
from dicola._kernels.arrays import Rows, flat_rows
from dicola._kernels.block_blankets import Rule, block_blankets
from dicola.allowed import checked, whole
from dicola.ci.base import checked_alpha
from dicola.ci.by_evidence import Default, EvidenceTest, Measured, checked_default, critical_values
from dicola.ci.categories import usable
from dicola.ci.columns import RARE, Columns, columns_of, columns_of_codes
from dicola.ci.gaussian import COLLINEAR, correlation_of, inverse_of, standardised
from dicola.ci.power import Strength, smallest_between_blocks
from dicola.ci.questions import Adjacency, Answered
from dicola.errors import InvalidData, Sentence, counted, not_allowed
from dicola.graphs.marks import listed
from dicola.graphs.skeleton import Variables
from dicola.tables.gaps import effective_rows, moments
from dicola.tables.table import Table

Floats = NDArray[np.float64]
_RIDGE = 1e-6  # added to the variances where some columns determine another


class DegenerateGaussian(EvidenceTest[kernel.Blocks]):
    """Are blocks of columns independent? The test for tables of numbers and categories.

    A variable with c levels becomes a block of c - 1 indicator columns, a continuous one is a block
    of one. Blocks are tested as if all columns were Gaussian: the likelihood ratio of their
    covariances given those of what is held fixed, with Bartlett's correction. One covariance matrix
    serves all tests. Levels with fewer than 5 rows are taken together; where columns determine each
    other, their variances are raised by a millionth.

    The null model: every column of x, or every column of y, is a linear function of the columns
    held fixed and of noise with the same variance everywhere. Two categories that depend on a
    continuous variable are no such thing, and are easily called dependent given it;
    ``BasisFunction`` and ``ConditionalGaussian`` are better there.

    Parameters
    ----------
    data : Table, DataFrame or array
        Numbers, categories or both, without gaps.
    alpha : float
        The level.
    untestable : {"dependent", "independent"}
        What is answered where there are too few rows to condition on so many columns.
    missing : {"error", "em"}
        Gaps are refused, or the covariance is the most likely one for rows with gaps, and
        ``n_samples`` is the number of complete rows that would tell as much.

    Raises
    ------
    InvalidData
        The table has gaps, or a column is constant.
    InvalidSetting
        A setting is not allowed.

    Examples
    --------
    >>> import pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> group = rng.integers(3, size=500)
    >>> weight = group + rng.normal(size=500)
    >>> frame = pd.DataFrame({"group": np.array(["a", "b", "c"])[group], "weight": weight, "height": weight + rng.normal(size=500)})
    >>> test = DegenerateGaussian(frame, alpha=0.01)
    >>> test("group", "height").independent, test("group", "height", ["weight"]).independent
    (False, True)

    """

    name: ClassVar[str] = "degenerate_gaussian"
    title: ClassVar[str] = "likelihood-ratio test of blocks of indicator columns"
    reference: ClassVar[str] = "Andrews, Ramsey and Cooper (2019)"
    assumes: ClassVar[str] = "linear relations between numbers and indicators of levels, independent rows"
    needs: ClassVar[str] = "a table of numbers and categories; gaps only with missing='em'"
    kinds: ClassVar[tuple[str, ...]] = ("continuous", "nominal", "ordered", "binary")
    gaps: ClassVar[tuple[str, ...]] = ("em",)

    strength: Strength = "share"
    covariance: Floats
    begins: NDArray[np.int64]
    curves: NDArray[np.int64]
    followed: NDArray[np.bool_]
    degree: int = 1

    @checked()
    def __init__(
        self, data: Table | ArrayLike | Any, alpha: float = 0.01, *, untestable: Default = "dependent", missing: str = "error"
    ) -> None:
        self._set_up(usable(data), alpha, untestable, missing)

    def _set_up(self, table: Table, alpha: float, untestable: Default, missing: str) -> None:
        if missing not in ("error", "em"):
            raise not_allowed("missing", missing, "this test takes 'error' or 'em'.")
        if table.n_samples < 5:
            raise InvalidData(
                f"the table has {counted(table.n_samples, 'row')}; this test needs at least 5, and many more to find anything."
            )
        columns = columns_of(table, self.degree, gaps=missing == "em")
        self.labels, self.names, self.n_samples = table.labels, table.names, table.n_samples
        self.alpha, self._untestable = checked_alpha(alpha), checked_default("untestable", untestable)
        self._measure(columns, ~np.isnan(table.values))

    def _measure(self, columns: Columns, present: NDArray[np.bool_]) -> None:
        """Keep the covariance of the columns, and what may be asked of it; ``present`` says which cells of the table have no gap."""
        self.begins, self.curves = columns.begins, columns.curves
        if np.isnan(columns.values).any():
            self.covariance = standardised(moments(columns.values).covariance)
            self.n_samples = max(effective_rows(present), 5)
        else:
            self.covariance = correlation_of(columns.values)
        self.pooled = columns.pooled
        self.followed = followed_columns(self.covariance, self.begins, self.curves, self.n_samples)
        self.has_ridge = self.n_samples > len(self.covariance) + 1 and _is_singular(self.covariance)
        if self.has_ridge:
            self.covariance = (self.covariance + _RIDGE * np.eye(len(self.covariance))) / (1 + _RIDGE)
        self._freeze()

    @classmethod
    def from_codes(cls, codes: NDArray[np.int16], levels: NDArray[np.int64], labels: Sequence[str], alpha: float = 0.01) -> Self:
        """The test on categories by their codes.

        Parameters
        ----------
        codes : matrix of int
            A row per variable, an entry per row of the table: the number of its level, or -1 for a gap.
        levels : array of int
            How many levels each variable has.
        labels : sequence of str
            The variables, in the order of the codes.
        alpha : float
            The level.

        """
        test = cls.__new__(cls)
        test.labels = test.names = tuple(labels)
        test.n_samples, test.alpha, test._untestable = codes.shape[1], checked_alpha(alpha), True
        test._measure(columns_of_codes(codes, levels, labels), (codes >= 0).T)
        return test

    def _freeze(self) -> None:
        for array in (self.covariance, self.begins, self.curves):
            array.setflags(write=False)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Arrays come writeable out of a pickle or a copy; for these the kernels would be compiled once more."""
        vars(self).update(state)
        self._freeze()

    @property
    def widths(self) -> NDArray[np.int64]:
        """How many columns each variable has."""
        return np.diff(self.begins)

    def blocks(self) -> tuple[Floats, int, NDArray[np.int64]]:
        """The covariance of columns, the number of rows behind it, and how many columns each variable has: what a score needs.

        Curves that nothing follows are left out: in a score each would make every edge dearer.
        """
        if self.followed.all():
            return self.covariance, self.n_samples, self.widths
        widths = np.add.reduceat(self.followed, self.begins[:-1], dtype=np.int64)
        return self.covariance[np.ix_(self.followed, self.followed)], self.n_samples, widths

    def _chosen(self, variables: NDArray[np.int64]) -> dict[str, Any]:
        columns = self._columns(variables)
        begins = np.cumsum([0, *self.widths[variables]], dtype=np.int64)
        curves = begins[:-1] + (self.curves - self.begins[:-1])[variables]
        chosen: dict[str, NDArray[Any]] = {
            "covariance": self.covariance[np.ix_(columns, columns)],
            "begins": begins,
            "curves": curves,
            "followed": self.followed[columns],
        }
        for array in chosen.values():
            array.setflags(write=False)
        return chosen

    def _columns(self, variables: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.array([c for v in variables for c in range(self.begins[v], self.begins[v + 1])], dtype=np.int64)

    def evidence_at(self, alpha: float) -> kernel.Blocks:
        critical = critical_values(alpha, self._largest_freedom)
        return kernel.Blocks(self.covariance, self.begins, self.curves, float(self.n_samples), critical, self._untestable, self.tally)

    @property
    def _largest_freedom(self) -> int:
        """The degrees of freedom of the two widest variables."""
        return int(np.sort(self.widths)[-2:].prod())

    def measure_pairs(self, x: NDArray[np.int64], y: NDArray[np.int64], sets: Sequence[Variables]) -> Measured:
        statistics, freedoms = kernel.ratios_of(self.evidence, x, y, *flat_rows(sets))
        defaults = np.where(freedoms < 0, int(self._untestable), np.where(freedoms == 0, 0, -1))
        return Measured(statistics, freedoms, np.full(len(sets), self.n_samples), defaults)

    def given_rest(self, alpha: float, inside: NDArray[np.int64]) -> Adjacency | None:
        inverse = inverse_of(self.covariance)
        if inverse is None or not np.isfinite(np.diag(inverse)).all():
            return None
        return np.asarray(kernel.related_blocks(inverse, self.evidence_at(alpha), inside))

    def grown_blankets(self, targets: NDArray[np.int64], starts: Rows, levels: Sequence[float], most: int) -> Answered[Adjacency] | None:
        if type(self).measure_pairs is not DegenerateGaussian.measure_pairs:
            return None
        first, further = (critical_values(level, self._largest_freedom) for level in levels)
        found, tests = block_blankets(self.evidence, targets, Rule(first, further, most), *starts)
        return found, int(tests)

    def rows_to_condition_on(self, size: int) -> int:
        columns = np.sort(self.widths)[::-1]
        return int(columns[: size + 2].sum()) + 4

    def is_weak_given(self, size: int) -> bool:
        left = self.n_samples - self.rows_to_condition_on(size)
        return left < 50 or (self.n_samples < 2 * self.rows_to_condition_on(size) and left < 1000)

    def usual_freedom(self, size: int) -> int:
        """Pairs of columns, but those of two curves, of two variables that have as many columns as the mean."""
        mean, main = float(self.widths.mean()), float((self.curves - self.begins[:-1]).mean())
        return max(round(main * (2 * mean - main)), 1)

    def detectable(self, size: int, alpha: float | None = None) -> float | None:
        """The root of the share of variance that a variable explains of another, both with as many columns as the mean."""
        mean = float(self.widths.mean())
        factor = self.n_samples - 1 - size * mean - (2 * mean + 1) / 2
        freedom = self.usual_freedom(size)
        return smallest_between_blocks(self.alpha if alpha is None else alpha, freedom, factor) if factor > freedom else None

    def notes(self) -> tuple[str, ...]:
        together = Sentence("levels of {names} that have fewer than {rare} rows are taken together.", names=listed(self.pooled), rare=RARE)
        raised = "some columns are determined by others; all variances were raised by a millionth, so that they can be tested."
        return (*((together,) if self.pooled else ()), *((raised,) if self.has_ridge else ()))

    def settings(self) -> dict[str, Any]:
        return {"alpha": self.alpha, "untestable": "dependent" if self._untestable else "independent"}


def followed_columns(covariance: Floats, begins: NDArray[np.int64], curves: NDArray[np.int64], n_samples: int) -> NDArray[np.bool_]:
    """The main columns, and the curves that a main column of another variable follows beyond doubt.

    That is judged given the main column of the curve's own variable, which is one: a straight line follows no curve.
    """
    owner = np.repeat(np.arange(len(curves)), np.diff(begins))
    is_main = np.arange(len(covariance)) < curves[owner]
    found, pairs = is_main.copy(), max(len(curves) * (len(curves) - 1) / 2, 1)
    share = -np.expm1(-(log(n_samples) + 2 * log(pairs)) / n_samples)  # of the variance that is left
    bent = np.flatnonzero(~is_main)
    own = begins[owner[bent]]
    straight = covariance[own]
    left = np.maximum(1.0 - straight**2, COLLINEAR)  # of each column, where that of the curve's variable is known
    along = np.take_along_axis(straight, bent[:, None], axis=1)
    squares = (covariance[bent] - along * straight) ** 2 / (left * np.take_along_axis(left, bent[:, None], axis=1))
    found[bent] = ((squares > share) & is_main & (owner != owner[bent][:, None])).any(axis=1)
    return found


def _is_singular(covariance: Floats) -> bool:
    inverse = inverse_of(covariance)
    return inverse is None or not bool((np.diag(inverse) < 1 / COLLINEAR).all())


class BasisFunction(DegenerateGaussian):
    """The degenerate Gaussian with curves of the continuous columns: it sees smooth non-linear relations.

    A continuous column becomes a block: the column itself, and Hermite polynomials of its normal
    scores from degree 2 to ``degree``. What depends on a column by a curve is then found, and is
    explained away when that column is held fixed. Curves of x are compared with y, and curves of y
    with x, but curves of both not with each other: a square has no plain noise.

    The null model: x and y are sums of curves, up to the degree, of what is held fixed and of noise
    with the same variance everywhere, or at least one of them is that and the other depends on
    nothing that is held fixed.

    Parameters
    ----------
    data : Table, DataFrame or array
        Numbers, categories or both, without gaps.
    alpha : float
        The level.
    degree : int
        The highest degree of a curve, at least 1; 1 is the degenerate Gaussian.
    untestable : {"dependent", "independent"}
        What is answered where there are too few rows to condition on so many columns.
    missing : {"error", "em"}
        Gaps are refused, or the covariance is the most likely one for rows with gaps, and
        ``n_samples`` is the number of complete rows that would tell as much.

    Raises
    ------
    InvalidData
        The table has gaps, or a column is constant.
    InvalidSetting
        A setting is not allowed.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a, noise = rng.normal(size=(2, 400))
    >>> table = np.column_stack([a, a**2 + noise])
    >>> BasisFunction(table)("X1", "X2").independent, DegenerateGaussian(table)("X1", "X2").independent
    (False, True)

    """

    name: ClassVar[str] = "basis_function"
    title: ClassVar[str] = "likelihood-ratio test of blocks of curves and indicator columns"
    reference: ClassVar[str] = "Ramsey and Andrews (2025)"
    assumes: ClassVar[str] = "smooth relations between numbers, indicators of levels, independent rows"
    gaps: ClassVar[tuple[str, ...]] = ("em",)

    @checked(degree=whole("it must be a whole number from 1 to 10.", 1, 10))
    def __init__(
        self,
        data: Table | ArrayLike | Any,
        alpha: float = 0.01,
        *,
        degree: int = 3,
        untestable: Default = "dependent",
        missing: str = "error",
    ) -> None:
        self.degree = degree
        self._set_up(usable(data), alpha, untestable, missing)

    def settings(self) -> dict[str, Any]:
        return {**super().settings(), "degree": self.degree}
