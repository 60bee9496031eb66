"""Estimates against plain linear algebra, simulated truth and published figures."""

from __future__ import annotations

from itertools import islice
from math import sqrt

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from dicola import InvalidData, InvalidSetting, Table
from dicola.effects.estimation import Estimate, estimate
from tests.effects.coverage import given_the_truth


def frame(seed: int = 0, rows: int = 400) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    w, u = rng.normal(size=(2, rows))
    x = 0.7 * w + rng.normal(size=rows)
    y = 0.5 * x - 0.8 * w + 0.6 * u + rng.normal(size=rows) * (1 + 0.5 * np.abs(x))
    return pd.DataFrame({"W": w, "X": x, "Y": y, "U": u})


def table(data: pd.DataFrame) -> Table:
    return Table.from_frame(data).understood()


def test_the_closed_form_is_the_regression_with_its_usual_error():
    data = frame()
    found = estimate(table(data), "X", "Y", ("W", "U"), method="gaussian", level=0.9)
    design = np.column_stack([np.ones(len(data)), data[["X", "W", "U"]]])
    slopes, *_ = np.linalg.lstsq(design, data["Y"], rcond=None)
    residual = data["Y"] - design @ slopes
    df = len(data) - 4
    error = sqrt(residual @ residual / df * np.linalg.inv(design.T @ design)[1, 1])
    assert found.value == pytest.approx(slopes[1]) and found.error == pytest.approx(error)
    assert found.interval == pytest.approx((slopes[1] - student.ppf(0.95, df) * error, slopes[1] + student.ppf(0.95, df) * error))
    assert (found.df, found.n_rows, found.given) == (df, len(data), ("W", "U"))
    assert found.t_value == pytest.approx(slopes[1] / error)


def test_robust_errors_are_hc3():
    data = frame()
    found = estimate(table(data), "X", "Y", ("W",))
    design = np.column_stack([np.ones(len(data)), data[["X", "W"]]])
    bread = np.linalg.inv(design.T @ design)
    residual = data["Y"] - design @ (bread @ design.T @ data["Y"])
    leverage = np.einsum("ij,jk,ik->i", design, bread, design)
    meat = design.T @ (design * ((residual / (1 - leverage)) ** 2).to_numpy()[:, None])
    assert found.method == "robust"
    assert found.error == pytest.approx(sqrt((bread @ meat @ bread)[1, 1]))
    assert found.error > estimate(table(data), "X", "Y", ("W",), method="gaussian").error  # the noise grows with x


def test_given_the_true_graph_estimates_are_within_three_standard_errors():
    found = list(islice(given_the_truth(first=3000), 40))
    assert sum(abs(each.off) <= 3 for each in found) >= 39
    assert sum(each.covered for each in found) >= 33


def binary_frame(seed: int, rows: int = 1500) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    w = rng.normal(size=rows)
    x = rng.random(rows) < 1 / (1 + np.exp(-w))
    y = 1.5 * x + w + w * x + rng.normal(size=rows)  # on average over w: 1.5
    return pd.DataFrame({"W": w, "X": x, "Y": y})


def test_the_doubly_robust_estimate_finds_the_mean_effect_where_it_varies():
    found = [estimate(table(binary_frame(seed)), "X", "Y", ("W",), seed=seed) for seed in range(20)]
    assert {each.method for each in found} == {"doubly-robust"}
    assert np.mean([each.value for each in found]) == pytest.approx(1.5, abs=0.05)
    assert sum(each.interval[0] <= 1.5 <= each.interval[1] for each in found) >= 17
    assert found[0].robustness_value() is None
    assert found[0] == estimate(table(binary_frame(0)), "X", "Y", ("W",), seed=0)
    regression = estimate(table(binary_frame(0)), "X", "Y", ("W",), method="robust")
    assert regression.method == "robust" and regression.t_value is not None


def test_an_effect_on_yes_or_no_is_one_on_a_probability():
    rng = np.random.default_rng(1)
    x, w = rng.random(2000) < 0.5, rng.normal(size=2000)
    chance = np.where(x, 0.7, 0.4)
    data = pd.DataFrame({"X": np.where(x, "drug", "none"), "W": w, "Y": np.where(rng.random(2000) < chance, "well", "ill")})
    found = estimate(table(data), "X", "Y", ())
    assert found.value == pytest.approx(-0.3, abs=0.06)  # from drug to none
    assert "the effect is on the probability that Y is well." in found.notes
    assert "the effect is that of X being none and not drug." in found.notes
    assert estimate(table(data), "X", "Y", ("W",)).value == pytest.approx(-0.3, abs=0.06)


def test_categories_are_held_fixed_level_by_level():
    rng = np.random.default_rng(2)
    site = rng.integers(3, size=900)
    x = np.array([0.0, 3.0, -2.0])[site] + rng.normal(size=900)
    data = pd.DataFrame({"site": np.array(["a", "b", "c"])[site], "X": x, "Y": x + np.array([5.0, -9.0, 2.0])[site] + rng.normal(size=900)})
    assert estimate(table(data), "X", "Y", ("site",)).value == pytest.approx(1, abs=0.1)
    assert abs(estimate(table(data), "X", "Y", ()).value - 1) > 0.5


def test_rows_with_gaps_are_left_out_and_counted():
    data = frame()
    data.loc[:9, "W"] = np.nan
    found = estimate(table(data), "X", "Y", ("W",))
    assert found.n_rows == 390 and "10 rows with gaps in these columns were left out." in found.notes
    assert found.value == estimate(table(data.iloc[10:]), "X", "Y", ("W",)).value


def test_a_copy_in_the_set_changes_nothing():
    data = frame().assign(C=lambda each: 2 * each["W"])
    twice, once = estimate(table(data), "X", "Y", ("W", "C")), estimate(table(data), "X", "Y", ("W",))
    assert twice.value == pytest.approx(once.value) and twice.df == once.df
    closed = estimate(table(data), "X", "Y", ("W", "C"), method="gaussian")
    assert closed.error == pytest.approx(estimate(table(data), "X", "Y", ("W",), method="gaussian").error)


def test_the_robustness_value_is_that_of_cinelli_and_hazlett():
    """Their table 1, on violence in Darfur: t = 4.184 with 783 degrees of freedom."""
    darfur = Estimate((), 0.097, 0.023, (0.05, 0.14), 0.95, "gaussian", 1276, 4.18445, 783)
    assert darfur.robustness_value() == pytest.approx(0.139, abs=5e-4)
    assert darfur.robustness_value(level=0.95) == pytest.approx(0.076, abs=5e-4)
    assert darfur.robustness_value(share=0.5) < darfur.robustness_value()
    assert Estimate((), 0.0, 1.0, (-2, 2), 0.95, "gaussian", 100, 1.0, 97).robustness_value(level=0.95) == 0


def test_a_hidden_cause_as_strong_as_the_robustness_value_explains_the_effect_away():
    """A variable that explains so much of what is left of x and of y, to the digit, brings the coefficient to zero."""
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(2, 500))
    y = 0.4 * x + y
    x, y = x - x.mean(), y - y.mean()
    found = estimate(table(pd.DataFrame({"X": x, "Y": y})), "X", "Y", (), method="gaussian")
    share = found.robustness_value()
    across = y - found.value * x
    noise = rng.normal(size=500)
    noise -= noise.mean()
    noise -= (noise @ x) / (x @ x) * x + (noise @ across) / (across @ across) * across
    unit = [each / np.linalg.norm(each) for each in (x, across, noise)]
    # R² with x is `share`; given x, its part of y is `share` too
    hidden = sqrt(share) * unit[0] + sqrt(1 - share) * (sqrt(share) * unit[1] + sqrt(1 - share) * unit[2])
    adjusted = estimate(table(pd.DataFrame({"X": x, "Y": y, "H": hidden})), "X", "Y", ("H",), method="gaussian")
    assert share > 0.1 and adjusted.value == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize(
    ("changed", "given", "sentence"),
    [
        ({"Y": list("abcd") * 100}, (), "Y is nominal: a number for the effect would depend"),
        ({"X": list("abcd") * 100}, (), "Choose two levels, or an indicator of one, as the treatment"),
        ({}, ("Q",), "the table has no column 'Q'"),
        ({"W": pd.date_range("2020", periods=400)}, ("W",), "W is a column of the kind date"),
    ],
)
def test_what_has_no_number_is_refused_in_a_sentence(changed, given, sentence):
    with pytest.raises(InvalidData, match=sentence):
        estimate(table(frame().assign(**changed)), "X", "Y", given)


def test_settings_that_do_not_fit_are_refused():
    with pytest.raises(InvalidSetting, match="method is 'lasso'"):
        estimate(table(frame()), "X", "Y", (), method="lasso")
    with pytest.raises(InvalidSetting, match="level is 95"):
        estimate(table(frame()), "X", "Y", (), level=95)
    with pytest.raises(InvalidData, match="is for a treatment of two levels"):
        estimate(table(frame()), "X", "Y", (), method="doubly-robust")
    with pytest.raises(InvalidData, match="needs 50 rows"):
        estimate(table(binary_frame(0, rows=60)), "X", "Y", ("W",), method="doubly-robust")
    with pytest.raises(InvalidData, match="too few"):
        estimate(table(frame(rows=3)), "X", "Y", ("W",))
    with pytest.raises(InvalidData, match="does not vary once the set is held fixed"):
        estimate(table(frame().assign(W=lambda each: each["X"] * 3)), "X", "Y", ("W",))
