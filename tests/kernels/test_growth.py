"""The decomposition grown in the kernel is the one grown node by node."""

from __future__ import annotations

import numpy as np
import pytest

from dicola import FisherZ, simulate
from dicola._kernels.growth import NODES
from dicola.blankets.total_conditioning import TotalConditioning
from dicola.ci.base import Among
from dicola.ci.ledger import Ledger
from dicola.decompose.tree import StopRule, decompose, stop_rule

RULES = {
    "auto": stop_rule("auto", 30),
    "paper": stop_rule("paper", 30),
    "reference": stop_rule("reference", 30),
    "bounded": StopRule(max_depth=4, min_leaf_size=3, max_nodes=21),
    "little work": StopRule(saving=-1.0, max_work=1.2, largest=2),
}


class NodeByNode(FisherZ):
    """The same test without the kernel that grows the tree."""

    def counted_growth(self, graph, alphas, bounds):
        return None


def table(seed: int, n: int, degree: float, rows: int):
    return simulate.linear_gaussian(simulate.er_dag(n, degree, seed=seed), rows, seed=seed)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("alpha", [None, 0.05])
def test_both_give_the_same_tree_graphs_and_counts(rule, alpha):
    splits = 0
    for seed in range(12):
        frame = table(seed, 8 + 3 * seed, 2 + seed % 4, 150 + 100 * (seed % 3))
        blankets = TotalConditioning(alpha)
        at_once, by_node = Ledger(FisherZ(frame)), Ledger(NodeByNode(frame))
        grown, wanted = decompose(at_once, blankets, RULES[rule]), decompose(by_node, blankets, RULES[rule])
        assert grown == wanted and at_once.counts == by_node.counts
        assert all(one.uig == other.uig for one, other in zip(grown.leaves, wanted.leaves, strict=True))
        splits += len(grown.branches)
    assert splits > 20


@pytest.mark.parametrize(("n", "degree", "in_the_kernel"), [(36, 6, True), (52, 7, False)])
def test_a_tree_too_large_for_the_kernel_is_grown_node_by_node(n, degree, in_the_kernel):
    frame = table(1, n, degree, 300)
    grown = decompose(FisherZ(frame), TotalConditioning(0.05), StopRule())
    assert len(grown.nodes) > 300 and (len(grown.nodes) < NODES) == in_the_kernel
    assert grown == decompose(NodeByNode(frame), TotalConditioning(0.05), StopRule())


def test_a_limit_beyond_all_numbers_of_a_kernel_is_no_limit():
    test = FisherZ(table(3, 12, 2, 200))
    rule = StopRule(max_depth=10**30, max_nodes=10**30)
    assert decompose(test, TotalConditioning(), rule) == decompose(test, TotalConditioning(), StopRule())
    assert decompose(test, TotalConditioning(), StopRule(min_leaf_size=10**30)).n_leaves == 1
    everyone = ~np.eye(12, dtype=bool)
    assert test.search_levels(everyone, 2, 1, everyone, everyone, 10**30) == test.search_levels(everyone, 2, 1, everyone, everyone)


def test_large_sets_and_other_tests_are_grown_node_by_node():
    frame = table(2, 70, 2, 300)
    whole = FisherZ(frame)
    graph = (np.zeros(71, dtype=np.int64), np.zeros(0, dtype=np.int64))
    assert whole.counted_growth(graph, [None] * 71, (0.0, 3, 5, 9, 9, 2.0)) is None
    assert Among(whole, (0, 1)).counted_growth(graph, [], ()) is None
    assert Ledger(whole, cache=True).counted_growth(graph, [], ()) is None


def test_progress_ends_where_all_nodes_are_known():
    told = []
    grown = decompose(FisherZ(table(3, 20, 2, 300)), TotalConditioning(), StopRule(), progress=lambda *step: told.append(step))
    assert told == [(len(grown.nodes), len(grown.nodes))]
