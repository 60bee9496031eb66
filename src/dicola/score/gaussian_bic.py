"""The Gaussian BIC of a MAG, from the correlation matrix alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite, log

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dicola.ci.base import CITest
from dicola.errors import InvalidSetting
from dicola.graphs.skeleton import Pair
from dicola.score.base import Score


class GaussianBIC(Score):
    """Minus twice the log likelihood, and ``penalty`` times ln n for every edge; less is better.

    Only correlations are used, so nothing can be read off variances. The default penalty is twice that of the plain criterion.
    """

    def __init__(self, correlation: ArrayLike, n_samples: int, names: Iterable[object] | None = None, penalty: float = 2.0) -> None:
        self.correlation: NDArray[np.float64] = np.ascontiguousarray(correlation, dtype=np.float64)
        self.correlation.setflags(write=False)
        self.n_samples = int(n_samples)
        self.names = tuple(f"X{i + 1}" for i in range(len(self.correlation))) if names is None else tuple(str(name) for name in names)
        if not (isfinite(penalty) and penalty > 0):
            raise InvalidSetting(f"penalty is {penalty!r}; it must be a positive number, such as 2 (twice the plain criterion).")
        self.penalty = float(penalty)

    @classmethod
    def of(cls, ci: CITest, penalty: float = 2.0) -> GaussianBIC:
        """The score on the data behind a test that knows correlations; positions are those of the test."""
        correlation, n_samples = ci.correlations()
        return cls(correlation, n_samples, ci.labels, penalty)

    @property
    def price(self) -> float:
        """What an edge costs."""
        return self.penalty * log(self.n_samples)

    def among(self, variables: Sequence[int]) -> GaussianBIC:
        chosen = list(variables)
        return GaussianBIC(self.correlation[np.ix_(chosen, chosen)], self.n_samples, [self.names[v] for v in chosen], self.penalty)

    def district(self, members: Sequence[int], arrows: Iterable[Pair], bidirected: Iterable[Pair]) -> float:
        raise NotImplementedError
