"""Correlations of normal variables of which only classes are seen, and tests with them.

A column of grades is taken for a standard normal variable cut at thresholds. Its correlations are
estimated with more noise than those of a column that is seen as it is; the tests carry that noise.
"""

from __future__ import annotations

from math import atanh, erfc, exp, pi, sqrt
from typing import NamedTuple

import numpy as np

from dicola._kernels.arrays import Bools, Floats, Ints
from dicola._kernels.compiled import inner, kernel
from dicola._kernels.partial_correlation import SINGULAR
from dicola._kernels.stopping import heed

_MOST = 0.9999  # the largest correlation that classes can show
_STEPS = 40


class Latent(NamedTuple):
    """What a test of latent normal variables knows, and how it decides."""

    correlation: Floats
    noise: Floats  # of each variable, the variance that the estimate adds to the 1 of the variable itself
    rows: float
    quantile: float  # of the standard normal distribution
    depends: bool  # what is answered where there are too few rows
    untested: Ints  # its first number counts the questions without rows enough


@inner
def _density(h: float, k: float, r: float) -> float:
    """Of the bivariate standard normal distribution; 0 at infinite points."""
    if not (-1e10 < h < 1e10 and -1e10 < k < 1e10):
        return 0.0
    left = 1.0 - r * r
    return exp(-(h * h - 2.0 * r * h * k + k * k) / (2.0 * left)) / (2.0 * pi * sqrt(left))


@inner
def _below(h: float, k: float, r: float, nodes: Floats, weights: Floats) -> float:
    """The probability of lying below both points: that of independent variables, and the integral of the density over r."""
    result = 0.25 * erfc(-h / sqrt(2.0)) * erfc(-k / sqrt(2.0))
    total = 0.0
    for i in range(len(nodes)):
        total += weights[i] * _density(h, k, r * (nodes[i] + 1.0) / 2.0)
    return result + total * r / 2.0


@inner
def _slope(counts: Floats, rows: Floats, columns: Floats, r: float, quadrature: Floats) -> tuple[float, float]:
    """The slope of the log likelihood of a table of counts at a correlation, and the information."""
    down, across = counts.shape
    nodes, weights = quadrature[0], quadrature[1]
    below, density = np.empty((down + 1, across + 1)), np.empty((down + 1, across + 1))
    for a in range(down + 1):
        for b in range(across + 1):
            below[a, b] = _below(rows[a], columns[b], r, nodes, weights)
            density[a, b] = _density(rows[a], columns[b], r)
    slope = information = total = 0.0
    for a in range(down):
        for b in range(across):
            chance = max(below[a + 1, b + 1] - below[a, b + 1] - below[a + 1, b] + below[a, b], 1e-12)
            change = density[a + 1, b + 1] - density[a, b + 1] - density[a + 1, b] + density[a, b]
            slope += counts[a, b] * change / chance
            information += change * change / chance
            total += counts[a, b]
    return slope, information * total


@kernel
def polychoric(counts: Floats, rows: Floats, columns: Floats, quadrature: Floats) -> float:
    """The most likely correlation behind a table of counts, given the thresholds of both variables.

    Fisher's scoring, kept between points where the slope is known to be positive and negative.
    ``quadrature`` has the nodes and the weights of a rule on -1 … 1.
    """
    low, high, r = -_MOST, _MOST, 0.0
    for _ in range(_STEPS):
        slope, information = _slope(counts, rows, columns, r, quadrature)
        if slope > 0.0:
            low = r
        else:
            high = r
        new = r + slope / max(information, 1e-12)
        if not low < new < high:
            new = (low + high) / 2.0
        if abs(new - r) < 1e-10:
            break
        r = new
    return r


@inner
def _score(latent: Latent, residual: tuple[float, float, float], noise: tuple[float, float, float], size: int) -> tuple[float, float]:
    """Fisher's z of a partial correlation with its effective number of rows, and that number less what it costs.

    ``residual`` is (cov, var x, var y) given the others; ``noise`` the variances and the covariance
    that the estimates of all variables add to these residuals.
    """
    xy, xx, yy = residual
    if xx < SINGULAR or yy < SINGULAR:
        return 0.0, latent.rows - size - 3.0
    rows = latent.rows * xx * yy / ((xx + noise[0]) * (yy + noise[1]) + noise[2] * noise[2])
    freedom = rows - size - 3.0
    if freedom <= 0.0:
        return 0.0, freedom
    r = min(abs(xy) / sqrt(xx * yy), 1.0 - 1e-15)
    return atanh(r) * sqrt(freedom), freedom


@inner
def score_of(latent: Latent, x: int, y: int, given: Ints) -> tuple[float, float]:
    """``_score`` for x and y given some variables, by the regressions of both on these."""
    m = len(given)
    correlation, noise = latent.correlation, latent.noise
    w = np.empty((m + 2, m + 2))
    for a in range(m + 2):
        u = given[a] if a < m else (x if a == m else y)
        for b in range(a, m + 2):
            v = given[b] if b < m else (x if b == m else y)
            w[a, b] = correlation[u, v]
    for p in range(m):
        pivot = w[p, p]
        if pivot < SINGULAR:
            continue
        for a in range(p + 1, m + 2):
            factor = w[p, a] / pivot
            for b in range(a, m + 2):
                w[a, b] -= factor * w[p, b]
    # Back substitution: the slopes of x and y on what is given.
    slopes = np.zeros((m, 2))
    of_x, of_y, across = noise[x], noise[y], 0.0
    for p in range(m - 1, -1, -1):
        if w[p, p] < SINGULAR:
            continue
        for k in range(2):
            value = w[p, m + k]
            for q in range(p + 1, m):
                value -= w[p, q] * slopes[q, k]
            slopes[p, k] = value / w[p, p]
        own = noise[given[p]]
        of_x += slopes[p, 0] * slopes[p, 0] * own
        of_y += slopes[p, 1] * slopes[p, 1] * own
        across += slopes[p, 0] * slopes[p, 1] * own
    return _score(latent, (w[m, m + 1], w[m, m], w[m + 1, m + 1]), (of_x, of_y, across), m)


@inner
def latent_depends(latent: Latent, x: int, y: int, given: Ints) -> bool:
    """Do x and y depend on each other given some variables?"""
    score, freedom = score_of(latent, x, y, given)
    return _decided(latent, score, freedom)


@inner
def _decided(latent: Latent, score: float, freedom: float) -> bool:
    """Is this dependence? Without rows enough the answer is the default."""
    if freedom <= 0.0:
        latent.untested[0] += 1
        return latent.depends
    return score > latent.quantile


@kernel
def scores_of(latent: Latent, x: int, y: int, begins: Ints, members: Ints) -> tuple[Floats, Floats]:
    """``score_of`` for one set after the other."""
    many = len(begins) - 1
    scores, freedoms = np.empty(many), np.empty(many)
    for i in range(many):
        if i & 7 == 7:
            heed(0)
        scores[i], freedoms[i] = score_of(latent, x, y, members[begins[i] : begins[i + 1]])
    return scores, freedoms


@kernel
def related_latents(precision: Floats, spread: Floats, latent: Latent, inside: Ints) -> Bools:
    """Which pairs of the variables ``inside`` depend on each other given all the rest?

    ``precision`` is the inverse of the correlations and ``spread`` is ``precision · noise · precision``;
    the slopes of two variables on the rest are the rows of ``precision``, mixed by their residual
    covariance.
    """
    m, n = len(inside), len(precision)
    dependent = np.zeros((m, m), np.bool_)
    for i in range(m):
        for j in range(i + 1, m):
            x, y = inside[i], inside[j]
            a, b, c = precision[x, x], precision[y, y], precision[x, y]
            left = a * b - c * c
            xx, yy, xy = b / left, a / left, -c / left
            own_x, own_y = latent.noise[x], latent.noise[y]
            s_xx = spread[x, x] - a * a * own_x - c * c * own_y
            s_yy = spread[y, y] - c * c * own_x - b * b * own_y
            s_xy = spread[x, y] - a * c * own_x - c * b * own_y
            of_x = own_x + xx * xx * s_xx + 2.0 * xx * xy * s_xy + xy * xy * s_yy
            of_y = own_y + xy * xy * s_xx + 2.0 * xy * yy * s_xy + yy * yy * s_yy
            across = xx * xy * s_xx + (xx * yy + xy * xy) * s_xy + xy * yy * s_yy
            score, freedom = _score(latent, (xy, xx, yy), (of_x, of_y, across), n - 2)
            dependent[i, j] = dependent[j, i] = _decided(latent, score, freedom)
    return dependent
