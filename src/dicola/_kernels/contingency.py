"""Tests of independence by counting: G² and Pearson's χ² within the strata of what is held fixed.

The rows of one test fall into strata, one per combination of levels of the variables given. Within
a stratum x and y make a table of counts, whose degrees of freedom come from the rows and columns
that are not empty; a stratum with one such row or column says nothing.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola._kernels.arrays import Floats, Ints
from dicola._kernels.bits import NONE, Words, ones
from dicola._kernels.compiled import hot, inner, kernel
from dicola._kernels.stopping import heed

_MANY = 4096  # cells, or strata, up to which they are not renumbered, whether all of them occur or not
_SPARSE = 5  # cells per row from which it is faster to sort the rows than to look at all cells
_SHORT = 1 << 16  # cells up to which two bytes number them
_BEGINNING, _PER_ROW = 80, 4  # what a cell costs by bits beside its words, and what a row costs by its number, in words


Cells = NDArray[np.uint16] | NDArray[np.int32]


class Counts(NamedTuple):
    """What a test by counting knows of its columns, and how it decides."""

    codes: NDArray[np.int16]  # a row per variable, an entry per row of the table; -1 is a gap
    levels: Ints  # of each variable, how many there are
    bits: Words  # the rows that have a level, a row of words per level, of one variable after the other
    places: Ints  # where the levels of each variable begin there; -1: they are too many for it
    logs: Floats  # k ln k, for every k up to the number of rows
    critical: Floats  # of the statistic, by degrees of freedom, as far as they go
    quantile: float  # of the normal distribution, for more degrees of freedom
    has_gaps: bool
    pearson: bool
    corrected: bool  # is G² divided by Williams' factor?
    least: float  # rows per degree of freedom without which nothing can be said
    # what is answered where nothing can be said, and where x or y is a function of what is given
    defaults: tuple[bool, bool]
    untested: Ints  # counts the questions that got either of these answers


@inner
def _renumbered(strata: Ints, count: int) -> int:
    """Number the strata that occur 0, 1, … as they are met; answers how many there are."""
    number = np.full(count, -1, np.int32)
    found = 0
    for r in range(len(strata)):
        old = strata[r]
        if old < 0:
            continue
        if number[old] < 0:
            number[old] = found
            found += 1
        strata[r] = number[old]
    return found


@inner
def strata_of(counts: Counts, given: Ints, strata: Ints) -> int:
    """The stratum of each row, -1 where a variable has a gap; answers how many numbers there are."""
    n = len(strata)
    for r in range(n):
        strata[r] = 0
    count = 1
    for v in given:
        own, many = counts.codes[v], counts.levels[v]
        for r in range(n):
            code = own[r]
            strata[r] = -1 if code < 0 or strata[r] < 0 else strata[r] * many + code
        count *= many
        if count > max(_MANY, n):
            count = _renumbered(strata, count)
    return max(count, 1)


@inner
def _cells_by_row(counts: Counts, x: int, y: int, given: Ints, cells: Cells) -> np.int32:
    """The cell of each row of a table without gaps, in loops that a compiler makes wide; answers how many there are."""
    n, across = len(cells), np.int32(counts.levels[y])
    of_x, of_y = counts.codes[x], counts.codes[y]
    for r in range(n):
        cells[r] = np.int32(of_x[r]) * across + np.int32(of_y[r])
    count = np.int32(counts.levels[x] * counts.levels[y])
    for v in given:
        own = counts.codes[v]
        for r in range(n):
            cells[r] += count * np.int32(own[r])
        count *= np.int32(counts.levels[v])
    return count


@inner
def _counted(cells: Cells, count: np.int32) -> NDArray[np.int32]:
    """How many rows each cell has; four tables at a time, as rows of one cell would wait for each other."""
    many = np.zeros(4 * count, np.int32)
    first, second, third, fourth = many[:count], many[count : 2 * count], many[2 * count : 3 * count], many[3 * count :]
    r, n = 0, len(cells)
    while r + 4 <= n:
        first[cells[r]] += 1
        second[cells[r + 1]] += 1
        third[cells[r + 2]] += 1
        fourth[cells[r + 3]] += 1
        r += 4
    while r < n:
        first[cells[r]] += 1
        r += 1
    for cell in range(count):
        first[cell] += second[cell] + third[cell] + fourth[cell]
    return first


@inner
def _counted_by_stratum(counts: Counts, x: int, y: int, given: Ints) -> NDArray[np.int32]:
    """The same where rows have gaps or most strata are empty: those that occur are numbered."""
    strata = np.empty(counts.codes.shape[1], np.int64)
    count = strata_of(counts, given, strata)
    across, down = counts.levels[y], counts.levels[x]
    many = np.zeros(count * down * across, np.int32)
    of_x, of_y = counts.codes[x], counts.codes[y]
    for r in range(len(strata)):
        a, b = of_x[r], of_y[r]
        if a >= 0 and b >= 0 and strata[r] >= 0:
            many[(strata[r] * down + a) * across + b] += 1
    return many


@hot
def _meet(rows: Words, at: int, bits: Words, level: int) -> np.int32:
    """Write behind a set of rows those of them that have a level; answers how many there are."""
    many = NONE
    for w in range(rows.shape[1]):
        word = rows[at, w] & bits[level, w]
        rows[at + 1, w] = word
        many += ones(word)
    return np.int32(many)


@hot
def _having(rows: Words, at: int, bits: Words, level: int) -> np.int32:
    """How many of a set of rows have a level?"""
    many = NONE
    for w in range(rows.shape[1]):
        many += ones(rows[at, w] & bits[level, w])
    return np.int32(many)


@inner
def _counted_by_bits(counts: Counts, x: int, y: int, given: Ints, count: int) -> NDArray[np.int32]:
    """The same from sets of rows: a stratum is what its levels have in common, and an empty one is left with all below it.

    Strata have the order of the other two ways, so that sums over them are the same to the last digit. Without gaps the last level of
    y has the rows that the others leave.
    """
    bits, places, levels, has_gaps = counts.bits, counts.places, counts.levels, counts.has_gaps
    down, across, size = levels[x], levels[y], len(given)
    counted = across if has_gaps else across - 1
    many = np.zeros(count, np.int32)
    rows = np.empty((size + 2, bits.shape[1]), np.uint64)
    rows[0] = ~NONE
    level, depth = np.full(size + 1, -1), 0
    while depth >= 0:
        if depth < size:
            v = given[depth if has_gaps else size - 1 - depth]
            level[depth] += 1
            if level[depth] == levels[v]:
                level[depth] = -1
                depth -= 1
            elif _meet(rows, depth, bits, places[v] + level[depth]):
                depth += 1
            continue
        cell = 0
        for d in range(size):
            cell = cell * levels[given[d if has_gaps else size - 1 - d]] + level[d]
        cell *= down * across
        for a in range(down):
            left = _meet(rows, size, bits, places[x] + a)
            if left:
                for b in range(counted):
                    found = _having(rows, size + 1, bits, places[y] + b)
                    many[cell + b] = found
                    left -= found
                if counted < across:
                    many[cell + counted] = left
            cell += across
        depth -= 1
    return many


@hot
def _many_cells(counts: Counts, x: int, y: int, given: Ints) -> int:
    """How many combinations of stratum, level of x and level of y may there be?"""
    count = counts.levels[x] * counts.levels[y]
    for v in given:
        count = min(count * counts.levels[v], 1 << 40)
    return int(count)


@hot
def _cells(counts: Counts, x: int, y: int, given: Ints, count: int) -> NDArray[np.int32]:
    """How many rows have each combination of stratum, level of x and level of y."""
    n, has_bits = counts.codes.shape[1], counts.places[x] >= 0 and counts.places[y] >= 0
    for v in given:
        has_bits &= counts.places[v] >= 0
    if has_bits and count * (counts.bits.shape[1] + _BEGINNING) <= _PER_ROW * n:
        return _counted_by_bits(counts, x, y, given, count)
    if counts.has_gaps or count > max(_MANY, n):
        return _counted_by_stratum(counts, x, y, given)
    if count <= _SHORT:
        short = np.empty(n, np.uint16)
        return _counted(short, _cells_by_row(counts, x, y, given, short))
    cells = np.empty(n, np.int32)
    return _counted(cells, _cells_by_row(counts, x, y, given, cells))


@inner
def table_of(counts: Counts, x: int, y: int, given: Ints) -> tuple[float, int, int, int, int]:
    """The statistic for x and y given some variables, its degrees of freedom, and what is behind it.

    That is: the rows in strata that say something, those without a gap, and the strata that occur.
    """
    n, count, size = counts.codes.shape[1], _many_cells(counts, x, y, given), counts.levels[x] * counts.levels[y]
    if min(count, n * size) > max(_MANY, _SPARSE * n) and not counts.pearson:
        return _table_by_row(counts, x, y, given)
    return _table_by_cell(counts, x, y, given, count)


@inner
def _table_by_cell(counts: Counts, x: int, y: int, given: Ints, count: int) -> tuple[float, int, int, int, int]:
    """``table_of`` by a look at every cell, whether a row is in it or not."""
    cells, logs = _cells(counts, x, y, given, count), counts.logs
    down, across = counts.levels[x], counts.levels[y]
    size, of_row, of_column = down * across, np.empty(down, np.int64), np.empty(across, np.int64)
    statistic, freedom, rows, used, occurring = 0.0, 0, 0, 0, 0
    for begin in range(0, len(cells), size):
        total = filled_rows = filled_columns = 0
        for b in range(across):
            of_column[b] = 0
        at = begin
        for a in range(down):
            of_this = 0
            for b in range(across):
                many = int(cells[at])
                of_this += many
                of_column[b] += many
                at += 1
            of_row[a] = of_this
            total += of_this
            filled_rows += 1 if of_this else 0
        if total == 0:
            continue
        for b in range(across):
            filled_columns += 1 if of_column[b] else 0
        used += total
        occurring += 1
        if filled_rows < 2 or filled_columns < 2:
            continue
        rows += total
        freedom += (filled_rows - 1) * (filled_columns - 1)
        if counts.pearson:
            misfit = _misfit(cells[begin : begin + size], of_row, of_column, total)
        else:
            misfit = _surprise(logs, cells[begin : begin + size], of_row, of_column, total)
        if counts.corrected:
            misfit /= _excess(of_row, filled_rows, of_column, filled_columns, total)
        statistic += misfit
    return statistic, freedom, rows, used, occurring


@inner
def _in_order(keys: Ints, count: int, order: Ints, many: int) -> tuple[Ints, Ints]:
    """The first ``many`` rows of an order by their keys from 0 on, those of one key as they came; and where the rows of each key begin."""
    begins = np.zeros(count + 1, np.int64)
    for i in range(many):
        begins[keys[order[i]] + 1] += 1
    for key in range(count):
        begins[key + 1] += begins[key]
    place, found = begins[:count].copy(), np.empty(many, np.int64)
    for i in range(many):
        key = keys[order[i]]
        found[place[key]] = order[i]
        place[key] += 1
    return found, begins


@inner
def _rows_by_cell(counts: Counts, x: int, y: int, given: Ints) -> tuple[Ints, Ints]:
    """All rows without a gap, by stratum, level of x and level of y; and where those of each stratum begin."""
    n, across = counts.codes.shape[1], counts.levels[y]
    strata, pairs, rows = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    count, many = strata_of(counts, given, strata), 0
    of_x, of_y = counts.codes[x], counts.codes[y]
    for r in range(n):
        if of_x[r] >= 0 and of_y[r] >= 0 and strata[r] >= 0:
            pairs[r] = of_x[r] * across + of_y[r]
            rows[many] = r
            many += 1
    return _in_order(strata, count, _in_order(pairs, counts.levels[x] * across, rows, many)[0], many)


@inner
def _table_by_row(counts: Counts, x: int, y: int, given: Ints) -> tuple[float, int, int, int, int]:
    """``table_of`` G² by a look at every row, for far more cells than rows: empty ones add nothing, so the sums are the same."""
    order, begins = _rows_by_cell(counts, x, y, given)
    of_x, of_y, logs = counts.codes[x], counts.codes[y], counts.logs
    of_row, of_column = np.zeros(counts.levels[x], np.int64), np.zeros(counts.levels[y], np.int64)
    statistic, freedom, rows, occurring = 0.0, 0, 0, 0
    for stratum in range(len(begins) - 1):
        i, end = begins[stratum], begins[stratum + 1]
        total = end - i
        occurring += 1 if total else 0
        if total < 2:
            continue
        surprise, filled_rows, filled_columns = 0.0, 0, 0
        while i < end:
            a, first = of_x[order[i]], i
            while i < end and of_x[order[i]] == a:
                b, here = of_y[order[i]], i
                while i < end and of_y[order[i]] == b and of_x[order[i]] == a:
                    i += 1
                surprise += logs[i - here]
                of_column[b] += i - here
            of_row[filled_rows] = i - first
            filled_rows += 1
        for k in range(filled_rows):
            surprise -= logs[of_row[k]]
        for b in range(len(of_column)):
            filled_columns += 1 if of_column[b] else 0
            surprise -= logs[of_column[b]]
        if filled_rows > 1 and filled_columns > 1:
            rows += total
            freedom += (filled_rows - 1) * (filled_columns - 1)
            misfit = max(2.0 * (surprise + logs[total]), 0.0)
            if counts.corrected:
                misfit /= _excess(of_row[:filled_rows], filled_rows, of_column, filled_columns, total)
            statistic += misfit
        of_column[:] = 0
    return statistic, freedom, rows, len(order), occurring


@hot
def _surprise(logs: Floats, cells: NDArray[np.int32], of_row: Ints, of_column: Ints, total: int) -> float:
    """G² of one stratum: how far its counts are from those of independent variables."""
    surprise = 0.0
    for many in cells:
        surprise += logs[many]
    for many in of_row:
        surprise -= logs[many]
    for many in of_column:
        surprise -= logs[many]
    return float(max(2.0 * (surprise + logs[total]), 0.0))


@inner
def _misfit(cells: NDArray[np.int32], of_row: Ints, of_column: Ints, total: int) -> float:
    """Pearson's χ² of one stratum."""
    across, misfit = len(of_column), 0.0
    for a in range(len(of_row)):
        for b in range(across):
            expected = of_row[a] * of_column[b] / total
            if expected > 0.0:
                beyond = cells[a * across + b] - expected
                misfit += beyond * beyond / expected
    return misfit


@hot
def _excess(of_row: Ints, filled_rows: int, of_column: Ints, filled_columns: int, total: int) -> float:
    """The factor by which G² of one stratum is too large (Williams 1976)."""
    return 1.0 + _scarcity(of_row, filled_rows, total) * _scarcity(of_column, filled_columns, total) / (6.0 * total)


@inner
def _scarcity(margin: Ints, filled: int, total: int) -> float:
    """How scarce rows are along one side of a table."""
    shares = 0.0
    for many in margin:
        if many:
            shares += total / many
    return (shares - 1.0) / (filled - 1)


@hot
def _in_place(counts: Counts, freedom: int, rows: int, used: int, strata: int) -> int:
    """Which default stands in place of an answer: 1 where x or y is determined, 0 where rows are missing; -1 where there is an answer."""
    if freedom == 0 and used >= counts.least * strata:
        return 1
    return 0 if freedom == 0 or rows < counts.least * freedom else -1


@inner
def verdict_of(counts: Counts, statistic: float, freedom: int, rows: int, used: int, strata: int) -> bool:
    """Is this dependence? Where the table says nothing, the answer is the default for the reason."""
    why = _in_place(counts, freedom, rows, used, strata)
    if why >= 0:
        counts.untested[why] += 1
        return counts.defaults[why]
    return statistic > _critical(counts, freedom)


@hot
def put_down(counts: Counts, table: tuple[float, int, int, int, int], i: int, statistics: Floats, numbers: Ints) -> None:
    """Write a statistic, and behind it the degrees of freedom, the rows used, and -1 or the default that is answered."""
    statistic, freedom, rows, used, strata = table
    why = _in_place(counts, freedom, rows, used, strata)
    statistics[i] = statistic
    numbers[0, i], numbers[1, i] = freedom, used
    numbers[2, i] = -1 if why < 0 else np.int64(counts.defaults[why])


@inner
def _critical(counts: Counts, freedom: int) -> float:
    """The critical value; beyond the table that of Wilson and Hilferty (1931), right to six digits there."""
    if freedom < len(counts.critical):
        return float(counts.critical[freedom])
    small = 2.0 / (9.0 * freedom)
    root = 1.0 - small + counts.quantile * sqrt(small)
    return freedom * (root * root * root)


@inner
def counts_depend(counts: Counts, x: int, y: int, given: Ints) -> bool:
    """Do x and y depend on each other given some variables?"""
    statistic, freedom, rows, used, strata = table_of(counts, x, y, given)
    return verdict_of(counts, statistic, freedom, rows, used, strata)


@kernel
def tables_of(counts: Counts, x: Ints, y: Ints, begins: Ints, members: Ints) -> tuple[Floats, Ints]:
    """``table_of`` for one pair and set after the other: the statistics, and three rows of whole numbers (``put_down``)."""
    many = len(begins) - 1
    statistics, numbers = np.empty(many), np.empty((3, many), np.int64)
    for i in range(many):
        if i & 7 == 7:
            heed(0)
        put_down(counts, table_of(counts, x[i], y[i], members[begins[i] : begins[i + 1]]), i, statistics, numbers)
    return statistics, numbers
