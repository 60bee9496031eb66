"""How badly one hidden variable explains the covariances of some others."""

from __future__ import annotations

from math import log

import numpy as np

from dicola._kernels.arrays import Floats, Ints
from dicola._kernels.compiled import inner, kernel
from dicola._kernels.mag_score import NORMAL, solve

_POWERS = 30  # steps towards the first principal component, where the fit starts
_SWEEPS = 300
_STILL = 1e-7  # a loading that changes by less has settled
_LEAST = 0.005  # the share of a variable that is its own
NOTHING_LEFT = 1e-9  # of a variance of 1


@kernel
def one_factor_misfit(covariance: Floats) -> float:
    """Minus twice the log likelihood of one factor per observation, less that of any covariance.

    The loadings are found by expectation and maximisation (Rubin and Thayer 1982), from the first
    principal component on.
    """
    k = len(covariance)
    r = np.empty((k, k))
    for i in range(k):
        for j in range(k):
            r[i, j] = covariance[i, j] / np.sqrt(covariance[i, i] * covariance[j, j])
    loading, product, own = r[0].copy(), np.empty(k), np.empty(k)
    size = 1.0
    for _ in range(_POWERS):
        size = 0.0
        for i in range(k):
            product[i] = 0.0
            for j in range(k):
                product[i] += r[i, j] * loading[j]
            size += product[i] * product[i]
        size = np.sqrt(size)
        for i in range(k):
            loading[i] = product[i] / size
    for i in range(k):
        loading[i] = min(0.95, max(-0.95, loading[i] * np.sqrt(max(size - 1.0, 0.01))))
        own[i] = 1.0 - loading[i] * loading[i]
    for _ in range(_SWEEPS):
        spread = 1.0  # of the factor given the variables, inverted
        for i in range(k):
            spread += loading[i] * loading[i] / own[i]
        explained, moved = 1.0 / spread, 0.0
        for i in range(k):
            product[i] = 0.0
            for j in range(k):
                product[i] += r[i, j] * loading[j] / (own[j] * spread)
        for i in range(k):
            explained += product[i] * loading[i] / (own[i] * spread)
        for i in range(k):
            new = product[i] / explained
            moved = max(moved, abs(new - loading[i]))
            loading[i], own[i] = new, max(_LEAST, 1.0 - new * product[i])
        if moved < _STILL:
            break
    spread, misfit = 1.0, -float(k)
    for i in range(k):
        spread += loading[i] * loading[i] / own[i]
        misfit += log(own[i]) + 1.0 / own[i]
    misfit += log(spread) - _log_determinant(r)
    for i in range(k):
        for j in range(k):
            misfit -= loading[i] / own[i] * r[i, j] * loading[j] / own[j] / spread
    return float(misfit)


@inner
def _log_determinant(matrix: Floats) -> float:
    """Of a matrix that is positive definite, but for rounding."""
    left, total = matrix.copy(), 0.0
    for p in range(len(left)):
        if left[p, p] == 0.0:
            return -np.inf
        total += log(abs(left[p, p]))
        for a in range(p + 1, len(left)):
            share = left[a, p] / left[p, p]
            for b in range(p + 1, len(left)):
                left[a, b] -= share * left[p, b]
    return total


@kernel
def residuals(correlation: Floats, children: Ints, parents: Ints, counts: Ints) -> Floats:
    """The covariance of what their parents leave of some variables.

    The parents of the i-th are ``parents[i, :counts[i]]``; each is regressed by itself.
    """
    k, most = len(children), max(1, counts.max())
    slopes, big, left = np.zeros((k, most)), np.empty((NORMAL + 1, most, most)), np.empty((k, k))
    for i in range(k):
        for a in range(counts[i]):
            slopes[i, a] = correlation[parents[i, a], children[i]]
            for b in range(a + 1):
                big[NORMAL, a, b] = correlation[parents[i, a], parents[i, b]]
        solve(big, slopes, i, counts[i])
    for i in range(k):
        for j in range(i + 1):
            value = correlation[children[i], children[j]]
            for a in range(counts[i]):
                value -= slopes[i, a] * correlation[parents[i, a], children[j]]
            for b in range(counts[j]):
                across = correlation[children[i], parents[j, b]]
                for a in range(counts[i]):
                    across -= slopes[i, a] * correlation[parents[i, a], parents[j, b]]
                value -= slopes[j, b] * across
            left[i, j] = left[j, i] = value
    return left
