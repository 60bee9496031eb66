"""How many marks of a MAG all graphs of its class share, as far as colliders and four rules tell.

These are the marks that R0 to R3 and R8 put (Zhang 2008). As the MAG is at hand, a rule decides only whether a mark is settled, never
which one it is. R4, R9 and R10 need paths and hardly ever add to the count; without them it takes a few microseconds a graph.
"""

from __future__ import annotations

import numpy as np

from dicola._kernels.arrays import Bools, Ints, Small
from dicola._kernels.compiled import inlined, kernel, lean
from dicola._kernels.mag_state import BACK, BOTH, FORTH, NO
from dicola._kernels.stopping import heed

_NONE, _TAIL, _ARROW = 0, 1, 2  # ends[u, v]: the mark at v of the edge between the two


@inlined
def _put(ends: Small, a: int, b: int, kind: int) -> None:
    """Give the edge a - b a kind."""
    ends[b, a] = _NONE if kind == NO else _ARROW if kind in (BACK, BOTH) else _TAIL
    ends[a, b] = _NONE if kind == NO else _ARROW if kind in (FORTH, BOTH) else _TAIL


@inlined
def _list_neighbours(ends: Small, v: int, around: Ints, degrees: Ints) -> None:
    """The neighbours of a vertex, sorted."""
    degrees[v] = 0
    for w in range(len(ends)):
        if ends[v, w] != _NONE:
            around[v, degrees[v]] = w
            degrees[v] += 1


@inlined
def _settle_colliders(ends: Small, around: Ints, degrees: Ints, settled: Bools) -> None:
    """R0: arrowheads that meet at a vertex, of two that are not joined."""
    for b in range(len(ends)):
        for i in range(degrees[b]):
            a = around[b, i]
            for j in range(i):
                c = around[b, j]
                if ends[a, b] == _ARROW and ends[c, b] == _ARROW and ends[a, c] == _NONE:
                    settled[a, b] = settled[c, b] = True


@lean
def _settle_beyond(ends: Small, around: Ints, degrees: Ints, settled: Bools, a: int, b: int) -> bool:
    """What an arrowhead a *-> b settles at the other edges of b, and at those between a and their ends; was it anything?"""
    is_new = False
    out_of_a = ends[b, a] == _TAIL and settled[b, a]
    for i in range(degrees[b]):
        c = around[b, i]
        if c == a:
            continue
        if ends[a, c] == _NONE:
            if ends[c, b] == _TAIL and not (settled[c, b] and settled[b, c]):  # R1: no collider, so a *-> b -> c
                settled[c, b] = settled[b, c] = is_new = True
            elif settled[c, b] and ends[c, b] == _ARROW:  # R3: a *-> b <-* c, and d next to all three is no collider
                for j in range(degrees[b]):
                    d = around[b, j]
                    if d in (a, c) or settled[d, b] or ends[a, d] == _NONE or ends[c, d] == _NONE:
                        continue
                    if ends[d, b] == _ARROW and not (ends[a, d] == _ARROW and ends[c, d] == _ARROW):
                        settled[d, b] = is_new = True
        elif ends[b, c] == _ARROW and settled[b, c]:
            out_of_b = ends[c, b] == _TAIL and settled[c, b]
            if ends[a, c] == _ARROW and not settled[a, c] and (out_of_a or out_of_b):  # R2: a -> b *-> c or a *-> b -> c
                settled[a, c] = is_new = True
            if out_of_a and out_of_b and settled[a, c] and not settled[c, a]:  # R8: a -> b -> c
                settled[c, a] = is_new = True
    return is_new


@lean
def _count(ends: Small, around: Ints, degrees: Ints, settled: Bools) -> int:
    """The number of settled marks."""
    for v in range(len(ends)):
        for i in range(degrees[v]):
            settled[v, around[v, i]] = False  # what others hold is never read
    _settle_colliders(ends, around, degrees, settled)
    is_new = True
    while is_new:
        is_new = False
        for b in range(len(ends)):
            for i in range(degrees[b]):
                a = around[b, i]
                if ends[a, b] == _ARROW and settled[a, b]:
                    is_new |= _settle_beyond(ends, around, degrees, settled, a, b)
    found = 0
    for v in range(len(ends)):
        for i in range(degrees[v]):
            found += settled[v, around[v, i]]
    return found


@kernel
def count_settled(pairs: Ints, kinds: Ints, n: int, moves: Ints) -> Ints:
    """The settled marks of a graph, and after each of some moves from it, a row with a pair and its new kind each."""
    ends, settled = np.zeros((n, n), np.int8), np.zeros((n, n), np.bool_)
    around, degrees = np.zeros((n, n), np.int64), np.zeros(n, np.int64)
    found = np.zeros(len(moves) + 1, np.int64)
    for pair in range(len(pairs)):
        _put(ends, pairs[pair, 0], pairs[pair, 1], kinds[pair])
    for v in range(n):
        _list_neighbours(ends, v, around, degrees)
    found[0] = _count(ends, around, degrees, settled)
    for i in range(len(moves)):
        heed(0)
        a, b = pairs[moves[i, 0], 0], pairs[moves[i, 0], 1]
        for kind in (moves[i, 1], kinds[moves[i, 0]]):  # there and back
            _put(ends, a, b, kind)
            _list_neighbours(ends, a, around, degrees)
            _list_neighbours(ends, b, around, degrees)
            if kind == moves[i, 1]:
                found[i + 1] = _count(ends, around, degrees, settled)
    return found
