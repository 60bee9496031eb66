"""Where to split a sparse undirected graph (see ``undirected``), and what a split saves."""

from __future__ import annotations

import numpy as np

from dicola._kernels.arrays import Ints, Rows, Small, by_value, lengths
from dicola._kernels.compiled import inner, kernel
from dicola._kernels.stopping import heed
from dicola._kernels.undirected import components, separators


@inner
def group(label: Ints, count: int) -> tuple[Small, int]:
    """Components into two sides of nearly equal size, by a subset sum, largest first.

    Answers the side of each vertex (0: taken out) and the size of side 1. Side 1 holds the smallest
    vertex.
    """
    n = len(label)
    if count == 2:
        two = np.zeros(n, np.int8)
        first_side = 0
        for v in range(n):
            two[v] = label[v] + 1  # the first component holds the smallest vertex
            first_side += label[v] == 0
        return two, first_side
    size = np.zeros(count, np.int64)
    total = 0
    for v in range(n):
        if label[v] >= 0:
            size[label[v]] += 1
            total += 1
    order = by_value(size, True)
    half = total // 2
    reachable = np.zeros((count + 1, half + 1), np.bool_)
    reachable[0, 0] = True
    for i in range(count):
        s = size[order[i]]
        for t in range(half + 1):
            reachable[i + 1, t] = reachable[i, t] or (t >= s and reachable[i, t - s])
    target = half
    while not reachable[count, target]:
        target -= 1
    chosen = np.zeros(count, np.bool_)
    for i in range(count - 1, -1, -1):
        if not reachable[i, target]:
            chosen[order[i]] = True
            target -= size[order[i]]
    side = np.zeros(n, np.int8)
    first = 0
    ones = 0
    for v in range(n):
        if label[v] < 0:
            continue
        mine = chosen[label[v]]
        if first == 0:
            first = 1 if mine else 2
        is_first = mine == (first == 1)
        side[v] = 1 if is_first else 2
        ones += 1 if is_first else 0
    return side, ones


@inner
def work(degree: int, largest: int) -> float:
    """Sets of at most ``largest`` neighbours that a search asks about at such a vertex."""
    sets = 1.0
    of_size = 1.0
    for size in range(1, min(largest, degree - 1) + 1):
        of_size *= (degree - size) / size
        sets += of_size
    return degree * sets


@kernel
def work_of(starts: Ints, largest: int) -> float:
    """``work`` summed over the vertices."""
    total = 0.0
    for v in range(len(starts) - 1):
        total += work(starts[v + 1] - starts[v], largest)
    return total


@inner
def saving(starts: Ints, indices: Ints, side: Small, largest: int) -> tuple[float, float]:
    """Work that a split saves, and the work at its separator.

    Only the vertices of the separator count, since every other keeps its neighbours; they are
    searched on both sides, with those neighbours that are there, and each of their pairs is asked
    once more on either side.
    """
    whole = 0.0
    parts = 0.0
    size = 0
    for v in range(len(side)):
        if side[v] != 0:
            continue
        size += 1
        left = 0
        right = 0
        for at in range(starts[v], starts[v + 1]):
            if side[indices[at]] == 1:
                left += 1
            elif side[indices[at]] == 2:
                right += 1
        degree = starts[v + 1] - starts[v]
        whole += work(degree, largest)
        parts += work(degree - left, largest) + work(degree - right, largest)
    return whole - parts - size * (size - 1), whole


@inner
def cut(starts: Ints, indices: Ints, separator: Ints) -> tuple[Small, int]:
    """The sides that a separator leaves, as ``group`` gives them."""
    without = np.zeros(len(starts) - 1, np.bool_)
    for v in separator:
        without[v] = True
    label, count = components(starts, indices, without)
    return group(label, count)


@inner
def comes_before(rows: Rows, one: int, other: int) -> bool:
    """Is one row before another of the same length?"""
    begins, members = rows
    for i in range(begins[one + 1] - begins[one]):
        if members[begins[one] + i] != members[begins[other] + i]:
            return bool(members[begins[one] + i] < members[begins[other] + i])
    return False


@inner
def lies_in(rows: Rows, one: int, other: int) -> bool:
    """Is one sorted row a part of another?"""
    begins, members = rows
    at, end = begins[other], begins[other + 1]
    for i in range(begins[one], begins[one + 1]):
        while at < end and members[at] < members[i]:
            at += 1
        if at == end or members[at] != members[i]:
            return False
    return True


@inner
def leaves_two(found: Rows, sizes: Ints, order: Ints, place: int) -> bool:
    """Does the separator at this place of the order, by size, leave two components alone?

    A triangulation falls apart where separators of its cliques lie in the one that is taken out: in two if no other does.
    """
    own = order[place]
    for i in range(len(order)):
        if sizes[order[i]] > sizes[own]:
            break
        if i != place and lies_in(found, order[i], own):
            return False
    return True


@inner
def balanced_split(starts: Ints, indices: Ints, found: Rows, beyond: Ints) -> Small:
    """The split with the least balancing score: 1 and 2 for the sides, 0 for the separator.

    Ties go to the smaller separator, then to the smaller larger side, then to the separator that
    comes first. ``beyond``: how many vertices each cuts off.
    """
    n = len(starts) - 1
    sizes = lengths(found.begins)
    order = by_value(sizes, False)
    best = np.empty(0, np.int8)
    best_score = 2.0
    best_size = 0
    best_larger = 0
    best_at = -1
    for place in range(len(order)):
        at = order[place]
        if place & 15 == 15:
            heed(0)
        c = sizes[at]
        half = (n - c) // 2
        if best_at >= 0 and c / (half + c) > best_score:
            continue
        side = np.empty(0, np.int8)
        ones = beyond[at]
        if not leaves_two(found, sizes, order, place):
            side, ones = cut(starts, indices, found.members[found.begins[at] : found.begins[at + 1]])
        smaller = min(ones, n - c - ones)
        larger = n - c - smaller
        score = c / (smaller + c)
        better = best_at < 0
        if not better:
            if score != best_score:
                better = score < best_score
            elif c != best_size:
                better = c < best_size
            elif larger != best_larger:
                better = larger < best_larger
            else:
                better = comes_before(found, at, best_at)
        if better:
            best, best_score, best_size, best_larger, best_at = side, score, c, larger, at
    if len(best) == 0:
        best, _ = cut(starts, indices, found.members[found.begins[best_at] : found.begins[best_at + 1]])
    return best


@inner
def may_save(starts: Ints, separator: Ints, amount: float, largest: int) -> bool:
    """Could a cut at this separator save as much? Not if all the work there is less."""
    whole = -1.0 * len(separator) * (len(separator) - 1)
    for v in separator:
        whole += work(starts[v + 1] - starts[v], largest)
    return whole >= amount


@inner
def cheapest_split(starts: Ints, indices: Ints, found: Rows, share: float, largest: int) -> Small:
    """The split that saves most work, empty if none saves this share of the work at its separator.

    Ties go to the smaller separator, then to the one that comes first.
    """
    sizes = lengths(found.begins)
    order = by_value(sizes, False)
    best = np.empty(0, np.int8)
    most = -1.0
    best_at = -1
    for place in range(len(order)):
        at = order[place]
        separator = found.members[found.begins[at] : found.begins[at + 1]]
        if place & 15 == 15:
            heed(0)
        if best_at >= 0 and not may_save(starts, separator, most, largest):
            continue
        side, _ = cut(starts, indices, separator)
        saved, whole = saving(starts, indices, side, largest)
        if saved < share * whole:
            continue
        if best_at < 0 or saved > most or (saved == most and sizes[at] == sizes[best_at] and comes_before(found, at, best_at)):
            best, most, best_at = side, saved, at
    return best


@kernel
def in_turn(starts: Ints, indices: Ints, widest: int) -> Rows:
    """Separators of at most ``widest`` vertices, those with the least balancing score first, of a connected graph.

    The sides are those of the clique tree, which are known without a look at the graph.
    """
    n = len(starts) - 1
    begins, members, beyond = separators(starts, indices)
    sizes = lengths(begins)
    score = np.empty(len(sizes))
    total = 0
    for i in range(len(sizes)):
        smaller = min(beyond[i], n - sizes[i] - beyond[i])
        score[i] = sizes[i] / (smaller + sizes[i]) if sizes[i] <= widest else np.inf
        total += sizes[i] if sizes[i] <= widest else 0
    order = np.argsort(score, kind="mergesort")
    new_begins = np.zeros(len(sizes) + 1, np.int64)
    new_members = np.empty(total, np.int64)
    kept = 0
    for i in order:
        if sizes[i] > widest:
            break
        begin = new_begins[kept]
        for k in range(sizes[i]):
            new_members[begin + k] = members[begins[i] + k]
        kept += 1
        new_begins[kept] = begin + sizes[i]
    return Rows(new_begins[: kept + 1], new_members)


@kernel
def split_at(starts: Ints, indices: Ints, separator: Ints, share: float, largest: int) -> Small:
    """The sides that a set of vertices leaves; empty if it is no separator, or saves less than this share of the work there."""
    without = np.zeros(len(starts) - 1, np.bool_)
    for v in separator:
        without[v] = True
    label, count = components(starts, indices, without)
    if count < 2:
        return np.empty(0, np.int8)
    side, _ = group(label, count)
    saved, whole = saving(starts, indices, side, largest)
    return side if saved >= share * whole else np.empty(0, np.int8)


@kernel
def find_split(starts: Ints, indices: Ints, share: float, largest: int) -> Small:
    """Components apart; else the balanced split, or the cheapest where that one saves too little.

    Too little is less than ``share`` of the work at its separator. Empty where the graph is
    complete or no split saves enough. A ``share`` of minus infinity asks for the balanced split.
    """
    n = len(starts) - 1
    nowhere = np.zeros(n, np.bool_)
    if len(indices) == n * (n - 1):
        return np.empty(0, np.int8)
    label, count = components(starts, indices, nowhere)
    if count > 1:
        return group(label, count)[0]
    begins, members, beyond = separators(starts, indices)
    found = Rows(begins, members)
    balanced = balanced_split(starts, indices, found, beyond)
    if share == -np.inf:
        return balanced
    saved, whole = saving(starts, indices, balanced, largest)
    if saved >= share * whole:
        return balanced
    return cheapest_split(starts, indices, found, share, largest)
