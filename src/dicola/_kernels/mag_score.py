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
from dicola._kernels.compiled import hot, inlined, kernel, lean, lean_and_hot
from dicola._kernels.stopping import heed
from dicola._kernels.terms import Terms

SINGULAR = 1e-12  # a residual variance below it counts as none
_SWEEPS = 100
_CLOSE = 1e-4  # how far from its limit n times the misfit may be
CLEAR, ROUNDING = 1e-4, 1e-6  # a variance that rounding leaves as it is; more than it does to the logarithm of one


# lists of a vertex: its parents, the other ends of its bidirected edges, its children
PA, SP, CH = 0, 1, 2


class Room(NamedTuple):
    """Arrays to work in, few so that calls stay light; the constants below say what is where.

    Kernels take entries of whole arrays: a row, taken by itself, costs a count of those who hold it.
    """

    numbers: Ints
    big: Floats
    wide: Floats
    small: Floats
    line: Floats


# numbers: local number of a variable; variable of a local number, members first and then their
# other parents; what a variable is regressed on; and for bounds members that are joined, and what is listed
PLACE, INSIDE, GIVEN, JOINED, LISTED = 0, 1, 2, 3, 4
WITHIN, NORMAL = 0, 1  # big: correlations inside; normal equations
# wide: slope of each member on what is inside; covariance of its residual with it
SLOPES, ACROSS = 0, 1
# small: covariance of the residuals; inverse of the modelled one, and without one member
RESIDUAL, INVERSE, REST, PSEUDO = 0, 1, 2, 3
RIGHT, STEP = 0, 1  # line: right side, then solution, of the normal equations


def make_room(n: int, largest: int) -> Room:
    """Room for districts of at most ``largest`` of n variables."""
    return Room(
        np.zeros((5, n), np.int64), np.zeros((2, n, n)), np.zeros((2, largest, n)), np.zeros((4, largest, largest)), np.zeros((2, n))
    )


@lean
def solve(big: Floats, line: Floats, row: int, k: int) -> None:
    """Solve the first k normal equations in place, by Cholesky; the right side is a row of lines.

    A regressor that the ones before it determine gets 0.
    """
    for j in range(k):
        pivot = big[NORMAL, j, j]
        scale = pivot
        for t in range(j):
            pivot -= big[NORMAL, j, t] * big[NORMAL, j, t]
        if pivot <= SINGULAR * scale:
            big[NORMAL, j, j] = 0.0
            for i in range(j + 1, k):
                big[NORMAL, i, j] = 0.0
            continue
        root = np.sqrt(pivot)
        big[NORMAL, j, j] = root
        for i in range(j + 1, k):
            value = big[NORMAL, i, j]
            for t in range(j):
                value -= big[NORMAL, i, t] * big[NORMAL, j, t]
            big[NORMAL, i, j] = value / root
    solve_again(big, line, row, k)


@lean
def solve_again(big: Floats, line: Floats, row: int, k: int) -> None:
    """Solve normal equations that were solved before, for another right side."""
    for j in range(k):
        if big[NORMAL, j, j] == 0.0:
            line[row, j] = 0.0
            continue
        value = line[row, j]
        for t in range(j):
            value -= big[NORMAL, j, t] * line[row, t]
        line[row, j] = value / big[NORMAL, j, j]
    for j in range(k - 1, -1, -1):
        if big[NORMAL, j, j] == 0.0:
            line[row, j] = 0.0
            continue
        value = line[row, j]
        for t in range(j + 1, k):
            value -= big[NORMAL, t, j] * line[row, t]
        line[row, j] = value / big[NORMAL, j, j]


@lean
def residual_variance(correlation: Floats, v: int, k: int, numbers: Ints, big: Floats, line: Floats) -> float:
    """What the first k that are ``GIVEN`` leave unexplained of a variable."""
    for i in range(k):
        p = numbers[GIVEN, i]
        line[RIGHT, i] = correlation[p, v]
        for j in range(i + 1):
            big[NORMAL, i, j] = correlation[p, numbers[GIVEN, j]]
    solve(big, line, RIGHT, k)
    left = correlation[v, v]
    for i in range(k):
        left -= line[RIGHT, i] * correlation[numbers[GIVEN, i], v]
    return float(max(left, SINGULAR))


@lean_and_hot
def _left_by_parents(correlation: Floats, v: int, lists: Ints, lengths: Ints, room: Room) -> float:
    """What its parents leave unexplained of a variable."""
    for i in range(lengths[PA, v]):
        room.numbers[GIVEN, i] = lists[PA, v, i]
    return float(residual_variance(correlation, v, lengths[PA, v], room.numbers, room.big, room.line))


@inlined
def _gather(correlation: Floats, members: Ints, d: int, lists: Ints, lengths: Ints, room: Room) -> int:
    """Number the members and then their other parents anew; answers how many they are.

    The correlations among them are copied.
    """
    numbers, big = room.numbers, room.big
    for i in range(d):
        v = members[i]
        for t in range(lengths[PA, v]):
            numbers[PLACE, lists[PA, v, t]] = -1
    for i in range(d):
        numbers[PLACE, members[i]] = i
        numbers[INSIDE, i] = members[i]
    size = d
    for i in range(d):
        v = members[i]
        for t in range(lengths[PA, v]):
            u = lists[PA, v, t]
            if numbers[PLACE, u] < 0:
                numbers[PLACE, u] = size
                numbers[INSIDE, size] = u
                size += 1
    for a in range(size):
        for b in range(size):
            big[WITHIN, a, b] = correlation[numbers[INSIDE, a], numbers[INSIDE, b]]
    return size


@inlined
def _reach(i: int, v: int, size: int, lists: Ints, lengths: Ints, room: Room) -> None:
    """Covariances of the residual of v, the member i, with everything inside, from its slopes."""
    numbers, big, wide = room.numbers, room.big, room.wide
    for u in range(size):
        wide[ACROSS, i, u] = big[WITHIN, i, u]
    for t in range(lengths[PA, v]):
        p = numbers[PLACE, lists[PA, v, t]]
        slope = wide[SLOPES, i, p]
        for u in range(size):
            wide[ACROSS, i, u] -= slope * big[WITHIN, p, u]


@inlined
def _relate(i: int, v: int, d: int, lists: Ints, lengths: Ints, room: Room) -> None:
    """Covariances of the residual of v, the member i, with all residuals."""
    numbers, wide, small = room.numbers, room.wide, room.small
    for j in range(d):
        value = wide[ACROSS, j, i]
        for t in range(lengths[PA, v]):
            p = numbers[PLACE, lists[PA, v, t]]
            value -= wide[SLOPES, i, p] * wide[ACROSS, j, p]
        small[RESIDUAL, i, j] = small[RESIDUAL, j, i] = value


@inlined
def _set_equations(i: int, v: int, d: int, lists: Ints, lengths: Ints, room: Room) -> int:
    """The normal equations of v, the member i, on its parents and the pseudo-regressors of its siblings; answers how many they are."""
    numbers, big, wide, small, line = room.numbers, room.big, room.wide, room.small, room.line
    k = lengths[PA, v]
    for a in range(k):
        p = numbers[PLACE, lists[PA, v, a]]
        line[RIGHT, a] = big[WITHIN, p, i]
        for b in range(a + 1):
            big[NORMAL, a, b] = big[WITHIN, p, numbers[PLACE, lists[PA, v, b]]]
    for a in range(lengths[SP, v]):
        m = numbers[PLACE, lists[SP, v, a]]
        for b in range(d):
            value = 0.0
            for t in range(d):
                value += small[REST, m, t] * small[RESIDUAL, b, t]
            small[PSEUDO, a, b] = value
        for b in range(k + 1):
            q = numbers[PLACE, lists[PA, v, b]] if b < k else i
            value = 0.0
            for t in range(d):
                value += small[REST, m, t] * wide[ACROSS, t, q]
            if b < k:
                big[NORMAL, k + a, b] = value
            else:
                line[RIGHT, k + a] = value
        for b in range(a + 1):
            q = numbers[PLACE, lists[SP, v, b]]
            value = 0.0
            for t in range(d):
                value += small[PSEUDO, a, t] * small[REST, q, t]
            big[NORMAL, k + a, k + b] = value
    return int(k + lengths[SP, v])


@inlined
def _refit(i: int, v: int, d: int, lists: Ints, lengths: Ints, room: Room) -> float:
    """Regress v, the member i, on its parents and on the pseudo-regressors of its siblings.

    Answers how ln det Omega changes.
    """
    numbers, big, small, line = room.numbers, room.big, room.small, room.line
    before, k = small[INVERSE, i, i], lengths[PA, v]
    for a in range(d):  # the inverse for the others alone; row and column i become 0
        for b in range(d):
            small[REST, a, b] = small[INVERSE, a, b] - small[INVERSE, a, i] * small[INVERSE, i, b] / before
    for a in range(d):
        small[REST, a, i] = small[REST, i, a] = 0.0
    count = _set_equations(i, v, d, lists, lengths, room)
    for a in range(count):
        line[STEP, a] = line[RIGHT, a]
    solve(big, line, RIGHT, count)
    variance = big[WITHIN, i, i]
    for a in range(count):
        variance -= line[RIGHT, a] * line[STEP, a]
    variance = max(variance, SINGULAR)
    for a in range(k):
        room.wide[SLOPES, i, numbers[PLACE, lists[PA, v, a]]] = line[RIGHT, a]
    for b in range(d):
        value = 0.0
        for a in range(lengths[SP, v]):
            value += small[REST, b, numbers[PLACE, lists[SP, v, a]]] * line[RIGHT, k + a]
        line[STEP, b] = value
    for a in range(d):
        for b in range(d):
            small[INVERSE, a, b] = small[REST, a, b] + line[STEP, a] * line[STEP, b] / variance
    for a in range(d):
        small[INVERSE, a, i] = small[INVERSE, i, a] = -line[STEP, a] / variance
    small[INVERSE, i, i] = 1.0 / variance
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
    if d == 1:
        return float(log(_left_by_parents(correlation, members[0], lists, lengths, room)))
    numbers, wide, small, line = room.numbers, room.wide, room.small, room.line
    size = _gather(correlation, members, d, lists, lengths, room)
    log_det = 0.0
    for i in range(d):  # start from least squares, the residuals unrelated
        v = members[i]
        variance = _left_by_parents(correlation, v, lists, lengths, room)
        for t in range(lengths[PA, v]):
            wide[SLOPES, i, numbers[PLACE, lists[PA, v, t]]] = line[RIGHT, t]
        for j in range(d):
            small[INVERSE, i, j] = 0.0
        small[INVERSE, i, i] = 1.0 / variance
        log_det += log(variance)
        _reach(i, v, size, lists, lengths, room)
    for i in range(d):
        _relate(i, members[i], d, lists, lengths, room)
    last, gain = np.inf, np.inf
    for _ in range(_SWEEPS):
        for i in range(d):
            v = members[i]
            if i & 7 == 7:
                heed(0)
            log_det += _refit(i, v, d, lists, lengths, room)
            _reach(i, v, size, lists, lengths, room)
            _relate(i, v, d, lists, lengths, room)
        value = log_det - d
        for a in range(d):
            for b in range(d):
                value += small[INVERSE, a, b] * small[RESIDUAL, a, b]
        before, gain, last = gain, last - value, value
        if gain <= 0.0 or (gain < before < np.inf and n_samples * gain * gain < _CLOSE * (before - gain)):
            # the gains shrink like a geometric series, whose rest is gain^2 / (before - gain)
            break
    return last


@kernel
def fit_members(correlation: Floats, n_samples: float, packed: Ints, d: int) -> tuple[float, Floats]:
    """``misfit`` of a district by itself, and the covariance of the residuals of its members.

    ``packed`` has the d members, sorted, the numbers of their parents and of their siblings, and then all these, one after the other.
    """
    n, size, at = len(correlation), d, 3 * d
    for i in range(d):
        size += packed[d + i]  # no more than so many variables are inside
    lists, lengths = np.empty((2, n, size), np.int64), np.empty((2, n), np.int64)
    room = Room(np.empty((5, n), np.int64), np.empty((2, size, size)), np.empty((2, d, size)), np.zeros((4, d, d)), np.empty((2, size)))
    for relation in (PA, SP):
        for i in range(d):
            lengths[relation, packed[i]] = packed[(1 + relation) * d + i]
            for t in range(lengths[relation, packed[i]]):
                lists[relation, packed[i], t] = packed[at]
                at += 1
    return misfit(correlation, n_samples, packed, d, lists, lengths, room), room.small[RESIDUAL].copy()


@kernel
def misfit_alone(correlation: Floats, packed: Ints) -> float:
    """``misfit`` of a variable that no bidirected edge joins to another; ``packed`` has it and then its parents, sorted."""
    k = len(packed) - 1
    numbers, big, line = np.zeros((GIVEN + 1, max(1, k)), np.int64), np.zeros((2, max(1, k), max(1, k))), np.zeros((1, max(1, k)))
    for i in range(k):
        numbers[GIVEN, i] = packed[1 + i]
    return float(log(residual_variance(correlation, packed[0], k, numbers, big, line)))


@hot
def _price(terms: Terms, members: Ints, d: int, lengths: Ints) -> float:
    """What the edges of a district cost."""
    arrows = ends = 0
    for i in range(d):
        arrows += lengths[PA, members[i]]
        ends += lengths[SP, members[i]]
    return float(terms.price * (arrows + ends // 2))


@lean
def score_ones(terms: Terms, members: Ints, d: int, lists: Ints, lengths: Ints, room: Room) -> float:
    """The part of a district in the score: its misfit for all rows, and the price of its edges."""
    loss = misfit(terms.correlation, terms.n_samples, members, d, lists, lengths, room)
    return float(terms.n_samples * loss + _price(terms, members, d, lengths))


BOUNDED = 5  # members of a district up to which a bound of its score is tried before a fit
_OUTSIDE, _WAITING, DONE = 0, 1, 2  # PLACE of a variable, for a bound


@lean
def set_out(members: Ints, d: int, lists: Ints, lengths: Ints, numbers: Ints) -> None:
    """All members wait, nothing is listed."""
    for i in range(d):
        for t in range(lengths[PA, members[i]]):
            u = lists[PA, members[i], t]
            numbers[PLACE, u], numbers[LISTED, u] = _OUTSIDE, 0
    for i in range(d):
        numbers[PLACE, members[i]], numbers[LISTED, members[i]] = _WAITING, 0


@lean
def list_before(v: int, lists: Ints, lengths: Ints, numbers: Ints) -> int:
    """List in ``GIVEN`` what the model lets v depend on of all that comes before it; answers how many they are.

    These are the members that bidirected edges join it to by way of such as come before it, and the parents of all of them.
    """
    joined, count, at = 1, 0, 0
    numbers[JOINED, 0] = v
    numbers[LISTED, v] = 1
    while at < joined:
        w = numbers[JOINED, at]
        at += 1
        for t in range(lengths[SP, w]):
            u = lists[SP, w, t]
            if numbers[PLACE, u] == DONE and numbers[LISTED, u] < 2:
                numbers[JOINED, joined] = u
                joined += 1
                count = _listed(u, count, numbers)
                numbers[LISTED, u] = 2
        for t in range(lengths[PA, w]):
            count = _listed(lists[PA, w, t], count, numbers)
    for t in range(count):
        numbers[LISTED, numbers[GIVEN, t]] = 0
    numbers[LISTED, v] = 0
    return count


@lean
def next_member(members: Ints, d: int, lists: Ints, lengths: Ints, numbers: Ints) -> tuple[int, int]:
    """Of the members that wait, and of whose parents none does, the one that least is listed for beyond its edges; and how much that is."""
    chosen, least = -1, 0
    for i in range(d):
        v = members[i]
        is_next = numbers[PLACE, v] == _WAITING
        for t in range(lengths[PA, v]):
            is_next &= numbers[PLACE, lists[PA, v, t]] != _WAITING
        if not is_next:
            continue
        beyond = list_before(v, lists, lengths, numbers) - lengths[PA, v]
        for t in range(lengths[SP, v]):
            beyond -= numbers[PLACE, lists[SP, v, t]] == DONE
        if chosen < 0 or beyond < least:
            chosen, least = v, beyond
    return chosen, least


@hot
def _listed(u: int, count: int, numbers: Ints) -> int:
    """Put a variable on the list, if it is not there; answers how many are."""
    if numbers[LISTED, u]:
        return count
    numbers[LISTED, u] = 1
    numbers[GIVEN, count] = u
    return count + 1


@lean
def bound_ones(terms: Terms, members: Ints, d: int, lists: Ints, lengths: Ints, room: Room) -> float:
    """What the part of a district in the score cannot be below; minus infinity where rounding might be larger than the difference.

    A fit goes round and round, this goes through the members once: each is regressed on all that the
    model lets it depend on, in an order in which parents come before their children.
    """
    numbers = room.numbers
    set_out(members, d, lists, lengths, numbers)
    least = 0.0
    for _ in range(d):
        v, _ = next_member(members, d, lists, lengths, numbers)
        if v < 0:
            return -np.inf
        k = list_before(v, lists, lengths, numbers)
        variance = residual_variance(terms.correlation, v, k, numbers, room.big, room.line)
        clear = variance
        for j in range(k):
            clear = min(clear, room.big[NORMAL, j, j] * room.big[NORMAL, j, j])
        if not clear > CLEAR:
            return -np.inf
        least += log(variance) - ROUNDING
        numbers[PLACE, v] = DONE
    return float(terms.n_samples * least + _price(terms, members, d, lengths))
