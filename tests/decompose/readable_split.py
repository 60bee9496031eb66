"""The split search in readable form, on bit masks: the specification of the kernels in ``dicola._kernels.undirected`` and ``splits``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dicola.decompose.split import Split, balance
from dicola.graphs.bits import mask_of, members
from dicola.graphs.skeleton import Variables


@dataclass(frozen=True)
class MaskGraph:
    """Vertices 0, 1, …; ``neighbours[v]`` is the mask of the vertices beside v."""

    neighbours: tuple[int, ...]

    @classmethod
    def from_matrix(cls, adjacency: NDArray[np.bool_]) -> MaskGraph:
        """From a symmetric boolean matrix."""
        return cls(tuple(mask_of(np.nonzero(row)[0].tolist()) for row in adjacency))

    @classmethod
    def complete(cls, n: int) -> MaskGraph:
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

    def induced(self, vertices: Iterable[int]) -> MaskGraph:
        """The graph on some vertices, numbered anew in the order given."""
        kept = tuple(vertices)
        place = {v: i for i, v in enumerate(kept)}
        inside = mask_of(kept)
        return MaskGraph(tuple(mask_of(place[w] for w in members(self.neighbours[v] & inside)) for v in kept))

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


def find_split(graph: MaskGraph) -> Split | None:
    """The split with the least balancing score among the separators of a minimal triangulation; ``None`` iff the graph is complete.

    The components that a separator leaves are grouped into two sides as equal as can be. Ties go to the smaller separator, then to the
    smaller larger side, then to the separator that comes first; so equal graphs are split equally.
    """
    if graph.is_complete:
        return None
    components = graph.components()
    if len(components) > 1:
        return _grouped(components, 0)
    n = len(graph)
    best: Split | None = None
    best_rank: tuple[float, int, int, Variables] | None = None
    for separator in sorted(graph.separators(), key=int.bit_count):
        size = separator.bit_count()
        if best_rank is not None and balance((n - size) // 2, n - size, size) > best_rank[0]:
            continue  # even an equal split would score worse
        split = _grouped(graph.components(without=separator), separator)
        rank = (split.score, size, max(len(split.left), len(split.right)), split.separator)
        if best_rank is None or rank < best_rank:
            best, best_rank = split, rank
    return best


def _grouped(components: list[int], separator: int) -> Split:
    """Components into two sides of nearly equal size: a subset-sum over their sizes, largest first."""
    ordered = sorted(components, key=lambda mask: (-mask.bit_count(), mask & -mask))
    sizes = [mask.bit_count() for mask in ordered]
    reachable = [1]  # bit s: some of the components so far add up to s
    for size in sizes:
        reachable.append(reachable[-1] | reachable[-1] << size)
    total = sum(sizes)
    target = max(members(reachable[-1] & ((1 << total // 2 + 1) - 1)))
    side = 0
    for i in range(len(sizes) - 1, -1, -1):
        if not reachable[i] >> target & 1:
            side |= ordered[i]
            target -= sizes[i]
    other = sum(components) & ~side
    if other & -other < side & -side:
        side, other = other, side
    return Split(tuple(members(side)), tuple(members(other)), tuple(members(separator)))
