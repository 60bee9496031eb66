"""Splits of graphs of at most 64 vertices: a set of vertices is a word, a graph one word a vertex, and many branches become one "and".

The answers are those of ``dicola._kernels.splits``, which holds for any size; ``inside`` is the set of the vertices that count.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dicola._kernels.splits import by_value, work

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

NONE, ONE = np.uint64(0), np.uint64(1)


@njit(cache=True, nogil=True)
def only(v: int) -> np.uint64:
    """The set of one vertex."""
    return ONE << np.uint64(v)


@njit(cache=True, nogil=True)
def count(members: np.uint64) -> int:
    """How many there are: counted in pairs of bits, then in fours, then byte by byte."""
    members -= (members >> ONE) & np.uint64(0x5555555555555555)
    members = (members & np.uint64(0x3333333333333333)) + ((members >> np.uint64(2)) & np.uint64(0x3333333333333333))
    members = (members + (members >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int(np.int64((members * np.uint64(0x0101010101010101)) >> np.uint64(56)))


@njit(cache=True, nogil=True)
def counts(sets: Words) -> Ints:
    """How many each of them has."""
    found = np.empty(len(sets), np.int64)
    for i in range(len(sets)):
        found[i] = count(sets[i])
    return found


@njit(cache=True, nogil=True)
def first(members: np.uint64) -> int:
    """The smallest of them; there must be one."""
    return count((members & (~members + ONE)) - ONE)


@njit(cache=True, nogil=True)
def comes_before(one: np.uint64, other: np.uint64) -> bool:
    """Is one of two sets of equal size before the other, read from the smallest member on?"""
    apart = one ^ other
    return bool(one & apart & (~apart + ONE))


@njit(cache=True, nogil=True)
def component(rows: Words, inside: np.uint64, v: int) -> np.uint64:
    """Everything that v is connected with."""
    found = only(v)
    fresh = found
    while fresh != NONE:
        new = rows[first(fresh)] & inside & ~found
        fresh = (fresh & (fresh - ONE)) | new
        found |= new
    return found


@njit(cache=True, nogil=True)
def separators(rows: Words, inside: np.uint64) -> Words:
    """Minimal separators of a minimal triangulation (MCS-M) of a connected graph."""
    weight = np.zeros(64, np.int64)
    weighing = np.zeros(66, np.uint64)  # who weighs so much
    weighing[0] = inside
    before = np.zeros(64, np.uint64)  # who raised a vertex
    found = np.empty(64, np.uint64)
    n_found = 0
    left = inside
    heaviest = 0
    previous = -1
    while left != NONE:
        while weighing[heaviest] == NONE:
            heaviest -= 1
        v = first(weighing[heaviest])
        left ^= only(v)
        weighing[heaviest] ^= only(v)
        if 0 < heaviest <= previous:
            found[n_found] = before[v]
            n_found += 1
        previous = heaviest
        # who is raised: reached by a path whose inner vertices all weigh less
        reached = raised = rows[v] & left
        light = passed = NONE
        level = 0
        while reached != left and level <= heaviest:
            light |= weighing[level]
            fresh = reached & light & ~passed
            while fresh != NONE:
                y = first(fresh)
                passed |= only(y)
                new = rows[y] & left & ~reached
                reached |= new
                raised |= new & ~light
                fresh = (fresh & (fresh - ONE)) | (new & light)
            level += 1
        heaviest += 1
        while raised != NONE:
            u = first(raised)
            raised &= raised - ONE
            weighing[weight[u]] ^= only(u)
            weight[u] += 1
            weighing[weight[u]] |= only(u)
            before[u] |= only(v)
    return found[:n_found]


@njit(cache=True, nogil=True)
def sides(rows: Words, inside: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The components in two groups of nearly equal size, by a subset sum, largest first; the first group holds the smallest vertex.

    The second is empty where all are connected.
    """
    parts = np.empty(64, np.uint64)
    sizes = np.empty(64, np.int64)
    n_parts = 0
    left = inside
    while left != NONE:
        parts[n_parts] = component(rows, inside, first(left))
        sizes[n_parts] = count(parts[n_parts])
        left &= ~parts[n_parts]
        n_parts += 1
    if n_parts <= 2:
        return parts[0], inside & ~parts[0]
    order = by_value(sizes[:n_parts], True)
    half = count(inside) // 2
    sums = np.empty(n_parts + 1, np.uint64)  # which sums the first so many can have
    sums[0] = ONE
    for i in range(n_parts):
        size = sizes[order[i]]
        sums[i + 1] = sums[i]
        if size <= half:
            sums[i + 1] |= sums[i] << np.uint64(size) & (only(half + 1) - ONE)
    target = half
    while sums[n_parts] & only(target) == NONE:
        target -= 1
    chosen = NONE
    for i in range(n_parts - 1, -1, -1):
        if sums[i] & only(target) == NONE:
            chosen |= parts[order[i]]
            target -= sizes[order[i]]
    if chosen & only(first(inside)) == NONE:
        chosen = inside & ~chosen
    return chosen, inside & ~chosen


@njit(cache=True, nogil=True)
def work_by_degree(largest: int) -> Floats:
    """``splits.work`` of every degree."""
    found = np.empty(64)
    for degree in range(64):
        found[degree] = work(degree, largest)
    return found


@njit(cache=True, nogil=True)
def work_of(rows: Words, members: np.uint64, works: Floats) -> float:
    """The work at these vertices, all of them together."""
    total = 0.0
    while members != NONE:
        total += works[count(rows[first(members)])]
        members &= members - ONE
    return total


@njit(cache=True, nogil=True)
def saving(rows: Words, inside: np.uint64, one: np.uint64, other: np.uint64, works: Floats) -> tuple[float, float]:
    """Work that a split into two sides saves, and the work at its separator."""
    separator = inside & ~one & ~other
    size = count(separator)
    whole = 0.0
    parts = 0.0
    while separator != NONE:
        beside = rows[first(separator)]
        separator &= separator - ONE
        whole += works[count(beside)]
        parts += works[count(beside & ~one)] + works[count(beside & ~other)]
    return whole - parts - size * (size - 1), whole


@njit(cache=True, nogil=True)
def balanced_split(rows: Words, inside: np.uint64, found: Words) -> tuple[np.uint64, np.uint64]:
    """The split with the least balancing score."""
    n = count(inside)
    sizes = counts(found)
    best = (NONE, NONE)
    best_at = -1
    best_score = 2.0
    best_larger = 0
    for at in by_value(sizes, False):
        c = sizes[at]
        if best_at >= 0 and c / ((n - c) // 2 + c) > best_score:
            continue
        split = sides(rows, inside & ~found[at])
        ones = count(split[0])
        smaller = min(ones, n - c - ones)
        larger = n - c - smaller
        score = c / (smaller + c)
        better = best_at < 0 or score < best_score
        if not better and score == best_score:
            if c != sizes[best_at]:
                better = c < sizes[best_at]
            elif larger != best_larger:
                better = larger < best_larger
            else:
                better = comes_before(found[at], found[best_at])
        if better:
            best, best_at, best_score, best_larger = split, at, score, larger
    return best


@njit(cache=True, nogil=True)
def cheapest_split(rows: Words, inside: np.uint64, found: Words, share: float, works: Floats) -> tuple[np.uint64, np.uint64]:
    """The split that saves most work, empty if none saves this share of the work at its separator."""
    sizes = counts(found)
    best = (NONE, NONE)
    best_at = -1
    most = -1.0
    for at in by_value(sizes, False):
        if best_at >= 0 and work_of(rows, found[at], works) - sizes[at] * (sizes[at] - 1) < most:
            continue  # it cannot save more than there is
        split = sides(rows, inside & ~found[at])
        saved, whole = saving(rows, inside, split[0], split[1], works)
        if saved < share * whole:
            continue
        better = best_at < 0 or saved > most
        if not better and saved == most and sizes[at] == sizes[best_at]:
            better = comes_before(found[at], found[best_at])
        if better:
            best, best_at, most = split, at, saved
    return best


@njit(cache=True, nogil=True)
def find_split(rows: Words, inside: np.uint64, share: float, works: Floats) -> tuple[np.uint64, np.uint64]:
    """The two sides of the split that ``splits.find_split`` finds; the second is empty where it finds none."""
    nowhere = (NONE, NONE)
    n = count(inside)
    ends = 0
    left = inside
    while left != NONE:
        ends += count(rows[first(left)])
        left &= left - ONE
    if ends == n * (n - 1):
        return nowhere
    apart = sides(rows, inside)
    if apart[1] != NONE:
        return apart
    found = separators(rows, inside)
    balanced = balanced_split(rows, inside, found)
    if share == -np.inf:
        return balanced
    saved, whole = saving(rows, inside, balanced[0], balanced[1], works)
    if saved >= share * whole:
        return balanced
    return cheapest_split(rows, inside, found, share, works)
