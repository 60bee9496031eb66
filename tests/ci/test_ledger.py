"""The number of tests is the number of verdicts computed, whoever computes them and however."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dicola import DAG, FCI, CallableTest, FisherZ, Ledger, Oracle, discover, simulate
from dicola.blankets.grow_shrink import IAMB, GrowShrink
from dicola.blankets.total_conditioning import TotalConditioning
from dicola.ci.base import CITest
from dicola.ci.questions import Verdict
from dicola.learners.registry import LEARNERS
from tests.asking import given_rest
from tests.exactness.run import hidden_dag


class Counted(CITest):
    """A test that answers one question at a time and counts them by hand."""

    def __init__(self, test: CITest, slow: bool = False) -> None:
        self.labels, self.names, self.alpha, self.n_samples = test.labels, test.names, test.alpha, test.n_samples
        self.is_slow, self.calls, self._test = slow, [], test

    def verdict(self, x, y, z) -> Verdict:
        self.calls.append((x, y, z))
        return self._test.verdict(x, y, z)


def oracle_number(number: int) -> Oracle:
    return Oracle(*hidden_dag(29, number))


def table(seed: int = 1) -> pd.DataFrame:
    dag = simulate.er_dag(14, 2.5, seed=seed)
    return simulate.linear_gaussian(dag, 400, seed=seed).drop(columns=list(simulate.hide(dag, 2, seed=seed)))


PATHS = [
    {"decompose": decompose, "blankets": blankets, "learner": FCI(possible_dsep=pool), "uig": uig}
    for decompose in (True, False)
    for blankets in ("total_conditioning", "grow_shrink", "iamb")
    for pool in ("blanket", "textbook")
    for uig in ("inherit", "relearn")
]
TC = {"blankets": "total_conditioning"}  # "auto" goes by what a test says of its rows, and a plain one says nothing
PATHS += [{"decompose": decompose, "learner": name, **TC} for decompose in (True, False) for name in LEARNERS if name != "fci"]
PATHS += [{"decompose": True, "colliders": policy, **TC} for policy in ("conservative", "majority", "max_p")]
PATHS += [{"mode": "paper", "learner": name} for name in ("fci", "rfci")]


@pytest.mark.parametrize("settings", PATHS, ids=lambda s: "-".join(str(getattr(v, "possible_dsep", v)) for v in s.values()))
def test_the_count_of_a_run_is_the_number_of_questions_that_reach_the_test(settings):
    for test in (*(oracle_number(n) for n in range(4)), FisherZ(table(), alpha=0.05)):
        counted = Counted(test)
        found = discover(counted, **settings)
        fast = discover(test, **settings)
        assert found.tests["total"] == len(counted.calls)
        assert found.tests == fast.tests, "the fast answers count as many tests as the plain ones"
        assert found.pag == fast.pag and found.skeleton == fast.skeleton and found.tree == fast.tree


@pytest.mark.parametrize(
    "settings", PATHS[::3] + PATHS[-13:], ids=lambda s: "-".join(str(getattr(v, "possible_dsep", v)) for v in s.values())
)
def test_the_count_of_a_slow_test_is_the_number_of_calls_of_its_function(settings):
    for number in range(4):
        oracle, calls = oracle_number(number), []

        def ask(x, y, z, oracle=oracle, calls=calls):
            calls.append((x, y, z))
            return oracle(x, y, z).independent

        found = discover(CallableTest(ask, names=oracle.names), **settings)
        assert found.tests["total"] == len(calls) == sum(found.tests[phase] for phase in ("blankets", "leaves", "orientation"))
        assert found.pag == discover(oracle, **settings).pag


def test_a_root_by_total_conditioning_costs_each_pair_once():
    for number in range(20):
        oracle = oracle_number(number)
        k = len(oracle)
        whole = discover(oracle, max_depth=0)
        assert whole.tests["blankets"] == k * (k - 1) // 2
        inherited = discover(oracle)
        again = sum(
            len(branch.split.separator) * (len(branch.split.separator) - 1) // 2
            for branch in inherited.tree.branches
            for _ in {branch.left, branch.right}
        )
        assert k * (k - 1) // 2 <= inherited.tests["blankets"] <= k * (k - 1) // 2 + again


def test_alone_no_blanket_is_counted_unless_possible_dsep_asks_for_one():
    ex5 = [("3", "0"), ("0", "4"), ("3", "2"), ("2", "1"), ("La", "0"), ("La", "1"), ("Lb", "2"), ("Lb", "4")]
    needs = Oracle(DAG.from_edges(ex5), ["La", "Lb"])
    assert discover(needs, decompose=False).tests["blankets"] == 10
    assert discover(needs, FCI(possible_dsep="textbook"), decompose=False).tests["blankets"] == 0
    assert discover(Oracle(DAG.from_edges([("A", "B"), ("B", "C")])), decompose=False).tests["blankets"] == 0


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_counts_do_not_depend_on_the_number_of_workers(n_jobs):
    for test in (FisherZ(table(2)), oracle_number(3)):
        assert discover(test, n_jobs=n_jobs).tests == discover(test).tests


def test_with_a_memory_a_second_run_computes_nothing_new():
    for make in (lambda: oracle_number(1), lambda: FisherZ(table(3))):
        for settings in ({}, {"decompose": False}, {"blankets": "iamb"}):
            ledger = Ledger(make(), cache=True)
            first = discover(ledger, **settings)
            spent = ledger.counts["total"]
            assert 0 < spent <= first.tests["total"]
            second = discover(ledger, **settings)
            assert ledger.counts["total"] == spent and second == first


def test_a_memory_asks_each_question_once_and_answers_alike():
    for number in range(5):
        counted = Counted(oracle_number(number))
        found = discover(Ledger(counted, cache=True))
        assert len(counted.calls) == len(set(counted.calls))
        assert found.pag == discover(counted).pag


def test_without_a_memory_the_same_question_counts_again():
    ledger = Ledger(oracle_number(0))
    for _ in range(3):
        ledger(0, 1)
    assert ledger.counts["total"] == 3


def test_questions_are_booked_under_the_phase_at_hand():
    ledger = Ledger(FisherZ(table()))
    given_rest(ledger.during("blankets"))
    ledger.during("orientation").among([0, 1, 2])(0, 1, [2])
    ledger(0, 1)
    k = len(ledger)
    assert ledger.counts == {"blankets": k * (k - 1) // 2, "leaves": 1, "orientation": 1, "total": k * (k - 1) // 2 + 2}


def test_a_fresh_ledger_starts_from_nothing_and_adds_back_what_it_counted():
    ledger = Ledger(oracle_number(0), cache=True)
    ledger(0, 1)
    own = ledger.fresh()
    own(0, 1)
    own.during("blankets")(0, 2)
    assert own.counts["total"] == 2 and ledger.counts["total"] == 1
    ledger.account.add(own.account)
    assert ledger.counts == {"blankets": 1, "leaves": 1, "orientation": 0, "total": 2}, "what is known is not counted again"
    ledger(0, 2)
    assert ledger.counts["total"] == 2, "what the other one learned is remembered"


def test_a_choice_of_variables_shares_count_and_memory_with_the_whole():
    ledger = Ledger(oracle_number(2), cache=True)
    part = ledger.among([1, 2, 3])
    part(0, 2, [1])
    ledger(1, 3, [2])
    assert ledger.counts["total"] == part.counts["total"] == 1


@pytest.mark.parametrize("learner", [TotalConditioning(), GrowShrink(), IAMB()], ids=lambda b: b.name)
def test_blankets_are_counted_verdict_by_verdict(learner):
    counted = Counted(oracle_number(4))
    ledger = Ledger(counted)
    learner.learn(ledger.during("blankets"))
    learner.learn(ledger.during("blankets"), [0, 2])
    assert ledger.counts["blankets"] == len(counted.calls) == ledger.counts["total"] > 0


def test_the_ledger_shows_the_facts_of_the_test_it_wraps():
    test = FisherZ(table(), alpha=0.2)
    ledger = Ledger(test).during("blankets")
    assert (ledger.labels, ledger.names, ledger.alpha, ledger.n_samples) == (test.labels, test.names, 0.2, 400)
    assert np.array_equal(given_rest(ledger, 0.1), given_rest(test, 0.1))
