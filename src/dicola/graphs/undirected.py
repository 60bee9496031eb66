"""Undirected graphs as bit masks: components, minimal triangulation and its separators."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dicola.graphs.bits import mask_of, members


@dataclass(frozen=True)
class UndirectedGraph:
    """Vertices 0, 1, …; ``neighbours[v]`` is the mask of the vertices beside v."""

    neighbours: tuple[int, ...]

    @classmethod
    def from_matrix(cls, adjacency: NDArray[np.bool_]) -> UndirectedGraph:
        """From a symmetric boolean matrix."""
        return cls(tuple(mask_of(np.nonzero(row)[0].tolist()) for row in adjacency))

    @classmethod
    def complete(cls, n: int) -> UndirectedGraph:
        """Every pair joined."""
        everything = (1 << n) - 1
        return cls(tuple(everything & ~(1 << v) for v in range(n)))

    def to_matrix(self) -> NDArray[np.bool_]:
        """Symmetric boolean matrix."""
        matrix = np.zeros((len(self), len(self)), dtype=np.bool_)
        for v, mask in enumerate(self.neighbours):
            matrix[v, list(members(mask))] = True
        return matrix

    def __len__(self) -> int:
        return len(self.neighbours)

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return sum(mask.bit_count() for mask in self.neighbours) // 2

    @property
    def is_complete(self) -> bool:
        """Is every pair joined?"""
        return all(mask.bit_count() == len(self) - 1 for mask in self.neighbours)

    def induced(self, vertices: Iterable[int]) -> UndirectedGraph:
        """The graph on some vertices, numbered anew in the order given."""
        kept = tuple(vertices)
        place = {v: i for i, v in enumerate(kept)}
        inside = mask_of(kept)
        return UndirectedGraph(tuple(mask_of(place[w] for w in members(self.neighbours[v] & inside)) for v in kept))

    def components(self, without: int = 0) -> list[int]:
        """Connected components as masks once the vertices of ``without`` are taken out, ordered by their smallest vertex."""
        left = (1 << len(self)) - 1 & ~without
        found = []
        while left:
            component = frontier = left & -left
            while frontier:
                beside = 0
                for v in members(frontier):
                    beside |= self.neighbours[v]
                frontier = beside & left & ~component
                component |= frontier
            found.append(component)
            left &= ~component
        return found

    def separators(self) -> list[int]:
        """The minimal separators of a minimal triangulation of a connected graph, as distinct masks.

        MCS-M (Berry et al. 2004) numbers the vertices by maximum cardinality and adds a minimal set of fill edges on the way. Each time
        the cardinality does not grow a new clique of the clique tree begins, and its earlier neighbours are a separator (Blair and
        Peyton 1993); it is a minimal separator of the graph itself.
        """
        n = len(self)
        left = (1 << n) - 1
        weight = [0] * n
        earlier = [0] * n  # neighbours in the triangulation that were numbered before
        found: dict[int, None] = {}
        previous = -1
        while left:
            v = max(members(left), key=weight.__getitem__)
            left ^= 1 << v
            if weight[v] <= previous:
                found[earlier[v]] = None
            previous = weight[v]
            for u in members(self._raised(v, left, weight)):
                weight[u] += 1
                earlier[u] |= 1 << v
        return [mask for mask in found if mask]

    def _raised(self, v: int, left: int, weight: list[int]) -> int:
        """Unnumbered u that v reaches by a path whose inner vertices all weigh less than u."""
        raised = self.neighbours[v] & left
        unreached = left & ~raised
        waiting: dict[int, int] = {}
        for u in members(raised):
            waiting[weight[u]] = waiting.get(weight[u], 0) | 1 << u
        while waiting:
            level = min(waiting)
            frontier = waiting.pop(level)
            while frontier:
                beside = 0
                for y in members(frontier):
                    beside |= self.neighbours[y]
                beside &= unreached
                unreached &= ~beside
                frontier = 0
                for u in members(beside):
                    if weight[u] > level:
                        raised |= 1 << u
                        waiting[weight[u]] = waiting.get(weight[u], 0) | 1 << u
                    else:
                        frontier |= 1 << u
        return raised
