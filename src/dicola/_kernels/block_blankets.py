"""IAMB on blocks of columns: Markov blankets by conditioning on few variables.

For one target, what is left of the covariances within every variable, and with the target, is kept
member by member of the blanket, so that a verdict takes no more than a comparison of two small blocks.
"""

from __future__ import annotations

from math import erfc, exp, lgamma, log, pi, sqrt
from typing import NamedTuple

import numpy as np

from dicola._kernels.arrays import Bools, Floats, Ints
from dicola._kernels.block_algebra import widest
from dicola._kernels.blocks import Blocks, compared, put, ratio_of, sweep
from dicola._kernels.compiled import inner, kernel, lean, lean_and_hot
from dicola._kernels.partial_correlation import SINGULAR
from dicola._kernels.stopping import heed

_FAR = 25.0  # from where on the tail of a normal variable is that of its expansion
_HUGE = 1e200  # sums are kept below it


class Rule(NamedTuple):
    """How blankets are grown: the critical values given nothing and given something, by degrees of freedom; given how many at most."""

    first: Floats
    further: Floats
    most: int


class Left(NamedTuple):
    """What is left of all columns given those of a blanket, and room to compare two variables in."""

    rows: Floats  # [q]: the part of every column along the q-th that is given
    own: Floats  # [d, x]: the covariance of column x with the d-th before it, of the same variable
    across: Floats  # [c, x]: that with the c-th column of the target
    columns: Ints
    both: Floats
    block: Floats
    counts: Bools


@inner
def _make_left(blocks: Blocks) -> Left:
    columns, w = len(blocks.covariance), widest(blocks.begins)
    return Left(
        np.empty((columns, columns)),
        np.empty((w, columns)),
        np.empty((w, columns)),
        np.empty(2 * w, np.int64),
        np.empty((2 * w, 2 * w)),
        np.empty((2 * w, 2 * w)),
        np.empty(2 * w, np.bool_),
    )


@lean
def log_tail(freedom: int, statistic: float) -> float:
    """The logarithm of the probability that a χ² variable exceeds a value, from the finite sum that it is for whole degrees of freedom."""
    a, x = freedom / 2.0, statistic / 2.0
    if x <= 0.0:
        return 0.0
    root, scale = sqrt(x), 0.0
    if freedom % 2 == 0:
        tail = -np.inf
    elif root < _FAR:
        tail = log(erfc(root))
    else:
        tail = -x - log(root * sqrt(pi)) + log(1.0 - 0.5 / x + 0.75 / (x * x))
    if freedom == 1:
        return tail
    top = (a - 1.0) * log(x) - x - lgamma(a)
    total = term = 1.0
    for k in range(1, (freedom + 1) // 2 if freedom % 2 == 0 else freedom // 2):
        term *= (a - k) / x
        total += term
        if total > _HUGE:
            total, term, scale = total / _HUGE, term / _HUGE, scale + log(_HUGE)
    found = top + scale + log(total)
    if tail > -np.inf:
        found = max(found, tail) + log(1.0 + exp(-abs(found - tail)))
    return min(found, 0.0)


@lean
def _begin(blocks: Blocks, target: int, left: Left) -> None:
    """Nothing is given yet."""
    begins, covariance = blocks.begins, blocks.covariance
    for v in range(len(begins) - 1):
        for x in range(begins[v], begins[v + 1]):
            for d in range(x - begins[v] + 1):
                left.own[d, x] = covariance[x, x - d]
    for c in range(begins[target + 1] - begins[target]):
        for x in range(len(covariance)):
            left.across[c, x] = covariance[begins[target] + c, x]


@lean
def _give(blocks: Blocks, target: int, new: int, given: int, left: Left) -> int:
    """Take the columns of a new member out of all others; how many columns are given then?"""
    begins, covariance, rows, own, across = blocks.begins, blocks.covariance, left.rows, left.own, left.across
    total, of_target, w = len(covariance), begins[target], begins[target + 1] - begins[target]
    for column in range(begins[new], begins[new + 1]):
        variance = own[0, column]
        if variance < SINGULAR:  # determined by those before: it says nothing
            continue
        for x in range(total):
            rows[given, x] = covariance[column, x]
        for i in range(given):
            step = rows[i, column]
            if step != 0.0:
                for x in range(total):
                    rows[given, x] -= step * rows[i, x]
        scale = sqrt(variance)
        for x in range(total):
            rows[given, x] /= scale
            own[0, x] -= rows[given, x] * rows[given, x]
        for c in range(w):
            step = rows[given, of_target + c]
            for x in range(total):
                across[c, x] -= rows[given, x] * step
        for v in range(len(begins) - 1):
            for x in range(begins[v] + 1, begins[v + 1]):
                for d in range(1, x - begins[v] + 1):
                    own[d, x] -= rows[given, x] * rows[given, x - d]
        given += 1
    return given


@lean_and_hot
def _covariance_left(left: Left, first: int, last: int, a: int, b: int) -> float:
    """Of two columns of the target, which are those from ``first`` to ``last``, and of one other variable."""
    if first <= a < last and not first <= b < last:
        return float(left.across[a - first, b])
    if first <= b < last and not first <= a < last:
        return float(left.across[b - first, a])
    return float(left.own[abs(a - b), max(a, b)])


@lean
def _gather(left: Left, n: int, first: int, last: int) -> None:
    """The upper triangle of what is left of the first n columns listed."""
    for a in range(n):
        for b in range(a, n):
            left.both[a, b] = _covariance_left(left, first, last, left.columns[a], left.columns[b])


@lean
def _ratio(blocks: Blocks, target: int, other: int, given: int, left: Left) -> tuple[float, int]:
    """``ratio_of`` the target and another variable, from what is left of both."""
    begins, curves, columns, both = blocks.begins, blocks.curves, left.columns, left.both
    x, y, first, last = min(target, other), max(target, other), begins[target], begins[target + 1]
    of_x = put(columns, 0, begins[y], begins[y + 1])
    end = put(columns, of_x, begins[x], curves[x])
    _gather(left, end, first, last)
    rows = blocks.rows - 1.0 - given
    statistic, freedom = compared(both, end, 0, of_x, rows, left.counts, left.block)
    if freedom < 0 or curves[x] == begins[x + 1]:
        return statistic, freedom
    main = put(columns, 0, begins[x], curves[x])
    middle = put(columns, main, curves[x], begins[x + 1])
    end = put(columns, middle, begins[y], curves[y])
    _gather(left, end, first, last)
    more, further = compared(both, end, main, middle, rows - sweep(both, end, 0, main), left.counts, left.block)
    return (0.0, -1) if further < 0 else (statistic + more, freedom + further)


@lean_and_hot
def _depends(blocks: Blocks, statistic: float, freedom: int, critical: Floats) -> bool:
    """Is a statistic above its critical value? What has none is counted, and answered as it should be."""
    if freedom < 0:
        blocks.untested[0] += 1
        return blocks.depends
    if freedom == 0:
        blocks.untested[1] += 1
    return bool(statistic > critical[freedom])


@lean
def _strongest(blocks: Blocks, target: int, is_in: Bools, given: int, critical: Floats, left: Left) -> int:
    """The variable that depends most on the target given the blanket, the first of equals; -1 where none does."""
    least, chosen = np.inf, -1
    for v in range(len(is_in)):
        if v == target or is_in[v]:
            continue
        statistic, freedom = _ratio(blocks, target, v, given, left)
        if _depends(blocks, statistic, freedom, critical):
            value = log_tail(freedom, statistic) if freedom > 0 else -np.inf
            if chosen < 0 or value < least:
                least, chosen = value, v
    return chosen


@inner
def _shrunk(blocks: Blocks, target: int, members: Ints, size: int, rule: Rule) -> tuple[int, int]:
    """Drop members that do not depend on the target given the rest, pass by pass, while some do not; how many are left, and the tests."""
    tests, before = 0, size + 1
    while 0 < size < before:
        before, at = size, 0
        while at < size:
            v = members[at]
            rest = np.sort(np.delete(members[:size], at))
            statistic, freedom = ratio_of(blocks, min(target, v), max(target, v), rest)
            tests += 1
            if _depends(blocks, statistic, freedom, rule.further if size > 1 else rule.first):
                at += 1
                continue
            size -= 1
            for i in range(at, size):
                members[i] = members[i + 1]
    return size, tests


@kernel
def block_blankets(blocks: Blocks, targets: Ints, rule: Rule, begins: Ints, starts: Ints) -> tuple[Bools, int]:
    """Row i: who is in the blanket of ``targets[i]``, grown from row i of ``starts``, the strongest first; and the verdicts it took."""
    n, tests = len(blocks.begins) - 1, 0
    found, left, members = np.zeros((len(targets), n), np.bool_), _make_left(blocks), np.empty(n + 1, np.int64)
    is_in = np.empty(n, np.bool_)
    for i in range(len(targets)):
        target, size, given = targets[i], 0, 0
        is_in[:] = False
        _begin(blocks, target, left)
        for k in range(begins[i], min(begins[i + 1], begins[i] + rule.most + 1)):
            members[size] = starts[k]
            is_in[starts[k]] = True
            given = _give(blocks, target, starts[k], given, left)
            size += 1
        while size <= rule.most:
            heed(tests)
            tests += n - 1 - size
            new = _strongest(blocks, target, is_in, given, rule.further if size else rule.first, left)
            if new < 0:
                break
            members[size] = new
            is_in[new] = True
            given = _give(blocks, target, new, given, left)
            size += 1
        size, more = _shrunk(blocks, target, members, size, rule)
        tests += more
        for k in range(size):
            found[i, members[k]] = True
    return found, tests
