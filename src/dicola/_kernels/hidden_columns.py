"""What hidden variables would have been: their expected correlations with the columns, and how well a DAG with them fits."""

from __future__ import annotations

from math import log

import numpy as np

from dicola._kernels.arrays import Floats, Ints
from dicola._kernels.compiled import inner, kernel
from dicola._kernels.mag_score import NORMAL, solve
from dicola._kernels.stopping import heed

_LEAST = 0.005  # the share of a variable that is its own, where a hidden one is among its parents


@kernel
def expect(observed: Floats, expected: Floats, parents: Ints, counts: Ints, rounds: int, still: float) -> float:
    """Fit a DAG over columns and hidden variables by expectation and maximisation, until the fit gains less than ``still``.

    ``expected`` has the correlations of the columns, which stay, and behind them what is expected of the hidden variables, which is
    written anew. The parents of v are ``parents[v, :counts[v]]``. Answers minus twice the log likelihood of the columns per row, less
    what any DAG has: without hidden variables it is the sum of the logarithms of the variances that parents leave.
    """
    p, n = len(observed), len(expected)
    m, most = n - p, max(1, counts.max())
    big, slopes = np.empty((NORMAL + 1, most, most)), np.empty((1, most))
    touched, n_touched, alone = np.empty(n, np.int64), 0, 0.0
    for v in range(n):
        near = v >= p
        for a in range(counts[v]):
            near |= parents[v, a] >= p
        if near:
            touched[n_touched] = v
            n_touched += 1
        else:
            alone += log(_left(expected, v, parents, counts[v], big, slopes))
    spread, across = np.empty((m, m)), np.empty((m, p))
    weights, shared, factor = np.empty((m, p)), np.empty((m, p)), np.empty((m, m))
    last = np.inf
    for _ in range(rounds):
        heed(0)
        spread[:], across[:] = 0.0, 0.0
        fit = alone
        for at in range(n_touched):
            v = touched[at]
            fit += _told(expected, v, parents, counts[v], big, slopes, spread, across)
        fit += _weigh(spread, across, factor, weights)
        for a in range(m):
            for j in range(p):
                shared[a, j] = 0.0
            for i in range(p):
                if weights[a, i] != 0.0:
                    for j in range(p):
                        shared[a, j] += weights[a, i] * observed[i, j]
        fit -= _renew(expected, spread, factor, weights, shared)
        if last - fit < still:
            break
        last = fit
    return float(fit)


@inner
def _left(expected: Floats, v: int, parents: Ints, k: int, big: Floats, slopes: Floats) -> float:
    """The variance that its parents leave of a variable; their slopes are written down."""
    for a in range(k):
        slopes[0, a] = expected[parents[v, a], v]
        for b in range(a + 1):
            big[NORMAL, a, b] = expected[parents[v, a], parents[v, b]]
    solve(big, slopes, 0, k)
    left = expected[v, v]
    for a in range(k):
        left -= slopes[0, a] * expected[parents[v, a], v]
    return float(max(_LEAST, left))


@inner
def _told(expected: Floats, v: int, parents: Ints, k: int, big: Floats, slopes: Floats, spread: Floats, across: Floats) -> float:
    """What a variable and its parents tell of the hidden ones among them; answers its part of the fit, as if these were 0."""
    p = across.shape[1]
    left = _left(expected, v, parents, k, big, slopes)
    fit = log(left) - (1.0 if v < p else 0.0)
    for a in range(-1, k):
        i, one = (v, 1.0) if a < 0 else (parents[v, a], -slopes[0, a])
        for b in range(-1, k):
            j, other = (v, 1.0) if b < 0 else (parents[v, b], -slopes[0, b])
            value = one * other / left
            if i >= p and j >= p:
                spread[i - p, j - p] += value
            elif i >= p:
                across[i - p, j] -= value
            elif j < p:
                fit += value * expected[i, j]
    return float(fit)


@inner
def _weigh(spread: Floats, across: Floats, factor: Floats, weights: Floats) -> float:
    """How much each column counts in what is expected of hidden variables; answers the log determinant of ``spread``, inverted here."""
    m, p = across.shape
    big, right, total = np.empty((NORMAL + 1, m, m)), np.empty((1, m)), 0.0
    for a in range(m):
        for b in range(m):
            right[0, b] = 1.0 if a == b else 0.0
            for c in range(m):
                big[NORMAL, b, c] = spread[b, c]
        solve(big, right, 0, m)
        for b in range(m):
            factor[b, a] = right[0, b]
    for a in range(m):
        total += 2.0 * log(big[NORMAL, a, a])
        for i in range(p):
            weights[a, i] = 0.0
            for b in range(m):
                weights[a, i] += factor[a, b] * across[b, i]
    return total


@inner
def _renew(expected: Floats, spread: Floats, factor: Floats, weights: Floats, shared: Floats) -> float:
    """Write down what is now expected of hidden variables, each with variance 1; answers what the columns tell of them in the fit."""
    m, p = weights.shape
    told, own = 0.0, np.empty((m, m))
    for a in range(m):
        for b in range(m):
            value = 0.0
            for i in range(p):
                value += shared[a, i] * weights[b, i]
            told += spread[a, b] * value
            own[a, b] = value + factor[a, b]
    for a in range(m):
        scale = np.sqrt(own[a, a])
        for j in range(p):
            expected[p + a, j] = expected[j, p + a] = shared[a, j] / scale
        for b in range(m):
            expected[p + a, p + b] = own[a, b] / (scale * np.sqrt(own[b, b]))
        expected[p + a, p + a] = 1.0
    return told
