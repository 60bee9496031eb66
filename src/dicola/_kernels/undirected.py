"""Sparse undirected graphs in compressed rows.

``indices[starts[v]:starts[v + 1]]`` are the neighbours of v, sorted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dicola._kernels.arrays import Bools, Ints, Rows, longer, put_in_order
from dicola._kernels.compiled import inner, kernel
from dicola._kernels.stopping import heed


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


class Separators(NamedTuple):
    """Separators as rows, and for each how many vertices it cuts off on one side."""

    begins: Ints
    members: Ints
    beyond: Ints


@kernel
def separators(starts: Ints, indices: Ints) -> Separators:
    """Minimal separators of a minimal triangulation (MCS-M) of a connected graph, each sorted.

    A separator is found where a new clique of the triangulation begins. Cliques are a tree, in which the parent holds the vertex of the
    separator that was numbered last; what lies below a clique is cut off by its separator.
    """
    n = len(starts) - 1
    # Many small graphs are asked about, and memory in one piece is had for less than in twelve.
    clique, weight, reached, following, raised, first, bucket = np.zeros((7, n), np.int64)
    above, beyond, begins = np.zeros((3, n + 1), np.int64)
    # ``clique`` of each vertex: the one with which it was numbered, counted from 0; ``first`` vertices numbered before it, and in
    # ``bucket`` vertices by weight: linked lists
    numbered = n + 1  # in ``reached``: the vertex has its number; before that, the turn in which it was met
    first[:] = bucket[:] = -1
    entries = np.empty((4 * n + 16, 2), np.int64)  # of the first lists: a vertex, and where the next one stands
    used = 0
    members = np.empty(4 * n + 16, np.int64)
    found = 0
    previous = -1
    for turn in range(1, n + 1):
        if turn & 63 == 63:
            heed(0)
        most = -1
        for u in range(n):
            most = max(most, (weight[u] << 32) - u)  # the first of the heaviest, found without a branch
        heaviest = (most + n) >> 32
        v = (heaviest << 32) - most
        reached[v], weight[v] = numbered, -1
        if 0 < heaviest <= previous:
            if begins[found] + heaviest > len(members):
                members = longer(members, begins[found] + heaviest)
            own = members[begins[found] :]
            count = 0
            at = first[v]
            while at >= 0:
                put_in_order(own, count, entries[at, 0])
                count += 1
                at = entries[at, 1]
            found += 1
            begins[found] = begins[found - 1] + count
            above[found] = clique[entries[first[v], 0]]
        previous = heaviest
        clique[v] = found
        beyond[found] += 1
        # who is raised: reached by a path whose inner vertices all weigh less
        count = 0
        highest = -1
        for i in range(starts[v], starts[v + 1]):
            u = indices[i]
            if reached[u] != numbered:
                reached[u] = turn
                raised[count] = u
                count += 1
                following[u] = bucket[weight[u]]
                bucket[weight[u]] = u
                highest = max(highest, weight[u])
        level = 0
        while level <= highest:
            top = bucket[level]
            bucket[level] = -1
            while top >= 0:
                y = top
                top = following[y]
                for i in range(starts[y], starts[y + 1]):
                    u = indices[i]
                    if reached[u] >= turn:
                        continue
                    reached[u] = turn
                    if weight[u] > level:
                        raised[count] = u
                        count += 1
                        following[u] = bucket[weight[u]]
                        bucket[weight[u]] = u
                        highest = max(highest, weight[u])
                    else:
                        following[u] = top
                        top = u
            level += 1
        if used + count > len(entries):
            entries = np.concatenate((entries, np.empty((len(entries) + count, 2), np.int64)))
        for i in range(count):
            u = raised[i]
            weight[u] += 1
            entries[used] = v, first[u]
            first[u] = used
            used += 1
    for number in range(found, 0, -1):
        beyond[above[number]] += beyond[number]
    return Separators(begins[: found + 1], members[: begins[found]], beyond[1 : found + 1])


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
