"""Tests by kernels: the numbers of causal-learn, tails of weighted sums, seeds, curves."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

from dicola import KCI, RCIT, DiCoLa, InvalidData, InvalidSetting, discover
from dicola.ci.kernel_tests import weighted_tail


def curved(n: int = 200, seed: int = 0) -> np.ndarray:
    """X3 makes X1 a wave and X2 a square of it."""
    rng = np.random.default_rng(seed)
    z, noise, other = rng.normal(size=(3, n))
    return np.column_stack([np.sin(2 * z) + 0.3 * noise, z**2 + 0.3 * other, z])


def test_p_values_are_those_of_causal_learn():
    """Given others it leaves out small eigenvalues, which moves its p-values in the fifth digit."""
    cit = pytest.importorskip("causallearn.utils.cit", reason="causal-learn is not installed")
    theirs, ours = cit.CIT(curved(), "kci"), KCI(curved())
    for x, y in ((0, 1), (0, 2), (1, 2)):
        assert ours(x, y).p_value == pytest.approx(theirs(x, y, []), rel=1e-8, abs=1e-12)
    assert ours(0, 1, [2]).p_value == pytest.approx(theirs(0, 1, [2]), rel=1e-3)


@pytest.mark.parametrize("value", [0.1, 1.0, 5.0, 15.0])
def test_tails_of_equal_weights_are_those_of_chi_squared(value):
    assert weighted_tail(2 * value, np.full(5, 2.0)) == pytest.approx(chi2.sf(value, 5), rel=1e-3)
    draws = np.random.default_rng(0).chisquare(1, size=(200_000, 3)) @ [1.0, 0.3, 0.05]
    assert weighted_tail(value, np.array([1.0, 0.3, 0.05])) == pytest.approx((draws > value).mean(), abs=0.004)


@pytest.mark.parametrize("made", [KCI, RCIT])
def test_curves_are_seen_and_explained(made):
    test = made(curved(300))
    assert not test("X1", "X3").independent and not test("X2", "X3").independent and test("X1", "X2", ["X3"]).independent
    assert {str(edge)[:2] for edge in discover(test).pag.edges()} == {"X1", "X2"}


def test_random_waves_depend_on_the_seed_and_the_names_alone():
    frame = pd.DataFrame(curved(), columns=["A", "B", "C"])
    first = RCIT(frame)("A", "B", ["C"])
    assert first == RCIT(frame[["C", "B", "A"]])("B", "A", ["C"]) == RCIT(frame)("A", "B", ["C"])
    assert first != RCIT(frame, seed=1)("A", "B", ["C"])


def test_categories_are_taken_as_indicators():
    rng = np.random.default_rng(1)
    group = rng.integers(3, size=400)
    frame = pd.DataFrame({"group": np.array(list("pqr"))[group], "value": group % 2 + rng.normal(size=400)})
    assert not RCIT(frame)("group", "value").independent


def test_too_many_rows_and_wrong_settings_are_refused():
    with pytest.raises(InvalidData, match="3,001 rows are too many"):
        KCI(np.random.default_rng(0).normal(size=(3001, 2)))
    with pytest.raises(InvalidSetting, match="features is 0"):
        RCIT(curved(), features=0)
    model = DiCoLa(ci_test="rcit").fit(curved())
    assert DiCoLa.from_record(model.discovery_.settings).fit(curved()).pag_ == model.pag_
