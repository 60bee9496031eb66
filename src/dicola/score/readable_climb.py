"""The climb over ancestral graphs in plain Python: for any score, and to hold the kernel to.

Edges between a < b have a kind: 0 none, 1 a -> b, 2 b -> a, 3 a <-> b. Its bits are arrowheads: 1 at
b, 2 at a. A move gives one pair another kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from dicola._kernels.mag_climb import FREE, GREEDY, PAIRED
from dicola._kernels.mag_state import BACK, BOTH, FORTH, NO
from dicola.graphs.skeleton import Pair
from dicola.score.ancestral import reached
from dicola.score.base import Score, to_precision
from dicola.score.law import Law
from dicola.watch import heed

Move = tuple[Pair, int]


class ReadableClimb:
    """A graph on its way to a better score; ``kinds``: the edge of every pair that may change."""

    def __init__(
        self,
        score: Score,
        kinds: dict[Pair, int],
        threshold: float,
        max_district: int,
        third: float | None,
        surcharge: float,
        law: Law | None = None,
    ) -> None:
        self.law = law
        self.kinds, self.threshold, self.max_district, self.third, self.surcharge = kinds, threshold, max_district, third, surcharge
        self.vertices = range(len(score))
        self.pairs_at = [[pair for end in (0, 1) for pair in kinds if pair[end] == v] for v in self.vertices]
        self.fitted = cache(score.district)
        self.tried: set[Move] = set()
        self.n_moves = 0

    def run(self, max_passes: int) -> None:
        """Climb until no move and no pair of moves pays."""
        for _ in range(max_passes):
            self._greedy()
            if not self._look_ahead():
                self.tried.clear()
                if not self._look_ahead():
                    return
        self._greedy()

    def total(self) -> float:
        """The score of the graph: the sum over its districts."""
        return sum(map(self._score, self._districts(self.vertices)))

    def weighed(self) -> NDArray[np.float64]:
        """By pair and kind: what a move is worth; infinite where it may not be made."""
        found = np.full((len(self.kinds), 4), np.inf)
        places = {pair: at for at, pair in enumerate(self.kinds)}
        for pair, kind in filter(self._is_valid, self._moves(self.kinds)):
            found[places[pair], kind] = self._worth((pair, kind))
        return found

    def runner_up(self) -> float:
        """By how much the best graph of another class nearby is worse: after one move, or two at one end."""
        nearest = float("inf")
        for first in filter(self._is_valid, self._moves(self.kinds)):
            spent, extra = self._worth(first), self._surcharge_of(first)
            if abs(spent - extra) >= FREE:
                nearest = min(nearest, spent)
            if spent >= self.threshold:
                continue
            with self._after(first):
                for second in filter(self._is_valid, self._moves(self._at(first[0], first[0]))):
                    total = spent + self._worth(second)
                    if abs(total - extra - self._surcharge_of(second)) >= FREE:
                        nearest = min(nearest, total)
        return nearest

    def _surcharge_of(self, move: Move) -> float:
        pair, kind = move
        return self.surcharge * ((kind == BOTH) - (self.kinds[pair] == BOTH))

    def _greedy(self) -> None:
        while True:
            worths = {move: self._worth(move) for move in self._moves(self.kinds)}
            paying = [move for move, worth in sorted(worths.items(), key=lambda item: item[1]) if worth < GREEDY and self._is_valid(move)]
            if not paying:
                return
            self._make(paying[0])

    def _look_ahead(self) -> bool:
        """Make the first pair of moves that pays together; is there one?"""
        worths = {move: self._worth(move) for move in self._moves(self.kinds) if move not in self.tried}
        for move, worth in sorted(worths.items(), key=lambda item: item[1]):
            if worth < self.threshold and self._is_valid(move):
                if further := self._redeeming(move, worth):
                    self._make(move, *further)
                    return True
                self.tried.add(move)
        return False

    def _redeeming(self, first: Move, worth: float) -> list[Move]:
        """The best second move at the ends of a first one, if the two pay together.

        Where the first is free, and so is a second one at the districts it touches, a third may pay.
        None are left if none do.
        """
        near = self._beside(first[0])
        with self._after(first):
            best = self._best(self._at(first[0], first[0]), PAIRED - worth)
            if best is not None:
                return [best]
            if self.third is None or abs(worth) >= FREE:
                return []
            for second in self._moves(near):
                value = self._worth(second)
                if abs(value) < FREE and self._is_valid(second):
                    beyond = self._beside(second[0])
                    with self._after(second):
                        third = self._best(beyond, -self.third - worth - value)
                    if third is not None:
                        return [second, third]
        return []

    def _best(self, pairs: Iterable[Pair], limit: float) -> Move | None:
        """The best move at some pairs that changes the score by less than the limit."""
        best = None
        for move in self._moves(pairs):
            if self._is_valid(move) and (worth := self._worth(move)) < limit:
                best, limit = move, worth
        return best

    def _moves(self, pairs: Iterable[Pair]) -> list[Move]:
        return [(pair, kind) for pair in pairs for kind in range(4) if kind != self.kinds[pair]]

    def _make(self, *moves: Move) -> None:
        """Make moves; those at the vertices they touch, and at their neighbours, may be tried again."""
        touched = set[int]()
        for pair, kind in moves:
            touched.update(*self._districts(pair))
            self.kinds[pair] = kind
            self.n_moves += 1
        touched |= {w for v in touched for pair in self.pairs_at[v] if self.kinds[pair] != NO for w in pair}
        self.tried -= {(pair, kind) for v in touched for pair in self.pairs_at[v] for kind in range(4)}

    @contextmanager
    def _after(self, move: Move) -> Iterator[None]:
        """The graph as it would be after a move, for a while."""
        pair, kind = move
        before, self.kinds[pair] = self.kinds[pair], kind
        yield
        self.kinds[pair] = before

    def _beside(self, pair: Pair) -> list[Pair]:
        """The other pairs at the districts of both ends."""
        return self._at(chain.from_iterable(self._districts(pair)), pair)

    def _at(self, vertices: Iterable[int], pair: Pair) -> list[Pair]:
        """The pairs at some vertices but one."""
        return [other for v in vertices for other in self.pairs_at[v] if other != pair]

    def _districts(self, vertices: Iterable[int]) -> list[tuple[int, ...]]:
        """The districts of some vertices, each once, in the order of the vertices."""
        return list(dict.fromkeys(tuple(sorted(reached(v, self._siblings))) for v in vertices))

    def _siblings(self, v: int) -> list[int]:
        return [sum(pair) - v for pair in self.pairs_at[v] if self.kinds[pair] == BOTH]

    def _parents(self, v: int) -> list[int]:
        return [sum(pair) - v for pair in self.pairs_at[v] if self.kinds[pair] == (BACK if v == pair[0] else FORTH)]

    def _score(self, district: tuple[int, ...]) -> float:
        arrows = sorted((u, v) for v in district for u in self._parents(v))
        joined = sorted((v, w) for v in district for w in self._siblings(v) if v < w)
        return self.fitted(district, tuple(arrows), tuple(joined)) + self.surcharge * len(joined)

    def _worth(self, move: Move) -> float:
        """What a move changes in the score: that of the districts it touches, after and before."""
        heed()
        pair, kind = move
        ends = [v for v, head in zip(pair, (BACK, FORTH), strict=True) if (self.kinds[pair] | kind) & head]
        districts = self._districts(ends)
        before = sum(map(self._score, districts))
        with self._after(move):
            joined = self._districts(ends)
            too_large = kind == BOTH and len(districts) == 2 and len(joined[0]) > self.max_district
            return float("inf") if too_large else to_precision(sum(map(self._score, joined)) - before)

    def _is_valid(self, move: Move) -> bool:
        """After the move: no directed cycle, no x <-> y with x an ancestor of y, and nothing that the law forbids?"""
        if self.law is not None and self.law.closed(np.array([move[0]]))[0, move[1]]:
            return False
        with self._after(move):
            parents = [self._parents(v) for v in self.vertices]
            above = [reached(v, parents.__getitem__) for v in self.vertices]
            is_ancestral = not any(
                (kind & FORTH and b in above[a]) or (kind & BACK and a in above[b]) for (a, b), kind in self.kinds.items()
            )
            return is_ancestral and (self.law is None or self._obeys(self.law, above))

    def _obeys(self, law: Law, above: list[list[int]]) -> bool:
        """Do directed paths lead where they must, and nowhere else?"""
        wrong = any(law.claims.barred[a, b] for b in self.vertices for a in above[b])
        return not wrong and all(a in above[b] for a, b in law.needed.tolist())
