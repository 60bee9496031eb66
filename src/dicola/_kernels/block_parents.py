"""The best parents of a variable among those before it in an order, where variables are blocks of columns.

It is ``parent_search`` block by block. Growing takes the candidate that lowers the score most, its
price paid, again and again; the trail keeps a Cholesky factor that gains a row for every column of
a block taken. Growing and asking whether one more candidate would change a trail take the same
floating-point steps in the same order, so that they agree to the bit.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from dicola._kernels.arrays import Bools, Floats, Ints
from dicola._kernels.block_algebra import (
    SINGULAR,
    copy_block,
    factorise,
    factorise_inverted,
    factorise_scaled,
    forward,
    log_share_left,
    widest,
)
from dicola._kernels.compiled import inner, lean, lean_and_hot
from dicola._kernels.stopping import heed
from dicola._kernels.terms import BlockTerms, not_barred


class BlockTrails(NamedTuple):
    """Trails with the parents and the score that come of them, by place as in ``parent_search``."""

    factor: Floats  # row q: that of the q-th column taken
    along: Floats  # [c, q]: the part of the c-th column of v along the q-th column taken
    lower: Floats  # [k]: the factor of the covariance left of v before the k-th step, inverses on its diagonal; none before the first
    gained: Floats  # what the k-th step gained
    taken: Ints  # the variables taken, one after the other
    ends: Ints  # [k]: how many columns were taken before the k-th step
    lengths: Ints
    parents: Ints
    counts: Ints
    scores: Floats


LOWER, INVERSE = 0, 1  # of ``BlockRoom.square``


class BlockRoom(NamedTuple):
    """Arrays to work in. The columns of the candidates lie side by side; ``line`` is for one candidate alone."""

    rows: Floats  # the part of every column of the candidates along each column taken
    starts: Ints  # where the columns of candidate j begin in ``rows``
    columns: Ints  # which columns they are
    own: Floats  # [d, x]: what is left of the covariance of column x with the d-th before it, of the same candidate
    across: Floats  # [c, x]: and of that with the c-th column of v
    parts_of: Floats  # [c, x]: the part of column x along the c-th column left of v, once these are unrelated
    told: Floats  # [x]: the sum of their squares
    done: Bools  # by candidate: is it taken?
    rest: Floats  # what is left of the covariance of v
    line: Floats
    work: Floats
    free: Ints  # the candidates that are not barred
    square: Floats  # the factor of the columns of the parents, and its inverse
    parts: Floats  # the parts of v along them


def make_block_trails(n: int, longest: int, width: int) -> BlockTrails:
    """Trails for n variables of at most so many columns, each of fewer than ``longest`` others."""
    places, columns = n + 1, longest * width
    return BlockTrails(
        factor=np.zeros((places, columns, columns)),
        along=np.zeros((places, width, columns)),
        lower=np.zeros((places, longest, width, width)),
        gained=np.zeros((places, longest)),
        taken=np.zeros((places, longest), np.int64),
        ends=np.zeros((places, longest), np.int64),
        lengths=np.zeros(places, np.int64),
        parents=np.zeros((places, longest), np.int64),
        counts=np.zeros(places, np.int64),
        scores=np.zeros(places),
    )


@inner
def make_block_room(terms: BlockTerms, trails: BlockTrails) -> BlockRoom:
    """Room for searches that leave such trails."""
    n, w, columns = len(terms.begins) - 1, widest(terms.begins), trails.along.shape[2]
    return BlockRoom(
        np.empty((columns, len(terms.covariance))),
        np.empty(n + 1, np.int64),
        np.empty(len(terms.covariance), np.int64),
        np.empty((w, len(terms.covariance))),
        np.empty((w, len(terms.covariance))),
        np.empty((w, len(terms.covariance))),
        np.empty(len(terms.covariance)),
        np.empty(n, np.bool_),
        np.empty((w, w)),
        np.empty((columns, w)),
        np.empty((6, w, w)),
        np.empty(n, np.int64),
        np.empty((2, columns, columns)),
        np.empty((columns, w)),
    )


@lean_and_hot
def _copy(terms: BlockTerms, v: int, other: int, at: int, room: BlockRoom) -> None:
    """Write the covariances of the columns of one candidate, and with those of v, from the column ``at`` on."""
    first, own, of_v = terms.begins[other], terms.begins[v], terms.begins[v + 1] - terms.begins[v]
    for a in range(terms.begins[other + 1] - first):
        for d in range(a + 1):
            room.own[d, at + a] = terms.covariance[first + a, first + a - d]
        for c in range(of_v):
            room.across[c, at + a] = terms.covariance[own + c, first + a]


@lean_and_hot
def _gain(terms: BlockTerms, v: int, other: int, lower: Floats, at: int, room: BlockRoom, least: float) -> float:
    """What a candidate, its columns from ``at`` on, would lower the score by, its price paid; something below ``least`` where that is."""
    begins, price = terms.begins, terms.prices[other, v]
    most = (least + price) / terms.n_samples
    share = log_share_left(lower, begins[v + 1] - begins[v], room.own, room.across, at, begins[other + 1] - begins[other], room.work, most)
    return float(-terms.n_samples * share - price)


@lean_and_hot
def _first_gain(terms: BlockTerms, v: int, other: int) -> float:
    """The same where nothing is taken yet; wide blocks would be compared again and again."""
    return float(terms.n_samples * terms.gains[other, v] - terms.prices[other, v])


@lean
def _tell(room: BlockRoom, lower: Floats, w: int, total: int) -> None:
    """Fill in ``told`` for all columns of the candidates; ``lower`` is the factor of what is left of v."""
    across, parts, told = room.across, room.parts_of, room.told
    for c in range(w):
        for x in range(total):
            parts[c, x] = across[c, x]
        for t in range(c):
            step = lower[c, t]
            for x in range(total):
                parts[c, x] -= step * parts[t, x]
        scale = lower[c, c]
        for x in range(total):
            parts[c, x] *= scale
    for x in range(total):
        told[x] = parts[0, x] * parts[0, x]
    for c in range(1, w):
        for x in range(total):
            told[x] += parts[c, x] * parts[c, x]


@lean_and_hot
def _may_gain(terms: BlockTerms, room: BlockRoom, v: int, other: int, begin: int, end: int, least: float) -> bool:
    """May a candidate, its columns from ``begin`` to ``end``, gain as much as ``least``?

    With its own covariance K and its parts P it leaves the share det(I - P' inverse(K) P) of the determinant of v, no less than 1 - s
    with the trace s of what goes, and s is at most the sum of the squares of P over the least eigenvalue of K. K was the identity, and
    of what was taken off it no eigenvalue is above the trace.
    """
    told, left = 0.0, 1.0
    for x in range(begin, end):
        told += room.told[x]
        left -= 1.0 - room.own[0, x]
    most = (least + terms.prices[v, other]) / terms.n_samples
    return not told < most * (left - told)  # -ln(1 - s) is at most s / (1 - s)


@lean
def _take(terms: BlockTerms, trails: BlockTrails, room: BlockRoom, place: int, v: int, new: int, at: int, total: int) -> None:
    """Take the columns of a candidate, from ``at`` on, out of those of all others and of v, one by one."""
    begins, covariance, rows, own, across, rest = terms.begins, terms.covariance, room.rows, room.own, room.across, room.rest
    factor, along, length = trails.factor, trails.along, trails.lengths[place]
    w = begins[v + 1] - begins[v]
    for c in range(begins[new + 1] - begins[new]):
        q = trails.ends[place, length] + c
        variance = own[0, at + c]
        for i in range(q):
            factor[place, q, i] = rows[i, at + c]
        if not variance > SINGULAR:  # determined by those before: it says nothing
            factor[place, q, q] = 0.0
            for a in range(w):
                along[place, a, q] = 0.0
            for x in range(total):
                rows[q, x] = 0.0
            continue
        scale = sqrt(variance)
        factor[place, q, q] = scale
        for a in range(w):
            along[place, a, q] = across[a, at + c] / scale
        for x in range(total):
            rows[q, x] = covariance[begins[new] + c, room.columns[x]]
        for i in range(q):
            step = factor[place, q, i]
            if step != 0.0:
                for x in range(total):
                    rows[q, x] -= step * rows[i, x]
        for x in range(total):
            rows[q, x] /= scale
            own[0, x] -= rows[q, x] * rows[q, x]
        for b in range(w):
            step = along[place, b, q]
            for x in range(total):
                across[b, x] -= rows[q, x] * step
        for d in range(1, len(own)):  # also between columns of different candidates, which nobody reads
            for x in range(d, total):
                own[d, x] -= rows[q, x] * rows[q, x - d]
        for a in range(w):
            for b in range(a + 1):
                rest[a, b] -= along[place, a, q] * along[place, b, q]


@lean
def _lay_out(terms: BlockTerms, v: int, pool: Ints, size: int, total: int, room: BlockRoom) -> None:
    """Write the covariances of all columns of the candidates, and with those of v; nothing is taken yet."""
    begins, covariance, columns, own, across = terms.begins, terms.covariance, room.columns, room.own, room.across
    for j in range(size):
        for x in range(room.starts[j], room.starts[j + 1]):
            columns[x] = begins[pool[j]] + x - room.starts[j]
    for x in range(total):
        own[0, x] = covariance[columns[x], columns[x]]
    for d in range(1, len(own)):
        for x in range(total):
            own[d, x] = 0.0
    for c in range(begins[v + 1] - begins[v]):
        for x in range(total):
            across[c, x] = covariance[begins[v] + c, columns[x]]


@lean
def _grow(terms: BlockTerms, trails: BlockTrails, room: BlockRoom, place: int, v: int, pool: Ints, size: int) -> bool:
    """Grow the trail of v among the first ``size`` of ``pool``; ``False``: it outgrew its room."""
    begins, covariance, taken, ends = terms.begins, terms.covariance, trails.taken, trails.ends
    w = begins[v + 1] - begins[v]
    starts, rest, at = room.starts, room.rest, 0
    if len(terms.bars):
        size = not_barred(terms.bars, v, pool, size, room.free)
        pool = room.free
    for j in range(size):
        starts[j] = at
        at += begins[pool[j] + 1] - begins[pool[j]]
        room.done[j] = False
    starts[size] = at
    copy_block(covariance, begins, v, v, rest)
    length = 0
    ends[place, 0] = 0
    while True:
        best, chosen = 0.0, -1
        if length:
            factorise_inverted(rest, w, trails.lower[place, length])
            _tell(room, trails.lower[place, length], w, at)
        for j in range(size):
            u = pool[j]
            if room.done[j] or (length and not _may_gain(terms, room, v, u, starts[j], starts[j + 1], best)):
                continue
            gain = _gain(terms, v, u, trails.lower[place, length], starts[j], room, best) if length else _first_gain(terms, v, u)
            if gain > best or (gain == best and chosen >= 0 and u < pool[chosen]):
                best, chosen = gain, j
        trails.lengths[place] = length
        if chosen < 0:
            return True
        if length + 1 == taken.shape[1]:
            return False
        heed(0)
        if length == 0:
            _lay_out(terms, v, pool, size, at, room)
        taken[place, length], trails.gained[place, length] = pool[chosen], best
        ends[place, length + 1] = ends[place, length] + begins[pool[chosen] + 1] - begins[pool[chosen]]
        _take(terms, trails, room, place, v, pool[chosen], starts[chosen], at)
        room.done[chosen] = True
        length += 1


@lean
def changes_block(terms: BlockTerms, trails: BlockTrails, room: BlockRoom, place: int, v: int, other: int) -> bool:
    """Would ``other`` as one more candidate change the trail of v at this place?"""
    if len(terms.bars) and terms.bars[v, other]:
        return False
    begins, covariance, line = terms.begins, terms.covariance, room.line
    factor, along, taken, ends, gained = trails.factor, trails.along, trails.taken, trails.ends, trails.gained
    length = trails.lengths[place]
    gain = _first_gain(terms, v, other)
    if length == 0:
        return gain > 0.0
    if gain > gained[place, 0] or (gain == gained[place, 0] and other < taken[place, 0]):
        return True
    own, across = room.own, room.across
    w, wide = begins[v + 1] - begins[v], begins[other + 1] - begins[other]
    _copy(terms, v, other, 0, room)
    for k in range(length):
        for q in range(ends[place, k], ends[place, k + 1]):
            scale = factor[place, q, q]
            if scale == 0.0:
                for a in range(wide):
                    line[q, a] = 0.0
                continue
            column = begins[taken[place, k]] + q - ends[place, k]
            for a in range(wide):
                part = covariance[column, begins[other] + a]
                for i in range(q):
                    part -= factor[place, q, i] * line[i, a]
                line[q, a] = part / scale
            for a in range(wide):
                for d in range(a + 1):
                    own[d, a] -= line[q, a] * line[q, a - d]
                for b in range(w):
                    across[b, a] -= line[q, a] * along[place, b, q]
        least = gained[place, k + 1] if k + 1 < length else 0.0
        gain = _gain(terms, v, other, trails.lower[place, k + 1], 0, room, least)
        if gain > least or (gain == least and k + 1 < length and other < taken[place, k + 1]):
            return True
    return False


@lean
def first_change_of_blocks(
    terms: BlockTerms, trails: BlockTrails, room: BlockRoom, place: int, v: int, pool: Ints, begin: int, end: int
) -> int:
    """The first of ``pool`` from ``begin`` on that would change the trail of v; ``end`` where none before it does."""
    for j in range(begin, end):
        if changes_block(terms, trails, room, place, v, pool[j]):
            return j
    return end


@lean
def _left_of(terms: BlockTerms, v: int, parents: Ints, count: int, room: BlockRoom) -> int:
    """The factor of the columns of some parents, the parts of v along them, what is left of v; how many columns are they?"""
    begins, covariance, w, size = terms.begins, terms.covariance, terms.begins[v + 1] - terms.begins[v], 0
    lower, parts, rest = room.square[LOWER], room.parts, room.rest
    for k in range(count):
        for column in range(begins[parents[k]], begins[parents[k] + 1]):
            at = 0
            for i in range(k + 1):
                for other in range(begins[parents[i]], min(begins[parents[i] + 1], column + 1) if i == k else begins[parents[i] + 1]):
                    lower[size, at] = covariance[column, other]
                    at += 1
            for c in range(w):
                parts[size, c] = covariance[column, begins[v] + c]
            size += 1
    factorise(lower, size, lower)
    forward(lower, size, parts, w, parts)
    copy_block(covariance, begins, v, v, rest)
    for a in range(w):
        for b in range(a + 1):
            for q in range(size):
                rest[a, b] -= parts[q, a] * parts[q, b]
    return size


@lean
def _weakest(terms: BlockTerms, v: int, parents: Ints, count: int, room: BlockRoom) -> int:
    """The parent without which the score is lowest, -1 where every one is missed."""
    begins, w = terms.begins, terms.begins[v + 1] - terms.begins[v]
    lower, inverse, parts, rest, work = room.square[LOWER], room.square[INVERSE], room.parts, room.rest, room.work
    own, weights, lower_left = work[3], work[4], work[5]
    size = 0
    for k in range(count):
        size += begins[parents[k] + 1] - begins[parents[k]]
    for c in range(size):
        is_there = lower[c, c] != 0.0
        inverse[c, c] = 1.0 / lower[c, c] if is_there else 0.0
        for r in range(c + 1, size):
            total = 0.0
            if is_there and lower[r, r] != 0.0:
                for i in range(c, r):
                    total -= lower[r, i] * inverse[i, c]
                total /= lower[r, r]
            inverse[r, c] = total
    left = factorise(rest, w, lower_left)
    best, weakest, begin = 0.0, -1, 0
    for k in range(count):
        wide = begins[parents[k] + 1] - begins[parents[k]]
        # Without a block b the covariance left of v grows by weightsᵀ · own⁻¹ · weights, with the slopes on b and its part of the
        # inverse covariance of all parents.
        for a in range(wide):
            for b in range(a + 1):
                value = 0.0
                for r in range(begin + a, size):
                    value += inverse[r, begin + a] * inverse[r, begin + b]
                own[a, b] = value
            for c in range(w):
                value = 0.0
                for r in range(begin + a, size):
                    value += inverse[r, begin + a] * parts[r, c]
                weights[a, c] = value
        factorise_scaled(own, wide, work[0])
        forward(work[0], wide, weights, w, work[1])
        grows = 0.0  # the trace by which the covariance left of v grows, in its own units
        for i in range(wide):
            for c in range(w):
                value = work[1, i, c]
                for t in range(c):
                    value -= lower_left[c, t] * work[2, i, t]
                work[2, i, c] = value / lower_left[c, c] if lower_left[c, c] != 0.0 else 0.0
                grows += work[2, i, c] * work[2, i, c]
        if terms.n_samples * grows > (1.0 + 2.0 * grows) * terms.prices[parents[k], v]:  # ln(1 + s) is above s / (1 + 2 s): it is missed
            begin += wide
            continue
        for a in range(w):
            for b in range(a + 1):
                value = rest[a, b]
                for i in range(wide):
                    value += work[1, i, a] * work[1, i, b]
                work[2, a, b] = value
        change = terms.n_samples * (factorise(work[2], w, work[2]) - left) - terms.prices[parents[k], v]
        if change < best or (change == best and weakest >= 0 and parents[k] < parents[weakest]):
            best, weakest = change, k
        begin += wide
    return weakest


@lean
def _shrink(terms: BlockTerms, trails: BlockTrails, room: BlockRoom, place: int, v: int) -> None:
    """Drop from the trail the variable that is missed least, while this lowers the score; leaves parents and score."""
    begins, parents, count = terms.begins, trails.parents[place], trails.lengths[place]
    w, size, lower = begins[v + 1] - begins[v], trails.ends[place, count], room.square[LOWER]
    for k in range(count):
        parents[k] = trails.taken[place, k]
    if count > 1:
        for a in range(size):
            for b in range(a + 1):
                lower[a, b] = trails.factor[place, a, b]
            for c in range(w):
                room.parts[a, c] = trails.along[place, c, a]
    while count > 1:  # one alone was just worth its price
        heed(0)
        weakest = _weakest(terms, v, parents, count, room)
        if weakest < 0:
            break
        count -= 1
        for k in range(weakest, count):
            parents[k] = parents[k + 1]
        _left_of(terms, v, parents, count, room)
    score = terms.n_samples * (factorise(room.rest, w, room.work[0]) - terms.alone[v])
    for k in range(count):
        score += terms.prices[parents[k], v]
    trails.counts[place], trails.scores[place] = count, score


@lean
def search_blocks(terms: BlockTerms, trails: BlockTrails, room: BlockRoom, place: int, v: int, pool: Ints, size: int) -> bool:
    """Grow and shrink the parents of v among the first ``size`` of ``pool``.

    ``False`` where its trail outgrows its room.
    """
    if not _grow(terms, trails, room, place, v, pool, size):
        return False
    _shrink(terms, trails, room, place, v)
    return True
