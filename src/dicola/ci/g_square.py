"""Tests by counting, for categories: the likelihood ratio G² and Pearson's χ², summed over strata."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from dicola._kernels import contingency as kernel
from dicola._kernels.arrays import flat_rows
from dicola.allowed import checked
from dicola.ci.base import checked_alpha
from dicola.ci.by_evidence import Default, EvidenceTest, Measured, checked_default, critical_values
from dicola.ci.categories import coded, rows_by_level, usable
from dicola.ci.degenerate_gaussian import DegenerateGaussian
from dicola.ci.power import Strength, noncentrality_found
from dicola.graphs.skeleton import Variables
from dicola.tables.table import Table

_LONGEST = 5000  # degrees of freedom up to which critical values are kept in a table


class GSquare(EvidenceTest[kernel.Counts]):
    """Are counts those of independent variables? The likelihood-ratio test for categories.

    The rows fall into strata, one per combination of levels of what is held fixed; the statistic is
    the sum over the strata of ``2 · Σ N ln(N / E)``. A stratum has (r - 1)(c - 1) degrees of freedom,
    where r and c count the levels of x and of y that occur in it. Rows with a gap in x, y or what is
    held fixed are left out of that test alone.

    The null model: independent rows; within every stratum the levels of x and of y are drawn
    independently of each other, by whatever chances.

    Parameters
    ----------
    data : Table, DataFrame or array
        Categories. A column of numbers counts as categories if it has at most 20 different ones.
    alpha : float
        The level.
    min_rows : float
        Rows per degree of freedom, in strata that say something, without which nothing is tested.
    untestable : {"dependent", "independent"}
        What is answered where these rows are missing.
    determined : {"dependent", "independent"}
        What is answered where x or y is a function of what is held fixed, so that there is no
        degree of freedom.
    williams : bool
        Divide G² in each stratum by Williams' factor (1976), so that it keeps its level where rows are
        few. Without it a test of 600 rows given three variables of three levels rejected 40 % of true
        independences at the level 5 %, with it 1 %; but the factor is too large where levels are rare,
        and graphs of published networks were further from the truth with it.

    Raises
    ------
    InvalidData
        A column has one level only, or too many different numbers.
    InvalidSetting
        A setting is not allowed.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a, noise = rng.integers(3, size=(2, 600))
    >>> b = np.where(noise > 0, a, 0)
    >>> c = np.where(rng.random(600) < 0.7, b, rng.integers(3, size=600))
    >>> test = GSquare(np.column_stack([a, b, c]), alpha=0.01)
    >>> test("X1", "X3").independent, test("X1", "X3", ["X2"]).independent
    (False, True)

    """

    name: ClassVar[str] = "g_square"
    title: ClassVar[str] = "likelihood-ratio test on counts (G²)"
    reference: ClassVar[str] = "Spirtes, Glymour and Scheines (2000)"
    assumes: ClassVar[str] = "categories and independent rows, nothing else; needs rows for every combination that is held fixed"
    needs: ClassVar[str] = "columns of categories, or of at most 20 different numbers; rows with a gap are left out test by test"
    kinds: ClassVar[tuple[str, ...]] = ("nominal", "ordered", "binary")
    gaps: ClassVar[tuple[str, ...]] = ("testwise",)
    pearson: ClassVar[bool] = False

    strength: Strength = "cramer"
    codes: NDArray[np.int16]
    levels: NDArray[np.int64]

    @checked()
    def __init__(
        self,
        data: Table | ArrayLike | Any,
        alpha: float = 0.01,
        *,
        min_rows: float = 5.0,
        untestable: Default = "independent",
        determined: Default = "dependent",
        williams: bool = False,
    ) -> None:
        table = usable(data)
        self.codes, self.levels = coded(table)
        self._bits, self._places = rows_by_level(self.codes, self.levels)
        self.labels, self.names, self.n_samples = table.labels, table.names, table.n_samples
        self._usual_levels = self.levels  # also of a part of the variables
        self.alpha = checked_alpha(alpha)
        self.min_rows, self.williams = float(min_rows), bool(williams)
        self._defaults = checked_default("untestable", untestable), checked_default("determined", determined)
        self._freeze()

    def _freeze(self) -> None:
        for array in (self.codes, self.levels, self._bits, self._places):
            array.setflags(write=False)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Arrays come writeable out of a pickle or a copy; for these the kernels would be compiled once more."""
        vars(self).update(state)
        self._freeze()

    def _chosen(self, variables: NDArray[np.int64]) -> dict[str, Any]:
        levels, places = self.levels[variables], self._places[variables]
        lengths = np.where(places < 0, 0, levels)
        begins = np.cumsum(lengths) - lengths
        rows = np.repeat(places - begins, lengths) + np.arange(lengths.sum())
        chosen: dict[str, NDArray[Any]] = {"codes": self.codes[variables], "levels": levels}
        chosen |= {"_bits": self._bits[rows], "_places": np.where(places < 0, -1, begins)}
        for array in chosen.values():
            array.setflags(write=False)
        return chosen

    def evidence_at(self, alpha: float) -> kernel.Counts:
        rows = np.arange(self.n_samples + 1, dtype=np.float64)
        logs = rows * np.log(np.maximum(rows, 1.0))
        logs.setflags(write=False)
        wide = np.sort(self.levels - 1)[-2:].prod()
        testable = self.n_samples / self.min_rows if self.min_rows else np.inf
        largest = int(min(testable, wide * self.n_samples, _LONGEST))
        critical, quantile = critical_values(alpha, largest), float(-ndtri(alpha))
        has_gaps = bool((self.codes < 0).any())
        return kernel.Counts(
            self.codes,
            self.levels,
            self._bits,
            self._places,
            logs,
            critical,
            quantile,
            has_gaps,
            self.pearson,
            self.williams and not self.pearson,
            self.min_rows,
            self._defaults,
            self.tally,
        )

    def as_blocks(self) -> DegenerateGaussian:
        """The test of blocks of indicators on the same rows, which needs fewer of them; where there are gaps, by maximum likelihood."""
        return DegenerateGaussian.from_codes(self.codes, self.levels, self.labels, self.alpha)

    def blocks(self) -> tuple[NDArray[np.float64], int, NDArray[np.int64]]:
        """The covariance of indicators, the number of rows behind it, and how many columns each variable has: what a score needs."""
        return self.as_blocks().blocks()

    def measure_pairs(self, x: NDArray[np.int64], y: NDArray[np.int64], sets: Sequence[Variables]) -> Measured:
        statistics, numbers = kernel.tables_of(self.evidence, x, y, *flat_rows(sets))
        return Measured(statistics, *numbers)

    def rows_to_condition_on(self, size: int) -> int:
        return rows_needed(self._usual_levels, size, self.min_rows)

    def is_weak_given(self, size: int) -> bool:
        return self.n_samples < 2 * self.rows_to_condition_on(size)

    def usual_freedom(self, size: int) -> int:
        """Of two variables with as many levels as the mean (of their logarithms), in all strata of as many others."""
        usual = self._usual_number()
        return max(round((usual - 1) ** 2 * min(usual**size, 1e9)), 1)

    def detectable(self, size: int, alpha: float | None = None) -> float | None:
        """Cramér's V of two usual variables, the same in every stratum."""
        freedom = self.usual_freedom(size)
        if self.n_samples < max(self.min_rows, 1.0) * freedom:
            return None
        distance = noncentrality_found(self.alpha if alpha is None else alpha, freedom)
        found = sqrt(distance / self.n_samples / max(self._usual_number() - 1, 1.0))
        return found if found < 1 else None

    def _usual_number(self) -> float:
        return exp(float(np.log(np.maximum(self._usual_levels, 2)).mean()))

    def settings(self) -> dict[str, Any]:
        words = {True: "dependent", False: "independent"}
        untestable, determined = (words[default] for default in self._defaults)
        return {
            "alpha": self.alpha,
            "min_rows": self.min_rows,
            "untestable": untestable,
            "determined": determined,
            "williams": self.williams,
        }


def rows_needed(levels: NDArray[Any], size: int, min_rows: float = 5.0) -> int:
    """How many rows a test of two usual variables takes given so many others, by the levels of all.

    >>> rows_needed(np.array([2, 2, 2]), 3), rows_needed(np.array([4, 4]), 1)
    (41, 181)
    """
    usual = float(np.log(np.maximum(levels, 2)).mean())
    return round(max(min_rows, 1.0) * (exp(usual) - 1) ** 2 * exp(min(size * usual, 40.0))) + 1


class ChiSquare(GSquare):
    """Pearson's χ² on counts: as ``GSquare``, with the statistic ``Σ (N - E)² / E``.

    It keeps its level better than G² where counts are small.

    Parameters
    ----------
    data, alpha, min_rows, untestable, determined
        As in ``GSquare``.

    """

    name: ClassVar[str] = "chi_square"
    title: ClassVar[str] = "Pearson's chi-squared test on counts"
    reference: ClassVar[str] = "Pearson (1900)"
    pearson: ClassVar[bool] = True
    gaps: ClassVar[tuple[str, ...]] = GSquare.gaps

    @checked()
    def __init__(
        self,
        data: Table | ArrayLike | Any,
        alpha: float = 0.01,
        *,
        min_rows: float = 5.0,
        untestable: Default = "independent",
        determined: Default = "dependent",
    ) -> None:
        super().__init__(data, alpha, min_rows=min_rows, untestable=untestable, determined=determined)

    def settings(self) -> dict[str, Any]:
        return {name: value for name, value in super().settings().items() if name != "williams"}
