"""Processes that answer for a slow test change nothing but the time."""

from __future__ import annotations

import os
import signal
import time
from threading import Lock

import pytest

from dicola import CallableTest, FisherZ, InvalidSetting, discover, simulate
from dicola.blankets.grow_shrink import IAMB
from dicola.ci import askers
from dicola.ci.askers import Askers, Part, Search
from dicola.ci.inquiry import Inquiry
from dicola.ci.workers import Workers
from dicola.watch import Stopped, Watch, watched_by

PATIENCE = 120.0  # seconds until a test fails rather than waits


@pytest.fixture
def at_once(monkeypatch):
    """The processes are called before anything is asked, and waited for."""
    call = Askers._call

    def called(self: Askers) -> None:
        call(self)
        until = time.monotonic() + PATIENCE
        while len(self._lines) < self._n_jobs:
            assert time.monotonic() < until, "the processes do not come"
            time.sleep(0.005)

    monkeypatch.setattr(askers, "_WORTH_HELP", 0.0)
    monkeypatch.setattr(Askers, "_call", called)


def frame(p: int = 9):
    return simulate.linear_gaussian(simulate.er_dag(p, 2.5, seed=2), 200, seed=2)


class PValue:
    """Fisher's z as a function, or the process that answers as a p-value; some questions are errors or deaths."""

    def __init__(self, test: FisherZ, tells_process: bool = False, wrong: str = "", deadly: str = "") -> None:
        self.test, self.tells_process, self.wrong, self.deadly, self.home = test, tells_process, wrong, deadly, os.getpid()

    def __call__(self, x: str, y: str, z: tuple[str, ...]) -> float:
        if self.wrong and self.wrong in z:
            return 2.0
        if self.deadly and self.deadly in z and os.getpid() != self.home:
            os.kill(os.getpid(), signal.SIGKILL)
        return 1.0 / os.getpid() if self.tells_process else self.test(x, y, z).p_value


def slow(p: int = 9, **how) -> CallableTest:
    table = frame(p)
    return CallableTest(PValue(FisherZ(table), **how), table.columns)


def questions(test: CallableTest) -> list[tuple[int, int, tuple[int, ...]]]:
    return [(x, y, (z,)) for x in range(4) for y in range(x + 1, 5) for z in range(5, len(test))]


def searches(test: CallableTest) -> list[Search]:
    return [Search(x, y, (z,)) for x, y, z in questions(test)]


def test_other_processes_answer_what_this_one_would(at_once):
    test, told = slow(), slow(tells_process=True)
    for asked in (test, told):
        others = Askers(asked, 2)
        others.foresee(test.labels, searches(test))
        found = [others.verdict(test.labels, *question)[0] for question in questions(test)]
        others.close()
        if asked is test:
            assert found == [test.verdict(*question) for question in questions(test)]
        else:
            assert len({round(1 / verdict.p_value) for verdict in found} - {os.getpid()}) >= 1


def test_a_bunch_ends_where_the_first_is_independent():
    test = slow()
    everything = [(0, 1, (z,)) for z in range(2, len(test))]
    (answers,) = askers.Answerer(test)(askers.Bunch(None, (Part(0, 1, tuple(z for _, _, z in everything), None),))).verdicts
    verdicts = [test.verdict(*question) for question in everything]
    first = next((at for at, verdict in enumerate(verdicts) if verdict.independent), len(verdicts) - 1)
    assert [verdict for verdict, _ in answers] == verdicts[: first + 1]


def test_a_process_that_dies_changes_nothing(at_once):
    test, deadly = slow(), slow(deadly="X7")
    assert "X7" in test.labels
    others = Askers(deadly, 2)
    others.foresee(test.labels, searches(test))
    assert [others.verdict(test.labels, *question)[0] for question in questions(test)] == [test.verdict(*each) for each in questions(test)]
    others.close()


def test_an_error_there_is_raised_here(at_once):
    test = slow(wrong="X7")
    others = Askers(test, 2)
    with pytest.raises(InvalidSetting, match=r"returned 2\.0 for"):
        others.foresee(test.labels, searches(test))
    others.close()


def test_a_run_that_is_to_end_waits_for_nobody(at_once):
    test = slow()
    others = Askers(test, 2)
    with watched_by(Watch(until=0.0)), pytest.raises(Stopped):
        others.foresee(test.labels, searches(test))
    others.close()


@pytest.mark.parametrize("learner", ["fci", "rfci", "fci+", "icd", "l-marvel", "lfci"])
def test_runs_are_those_of_one_worker(at_once, learner):
    test = slow(11)
    for settings in ({"mode": "paper"}, {"mode": "exact"}, {"decompose": False}):
        one, two = discover(test, learner, **settings), discover(test, learner, n_jobs=2, workers="processes", **settings)
        assert one == two and one.tests == two.tests


def test_blankets_and_limits_are_those_of_one_worker(at_once):
    test = slow(11)
    for settings in ({"blankets": IAMB()}, {"blankets": "grow_shrink"}, {"colliders": "majority"}):
        total = discover(test, mode="paper", **settings).tests["total"]
        for limit in (total // 3, total - 1, total):
            one, two = (discover(test, mode="paper", max_tests=limit, n_jobs=jobs, workers="processes", **settings) for jobs in (1, 2))
            assert one == two and one.tests == two.tests and one.undecided == two.undecided


def test_nobody_is_called_for_what_takes_no_time(monkeypatch):
    monkeypatch.setattr(askers, "_WORTH_HELP", 1e9)
    monkeypatch.setattr(Askers, "_call", lambda self: pytest.fail("a process was called"))
    assert discover(slow(), n_jobs=2, workers="processes") == discover(slow())


def test_what_cannot_be_sent_has_nobody_to_answer_for_it():
    test = slow()
    test.function.lock = Lock()
    assert Workers(2, "processes").askers(test) is None and Inquiry(test, cache=True, workers=Workers(2, "processes")).askers is None
    assert Workers(1, "processes").askers(slow()) is None and Workers(2, "threads").askers(slow()) is None


def test_other_work_in_more_processes_goes_on_beside(at_once):
    others = Askers(slow(), 2)
    others.foresee(slow().labels, searches(slow()))
    assert others.are_there and list(Workers(3, "processes").each(abs, range(-6, 0))) == [6, 5, 4, 3, 2, 1]
    others.close()
