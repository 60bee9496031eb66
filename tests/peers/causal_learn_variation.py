"""The skeleton of FCI with the departures of causal-learn 0.1.4.8 that can be switched on one by one.

Without any it is dicola's own search with the textbook's Possible-D-Sep, with all of them it is causal-learn's; which ones are needed
says why two skeletons differ. The adjacency search is the same in both: only what follows it differs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from itertools import combinations

import numpy as np

from dicola import CITest
from dicola.ci.questions import FindSeparator, SweepLevel

DEPARTURES = {
    "unions": "colliders are read from the union of all sets that separate a pair at its level, instead of the first",
    "two steps": "paths are carried on from their first vertex, so Possible-D-Sep ends at the far ends of colliders next to x",
    "filter": "of these only vertices stay that some vertex before them, in the order of the search, may be an ancestor of, or of x",
    "not through y": "no path may pass the other end of the edge",
    "live graph": "an edge that falls is gone for the edges after it",
    "no single variable": "sets of one variable are not tried",
    "first set lost": "of each size but the largest the first set is overwritten by the second before it is asked about",
    "neighbours passed over": "sets of neighbours are not tried, even where the first phase left them out for their size",
}


def skeleton(ci: CITest, departures: Iterable[str], depth: int | None = None) -> frozenset[tuple[int, int]]:
    """The edges found with these departures; ``depth`` bounds the sets of the first phase."""
    search = _Search(ci, frozenset(departures), depth)
    search.by_neighbours()
    search.by_possible_dsep()
    return frozenset((x, y) for x, y in combinations(range(len(ci)), 2) if search.adjacent[x, y])


class _Search:
    def __init__(self, ci: CITest, departures: frozenset[str], depth: int | None) -> None:
        assert departures <= DEPARTURES.keys()
        self.ci, self.departures, self.depth = ci, departures, depth
        self.adjacent = ~np.eye(len(ci), dtype=bool)
        self.arrow = np.zeros_like(self.adjacent)  # arrow[a, b]: an arrowhead at b on a - b
        self.sets: dict[tuple[int, int], set[int]] = {}

    def around(self, v: int) -> list[int]:
        return np.flatnonzero(self.adjacent[v]).tolist()

    def by_neighbours(self) -> None:
        size = 0
        while self.adjacent.sum(axis=1).max() > size and (self.depth is None or size <= self.depth):
            fallen = self.ci.ask(SweepLevel(self.adjacent, size))
            for x, y, first in fallen:
                self.sets[x, y] = self.union(x, y, size) if "unions" in self.departures else set(first)
            for x, y, _ in fallen:
                self.adjacent[x, y] = self.adjacent[y, x] = False
            size += 1

    def union(self, x: int, y: int, size: int) -> set[int]:
        pools = [[v for v in self.around(end) if v not in (x, y)] for end in (x, y)]
        found = [z for pool in pools for z in combinations(pool, size) if self.ci.verdict(x, y, z).independent]
        return {v for z in found for v in z}

    def by_possible_dsep(self) -> None:
        self.mark_colliders()
        start = np.copy(self.adjacent)
        reached = {} if "live graph" in self.departures else {pair: self.pools(*pair) for pair in self.edges()}
        fallen = []
        for x, y in self.edges():
            if self.is_separated(x, y, reached.get((x, y)) or self.pools(x, y), start):
                fallen.append((x, y))
                if "live graph" in self.departures:
                    self.adjacent[x, y] = self.adjacent[y, x] = False
        for x, y in fallen:
            self.adjacent[x, y] = self.adjacent[y, x] = False

    def edges(self) -> list[tuple[int, int]]:
        return [(int(x), int(y)) for x, y in np.argwhere(np.triu(self.adjacent))]

    def mark_colliders(self) -> None:
        for b in range(len(self.adjacent)):
            for a, c in combinations(self.around(b), 2):
                if not self.adjacent[a, c] and b not in self.sets[a, c]:
                    self.arrow[a, b] = self.arrow[c, b] = True

    def pools(self, x: int, y: int) -> list[list[int]]:
        return [sorted(self.possible_dsep(*ends) - {x, y}, reverse=True) for ends in ((x, y), (y, x))]

    def possible_dsep(self, x: int, y: int) -> set[int]:
        barred = {x, y} if "not through y" in self.departures else {x}
        first = [v for v in set(self.around(x)) if v not in barred]
        queue = deque((x, v) for v in first)
        seen, found = set(queue), set(first)
        before: dict[int, set[int]] = {}
        while queue:
            a, b = queue.popleft()
            if "filter" not in self.departures or self.is_possible_ancestor_of_either(before.get(b, set()), x, b):
                found.add(b)
            for c in self.around(b):
                if c == a or c in barred:
                    continue
                before.setdefault(c, set()).add(b)
                is_collider = self.adjacent[a, b] and self.arrow[a, b] and self.arrow[c, b]
                further = (a, c) if "two steps" in self.departures else (b, c)
                if (is_collider or self.adjacent[a, c]) and further not in seen:
                    seen.add(further)
                    queue.append(further)
        return found

    def is_possible_ancestor_of_either(self, some: set[int], x: int, b: int) -> bool:
        return any(self.leads(v, x) or self.leads(v, b) for v in some - {x, b})

    def leads(self, v: int, goal: int) -> bool:
        """Is there a walk from v to the goal that leaves no vertex through an arrowhead?"""
        seen, waiting = {v}, [v]
        while waiting:
            u = waiting.pop()
            for w in self.around(u):
                if not self.arrow[w, u]:
                    if w == goal:
                        return True
                    if w not in seen:
                        seen.add(w)
                        waiting.append(w)
        return False

    def is_separated(self, x: int, y: int, pools: list[list[int]], start: np.ndarray) -> bool:
        smallest = 2 if "no single variable" in self.departures else 1
        return any(self.separates(x, y, pool, size, start) for pool in pools for size in range(smallest, len(pool) + 1))

    def separates(self, x: int, y: int, pool: list[int], size: int, start: np.ndarray) -> bool:
        """Does some set of this size from the pool, other than those passed over, separate the pair?"""
        passes_over = "neighbours passed over" in self.departures
        now = self.adjacent if passes_over else start
        is_tried = passes_over or self.depth is None or size <= self.depth
        tried = [set(np.flatnonzero(now[v]).tolist()) for v in (x, y)] if is_tried else []
        found = self.ci.ask(FindSeparator(x, y, pool, (size,), tried))
        lost = set(pool[:size]) if "first set lost" in self.departures and size < len(pool) else None
        if found is None or set(found) != lost:
            return found is not None
        others = (set(z) for z in combinations(pool, size))
        return any(self.ci(x, y, z).independent for z in others if z != lost and not any(z <= old for old in tried))
