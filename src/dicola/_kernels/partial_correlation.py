"""Search for a separating set by partial correlation.

The residual covariance is swept while walking the tree of subsets: conditioning on one more
variable p changes it by one step, ``w[a, b] - (w[a, p] / w[p, p]) * w[p, b]``. Subsets of one size
are visited in lexicographic order; each shares the steps of its common beginning with the one
before, so that the last step, the only one taken per test, costs a handful of multiplications. A
variable that is determined by those already taken (residual variance below ``SINGULAR``) adds
nothing and is passed over, as a pseudo-inverse would.

A pair is dependent given S iff ``cov(x, y | S)² > limit · var(x | S) · var(y | S)``, where
``limit`` is the squared critical correlation for the size of S.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types

from dicola._kernels.arrays import Bools, Flags, Floats, Ints, longer
from dicola._kernels.compiled import hot, inlined, inner, kernel
from dicola._kernels.interpreted import by_type
from dicola._kernels.stopping import heed

SINGULAR = 1e-10
_STEPS = 512  # in the tree of subsets, from one look at the clock to the next


class Room(NamedTuple):
    """Arrays that ``first_separator`` works in; the set it finds is left in ``found``."""

    found: Ints
    residuals: Floats  # what is left of all covariances, by the number of variables taken
    chosen: Ints  # places of the variables taken
    # parts that hold all of these; behind them, parts that hold all candidates from a place on
    shared: Flags


@kernel
def is_dependent(xy: float, xx: float, yy: float, limit: float) -> bool:
    """The verdict from the residual 2 × 2 covariance; a determined variable depends on nothing."""
    if xx < SINGULAR or yy < SINGULAR:
        return limit < 0.0
    return xy * xy > limit * xx * yy


@kernel
def residual(correlation: Floats, x: int, y: int, given: Ints) -> tuple[float, float, float]:
    """Residual covariance of x and y given the variables ``given``: (cov, var x, var y)."""
    index = _listed(x, y, given, 0)
    return swept(correlation, index, np.empty((len(index), len(index))))


@inlined
def _listed(x: int, y: int, given: Ints, more: int) -> Ints:
    """x, y and the variables ``given``, with places for some more behind them."""
    index = np.empty(len(given) + 2 + more, np.int64)
    index[0], index[1] = x, y
    for i in range(len(given)):
        index[i + 2] = given[i]
    return index


@inlined
def swept(correlation: Floats, index: Ints, w: Floats) -> tuple[float, float, float]:
    """``residual`` of the first two variables of ``index`` given the others; ``w`` is room."""
    n = len(index)
    for a in range(n):
        for b in range(a, n):
            w[a, b] = correlation[index[a], index[b]]
    for p in range(2, n):
        _sweep(w, p, n, w)
    return w[0, 1], w[0, 0], w[1, 1]


@inlined
def _sweep(w: Floats, p: int, n: int, out: Floats) -> None:
    """Residuals of x, y and of all that comes after p, once p is taken.

    Only the upper triangle is written; ``out`` may be ``w``.
    """
    pivot = w[p, p]
    singular = pivot < SINGULAR
    for a in range(2):
        factor = 0.0 if singular else w[a, p] / pivot
        for b in range(a, 2):
            out[a, b] = w[a, b] - factor * w[b, p]
        for b in range(p + 1, n):
            out[a, b] = w[a, b] - factor * w[p, b]
    for a in range(p + 1, n):
        factor = 0.0 if singular else w[p, a] / pivot
        for b in range(a, n):
            out[a, b] = w[a, b] - factor * w[p, b]


@kernel
def dependent_with_each(correlation: Floats, x: int, y: int, given: Ints, others: Ints, limit: float) -> Bools:
    """Are x and y dependent given ``given`` and one of ``others``, for each of them?"""
    index = _listed(x, y, given, 1)
    w = np.empty((len(index), len(index)))
    dependent = np.empty(len(others), np.bool_)
    for k in range(len(others)):
        index[-1] = others[k]
        xy, xx, yy = swept(correlation, index, w)
        dependent[k] = is_dependent(xy, xx, yy, limit)
    return dependent


@hot
def _separates(cov: tuple[float, float, float], pivot: float, at_x: float, at_y: float, limit: float) -> bool:
    """Are x and y, with these residual covariances, independent once a last variable is taken?"""
    xy, xx, yy = cov
    if pivot >= SINGULAR:
        factor = at_x / pivot
        xy -= factor * at_y
        xx -= factor * at_x
        yy -= (at_y / pivot) * at_y
    return not is_dependent(xy, xx, yy, limit)


@inner
def make_room(size: int, candidates: int) -> Room:
    """Room for sets of at most this size of so many candidates."""
    n, most = candidates + 2, max(size, 1)
    return Room(np.empty(most, np.int64), np.empty((most, n, n)), np.empty(size + 1, np.int64), np.empty(size + n + 2, np.uint8))


def first_separator(evidence: Any, x: int, y: int, candidates: Ints, parts: Flags, size: int, limit: float, room: Room) -> tuple[bool, int]:
    """First subset of ``candidates`` of this size that separates x and y, in lexicographic order.

    Bit b of ``parts[i]`` says that candidate i belongs to part b; a non-empty subset that lies
    wholly in one part was tried before and is passed over. The members go to ``room.found``.
    Answers whether one was found, and the number of verdicts computed.

    The evidence is a correlation matrix, or one of those in ``dicola._kernels.evidence``; the kernels
    that call this are compiled for each kind on its own.
    """
    raise NotImplementedError("for kernels only")


@by_type(first_separator)
def _first_separator(evidence: Any, x: int, y: int, candidates: Any, parts: Any, size: int, limit: float, room: Any) -> Any:
    if isinstance(evidence, types.Array):
        return lambda evidence, x, y, candidates, parts, size, limit, room: _first_by_sweeping(
            evidence, x, y, candidates, parts, size, limit, room
        )
    return None


@inlined
def _take(residuals: Floats, level: int, p: int, n: int) -> None:
    """``_sweep`` of one level into the next; a matrix of them taken by itself would cost a count of those who hold it."""
    pivot = residuals[level, p, p]
    singular = pivot < SINGULAR
    for a in range(2):
        factor = 0.0 if singular else residuals[level, a, p] / pivot
        for b in range(a, 2):
            residuals[level + 1, a, b] = residuals[level, a, b] - factor * residuals[level, b, p]
        for b in range(p + 1, n):
            residuals[level + 1, a, b] = residuals[level, a, b] - factor * residuals[level, p, b]
    for a in range(p + 1, n):
        factor = 0.0 if singular else residuals[level, p, a] / pivot
        for b in range(a, n):
            residuals[level + 1, a, b] = residuals[level, a, b] - factor * residuals[level, p, b]


@inner
def _first_by_sweeping(
    correlation: Floats, x: int, y: int, candidates: Ints, parts: Flags, size: int, limit: float, room: Room
) -> tuple[bool, int]:
    """``first_separator`` from correlations."""
    m, found = len(candidates), room.found
    if size > m:
        return False, 0
    if size == 0:
        return not is_dependent(correlation[x, y], correlation[x, x], correlation[y, y], limit), 1
    if size == 1:
        pair = correlation[x, y], correlation[x, x], correlation[y, y]
        tests = 0
        for i in range(m):
            if parts[i]:
                continue
            tests += 1
            c = candidates[i]
            if _separates(pair, correlation[c, c], correlation[x, c], correlation[y, c], limit):
                found[0] = c
                return True, tests
        return False, tests
    n = m + 2
    residuals, chosen, shared = room.residuals, room.chosen, room.shared
    after = size + 1  # from here on in ``shared``: the parts that hold all candidates from a place on
    shared[after + n] = 255
    for i in range(n - 1, 1, -1):
        shared[after + i] = shared[after + i + 1] & parts[i - 2]
    if shared[after + 2]:
        return False, 0
    for a in range(n):
        row = x if a == 0 else y if a == 1 else candidates[a - 2]
        for b in range(a, n):
            residuals[0, a, b] = correlation[row, x if b == 0 else y if b == 1 else candidates[b - 2]]
    depth = size - 1  # the last variable is handled without writing a residual matrix
    tests = 0
    shared[0] = 255
    level = 0
    chosen[0] = 1
    while True:
        for _ in range(_STEPS):
            chosen[level] += 1
            c = chosen[level]
            if c > n - (size - level) or shared[level] & shared[after + c]:
                level -= 1
                if level < 0:
                    return False, tests
                continue
            if level < depth:
                _take(residuals, level, c, n)
                shared[level + 1] = shared[level] & parts[c - 2]
                level += 1
                chosen[level] = c
                continue
            pair = residuals[level, 0, 1], residuals[level, 0, 0], residuals[level, 1, 1]
            for last in range(c, n):
                if shared[level] & parts[last - 2]:
                    continue
                tests += 1
                if _separates(pair, residuals[level, last, last], residuals[level, 0, last], residuals[level, 1, last], limit):
                    for i in range(depth):
                        found[i] = candidates[chosen[i] - 2]
                    found[depth] = candidates[last - 2]
                    return True, tests
            level -= 1
            if level < 0:
                return False, tests
        heed(tests)  # here and not in the loop, which it would slow down


@kernel
def separator_among(
    evidence: Any, x: int, y: int, candidates: Ints, sizes: Ints, limits: Floats, parts: Flags, has_tried: bool
) -> tuple[Ints, bool, int]:
    """First separating subset of the candidates, size after size; whether there is one, and the verdicts it took.

    ``limits[i]`` belongs to ``sizes[i]``; where sets were tried before, the empty one was.
    """
    largest = 0
    for size in sizes:
        largest = max(largest, size)
    room = make_room(min(largest, len(candidates)), len(candidates))
    total = 0
    for i in range(len(sizes)):
        if has_tried and sizes[i] == 0:
            continue
        separated, tests = first_separator(evidence, x, y, candidates, parts, sizes[i], limits[i], room)
        total += tests
        if separated:
            return room.found[: sizes[i]], True, total
    return room.found[:0], False, total


@kernel
def separators_among(evidence: Any, pairs: Ints, pool: Ints, largest: int, beside: int, limits: Floats) -> tuple[Ints, Ints, int]:
    """First separating subset of the sorted pool, sizes up to ``largest``, for pair after pair.

    Answers the size of each (-1: none), all members, and the verdicts it took: a plain tuple, which is made sooner than a named one.

    The variable ``beside`` of the pool (-1: none) is kept out of these sets; the answer ends before
    the first pair that only a set with it separates.
    """
    sizes = np.full(len(pairs), -1, np.int64)
    members = np.empty(64, np.int64)
    candidates = np.empty(len(pool), np.int64)
    parts = np.empty(len(pool), np.uint8)
    room = make_room(largest + 1, len(pool))
    total = 0
    used = 0
    for i in range(len(pairs)):
        if i & 63 == 63:
            heed(total)
        x, y = min(pairs[i, 0], pairs[i, 1]), max(pairs[i, 0], pairs[i, 1])
        separated = False
        # subsets without ``beside``, then those with it
        for added in range(2 if beside >= 0 else 1):
            m = 0
            for v in pool:
                if v not in (x, y) and (added or v != beside):
                    candidates[m] = v
                    parts[m] = 0 if v == beside else added
                    m += 1
            for size in range(added, min(largest + added, m) + 1):
                separated, tests = first_separator(evidence, x, y, candidates[:m], parts[:m], size, limits[size], room)
                total += tests
                if separated:
                    break
            if separated:
                break
        if separated and added:
            return sizes[:i], members[:used], total
        if separated:
            sizes[i] = size
            members = longer(members, used + size)
            for at in range(size):
                members[used + at] = room.found[at]
            used += size
    return sizes, members[:used], total


@kernel
def first_of(correlation: Floats, x: int, y: int, sets: Ints, limit: float) -> int:
    """Number of the first row of ``sets`` that separates x and y; -1 if none does.

    The steps of ``residual``, in the same order and so to the last bit, but row by row: what a set
    has in common with the beginning of the one before is not worked out again.
    """
    count, size = sets.shape
    # of member k with one before it, given those before that one; last its own variance given all
    # of them
    within = np.empty((size, size))
    share = np.empty((size, size))  # the same as a share of the variance of the one before
    share_x, share_y = np.empty(size), np.empty(size)
    left = np.empty((size + 1, 3))  # (cov, var x, var y) given the first members
    left[0, 0], left[0, 1], left[0, 2] = correlation[x, y], correlation[x, x], correlation[y, y]
    for i in range(count):
        if i & 63 == 63:
            heed(i)
        given = sets[i]
        same = 0
        while i and same < size and given[same] == sets[i - 1, same]:
            same += 1
        for k in range(same, size):
            v = given[k]
            at_x, at_y = correlation[x, v], correlation[y, v]
            for q in range(k + 1):
                cov = correlation[given[q], v]
                for r in range(q):
                    cov -= share[q, r] * within[k, r]
                within[k, q] = cov
                share[k, q] = 0.0 if within[q, q] < SINGULAR else cov / within[q, q]
            for r in range(k):
                at_x -= share_x[r] * within[k, r]
                at_y -= share_y[r] * within[k, r]
            singular = within[k, k] < SINGULAR
            share_x[k] = 0.0 if singular else at_x / within[k, k]
            share_y[k] = 0.0 if singular else at_y / within[k, k]
            left[k + 1, 0] = left[k, 0] - share_x[k] * at_y
            left[k + 1, 1] = left[k, 1] - share_x[k] * at_x
            left[k + 1, 2] = left[k, 2] - share_y[k] * at_y
        if not is_dependent(left[size, 0], left[size, 1], left[size, 2], limit):
            return i
    return -1
