"""Possible-D-Sep: where a separating set may lie when no set of neighbours separates (Spirtes et al. 2000, section 6.7)."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dicola._kernels import possible_dsep_paths as kernel
from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import Adjacency, SearchLevels
from dicola.graphs.bits import as_words, from_words, mask_of, members
from dicola.graphs.skeleton import RecordedSets
from dicola.learners.adjacency import remove
from dicola.orient.partial import PartialGraph

_REMEMBERED = 1 << 17  # answers kept; a bound on memory, not on meaning


class PdsPaths:
    """Possible-D-Sep paths of a graph frozen for a round: each inner vertex a collider, or in a triangle with its two neighbours.

    Searches run over ordered edges (u, v), since a vertex may be passed in one direction and not in another.
    """

    def __init__(self, beside: list[int], into: list[int]) -> None:
        """``beside[v]`` is the mask of the neighbours of v, ``into[v]`` of those whose edge has an arrowhead at v."""
        self.beside = beside
        self._into = into
        self._known: dict[tuple[int, int], int] = {}

    @classmethod
    def of(cls, graph: PartialGraph) -> PdsPaths:
        """The paths of a graph with marks."""
        into = [mask_of(u for u in row if graph.is_arrow(u, v)) for v, row in enumerate(graph.around)]
        return cls([mask_of(row) for row in graph.around], into)

    @cached_property
    def words(self) -> NDArray[np.uint64]:
        """``beside`` and ``into`` as words of 64 bits, for the kernels."""
        words = (len(self.beside) + 63) // 64
        return np.array([as_words(mask, words) for mask in (*self.beside, *self._into)]).reshape(2, -1, words)

    def _onward(self, u: int, v: int) -> int:
        """Where a path may go that has come from u to v."""
        beyond = self.beside[v] & self.beside[u]
        if self._into[v] >> u & 1:
            beyond |= self._into[v]
        return beyond & ~(1 << u)

    def reached(self, root: int, inside: int) -> int:
        """Mask of what paths from the root reach whose inner vertices all lie ``inside``."""
        found = self.beside[root]
        if not inside & found:
            return found
        known = self._known.get((root, inside))
        if known is not None:
            return known
        taken = [0] * len(self.beside)
        stack = [(root, v) for v in members(found & inside)]
        while stack:
            u, v = stack.pop()
            new = self._onward(u, v) & ~taken[v] & ~(1 << root)
            taken[v] |= new
            found |= new
            stack += [(v, w) for w in members(new & inside)]
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[root, inside] = found
        return found

    def within(self, steps: int) -> list[int]:
        """For each root the mask of what paths of at most this many steps lead to."""
        return [from_words(row) for row in kernel.within(self.words, steps)]


def possible_dsep(adjacency: Adjacency, sets: RecordedSets) -> Adjacency:
    """Row x: the Possible-D-Sep of x in a skeleton with the unshielded colliders that its separating sets imply."""
    recorded = sets.pairs()
    pairs = np.array(list(recorded), dtype=np.int64).reshape(-1, 2)
    begins = np.cumsum([0, *map(len, recorded.values())], dtype=np.int64)
    flat = np.array([v for z in recorded.values() for v in z], dtype=np.int64)
    return np.asarray(kernel.possible_dsep(adjacency, pairs, begins, flat))


def separate_by_possible_dsep(
    ci: Inquiry, adjacency: Adjacency, sets: RecordedSets, candidates: Adjacency, searched: int | None, max_size: int | None
) -> bool:
    """Remove every edge whose ends a subset of either end's candidates separates; changes ``adjacency`` and ``sets``.

    ``candidates`` (one row per vertex) are frozen before the phase, so the order of edges does not
    matter. Sets of neighbours up to the size ``searched`` (``None``: all) were tried before and are
    passed over. Answers whether no limit cut the search short.
    """
    search = ci.ask(SearchLevels(adjacency, max_size, 1, candidates, adjacency, searched))
    remove(search.fallen, adjacency, sets)
    return search.finished
