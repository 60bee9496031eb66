"""Searches in graphs with marks, on matrices."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Words = NDArray[np.uint64]

_SPREAD = np.uint64(0x03F79D71B4CB0A89)  # a de Bruijn sequence
_PLACES = np.zeros(64, np.int64)
for _place in range(64):
    _PLACES[(int(_SPREAD) << _place) % (1 << 64) >> 58] = _place


@njit(cache=True, nogil=True)
def possible_dsep(adjacency: Bools, pairs: Ints, begins: Ints, members: Ints) -> Bools:
    """Row x: what the paths from x lead to on which every inner vertex is a collider or in a triangle with its two neighbours.

    Colliders are the unshielded ones: b between the ends of row i of ``pairs``, not among ``members[begins[i]:begins[i + 1]]``.
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
    starts = np.zeros(n + 1, np.int64)
    for v in range(n):
        starts[v + 1] = starts[v]
        for w in range(n):
            if adjacency[v, w]:
                starts[v + 1] += 1
    indices = np.empty(starts[n], np.int64)
    for v in range(n):
        at = starts[v]
        for w in range(n):
            if adjacency[v, w]:
                indices[at] = w
                at += 1
    found = adjacency.copy()
    passed = np.full(starts[n], -1, np.int64)  # the last root from which the edge at this place was walked
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


@njit(cache=True, nogil=True)
def _bit(words: Words, v: int) -> bool:
    return bool((words[v >> 6] >> np.uint64(v & 63)) & np.uint64(1))


@njit(cache=True, nogil=True)
def _lowest_bit(word: np.uint64) -> int:
    """The place of the lowest bit: one table for all, since the powers of two times this number differ in their first six bits."""
    return int(_PLACES[((word & (~word + np.uint64(1))) * _SPREAD) >> np.uint64(58)])


@njit(cache=True, nogil=True)
def reached(beside: Words, into: Words, root: int, inside: Words, found: Words, taken: Words, stack: Ints) -> None:
    """What the paths from the root lead to whose inner vertices all lie ``inside``; goes to ``found``.

    Vertex sets are rows of words of 64 bits. ``beside[v]`` are the neighbours of v, ``into[v]`` those with an arrowhead at v. ``taken``
    (a row a vertex) and ``stack`` are room; ``taken`` is left empty.
    """
    words = beside.shape[1]
    top = 0
    for i in range(words):
        found[i] = beside[root, i]
        first = inside[i] & beside[root, i]
        while first:
            stack[2 * top] = root
            stack[2 * top + 1] = 64 * i + _lowest_bit(first)
            first &= first - np.uint64(1)
            top += 1
    while top:
        top -= 1
        u, v = stack[2 * top], stack[2 * top + 1]
        through = _bit(into[v], u)
        for i in range(words):
            beyond = beside[v, i] & beside[u, i]
            if through:
                beyond |= into[v, i]
            if u >> 6 == i:
                beyond &= ~(np.uint64(1) << np.uint64(u & 63))
            if root >> 6 == i:
                beyond &= ~(np.uint64(1) << np.uint64(root & 63))
            new = beyond & ~taken[v, i]
            taken[v, i] |= new
            found[i] |= new
            onward = new & inside[i]
            while onward:
                stack[2 * top] = v
                stack[2 * top + 1] = 64 * i + _lowest_bit(onward)
                onward &= onward - np.uint64(1)
                top += 1
    for i in range(words):
        passed = inside[i]
        while passed:
            taken[64 * i + _lowest_bit(passed)] = 0
            passed &= passed - np.uint64(1)


@njit(cache=True, nogil=True)
def within(beside: Words, into: Words, steps: int) -> Words:
    """Row by row what paths of at most this many steps lead to from each vertex."""
    n, words = beside.shape
    found = np.zeros((n, words), np.uint64)
    taken = np.empty((n, words), np.uint64)
    edges = np.empty((2, n * n), np.int64)  # the last steps, and those to be taken next, vertex by vertex behind each other
    for root in range(n if steps else 0):
        taken[:] = 0
        now = 0
        for v in range(n):
            if _bit(beside[root], v):
                edges[0, now] = root * n + v
                now += 1
        for i in range(words):
            found[root, i] = beside[root, i]
        for step in range(1, steps):
            after = 0
            for at in range(now):
                u, v = divmod(edges[(step - 1) & 1, at], n)
                through = _bit(into[v], u)
                for i in range(words):
                    new = beside[v, i] & beside[u, i]
                    if through:
                        new |= into[v, i]
                    for end in (u, root):
                        if end >> 6 == i:
                            new &= ~(np.uint64(1) << np.uint64(end & 63))
                    new &= ~taken[v, i]
                    taken[v, i] |= new
                    found[root, i] |= new
                    while new:
                        edges[step & 1, after] = v * n + 64 * i + _lowest_bit(new)
                        new &= new - np.uint64(1)
                        after += 1
            now = after
            if not now:
                break
    return found


LOOK_AHEAD = 3  # members that must be missing for a look ahead to pay: fewer are tried faster


@njit(cache=True, nogil=True)
def hanging_sets(
    beside: Words,
    into: Words,
    root: int,
    other: int,
    other_pool: Words,
    inside: Words,
    open_: Words,
    reach: Words,
    missing: Ints,
    top: int,
    out: Ints,
) -> tuple[int, int]:
    """The next sets of vertices that paths inside the set join to the root, as many as ``out`` has rows.

    The search is a stack: what is ``inside``, what is still open, what the inside reaches, how many are ``missing``, ``top`` frames in
    all; it is left as it has to be for the next call. A frame takes its first vertex in reach into the frame above it and leaves it out
    of itself, for good; it stays only if enough of what is then open still hangs on the root, so that every frame leads to sets. Sets
    inside ``other_pool`` that hang on ``other`` (-1: none) are left out. Answers the number of sets and the frames left.
    """
    n, words = beside.shape
    found = np.empty(words, np.uint64)
    whole = np.empty(words, np.uint64)
    taken = np.zeros((n, words), np.uint64)
    stack = np.empty(2 * n * n + 2, np.int64)
    count = 0
    while top and count < len(out):
        at = top - 1
        if missing[at] == 0:
            top -= 1
            leave_out = other >= 0
            for i in range(words):
                if inside[at, i] & ~other_pool[i]:
                    leave_out = False
            if leave_out:
                reached(beside, into, other, inside[at], found, taken, stack)
                for i in range(words):
                    if inside[at, i] & ~found[i]:
                        leave_out = False
            if not leave_out:
                _spell(inside[at], out[count])
                count += 1
            continue
        for i in range(words):
            found[i] = open_[at, i] & reach[at, i]
        first = _lowest(found)
        if first < 0:
            top -= 1
            continue
        bit = np.uint64(1) << np.uint64(first & 63)
        open_[at, first >> 6] &= ~bit
        above = at + 1
        for i in range(words):
            inside[above, i] = inside[at, i]
            open_[above, i] = open_[at, i]
        inside[above, first >> 6] |= bit
        missing[above] = missing[at] - 1
        if missing[above]:
            reached(beside, into, root, inside[above], reach[above], taken, stack)
        if missing[above] >= LOOK_AHEAD:
            for i in range(words):
                whole[i] = inside[at, i] | open_[at, i]
            reached(beside, into, root, whole, found, taken, stack)
            for i in range(words):
                open_[at, i] &= found[i]
            if _size(open_[at]) < missing[at]:
                for i in range(words):
                    inside[at, i] = inside[above, i]
                    open_[at, i] = open_[above, i]
                    reach[at, i] = reach[above, i]
                missing[at] = missing[above]
                continue
        top += 1
    return count, top


@njit(cache=True, nogil=True)
def _lowest(words: Words) -> int:
    """The lowest member of a set; -1 if it is empty."""
    for i in range(len(words)):
        if words[i]:
            return 64 * i + _lowest_bit(words[i])
    return -1


@njit(cache=True, nogil=True)
def _size(words: Words) -> int:
    count = 0
    for word in words:
        rest = word
        while rest:
            rest &= rest - np.uint64(1)
            count += 1
    return count


@njit(cache=True, nogil=True)
def _spell(words: Words, out: Ints) -> None:
    """The members of a set, in order."""
    at = 0
    for i in range(len(words)):
        rest = words[i]
        while rest:
            out[at] = 64 * i + _lowest_bit(rest)
            rest &= rest - np.uint64(1)
            at += 1
