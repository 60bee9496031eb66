"""The Gaussian copula: nothing but ranks counts; grades are cut normal variables, and say less."""

from __future__ import annotations

import pickle
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal, norm

from dicola import DiCoLa, FisherZ, GaussianCopula, InvalidData, discover, simulate
from dicola._kernels import latent as kernel
from dicola.ci.gaussian_copula import _QUADRATURE, Classes
from dicola.ci.questions import GivenRest
from dicola.learners.registry import LEARNERS
from dicola.tables.table import Table, as_table

DAG = simulate.er_dag(8, 2, seed=3)


def numbers(n: int = 800) -> pd.DataFrame:
    return simulate.linear_gaussian(DAG, n, seed=3)


def graded(n: int = 800) -> Table:
    """Every second column cut into two to four grades."""
    frame = numbers(n)
    for i, name in enumerate(frame.columns[::2]):
        frame[name] = pd.qcut(frame[name], 2 + i % 3, labels=False)
    kinds = {name: ("binary" if frame[name].nunique() == 2 else "ordered") for name in frame.columns[::2]}
    return as_table(frame).understood(kinds)


@pytest.mark.parametrize("mode", ["exact", "balanced"])
def test_exponentials_and_cubes_of_all_columns_change_nothing(mode):
    frame = numbers()
    found = [discover(GaussianCopula(each), mode=mode) for each in (frame, np.exp(frame), frame**3)]
    assert found[0].pag == found[1].pag == found[2].pag and found[0].tests == found[1].tests
    plain, bent = (discover(FisherZ(each), mode=mode) for each in (frame, np.exp(3 * frame)))
    assert found[0].skeleton.named_edges() == plain.skeleton.named_edges() and plain.pag != bent.pag


def test_numbers_alone_run_on_the_kernels_of_fisher():
    scores = GaussianCopula(numbers()).samples()
    twin = FisherZ(pd.DataFrame(scores, columns=GaussianCopula(numbers()).labels))
    for learner in LEARNERS:
        assert discover(GaussianCopula(numbers()), learner).tests == discover(twin, learner).tests
    assert GaussianCopula(numbers()).answer(GivenRest(0.01))[1] == 28


def test_thresholds_and_means_of_classes_are_those_of_a_cut_normal_variable():
    classes = Classes.of(np.repeat([0, 1, 2], [200, 500, 300]))
    assert classes.thresholds[1:-1] == pytest.approx(norm.ppf([0.2, 0.7]))
    draws = np.split(norm.ppf((np.arange(100_000) + 0.5) / 100_000), [20_000, 70_000])
    assert classes.means == pytest.approx([part.mean() for part in draws], abs=1e-3)
    assert Classes.of(np.repeat([0, 1], 50)).variance == pytest.approx(2 / np.pi)


@pytest.mark.parametrize("r", [-0.8, 0.0, 0.3, 0.9])
def test_a_polychoric_correlation_is_the_one_behind_exact_counts(r):
    rows, columns = np.array([-np.inf, -0.4, 0.7, np.inf]), np.array([-np.inf, 0.2, np.inf])
    below = np.array(
        [[multivariate_normal.cdf([min(h, 9), min(k, 9)], cov=[[1, r], [r, 1]]) if min(h, k) > -9 else 0 for k in columns] for h in rows]
    )
    counts = 1000 * np.diff(np.diff(below, axis=0), axis=1)
    assert kernel.polychoric(counts, rows, columns, _QUADRATURE) == pytest.approx(r, abs=1e-4)


def test_correlations_behind_grades_are_found():
    rng = np.random.default_rng(0)
    a, b = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=20_000).T
    frame = pd.DataFrame({"A": a, "B": b, "C": (a > 0.5).astype(int), "D": np.digitize(b, [-1, 0, 1])})
    test = GaussianCopula(as_table(frame).understood({"C": "binary", "D": "ordered"}).choose(["B", "C", "D"]))
    assert test.partial_correlation(0, 1, ()) == pytest.approx(0.6, abs=0.03)
    assert test.partial_correlation(1, 2, ()) == pytest.approx(0.6, abs=0.03)


def test_grades_have_fewer_effective_rows():
    test = GaussianCopula(graded())
    assert GaussianCopula(numbers()).effective_rows(0, 1, (2,)) == pytest.approx(800)
    pairs = {(x, y): test.effective_rows(x, y, ()) for x, y in combinations(range(8), 2)}
    assert pairs[1, 3] == pytest.approx(800) and pairs[0, 1] == pytest.approx(800 * 2 / np.pi, rel=0.01)
    assert test.effective_rows(1, 3, (0,)) < 800


def test_total_conditioning_with_grades_is_that_of_asking_pair_by_pair():
    test = GaussianCopula(graded())
    for level in (0.2, 0.01):
        dependent = test.ask(GivenRest(level))
        for x, y in combinations(range(8), 2):
            rest = tuple(v for v in range(8) if v not in (x, y))
            assert dependent[x, y] == (test.p_values(x, y, [rest])[0] <= level)


@pytest.mark.parametrize("decompose", [True, False])
@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_takes_grades(learner, decompose):
    found, whole = discover(GaussianCopula(graded(3000)), learner, decompose=decompose), discover(FisherZ(numbers(3000)), learner)
    assert len({str(e) for e in found.pag.edges()} | {str(e) for e in whole.pag.edges()}) <= 20


def test_levels_without_order_are_refused():
    frame = numbers().assign(X1=np.array(list("pqr"))[np.arange(800) % 3])
    with pytest.raises(InvalidData, match="'X1' has levels without an order"):
        GaussianCopula(frame)


def test_it_is_found_by_name_and_a_copy_answers_alike():
    model = DiCoLa(ci_test="gaussian_copula").fit(numbers())
    assert DiCoLa.from_record(model.discovery_.settings).fit(numbers()).pag_ == model.pag_
    for test in (GaussianCopula(numbers()), GaussianCopula(graded()), GaussianCopula(graded()).among([4, 2, 0])):
        copy = pickle.loads(pickle.dumps(test))
        assert copy(0, 1, [2]) == test(0, 1, [2]) and not copy.noise.flags.writeable
