import numpy as np
import pytest

from dicola.errors import InvalidSetting
from dicola.graphs.dag import DAG
from dicola.simulate import additive_noise, er_dag, linear_gaussian

# Skewness and excess kurtosis of each family.
SHAPES = {"normal": (0, 0), "uniform": (0, -1.2), "laplace": (0, 3), "exponential": (2, 6), "student": (0, 6)}


def test_with_normal_errors_and_no_bend_it_is_the_linear_gaussian_table():
    dag = er_dag(12, 3, seed=5)
    assert additive_noise(dag, 40, seed=5, coefficients=(0.1, 0.5)).equals(linear_gaussian(dag, 40, seed=5, coefficients=(0.1, 0.5)))


@pytest.mark.parametrize("errors", SHAPES)
def test_errors_have_mean_0_deviation_1_and_the_shape_of_their_family(errors):
    alone = additive_noise(DAG.from_edges([], ["A"]), 200_000, seed=1, errors=errors)["A"]
    skewness, kurtosis = SHAPES[errors]
    assert abs(alone.mean()) < 0.01 and alone.std() == pytest.approx(1, abs=0.02)
    assert alone.skew() == pytest.approx(skewness, abs=0.3)
    assert np.sign(round(alone.kurtosis(), 1)) == np.sign(kurtosis)


def test_coefficients_do_not_depend_on_the_errors():
    dag = DAG.from_edges([("A", "B")])
    slopes = [np.polyfit(*additive_noise(dag, 50_000, seed=3, errors=errors)[["A", "B"]].to_numpy().T, 1)[0] for errors in SHAPES]
    assert max(slopes) - min(slopes) < 0.04


def test_a_cause_bends_by_as_much_as_was_asked():
    dag = DAG.from_edges([("A", "B")])
    frame = additive_noise(dag, 100_000, seed=2, coefficients=(1, 1), curvature=0.2)
    bend, slope, _ = np.polyfit(frame["A"], frame["B"] * np.sign(frame["A"].corr(frame["B"])), 2)
    assert (slope, bend) == (pytest.approx(1, abs=0.02), pytest.approx(0.2, abs=0.02))


def test_a_constant_column_does_not_bend():
    frame = additive_noise(DAG.from_edges([("A", "B")]), 1, seed=1, curvature=0.5)
    assert np.isfinite(frame.to_numpy()).all()


def test_settings_that_cannot_be_are_named():
    dag = DAG.from_edges([("A", "B")])
    with pytest.raises(InvalidSetting, match="errors is 'cauchy'; it may be 'normal'"):
        additive_noise(dag, 10, seed=1, errors="cauchy")
    with pytest.raises(InvalidSetting, match="curvature must be a number of at least 0"):
        additive_noise(dag, 10, seed=1, curvature=-0.1)
    with pytest.raises(InvalidSetting, match="additive_noise draws from a DAG"):
        additive_noise("A -> B", 10, seed=1)  # type: ignore[arg-type]
