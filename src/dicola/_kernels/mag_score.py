"""How badly a district of a MAG fits a correlation matrix.

For one variable it is least squares, for more it is RICF.

Residual iterative conditional fitting (Drton, Eichler and Richardson 2009) goes through the members
of a district. Given the residuals of the others, the arrows into a member and its bidirected edges
are the coefficients of one regression. The inverse of the residual covariance is carried along, so
that no matrix is inverted on the way.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np

from dicola._kernels.arrays import Floats, Ints
from dicola._kernels.compiled import hot, inlined, inner, kernel
from dicola._kernels.stopping import heed
from dicola._kernels.terms import Terms

SINGULAR = 1e-12  # a residual variance below it counts as none
_SWEEPS = 100
_CLOSE = 1e-4  # how far from its limit n times the misfit may be


# lists of a vertex: its parents, the other ends of its bidirected edges, its children
PA, SP, CH = 0, 1, 2


class Room(NamedTuple):
    """Arrays to work in, few so that calls stay light; the constants below say what is where."""

    numbers: Ints
    big: Floats
    wide: Floats
    small: Floats
    line: Floats


# numbers: local number of a variable; variable of a local number, members first and then their
# other parents
PLACE, INSIDE = 0, 1
WITHIN, NORMAL = 0, 1  # big: correlations inside; normal equations
# wide: slope of each member on what is inside; covariance of its residual with it
SLOPES, ACROSS = 0, 1
# small: covariance of the residuals; inverse of the modelled one, and without one member
RESIDUAL, INVERSE, REST, PSEUDO = 0, 1, 2, 3
RIGHT, STEP = 0, 1  # line: right side, then solution, of the normal equations


def make_room(n: int, largest: int) -> Room:
    """Room for districts of at most ``largest`` of n variables."""
    return Room(
        np.zeros((2, n), np.int64), np.zeros((2, n, n)), np.zeros((2, largest, n)), np.zeros((4, largest, largest)), np.zeros((2, n))
    )


@inner
def solve(normal: Floats, right: Floats, k: int) -> None:
    """Solve the first k normal equations in place, by Cholesky.

    A regressor that the ones before it determine gets 0.
    """
    for j in range(k):
        pivot = normal[j, j]
        scale = pivot
        for t in range(j):
            pivot -= normal[j, t] * normal[j, t]
        if pivot <= SINGULAR * scale:
            normal[j, j] = 0.0
            right[j] = 0.0
            for i in range(j + 1, k):
                normal[i, j] = 0.0
            continue
        root = np.sqrt(pivot)
        normal[j, j] = root
        for i in range(j + 1, k):
            value = normal[i, j]
            for t in range(j):
                value -= normal[i, t] * normal[j, t]
            normal[i, j] = value / root
        value = right[j]
        for t in range(j):
            value -= normal[j, t] * right[t]
        right[j] = value / root
    for j in range(k - 1, -1, -1):
        if normal[j, j] == 0.0:
            right[j] = 0.0
            continue
        value = right[j]
        for t in range(j + 1, k):
            value -= normal[t, j] * right[t]
        right[j] = value / normal[j, j]


@inner
def residual_variance(correlation: Floats, v: int, parents: Ints, k: int, room: Room) -> float:
    """What the first k parents leave unexplained of a variable."""
    normal, right = room.big[NORMAL], room.line[RIGHT]
    for i in range(k):
        right[i] = correlation[parents[i], v]
        for j in range(i + 1):
            normal[i, j] = correlation[parents[i], parents[j]]
    solve(normal, right, k)
    left = correlation[v, v]
    for i in range(k):
        left -= right[i] * correlation[parents[i], v]
    return float(max(left, SINGULAR))


@inlined
def _gather(correlation: Floats, members: Ints, d: int, pa: Ints, n_pa: Ints, room: Room) -> int:
    """Number the members and then their other parents anew; answers how many they are.

    The correlations among them are copied.
    """
    place, inside, within = room.numbers[PLACE], room.numbers[INSIDE], room.big[WITHIN]
    for i in range(d):
        for t in range(n_pa[members[i]]):
            place[pa[members[i], t]] = -1
    for i in range(d):
        place[members[i]] = i
        inside[i] = members[i]
    size = d
    for i in range(d):
        for t in range(n_pa[members[i]]):
            u = pa[members[i], t]
            if place[u] < 0:
                place[u] = size
                inside[size] = u
                size += 1
    for a in range(size):
        for b in range(size):
            within[a, b] = correlation[inside[a], inside[b]]
    return size


@inlined
def _reach(i: int, parents: Ints, k: int, size: int, room: Room) -> None:
    """Covariances of the residual of member i with everything inside, from its slopes."""
    place, within, slopes, across = room.numbers[PLACE], room.big[WITHIN], room.wide[SLOPES], room.wide[ACROSS]
    for u in range(size):
        across[i, u] = within[i, u]
    for t in range(k):
        p = place[parents[t]]
        slope = slopes[i, p]
        for u in range(size):
            across[i, u] -= slope * within[p, u]


@inlined
def _relate(i: int, d: int, parents: Ints, k: int, room: Room) -> None:
    """Covariances of the residual of member i with all residuals."""
    place, slopes, across, residual = room.numbers[PLACE], room.wide[SLOPES], room.wide[ACROSS], room.small[RESIDUAL]
    for j in range(d):
        value = across[j, i]
        for t in range(k):
            p = place[parents[t]]
            value -= slopes[i, p] * across[j, p]
        residual[i, j] = residual[j, i] = value


@hot
def _product(one: Floats, other: Floats, d: int) -> float:
    """The inner product of the first d entries."""
    value = 0.0
    for i in range(d):
        value += one[i] * other[i]
    return value


@inlined
def _refit(i: int, d: int, parents: Ints, k: int, siblings: Ints, s: int, room: Room) -> float:
    """Regress member i on its parents and on the pseudo-regressors of its siblings.

    Answers how ln det Omega changes.
    """
    place, within, normal, across = room.numbers[PLACE], room.big[WITHIN], room.big[NORMAL], room.wide[ACROSS]
    residual, inverse, rest, pseudo = room.small[RESIDUAL], room.small[INVERSE], room.small[REST], room.small[PSEUDO]
    right, step = room.line[RIGHT], room.line[STEP]
    before = inverse[i, i]
    for a in range(d):  # the inverse for the others alone; row and column i become 0
        for b in range(d):
            rest[a, b] = inverse[a, b] - inverse[a, i] * inverse[i, b] / before
    for a in range(d):
        rest[a, i] = rest[i, a] = 0.0
    for a in range(k):
        p = place[parents[a]]
        right[a] = within[p, i]
        for b in range(a + 1):
            normal[a, b] = within[p, place[parents[b]]]
    for a in range(s):
        m = place[siblings[a]]
        for b in range(d):
            pseudo[a, b] = _product(rest[m], residual[b], d)
        for b in range(k):
            normal[k + a, b] = _product(rest[m], across[:, place[parents[b]]], d)
        right[k + a] = _product(rest[m], across[:, i], d)
        for b in range(a + 1):
            normal[k + a, k + b] = _product(pseudo[a], rest[place[siblings[b]]], d)
    for a in range(k + s):
        step[a] = right[a]
    solve(normal, right, k + s)
    variance = within[i, i]
    for a in range(k + s):
        variance -= right[a] * step[a]
    variance = max(variance, SINGULAR)
    for a in range(k):
        room.wide[SLOPES, i, place[parents[a]]] = right[a]
    for b in range(d):
        value = 0.0
        for a in range(s):
            value += rest[b, place[siblings[a]]] * right[k + a]
        step[b] = value
    for a in range(d):
        for b in range(d):
            inverse[a, b] = rest[a, b] + step[a] * step[b] / variance
    for a in range(d):
        inverse[a, i] = inverse[i, a] = -step[a] / variance
    inverse[i, i] = 1.0 / variance
    return float(log(before * variance))


@kernel
def misfit(correlation: Floats, n_samples: float, members: Ints, d: int, lists: Ints, lengths: Ints, room: Room) -> float:
    """Minus twice the log likelihood of a district at its best, per observation.

    Without constants that is ln det Omega + tr(Omega^-1 E) - d.

    ``members[:d]`` are joined by bidirected edges; ``lists[PA, v, :lengths[PA, v]]`` are the
    parents of v, ``lists[SP, v, :lengths[SP, v]]`` the other ends of its bidirected edges, all
    sorted. Of one variable it is the log of the residual variance. The value depends on the
    district alone.
    """
    pa, n_pa, sp, n_sp = lists[PA], lengths[PA], lists[SP], lengths[SP]
    if d == 1:
        v = members[0]
        return float(log(residual_variance(correlation, v, pa[v], n_pa[v], room)))
    place, slopes, inverse, residual = room.numbers[PLACE], room.wide[SLOPES], room.small[INVERSE], room.small[RESIDUAL]
    size = _gather(correlation, members, d, pa, n_pa, room)
    log_det = 0.0
    for i in range(d):  # start from least squares, the residuals unrelated
        v = members[i]
        variance = residual_variance(correlation, v, pa[v], n_pa[v], room)
        for t in range(n_pa[v]):
            slopes[i, place[pa[v, t]]] = room.line[RIGHT, t]
        for j in range(d):
            inverse[i, j] = 0.0
        inverse[i, i] = 1.0 / variance
        log_det += log(variance)
        _reach(i, pa[v], n_pa[v], size, room)
    for i in range(d):
        _relate(i, d, pa[members[i]], n_pa[members[i]], room)
    last, gain = np.inf, np.inf
    for _ in range(_SWEEPS):
        for i in range(d):
            v = members[i]
            if i & 7 == 7:
                heed(0)
            log_det += _refit(i, d, pa[v], n_pa[v], sp[v], n_sp[v], room)
            _reach(i, pa[v], n_pa[v], size, room)
            _relate(i, d, pa[v], n_pa[v], room)
        value = log_det - d
        for a in range(d):
            for b in range(d):
                value += inverse[a, b] * residual[a, b]
        before, gain, last = gain, last - value, value
        if gain <= 0.0 or (gain < before < np.inf and n_samples * gain * gain < _CLOSE * (before - gain)):
            # the gains shrink like a geometric series, whose rest is gain^2 / (before - gain)
            break
    return last


@kernel
def misfit_alone(correlation: Floats, packed: Ints) -> float:
    """``misfit`` of a variable that no bidirected edge joins to another; ``packed`` has it and then its parents, sorted."""
    k = len(packed) - 1
    one = np.zeros((1, 1, 1))
    room = Room(np.zeros((1, 1), np.int64), np.zeros((2, max(1, k), max(1, k))), one, one, np.zeros((2, max(1, k))))
    return float(log(residual_variance(correlation, packed[0], packed[1:], k, room)))


@inner
def score_ones(terms: Terms, members: Ints, d: int, lists: Ints, lengths: Ints, room: Room) -> float:
    """The part of a district in the score: its misfit for all rows, and the price of its edges."""
    arrows = ends = 0
    for i in range(d):
        arrows += lengths[PA, members[i]]
        ends += lengths[SP, members[i]]
    loss = misfit(terms.correlation, terms.n_samples, members, d, lists, lengths, room)
    return float(terms.n_samples * loss + terms.price * (arrows + ends // 2))
