"""FindDecomposition: cut an independence graph at a small, balanced separator (Li et al. 2026, Algorithm 2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola._kernels import splits as kernel
from dicola.graphs.skeleton import Variables
from dicola.graphs.undirected import UndirectedGraph


class Split(NamedTuple):
    """A tripartition (A, B | C) of the variables: ``left`` and ``right`` are independent given ``separator``."""

    left: Variables
    right: Variables
    separator: Variables

    @property
    def score(self) -> float:
        """The balancing score of the paper; less is better."""
        return balance(len(self.left), len(self.right), len(self.separator))


def balance(left: int, right: int, separator: int) -> float:
    """``|C| / min(|A u C|, |B u C|)``."""
    return separator / (min(left, right) + separator) if separator else 0.0


def find_split(graph: UndirectedGraph, saving: float | None = None, largest: int = 3) -> Split | None:
    """The split with the least balancing score among the separators of a minimal triangulation; ``None`` iff the graph is complete.

    The components that a separator leaves are grouped into two sides as equal as can be. Ties go to the smaller separator, then to the
    smaller larger side, then to the separator that comes first; so equal graphs are split equally.

    With ``saving``, a split must save that share of the work at its separator. Where the balanced one does not, the split that saves
    most is taken, and ``None`` is the answer where none saves enough. The work of a search is predicted from the degrees: the number of
    sets of at most ``largest`` neighbours that are asked about, edge by edge.
    """
    side = sides_of_split(graph, saving, largest)
    return None if side is None else split_of(side.tolist(), range(len(graph)))


def sides_of_split(graph: UndirectedGraph, saving: float | None = None, largest: int = 3) -> NDArray[np.int8] | None:
    """``find_split`` as the side of each vertex: 1 left, 2 right, 0 in the separator."""
    side: NDArray[np.int8] = kernel.find_split(graph.starts, graph.indices, -np.inf if saving is None else saving, largest)
    return side if len(side) else None


def split_of(side: Sequence[int], variables: Sequence[int]) -> Split:
    """The split in which variable i is on the side ``side[i]``: 1 left, 2 right, 0 in the separator."""
    parts: tuple[list[int], list[int], list[int]] = ([], [], [])
    for variable, part in zip(variables, side, strict=True):
        parts[part].append(variable)
    return Split(tuple(parts[1]), tuple(parts[2]), tuple(parts[0]))
