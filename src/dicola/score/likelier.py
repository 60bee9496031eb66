"""Of classes that fit about as well, the one that settles fewer marks: it holds more graphs, and every graph is as likely as another."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola._kernels.mag_climb import FREE
from dicola._kernels.mag_state import BOTH, NO
from dicola._kernels.settled_marks import count_settled
from dicola.score.base import Score, to_precision
from dicola.score.law import Law
from dicola.score.mag_climb import Climbed, Known, kinds_of, marks_of, weighed_moves
from dicola.watch import heed

Marks = NDArray[np.int8]
SETTLED = 0.8  # what a settled mark costs; an edge gets as much off, so that one with an open end is neither dearer nor cheaper
_DEAREST = 8.0  # moves that cost more by the score are not looked at
_FURTHER, _MOST = 1.0, 20  # how much worse a graph may be to be gone on from, and how many are
_LARGEST_DISTRICT = 10


@dataclass(frozen=True)
class Moves:
    """Changes of one edge, by what they do to the score, to surcharges on bidirected edges and to the marks that are settled.

    ``pairs`` are those whose edge may change. Without ``settled`` marks cost nothing.
    """

    score: Score
    pairs: NDArray[np.int64]
    surcharge: float
    law: Law | None
    known: Known
    settled: float = SETTLED

    @classmethod
    def around(cls, score: Score, marks: Marks, candidates: NDArray[np.bool_], surcharge: float, law: Law | None, known: Known) -> Moves:
        """Those at the edges of a graph, and between candidates."""
        free = (marks != 0) | candidates
        pairs = np.argwhere(np.triu(free if law is None else free & ~law.claims.apart, 1)).astype(np.int64)
        return cls(score, pairs, surcharge, law, known)

    def worth(self, kinds: NDArray[np.int64], within: float) -> NDArray[np.float64]:
        """By pair and kind: what the move costs; infinite where it may not be made, or where the score alone falls by more than that."""
        n = len(self.score)
        worth = weighed_moves(
            self.score, marks_of(kinds, self.pairs, n), self.pairs, _LARGEST_DISTRICT, self.surcharge, self.known, self.law
        )
        worth[~(worth <= within)] = np.inf
        moves = np.argwhere(np.isfinite(worth)) if self.settled else np.zeros((0, 2), np.int64)
        if len(moves):
            counts = count_settled(self.pairs, kinds, n, moves)
            edges = (moves[:, 1] != NO).astype(np.int64) - (kinds[moves[:, 0]] != NO)
            worth[moves[:, 0], moves[:, 1]] += self.settled * (counts[1:] - counts[0] - edges)
        return worth

    def beyond_fit(self, kinds: NDArray[np.int64]) -> float:
        """What a graph costs beside its score."""
        return float(self.surcharge * np.count_nonzero(kinds == BOTH)) + self._of_marks(kinds)

    def _of_marks(self, kinds: NDArray[np.int64]) -> float:
        if not self.settled:
            return 0.0
        count = count_settled(self.pairs, kinds, len(self.score), np.zeros((0, 2), np.int64))[0]
        return float(self.settled * (count - np.count_nonzero(kinds)))


class Met(NamedTuple):
    """A graph by the kinds of its edges, as bytes, and by how much it is worse than that of the start."""

    worse: float
    graph: bytes

    @property
    def kinds(self) -> NDArray[np.int64]:
        """The kinds of its edges."""
        return np.frombuffer(self.graph, dtype=np.int64)


class Frontier:
    """Graphs that are met, one move after another, and those not yet left among them: the best first."""

    def __init__(self, start: NDArray[np.int64]) -> None:
        self.waiting = [Met(0.0, start.tobytes())]
        self.seen = {start.tobytes()}

    def pop(self) -> Met:
        """The best graph that waits."""
        heed()
        return heappop(self.waiting)

    def leave(self, met: Met, worth: NDArray[np.float64], within: float) -> None:
        """Meet the graphs that one move leads to, where they are at most so much worse than the start."""
        kinds = met.kinds
        for pair, kind in np.argwhere(np.isfinite(worth) & (worth <= within - met.worse)).tolist():
            other = kinds.copy()
            other[pair] = kind
            if (key := other.tobytes()) not in self.seen:
                self.seen.add(key)
                heappush(self.waiting, Met(met.worse + float(worth[pair, kind]), key))


def likelier(found: Climbed, moves: Moves) -> Climbed:
    """From the end of a climb to a graph of a class that fits about as well and settles fewer marks, where one is near.

    An unshielded collider, or an edge turned, may gain hardly anything by the score and settle the marks of all edges beyond. Each
    mark that all graphs of the class share costs as much as evidence that is a little better than none; of equals the first is taken.
    The runner-up is the best graph of another class that was met, by the same reckoning.
    """
    start = kinds_of(found.marks, moves.pairs)
    frontier, best, left = Frontier(start), Met(0.0, start.tobytes()), dict[float, Met]()
    while frontier.waiting and len(left) < _MOST:
        met = frontier.pop()
        best = min(best, met, key=lambda each: to_precision(each.worse))
        if met.worse > best.worse + _FURTHER:
            heappush(frontier.waiting, met)
            break
        if to_precision(met.worse) not in left:  # one of a class: the others are worth the same
            left[to_precision(met.worse)] = met
            frontier.leave(met, moves.worth(met.kinds, _DEAREST), np.inf)
    if frontier.waiting:  # what the last one led to
        best = min(best, frontier.waiting[0], key=lambda each: to_precision(each.worse))
    runner_up = _next_class(best, [*left.values(), *frontier.waiting], moves.surcharge)
    runner_up = runner_up if np.isfinite(runner_up) else found.runner_up  # none is as near as moves are looked at
    if best.graph == start.tobytes():
        return found._replace(runner_up=runner_up)
    plain = best.worse + moves.beyond_fit(start) - moves.beyond_fit(best.kinds)
    return found._replace(
        marks=marks_of(best.kinds, moves.pairs, len(found.marks)),
        score=found.score + plain,
        n_moves=found.n_moves + int(np.count_nonzero(best.kinds != start)),
        runner_up=runner_up,
    )


def _next_class(best: Met, met: list[Met], surcharge: float) -> float:
    """By how much the best graph is worse that differs in more than surcharges, as those of one class may; infinite where none does."""

    def without_surcharges(each: Met) -> float:
        return each.worse - surcharge * np.count_nonzero(each.kinds == BOTH)

    others = (each for each in sorted(met) if abs(without_surcharges(each) - without_surcharges(best)) >= FREE)
    return max(0.0, next((each.worse - best.worse for each in others), np.inf))
