"""The climb over ancestral graphs in plain Python: for any score, and to hold the kernel to.

Edges between a < b have a kind: 0 none, 1 a -> b, 2 b -> a, 3 a <-> b. A move gives one pair
another kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dicola._kernels.mag_climb import FREE, GREEDY, PAIRED
from dicola._kernels.mag_state import BACK, BOTH, FORTH, NO
from dicola.graphs.skeleton import Pair
from dicola.score.base import Score

Move = tuple[Pair, int]


class ReadableClimb:
    """A graph on its way to a better score; ``kinds``: the edge of every pair that may change."""

    def __init__(self, score: Score, kinds: dict[Pair, int], threshold: float, max_district: int, third: float | None = None) -> None:
        self.score, self.kinds, self.threshold, self.max_district, self.third = score, kinds, threshold, max_district, third
        self.pairs_at: list[list[Pair]] = [[] for _ in range(len(score))]
        for a, b in kinds:
            self.pairs_at[a].append((a, b))
        for a, b in kinds:
            self.pairs_at[b].append((a, b))
        self.known: dict[tuple[object, ...], float] = {}
        self.tried: set[Move] = set()
        self.n_moves = 0

    def run(self, max_passes: int) -> None:
        """Climb until no move and no pair of moves pays."""
        passes, last = 0, False
        while True:
            self._greedy()
            if passes >= max_passes:
                return
            if self._look_ahead():
                passes, last = passes + 1, False
            elif last:
                return
            else:
                last = True
                self.tried.clear()

    def total(self) -> float:
        """The score of the graph: the sum over its districts."""
        return sum(self._district_score(d) for d in self._districts(range(len(self.score))))

    def _greedy(self) -> None:
        while True:
            best, chosen = GREEDY, None
            for move in self._moves(self.kinds):
                worth = self._worth(move)
                if worth < best and self._is_valid(move):
                    best, chosen = worth, move
            if chosen is None:
                return
            changed = self._touched(chosen[0])
            self._make(chosen)
            self._forget(changed)

    def _look_ahead(self) -> bool:
        """Make the first pair of moves that pays together; is there one?"""
        worths = {move: self._worth(move) for move in self._moves(self.kinds) if move not in self.tried}
        for move, worth in sorted(worths.items(), key=lambda item: item[1]):
            if worth < self.threshold and self._is_valid(move):
                if self._redeemed(move, worth):
                    return True
                self.tried.add(move)
        return False

    def _redeemed(self, first: Move, worth: float) -> bool:
        """Make a first move, and the best second one at the districts it touches.

        If that does not pay, the first one is taken back. Where the first move is free, and so is a
        second one, a third may be looked for.
        """
        near, before = self._touched(first[0]), self.kinds[first[0]]
        self.kinds[first[0]] = first[1]
        move = self._best_near(near, first[0], PAIRED - worth)
        if move is None and abs(worth) < FREE and self.third is not None:
            move = self._after_free(near, first[0], -self.third - worth)
        if move is None:
            self.kinds[first[0]] = before
            return False
        changed = self._touched(move[0])
        self._make(move)
        self.n_moves += 1
        self._forget([*near, *changed])
        return True

    def _best_near(self, vertices: list[int], last: Pair, limit: float) -> Move | None:
        """The best move at some vertices that changes the score by less than the limit.

        The pair of the last move is left out.
        """
        best, chosen = limit, None
        for v in vertices:
            for move in self._moves(pair for pair in self.pairs_at[v] if pair != last):
                value = self._worth(move)
                if value < best and self._is_valid(move):
                    best, chosen = value, move
        return chosen

    def _after_free(self, near: list[int], first: Pair, limit: float) -> Move | None:
        """Make a second free move such that a third pays; the third.

        What the second touches is added to ``near``.
        """
        for second in self._moves(pair for v in near for pair in self.pairs_at[v] if pair != first):
            value = self._worth(second)
            if abs(value) < FREE and self._is_valid(second):
                beyond, old = self._touched(second[0]), self.kinds[second[0]]
                self.kinds[second[0]] = second[1]
                third = self._best_near(beyond, second[0], limit - value)
                if third is not None:
                    near += beyond
                    self.n_moves += 1
                    return third
                self.kinds[second[0]] = old
        return None

    def _moves(self, pairs: Iterable[Pair]) -> list[Move]:
        return [(pair, kind) for pair in pairs for kind in range(4) if kind != self.kinds[pair]]

    def _make(self, move: Move) -> None:
        self.kinds[move[0]] = move[1]
        self.n_moves += 1

    def _forget(self, vertices: Sequence[int]) -> None:
        """Moves at these vertices and at their neighbours may be tried again."""
        around = {w for v in vertices for pair in self.pairs_at[v] if self.kinds[pair] != NO for w in pair} | set(vertices)
        self.tried -= {move for v in around for pair in self.pairs_at[v] for move in ((pair, kind) for kind in range(4))}

    def _touched(self, pair: Pair) -> list[int]:
        """The members of the districts of both ends."""
        return [v for district in self._districts(pair) for v in district]

    def _districts(self, vertices: Iterable[int]) -> list[tuple[int, ...]]:
        """The districts of some vertices, each once, in the order of the vertices."""
        found: dict[tuple[int, ...], None] = {}
        for start in vertices:
            members, stack = {start}, [start]
            while stack:
                v = stack.pop()
                for pair in self.pairs_at[v]:
                    w = sum(pair) - v
                    if self.kinds[pair] == BOTH and w not in members:
                        members.add(w)
                        stack.append(w)
            found[tuple(sorted(members))] = None
        return list(found)

    def _district_score(self, district: tuple[int, ...]) -> float:
        inside = sorted({pair for v in district for pair in self.pairs_at[v]})
        arrows = [(a, b) for a, b in inside if self.kinds[a, b] == FORTH and b in district]
        arrows += [(b, a) for a, b in inside if self.kinds[a, b] == BACK and a in district]
        joined = [pair for pair in inside if self.kinds[pair] == BOTH]
        key = (district, tuple(sorted(arrows)), tuple(joined))
        if key not in self.known:
            self.known[key] = self.score.district(*key)
        return self.known[key]

    def _worth(self, move: Move) -> float:
        """What a move changes in the score: that of the districts it touches, after and before."""
        pair, kind = move
        old = self.kinds[pair]
        ends = [pair[0]] if BACK in (old, kind) or BOTH in (old, kind) else []
        ends += [pair[1]] if FORTH in (old, kind) or BOTH in (old, kind) else []
        districts = self._districts(ends)
        before = sum([self._district_score(d) for d in districts], 0.0)
        self.kinds[pair] = kind
        joined = self._districts(ends)
        too_large = kind == BOTH and len(districts) == 2 and len(joined[0]) > self.max_district
        after = float("inf") if too_large else sum([self._district_score(d) for d in joined], 0.0)
        self.kinds[pair] = old
        return after - before

    def _is_valid(self, move: Move) -> bool:
        """After the move: no directed cycle, and no x <-> y with x an ancestor of y?"""
        pair, kind = move
        old, self.kinds[pair] = self.kinds[pair], kind
        valid = self._is_ancestral()
        self.kinds[pair] = old
        return valid

    def _is_ancestral(self) -> bool:
        parents: list[list[int]] = [[] for _ in range(len(self.score))]
        for (a, b), kind in self.kinds.items():
            if kind in (FORTH, BACK):
                parents[b if kind == FORTH else a].append(a if kind == FORTH else b)
        above: list[set[int]] = []
        for v in range(len(parents)):
            found, stack = set[int](), [v]
            while stack:
                new = set(parents[stack.pop()]) - found
                found |= new
                stack += new
            above.append(found)
        if any(v in above[v] for v in range(len(parents))):
            return False
        return not any(kind == BOTH and (a in above[b] or b in above[a]) for (a, b), kind in self.kinds.items())
