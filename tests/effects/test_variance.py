"""The set of lowest variance, confirmed by the formula over all valid sets."""

from __future__ import annotations

import numpy as np
import pytest

from dicola import DAG, PAG, InvalidData, InvalidSetting, simulate
from dicola.effects.adjustment import Adjustment
from dicola.effects.variance import asymptotic_variance
from tests.effects.coverage import World, identified_pairs
from tests.reference_models import bits, subsets


def regression_variance(covariance: np.ndarray, x: int, y: int, given: list[int]) -> float:
    """That of the coefficient of x, from the precision of all regressors and the residual: another way than the library's."""
    beside = [x, *given]
    inverse = np.linalg.inv(covariance[np.ix_(beside, beside)])
    across = covariance[beside, y]
    return float((covariance[y, y] - across @ inverse @ across) * inverse[0, 0])


def test_no_valid_set_has_a_lower_variance_than_the_one_chosen():
    asked = not_minimal = 0
    for seed in range(120):
        world = World.drawn(seed)
        pag = world.dag.true_pag(world.hidden)
        covariance = simulate.linear_gaussian_covariance(world.dag, seed).loc[list(pag.names), list(pag.names)].to_numpy()
        for x, y in identified_pairs(pag):
            criterion = Adjustment.between(pag, x, y)
            valid = [z for z in subsets((1 << len(pag)) - 1 & ~(1 << criterion.x | 1 << criterion.y)) if criterion.is_valid(z)]
            variances = {z: regression_variance(covariance, criterion.x, criterion.y, bits(z)) for z in valid}
            best = pag.optimal_adjustment_set(x, y, covariance)
            chosen = sum(1 << pag.index(name) for name in best)
            assert variances[chosen] == pytest.approx(min(variances.values()), rel=1e-9)
            assert asymptotic_variance(covariance, criterion.x, criterion.y, bits(chosen)) == pytest.approx(variances[chosen], rel=1e-9)
            asked, not_minimal = asked + 1, not_minimal + (best not in pag.adjustment_sets(x, y))
    assert asked > 30 and not_minimal > 2


def test_the_variance_is_that_of_repeated_estimates():
    dag = DAG.from_edges([("W", "X"), ("W", "Y"), ("X", "Y"), ("U", "Y")])
    covariance = simulate.linear_gaussian_covariance(dag, seed=1).to_numpy()
    rng, rows = np.random.default_rng(0), 200
    at = [dag.index(name) for name in ("X", "Y", "W")]
    expected = asymptotic_variance(covariance, at[0], at[1], [at[2]])
    slopes = []
    for _ in range(1500):
        drawn = rng.multivariate_normal(np.zeros(len(dag)), covariance, rows)
        slopes.append(np.linalg.lstsq(drawn[:, [at[0], at[2]]], drawn[:, at[1]], rcond=None)[0][0])
    assert rows * np.var(slopes) == pytest.approx(expected, rel=0.1)


def test_beyond_the_bound_a_smallest_set_is_kept_and_only_what_tells_of_y_is_tried():
    dag = DAG.from_edges(
        [("V", "X"), ("W", "X"), ("W", "Y"), ("X", "Y"), *((f"U{i}", "Y") for i in range(6)), *((f"I{i}", "X") for i in range(6))]
    )
    pag = dag.true_pag()
    covariance = simulate.linear_gaussian_covariance(dag, seed=2).loc[list(pag.names), list(pag.names)]
    best = pag.optimal_adjustment_set("X", "Y", covariance, bound=14)
    assert set(best) == {"W", *(f"U{i}" for i in range(6))}
    few = pag.optimal_adjustment_set("X", "Y", covariance, bound=3)
    assert len(few) == 3 and "W" in few and set(few) < set(best)
    assert pag.optimal_adjustment_set("X", "Y", covariance, bound=1) == ("W",)
    assert pag.optimal_adjustment_set("Y", "X", covariance) is None


def test_a_covariance_of_another_size_and_a_negative_bound_are_refused():
    pag = PAG.from_text("V o-> X; W o-> X; X --> Y")
    with pytest.raises(InvalidData, match=r"the covariance has shape \(2, 2\)"):
        pag.optimal_adjustment_set("X", "Y", np.eye(2))
    with pytest.raises(InvalidSetting, match="bound is -1"):
        pag.optimal_adjustment_set("X", "Y", np.eye(4), bound=-1)
