"""The tree of a decomposition: valid at every branch, finished at every leaf, bounded by its stop rule."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from dicola import DAG, FisherZ, InvalidSetting, Ledger, Oracle, simulate
from dicola._kernels import tree as walks
from dicola.blankets.grow_shrink import IAMB
from dicola.blankets.total_conditioning import TotalConditioning
from dicola.ci.base import CITest
from dicola.decompose import tree as tree_module
from dicola.decompose.tree import Branch, Leaf, StopRule, Tree, decompose, stop_rule
from dicola.decompose.uig import independence_graph

TC = TotalConditioning()


def oracle_of(seed: int, n: int = 16, degree: float = 2.5) -> Oracle:
    dag = simulate.er_dag(n, degree, seed=seed)
    return Oracle(dag, simulate.hide(dag, 2, seed=seed))


def check_tree(tree: Tree, test: CITest) -> None:
    assert tree.nodes[0].variables == tuple(range(len(test)))
    reached = {0}
    for node in tree.nodes:
        assert node.variables == tuple(sorted(node.variables))
        if isinstance(node, Branch):
            split = node.split
            assert split.left and split.right
            assert tuple(sorted(split.left + split.right + split.separator)) == node.variables
            assert tree.nodes[node.left].variables == tuple(sorted(split.left + split.separator))
            assert tree.nodes[node.right].variables == tuple(sorted(split.right + split.separator))
            reached |= {node.left, node.right}
            given = set(split.separator)
            assert all(test(a, b, given).independent for a in split.left for b in split.right)
    assert reached == set(range(len(tree.nodes)))
    assert len({node.variables for node in tree.nodes}) == len(tree.nodes), "a set of variables met twice is one node"


def test_every_branch_is_a_valid_cut_and_every_leaf_has_a_complete_graph():
    for seed in range(15):
        test = oracle_of(seed)
        for uig in ("inherit", "relearn"):
            tree = decompose(test, TC, StopRule(), uig)
            check_tree(tree, test)
            assert all(leaf.uig.is_complete for leaf in tree.leaves)


def test_inherited_and_relearned_graphs_give_the_same_tree():
    for seed in range(15):
        test = oracle_of(seed)
        trees = [decompose(test, blankets, StopRule(), uig) for blankets in (TC, IAMB()) for uig in ("inherit", "relearn")]
        assert all(tree == trees[0] for tree in trees)


def test_the_graph_of_a_leaf_is_its_independence_graph():
    for seed in range(10):
        test = oracle_of(seed)
        for leaf in decompose(test, TC, StopRule(max_depth=1)).leaves:
            assert leaf.uig == independence_graph(test.among(leaf.variables), TC)


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_the_depth_is_bounded(depth):
    for seed in range(8):
        tree = decompose(oracle_of(seed), TC, StopRule(max_depth=depth))
        check_tree(tree, oracle_of(seed))
        assert tree.depth <= depth and tree.n_leaves <= 2**depth


@pytest.mark.parametrize("size", [0, 2, 5, 9, 50])
def test_small_sets_are_left_whole(size):
    for seed in range(8):
        tree = decompose(oracle_of(seed), TC, StopRule(min_leaf_size=size))
        assert all(len(branch.variables) > size for branch in tree.branches)
        assert all(leaf.uig.is_complete or len(leaf.variables) <= size for leaf in tree.leaves)


@pytest.mark.parametrize("most", [0, 1, 2, 3, 4, 9])
def test_the_number_of_nodes_is_bounded(most):
    for seed in range(8):
        tree = decompose(oracle_of(seed), TC, StopRule(max_nodes=most))
        check_tree(tree, oracle_of(seed))
        assert len(tree.nodes) <= max(most, 1)


def test_the_authors_caps_are_a_third_of_the_variables_and_depth_three_or_five():
    assert stop_rule("reference", 32) == StopRule(3, 10)
    assert stop_rule("reference", 200) == StopRule(3, 66) and stop_rule("reference", 201) == StopRule(5, 67)
    assert stop_rule("reference", 30, max_depth=1, min_leaf_size=2, max_nodes=7) == StopRule(1, 10, 7)
    assert stop_rule("reference", 30, max_depth=9, min_leaf_size=20) == StopRule(3, 20)
    assert stop_rule("paper", 30) == StopRule() and stop_rule("paper", 30, 1, 2, 3) == StopRule(1, 2, 3)


def test_an_unknown_rule_lists_the_known_ones():
    with pytest.raises(InvalidSetting, match=r"stop is 'soon'.*'paper'.*'reference'"):
        stop_rule("soon", 5)


@pytest.mark.parametrize("value", [-1, 1.5, "2", True])
@pytest.mark.parametrize("name", ["max_depth", "min_leaf_size", "max_nodes"])
def test_a_limit_is_a_whole_number_from_zero_on(name, value):
    with pytest.raises(InvalidSetting, match=f"{name} is {value!r}"):
        StopRule(**{name: value})


def test_one_variable_and_no_edges_and_all_edges():
    alone = decompose(Oracle(DAG.from_edges([], nodes="A")), TC, StopRule())
    assert alone.n_leaves == 1 and alone.depth == 0 and alone.largest_leaf == 1
    empty = decompose(Oracle(DAG.from_edges([], nodes="ABCDEFGH")), TC, StopRule())
    assert empty.n_leaves == 8 and empty.depth == 3 and empty.largest_leaf == 1
    names = "ABCDE"
    full = decompose(Oracle(DAG.from_edges([(a, b) for a in names for b in names if a < b])), TC, StopRule())
    assert full.n_leaves == 1 and full.largest_leaf == 5


def test_progress_ends_with_all_nodes_done():
    told: list[tuple[int, int]] = []
    tree = decompose(oracle_of(1), TC, StopRule(), progress=lambda done, known: told.append((done, known)))
    assert len(told) == len(tree.nodes) and told[-1] == (len(tree.nodes), len(tree.nodes))
    assert all(done <= known for done, known in told)


def test_only_blankets_are_asked_for():
    ledger = Ledger(oracle_of(2))
    decompose(ledger, TC, StopRule())
    assert ledger.counts["blankets"] == ledger.counts["total"] > 0


def test_children_come_before_their_branches_from_the_bottom_up():
    tree = decompose(oracle_of(3), TC, StopRule())
    place = {number: i for i, number in enumerate(tree.bottom_up())}
    for number, node in enumerate(tree.nodes):
        if isinstance(node, Branch):
            assert place[node.left] < place[number] and place[node.right] < place[number]


def test_a_long_chain_is_cut_into_its_links_by_halves():
    names = [f"V{i}" for i in range(300)]
    tree = decompose(Oracle(DAG.from_edges(pairwise(names))), TC, StopRule())
    assert tree.largest_leaf == 2 and tree.n_leaves == 299 and tree.depth == 9


def test_leaves_and_branches_are_listed_in_the_order_of_their_numbers():
    tree = decompose(oracle_of(4), TC, StopRule())
    assert [node for node in tree.nodes if isinstance(node, Leaf)] == list(tree.leaves)
    assert [node for node in tree.nodes if isinstance(node, Branch)] == list(tree.branches)
    assert tree.n_leaves == len(tree.leaves) and tree.largest_leaf == max(len(leaf.variables) for leaf in tree.leaves)
    assert np.isin(np.arange(len(oracle_of(4))), np.concatenate([leaf.variables for leaf in tree.leaves])).all()


def test_ways_down_a_tree_lead_to_the_nodes_that_a_walk_finds():
    met_twice = 0
    for seed in range(12):
        test = oracle_of(seed, 24, 2.0 + seed % 3)
        tree = decompose(test, TC, StopRule())
        pairs = np.array([(x, y) for x in range(len(test)) for y in range(x + 1, len(test))])
        begins, members, side, left, right = tree.flat
        walked = walks.deciding_nodes(pairs, begins, members, side, left, right)
        found = walks.deciding_nodes_by_ways(pairs, begins, members, left, right, walks.ways_of(*tree.flat))
        for one, other in zip(np.split(walked[1], walked[0][1:-1]), np.split(found[1], found[0][1:-1]), strict=True):
            assert sorted(one.tolist()) == sorted(other.tolist())
        children = np.concatenate((left, right))[np.concatenate((left, right)) >= 0]
        met_twice += len(children) - len(set(children.tolist()))
    assert met_twice > 0, "no node of these trees has two parents"


def test_nodes_that_are_made_when_looked_at_are_the_same(monkeypatch):
    for seed in range(4):
        test = FisherZ(simulate.linear_gaussian(simulate.er_dag(30, 3, seed=seed), 400, seed))
        tree = decompose(test, TC, StopRule())
        with monkeypatch.context() as change:
            change.setattr(tree_module, "MANY_MEMBERS", 0)
            later = decompose(test, TC, StopRule())
        assert tuple(later.nodes) == tuple(tree.nodes) and later == tree and later.nodes[1:3] == tree.nodes[1:3]
        assert later.leaves == tree.leaves and later.separators == tree.separators and later.depth == tree.depth
        for one, other in zip(later.leaves, tree.leaves, strict=True):
            assert one.uig == other.uig


@pytest.mark.parametrize("rows", [80, 1000])
def test_graphs_that_nobody_looks_at_any_more_make_room(monkeypatch, rows):
    frame = simulate.linear_gaussian(simulate.er_dag(60, 3, seed=4), rows, seed=4)
    ci, rule = FisherZ(frame), StopRule(min_leaf_size=5, saving=0.05).confirmed(60, rows)
    planted, roomier, spared = tree_module.kernel.planted, tree_module.kernel.roomier, []

    def small(starts, indices):
        growth = planted(starts, indices)
        return growth._replace(indices=growth.indices[: len(indices) + 40].copy())

    def watched(growth, everywhere):
        larger = roomier(growth, everywhere)
        spared.append(len(larger.indices) == len(growth.indices))
        return larger

    usual = decompose(ci, IAMB(0.01), rule)
    monkeypatch.setattr(tree_module.kernel, "planted", small)
    monkeypatch.setattr(tree_module.kernel, "roomier", watched)
    tight = decompose(ci, IAMB(0.01), rule)
    assert any(spared)
    assert len(usual.nodes) > 20
    assert tight.nodes == usual.nodes
    assert [leaf.uig for leaf in tight.leaves] == [leaf.uig for leaf in usual.leaves]
