"""Blocks of columns: the likelihood ratio of statsmodels and NumPy, total conditioning, rare levels, exact functions, curves."""

from __future__ import annotations

import pickle
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from dicola import BasisFunction, DegenerateGaussian, DiCoLa, FisherZ, InvalidData, InvalidSetting, discover
from dicola.blankets.auto import AutoBlankets
from dicola.blankets.total_conditioning import TotalConditioning
from dicola.ci.columns import columns_of, curves_of, indicators, normal_scores, without_rare_levels
from dicola.ci.questions import GivenRest
from dicola.learners.registry import LEARNERS
from dicola.tables.table import as_table

LETTERS = np.array(list("pqrs"))


def mixed(n: int = 600, seed: int = 0) -> pd.DataFrame:
    """Numbers A → B → D, letters C and E, where D depends on C too."""
    rng = np.random.default_rng(seed)
    a, noise_b, noise_d = rng.normal(size=(3, n))
    c, e = rng.integers(4, size=n), rng.integers(3, size=n)
    b = a + noise_b
    return pd.DataFrame({"A": a, "B": b, "C": LETTERS[c], "D": b + c + noise_d, "E": LETTERS[e]})


def columns(frame: pd.DataFrame, name: str) -> np.ndarray:
    """The block of a variable; another level is left out than in the library."""
    column = frame[name]
    return pd.get_dummies(column).to_numpy(float)[:, 1:] if column.dtype == object else column.to_numpy()[:, None]


def twin(frame: pd.DataFrame, x: str, y: str, z: list[str]) -> tuple[float, int]:
    """The definition: regress both blocks on what is given, and compare determinants."""
    given = np.hstack([np.ones((len(frame), 1)), *(columns(frame, name) for name in z)])
    left, right = (columns(frame, v) - given @ np.linalg.lstsq(given, columns(frame, v), rcond=None)[0] for v in (x, y))
    size = lambda block: np.linalg.slogdet(block.T @ block)[1]  # noqa: E731
    ratio = size(left) + size(right) - size(np.hstack([left, right]))
    wide = left.shape[1] + right.shape[1]
    return (len(frame) - given.shape[1] - (wide + 1) / 2) * ratio, left.shape[1] * right.shape[1]


@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_statistic_and_freedom_are_those_of_the_definition(size):
    frame, test = mixed(), DegenerateGaussian(mixed())
    for x, y in combinations(frame, 2):
        for z in combinations([v for v in frame if v not in (x, y)], size):
            found = test.measure(*test.positions(x, y)[:2], [test.positions(x, y, z)[2]])
            statistic, freedom = twin(frame, x, y, list(z))
            assert found.statistics[0] == pytest.approx(statistic, rel=1e-8, abs=1e-8) and found.freedoms[0] == freedom


def test_a_categorical_effect_is_that_of_a_linear_model():
    """A number against letters given a number: the ratio of residual variances that statsmodels has."""
    smf = pytest.importorskip("statsmodels.formula.api", reason="statsmodels is not installed")
    frame = mixed()
    small, large = (smf.ols(f"D ~ B{more}", frame).fit().ssr for more in ("", " + C"))
    found = DegenerateGaussian(frame).measure(2, 3, [(1,)])
    assert found.statistics[0] == pytest.approx((600 - 2 - 5 / 2) * np.log(small / large), rel=1e-8)


def test_numbers_alone_are_tested_as_by_fisher():
    frame = mixed()[["A", "B", "D"]]
    for z in ([], ["B"]):
        assert DegenerateGaussian(frame)("A", "D", z).p_value == pytest.approx(FisherZ(frame)("A", "D", z).p_value, rel=0.02)


def test_total_conditioning_is_one_inverse():
    test, plain = DegenerateGaussian(mixed()), DegenerateGaussian(mixed())
    dependent = test.ask(GivenRest(0.01))
    for x, y in combinations(range(5), 2):
        rest = tuple(v for v in range(5) if v not in (x, y))
        assert dependent[x, y] == (plain.p_values(x, y, [rest])[0] < 0.01)
    assert "total conditioning" in AutoBlankets().settled(DegenerateGaussian(mixed(2000)))[1]
    assert TotalConditioning().blanket(test, 3) == (1, 2)


def test_an_exact_function_gets_a_ridge_and_depends_only_on_what_it_is_made_of():
    frame = mixed(1500)
    frame["F"] = np.where(np.isin(frame["C"], ["p", "q"]), "low", "high")
    test = DegenerateGaussian(frame)
    assert test.has_ridge and not DegenerateGaussian(mixed()).has_ridge
    assert test("F", "D", ["C"]).independent and not test("F", "D").independent and not test("C", "D", ["F"]).independent
    assert TotalConditioning().blanket(test, 5) == (2,)


def test_rare_levels_are_taken_together():
    codes = np.repeat([0, 1, 2, 3], [100, 3, 60, 1])
    assert np.bincount(without_rare_levels(codes, 4)).tolist() == [100, 64]
    assert np.bincount(without_rare_levels(np.repeat([0, 1, 2, 3], [100, 3, 60, 3]), 4)).tolist() == [100, 60, 6]
    assert without_rare_levels(np.repeat([0, 1], [100, 2]), 2).tolist() == [0] * 100 + [1] * 2
    assert indicators(np.array([0, 2, 2, 1])).tolist() == [[1, 0], [0, 0], [0, 0], [0, 1]]
    frame = mixed()
    frame.loc[:2, "C"] = "rare"
    assert DegenerateGaussian(frame).pooled == ("C",)


def test_scores_go_by_rank_alone():
    values = np.random.default_rng(0).normal(size=50)
    values[:5] = values[5]
    assert np.array_equal(normal_scores(values), normal_scores(np.exp(values)))
    assert normal_scores(values).mean() == pytest.approx(0, abs=0.02)


def test_curves_are_hermite_polynomials_of_scores():
    values = np.random.default_rng(0).exponential(size=300)
    scores = normal_scores(values)
    assert np.allclose(curves_of(values, 3), np.column_stack([scores**2 - 1, scores**3 - 3 * scores]))
    assert curves_of(values, 1).shape == (300, 0) and curves_of(np.repeat([0.0, 1.0, 5.0], 20), 4).shape == (60, 1)


def test_curves_are_made_of_many_columns_as_of_one():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.normal(size=(120, 70)), columns=[f"v{i:02}" for i in range(70)])
    frame["v03"] = frame["v03"].round(1)  # ties
    frame.loc[5, "v07"] = np.nan
    found = columns_of(as_table(frame), 3, gaps=True)
    for name, block in zip(frame, np.split(found[0], found.begins[1:-1], axis=1), strict=True):
        numbers = frame[name].to_numpy()
        present = ~np.isnan(numbers)
        shown = np.column_stack([numbers[present], curves_of(numbers[present], 3)])
        assert np.array_equal(block[present], shown) and np.isnan(block[~present]).all()


def test_curves_are_compared_with_main_columns_only():
    """Main x with y and its curves, main y with the curves of x; each by residuals, as the definition has it."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.normal(size=(300, 3)), columns=list("ABC"))
    a, b, c = (np.column_stack([frame[v], curves_of(frame[v].to_numpy(), 3)]) for v in frame)

    def part(left: np.ndarray, right: np.ndarray, given: np.ndarray) -> float:
        given = np.column_stack([np.ones(300), given])
        left, right = (block - given @ np.linalg.lstsq(given, block, rcond=None)[0] for block in (left, right))
        size = lambda block: np.linalg.slogdet(block.T @ block)[1]  # noqa: E731
        factor = 300 - given.shape[1] - (left.shape[1] + right.shape[1] + 1) / 2
        return factor * (size(left) + size(right) - size(np.hstack([left, right])))

    found = BasisFunction(frame).measure(0, 1, [(), (2,)])
    for i, given in enumerate((np.empty((300, 0)), c)):
        expected = part(a[:, :1], b, given) + part(b[:, :1], a[:, 1:], np.column_stack([given, a[:, :1]]))
        assert found.statistics[i] == pytest.approx(expected, rel=1e-8) and found.freedoms[i] == 5


def test_curves_are_seen_and_explained_away():
    rng = np.random.default_rng(2)
    a, noise_b, noise_c = rng.normal(size=(3, 1500))
    frame = pd.DataFrame({"A": a, "B": a**2 + noise_b, "C": (a + 0.5) ** 2 + noise_c})
    assert DegenerateGaussian(frame)("A", "B").independent and not BasisFunction(frame)("A", "B").independent
    assert not DegenerateGaussian(frame)("B", "C", ["A"]).independent and BasisFunction(frame)("B", "C", ["A"]).independent
    assert BasisFunction(frame, degree=1)("A", "B").p_value == pytest.approx(DegenerateGaussian(frame)("A", "B").p_value)


@pytest.mark.parametrize("decompose", [True, False])
@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_takes_it(learner, decompose):
    found = discover(DegenerateGaussian(mixed(2000)), learner, decompose=decompose)
    assert {(edge.u, edge.v) for edge in found.pag.edges()} == {("A", "B"), ("B", "D"), ("C", "D")}


@pytest.mark.parametrize("name", ["degenerate_gaussian", "basis_function"])
def test_it_is_found_by_name_and_made_again_from_its_record(name):
    model = DiCoLa(ci_test=name).fit(mixed())
    assert DiCoLa.from_record(model.discovery_.settings).fit(mixed()).pag_ == model.pag_


def test_it_refuses_gaps_and_wrong_settings():
    frame = mixed()
    frame.loc[3, "A"] = np.nan
    with pytest.raises(InvalidData, match="missing values in 'A'"):
        DegenerateGaussian(frame)
    with pytest.raises(InvalidSetting, match="degree is 0"):
        BasisFunction(mixed(), degree=0)
    with pytest.raises(InvalidData, match="at least 5"):
        DegenerateGaussian(mixed(4))


def test_a_copy_answers_alike():
    test = BasisFunction(mixed())
    copy = pickle.loads(pickle.dumps(test.among([0, 3])))
    assert copy(0, 1) == test("A", "D") and not copy.covariance.flags.writeable
