"""Greedy equivalence search: the true class where the score is right, and steps that keep a class a class."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from dicola.graphs.mag import MAG
from dicola.orient.equivalence import markov_equivalent
from dicola.score.ancestral import marks_of_dag
from dicola.score.equivalence_search import equivalence_search
from dicola.score.gaussian_bic import GaussianBIC
from tests.score.test_order_search import problem


def population(seed: int, p: int = 7) -> tuple[GaussianBIC, NDArray[np.bool_]]:
    """The score on the exact correlations of a random linear model, with rows beyond number, and the parents in that model."""
    random = np.random.default_rng(seed)
    weights = np.tril(random.uniform(0.5, 1, (p, p)) * random.choice([-1, 1], (p, p)), -1) * (random.random((p, p)) < 0.35)
    effects = np.linalg.inv(np.eye(p) - weights)
    covariance = effects @ effects.T
    scale = np.sqrt(np.diag(covariance))
    shuffled = random.permutation(p)
    block = np.ix_(shuffled, shuffled)
    return GaussianBIC((covariance / np.outer(scale, scale))[block], 10**10), (weights != 0)[block]


@pytest.mark.parametrize("seed", range(20))
def test_with_rows_beyond_number_the_class_is_the_true_one(seed: int) -> None:
    score, parents = population(seed)
    found = equivalence_search(score)
    assert markov_equivalent(MAG(marks_of_dag(found.parents), score.names), MAG(marks_of_dag(parents), score.names))


@pytest.mark.parametrize("seed", range(4))
def test_with_data_no_edge_more_or_less_lowers_the_score_of_the_dag(seed: int) -> None:
    score = problem(seed, p=9, degree=3)
    found = equivalence_search(score)
    place = np.argsort(found.order)
    assert found.score == pytest.approx(sum(score.local(v, np.flatnonzero(row).tolist()) for v, row in enumerate(found.parents)))
    for v, row in enumerate(found.parents):
        above = set(np.flatnonzero(row).tolist())
        assert all(place[u] < place[v] for u in above)
        for u in set(range(len(score))) - {v}:
            if u in above or place[u] < place[v]:
                assert score.local(v, sorted(above ^ {u})) >= score.local(v, sorted(above)) - 1e-6


def test_a_bound_on_the_side_is_a_bound_on_the_work() -> None:
    score = problem(5, p=12, degree=5)
    free, bound = equivalence_search(score), equivalence_search(score, max_side=0)
    assert bound.work < free.work


def test_one_variable_is_a_class_of_its_own() -> None:
    found = equivalence_search(GaussianBIC(np.eye(1), 100))
    assert found.order.tolist() == [0] and found.score == 0
