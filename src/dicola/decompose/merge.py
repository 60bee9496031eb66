"""MergeSkeletons: from the leaves back to the whole (Li et al. 2026, Theorem 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from dicola._kernels.arrays import in_columns
from dicola.decompose.both_sides import BothSides
from dicola.decompose.leaves import Learned
from dicola.decompose.split import Split
from dicola.decompose.tree import MANY_MEMBERS, Branch, Leaf, Tree
from dicola.graphs.skeleton import Pair, RecordedSets, SeparatingSets, Skeleton, Variables
from dicola.learners.adjacency import limit_warning

Edges = frozenset[Pair]
_MANY_NODES = 1000  # of a tree, beyond which a set of edges for every node takes too much


def merge(left: Edges, right: Edges, separator: Variables) -> Edges:
    """Join two local skeletons; an edge inside the separator survives only if both sides have it.

    A separator pair that either side separates is separated in the whole (Theorem 2); every other
    pair is decided by its own side (Theorem 1).
    """
    one_sided = [pair for pair in combinations(separator, 2) if (pair in left) != (pair in right)]
    return (left | right).difference(one_sided) if one_sided else left | right


def merge_up(
    tree: Tree, leaves: Sequence[Learned], labels: tuple[str, ...], names: tuple[str, ...], again: BothSides | None = None
) -> Skeleton:
    """Merge what was found of the leaves from the bottom to the root.

    ``leaves`` come in the order of ``tree.leaves``; ``labels`` are the names by position, ``names`` in
    the user's order. Where the sample may have been selected, ``again`` searches for what a merge
    misses then.
    """
    learned, separators, lefts, rights = iter(leaves), tree.separators, tree.flat.left.tolist(), tree.flat.right.tolist()
    found: list[Learned | None] = [next(learned) if separator is None else None for separator in separators]
    across: dict[Pair, Variables] = {}
    is_large = again is None and len(separators) > _MANY_NODES
    edges: list[Edges] = [merged_at_once(tree, leaves)] if is_large else [frozenset() if leaf is None else leaf.edges for leaf in found]
    finished = True
    for number in [] if is_large else tree.bottom_up():
        separator = separators[number]
        if separator is not None:
            edges[number] = merge(edges[lefts[number]], edges[rights[number]], separator)
            if again is not None:
                separated = again.separated(edges[number], tree.split(number))
                edges[number] = edges[number].difference(separated.sets)
                across |= separated.sets
                finished &= separated.finished
    told = [warning for leaf in leaves for warning in leaf.warnings]
    if again is not None:
        told += limit_warning(finished, again.max_size)
    sets = TreeSets(tree, tuple(None if leaf is None else leaf.sets for leaf in found), across)
    warnings = tuple(dict.fromkeys(told))
    return Skeleton(labels, tree.variables, edges[0], sets, names, warnings)


def merged_at_once(tree: Tree, leaves: Sequence[Learned]) -> Edges:
    """What merging from the bottom to the root leaves, without a set of edges for every node.

    A pair is asked about at both sides where it lies in the separator, so it stays an edge iff every leaf that holds both its ends
    has it and no split parts them.
    """
    times = Counter(pair for leaf in leaves for pair in leaf.edges)
    pairs = list(times)
    starts = tree.deciding_nodes(in_columns(pairs, 2)).begins
    return frozenset(pair for pair, deciding in zip(pairs, np.diff(starts).tolist(), strict=True) if deciding == times[pair])


class TreeSets(SeparatingSets):
    """Separating sets answered from the tree when asked: a pair that a cut parts costs no memory.

    A pair on opposite sides of a split is separated by its separator; a pair on one side is asked
    there; a pair inside the separator is asked on both sides, and either answer holds. Of several
    answers the smallest is given, then the first. A pair that fell in a merge, to a set of both
    sides, is in ``across``.
    """

    def __init__(self, tree: Tree, leaf_sets: tuple[SeparatingSets | None, ...], across: Mapping[Pair, Variables] | None = None) -> None:
        self.tree = tree
        self.leaf_sets = leaf_sets
        self.across = dict(across or {})
        self._separators = tree.separators
        self._prepared: dict[Pair, Variables | None] = {**self.across}

    def get(self, x: int, y: int) -> Variables | None:
        pair = (x, y) if x < y else (y, x)
        try:
            return self._prepared[pair]
        except KeyError:
            return self._answers([pair])[0]

    def prepare(self, pairs: Iterable[Pair]) -> None:
        wanted = list({(x, y) if x < y else (y, x) for x, y in pairs}.difference(self._prepared))
        self._prepared.update(zip(wanted, self._answers(wanted), strict=True))

    def _answers(self, pairs: list[Pair]) -> list[Variables | None]:
        if not pairs:
            return []
        starts, found = (part.tolist() for part in self.tree.deciding_nodes(in_columns(pairs, 2)))
        separators, leaf_sets = self._separators, self.leaf_sets
        answers: list[Variables | None] = []
        for (x, y), (begin, end) in zip(pairs, pairwise(starts), strict=True):
            smallest: Variables | None = None
            for number in found[begin:end]:
                sets = leaf_sets[number]
                z = separators[number] if sets is None else sets.get(x, y)
                if smallest is None or (z is not None and (len(z), z) < (len(smallest), smallest)):
                    smallest = z
            answers.append(smallest)
        return answers

    def _deciding(self, pair: Pair) -> list[int]:
        """The numbers of the branches that part the pair and of the leaves with both, ascending."""
        _, numbers = self.tree.deciding_nodes(np.array([pair], dtype=np.int64))
        return sorted(numbers.tolist())

    def leaves_with(self, x: int, y: int) -> tuple[int, ...]:
        return tuple(number for number in self._deciding((min(x, y), max(x, y))) if self._separators[number] is None)

    def provenance(self, x: int, y: int) -> str | None:
        z, nodes = self.get(x, y), self.tree.nodes
        if z is None:
            return None
        if (min(x, y), max(x, y)) in self.across:
            return "Found in a merge: a set that takes variables of both sides separates the two."
        for number in self._deciding((min(x, y), max(x, y))):
            size, sets = len(nodes[number].variables), self.leaf_sets[number]
            if self._separators[number] == z:
                return f"Found at split {number}, which divides {size} variables: the two lie on opposite sides."
            if sets is not None and sets.get(x, y) == z:
                more = sets.provenance(x, y)
                return f"Found by the learner in leaf {number} of {size} variables." + ("" if more is None else f" {more}")
        return None

    def to_dict(self, variables: Variables) -> dict[str, Any]:
        """The nodes of the tree, each leaf with its sets: ``{"tree": [{"variables": ...}, …]}``, and ``across`` where there are any.

        The branches of a large tree are written without their variables, which are those of their children.
        """
        if len(self.tree.flat.members) > MANY_MEMBERS:
            nodes = list(self._without_members())
        else:
            nodes = [_node_to_dict(node, sets) for node, sets in zip(self.tree.nodes, self.leaf_sets, strict=True)]
        return {"tree": nodes} | ({"across": [(*pair, z) for pair, z in sorted(self.across.items())]} if self.across else {})

    def _without_members(self) -> Iterator[dict[str, Any]]:
        tree, leaves = self.tree, iter(self.tree.leaves)
        for separator, left, right, sets in zip(
            tree.separators, tree.flat.left.tolist(), tree.flat.right.tolist(), self.leaf_sets, strict=True
        ):
            if separator is None:
                yield _node_to_dict(next(leaves), sets)
            else:
                yield {"left": left, "right": right, "separator": separator}

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> TreeSets:
        """Read back what ``to_dict`` wrote, the tree included; all nodes have their variables again (``written_facts``)."""
        nodes: list[Leaf | Branch] = []
        leaf_sets: list[RecordedSets | None] = []
        for entry in facts["tree"]:
            variables = tuple(entry["variables"])
            if "separator" not in entry:
                sets = RecordedSets.from_dict(entry, variables)
                nodes.append(Leaf(variables, sets.uig))
                leaf_sets.append(sets)
                continue
            separator = set(entry["separator"])
            left, right = (tuple(v for v in facts["tree"][entry[side]]["variables"] if v not in separator) for side in ("left", "right"))
            nodes.append(Branch(variables, Split(left, right, tuple(entry["separator"])), entry["left"], entry["right"]))
            leaf_sets.append(None)
        across = {(x, y): tuple(z) for x, y, z in facts.get("across", ())}
        return cls(Tree(tuple(nodes)), tuple(leaf_sets), across)


def _node_to_dict(node: Leaf | Branch, sets: SeparatingSets | None) -> dict[str, Any]:
    if isinstance(node, Branch):
        return {"variables": node.variables, "left": node.left, "right": node.right, "separator": node.split.separator}
    return {"variables": node.variables, "separating_sets": [], **({} if sets is None else sets.to_dict(node.variables))}
