"""Possible-D-Sep paths: every inner vertex is a collider or in a triangle with its neighbours.

Searches run over ordered edges, since a vertex may be passed in one direction and not in another. A
graph is an array of vertex sets, each a row of words of 64 bits; the constants say what is where.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dicola._kernels.arrays import Bools, Ints, rows_of
from dicola._kernels.bits import NONE, ONE, Words, bit_of, has, lowest, lowest_bit, size, spell, without
from dicola._kernels.compiled import inner, kernel

LOOK_AHEAD = 3  # members that must be missing for a look ahead to pay: fewer are tried faster


BESIDE, INTO = 0, 1  # a graph: the neighbours of each vertex; those with an arrowhead at the vertex
# frames: what is in each set, what may still come in, what the inside reaches
INSIDE, OPEN, REACH = 0, 1, 2


class Walk(NamedTuple):
    """Room for ``_reach``."""

    taken: Words  # by vertex: where the paths through it have gone; empty between two walks
    stack: Ints  # ordered edges to go on from, two ends each


@kernel
def possible_dsep(adjacency: Bools, pairs: Ints, begins: Ints, members: Ints) -> Bools:
    """Row x: what the paths from x lead to.

    Colliders are the unshielded ones: b between the ends of row i of ``pairs``, not among
    ``members[begins[i]:begins[i + 1]]``.
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
    starts, indices = rows_of(adjacency)
    found = adjacency.copy()
    # the last root from which the edge at this place was walked
    passed = np.full(starts[n], -1, np.int64)
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


@inner
def _reach(graph: Words, root: int, inside: Words, found: Words, walk: Walk) -> None:
    """Write to ``found`` what paths from the root lead to that stay ``inside`` up to their end."""
    words = len(inside)
    taken, stack = walk
    beside, into = graph[BESIDE], graph[INTO]
    top = 0
    for i in range(words):
        found[i] = beside[root, i]
        first = inside[i] & beside[root, i]
        while first:
            stack[2 * top] = root
            stack[2 * top + 1] = 64 * i + lowest_bit(first)
            first &= first - ONE
            top += 1
    while top:
        top -= 1
        u, v = stack[2 * top], stack[2 * top + 1]
        through = has(into[v], u)
        for i in range(words):
            beyond = beside[v, i] & beside[u, i] | (into[v, i] if through else NONE)
            new = without(without(beyond, i, u), i, root) & ~taken[v, i]
            taken[v, i] |= new
            found[i] |= new
            onward = new & inside[i]
            while onward:
                stack[2 * top] = v
                stack[2 * top + 1] = 64 * i + lowest_bit(onward)
                onward &= onward - ONE
                top += 1
    for i in range(words):
        passed = inside[i]
        while passed:
            taken[64 * i + lowest_bit(passed)] = 0
            passed &= passed - ONE


@kernel
def within(graph: Words, steps: int) -> Words:
    """Row by row what paths of at most this many steps lead to from each vertex."""
    beside, into = graph[BESIDE], graph[INTO]
    n, words = beside.shape
    found = np.zeros((n, words), np.uint64)
    taken = np.empty((n, words), np.uint64)
    # the last steps, and those to be taken next, vertex by vertex behind each other
    edges = np.empty((2, n * n), np.int64)
    for root in range(n if steps else 0):
        taken[:] = 0
        now = 0
        for v in range(n):
            if has(beside[root], v):
                edges[0, now] = root * n + v
                now += 1
        for i in range(words):
            found[root, i] = beside[root, i]
        for step in range(1, steps):
            after = 0
            for at in range(now):
                u, v = divmod(edges[(step - 1) & 1, at], n)
                through = has(into[v], u)
                for i in range(words):
                    beyond = beside[v, i] & beside[u, i] | (into[v, i] if through else NONE)
                    new = without(without(beyond, i, u), i, root) & ~taken[v, i]
                    taken[v, i] |= new
                    found[root, i] |= new
                    while new:
                        edges[step & 1, after] = v * n + 64 * i + lowest_bit(new)
                        new &= new - ONE
                        after += 1
            now = after
            if not now:
                break
    return found


@inner
def _is_within(one: Words, other: Words) -> bool:
    outside = NONE
    for i in range(len(one)):
        outside |= one[i] & ~other[i]
    return bool(outside == NONE)


@kernel
def hanging_sets(
    graph: Words, root: int, other: int, other_pool: Words, frames: Words, missing: Ints, top: int, out: Ints
) -> tuple[int, int]:
    """The next sets that paths inside the set join to the root, as many as ``out`` has rows.

    The search is a stack of ``top`` frames, each a set with so many ``missing``, left as it has to
    be for the next call. A frame takes its first vertex in reach into the frame above it and leaves
    it out of itself, for good; it stays only if enough of what is then open still hangs on the
    root, so that every frame leads to sets. Sets inside ``other_pool`` that hang on ``other`` (-1:
    none) are left out. Answers the number of sets and the frames left.
    """
    _, n, words = graph.shape
    inside, open_, reach = frames[INSIDE], frames[OPEN], frames[REACH]
    found = np.empty(words, np.uint64)
    whole = np.empty(words, np.uint64)
    walk = Walk(np.zeros((n, words), np.uint64), np.empty(2 * n * n + 2, np.int64))
    count = 0
    while top and count < len(out):
        at = top - 1
        if missing[at] == 0:
            top -= 1
            if other >= 0 and _is_within(inside[at], other_pool):
                _reach(graph, other, inside[at], found, walk)
                if _is_within(inside[at], found):
                    continue
            spell(inside[at], out[count])
            count += 1
            continue
        for i in range(words):
            found[i] = open_[at, i] & reach[at, i]
        first = lowest(found)
        if first < 0:
            top -= 1
            continue
        open_[at, first >> 6] &= ~bit_of(first)
        above = at + 1
        for i in range(words):
            inside[above, i] = inside[at, i]
            open_[above, i] = open_[at, i]
        inside[above, first >> 6] |= bit_of(first)
        missing[above] = missing[at] - 1
        if missing[above]:
            _reach(graph, root, inside[above], reach[above], walk)
        if missing[above] >= LOOK_AHEAD:
            for i in range(words):
                whole[i] = inside[at, i] | open_[at, i]
            _reach(graph, root, whole, found, walk)
            for i in range(words):
                open_[at, i] &= found[i]
            if size(open_[at]) < missing[at]:
                for i in range(words):
                    inside[at, i] = inside[above, i]
                    open_[at, i] = open_[above, i]
                    reach[at, i] = reach[above, i]
                missing[at] = missing[above]
                continue
        top += 1
    return count, top
