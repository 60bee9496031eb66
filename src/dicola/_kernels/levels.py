"""The levels of an adjacency search: every edge against sets of one size, then of the next, over lists of the edges that are left."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dicola._kernels.partial_correlation import first_separator, longer, scratch

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


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
