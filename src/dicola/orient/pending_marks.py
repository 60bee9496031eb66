"""What may still be decided: the open marks that more knowledge could turn, and whom to ask about them.

A graph may be known in part: every edge of some variables, nothing yet between the others. The rules are sound there too, as long as they
use no pair that is not settled. This module is their other side. It takes every unsettled pair for whatever a rule would like it to be,
and every open mark that some rule could then turn for turned, until nothing is added. A mark that is not reached stays a circle however
the rest turns out: in a derivation of it by R0-R10 from the whole graph, one premise at least would be missing for good.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from dicola.graphs.bits import mask_of, members
from dicola.graphs.marks import ARROW, CIRCLE, TAIL
from dicola.orient.partial import PartialGraph

Ends = tuple[int, int]
Premises = tuple[tuple[Ends, ...], tuple[Ends, ...]]
"""What a rule would have to be lucky with: marks (a, b), at b on a - b, and pairs, adjacent or not."""

_ALIKE = 4  # of the variables about which nothing is known, no instance of a rule needs more


def next_to_visit(graph: PartialGraph, unsettled: Sequence[int], target: int) -> int | None:
    """A variable whose edges could help to turn an open mark on an edge of ``target``; ``None`` where all those marks are final.

    ``unsettled[a]`` is the mask of the variables of which it is not known whether they are adjacent to a; R0-R4 and R8-R10 are done with
    ``graph``, which holds the edges known. The variable has a known edge and is one of an unsettled pair.
    """
    return _Outlook(graph, unsettled).hinge_of(target)


class _Outlook:
    """Marks that stand or may come, as masks: ``heads[b]`` and ``tails[b]`` of those a with such a mark at b on a - b.

    ``hinge[a, b]`` is a variable on which the turning of the open mark (a, b) hangs.
    """

    def __init__(self, graph: PartialGraph, unsettled: Sequence[int]) -> None:
        n = len(graph)
        joined = [mask_of(row) for row in graph.around]
        self._known = mask_of(v for v in range(n) if joined[v])
        in_doubt = mask_of(v for v in range(n) if unsettled[v])
        alike = [v for v in members(in_doubt) if not joined[v] and unsettled[v] == in_doubt & ~(1 << v)]
        kept = (1 << n) - 1 & ~mask_of(alike[_ALIKE:])
        self._unsettled = [mask & kept for mask in unsettled]
        self._beside = [joined[v] | self._unsettled[v] for v in range(n)]
        self._apart = [kept & ~joined[v] & ~(1 << v) for v in range(n)]
        marked = {
            mark: [mask_of(a for a in graph.around[b] if graph.around[a][b] == mark) for b in range(n)] for mark in (CIRCLE, ARROW, TAIL)
        }
        self._heads, self._tails, self._circles = (
            [marked[mark][v] | self._unsettled[v] for v in range(n)] for mark in (ARROW, TAIL, CIRCLE)
        )
        self._onward = [mask_of(b for b in graph.around[a] if graph.may_point(a, b)) | self._unsettled[a] for a in range(n)]
        self._open = [(a, b) for b in range(n) for a in members(marked[CIRCLE][b])]
        self._hinge: dict[Ends, int] = {}
        self._reached: dict[Ends, dict[int, tuple[Ends, ...]]] = {}

    def hinge_of(self, target: int) -> int | None:
        """The hinge of an open mark on an edge of the target, the one that takes the fewest steps."""
        wanted = [ends for ends in self._open if target in ends]
        while wanted:
            turned = self._turn()
            for ends in wanted:
                if ends in self._hinge:
                    return self._hinge[ends]
            if not turned:
                break
        return None

    def _turn(self) -> bool:
        """One round over the open marks; answers whether one more may be turned, or turned otherwise."""
        new = []
        for a, b in self._open:
            for marks, ways in ((self._heads, self._to_arrow), (self._tails, self._to_tail)):
                if not marks[b] >> a & 1:
                    hinge = next((found for premises in ways(a, b) if (found := self._hinge_among(*premises)) is not None), None)
                    if hinge is not None:
                        new.append((marks, a, b, hinge))
        for marks, a, b, hinge in new:
            marks[b] |= 1 << a
            self._hinge.setdefault((a, b), hinge)
        return bool(new)

    def _hinge_among(self, marks: tuple[Ends, ...], pairs: tuple[Ends, ...]) -> int | None:
        """The first variable on which one of the premises hangs; ``None`` if all of them stand: then the rule was asked already."""
        for a, b in (*marks, *pairs):
            if self._unsettled[a] >> b & 1:
                for v in (a, b):
                    if self._known >> v & 1:
                        return v
        return next((self._hinge[ends] for ends in marks if ends in self._hinge), None)

    def _may_cause(self, a: int, b: int) -> bool:
        return bool(self._heads[b] >> a & 1 and self._tails[a] >> b & 1)

    def _to_arrow(self, a: int, b: int) -> Iterator[Premises]:
        """How an arrowhead may come to stand at b on a - b."""
        heads, circles, apart = self._heads, self._circles, self._apart
        for c in members(self._beside[b] & apart[a] & (self._unsettled[a] | self._unsettled[b]) & (circles[b] | heads[b])):  # R0
            yield (), ((c, b), (c, a))
        if circles[a] >> b & 1:
            for c in members(heads[a] & apart[b]):  # R1
                yield ((c, a),), ((c, b),)
        for c in members(heads[b] & self._beside[a]):  # R2
            if heads[c] >> a & 1:
                if self._tails[a] >> c & 1:
                    yield ((a, c), (c, a), (c, b)), ()
                if self._tails[c] >> b & 1:
                    yield ((a, c), (c, b), (b, c)), ()
        pointing = heads[b] & circles[a]
        for c in members(pointing):  # R3
            for d in members(pointing & apart[c] & -(2 << c)):
                yield ((c, b), (d, b)), ((c, a), (d, a), (c, d))
        yield from self._discriminated(b, a)  # R4
        yield from self._discriminated(a, b)
        for c in members(circles[b] & self._beside[a]):
            yield from self._paths(a, b, c)

    def _to_tail(self, c: int, a: int) -> Iterator[Premises]:
        """How a tail may come to stand at a on c - a."""
        heads, apart = self._heads, self._apart
        for b in members(heads[a] & apart[c]):  # R1
            yield ((b, a),), ((b, c),)
        yield from self._discriminated(a, c)  # R4
        if not heads[c] >> a & 1:
            return
        causes = [b for b in members(heads[c] & ~(1 << a)) if self._tails[b] >> c & 1]
        for b in causes:  # R8
            if self._may_cause(a, b):
                yield ((a, c), (a, b), (b, a), (b, c), (c, b)), ()
        reach = {b: self._reach(a, b) for b in members(self._onward[a] & ~(1 << c))}
        for b in members(mask_of(reach) & apart[c]):  # R9
            if c in reach[b]:
                yield ((a, c),), (*reach[b][c], (b, c))
        for m in reach:  # R10
            for w in members(mask_of(reach) & apart[m]):
                for b in (b for b in causes if b in reach[m]):
                    for d in (d for d in causes if d != b and d in reach[w]):
                        yield ((a, c), (b, c), (c, b), (d, c), (c, d)), (*reach[m][b], *reach[w][d], (m, w))

    def _discriminated(self, b: int, c: int) -> Iterator[Premises]:
        """R4 for the open mark at b on b - c, by way of any a."""
        if self._circles[b] >> c & 1:
            for a in members(self._beside[b] & self._beside[c]):
                yield from self._paths(a, b, c)

    def _paths(self, a: int, b: int, c: int) -> Iterator[Premises]:
        """Paths (d, …, a, b, c) that may come to discriminate b."""
        if not self._heads[a] >> b & 1 or not self._may_cause(a, c):
            return
        so_far: dict[int, tuple[Ends, ...]] = {a: ((b, a), (a, c), (c, a))}
        queue = deque([a])
        while queue:
            t = queue.popleft()
            for d in members(self._heads[t] & ~(1 << b | 1 << c)):
                if d in so_far:
                    continue
                if self._apart[d] >> c & 1:
                    yield (*so_far[t], (d, t)), ((d, c),)
                if self._may_cause(d, c) and self._heads[d] >> t & 1:
                    so_far[d] = (*so_far[t], (d, t), (t, d), (d, c), (c, d))
                    queue.append(d)

    def _reach(self, a: int, m: int) -> dict[int, tuple[Ends, ...]]:
        """Where uncovered paths (a, m, …) that may be directed could lead, each with the first unsettled pairs on the way there."""
        if (a, m) in self._reached:
            return self._reached[a, m]
        start: tuple[Ends, ...] = ((a, m),) if self._unsettled[a] >> m & 1 else ()
        found = self._reached[a, m] = {m: start}
        left = [onward & ~(1 << a) for onward in self._onward]  # steps not taken yet
        queue = deque([(a, m, start)])
        while queue:
            u, v, way = queue.popleft()
            steps = left[v] & self._apart[u]
            left[v] ^= steps
            for w in members(steps):
                further = way or tuple((x, w) for x in (v, u) if self._unsettled[x] >> w & 1)
                if w not in found or found[w]:
                    found[w] = further
                queue.append((v, w, further))
        return found
