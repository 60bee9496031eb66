"""Searches in graphs with marks, on matrices."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@njit(cache=True, nogil=True)
def possible_dsep(adjacency: Bools, pairs: Ints, begins: Ints, members: Ints) -> Bools:
    """Row x: what the paths from x lead to on which every inner vertex is a collider or in a triangle with its two neighbours.

    Colliders are the unshielded ones: b between the ends of row i of ``pairs``, not among ``members[begins[i]:begins[i + 1]]``.
    """
    n = len(adjacency)
    into = np.zeros((n, n), np.bool_)  # into[b, a]: an arrowhead at b on a - b
    inside = np.zeros(n, np.bool_)
    for i in range(len(pairs)):
        a, c = pairs[i, 0], pairs[i, 1]
        for at in range(begins[i], begins[i + 1]):
            inside[members[at]] = True
        for b in range(n):
            if adjacency[a, b] and adjacency[c, b] and not inside[b]:
                into[b, a] = True
                into[b, c] = True
        for at in range(begins[i], begins[i + 1]):
            inside[members[at]] = False
    starts = np.zeros(n + 1, np.int64)
    for v in range(n):
        starts[v + 1] = starts[v]
        for w in range(n):
            if adjacency[v, w]:
                starts[v + 1] += 1
    indices = np.empty(starts[n], np.int64)
    for v in range(n):
        at = starts[v]
        for w in range(n):
            if adjacency[v, w]:
                indices[at] = w
                at += 1
    found = adjacency.copy()
    passed = np.full(starts[n], -1, np.int64)  # the last root from which the edge at this place was walked
    stack_from = np.empty(starts[n] + 1, np.int64)
    stack_at = np.empty(starts[n] + 1, np.int64)
    for root in range(n):
        top = 0
        for at in range(starts[root], starts[root + 1]):
            stack_from[top] = root
            stack_at[top] = indices[at]
            top += 1
        while top:
            top -= 1
            u, v = stack_from[top], stack_at[top]
            through = into[v, u]
            for at in range(starts[v], starts[v + 1]):
                w = indices[at]
                if w in (u, root) or passed[at] == root:
                    continue
                if adjacency[u, w] or (through and into[v, w]):
                    passed[at] = root
                    found[root, w] = True
                    stack_from[top] = v
                    stack_at[top] = w
                    top += 1
    return found
