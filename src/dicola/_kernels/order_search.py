"""Search for a good order of the variables, on the correlation matrix.

What ``parent_search`` knows of the trails tells which variables a move touches, so that few of the searches it asks for have to be made.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dicola._kernels.parent_search import changes, search

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Words = NDArray[np.uint64]

GAIN = 1e-6  # by how much one place must be better than another; orders of one Markov class differ by rounding only


@njit(cache=True, nogil=True, error_model="numpy")
def start(
    correlation: Floats,
    n: float,
    penalty: float,
    order: Ints,
    factors: Floats,
    alongs: Floats,
    trails: Ints,
    lengths: Ints,
    parents: Ints,
    counts: Ints,
    scores: Floats,
) -> bool:
    """Trails, parents and scores of all variables in this order; ``False`` where a trail outgrows its room."""
    p, room = trails.shape
    rows, left = np.empty((room, p)), np.empty((2, p))
    for k in range(p):
        v = order[k]
        lengths[v], counts[v], scores[v] = search(
            correlation, n, penalty, v, order, k, factors[v], alongs[v], trails[v], rows, left, parents[v]
        )
        if lengths[v] < 0:
            return False
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def sweep(
    first: int,
    last: int,
    correlation: Floats,
    n: float,
    penalty: float,
    order: Ints,
    factors: Floats,
    alongs: Floats,
    trails: Ints,
    lengths: Ints,
    parents: Ints,
    counts: Ints,
    scores: Floats,
    keys: Words,
    known: Words,
    own: Floats,
) -> tuple[int, int, bool]:
    """Move each variable from ``first`` up to ``last`` to its best place, if that is better than where it stands.

    ``own[v, k]`` is the score of v behind k others, known for the set of others whose key is ``known[v, k]``. Answers the number of
    moves and of searches, and whether every trail found room; where one did not, nothing is to be made of the state.
    """
    p, room = trails.shape
    least = 1.0 - np.exp(-penalty / n)
    rows, left, row = np.empty((room, p)), np.empty((2, p)), np.empty(room)
    factor, along, trail, found = np.zeros((room, room)), np.empty((3, room)), np.empty(room, np.int64), np.empty(room, np.int64)
    others, pool = np.empty(p, np.int64), np.empty(p, np.int64)
    helps = np.empty(p)  # how the score of the variable at this place changes when v comes before it
    touched = np.zeros(p, np.bool_)
    moves = searches = 0
    for v in range(first, last):
        place = 0
        while order[place] != v:
            place += 1
        for k in range(p - 1):
            others[k] = order[k] if k < place else order[k + 1]

        for k in range(p - 1):
            w = others[k]
            helps[k], touched[k] = 0.0, False
            if k < place:
                if changes(correlation, least, w, v, factors[w], alongs[w], trails[w], lengths[w], row):
                    for i in range(k):
                        pool[i] = others[i]
                    pool[k] = v
                    taken, _, score = search(correlation, n, penalty, w, pool, k + 1, factor, along, trail, rows, left, found)
                    if taken < 0:
                        return moves, searches, False
                    searches += 1
                    helps[k], touched[k] = score - scores[w], True
            else:
                for i in range(lengths[w]):
                    if trails[w, i] == v:
                        taken, _, score = search(correlation, n, penalty, w, others, k, factor, along, trail, rows, left, found)
                        if taken < 0:
                            return moves, searches, False
                        searches += 1
                        helps[k], touched[k] = scores[w] - score, True
                        break

        key, taken, score = np.uint64(0), -1, 0.0
        for k in range(p):
            if known[v, k] == key and not np.isnan(own[v, k]):
                taken = -1
            else:
                if taken < 0 or changes(correlation, least, v, others[k - 1], factor, along, trail, taken, row):
                    taken, _, score = search(correlation, n, penalty, v, others, k, factor, along, trail, rows, left, found)
                    if taken < 0:
                        return moves, searches, False
                    searches += 1
                known[v, k], own[v, k] = key, score
            if k < p - 1:
                key ^= keys[others[k]]

        best, target = 0.0, place
        change = 0.0
        for k in range(place - 1, -1, -1):
            change += helps[k]
            if change + own[v, k] - own[v, place] < best - GAIN:
                best, target = change + own[v, k] - own[v, place], k
        change = 0.0
        for k in range(place, p - 1):
            change -= helps[k]
            if change + own[v, k + 1] - own[v, place] < best - GAIN:
                best, target = change + own[v, k + 1] - own[v, place], k + 1
        if target == place:
            continue

        moves += 1
        for k in range(p):
            order[k] = others[k] if k < target else (v if k == target else others[k - 1])
        for k in range(min(place, target), max(place, target) + 1):
            w = order[k]
            if w == v or touched[k if k < target else k - 1]:
                lengths[w], counts[w], scores[w] = search(
                    correlation, n, penalty, w, order, k, factors[w], alongs[w], trails[w], rows, left, parents[w]
                )
                searches += 1
    return moves, searches, True


@njit(cache=True, nogil=True, error_model="numpy")
def tuck(
    first: int,
    last: int,
    correlation: Floats,
    n: float,
    penalty: float,
    order: Ints,
    factors: Floats,
    alongs: Floats,
    trails: Ints,
    lengths: Ints,
    parents: Ints,
    counts: Ints,
    scores: Floats,
) -> tuple[int, int, bool]:
    """Move variables from ``first`` up to ``last`` to before one of their parents, each with its ancestors in between, where it pays.

    Answers the number of moves and of searches, and whether every trail found room, as ``sweep`` does.
    """
    p, room = trails.shape
    least = 1.0 - np.exp(-penalty / n)
    rows, left, row = np.empty((room, p)), np.empty((2, p)), np.empty(room)
    factor, along, trail, found = np.zeros((room, room)), np.empty((3, room)), np.empty(room, np.int64), np.empty(room, np.int64)
    place, moved, touched = np.empty(p, np.int64), np.zeros(p, np.bool_), np.zeros(p, np.bool_)
    changed = np.empty(p, np.int64)
    moves = searches = 0
    for k in range(p):
        place[order[k]] = k
    for v in range(first, last):
        at = 0
        while at < counts[v]:
            u = parents[v, at]
            at += 1
            begin, end = place[u], place[v]
            size = 0  # how many move: v and its ancestors behind u
            moved[v] = True
            for k in range(end, begin, -1):
                w = order[k]
                if moved[w]:
                    size += 1
                    for i in range(counts[w]):
                        if place[parents[w, i]] > begin:
                            moved[parents[w, i]] = True
            for k in range(begin):
                changed[k] = order[k]
            front, back = begin, begin + size
            for k in range(begin, end + 1):
                w = order[k]
                if moved[w]:
                    changed[front] = w
                    front += 1
                else:
                    changed[back] = w
                    back += 1
            change = 0.0
            for k in range(begin, end + 1):
                w = changed[k]
                touched[k] = False
                if moved[w]:
                    for i in range(lengths[w]):
                        t = trails[w, i]
                        if begin <= place[t] < place[w] and not moved[t]:
                            touched[k] = True
                            break
                else:
                    for i in range(begin, begin + size):
                        if place[changed[i]] > place[w] and changes(
                            correlation, least, w, changed[i], factors[w], alongs[w], trails[w], lengths[w], row
                        ):
                            touched[k] = True
                            break
                if touched[k]:
                    taken, _, score = search(correlation, n, penalty, w, changed, k, factor, along, trail, rows, left, found)
                    if taken < 0:
                        return moves, searches, False
                    searches += 1
                    change += score - scores[w]
            for k in range(begin, end + 1):
                moved[order[k]] = False
            if change >= -GAIN:
                continue
            moves += 1
            for k in range(begin, end + 1):
                w = changed[k]
                order[k] = w
                place[w] = k
            for k in range(begin, end + 1):
                if touched[k]:
                    w = order[k]
                    lengths[w], counts[w], scores[w] = search(
                        correlation, n, penalty, w, order, k, factors[w], alongs[w], trails[w], rows, left, parents[w]
                    )
                    searches += 1
            at = 0
    return moves, searches, True
