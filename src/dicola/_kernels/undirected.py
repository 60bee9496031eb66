"""Sparse undirected graphs in compressed rows.

``indices[starts[v]:starts[v + 1]]`` are the neighbours of v, sorted.
"""

from __future__ import annotations

import numpy as np

from dicola._kernels.arrays import Bools, Ints, Rows, longer, put_in_order
from dicola._kernels.compiled import inner, kernel


@kernel
def components(starts: Ints, indices: Ints, without: Bools) -> tuple[Ints, int]:
    """The connected component of each vertex (-1: taken out), and how many there are.

    They are numbered by their smallest vertex.
    """
    n = len(starts) - 1
    label = np.full(n, -1, np.int64)
    stack = np.empty(n, np.int64)
    count = 0
    for start in range(n):
        if label[start] >= 0 or without[start]:
            continue
        label[start] = count
        stack[0] = start
        top = 1
        while top:
            top -= 1
            v = stack[top]
            for i in range(starts[v], starts[v + 1]):
                w = indices[i]
                if label[w] < 0 and not without[w]:
                    label[w] = count
                    stack[top] = w
                    top += 1
        count += 1
    return label, count


@kernel
def separators(starts: Ints, indices: Ints) -> Rows:
    """Minimal separators of a minimal triangulation (MCS-M) of a connected graph, each sorted."""
    n = len(starts) - 1
    weight = np.zeros(n, np.int64)
    left = np.ones(n, np.bool_)
    # vertices numbered before, for each vertex: a linked list
    head = np.full(n, -1, np.int64)
    link = np.empty(4 * n + 16, np.int64)
    entry = np.empty(4 * n + 16, np.int64)
    used = 0
    members = np.empty(4 * n + 16, np.int64)
    begins = np.zeros(n + 1, np.int64)
    found = 0
    previous = -1
    reached = np.zeros(n, np.int64)
    raised = np.empty(n, np.int64)
    bucket_head = np.full(n + 1, -1, np.int64)
    bucket_next = np.empty(n, np.int64)
    frontier = np.empty(n, np.int64)
    for turn in range(1, n + 1):
        v = -1
        for u in range(n):
            if left[u] and (v < 0 or weight[u] > weight[v]):
                v = u
        left[v] = False
        if weight[v] <= previous and weight[v] > 0:
            size = weight[v]
            members = longer(members, begins[found] + size)
            own = members[begins[found] :]
            count = 0
            node = head[v]
            while node >= 0:
                put_in_order(own, count, entry[node])
                count += 1
                node = link[node]
            found += 1
            begins[found] = begins[found - 1] + count
        previous = weight[v]
        # who is raised: reached by a path whose inner vertices all weigh less
        count = 0
        reached[v] = turn
        highest = -1
        for i in range(starts[v], starts[v + 1]):
            u = indices[i]
            if left[u]:
                reached[u] = turn
                raised[count] = u
                count += 1
                bucket_next[u] = bucket_head[weight[u]]
                bucket_head[weight[u]] = u
                highest = max(highest, weight[u])
        level = 0
        while level <= highest:
            top = 0
            u = bucket_head[level]
            bucket_head[level] = -1
            while u >= 0:
                frontier[top] = u
                top += 1
                u = bucket_next[u]
            while top:
                top -= 1
                y = frontier[top]
                for i in range(starts[y], starts[y + 1]):
                    u = indices[i]
                    if not left[u] or reached[u] == turn:
                        continue
                    reached[u] = turn
                    if weight[u] > level:
                        raised[count] = u
                        count += 1
                        bucket_next[u] = bucket_head[weight[u]]
                        bucket_head[weight[u]] = u
                        highest = max(highest, weight[u])
                    else:
                        frontier[top] = u
                        top += 1
            level += 1
        for i in range(count):
            u = raised[i]
            weight[u] += 1
            entry = longer(entry, used + 1)
            link = longer(link, used + 1)
            entry[used] = v
            link[used] = head[u]
            head[u] = used
            used += 1
    return Rows(begins[: found + 1], members[: begins[found]])


@kernel
def to_matrix(starts: Ints, indices: Ints) -> Bools:
    """Symmetric boolean matrix."""
    n = len(starts) - 1
    matrix = np.zeros((n, n), np.bool_)
    for v in range(n):
        for at in range(starts[v], starts[v + 1]):
            matrix[v, indices[at]] = True
    return matrix


@kernel
def induced(starts: Ints, indices: Ints, kept: Ints) -> Rows:
    """The rows of the graph on the sorted vertices ``kept``, numbered anew."""
    place = np.full(len(starts) - 1, -1, np.int64)
    for i in range(len(kept)):
        place[kept[i]] = i
    new_starts = np.zeros(len(kept) + 1, np.int64)
    total = 0
    for i in range(len(kept)):
        v = kept[i]
        for at in range(starts[v], starts[v + 1]):
            if place[indices[at]] >= 0:
                total += 1
        new_starts[i + 1] = total
    new_indices = np.empty(total, np.int64)
    total = 0
    for i in range(len(kept)):
        v = kept[i]
        for at in range(starts[v], starts[v + 1]):
            w = place[indices[at]]
            if w >= 0:
                new_indices[total] = w
                total += 1
    return Rows(new_starts, new_indices)


@inner
def with_block(starts: Ints, indices: Ints, block: Ints, related: Bools) -> Rows:
    """The graph with the pairs inside the sorted vertices ``block`` joined as ``related`` says."""
    n = len(starts) - 1
    place = np.full(n, -1, np.int64)
    for i in range(len(block)):
        place[block[i]] = i
    new_starts = np.zeros(n + 1, np.int64)
    new_indices = np.empty(len(indices) + len(block) * len(block), np.int64)
    total = 0
    for v in range(n):
        mine = place[v]
        at = starts[v]
        next_block = 0
        while True:
            while at < starts[v + 1] and mine >= 0 and place[indices[at]] >= 0:
                at += 1  # a pair of the block: decided anew
            while mine >= 0 and next_block < len(block) and not related[mine, next_block]:
                next_block += 1
            has_old = at < starts[v + 1]
            has_new = mine >= 0 and next_block < len(block)
            if not has_old and not has_new:
                break
            if has_new and (not has_old or block[next_block] < indices[at]):
                new_indices[total] = block[next_block]
                next_block += 1
            else:
                new_indices[total] = indices[at]
                at += 1
            total += 1
        new_starts[v + 1] = total
    return Rows(new_starts, new_indices[:total].copy())


@kernel
def induced_with_block(starts: Ints, indices: Ints, kept: Ints, block: Ints, related: Bools) -> Rows:
    """``induced``, then ``with_block``."""
    part = induced(starts, indices, kept)
    return with_block(part.begins, part.members, block, related)
