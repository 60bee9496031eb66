"""What hidden variables would have been: their expected correlations with the columns, and how well a DAG with them fits."""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np

from dicola._kernels.arrays import Bools, Floats, Ints
from dicola._kernels.compiled import inner, kernel, lean
from dicola._kernels.mag_score import NORMAL, solve, solve_again
from dicola._kernels.stopping import heed

_LEAST = 0.005  # the share of a variable that is its own, where a hidden one is among its parents


class Families(NamedTuple):
    """A DAG, and room to work in."""

    parents: Ints
    counts: Ints
    slot: Ints  # by variable: its number among those of its kind in the part that is fitted
    big: Floats
    slopes: Floats


class Part(NamedTuple):
    """Hidden variables that hang together."""

    touched: Ints  # the variables whose families have one of them
    concerned: Bools  # by variable: is it in such a family?
    columns: Ints  # the columns that are
    hidden: Ints  # the hidden variables that are
    within: Floats  # the correlations of these columns


class Rounds(NamedTuple):
    """How many columns there are, how long to go on, and the fit of all that is not in the part."""

    p: int
    rounds: int
    still: float
    others: float


class Told(NamedTuple):
    """What columns tell of hidden variables."""

    spread: Floats  # the inverse of what the columns leave uncertain of the hidden ones
    across: Floats  # how much each column counts, before that uncertainty is taken in
    factor: Floats  # the inverse of ``spread``
    weights: Floats  # how much each column counts
    shared: Floats  # the covariance with each column
    scales: Floats  # the standard deviation
    big: Floats  # room: for ``spread`` and its factor
    right: Floats  # room: a right side
    own: Floats  # the covariance of the hidden ones


@kernel
def expect(p: int, expected: Floats, parents: Ints, counts: Ints, apart: bool, rounds: int, still: float) -> float:
    """Fit a DAG over columns and hidden variables by expectation and maximisation, until the fit gains less than ``still``.

    ``expected`` has the correlations of p columns, which stay, and behind them what is expected of the hidden variables, which is
    written anew. The parents of v are ``parents[v, :counts[v]]``. With ``apart`` hidden variables that do not hang together are fitted
    one after the other, each until it gains less. Answers minus twice the log likelihood of the columns per row, less what
    any DAG has: without hidden variables it is the sum of the logarithms of the variances that parents leave.
    """
    n = len(expected)
    most = max(1, counts.max())
    families = Families(parents, counts, np.zeros(n, np.int64), np.empty((NORMAL + 1, most, most)), np.empty((1, most)))
    parts = _parts(families, p) if apart else np.zeros(n - p, np.int64)
    owner, fit = np.full(n, -1, np.int64), 0.0  # the part that the family of a variable belongs to
    for v in range(n):
        if v >= p:
            owner[v] = parts[v - p]
        for a in range(counts[v]):
            if parents[v, a] >= p:
                owner[v] = parts[parents[v, a] - p]
        if owner[v] < 0:
            fit += log(_left(expected, families, v))
    concerned = np.zeros(n, np.bool_)
    for part in range(n - p):
        touched = np.flatnonzero(owner == part)
        if not len(touched):
            continue
        concerned[:] = False
        for w in touched:
            concerned[w] = True
            for a in range(counts[w]):
                concerned[parents[w, a]] = True
        fit = _expect_part(expected, families, touched, concerned, p, rounds, still, fit)
    return float(fit)


@inner
def _parts(families: Families, p: int) -> Ints:
    """By hidden variable: the first of those that it hangs together with, as parent and child or as parents of the same child."""
    parents, counts = families.parents, families.counts
    first = np.arange(len(counts) - p)
    for v in range(len(counts)):
        one = v - p
        for a in range(counts[v]):
            other = parents[v, a] - p
            if other < 0:
                continue
            while one >= 0 and first[one] != one:
                one = first[one]
            while first[other] != other:
                other = first[other]
            if one >= 0 and one != other:
                one, other = min(one, other), max(one, other)
                first[other] = one
            else:
                one = other
    for a in range(len(first)):
        first[a] = first[first[a]]
    return first


@inner
def _expect_part(
    expected: Floats, families: Families, touched: Ints, concerned: Bools, p: int, rounds: int, still: float, others: float
) -> float:
    """Fit one part, whose families are ``touched`` and have members that are ``concerned``; answers the fit of it and of others."""
    columns, hidden = np.flatnonzero(concerned[:p]), p + np.flatnonzero(concerned[p:])
    m, q = len(hidden), len(columns)
    for i in range(q):
        families.slot[columns[i]] = i
    for a in range(m):
        families.slot[hidden[a]] = a
    within = np.empty((q, q))
    for i in range(q):
        for j in range(q):
            within[i, j] = expected[columns[i], columns[j]]
    told = Told(
        spread=np.empty((m, m)),
        across=np.empty((m, q)),
        factor=np.empty((m, m)),
        weights=np.empty((m, q)),
        shared=np.empty((m, q)),
        scales=np.ones(m),
        big=np.empty((NORMAL + 1, m, m)),
        right=np.empty((1, m)),
        own=np.empty((m, m)),
    )
    return _expect_told(expected, families, told, Part(touched, concerned, columns, hidden, within), Rounds(p, rounds, still, others))


@lean
def _expect_told(expected: Floats, families: Families, told: Told, part: Part, until: Rounds) -> float:
    spread, across, weights, shared = told.spread, told.across, told.weights, told.shared
    touched, concerned, columns, hidden, within = part
    p, rounds, still, others = until
    m, q = weights.shape
    fit, last = others, np.inf
    for _ in range(rounds):
        heed(0)
        for a in range(m):
            for b in range(m):
                spread[a, b] = 0.0
            for i in range(q):
                across[a, i] = 0.0
        fit = others
        for i in range(len(touched)):
            fit += _tell(expected, families, told, touched[i], p)
        fit += _weigh(told)
        for a in range(m):
            for j in range(q):
                shared[a, j] = 0.0
            for i in range(q):
                if weights[a, i] != 0.0:
                    weight = weights[a, i]
                    for j in range(q):
                        shared[a, j] += weight * within[i, j]
        fit -= _renew(expected, told, columns, hidden)
        if last - fit < still:
            break
        last = fit
    for a in range(m):  # and with what no family here holds
        for j in range(len(expected)):
            if not concerned[j]:
                value = 0.0
                for i in range(q):
                    if weights[a, i] != 0.0:
                        value += weights[a, i] * expected[columns[i], j]
                expected[hidden[a], j] = expected[j, hidden[a]] = value / told.scales[a]
    return float(fit)


@lean
def _left(expected: Floats, families: Families, v: int) -> float:
    """The variance that its parents leave of a variable; their slopes are written down."""
    parents, big, slopes, k = families.parents, families.big, families.slopes, families.counts[v]
    for a in range(k):
        slopes[0, a] = expected[parents[v, a], v]
        for b in range(a + 1):
            big[NORMAL, a, b] = expected[parents[v, a], parents[v, b]]
    solve(big, slopes, 0, k)
    left = expected[v, v]
    for a in range(k):
        left -= slopes[0, a] * expected[parents[v, a], v]
    return float(max(_LEAST, left))


@lean
def _tell(expected: Floats, families: Families, told: Told, v: int, p: int) -> float:
    """What a variable and its parents tell of the hidden ones among them; answers its part of the fit, as if these were 0."""
    parents, slopes, slot, k = families.parents, families.slopes, families.slot, families.counts[v]
    spread, across = told.spread, told.across
    left = _left(expected, families, v)
    fit = log(left) - (1.0 if v < p else 0.0)
    for a in range(-1, k):
        i, one = (v, 1.0) if a < 0 else (parents[v, a], -slopes[0, a])
        for b in range(-1, k):
            j, other = (v, 1.0) if b < 0 else (parents[v, b], -slopes[0, b])
            value = one * other / left
            if i >= p and j >= p:
                spread[slot[i], slot[j]] += value
            elif i >= p:
                across[slot[i], slot[j]] -= value
            elif j < p:
                fit += value * expected[i, j]
    return float(fit)


@lean
def _weigh(told: Told) -> float:
    """How much each column counts in what is expected of hidden variables; answers the log determinant of ``spread``, inverted here."""
    across, factor, weights = told.across, told.factor, told.weights
    big, right, (m, q), total = told.big, told.right, across.shape, 0.0
    for a in range(m):
        for b in range(m):
            big[NORMAL, a, b] = told.spread[a, b]
    for a in range(m):
        for b in range(m):
            right[0, b] = 1.0 if a == b else 0.0
        if a:
            solve_again(big, right, 0, m)
        else:
            solve(big, right, 0, m)
        for b in range(m):
            factor[b, a] = right[0, b]
    for a in range(m):
        total += 2.0 * log(big[NORMAL, a, a])
        for i in range(q):
            weights[a, i] = 0.0
            for b in range(m):
                weights[a, i] += factor[a, b] * across[b, i]
    return total


@lean
def _renew(expected: Floats, told: Told, columns: Ints, hidden: Ints) -> float:
    """Write down what is now expected of hidden variables, each with variance 1; answers what the columns tell of them in the fit."""
    spread, factor, weights, shared, scales = told.spread, told.factor, told.weights, told.shared, told.scales
    own, (m, q), gained = told.own, weights.shape, 0.0
    for a in range(m):
        for b in range(m):
            value = 0.0
            for i in range(q):
                value += shared[a, i] * weights[b, i]
            gained += spread[a, b] * value
            own[a, b] = value + factor[a, b]
        scales[a] = np.sqrt(own[a, a])
    for a in range(m):
        for j in range(q):
            expected[hidden[a], columns[j]] = expected[columns[j], hidden[a]] = shared[a, j] / scales[a]
        for b in range(m):
            expected[hidden[a], hidden[b]] = own[a, b] / (scales[a] * scales[b])
        expected[hidden[a], hidden[a]] = 1.0
    return gained
