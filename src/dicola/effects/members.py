"""The MAGs of a class, one mark change after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dicola.graphs.mag import MAG
from dicola.graphs.marks import ARROW, TAIL
from dicola.graphs.relatives import reached

Marks = NDArray[np.int8]


def members_from(start: MAG) -> Iterator[MAG]:
    """Every MAG that entails the same independences, the given one first; a class may have very many.

    Any two MAGs without undirected edges that are Markov equivalent are joined by single changes of
    ``a --> b`` to ``a <-> b`` or back, each of which stays in the class (Zhang and Spirtes 2005,
    Theorem 3); so a search over such changes meets them all.

    Parameters
    ----------
    start : MAG
        Without undirected edges.

    """
    met, queue = {start.marks.tobytes()}, deque([start.marks])
    while queue:
        marks = queue.popleft()
        yield MAG.trusted(marks, start.names)
        for a, b in np.argwhere(marks == ARROW).tolist():
            if not may_change(marks, a, b):
                continue
            changed = marks.copy()
            changed[b, a] = TAIL if marks[b, a] == ARROW else ARROW
            if (key := changed.tobytes()) not in met:
                met.add(key)
                queue.append(changed)


def may_change(marks: Marks, a: int, b: int) -> bool:
    """Can ``a --> b`` become ``a <-> b``, or the other way round, with every independence kept?

    Iff no directed path leads from a to b beside the edge; every parent of a is a parent of b, and
    every spouse of a a parent or spouse of b; and no discriminating path for a ends in b (Zhang and
    Spirtes 2005, Lemma 1).
    """
    heads, tails = marks == ARROW, marks.T == TAIL
    points = heads & tails  # [u, v]: u --> v
    joined = heads & (marks.T == ARROW)
    if (points[:, a] & ~points[:, b]).any():
        return False
    beside = points[:, b] | joined[:, b]
    beside[b] = True
    if (joined[:, a] & ~beside).any():
        return False
    onward = [v for v in np.flatnonzero(points[a]).tolist() if v != b]
    if any(b in reached(v, lambda u: np.flatnonzero(points[u]).tolist()) for v in onward):
        return False
    return not _discriminates(marks, points, joined, a, b)


def _discriminates(marks: Marks, points: NDArray[np.bool_], joined: NDArray[np.bool_], a: int, b: int) -> bool:
    """Is there a path ``(u, …, v, a, b)`` with u not adjacent to b, and all between u and a colliders and parents of b?"""
    inner = points[:, b].copy()
    inner[a] = False
    for first in np.flatnonzero(joined[a] & inner).tolist():
        for v in reached(first, lambda t: np.flatnonzero(joined[t] & inner).tolist()):
            starts = (marks[:, v] == ARROW) & (marks[:, b] == 0)
            starts[b] = False
            if starts.any():
                return True
    return False
