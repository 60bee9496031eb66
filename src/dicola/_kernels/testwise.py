"""Partial correlations from the rows that have all columns of a question."""

from __future__ import annotations

from math import sqrt

import numpy as np

from dicola._kernels.arrays import Floats, Ints
from dicola._kernels.compiled import kernel
from dicola._kernels.partial_correlation import residual


@kernel
def residuals(values: Floats, columns: Ints, size: int) -> tuple[int, float, float, float]:
    """Complete rows, and the residual covariance and variances of the first two columns given the others.

    ``values`` has a row per variable; ``columns`` has ``size`` entries. Without two rows that differ all is 0.
    """
    n = values.shape[1]
    complete = np.ones(n, np.bool_)
    for a in range(size):
        for row in range(n):
            if np.isnan(values[columns[a], row]):
                complete[row] = False
    count = 0
    for row in range(n):
        count += complete[row]
    correlation = np.zeros((size, size))
    mean, scale = np.zeros(size), np.zeros(size)
    for a in range(size):
        for row in range(n):
            if complete[row]:
                mean[a] += values[columns[a], row]
        mean[a] /= max(count, 1)
    for a in range(size):
        for b in range(a + 1):
            total = 0.0
            for row in range(n):
                if complete[row]:
                    total += (values[columns[a], row] - mean[a]) * (values[columns[b], row] - mean[b])
            correlation[a, b] = correlation[b, a] = total
        scale[a] = sqrt(correlation[a, a])
    for a in range(size):
        for b in range(size):
            divisor = scale[a] * scale[b]
            correlation[a, b] = correlation[a, b] / divisor if divisor > 0.0 else 0.0
    given = np.arange(2, size)
    xy, xx, yy = residual(correlation, 0, 1, given)
    return count, xy, xx, yy
