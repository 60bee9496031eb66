"""An ancestral graph as a climb knows it: its edges, its score, and what a move is worth.

An edge between a < b is of one kind: 0 none, 1 a -> b, 2 b -> a, 3 a <-> b. A move gives the edge
of one pair another kind. Its worth depends on the districts of a and b alone, whose scores are
found by a 64-bit key (Zobrist 1970): the exclusive or of a number for every member, every arrow
into them and every bidirected edge among them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dicola._kernels.arrays import Bools, Floats, Ints
from dicola._kernels.bits import Words, slot_of
from dicola._kernels.compiled import hot, inlined, lean, lean_and_hot
from dicola._kernels.mag_score import BOUNDED, CH, PA, SP
from dicola._kernels.scored_districts import AnyRoom, AnyTerms, bound_district, score_district
from dicola._kernels.stopping import heed
from dicola._kernels.terms import to_precision

NO, FORTH, BACK, BOTH = 0, 1, 2, 3
A, B, KIND = 0, 1, 2  # columns of ``State.pairs``
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_BOUND = np.uint64(0xD1B54A32D192ED03)  # turns the key of a district into that of the bound of its score


class State(NamedTuple):
    """A graph with all that a climb knows of it; the constants below say what is where."""

    pairs: Ints  # the pairs whose edge may change: a, b, kind of the edge
    starts: Ints  # numbers of the pairs at each vertex, in compressed rows
    incident: Ints
    delta: Floats  # by pair and new kind: what the move would change; where that is beyond all limits, some number beyond them
    tried: Bools  # by pair and new kind: first moves that no second one redeems
    lists: Ints  # sorted neighbours of each vertex, by relation (``mag_score`` says which)
    lengths: Ints
    # row v: v and its ancestors; of the graph, and after one and two moves that are only tried
    ancestors: Bools
    places: Ints
    words: Words
    value: Floats  # score of a district without surcharges, by root
    keys: Words  # the scores found so far, by key; other climbs on the same score may have found them
    scores: Floats
    counts: Ints
    gaps: Floats
    # what is known beforehand: kinds that an edge may not have, by pair, with no rows where nothing is known;
    # [u, v]: no directed path may lead from u to v, empty where ``closed`` sees to it; and pairs that one must join
    closed: Bools
    barred: Bools
    needed: Ints


# places: smallest member of the district of a vertex; size of a district, by root; room; vertices whose moves are worked out anew
ROOT, SIZE, MEMBERS, STACK, SEEN, DONE = 0, 1, 2, 3, 4, 5
OWN, KEY = 0, 1  # words: key of a vertex with the arrows into it; key of a district, by root
# counts: districts asked for their score, moves made, passes made, in the last pass?, all worths known?
FITS, MOVES, PASSES, LAST, READY = 0, 1, 2, 3, 4
# gaps: by how much the next-best graph is worse; what moves that are only tried have cost, with and
# without surcharges
NEXT, SPENT, PLAIN = 0, 1, 2


class Task(NamedTuple):
    """What the score is made of, and the bounds of the climb."""

    terms: AnyTerms
    max_district: int
    threshold: float
    # what three moves, the first two of them free, must gain; infinite where no third is looked for
    third: float
    surcharge: float  # what a bidirected edge costs beyond the price of an edge


@hot
def mixed(code: int) -> np.uint64:
    """A number that looks random, the same for the same code.

    It is the finaliser of SplitMix64 (Steele et al. 2014).
    """
    x = np.uint64(code) * _GOLDEN + _GOLDEN
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@hot
def _arrow_key(a: int, b: int, n: int) -> np.uint64:
    return mixed(n + a * n + b)


@hot
def _joint_key(a: int, b: int, n: int) -> np.uint64:
    return mixed(n + n * n + min(a, b) * n + max(a, b))


@lean
def _list(state: State, relation: int, v: int, w: int, there: bool) -> None:
    """Put w among the parents, children or siblings of v, or take it out."""
    lists, count = state.lists, state.lengths[relation, v]
    state.lengths[relation, v] += 1 if there else -1
    if there:
        at = count
        while at > 0 and lists[relation, v, at - 1] > w:
            lists[relation, v, at] = lists[relation, v, at - 1]
            at -= 1
        lists[relation, v, at] = w
        return
    at = 0
    while lists[relation, v, at] != w:
        at += 1
    for i in range(at, count - 1):
        lists[relation, v, i] = lists[relation, v, i + 1]


@lean_and_hot
def change(state: State, pair: int, kind: int) -> None:
    """Give the edge of a pair another kind, in the lists and keys of its ends alone."""
    n = len(state.value)
    a, b = state.pairs[pair, A], state.pairs[pair, B]
    for step in range(2):
        now = kind if step else state.pairs[pair, KIND]
        if now == BOTH:
            _list(state, SP, a, b, step == 1)
            _list(state, SP, b, a, step == 1)
        elif now != NO:
            u, v = (a, b) if now == FORTH else (b, a)
            state.words[OWN, v] ^= _arrow_key(u, v, n)
            _list(state, PA, v, u, step == 1)
            _list(state, CH, u, v, step == 1)
    state.pairs[pair, KIND] = kind


@lean_and_hot
def district(state: State, start: int, without: int) -> tuple[int, np.uint64]:
    """Collect the district of a vertex in ``members``, sorted.

    The bidirected edge start - ``without`` is left out. Answers its size and its key. With
    ``without = start`` it is the district as it is.
    """
    n = len(state.value)
    places = state.places  # as a whole: a row of it, taken by itself, costs a count of those who hold it
    count = top = 1
    places[MEMBERS, 0] = places[STACK, 0] = start
    places[SEEN, start] = 1
    key = np.uint64(0)
    while top:
        top -= 1
        v = places[STACK, top]
        key ^= state.words[OWN, v]
        for i in range(state.lengths[SP, v]):
            w = state.lists[SP, v, i]
            if (v == start and w == without) or (w == start and v == without):
                continue
            if v < w:
                key ^= _joint_key(v, w, n)
            if places[SEEN, w] == 0:
                places[SEEN, w] = 1
                at = count
                while at > 0 and places[MEMBERS, at - 1] > w:
                    places[MEMBERS, at] = places[MEMBERS, at - 1]
                    at -= 1
                places[MEMBERS, at] = w
                count += 1
                places[STACK, top] = w
                top += 1
    for i in range(count):
        places[SEEN, places[MEMBERS, i]] = 0
    return count, key


@inlined
def _score_or_bound(state: State, task: Task, room: AnyRoom, d: int, key: np.uint64, is_bound: bool, enough: float) -> float:
    """The score of the district of d ``members`` without surcharges, or what it cannot be below; from the table or worked out.

    Of a large district a bound is seldom near enough to be of use, and of a single variable it is the score: there that comes back.
    Of a score that is not below what is ``enough`` it may be told no more than that.
    """
    may_bound = 1 < d <= BOUNDED
    is_bound &= may_bound
    wanted = key ^ _BOUND if is_bound else key
    at = slot_of(state.keys, wanted)
    if state.keys[at] == wanted:
        return float(state.scores[at])
    value, is_score = -np.inf, False
    if is_bound or state.keys[slot_of(state.keys, key ^ _BOUND)] != key ^ _BOUND:  # else it was counted, and bounded, before
        state.counts[FITS] += 1
        if state.counts[FITS] & 15 == 0:
            heed(0)
        if may_bound:
            value, is_score = bound_district(task.terms, state.places[MEMBERS], d, state.lists, state.lengths, room)
    if not is_bound and not is_score:
        limit = enough if may_bound else np.inf
        value, is_score = score_district(task.terms, state.places[MEMBERS], d, state.lists, state.lengths, room, limit)
    wanted = key if is_score else key ^ _BOUND
    at = slot_of(state.keys, wanted)
    state.keys[at], state.scores[at] = wanted, value
    return value


@inlined
def added_surcharge(state: State, task: Task, pair: int, kind: int) -> float:
    """What surcharges contribute to the worth of a move."""
    return float(task.surcharge * (int(kind == BOTH) - int(state.pairs[pair, KIND] == BOTH)))


@lean_and_hot
def worth(state: State, task: Task, room: AnyRoom, pair: int, kind: int, limit: float) -> float:
    """What a move would change in the score; infinite where it would make a district too large.

    Where a bound shows that this is not below the limit, the bound comes back: it costs less than a fit.
    """
    n = len(state.value)
    a, b, old = state.pairs[pair, A], state.pairs[pair, B], state.pairs[pair, KIND]
    root_a, root_b = state.places[ROOT, a], state.places[ROOT, b]
    key_a, key_b = state.words[KEY, root_a], state.words[KEY, root_b]
    into_a, into_b = np.uint64(0), np.uint64(0)  # how arrows change the keys of both ends
    if (old == BACK) != (kind == BACK):
        into_a = _arrow_key(b, a, n)
    if (old == FORTH) != (kind == FORTH):
        into_b = _arrow_key(a, b, n)
    joint = _joint_key(a, b, n) if BOTH in (old, kind) else np.uint64(0)
    one = root_a == root_b  # both ends are in one district before; after the move?
    after_one = one or kind == BOTH
    if kind == BOTH:
        if not one and state.places[SIZE, root_a] + state.places[SIZE, root_b] > task.max_district:
            return np.inf
        key_a = key_a ^ joint if one else key_a ^ key_b ^ joint
    elif old == BOTH:
        d, part = district(state, a, b)
        after_one = False
        for i in range(d):
            after_one |= state.places[MEMBERS, i] == b
        key_a, key_b = part, key_a ^ joint ^ part
    asks_a = after_one or joint != 0 or into_a != 0
    asks_b = not after_one and (joint != 0 or into_b != 0)
    before = change_of_score = 0.0
    if asks_a or one:
        before += state.value[root_a]
    if not one and (asks_b or joint != 0):
        before += state.value[root_b]
    for last in range(0 if limit < np.inf else 1, 2):
        after, is_known = added_surcharge(state, task, pair, kind), True
        for side in range(2):
            if not (asks_b if side else asks_a):
                continue
            key = key_b ^ into_b if side else key_a ^ into_a ^ (into_b if after_one else np.uint64(0))
            at = slot_of(state.keys, key)
            if state.keys[at] == key:
                after += state.scores[at]
                continue
            is_known = False
            change(state, pair, kind)
            start = b if side else a
            size, _ = district(state, start, start)
            is_rest = side == 1 or not asks_b
            after += _score_or_bound(state, task, room, size, key, last == 0, limit + before - after if is_rest else np.inf)
            change(state, pair, old)
        change_of_score = to_precision(after - before)
        if is_known or change_of_score >= limit:
            break
    return change_of_score


@lean
def _settle(state: State, task: Task, room: AnyRoom, first: int, second: int) -> None:
    """Write down members, key and score of the districts of two vertices."""
    for side in range(2):
        start = second if side else first
        d, key = district(state, start, start)
        value = _score_or_bound(state, task, room, d, key, False, np.inf)
        root = state.places[MEMBERS, 0]
        for i in range(d):
            state.places[ROOT, state.places[MEMBERS, i]] = root
        state.places[SIZE, root], state.words[KEY, root], state.value[root] = d, key, value


@lean
def make(state: State, task: Task, room: AnyRoom, pair: int, kind: int, touched: Ints) -> int:
    """Make a move; the members of the districts it touches go to ``touched``. How many are they?"""
    end = 0
    for side in range(2):
        v = state.pairs[pair, B] if side else state.pairs[pair, A]
        if side and state.places[ROOT, v] == state.places[ROOT, state.pairs[pair, A]]:
            continue
        d, _ = district(state, v, v)
        for i in range(d):
            touched[end + i] = state.places[MEMBERS, i]
        end += d
    change(state, pair, kind)
    _settle(state, task, room, state.pairs[pair, A], state.pairs[pair, B])
    return end


@inlined
def set_up(state: State, task: Task, room: AnyRoom) -> None:
    """Build lists, keys and scores of the districts from the kinds of the edges."""
    for v in range(len(state.value)):
        state.words[OWN, v] = mixed(v)
        state.places[ROOT, v] = -1
    for pair in range(len(state.pairs)):
        kind = state.pairs[pair, KIND]
        state.pairs[pair, KIND] = NO
        change(state, pair, kind)
    for v in range(len(state.value)):
        if state.places[ROOT, v] < 0:
            _settle(state, task, room, v, v)


@inlined
def refresh(state: State, task: Task, room: AnyRoom, changed: Ints, count: int, limit: float) -> None:
    """Work out anew what the moves at changed vertices are worth, where that is below a limit.

    What was tried there and at their neighbours is forgotten.
    """
    for i in range(count):
        state.places[DONE, changed[i]] = 0
    for i in range(count):
        v = changed[i]
        state.places[DONE, v] = 1
        for at in range(state.starts[v], state.starts[v + 1]):
            pair = state.incident[at]
            old, w = state.pairs[pair, KIND], state.pairs[pair, A] + state.pairs[pair, B] - v
            for kind in range(4):
                if state.places[DONE, w] == 0:  # else w came first
                    state.delta[pair, kind] = np.inf if kind == old else worth(state, task, room, pair, kind, limit)
                state.tried[pair, kind] = False
            if old != NO:
                for beyond in range(state.starts[w], state.starts[w + 1]):
                    for kind in range(4):
                        state.tried[state.incident[beyond], kind] = False
    for i in range(count):
        state.places[DONE, changed[i]] = 0
