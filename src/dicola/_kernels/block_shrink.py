"""Dropping those parents of a block that are not worth their price, the least missed first."""

from __future__ import annotations

from dicola._kernels.arrays import Ints
from dicola._kernels.block_algebra import copy_block, factorise, factorise_scaled, forward
from dicola._kernels.block_trails import INVERSE, LOWER, BlockRoom, BlockTrails
from dicola._kernels.compiled import lean, lean_and_hot
from dicola._kernels.stopping import heed
from dicola._kernels.terms import BlockTerms


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


@lean_and_hot
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


@lean_and_hot
def shrink(terms: BlockTerms, trails: BlockTrails, room: BlockRoom, place: int, v: int) -> tuple[int, float]:
    """Drop from the trail the variable that is missed least, while this lowers the score; how many are left, and the score."""
    begins, parents, count = terms.begins, trails.parents[place], trails.lengths[place]
    w = begins[v + 1] - begins[v]
    for k in range(count):
        parents[k] = trails.taken[place, k]
    _left_of(terms, v, parents, count, room)
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
    return count, score
