"""Graphs that score nearly as well as the best: a sample of what the data leave open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola._kernels.mag_state import BACK, FORTH
from dicola.graphs.mag import MAG
from dicola.graphs.marks import ARROW, NONE, TAIL
from dicola.graphs.pag import PAG
from dicola.graphs.skeleton import Pair
from dicola.orient.equivalence import skeleton_of_mag
from dicola.orient.fixpoint import orient
from dicola.score.base import Score
from dicola.score.law import Law
from dicola.score.readable_climb import Move, ReadableClimb
from dicola.watch import heed

Marks = NDArray[np.int8]
_MEMBERS = 3  # graphs of a class from which others are looked for; their neighbours differ
_LARGEST_DISTRICT = 10
_SAME = 1e-6  # scores that differ by less are those of one class, but for rounding
_AT_A = (NONE, TAIL, ARROW, ARROW)  # by kind of edge: the mark at a, and at b
_AT_B = (NONE, ARROW, TAIL, ARROW)


class NearGraph(NamedTuple):
    """A class of graphs by its PAG, and by how much it scores worse than the best."""

    pag: PAG
    worse: float


class _Near(ReadableClimb):
    """A graph among its neighbours; nothing is climbed."""

    def moves_within(self, limit: float) -> Iterator[tuple[Move, float]]:
        """The moves that change the score by no more than the limit, and keep the graph ancestral."""
        for move in self._moves(self.kinds):
            worth = self._worth(move)
            if worth <= limit and self._is_valid(move):
                yield move, worth


def near_best(
    score: Score,
    mag: MAG,
    candidates: NDArray[np.bool_],
    within: float = 10.0,
    most: int = 100,
    surcharge: float = 0.0,
    law: Law | None = None,
) -> list[NearGraph]:
    """Classes of MAGs that score at most so much worse than a MAG, the best first.

    From the MAG one edge is added, removed or turned, from the best of what that gives another one, and so on: always from the best
    graph that was not yet left. Graphs of one class count once.

    Parameters
    ----------
    score : Score
        What graphs are scored by.
    mag : MAG
        Where to begin, usually the end of a search.
    candidates : matrix of bool
        Pairs between which edges may be added.
    within : float
        How much worse a graph may be: 10 is a likelihood ratio of 150.
    most : int
        Graphs that are left at most; each costs a score per pair and kind of edge.
    surcharge : float
        What a bidirected edge costs beyond the price of an edge. Of a class it is the cheapest graph met that counts.
    law : Law, optional
        What every graph obeys; the marks that follow from it stand in the PAGs.

    """
    start = mag.reordered(score.names).marks
    pairs = [(a, b) for a, b in np.argwhere(np.triu((start != NONE) | candidates, 1)).tolist()]
    begin = tuple((start[a, b] == ARROW) * FORTH + (start[b, a] == ARROW) * BACK for a, b in pairs)
    near = _Near(score, dict(zip(pairs, begin, strict=True)), 0.0, _LARGEST_DISTRICT, None, surcharge, law)
    waiting, seen = [(0.0, begin)], {begin}
    classes: dict[bytes, NearGraph] = {}
    left: Counter[bytes] = Counter()
    while waiting and left.total() < most:
        heed()
        worse, kinds = heappop(waiting)
        graph = MAG(_marks(pairs, kinds, len(score)), score.names).maximal()
        pag = orient(skeleton_of_mag(graph), claims=None if law is None else law.claims).pag
        name = pag.marks.tobytes()
        known = classes.setdefault(name, NearGraph(pag, worse))
        if worse < known.worse:
            classes[name] = NearGraph(pag, worse)
        if left[name] == _MEMBERS:
            continue
        left[name] += 1
        near.kinds = dict(zip(pairs, kinds, strict=True))
        for (pair, kind), worth in near.moves_within(within - worse):
            other = tuple(kind if each == pair else now for each, now in near.kinds.items())
            if other not in seen and (abs(worth) > _SAME or left[name] < _MEMBERS):
                seen.add(other)
                heappush(waiting, (worse + worth, other))
    best = min(each.worse for each in classes.values())
    return sorted((each._replace(worse=each.worse - best) for each in classes.values()), key=lambda each: each.worse)


def _marks(pairs: list[Pair], kinds: tuple[int, ...], n: int) -> Marks:
    marks = np.zeros((n, n), dtype=np.int8)
    for (a, b), kind in zip(pairs, kinds, strict=True):
        marks[b, a], marks[a, b] = _AT_A[kind], _AT_B[kind]
    return marks
