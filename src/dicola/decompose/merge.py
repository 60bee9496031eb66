"""MergeSkeletons: from the leaves back to the whole (Li et al. 2026, Theorem 3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

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
    one_sided = [pair for pair in combinations(split.separator, 2) if (pair in left) != (pair in right)]
    return (left | right).difference(one_sided) if one_sided else left | right


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
        self._separators = [node.split.separator if isinstance(node, Branch) else None for node in tree.nodes]
        self._prepared: dict[Pair, Variables | None] = {}

    def get(self, x: int, y: int) -> Variables | None:
        pair = (x, y) if x < y else (y, x)
        try:
            return self._prepared[pair]
        except KeyError:
            return self._answers([pair])[0]

    def prepare(self, pairs: Iterable[Pair]) -> None:
        wanted = list({(x, y) if x < y else (y, x) for x, y in pairs})
        self._prepared.update(zip(wanted, self._answers(wanted), strict=True))

    def _answers(self, pairs: list[Pair]) -> list[Variables | None]:
        if not pairs:
            return []
        starts, found = (part.tolist() for part in kernel.deciding_nodes(np.array(pairs, dtype=np.int64), *self.tree.flat))
        separators, leaf_sets = self._separators, self.leaf_sets
        answers: list[Variables | None] = []
        for i, (x, y) in enumerate(pairs):
            smallest: Variables | None = None
            for number in found[starts[i] : starts[i + 1]]:
                sets = leaf_sets[number]
                z = separators[number] if sets is None else sets.get(x, y)
                if z is not None and (smallest is None or len(z) < len(smallest) or (len(z) == len(smallest) and z < smallest)):
                    smallest = z
            answers.append(smallest)
        return answers
