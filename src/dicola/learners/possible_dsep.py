"""Possible-D-Sep: where a separating set may lie when no set of neighbours separates (Spirtes et al. 2000, section 6.7)."""

from __future__ import annotations

import numpy as np

from dicola.ci.base import Adjacency, CITest
from dicola.graphs.bits import mask_of, members
from dicola.graphs.skeleton import RecordedSets
from dicola.orient.colliders import by_separating_set, r0
from dicola.orient.partial import PartialGraph


def possible_dsep(graph: PartialGraph, x: int) -> int:
    """Mask of all v with a path from x on which each inner vertex is a collider or in a triangle with its two neighbours.

    The search runs over ordered edges (u, v): a vertex may be passed in one direction and not in another.
    """
    found = mask_of(graph.around[x])
    stack = [(x, v) for v in graph.around[x]]
    seen = set(stack)
    while stack:
        u, v = stack.pop()
        for w in graph.around[v]:
            if w in (u, x) or (v, w) in seen:
                continue
            if graph.adjacent(u, w) or (graph.is_arrow(u, v) and graph.is_arrow(w, v)):
                seen.add((v, w))
                stack.append((v, w))
                found |= 1 << w
    return found


def collider_graph(adjacency: Adjacency, sets: RecordedSets) -> PartialGraph:
    """The adjacencies with the unshielded colliders the separating sets imply."""
    graph = PartialGraph(len(adjacency), [(int(i), int(j)) for i, j in np.argwhere(np.triu(adjacency))])
    r0(graph, by_separating_set(sets))
    return graph


def separate_by_possible_dsep(
    ci: CITest, adjacency: Adjacency, sets: RecordedSets, candidates: list[int], searched: int | None, max_size: int | None
) -> bool:
    """Remove every edge whose ends a subset of either end's candidates separates; changes ``adjacency`` and ``sets``.

    ``candidates`` are masks frozen before the phase, so the order of edges does not matter. Sets of neighbours up to the size
    ``searched`` (``None``: all) were tried before and are passed over. Answers whether no limit cut the search short.
    """
    frozen = [mask_of(np.nonzero(row)[0].tolist()) for row in adjacency]
    finished = True
    fallen: list[tuple[int, int]] = []
    for i, j in ((int(i), int(j)) for i, j in np.argwhere(np.triu(adjacency))):
        ends = 1 << i | 1 << j
        pools = [set(members(candidates[v] & ~ends)) for v in (i, j)]
        largest = max(len(pool) for pool in pools)
        last = largest if max_size is None else min(largest, max_size)
        finished &= last == largest
        for size in range(1, last + 1):
            tried = [set(members(frozen[v])) for v in (i, j)] if searched is None or size <= searched else []
            separator = ci.find_separator(i, j, sorted(pools[0]), (size,), tried)
            if separator is None:
                separator = ci.find_separator(i, j, sorted(pools[1]), (size,), [*tried, pools[0]])
            if separator is not None:
                sets[i, j] = separator
                fallen.append((i, j))
                break
    for i, j in fallen:
        adjacency[i, j] = adjacency[j, i] = False
    return finished
