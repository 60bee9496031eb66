"""The adjacency search of PC, order-independent: the first phase of FCI, RFCI and FCI+ (Colombo and Maathuis 2014)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from dicola.ci.base import Adjacency, CITest, Separation
from dicola.graphs.bits import members
from dicola.graphs.skeleton import RecordedSets, Variables
from dicola.graphs.undirected import UndirectedGraph


def starting_point(n: int, uig: UndirectedGraph | None) -> tuple[Adjacency, RecordedSets]:
    """The complete graph, or an independence graph with the smaller blanket as separating set of each pair outside it."""
    sets = RecordedSets()
    if uig is None:
        return ~np.eye(n, dtype=np.bool_), sets
    for x, y in combinations(range(n), 2):
        if not uig.neighbours[x] >> y & 1:
            blanket = min(uig.neighbours[x], uig.neighbours[y], key=int.bit_count)
            sets[x, y] = members(blanket)
    return uig.to_matrix(), sets


def separate_by_neighbours(ci: CITest, adjacency: Adjacency, sets: RecordedSets, max_size: int | None) -> bool:
    """Remove every edge whose ends some set of neighbours separates, by growing size of the set; changes its arguments.

    Neighbourhoods are frozen within a level, so the result does not hang on the order of edges. Answers whether the search came to
    its end, rather than to the limit.
    """
    search = ci.search_levels(adjacency, max_size)
    remove(search.fallen, adjacency, sets)
    return search.finished


def remove(fallen: Iterable[Separation], adjacency: Adjacency, sets: RecordedSets) -> None:
    """Take out the edges that fell and record what separates their ends."""
    for i, j, separating_set in fallen:
        adjacency[i, j] = adjacency[j, i] = False
        sets[i, j] = separating_set


def limit_warning(finished: bool, max_size: int | None) -> list[str]:
    """What to tell the user when the adjacency search met its limit."""
    return [] if finished else [f"sets of neighbours were tried up to {max_size} variables only (max_condition_size)."]


def minimal_subset(ci: CITest, x: int, y: int, separating_set: Sequence[int]) -> Variables:
    """A separating set from which no single variable can be left out, found by leaving out one after the other."""
    kept = tuple(sorted(separating_set))
    shrunk = True
    while shrunk:
        shrunk = False
        for v in kept:
            smaller = tuple(w for w in kept if w != v)
            if ci.verdict(min(x, y), max(x, y), smaller).independent:
                kept, shrunk = smaller, True
    return kept
