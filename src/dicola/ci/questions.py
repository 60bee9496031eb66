"""What is asked of a conditional independence test beside the single question, and what is answered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isnan, nan
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dicola.graphs.skeleton import Variables

Adjacency = NDArray[np.bool_]


class SetFamily(Protocol):
    """The conditioning sets a search may ask about, where not every subset of the candidates will do."""

    def of_size(self, size: int) -> Iterator[Variables]:
        """Its sets of this size, each once, in a fixed order, made as they are asked for."""
        ...

    def bunches(self, size: int) -> Iterator[NDArray[np.int64]]:
        """The same sets in the same order, as the rows of matrices."""
        ...

    def __contains__(self, z: Variables) -> bool:
        """Is this set of candidates one of them?"""
        ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to one question; ``p_value`` is NaN where a test only says yes or no.

    ``strength`` grows with the dependence and tells apart p-values too small to differ; 0 where a test has none.
    """

    independent: bool
    p_value: float = nan
    strength: float = 0.0

    def independent_at(self, alpha: float | None) -> bool:
        """The answer at another level than the test's own; a test without p-values has one answer only."""
        return self.independent if alpha is None or isnan(self.p_value) else self.p_value > alpha


class Separation(NamedTuple):
    """An edge that fell, ``i < j``, and the set that separates its ends."""

    i: int
    j: int
    separating_set: Variables


class Levels(NamedTuple):
    """What a search level by level is asked: see ``CITest.search_levels``."""

    adjacency: Adjacency
    max_size: int | None = None
    first: int = 0
    candidates: Adjacency | None = None
    tried: Adjacency | None = None
    tried_to: int | None = None


class Search(NamedTuple):
    """What a search level by level found: the edges that fell, and whether it came to its end rather than to a limit."""

    fallen: list[Separation]
    finished: bool


class FlatTree(NamedTuple):
    """A decomposition tree as arrays: see ``dicola._kernels.tree``."""

    begins: NDArray[np.int64]
    members: NDArray[np.int64]
    side: NDArray[np.int8]
    left: NDArray[np.int64]
    right: NDArray[np.int64]


class Growth(NamedTuple):
    """A decomposition tree with the independence graphs of its leaves: see ``dicola._kernels.growth.grow``."""

    tree: FlatTree
    graph_begins: NDArray[np.int64]
    graph_starts: NDArray[np.int64]
    graph_indices: NDArray[np.int64]


class Bounds(NamedTuple):
    """Where a decomposition ends: as ``dicola.decompose.tree.StopRule`` has it, with a number for every limit."""

    saving: float
    largest: int
    min_leaf_size: int
    max_depth: int
    max_nodes: int
    max_work: float
