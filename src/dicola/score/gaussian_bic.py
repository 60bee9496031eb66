"""The Gaussian BIC of a MAG, from the correlation matrix alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dicola._kernels import mag_score as kernel
from dicola.ci.base import CITest
from dicola.ci.inquiry import Evidence, Inquiry
from dicola.errors import InvalidSetting, NeedsData
from dicola.graphs.skeleton import Pair
from dicola.score.base import Score

_FEW_VALUES = 10  # a column with fewer different values is taken for categories or grades
_FEW_ROWS = 5  # rows per variable below which the score modes were never tried


class GaussianBIC(Score):
    """Minus twice the log likelihood, and a price in ln n for every edge; less is better.

    Only correlations are used, so nothing can be read off variances.

    Parameters
    ----------
    correlation : square matrix
        The correlations of the variables.
    n_samples : int
        The rows behind them.
    names : iterable of str, optional
        In the order of the matrix; X1, X2, … by default.
    penalty : float
        An edge costs this times ln n; the default is twice the plain criterion.

    Raises
    ------
    InvalidSetting
        The penalty is not a positive number.

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
    def of(cls, ci: Evidence, penalty: float = 2.0) -> GaussianBIC:
        """The score on the data behind a test that knows correlations, in its positions.

        Parameters
        ----------
        ci : CITest or Inquiry
            The test, such as ``FisherZ(table)``.
        penalty : float
            An edge costs this times ln n.

        Raises
        ------
        NeedsData
            The test carries no correlations.

        """
        test = Inquiry.of(ci).test
        correlations = getattr(test, "correlations", None)
        if correlations is None:
            raise NeedsData(f"{type(test).__name__} carries no correlations; a Gaussian score needs those of a table: FisherZ(table).")
        correlation, n_samples = correlations()
        return cls(correlation, n_samples, ci.labels, penalty)

    @staticmethod
    def doubt_about(ci: CITest) -> str | None:
        """What speaks against this score on the data behind a test; ``None`` where nothing does.

        Errors need not be Gaussian for that: what counts is that correlations mean something.

        Parameters
        ----------
        ci : CITest
            The test whose rows are looked at, where it has any.

        """
        correlations = getattr(ci, "correlations", None)
        if correlations is None:
            return "the test carries no correlations, so no graph can be scored"
        _, rows = correlations()
        if rows < _FEW_ROWS * len(ci):
            return f"{rows} rows are fewer than {_FEW_ROWS} a variable, where scores were never tried"
        try:
            values = ci.samples()
        except NeedsData:
            return None
        for name, column in zip(ci.labels, values.T, strict=True):
            if (different := len(np.unique(column))) < _FEW_VALUES:
                return f"{name!r} has only {different} different values, so it is no Gaussian variable"
        return None

    def among(self, variables: Sequence[int]) -> GaussianBIC:
        chosen = list(variables)
        return GaussianBIC(self.correlation[np.ix_(chosen, chosen)], self.n_samples, [self.names[v] for v in chosen], self.penalty)

    def district(self, members: Sequence[int], arrows: Iterable[Pair], bidirected: Iterable[Pair]) -> float:
        _, block, arrays = district_arrays(self.correlation, members, arrows, bidirected)
        misfit = kernel.misfit(block, float(self.n_samples), *arrays)
        return float(self.n_samples * misfit + self.price * (int(2 * arrays.n_pa.sum() + arrays.n_sp.sum()) // 2))


class DistrictArrays(NamedTuple):
    """A district as the kernel takes it, beside correlations and the number of rows."""

    members: NDArray[np.int64]
    d: int
    pa: NDArray[np.int64]
    n_pa: NDArray[np.int64]
    sp: NDArray[np.int64]
    n_sp: NDArray[np.int64]
    room: kernel.Room


def district_arrays(
    correlation: NDArray[np.float64], members: Iterable[int], arrows: Iterable[Pair], bidirected: Iterable[Pair]
) -> tuple[list[int], NDArray[np.float64], DistrictArrays]:
    """The members and then their other parents; the correlations among them; edges by places there."""
    members, arrows, bidirected = sorted(members), sorted(arrows), tuple(bidirected)
    inside = [*members, *sorted({u for u, _ in arrows} - set(members))]
    d = len(members)
    pa, n_pa = _rows(arrows, inside, d)
    sp, n_sp = _rows([*bidirected, *((w, v) for v, w in bidirected)], inside, d)
    block = np.ascontiguousarray(correlation[np.ix_(inside, inside)])
    block.setflags(write=False)  # like the whole matrix, so that the kernel is compiled once
    return inside, block, DistrictArrays(np.arange(d), d, pa, n_pa, sp, n_sp, kernel.make_room(len(inside), d))


def _rows(pairs: Sequence[Pair], inside: Sequence[int], n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each of the first n inside the first ends of its pairs, sorted, as places inside: the rows of a matrix, and their lengths."""
    place = {v: i for i, v in enumerate(inside)}
    lists: list[list[int]] = [[] for _ in range(n)]
    for u, v in sorted(pairs):
        lists[place[v]].append(place[u])
    lengths = np.array([len(each) for each in lists], dtype=np.int64)
    rows = np.zeros((n, max(1, lengths.max(initial=0))), dtype=np.int64)
    for row, each in zip(rows, lists, strict=True):
        row[: len(each)] = each
    return rows, lengths
