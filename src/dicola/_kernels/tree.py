"""Walks in a decomposition tree held in flat arrays.

Node k has the sorted variables ``members[begins[k]:begins[k + 1]]``, each on side 1, side 2 or in
the separator (0), and the children ``left[k]`` and ``right[k]``; a leaf has none (-1).
"""

from __future__ import annotations

from typing import NamedTuple

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


class Ways(NamedTuple):
    """A tree as ways down: from any node always to its larger child, until that lies on another way or there is none.

    On a way most variables stay on the larger side of node after node, so only where one does not is written down: for variable v
    the ways ``way[begins[v]:begins[v + 1]]``, the places on them, both ascending, and its ``side`` there.
    """

    of_node: Ints
    place: Ints
    begins: Ints
    way: Ints
    at: Ints
    side: Small
    node_begins: Ints  # of way w the nodes, from its beginning on: nodes[node_begins[w]:node_begins[w + 1]]
    nodes: Ints


@inner
def _larger(begins: Ints, left: Ints, right: Ints, k: int) -> int:
    """The child of a branch with more variables, the left one of equals."""
    one, other = left[k], right[k]
    return int(one if begins[one + 1] - begins[one] >= begins[other + 1] - begins[other] else other)


@kernel
def ways_of(begins: Ints, members: Ints, side: Small, left: Ints, right: Ints) -> Ways:
    """The ways of a tree. Children have higher numbers than one of their parents, so one pass finds them all."""
    count = len(left)
    of_node, place = np.full(count, -1, np.int64), np.zeros(count, np.int64)
    node_begins, nodes = np.zeros(count + 1, np.int64), np.empty(count, np.int64)
    ways = total = 0
    for first in range(count):
        k = first if of_node[first] < 0 else -1
        while k >= 0:
            of_node[k], place[k] = ways, total - node_begins[ways]
            nodes[total] = k
            total += 1
            k = _larger(begins, left, right, k) if left[k] >= 0 else -1
            if k >= 0 and of_node[k] >= 0:
                k = -1
        if node_begins[ways] < total:
            ways += 1
            node_begins[ways] = total
    n = members.max() + 1
    starts = np.zeros(n + 1, np.int64)
    for filling in range(2):
        if filling:
            starts = np.append(np.zeros(1, np.int64), np.cumsum(starts[:n]))
            way, at, on = np.empty(starts[n], np.int64), np.empty(starts[n], np.int64), np.empty(starts[n], np.int8)
            free = starts.copy()
        for node in nodes:  # way by way, each from its beginning on
            k = int(node)
            if left[k] < 0:
                continue
            usual = 1 if _larger(begins, left, right, k) == left[k] else 2
            for i in range(begins[k], begins[k + 1]):
                if side[i] == usual:
                    continue
                v = members[i]
                if filling:
                    way[free[v]], at[free[v]], on[free[v]] = of_node[k], place[k], side[i]
                    free[v] += 1
                else:
                    starts[v] += 1
    return Ways(of_node, place, starts, way, at, on, node_begins[: ways + 1], nodes)


@inner
def _next_turn(ways: Ways, v: int, way: int, place: int) -> int:
    """Where variable v next is not on the larger side, on this way from this place on: its number among all turns; -1: nowhere."""
    low, high = ways.begins[v], ways.begins[v + 1]
    end = high
    while low < high:
        middle = (low + high) // 2
        if ways.way[middle] < way or (ways.way[middle] == way and ways.at[middle] < place):
            low = middle + 1
        else:
            high = middle
    return low if low < end and ways.way[low] == way else -1


@kernel
def deciding_nodes_by_ways(pairs: Ints, begins: Ints, members: Ints, left: Ints, right: Ints, ways: Ways) -> Rows:
    """``deciding_nodes`` for a tree of thousands of nodes, some hundreds deep: nodes that move neither end are passed over."""
    seen = np.full(len(left), -1, np.int64)
    reached = seen.copy()  # from two nodes of a way the same one may be reached
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
            way = ways.of_node[k]
            turn_x, turn_y = _next_turn(ways, x, way, ways.place[k]), _next_turn(ways, y, way, ways.place[k])
            place = ways.node_begins[way + 1] - ways.node_begins[way] - 1  # the last on the way
            for turn in (turn_x, turn_y):
                place = place if turn < 0 else min(place, ways.at[turn])
            k = ways.nodes[ways.node_begins[way] + place]
            decided = left[k] < 0
            at_x = at_y = 0
            if not decided:
                at_x = at_y = 1 if _larger(begins, left, right, k) == left[k] else 2
                if turn_x >= 0 and ways.at[turn_x] == place:
                    at_x = ways.side[turn_x]
                if turn_y >= 0 and ways.at[turn_y] == place:
                    at_y = ways.side[turn_y]
                decided = at_x + at_y == 3
            if reached[k] == i:
                continue
            reached[k] = i
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
