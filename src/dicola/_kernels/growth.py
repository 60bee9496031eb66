"""The whole decomposition of a small set of variables, without leaving the kernel between nodes.

The readable form is ``dicola.decompose.tree.decompose``, which this follows step by step; a set of at most 64 variables is one word.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dicola._kernels.precision import related_within
from dicola._kernels.words import NONE, ONE, Words, count, find_split, first, only, work_by_degree, work_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Small = NDArray[np.int8]

NODES = 1 << 12  # room for nodes; what needs more is not grown here
_TO_PLACE = np.uint64(64 - 13)  # leaves as many bits of a hash as number the places of a table twice as large


@njit(cache=True, nogil=True)
def _place(keys: Words, key: np.uint64) -> int:
    """Where the key is, or the free place where it belongs, in a table of ``2 * NODES`` places."""
    at = int(np.int64((key * np.uint64(0x9E3779B97F4A7C15)) >> _TO_PLACE))
    while keys[at] != NONE and keys[at] != key:
        at = (at + 1) % len(keys)
    return at


@njit(cache=True, nogil=True)
def _inherit(
    correlation: Floats, rows: Words, inside: np.uint64, separator: np.uint64, limits: Floats, child_rows: Words
) -> tuple[int, bool]:
    """The child's graph: its parent's, but the pairs inside the separator are asked again. The number asked, and if all can be trusted."""
    size, c = count(inside), count(separator)
    child = np.empty(size, np.int64)
    block = np.empty(c, np.int64)
    at = 0
    left = inside
    for i in range(size):
        v = first(left)
        left &= left - ONE
        child[i] = v
        child_rows[v] = rows[v] & inside
        if separator & only(v) != NONE:
            block[at] = i
            at += 1
    if c < 2:
        return 0, True
    related, sure = related_within(correlation, child, block, limits[size])
    for i in range(c):
        v = child[block[i]]
        child_rows[v] &= ~separator
        for j in range(c):
            if related[i, j]:
                child_rows[v] |= only(child[block[j]])
    return c * (c - 1) // 2, sure


@njit(cache=True, nogil=True)
def grow(
    correlation: Floats,
    starts: Ints,
    indices: Ints,
    limits: Floats,
    saving: float,
    largest: int,
    min_leaf_size: int,
    max_depth: int,
    max_nodes: int,
    max_work: float,
) -> tuple[Ints, Ints, Small, Ints, Ints, Ints, Ints, Ints, int, bool]:
    """Split until nothing is to be split any more; ``limits[k]`` is the squared critical correlation of total conditioning over k.

    First the tree, as ``_flat`` writes it. Also: the number of verdicts computed, and whether there was room and every answer could be
    trusted.
    """
    n = len(starts) - 1
    sets = np.zeros(NODES, np.uint64)
    ones = np.zeros(NODES, np.uint64)  # the sides of the splits
    others = np.zeros(NODES, np.uint64)
    rows = np.empty((NODES, n), np.uint64)
    left = np.full(NODES, -1, np.int64)
    right = np.full(NODES, -1, np.int64)
    depth = np.zeros(NODES, np.int64)
    own_work = np.empty(NODES)
    keys = np.zeros(2 * NODES, np.uint64)
    values = np.empty(2 * NODES, np.int64)
    works = work_by_degree(largest)
    enough = True

    for v in range(n):
        sets[0] |= only(v)
        rows[0, v] = NONE
        for i in range(starts[v], starts[v + 1]):
            rows[0, v] |= only(indices[i])
    at = _place(keys, sets[0])
    keys[at] = sets[0]
    values[at] = 0
    own_work[0] = work_of(rows[0], sets[0], works)
    total_work = own_work[0]
    bound = max_work * total_work
    nodes = 1
    tests = 0
    node = 0
    while node < nodes and enough:
        number = node
        node += 1
        inside = sets[number]
        if total_work > bound or depth[number] >= max_depth or count(inside) <= min_leaf_size or nodes + 2 > max_nodes:
            continue
        one, other = find_split(rows[number], inside, saving, works)
        if other == NONE:
            continue
        ones[number], others[number] = one, other
        separator = inside & ~one & ~other
        c = count(separator)
        total_work -= own_work[number] - c * (c - 1)
        for child in (inside & ~other, inside & ~one):
            at = _place(keys, child)
            if keys[at] == NONE:
                if nodes + 1 >= NODES:
                    enough = False
                    break
                asked, sure = _inherit(correlation, rows[number], child, separator, limits, rows[nodes])
                enough = enough and sure
                tests += asked
                keys[at] = child
                values[at] = nodes
                sets[nodes] = child
                depth[nodes] = depth[number] + 1
                own_work[nodes] = work_of(rows[nodes], child, works)
                total_work += own_work[nodes]
                nodes += 1
            if child == inside & ~other:
                left[number] = values[at]
            else:
                right[number] = values[at]
    begins, members, side, graph_begins, graph_starts, graph_indices = _flat(nodes, sets, ones, others, left, rows)
    return begins, members, side, left[:nodes].copy(), right[:nodes].copy(), graph_begins, graph_starts, graph_indices, tests, enough


@njit(cache=True, nogil=True)
def _flat(nodes: int, sets: Words, ones: Words, others: Words, left: Ints, rows: Words) -> tuple[Ints, Ints, Small, Ints, Ints, Ints]:
    """Node i has the variables ``members[begins[i]:begins[i + 1]]`` on the sides ``side[…]``.

    If it is a leaf, the rows of its independence graph are ``graph_starts[begins[i] + i:begins[i + 1] + i + 1]`` into ``graph_indices``
    from ``graph_begins[i]`` on.
    """
    begins = np.zeros(nodes + 1, np.int64)
    graph_begins = np.zeros(nodes + 1, np.int64)
    for number in range(nodes):
        begins[number + 1] = begins[number] + count(sets[number])
        graph_begins[number + 1] = graph_begins[number]
        members_left = sets[number] if left[number] < 0 else NONE
        while members_left != NONE:
            graph_begins[number + 1] += count(rows[number, first(members_left)])
            members_left &= members_left - ONE
    members = np.empty(begins[nodes], np.int64)
    side = np.zeros(begins[nodes], np.int8)
    graph_starts = np.zeros(begins[nodes] + nodes, np.int64)
    graph_indices = np.empty(graph_begins[nodes], np.int64)
    place = np.empty(64, np.int64)
    for number in range(nodes):
        begin = begins[number]
        members_left = sets[number]
        for i in range(begins[number + 1] - begin):
            v = first(members_left)
            members_left &= members_left - ONE
            members[begin + i] = v
            place[v] = i
            if ones[number] & only(v) != NONE:
                side[begin + i] = 1
            elif others[number] & only(v) != NONE:
                side[begin + i] = 2
        if left[number] >= 0:
            continue
        entry = 0
        for i in range(begins[number + 1] - begin):
            beside = rows[number, members[begin + i]]
            while beside != NONE:
                graph_indices[graph_begins[number] + entry] = place[first(beside)]
                beside &= beside - ONE
                entry += 1
            graph_starts[begin + number + i + 1] = entry
    return begins, members, side, graph_begins, graph_starts, graph_indices
