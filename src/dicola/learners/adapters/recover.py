"""Separating sets for learners that report none, or none to be trusted: always from dicola's own test, and counted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import combinations

import numpy as np

from dicola.ci.inquiry import Evidence, Inquiry
from dicola.ci.questions import Adjacency, FindSeparator
from dicola.errors import counted
from dicola.graphs.bits import mask_of, members
from dicola.graphs.skeleton import RecordedSets, Variables
from dicola.learners.base import Context

Masks = Sequence[int]


class Questions:
    """Answers what another learner asks, and writes down for each pair the smallest set that was found to separate it.

    Conditioning sets come in any order and as any kind of integer. With ``remember=True`` a question met again is answered from memory,
    for learners that count on it.
    """

    def __init__(self, ci: Inquiry, *, remember: bool = False) -> None:
        self.ci = ci
        self.sets = RecordedSets()
        self._memory: dict[tuple[int, int, Variables], bool] | None = {} if remember else None

    def independent(self, x: int, y: int, z: Iterable[int]) -> bool:
        """The verdict of the test at its own level."""
        a, b = sorted((int(x), int(y)))
        given = tuple(sorted({int(v) for v in z}))
        if self._memory is None:
            return self._asked(a, b, given)
        known = self._memory.get((a, b, given))
        if known is None:
            known = self._memory[a, b, given] = self._asked(a, b, given)
        return known

    def _asked(self, a: int, b: int, given: Variables) -> bool:
        if not self.ci.verdict(a, b, given).independent:
            return False
        known = self.sets.get(a, b)
        if known is None or len(given) < len(known):
            self.sets[a, b] = given
        return True


def blanket_matrix(ci: Evidence, context: Context) -> Adjacency:
    """Who is in whose Markov blanket: as the decomposition knows it, else learned here."""
    return context.uig.to_matrix() if context.uig is not None else context.blankets.learn(Inquiry.of(ci).during("blankets"))


def separating_sets(
    ci: Inquiry, adjacency: Adjacency, known: RecordedSets, blankets: Callable[[], Adjacency], max_size: int | None = None
) -> tuple[RecordedSets, list[str]]:
    """A separating set for every pair that is not adjacent, and what to tell the user of pairs that have none.

    What ``known`` holds is taken. Else sets of neighbours of either end are tried, as in the adjacency search, then subsets of the
    Markov blanket of either end, inside which a separating set of a non-adjacent pair lies whenever there is one. Where the test finds
    the pair dependent given each of them, the smaller neighbourhood stands in. ``blankets`` is called only if it comes to them.
    """
    beside = _masks(adjacency)
    around: Masks | None = None
    sets = RecordedSets()
    unseparated = 0
    for x, y in combinations(range(len(adjacency)), 2):
        if adjacency[x, y]:
            continue
        found = known.get(x, y)
        if found is None:
            found = _from_either(ci, x, y, beside, (), max_size)
        if found is None:
            around = _masks(blankets()) if around is None else around
            found = _from_either(ci, x, y, around, [_others(beside[v], x, y) for v in (x, y)], max_size)
        if found is None:
            unseparated += 1
            found = min((_others(beside[v], x, y) for v in (x, y)), key=len)
        sets[x, y] = found
    return sets, _warnings(unseparated)


def _masks(related: Adjacency) -> list[int]:
    return [mask_of(np.nonzero(row)[0].tolist()) for row in related]


def _others(mask: int, x: int, y: int) -> Variables:
    return tuple(members(mask & ~(1 << x | 1 << y)))


def _from_either(ci: Inquiry, x: int, y: int, pools: Masks, tried: Sequence[Collection[int]], max_size: int | None) -> Variables | None:
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


def _warnings(unseparated: int) -> list[str]:
    if not unseparated:
        return []
    return [
        f"{counted(unseparated, 'pair was', 'pairs were')} left without an edge though no set that was tried separates them at this level; "
        "the smaller neighbourhood stands in as their separating set."
    ]
