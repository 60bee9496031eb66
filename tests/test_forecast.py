"""A forecast follows what a run takes: the density of the graph, for tests and for scores."""

from __future__ import annotations

import pytest

from dicola import FisherZ, simulate
from dicola.pipeline.discover import forecast
from dicola.pipeline.plan import Plan


def of(degree: float, mode: str):
    dag = simulate.er_dag(40, degree, seed=1)
    return forecast(FisherZ(simulate.linear_gaussian(dag, 1000, seed=1)), Plan(mode=mode))


@pytest.mark.parametrize("mode", ["exact", "balanced"])
def test_a_dense_graph_is_expected_to_take_longer_than_a_sparse_one(mode):
    assert of(10, mode).seconds > 10 * of(2, mode).seconds > 0.0


def test_a_search_by_score_is_not_forgotten():
    """Dense graphs of 40 variables took 0.8 to 1.1 s of one core."""
    assert of(10, "balanced").seconds > 0.5
    assert of(10, "balanced").tests == 0
