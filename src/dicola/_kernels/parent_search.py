"""The best parents of a variable among those before it in an order, on the correlation matrix.

Parents of v are grown and shrunk. Growing takes the candidate with the largest partial correlation again and again; the variables
taken, in this order, are the *trail* of v, with a Cholesky factor that gains one row a step. Whether one more candidate would change a
trail can be told from the factor alone, without looking at the other candidates, and a candidate that is not on a trail can go without
changing it. Both ways take the same floating-point steps in the same order, so that they agree to the bit.
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SINGULAR = 1e-10


@njit(cache=True, nogil=True, error_model="numpy")
def grow(
    correlation: Floats, least: float, v: int, pool: Ints, size: int, factor: Floats, along: Floats, trail: Ints, rows: Floats, left: Floats
) -> int:
    """Grow the trail of v among the first ``size`` variables of ``pool``; answers its length, or -1 where the room is too small.

    A candidate is taken while it takes away at least the share ``least`` of what is left of the variance of v. Column j of ``rows``
    belongs to ``pool[j]``: its part along each variable taken; ``left[0]`` is what is left of its variance, ``left[1]`` of its
    covariance with v. Row k of ``factor`` is that of ``trail[k]``; ``along[0, k]`` is the part of v along it, ``along[1, k]`` the square
    thereof as the choice saw it, ``along[2, k]`` what was left of the variance of v before.
    """
    room = len(trail)
    for j in range(size):
        left[0, j] = 1.0
        left[1, j] = correlation[v, pool[j]]
    rest = 1.0
    taken = 0
    while True:
        best, chosen = 0.0, -1
        for j in range(size):
            if left[0, j] > SINGULAR:
                square = left[1, j] * left[1, j] / left[0, j]
                if square > best or (square == best and chosen >= 0 and pool[j] < pool[chosen]):
                    best, chosen = square, j
        along[2, taken] = rest
        if chosen < 0 or not is_worth(best, rest, least):
            return taken
        if taken + 1 == room:
            return -1
        new = pool[chosen]
        scale = sqrt(left[0, chosen])
        part = left[1, chosen] / scale
        trail[taken] = new
        along[0, taken] = part
        along[1, taken] = best
        factor[taken, taken] = scale
        for i in range(taken):
            factor[taken, i] = rows[i, chosen]
        row = rows[taken]
        for j in range(size):
            row[j] = correlation[new, pool[j]]
        for i in range(taken):
            step, earlier = factor[taken, i], rows[i]
            for j in range(size):
                row[j] -= step * earlier[j]
        for j in range(size):
            row[j] /= scale
            left[0, j] -= row[j] * row[j]
            left[1, j] -= row[j] * part
        left[0, chosen] = -1.0
        rest -= best
        taken += 1


@njit(cache=True, nogil=True, error_model="numpy")
def is_worth(square: float, rest: float, least: float) -> bool:
    """Does a candidate with this squared part take away enough of what is left of the variance? Nothing is left to a determined one."""
    return rest > SINGULAR and square > least * rest


@njit(cache=True, nogil=True, error_model="numpy")
def changes(
    correlation: Floats, least: float, v: int, other: int, factor: Floats, along: Floats, trail: Ints, taken: int, row: Floats
) -> bool:
    """Would ``other`` as one more candidate change the trail of v?"""
    variance, covariance = 1.0, correlation[v, other]
    for k in range(taken):
        if variance <= SINGULAR:
            return False
        square = covariance * covariance / variance
        if square > along[1, k] or (square == along[1, k] and other < trail[k]):
            return True
        part = correlation[trail[k], other]
        for i in range(k):
            part -= factor[k, i] * row[i]
        part /= factor[k, k]
        row[k] = part
        variance -= part * part
        covariance -= part * along[0, k]
    return variance > SINGULAR and is_worth(covariance * covariance / variance, along[2, taken], least)


@njit(cache=True, nogil=True, error_model="numpy")
def shrink(
    correlation: Floats, n: float, penalty: float, v: int, factor: Floats, along: Floats, trail: Ints, taken: int, parents: Ints
) -> tuple[int, float]:
    """Drop from the trail, one at a time, the variable that is missed least, while this lowers the score.

    Leaves the parents in ``parents`` and answers their number and the score ``n ln(residual variance) + penalty · (number of parents)``.
    """
    for k in range(taken):
        parents[k] = trail[k]
    rest = max(along[2, taken], SINGULAR)
    size = taken
    lower, parts = factor, along[0]
    while size:
        inverse = np.zeros((size, size))
        for c in range(size):
            inverse[c, c] = 1.0 / lower[c, c]
            for r in range(c + 1, size):
                total = 0.0
                for i in range(c, r):
                    total -= lower[r, i] * inverse[i, c]
                inverse[r, c] = total / lower[r, r]
        least, weakest = np.inf, -1
        for c in range(size):
            weight, spread = 0.0, 0.0
            for r in range(c, size):
                weight += inverse[r, c] * parts[r]
                spread += inverse[r, c] * inverse[r, c]
            missed = weight * weight / spread
            if missed < least or (missed == least and parents[c] < parents[weakest]):
                least, weakest = missed, c
        if n * log((rest + least) / rest) >= penalty:
            break
        size -= 1
        for k in range(weakest, size):
            parents[k] = parents[k + 1]
        lower, parts = np.zeros((size, size)), np.zeros(size)
        rest = 1.0
        for k in range(size):
            variance, covariance = 1.0, correlation[parents[k], v]
            for c in range(k):
                part = correlation[parents[k], parents[c]]
                for i in range(c):
                    part -= lower[c, i] * lower[k, i]
                part /= lower[c, c]
                lower[k, c] = part
                variance -= part * part
                covariance -= part * parts[c]
            lower[k, k] = sqrt(variance)
            parts[k] = covariance / lower[k, k]
            rest -= parts[k] * parts[k]
        rest = max(rest, SINGULAR)
    return size, n * log(rest) + penalty * size


@njit(cache=True, nogil=True, error_model="numpy")
def search(
    correlation: Floats,
    n: float,
    penalty: float,
    v: int,
    pool: Ints,
    size: int,
    factor: Floats,
    along: Floats,
    trail: Ints,
    rows: Floats,
    left: Floats,
    parents: Ints,
) -> tuple[int, int, float]:
    """Grow and shrink the parents of v among the first ``size`` of ``pool``: the length of the trail (-1: no room), the number of
    parents, the score.
    """
    least = 1.0 - np.exp(-penalty / n)
    taken = grow(correlation, least, v, pool, size, factor, along, trail, rows, left)
    if taken < 0:
        return -1, 0, 0.0
    count, score = shrink(correlation, n, penalty, v, factor, along, trail, taken, parents)
    return taken, count, score
