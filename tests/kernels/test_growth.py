"""The tree grown in the kernel is the one grown node by node, whoever answers: nodes, splits, graphs of leaves and counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dicola import FisherZ, Oracle, simulate
from dicola._kernels import growth as kernel
from dicola.blankets.base import BlanketLearner
from dicola.blankets.grow_shrink import IAMB, GrowShrink
from dicola.blankets.total_conditioning import TotalConditioning
from dicola.ci.base import CITest
from dicola.ci.inquiry import Inquiry
from dicola.decompose.tree import StopRule, Tree, decompose, stop_rule, tree_of
from dicola.graphs.undirected import UndirectedGraph
from tests.decompose import readable_descent

TC = TotalConditioning()
RULES = {
    "auto": stop_rule("auto", 30),
    "paper": stop_rule("paper", 30),
    "reference": stop_rule("reference", 30),
    "shallow": StopRule(max_depth=2),
    "large leaves": StopRule(min_leaf_size=8),
    "few nodes": StopRule(max_nodes=9),
    "bounded": StopRule(max_depth=4, min_leaf_size=3, max_nodes=21),
    "little work": StopRule(saving=-1.0, max_work=1.2, largest=2),
    "no more work": StopRule(saving=0.2, max_work=1.0, largest=1),
    "confirmed": replace(stop_rule("auto", 30), confirm=0.05),
    "confirmed to the end": StopRule(confirm=0.5),
    "confirmed at narrow separators": replace(stop_rule("auto", 30), confirm=0.05, widest=3),
}
BLANKETS = (TC, GrowShrink(), IAMB(), GrowShrink(0.2))


def table(seed: int, n: int, degree: float, rows: int):
    return simulate.linear_gaussian(simulate.er_dag(n, degree, seed=seed), rows, seed=seed)


def oracle(seed: int, n: int, degree: float) -> Oracle:
    dag = simulate.er_dag(n, degree, seed=seed)
    return Oracle(dag, simulate.hide(dag, 2, seed=seed))


def same_tree(test: CITest, blankets: BlanketLearner, rule: StopRule, uig: str = "inherit") -> Tree:
    """The tree, once it is known that both descents agree on it."""
    grown, wanted = Inquiry(test), Inquiry(test)
    tree, twin = decompose(grown, blankets, rule, uig), readable_descent.decompose(wanted, blankets, rule, uig)
    assert tree == twin and grown.counts == wanted.counts
    assert all(one.uig == other.uig for one, other in zip(tree.leaves, twin.leaves, strict=True))
    for one, other in zip(tree.flat, twin.flat, strict=True):
        assert one.dtype == other.dtype and np.array_equal(one, other)
    return tree


@pytest.fixture
def learned(monkeypatch) -> list[int]:
    """How many variables total conditioning was asked about, question by question, from outside the kernel."""
    sizes: list[int] = []
    learn = TotalConditioning.learn
    monkeypatch.setattr(TotalConditioning, "learn", lambda self, ci, block=None: (sizes.append(len(ci)), learn(self, ci, block))[1])
    return sizes


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("alpha", [None, 0.05])
def test_the_same_tree_from_correlations(rule, alpha):
    splits = 0
    for seed in range(12):
        frame = table(seed, 8 + 3 * seed, 2 + seed % 4, 150 + 100 * (seed % 3))
        splits += len(same_tree(FisherZ(frame), TotalConditioning(alpha), RULES[rule]).branches)
    assert splits > 20


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("uig", ["inherit", "relearn"])
def test_the_same_tree_from_an_oracle(rule, uig):
    splits = 0
    for seed in range(6):
        for blankets in BLANKETS[:3]:
            splits += len(same_tree(oracle(seed, 10 + seed, 2 + seed % 3), blankets, RULES[rule], uig).branches)
    assert splits > 10


@pytest.mark.parametrize("uig", ["inherit", "relearn"])
@pytest.mark.parametrize("blankets", BLANKETS)
def test_the_same_tree_with_every_blanket_learner_on_data(blankets, uig):
    splits = sum(len(same_tree(FisherZ(table(seed, 14, 3, 200)), blankets, StopRule(), uig).branches) for seed in range(6))
    assert splits > 10


@pytest.mark.parametrize(("n", "degree"), [(64, 2.5), (65, 2.5), (90, 2), (150, 3)])
def test_the_same_tree_below_and_above_what_the_kernel_inverts(n, degree, learned):
    test, inside = FisherZ(table(n, n, degree, 4 * n)), 0
    for rule in (stop_rule("auto", n), StopRule(max_nodes=80), stop_rule("reference", n)):
        tree = same_tree(test, TC, rule)
        asked = [child for node in tree.branches if len(node.split.separator) > 1 for child in (node.left, node.right)]
        sizes = [len(tree.nodes[child].variables) for child in dict.fromkeys(asked)]
        learned.clear()
        decompose(test, TC, rule)
        assert learned == [n, *[size for size in sizes if size > 64]], "only large children are asked about outside the kernel"
        inside += len(sizes) - len(learned) + 1
    assert inside > 10


def test_the_same_tree_of_a_large_oracle():
    dag = simulate.modular_dag(5, 16, 2, 1, seed=3)
    tree = same_tree(Oracle(dag, simulate.hide(dag, 6, seed=3)), TC, stop_rule("auto", 74))
    assert len(tree.nodes) > 50


def test_small_children_are_not_asked_about_outside_the_kernel(learned):
    decompose(FisherZ(table(1, 50, 3, 500)), TC, stop_rule("auto", 50))
    assert learned == [50]


def test_the_same_tree_where_variables_are_determined():
    for seed in range(8):
        test = FisherZ(table(seed, 12, 2, 300))
        values = test.samples().copy()
        values[:, 5] = values[:, 2] + values[:, 8]
        test.whole, test.inverse = np.corrcoef(values.T), None
        test.whole.setflags(write=False)
        assert same_tree(test, TC, StopRule()).branches


def test_the_kernel_asks_where_a_child_has_no_inverse_and_goes_on_with_the_answer():
    square = UndirectedGraph.from_rows([[1, 3], [0, 2], [1, 3], [0, 2]])  # 1 and 3 part 0 and 2
    values = np.random.default_rng(1).normal(size=(4, 50))
    values[3] = values[0] + values[1]
    whole = np.corrcoef(values)
    whole.setflags(write=False)
    growth, rule = kernel.planted(square.starts, square.indices), StopRule().in_numbers("inherit")
    known, nothing = kernel.Correlations(whole, np.full(5, 0.0), np.zeros(0), 50), np.zeros((0, 0), dtype=bool)
    full, child, block, _ = kernel.grow(growth, rule, known, nothing)
    assert not full and child.tolist() == [0, 1, 3] and block.tolist() == [1, 2]
    assert growth.counts[kernel.ASKED] == 0 and not kernel.is_done(growth)
    joined = np.array([[False, True], [True, False]])
    full, child, block, _ = kernel.grow(growth, rule, known, joined)
    assert not full and not len(child) and kernel.is_done(growth)
    assert growth.counts[kernel.ASKED] == 1, "the other child is answered by the kernel"
    leaf = tree_of(growth).nodes[1]
    assert leaf.variables == (0, 1, 3) and leaf.uig.is_complete


@pytest.mark.parametrize("untestable", ["dependent", "independent", "raise"])
def test_with_hardly_more_rows_than_variables(untestable):
    splits = 0
    for seed in range(6):
        test = FisherZ(table(seed, 20, 2, 24 + seed), untestable=untestable)
        splits += len(same_tree(test, TotalConditioning(0.2), StopRule()).branches)
    assert splits > 10


def test_a_part_of_a_test_has_its_own_tree():
    whole = FisherZ(table(4, 40, 2.5, 300))
    part = whole.among(range(3, 33))
    assert same_tree(part, TC, StopRule()) == same_tree(
        FisherZ(table(4, 40, 2.5, 300)).among(range(3, 33)).among(range(30)), TC, StopRule()
    )
    assert len(same_tree(part.among(range(0, 30, 2)), TC, StopRule()).nodes) > 3


class Asked(FisherZ):
    """Fisher's z with another word on every pair of neighbours in the order of the labels."""

    def verdict(self, x, y, z):
        verdict = super().verdict(x, y, z)
        return type(verdict)(False, 0.0) if y == x + 1 else verdict


def test_a_subclass_with_its_own_verdict_is_asked_itself():
    frame = table(5, 14, 2, 300)
    assert same_tree(Asked(frame), TC, StopRule()) != same_tree(FisherZ(frame), TC, StopRule())


class MoreEdges(TotalConditioning):
    """Total conditioning that joins everything inside a separator."""

    def learn(self, ci, block=None):
        related = super().learn(ci, block)
        return related if block is None else ~np.eye(len(related), dtype=bool)


def test_a_subclass_of_total_conditioning_is_asked_itself():
    test = FisherZ(table(6, 20, 3, 300))
    assert same_tree(test, MoreEdges(), StopRule()) != same_tree(test, TC, StopRule())


@pytest.mark.parametrize("cache", [False, True])
@pytest.mark.parametrize("nested", [False, True])
def test_inquiries_count_alike_run_after_run(cache, nested):
    test = FisherZ(table(7, 30, 3, 300))
    ours, theirs = Inquiry(test, cache=cache), Inquiry(test, cache=cache)
    for rule in (RULES["shallow"], RULES["paper"], RULES["paper"], RULES["auto"]):
        grown, wanted = (Inquiry(ours), Inquiry(theirs)) if nested else (ours, theirs)
        assert decompose(grown, TC, rule) == readable_descent.decompose(wanted, TC, rule)
        assert grown.counts == wanted.counts and grown.counts["leaves"] == 0
        assert sum(ours.counts.values()) == sum(theirs.counts.values()) > 0


@pytest.mark.parametrize(("n", "degree", "nodes"), [(36, 6, 300), (52, 7, 5000)])
def test_a_dense_graph_in_many_nodes(n, degree, nodes):
    assert len(same_tree(FisherZ(table(1, n, degree, 300)), TotalConditioning(0.05), StopRule()).nodes) > nodes


def without_room(growth: kernel.Growth) -> kernel.Growth:
    """Exactly what the root takes, and a table of one place."""
    n = growth.begins[1]
    entries = growth.starts[n]
    sizes = [2, n, n, 1, 1, 1, n + 1, entries, *[1] * 10, len(growth.counts), 1]
    return kernel.Growth(*[part[:size].copy() for part, size in zip(growth, sizes, strict=True)])


def one_place(growth: kernel.Growth) -> kernel.Growth:
    """A table in which all sets have the same hash."""
    return growth._replace(latest=growth.latest.max(keepdims=True))


@pytest.mark.parametrize("change", [without_room, one_place])
@pytest.mark.parametrize("uig", ["inherit", "relearn"])
def test_room_and_hashes_change_nothing(change: Callable, uig, monkeypatch):
    planted = kernel.planted
    for seed in range(4):
        tests = FisherZ(table(seed, 24, 4, 300)), oracle(seed, 14, 3), FisherZ(table(seed, 70, 2, 300))
        for test in tests:
            monkeypatch.setattr(kernel, "planted", lambda *root: change(planted(*root)))
            for confirm in (None, 0.05):
                assert len(same_tree(test, TC, StopRule(max_nodes=150, confirm=confirm), uig).nodes) > 2


def test_a_limit_beyond_all_numbers_of_a_kernel_is_no_limit():
    test = FisherZ(table(3, 12, 2, 200))
    rule = StopRule(max_depth=10**30, max_nodes=10**30)
    assert decompose(test, TC, rule) == decompose(test, TC, StopRule())
    assert decompose(test, TC, StopRule(min_leaf_size=10**30)).n_leaves == 1


def test_progress_is_told_once_per_node_also_across_pauses():
    told: list[tuple[int, int]] = []
    tree = decompose(FisherZ(table(1, 36, 6, 300)), TotalConditioning(0.05), StopRule(), progress=lambda *step: told.append(step))
    assert [done for done, _ in told] == list(range(1, len(tree.nodes) + 1))
    assert told[-1] == (len(tree.nodes), len(tree.nodes)) and all(done <= known for done, known in told)
    assert len({known for _, known in told}) > 1, "also before the end"


def test_the_graphs_of_leaves_hold_no_room():
    tree = decompose(FisherZ(table(2, 30, 3, 300)), TC, StopRule())
    graphs = [leaf.uig for leaf in tree.leaves]
    starts = {id(graph.starts.base): graph.starts.base for graph in graphs}
    indices = {id(graph.indices.base) for graph in graphs}
    assert [len(part) for part in starts.values()] == [len(tree.flat.members) + len(tree.nodes)], "one array, of the nodes there are"
    assert len(indices) == 1 and all(part.base is None for part in tree.flat)
