"""How badly a district of a MAG over blocks of columns fits their covariance.

It is ``mag_score`` block by block. Every column of a parent may act on every column of a child, every
column of one variable may share causes with every column of another that a bidirected edge joins it
to, and the residuals of one block have any covariance. Given the residuals of all others, the arrows
into a block and its bidirected edges are the coefficients of one regression with several responses:
residual iterative conditional fitting (Drton, Eichler and Richardson 2009), a block at a time.
"""

from __future__ import annotations

from math import log, sqrt
from typing import NamedTuple

import numpy as np

from dicola._kernels.arrays import Floats, Ints
from dicola._kernels.block_algebra import backward, factorise, factorise_scaled, forward
from dicola._kernels.compiled import kernel, lean, lean_and_hot
from dicola._kernels.mag_score import BOUNDED, CLEAR, DONE, GIVEN, PA, PLACE, ROUNDING, SP, list_before, next_member, set_out
from dicola._kernels.stopping import heed
from dicola._kernels.terms import BlockTerms

_SWEEPS = 100
_RELATED = 1e-3  # of the variance of a residual: what the others must leave of it at first
_TO_COME = 3.0  # times what a round has gained: more is hardly ever gained in all rounds after it
_CLOSE = 1e-4  # how far from its limit n times the misfit may be


class BlockRoom(NamedTuple):
    """Arrays to work in; local numbers are those of the columns of the members, then of their other parents."""

    place: Ints  # the first local number of a variable
    column: Ints  # the column of a local number
    chosen: Ints  # the regressors of one block: local numbers, of parents first
    within: Floats  # covariances by local numbers
    normal: Floats  # normal equations of a regression
    slopes: Floats  # by column of a member: on what is inside
    across: Floats  # covariance of its residual with what is inside
    residual: Floats  # covariance of the residuals
    inverse: Floats  # of the modelled one, and without one member
    rest: Floats
    pseudo: Floats
    right: Floats  # right sides, then solutions, of the normal equations, one per response
    step: Floats
    left: Floats  # covariance left of one block, and room for its factor
    numbers: Ints  # those of ``mag_score.Room``, for bounds


LEFT, FACTOR, UNIT = 0, 1, 2  # of ``BlockRoom.left``


def make_block_room(n: int, columns: int, largest: int, width: int) -> BlockRoom:
    """Room for n variables with so many columns, at most ``width`` each, and districts of at most ``largest`` of them."""
    most = min(columns, largest * width)
    return BlockRoom(
        place=np.zeros(n, np.int64),
        column=np.zeros(columns, np.int64),
        chosen=np.zeros(columns, np.int64),
        within=np.zeros((columns, columns)),
        normal=np.zeros((columns, columns)),
        slopes=np.zeros((most, columns)),
        across=np.zeros((most, columns)),
        residual=np.zeros((most, most)),
        inverse=np.zeros((most, most)),
        rest=np.zeros((most, most)),
        pseudo=np.zeros((most, most)),
        right=np.zeros((columns, width)),
        step=np.zeros((columns, width)),
        left=np.zeros((3, width, width)),
        numbers=np.zeros((5, n), np.int64),
    )


@lean_and_hot
def _gather(terms: BlockTerms, members: Ints, d: int, lists: Ints, lengths: Ints, room: BlockRoom) -> tuple[int, int]:
    """Number the columns of the members, then of their other parents; how many are they, and how many are of members?"""
    begins, place, column = terms.begins, room.place, room.column
    for i in range(d):
        for t in range(lengths[PA, members[i]]):
            place[lists[PA, members[i], t]] = -1
    size = inside = 0
    for i in range(d):
        v = members[i]
        place[v] = size
        for c in range(begins[v], begins[v + 1]):
            column[size] = c
            size += 1
    inside = size
    for i in range(d):
        for t in range(lengths[PA, members[i]]):
            u = lists[PA, members[i], t]
            if place[u] < 0:
                place[u] = size
                for c in range(begins[u], begins[u + 1]):
                    column[size] = c
                    size += 1
    for a in range(size):
        for b in range(size):
            room.within[a, b] = terms.covariance[column[a], column[b]]
    return size, inside


@lean_and_hot
def _choose(terms: BlockTerms, others: Ints, count: int, at: int, room: BlockRoom) -> int:
    """List the columns of some variables as regressors; where do the next ones belong?"""
    for t in range(count):
        u = others[t]
        for c in range(terms.begins[u + 1] - terms.begins[u]):
            room.chosen[at] = room.place[u] + c
            at += 1
    return at


@lean_and_hot
def _regress(first: int, w: int, k: int, room: BlockRoom) -> float:
    """Solve the first k normal equations of a block; what it leaves goes to ``left``, with its log determinant as the answer."""
    left = room.left[LEFT]
    factorise_scaled(room.normal, k, room.normal)
    forward(room.normal, k, room.right, w, room.right)
    for a in range(w):
        for b in range(a + 1):
            value = room.within[first + a, first + b]
            for i in range(k):
                value -= room.right[i, a] * room.right[i, b]
            left[a, b] = value
    backward(room.normal, k, room.right, w)
    return factorise(left, w, room.left[FACTOR])


@lean_and_hot
def _alone(terms: BlockTerms, v: int, lists: Ints, lengths: Ints, room: BlockRoom) -> tuple[float, int]:
    """Regress a block on its parents; answers the log determinant of what is left, and the number of regressors."""
    first, w = room.place[v], terms.begins[v + 1] - terms.begins[v]
    k = _choose(terms, lists[PA, v], lengths[PA, v], 0, room)
    for a in range(k):
        p = room.chosen[a]
        for b in range(a + 1):
            room.normal[a, b] = room.within[p, room.chosen[b]]
        for c in range(w):
            room.right[a, c] = room.within[p, first + c]
    return _regress(first, w, k, room), k


@lean_and_hot
def _invert_left(w: int, room: BlockRoom) -> None:
    """The inverse of what is left of a block goes to ``left[UNIT]``; a column with nothing left has almost no variance."""
    lower, unit = room.left[FACTOR], room.left[UNIT]
    for a in range(w):
        for b in range(w):
            unit[a, b] = 1.0 if a == b else 0.0
        if lower[a, a] == 0.0:
            lower[a, a] = 1e-5
    forward(lower, w, unit, w, unit)
    backward(lower, w, unit, w)


@lean_and_hot
def _reach(first: int, w: int, k: int, size: int, room: BlockRoom) -> None:
    """Covariances of the residuals of a block with everything inside, from its slopes on the first k regressors."""
    within, across = room.within, room.across
    for i in range(first, first + w):
        for u in range(size):
            across[i, u] = within[i, u]
        for t in range(k):
            p = room.chosen[t]
            slope = room.slopes[i, p]
            for u in range(size):
                across[i, u] -= slope * within[p, u]


@lean_and_hot
def _relate(first: int, w: int, k: int, inside: int, room: BlockRoom) -> None:
    """Covariances of the residuals of a block with all residuals."""
    across, residual = room.across, room.residual
    for i in range(first, first + w):
        for j in range(inside):
            value = across[j, i]
            for t in range(k):
                p = room.chosen[t]
                value -= room.slopes[i, p] * across[j, p]
            residual[i, j] = residual[j, i] = value


@lean_and_hot
def _product(one: Floats, other: Floats, d: int) -> float:
    """The inner product of the first d entries."""
    value = 0.0
    for i in range(d):
        value += one[i] * other[i]
    return value


@lean_and_hot
def _without(first: int, w: int, inside: int, room: BlockRoom) -> float:
    """The inverse for the others alone goes to ``rest``, 0 for the block; the log determinant of its part as the answer."""
    rest, total = room.rest, 0.0
    for a in range(inside):
        for b in range(inside):
            rest[a, b] = room.inverse[a, b]
    for i in range(first, first + w):
        pivot = rest[i, i]
        total += log(pivot)
        for a in range(inside):
            factor = rest[a, i] / pivot
            if a != i and factor != 0.0:
                for b in range(inside):
                    rest[a, b] -= factor * rest[i, b]
        for a in range(inside):
            rest[a, i] = rest[i, a] = 0.0
    return float(total)


@lean_and_hot
def _refit(terms: BlockTerms, v: int, inside: int, lists: Ints, lengths: Ints, room: BlockRoom) -> tuple[float, int]:
    """Regress a block on its parents and on the pseudo-regressors of its siblings.

    Answers how ln det Omega changes, and the number of columns of its parents.
    """
    first, w = room.place[v], terms.begins[v + 1] - terms.begins[v]
    rest, inverse, across, normal, right, step = room.rest, room.inverse, room.across, room.normal, room.right, room.step
    change = _without(first, w, inside, room)
    k = _choose(terms, lists[PA, v], lengths[PA, v], 0, room)
    s = _choose(terms, lists[SP, v], lengths[SP, v], k, room) - k
    chosen = room.chosen
    for a in range(k):
        p = chosen[a]
        for b in range(a + 1):
            normal[a, b] = room.within[p, chosen[b]]
        for c in range(w):
            right[a, c] = room.within[p, first + c]
    for a in range(s):
        m = chosen[k + a]
        for b in range(inside):
            room.pseudo[a, b] = _product(rest[m], room.residual[b], inside)
        for b in range(k):
            normal[k + a, b] = _product(rest[m], across[:, chosen[b]], inside)
        for c in range(w):
            right[k + a, c] = _product(rest[m], across[:, first + c], inside)
        for b in range(a + 1):
            normal[k + a, k + b] = _product(room.pseudo[a], rest[chosen[k + b]], inside)
    change += _regress(first, w, k + s, room)
    _invert_left(w, room)
    for c in range(w):
        for a in range(k):
            room.slopes[first + c, chosen[a]] = right[a, c]
        for b in range(inside):
            value = 0.0
            for a in range(s):
                value += rest[b, chosen[k + a]] * right[k + a, c]
            step[b, c] = value
    unit = room.left[UNIT]
    for a in range(inside):
        for c in range(w):  # the products of a step and the inverse of what is left
            right[a, c] = 0.0
            for b in range(w):
                right[a, c] += step[a, b] * unit[b, c]
    for a in range(inside):
        for b in range(inside):
            value = rest[a, b]
            for c in range(w):
                value += right[a, c] * step[b, c]
            inverse[a, b] = value
    for c in range(w):
        for a in range(inside):
            inverse[a, first + c] = inverse[first + c, a] = -right[a, c]
    for a in range(w):
        for b in range(w):
            inverse[first + a, first + b] = unit[a, b]
    return change, k


@lean_and_hot
def _trace(inside: int, room: BlockRoom) -> float:
    """tr(Omega^-1 E) - columns."""
    value = -float(inside)
    for a in range(inside):
        for b in range(inside):
            value += room.inverse[a, b] * room.residual[a, b]
    return value


@lean_and_hot
def _relate_residuals(
    terms: BlockTerms, members: Ints, d: int, inside: int, lists: Ints, lengths: Ints, log_det: float, room: BlockRoom
) -> float:
    """Let residuals be related as those of least squares are, where a bidirected edge allows it and all is a covariance still.

    Few rounds are left then. Answers the log determinant; ``log_det`` is that of unrelated ones.
    """
    begins, omega, factor, inverse = terms.begins, room.rest, room.pseudo, room.inverse
    for a in range(inside):
        for b in range(inside):
            omega[a, b] = 0.0
    for i in range(d):
        v = members[i]
        first, w = room.place[v], begins[v + 1] - begins[v]
        for t in range(-1, lengths[SP, v]):
            u = v if t < 0 else lists[SP, v, t]
            for a in range(first, first + w):
                for b in range(room.place[u], room.place[u] + begins[u + 1] - begins[u]):
                    omega[a, b] = room.residual[a, b]
    total = 0.0
    for j in range(inside):
        pivot = omega[j, j]
        for t in range(j):
            pivot -= factor[j, t] * factor[j, t]
        if not pivot > _RELATED * omega[j, j]:
            return log_det
        total += log(pivot)
        factor[j, j] = sqrt(pivot)
        for i in range(j + 1, inside):
            value = omega[i, j]
            for t in range(j):
                value -= factor[i, t] * factor[j, t]
            factor[i, j] = value / factor[j, j]
    for a in range(inside):
        for b in range(inside):
            inverse[a, b] = 1.0 if a == b else 0.0
    forward(factor, inside, inverse, inside, inverse)
    backward(factor, inside, inverse, inside)
    return total


@lean
def _misfit(terms: BlockTerms, members: Ints, d: int, lists: Ints, lengths: Ints, room: BlockRoom, enough: float) -> tuple[float, bool]:
    """The least ln det Omega + tr(Omega^-1 E) - columns; of one variable the logarithm alone.

    It ends where this will not be below what is ``enough``. Answers what it found, and whether that is the least.
    """
    size, inside = _gather(terms, members, d, lists, lengths, room)
    if d == 1:
        return _alone(terms, members[0], lists, lengths, room)[0], True
    inverse = room.inverse
    for a in range(inside):
        for b in range(inside):
            inverse[a, b] = 0.0
    log_det = 0.0
    for i in range(d):  # start from least squares, the residuals of different variables unrelated
        v = members[i]
        first, w = room.place[v], terms.begins[v + 1] - terms.begins[v]
        left, k = _alone(terms, v, lists, lengths, room)
        log_det += left
        _invert_left(w, room)
        for c in range(w):
            for t in range(k):
                room.slopes[first + c, room.chosen[t]] = room.right[t, c]
            for b in range(w):
                inverse[first + c, first + b] = room.left[UNIT, c, b]
        _reach(first, w, k, size, room)
    for i in range(d):
        v = members[i]
        k = _choose(terms, lists[PA, v], lengths[PA, v], 0, room)
        _relate(room.place[v], terms.begins[v + 1] - terms.begins[v], k, inside, room)
    log_det = _relate_residuals(terms, members, d, inside, lists, lengths, log_det, room)
    last, gain = log_det + _trace(inside, room), np.inf
    for _ in range(_SWEEPS):
        for i in range(d):
            v = members[i]
            first, w = room.place[v], terms.begins[v + 1] - terms.begins[v]
            if i & 3 == 3:
                heed(0)
            change, k = _refit(terms, v, inside, lists, lengths, room)
            log_det += change
            _reach(first, w, k, size, room)
            _relate(first, w, k, inside, room)
        value = log_det + _trace(inside, room)
        before, gain, last = gain, last - value, value
        if gain <= 0.0 or (gain < before < np.inf and terms.n_samples * gain * gain < _CLOSE * (before - gain)):
            # the gains shrink like a geometric series, whose rest is gain^2 / (before - gain)
            break
        if last - _TO_COME * gain >= enough:
            return float(last - _TO_COME * gain), False
    return float(last), True


@lean_and_hot
def _beyond_fit(terms: BlockTerms, members: Ints, d: int, lists: Ints, lengths: Ints) -> float:
    """The prices of the edges of a district, less what its members alone would cost."""
    total = 0.0
    for i in range(d):
        v = members[i]
        total -= terms.n_samples * terms.alone[v]
        for t in range(lengths[PA, v]):
            total += terms.prices[lists[PA, v, t], v]
        for t in range(lengths[SP, v]):
            if lists[SP, v, t] > v:
                total += terms.prices[lists[SP, v, t], v]
    return total


@kernel
def score_blocks(terms: BlockTerms, members: Ints, d: int, lists: Ints, lengths: Ints, room: BlockRoom) -> float:
    """The part of a district, with the prices of its edges; see ``mag_score.misfit`` for the lists."""
    if 1 < d <= BOUNDED:
        value, is_score = bound_blocks(terms, members, d, lists, lengths, room)
        if is_score:
            return value
    return weigh_blocks(terms, members, d, lists, lengths, room, np.inf)[0]


@kernel
def fit_blocks(terms: BlockTerms, members: Ints, d: int, lists: Ints, lengths: Ints, room: BlockRoom) -> None:
    """Leave the slopes and the inverse covariance of residuals of a district in the room."""
    _misfit(terms, members, d, lists, lengths, room, np.inf)


@lean
def weigh_blocks(
    terms: BlockTerms, members: Ints, d: int, lists: Ints, lengths: Ints, room: BlockRoom, enough: float
) -> tuple[float, bool]:
    """The part of a district by a fit; or, where it will not be below what is ``enough``, no more than that, and ``False``."""
    beyond = _beyond_fit(terms, members, d, lists, lengths)
    misfit, is_least = _misfit(terms, members, d, lists, lengths, room, (enough - beyond) / terms.n_samples)
    return float(terms.n_samples * misfit + beyond), is_least


@lean
def _left_given(terms: BlockTerms, v: int, count: int, room: BlockRoom) -> float:
    """The logarithm of the determinant that the first of those ``GIVEN`` leave of a block; infinite where rounding might matter."""
    begins, covariance, given, lower, right = terms.begins, terms.covariance, room.numbers, room.normal, room.right
    first, w, k, clear = begins[v], begins[v + 1] - begins[v], 0, 1.0
    for i in range(count):
        for column in range(begins[given[GIVEN, i]], begins[given[GIVEN, i] + 1]):
            room.chosen[k] = column
            for t in range(k + 1):
                value = covariance[column, room.chosen[t]]
                for x in range(t):
                    value -= lower[k, x] * lower[t, x]
                if t < k:
                    lower[k, t] = value / lower[t, t]
                else:
                    clear = min(clear, value)
                    if not clear > CLEAR:
                        return np.inf
                    lower[k, k] = sqrt(value)
            for c in range(w):
                value = covariance[column, first + c]
                for x in range(k):
                    value -= lower[k, x] * right[x, c]
                right[k, c] = value / lower[k, k]
            k += 1
    left = room.left[LEFT]
    for a in range(w):
        for b in range(a + 1):
            value = covariance[first + a, first + b]
            for i in range(k):
                value -= right[i, a] * right[i, b]
            left[a, b] = value
    total = factorise(left, w, left)
    for a in range(w):
        if not left[a, a] * left[a, a] > CLEAR:
            return np.inf
    return total


@lean
def bound_blocks(terms: BlockTerms, members: Ints, d: int, lists: Ints, lengths: Ints, room: BlockRoom) -> tuple[float, bool]:
    """What the part of a district cannot be below, and whether it is that part itself.

    As in ``mag_score.bound_ones`` each block is regressed once on all it may depend on. That is a DAG whose model holds that of the
    district; where it has no edge more, both have as many dimensions, and are the same model.
    """
    set_out(members, d, lists, lengths, room.numbers)
    least, more, columns = 0.0, 0, 0
    for _ in range(d):
        v, beyond = next_member(members, d, lists, lengths, room.numbers)
        if v < 0:
            return -np.inf, False
        more += beyond
        left = _left_given(terms, v, list_before(v, lists, lengths, room.numbers), room)
        if left == np.inf:
            return -np.inf, False
        least += left
        columns += terms.begins[v + 1] - terms.begins[v]
        room.numbers[PLACE, v] = DONE
    least -= columns * ROUNDING if more else 0.0
    return float(terms.n_samples * least + _beyond_fit(terms, members, d, lists, lengths)), more == 0
