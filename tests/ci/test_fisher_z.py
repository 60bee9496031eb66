"""Fisher's z test: the number it computes, the verdict it draws, and what it does where no verdict is possible."""

from __future__ import annotations

import pickle
from copy import deepcopy
from itertools import combinations
from math import atanh, sqrt, tanh

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dicola import DicolaError, FisherZ, InvalidData, InvalidSetting
from dicola.ci.questions import FindSeparator
from tests.asking import given_rest


def mixed(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    """Correlated columns of different scales."""
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) * rng.uniform(0.1, 10, p) + rng.normal(size=p)


def residual_correlation(values: np.ndarray, x: int, y: int, z: tuple[int, ...]) -> float:
    """The textbook way: regress x and y on z with an intercept, correlate what is left."""
    design = np.column_stack([np.ones(len(values)), values[:, list(z)]])
    left = [values[:, v] - design @ np.linalg.lstsq(design, values[:, v], rcond=None)[0] for v in (x, y)]
    return float(np.corrcoef(*left)[0, 1])


def random_questions(rng: np.random.Generator, p: int, count: int) -> list[tuple[int, int, tuple[int, ...]]]:
    found = []
    for _ in range(count):
        order = rng.permutation(p).tolist()
        size = int(rng.integers(0, p - 1))
        x, y = sorted(order[:2])
        found.append((x, y, tuple(sorted(order[2 : 2 + size]))))
    return found


def test_partial_correlation_is_the_correlation_of_regression_residuals():
    rng = np.random.default_rng(1)
    for _ in range(20):
        values = mixed(rng, 80, 7)
        test = FisherZ(values)
        for x, y, z in random_questions(rng, 7, 15):
            assert test.partial_correlation(x, y, z) == pytest.approx(residual_correlation(values, x, y, z), abs=1e-10)


def test_p_value_is_that_of_the_normal_distribution_two_sided():
    rng = np.random.default_rng(2)
    values = mixed(rng, 60, 6)
    test = FisherZ(values)
    for x, y, z in random_questions(rng, 6, 60):
        score = atanh(residual_correlation(values, x, y, z)) * sqrt(60 - len(z) - 3)
        verdict = test.verdict(x, y, z)
        assert verdict.p_value == pytest.approx(2 * stats.norm.sf(abs(score)), rel=1e-8, abs=1e-300)
        assert test.log_p_values(x, y, [z])[0] == pytest.approx(np.log(2) + stats.norm.logsf(abs(score)), rel=1e-8, abs=1e-10)


def test_closed_forms_for_one_and_two_given_variables_hold():
    r = np.corrcoef(mixed(np.random.default_rng(3), 200, 4), rowvar=False)
    test = FisherZ.from_covariance(r, 200)

    def given_one(x: int, y: int, z: int) -> float:
        return (r[x, y] - r[x, z] * r[y, z]) / sqrt((1 - r[x, z] ** 2) * (1 - r[y, z] ** 2))

    for x, y, z in ((0, 1, 2), (0, 3, 1), (2, 3, 0)):
        assert test.partial_correlation(x, y, (z,)) == pytest.approx(given_one(x, y, z), abs=1e-12)
    xy, xw, yw = given_one(0, 1, 2), given_one(0, 3, 2), given_one(1, 3, 2)
    assert test.partial_correlation(0, 1, (2, 3)) == pytest.approx((xy - xw * yw) / sqrt((1 - xw**2) * (1 - yw**2)), abs=1e-12)


def test_under_the_null_p_values_are_uniform_and_the_level_is_kept():
    rng = np.random.default_rng(4)
    p_values, rejected = [], 0
    for _ in range(2000):
        z = rng.normal(size=40)
        values = np.column_stack([z + rng.normal(size=40), 2 * z + rng.normal(size=40), z])
        verdict = FisherZ(values, alpha=0.05)(0, 1, [2])
        p_values.append(verdict.p_value)
        rejected += not verdict.independent
    assert stats.kstest(p_values, "uniform").pvalue > 0.05
    assert 0.035 < rejected / 2000 < 0.065


def test_independent_iff_the_correlation_stays_below_the_threshold_iff_p_exceeds_alpha():
    rng = np.random.default_rng(5)
    seen = {True: 0, False: 0}
    for alpha in (0.3, 0.05, 0.01, 1e-4):
        test = FisherZ(mixed(rng, 50, 6), alpha=alpha)
        for x, y, z in random_questions(rng, 6, 100):
            verdict = test.verdict(x, y, z)
            threshold = tanh(stats.norm.isf(alpha / 2) / sqrt(50 - len(z) - 3))
            assert verdict.independent == (abs(test.partial_correlation(x, y, z)) <= threshold) == (verdict.p_value > alpha)
            seen[verdict.independent] += 1
    assert min(seen.values()) > 40


@pytest.mark.parametrize("alpha", [0.2, 0.05, 0.01, 1e-6, 1e-12])
@pytest.mark.parametrize("n", [5, 30, 2000])
def test_the_verdict_turns_at_the_threshold(alpha, n):
    threshold = tanh(stats.norm.isf(alpha / 2) / sqrt(n - 3))
    for factor, independent in ((1 - 1e-9, True), (min(1 + 1e-9, (1 - 1e-13) / threshold), False)):
        r = threshold * factor
        verdict = FisherZ.from_covariance([[1, r], [r, 1]], n, alpha=alpha)(0, 1)
        assert verdict.independent == independent == (verdict.p_value > alpha)


def test_very_small_p_values_keep_their_digits_and_logarithms_rank_what_underflows():
    def test(r, n):
        return FisherZ.from_covariance([[1, r], [r, 1]], n)

    def verdict(r, n):
        return test(r, n)(0, 1)

    assert verdict(0.8, 400).p_value == pytest.approx(2 * stats.norm.sf(atanh(0.8) * sqrt(397)), rel=1e-9)
    assert 0 < verdict(0.8, 400).p_value < 1e-90
    strong, stronger = verdict(0.9, 10**6), verdict(0.95, 10**6)
    assert strong.p_value == stronger.p_value == 0.0
    assert test(0.9, 10**6).log_p_values(0, 1, [()])[0] > test(0.95, 10**6).log_p_values(0, 1, [()])[0]


@pytest.mark.parametrize(("policy", "independent", "p_value"), [("dependent", False, 0.0), ("independent", True, 1.0)])
def test_where_rows_run_out_the_policy_answers(policy, independent, p_value):
    test = FisherZ.from_covariance(np.eye(6), 6, untestable=policy)
    for z in [(2, 3, 4), (2, 3, 4, 5)]:
        verdict = test.verdict(0, 1, z)
        assert (verdict.independent, verdict.p_value) == (independent, p_value)
    assert test.verdict(0, 1, (2, 3)).independent, "one degree of freedom is enough"
    assert given_rest(test).any() != independent


def test_the_default_policy_keeps_the_edge():
    assert not FisherZ.from_covariance(np.eye(5), 5).verdict(0, 1, (2, 3)).independent


def test_the_policy_raise_names_the_rows_and_the_size():
    test = FisherZ.from_covariance(np.eye(6), 6, untestable="raise")
    assert test.verdict(0, 1, (2, 3)).independent
    for ask in (lambda: test.verdict(0, 1, (2, 3, 4)), lambda: test.sweep_level(~np.eye(6, dtype=bool), 3), lambda: given_rest(test)):
        with pytest.raises(InvalidData, match=r"6 rows are too few to condition on [34] variables"):
            ask()


def test_the_policy_raise_is_silent_where_nothing_is_asked():
    test = FisherZ.from_covariance(np.eye(6), 6, untestable="raise")
    assert test.ask(FindSeparator(0, 1, [2, 3, 4], (3,), [[2, 3, 4]])) is None
    assert test.sweep_level(np.zeros((6, 6), dtype=bool), 4) == []


def test_an_unknown_policy_is_refused():
    with pytest.raises(InvalidSetting, match=r"'maybe'.*'dependent', 'independent' or 'raise'"):
        FisherZ.from_covariance(np.eye(3), 20, untestable="maybe")


@pytest.fixture
def with_a_sum() -> FisherZ:
    """Twelve columns and thirteen rows, the third column the sum of the first two: too few rows to refuse it as collinear."""
    values = np.random.default_rng(6).normal(size=(13, 12))
    values[:, 2] = values[:, 0] + values[:, 1]
    return FisherZ(values)


def test_a_redundant_given_variable_changes_nothing(with_a_sum):
    for x, y in combinations(range(3, 8), 2):
        expected = with_a_sum.partial_correlation(x, y, (0, 1))
        assert with_a_sum.partial_correlation(x, y, (0, 1, 2)) == pytest.approx(expected, abs=1e-8)


def test_a_variable_determined_by_the_given_ones_is_called_independent(with_a_sum):
    for z in [(0, 1), (0, 1, 5)]:
        verdict = with_a_sum.verdict(2, 4, z)
        assert verdict.independent and verdict.p_value == 1.0


def test_two_variables_tied_exactly_given_a_third_are_dependent(with_a_sum):
    for x, y, z in ((0, 2, 1), (1, 2, 0), (0, 1, 2)):
        verdict = with_a_sum.verdict(x, y, (z,))
        assert not verdict.independent and verdict.p_value < 1e-6


@pytest.mark.parametrize("block", [None, [3, 1], [0, 1, 2]], ids=str)
def test_total_conditioning_over_collinear_variables_is_the_plain_question(block):
    for seed in range(30):
        values = np.random.default_rng([6, seed]).normal(size=(9, 9))
        values[:, 2] = values[:, 0] - values[:, 1]
        part = FisherZ(values, alpha=0.2).among([0, 1, 2, 4])
        asked = range(4) if block is None else block
        expected = [[x != y and not part(x, y, set(range(4)) - {x, y}).independent for y in asked] for x in asked]
        assert given_rest(part, block=block).tolist() == expected, seed


def test_a_covariance_matrix_answers_like_the_data_it_came_from():
    rng = np.random.default_rng(8)
    frame = pd.DataFrame(mixed(rng, 70, 5), columns=["e", "b", "a10", "a9", "c"])
    from_data = FisherZ(frame, alpha=0.1)
    for matrix in (np.cov(frame.to_numpy(), rowvar=False), np.corrcoef(frame.to_numpy(), rowvar=False)):
        other = FisherZ.from_covariance(matrix, 70, names=frame.columns, alpha=0.1)
        assert other.labels == from_data.labels == ("a9", "a10", "b", "c", "e") and other.names == tuple(frame.columns)
        assert np.allclose(other.correlation, from_data.correlation, atol=1e-12)
        assert other("e", "a10", ["c"]).p_value == pytest.approx(from_data("e", "a10", ["c"]).p_value, rel=1e-9)


@pytest.mark.parametrize("factor", [1e-9, 1e9, 1e-150, 1e150, 1e-200, 1e200, 1e-300, 1e300])
def test_the_unit_of_measurement_does_not_matter(factor):
    values = mixed(np.random.default_rng(9), 100, 4)
    scaled = values * np.array([factor, 1, 1, 1])
    assert np.allclose(FisherZ(scaled).correlation, FisherZ(values).correlation, atol=1e-9)


def test_a_large_offset_does_not_matter():
    values = mixed(np.random.default_rng(10), 100, 3)
    assert np.allclose(FisherZ(values + [1e6, 0, -1e6]).correlation, FisherZ(values).correlation, atol=1e-8)


@pytest.mark.parametrize("alpha", [0, 1, -1, 1.5, float("nan"), float("inf"), "x", None, [0.1]], ids=repr)
def test_alpha_outside_the_open_interval_is_refused(alpha):
    values = np.random.default_rng(0).normal(size=(20, 3))
    for build in (lambda: FisherZ(values, alpha=alpha), lambda: FisherZ.from_covariance(np.eye(3), 20, alpha=alpha)):
        with pytest.raises(InvalidSetting, match=r"alpha is .* strictly between 0 and 1"):
            build()


@pytest.mark.parametrize(
    ("matrix", "settings", "says"),
    [
        (np.ones((2, 3)), {}, r"square.*\(2, 3\)"),
        (np.ones(3), {}, r"square.*\(3,\)"),
        ([[1.0]], {}, "at least two"),
        ([[1, np.nan], [np.nan, 1]], {}, "missing or infinite"),
        ([[1, np.inf], [np.inf, 1]], {}, "missing or infinite"),
        ([[1, 0.2], [0.3, 1]], {}, "not symmetric"),
        ([[1, 0], [0, 0]], {"names": "AB"}, "'B' is not positive"),
        ([[-1, 0], [0, 1]], {"names": "AB"}, "'A' is not positive"),
        ([[1, 2], [2, 1]], {}, "not positive semidefinite"),
        ([[1, 1], [1, 1]], {"names": "AB"}, "'A' and 'B' are copies"),
        ([[1, -1], [-1, 1]], {"names": "AB"}, "'A' and 'B' are copies"),
        ([[1, 0, 1], [0, 1, 1], [1, 1, 2]], {"names": "ABC"}, "'A', 'B', 'C' are perfectly collinear"),
        (np.eye(2), {"names": "ABC"}, "3 names were given for 2"),
        (np.eye(2), {"names": "AA"}, "'A' appears more than once"),
        (np.eye(2), {"n_samples": 4}, "n_samples is 4.*at least 5"),
        (np.eye(2), {"n_samples": 10.5}, "n_samples is 10.5"),
        (np.eye(2), {"n_samples": -3}, "n_samples is -3"),
        (np.eye(2), {"n_samples": float("nan")}, "n_samples is nan"),
        (np.eye(2), {"n_samples": float("inf")}, "n_samples is inf"),
        (np.eye(2), {"n_samples": "many"}, "n_samples is 'many'"),
        (np.eye(2), {"n_samples": None}, "n_samples is None"),
        ([["a", "b"], ["c", "d"]], {}, "number"),
    ],
)
def test_a_bad_covariance_is_refused_in_a_sentence(matrix, settings, says):
    with pytest.raises(DicolaError, match=says) as caught:
        FisherZ.from_covariance(matrix, **{"n_samples": 100, **settings})
    assert isinstance(caught.value, InvalidData)


def test_the_correlation_matrix_is_computed_in_the_fixed_order_and_cannot_be_changed():
    frame = pd.DataFrame(mixed(np.random.default_rng(11), 50, 3), columns=["c", "a", "b"])
    test = FisherZ(frame)
    assert test.labels == ("a", "b", "c") and test.names == ("c", "a", "b")
    assert test.correlation[0, 2] == pytest.approx(frame["a"].corr(frame["c"]))
    with pytest.raises(ValueError, match="read-only"):
        test.correlation[0, 1] = 0


def test_a_restricted_test_answers_like_the_whole():
    test = FisherZ(mixed(np.random.default_rng(12), 60, 6), alpha=0.1)
    part = test.among([1, 3, 4, 5])
    assert part.labels == ("X2", "X4", "X5", "X6") and part.n_samples == 60
    assert part.verdict(0, 2, (1, 3)) == test.verdict(1, 4, (3, 5))
    assert part.among([0, 3]).verdict(0, 1, ()) == test.verdict(1, 5, ())


def test_total_conditioning_takes_its_own_level():
    r = 0.25
    test = FisherZ.from_covariance([[1, r, 0], [r, 1, 0], [0, 0, 1]], 100, alpha=0.5)
    p_value = test(0, 1, [2]).p_value
    assert given_rest(test, p_value * 1.001)[0, 1] and not given_rest(test, p_value * 0.999)[0, 1]


def test_a_pickled_or_copied_test_is_frozen_and_answers_alike():
    test = FisherZ(mixed(np.random.default_rng(3), 60, 5))
    for whole in (pickle.loads(pickle.dumps(test)), deepcopy(test)):
        assert not whole.samples().flags.writeable
        for one, other in ((whole, test), (deepcopy(test.among([0, 2, 3])), test.among([0, 2, 3]))):
            assert not one.correlation.flags.writeable
            assert one.verdict(0, 1, (2,)) == other.verdict(0, 1, (2,)) and np.array_equal(given_rest(one), given_rest(other))


def test_variances_near_the_ends_of_the_numbers_do_not_overflow():
    small = np.array([[1.0, 0.5, 0.2], [0.5, 1.0, 0.1], [0.2, 0.1, 1.0]])
    scale = np.array([1e154, 1.0, 1e-150])
    test = FisherZ.from_covariance(small * scale[:, None] * scale, n_samples=100)
    np.testing.assert_allclose(test.correlation, small, rtol=1e-12)
    assert (test.correlation == test.correlation.T).all()
