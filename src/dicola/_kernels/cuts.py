"""Do the data confirm a cut (left, right | separator)? Partial correlations of all pairs across it, given the separator."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dicola._kernels.arrays import Bools, Floats, Ints, Rows, Small
from dicola._kernels.compiled import inner, kernel
from dicola._kernels.partial_correlation import SINGULAR, is_dependent
from dicola._kernels.stopping import heed


class Sides(NamedTuple):
    """Positions of a cut, each part ascending."""

    separator: Ints
    left: Ints
    right: Ints


@inner
def sides_of(side: Small) -> Sides:
    """The parts of a cut given as the side of each vertex: 1 left, 2 right, 0 in the separator."""
    counts = np.zeros(3, np.int64)
    for part in side:
        counts[part] += 1
    places = np.empty((3, len(side)), np.int64)
    at = np.zeros(3, np.int64)
    for v in range(len(side)):
        part = side[v]
        places[part, at[part]] = v
        at[part] += 1
    return Sides(places[0, : counts[0]], places[1, : counts[1]], places[2, : counts[2]])


@inner
def _explained(correlation: Floats, variables: Ints, separator: Ints, factor: Floats) -> Floats:
    """What the separator explains of each variable, in the coordinates of its Cholesky factor; the last column is what is left."""
    k = len(separator)
    found = np.empty((len(variables), k + 1))
    for i in range(len(variables)):
        left = 1.0
        for j in range(k):
            value = correlation[variables[i], separator[j]]
            for m in range(j):
                value -= factor[j, m] * found[i, m]
            found[i, j] = value / factor[j, j] if factor[j, j] > 0.0 else 0.0
            left -= found[i, j] * found[i, j]
        found[i, k] = left
    return found


@kernel
def links_across(correlation: Floats, left: Ints, right: Ints, separator: Ints, limit: float) -> Bools:
    """Which pairs across depend given the separator, each end on no other more? ``limit`` is the squared critical correlation."""
    k = len(separator)
    factor = np.zeros((k, k))
    for i in range(k):
        for j in range(i + 1):
            value = correlation[separator[i], separator[j]]
            for m in range(j):
                value -= factor[i, m] * factor[j, m]
            if i == j:
                factor[i, i] = np.sqrt(value) if value > SINGULAR else 0.0
            elif factor[j, j] > 0.0:
                factor[i, j] = value / factor[j, j]
    ours = _explained(correlation, left, separator, factor)
    theirs = _explained(correlation, right, separator, factor)
    strength = np.full((len(left), len(right)), -1.0)
    strongest_left, strongest_right = np.full(len(left), -1.0), np.full(len(right), -1.0)
    for i in range(len(left)):
        if i & 63 == 63:
            heed(0)
        for j in range(len(right)):
            value = correlation[left[i], right[j]]
            for m in range(k):
                value -= ours[i, m] * theirs[j, m]
            if not is_dependent(value, ours[i, k], theirs[j, k], limit):
                continue
            strength[i, j] = value * value / (ours[i, k] * theirs[j, k]) if limit >= 0.0 else 0.0  # nothing can be tested: all alike
            strongest_left[i] = max(strongest_left[i], strength[i, j])
            strongest_right[j] = max(strongest_right[j], strength[i, j])
    found = np.zeros((len(left), len(right)), np.bool_)
    for i in range(len(left)):
        for j in range(len(right)):
            found[i, j] = 0.0 <= strength[i, j] == strongest_left[i] == strongest_right[j]
    return found


@inner
def joined_across(starts: Ints, indices: Ints, sides: Sides, joined: Bools) -> Rows:
    """A graph with more edges, those across a cut, between which it has none."""
    n = len(starts) - 1
    other = np.full(n, -1, np.int64)  # the place of a vertex in its side; negative on the right
    for i in range(len(sides.left)):
        other[sides.left[i]] = i
    for j in range(len(sides.right)):
        other[sides.right[j]] = -2 - j
    new_starts = np.zeros(n + 1, np.int64)
    new_indices = np.empty(len(indices) + 2 * np.count_nonzero(joined), np.int64)
    total = 0
    for v in range(n):
        at = starts[v]
        mine = other[v]
        across = sides.right if mine >= 0 else sides.left
        for i in range(len(across) if mine != -1 else 0):
            if not (joined[mine, i] if mine >= 0 else joined[i, -2 - mine]):
                continue
            while at < starts[v + 1] and indices[at] < across[i]:
                new_indices[total] = indices[at]
                total += 1
                at += 1
            new_indices[total] = across[i]
            total += 1
        while at < starts[v + 1]:
            new_indices[total] = indices[at]
            total += 1
            at += 1
        new_starts[v + 1] = total
    return Rows(new_starts, new_indices)
