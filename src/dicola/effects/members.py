"""The MAGs of a class, one mark change after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola.graphs.bits import mask_of, union
from dicola.graphs.mag import MAG
from dicola.graphs.marks import ARROW, CIRCLE, TAIL
from dicola.orient.equivalence import mag_to_pag

Marks = NDArray[np.int8]


def members_from(start: MAG, distance: Sequence[int] | None = None) -> Iterator[MAG]:
    """Every MAG that entails the same independences, the given one first; a class may have very many.

    Any two MAGs without undirected edges that are Markov equivalent are joined by single changes of
    ``a --> b`` to ``a <-> b`` or back, each of which stays in the class (Zhang and Spirtes 2005,
    Theorem 3); so a search over such changes meets them all.

    Parameters
    ----------
    start : MAG
        Without undirected edges.
    distance : sequence of int, optional
        How far each vertex is from what matters: MAGs that differ only near by come first.

    """
    away = [0] * len(start) if distance is None else distance
    ends = np.argwhere(mag_to_pag(start).marks.T == CIRCLE).tolist()  # (a, b): the mark at a on the edge a - b differs in the class
    far = {(a, b): max(away[a], away[b]) for a, b in ends}
    met, count = {start.marks.tobytes()}, 0
    waiting = [(0, count, start.marks)]
    while waiting:
        reach, _, marks = heappop(waiting)
        yield MAG.trusted(marks, start.names)
        links = _Links.of(marks)
        for a, b in ends:
            if marks[a, b] != ARROW or not links.may_change(a, b):
                continue
            changed = marks.copy()
            changed[b, a] = TAIL if marks[b, a] == ARROW else ARROW
            if (key := changed.tobytes()) not in met:
                met.add(key)
                count += 1
                heappush(waiting, (max(reach, far[a, b]), count, changed))


class _Links(NamedTuple):
    """Of each vertex a mask: its parents, its children, its spouses, those with an edge into it, and all with an edge."""

    parents: list[int]
    children: list[int]
    spouses: list[int]
    into: list[int]
    beside: list[int]

    @classmethod
    def of(cls, marks: Marks) -> _Links:
        head, tail = marks == ARROW, marks == TAIL
        kinds = (head.T & tail, tail.T & head, head & head.T, head.T, marks != 0)
        return cls(*([mask_of(np.flatnonzero(row).tolist()) for row in kind] for kind in kinds))

    def may_change(self, a: int, b: int) -> bool:
        """Can ``a --> b`` become ``a <-> b``, or the other way round, with every independence kept?

        Iff every parent of a is a parent of b, and every spouse of a a parent or spouse of b; no
        directed path leads from a to b beside the edge; and no discriminating path for a ends in b
        (Zhang and Spirtes 2005, Lemma 1).
        """
        own = 1 << b
        if self.parents[a] & ~self.parents[b] or self.spouses[a] & ~(self.parents[b] | self.spouses[b] | own):
            return False
        below = self._reached(self.children, self.children[a] & ~own, ~0)
        return not below & own and not self._discriminates(a, b)

    def _discriminates(self, a: int, b: int) -> bool:
        """Is there a path ``(u, …, v, a, b)`` with u not adjacent to b, and all between u and a colliders and parents of b?"""
        inner = self.parents[b] & ~(1 << a)
        colliders = self._reached(self.spouses, self.spouses[a] & inner, inner)
        return bool(union(self.into, colliders) & ~(self.beside[b] | 1 << b))

    @staticmethod
    def _reached(steps: list[int], start: int, inside: int) -> int:
        found = new = start
        while new:
            new = union(steps, new) & inside & ~found
            found |= new
        return found
