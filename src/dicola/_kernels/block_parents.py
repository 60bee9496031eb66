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
from dicola._kernels.block_algebra import SINGULAR, copy_block, factorise, factorise_scaled, forward, log_det_given, widest
from dicola._kernels.compiled import hot, inner
from dicola._kernels.stopping import heed
from dicola._kernels.terms import BlockTerms, not_barred


class BlockTrails(NamedTuple):
    """Trails with the parents and the score that come of them, by place as in ``parent_search``."""

    factor: Floats  # row q: that of the q-th column taken
    along: Floats  # [c, q]: the part of the c-th column of v along the q-th column taken
    rest: Floats  # [k]: the covariance left of v before the k-th step
    steps: Floats  # what the k-th step gained, and the log determinant of what was left before it
    taken: Ints  # the variables taken, one after the other
    ends: Ints  # [k]: how many columns were taken before the k-th step
    lengths: Ints
    parents: Ints
    counts: Ints
    scores: Floats


GAINED, LEFT = 0, 1  # of ``steps``


class BlockRoom(NamedTuple):
    """Arrays to work in. Place j belongs to candidate j; ``line`` to one candidate alone."""

    rows: Floats  # the part of every column of the candidates along each column taken
    starts: Ints  # where the columns of candidate j begin in ``rows``
    own: Floats  # what is left of its covariance
    across: Floats  # and of that with v
    done: Bools
    rest: Floats  # what is left of the covariance of v
    line: Floats
    work: Floats
    free: Ints  # the candidates that are not barred


def make_block_trails(n: int, longest: int, width: int) -> BlockTrails:
    """Trails for n variables of at most so many columns, each of fewer than ``longest`` others."""
    places, columns = n + 1, longest * width
    return BlockTrails(
        factor=np.zeros((places, columns, columns)),
        along=np.zeros((places, width, columns)),
        rest=np.zeros((places, longest, width, width)),
        steps=np.zeros((places, 2, longest)),
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
        np.empty((n, w, w)),
        np.empty((n, w, w)),
        np.empty(n, np.bool_),
        np.empty((w, w)),
        np.empty((columns, w)),
        np.empty((3, w, w)),
        np.empty(n, np.int64),
    )


@hot
def _gain(terms: BlockTerms, v: int, other: int, rest: Floats, left: float, own: Floats, across: Floats, work: Floats) -> float:
    """What a candidate would lower the score by, its price paid."""
    begins = terms.begins
    after = log_det_given(rest, begins[v + 1] - begins[v], own, across, begins[other + 1] - begins[other], work)
    return float(terms.n_samples * (left - after) - terms.prices[other, v])


@hot
def _first_gain(terms: BlockTerms, v: int, other: int) -> float:
    """The same where nothing is taken yet; wide blocks would be compared again and again."""
    return float(terms.n_samples * terms.gains[other, v] - terms.prices[other, v])


@inner
def _take(terms: BlockTerms, trails: BlockTrails, room: BlockRoom, place: int, v: int, pool: Ints, size: int, chosen: int) -> None:
    """Take the columns of a candidate out of all others and of v, one by one."""
    begins, covariance, rows, starts, rest = terms.begins, terms.covariance, room.rows, room.starts, room.rest
    factor, along, length = trails.factor[place], trails.along[place], trails.lengths[place]
    new, w, total = pool[chosen], begins[v + 1] - begins[v], starts[size]
    for c in range(begins[new + 1] - begins[new]):
        q = trails.ends[place, length] + c
        row, variance = rows[q], room.own[chosen, c, c]
        for i in range(q):
            factor[q, i] = rows[i, starts[chosen] + c]
        if not variance > SINGULAR:  # determined by those before: it says nothing
            factor[q, q] = 0.0
            for a in range(w):
                along[a, q] = 0.0
            for x in range(total):
                row[x] = 0.0
            continue
        scale = sqrt(variance)
        factor[q, q] = scale
        for a in range(w):
            along[a, q] = room.across[chosen, c, a] / scale
        for j in range(size):
            first = begins[pool[j]] - starts[j]
            for x in range(starts[j], starts[j + 1]):
                row[x] = covariance[begins[new] + c, first + x]
        for i in range(q):
            step, earlier = factor[q, i], rows[i]
            if step != 0.0:
                for x in range(total):
                    row[x] -= step * earlier[x]
        for x in range(total):
            row[x] /= scale
        for j in range(size):
            if room.done[j] and j != chosen:
                continue
            own, across, at = room.own[j], room.across[j], starts[j]
            for a in range(starts[j + 1] - at):
                for b in range(a + 1):
                    own[a, b] -= row[at + a] * row[at + b]
                for b in range(w):
                    across[a, b] -= row[at + a] * along[b, q]
        for a in range(w):
            for b in range(a + 1):
                rest[a, b] -= along[a, q] * along[b, q]


@inner
def _grow(terms: BlockTerms, trails: BlockTrails, room: BlockRoom, place: int, v: int, pool: Ints, size: int) -> bool:
    """Grow the trail of v among the first ``size`` of ``pool``; ``False``: it outgrew its room."""
    begins, covariance, taken, ends = terms.begins, terms.covariance, trails.taken[place], trails.ends[place]
    steps, w = trails.steps[place], begins[v + 1] - begins[v]
    starts, rest, at = room.starts, room.rest, 0
    if len(terms.bars):
        size = not_barred(terms.bars, v, pool, size, room.free)
        pool = room.free
    for j in range(size):
        starts[j] = at
        at += begins[pool[j] + 1] - begins[pool[j]]
        copy_block(covariance, begins, pool[j], pool[j], room.own[j])
        copy_block(covariance, begins, pool[j], v, room.across[j])
        room.done[j] = False
    starts[size] = at
    copy_block(covariance, begins, v, v, rest)
    left, length = terms.alone[v], 0
    ends[0] = 0
    while True:
        best, chosen = 0.0, -1
        for j in range(size):
            if room.done[j]:
                continue
            u = pool[j]
            gain = _gain(terms, v, u, rest, left, room.own[j], room.across[j], room.work) if length else _first_gain(terms, v, u)
            if gain > best or (gain == best and chosen >= 0 and u < pool[chosen]):
                best, chosen = gain, j
        for a in range(w):
            for b in range(a + 1):
                trails.rest[place, length, a, b] = rest[a, b]
        steps[LEFT, length] = left
        trails.lengths[place] = length
        if chosen < 0:
            return True
        if length + 1 == len(taken):
            return False
        heed(0)
        taken[length], steps[GAINED, length] = pool[chosen], best
        ends[length + 1] = ends[length] + begins[pool[chosen] + 1] - begins[pool[chosen]]
        _take(terms, trails, room, place, v, pool, size, chosen)
        room.done[chosen] = True
        left = factorise(rest, w, room.work[0])
        length += 1


@inner
def changes_block(terms: BlockTerms, trails: BlockTrails, room: BlockRoom, place: int, v: int, other: int) -> bool:
    """Would ``other`` as one more candidate change the trail of v at this place?"""
    if len(terms.bars) and terms.bars[v, other]:
        return False
    begins, covariance, line = terms.begins, terms.covariance, room.line
    factor, along, taken, ends = trails.factor[place], trails.along[place], trails.taken[place], trails.ends[place]
    rest, steps, length = trails.rest[place], trails.steps[place], trails.lengths[place]
    own, across = room.own[0], room.across[0]
    w, wide = begins[v + 1] - begins[v], begins[other + 1] - begins[other]
    if length == 0:
        return _first_gain(terms, v, other) > 0.0
    copy_block(covariance, begins, other, other, own)
    copy_block(covariance, begins, other, v, across)
    for k in range(length):
        gain = _gain(terms, v, other, rest[k], steps[LEFT, k], own, across, room.work) if k else _first_gain(terms, v, other)
        if gain > steps[GAINED, k] or (gain == steps[GAINED, k] and other < taken[k]):
            return True
        for q in range(ends[k], ends[k + 1]):
            scale = factor[q, q]
            if scale == 0.0:
                for a in range(wide):
                    line[q, a] = 0.0
                continue
            column = begins[taken[k]] + q - ends[k]
            for a in range(wide):
                part = covariance[column, begins[other] + a]
                for i in range(q):
                    part -= factor[q, i] * line[i, a]
                line[q, a] = part / scale
            for a in range(wide):
                for b in range(a + 1):
                    own[a, b] -= line[q, a] * line[q, b]
                for b in range(w):
                    across[a, b] -= line[q, a] * along[b, q]
    return _gain(terms, v, other, rest[length], steps[LEFT, length], own, across, room.work) > 0.0


@inner
def first_change_of_blocks(
    terms: BlockTerms, trails: BlockTrails, room: BlockRoom, place: int, v: int, pool: Ints, begin: int, end: int
) -> int:
    """The first of ``pool`` from ``begin`` on that would change the trail of v; ``end`` where none before it does."""
    for j in range(begin, end):
        if changes_block(terms, trails, room, place, v, pool[j]):
            return j
    return end


@inner
def _left_of(terms: BlockTerms, v: int, parents: Ints, count: int, lower: Floats, parts: Floats, rest: Floats) -> int:
    """The factor of the columns of some parents, the parts of v along them, what is left of v; how many columns are they?"""
    begins, covariance, w, size = terms.begins, terms.covariance, terms.begins[v + 1] - terms.begins[v], 0
    columns = np.empty(len(lower), np.int64)
    for k in range(count):
        for column in range(begins[parents[k]], begins[parents[k] + 1]):
            columns[size] = column
            size += 1
    for a in range(size):
        for b in range(a + 1):
            lower[a, b] = covariance[columns[a], columns[b]]
        for c in range(w):
            parts[a, c] = covariance[columns[a], begins[v] + c]
    factorise(lower, size, lower)
    forward(lower, size, parts, w, parts)
    copy_block(covariance, begins, v, v, rest)
    for a in range(w):
        for b in range(a + 1):
            for q in range(size):
                rest[a, b] -= parts[q, a] * parts[q, b]
    return size


@inner
def _weakest(terms: BlockTerms, v: int, parents: Ints, count: int, trail: tuple[Floats, Floats, Floats], work: Floats) -> tuple[float, int]:
    """The parent without which the score is lowest, and how much it changes."""
    begins, w = terms.begins, terms.begins[v + 1] - terms.begins[v]
    lower, parts, rest = trail
    size = 0
    for k in range(count):
        size += begins[parents[k] + 1] - begins[parents[k]]
    inverse = np.zeros((size, size))
    for c in range(size):
        if lower[c, c] == 0.0:
            continue
        inverse[c, c] = 1.0 / lower[c, c]
        for r in range(c + 1, size):
            if lower[r, r] == 0.0:
                continue
            total = 0.0
            for i in range(c, r):
                total -= lower[r, i] * inverse[i, c]
            inverse[r, c] = total / lower[r, r]
    own, weights = np.empty(work.shape[1:]), np.empty(work.shape[1:])
    left = factorise(rest, w, work[0])
    best, weakest, begin = np.inf, -1, 0
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
        for a in range(w):
            for b in range(a + 1):
                value = rest[a, b]
                for i in range(wide):
                    value += work[1, i, a] * work[1, i, b]
                work[2, a, b] = value
        change = terms.n_samples * (factorise(work[2], w, work[2]) - left) - terms.prices[parents[k], v]
        if change < best or (change == best and parents[k] < parents[weakest]):
            best, weakest = change, k
        begin += wide
    return best, weakest


@inner
def _shrink(terms: BlockTerms, trails: BlockTrails, room: BlockRoom, place: int, v: int) -> None:
    """Drop from the trail the variable that is missed least, while this lowers the score; leaves parents and score."""
    begins, parents, count = terms.begins, trails.parents[place], trails.lengths[place]
    w, size = begins[v + 1] - begins[v], trails.ends[place, count]
    for k in range(count):
        parents[k] = trails.taken[place, k]
    lower, parts, rest = np.empty((size, size)), np.empty((size, w)), np.empty((w, w))
    for a in range(size):
        for b in range(a + 1):
            lower[a, b] = trails.factor[place, a, b]
        for c in range(w):
            parts[a, c] = trails.along[place, c, a]
    for a in range(w):
        for b in range(a + 1):
            rest[a, b] = trails.rest[place, count, a, b]
    while count:
        heed(0)
        change, weakest = _weakest(terms, v, parents, count, (lower, parts, rest), room.work)
        if change >= 0.0:
            break
        count -= 1
        for k in range(weakest, count):
            parents[k] = parents[k + 1]
        _left_of(terms, v, parents, count, lower, parts, rest)
    score = terms.n_samples * (factorise(rest, w, room.work[0]) - terms.alone[v])
    for k in range(count):
        score += terms.prices[parents[k], v]
    trails.counts[place], trails.scores[place] = count, score


@inner
def search_blocks(terms: BlockTerms, trails: BlockTrails, room: BlockRoom, place: int, v: int, pool: Ints, size: int) -> bool:
    """Grow and shrink the parents of v among the first ``size`` of ``pool``.

    ``False`` where its trail outgrows its room.
    """
    if not _grow(terms, trails, room, place, v, pool, size):
        return False
    _shrink(terms, trails, room, place, v)
    return True
