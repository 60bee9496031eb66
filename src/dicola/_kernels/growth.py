"""The whole decomposition of a small set of variables, without leaving the kernel between nodes.

The readable form is ``dicola.decompose.tree.decompose``, which this follows step by step; a set of at most 64 variables is one word.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dicola._kernels.precision import related_within
from dicola._kernels.undirected import find_split, induced, induced_with_block, work_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Small = NDArray[np.int8]

NODES, MEMBERS, ENTRIES = (
    4096,
    65536,
    1048576,
)  # room for nodes, for their variables and for their graphs; what needs more is not grown here


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
    and ``right[i]`` (-1: a leaf). Also: the number of verdicts computed, and whether there was room and every answer could be trusted.
    """
    n = len(starts) - 1
    begins = np.zeros(NODES + 1, np.int64)
    members = np.empty(MEMBERS, np.int64)
    side = np.empty(MEMBERS, np.int8)
    graph_begins = np.zeros(NODES + 1, np.int64)
    graph_starts = np.empty(MEMBERS + NODES + 1, np.int64)
    graph_indices = np.empty(ENTRIES, np.int64)
    left = np.full(NODES, -1, np.int64)
    right = np.full(NODES, -1, np.int64)
    depth = np.zeros(NODES, np.int64)
    own_work = np.empty(NODES)
    keys = np.zeros(2 * NODES, np.uint64)
    values = np.full(2 * NODES, -1, np.int64)
    enough = True

    for v in range(n):
        members[v] = v
        side[v] = 0
    for i in range(n + 1):
        graph_starts[i] = starts[i]
    for i in range(len(indices)):
        graph_indices[i] = indices[i]
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
    node = 0
    while node < nodes and enough:
        number = node
        node += 1
        begin, end = begins[number], begins[number + 1]
        k = end - begin
        if total_work > bound or depth[number] >= max_depth or k <= min_leaf_size or nodes + 2 > max_nodes:
            continue
        own_starts = graph_starts[begin + number : end + number + 1]
        own_indices = graph_indices[graph_begins[number] : graph_begins[number + 1]]
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
                    enough = enough and sure
                    tests += c * (c - 1) // 2
                    new_starts, new_indices = induced_with_block(own_starts, own_indices, kept[:size], block, related)
                first, entry = begins[nodes], graph_begins[nodes]
                if nodes + 1 >= NODES or first + size > MEMBERS or entry + len(new_indices) > ENTRIES:
                    enough = False
                    break
                for i in range(size):
                    members[first + i] = child[i]
                    side[first + i] = 0
                for i in range(size + 1):
                    graph_starts[first + nodes + i] = new_starts[i]
                for i in range(len(new_indices)):
                    graph_indices[entry + i] = new_indices[i]
                keys[at] = key
                values[at] = nodes
                begins[nodes + 1] = first + size
                graph_begins[nodes + 1] = entry + len(new_indices)
                depth[nodes] = depth[number] + 1
                own_work[nodes] = work_of(new_starts, largest)
                total_work += own_work[nodes]
                nodes += 1
            if other_side == 2:
                left[number] = values[at]
            else:
                right[number] = values[at]
    whole = begins[nodes]
    return (
        begins[: nodes + 1].copy(),
        members[:whole].copy(),
        side[:whole].copy(),
        left[:nodes].copy(),
        right[:nodes].copy(),
        graph_begins[: nodes + 1].copy(),
        graph_starts[: whole + nodes].copy(),
        graph_indices[: graph_begins[nodes]].copy(),
        tests,
        enough,
    )
