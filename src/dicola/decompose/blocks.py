"""Columns that are correlated in blocks: what cuts between and through these have decided is asked once more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, product
from math import comb

import numpy as np

from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import FindSeparator
from dicola.decompose.merge import TreeSets
from dicola.decompose.tree import Tree
from dicola.graphs.skeleton import Pair, Skeleton, Variables

_SMALL = 5  # variables: with so few, a pair was tried given three others at most
_HALF = 0.5  # of the edges among a separator and a pair on both sides must be there, to take them for one block
_BLOCK = 4  # neighbours, half of their pairs joined: then columns are correlated in blocks


def asked_again(ci: Inquiry, skeleton: Skeleton, limit: int | None) -> Skeleton:
    """A merged skeleton without edges that chance put between blocks of correlated columns, and with those that a cut took from one.

    Chance joins two blocks by a pair here and there. Cut off from both it is a leaf by itself, where the
    pair is tried given next to nothing, while neighbours in the blocks may explain it: an edge that no
    larger leaf holds falls if one of them separates it. And given several of a block, what is left
    between two others is too weak to deny a cut through it: a pair parted by a separator that is wider
    than the ``limit`` of the learner, half of both joined to each other, is an edge unless a set
    within the limit separates it too. All this is about data: perfect answers need not be asked again.
    """
    sets = skeleton.sets
    assert isinstance(sets, TreeSets)
    around: dict[int, set[int]] = {v: set() for v in skeleton.variables}
    for x, y in skeleton.edges:
        around[x].add(y)
        around[y].add(x)
    among_many = ((x, y) for x, y in skeleton.edges if min(len(around[x]), len(around[y])) > _BLOCK)
    between = sorted((x, y) for x, y in among_many if _is_block(around[x] - {y}, around) and _is_block(around[y] - {x}, around))
    fallen = {
        (x, y): z for x, y in _of_small_leaves(between, sets) if (z := _separator(ci, (x, y), sorted(around[x] | around[y]))) is not None
    }
    parted = frozenset() if limit is None else frozenset(_parted(ci, sets, around, limit))
    if not fallen and not parted:
        return skeleton
    edges = (skeleton.edges - fallen.keys()) | parted
    return replace(skeleton, edges=edges, sets=TreeSets(sets.tree, sets.leaf_sets, sets.across | fallen))


def _parted(ci: Inquiry, sets: TreeSets, around: dict[int, set[int]], limit: int) -> Iterator[Pair]:
    """The pairs of one block that a wide separator parts, and no set within the limit."""
    for number, separator in enumerate(sets.tree.separators):
        if separator is None or len(separator) <= limit:
            continue
        joins: dict[int, int] = {}  # of a large node, few variables are joined to its separator
        for v in chain.from_iterable(around[w] for w in separator):
            joins[v] = joins.get(v, 0) + 1
        inside = sum(joins.pop(w, 0) for w in separator) // 2
        wanted = _HALF * (comb(len(separator) + 2, 2) - 1) - inside
        most = sorted(joins.values())[-2:]
        if sum(most) < wanted:
            continue
        joined = sorted(v for v, count in joins.items() if count + most[-1] >= wanted) if most else []
        for x, y in product(*_sides(sets.tree, number, joined)):
            if joins[x] + joins[y] < wanted:
                continue
            near = [sorted(around[end] - {x, y}) for end in (x, y)]
            if all(ci.ask(FindSeparator(min(x, y), max(x, y), beside, range(limit + 1))) is None for beside in near):
                yield (min(x, y), max(x, y))


def _sides(tree: Tree, number: int, variables: list[int]) -> tuple[list[int], list[int]]:
    """Those of some variables on the left and on the right of a split."""
    begin, end = tree.flat.begins[number : number + 2].tolist()
    members, side = tree.flat.members[begin:end], tree.flat.side[begin:end]
    places = np.minimum(np.searchsorted(members, variables), len(members) - 1)
    which = np.where(members[places] == variables, side[places], 0).tolist()
    return [v for v, at in zip(variables, which, strict=True) if at == 1], [v for v, at in zip(variables, which, strict=True) if at == 2]


def _of_small_leaves(pairs: list[Pair], sets: TreeSets) -> Iterator[Pair]:
    """Those of some edges that no leaf of more than five variables holds."""
    if not pairs:
        return
    sizes = np.diff(sets.tree.flat.begins).tolist()
    starts, found = (part.tolist() for part in sets.tree.deciding_nodes(np.array(pairs, dtype=np.int64)))
    for i, pair in enumerate(pairs):
        if all(sizes[number] <= _SMALL for number in found[starts[i] : starts[i + 1]] if sets.tree.separators[number] is None):
            yield pair


def _is_block(near: set[int], around: dict[int, set[int]]) -> bool:
    """Are there as many neighbours as make a block, most pairs of them joined?"""
    joined = sum(len(around[v] & near) for v in near) // 2
    return len(near) >= _BLOCK and 4 * joined >= len(near) * (len(near) - 1)


def _separator(ci: Inquiry, pair: Pair, near: list[int]) -> Variables | None:
    """The first neighbour of an end that separates the two."""
    return ci.ask(FindSeparator(*pair, [v for v in near if v not in pair], [1]))
