"""Search for a separating set by partial correlation.

The residual covariance is swept while walking the tree of subsets: conditioning on one more
variable p changes it by one step, ``w[a, b] - (w[a, p] / w[p, p]) * w[p, b]``. Subsets of one size
are visited in lexicographic order; each shares the steps of its common beginning with the one
before. Of the last step, the only one taken per test, and of the one before it just what the verdicts
need is worked out, which is a handful of multiplications. A variable that is determined by those
already taken (residual variance below ``SINGULAR``) adds nothing and is passed over, as a
pseudo-inverse would.

A pair is dependent given S iff ``cov(x, y | S)² > limit · var(x | S) · var(y | S)``, where
``limit`` is the squared critical correlation for the size of S.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types

from dicola._kernels.arrays import Bools, Flags, Floats, Ints, Places, longer
from dicola._kernels.compiled import hot, inlined, inner, kernel, lean, lean_and_hot
from dicola._kernels.interpreted import by_type
from dicola._kernels.stopping import heed

SINGULAR = 1e-10
_STEPS = 512  # in the tree of subsets, from one look at the clock to the next


class Room(NamedTuple):
    """Arrays that ``first_separator`` works in; the set it finds is left in ``found``.

    Candidates have places from the last to the first. What is left of the covariances of those at places 0 to c is then the beginning
    of a triangle, row after row, and a step over it is one loop: most triangles are so small that a loop per row would cost more to
    begin and end than to go through.
    """

    found: Ints
    triangles: Floats  # what is left of the covariances among candidates, by the number of variables taken
    beside: Floats  # of those of x with candidates, then of those of y
    pairs: Floats  # (cov, var x, var y)
    share: Floats
    rows: Places  # where each entry of a triangle stands
    columns: Places
    chosen: Ints  # places of the variables taken
    # parts that hold all of these; behind them, parts that hold all candidates up to a place
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
    levels = max(size - 1, 0)  # what is left once the last variable is taken is not written down, nor before a single one
    entries = candidates * (candidates + 1) // 2 if levels else 0
    steps = entries if levels > 1 else 0
    rows, columns = np.empty(steps, np.int32), np.empty(steps, np.int32)
    at = 0
    for i in range(candidates if steps else 0):
        for j in range(i + 1):
            rows[at], columns[at] = i, j
            at += 1
    return Room(
        found=np.empty(max(size, 1), np.int64),
        triangles=np.empty((levels, entries)),
        beside=np.empty((levels, 2, candidates)),
        pairs=np.empty((levels, 3)),
        share=np.empty(candidates),
        rows=rows,
        columns=columns,
        chosen=np.empty(size + 1, np.int64),
        shared=np.empty(size + candidates + 1, np.uint8),
    )


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


@lean_and_hot
def _begin(correlation: Floats, x: int, y: int, candidates: Ints, room: Room) -> None:
    """Covariances before any candidate is taken."""
    triangles, beside, pairs = room.triangles, room.beside, room.pairs
    m = len(candidates)
    pairs[0, 0], pairs[0, 1], pairs[0, 2] = correlation[x, y], correlation[x, x], correlation[y, y]
    at = 0
    for i in range(m):
        v = candidates[m - 1 - i]
        beside[0, 0, i], beside[0, 1, i] = correlation[x, v], correlation[y, v]
        for j in range(i + 1):
            triangles[0, at] = correlation[v, candidates[m - 1 - j]]
            at += 1


@lean_and_hot
def _take(room: Room, level: int, p: int) -> None:
    """The step that takes the candidate at place p, for all before that place."""
    triangles, beside, pairs, share, rows, columns = room.triangles, room.beside, room.pairs, room.share, room.rows, room.columns
    row = p * (p + 1) // 2
    pivot = triangles[level, row + p]
    singular = pivot < SINGULAR
    at_x, at_y = beside[level, 0, p], beside[level, 1, p]
    of_x, of_y = 0.0 if singular else at_x / pivot, 0.0 if singular else at_y / pivot
    pairs[level + 1, 0] = pairs[level, 0] - of_x * at_y
    pairs[level + 1, 1] = pairs[level, 1] - of_x * at_x
    pairs[level + 1, 2] = pairs[level, 2] - of_y * at_y
    for i in range(p):
        at = triangles[level, row + i]
        share[i] = 0.0 if singular else at / pivot
        beside[level + 1, 0, i] = beside[level, 0, i] - of_x * at
        beside[level + 1, 1, i] = beside[level, 1, i] - of_y * at
    for k in range(row):
        triangles[level + 1, k] = triangles[level, k] - share[rows[k]] * triangles[level, row + columns[k]]


@lean_and_hot
def _last_two(room: Room, level: int, begin: int, after: int, parts: Flags, limit: float) -> tuple[int, int, int]:
    """The first two places from ``begin`` down that, taken beside those of a level, separate x and y; the verdicts that took.

    Both places are 0 where none do.
    """
    triangles, beside, pairs, shared = room.triangles, room.beside, room.pairs, room.shared
    xy, xx, yy = pairs[level, 0], pairs[level, 1], pairs[level, 2]
    m, tests = len(parts), 0
    for p in range(begin, 0, -1):
        if shared[level] & shared[after + p]:
            break
        both = shared[level] & parts[m - 1 - p]
        if both & shared[after + p - 1]:
            continue
        row = p * (p + 1) // 2
        pivot = triangles[level, row + p]
        singular = pivot < SINGULAR
        at_x, at_y = beside[level, 0, p], beside[level, 1, p]
        of_x, of_y = 0.0 if singular else at_x / pivot, 0.0 if singular else at_y / pivot
        pair = xy - of_x * at_y, xx - of_x * at_x, yy - of_y * at_y
        for q in range(p - 1, -1, -1):
            if both & parts[m - 1 - q]:
                continue
            tests += 1
            at = triangles[level, row + q]
            left = triangles[level, q * (q + 1) // 2 + q] - (0.0 if singular else at / pivot) * at
            if _separates(pair, left, beside[level, 0, q] - of_x * at, beside[level, 1, q] - of_y * at, limit):
                return p, q, tests
    return 0, 0, tests


@lean
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
    chosen, shared = room.chosen, room.shared
    after = size  # from here on in ``shared``: the parts that hold all candidates up to a place
    common = np.uint8(255)
    for i in range(m):
        common &= parts[m - 1 - i]
        shared[after + i] = common
    if common:
        return False, 0
    _begin(correlation, x, y, candidates, room)
    depth = size - 2  # the last two variables are taken without writing down what is left
    tests = 0
    shared[0] = 255
    level = 0
    chosen[0] = m
    while True:
        for _ in range(_STEPS):
            chosen[level] -= 1
            c = chosen[level]
            if c < size - level - 1 or shared[level] & shared[after + c]:
                level -= 1
                if level < 0:
                    return False, tests
                continue
            if level < depth:
                _take(room, level, c)
                shared[level + 1] = shared[level] & parts[m - 1 - c]
                level += 1
                chosen[level] = c
                continue
            first, last, used = _last_two(room, level, c, after, parts, limit)
            tests += used
            if first:
                for i in range(depth):
                    found[i] = candidates[m - 1 - chosen[i]]
                found[depth], found[depth + 1] = candidates[m - 1 - first], candidates[m - 1 - last]
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
