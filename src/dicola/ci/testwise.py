"""Fisher's z test on a table with gaps, each test on the rows that have its columns."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log, sqrt, tanh
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import erfc, log_ndtr, ndtri

from dicola._kernels import partial_correlation, testwise
from dicola.ci.base import CITest, checked_alpha
from dicola.ci.power import smallest_found
from dicola.errors import InvalidSetting, Sentence
from dicola.graphs.skeleton import Variables
from dicola.tables.checks import check_constants, check_numbers, check_shape
from dicola.tables.gaps import effective_rows
from dicola.tables.table import Table, as_table


class TestwiseFisherZ(CITest):
    """Fisher's z where every question has its own rows and its own number of them.

    Right where gaps are left by chance (missing completely at random). Given many columns hardly a
    row is complete, so questions given few are asked: blankets are grown, not read off an inverse.

    Parameters
    ----------
    data : Table, DataFrame or array
        Numbers, one column per variable.
    alpha : float
        The level.
    untestable : {"dependent", "independent"}
        What is answered where the rows are too few to test.

    """

    __test__ = False  # not a test of the suite
    recorded_as: ClassVar[str] = "FisherZ"
    alpha: float

    def __init__(self, data: Table | ArrayLike | Any, alpha: float = 0.01, *, untestable: str = "dependent") -> None:
        table = as_table(data)
        check_numbers(table)
        check_shape(table)
        check_constants(table)
        if untestable not in ("dependent", "independent"):
            raise InvalidSetting(
                Sentence("untestable is {given!r}; with {missing=testwise} it may be 'dependent' or 'independent'.", given=untestable)
            )
        self.labels, self.names, self.alpha, self.untestable = table.labels, table.names, checked_alpha(alpha), untestable
        self._values = np.ascontiguousarray(table.values.T)
        present = ~np.isnan(self._values)
        self._share = float(present.mean())
        self.n_samples: int = effective_rows(present.T)
        self._n_rows = table.n_samples

    def p_values(self, x: int, y: int, sets: Sequence[Variables]) -> NDArray[np.float64]:
        z_scores, testable = self._scores(x, y, sets)
        return np.where(testable, erfc(z_scores / sqrt(2.0)), 0.0 if self.untestable == "dependent" else 1.0)

    def log_p_values(self, x: int, y: int, sets: Sequence[Variables]) -> NDArray[np.float64]:
        z_scores, testable = self._scores(x, y, sets)
        return np.where(testable, log(2.0) + log_ndtr(-z_scores), -np.inf if self.untestable == "dependent" else 0.0)

    def _scores(self, x: int, y: int, sets: Sequence[Variables]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Normal scores, and where there are rows enough for one."""
        scores, testable = np.zeros(len(sets)), np.zeros(len(sets), dtype=bool)
        for i, z in enumerate(sets):
            count, xy, xx, yy = testwise.residuals(self._values, np.array((x, y, *z), dtype=np.int64), len(z) + 2)
            freedom = count - len(z) - 3
            testable[i] = freedom > 0
            if freedom > 0 and min(xx, yy) >= partial_correlation.SINGULAR:
                scores[i] = np.arctanh(min(abs(xy) / sqrt(xx * yy), 1.0 - 1e-15)) * sqrt(freedom)
        return scores, testable

    def rows_to_condition_on(self, size: int) -> int:
        """So many that enough of them are complete in that many columns and two more."""
        return min(ceil((size + 6) / max(self._share ** (size + 2), 1e-12)), 1 << 60)

    def is_weak_given(self, size: int) -> bool:
        return self._n_rows * self._share ** (size + 2) - size - 3 < 50

    def detectable(self, size: int, alpha: float | None = None) -> float | None:
        freedom = int(self._n_rows * self._share ** (size + 2)) - size - 3
        if freedom <= 0 or alpha is not None:
            return None
        return smallest_found(tanh(-float(ndtri(self.alpha / 2)) / sqrt(freedom)), freedom)

    def settings(self) -> dict[str, Any]:
        return {"alpha": self.alpha, "untestable": self.untestable}
