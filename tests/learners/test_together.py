"""Leaves learned side by side are the leaves learned one by one, sets and counts included."""

from __future__ import annotations

import numpy as np
import pytest

from dicola import FCI, PC, FisherZ, LMarvel, Oracle, discover, simulate
from dicola.ci.ledger import Ledger
from dicola.graphs.undirected import UndirectedGraph
from dicola.learners.base import Context
from dicola.learners.together import bunches, learn_together
from tests.exactness.learners import random_truth


def leaves_of(seed: int, stop: str) -> tuple[FisherZ, list]:
    dag = simulate.er_dag(25, 3, seed=seed)
    test = FisherZ(simulate.linear_gaussian(dag, 400, seed=seed).drop(columns=list(simulate.hide(dag, 3, seed=seed))), alpha=0.05)
    return test, [(leaf.variables, leaf.uig) for leaf in discover(test, stop=stop).tree.leaves]


@pytest.mark.parametrize(
    "learner", [FCI(), FCI(0), FCI(1), FCI(1, 1), FCI(possible_dsep="textbook"), PC(), PC(max_condition_size=1)], ids=repr
)
@pytest.mark.parametrize("stop", ["auto", "paper", "reference"])
def test_each_leaf_gets_what_it_gets_alone(learner, stop):
    for seed in range(4):
        test, parts = leaves_of(seed, stop)
        together, alone = Ledger(test), Ledger(test)
        found = learn_together(learner, together, parts, Context(warm=True))
        wanted = [learner.learn_skeleton(alone, variables, Context(uig=uig, warm=True)) for variables, uig in parts]
        assert together.counts == alone.counts
        for one, other in zip(found, wanted, strict=True):
            assert one.variables == other.variables and one.edges == other.edges and one.sets == other.sets
            assert one.labels == other.labels and one.names == other.names
        assert {w for one in found for w in one.warnings} == {w for one in wanted for w in one.warnings}


def test_a_learner_that_looks_at_all_variables_gets_its_leaves_one_by_one():
    test, parts = leaves_of(1, "paper")
    found = learn_together(LMarvel(), test, parts, Context(warm=True))
    wanted = [LMarvel().learn_skeleton(test, variables, Context(uig=uig, warm=True)) for variables, uig in parts]
    assert [s.edges for s in found] == [s.edges for s in wanted]


def test_a_test_without_unions_is_asked_leaf_by_leaf():
    oracle = random_truth(3, 0).oracle()
    assert isinstance(oracle, Oracle) and oracle.side_by_side([(0, 1), (1, 2)]) is None
    assert Ledger(oracle).side_by_side([(0, 1)]) is None


def test_leaves_are_bunched_in_order_and_a_large_one_is_by_itself():
    assert bunches([90, 60, 20, 200, 3, 3]) == [range(0, 2), range(2, 3), range(3, 4), range(4, 6)]
    assert bunches([7]) == [range(0, 1)]


def test_graphs_side_by_side_are_numbered_through():
    one, other = UndirectedGraph.complete(2), UndirectedGraph.from_matrix(np.zeros((1, 1), dtype=bool))
    union = UndirectedGraph.side_by_side([one, other, one])
    wanted = np.zeros((5, 5), dtype=bool)
    wanted[0, 1] = wanted[1, 0] = wanted[3, 4] = wanted[4, 3] = True
    assert np.array_equal(union.to_matrix(), wanted)
