"""Search for a separating set by partial correlation, sweeping the residual covariance while walking the tree of subsets.

Conditioning on one more variable p changes a residual covariance by one step, ``w[a, b] - (w[a, p] / w[p, p]) * w[p, b]``. Subsets of
one size are visited in lexicographic order; each shares the steps of its common beginning with the one before, so that the last step,
the only one taken per test, costs a handful of multiplications. A variable that is determined by those already taken (residual
variance below ``SINGULAR``) adds nothing and is passed over, as a pseudo-inverse would.

A pair is dependent given S iff ``cov(x, y | S)² > limit · var(x | S) · var(y | S)``, where ``limit`` is the squared critical
correlation for the size of S.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.uint8]
Bools = NDArray[np.bool_]

SINGULAR = 1e-10


@njit(cache=True, nogil=True)
def longer(old: Ints, needed: int) -> Ints:
    """The same array with room for as many entries, and for as many again when it has to grow."""
    if needed <= len(old):
        return old
    new = np.empty(2 * needed, np.int64)
    for i in range(len(old)):
        new[i] = old[i]
    return new


@njit(cache=True, nogil=True)
def is_dependent(xy: float, xx: float, yy: float, limit: float) -> bool:
    """The verdict from the residual 2 × 2 covariance; a pair in which one variable is determined is not called dependent."""
    if xx < SINGULAR or yy < SINGULAR:
        return limit < 0.0
    return xy * xy > limit * xx * yy


@njit(cache=True, nogil=True)
def residual(correlation: Floats, x: int, y: int, given: Ints) -> tuple[float, float, float]:
    """Residual covariance of x and y given the variables ``given``: (cov, var x, var y)."""
    m = len(given)
    index = np.empty(m + 2, np.int64)
    index[0] = x
    index[1] = y
    for i in range(m):
        index[i + 2] = given[i]
    w = np.empty((m + 2, m + 2))
    for a in range(m + 2):
        for b in range(a, m + 2):
            w[a, b] = correlation[index[a], index[b]]
    for p in range(2, m + 2):
        _sweep(w, p, m + 2, w)
    return w[0, 1], w[0, 0], w[1, 1]


@njit(cache=True, nogil=True, inline="always")
def _sweep(w: Floats, p: int, n: int, out: Floats) -> None:
    """Residuals of x, y and of all that comes after p, once p is taken; upper triangle only, ``out`` may be ``w``."""
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


@njit(cache=True, nogil=True)
def dependent_with_each(correlation: Floats, x: int, y: int, given: Ints, others: Ints, limit: float) -> Bools:
    """Are x and y dependent given ``given`` and one of ``others``, for each of them?"""
    m = len(given)
    n = m + 3
    w = np.empty((n, n))
    index = np.empty(n, np.int64)
    index[0] = x
    index[1] = y
    for i in range(m):
        index[i + 2] = given[i]
    dependent = np.empty(len(others), np.bool_)
    for k in range(len(others)):
        index[n - 1] = others[k]
        for a in range(n):
            for b in range(a, n):
                w[a, b] = correlation[index[a], index[b]]
        for p in range(2, n):
            _sweep(w, p, n, w)
        dependent[k] = is_dependent(w[0, 1], w[0, 0], w[1, 1], limit)
    return dependent


@njit(cache=True, nogil=True)
def scratch(size: int, candidates: int) -> tuple[Floats, Ints, Flags]:
    """Room for ``first_separator``: residual matrices, chosen positions, and the parts that hold these or all that come after."""
    n = candidates + 2
    return np.empty((max(size, 1), n, n)), np.empty(size + 1, np.int64), np.empty(size + n + 1, np.uint8)


@njit(cache=True, nogil=True)
def first_separator(
    correlation: Floats,
    x: int,
    y: int,
    candidates: Ints,
    size: int,
    limit: float,
    parts: Flags,
    found: Ints,
    room: Floats,
    chosen: Ints,
    shared: Flags,
) -> tuple[bool, int]:
    """First subset of ``candidates`` of this size that separates x and y, in lexicographic order.

    Bit b of ``parts[i]`` says that candidate i belongs to part b; a non-empty subset that lies wholly in one part was tried before and
    is passed over. The members go to ``found``. Answers (was one found, number of verdicts computed). The last three are ``scratch``.
    """
    m = len(candidates)
    if size > m:
        return False, 0
    if size == 0:
        return not is_dependent(correlation[x, y], correlation[x, x], correlation[y, y], limit), 1
    if size == 1:
        tests = 0
        for i in range(m):
            if parts[i]:
                continue
            tests += 1
            c = candidates[i]
            pivot = correlation[c, c]
            at_x = correlation[x, c]
            at_y = correlation[y, c]
            factor = at_x / pivot
            xy = correlation[x, y] - factor * at_y
            xx = correlation[x, x] - factor * at_x
            yy = correlation[y, y] - (at_y / pivot) * at_y
            if not is_dependent(xy, xx, yy, limit):
                found[0] = c
                return True, tests
        return False, tests
    n = m + 2
    after = shared[size + 1 :]  # the parts that hold all candidates from here on
    after[n] = 255
    for i in range(n - 1, 1, -1):
        after[i] = after[i + 1] & parts[i - 2]
    if after[2]:
        return False, 0
    depth = size - 1  # the last variable is handled without writing a residual matrix
    for a in range(n):
        row = x if a == 0 else y if a == 1 else candidates[a - 2]
        for b in range(a, n):
            room[0, a, b] = correlation[row, x if b == 0 else y if b == 1 else candidates[b - 2]]
    tests = 0
    shared[0] = 255
    level = 0
    chosen[0] = 1
    while level >= 0:
        chosen[level] += 1
        c = chosen[level]
        if c > n - (size - level) or shared[level] & after[c]:
            level -= 1
            continue
        if level < depth:
            _sweep(room[level], c, n, room[level + 1])
            shared[level + 1] = shared[level] & parts[c - 2]
            level += 1
            chosen[level] = c
            continue
        here = room[level]
        for last in range(c, n):
            if shared[level] & parts[last - 2]:
                continue
            tests += 1
            pivot = here[last, last]
            xy = here[0, 1]
            xx = here[0, 0]
            yy = here[1, 1]
            if pivot >= SINGULAR:
                at_x = here[0, last]
                at_y = here[1, last]
                factor = at_x / pivot
                xy -= factor * at_y
                xx -= factor * at_x
                yy -= (at_y / pivot) * at_y
            if not is_dependent(xy, xx, yy, limit):
                for i in range(depth):
                    found[i] = candidates[chosen[i] - 2]
                found[depth] = candidates[last - 2]
                return True, tests
        level -= 1
    return False, tests


@njit(cache=True, nogil=True)
def separator_among(
    correlation: Floats, x: int, y: int, candidates: Ints, sizes: Ints, limits: Floats, parts: Flags, has_tried: bool
) -> tuple[Ints, bool, int]:
    """First separating subset of the candidates, size after size: its members, whether there is one, number of verdicts computed.

    ``limits[i]`` belongs to ``sizes[i]``; where sets were tried before, the empty one was.
    """
    m = len(candidates)
    largest = 0
    for size in sizes:
        if size <= m:
            largest = max(largest, size)
    found = np.empty(max(largest, 1), np.int64)
    room, chosen, shared = scratch(largest, m)
    total = 0
    for i in range(len(sizes)):
        size = sizes[i]
        if size > m or (size == 0 and has_tried):
            continue
        separated, tests = first_separator(correlation, x, y, candidates, size, limits[i], parts, found, room, chosen, shared)
        total += tests
        if separated:
            return found[:size], True, total
    return found[:0], False, total


@njit(cache=True, nogil=True)
def separators_among(correlation: Floats, pairs: Ints, pool: Ints, largest: int, beside: int, limits: Floats) -> tuple[Ints, Ints, int]:
    """First separating subset of the sorted pool for one pair after the other, sizes up to ``largest``: its size (-1: there is none),
    the members of all sets one after the other, number of verdicts computed.

    The variable ``beside`` of the pool (-1: none) is kept out of these sets; the answer ends before the first pair that only a set with
    it separates.
    """
    sizes = np.full(len(pairs), -1, np.int64)
    members = np.empty(64, np.int64)
    candidates = np.empty(len(pool), np.int64)
    parts = np.empty(len(pool), np.uint8)
    room, chosen, shared = scratch(largest + 1, len(pool))
    found = np.empty(largest + 1, np.int64)
    total = 0
    used = 0
    for i in range(len(pairs)):
        x, y = min(pairs[i, 0], pairs[i, 1]), max(pairs[i, 0], pairs[i, 1])
        separated = False
        for added in range(2 if beside >= 0 else 1):  # subsets without ``beside``, then those with it
            m = 0
            for v in pool:
                if v not in (x, y) and (added or v != beside):
                    candidates[m] = v
                    parts[m] = 0 if v == beside else added
                    m += 1
            for size in range(added, min(largest + added, m) + 1):
                separated, tests = first_separator(
                    correlation, x, y, candidates[:m], size, limits[size], parts[:m], found, room, chosen, shared
                )
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
                members[used + at] = found[at]
            used += size
    return sizes, members[:used], total


@njit(cache=True, nogil=True)
def first_of(correlation: Floats, x: int, y: int, sets: Ints, limit: float) -> int:
    """Number of the first row of ``sets`` that separates x and y; -1 if none does."""
    for i in range(len(sets)):
        xy, xx, yy = residual(correlation, x, y, sets[i])
        if not is_dependent(xy, xx, yy, limit):
            return i
    return -1


@njit(cache=True, nogil=True)
def rows_of(matrix: Bools) -> tuple[Ints, Ints]:
    """Where the members of each row begin, and the members, row after row."""
    n = len(matrix)
    begins = np.zeros(n + 1, np.int64)
    for i in range(n):
        begins[i + 1] = begins[i]
        for v in range(n):
            begins[i + 1] += matrix[i, v]
    listed = np.empty(begins[n], np.int64)
    at = 0
    for i in range(n):
        for v in range(n):
            if matrix[i, v]:
                listed[at] = v
                at += 1
    return begins, listed


@njit(cache=True, nogil=True)
def thin_out(begins: Ints, listed: Ints, matrix: Bools) -> None:
    """Keep of each row what the matrix still has."""
    at = 0
    begin = 0
    for i in range(len(begins) - 1):
        end = begins[i + 1]
        for old in range(begin, end):
            if matrix[i, listed[old]]:
                listed[at] = listed[old]
                at += 1
        begin = end
        begins[i + 1] = at


@njit(cache=True, nogil=True)
def sweep_level(correlation: Floats, adjacency: Bools, candidates: Bools, tried: Bools, size: int, limit: float) -> tuple[Ints, int]:
    """One order-independent level: every edge against all sets of this size from row i, then row j, of ``candidates``.

    Sets within row i or row j of ``tried`` (which may be empty) are passed over. Answers the edges that fall as rows (i, j, members of
    the set), and the number of verdicts computed.
    """
    edges, pools = rows_of(adjacency), rows_of(candidates)
    return _sweep_rows(correlation, edges[0], edges[1], pools[0], pools[1], candidates, tried, size, limit)


@njit(cache=True, nogil=True)
def _sweep_rows(
    correlation: Floats,
    edge_begins: Ints,
    edge_ends: Ints,
    begins: Ints,
    listed: Ints,
    candidates: Bools,
    tried: Bools,
    size: int,
    limit: float,
) -> tuple[Ints, int]:
    """``sweep_level`` with the edges and the candidates row by row."""
    n = len(candidates)
    most = 0
    for i in range(n):
        most = max(most, begins[i + 1] - begins[i])
    if most < size:
        return np.empty((0, size + 2), np.int64), 0
    rows = np.empty(16 * (size + 2), np.int64)  # row by row
    count = 0
    tests = 0
    found = np.empty(max(size, 1), np.int64)
    pool = np.empty(most, np.int64)
    parts = np.empty(most, np.uint8)
    room, chosen, shared = scratch(size, most)
    has_tried = len(tried) > 0
    for i in range(n):
        for edge in range(edge_begins[i], edge_begins[i + 1]):
            j = edge_ends[edge]
            if j <= i:
                continue
            separated = False
            for end in range(2):
                if separated or (end == 1 and size == 0):
                    break
                owner = i if end == 0 else j
                m = 0
                common = 255  # the parts that hold the whole pool
                if begins[owner + 1] - begins[owner] < size:
                    continue
                for at in range(begins[owner], begins[owner + 1]):
                    v = listed[at]
                    if v not in (i, j):
                        pool[m] = v
                        part = 0
                        if has_tried:
                            part = (1 if tried[i, v] else 0) | (2 if tried[j, v] else 0)
                        if end == 1 and candidates[i, v]:
                            part |= 4
                        parts[m] = part
                        common &= part
                        m += 1
                if m < size or (common and size > 0):
                    continue
                separated, used = first_separator(correlation, i, j, pool[:m], size, limit, parts[:m], found, room, chosen, shared)
                tests += used
            if separated:
                rows = longer(rows, (count + 1) * (size + 2))
                at = count * (size + 2)
                rows[at] = i
                rows[at + 1] = j
                for v in range(size):
                    rows[at + 2 + v] = found[v]
                count += 1
    return rows[: count * (size + 2)].reshape((count, size + 2)), tests


@njit(cache=True, nogil=True)
def _has_candidates(edge_begins: Ints, edge_ends: Ints, begins: Ints, candidates: Bools, size: int) -> bool:
    """Does some edge have an end with at least ``size`` candidates beside the other end?"""
    for i in range(len(candidates)):
        many = begins[i + 1] - begins[i]
        if many < size:
            continue
        for edge in range(edge_begins[i], edge_begins[i + 1]):
            if many - (1 if candidates[i, edge_ends[edge]] else 0) >= size:
                return True
    return False


@njit(cache=True, nogil=True)
def search_levels(
    correlation: Floats, adjacency: Bools, candidates: Bools, tried: Bools, tried_to: int, first: int, largest: int, limits: Floats
) -> tuple[Ints, Ints, Ints, int, bool]:
    """Levels of growing size until no edge has candidates enough, or the size ``largest`` is passed; ``adjacency`` loses what falls.

    Without ``candidates`` (an empty matrix) they are the neighbours left when a level begins. ``tried`` holds up to the size
    ``tried_to``. Answers the pairs that fell, end after end, where the set of each begins among the members, the members, the number
    of verdicts computed, and whether the search came to its end.
    """
    pairs = np.empty(32, np.int64)  # two by two
    begins = np.zeros(17, np.int64)
    members = np.empty(64, np.int64)
    nothing = np.zeros((0, 0), np.bool_)
    edge_begins, edge_ends = rows_of(adjacency)
    follow = len(candidates) == 0
    if follow:
        pool_begins, pool, inside = edge_begins, edge_ends, adjacency
    else:
        pool_begins, pool = rows_of(candidates)
        inside = candidates
    count = 0
    tests = 0
    size = first
    while _has_candidates(edge_begins, edge_ends, pool_begins, inside, size):
        if size > largest:
            return pairs[: 2 * count], begins[: count + 1], members[: begins[count]], tests, False
        old = tried if size <= tried_to else nothing
        if size == 0 and len(old):
            size += 1
            continue
        rows, used = _sweep_rows(correlation, edge_begins, edge_ends, pool_begins, pool, inside, old, size, limits[size])
        tests += used
        for r in range(len(rows)):
            adjacency[rows[r, 0], rows[r, 1]] = False
            adjacency[rows[r, 1], rows[r, 0]] = False
            at = begins[count]
            pairs, begins, members = longer(pairs, 2 * count + 2), longer(begins, count + 2), longer(members, at + size)
            pairs[2 * count] = rows[r, 0]
            pairs[2 * count + 1] = rows[r, 1]
            for i in range(size):
                members[at + i] = rows[r, i + 2]
            count += 1
            begins[count] = at + size
        if len(rows):
            thin_out(edge_begins, edge_ends, adjacency)
        size += 1
    return pairs[: 2 * count], begins[: count + 1], members[: begins[count]], tests, True


@njit(cache=True, nogil=True)
def block_of(matrix: Floats, chosen: Ints) -> Floats:
    """Rows and columns ``chosen`` of a matrix."""
    block = np.empty((len(chosen), len(chosen)))
    for a in range(len(chosen)):
        for b in range(len(chosen)):
            block[a, b] = matrix[chosen[a], chosen[b]]
    return block


@njit(cache=True, nogil=True)
def blocks_of(matrix: Floats, chosen: Ints, begins: Ints) -> Floats:
    """The blocks of ``chosen[begins[i]:begins[i + 1]]`` along a diagonal, zero elsewhere."""
    result = np.zeros((len(chosen), len(chosen)))
    for i in range(len(begins) - 1):
        for a in range(begins[i], begins[i + 1]):
            for b in range(begins[i], begins[i + 1]):
                result[a, b] = matrix[chosen[a], chosen[b]]
    return result


@njit(cache=True, nogil=True)
def precision_of(correlation: Floats, block: Ints) -> Floats:
    """The rows and columns ``block`` of the inverse: the rest is swept out first, then the block inverted in place (Gauss-Jordan).

    Infinite where a pivot vanishes: some variable is then determined by the others.
    """
    n, m = len(correlation), len(block)
    order = np.empty(n, np.int64)
    inside = np.zeros(n, np.bool_)
    for i in range(m):
        inside[block[i]] = True
        order[n - m + i] = block[i]
    at = 0
    for v in range(n):
        if not inside[v]:
            order[at] = v
            at += 1
    w = block_of(correlation, order)
    for p in range(n - m):
        pivot = w[p, p]
        if pivot < SINGULAR:
            return np.full((m, m), np.inf)
        for a in range(p + 1, n):
            factor = w[p, a] / pivot
            for b in range(a, n):
                w[a, b] -= factor * w[p, b]
    r = np.empty((m, m))
    for a in range(m):
        for b in range(m):
            r[a, b] = w[n - m + min(a, b), n - m + max(a, b)]
    for p in range(m):
        pivot = r[p, p]
        if pivot < SINGULAR:
            return np.full((m, m), np.inf)
        for b in range(m):
            r[p, b] /= pivot
        r[p, p] = 1.0 / pivot
        for a in range(m):
            if a == p:
                continue
            factor = r[a, p]
            for b in range(m):
                if b != p:
                    r[a, b] -= factor * r[p, b]
            r[a, p] = -factor / pivot
    for a in range(m):
        for b in range(a + 1, m):
            r[a, b] = r[b, a] = (r[a, b] + r[b, a]) / 2.0
    return r


@njit(cache=True, nogil=True)
def related(precision: Floats, limit: float) -> tuple[Bools, bool]:
    """Which pairs does a precision matrix call dependent given the rest? Also: can it be trusted, or is some variable determined?"""
    n = len(precision)
    dependent = np.zeros((n, n), np.bool_)
    for a in range(n):
        scale = precision[a, a]
        if not (0.0 < scale < 1.0 / SINGULAR):
            return dependent, False
    for a in range(n):
        for b in range(a + 1, n):
            if precision[a, b] * precision[a, b] > limit * precision[a, a] * precision[b, b]:
                dependent[a, b] = True
                dependent[b, a] = True
    return dependent, True


@njit(cache=True, nogil=True)
def related_within(correlation: Floats, chosen: Ints, block: Ints, limit: float) -> tuple[Bools, bool]:
    """``related`` for the positions ``block`` of the variables ``chosen``, given all others of these."""
    return related(precision_of(block_of(correlation, chosen), block), limit)
