"""The graph whose marks are being decided: circles that rules turn into arrowheads and tails, never back."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola.graphs.marks import ARROW, CIRCLE, TAIL, Mark

NEAR_TIE = "near tie"  # the reason of a circle that no rule left: graphs that score nearly as well have another mark there


@dataclass(frozen=True, slots=True)
class Conflict:
    """A rule asked for a mark where the opposite one already stood; the older mark was kept.

    ``at`` is the end of the edge ``(other, at)`` in question, ``witness`` the vertices on which the rule fired.
    """

    rule: str
    other: int
    at: int
    standing: Mark
    wanted: Mark
    witness: tuple[int, ...]
    standing_rule: str
    standing_witness: tuple[int, ...]


class Reason(NamedTuple):
    """Why a mark stands: the rule that put it there and the vertices on which it fired."""

    rule: str
    witness: tuple[int, ...]


class PartialGraph:
    """Adjacencies with a mark at each end; all circles at first.

    ``around[a][b]`` is the mark at b on the edge between a and b, as in the mark matrix; the neighbours b of a ascend.
    """

    def __init__(self, n: int, edges: Iterable[tuple[int, int]]) -> None:
        self.around: list[dict[int, int]] = [{} for _ in range(n)]
        for a, b in sorted((a, b) if a < b else (b, a) for a, b in edges):
            self.around[a][b] = CIRCLE
            self.around[b][a] = CIRCLE
        self.reasons: dict[tuple[int, int], Reason] = {}
        self.conflicts: dict[Conflict, None] = {}  # each once, in the order in which they were met
        self.changed: deque[tuple[int, int]] = deque()
        self.ambiguous: set[tuple[int, int, int]] = set()
        self.n_changes = 0
        self.cut_short = False  # did a bound on path lengths end a search?
        self.reach: dict[tuple[int, int], set[int]] = {}  # what path searches found; forgotten when a mark changes where paths may go

    def __len__(self) -> int:
        return len(self.around)

    def adjacent(self, a: int, b: int) -> bool:
        """Is there an edge?"""
        return b in self.around[a]

    def is_arrow(self, a: int, b: int) -> bool:
        """Is there an arrowhead at b on the edge a - b?"""
        return self.around[a].get(b) == ARROW

    def is_tail(self, a: int, b: int) -> bool:
        """Is there a tail at b on the edge a - b?"""
        return self.around[a].get(b) == TAIL

    def is_circle(self, a: int, b: int) -> bool:
        """Is there a circle at b on the edge a - b?"""
        return self.around[a].get(b) == CIRCLE

    def is_parent(self, a: int, b: int) -> bool:
        """A --> b."""
        return self.around[a].get(b) == ARROW and self.around[b][a] == TAIL

    def may_point(self, a: int, b: int) -> bool:
        """Could the edge be a --> b? No arrowhead at a and no tail at b: a potentially directed edge."""
        return self.around[b][a] != ARROW and self.around[a][b] != TAIL

    def is_definite(self, a: int, b: int, c: int) -> bool:
        """Is it decided whether b is a collider between the non-adjacent a and c?"""
        return not self.ambiguous or (min(a, c), b, max(a, c)) not in self.ambiguous

    def remove(self, a: int, b: int) -> None:
        """Take the edge out; every other edge is looked at again, since rules ask who is *not* adjacent."""
        self.n_changes += 1
        self.reach.clear()
        for u, v in ((a, b), (b, a)):
            del self.around[u][v]
            self.reasons.pop((u, v), None)
        self.changed.extend((u, v) for u in range(len(self)) for v in sorted(self.around[u]))

    def put(self, a: int, b: int, mark: int, rule: str, witness: tuple[int, ...]) -> bool:
        """Put a mark at b on the edge a - b; answers whether a circle was turned. An opposite mark is a recorded conflict."""
        around = self.around
        standing = around[a][b]
        if standing == mark:
            return False
        if standing != CIRCLE:
            because = self.reasons.get((a, b), Reason("given", (a, b)))
            conflict = Conflict(rule, a, b, Mark(standing), Mark(mark), witness, because.rule, because.witness)
            self.conflicts.setdefault(conflict)
            return False
        if self.reach and (mark != TAIL or around[b][a] != ARROW):  # else the edge could point from b to a only, before as after
            self.reach.clear()
        around[a][b] = mark
        self.reasons[a, b] = Reason(rule, witness)
        self.changed.append((a, b))
        self.n_changes += 1
        return True

    def orient(self, a: int, b: int, rule: str, witness: tuple[int, ...]) -> bool:
        """Make the edge a --> b."""
        tail = self.put(b, a, TAIL, rule, witness)
        head = self.put(a, b, ARROW, rule, witness)
        return tail or head

    def to_matrix(self) -> NDArray[np.int8]:
        """The mark matrix, mark at the column's end."""
        matrix = np.zeros((len(self), len(self)), dtype=np.int8)
        for a, row in enumerate(self.around):
            for b, mark in row.items():
                matrix[a, b] = mark
        return matrix
