"""lFCI: exact where few variables on short paths separate, and without limits; never an edge too few."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from dicola import DAG, LFCI, FisherZ, InvalidSetting, Oracle, discover, simulate
from dicola.ci.base import Among
from dicola.graphs.bits import mask_of, members
from dicola.learners.lfci import between
from tests.exactness.learners import EX5, WAYS, Truth, edges_missed, edges_too_many, insufficient_truth, random_truth
from tests.exactness.run import wrong_sets

UNLIMITED = LFCI(max_condition_size=None, max_local_path=None)


@pytest.mark.parametrize("decompose", WAYS.values(), ids=WAYS)
def test_without_limits_it_finds_the_true_pag_and_valid_sets(decompose):
    for truth in [*(random_truth(5, number) for number in range(200)), *(insufficient_truth(5, number) for number in range(60))]:
        found = discover(truth.oracle(), UNLIMITED, decompose=decompose)
        assert found.pag == truth.pag and not found.warnings, truth.label
        assert not wrong_sets(found, truth.oracle()), truth.label


def is_local(truth: Truth, learner: LFCI) -> bool:
    """The assumption, by its definition: each pair that is not adjacent has a small separating set on short paths of the true MAG."""
    oracle, mag = truth.oracle(), truth.mag
    graph = nx.Graph([(mag.names[a], mag.names[b]) for a, b in mag.pairs()])
    graph.add_nodes_from(mag.names)
    for x, y in combinations(mag.names, 2):
        if graph.has_edge(x, y):
            continue
        near = {v for path in nx.all_simple_paths(graph, x, y, cutoff=learner.max_local_path) for v in path} - {x, y}
        sizes = range(learner.max_condition_size + 1)
        if not any(oracle(x, y, z).independent for size in sizes for z in combinations(sorted(near), size)):
            return False
    return True


@pytest.mark.parametrize(("learner", "least"), [(LFCI(1, 2), 20), (LFCI(2, 3), 60), (LFCI(), 100)], ids=str)
def test_it_is_exact_where_its_assumption_holds_and_never_misses_an_edge(learner, least):
    local = 0
    for number in range(160):
        truth = random_truth(6, number)
        found = discover(truth.oracle(), learner, decompose=False)
        assert not edges_missed(found.pag, truth.mag), truth.label
        if is_local(truth, learner):
            local += 1
            assert found.pag == truth.pag, truth.label
    assert least <= local < 160, "graphs of both kinds"


def test_a_separating_set_that_is_too_large_leaves_an_edge_too_many():
    oracle, pair = Oracle(EX5), ("1", "4")
    assert not any(oracle(*pair, z).independent for size in (0, 1) for z in combinations("023", size))
    assert edges_too_many(discover(oracle, LFCI(max_condition_size=1), decompose=False).pag, EX5) == [pair]
    assert not edges_too_many(discover(oracle, LFCI(), decompose=False).pag, EX5)


def test_sets_away_from_short_paths_are_not_asked_about():
    """Opposite vertices of an eight-cycle have paths of four edges between them, and nothing within one."""
    names = [f"V{i}" for i in range(8)]
    dag = DAG.from_edges(
        [("V0", "V1"), ("V1", "V2"), ("V2", "V3"), ("V3", "V4"), ("V0", "V7"), ("V7", "V6"), ("V6", "V5"), ("V5", "V4")], names
    )
    found = discover(Oracle(dag), LFCI(), decompose=False)
    assert found.pag == dag.true_pag(())
    assert discover(Oracle(dag), LFCI(max_local_path=1), decompose=False).pag.n_edges > 8


def test_the_vertices_between_are_those_of_short_paths():
    rng = np.random.default_rng(3)
    for _ in range(60):
        graph = nx.gnp_random_graph(8, float(rng.uniform(0.2, 0.5)), seed=int(rng.integers(10**6)))
        beside = [mask_of(graph[v]) for v in range(8)]
        for length in (1, 2, 3, 7):
            x, y = rng.choice(8, 2, replace=False).tolist()
            on_paths = {v for path in nx.all_simple_paths(graph, x, y, cutoff=length) for v in path} - {x, y}
            near = set(members(between(beside, x, y, length)))
            assert on_paths <= near and not near & {x, y}
            if length < 4:  # a way that short visits nothing twice
                assert near == on_paths


def test_a_vertex_behind_an_end_is_not_between():
    beside = [mask_of(row) for row in ([1, 2], [0], [0, 3], [2])]  # 1 - 0 - 2 - 3
    assert between(beside, 0, 2, 9) == 0 and members(between(beside, 1, 3, 3)) == [0, 2]


def test_a_hub_costs_few_tests():
    """A cause of thirty: all sets of its neighbours would be a billion, one test after the other."""
    table = simulate.linear_gaussian(DAG.from_edges([("H", f"X{i}") for i in range(30)]), 2000, seed=2)
    found = discover(FisherZ(table, alpha=1e-4), "lfci", decompose=False)
    assert found.skeleton.named_edges() == {frozenset(("H", f"X{i}")) for i in range(30)}
    assert found.tests["total"] < 31 * 30 / 2 * 31


@pytest.mark.parametrize("decompose", WAYS.values(), ids=WAYS)
def test_kernels_change_no_answer_and_no_count(decompose):
    for seed in range(5):
        test = FisherZ(simulate.linear_gaussian(simulate.er_dag(14, 3, seed=seed), 150, seed=seed), alpha=0.05)
        fast, slow = (discover(each, "lfci", decompose=decompose) for each in (test, Among(test, tuple(range(len(test))))))
        assert fast.pag == slow.pag and fast.tests == slow.tests


def test_a_wide_table_is_answered():
    dag = simulate.er_dag(80, 2, seed=3)
    found = discover(FisherZ(simulate.linear_gaussian(dag, 50, seed=3)), "lfci", decompose=False)
    true = {frozenset(pair) for pair in dag.arcs()}
    assert len(found.skeleton.named_edges() & true) > 0.5 * len(true)


@pytest.mark.parametrize("settings", [{"max_condition_size": -1}, {"max_local_path": 1.5}])
def test_a_limit_is_a_whole_number(settings):
    with pytest.raises(InvalidSetting, match="whole number"):
        LFCI(**settings)
