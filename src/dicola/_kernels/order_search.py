"""Search for a good order of the variables, on the correlation matrix or on blocks of columns.

What ``parent_search`` or ``block_parents`` knows of the trails tells which variables a move touches, so that few of the
searches it asks for have to be made.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dicola._kernels.arrays import Bools, Floats, Ints
from dicola._kernels.bits import Words
from dicola._kernels.compiled import inlined, kernel
from dicola._kernels.scored_parents import AnyRoom, AnyTerms, AnyTrails, changes, least_share, room_for, search
from dicola._kernels.stopping import heed

# by how much one place must be better than another; orders of one Markov class differ by rounding
# only
GAIN = 1e-6


class Memory(NamedTuple):
    """Scores known: ``own[v, k]`` is that of v behind the k others whose key is ``known[v, k]``."""

    keys: Words  # by variable; the key of a set is the exclusive or of those of its members
    known: Words
    own: Floats


class Tally(NamedTuple):
    """The moves and the searches made, and whether every trail found room.

    If not, nothing is to be made of the state.
    """

    moves: int
    searches: int
    fits: bool


class Outlook(NamedTuple):
    """What it would change if one variable stood elsewhere."""

    others: Ints  # all other variables, in their order
    helps: Floats  # how the score of each changes when the variable comes before it
    touched: Bools  # does its trail change?


@kernel
def start(terms: AnyTerms, trails: AnyTrails, order: Ints) -> bool:
    """Trails, parents and scores in this order; ``False`` where a trail outgrows its room."""
    room, fits = room_for(terms, trails), True
    for k in range(len(order)):
        heed(0)
        fits = fits and search(terms, trails, room, order[k], order[k], order, k)
    return fits


@kernel
def near_changes(trails: AnyTrails, parents: Ints, counts: Ints) -> Ints:
    """Variables whose parents are others than these, and those next to them, before or now."""
    p = len(trails.counts) - 1
    changed, near = np.zeros(p, np.bool_), np.zeros(p, np.bool_)
    for v in range(p):
        changed[v] = counts[v] != trails.counts[v]
        for i in range(trails.counts[v]):
            known = False
            for j in range(counts[v]):
                known |= parents[v, j] == trails.parents[v, i]
            changed[v] |= not known
    for v in range(p):
        near[v] |= changed[v]
        for now in range(2):
            for i in range(trails.counts[v] if now else counts[v]):
                u = trails.parents[v, i] if now else parents[v, i]
                near[u] |= changed[v]
                near[v] |= changed[u]
    return np.flatnonzero(near)


@inlined
def _look_out(terms: AnyTerms, trails: AnyTrails, room: AnyRoom, outlook: Outlook, v: int, place: int) -> int:
    """Fill in the outlook of v, which stands at this place.

    Answers the number of searches made, or -1 where one found no room.
    """
    others, helps, touched = outlook
    least, tried, searches = least_share(terms), len(others) + 1, 0
    pool = np.empty(len(others), np.int64)
    for k in range(len(others)):
        w = others[k]
        helps[k], touched[k] = 0.0, False
        if k < place:
            touched[k] = changes(terms, trails, room, w, w, v, least)
        else:
            for i in range(trails.lengths[w]):
                touched[k] |= trails.taken[w, i] == v
        if not touched[k]:
            continue
        heed(0)
        for i in range(k):
            pool[i] = others[i]
        pool[k] = v
        if not search(terms, trails, room, tried, w, pool, k + 1 if k < place else k):
            return -1
        searches += 1
        change = trails.scores[tried] - trails.scores[w]
        helps[k] = change if k < place else -change
    return searches


@inlined
def _score_places(terms: AnyTerms, trails: AnyTrails, room: AnyRoom, memory: Memory, others: Ints, v: int) -> int:
    """Fill in the scores of v at every place among the others.

    Answers the number of searches made, or -1 where one found no room.
    """
    keys, known, own = memory
    least, tried, searches = least_share(terms), len(others) + 1, 0
    # is the trail that is tried that of v behind the others before?
    key, fresh = np.uint64(0), False
    for k in range(len(others) + 1):
        if known[v, k] == key and not np.isnan(own[v, k]):
            fresh = False
        else:
            if not fresh or changes(terms, trails, room, tried, v, others[k - 1], least):
                heed(0)
                if not search(terms, trails, room, tried, v, others, k):
                    return -1
                searches += 1
                fresh = True
            known[v, k], own[v, k] = key, trails.scores[tried]
        if k < len(others):
            key ^= keys[others[k]]
    return searches


@inlined
def _best_place(helps: Floats, own: Floats, place: int) -> int:
    """Where a variable of this place stands best; the nearest of equals, an earlier one first."""
    best, target = 0.0, place
    change = 0.0
    for k in range(place - 1, -1, -1):
        change += helps[k]
        if change + own[k] - own[place] < best - GAIN:
            best, target = change + own[k] - own[place], k
    change = 0.0
    for k in range(place, len(helps)):
        change -= helps[k]
        if change + own[k + 1] - own[place] < best - GAIN:
            best, target = change + own[k + 1] - own[place], k + 1
    return target


@kernel
def sweep(terms: AnyTerms, trails: AnyTrails, memory: Memory, order: Ints, which: Ints) -> Tally:
    """Move each of some variables to its best place, if it is a better one."""
    p, room = len(order), room_for(terms, trails)
    outlook = Outlook(np.empty(p - 1, np.int64), np.empty(p - 1), np.zeros(p - 1, np.bool_))
    others, touched = outlook.others, outlook.touched
    moves = searches = 0
    for v in which:
        place = 0
        while order[place] != v:
            place += 1
        for k in range(p - 1):
            others[k] = order[k] if k < place else order[k + 1]
        for_others = _look_out(terms, trails, room, outlook, v, place)
        for_itself = _score_places(terms, trails, room, memory, others, v)
        if for_others < 0 or for_itself < 0:
            return Tally(moves, searches, False)
        searches += for_others + for_itself
        target = _best_place(outlook.helps, memory.own[v], place)
        if target == place:
            continue
        moves += 1
        for k in range(p):
            order[k] = others[k] if k < target else (v if k == target else others[k - 1])
        for k in range(min(place, target), max(place, target) + 1):
            w = order[k]
            if w == v or touched[k if k < target else k - 1]:
                search(terms, trails, room, w, w, order, k)
                searches += 1
    return Tally(moves, searches, True)


@inlined
def _part(trails: AnyTrails, order: Ints, places: Ints, moved: Bools, changed: Ints, v: int, begin: int) -> int:
    """Mark v and its ancestors behind the place ``begin``; answers how many they are.

    The order in which they come before it is written to ``changed``.
    """
    end, size = places[v], 0
    moved[v] = True
    for k in range(end, begin, -1):
        w = order[k]
        if moved[w]:
            size += 1
            for i in range(trails.counts[w]):
                if places[trails.parents[w, i]] > begin:
                    moved[trails.parents[w, i]] = True
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
    return size


@kernel
def tuck(terms: AnyTerms, trails: AnyTrails, order: Ints, which: Ints) -> Tally:
    """Move each of some variables to before one of its parents, where it pays.

    Each takes its ancestors in between along.
    """
    p, tried, room, least = len(order), len(order), room_for(terms, trails), least_share(terms)
    places, moved, touched = np.empty(p, np.int64), np.zeros(p, np.bool_), np.zeros(p, np.bool_)
    changed = np.empty(p, np.int64)
    moves = searches = 0
    for k in range(p):
        places[order[k]] = k
    for v in which:
        at = 0
        while at < trails.counts[v]:
            begin, end = places[trails.parents[v, at]], places[v]
            at += 1
            heed(0)
            size = _part(trails, order, places, moved, changed, v, begin)
            change = 0.0
            for k in range(begin, end + 1):
                w = changed[k]
                touched[k] = False
                if moved[w]:
                    for i in range(trails.lengths[w]):
                        t = trails.taken[w, i]
                        if begin <= places[t] < places[w] and not moved[t]:
                            touched[k] = True
                            break
                else:
                    for i in range(begin, begin + size):
                        if places[changed[i]] > places[w] and changes(terms, trails, room, w, w, changed[i], least):
                            touched[k] = True
                            break
                if touched[k]:
                    heed(0)
                    if not search(terms, trails, room, tried, w, changed, k):
                        return Tally(moves, searches, False)
                    searches += 1
                    change += trails.scores[tried] - trails.scores[w]
            for k in range(begin, end + 1):
                moved[order[k]] = False
            if change >= -GAIN:
                continue
            moves += 1
            for k in range(begin, end + 1):
                order[k] = changed[k]
                places[changed[k]] = k
            for k in range(begin, end + 1):
                if touched[k]:
                    search(terms, trails, room, order[k], order[k], order, k)
                    searches += 1
            at = 0
    return Tally(moves, searches, True)
