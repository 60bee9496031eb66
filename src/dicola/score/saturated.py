"""Large districts in which every two members are joined: their residuals may have any covariance, so few numbers are fitted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LARGE = 20  # members above which a district takes long to fit edge by edge
_SWEEPS = 100
_CLOSE = 1e-4  # how far from its limit n times the misfit may be


class Fitted(NamedTuple):
    """How badly a district fits, per observation, and the covariance of the residuals of its members."""

    misfit: float
    residual: NDArray[np.float64]


def fitted_saturated(correlation: NDArray[np.float64], n_samples: float, parents: Sequence[Sequence[int]]) -> Fitted:
    """The misfit of a district of which every two members are joined by a bidirected edge, as edge-by-edge fitting ends in it.

    Minus twice the log likelihood is then the log determinant of the residuals' covariance: the only
    numbers to fit are the slopes on the parents. Given the residuals of all others, those of one
    member are a regression; this is repeated until nothing changes.

    Parameters
    ----------
    correlation : square matrix
        Of the members, first, and of all their parents.
    n_samples : float
        The number of rows, by which the end is told.
    parents : sequence of sequences of int
        Those of each member, as rows of the matrix.

    """
    d = len(parents)
    fitting = [(i, list(above)) for i, above in enumerate(parents) if above]
    maps = np.eye(d, len(correlation))  # a row has the residual of a member, as a sum of variables
    for i, above in fitting:
        maps[i, above] = -np.linalg.lstsq(correlation[np.ix_(above, above)], correlation[above, i], rcond=None)[0]
    last, gain = np.inf, np.inf
    for _ in range(_SWEEPS):
        value = float(np.linalg.slogdet(maps @ correlation @ maps.T)[1])
        before, gain, last = gain, last - value, value
        if not fitting or gain <= 0 or (gain < before < np.inf and n_samples * gain * gain < _CLOSE * (before - gain)):
            # the gains shrink like a geometric series, whose rest is gain^2 / (before - gain)
            break
        for i, above in fitting:
            others = np.delete(maps, i, axis=0)
            across = others @ correlation[:, [*above, i]]
            weights = np.linalg.solve(others @ correlation @ others.T, across)
            left = correlation[np.ix_([*above, i], [*above, i])] - across.T @ weights
            maps[i, above] = -np.linalg.lstsq(left[:-1, :-1], left[:-1, -1], rcond=None)[0]
    return Fitted(last, maps @ correlation @ maps.T)
