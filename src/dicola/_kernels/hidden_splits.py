"""What it gains to take a variable for a noisy copy of a hidden one, which has some of its neighbours in its place.

Where a hidden variable was not measured, one of its children stands in for it in the best DAG: it gets the parents of the hidden
one, and the other children as its own. A split undoes that. The variable v becomes a child of a hidden variable, some of the parents
of v become parents of that, and some of its children become its children. The fit is that of ``hidden_columns.expect`` on the
families concerned, with all that does not change in a round worked out before.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np

from dicola._kernels.arrays import Bools, Floats, Ints
from dicola._kernels.compiled import inner, kernel, lean
from dicola._kernels.mag_score import NORMAL, solve, solve_again
from dicola._kernels.stopping import heed

ROUNDS = 20  # of expectation and maximisation, at most
ALIKE = 0.9  # the correlation of a variable with the hidden one that the first round begins with
LEAST = 0.005  # the share of a variable that is its own
_ALL_SETS = 5  # neighbours up to which all sets of them are tried; of more, those that are near the best on the way from all of them
_MOST = 60  # neighbours at most


class Around(NamedTuple):
    """A variable with those near it, and the families that a split may touch.

    Family i of ``given`` is that of the i-th child, without the variable itself. The two behind are those of the variable and of the
    hidden one; they differ from set to set.
    """

    columns: Ints  # the variable, and all others concerned
    within: Floats  # their correlations
    heads: Ints  # by family: whose it is; all by their places among the columns
    given: Ints  # by family: parents that were measured
    sizes: Ints
    inverse: Floats  # by family: the inverse of the correlations of these parents
    slopes: Floats  # by family: the slopes of its head on these parents
    left: Floats  # by family: what these parents leave of its head
    before: Floats  # by family: the fit that the head has in the DAG as it is
    neighbours: Ints  # the parents of the variable that were measured, then its children
    n_parents: int
    always: Ints  # the parents of the variable that are hidden: they stay its own


class Room(NamedTuple):
    """Arrays to work in."""

    big: Floats
    line: Floats
    weights: Floats  # how much each column counts in what is expected of the hidden variable
    shared: Floats  # the covariance of that with each column
    across: Floats  # by parent of a family: its slope in what is expected of the hidden variable


class Splits(NamedTuple):
    """The variable that is split, the neighbours that the hidden one gets, as bits, and what the fit per row gains: one by one."""

    variables: Ints
    sets: Ints
    gains: Floats


@kernel
def split_gains(expected: Floats, parents: Ints, counts: Ints, p: int, still: float) -> Splits:
    """What splits of the first p variables gain in the fit per row, before their price; those that gain nothing are left out.

    A fit has settled where a round gains less than ``still``.
    ``expected`` has the correlations of p columns and of hidden variables behind them; the parents of v are ``parents[v, :counts[v]]``.
    The bits of a set are the parents of v among the columns, in their order there, then its children, ascending.
    """
    n = len(expected)
    is_parent = np.zeros((n, n), np.bool_)
    for v in range(n):
        for a in range(counts[v]):
            is_parent[v, parents[v, a]] = True
    variables, sets, gains, found = np.zeros(64, np.int64), np.zeros(64, np.int64), np.zeros(64), 0
    for v in range(p):
        heed(0)
        around = _around(expected, is_parent, v, p)
        d = len(around.neighbours)
        if d < 2 or d > _MOST:
            continue
        room = _make_room(around)
        if found + 64 > len(gains):
            variables, sets = np.append(variables, np.zeros_like(variables)), np.append(sets, np.zeros_like(sets))
            gains = np.append(gains, np.zeros_like(gains))
        if d <= _ALL_SETS:
            for chosen in range(3, 1 << d):
                if chosen & (chosen - 1):
                    gain = _gain(around, room, chosen, still)
                    if gain > still:
                        variables[found], sets[found], gains[found] = v, chosen, gain
                        found += 1
        else:
            chosen, gain = _best_near_all(around, room, still)
            if gain > still:
                variables[found], sets[found], gains[found] = v, chosen, gain
                found += 1
    return Splits(variables[:found], sets[:found], gains[:found])


@inner
def _best_near_all(around: Around, room: Room, still: float) -> tuple[int, float]:
    """The set that is reached from all neighbours by leaving out, or taking back, whichever gains most."""
    d = len(around.neighbours)
    chosen = (1 << d) - 1
    gain = _gain(around, room, chosen, still)
    while True:
        heed(0)
        best, better = gain, chosen
        for i in range(d):
            other = chosen ^ (1 << i)
            if other & (other - 1):
                value = _gain(around, room, other, still)
                if value > best + still:
                    best, better = value, other
        if better == chosen:
            return chosen, gain
        chosen, gain = better, best


@inner
def _around(expected: Floats, is_parent: Bools, v: int, p: int) -> Around:
    """The variable and those near it."""
    n, children, above, concerned = len(expected), np.flatnonzero(is_parent[:p, v]), np.flatnonzero(is_parent[v]), is_parent[v].copy()
    n_parents, most = int(np.count_nonzero(is_parent[v, :p])), max(1, len(above))
    for c in children:
        concerned[c] = True
        for u in range(n):
            concerned[u] |= is_parent[c, u]
        most = max(most, int(np.count_nonzero(is_parent[c])))
    concerned[v] = False
    columns, place, families = np.append(np.array([v]), np.flatnonzero(concerned)), np.zeros(n, np.int64), len(children) + 2
    for i in range(len(columns)):
        place[columns[i]] = i
    around = Around(
        columns=columns,
        within=np.empty((len(columns), len(columns))),
        heads=np.zeros(families, np.int64),
        given=np.zeros((families, most), np.int64),
        sizes=np.zeros(families, np.int64),
        inverse=np.zeros((families, most, most)),
        slopes=np.zeros((families, most)),
        left=np.ones(families),
        before=np.zeros(families),
        neighbours=place[np.append(above[:n_parents], children)],
        n_parents=n_parents,
        always=place[above[n_parents:]],
    )
    for i in range(len(columns)):
        for j in range(len(columns)):
            around.within[i, j] = expected[columns[i], columns[j]]
    room = _make_room(around)
    for f in range(families - 1):
        around.heads[f] = place[children[f]] if f < len(children) else 0
        given = is_parent[columns[around.heads[f]]].copy()
        for _ in range(2):  # with the variable, for the fit as it is; then without, as the family stays
            around.sizes[f] = 0
            for above_it in np.flatnonzero(given):
                around.given[f, around.sizes[f]] = place[above_it]
                around.sizes[f] += 1
            _prepare(around, room, f)
            if given[v] or f == len(children):
                around.before[f] = log(max(LEAST, around.left[f]))
            given[v] = False
    return around


@inner
def _make_room(around: Around) -> Room:
    most, q = around.given.shape[1], len(around.columns)
    return Room(np.empty((NORMAL + 1, most, most)), np.empty((1, most)), np.zeros(q), np.zeros(q), np.zeros(most))


@lean
def _prepare(around: Around, room: Room, f: int) -> None:
    """Work out the inverse, the slopes and what is left for the parents of a family."""
    within, given, size, head = around.within, around.given, around.sizes[f], around.heads[f]
    big, line = room.big, room.line
    for a in range(size):
        for b in range(a + 1):
            big[NORMAL, a, b] = within[given[f, a], given[f, b]]
    for a in range(size):
        for b in range(size):
            line[0, b] = 1.0 if a == b else 0.0
        if a:
            solve_again(big, line, 0, size)
        else:
            solve(big, line, 0, size)
        for b in range(size):
            around.inverse[f, a, b] = line[0, b]
    left = within[head, head]
    for a in range(size):
        slope = 0.0
        for b in range(size):
            slope += around.inverse[f, a, b] * within[given[f, b], head]
        around.slopes[f, a] = slope
        left -= slope * within[given[f, a], head]
    around.left[f] = left


@lean
def _gain(around: Around, room: Room, chosen: int, still: float) -> float:
    """What the fit per row gains if a hidden variable gets these neighbours."""
    own = len(around.sizes) - 2  # the family of the variable; behind it that of the hidden one
    around.sizes[own] = around.sizes[own + 1] = 0
    for a in range(around.n_parents):
        f = own + (chosen >> a & 1)
        around.given[f, around.sizes[f]] = around.neighbours[a]
        around.sizes[f] += 1
    for a in range(len(around.always)):
        around.given[own, around.sizes[own]] = around.always[a]
        around.sizes[own] += 1
    _prepare(around, room, own)
    _prepare(around, room, own + 1)
    before = around.before[own]
    for f in range(own):
        before += around.before[f] if chosen >> (around.n_parents + f) & 1 else 0.0
    return float(before - _fitted(around, room, chosen, still))


@lean
def _fitted(around: Around, room: Room, chosen: int, still: float) -> float:
    """The fit of the families that change, by expectation and maximisation; the hidden variable is nearly the variable at first."""
    own, q, weights, shared = len(around.sizes) - 2, len(around.columns), room.weights, room.shared
    told, variance, last = ALIKE * ALIKE, 1.0, np.inf  # what the columns tell of the hidden variable, and all of its variance
    for i in range(q):
        shared[i] = ALIKE * around.within[0, i]
    for _ in range(ROUNDS):
        for i in range(q):
            weights[i] = 0.0
        sureness, fit = 0.0, 0.0
        for f in range(own + 2):
            if f >= own or chosen >> (around.n_parents + f) & 1:
                more, fits = _family(around, room, f, variance)
                sureness += more
                fit += fits
        told = 0.0
        for i in range(q):
            weights[i] /= sureness
            shared[i] = 0.0
        for i in range(q):
            if weights[i] != 0.0:
                for j in range(q):
                    shared[j] += weights[i] * around.within[i, j]
        for i in range(q):
            told += weights[i] * shared[i]
        variance = told + 1.0 / sureness
        fit += log(sureness) - sureness * told
        if last - fit < still:
            return float(min(last, fit))
        last = fit
    return float(last)


@lean
def _family(around: Around, room: Room, f: int, variance: float) -> tuple[float, float]:
    """Fit one family, given what is expected of the hidden variable, and add what it tells of that to the weights.

    Answers how sure it makes of the hidden variable, and its part of the fit as if that were 0.
    """
    given, size, shared, weights, across = around.given, around.sizes[f], room.shared, room.weights, room.across
    explained = 0.0  # of the hidden variable, by the parents that were measured
    for a in range(size):
        across[a] = 0.0
        for b in range(size):
            across[a] += around.inverse[f, a, b] * shared[given[f, b]]
        explained += across[a] * shared[given[f, a]]
    if f == len(around.sizes) - 1:  # of the hidden variable itself
        own = max(LEAST, variance - explained)
        for a in range(size):
            weights[given[f, a]] += across[a] / own
        return 1.0 / own, log(own) + explained / own
    head = around.heads[f]
    both = shared[head]
    for a in range(size):
        both -= around.slopes[f, a] * shared[given[f, a]]
    slope = both / max(LEAST, variance - explained)
    own = max(LEAST, around.left[f] - slope * both)
    weights[head] += slope / own
    for a in range(size):
        weights[given[f, a]] -= slope / own * (around.slopes[f, a] - slope * across[a])
    return slope * slope / own, log(own) + (around.left[f] + slope * slope * explained) / own - 1.0
