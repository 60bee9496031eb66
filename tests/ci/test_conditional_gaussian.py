"""The conditional Gaussian likelihood ratio: the definition, what it sees, and what it leaves out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal

from dicola import ConditionalGaussian, DiCoLa, GSquare, InvalidData, discover
from dicola.learners.registry import LEARNERS
from tests.ci.test_degenerate_gaussian import mixed
from tests.ci.test_g_square import frame as letters


def likelihood(frame: pd.DataFrame, names: list[str]) -> tuple[float, int]:
    """The definition: shares of cells, and a Gaussian distribution by maximum likelihood in each."""
    categories = [v for v in names if frame[v].dtype == object]
    numbers = [v for v in names if v not in categories]
    total, parameters = 0.0, -1
    for _, rows in frame.groupby(categories) if categories else [((), frame)]:
        d = len(numbers)
        total += len(rows) * np.log(len(rows) / len(frame))
        if d:
            values = rows[numbers].to_numpy()
            total += multivariate_normal(values.mean(axis=0), np.cov(values.T, bias=True)).logpdf(values).sum()
        parameters += 1 + d * (d + 3) // 2
    return total, parameters


@pytest.mark.parametrize(("x", "y", "z"), [("A", "B", []), ("A", "C", []), ("A", "C", ["B"]), ("B", "D", ["A", "C"]), ("C", "E", ["A"])])
def test_statistic_and_freedom_are_those_of_the_definition(x, y, z):
    frame, test = mixed(2000), ConditionalGaussian(mixed(2000))
    parts = [likelihood(frame, [*more, *z]) for more in ([x, y], [], [x], [y])]
    (both, n_both), (neither, n_neither), (one, n_one), (other, n_other) = parts
    found = test.measure(*test.positions(x, y)[:2], [test.positions(x, y, z)[2]])
    assert found.statistics[0] == pytest.approx(max(2 * (both + neither - one - other), 0), rel=1e-7, abs=1e-6)
    assert found.freedoms[0] == n_both + n_neither - n_one - n_other


def test_categories_alone_are_tested_by_counts():
    frame = letters(500)
    for z in ([], ["C"], ["C", "D"]):
        counted = GSquare(frame)("A", "B", z).p_value
        assert ConditionalGaussian(frame)("A", "B", z).p_value == pytest.approx(counted, rel=1e-12)


def test_a_variance_that_depends_on_a_category_is_seen():
    rng = np.random.default_rng(0)
    group = rng.integers(2, size=500)
    frame = pd.DataFrame({"group": np.array(["a", "b"])[group], "value": rng.normal(size=500) * (1 + group)})
    assert not ConditionalGaussian(frame)("group", "value").independent


def test_rows_of_small_cells_are_left_out():
    frame = mixed(400)
    frame.loc[:2, "C"] = "rare"
    found = ConditionalGaussian(frame).measure(0, 2, [()])
    assert found.rows[0] == 397


@pytest.mark.parametrize("rows", [120, 200, 500])
def test_two_categories_that_are_independent_stay_so_where_their_cells_are_small(rows):
    """Leaving out the small cells of both, four levels by four, made 98 of 100 pairs dependent at 200 rows."""
    rng = np.random.default_rng(rows)
    rejected = 0
    for _ in range(100):
        one, other = np.array(list("abcd"))[rng.integers(4, size=(2, rows))]
        test = ConditionalGaussian(pd.DataFrame({"one": one, "other": other, "number": rng.normal(size=rows)}), alpha=0.05)
        rejected += not test("one", "other", ["number"]).independent
    assert rejected < 16


def test_two_categories_that_nearly_agree_are_dependent_though_few_rows_say_otherwise():
    rng = np.random.default_rng(0)
    one = rng.integers(2, size=600)
    other = np.where(rng.random(600) < 0.01, 1 - one, one)
    frame = pd.DataFrame({"one": np.array(["a", "b"])[one], "other": np.array(["c", "d"])[other], "number": rng.normal(size=600)})
    test = ConditionalGaussian(frame)
    assert not test("one", "other", ["number"]).independent and test.take_untested() == (0, 0)


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_takes_it(learner):
    found = discover(ConditionalGaussian(mixed(2000)), learner)
    assert {(edge.u, edge.v) for edge in found.pag.edges()} >= {("A", "B"), ("B", "D"), ("C", "D")}


def test_it_is_found_by_name_and_refuses_gaps():
    model = DiCoLa(ci_test="conditional_gaussian").fit(mixed())
    assert DiCoLa.from_record(model.discovery_.settings).fit(mixed()).pag_ == model.pag_
    with pytest.raises(InvalidData, match="missing values in 'A'"):
        ConditionalGaussian(mixed().assign(A=lambda frame: frame["A"].where(frame.index > 3)))
