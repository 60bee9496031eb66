"""MergeSkeletons: exact for every valid cut, not only for those the library would make."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from dicola import DAG, FCI, MAG, Oracle
from dicola.decompose import merge as merge_module
from dicola.decompose.leaves import Learned
from dicola.decompose.merge import TreeSets, merge, merge_up
from dicola.decompose.split import Split, find_split
from dicola.decompose.tree import Branch, Leaf, Tree
from dicola.graphs.skeleton import RecordedSets, Skeleton
from tests.decompose.drawn import random_split, skeleton_over, small_mag, uig_over, valid_splits
from tests.graphs.parts import complete


def relabelled(split: Split, variables) -> Split:
    """The same split with position i read as ``variables[i]``."""
    return Split(*(tuple(variables[v] for v in part) for part in (split.left, split.right, split.separator)))


def whole(mag: MAG) -> tuple[int, ...]:
    return tuple(range(len(mag)))


def sides(split: Split) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return tuple(tuple(sorted(side + split.separator)) for side in (split.left, split.right))


@pytest.mark.parametrize("chunk", range(4))
def test_the_merge_is_exact_for_every_valid_tripartition(chunk):
    cuts = either_but_not_both = 0
    for seed in range(chunk * 40, (chunk + 1) * 40):
        mag = small_mag(seed)
        known: dict[tuple[int, ...], frozenset] = {}
        for split in valid_splits(uig_over(mag, whole(mag))):
            parts = [known.setdefault(side, skeleton_over(mag, side)) for side in sides(split)]
            assert merge(*parts, split.separator) == skeleton_over(mag, whole(mag)), (seed, split)
            cuts += 1
            either_but_not_both += parts[0] | parts[1] != skeleton_over(mag, whole(mag))
    assert cuts > 200 and either_but_not_both > 10, "keeping what either side has would be wrong"


def test_the_merge_is_exact_over_a_part_of_the_variables():
    for seed in range(60):
        mag = small_mag(seed, most=7)
        rng = np.random.default_rng([83, seed])
        kept = tuple(sorted(rng.choice(len(mag), max(2, len(mag) - 2), replace=False).tolist()))
        for split in valid_splits(uig_over(mag, kept)):
            global_split = relabelled(split, kept)
            parts = [skeleton_over(mag, side) for side in sides(global_split)]
            assert merge(*parts, global_split.separator) == skeleton_over(mag, kept), (seed, global_split)


CHAIN_BESIDE_A_COLLIDER = DAG.from_edges([("X", "A"), ("A", "Y"), ("X", "B"), ("Y", "B")], nodes="ABXY")


def test_an_edge_of_the_separator_must_be_absent_if_absent_on_either_side():
    """X -> A -> Y and X -> B <- Y, cut at {X, Y}: without A the pair looks adjacent, with A it is not."""
    mag = CHAIN_BESIDE_A_COLLIDER.true_mag()
    split = find_split(uig_over(mag, whole(mag)))
    assert split == Split((0,), (1,), (2, 3))
    left, right = (skeleton_over(mag, side) for side in sides(split))
    assert (2, 3) not in left and (2, 3) in right
    truth = skeleton_over(mag, whole(mag))
    assert merge(left, right, split.separator) == truth
    absent_in_both = left | right
    assert absent_in_both == truth | {(2, 3)}, "the rule 'absent in both' keeps an edge that is not there"


def test_edges_outside_the_separator_come_from_their_own_side():
    split = Split((0, 1), (2, 3), (4, 5))
    left, right = frozenset({(0, 1), (0, 4), (4, 5)}), frozenset({(2, 3), (3, 5), (4, 5)})
    assert merge(left, right, split.separator) == {(0, 1), (0, 4), (2, 3), (3, 5), (4, 5)}
    assert merge(left, right - {(4, 5)}, split.separator) == {(0, 1), (0, 4), (2, 3), (3, 5)}
    assert merge(left - {(4, 5)}, right, split.separator) == {(0, 1), (0, 4), (2, 3), (3, 5)}


def random_tree(mag: MAG, rng: np.random.Generator) -> Tree:
    """Cut at random valid tripartitions, stop at random."""
    nodes: list[Leaf | Branch] = [Leaf(whole(mag))]
    waiting = [0]
    while waiting:
        number = waiting.pop()
        variables = nodes[number].variables
        split = random_split(uig_over(mag, variables), rng) if rng.random() < 0.85 else None
        if split is None:
            continue
        children = []
        for side in sides(relabelled(split, variables)):
            children.append(len(nodes))
            waiting.append(len(nodes))
            nodes.append(Leaf(side))
        nodes[number] = Branch(variables, relabelled(split, variables), *children)
    return Tree(tuple(nodes))


def learned(skeleton: Skeleton) -> Learned:
    return Learned(skeleton.edges, skeleton.sets, skeleton.warnings)


def test_random_trees_merge_to_the_true_skeleton_with_a_valid_set_for_every_pair_apart():
    deep = 0
    for seed in range(80):
        mag = small_mag(seed, most=8)
        oracle, rng = Oracle(mag), np.random.default_rng([89, seed])
        tree = random_tree(mag, rng)
        deep += tree.depth > 1
        leaves = [FCI().learn_skeleton(oracle, leaf.variables) for leaf in tree.leaves]
        merged = merge_up(tree, [learned(each) for each in leaves], oracle.labels, oracle.names)
        assert merged.edges == skeleton_over(mag, whole(mag)), seed
        for x, y in combinations(range(len(mag)), 2):
            z = merged.sets.get(x, y)
            assert (z is None) == ((x, y) in merged.edges), seed
            if z is not None:
                assert x not in z and y not in z and oracle.verdict(x, y, z).independent, seed
                assert merged.sets.get(y, x) == z
    assert deep > 30


def test_of_several_sets_the_smallest_is_given_then_the_first():
    tree = Tree((Branch((0, 1, 2, 3, 4), Split((0,), (1,), (2, 3, 4)), 1, 2), Leaf((0, 2, 3, 4)), Leaf((1, 2, 3, 4))))
    left, right = RecordedSets({(2, 3): [0, 4], (2, 4): [3]}), RecordedSets({(2, 3): [1], (2, 4): [1], (3, 4): [1]})
    sets = TreeSets(tree, (None, left, right))
    assert sets.get(3, 2) == (1,) and sets.get(2, 4) == (1,) and sets.get(3, 4) == (1,)
    assert sets.get(0, 1) == sets.get(1, 0) == (2, 3, 4), "a pair that the cut parts is separated by the separator"
    assert sets.get(0, 2) is None
    assert sets.get(-1, 1) is sets.get(0, 5) is sets.get(7, 9) is None, "nothing is known of other variables"


def test_a_leaf_alone_is_its_own_whole():
    oracle = Oracle(CHAIN_BESIDE_A_COLLIDER)
    tree = Tree((Leaf((0, 1, 2, 3), complete(4)),))
    alone = FCI().learn_skeleton(oracle)
    merged = merge_up(tree, [learned(alone)], oracle.labels, ("Y", "X", "B", "A"))
    assert merged.edges == alone.edges and merged.names == ("Y", "X", "B", "A")
    assert merged.separating_set("X", "Y") == ("A",)


def test_warnings_of_the_leaves_are_told_once():
    oracle = Oracle(CHAIN_BESIDE_A_COLLIDER)
    tree = Tree((Branch((0, 1, 2, 3), Split((0,), (1,), (2, 3)), 1, 2), Leaf((0, 2, 3)), Leaf((1, 2, 3))))
    leaves = [FCI(max_condition_size=0).learn_skeleton(oracle, leaf.variables) for leaf in tree.leaves]
    merged = merge_up(tree, [learned(each) for each in leaves], oracle.labels, oracle.names)
    assert len(merged.warnings) == 1 and "max_condition_size" in merged.warnings[0]


def test_merged_at_once_is_what_merging_bottom_up_gives(monkeypatch):
    """Whatever the leaves found, contradictions included."""
    rng = np.random.default_rng(5)
    for seed in range(40):
        mag = small_mag(seed)
        tree = random_tree(mag, rng)
        leaves = []
        for leaf in tree.leaves:
            kept = frozenset(pair for pair in combinations(leaf.variables, 2) if rng.random() < 0.7)
            leaves.append(Learned(kept, RecordedSets({}), ("told",)))
        names = tuple(f"X{v}" for v in range(len(mag)))
        plain = merge_up(tree, leaves, names, names)
        monkeypatch.setattr(merge_module, "_MANY_NODES", 0)
        at_once = merge_up(tree, leaves, names, names)
        assert (at_once.edges, at_once.warnings) == (plain.edges, plain.warnings), seed
        monkeypatch.undo()
