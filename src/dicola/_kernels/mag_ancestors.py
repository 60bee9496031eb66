"""Ancestors in a graph as a climb knows it, and whether a move keeps the graph ancestral."""

from __future__ import annotations

import numpy as np

from dicola._kernels.arrays import Bools, Ints
from dicola._kernels.compiled import inner, lean, lean_and_hot
from dicola._kernels.mag_score import CH, PA, SP
from dicola._kernels.mag_state import BACK, BOTH, FORTH, KIND, NO, SEEN, STACK, A, B, State


@inner
def find_ancestors(state: State, ancestors: Bools) -> None:
    """Fill in the ancestors of every vertex, in a topological order."""
    n = len(ancestors)
    stack = state.places[STACK]
    waiting = state.lengths[PA].copy()
    top = 0
    for v in range(n):
        if waiting[v] == 0:
            stack[top] = v
            top += 1
    while top:
        top -= 1
        v = stack[top]
        row = ancestors[v]
        row[:] = False
        row[v] = True
        for i in range(state.lengths[PA, v]):
            above = ancestors[state.lists[PA, v, i]]
            for u in range(n):
                row[u] |= above[u]
        for i in range(state.lengths[CH, v]):
            w = state.lists[CH, v, i]
            waiting[w] -= 1
            if waiting[w] == 0:
                stack[top] = w
                top += 1


@lean
def renew_ancestors(state: State, pair: int, rows: Ints) -> int:
    """After a move that is only tried: renew the rows of ``ancestors[1]`` that it may have changed.

    They are those of the two ends and what is behind them, and go to ``rows``; answers how many.
    """
    before, after = state.ancestors[0], state.ancestors[1]
    a, b = state.pairs[pair, A], state.pairs[pair, B]
    waiting, stack = state.places[SEEN], state.places[STACK]
    count = top = 0
    for v in range(len(before)):
        if before[v, a] or before[v, b]:
            rows[count] = v
            waiting[v] = 1
            count += 1
    for i in range(count):
        v = rows[i]
        for j in range(state.lengths[PA, v]):
            waiting[v] += waiting[state.lists[PA, v, j]] > 0
        if waiting[v] == 1:
            stack[top] = v
            top += 1
    while top:
        top -= 1
        v = stack[top]
        waiting[v] = 0
        row = after[v]
        row[:] = False
        row[v] = True
        for j in range(state.lengths[PA, v]):
            above = after[state.lists[PA, v, j]]
            for u in range(len(row)):
                row[u] |= above[u]
        for j in range(state.lengths[CH, v]):
            w = state.lists[CH, v, j]
            waiting[w] -= 1
            if waiting[w] == 1:
                stack[top] = w
                top += 1
    return count


@lean
def forget_ancestors(state: State, rows: Ints, count: int) -> None:
    """Make the first ``count`` rows of ``ancestors[1]`` again those of the graph."""
    for i in range(count):
        for u in range(len(state.value)):
            state.ancestors[1, rows[i], u] = state.ancestors[0, rows[i], u]


@lean_and_hot
def _leads(state: State, ancestors: Bools, u: int, v: int, without: int) -> bool:
    """Is u an ancestor of v, even without the edge u -> ``without`` (-1: with all edges)?"""
    if without < 0 or u == v:
        return bool(ancestors[v, u])
    for i in range(state.lengths[CH, u]):
        c = state.lists[CH, u, i]
        if c != without and ancestors[v, c]:
            return True
    return False


@inner
def _leads_otherwise(state: State, ancestors: Bools, x: int, y: int, u: int, v: int) -> bool:
    """Does a directed path lead from x to y that does not go over the edge u -> v?"""
    stack, seen = state.places[STACK], state.places[SEEN]
    stack[0] = x
    seen[x] = 1
    top = count = 1
    found = False
    visited = np.empty(len(ancestors), np.int64)
    visited[0] = x
    while top and not found:
        top -= 1
        w = stack[top]
        for i in range(state.lengths[CH, w]):
            c = state.lists[CH, w, i]
            if (w == u and c == v) or seen[c] or not ancestors[y, c]:
                continue
            if c == y:
                found = True
                break
            seen[c] = 1
            visited[count] = stack[top] = c
            count += 1
            top += 1
    for i in range(count):
        seen[visited[i]] = 0
    return found


@inner
def _comes_before(state: State, ancestors: Bools, x: int, u: int, without: int) -> bool:
    """Is x an ancestor of u, even without the edge ``without`` -> u (-1: with all edges)?"""
    if without < 0 or x == u:
        return bool(ancestors[u, x])
    for i in range(state.lengths[PA, u]):
        q = state.lists[PA, u, i]
        if q != without and ancestors[q, x]:
            return True
    return False


@inner
def _obeys(state: State, ancestors: Bools, pair: int, kind: int) -> bool:
    """Does a move leave what is known beforehand as it is?"""
    if state.closed[pair, kind]:
        return False
    a, b, old = state.pairs[pair, A], state.pairs[pair, B], state.pairs[pair, KIND]
    if old in (FORTH, BACK):  # this arrow goes
        u, v = (a, b) if old == FORTH else (b, a)
        for i in range(len(state.needed)):
            x, y = state.needed[i, 0], state.needed[i, 1]
            if ancestors[u, x] and ancestors[y, v] and not _leads_otherwise(state, ancestors, x, y, u, v):
                return False
    if len(state.barred) == 0 or kind in (NO, BOTH):
        return True
    u, v = (a, b) if kind == FORTH else (b, a)  # this one comes
    turned = old == (BACK if kind == FORTH else FORTH)
    for x in range(len(ancestors)):
        if not ancestors[u, x] or not _comes_before(state, ancestors, x, u, v if turned else -1):
            continue
        for y in range(len(ancestors)):
            if state.barred[x, y] and _leads(state, ancestors, v, y, u if turned else -1):
                return False
    return True


@lean_and_hot
def is_valid(state: State, ancestors: Bools, pair: int, kind: int) -> bool:
    """Is the graph still ancestral after the move, and does it obey what is known beforehand?"""
    if len(state.closed) and not _obeys(state, ancestors, pair, kind):
        return False
    if kind == NO:
        return True
    a, b = state.pairs[pair, A], state.pairs[pair, B]
    old = state.pairs[pair, KIND]
    if kind == BOTH:
        forth, back = b if old == FORTH else -1, a if old == BACK else -1
        return not _leads(state, ancestors, a, b, forth) and not _leads(state, ancestors, b, a, back)
    u, v = (a, b) if kind == FORTH else (b, a)  # the new edge is u -> v
    turned = old == (BACK if kind == FORTH else FORTH)
    without = u if turned else -1  # v -> u goes
    if _leads(state, ancestors, v, u, without):
        return False
    for x in range(len(ancestors)):  # no x <-> y with x before u and y behind v
        if state.lengths[SP, x] == 0 or not ancestors[u, x]:
            continue
        if turned and x != u:
            before = False
            for i in range(state.lengths[PA, u]):
                q = state.lists[PA, u, i]
                before |= q != v and ancestors[q, x]
            if not before:
                continue
        for i in range(state.lengths[SP, x]):
            y = state.lists[SP, x, i]
            if (x != u or y != v) and _leads(state, ancestors, v, y, without):
                return False
    return True
