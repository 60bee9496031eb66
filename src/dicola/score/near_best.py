"""Graphs that score nearly as well as the best: a sample of what the data leave open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola._kernels.mag_state import BOTH
from dicola.claims import Claims
from dicola.graphs.mag import MAG
from dicola.graphs.marks import ARROW, NONE
from dicola.graphs.pag import PAG
from dicola.orient.equivalence import skeleton_of_mag
from dicola.orient.fixpoint import orient
from dicola.score.base import Score
from dicola.score.law import Law
from dicola.score.mag_climb import Known, kinds_of, marks_of, weighed_moves
from dicola.watch import heed

Marks = NDArray[np.int8]
_MEMBERS = 3  # graphs of a class from which others are looked for; their neighbours differ
_LARGEST_DISTRICT = 10
_SAME = 1e-6  # scores that differ by less are those of one class, but for rounding


class NearGraph(NamedTuple):
    """A class of graphs by its PAG, and by how much it scores worse than the best."""

    pag: PAG
    worse: float


def near_best(
    score: Score,
    mag: MAG,
    candidates: NDArray[np.bool_],
    within: float = 10.0,
    most: int = 100,
    surcharge: float = 0.0,
    law: Law | None = None,
    observed: Sequence[str] | None = None,
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
    observed : sequence of str, optional
        The variables that classes are over, where the score has others too.

    """
    start = mag.reordered(score.names).marks
    ends = np.argwhere(np.triu((start != NONE) | candidates, 1)).astype(np.int64)
    begin = kinds_of(start, ends)
    known, classes = Known.room_for(len(score)), _Classes(score.names, observed or score.names, None if law is None else law.claims)
    waiting, seen = [(0.0, begin.tobytes())], {begin.tobytes()}
    left: Counter[int] = Counter()  # by class, the graphs from which others were looked for
    while waiting and left.total() < most:
        heed()
        worse, graph = heappop(waiting)
        kinds = np.frombuffer(graph, dtype=np.int64)
        marks = marks_of(kinds, ends, len(score))
        at = classes.place(marks, worse, surcharge * np.count_nonzero(kinds == BOTH))
        if left[at] == _MEMBERS:
            continue
        left[at] += 1
        worth = weighed_moves(score, marks, ends, _LARGEST_DISTRICT, surcharge, known, law)
        for pair, kind in np.argwhere(np.isfinite(worth) & (worth <= within - worse)).tolist():
            if abs(worth[pair, kind]) <= _SAME and left[at] == _MEMBERS:
                continue
            other = kinds.copy()
            other[pair] = kind
            if (key := other.tobytes()) not in seen:
                seen.add(key)
                heappush(waiting, (worse + worth[pair, kind], key))
    best = min(each.worse for each in classes.met)
    return sorted((each._replace(worse=float(each.worse - best)) for each in classes.met), key=lambda each: each.worse)


class _Classes:
    """The classes met so far.

    Two graphs with the same edges, the same unshielded colliders and the same score are Markov
    equivalent, but for a coincidence: of these only the first is oriented.
    """

    def __init__(self, names: Sequence[str], observed: Sequence[str], claims: Claims | None) -> None:
        self.met: list[NearGraph] = []
        self._names, self._observed = names, tuple(observed)
        self._claims = None if claims is None else claims.in_part(self._observed)
        self._by_pag: dict[bytes, int] = {}
        self._by_shape: dict[bytes, list[tuple[float, int]]] = {}

    def place(self, marks: Marks, worse: float, surcharges: float) -> int:
        """The number of the class of a graph, which is met by this."""
        alike, plain = self._by_shape.setdefault(_shape(marks), []), worse - surcharges
        at = next((at for other, at in alike if abs(other - plain) <= _SAME), None)
        if at is None:
            mag = MAG(marks, self._names).maximal()
            mag = mag if len(mag) == len(self._observed) else mag.marginal(self._observed)
            pag = orient(skeleton_of_mag(mag), claims=self._claims).pag
            at = self._by_pag.setdefault(pag.marks.tobytes(), len(self.met))
            alike.append((plain, at))
            if at == len(self.met):
                self.met.append(NearGraph(pag, worse))
        self.met[at] = self.met[at]._replace(worse=min(worse, self.met[at].worse))
        return at


def _shape(marks: Marks) -> bytes:
    """The edges and unshielded colliders of a graph."""
    edges, into = marks != NONE, marks == ARROW
    apart = ~edges
    np.fill_diagonal(apart, False)
    return np.packbits(edges).tobytes() + np.packbits(into[:, None] & into & apart[:, :, None]).tobytes()
