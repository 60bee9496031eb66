"""Undirected graphs in compressed rows: components, minimal triangulation and its separators, in time that follows the edges."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicola._kernels import splits
from dicola._kernels import undirected as kernel
from dicola.graphs.bits import mask_of, members

Vertices = Sequence[int] | NDArray[np.int64]


class UndirectedGraph:
    """Vertices 0, 1, …; ``indices[starts[v]:starts[v + 1]]`` are the neighbours of v, sorted. ``neighbours`` has them as bit masks."""

    def __init__(self, starts: NDArray[np.int64], indices: NDArray[np.int64]) -> None:
        self.starts = starts
        self.indices = indices

    @classmethod
    def from_masks(cls, neighbours: Sequence[int]) -> UndirectedGraph:
        """From the mask of the neighbours of each vertex."""
        rows = [list(members(mask)) for mask in neighbours]
        starts = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum([len(row) for row in rows], out=starts[1:])
        return cls(starts, np.array([w for row in rows for w in row], dtype=np.int64))

    @classmethod
    def from_matrix(cls, adjacency: NDArray[np.bool_]) -> UndirectedGraph:
        """From a symmetric boolean matrix."""
        starts = np.zeros(len(adjacency) + 1, dtype=np.int64)
        np.cumsum(np.count_nonzero(adjacency, axis=1), out=starts[1:])
        return cls(starts, np.nonzero(adjacency)[1].astype(np.int64, copy=False))

    @classmethod
    def complete(cls, n: int) -> UndirectedGraph:
        """Every pair joined."""
        return cls.from_matrix(~np.eye(n, dtype=np.bool_))

    @classmethod
    def side_by_side(cls, graphs: Sequence[UndirectedGraph]) -> UndirectedGraph:
        """The disjoint union, numbered through."""
        vertices = np.cumsum([0, *[len(graph) for graph in graphs[:-1]]])
        ends = np.cumsum([0, *[len(graph.indices) for graph in graphs[:-1]]])
        starts = np.concatenate([graph.starts[:-1] for graph in graphs]) + np.repeat(ends, [len(graph) for graph in graphs])
        indices = np.concatenate([graph.indices for graph in graphs]) + np.repeat(vertices, [len(graph.indices) for graph in graphs])
        return cls(np.append(starts, len(indices)), indices)

    @cached_property
    def neighbours(self) -> tuple[int, ...]:
        """For each vertex the mask of the vertices beside it."""
        starts, indices = self.starts.tolist(), self.indices.tolist()
        return tuple(mask_of(indices[starts[v] : starts[v + 1]]) for v in range(len(self)))

    def beside(self, v: int) -> list[int]:
        """The neighbours of a vertex, sorted."""
        row: list[int] = self.indices[self.starts[v] : self.starts[v + 1]].tolist()
        return row

    def to_matrix(self) -> NDArray[np.bool_]:
        """Symmetric boolean matrix."""
        return np.asarray(kernel.to_matrix(self.starts, self.indices))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, UndirectedGraph):
            return NotImplemented
        return np.array_equal(self.starts, other.starts) and np.array_equal(self.indices, other.indices)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return UndirectedGraph, (self.starts, self.indices)

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self.indices) // 2

    @property
    def is_complete(self) -> bool:
        """Is every pair joined?"""
        return len(self.indices) == len(self) * (len(self) - 1)

    def work(self, largest: int) -> float:
        """How many sets of at most ``largest`` neighbours a search would ask about, edge by edge: the predicted cost of starting here."""
        return float(splits.work_of(self.starts, largest))

    def induced(self, vertices: Vertices, block: Vertices = (), related: NDArray[np.bool_] | None = None) -> UndirectedGraph:
        """The graph on some vertices, in ascending order (as an array has to give them), numbered anew.

        The pairs inside the sorted ``block``, in the new numbers, are joined as ``related`` says.
        """
        kept = vertices if isinstance(vertices, np.ndarray) else np.array(sorted(vertices), dtype=np.int64)
        if related is None:
            return UndirectedGraph(*kernel.induced(self.starts, self.indices, kept))
        inside = np.asarray(block, dtype=np.int64)
        return UndirectedGraph(*kernel.induced_with_block(self.starts, self.indices, kept, inside, related))

    def components(self, without: int = 0) -> list[int]:
        """Connected components as masks once the vertices of ``without`` are taken out, ordered by their smallest vertex."""
        outside = np.zeros(len(self), dtype=np.bool_)
        outside[list(members(without))] = True
        label, count = kernel.components(self.starts, self.indices, outside)
        return [mask_of(np.nonzero(label == i)[0].tolist()) for i in range(count)]

    def separators(self) -> list[int]:
        """The minimal separators of a minimal triangulation of a connected graph, as distinct masks.

        MCS-M (Berry et al. 2004) numbers the vertices by maximum cardinality and adds a minimal set of fill edges on the way. Each
        time the cardinality does not grow a new clique of the clique tree begins, and its earlier neighbours are a separator (Blair and
        Peyton 1993); it is a minimal separator of the graph itself.
        """
        begins, found = kernel.separators(self.starts, self.indices)
        return list(dict.fromkeys(mask_of(found[begins[i] : begins[i + 1]].tolist()) for i in range(len(begins) - 1)))
