"""Splits of sparse undirected graphs in compressed rows: ``indices[starts[v]:starts[v + 1]]`` are the neighbours of v, sorted."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dicola._kernels.partial_correlation import longer

Ints = NDArray[np.int64]
Small = NDArray[np.int8]


@njit(cache=True, nogil=True)
def by_value(values: Ints, descending: bool) -> Ints:
    """Positions in the order of small values; equal ones keep theirs. A sort by counting compiles in no time."""
    most = 0
    for value in values:
        most = max(most, value)
    starts = np.zeros(most + 2, np.int64)
    for value in values:
        starts[(most - value if descending else value) + 1] += 1
    for i in range(most + 1):
        starts[i + 1] += starts[i]
    order = np.empty(len(values), np.int64)
    for i in range(len(values)):
        place = most - values[i] if descending else values[i]
        order[starts[place]] = i
        starts[place] += 1
    return order


@njit(cache=True, nogil=True)
def lengths(begins: Ints) -> Ints:
    """How long the stretches between these beginnings are."""
    found = np.empty(len(begins) - 1, np.int64)
    for i in range(len(found)):
        found[i] = begins[i + 1] - begins[i]
    return found


@njit(cache=True, nogil=True)
def sort_between(values: Ints, begin: int, end: int) -> None:
    """Sort a short stretch in place, by insertion."""
    for i in range(begin + 1, end):
        value = values[i]
        at = i
        while at > begin and values[at - 1] > value:
            values[at] = values[at - 1]
            at -= 1
        values[at] = value


@njit(cache=True, nogil=True)
def components(starts: Ints, indices: Ints, without: NDArray[np.bool_]) -> tuple[Ints, int]:
    """Number of the connected component of each vertex (-1: taken out), numbered by smallest vertex, and how many there are."""
    n = len(starts) - 1
    label = np.full(n, -1, np.int64)
    stack = np.empty(n, np.int64)
    count = 0
    for start in range(n):
        if label[start] >= 0 or without[start]:
            continue
        label[start] = count
        stack[0] = start
        top = 1
        while top:
            top -= 1
            v = stack[top]
            for i in range(starts[v], starts[v + 1]):
                w = indices[i]
                if label[w] < 0 and not without[w]:
                    label[w] = count
                    stack[top] = w
                    top += 1
        count += 1
    return label, count


@njit(cache=True, nogil=True)
def separators(starts: Ints, indices: Ints) -> tuple[Ints, Ints]:
    """Minimal separators of a minimal triangulation (MCS-M) of a connected graph: rows ``members[begins[i]:begins[i + 1]]``, sorted."""
    n = len(starts) - 1
    weight = np.zeros(n, np.int64)
    left = np.ones(n, np.bool_)
    # vertices numbered before, for each vertex: a linked list
    head = np.full(n, -1, np.int64)
    link = np.empty(4 * n + 16, np.int64)
    entry = np.empty(4 * n + 16, np.int64)
    used = 0
    members = np.empty(4 * n + 16, np.int64)
    begins = np.zeros(n + 1, np.int64)
    found = 0
    previous = -1
    reached = np.zeros(n, np.int64)
    raised = np.empty(n, np.int64)
    bucket_head = np.full(n + 1, -1, np.int64)
    bucket_next = np.empty(n, np.int64)
    frontier = np.empty(n, np.int64)
    for turn in range(1, n + 1):
        v = -1
        for u in range(n):
            if left[u] and (v < 0 or weight[u] > weight[v]):
                v = u
        left[v] = False
        if weight[v] <= previous and weight[v] > 0:
            size = weight[v]
            members = longer(members, begins[found] + size)
            at = begins[found]
            node = head[v]
            while node >= 0:
                members[at] = entry[node]
                at += 1
                node = link[node]
            sort_between(members, begins[found], at)
            found += 1
            begins[found] = at
        previous = weight[v]
        # who is raised: reached by a path whose inner vertices all weigh less
        count = 0
        reached[v] = turn
        highest = -1
        for i in range(starts[v], starts[v + 1]):
            u = indices[i]
            if left[u]:
                reached[u] = turn
                raised[count] = u
                count += 1
                bucket_next[u] = bucket_head[weight[u]]
                bucket_head[weight[u]] = u
                highest = max(highest, weight[u])
        level = 0
        while level <= highest:
            top = 0
            u = bucket_head[level]
            bucket_head[level] = -1
            while u >= 0:
                frontier[top] = u
                top += 1
                u = bucket_next[u]
            while top:
                top -= 1
                y = frontier[top]
                for i in range(starts[y], starts[y + 1]):
                    u = indices[i]
                    if not left[u] or reached[u] == turn:
                        continue
                    reached[u] = turn
                    if weight[u] > level:
                        raised[count] = u
                        count += 1
                        bucket_next[u] = bucket_head[weight[u]]
                        bucket_head[weight[u]] = u
                        highest = max(highest, weight[u])
                    else:
                        frontier[top] = u
                        top += 1
            level += 1
        for i in range(count):
            u = raised[i]
            weight[u] += 1
            entry = longer(entry, used + 1)
            link = longer(link, used + 1)
            entry[used] = v
            link[used] = head[u]
            head[u] = used
            used += 1
    return begins[: found + 1], members[: begins[found]]


@njit(cache=True, nogil=True)
def group(label: Ints, count: int) -> tuple[Small, int]:
    """Components into two sides of nearly equal size by a subset sum, largest first: 1 and 2 by vertex (0: taken out), size of side 1.

    Side 1 holds the smallest vertex.
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


@njit(cache=True, nogil=True)
def work(degree: int, largest: int) -> float:
    """Sets of at most ``largest`` neighbours that a search asks about for the edges at a vertex of this degree."""
    sets = 1.0
    of_size = 1.0
    for size in range(1, min(largest, degree - 1) + 1):
        of_size *= (degree - size) / size
        sets += of_size
    return degree * sets


@njit(cache=True, nogil=True)
def work_of(starts: Ints, largest: int) -> float:
    """``work`` summed over the vertices."""
    total = 0.0
    for v in range(len(starts) - 1):
        total += work(starts[v + 1] - starts[v], largest)
    return total


@njit(cache=True, nogil=True)
def saving(starts: Ints, indices: Ints, side: Small, largest: int) -> tuple[float, float]:
    """Work that a split saves, and the work at its separator.

    Only the vertices of the separator count, since every other keeps its neighbours; they are searched on both sides, with those
    neighbours that are there, and each of their pairs is asked once more on either side.
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


@njit(cache=True, nogil=True)
def cut(starts: Ints, indices: Ints, separator: Ints) -> tuple[Small, int]:
    """The sides that a separator leaves, as ``group`` gives them."""
    without = np.zeros(len(starts) - 1, np.bool_)
    for v in separator:
        without[v] = True
    label, count = components(starts, indices, without)
    return group(label, count)


@njit(cache=True, nogil=True)
def balanced_split(starts: Ints, indices: Ints, begins: Ints, members: Ints) -> Small:
    """The split with the least balancing score: 1 and 2 for the sides, 0 for the separator.

    Ties go to the smaller separator, then to the smaller larger side, then to the separator that comes first.
    """
    n = len(starts) - 1
    sizes = lengths(begins)
    order = by_value(sizes, False)
    best = np.empty(0, np.int8)
    best_score = 2.0
    best_size = 0
    best_larger = 0
    best_at = -1
    for place in range(len(order)):
        at = order[place]
        c = sizes[at]
        half = (n - c) // 2
        if best_at >= 0 and c / (half + c) > best_score:
            continue
        side, ones = cut(starts, indices, members[begins[at] : begins[at + 1]])
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
                for i in range(c):
                    mine, standing = members[begins[at] + i], members[begins[best_at] + i]
                    if mine != standing:
                        better = mine < standing
                        break
        if better:
            best, best_score, best_size, best_larger, best_at = side, score, c, larger, at
    return best


@njit(cache=True, nogil=True)
def cheapest_split(starts: Ints, indices: Ints, begins: Ints, members: Ints, share: float, largest: int) -> Small:
    """The split that saves most work, empty if none saves this share of the work at its separator.

    Ties go to the smaller separator, then to the one that comes first.
    """
    sizes = lengths(begins)
    order = by_value(sizes, False)
    best = np.empty(0, np.int8)
    most = -1.0
    best_at = -1
    for place in range(len(order)):
        at = order[place]
        if best_at >= 0 and not may_save(starts, members[begins[at] : begins[at + 1]], most, largest):
            continue
        side, _ = cut(starts, indices, members[begins[at] : begins[at + 1]])
        saved, whole = saving(starts, indices, side, largest)
        if saved < share * whole:
            continue
        better = best_at < 0 or saved > most
        if not better and saved == most and sizes[at] == sizes[best_at]:
            for i in range(sizes[at]):
                mine, standing = members[begins[at] + i], members[begins[best_at] + i]
                if mine != standing:
                    better = mine < standing
                    break
        if better:
            best, most, best_at = side, saved, at
    return best


@njit(cache=True, nogil=True)
def may_save(starts: Ints, separator: Ints, amount: float, largest: int) -> bool:
    """Could a cut at this separator save as much? Not if all the work there is less."""
    whole = -1.0 * len(separator) * (len(separator) - 1)
    for v in separator:
        whole += work(starts[v + 1] - starts[v], largest)
    return whole >= amount


@njit(cache=True, nogil=True)
def find_split(starts: Ints, indices: Ints, share: float, largest: int) -> Small:
    """Components apart; else the balanced split, and where that saves less than ``share`` of its separator's work, the cheapest.

    Empty where the graph is complete or no split saves enough. A ``share`` of minus infinity asks for the balanced split.
    """
    n = len(starts) - 1
    nowhere = np.zeros(n, np.bool_)
    if len(indices) == n * (n - 1):
        return np.empty(0, np.int8)
    label, count = components(starts, indices, nowhere)
    if count > 1:
        return group(label, count)[0]
    begins, members = separators(starts, indices)
    balanced = balanced_split(starts, indices, begins, members)
    if share == -np.inf:
        return balanced
    saved, whole = saving(starts, indices, balanced, largest)
    if saved >= share * whole:
        return balanced
    return cheapest_split(starts, indices, begins, members, share, largest)


@njit(cache=True, nogil=True)
def to_matrix(starts: Ints, indices: Ints) -> NDArray[np.bool_]:
    """Symmetric boolean matrix."""
    n = len(starts) - 1
    matrix = np.zeros((n, n), np.bool_)
    for v in range(n):
        for at in range(starts[v], starts[v + 1]):
            matrix[v, indices[at]] = True
    return matrix


@njit(cache=True, nogil=True)
def induced(starts: Ints, indices: Ints, kept: Ints) -> tuple[Ints, Ints]:
    """The rows of the graph on the sorted vertices ``kept``, numbered anew."""
    place = np.full(len(starts) - 1, -1, np.int64)
    for i in range(len(kept)):
        place[kept[i]] = i
    new_starts = np.zeros(len(kept) + 1, np.int64)
    total = 0
    for i in range(len(kept)):
        v = kept[i]
        for at in range(starts[v], starts[v + 1]):
            if place[indices[at]] >= 0:
                total += 1
        new_starts[i + 1] = total
    new_indices = np.empty(total, np.int64)
    total = 0
    for i in range(len(kept)):
        v = kept[i]
        for at in range(starts[v], starts[v + 1]):
            w = place[indices[at]]
            if w >= 0:
                new_indices[total] = w
                total += 1
    return new_starts, new_indices


@njit(cache=True, nogil=True)
def with_block(starts: Ints, indices: Ints, block: Ints, related: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """The graph with the pairs inside the sorted vertices ``block`` joined as ``related`` says, all others as they are."""
    n = len(starts) - 1
    place = np.full(n, -1, np.int64)
    for i in range(len(block)):
        place[block[i]] = i
    new_starts = np.zeros(n + 1, np.int64)
    new_indices = np.empty(len(indices) + len(block) * len(block), np.int64)
    total = 0
    for v in range(n):
        mine = place[v]
        at = starts[v]
        next_block = 0
        while True:
            while at < starts[v + 1] and mine >= 0 and place[indices[at]] >= 0:
                at += 1  # a pair of the block: decided anew
            while mine >= 0 and next_block < len(block) and not related[mine, next_block]:
                next_block += 1
            has_old = at < starts[v + 1]
            has_new = mine >= 0 and next_block < len(block)
            if not has_old and not has_new:
                break
            if has_new and (not has_old or block[next_block] < indices[at]):
                new_indices[total] = block[next_block]
                next_block += 1
            else:
                new_indices[total] = indices[at]
                at += 1
            total += 1
        new_starts[v + 1] = total
    return new_starts, new_indices[:total].copy()


@njit(cache=True, nogil=True)
def induced_with_block(starts: Ints, indices: Ints, kept: Ints, block: Ints, related: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """``induced``, then ``with_block``."""
    inner_starts, inner_indices = induced(starts, indices, kept)
    return with_block(inner_starts, inner_indices, block, related)
