"""Graphs that score nearly as well as the best: a sample of what the data leave open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
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
from dicola.score.likelier import Frontier, Moves
from dicola.score.mag_climb import kinds_of, marks_of

Marks = NDArray[np.int8]
_MEMBERS = 3  # graphs of a class from which others are looked for; their neighbours differ
_SAME = 1e-6  # scores that differ by less are those of one class, but for rounding


class NearGraph(NamedTuple):
    """A class of graphs by its PAG, and by how much it scores worse than the best."""

    pag: PAG
    worse: float


def near_best(mag: MAG, moves: Moves, within: float = 10.0, most: int = 100, observed: Sequence[str] | None = None) -> list[NearGraph]:
    """Classes of MAGs that are at most so much worse than a MAG, the best first.

    From the MAG one edge is added, removed or turned, from the best of what that gives another one, and so on: always from the best
    graph that was not yet left. Graphs of one class count once.

    Parameters
    ----------
    mag : MAG
        Where to begin, usually the end of a search.
    moves : Moves
        What an edge may become, and what that is worth: the score, and what graphs cost beside it. Of a class it is the cheapest graph
        met that counts. What the law claims stands in the PAGs.
    within : float
        How much worse a graph may be: 10 is a likelihood ratio of 150.
    most : int
        Graphs that are left at most; each costs a score per pair and kind of edge.
    observed : sequence of str, optional
        The variables that classes are over, where the score has others too.

    """
    names = moves.score.names
    frontier = Frontier(kinds_of(mag.reordered(names).marks, moves.pairs))
    classes = _Classes(names, observed or names, None if moves.law is None else moves.law.claims)
    left: Counter[int] = Counter()  # by class, the graphs from which others were looked for
    while frontier.waiting and left.total() < most:
        met = frontier.pop()
        surcharges = moves.surcharge * np.count_nonzero(met.kinds == BOTH)
        at = classes.place(marks_of(met.kinds, moves.pairs, len(names)), met.worse, surcharges)
        if left[at] == _MEMBERS:
            continue
        left[at] += 1
        worth = moves.worth(met.kinds, within)
        if left[at] == _MEMBERS:
            worth[abs(worth) <= _SAME] = np.inf
        frontier.leave(met, worth, within)
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
