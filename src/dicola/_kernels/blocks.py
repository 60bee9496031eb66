"""Tests of independence between blocks of columns, from the covariance of all columns.

A variable is a block of columns that lie side by side: main ones, then curves (powers, say) of the
same variable. Wilks' likelihood ratio of two sets of columns given others is
``Λ = det(b | a, given) / det(b | given)``; with Bartlett's factor ``-ln Λ`` is nearly χ² with as many
degrees of freedom as pairs of columns. Two variables are compared by ``main x : y | given`` and
``main y : curves of x | given, main x``, that is by all pairs of columns but those of two curves: the
residual of a main column may well be plain noise, that of a square never is. A column that is
determined by those before it adds nothing: it is passed over, and does not count.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np

from dicola._kernels.arrays import Bools, Floats, Ints
from dicola._kernels.compiled import inner, kernel, lean
from dicola._kernels.partial_correlation import SINGULAR
from dicola._kernels.stopping import heed

_ALMOST_NOTHING = 1e-300


class Blocks(NamedTuple):
    """What a test of blocks knows of its columns, and how it decides."""

    covariance: Floats  # of all columns, each of variance 1
    begins: Ints  # where the block of each variable begins, and where the last one ends
    curves: Ints  # where the curves in each block begin
    rows: float  # behind the covariance
    critical: Floats  # of the statistic, by degrees of freedom
    depends: bool  # what is answered where there are too few rows
    untested: Ints  # counts the questions without rows enough, and those about something that is determined


class _Room(NamedTuple):
    """Arrays to compare two variables in."""

    columns: Ints  # those that are given, then those of the two
    w: Floats  # the block of all of them
    counts: Bools  # for ``compared``
    block: Floats


@inner
def _room_for(given: int, two: int) -> _Room:
    """Room for so many columns that are given, and so many of the two."""
    both = given + two
    return _Room(np.empty(both, np.int64), np.empty((both, both)), np.empty(two, np.bool_), np.empty((two, two)))


@lean
def put(columns: Ints, at: int, first: int, last: int) -> int:
    """Write the columns from ``first`` to ``last``; answers where the next ones belong."""
    for column in range(first, last):
        columns[at] = column
        at += 1
    return at


@lean
def sweep(w: Floats, n: int, first: int, last: int) -> int:
    """Take the columns from ``first`` to ``last`` out of the upper triangle of all n; how many said anything?"""
    taken = 0
    for p in range(first, last):
        pivot = w[p, p]
        if pivot < SINGULAR:
            continue
        taken += 1
        for a in range(p + 1, n):
            factor = w[p, a] / pivot
            if factor != 0.0:
                for b in range(a, n):
                    w[a, b] -= factor * w[p, b]
    return taken


@lean
def _logarithm(w: Floats, first: int, last: int, counts: Bools, is_first: bool, block: Floats) -> float:
    """The logarithm of the determinant of the columns from ``first`` to ``last`` that count.

    The first time those count that are not determined by others before them. ``block`` is room for them.
    """
    n = last - first
    for a in range(n):
        for b in range(a, n):
            block[a, b] = w[first + a, first + b]
    result = 0.0
    for p in range(n):
        pivot = block[p, p]
        if is_first:
            counts[p] = pivot >= SINGULAR
        if not counts[p]:
            continue
        result += log(max(pivot, _ALMOST_NOTHING))
        if pivot < SINGULAR:
            continue
        for a in range(p + 1, n):
            factor = block[p, a] / pivot
            for b in range(a, n):
                block[a, b] -= factor * block[p, b]
    return result


@lean
def compared(w: Floats, n: int, first: int, middle: int, rows: float, counts: Bools, block: Floats) -> tuple[float, int]:
    """The statistic of the columns from ``first`` to ``middle`` and those behind up to n, and its degrees of freedom.

    The columns before ``first`` are given, and have been swept out of ``w``; the others up to
    ``middle`` are swept out here. ``rows`` are those left. ``counts`` and ``block`` are room for the columns behind.
    """
    before = _logarithm(w, middle, n, counts, True, block)
    wide, narrow = sweep(w, n, first, middle), 0
    for i in range(n - middle):
        narrow += 1 if counts[i] else 0
    factor = rows - (wide + narrow + 1) / 2.0
    if factor <= 0.0:
        return 0.0, -1
    if wide == 0 or narrow == 0:
        return 0.0, 0
    return max(factor * (before - _logarithm(w, middle, n, counts, False, block)), 0.0), wide * narrow


@lean
def _block(covariance: Floats, columns: Ints, n: int, w: Floats) -> None:
    """The upper triangle of the block of the first n of some columns."""
    for a in range(n):
        for b in range(a, n):
            w[a, b] = covariance[columns[a], columns[b]]


@inner
def ratio_of(blocks: Blocks, x: int, y: int, given: Ints) -> tuple[float, int]:
    """The statistic for x and y given some variables, and its degrees of freedom.

    These are 0 where x or y is determined, and -1 where there are too few rows.
    """
    begins = blocks.begins
    total, behind = 0, begins[x + 1] - begins[x] + begins[y + 1] - begins[y]
    for v in given:
        total += begins[v + 1] - begins[v]
    room, at = _room_for(total, behind), 0
    for v in given:
        at = put(room.columns, at, begins[v], begins[v + 1])
    return _both(blocks.covariance, begins, blocks.curves, blocks.rows, x, y, at, room)


@lean
def _both(covariance: Floats, begins: Ints, curves: Ints, rows: float, x: int, y: int, n: int, room: _Room) -> tuple[float, int]:
    """``ratio_of`` once the n columns that are given are listed in the room."""
    columns, w = room.columns, room.w
    of_x = put(columns, n, begins[y], begins[y + 1])
    end = put(columns, of_x, begins[x], curves[x])
    _block(covariance, columns, end, w)
    statistic, freedom = compared(w, end, n, of_x, rows - 1.0 - sweep(w, end, 0, n), room.counts, room.block)
    if freedom < 0 or curves[x] == begins[x + 1]:
        return statistic, freedom
    # The main columns of x are given now; its curves come before the main columns of y.
    first = put(columns, n, begins[x], curves[x])
    middle = put(columns, first, curves[x], begins[x + 1])
    end = put(columns, middle, begins[y], curves[y])
    _block(covariance, columns, end, w)
    more, further = compared(w, end, first, middle, rows - 1.0 - sweep(w, end, 0, first), room.counts, room.block)
    return (0.0, -1) if further < 0 else (statistic + more, freedom + further)


@inner
def blocks_depend(blocks: Blocks, x: int, y: int, given: Ints) -> bool:
    """Do x and y depend on each other given some variables? One that is determined does not."""
    statistic, freedom = ratio_of(blocks, x, y, given)
    return _depend(blocks, statistic, freedom)


@lean
def _depend(blocks: Blocks, statistic: float, freedom: int) -> bool:
    """The verdict on a statistic, booked where there were too few rows or nothing to compare."""
    if freedom < 0:
        blocks.untested[0] += 1
        return blocks.depends
    if freedom == 0:
        blocks.untested[1] += 1
    return bool(statistic > blocks.critical[freedom])


@kernel
def ratios_of(blocks: Blocks, x: Ints, y: Ints, begins: Ints, members: Ints) -> tuple[Floats, Ints]:
    """``ratio_of`` for one pair and set after the other."""
    many = len(begins) - 1
    statistics, freedoms = np.empty(many), np.empty(many, np.int64)
    for i in range(many):
        if i & 7 == 7:
            heed(0)
        statistics[i], freedoms[i] = ratio_of(blocks, x[i], y[i], members[begins[i] : begins[i + 1]])
    return statistics, freedoms


@lean
def _invert(precision: Floats, columns: Ints, n: int, w: Floats) -> None:
    """The inverse of the block of the first n of some columns of a positive definite matrix, by Gauss and Jordan."""
    for a in range(n):
        for b in range(n):
            w[a, b] = precision[min(columns[a], columns[b]), max(columns[a], columns[b])]
    for p in range(n):
        pivot = w[p, p]
        for b in range(n):
            w[p, b] /= pivot
        w[p, p] = 1.0 / pivot
        for a in range(n):
            if a == p:
                continue
            factor = w[a, p]
            for b in range(n):
                if b != p:
                    w[a, b] -= factor * w[p, b]
            w[a, p] = -factor / pivot


@kernel
def related_blocks(precision: Floats, blocks: Blocks, inside: Ints) -> Bools:
    """Which pairs of the variables ``inside`` depend on each other given all the rest?

    ``precision`` is the upper triangle of the inverse of the covariance. The inverse of its block of
    two variables is their covariance given all others, so that nothing is left to be given.
    """
    m, begins, most = len(inside), blocks.begins, 0
    for v in inside:
        most = max(most, 2 * (begins[v + 1] - begins[v]))
    dependent, covariance, room = np.zeros((m, m), np.bool_), np.empty((most, most)), _room_for(0, most)
    here, curves = np.zeros(3, np.int64), np.zeros(2, np.int64)  # where the columns of the two begin there, and their curves
    for i in range(m):
        for j in range(i + 1, m):
            x, y = min(inside[i], inside[j]), max(inside[i], inside[j])
            here[1] = begins[x + 1] - begins[x]
            here[2] = here[1] + begins[y + 1] - begins[y]
            curves[0], curves[1] = blocks.curves[x] - begins[x], here[1] + blocks.curves[y] - begins[y]
            put(room.columns, put(room.columns, 0, begins[x], begins[x + 1]), begins[y], begins[y + 1])
            _invert(precision, room.columns, here[2], covariance)
            rows = blocks.rows - (len(precision) - here[2])
            statistic, freedom = _both(covariance, here, curves, rows, 0, 1, 0, room)
            dependent[i, j] = dependent[j, i] = _depend(blocks, statistic, freedom)
    return dependent
