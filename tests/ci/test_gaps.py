"""Fisher's z on tables with gaps: by maximum likelihood, test by test, and pooled over fillings."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dicola import CallableTest, DiCoLa, FisherZ, InvalidData, InvalidSetting, Table, discover, metrics, simulate
from dicola.ci.gaps import class_of, test_with_gaps, way_around_gaps
from dicola.ci.pooled import Pooled, pooled, pooled_scores
from dicola.ci.testwise import TestwiseFisherZ
from dicola.tables.gaps import effective_rows


def holes(frame: pd.DataFrame, seed: int, share: float = 0.2) -> pd.DataFrame:
    return frame.mask(np.random.default_rng(seed).random(frame.shape) < share)


def sample(seed: int, n: int = 300, p: int = 6) -> pd.DataFrame:
    return simulate.linear_gaussian(simulate.er_dag(p, 2, seed=seed), n, seed=seed)


QUESTIONS = [(0, 1, ()), (0, 3, (1,)), (2, 5, (0, 1, 3)), (1, 4, (0, 2, 3, 5))]


def test_without_gaps_every_way_gives_the_plain_answer():
    table = Table.from_frame(sample(1))
    plain, own = FisherZ(table), TestwiseFisherZ(table)
    by_likelihood = FisherZ(table, missing="em")
    for x, y, z in QUESTIONS:
        assert own.p_values(x, y, [z])[0] == pytest.approx(plain.verdict(x, y, z).p_value, rel=1e-9)
        assert own.log_p_values(x, y, [z])[0] == pytest.approx(plain.log_p_values(x, y, [z])[0], rel=1e-9)
        assert by_likelihood.verdict(x, y, z) == plain.verdict(x, y, z)


def test_each_test_has_its_own_rows():
    frame = holes(sample(2), 2)
    table = Table.from_frame(frame)
    own = TestwiseFisherZ(table)
    for x, y, z in QUESTIONS:
        names = [table.labels[v] for v in (x, y, *z)]
        complete = frame[names].dropna()
        expected = FisherZ(complete)(names[0], names[1], names[2:]).p_value
        assert own.p_values(x, y, [z])[0] == pytest.approx(expected, rel=1e-9), names
    assert own.n_samples == effective_rows(frame.notna().to_numpy())


def test_without_rows_a_question_has_no_answer_but_the_policy():
    half = np.arange(40) < 20
    x, y, z = np.random.default_rng(3).normal(size=(3, 40))
    frame = pd.DataFrame({"x": np.where(half, x, np.nan), "y": np.where(half, np.nan, y), "z": z})
    assert TestwiseFisherZ(frame).p_values(0, 1, [()])[0] == 0.0
    assert TestwiseFisherZ(frame, untestable="independent").p_values(0, 1, [()])[0] == 1.0
    with pytest.raises(InvalidSetting, match="missing='testwise'"):
        TestwiseFisherZ(frame, untestable="raise")


def test_the_way_goes_by_what_the_test_can_do():
    table = Table.from_frame(holes(sample(4), 4, 0.02))
    empty = Table.from_frame(holes(sample(4), 4, 0.5))
    assert way_around_gaps("fisher_z", table, "auto") == "em"
    assert way_around_gaps("fisher_z", table, "testwise") == "testwise"

    def own(table, alpha):
        return CallableTest(lambda x, y, z: 0.5, names=table.names, alpha=alpha)

    assert class_of(own) is None and class_of("fisher_z") is FisherZ
    assert (way_around_gaps(own, table, "auto"), way_around_gaps(own, empty, "auto")) == ("listwise", "impute")
    with pytest.raises(InvalidSetting, match="'impute' or 'listwise'"):
        way_around_gaps(own, table, "em")
    with pytest.raises(InvalidData, match="rows have no gaps"):
        test_with_gaps("fisher_z", Table.from_frame(holes(sample(4), 4, 0.9)), 0.01, "listwise", 0)


def test_pooled_answers_are_rubins():
    scores = np.array([[1.0, 3.0], [1.2, 1.0], [0.8, 2.0]])
    between = scores.var(axis=0, ddof=1)
    total = 1 + (1 + 1 / 3) * between
    freedom = 2 * (1 + 1 / ((1 + 1 / 3) * between)) ** 2
    from scipy.stats import t

    assert pooled_scores(scores) == pytest.approx(2 * t.sf(scores.mean(axis=0) / np.sqrt(total), freedom))
    assert pooled(np.full((5, 1), 0.03))[0] == pytest.approx(0.03, rel=1e-6), "fillings that agree say what each says"
    assert pooled(np.array([[0.001], [0.5], [0.9]]))[0] > 0.2, "fillings that do not are not to be relied on"


def test_a_pooled_test_is_of_all_fillings_on_every_leaf():
    table = Table.from_frame(holes(sample(5), 5)).understood()
    test = test_with_gaps("fisher_z", table, 0.01, "impute", 7)
    assert isinstance(test, Pooled) and len(test.tests) == 10
    part = test.among((1, 3, 4))
    assert part.p_values(0, 1, [(2,)])[0] == test.p_values(1, 3, [(4,)])[0]
    correlation, n = test.correlations()
    assert n == effective_rows(~np.isnan(table.to_frame().to_numpy())) and np.allclose(np.diag(correlation), 1.0)
    callable_test = Pooled([CallableTest(lambda x, y, z: 0.5, names="ABC", alpha=0.01)] * 2, 10)
    assert not hasattr(callable_test, "correlations") and callable_test.p_values(0, 1, [()])[0] == pytest.approx(0.5)


@pytest.mark.parametrize("way", ["em", "testwise", "impute"])
def test_under_independence_rejections_are_as_rare_as_the_level_says(way):
    rejected = []
    for seed in range(60 if way == "impute" else 200):
        rng = np.random.default_rng(seed)
        z = rng.normal(size=300)
        frame = holes(pd.DataFrame({"x": z + rng.normal(size=300), "y": z + rng.normal(size=300), "z": z}), seed + 1000)
        test = test_with_gaps("fisher_z", Table.from_frame(frame).understood(), 0.05, way, seed)
        rejected.append(float(test.p_values(0, 1, [(2,)])[0]) < 0.05)
    assert 0.0 < np.mean(rejected) < 0.1


def test_gaps_by_chance_cost_little_and_complete_rows_alone_cost_much():
    dag = simulate.er_dag(20, 3, seed=3)
    frame = simulate.linear_gaussian(dag, 1500, seed=3)
    truth, gaps = dag.true_pag(()), holes(frame, 3)
    scores = {way: metrics.compare(DiCoLa(missing=way).fit(gaps).pag_, truth).skeleton.f1 for way in ("em", "listwise")}
    whole = metrics.compare(discover(FisherZ(frame), mode="auto").pag, truth).skeleton.f1
    assert whole - scores["em"] < 0.06 and scores["em"] - scores["listwise"] > 0.1
