"""L-MARVEL with the departures of rcd 0.2.1 that can be switched on one by one.

Without any it is dicola's own search, with all of them it is rcd's; which ones are needed says why two skeletons differ.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np

from dicola import CITest
from dicola.blankets.total_conditioning import TotalConditioning
from dicola.ci.questions import FindSeparator

DEPARTURES = {
    "whole blanket": "the search for neighbours of x also asks given all the rest of the blanket, which dicola leaves out",
    "asked again": "a pair that one end found separated is asked again from the other, and may be joined after all",
    "untested blanket": "to a pair outside each other's blanket dicola's check of removability grants the blanket; rcd tests it",
    "adjacent pairs checked": "the check of removability also asks about pairs that were found adjacent",
    "passes kept": "a pair that once passed the check of x is not checked again when the blankets have changed",
    "neighbours updated": "after a removal only pairs of neighbours are taken out of each other's blanket, in the order they were found",
    "adjacent pairs updated": "that update also takes pairs out that were found adjacent",
    "other blanket": "of two blankets of one size the update takes the second",
    "lost rounds": "where nothing looks removable a variable is isolated, yet not removed: the round is lost, and the last may not come",
    "order of ties": "blankets of one size come in the order of an unstable sort",
}


def skeleton(ci: CITest, departures: Iterable[str]) -> frozenset[tuple[int, int]]:
    """The edges found with these departures, from blankets by total conditioning at the level 1/k²."""
    return _Removal(ci, frozenset(departures)).run()


class _Removal:
    def __init__(self, ci: CITest, departures: frozenset[str]) -> None:
        assert departures <= DEPARTURES.keys()
        self.ci, self.departures = ci, departures
        related = TotalConditioning().learn(ci)
        self.blankets = [set(np.flatnonzero(row).tolist()) for row in related]
        self.left = set(range(len(ci)))
        self.beside: list[list[int]] = [[] for _ in range(len(ci))]  # in the order of discovery
        self.known: dict[frozenset[int], tuple[set[int], bool]] = {}  # a set that separates the pair, and whether it was tested
        self.searched: set[int] = set()
        self.refused: set[int] = set()
        self.passed: set[tuple[int, frozenset[int]]] = set()

    def run(self) -> frozenset[tuple[int, int]]:
        for _ in range(len(self.left) - 1):
            found = next((x for x in self.in_order() if self.may_go(x)), None)
            lost = found is None and "lost rounds" in self.departures
            x = min(sorted(self.left), key=lambda v: len(self.blankets[v])) if found is None else found
            if lost:
                self.refused.clear()
            else:
                self.left.remove(x)
            self.update_around(x)
        return frozenset((x, y) for x, around in enumerate(self.beside) for y in around if x < y)

    def in_order(self) -> list[int]:
        waiting = sorted(self.left - self.refused)
        sizes = [len(self.blankets[v]) for v in waiting]
        kind = None if "order of ties" in self.departures else "stable"
        return [waiting[i] for i in np.argsort(np.array(sizes, dtype=np.int64), kind=kind)]

    def may_go(self, x: int) -> bool:
        is_first = x not in self.searched
        if is_first:
            self.search_neighbours(x)
        if self.is_removable(x, is_first):
            return True
        self.refused.add(x)
        return False

    def search_neighbours(self, x: int) -> None:
        self.searched.add(x)
        for y in sorted(self.left - {x}):
            pair = frozenset((x, y))
            if y in self.beside[x] or (pair in self.known and "asked again" not in self.departures):
                continue
            if y not in self.blankets[x]:
                self.known.setdefault(pair, (set(min(self.blankets[x], self.blankets[y], key=len)), False))
                continue
            pool = self.blankets[x] - {y}
            separating = self.ci.ask(FindSeparator(x, y, sorted(pool), range(len(pool) + ("whole blanket" in self.departures))))
            if separating is None:
                self.beside[x].append(y)
                self.beside[y].append(x)
            else:
                self.known[pair] = (set(separating), True)

    def is_removable(self, x: int, is_first: bool) -> bool:
        blanket = sorted(self.blankets[x])
        keeps_all = "adjacent pairs updated" in self.departures and not is_first
        near = [z for z in (self.beside[x] if keeps_all else blanket) if z in self.left and z in self.beside[x]]
        keeps_passes = "passes kept" in self.departures
        pairs = [(y, z) for y in blanket for z in near] if keeps_passes else [(y, z) for z in near for y in blanket]
        asked: set[frozenset[int]] = set()
        for y, z in pairs:
            pair = frozenset((y, z))
            skipped = z in self.beside[y] and "adjacent pairs checked" not in self.departures
            if y == z or pair in asked or skipped or (keeps_passes and (x, pair) in self.passed):
                continue
            asked.add(pair)
            if not self.keeps(x, y, z):
                return False
            self.passed.add((x, pair))
        return True

    def keeps(self, x: int, y: int, z: int) -> bool:
        pool, pair = self.blankets[x] - {y, z}, frozenset((y, z))
        known, tested = self.known.get(pair, (None, False))
        if known is not None and known <= pool and (tested or "untested blanket" not in self.departures):
            return True
        separating = self.ci.ask(FindSeparator(y, z, sorted(pool), range(len(pool) + 1)))
        if separating is not None:
            self.known.setdefault(pair, (set(separating), True))
            return True
        return self.ci.ask(FindSeparator(y, z, sorted(pool | {x}), range(1, len(pool) + 2), tried=[pool])) is None

    def update_around(self, x: int) -> None:
        near = [v for v in self.beside[x] if v in self.left] if "neighbours updated" in self.departures else sorted(self.blankets[x])
        self.refused -= self.blankets[x]
        for v in self.blankets[x]:
            self.blankets[v].discard(x)
        self.blankets[x] = set()
        for y, z in combinations(near, 2):
            if (z not in self.blankets[y] or z in self.beside[y]) and "adjacent pairs updated" not in self.departures:
                continue
            around_y, around_z = self.blankets[y] - {z}, self.blankets[z] - {y}
            takes_y = len(around_y) < len(around_z) or (len(around_y) == len(around_z) and "other blanket" not in self.departures)
            given = around_y if takes_y else around_z
            if self.ci(y, z, given).independent:
                self.blankets[y].discard(z)
                self.blankets[z].discard(y)
                self.refused -= {y, z}
                self.known.setdefault(frozenset((y, z)), (set(given), True))
