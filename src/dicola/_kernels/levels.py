"""The levels of an adjacency search: every edge against sets of one size, then of the next."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dicola._kernels.arrays import Bools, Flags, Floats, Ints, Rows, longer, rows_of
from dicola._kernels.compiled import inner, kernel, lean
from dicola._kernels.partial_correlation import Room, first_separator, make_room
from dicola._kernels.stopping import heed


class Fallen(NamedTuple):
    """The edges that fell, and how the search ended."""

    pairs: Ints  # the ends of the edges, two by two
    # where the separating set of each begins among the members, and where the last one ends
    begins: Ints
    members: Ints
    tests: int  # verdicts computed
    finished: bool  # did the search come to its end, rather than to the largest size?
    passed_over: bool  # were there too many sets at an end of some edge?


class Sizes(NamedTuple):
    """The sizes of the sets of a search: the first, the largest, and that up to which some were tried; at most so many sets of one
    size are tried at an end of an edge, or none.
    """

    first: int
    largest: int
    tried_to: int
    most: float


class _Around(NamedTuple):
    """What candidates for separating sets are taken from: row by row, and as a matrix; and which of them are passed over."""

    begins: Ints
    listed: Ints
    candidates: Bools
    tried: Bools
    useless: Bools


class _Pool(NamedTuple):
    """Room for the candidates at one end of an edge, and for the parts of which each is."""

    variables: Ints
    parts: Flags


@inner
def are_too_many(candidates: int, size: int, most: float) -> bool:
    """Are there more sets of this size, or of a smaller one, than may be tried?"""
    sets = 1.0
    for k in range(min(size, candidates // 2)):
        sets *= (candidates - k) / (k + 1.0)
    return sets > most + 0.5


@inner
def _thin_out(rows: Rows, matrix: Bools) -> None:
    """Keep of each row what the matrix still has."""
    begins, members = rows
    at = 0
    begin = 0
    for i in range(len(begins) - 1):
        end = begins[i + 1]
        for old in range(begin, end):
            if matrix[i, members[old]]:
                members[at] = members[old]
                at += 1
        begin = end
        begins[i + 1] = at


@kernel
def sweep_level(evidence: Any, adjacency: Bools, candidates: Bools, tried: Bools, size: int, limit: float) -> tuple[Ints, int]:
    """One order-independent level: every edge i - j against all sets of this size.

    The sets come from row i, then row j, of ``candidates``. Sets within row i or row j of ``tried``
    (which may be empty) are passed over. Answers the edges that fall as rows (i, j, members of the
    set), and the number of verdicts computed.
    """
    pools, nothing = (rows_of(candidates), candidates), np.zeros((0, 0), np.bool_)
    rows, tests, _ = _sweep_rows(evidence, rows_of(adjacency), pools, tried, nothing, (size, np.inf), limit)
    return rows, tests


@lean
def _list_pool(around: _Around, i: int, j: int, end: int, pool: _Pool) -> tuple[int, int]:
    """List the candidates at one end of an edge, and the parts of which they are; how many there are, and the parts that hold them all."""
    begins, listed, candidates, tried, useless = around
    owner = j if end else i
    m, common, has_tried, has_useless = 0, 255, len(tried) > 0, len(useless) > 0
    for at in range(begins[owner], begins[owner + 1]):
        v = listed[at]
        if v not in (i, j) and not (has_useless and useless[v, i] and useless[v, j]):
            pool.variables[m] = v
            part = 0
            if has_tried:
                part = (1 if tried[i, v] else 0) | (2 if tried[j, v] else 0)
            if end == 1 and candidates[i, v]:
                part |= 4
            pool.parts[m] = part
            common &= part
            m += 1
    return m, common


@lean
def _next_to_fall(
    evidence: Any, edges: Rows, around: _Around, pool: _Pool, room: Room, bounds: tuple[int, int, float], done: tuple[int, int, int]
) -> tuple[int, int, int, bool]:
    """The next edge that a set separates, behind those that are done, in rows from the given one on.

    ``bounds`` are the size of the sets, the most candidates of which all are tried, and the limit of the evidence; ``done`` is a row, how
    many edges were looked at, and with how many verdicts. Answers the same of what is done now, and whether an edge stayed at an end with
    too many candidates. This is a function of its own, as a loop in the one that owns the arrays would count who holds them.
    """
    size, widest, limit = bounds
    begins, n = around.begins, len(around.candidates)
    row, edge, tests = done
    any_passed = False
    for i in range(row, n):
        for at in range(max(edge, edges.begins[i]), edges.begins[i + 1]):
            j = edges.members[at]
            if j <= i:
                continue
            if at & 63 == 0:
                heed(tests)
            separated = passed = False
            for end in range(2 if size else 1):
                if not separated and begins[(i, j)[end] + 1] - begins[(i, j)[end]] >= size:
                    m, common = _list_pool(around, i, j, end, pool)
                    if m < size or (common and size):
                        continue
                    if m > widest:
                        passed = True
                        continue
                    separated, used = first_separator(evidence, i, j, pool.variables[:m], pool.parts[:m], size, limit, room)
                    tests += used
            if separated:
                return i, at + 1, tests, any_passed
            any_passed |= passed
    return n, edges.begins[n], tests, any_passed


@inner
def _sweep_rows(
    evidence: Any, edges: Rows, pools: tuple[Rows, Bools], tried: Bools, useless: Bools, bounds: tuple[int, float], limit: float
) -> tuple[Ints, int, bool]:
    """``sweep_level`` with the edges and the candidates row by row, and the size with the most sets that are tried.

    A candidate v with ``useless[v, i]`` and ``useless[v, j]`` is passed over; the matrix may be empty. Answers also whether an edge
    stayed at an end of which there were too many sets.
    """
    size, set_limit = bounds
    (begins, listed), candidates = pools
    n = len(candidates)
    most = 0
    for i in range(n):
        most = max(most, begins[i + 1] - begins[i])
    if most < size:
        return np.empty((0, size + 2), np.int64), 0, False
    widest = most  # candidates of which all sets are tried
    while widest > 0 and are_too_many(widest, size, set_limit):
        widest -= 1
    around, pool = _Around(begins, listed, candidates, tried, useless), _Pool(np.empty(most, np.int64), np.empty(most, np.uint8))
    room = make_room(size, widest)
    rows = np.empty(16 * (size + 2), np.int64)  # row by row
    count = row = edge = tests = 0
    any_passed = False
    while True:
        row, edge, tests, passed = _next_to_fall(evidence, edges, around, pool, room, (size, widest, limit), (row, edge, tests))
        any_passed |= passed
        if row == n:
            return rows[: count * (size + 2)].reshape((count, size + 2)), tests, any_passed
        rows = longer(rows, (count + 1) * (size + 2))
        at = count * (size + 2)
        rows[at], rows[at + 1] = row, edges.members[edge - 1]
        for v in range(size):
            rows[at + 2 + v] = room.found[v]
        count += 1


@inner
def _has_candidates(edges: Rows, begins: Ints, candidates: Bools, size: int) -> bool:
    """Does some edge have an end with at least ``size`` candidates beside the other end?"""
    for i in range(len(candidates)):
        many = begins[i + 1] - begins[i]
        if many < size:
            continue
        for edge in range(edges.begins[i], edges.begins[i + 1]):
            if many - (1 if candidates[i, edges.members[edge]] else 0) >= size:
                return True
    return False


@kernel
def search_levels(evidence: Any, adjacency: Bools, candidates: Bools, tried: Bools, useless: Bools, sizes: Sizes, limits: Floats) -> Fallen:
    """Levels of growing size until no edge has candidates enough, or ``largest`` is passed.

    What falls is taken out of ``adjacency``. Without ``candidates`` (an empty matrix) they are the
    neighbours left when a level begins. ``tried`` holds up to the size ``sizes.tried_to``.
    """
    first, largest, tried_to, most = sizes
    passed_over = False
    pairs = np.empty(32, np.int64)
    begins = np.zeros(17, np.int64)
    members = np.empty(64, np.int64)
    nothing = np.zeros((0, 0), np.bool_)
    edges = rows_of(adjacency)
    follow = len(candidates) == 0
    pools = edges if follow else rows_of(candidates)
    inside = adjacency if follow else candidates
    count = tests = 0
    size = first
    while size <= largest and _has_candidates(edges, pools.begins, inside, size):
        old = tried if size <= tried_to else nothing
        if size == 0 and len(old):
            size += 1
            continue
        heed(tests)
        rows, used, passed = _sweep_rows(evidence, edges, (pools, inside), old, useless, (size, most), limits[size])
        tests += used
        passed_over |= passed
        for r in range(len(rows)):
            i, j, at = rows[r, 0], rows[r, 1], begins[count]
            adjacency[i, j] = adjacency[j, i] = False
            pairs, begins, members = longer(pairs, 2 * count + 2), longer(begins, count + 2), longer(members, at + size)
            pairs[2 * count], pairs[2 * count + 1] = i, j
            for k in range(size):
                members[at + k] = rows[r, k + 2]
            count += 1
            begins[count] = at + size
        if len(rows):
            _thin_out(edges, adjacency)
        size += 1
    finished = not _has_candidates(edges, pools.begins, inside, size)
    return Fallen(pairs[: 2 * count], begins[: count + 1], members[: begins[count]], tests, finished, passed_over)
