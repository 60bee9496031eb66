"""Walks in a decomposition tree held in flat arrays.

Node k has the sorted variables ``members[begins[k]:begins[k + 1]]``, each on side 1, side 2 or in
the separator (0), and the children ``left[k]`` and ``right[k]``; a leaf has none (-1).
"""

from __future__ import annotations

import numpy as np

from dicola._kernels.arrays import Ints, Rows, Small, longer
from dicola._kernels.compiled import inner, kernel


@inner
def _place(members: Ints, begin: int, end: int, x: int) -> int:
    while begin < end:
        middle = (begin + end) // 2
        if members[middle] < x:
            begin = middle + 1
        else:
            end = middle
    return begin


@inner
def _is_member(members: Ints, begin: int, end: int, x: int) -> bool:
    at = _place(members, begin, end, x)
    return at < end and members[at] == x


@kernel
def deciding_nodes(pairs: Ints, begins: Ints, members: Ints, side: Small, left: Ints, right: Ints) -> Rows:
    """The nodes that decide each pair, each once.

    These are the splits with its ends on opposite sides, and the leaves with both. There are none
    where an end is not in the root.
    """
    seen = np.full(len(left), -1, np.int64)
    stack = np.empty(len(left), np.int64)
    starts = np.zeros(len(pairs) + 1, np.int64)
    found = np.empty(2 * len(pairs) + 8, np.int64)
    count = 0
    for i in range(len(pairs)):
        x, y = pairs[i, 0], pairs[i, 1]
        stack[0] = 0
        top = 1 if _is_member(members, begins[0], begins[1], x) and _is_member(members, begins[0], begins[1], y) else 0
        while top:
            top -= 1
            k = stack[top]
            decided = left[k] < 0
            at_x = at_y = 0
            if not decided:
                at_x = side[_place(members, begins[k], begins[k + 1], x)]
                at_y = side[_place(members, begins[k], begins[k + 1], y)]
                decided = at_x + at_y == 3
            if decided:
                found = longer(found, count + 1)
                found[count] = k
                count += 1
                continue
            for child, away in ((left[k], 2), (right[k], 1)):
                if away not in (at_x, at_y) and seen[child] != i:
                    seen[child] = i
                    stack[top] = child
                    top += 1
        starts[i + 1] = count
    return Rows(starts, found[:count])
