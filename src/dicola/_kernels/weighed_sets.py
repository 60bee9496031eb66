"""All small sets of neighbours that separate a pair: how many there are, what they hold, and the one with the largest p-value."""

from __future__ import annotations

from math import atanh, erfc, sqrt

import numpy as np

from dicola._kernels.arrays import Floats, Ints, Rows
from dicola._kernels.compiled import inner, kernel
from dicola._kernels.partial_correlation import SINGULAR, is_dependent, swept
from dicola._kernels.stopping import heed


@inner
def _strength(cov: tuple[float, float, float], freedom: int) -> float:
    """Fisher's z in standard errors: the larger, the smaller the p-value, also where that underflows."""
    xy, xx, yy = cov
    r = 0.0 if min(xx, yy) < SINGULAR else xy / sqrt(xx * yy)
    return atanh(min(abs(r), 1.0 - 1e-15)) * sqrt(freedom)


@inner
def _p_value(cov: tuple[float, float, float], freedom: int, independent: bool) -> float:
    """That of Fisher's z test."""
    if freedom <= 0:
        return 1.0 if independent else 0.0
    return erfc(_strength(cov, freedom) / sqrt(2.0))


@inner
def _comes_first(p_value: float, z: Ints, best_p: float, best: Ints, size: int) -> bool:
    """A larger p-value; then fewer variables, then the order of the variables."""
    if p_value != best_p or len(z) != size:
        return p_value > best_p or (p_value == best_p and len(z) < size)
    for i in range(size):
        if z[i] != best[i]:
            return bool(z[i] < best[i])
    return False


@kernel
def weighed_sets(
    correlation: Floats, pairs: Ints, pools: Rows, recorded: Rows, most: int, limits: Floats, n_samples: int
) -> tuple[Ints, Ints, Ints, Ints, int]:
    """For each pair: separating sets, how many of them hold each neighbour of x and then of y, and the best one.

    Row v of ``pools`` has the sorted neighbours of v; sets have up to ``most`` of x's, or of y's, and ``limits[k]`` belongs to those of
    size k. The set recorded for a pair counts in any case. Answers the numbers of sets, who holds whom (pair after pair, x's neighbours
    and y's), the sizes of the best sets and their members, and the verdicts it took.
    """
    begins, members = pools
    room = most
    for i in range(len(pairs)):
        room = max(room, recorded.begins[i + 1] - recorded.begins[i])
    n = len(begins) - 1
    totals = np.zeros(len(pairs), np.int64)
    held_begins = np.zeros(len(pairs) + 1, np.int64)
    for i in range(len(pairs)):
        x, y = pairs[i, 0], pairs[i, 1]
        held_begins[i + 1] = held_begins[i] + begins[x + 1] - begins[x] + begins[y + 1] - begins[y]
    holding = np.zeros(held_begins[len(pairs)], np.int64)
    best = np.empty((len(pairs), room), np.int64)
    best_size = np.zeros(len(pairs), np.int64)
    place = np.full(n, -1, np.int64)  # of the neighbours of x: where their count stands
    also = np.full(n, -1, np.int64)  # the same for those of y
    index = np.empty(room + 2, np.int64)
    at = np.empty(most + 1, np.int64)
    w = np.empty((room + 2, room + 2))
    tests = 0
    for i in range(len(pairs)):
        x, y = pairs[i, 0], pairs[i, 1]
        index[0], index[1] = x, y
        held = held_begins[i]
        for k in range(begins[x], begins[x + 1]):
            place[members[k]] = held + k - begins[x]
        for k in range(begins[y], begins[y + 1]):
            also[members[k]] = held + begins[x + 1] - begins[x] + k - begins[y]
        # the recorded set first: it counts even where it does not separate any more
        z = recorded.members[recorded.begins[i] : recorded.begins[i + 1]]
        inside_x = inside_y = len(z) <= most
        for k in range(len(z)):
            index[k + 2] = z[k]
            best[i, k] = z[k]
            inside_x &= place[z[k]] >= 0
            inside_y &= also[z[k]] >= 0
            if place[z[k]] >= 0:
                holding[place[z[k]]] += 1
            if also[z[k]] >= 0:
                holding[also[z[k]]] += 1
        cov = swept(correlation, index[: len(z) + 2], w)
        best_p = _p_value(cov, n_samples - len(z) - 3, not is_dependent(*cov, limits[len(z)]))
        best_size[i] = len(z)
        totals[i] = 1
        tests += 1
        for end in range(2):
            first, last = begins[pairs[i, end]], begins[pairs[i, end] + 1]
            for size in range(end, min(most, last - first) + 1):
                for k in range(size):
                    at[k] = first + k
                while True:
                    is_old = end == 1
                    is_recorded = size == len(z) and (inside_x if end == 0 else inside_y)
                    for k in range(size):
                        v = members[at[k]]
                        index[k + 2] = v
                        is_old &= place[v] >= 0
                        is_recorded = is_recorded and z[k] == v
                    if not is_old and not is_recorded:
                        tests += 1
                        if tests & 63 == 0:
                            heed(tests)
                        cov = swept(correlation, index[: size + 2], w)
                        if not is_dependent(*cov, limits[size]):
                            totals[i] += 1
                            for k in range(size):
                                v = index[k + 2]
                                if place[v] >= 0:
                                    holding[place[v]] += 1
                                if also[v] >= 0:
                                    holding[also[v]] += 1
                            p_value = _p_value(cov, n_samples - size - 3, True)
                            if _comes_first(p_value, index[2 : size + 2], best_p, best[i], best_size[i]):
                                best_p = p_value
                                best_size[i] = size
                                for k in range(size):
                                    best[i, k] = index[k + 2]
                    # the next set in lexicographic order
                    k = size - 1
                    while k >= 0 and at[k] == last - size + k:
                        k -= 1
                    if k < 0:
                        break
                    at[k] += 1
                    for later in range(k + 1, size):
                        at[later] = at[later - 1] + 1
        for k in range(begins[x], begins[x + 1]):
            place[members[k]] = -1
        for k in range(begins[y], begins[y + 1]):
            also[members[k]] = -1
    chosen = np.empty(best_size.sum(), np.int64)
    total = 0
    for i in range(len(pairs)):
        for k in range(best_size[i]):
            chosen[total] = best[i, k]
            total += 1
    return totals, holding, best_size, chosen, tests


@kernel
def freer_without(correlation: Floats, triples: Ints, sets: Rows, n_samples: int, alpha: float, decisive: float) -> Ints:
    """For each (a, b, c): are a and c more independent without b than with it, given the rest of their set?

    1 for yes, 0 for no. -1 for neither: on the same side of the level, and no p-value so many times the other.
    """
    begins, members = sets
    room = 3
    for i in range(len(triples)):
        room = max(room, begins[i + 1] - begins[i] + 3)
    index = np.empty(room, np.int64)
    w = np.empty((room, room))
    found = np.empty(len(triples), np.int64)
    for i in range(len(triples)):
        index[0], index[1] = triples[i, 0], triples[i, 2]
        size = 2
        for k in range(begins[i], begins[i + 1]):
            if members[k] != triples[i, 1]:
                index[size] = members[k]
                size += 1
        without = _p_value(swept(correlation, index[:size], w), n_samples - size - 1, True)
        index[size] = triples[i, 1]
        given = _p_value(swept(correlation, index[: size + 1], w), n_samples - size - 2, True)
        smaller, larger = min(without, given), max(without, given)
        if smaller <= alpha < larger or (larger > smaller and larger >= decisive * smaller):
            found[i] = 1 if without > given else 0
        else:
            found[i] = -1
    return found
