"""The best parents of a variable among those before it in an order, on the correlation matrix.

Parents of v are grown and shrunk. Growing takes the candidate with the largest partial correlation
again and again; the variables taken, in this order, are the *trail* of v, with a Cholesky factor
that gains one row per step. Whether one more candidate would change a trail can be told from the
factor alone, without looking at the other candidates, and a candidate that is not on a trail can go
without changing it. Both ways take the same floating-point steps in the same order, so that they
agree to the bit.
"""

from __future__ import annotations

from math import exp, log, sqrt
from typing import NamedTuple

import numpy as np

from dicola._kernels.arrays import Floats, Ints
from dicola._kernels.compiled import hot, inner
from dicola._kernels.stopping import heed
from dicola._kernels.terms import Terms, not_barred

SINGULAR = 1e-10


class Trails(NamedTuple):
    """Trails with the parents and the score that come of them, by place.

    Place v belongs to the variable v, the place after the last to a search that is only tried.
    """

    factor: Floats  # row k: that of the k-th variable taken
    along: Floats  # column k: what the k-th variable taken says of v; see below
    taken: Ints  # the variables taken, one after the other
    lengths: Ints
    parents: Ints
    counts: Ints
    scores: Floats


# along: the part of v along it, the square of this as the choice saw it, the variance of v left
# before
PART, SQUARE, REST = 0, 1, 2


class Room(NamedTuple):
    """Arrays to work in. Column j belongs to candidate j, or ``line`` to one candidate alone."""

    rows: Floats  # its part along each variable taken
    left: Floats  # what is left of its variance, and of its covariance with v
    line: Floats
    free: Ints  # the candidates that are not barred


def make_trails(n: int, longest: int) -> Trails:
    """Trails for n variables, each of fewer than ``longest`` others."""
    places = n + 1
    return Trails(
        factor=np.zeros((places, longest, longest)),
        along=np.zeros((places, 3, longest)),
        taken=np.zeros((places, longest), np.int64),
        lengths=np.zeros(places, np.int64),
        parents=np.zeros((places, longest), np.int64),
        counts=np.zeros(places, np.int64),
        scores=np.zeros(places),
    )


@inner
def make_room(trails: Trails) -> Room:
    """Room for searches that leave such trails."""
    places, longest = trails.taken.shape
    return Room(np.empty((longest, places - 1)), np.empty((2, places - 1)), np.empty(longest), np.empty(places - 1, np.int64))


@inner
def share_worth_a_price(terms: Terms) -> float:
    """The share of the variance left that a candidate must take away to be worth its price."""
    return float(1.0 - exp(-terms.price / terms.n_samples))


@inner
def _is_worth(square: float, rest: float, least: float) -> bool:
    """Does a candidate with this squared part take away enough of what is left of the variance?

    Nothing is left to a variable that is determined.
    """
    return rest > SINGULAR and square > least * rest


@hot
def _grow(terms: Terms, trails: Trails, room: Room, place: int, v: int, pool: Ints, size: int) -> bool:
    """Grow the trail of v among the first ``size`` of ``pool``; ``False``: it outgrew its room."""
    correlation, least = terms.correlation, share_worth_a_price(terms)
    factor, along, taken = trails.factor[place], trails.along[place], trails.taken[place]
    rows, left = room.rows, room.left
    if len(terms.bars):
        size = not_barred(terms.bars[v], pool, size, room.free)
        pool = room.free
    for j in range(size):
        left[0, j] = 1.0
        left[1, j] = correlation[v, pool[j]]
    rest = 1.0
    length = 0
    while True:
        best, chosen = 0.0, -1
        for j in range(size):
            if left[0, j] > SINGULAR:
                square = left[1, j] * left[1, j] / left[0, j]
                if square > best or (square == best and chosen >= 0 and pool[j] < pool[chosen]):
                    best, chosen = square, j
        along[REST, length] = rest
        if chosen < 0 or not _is_worth(best, rest, least):
            trails.lengths[place] = length
            return True
        if length + 1 == len(taken):
            return False
        if length & 31 == 31:
            heed(0)
        new = pool[chosen]
        scale = sqrt(left[0, chosen])
        part = left[1, chosen] / scale
        taken[length] = new
        along[PART, length] = part
        along[SQUARE, length] = best
        factor[length, length] = scale
        for i in range(length):
            factor[length, i] = rows[i, chosen]
        row = rows[length]
        for j in range(size):
            row[j] = correlation[new, pool[j]]
        for i in range(length):
            step, earlier = factor[length, i], rows[i]
            for j in range(size):
                row[j] -= step * earlier[j]
        for j in range(size):
            row[j] /= scale
            left[0, j] -= row[j] * row[j]
            left[1, j] -= row[j] * part
        left[0, chosen] = -1.0
        rest -= best
        length += 1


@hot
def changes_one(terms: Terms, trails: Trails, room: Room, place: int, v: int, other: int, least: float) -> bool:
    """Would ``other`` as one more candidate change the trail of v at this place?"""
    if len(terms.bars) and terms.bars[v, other]:
        return False
    correlation, line, length = terms.correlation, room.line, trails.lengths[place]
    factor, along, taken = trails.factor[place], trails.along[place], trails.taken[place]
    variance, covariance = 1.0, correlation[v, other]
    for k in range(length):
        if variance <= SINGULAR:
            return False
        square = covariance * covariance / variance
        if square > along[SQUARE, k] or (square == along[SQUARE, k] and other < taken[k]):
            return True
        part = correlation[taken[k], other]
        for i in range(k):
            part -= factor[k, i] * line[i]
        part /= factor[k, k]
        line[k] = part
        variance -= part * part
        covariance -= part * along[PART, k]
    return variance > SINGULAR and _is_worth(covariance * covariance / variance, along[REST, length], least)


@hot
def _shrink(terms: Terms, trails: Trails, place: int, v: int) -> None:
    """Drop from the trail the variable that is missed least, while this lowers the score.

    Leaves the parents and the score ``n ln(residual variance) + price · (number of parents)``.
    """
    correlation, n, size = terms.correlation, terms.n_samples, trails.lengths[place]
    lower, parts, parents = trails.factor[place], trails.along[place, PART], trails.parents[place]
    for k in range(size):
        parents[k] = trails.taken[place, k]
    rest = max(trails.along[place, REST, size], SINGULAR)
    while size:
        if size & 31 == 31:
            heed(0)
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
        if n * log((rest + least) / rest) >= terms.price:
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
    trails.counts[place] = size
    trails.scores[place] = n * log(rest) + terms.price * size


@inner
def search_ones(terms: Terms, trails: Trails, room: Room, place: int, v: int, pool: Ints, size: int) -> bool:
    """Grow and shrink the parents of v among the first ``size`` of ``pool``.

    ``False`` where its trail outgrows its room.
    """
    if not _grow(terms, trails, room, place, v, pool, size):
        return False
    _shrink(terms, trails, place, v)
    return True
