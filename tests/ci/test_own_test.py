"""A test of one's own: one class with ``p_values``, under every learner, from every door; and subclasses that stay what they are."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

from dicola import CITest, DiCoLa, FisherZ, InvalidSetting, Oracle, Table, discover, local, simulate
from dicola.ci.base import Among
from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import FindSeparator, GivenRest, Verdict
from dicola.ci.registry import TESTS
from dicola.learners.registry import LEARNERS
from tests.asking import counted
from tests.exactness.run import hidden_dag


class CountTest(CITest):
    """G² of counts, as a newcomer would write it."""

    name: ClassVar[str] = "counts"
    title: ClassVar[str] = "G² test of counts"

    def __init__(self, table, alpha=0.01):
        frame = pd.DataFrame(table.to_frame() if isinstance(table, Table) else table)
        self.names = tuple(map(str, frame.columns))
        self.labels = tuple(sorted(self.names))
        self.codes = np.column_stack([pd.factorize(frame[name], sort=True)[0] for name in self.labels])
        self.alpha, self.n_samples = alpha, len(frame)
        self.calls: list[int] = []

    def p_values(self, x, y, sets):
        self.calls.append(len(sets))
        return np.array([self._p_value(x, y, z) for z in sets])

    def _p_value(self, x, y, z):
        statistic, freedom = 0.0, 0
        stratum = np.unique(self.codes[:, list(z)], axis=0, return_inverse=True)[1].ravel() if z else np.zeros(self.n_samples, int)
        for s in range(stratum.max() + 1):
            counts = np.zeros((2, 2))
            np.add.at(counts, (self.codes[stratum == s, x], self.codes[stratum == s, y]), 1)
            expected = counts.sum(1, keepdims=True) * counts.sum(0) / max(counts.sum(), 1)
            seen = counts > 0
            statistic += 2 * (counts[seen] * np.log(counts[seen] / expected[seen])).sum()
            freedom += (counts.sum(0) > 0).all() and (counts.sum(1) > 0).all()
        return float(chi2.sf(statistic, max(freedom, 1)))


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """Yes and no: a chain, a collider and a fork."""
    rng = np.random.default_rng(4)
    a, b, e = (rng.random((3, 1500)) < 0.5).astype(int)
    noisy = lambda p, v: np.where(rng.random(1500) < p, v, 1 - v)  # noqa: E731
    c = noisy(0.9, a | b)
    d = noisy(0.85, c)
    return pd.DataFrame({"d": d, "a": a, "b": b, "c": c, "e": e, "f": noisy(0.85, e), "g": noisy(0.8, e)})


@pytest.mark.parametrize(("learner", "decompose"), list(product(LEARNERS, (True, False))))
def test_a_toy_test_runs_under_every_learner(frame, learner, decompose):
    found = discover(CountTest(frame), learner, decompose=decompose)
    assert found.skeleton.named_edges() == {frozenset(pair) for pair in ("ac", "bc", "cd", "ef", "eg")}
    assert found.pag.names == tuple(frame.columns) and found.pag.is_directed("c", "d")


def test_a_toy_test_goes_in_by_class_by_name_and_by_recipe(frame):
    expected = discover(CountTest(frame, alpha=0.05), mode="auto")
    assert expected.settings["mode"] == "exact" and "no correlations" in expected.settings["mode_chosen"]
    expected = replace(expected, settings=expected.settings | {"kinds": dict.fromkeys("abcdefg", "binary")})  # read off the table
    assert DiCoLa(ci_test=CountTest, alpha=0.05).fit(frame).discovery_ == expected
    assert DiCoLa(ci_test=lambda table, alpha: CountTest(table, alpha), alpha=0.05).fit(frame).pag_ == expected.pag
    TESTS.add(CountTest)
    try:
        assert DiCoLa(ci_test="counts", alpha=0.05).fit(frame).discovery_ == expected
        assert [facts["title"] for facts in TESTS.facts() if facts["name"] == "counts"] == ["G² test of counts"]
    finally:
        TESTS.remove("counts")
    with pytest.raises(InvalidSetting, match="'counts' is not a test"):
        DiCoLa(ci_test="counts").fit(frame)
    with pytest.raises(InvalidSetting, match="it must make a conditional independence test"):
        DiCoLa(ci_test=lambda table, alpha: 3).fit(frame)
    with pytest.raises(InvalidSetting, match="ci_test is 3; it may be a name"):
        DiCoLa(ci_test=3).fit(frame)


def test_sets_are_handed_over_in_growing_bunches_and_counted_up_to_the_one_that_separates(frame):
    test = CountTest(frame)
    question = FindSeparator(0, 3, [1, 2, 4, 5, 6], (0, 1, 2))
    answer, needed = counted(test, question)
    plain = [z for size in question.sizes for z in question.sets(size)]
    assert answer == next(z for z in plain if test.verdict(0, 3, z).independent) and needed == plain.index(answer) + 1
    none, needed = counted(test, FindSeparator(0, 2, [1, 3, 4, 5, 6], (1, 2, 3)))
    assert none is None and needed == 5 + 10 + 10 and max(test.calls) > 1


def test_the_local_answer_agrees(frame):
    assert set(local(CountTest(frame), "c").neighbours) == {"a", "b", "d"}


class Lenient(FisherZ):
    """Calls every pair independent whose partial correlation is small, whatever the rows say."""

    least = 0.3

    def verdict(self, x, y, z):
        return Verdict(abs(self.partial_correlation(x, y, z)) < self.least)


class Shrunk(FisherZ):
    def p_values(self, x, y, sets):
        return np.array([min(1.0, 50 * FisherZ.verdict(self, x, y, z).p_value) for z in sets])


class Contrary(Oracle):
    def verdict(self, x, y, z):
        return Verdict(not Oracle.verdict(self, x, y, z).independent)


def gaussian(seed: int) -> pd.DataFrame:
    dag = simulate.er_dag(14, 2.5, seed=seed)
    return simulate.linear_gaussian(dag, 300, seed=seed)


@pytest.mark.parametrize("kind", [Lenient, Shrunk])
@pytest.mark.parametrize("learner", ["fci", "rfci", "fci+", "icd", "l-marvel"])
def test_a_subclass_is_asked_itself_on_every_leaf(kind, learner):
    frame = gaussian(3)
    test, parent = kind(frame), FisherZ(frame)
    by_hand = Among(test, tuple(range(len(test))))  # one verdict after the other
    found, expected = discover(test, learner), discover(by_hand, learner)
    assert found.pag == expected.pag and found.tests == expected.tests and found.skeleton == expected.skeleton
    assert found.pag != discover(parent, learner).pag
    assert type(test.among([0, 3, 5])) is kind and type(test.among([0, 3, 5]).among([1, 2])) is kind


def test_what_a_subclass_says_replaces_what_its_parents_derived():
    frame = gaussian(1)
    lenient, shrunk = Lenient(frame), Shrunk(frame)
    assert lenient.answer(GivenRest()) is None and shrunk.answer(GivenRest()) is None and lenient.log_p_values(0, 1, [()]) is None
    assert FisherZ(frame).answer(GivenRest()) is not None
    assert np.isnan(lenient.p_values(0, 1, [(), (2,)])).all(), "it only says yes or no"
    p_value = shrunk.p_values(0, 1, [(2,)])[0]
    assert shrunk.verdict(0, 1, (2,)) == Verdict(p_value > 0.01, p_value)


def test_a_mixin_counts_as_a_word_of_the_subclass():
    class Yes:
        def verdict(self, x, y, z):
            return Verdict(True)

    class Both(Yes, FisherZ):
        pass

    assert discover(Both(gaussian(1))).pag.n_edges == 0


def test_a_subclass_with_a_faster_answer_of_its_own_is_believed():
    class Known(Lenient):
        def verdict(self, x, y, z):
            return Lenient.verdict(self, x, y, z)

        def answer(self, question):
            return (np.zeros((len(self), len(self)), dtype=bool), 7) if isinstance(question, GivenRest) else None

    inquiry = Inquiry(Known(gaussian(1)))
    assert not inquiry.ask(GivenRest()).any() and inquiry.counts["total"] == 7


def test_the_oracle_steps_aside_too():
    oracle = Contrary(*hidden_dag(29, 3))
    plain = Among(oracle, tuple(range(len(oracle))))
    assert discover(oracle, decompose=False).pag == discover(plain, decompose=False).pag
    assert type(oracle.among([0, 1])) is Contrary


def test_a_class_that_says_nothing_is_told_what_to_define():
    class Silent(CITest):
        labels = names = ("A", "B")

    with pytest.raises(InvalidSetting, match=r"Silent answers nothing yet; define p_values\(x, y, sets\)"):
        discover(Silent())

    class NoLevel(CITest):
        labels = names = ("A", "B")

        def p_values(self, x, y, sets):
            return np.zeros(len(sets))

    with pytest.raises(InvalidSetting, match="NoLevel has no level"):
        discover(NoLevel())
