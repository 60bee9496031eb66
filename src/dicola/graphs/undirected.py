"""Undirected graphs in compressed rows, in space that follows the edges."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from dicola._kernels import undirected as kernel
from dicola.graphs.bits import mask_of


@lru_cache(maxsize=64)
def _others(n: int) -> NDArray[np.int64]:
    """For each of n vertices all others, one row after the other; leaves of a few sizes ask for it time and again."""
    return np.nonzero(~np.eye(n, dtype=np.bool_))[1].astype(np.int64, copy=False)


class UndirectedGraph:
    """Vertices 0, 1, …; ``indices[starts[v]:starts[v + 1]]`` are the neighbours of v, sorted. ``neighbours`` has them as bit masks."""

    def __init__(self, starts: NDArray[np.int64], indices: NDArray[np.int64]) -> None:
        self.starts = starts
        self.indices = indices

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[int]]) -> UndirectedGraph:
        """From the sorted neighbours of each vertex."""
        return cls(np.cumsum([0, *map(len, rows)]), np.fromiter(chain.from_iterable(rows), dtype=np.int64))

    @classmethod
    def from_matrix(cls, adjacency: NDArray[np.bool_]) -> UndirectedGraph:
        """From a symmetric boolean matrix."""
        starts = np.append(0, np.cumsum(np.count_nonzero(adjacency, axis=1)))
        return cls(starts, np.nonzero(adjacency)[1].astype(np.int64, copy=False))

    @classmethod
    def claimed(cls, rows: tuple[NDArray[np.int64], NDArray[np.int64]]) -> UndirectedGraph:
        """From rows in which either end of an edge may name the other; in space that follows the edges."""
        begins, members = rows
        n = len(begins) - 1
        owners = np.repeat(np.arange(n), np.diff(begins))
        pairs = np.unique(np.concatenate((owners * n + members, members * n + owners)))
        return cls(np.searchsorted(pairs, np.arange(n + 1) * n), pairs % n)

    @classmethod
    def complete(cls, n: int) -> UndirectedGraph:
        """Every pair joined."""
        return cls(np.arange(n + 1) * (n - 1), _others(n).copy())

    @classmethod
    def side_by_side(cls, graphs: Sequence[UndirectedGraph]) -> UndirectedGraph:
        """The disjoint union, numbered through."""
        sizes = np.array([(len(graph.starts) - 1, len(graph.indices)) for graph in graphs])
        ends = sizes.cumsum(axis=0)
        vertices_before, entries_before = (ends - sizes).T
        starts = np.empty(ends[-1, 0] + 1, dtype=np.int64)
        np.concatenate([graph.starts[:-1] for graph in graphs], out=starts[:-1])
        starts[:-1] += entries_before.repeat(sizes[:, 0])
        starts[-1] = ends[-1, 1]
        return cls(starts, np.concatenate([graph.indices for graph in graphs]) + vertices_before.repeat(sizes[:, 1]))

    @property
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

    @property
    def is_complete(self) -> bool:
        """Is every pair joined?"""
        return len(self.indices) == len(self) * (len(self) - 1)
