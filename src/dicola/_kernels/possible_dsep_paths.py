"""Possible-D-Sep paths: every inner vertex is a collider or in a triangle with its neighbours.

Searches run over ordered edges, since a vertex may be passed in one direction and not in another. A
graph is an array of vertex sets, each a row of words of 64 bits; the constants say what is where.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dicola._kernels.arrays import Bools, Ints
from dicola._kernels.bits import NONE, ONE, Words, bit_of, has, lowest_bit, lowest_common, size, spell, without
from dicola._kernels.compiled import hot, inner, kernel
from dicola._kernels.stopping import heed

LOOK_AHEAD = 3  # members that must be missing for a look ahead to pay: fewer are tried faster


BESIDE, INTO = 0, 1  # a graph: the neighbours of each vertex; those with an arrowhead at the vertex
# frames: what is in each set, what may still come in, what the inside reaches
INSIDE, OPEN, REACH = 0, 1, 2


class Walk(NamedTuple):
    """Room for ``_reach``."""

    taken: Words  # by vertex: where the paths through it have gone; empty between two walks
    edges: Ints  # ordered edges to go on from, two ends each


@inner
def _walk(n: int, words: int) -> Walk:
    """Room for walks among n vertices."""
    return Walk(np.zeros((n, words), np.uint64), np.empty(2 * n * n + 2, np.int64))


@hot
def _go_on(edges: Ints, count: int, v: int, i: int, members: np.uint64) -> int:
    """Put down the steps from v to the members of word i; answers how many edges there are then."""
    while members:
        edges[2 * count] = v
        edges[2 * count + 1] = 64 * i + lowest_bit(members)
        members &= members - ONE
        count += 1
    return count


@inner
def _reach(graph: Words, root: int, inside: Words, steps: int, found: Words, walk: Walk) -> None:
    """Write to ``found`` what paths from the root lead to that stay ``inside`` up to their end.

    They take at most this many steps.
    """
    words = len(inside)
    taken, edges = walk
    beside, into = graph[BESIDE], graph[INTO]
    count = 0
    for i in range(words):
        found[i] = beside[root, i]
        count = _go_on(edges, count, root, i, inside[i] & beside[root, i])
    at = 0
    for _ in range(1, steps):
        end = count
        while at < end:
            u, v = edges[2 * at], edges[2 * at + 1]
            at += 1
            through = has(into[v], u)
            for i in range(words):
                beyond = beside[v, i] & beside[u, i] | (into[v, i] if through else NONE)
                new = without(without(beyond, i, u), i, root) & ~taken[v, i]
                taken[v, i] |= new
                found[i] |= new
                count = _go_on(edges, count, v, i, new & inside[i])
        if end == count:
            break
    for past in range(at):
        for i in range(words):
            taken[edges[2 * past + 1], i] = NONE


@kernel
def possible_dsep(adjacency: Bools, pairs: Ints, begins: Ints, members: Ints) -> Bools:
    """Row x: what the paths from x lead to.

    Colliders are the unshielded ones: b between the ends of row i of ``pairs``, not among
    ``members[begins[i]:begins[i + 1]]``.
    """
    n = len(adjacency)
    words = (n + 63) // 64
    graph = np.zeros((2, n, words), np.uint64)
    beside, into = graph[BESIDE], graph[INTO]
    for a in range(n):
        for b in range(n):
            if adjacency[a, b]:
                beside[a, b >> 6] |= bit_of(b)
    between = np.empty(words, np.uint64)
    for pair in range(len(pairs)):
        a, c = pairs[pair, 0], pairs[pair, 1]
        for i in range(words):
            between[i] = beside[a, i] & beside[c, i]
        for at in range(begins[pair], begins[pair + 1]):
            between[members[at] >> 6] &= ~bit_of(members[at])
        for i in range(words):
            rest = between[i]
            while rest:
                b = 64 * i + lowest_bit(rest)
                into[b, a >> 6] |= bit_of(a)
                into[b, c >> 6] |= bit_of(c)
                rest &= rest - ONE
    found = within(graph, n * n)
    reached = np.empty((n, n), np.bool_)
    for a in range(n):
        for b in range(n):
            reached[a, b] = has(found[a], b)
    return reached


@kernel
def within(graph: Words, steps: int) -> Words:
    """Row by row what paths of at most this many steps lead to from each vertex."""
    _, n, words = graph.shape
    found = np.zeros((n, words), np.uint64)
    everywhere = np.empty(words, np.uint64)
    for i in range(words):
        everywhere[i] = ~NONE
    walk = _walk(n, words)
    for root in range(n if steps else 0):
        if root & 3 == 3:
            heed(0)
        _reach(graph, root, everywhere, steps, found[root], walk)
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
    walk = _walk(n, words)
    count = 0
    turns = 0
    while top and count < len(out):
        turns += 1
        if turns & 63 == 63:
            heed(0)
        at = top - 1
        if missing[at] == 0:
            top -= 1
            if other >= 0 and _is_within(inside[at], other_pool):
                _reach(graph, other, inside[at], n * n, found, walk)
                if _is_within(inside[at], found):
                    continue
            spell(inside[at], out[count])
            count += 1
            continue
        first = lowest_common(open_[at], reach[at])
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
            _reach(graph, root, inside[above], n * n, reach[above], walk)
        if missing[above] >= LOOK_AHEAD:
            for i in range(words):
                whole[i] = inside[at, i] | open_[at, i]
            _reach(graph, root, whole, n * n, found, walk)
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
