"""Search for a good order of the variables, on the correlation matrix or on blocks of columns.

What ``parent_search`` or ``block_parents`` knows of the trails tells which variables a move touches, so that few of the
searches it asks for have to be made.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola._kernels.arrays import Bools, Floats, Ints
from dicola._kernels.bits import NONE, Words, slot_of
from dicola._kernels.compiled import inlined, kernel, lean, lean_and_hot
from dicola._kernels.scored_parents import AnyRoom, AnyTerms, AnyTrails, changes, first_change, least_share, room_for, search
from dicola._kernels.stopping import heed

_AHEAD = 32  # candidates that are asked about at a time
Numbers = NDArray[np.int32]
# by how much one place must be better than another; orders of one Markov class differ by rounding
# only
GAIN = 1e-6


class Memory(NamedTuple):
    """What a search has found out, so that it asks no question twice.

    The key of a set is the exclusive or of those of its members.
    """

    barred: Bools  # [u, v]: u is no parent of v; empty where any may be of any
    keys: Words  # by variable, as a member of a set; then by variable, as the one behind the set
    known: Words  # [v, k]: the set of the k others before v, as the one behind it, whose score is ``own[v, k]``
    own: Floats
    calm: Numbers  # [v, u]: the number of the trail of v that u as one more candidate does not change
    trail: Numbers  # by variable: the number of its trail, from 1 on
    tried: Words  # sets behind which a variable was tried, by key, with the scores found
    scores: Floats
    looked: Ints  # by variable: how many moves were made when it was found to stand well
    moves: Ints  # how many were made so far


class Tally(NamedTuple):
    """How many variables were dealt with, the moves and the searches made.

    Where these are not all, the trails must get more room before the rest.
    """

    done: int
    moves: int
    searches: int


class Tuck(NamedTuple):
    """An order, and what comes of it when a variable and its ancestors go to before one of its parents."""

    places: Ints  # by variable: where it stands now
    moved: Bools  # by variable: does it go?
    touched: Bools  # by place in the changed order: may the trail of the one there change?
    changed: Ints  # the order after it
    before: Words  # by place: the key of the set before it


class Outlook(NamedTuple):
    """What it would change if one variable stood elsewhere."""

    others: Ints  # all other variables, in their order
    helps: Floats  # how the score of each changes when the variable comes before it
    touched: Bools  # does its trail change?
    pool: Ints  # those before one of the others


@kernel
def start(terms: AnyTerms, trails: AnyTrails, order: Ints) -> bool:
    """Trails, parents and scores in this order; ``False`` where a trail outgrows its room."""
    return _start(terms, trails, room_for(terms, trails), order)


@lean
def _start(terms: AnyTerms, trails: AnyTrails, room: AnyRoom, order: Ints) -> bool:
    for k in range(len(order)):
        heed(0)
        if not search(terms, trails, room, order[k], order[k], order, k):
            return False
    return True


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


@lean_and_hot
def _changes(terms: AnyTerms, trails: AnyTrails, room: AnyRoom, memory: Memory, v: int, u: int, least: float) -> bool:
    """Would u as one more candidate change the trail of v?"""
    if changes(terms, trails, room, v, v, u, least):
        return True
    memory.calm[v, u] = memory.trail[v]
    return False


@lean
def _renew(terms: AnyTerms, trails: AnyTrails, room: AnyRoom, memory: Memory, v: int, order: Ints, place: int) -> bool:
    """Search the parents of v anew, once it stands at this place; ``False`` where its trail outgrows its room."""
    memory.trail[v] += 1
    return search(terms, trails, room, v, v, order, place)


@inlined
def _look_out(terms: AnyTerms, trails: AnyTrails, room: AnyRoom, memory: Memory, outlook: Outlook, v: int, place: int) -> tuple[int, bool]:
    """Fill in the outlook of v, which stands at this place.

    Answers the number of searches made, and whether all found room.
    """
    others, helps, touched, pool = outlook
    calm, trail, barred = memory.calm, memory.trail, memory.barred
    least, n, searches = least_share(terms), len(others) + 1, 0
    any_barred = len(barred) > 0
    key, filled = NONE, 0
    for k in range(len(others)):
        w = others[k]
        helps[k], touched[k] = 0.0, False
        if any_barred and barred[v, w]:
            pass
        elif k < place:
            touched[k] = calm[w, v] != trail[w] and _changes(terms, trails, room, memory, w, v, least)
        else:
            for i in range(trails.lengths[w]):
                touched[k] |= trails.taken[w, i] == v
        if touched[k]:
            sought = key ^ memory.keys[n + w] ^ (memory.keys[v] if k < place else NONE)
            at = slot_of(memory.tried, sought)
            if memory.tried[at] != sought:
                heed(0)
                for i in range(filled, k):
                    pool[i] = others[i]
                filled = k
                pool[k] = v
                if not search(terms, trails, room, n, w, pool, k + 1 if k < place else k):
                    return searches, False
                searches += 1
                memory.tried[at], memory.scores[at] = sought, trails.scores[n]
            change = memory.scores[at] - trails.scores[w]
            helps[k] = change if k < place else -change
        key ^= memory.keys[w]
    return searches, True


@inlined
def _score_places(terms: AnyTerms, trails: AnyTrails, room: AnyRoom, memory: Memory, others: Ints, v: int) -> tuple[int, bool]:
    """Fill in the scores of v at every place among the others.

    Answers the number of searches made, and whether all found room.
    """
    keys, known, own = memory.keys, memory.known, memory.own
    tried, searches = len(others) + 1, 0
    # is the trail that is tried that of v behind the others before? which of these behind it leave it as it is, and does the next not?
    key, fresh, calm, ends = keys[tried + v], False, 0, False
    for k in range(len(others) + 1):
        if known[v, k] == key:
            fresh = False
        else:
            if fresh and k > calm and not ends:
                until = min(calm + _AHEAD, len(others))
                calm = first_change(terms, trails, room, tried, v, others, k - 1, until)
                ends = calm < until
            if not fresh or k > calm:
                heed(0)
                if not search(terms, trails, room, tried, v, others, k):
                    return searches, False
                searches += 1
                fresh, calm, ends = True, k, False
            known[v, k], own[v, k] = key, trails.scores[tried]
        if k < len(others):
            key ^= keys[others[k]]
    return searches, True


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
    p = len(order)
    outlook = Outlook(np.empty(p - 1, np.int64), np.empty(p - 1), np.zeros(p - 1, np.bool_), np.empty(p - 1, np.int64))
    return _sweep(terms, trails, room_for(terms, trails), memory, outlook, order, which)


@lean
def _sweep(terms: AnyTerms, trails: AnyTrails, room: AnyRoom, memory: Memory, outlook: Outlook, order: Ints, which: Ints) -> Tally:
    p = len(order)
    others, touched = outlook.others, outlook.touched
    moves = searches = 0
    for done in range(len(which)):
        v = which[done]
        if memory.looked[v] == memory.moves[0]:
            continue
        place = 0
        while order[place] != v:
            place += 1
        for k in range(p - 1):
            others[k] = order[k] if k < place else order[k + 1]
        made, fits = _look_out(terms, trails, room, memory, outlook, v, place)
        searches += made
        if not fits:
            return Tally(done, moves, searches)
        made, fits = _score_places(terms, trails, room, memory, others, v)
        searches += made
        if not fits:
            return Tally(done, moves, searches)
        target = _best_place(outlook.helps, memory.own[v], place)
        if target == place:
            memory.looked[v] = memory.moves[0]
            continue
        moves += 1
        memory.moves[0] += 1
        for k in range(p):
            order[k] = others[k] if k < target else (v if k == target else others[k - 1])
        for k in range(min(place, target), max(place, target) + 1):
            w = order[k]
            if w == v or touched[k if k < target else k - 1]:
                fits &= _renew(terms, trails, room, memory, w, order, k)
                searches += 1
        if not fits:  # the move is made, and who goes on begins with trails of this order
            return Tally(done, moves, searches)
    return Tally(len(which), moves, searches)


@inlined
def _part(trails: AnyTrails, order: Ints, places: Ints, moved: Bools, changed: Ints, v: int, begin: int) -> int:
    """Mark v and its ancestors behind the place ``begin``; answers how many they are.

    The order in which they come before it is written to ``changed``, from that place to that of v.
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
def tuck(terms: AnyTerms, trails: AnyTrails, memory: Memory, order: Ints, which: Ints) -> Tally:
    """Move each of some variables to before one of its parents, where it pays.

    Each takes its ancestors in between along.
    """
    p = len(order)
    look = Tuck(np.empty(p, np.int64), np.zeros(p, np.bool_), np.zeros(p, np.bool_), order.copy(), np.zeros(p + 1, np.uint64))
    return _tuck(terms, trails, room_for(terms, trails), memory, look, order, which)


@lean
def _tuck(terms: AnyTerms, trails: AnyTrails, room: AnyRoom, memory: Memory, look: Tuck, order: Ints, which: Ints) -> Tally:
    p, tried, least = len(order), len(order), least_share(terms)
    places, moved, touched, changed, before = look
    calm, trail, bars = memory.calm, memory.trail, terms.bars
    moves = searches = 0
    for k in range(p):
        places[order[k]] = k
        before[k + 1] = before[k] ^ memory.keys[order[k]]
    for done in range(len(which)):
        v = which[done]
        at = 0
        while at < trails.counts[v]:
            begin, end = places[trails.parents[v, at]], places[v]
            at += 1
            heed(0)
            size = _part(trails, order, places, moved, changed, v, begin)
            change, key = 0.0, before[begin]
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
                    number, here = trail[w], places[w]
                    for i in range(begin, begin + size):
                        u = changed[i]
                        if len(bars) and bars[w, u]:
                            continue
                        if calm[w, u] != number and places[u] > here and _changes(terms, trails, room, memory, w, u, least):
                            touched[k] = True
                            break
                if touched[k]:
                    sought = key ^ memory.keys[p + w]
                    slot = slot_of(memory.tried, sought)
                    if memory.tried[slot] != sought:
                        heed(0)
                        if not search(terms, trails, room, tried, w, changed, k):
                            return Tally(done, moves, searches)
                        searches += 1
                        memory.tried[slot], memory.scores[slot] = sought, trails.scores[tried]
                    change += memory.scores[slot] - trails.scores[w]
                key ^= memory.keys[w]
            for k in range(begin, end + 1):
                moved[order[k]] = False
            if change >= -GAIN:
                for k in range(begin, end + 1):
                    changed[k] = order[k]
                continue
            moves += 1
            memory.moves[0] += 1
            for k in range(begin, end + 1):
                order[k] = changed[k]
                places[changed[k]] = k
                before[k + 1] = before[k] ^ memory.keys[changed[k]]
            fits = True
            for k in range(begin, end + 1):
                if touched[k]:
                    fits &= _renew(terms, trails, room, memory, order[k], order, k)
                    searches += 1
            if not fits:
                return Tally(done, moves, searches)
            at = 0
    return Tally(len(which), moves, searches)
