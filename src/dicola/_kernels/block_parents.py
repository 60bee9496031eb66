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

from dicola._kernels.arrays import Ints
from dicola._kernels.block_algebra import SINGULAR, copy_block, factorise_inverted, log_share_left
from dicola._kernels.block_shrink import shrink
from dicola._kernels.block_trails import DEPTH, LISTED, NODES, OFFERS, UNKNOWN, VARIABLE, BlockRoom, BlockTrails
from dicola._kernels.compiled import lean, lean_and_hot
from dicola._kernels.stopping import heed
from dicola._kernels.terms import BlockTerms


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


@lean_and_hot
def _settle(terms: BlockTerms, trails: BlockTrails, room: BlockRoom, place: int, v: int) -> bool:
    """Write what comes of a trail; ``False`` where there is no room to keep it."""
    node, parents, listed = trails.nodes[place, trails.lengths[place]], trails.parents, trails.listed
    begin = trails.kept[node]
    if begin < 0:
        begin = trails.used[LISTED]
        if begin + trails.lengths[place] > len(listed):
            return False
        count, trails.values[node] = shrink(terms, trails, room, place, v)
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
