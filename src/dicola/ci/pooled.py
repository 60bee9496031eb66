"""One answer from several fillings of the same gaps (Rubin 1987; Li, Meng, Raghunathan and Rubin 1991)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc, ndtri, stdtr

from dicola.ci.base import CITest
from dicola.ci.fisher_z import FisherZ
from dicola.errors import NeedsData
from dicola.graphs.skeleton import Variables

_TINY = 1e-300
_NEARLY_ONE = 1.0 - 1e-15


class Pooled(CITest):
    """The same test on several tables that differ in what was filled into gaps.

    Of Fisher's z the transformed correlations are pooled by Rubin's rules. Of other tests there are only p-values: they are turned into
    squared normal scores and pooled by the rule D2 of Li et al.: their mean, less what the fillings disagree about, against an F
    distribution whose second degree of freedom falls with that disagreement. Its level is right for small p-values; large ones are 1.

    Parameters
    ----------
    tests : sequence of CITest
        One per filling, over the same variables at the same level.
    effective : int
        As many complete rows tell about as much, for scores on the pooled correlations.

    """

    def __init__(self, tests: Sequence[CITest], effective: int) -> None:
        self.tests, self.effective = tuple(tests), effective
        first = self.tests[0]
        self.labels, self.names, self.alpha, self.n_samples = first.labels, first.names, first.alpha, first.n_samples
        self.is_slow, self.recorded_as = first.is_slow, type(first).__name__
        self.strength = first.strength

    def p_values(self, x: int, y: int, sets: Sequence[Variables]) -> NDArray[np.float64]:
        of_correlations = [test for test in self.tests if isinstance(test, FisherZ)]
        if len(of_correlations) < len(self.tests):
            return pooled(np.array([test.p_values(x, y, sets) for test in self.tests]))
        freedom = np.maximum([of_correlations[0].n_samples - len(z) - 3 for z in sets], 0)
        r = np.array([[test.partial_correlation(x, y, z) for z in sets] for test in of_correlations])
        return pooled_scores(np.arctanh(np.clip(r, -_NEARLY_ONE, _NEARLY_ONE)) * np.sqrt(freedom))

    def among(self, variables: Sequence[int] | NDArray[np.int64]) -> Self:
        return type(self)([test.among(variables) for test in self.tests], self.effective)

    def rows_to_condition_on(self, size: int) -> int:
        return self.tests[0].rows_to_condition_on(size)

    def is_weak_given(self, size: int) -> bool:
        return self.tests[0].is_weak_given(size)

    def detectable(self, size: int, alpha: float | None = None) -> float | None:
        return self.tests[0].detectable(size, alpha)

    def usual_freedom(self, size: int) -> int:
        return self.tests[0].usual_freedom(size)

    def samples(self) -> NDArray[np.float64]:
        return self.tests[0].samples()

    def without_rows(self) -> Self:
        return type(self)([test.without_rows() for test in self.tests], self.effective)

    def notes(self) -> tuple[str, ...]:
        return self.tests[0].notes()

    def settings(self) -> dict[str, Any]:
        return self.tests[0].settings()

    def __getattr__(self, name: str) -> Any:
        # Only tests on correlations have some to pool, and scores ask for them by this name.
        if name == "correlations" and hasattr(self.tests[0], name):
            return self._correlations
        raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")

    def _correlations(self) -> tuple[NDArray[np.float64], int]:
        found = [getattr(test, "correlations", _no_correlations)() for test in self.tests]
        return np.asarray(np.mean([matrix for matrix, _ in found], axis=0)), self.effective


def _no_correlations() -> tuple[NDArray[np.float64], int]:
    raise NeedsData("the test carries no correlations.")


def pooled_scores(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """P-values from scores of variance 1, one row per filling, by Rubin's rules.

    >>> pooled_scores(np.array([[2.0, 2.0], [2.0, 4.0], [2.0, 0.0]])).round(3).tolist()
    [0.046, 0.488]
    """
    m = len(scores)
    excess = (1 + 1 / m) * scores.var(axis=0, ddof=1)
    freedom = np.minimum((m - 1) * (1 + 1 / np.maximum(excess, 1e-9)) ** 2, 1e9)
    return np.asarray(2 * stdtr(freedom, -np.abs(scores.mean(axis=0)) / np.sqrt(1 + excess)))


def pooled(p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """One p-value per column from several of them, one per filling.

    >>> pooled(np.array([[0.04, 0.001], [0.04, 0.003], [0.04, 0.01]])).round(3).tolist()
    [0.04, 0.009]
    """
    m = len(p_values)
    scores = -ndtri(np.clip(p_values, _TINY, 1.0) / 2)
    excess = (1 + 1 / m) * scores.var(axis=0, ddof=1)
    statistic = np.maximum(((scores**2).mean(axis=0) - (m + 1) / (m - 1) * excess) / (1 + excess), 0.0)
    freedom = np.minimum((m - 1) * (1 + 1 / np.maximum(excess, 1e-9)) ** 2, 1e9)
    return np.asarray(fdtrc(1.0, freedom, statistic))
