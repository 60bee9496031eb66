"""The conditional Gaussian likelihood ratio: a Gaussian distribution of the numbers in every cell of the categories."""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np

from dicola._kernels.arrays import Bools, Floats, Ints
from dicola._kernels.compiled import inner, kernel
from dicola._kernels.contingency import Counts, put_down, strata_of, table_of, verdict_of
from dicola._kernels.stopping import heed

_LEAST_VARIANCE = 1e-9


class Mixtures(NamedTuple):
    """What a conditional Gaussian test knows of its columns, and how it decides.

    ``counts`` has the categories (a column of numbers has one level there) and the critical values;
    ``values`` the numbers, standardised, a row per variable.
    """

    counts: Counts
    values: Floats
    is_number: Bools


@inner
def _parted(mixtures: Mixtures, members: Ints) -> tuple[Ints, Ints]:
    """Of some variables, the numbers and the categories."""
    numbers, categories = np.empty(len(members), np.int64), np.empty(len(members), np.int64)
    many = further = 0
    for v in members:
        if mixtures.is_number[v]:
            numbers[many] = v
            many += 1
        else:
            categories[further] = v
            further += 1
    return numbers[:many], categories[:further]


@inner
def _kept(mixtures: Mixtures, x: int, y: int, given: Ints) -> Bools:
    """The rows in cells with rows enough for a covariance of the numbers.

    What is kept may depend on x and what is given, or on y and what is given, but not on where x and
    y meet: leaving out small cells of both would make them dependent.
    """
    members = _with(given, x, y)
    numbers, categories = _parted(mixtures, members)
    need = mixtures.counts.least * (len(numbers) + 1)
    if not (mixtures.is_number[x] or mixtures.is_number[y]):
        return _kept_by_margins(mixtures, x, y, given, need)
    strata = np.empty(mixtures.values.shape[1], np.int64)
    many = np.zeros(strata_of(mixtures.counts, categories, strata), np.int64)
    for s in strata:
        many[s] += 1
    kept = np.empty(len(strata), np.bool_)
    for r in range(len(strata)):
        kept[r] = many[strata[r]] >= need
    return kept


@inner
def _kept_by_margins(mixtures: Mixtures, x: int, y: int, given: Ints, need: float) -> Bools:
    """The same for two categories: levels with rows enough in strata where every cell of them would have enough by chance."""
    counts = mixtures.counts
    of_x, of_y = counts.codes[x], counts.codes[y]
    strata = np.empty(len(of_x), np.int64)
    count = strata_of(counts, _parted(mixtures, given)[1], strata)
    down, across = np.zeros((count, counts.levels[x]), np.int64), np.zeros((count, counts.levels[y]), np.int64)
    for r in range(len(strata)):
        down[strata[r], of_x[r]] += 1
        across[strata[r], of_y[r]] += 1
    whole = np.zeros(count, np.bool_)
    for s in range(count):
        total = least_down = least_across = 0
        for many in down[s]:
            total += many
            if many >= need and (least_down == 0 or many < least_down):
                least_down = many
        for many in across[s]:
            if many >= need and (least_across == 0 or many < least_across):
                least_across = many
        whole[s] = least_down * least_across >= need * total
    kept = np.empty(len(strata), np.bool_)
    for r in range(len(strata)):
        s = strata[r]
        kept[r] = whole[s] and down[s, of_x[r]] >= need and across[s, of_y[r]] >= need
    return kept


@inner
def _likelihood(mixtures: Mixtures, members: Ints, kept: Bools) -> tuple[float, int]:
    """The log likelihood of some variables in the rows kept, but for what cancels, and its number of parameters."""
    numbers, categories = _parted(mixtures, members)
    d, n = len(numbers), len(kept)
    strata = np.empty(n, np.int64)
    count = strata_of(mixtures.counts, categories, strata)
    rows, sums, squares = np.zeros(count), np.zeros((count, d)), np.zeros((count, d, d))
    total = 0.0
    for r in range(n):
        if not kept[r]:
            continue
        s = strata[r]
        total += 1.0
        rows[s] += 1.0
        for a in range(d):
            value = mixtures.values[numbers[a], r]
            sums[s, a] += value
            for b in range(a + 1):
                squares[s, b, a] += value * mixtures.values[numbers[b], r]
    result, occurring = 0.0, 0
    for s in range(count):
        if rows[s] == 0.0:
            continue
        occurring += 1
        result += rows[s] * log(rows[s] / total)
        w = squares[s]
        for a in range(d):
            for b in range(a, d):
                w[a, b] = w[a, b] / rows[s] - sums[s, a] * sums[s, b] / (rows[s] * rows[s])
        for p in range(d):
            pivot = max(w[p, p], _LEAST_VARIANCE)
            result -= rows[s] * log(pivot) / 2.0
            for a in range(p + 1, d):
                factor = w[p, a] / pivot
                for b in range(a, d):
                    w[a, b] -= factor * w[p, b]
    return result, occurring * (1 + d * (d + 3) // 2) - 1


@inner
def _with(given: Ints, x: int, y: int) -> Ints:
    """What is given with up to two more variables; -1 is none."""
    members = np.empty(len(given) + (x >= 0) + (y >= 0), np.int64)
    for i in range(len(given)):
        members[i] = given[i]
    at = len(given)
    if x >= 0:
        members[at] = x
        at += 1
    if y >= 0:
        members[at] = y
    return members


@inner
def mixture_of(mixtures: Mixtures, x: int, y: int, given: Ints) -> tuple[float, int, int, int, int]:
    """The statistic for x and y given some variables and what is behind it, as ``table_of`` has it."""
    members = _with(given, x, y)
    numbers, _ = _parted(mixtures, members)
    if not len(numbers):
        return table_of(mixtures.counts, x, y, given)
    kept = _kept(mixtures, x, y, given)
    used = 0
    for row in kept:
        used += 1 if row else 0
    if used == 0:
        return 0.0, 0, 0, 0, 1
    both, of_both = _likelihood(mixtures, members, kept)
    neither, of_neither = _likelihood(mixtures, given, kept)
    one, of_one = _likelihood(mixtures, _with(given, x, -1), kept)
    other, of_other = _likelihood(mixtures, _with(given, y, -1), kept)
    freedom = max(of_both + of_neither - of_one - of_other, 0)
    return max(2.0 * (both + neither - one - other), 0.0), freedom, used, used, 1


@inner
def mixtures_depend(mixtures: Mixtures, x: int, y: int, given: Ints) -> bool:
    """Do x and y depend on each other given some variables?"""
    statistic, freedom, rows, used, strata = mixture_of(mixtures, x, y, given)
    return verdict_of(mixtures.counts, statistic, freedom, rows, used, strata)


@kernel
def mixtures_of(mixtures: Mixtures, x: Ints, y: Ints, begins: Ints, members: Ints) -> tuple[Floats, Ints]:
    """``mixture_of`` for one pair and set after the other, written down as ``tables_of`` does."""
    many = len(begins) - 1
    statistics, numbers = np.empty(many), np.empty((3, many), np.int64)
    for i in range(many):
        if i & 7 == 7:
            heed(0)
        put_down(mixtures.counts, mixture_of(mixtures, x[i], y[i], members[begins[i] : begins[i + 1]]), i, statistics, numbers)
    return statistics, numbers
