"""The best parents of a variable among those before it in an order, on the correlation matrix.

Parents of v are grown and shrunk. Growing takes the candidate with the largest partial correlation
again and again; the variables taken, in this order, are the *trail* of v, with a Cholesky factor
that gains one row per step. Whether one more candidate would change a trail can be told from the
factor alone, without looking at the other candidates, and a candidate that is not on a trail can go
without changing it. All ways take the same floating-point steps in the same order, so that they
agree to the bit. Arrays are indexed as a whole: a row of one, taken by itself, costs a count of
those who hold it, which would outlast the work.
"""

from __future__ import annotations

from math import exp, log, sqrt
from typing import NamedTuple

import numpy as np

from dicola._kernels.arrays import Floats, Ints
from dicola._kernels.compiled import inner, lean, lean_and_hot
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
# of ``Room``
VARIANCE, COVARIANCE, TAKES = 0, 1, 2
ASKED, KEPT = 0, 1
LOWER, INVERSE = 0, 1


class Room(NamedTuple):
    """Arrays to work in. Column j belongs to candidate j, or ``line`` to one candidate alone."""

    rows: Floats  # its part along each variable taken
    left: Floats  # what is left of its variance, and of its covariance with v; what it would take away
    line: Floats  # parts of a candidate; what the variables kept say of v
    small: Floats  # the factor of those kept, and its inverse
    free: Ints  # the candidates that are not barred


def make_trails(n: int, longest: int) -> Trails:
    """Trails for n variables, each of fewer than ``longest`` others."""
    places = n + 1
    return Trails(
        factor=np.empty((places, longest, longest)),
        along=np.empty((places, 3, longest)),
        taken=np.empty((places, longest), np.int64),
        lengths=np.zeros(places, np.int64),
        parents=np.zeros((places, longest), np.int64),
        counts=np.zeros(places, np.int64),
        scores=np.zeros(places),
    )


@inner
def make_room(trails: Trails) -> Room:
    """Room for searches that leave such trails."""
    places, longest = trails.taken.shape
    return Room(
        np.empty((longest, places - 1)),
        np.empty((3, places - 1)),
        np.empty((2, longest)),
        np.empty((2, longest, longest)),
        np.empty(places - 1, np.int64),
    )


@lean
def share_worth_a_price(terms: Terms) -> float:
    """The share of the variance left that a candidate must take away to be worth its price."""
    return float(1.0 - exp(-terms.price / terms.n_samples))


@lean
def _is_worth(square: float, rest: float, least: float) -> bool:
    """Does a candidate with this squared part take away enough of what is left of the variance?

    Nothing is left to a variable that is determined.
    """
    return rest > SINGULAR and square > least * rest


@lean_and_hot
def _grow(terms: Terms, trails: Trails, room: Room, place: int, v: int, pool: Ints, size: int) -> bool:
    """Grow the trail of v among the first ``size`` of ``pool``; ``False``: it outgrew its room."""
    correlation, least = terms.correlation, share_worth_a_price(terms)
    factor, along, taken, longest = trails.factor, trails.along, trails.taken, trails.taken.shape[1]
    rows, left = room.rows, room.left
    if len(terms.bars):
        size = not_barred(terms.bars, v, pool, size, room.free)
        pool = room.free
    for j in range(size):
        left[VARIANCE, j] = 1.0
        left[COVARIANCE, j] = correlation[v, pool[j]]
        left[TAKES, j] = left[COVARIANCE, j] * left[COVARIANCE, j]
    rest = 1.0
    length = 0
    while True:
        best, chosen = 0.0, -1
        for j in range(size):
            square = left[TAKES, j]
            if square >= best and (square > best or (chosen >= 0 and pool[j] < pool[chosen])):
                best, chosen = square, j
        along[place, REST, length] = rest
        if chosen < 0 or not _is_worth(best, rest, least):
            trails.lengths[place] = length
            return True
        if length + 1 == longest:
            return False
        if length & 31 == 31:
            heed(0)
        new = pool[chosen]
        scale = sqrt(left[VARIANCE, chosen])
        part = left[COVARIANCE, chosen] / scale
        taken[place, length] = new
        along[place, PART, length] = part
        along[place, SQUARE, length] = best
        factor[place, length, length] = scale
        for i in range(length):
            factor[place, length, i] = rows[i, chosen]
        for j in range(size):
            rows[length, j] = correlation[new, pool[j]]
        i = 0
        while i + 3 < length:  # four at a time, in their order
            a, b = factor[place, length, i], factor[place, length, i + 1]
            c, d = factor[place, length, i + 2], factor[place, length, i + 3]
            for j in range(size):
                rows[length, j] = rows[length, j] - a * rows[i, j] - b * rows[i + 1, j] - c * rows[i + 2, j] - d * rows[i + 3, j]
            i += 4
        while i < length:
            step = factor[place, length, i]
            for j in range(size):
                rows[length, j] -= step * rows[i, j]
            i += 1
        left[VARIANCE, chosen] = -1.0
        for j in range(size):
            row = rows[length, j] / scale
            rows[length, j] = row
            left[VARIANCE, j] -= row * row
            left[COVARIANCE, j] -= row * part
            left[TAKES, j] = left[COVARIANCE, j] * left[COVARIANCE, j] / left[VARIANCE, j] if left[VARIANCE, j] > SINGULAR else 0.0
        rest -= best
        length += 1


@lean_and_hot
def changes_one(terms: Terms, trails: Trails, room: Room, place: int, v: int, other: int, least: float) -> bool:
    """Would ``other`` as one more candidate change the trail of v at this place?"""
    if len(terms.bars) and terms.bars[v, other]:
        return False
    correlation, line, length = terms.correlation, room.line, trails.lengths[place]
    factor, along, taken = trails.factor, trails.along, trails.taken
    variance, covariance = 1.0, correlation[v, other]
    for k in range(length):
        if variance <= SINGULAR:
            return False
        square = covariance * covariance / variance
        if square > along[place, SQUARE, k] or (square == along[place, SQUARE, k] and other < taken[place, k]):
            return True
        part = correlation[taken[place, k], other]
        for i in range(k):
            part -= factor[place, k, i] * line[ASKED, i]
        part /= factor[place, k, k]
        line[ASKED, k] = part
        variance -= part * part
        covariance -= part * along[place, PART, k]
    return variance > SINGULAR and _is_worth(covariance * covariance / variance, along[place, REST, length], least)


@lean
def first_change_of_ones(terms: Terms, trails: Trails, room: Room, place: int, v: int, pool: Ints, begin: int, end: int) -> int:
    """The first of ``pool`` from ``begin`` on that as one more candidate would change the trail of v; ``end`` if none before it does.

    It is ``changes_one`` of all of them, side by side.
    """
    correlation, rows, left, length = terms.correlation, room.rows, room.left, trails.lengths[place]
    factor, along, taken, least = trails.factor, trails.along, trails.taken, share_worth_a_price(terms)
    if len(terms.bars):  # few are left to ask about
        for j in range(begin, end):
            if changes_one(terms, trails, room, place, v, pool[j], least):
                return j
        return end
    for j in range(begin, end):
        left[VARIANCE, j] = 1.0
        left[COVARIANCE, j] = correlation[v, pool[j]]
    for k in range(length):
        for j in range(begin, end):
            if left[VARIANCE, j] > SINGULAR:
                square = left[COVARIANCE, j] * left[COVARIANCE, j] / left[VARIANCE, j]
                if square > along[place, SQUARE, k] or (square == along[place, SQUARE, k] and pool[j] < taken[place, k]):
                    end = j
                    break
        for j in range(begin, end):
            rows[k, j] = correlation[taken[place, k], pool[j]]
        for i in range(k):
            step = factor[place, k, i]
            for j in range(begin, end):
                rows[k, j] -= step * rows[i, j]
        scale, part = factor[place, k, k], along[place, PART, k]
        for j in range(begin, end):
            row = rows[k, j] / scale
            rows[k, j] = row
            left[VARIANCE, j] = left[VARIANCE, j] - row * row if left[VARIANCE, j] > SINGULAR else -1.0
            left[COVARIANCE, j] -= row * part
    for j in range(begin, end):
        variance, covariance = left[VARIANCE, j], left[COVARIANCE, j]
        if variance > SINGULAR and _is_worth(covariance * covariance / variance, along[place, REST, length], least):
            return j
    return end


@lean_and_hot
def _shrink(terms: Terms, trails: Trails, room: Room, place: int, v: int) -> None:
    """Drop from the trail the variable that is missed least, while this lowers the score.

    Leaves the parents and the score ``n ln(residual variance) + price · (number of parents)``.
    """
    correlation, n, size = terms.correlation, terms.n_samples, trails.lengths[place]
    parents, small, line = trails.parents, room.small, room.line
    for k in range(size):
        parents[place, k] = trails.taken[place, k]
        line[KEPT, k] = trails.along[place, PART, k]
        for i in range(k + 1):
            small[LOWER, k, i] = trails.factor[place, k, i]
    rest = max(trails.along[place, REST, size], SINGULAR)
    while size:
        if size & 31 == 31:
            heed(0)
        for c in range(size):
            small[INVERSE, c, c] = 1.0 / small[LOWER, c, c]
            for r in range(c + 1, size):
                total = 0.0
                for i in range(c, r):
                    total -= small[LOWER, r, i] * small[INVERSE, i, c]
                small[INVERSE, r, c] = total / small[LOWER, r, r]
        least, weakest = np.inf, -1
        for c in range(size):
            weight, spread = 0.0, 0.0
            for r in range(c, size):
                weight += small[INVERSE, r, c] * line[KEPT, r]
                spread += small[INVERSE, r, c] * small[INVERSE, r, c]
            missed = weight * weight / spread
            if missed < least or (missed == least and parents[place, c] < parents[place, weakest]):
                least, weakest = missed, c
        if n * log((rest + least) / rest) >= terms.price:
            break
        size -= 1
        for k in range(weakest, size):
            parents[place, k] = parents[place, k + 1]
        rest = 1.0
        for k in range(size):
            own = parents[place, k]
            variance, covariance = 1.0, correlation[own, v]
            for c in range(k):
                part = correlation[own, parents[place, c]]
                for i in range(c):
                    part -= small[LOWER, c, i] * small[LOWER, k, i]
                part /= small[LOWER, c, c]
                small[LOWER, k, c] = part
                variance -= part * part
                covariance -= part * line[KEPT, c]
            small[LOWER, k, k] = sqrt(variance)
            line[KEPT, k] = covariance / small[LOWER, k, k]
            rest -= line[KEPT, k] * line[KEPT, k]
        rest = max(rest, SINGULAR)
    trails.counts[place] = size
    trails.scores[place] = n * log(rest) + terms.price * size


@lean
def search_ones(terms: Terms, trails: Trails, room: Room, place: int, v: int, pool: Ints, size: int) -> bool:
    """Grow and shrink the parents of v among the first ``size`` of ``pool``.

    ``False`` where its trail outgrows its room.
    """
    if not _grow(terms, trails, room, place, v, pool, size):
        return False
    _shrink(terms, trails, room, place, v)
    return True
