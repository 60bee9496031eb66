"""What tests ask about undirected graphs, by the kernels that the descent runs on; sets of vertices are bit masks."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from dicola._kernels import undirected as kernel
from dicola.graphs.bits import mask_of, members
from dicola.graphs.undirected import UndirectedGraph


def complete(n: int) -> UndirectedGraph:
    """Every pair joined."""
    return UndirectedGraph.from_matrix(~np.eye(n, dtype=np.bool_))


def from_masks(neighbours: Iterable[int]) -> UndirectedGraph:
    """From the mask of the neighbours of each vertex."""
    return UndirectedGraph.from_rows([members(mask) for mask in neighbours])


def induced(graph: UndirectedGraph, vertices: Iterable[int]) -> UndirectedGraph:
    """The graph on some vertices, in ascending order, numbered anew."""
    return UndirectedGraph(*kernel.induced(graph.starts, graph.indices, np.array(sorted(vertices), dtype=np.int64)))


def components(graph: UndirectedGraph, without: int = 0) -> list[int]:
    """Connected components once the vertices of ``without`` are taken out, ordered by their smallest vertex."""
    outside = np.zeros(len(graph), dtype=np.bool_)
    outside[members(without)] = True
    label, count = kernel.components(graph.starts, graph.indices, outside)
    return [mask_of(np.nonzero(label == i)[0].tolist()) for i in range(count)]


def separators(graph: UndirectedGraph) -> list[int]:
    """The minimal separators of a minimal triangulation of a connected graph, each once."""
    begins, found, _ = kernel.separators(graph.starts, graph.indices)
    return list(dict.fromkeys(mask_of(found[begins[i] : begins[i + 1]].tolist()) for i in range(len(begins) - 1)))
