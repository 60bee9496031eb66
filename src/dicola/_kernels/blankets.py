"""Grow-shrink and IAMB on a correlation matrix: Markov blankets by conditioning on few variables.

For one target, what is left of all variances and of all covariances with the target is kept member
by member of the blanket, members in sorted order: a new member changes only what comes behind its
place. These are the steps of ``dicola._kernels.partial_correlation.residual`` in the same order, so
that verdicts agree to the bit, at a handful of multiplications per verdict.
"""

from __future__ import annotations

from math import atanh, erfc, sqrt
from typing import NamedTuple

import numpy as np

from dicola._kernels.arrays import Bools, Floats, Ints, Rows
from dicola._kernels.compiled import inner, kernel
from dicola._kernels.partial_correlation import SINGULAR, is_dependent, residual
from dicola._kernels.stopping import heed

_NEAR = 1e-9  # correlations this near in relation may have the same p-value


class Rule(NamedTuple):
    """How a blanket is grown: the strongest first, or the first that depends, given at most ``most`` variables.

    ``limits[k]`` is the squared critical correlation given k variables, of ``n_samples`` rows.
    """

    strongest: bool
    most: int
    limits: Floats
    n_samples: int


class Part(NamedTuple):
    """Some variables of a correlation matrix: of each its row there and its column."""

    whole: Floats
    place: Ints
    chosen: Ints


class Left(NamedTuple):
    """What is left of all variables given the first k members, in row k; ``at`` and ``share`` belong to member k itself."""

    members: Ints  # sorted
    within: Floats  # of member k with one before it, given those before that one; last its own variance
    within_share: Floats  # the same as a share of the variance of the one before
    at: Floats  # covariance of each variable with member k, given the members before
    share: Floats  # the same as a share of the variance of the member
    variance: Floats
    covariance: Floats  # with the target


@kernel
def blankets_of(whole: Floats, chosen: Ints, targets: Ints, rule: Rule, begins: Ints, starts: Ints) -> tuple[Bools, int]:
    """Row i: who is in the blanket of ``targets[i]``; and the verdicts it took.

    All are positions among the variables ``chosen`` of a symmetric matrix, of which no more than the rows of targets and members is
    read: a part of ten thousand variables need not be copied. Each is grown from its own part of ``starts``, which begins at
    ``begins[i]``.
    """
    part = Part(whole, chosen, chosen)
    n = len(chosen)
    found = np.zeros((len(targets), n), np.bool_)
    left = _room(8, n)
    total = 0
    for i in range(len(targets)):
        heed(total)
        left, added, tests = _grown(part, targets[i], rule, left, starts[begins[i] : begins[i + 1]])
        blanket, more = _shrunk(part, targets[i], rule, added, left.members[: len(added)].copy())
        total += tests + more
        for v in blanket:
            found[i, v] = True
    return found, total


@kernel
def added_to(rows: Floats, place: Ints, target: int, rule: Rule) -> tuple[Ints, int]:
    """Who is added to the blanket of a target, in the order in which they come, and the verdicts it took.

    Of the correlation matrix some rows are known: that of variable v is ``rows[place[v]]``. From the first
    member on whose row is not known, what is said is of no use.
    """
    n = rows.shape[1]
    _, added, tests = _grown(Part(rows, place, np.arange(n)), target, rule, _room(8, n), np.empty(0, np.int64))
    return added, tests


@kernel
def shrunk_blankets(whole: Floats, chosen: Ints, targets: Ints, rule: Rule, begins: Ints, added: Ints) -> tuple[Rows, int]:
    """``blankets_of`` as rows, where it is known who was added, in the order in which they came: ``added[begins[i]:begins[i + 1]]``."""
    part = Part(whole, chosen, chosen)
    new_begins = np.zeros(len(targets) + 1, np.int64)
    members = np.empty(len(added), np.int64)
    total = 0
    for i in range(len(targets)):
        heed(total)
        own = added[begins[i] : begins[i + 1]]
        blanket, more = _shrunk(part, targets[i], rule, own, np.sort(own))
        total += more
        at = new_begins[i]
        for v in blanket:
            members[at] = v
            at += 1
        new_begins[i + 1] = at
    return Rows(new_begins, members[: new_begins[len(targets)]].copy()), total


@inner
def _room(most: int, n: int) -> Left:
    return Left(
        np.empty(most, np.int64),
        np.empty((most, most)),
        np.empty((most, most)),
        np.empty((most, n)),
        np.empty((most, n)),
        np.empty((most + 1, n)),
        np.empty((most + 1, n)),
    )


@inner
def _roomier(left: Left, size: int) -> Left:
    """The same with room for one more member at least."""
    if size < len(left.members):
        return left
    more = _room(2 * size, left.at.shape[1])
    for i in range(size):
        more.members[i] = left.members[i]
    _keep(left.within, more.within, size, size)
    _keep(left.within_share, more.within_share, size, size)
    for old, new in ((left.at, more.at), (left.share, more.share)):
        _keep(old, new, size, old.shape[1])
    for old, new in ((left.variance, more.variance), (left.covariance, more.covariance)):
        _keep(old, new, size + 1, old.shape[1])
    return more


@inner
def _keep(old: Floats, new: Floats, rows: int, columns: int) -> None:
    """Write down what is known, entry by entry: an assignment of slices takes seconds to compile."""
    for i in range(rows):
        for j in range(columns):
            new[i, j] = old[i, j]


@inner
def _grown(part: Part, target: int, rule: Rule, left: Left, start: Ints) -> tuple[Left, Ints, int]:
    """Grow the blanket of a target from a start: what is left, with room that may have grown; the members as they came; the verdicts."""
    n = len(part.chosen)
    own = part.whole[part.place[target]]
    for v in range(n):
        left.variance[0, v] = 1.0
        left.covariance[0, v] = own[part.chosen[v]]
    taken = np.zeros(n, np.bool_)
    taken[target] = True
    added = np.empty(min(n, rule.most + 1), np.int64)
    size, tests, begin = 0, 0, 0
    for new in start[: len(added)]:
        taken[new] = True
        left = _roomier(left, size)
        _take(part, target, new, size, left)
        added[size] = new
        size += 1
    changed = True
    while changed and size <= rule.most:
        if rule.strongest:
            new = _strongest(target, taken, size, rule, left)
            tests += n - 1 - size
            changed = new >= 0
        else:
            changed = begin > 0  # in this pass, which goes on behind the one that was added
            new = -1
            while begin < n and new < 0:
                if not taken[begin]:
                    tests += 1
                    new = begin if _depends(target, begin, size, rule, left) else -1
                begin += 1
            changed |= new >= 0
            begin = begin if new >= 0 else 0
        if new >= 0:
            heed(tests)
            taken[new] = True
            left = _roomier(left, size)
            _take(part, target, new, size, left)
            added[size] = new
            size += 1
    return left, added[:size], tests


@inner
def _strongest(target: int, taken: Bools, size: int, rule: Rule, left: Left) -> int:
    """The variable with the smallest p-value of those that depend on the target, the first of equals; -1 where none does.

    P-values that underflow are told apart by their correlations.
    """
    best, best_p, best_r = -1, 1.0, 0.0
    root = sqrt(max(rule.n_samples - size - 3, 0))
    of_target, variance, covariance = left.variance[size, target], left.variance[size], left.covariance[size]
    for v in range(len(taken)):
        if taken[v] or not _depends(target, v, size, rule, left):
            continue
        xx, yy = (of_target, variance[v]) if target < v else (variance[v], of_target)
        r = abs(covariance[v] / sqrt(xx * yy))
        if r < best_r * (1.0 - _NEAR):
            continue
        p = erfc(atanh(min(r, 1.0 - 1e-15)) * root / sqrt(2.0))
        if best < 0 or p < best_p or (p == best_p == 0.0 and r > best_r):
            best, best_p, best_r = v, p, r
    return best


@inner
def _depends(target: int, v: int, size: int, rule: Rule, left: Left) -> bool:
    """Does v depend on the target given the members so far?"""
    of_target, of_v = left.variance[size, target], left.variance[size, v]
    xx, yy = (of_target, of_v) if target < v else (of_v, of_target)
    return bool(is_dependent(left.covariance[size, v], xx, yy, rule.limits[size]))


@inner
def _take(part: Part, target: int, new: int, size: int, left: Left) -> None:
    """One more member: all that comes behind its place is worked out again."""
    members, within, within_share = left.members, left.within, left.within_share
    place = size
    while place > 0 and members[place - 1] > new:
        members[place] = members[place - 1]
        place -= 1
    members[place] = new
    for k in range(place, size + 1):
        for q in range(k + 1):
            cov = part.whole[part.place[members[q]], part.chosen[members[k]]]
            for r in range(q):
                cov -= within_share[q, r] * within[k, r]
            within[k, q] = cov
            within_share[k, q] = 0.0 if within[q, q] < SINGULAR else cov / within[q, q]
        _sweep_out(part, target, k, left)


@inner
def _sweep_out(part: Part, target: int, k: int, left: Left) -> None:
    """What is left of all variables once member k is known too."""
    at, share, pivot = left.at[k], left.share[k], left.within[k, k]
    own, chosen = part.whole[part.place[left.members[k]]], part.chosen
    n = len(at)
    for v in range(n):
        at[v] = own[chosen[v]]
    for r in range(k):
        earlier, factor = left.share[r], left.within[k, r]
        for v in range(n):
            at[v] -= earlier[v] * factor
    for v in range(n):
        share[v] = 0.0 if pivot < SINGULAR else at[v] / pivot
    before, after = left.variance[k], left.variance[k + 1]
    for v in range(n):
        after[v] = before[v] - share[v] * at[v]
    before, after = left.covariance[k], left.covariance[k + 1]
    for v in range(target):
        after[v] = before[v] - share[v] * at[target]
    for v in range(target, n):
        after[v] = before[v] - share[target] * at[v]


@inner
def _shrunk(part: Part, target: int, rule: Rule, added: Ints, blanket: Ints) -> tuple[Ints, int]:
    """Drop from the sorted blanket what is independent given the rest, in passes over the members as they came; the verdicts it took."""
    tests = 0
    changed = len(blanket) > 0
    while changed:
        changed = False
        for v in added:
            heed(tests)
            rest = blanket[blanket != v]
            xy, xx, yy = residual(part.whole, part.chosen[min(target, v)], part.chosen[max(target, v)], part.chosen[rest])
            tests += 1
            if not is_dependent(xy, xx, yy, rule.limits[len(rest)]):
                blanket = rest
                added = added[added != v]
                changed = True
    return blanket, tests
