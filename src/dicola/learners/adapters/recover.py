"""Separating sets for learners that report none, or none to be trusted: always from dicola's own test, and counted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache

import numpy as np

from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import Adjacency, FindSeparator
from dicola.errors import counted
from dicola.graphs.bits import members
from dicola.graphs.skeleton import RecordedSets, Variables
from dicola.graphs.undirected import UndirectedGraph


class Questions:
    """Answers what another learner asks, and writes down for each pair the smallest set that was found to separate it.

    Conditioning sets come in any order and as any kind of integer.
    """

    def __init__(self, ci: Inquiry) -> None:
        self.ci = ci
        self.sets = RecordedSets()

    def independent(self, x: int, y: int, z: Iterable[int]) -> bool:
        """The verdict of the test at its own level."""
        a, b = sorted((int(x), int(y)))
        given = tuple(sorted({int(v) for v in z}))
        if not self.ci.verdict(a, b, given).independent:
            return False
        known = self.sets.get(a, b)
        if known is None or len(given) < len(known):
            self.sets[a, b] = given
        return True


def separating_sets(
    ci: Inquiry, adjacency: Adjacency, known: RecordedSets, blankets: Callable[[], UndirectedGraph], max_size: int | None = None
) -> tuple[RecordedSets, list[str]]:
    """A separating set for every pair that is not adjacent, and what to tell the user of pairs that have none.

    What ``known`` holds is taken. Else sets of neighbours of either end are tried, as in the adjacency search, then subsets of the
    Markov blanket of either end, inside which a separating set of a non-adjacent pair lies whenever there is one. Where the test finds
    the pair dependent given each of them, the smaller neighbourhood stands in. ``blankets`` is called only if it comes to them.
    """
    beside = UndirectedGraph.from_matrix(adjacency).neighbours
    learned = cache(blankets)
    sets = RecordedSets()
    unseparated = 0
    for x, y in np.argwhere(np.triu(~adjacency, 1)).tolist():
        found = known.get(x, y)
        if found is None:
            found = _from_either(ci, x, y, beside, (), max_size)
        if found is None:
            found = _from_either(ci, x, y, learned().neighbours, [_others(beside[v], x, y) for v in (x, y)], max_size)
        if found is None:
            unseparated += 1
            found = min((_others(beside[v], x, y) for v in (x, y)), key=len)
        sets[x, y] = found
    told = (
        f"{counted(unseparated, 'pair was', 'pairs were')} left without an edge though no set that was tried separates them at this level; "
        "the smaller neighbourhood stands in as their separating set."
    )
    return sets, [told] if unseparated else []


def _others(mask: int, x: int, y: int) -> Variables:
    return tuple(members(mask & ~(1 << x | 1 << y)))


def _from_either(
    ci: Inquiry, x: int, y: int, pools: Sequence[int], tried: Sequence[Collection[int]], max_size: int | None
) -> Variables | None:
    """The first set from the pool of x, then from that of y, by growing size."""
    from_x, from_y = _others(pools[x], x, y), _others(pools[y], x, y)
    largest = max(len(from_x), len(from_y))
    for size in range((largest if max_size is None else min(largest, max_size)) + 1):
        found = ci.ask(FindSeparator(x, y, from_x, (size,), tried))
        if found is None:
            found = ci.ask(FindSeparator(x, y, from_y, (size,), [*tried, from_x]))
        if found is not None:
            return found
    return None
