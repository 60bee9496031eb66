"""The best parents of a variable among those before it in an order, where variables are blocks of columns.

Parents are grown and shrunk as in ``parent_search``, block by block. Growing takes the candidate that
lowers the score most, its price paid, again and again. What it may take next depends on what it has
taken alone, so all searches for the parents of a variable walk down one tree (the grow-shrink trees of
Andrews et al. 2023): a *node* stands for variables taken, one after the other, and lists as its
*offers* all others that would lower the score now, the best first. A walk takes the first that is in
the pool. A node is worked out once, when a walk first comes to it, and the offers passed over on the
way tell whether one more candidate would change a trail.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from dicola._kernels.arrays import Bools, Floats, Ints
from dicola._kernels.block_algebra import (
    SINGULAR,
    copy_block,
    factorise,
    factorise_inverted,
    factorise_scaled,
    forward,
    log_share_left,
    widest,
)
from dicola._kernels.compiled import inner, lean, lean_and_hot
from dicola._kernels.stopping import heed
from dicola._kernels.terms import BlockTerms

MOST_NODES = 1 << 19  # a tree with more is begun anew
_LARGE = 1 << 20  # numbers that are kept, of the steps of a walk, so that the next one can begin halfway
UNKNOWN = -1


class BlockTrails(NamedTuple):
    """Trails with the parents and the score that come of them, by place as in ``parent_search``; and the trees that they lie in."""

    taken: Ints  # the variables taken, one after the other
    nodes: Ints  # [k]: the node before the k-th step
    lengths: Ints
    parents: Ints
    counts: Ints
    scores: Floats
    roots: Ints  # by variable: the node with nothing taken
    begins: Ints  # by node: where its offers begin
    ends: Ints
    offers: Ints  # variables
    leads: Ints  # the node that taking the offer leads to
    kept: Ints  # by node: where the parents begin that are left of the variables taken, and where they end
    kept_ends: Ints
    values: Floats  # by node: the score with these parents
    listed: Ints  # parents
    used: Ints  # how much of ``begins``, ``offers`` and ``listed`` is used


NODES, OFFERS, LISTED = 0, 1, 2  # of ``BlockTrails.used``
LOWER, INVERSE = 0, 1  # of ``BlockRoom.square``
VARIABLE, DEPTH = 0, 1  # of ``BlockRoom.here``


class BlockRoom(NamedTuple):
    """Arrays to work in. The columns of all candidates lie side by side.

    What is left after each step of a walk is kept, as far as there is room: step k is in slot k, or in the last one.
    """

    here: Ints  # whose walk it is, and how many steps of it were made
    path: Ints  # the variables taken by these, and how many columns were taken before each
    columns_before: Ints
    rows: Floats  # the part of every column of the candidates along each column taken
    starts: Ints  # by variable: where its columns begin in ``rows``; -1: it is no candidate
    columns: Ints  # which columns they are
    own: Floats  # [slot, d, x]: what is left of the covariance of column x with the d-th before it, of the same candidate
    across: Floats  # [slot, c, x]: and of that with the c-th column of v
    left: Floats  # [slot]: of the covariance of v
    lower: Floats  # its factor, inverses on its diagonal
    parts_of: Floats  # [c, x]: the part of column x along the c-th column left of v, once these are unrelated
    told: Floats  # [x]: the sum of their squares
    gains: Floats  # of the offers of a node
    inside: Bools  # by variable: is it in the pool, or taken?
    work: Floats
    rest: Floats  # what some parents leave of the covariance of v
    square: Floats  # the factor of the columns of the parents, and its inverse
    parts: Floats  # the parts of v along them


def make_block_trails(n: int, room: int) -> BlockTrails:
    """Trails for n variables, each of fewer than ``room`` others, and trees of so many nodes as mostly go with that."""
    places, longest = n + 1, min(room, n + 1)
    nodes = max(min(2 * n * room, MOST_NODES), 4 * longest)
    return BlockTrails(
        taken=np.zeros((places, longest), np.int64),
        nodes=np.zeros((places, longest + 1), np.int64),
        lengths=np.zeros(places, np.int64),
        parents=np.zeros((places, longest), np.int64),
        counts=np.zeros(places, np.int64),
        scores=np.zeros(places),
        roots=np.full(n, UNKNOWN),
        begins=np.full(nodes, UNKNOWN),
        ends=np.zeros(nodes, np.int64),
        offers=np.zeros(6 * nodes + n * n, np.int64),
        leads=np.full(6 * nodes + n * n, UNKNOWN),
        kept=np.full(nodes, UNKNOWN),
        kept_ends=np.zeros(nodes, np.int64),
        values=np.zeros(nodes),
        listed=np.zeros(4 * nodes, np.int64),
        used=np.zeros(3, np.int64),
    )


@inner
def make_block_room(terms: BlockTerms, trails: BlockTrails) -> BlockRoom:
    """Room for searches that leave such trails."""
    n, w, longest, total = len(terms.begins) - 1, widest(terms.begins), trails.taken.shape[1], len(terms.covariance)
    columns, slots = longest * w, max(2, min(longest, _LARGE // (2 * w * total)))
    here = np.full(2, UNKNOWN)
    return BlockRoom(
        here,
        np.empty(longest, np.int64),
        np.empty(longest + 1, np.int64),
        np.empty((columns, total)),
        np.empty(n, np.int64),
        np.empty(total, np.int64),
        np.empty((slots, w, total)),
        np.empty((slots, w, total)),
        np.empty((slots, w, w)),
        np.empty((w, w)),
        np.empty((w, total)),
        np.empty(total),
        np.empty(n),
        np.zeros(n, np.bool_),
        np.empty((6, w, w)),
        np.empty((w, w)),
        np.empty((2, columns, columns)),
        np.empty((columns, w)),
    )


@lean_and_hot
def _gain(terms: BlockTerms, v: int, other: int, room: BlockRoom, slot: int) -> float:
    """What a candidate would lower the score by, its price paid; something below 0 where it would not."""
    begins, price = terms.begins, terms.prices[other, v]
    w, wide = begins[v + 1] - begins[v], begins[other + 1] - begins[other]
    most = price / terms.n_samples
    share = log_share_left(room.lower, w, room.own[slot], room.across[slot], room.starts[other], wide, room.work, most)
    return float(-terms.n_samples * share - price)


@lean_and_hot
def _first_gain(terms: BlockTerms, v: int, other: int) -> float:
    """The same where nothing is taken yet; wide blocks would be compared again and again."""
    return float(terms.n_samples * terms.gains[other, v] - terms.prices[other, v])


@lean_and_hot
def _tell(room: BlockRoom, slot: int, w: int, total: int) -> None:
    """Fill in ``told`` for all columns of the candidates."""
    across, parts, told, lower = room.across, room.parts_of, room.told, room.lower
    for c in range(w):
        for x in range(total):
            parts[c, x] = across[slot, c, x]
        for t in range(c):
            step = lower[c, t]
            for x in range(total):
                parts[c, x] -= step * parts[t, x]
        scale = lower[c, c]
        for x in range(total):
            parts[c, x] *= scale
    for x in range(total):
        told[x] = parts[0, x] * parts[0, x]
    for c in range(1, w):
        for x in range(total):
            told[x] += parts[c, x] * parts[c, x]


@lean_and_hot
def _may_gain(terms: BlockTerms, room: BlockRoom, slot: int, v: int, other: int) -> bool:
    """May a candidate gain anything?

    With its own covariance K and its parts P it leaves the share det(I - P' inverse(K) P) of the determinant of v, no less than 1 - s
    with the trace s of what goes, and s is at most the sum of the squares of P over the least eigenvalue of K. K was the identity, and
    of what was taken off it no eigenvalue is above the trace.
    """
    told, left, begin = 0.0, 1.0, room.starts[other]
    for x in range(begin, begin + terms.begins[other + 1] - terms.begins[other]):
        told += room.told[x]
        left -= 1.0 - room.own[slot, 0, x]
    most = terms.prices[v, other] / terms.n_samples
    return not told < most * (left - told)  # -ln(1 - s) is at most s / (1 - s)


@lean_and_hot
def _lay_out(terms: BlockTerms, v: int, room: BlockRoom) -> None:
    """Write the covariances of the columns of all candidates, and with those of v; nothing is taken yet."""
    begins, covariance, starts, columns, own, across = terms.begins, terms.covariance, room.starts, room.columns, room.own, room.across
    total = 0
    for u in range(len(starts)):
        starts[u] = UNKNOWN
        if u == v or (len(terms.bars) and terms.bars[v, u]):
            continue
        starts[u] = total
        for column in range(begins[u], begins[u + 1]):
            columns[total] = column
            total += 1
    for x in range(total):
        own[0, 0, x] = covariance[columns[x], columns[x]]
    for d in range(1, own.shape[1]):
        for x in range(total):
            own[0, d, x] = 0.0
    for c in range(begins[v + 1] - begins[v]):
        for x in range(total):
            across[0, c, x] = covariance[begins[v] + c, columns[x]]
    copy_block(covariance, begins, v, v, room.left[0])
    room.here[VARIABLE], room.here[DEPTH], room.columns_before[0], room.columns_before[len(room.path)] = v, 0, 0, total


@lean_and_hot
def _take(terms: BlockTerms, room: BlockRoom, v: int, new: int, depth: int) -> None:
    """Take the columns of a candidate out of those of all others and of v, one by one."""
    begins, covariance, rows, own, across, left = terms.begins, terms.covariance, room.rows, room.own, room.across, room.left
    w, total, last = begins[v + 1] - begins[v], room.columns_before[len(room.path)], len(own) - 1
    old, now, first = min(depth, last), min(depth + 1, last), room.columns_before[depth]
    for c in range(begins[new + 1] - begins[new]):
        q, at = first + c, room.starts[new] + c
        variance = own[old, 0, at]
        if variance > SINGULAR:
            scale = 1.0 / sqrt(variance)
            for x in range(total):
                rows[q, x] = covariance[begins[new] + c, room.columns[x]]
            for i in range(q):
                step = rows[i, at]
                if step != 0.0:
                    for x in range(total):
                        rows[q, x] -= step * rows[i, x]
            for x in range(total):
                rows[q, x] *= scale
        else:  # determined by those before: it says nothing
            scale = 0.0
            for x in range(total):
                rows[q, x] = 0.0
        for x in range(total):
            own[now, 0, x] = own[old, 0, x] - rows[q, x] * rows[q, x]
        for d in range(1, own.shape[1]):  # also between columns of different candidates, which nobody reads
            own[now, d, 0] = own[old, d, 0]
            for x in range(d, total):
                own[now, d, x] = own[old, d, x] - rows[q, x] * rows[q, x - d]
        for a in range(w):
            for b in range(a + 1):
                left[now, a, b] = left[old, a, b] - across[old, a, at] * scale * (across[old, b, at] * scale)
        for b in range(w):
            step = across[old, b, at] * scale
            for x in range(total):
                across[now, b, x] = across[old, b, x] - rows[q, x] * step
        old = now
    room.path[depth], room.here[DEPTH] = new, depth + 1
    room.columns_before[depth + 1] = first + begins[new + 1] - begins[new]


@lean_and_hot
def _go_to(terms: BlockTerms, trails: BlockTrails, room: BlockRoom, place: int, v: int, length: int) -> int:
    """Make the steps of a walk, or those that differ from the walk before; answers the slot of what is left."""
    if room.here[VARIABLE] != v:
        _lay_out(terms, v, room)
    depth, made = 0, room.here[DEPTH]
    while depth < length and depth < made and room.path[depth] == trails.taken[place, depth]:
        depth += 1
    last = len(room.own) - 1
    if made > depth >= last:  # it was written over
        depth = last - 1
    for k in range(depth, length):
        _take(terms, room, v, trails.taken[place, k], k)
    room.here[DEPTH] = length
    return min(length, last)


@lean
def _offer(trails: BlockTrails, room: BlockRoom, begin: int, end: int, u: int, gain: float) -> None:
    """Put an offer where it belongs, among those with better gains before and worse ones behind; of equals the first variable is first."""
    at = end
    while at > begin and (gain > room.gains[at - begin - 1] or (gain == room.gains[at - begin - 1] and u < trails.offers[at - 1])):
        trails.offers[at], room.gains[at - begin] = trails.offers[at - 1], room.gains[at - begin - 1]
        at -= 1
    trails.offers[at], room.gains[at - begin] = u, gain


@lean_and_hot
def _work_out(terms: BlockTerms, trails: BlockTrails, room: BlockRoom, place: int, v: int, length: int) -> bool:
    """List the offers of the node that a walk has come to; ``False`` where there is no room for them."""
    n, begin, begins = len(room.starts), trails.used[OFFERS], terms.begins
    node, end = trails.nodes[place, length], begin
    if begin + n > len(trails.offers):
        return False
    heed(0)
    if length == 0:
        for u in range(n):
            if u != v and not (len(terms.bars) and terms.bars[v, u]):
                gain = _first_gain(terms, v, u)
                if gain > 0.0:
                    _offer(trails, room, begin, end, u, gain)
                    end += 1
    else:
        slot, w = _go_to(terms, trails, room, place, v, length), begins[v + 1] - begins[v]
        factorise_inverted(room.left[slot], w, room.lower)
        _tell(room, slot, w, room.columns_before[len(room.path)])
        for u in range(n):
            if room.starts[u] < 0 or not _may_gain(terms, room, slot, v, u):
                continue
            is_taken = False
            for k in range(length):
                is_taken |= room.path[k] == u
            if is_taken:
                continue
            gain = _gain(terms, v, u, room, slot)
            if gain > 0.0:
                _offer(trails, room, begin, end, u, gain)
                end += 1
    trails.begins[node], trails.ends[node], trails.used[OFFERS] = begin, end, end
    return True


@lean_and_hot
def _new_node(trails: BlockTrails) -> int:
    """The number of a node that nobody has come to; -1 where there is no room for it."""
    node = trails.used[NODES]
    if node == len(trails.begins):
        return UNKNOWN
    trails.used[NODES] = node + 1
    return int(node)


@lean_and_hot
def _walk(terms: BlockTerms, trails: BlockTrails, room: BlockRoom, place: int, v: int) -> bool:
    """Grow the trail of v among those ``inside``; ``False``: it outgrew its room."""
    if trails.roots[v] < 0:
        trails.roots[v] = _new_node(trails)
    node, length = trails.roots[v], 0
    while node >= 0:
        trails.nodes[place, length], trails.lengths[place] = node, length
        if trails.begins[node] < 0 and not _work_out(terms, trails, room, place, v, length):
            return False
        at, end = trails.begins[node], trails.ends[node]
        while at < end and not room.inside[trails.offers[at]]:
            at += 1
        if at == end:
            return True
        if length + 1 == trails.taken.shape[1]:
            return False
        if trails.leads[at] < 0:
            trails.leads[at] = _new_node(trails)
        trails.taken[place, length] = trails.offers[at]
        node = trails.leads[at]
        length += 1
    return False


@lean_and_hot
def changes_block(terms: BlockTerms, trails: BlockTrails, room: BlockRoom, place: int, v: int, other: int) -> bool:
    """Would ``other`` as one more candidate change the trail of v at this place?"""
    length = trails.lengths[place]
    for k in range(length + 1):
        node = trails.nodes[place, k]
        for at in range(trails.begins[node], trails.ends[node]):
            u = trails.offers[at]
            if u == other:
                return True
            if k < length and u == trails.taken[place, k]:
                break
    return False


@lean
def first_change_of_blocks(
    terms: BlockTerms, trails: BlockTrails, room: BlockRoom, place: int, v: int, pool: Ints, begin: int, end: int
) -> int:
    """The first of ``pool`` from ``begin`` on that would change the trail of v; ``end`` where none before it does."""
    for j in range(begin, end):
        if changes_block(terms, trails, room, place, v, pool[j]):
            return j
    return end


@lean
def _left_of(terms: BlockTerms, v: int, parents: Ints, count: int, room: BlockRoom) -> int:
    """The factor of the columns of some parents, the parts of v along them, what is left of v; how many columns are they?"""
    begins, covariance, w, size = terms.begins, terms.covariance, terms.begins[v + 1] - terms.begins[v], 0
    lower, parts, rest = room.square[LOWER], room.parts, room.rest
    for k in range(count):
        for column in range(begins[parents[k]], begins[parents[k] + 1]):
            at = 0
            for i in range(k + 1):
                for other in range(begins[parents[i]], min(begins[parents[i] + 1], column + 1) if i == k else begins[parents[i] + 1]):
                    lower[size, at] = covariance[column, other]
                    at += 1
            for c in range(w):
                parts[size, c] = covariance[column, begins[v] + c]
            size += 1
    factorise(lower, size, lower)
    forward(lower, size, parts, w, parts)
    copy_block(covariance, begins, v, v, rest)
    for a in range(w):
        for b in range(a + 1):
            for q in range(size):
                rest[a, b] -= parts[q, a] * parts[q, b]
    return size


@lean_and_hot
def _weakest(terms: BlockTerms, v: int, parents: Ints, count: int, room: BlockRoom) -> int:
    """The parent without which the score is lowest, -1 where every one is missed."""
    begins, w = terms.begins, terms.begins[v + 1] - terms.begins[v]
    lower, inverse, parts, rest, work = room.square[LOWER], room.square[INVERSE], room.parts, room.rest, room.work
    own, weights, lower_left = work[3], work[4], work[5]
    size = 0
    for k in range(count):
        size += begins[parents[k] + 1] - begins[parents[k]]
    for c in range(size):
        is_there = lower[c, c] != 0.0
        inverse[c, c] = 1.0 / lower[c, c] if is_there else 0.0
        for r in range(c + 1, size):
            total = 0.0
            if is_there and lower[r, r] != 0.0:
                for i in range(c, r):
                    total -= lower[r, i] * inverse[i, c]
                total /= lower[r, r]
            inverse[r, c] = total
    left = factorise(rest, w, lower_left)
    best, weakest, begin = 0.0, -1, 0
    for k in range(count):
        wide = begins[parents[k] + 1] - begins[parents[k]]
        # Without a block b the covariance left of v grows by weightsᵀ · own⁻¹ · weights, with the slopes on b and its part of the
        # inverse covariance of all parents.
        for a in range(wide):
            for b in range(a + 1):
                value = 0.0
                for r in range(begin + a, size):
                    value += inverse[r, begin + a] * inverse[r, begin + b]
                own[a, b] = value
            for c in range(w):
                value = 0.0
                for r in range(begin + a, size):
                    value += inverse[r, begin + a] * parts[r, c]
                weights[a, c] = value
        factorise_scaled(own, wide, work[0])
        forward(work[0], wide, weights, w, work[1])
        grows = 0.0  # the trace by which the covariance left of v grows, in its own units
        for i in range(wide):
            for c in range(w):
                value = work[1, i, c]
                for t in range(c):
                    value -= lower_left[c, t] * work[2, i, t]
                work[2, i, c] = value / lower_left[c, c] if lower_left[c, c] != 0.0 else 0.0
                grows += work[2, i, c] * work[2, i, c]
        if terms.n_samples * grows > (1.0 + 2.0 * grows) * terms.prices[parents[k], v]:  # ln(1 + s) is above s / (1 + 2 s): it is missed
            begin += wide
            continue
        for a in range(w):
            for b in range(a + 1):
                value = rest[a, b]
                for i in range(wide):
                    value += work[1, i, a] * work[1, i, b]
                work[2, a, b] = value
        change = terms.n_samples * (factorise(work[2], w, work[2]) - left) - terms.prices[parents[k], v]
        if change < best or (change == best and weakest >= 0 and parents[k] < parents[weakest]):
            best, weakest = change, k
        begin += wide
    return weakest


@lean_and_hot
def _shrink(terms: BlockTerms, trails: BlockTrails, room: BlockRoom, place: int, v: int) -> tuple[int, float]:
    """Drop from the trail the variable that is missed least, while this lowers the score; how many are left, and the score."""
    begins, parents, count = terms.begins, trails.parents[place], trails.lengths[place]
    w = begins[v + 1] - begins[v]
    for k in range(count):
        parents[k] = trails.taken[place, k]
    _left_of(terms, v, parents, count, room)
    while count > 1:  # one alone was just worth its price
        heed(0)
        weakest = _weakest(terms, v, parents, count, room)
        if weakest < 0:
            break
        count -= 1
        for k in range(weakest, count):
            parents[k] = parents[k + 1]
        _left_of(terms, v, parents, count, room)
    score = terms.n_samples * (factorise(room.rest, w, room.work[0]) - terms.alone[v])
    for k in range(count):
        score += terms.prices[parents[k], v]
    return count, score


@lean_and_hot
def _settle(terms: BlockTerms, trails: BlockTrails, room: BlockRoom, place: int, v: int) -> bool:
    """Write what comes of a trail; ``False`` where there is no room to keep it."""
    node, parents, listed = trails.nodes[place, trails.lengths[place]], trails.parents, trails.listed
    begin = trails.kept[node]
    if begin < 0:
        begin = trails.used[LISTED]
        if begin + trails.lengths[place] > len(listed):
            return False
        count, trails.values[node] = _shrink(terms, trails, room, place, v)
        for k in range(count):
            listed[begin + k] = parents[place, k]
        trails.kept[node], trails.kept_ends[node], trails.used[LISTED] = begin, begin + count, begin + count
    count = trails.kept_ends[node] - begin
    for k in range(count):
        parents[place, k] = listed[begin + k]
    trails.counts[place], trails.scores[place] = count, trails.values[node]
    return True


@lean
def search_blocks(terms: BlockTerms, trails: BlockTrails, room: BlockRoom, place: int, v: int, pool: Ints, size: int) -> bool:
    """Grow and shrink the parents of v among the first ``size`` of ``pool``.

    ``False`` where its trail outgrows its room.
    """
    for j in range(size):
        room.inside[pool[j]] = True
    fits = _walk(terms, trails, room, place, v)
    for j in range(size):
        room.inside[pool[j]] = False
    return fits and _settle(terms, trails, room, place, v)
