"""MergeSkeletons: from the leaves back to the whole (Li et al. 2026, Theorem 3)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicola._kernels import tree as kernel
from dicola.decompose.split import Split
from dicola.decompose.tree import Branch, Leaf, Tree
from dicola.graphs.skeleton import Pair, SeparatingSets, Skeleton, Variables

Edges = frozenset[Pair]


def merge(left: Edges, right: Edges, split: Split) -> Edges:
    """Join two local skeletons; an edge inside the separator survives only if both sides have it.

    A separator pair that either side separates is separated in the whole (Theorem 2); every other pair is decided by its own side
    (Theorem 1).
    """
    separator = frozenset(split.separator)
    one_sided = {(x, y) for x, y in left ^ right if x in separator and y in separator}
    return (left | right) - one_sided


def merge_up(tree: Tree, leaves: Sequence[Skeleton], names: tuple[str, ...]) -> Skeleton:
    """Merge the skeletons of the leaves, in the order of ``tree.leaves``, from the bottom to the root; ``names`` in the user's order."""
    learned = iter(leaves)
    skeletons: list[Skeleton | None] = [next(learned) if isinstance(node, Leaf) else None for node in tree.nodes]
    edges: list[Edges] = [frozenset() if skeleton is None else skeleton.edges for skeleton in skeletons]
    for number in tree.bottom_up():
        node = tree.nodes[number]
        if isinstance(node, Branch):
            edges[number] = merge(edges[node.left], edges[node.right], node.split)
    first = leaves[0]
    warnings = tuple(dict.fromkeys(warning for skeleton in leaves for warning in skeleton.warnings))
    sets = TreeSets(tree, tuple(None if skeleton is None else skeleton.sets for skeleton in skeletons))
    return Skeleton(first.labels, tree.nodes[0].variables, edges[0], sets, names, warnings)


class TreeSets(SeparatingSets):
    """Separating sets answered from the tree when asked, so that no pair that a cut parts costs any memory.

    A pair on opposite sides of a split is separated by its separator; a pair on one side is asked there; a pair inside the separator is
    asked on both sides, and either answer holds. Of several answers the smallest is given, then the first.
    """

    def __init__(self, tree: Tree, leaf_sets: tuple[SeparatingSets | None, ...]) -> None:
        self.tree = tree
        self.leaf_sets = leaf_sets

    def get(self, x: int, y: int) -> Variables | None:
        found: list[Variables] = []
        for number in kernel.deciding_nodes(x, y, *self._flat).tolist():
            node, sets = self.tree.nodes[number], self.leaf_sets[number]
            answer = node.split.separator if isinstance(node, Branch) else None if sets is None else sets.get(x, y)
            if answer is not None:
                found.append(answer)
        return min(found, key=lambda z: (len(z), z), default=None)

    @cached_property
    def _flat(self) -> tuple[NDArray[Any], ...]:
        """The tree as the arrays that the kernel walks."""
        sizes = [len(node.variables) for node in self.tree.nodes]
        begins = np.cumsum([0, *sizes], dtype=np.int64)
        members = np.fromiter(chain.from_iterable(node.variables for node in self.tree.nodes), np.int64, int(begins[-1]))
        side = np.zeros(len(members), dtype=np.int8)
        left, right = np.full((2, len(sizes)), -1, dtype=np.int64)
        for number, node in enumerate(self.tree.nodes):
            if isinstance(node, Branch):
                left[number], right[number] = node.left, node.right
                begin, end = begins[number], begins[number + 1]
                for name, part in ((1, node.split.left), (2, node.split.right)):
                    side[begin + np.searchsorted(members[begin:end], part)] = name
        return begins, members, side, left, right
