"""Total conditioning: dependent given all the rest."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from dicola import FisherZ, InvalidData, InvalidSetting, Oracle, simulate
from dicola.blankets.total_conditioning import TotalConditioning
from tests.asking import given_rest
from tests.exactness.run import hidden_dag


def random_test(n: int, p: int, seed: int = 0, alpha: float = 0.01) -> FisherZ:
    rng = np.random.default_rng(seed)
    return FisherZ(rng.normal(size=(n, p)) @ (np.eye(p) + 0.1 * rng.normal(size=(p, p))), alpha=alpha)


def test_with_an_oracle_it_is_the_augmented_graph_of_the_true_mag():
    for number in range(150):
        dag, latents = hidden_dag(61, number)
        oracle = Oracle(dag, latents)
        mag = dag.true_mag(latents).reordered(oracle.labels)
        related = TotalConditioning().learn(oracle)
        assert np.array_equal(related, mag.augmented()) and np.array_equal(related, related.T) and not related.diagonal().any()


def test_the_default_level_is_one_over_the_square_of_the_number_of_variables():
    for p in (3, 6, 10):
        test = random_test(200, p, seed=p, alpha=0.3)
        assert np.array_equal(TotalConditioning().learn(test), given_rest(test, 1 / p**2))
        assert np.array_equal(TotalConditioning(alpha=0.05).learn(test), given_rest(test, 0.05))


def test_a_larger_level_keeps_every_pair_of_a_smaller_one():
    test = random_test(150, 8, seed=2)
    pairs = [TotalConditioning(alpha=alpha).learn(test) for alpha in (1e-6, 1e-3, 0.05, 0.5)]
    assert all((less <= more).all() for less, more in pairwise(pairs)) and pairs[0].sum() < pairs[-1].sum()


def test_a_block_is_asked_relative_to_all_variables_at_the_level_of_all():
    test = random_test(150, 8, seed=3)
    whole = TotalConditioning().learn(test)
    block = [6, 1, 4]
    assert np.array_equal(TotalConditioning().learn(test, block), whole[np.ix_(block, block)])
    assert TotalConditioning().learn(test, [2]).tolist() == [[False]] and TotalConditioning().learn(test, []).shape == (0, 0)


@pytest.mark.parametrize(("n", "p"), [(10, 10), (10, 15), (13, 10), (8, 8)])
def test_too_few_rows_are_refused_with_the_blanket_learners_that_would_work(n, p):
    with pytest.raises(InvalidData, match=rf"over {p} variables needs more than {p + 3} rows, and there are {n}.*'iamb'.*'grow_shrink'"):
        TotalConditioning().learn(random_test(n, p))


def test_one_row_more_than_refused_is_enough():
    assert TotalConditioning().learn(random_test(14, 10)).shape == (10, 10)


@pytest.mark.parametrize(("n", "p", "warns"), [(60, 20, True), (72, 20, False), (150, 90, True), (250, 90, False), (5000, 200, False)])
def test_little_power_is_told(n, p, warns):
    said = TotalConditioning().warnings(FisherZ.from_covariance(np.eye(p), n))
    assert bool(said) == warns
    if warns:
        assert f"{n} rows for {p} variables" in said[0] and "iamb" in said[0]


def test_an_oracle_needs_no_warning():
    assert TotalConditioning().warnings(Oracle(simulate.er_dag(30, 3, seed=1))) == ()


@pytest.mark.parametrize("alpha", [0, 1, -1, float("nan"), "x"])
def test_a_level_outside_the_open_interval_is_refused(alpha):
    with pytest.raises(InvalidSetting, match="strictly between 0 and 1"):
        TotalConditioning(alpha=alpha)


def test_one_variable_has_no_pairs():
    assert TotalConditioning().learn(random_test(50, 4).among([2])).tolist() == [[False]]
