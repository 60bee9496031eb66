"""Possible-D-Sep: where a separating set may lie when no set of neighbours separates (Spirtes et al. 2000, section 6.7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from dicola._kernels import possible_dsep_paths as kernel
from dicola._kernels.arrays import flat_rows, in_columns
from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import Adjacency, SearchLevels
from dicola.graphs.bits import as_words, from_words, mask_of, members
from dicola.graphs.skeleton import RecordedSets
from dicola.learners.adjacency import most_sets, remove, tell_passed_over
from dicola.orient.partial import PartialGraph


class PdsPaths:
    """Possible-D-Sep paths of a graph frozen for a round: each inner vertex a collider, or in a triangle with its two neighbours.

    ``beside[v]`` is the mask of the neighbours of v; ``words`` has these, and the neighbours whose edge has an arrowhead at v, as words
    of 64 bits for the kernels.
    """

    def __init__(self, graph: PartialGraph) -> None:
        self.beside = [mask_of(row) for row in graph.around]
        self.into = into = [mask_of(u for u in row if graph.is_arrow(u, v)) for v, row in enumerate(graph.around)]
        words = (len(graph) + 63) // 64
        self.words: NDArray[np.uint64] = np.array([as_words(mask, words) for mask in (*self.beside, *into)]).reshape(2, -1, words)

    def reached(self, root: int, inside: int) -> int:
        """Mask of what paths from the root reach whose inner vertices all lie ``inside``.

        The search runs over ordered edges (u, v): a vertex may be passed in one direction and not in another.
        """
        beside, into = self.beside, self.into
        found, taken = beside[root], [1 << root] * len(beside)
        stack = [(root, v) for v in members(found & inside)]
        while stack:
            u, v = stack.pop()
            onward = beside[v] & beside[u] | (into[v] if into[v] >> u & 1 else 0)
            new = onward & ~taken[v] & ~(1 << u)
            taken[v] |= new
            found |= new
            stack += [(v, w) for w in members(new & inside)]
        return found

    def within(self, steps: int) -> list[int]:
        """For each root the mask of what paths of at most this many steps lead to."""
        return [from_words(row) for row in kernel.within(self.words, steps)]


def reaching(graph: PartialGraph, targets: Sequence[int], may_pass: Callable[[int, int], bool]) -> set[int]:
    """Vertices with a path to a target, the targets included, on which every edge u - v may be passed towards v."""
    found, stack = set(targets), list(targets)
    while stack:
        v = stack.pop()
        new = [u for u in graph.around[v] if u not in found and may_pass(u, v)]
        found.update(new)
        stack += new
    return found


def possible_dsep(adjacency: Adjacency, sets: RecordedSets) -> Adjacency:
    """Row x: the Possible-D-Sep of x in a skeleton with the unshielded colliders that its separating sets imply."""
    recorded = sets.pairs()
    return np.asarray(kernel.possible_dsep(adjacency, in_columns(recorded, 2), *flat_rows(recorded.values())))


def separate_by_possible_dsep(
    ci: Inquiry,
    adjacency: Adjacency,
    sets: RecordedSets,
    candidates: Adjacency,
    searched: int | None,
    max_size: int | None,
    useless: Adjacency | None = None,
    told: list[str] | None = None,
) -> bool:
    """Remove every edge whose ends a subset of either end's candidates separates; changes ``adjacency`` and ``sets``.

    ``candidates`` (one row per vertex) are frozen before the phase, so the order of edges does not
    matter. Sets of neighbours up to the size ``searched`` (``None``: all) were tried before and are
    passed over, as is what is known to cause neither end (``useless``). Answers whether no limit cut the search short.
    """
    search = ci.ask(SearchLevels(adjacency, max_size, 1, candidates, adjacency, searched, useless, most_sets(ci)))
    tell_passed_over(search, ci, told)
    remove(search.fallen, adjacency, sets)
    return search.finished
