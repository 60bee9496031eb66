"""Leaves learned side by side are the leaves learned one by one, sets and counts included."""

from __future__ import annotations

from pickle import loads
from threading import Lock

import numpy as np
import pytest
from cloudpickle import dumps

from dicola import FCI, PC, RFCI, CallableTest, FisherZ, LMarvel, MagBIC, Oracle, discover, simulate
from dicola.ci.inquiry import Inquiry
from dicola.ci.workers import Workers
from dicola.decompose.leaves import bunches, leaf_tasks, learn_leaves
from dicola.decompose.tree import Leaf
from dicola.graphs.undirected import UndirectedGraph
from dicola.learners.base import Context
from tests.exactness.learners import random_truth
from tests.graphs.parts import complete


def leaves_of(seed: int, stop: str) -> tuple[FisherZ, tuple[Leaf, ...]]:
    dag = simulate.er_dag(25, 3, seed=seed)
    test = FisherZ(simulate.linear_gaussian(dag, 400, seed=seed).drop(columns=list(simulate.hide(dag, 3, seed=seed))), alpha=0.05)
    return test, discover(test, stop=stop).tree.leaves


@pytest.mark.parametrize(
    "learner", [FCI(), FCI(0), FCI(1), FCI(1, 1), FCI(possible_dsep="textbook"), PC(), PC(max_condition_size=1)], ids=repr
)
@pytest.mark.parametrize("stop", ["auto", "paper", "reference"])
def test_each_leaf_gets_what_it_gets_alone(learner, stop):
    for seed in range(4):
        test, leaves = leaves_of(seed, stop)
        together, alone = Inquiry(test), Inquiry(test)
        found = learn_leaves(leaves, learner, together, Context(warm=True))
        wanted = [learner.learn_skeleton(alone, leaf.variables, Context(uig=leaf.uig, warm=True)) for leaf in leaves]
        assert together.counts == alone.counts
        for one, other in zip(found, wanted, strict=True):
            assert one.edges == other.edges and one.sets == other.sets
        assert {w for one in found for w in one.warnings} == {w for one in wanted for w in one.warnings}


def test_a_learner_that_looks_at_all_variables_gets_its_leaves_one_by_one():
    test, leaves = leaves_of(1, "paper")
    found = learn_leaves(leaves, LMarvel(), Inquiry(test), Context(warm=True))
    wanted = [LMarvel().learn_skeleton(test, leaf.variables, Context(uig=leaf.uig, warm=True)) for leaf in leaves]
    assert [s.edges for s in found] == [s.edges for s in wanted]


@pytest.mark.parametrize("learner", [FCI(), RFCI(), LMarvel(), MagBIC()], ids=repr)
def test_a_task_is_small_and_gives_the_same_after_a_journey(learner):
    dag = simulate.modular_dag(12, 6, 2, 1, seed=3)
    test = FisherZ(simulate.linear_gaussian(dag, 2000, seed=3))
    leaves = discover(test, min_leaf_size=6).tree.leaves
    whole = len(dumps(test))
    for task in leaf_tasks(leaves, learner, Inquiry(test), Context(warm=True), Workers()):
        sent = dumps(task)
        assert len(sent) < whole / 3 or len(task.leaves) > 3, "a leaf carries its own block, not the whole matrix"
        here, there = task.run(), loads(sent).run()
        assert [found.edges for found in here.learned] == [found.edges for found in there.learned]
        assert [found.warnings for found in here.learned] == [found.warnings for found in there.learned]
        assert here.account == there.account


def slow_test(frame):
    inner = FisherZ(frame)
    return CallableTest(lambda x, y, z: inner(x, y, z).p_value, frame.columns)


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_threads_and_processes_give_the_bytes_of_one_worker(workers, tmp_path):
    dag = simulate.er_dag(14, 2, seed=5)
    frame = simulate.linear_gaussian(dag, 300, seed=5)
    for test, learner in ((FisherZ(frame), "fci"), (FisherZ(frame), "l-marvel"), (slow_test(frame), "rfci")):
        one, many = discover(test, learner), discover(test, learner, n_jobs=2, workers=workers)
        assert one == many and one.tests == many.tests
        texts = [{f.name: f.read_bytes() for f in found.write(tmp_path / name).iterdir()} for name, found in (("one", one), ("many", many))]
        assert {name: text for name, text in texts[0].items() if name not in ("timing.json", "report.html")} == {
            name: text for name, text in texts[1].items() if name not in ("timing.json", "report.html")
        }


def test_what_no_other_process_can_have_is_asked_in_threads():
    frame = simulate.linear_gaussian(simulate.er_dag(8, 2, seed=1), 200, seed=1)
    inner, lock = FisherZ(frame), Lock()

    def guarded(x, y, z):
        with lock:
            return inner(x, y, z).p_value

    test = CallableTest(guarded, frame.columns)
    assert discover(test, n_jobs=2) == discover(test)


def test_a_test_without_unions_is_asked_leaf_by_leaf():
    oracle = random_truth(3, 0).oracle()
    assert isinstance(oracle, Oracle) and oracle.side_by_side([(0, 1), (1, 2)]) is None
    assert Inquiry(oracle).side_by_side([(0, 1)]) is None


def test_leaves_are_bunched_in_order_and_a_large_one_is_by_itself():
    assert bunches([90, 60, 20, 200, 3, 3]) == [range(0, 2), range(2, 3), range(3, 4), range(4, 6)]
    assert bunches([7]) == [range(0, 1)]


def test_graphs_side_by_side_are_numbered_through():
    one, other = complete(2), UndirectedGraph.from_matrix(np.zeros((1, 1), dtype=bool))
    union = UndirectedGraph.side_by_side([one, other, one])
    wanted = np.zeros((5, 5), dtype=bool)
    wanted[0, 1] = wanted[1, 0] = wanted[3, 4] = wanted[4, 3] = True
    assert np.array_equal(union.to_matrix(), wanted)
