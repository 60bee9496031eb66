"""How long the shortest description of categories by a MAG is, from counts.

Some variables together have a length, that of the normalised maximum likelihood code:
``2 N H + 2 ln C(N, cells)``, with the entropy H and a regret that grows with the cells there are. A
variable given its parents then takes L(all of them) - L(parents), whatever their order, so that Markov
equivalent DAGs are equally long (Silander et al. 2018, qNML).

A *head* of a district is a set of members that bidirected edges join within its ancestors, none of it
an ancestor of another; its *tail* is what else these are joined to, and the parents of all
(Richardson 2009). It adds ``Σ (-1)^|H - W| L(W ∪ T)`` over the subsets W of the head H, with the tail
T: a pair takes off what one tells of the other given the tail. Ancestors are those that arrows
between members show.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola._kernels.arrays import Bools, Floats, Ints
from dicola._kernels.compiled import inner, kernel
from dicola._kernels.mag_score import PA, SP

_MANY = 4096  # cells up to which they are not renumbered, whether all of them occur or not


class CountedRows(NamedTuple):
    """Rows of categories, and what their lengths are made of."""

    codes: NDArray[np.int16]  # a row per variable, an entry per row of the table
    levels: Ints
    logs: Floats  # k ln k, for every k up to the number of rows
    regrets: Floats  # 2 ln C(N, cells), as far as they go


class HeadRoom(NamedTuple):
    """Arrays to find heads and tails in."""

    place: Ints  # of a variable among the members, -1 elsewhere
    above: Ints  # of a member: itself and its ancestors, as a mask
    beside: Ints  # of a member: what bidirected edges join it to, as a mask
    chosen: Ints  # a set of variables
    seen: Bools


def make_head_room(n: int) -> HeadRoom:
    """Room for districts among n variables."""
    return HeadRoom(np.full(n, -1), np.zeros(64, np.int64), np.zeros(64, np.int64), np.zeros(n + 1, np.int64), np.zeros(n, np.bool_))


@kernel
def regrets(two: float, n: int, cells: int) -> Floats:
    """2 ln C(n, r) for r up to so many cells, from C(n, 2): C(n, r + 2) = C(n, r + 1) + n / r · C(n, r)."""
    found, ratio = np.zeros(cells + 1), two
    for r in range(1, cells):
        found[r + 1] = found[r] + 2.0 * log(ratio)
        ratio = 1.0 + n / r / ratio
    return found


@inner
def _length_of(rows: CountedRows, members: Ints, count: int) -> float:
    """The length of some variables together."""
    n, cells, all_cells = rows.codes.shape[1], 1, 1.0
    place = np.zeros(n, np.int64)
    for i in range(count):
        own, many = rows.codes[members[i]], rows.levels[members[i]]
        for r in range(n):
            place[r] = place[r] * many + own[r]
        cells *= many
        all_cells *= many
        if cells > max(_MANY, 4 * n):
            number, found = np.full(cells, -1, np.int64), 0
            for r in range(n):
                if number[place[r]] < 0:
                    number[place[r]] = found
                    found += 1
                place[r] = number[place[r]]
            cells = found
    counts = np.zeros(cells, np.int64)
    for r in range(n):
        counts[place[r]] += 1
    total = rows.logs[n]
    for cell in range(cells):
        total -= rows.logs[counts[cell]]
    last = len(rows.regrets) - 1
    if all_cells <= last:
        return float(2.0 * total + rows.regrets[int(all_cells)])
    # so many cells that almost every row has one of its own
    return float(2.0 * total + rows.regrets[last] + 2.0 * n * log(all_cells / last))


@inner
def _masks(members: Ints, d: int, lists: Ints, lengths: Ints, room: HeadRoom) -> None:
    """Fill in what is above and beside each member."""
    for i in range(d):
        room.place[members[i]] = i
    for i in range(d):
        v = members[i]
        room.above[i] = 1 << i
        room.beside[i] = 0
        for t in range(lengths[PA, v]):
            if room.place[lists[PA, v, t]] >= 0:
                room.above[i] |= 1 << room.place[lists[PA, v, t]]
        for t in range(lengths[SP, v]):
            room.beside[i] |= 1 << room.place[lists[SP, v, t]]
    for i in range(d):
        room.place[members[i]] = -1
    for _ in range(d):  # the ancestors of ancestors, as long as chains may be
        for i in range(d):
            for j in range(d):
                if room.above[i] >> j & 1:
                    room.above[i] |= room.above[j]


@inner
def _joined_within(first: int, inside: int, d: int, room: HeadRoom) -> int:
    """The members of ``inside`` that bidirected edges join to the first, as a mask."""
    found, new = 0, first
    while new:
        found |= new
        beside = 0
        for i in range(d):
            if new >> i & 1:
                beside |= room.beside[i]
        new = beside & inside & ~found
    return found


@inner
def _tail(members: Ints, d: int, head: int, joined: int, lists: Ints, lengths: Ints, room: HeadRoom) -> int:
    """Write the tail of a head to ``chosen``; how many are they?"""
    count = 0
    for i in range(d):
        room.seen[members[i]] = bool(head >> i & 1)
    for i in range(d):
        if not joined >> i & 1:
            continue
        v = members[i]
        for t in range(lengths[PA, v] + 1):
            u = v if t == lengths[PA, v] else lists[PA, v, t]
            if not room.seen[u]:
                room.seen[u] = True
                room.chosen[count] = u
                count += 1
    for i in range(count):
        room.seen[room.chosen[i]] = False
    for i in range(d):
        room.seen[members[i]] = False
    return count


@inner
def _of_head(rows: CountedRows, members: Ints, d: int, head: int, tail: int, room: HeadRoom) -> float:
    """The alternating sum over the subsets of a head; its tail stands first in ``chosen``."""
    total, subset = 0.0, head
    while True:
        count, sign = tail, 1.0
        for i in range(d):
            if subset >> i & 1:
                room.chosen[count] = members[i]
                count += 1
            elif head >> i & 1:
                sign = -sign
        total += sign * _length_of(rows, room.chosen, count)
        if subset == 0:
            return total
        subset = (subset - 1) & head


@kernel
def district_length(rows: CountedRows, members: Ints, d: int, lists: Ints, lengths: Ints, room: HeadRoom) -> float:
    """What a district takes; see ``mag_score.misfit`` for the lists."""
    _masks(members, d, lists, lengths, room)
    total = 0.0
    for head in range(1, 1 << d):
        inside, first, is_head = 0, 0, True
        for i in range(d):
            if head >> i & 1:
                inside |= room.above[i]
                first = first if first else 1 << i
                is_head &= (room.above[i] & head) == 1 << i
        if not is_head:
            continue
        joined = _joined_within(first, inside, d, room)
        if head & ~joined == 0:
            tail = _tail(members, d, head, joined, lists, lengths, room)
            total += _of_head(rows, members, d, head, tail, room)
    return float(total)
