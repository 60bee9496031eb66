"""The blanket learner that suits the table: which one is taken, at which level, and what is told of it."""

from __future__ import annotations

import numpy as np
import pytest

from dicola import CallableTest, DiCoLa, FisherZ, GSquare, InvalidSetting, Oracle, discover, local, simulate
from dicola.blankets.auto import AutoBlankets
from dicola.blankets.grow_shrink import IAMB
from dicola.blankets.registry import blanket_learner
from dicola.blankets.total_conditioning import TotalConditioning
from dicola.pipeline.plan import Plan
from tests.exactness.run import hidden_dag


def uncorrelated(n: int, k: int) -> FisherZ:
    return FisherZ.from_covariance(np.eye(k), n)


@pytest.mark.parametrize(
    ("n", "k", "learner"),
    [
        (1043, 39, TotalConditioning()),  # 43 rows to condition on 37 variables, and 1,000 left
        (1042, 39, IAMB(0.2 / 39, 0.4 / 39**2)),
        (5000, 300, TotalConditioning()),
        (60, 39, IAMB(0.2 / 39, 0.4 / 39**2)),
        (150, 300, IAMB(0.2 / 300, 0.4 / 300**2)),
        (20, 2, IAMB(0.1, 0.1)),
    ],
)
def test_total_conditioning_is_taken_where_a_thousand_rows_are_left(n, k, learner):
    assert AutoBlankets().settled(uncorrelated(n, k))[0] == learner


@pytest.mark.parametrize("n", [50, 5000])
def test_a_level_that_was_given_is_that_of_either_learner(n):
    assert AutoBlankets(0.03).settled(uncorrelated(n, 40))[0].alpha == 0.03
    assert blanket_learner("auto", 0.03) == AutoBlankets(0.03)
    with pytest.raises(InvalidSetting, match="strictly between 0 and 1"):
        AutoBlankets(2.0)


def test_a_test_that_sets_no_limit_is_asked_by_total_conditioning():
    assert AutoBlankets().settled(Oracle(simulate.er_dag(8, 2, seed=1)))[0] == TotalConditioning()
    own = CallableTest(lambda x, y, z: 0.5, "ABC", alpha=0.01)
    own.n_samples = 20
    assert AutoBlankets().settled(own)[0] == TotalConditioning()


def test_with_an_oracle_it_is_exact():
    for number in range(40):
        oracle = Oracle(*hidden_dag(63, number))
        assert np.array_equal(AutoBlankets().learn(oracle), TotalConditioning().learn(oracle))
        assert AutoBlankets().blanket(oracle, 0) == TotalConditioning().blanket(oracle, 0)


@pytest.fixture(scope="module")
def wide():
    """50 rows, 80 columns."""
    return simulate.linear_gaussian(simulate.er_dag(80, 2, seed=3), 50, seed=3)


def test_a_wide_table_is_answered_with_a_warning_and_the_choice_is_recorded(wide):
    found = discover(FisherZ(wide), blankets="auto")
    assert found.settings["blankets"] == {"name": "iamb", "alpha": 0.2 / 80, "first_alpha": 0.4 / 80**2}
    assert found.settings["blankets_chosen"] == "IAMB at level 0.0025: 50 rows are few to condition on all 80 variables"
    assert found.warnings[0].startswith("50 rows for 80 variables: ")
    assert found.pag.n_edges > 20
    again = discover(FisherZ(wide), **{name: getattr(Plan.from_record(found.settings), name) for name in ("learner", "blankets")})
    assert again.pag == found.pag and "blankets_chosen" not in again.settings


def test_a_long_table_is_answered_as_by_total_conditioning():
    table = simulate.linear_gaussian(simulate.er_dag(20, 2, seed=4), 1500, seed=4)
    found, total = discover(FisherZ(table), blankets="auto"), discover(FisherZ(table))
    assert found.pag == total.pag and found.tests == total.tests and found.warnings == total.warnings
    assert found.settings["blankets"] == {"name": "total_conditioning", "alpha": None}
    assert found.settings["blankets_chosen"].startswith("total conditioning at level 1/k²: 1500 rows")


@pytest.mark.parametrize("mode", ["exact", "balanced"])
def test_no_mode_refuses_a_wide_table(wide, mode):
    found = DiCoLa(mode=mode, blankets="auto").fit(wide).discovery_
    assert any("only strong relations stand out" in warning for warning in found.warnings)


def test_alone_and_local_take_it_too(wide):
    assert discover(FisherZ(wide), decompose=False, blankets="auto").pag.n_edges > 20
    assert local(FisherZ(wide), "X1", blankets="auto").settings["blankets"]["name"] == "iamb"


def test_relations_are_found_in_a_wide_table_and_hardly_any_where_there_are_none(wide):
    truth = simulate.er_dag(80, 2, seed=3).true_mag(()).marks
    test = FisherZ(wide)
    order = [wide.columns.get_loc(name) for name in test.labels]
    adjacent = truth[np.ix_(order, order)] != 0
    related = AutoBlankets().learn(test)
    assert (related & adjacent).sum() > 0.5 * adjacent.sum() and (related & adjacent).sum() > 0.6 * related.sum()
    noise = FisherZ(np.random.default_rng(1).normal(size=(50, 80)))
    assert AutoBlankets().learn(noise).sum() / 2 <= 2


def test_counts_are_not_called_few_where_rows_are_many():
    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=(1000, 12))
    many, few = (discover(GSquare(codes[:n])).warnings for n in (1000, 100))
    assert not any("only strong relations" in line for line in many) and any("only strong relations" in line for line in few)
