"""The Gaussian BIC: what it is, and that it cannot tell apart what the data cannot."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from dicola import DAG, MAG, FisherZ, InvalidSetting, Ledger, NeedsData, Oracle, mag_to_pag, member_mag
from dicola.ci.inquiry import Inquiry
from dicola.score.gaussian_bic import GaussianBIC
from dicola.score.order_search import best_of
from dicola.score.search import MANY_ROWS, MagSearch
from dicola.simulate import er_dag, factor_dag, linear_gaussian
from tests.score.drawn import models
from tests.score.readable_ricf import edges_of, fitted, maximised


def test_of_one_variable_it_is_the_residual_variance_and_the_price_of_its_parents():
    for _, score in models(0, 5):
        block = score.correlation[:3, :3]
        variance = 1 / np.linalg.inv(block)[0, 0]
        assert score.local(0, [1, 2]) == pytest.approx(500 * log(variance) + 2 * score.price)
        assert score.local(0, []) == pytest.approx(0)


def test_a_dag_scores_the_sum_over_its_variables():
    score = next(models(1, 1))[1]
    dag = MAG.from_text(f"{score.names[0]} --> {score.names[2]}; {score.names[1]} --> {score.names[2]}", score.names)
    expected = sum(score.local(v, [0, 1] if v == 2 else []) for v in range(len(score)))
    assert score.mag(dag) == pytest.approx(expected)


def test_the_likelihood_is_that_of_a_general_optimiser():
    joined = 0
    for mag, score in models(2, 200):
        arrows, bidirected = edges_of(mag)
        joined += len(bidirected)
        price = score.price * (len(arrows) + len(bidirected))
        assert score.mag(mag) == pytest.approx(score.n_samples * maximised(score.correlation, mag) + price, abs=1e-2)
    assert joined > 200


def test_the_kernel_is_its_readable_twin():
    for mag, score in models(3, 60, n=11, hidden=4):
        price = score.price * mag.n_edges
        assert score.mag(mag) == pytest.approx(score.n_samples * fitted(score.correlation, mag) + price, abs=1e-3)


def test_markov_equivalent_mags_score_alike():
    rng = np.random.default_rng(4)
    differing = 0
    for mag, score in models(4, 1000, n=8, hidden=2):
        order = [mag.names[v] for v in rng.permutation(len(mag))]
        other = member_mag(mag_to_pag(mag).reordered(order))
        differing += mag != other
        assert score.mag(mag) == pytest.approx(score.mag(other), abs=1e-3)
    assert differing > 500


def test_the_order_of_the_variables_does_not_matter():
    for mag, score in models(5, 20):
        order = list(range(len(score)))[::-1]
        assert score.among(order).mag(mag) == pytest.approx(score.mag(mag), abs=1e-3)


def test_an_edge_that_the_data_do_not_support_costs():
    rng = np.random.default_rng(6)
    score = GaussianBIC(np.corrcoef(rng.normal(size=(400, 3)), rowvar=False), 400, "ABC")
    assert score.mag(MAG.from_text("A --> B", "ABC")) > score.mag(MAG.from_text("", "ABC"))
    assert score.mag(MAG.from_text("A <-> B", "ABC")) == pytest.approx(score.mag(MAG.from_text("A --> B", "ABC")))


def test_an_edge_costs_more_where_few_variables_are_related():
    n, related = 200, np.eye(10)
    related[0, 1] = related[1, 0] = related[2, 3] = related[3, 2] = 0.8
    for correlation, k in ((np.eye(10), 1), (related, 4), (np.full((10, 10), 0.8) + 0.2 * np.eye(10), 10)):
        score = GaussianBIC(correlation, n)
        assert score.price == pytest.approx(1.3 * log(n) + log(45 / k) + 1)
        assert score.among([0, 5]).price == score.price, "a part costs what it costs in the whole"


@pytest.mark.parametrize(("n", "p"), [(500, 50), (120, 100), (200, 100)])
def test_independent_columns_are_hardly_ever_joined(n, p):
    rng = np.random.default_rng(9)
    tables = [FisherZ(rng.normal(size=(n, p))) for _ in range(10)]
    assert sum(best_of(GaussianBIC.of(table), 1).parents.sum() for table in tables) <= 5


def test_it_takes_the_correlations_of_a_test_and_of_a_part_of_it():
    rng = np.random.default_rng(7)
    table = rng.normal(size=(100, 4)) @ rng.normal(size=(4, 4))
    test = FisherZ(table)
    whole, part = GaussianBIC.of(Ledger(test)), GaussianBIC.of(Ledger(test).among([1, 3]))
    assert np.array_equal(whole.correlation, test.correlation)
    assert part.names == (test.labels[1], test.labels[3])
    assert part.local(0, [1]) - part.price == pytest.approx(whole.local(1, [3]) - whole.price)


def test_an_oracle_has_no_data_to_score():
    with pytest.raises(NeedsData, match="FisherZ"):
        GaussianBIC.of(Oracle(DAG.from_edges([("A", "B")])))


@pytest.mark.parametrize("penalty", [0, -1, float("nan"), float("inf")])
def test_the_price_of_an_edge_is_positive(penalty):
    with pytest.raises(InvalidSetting, match="penalty"):
        GaussianBIC(np.eye(2), 100, penalty=penalty)


def test_the_matrix_it_is_made_from_stays_writeable():
    matrix = np.eye(3)
    score = GaussianBIC(matrix, 100)
    matrix[0, 1] = 0.5
    assert score.correlation[0, 1] == 0 and not score.correlation.flags.writeable


class Own(FisherZ):
    """A test that knows correlations and goes by something else."""

    def p_values(self, x, y, sets):
        return np.ones(len(sets))


def test_it_says_what_speaks_against_it():
    rng = np.random.default_rng(8)
    values = rng.normal(size=(100, 4))
    assert GaussianBIC.doubt_about(FisherZ(values)) is None
    assert GaussianBIC.doubt_about(FisherZ.from_covariance(np.eye(4), 100)) is None, "no rows to look at"
    assert GaussianBIC.doubt_about(FisherZ(values[:6])) is None, "few rows speak against tests as well"
    graded = values.copy()
    graded[:, 2] = rng.integers(0, 9, 100)
    test = FisherZ(graded)
    assert GaussianBIC.doubt_about(test) == f"{test.labels[2]!r} has only 9 different values, so it is no Gaussian variable"
    late = values.copy()
    late[:90, 1], late[90:, 1] = rng.integers(0, 9, 90), np.arange(10) / 7
    assert GaussianBIC.doubt_about(FisherZ(np.repeat(late, 3, axis=0))) is None, "more values show further down"
    assert GaussianBIC.doubt_about(Own(values)) == "the test has answers of its own, which no score would ask for"
    oracle = Oracle(DAG.from_edges([("A", "B")]))
    assert GaussianBIC.doubt_about(oracle) == "the test carries no correlations, so no graph can be scored"


def test_a_variable_determined_by_others_has_a_finite_score():
    score = GaussianBIC(np.ones((3, 3)), 100)
    assert np.isfinite(score.mag(MAG.from_text("X1 --> X2; X3 --> X2; X1 <-> X3", score.names)))


def test_gains_of_arrows_are_what_the_score_loses_without_them():
    for _, score in models(7, 5):
        dag = best_of(score, 2, 0)
        given_others, alone = score.gains(dag.parents)
        expected = []
        for v in range(len(score)):
            above = np.flatnonzero(dag.parents[v]).tolist()
            for u in above:
                less = score.local(v, [w for w in above if w != u]) - score.local(v, above) + score.price
                expected.append((less, score.local(v, []) - score.local(v, [u]) + score.price))
        assert np.column_stack([given_others, alone]) == pytest.approx(np.array(expected).reshape(-1, 2), abs=1e-6)


def drawn_score(dag: DAG, n_samples: int, seed: int, low: float, high: float, hidden: tuple[str, ...] = ()) -> GaussianBIC:
    table = linear_gaussian(dag, n_samples, seed, coefficients=(low, high)).drop(columns=list(hidden))
    return GaussianBIC.of(FisherZ(table))


def test_an_edge_costs_less_where_many_are_near_their_price():
    weak = drawn_score(er_dag(40, 3, 1), 1000, 1, 0.05, 0.3)
    dag = best_of(weak, 2, 0)
    easier = weak.eased(dag.parents)
    assert 0.7 * weak.price <= easier.price < weak.price - 0.3
    assert easier.local(0, [1]) == pytest.approx(weak.local(0, [1]) + easier.price - weak.price)
    assert weak.eased(np.zeros_like(dag.parents)) is weak


def test_the_usual_price_stays_where_relations_are_strong_where_factors_explain_them_and_in_noise():
    factors, hidden = factor_dag(3, 12)
    strong = drawn_score(er_dag(40, 3, 1), 1000, 1, 0.5, 1.0)
    questionnaire = drawn_score(factors, 500, 1, 2.0, 2.0, hidden)
    noise = drawn_score(er_dag(60, 0, 1), 120, 1, 0.5, 1.0)
    for score in (strong, questionnaire, noise):
        assert score.eased(best_of(score, 2, 0).parents) is score


def test_with_many_rows_a_search_keeps_its_price():
    weak = drawn_score(er_dag(40, 3, 1), 1000, 1, 0.05, 0.3)
    few, many = (MagSearch.of(Inquiry(FisherZ.from_covariance(weak.correlation, n_samples=n, names=weak.names))) for n in (1000, MANY_ROWS))
    dag = few.dag_of_orders(2, 0)
    assert few.eased(dag).score.price < few.score.price
    assert many.eased(dag) is many
