"""Sets of variables that may be the children of one hidden variable, and what it would be worth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dicola._kernels.arrays import Bools, Floats, Ints
from dicola._kernels.bits import NONE, ONE, Words, slot_of
from dicola._kernels.compiled import inner, kernel
from dicola._kernels.mag_factor import NOTHING_LEFT, one_factor_misfit, residuals
from dicola._kernels.stopping import heed
from dicola._kernels.terms import to_precision

CORE = 3  # children that others are found from
WIDE = 10  # children from which on no other set is looked for among them
_SIZE = 1 << 14  # sets that are remembered, about
_MIXED = np.uint64(0x9E3779B97F4A7C15)  # an odd number without a pattern


class Stakes(NamedTuple):
    """What edges and hidden variables cost, and the rows that pay for them."""

    price: float
    surcharge: float
    n_samples: float


class Remembered(NamedTuple):
    """What one factor leaves of sets that were looked at, by the set and the parents of its members.

    What is expected of hidden variables changes, so sets with one among these parents are known only while they are looked at.
    """

    keys: Words  # by variable, as a child; then by variable, as a parent
    tried: Words
    misfits: Floats
    looks: Words  # how many there were so far


class Growing(NamedTuple):
    """A set that grows, and what it grows in."""

    expected: Floats
    parents: Ints
    counts: Ints
    beside: Ints  # by variable: those next to it
    degrees: Ints
    children: Ints  # the members in order, then room for others
    inside: Bools  # by variable: is it a member?
    reached: Ints  # those next to a member, as they were met
    times: Ints  # by variable: the members that it is next to
    p: int


def nothing_remembered(n: int) -> Remembered:
    """Room for what is found of n variables, hidden ones among them; the keys are the same every time."""
    keys = np.random.default_rng(0).integers(1, 2**63, 2 * n, dtype=np.uint64)
    return Remembered(keys, np.zeros(_SIZE, np.uint64), np.zeros(_SIZE), np.zeros(1, np.uint64))


@kernel
def grown_sets(expected: Floats, near: Bools, parents: Ints, counts: Ints, stakes: Stakes, known: Remembered) -> tuple[Ints, Ints, Floats]:
    """Every set that is grown from three variables next to each other and is worth something: one after the other, where each begins
    and where the last one ends, and what each is worth. The same set may come from several.

    Three by themselves gain nothing, so others must be near. Among many children no other set is looked for.
    """
    p = len(near)
    beside, degrees = _lists(near)
    growing = Growing(
        expected=expected,
        parents=parents,
        counts=counts,
        beside=beside,
        degrees=degrees,
        children=np.zeros(p + 1, np.int64),
        inside=np.zeros(p, np.bool_),
        reached=np.zeros(p, np.int64),
        times=np.zeros(p, np.int64),
        p=p,
    )
    children, inside = growing.children, growing.inside
    flat, begins, worths, found = np.zeros(64, np.int64), np.zeros(16, np.int64), np.zeros(15), 0
    wide, cores = np.zeros((0, p), np.bool_), _cores(near, beside, degrees)
    known.looks[0] += ONE
    for c in range(len(cores)):
        heed(0)
        if _is_among(wide, cores[c]):
            continue
        k, worth = _grown(growing, cores[c], stakes, known)
        if worth > 0.0:
            if begins[found] + k > len(flat):
                flat = np.append(flat, np.zeros(len(flat) + k, np.int64))
            if found == len(worths):
                begins, worths = np.append(begins, np.zeros(found, np.int64)), np.append(worths, np.zeros(found))
            flat[begins[found] : begins[found] + k] = children[:k]
            begins[found + 1], worths[found] = begins[found] + k, worth
            found += 1
        if k > WIDE:
            wide = np.append(wide, inside.reshape(1, p), axis=0)
        for i in range(k):
            inside[children[i]] = False
    return flat, begins[: found + 1], worths[:found]


@inner
def _is_among(sets: Bools, core: Ints) -> bool:
    """Is the core a part of one of the sets?"""
    found = False
    for i in range(len(sets)):
        found |= sets[i, core[0]] and sets[i, core[1]] and sets[i, core[2]]
    return found


@inner
def _grown(growing: Growing, core: Ints, stakes: Stakes, known: Remembered) -> tuple[int, float]:
    """Add to a core the best of those that are next to half of the set, as long as it is worth more for it.

    Answers the size of the set, and what it is worth; minus infinity where nothing can come of it.
    """
    children, inside, reached, times, k, many = growing.children, growing.inside, growing.reached, growing.times, 0, 0
    for i in range(CORE):
        many = _add(growing, core[i], k, many)
        k += 1
    worth = _worth(growing, k, stakes, known)
    can_grow = worth >= -stakes.price
    is_alone = True
    for i in range(many):
        is_alone &= inside[reached[i]] or times[reached[i]] < 2
    while can_grow:
        heed(0)
        best, chosen = worth, -1
        for i in range(many):
            v = reached[i]
            if inside[v] or 2 * times[v] < k:
                continue
            _insert(children, k, v)
            inside[v] = True
            value = _worth(growing, k + 1, stakes, known)
            if value > best or (value == best and chosen >= 0 and v > chosen):
                best, chosen = value, v
            inside[v] = False
            _take_out(children, k + 1, v)
        if chosen < 0:
            break
        many = _add(growing, chosen, k, many)
        worth, k = best, k + 1
    for i in range(many):
        times[reached[i]] = 0
    return k, worth if can_grow and not (k == CORE and is_alone) else -np.inf


@inner
def _add(growing: Growing, v: int, size: int, many: int) -> int:
    """One more member, of so many; answers how many are next to one of them now, of so many before."""
    _insert(growing.children, size, v)
    growing.inside[v] = True
    for i in range(growing.degrees[v]):
        u = growing.beside[v, i]
        if not growing.times[u]:
            growing.reached[many] = u
            many += 1
        growing.times[u] += 1
    return many


@inner
def _insert(members: Ints, size: int, v: int) -> None:
    """One more member, in its place."""
    at = size
    while at and members[at - 1] > v:
        members[at] = members[at - 1]
        at -= 1
    members[at] = v


@inner
def _take_out(members: Ints, size: int, v: int) -> None:
    at = 0
    while members[at] != v:
        at += 1
    for i in range(at, size - 1):
        members[i] = members[i + 1]


@inner
def _worth(growing: Growing, k: int, stakes: Stakes, known: Remembered) -> float:
    """What one hidden variable saves in place of edges between all children, less what it leaves unexplained."""
    pairs = k * (k - 1) // 2
    misfit = _left_by_one(growing, k, known)
    return to_precision(stakes.price * (pairs - k) + stakes.surcharge * (pairs - 1) - stakes.n_samples * misfit)


@inner
def _left_by_one(growing: Growing, k: int, known: Remembered) -> float:
    """What one factor leaves unexplained per row of what parents outside leave of the set."""
    children, inside, parents, p, n = growing.children, growing.inside, growing.parents, growing.p, len(known.keys) // 2
    key, most, is_lasting = NONE, 1, True
    for i in range(k):
        v, size = children[i], 0
        key ^= known.keys[v]
        for a in range(growing.counts[v]):
            u = parents[v, a]
            if u >= p or not inside[u]:
                key ^= (known.keys[v] ^ known.keys[n + u]) * _MIXED
                is_lasting &= u < p
                size += 1
        most = max(most, size)
    if not is_lasting:
        key ^= known.looks[0] * _MIXED
    at = slot_of(known.tried, key)
    if known.tried[at] == key:
        return float(known.misfits[at])
    outside, sizes = np.zeros((k, most), np.int64), np.zeros(k, np.int64)
    for i in range(k):
        for a in range(growing.counts[children[i]]):
            u = parents[children[i], a]
            if u >= p or not inside[u]:
                outside[i, sizes[i]] = u
                sizes[i] += 1
    left = residuals(growing.expected, children[:k], outside, sizes)
    misfit, least = np.inf, np.inf
    for i in range(k):
        least = min(least, left[i, i])
    if least > NOTHING_LEFT:  # else there are few rows, and the parents explain everything
        misfit = one_factor_misfit(left)
    known.tried[at], known.misfits[at] = key, misfit
    return misfit


@inner
def _lists(near: Bools) -> tuple[Ints, Ints]:
    """By variable: those next to it, ascending, and how many they are."""
    p, degrees = len(near), np.zeros(len(near), np.int64)
    for v in range(p):
        degrees[v] = near[v].sum()
    beside = np.zeros((p, max(1, degrees.max() if p else 0)), np.int64)
    for v in range(p):
        many = 0
        for u in range(p):
            if near[v, u]:
                beside[v, many] = u
                many += 1
    return beside, degrees


@inner
def _cores(near: Bools, beside: Ints, degrees: Ints) -> Ints:
    """Every three variables with edges between all; those first of which each is next to most others."""
    found, least, many = np.zeros((64, CORE), np.int64), np.zeros(64, np.int64), 0
    for a in range(len(near)):
        heed(0)
        for i in range(degrees[a]):
            for j in range(i + 1, degrees[a]):
                b, c = beside[a, i], beside[a, j]
                if b < a or not near[b, c]:
                    continue
                if many == len(found):
                    found, least = np.append(found, np.zeros_like(found), axis=0), np.append(least, np.zeros_like(least))
                found[many, 0], found[many, 1], found[many, 2] = a, b, c
                least[many] = min(degrees[a], degrees[b], degrees[c])
                many += 1
    return found[np.argsort(-least[:many], kind="mergesort")]
