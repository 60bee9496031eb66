"""Walks in a decomposition tree held in flat arrays.

Node k has the sorted variables ``members[begins[k]:begins[k + 1]]``, each on side 1, side 2 or in the separator (0), and the children
``left[k]`` and ``right[k]``; a leaf has none (-1).
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Small = NDArray[np.int8]


@njit(cache=True, nogil=True)
def _place(members: Ints, begin: int, end: int, x: int) -> int:
    while begin < end:
        middle = (begin + end) // 2
        if members[middle] < x:
            begin = middle + 1
        else:
            end = middle
    return begin


@njit(cache=True, nogil=True)
def deciding_nodes(x: int, y: int, begins: Ints, members: Ints, side: Small, left: Ints, right: Ints) -> Ints:
    """The nodes that decide a pair: the splits with x and y on opposite sides, and the leaves with both; each once."""
    seen = np.zeros(len(left), np.bool_)
    stack = np.empty(len(left), np.int64)
    found = np.empty(8, np.int64)
    count = 0
    stack[0] = 0
    seen[0] = True
    top = 1
    while top:
        top -= 1
        k = stack[top]
        decided = left[k] < 0
        at_x = 0
        at_y = 0
        if not decided:
            at_x = side[_place(members, begins[k], begins[k + 1], x)]
            at_y = side[_place(members, begins[k], begins[k + 1], y)]
            decided = at_x + at_y == 3
        if decided:
            if count == len(found):
                longer = np.empty(2 * count, np.int64)
                longer[:count] = found
                found = longer
            found[count] = k
            count += 1
            continue
        if at_x != 2 and at_y != 2 and not seen[left[k]]:
            seen[left[k]] = True
            stack[top] = left[k]
            top += 1
        if at_x != 1 and at_y != 1 and not seen[right[k]]:
            seen[right[k]] = True
            stack[top] = right[k]
            top += 1
    return found[:count]
