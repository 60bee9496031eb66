"""The whole decomposition of a small set of variables, without leaving the kernel between nodes.

The readable form is ``dicola.decompose.tree.decompose``, which this follows step by step; a set of at most 64 variables is one word.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dicola._kernels.partial_correlation import longer, related_within
from dicola._kernels.undirected import find_split, induced, induced_with_block, work_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Small = NDArray[np.int8]


@njit(cache=True, nogil=True)
def _put(target: Ints, at: int, values: Ints, count: int) -> Ints:
    """The first ``count`` values written to the target from a place on; the target, longer where it has to be."""
    target = longer(target, at + count)
    for i in range(count):
        target[at + i] = values[i]
    return target


@njit(cache=True, nogil=True)
def _place(keys: NDArray[np.uint64], values: Ints, key: np.uint64) -> int:
    """Where the key is, or the free place where it belongs, in a table whose size is a power of two."""
    last = np.uint64(len(keys) - 1)
    at = (key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20) & last
    while values[at] >= 0 and keys[at] != key:
        at = (at + np.uint64(1)) & last
    return int(at)


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

    Node i has the variables ``members[begins[i]:begins[i + 1]]`` on the sides ``side[…]``, the independence graph whose rows are
    ``graph_starts[begins[i] + i:begins[i + 1] + i + 1]`` into ``graph_indices`` from ``graph_begins[i]`` on, and the children ``left[i]``
    and ``right[i]`` (-1: a leaf). Also: the number of verdicts computed, and whether every answer could be trusted.
    """
    n = len(starts) - 1
    begins = np.zeros(64, np.int64)
    members = np.empty(512, np.int64)
    graph_begins = np.zeros(64, np.int64)
    graph_starts = np.empty(1024, np.int64)
    graph_indices = np.empty(2048, np.int64)
    left = np.full(64, -1, np.int64)
    right = np.full(64, -1, np.int64)
    depth = np.zeros(64, np.int64)
    own_work = np.empty(64)
    keys = np.zeros(256, np.uint64)
    values = np.full(256, -1, np.int64)

    members = _put(members, 0, np.arange(n), n)
    graph_starts = _put(graph_starts, 0, starts, n + 1)
    graph_indices = _put(graph_indices, 0, indices, len(indices))
    begins[1] = n
    graph_begins[1] = len(indices)
    everything = np.uint64(0)
    for v in range(n):
        everything |= np.uint64(1) << np.uint64(v)
    at = _place(keys, values, everything)
    keys[at] = everything
    values[at] = 0
    own_work[0] = work_of(starts, largest)
    total_work = own_work[0]
    bound = max_work * total_work
    nodes = 1
    tests = 0
    side = np.zeros(len(members), np.int8)
    node = 0
    while node < nodes:
        number = node
        node += 1
        begin, end = begins[number], begins[number + 1]
        k = end - begin
        if total_work > bound or depth[number] >= max_depth or k <= min_leaf_size or nodes + 2 > max_nodes:
            continue
        own_starts = graph_starts[begin + number : end + number + 1].copy()
        own_indices = graph_indices[graph_begins[number] : graph_begins[number + 1]].copy()
        own_side = find_split(own_starts, own_indices, saving, largest)
        if len(own_side) == 0:
            continue
        c = 0
        for v in range(k):
            side[begin + v] = own_side[v]
            c += own_side[v] == 0
        total_work -= own_work[number] - c * (c - 1)
        for other_side in (2, 1):
            kept = np.empty(k, np.int64)
            child = np.empty(k, np.int64)
            block = np.empty(c, np.int64)
            size = 0
            inside = 0
            key = np.uint64(0)
            for v in range(k):
                if own_side[v] == other_side:
                    continue
                if own_side[v] == 0:
                    block[inside] = size
                    inside += 1
                kept[size] = v
                child[size] = members[begin + v]
                key |= np.uint64(1) << np.uint64(child[size])
                size += 1
            at = _place(keys, values, key)
            if values[at] < 0:
                if c < 2:
                    new_starts, new_indices = induced(own_starts, own_indices, kept[:size])
                else:
                    related, sure = related_within(correlation, child[:size], block, limits[size])
                    if not sure:
                        return begins, members, side, graph_begins, graph_starts, graph_indices, left, right, tests, False
                    tests += c * (c - 1) // 2
                    new_starts, new_indices = induced_with_block(own_starts, own_indices, kept[:size], block, related)
                keys[at] = key
                values[at] = nodes
                if nodes + 2 > len(begins):
                    begins, graph_begins, depth = longer(begins, nodes + 2), longer(graph_begins, nodes + 2), longer(depth, nodes + 2)
                    left, right = longer(left, nodes + 2), longer(right, nodes + 2)
                    longer_work = np.empty(len(begins))
                    for i in range(nodes):
                        longer_work[i] = own_work[i]
                    own_work = longer_work
                first = begins[nodes]
                members = _put(members, first, child, size)
                graph_starts = _put(graph_starts, first + nodes, new_starts, size + 1)
                graph_indices = _put(graph_indices, graph_begins[nodes], new_indices, len(new_indices))
                if len(side) < len(members):
                    longer_side = np.zeros(len(members), np.int8)
                    for i in range(first):
                        longer_side[i] = side[i]
                    side = longer_side
                begins[nodes + 1] = first + size
                graph_begins[nodes + 1] = graph_begins[nodes] + len(new_indices)
                left[nodes] = -1
                right[nodes] = -1
                depth[nodes] = depth[number] + 1
                own_work[nodes] = work_of(new_starts, largest)
                total_work += own_work[nodes]
                nodes += 1
                if 2 * nodes > len(keys):
                    more_keys = np.zeros(2 * len(keys), np.uint64)
                    more_values = np.full(2 * len(keys), -1, np.int64)
                    for i in range(len(keys)):
                        if values[i] >= 0:
                            there = _place(more_keys, more_values, keys[i])
                            more_keys[there] = keys[i]
                            more_values[there] = values[i]
                    keys = more_keys
                    values = more_values
                    at = _place(keys, values, key)
            if other_side == 2:
                left[number] = values[at]
            else:
                right[number] = values[at]
    whole = begins[nodes]
    return (
        begins[: nodes + 1],
        members[:whole],
        side[:whole],
        graph_begins[: nodes + 1],
        graph_starts[: whole + nodes],
        graph_indices[: graph_begins[nodes]],
        left[:nodes],
        right[:nodes],
        tests,
        True,
    )
