"""A run that ends: budgets, Ctrl-C, and what the part of an answer may be used for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dicola
from dicola import (
    FCI,
    BudgetExceeded,
    CallableTest,
    DiCoLa,
    Discovery,
    FCIPlus,
    FisherZ,
    Interrupted,
    InvalidSetting,
    Knowledge,
    Oracle,
    bootstrap,
    discover,
    local,
    simulate,
)
from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import FindSeparator, SearchLevels
from dicola.graphs.skeleton import RecordedSets
from dicola.learners.adjacency import most_sets
from dicola.orient.partial import PartialGraph
from dicola.score.equivalence_search import Pattern
from dicola.watch import Stopped, Watch, heed, memory_in_use, watched_by
from tests.exactness.run import hidden_dag


@cache
def table(seed: int = 1, p: int = 24, rows: int = 700) -> pd.DataFrame:
    return simulate.linear_gaussian(simulate.er_dag(p, 3, seed=seed), rows, seed=seed)


@cache
def hard() -> FisherZ:
    """Two blocks of columns that all depend on each other, whatever is held fixed: seconds of work in each."""
    rng = np.random.default_rng(0)
    return FisherZ(np.hstack([rng.normal(size=(20_000, 1)) + rng.normal(size=(20_000, 30)) for _ in range(2)]))


def sound(part: Discovery, truth: dicola.PAG) -> None:
    """What is decided is as in the whole answer; every other edge is labelled."""
    known = truth.reordered(part.pag.names)
    for u, v in combinations(part.pag.names, 2):
        a, b = part.pag.index(u), part.pag.index(v)
        if part.is_decided(u, v):
            assert bool(part.pag.marks[a, b]) == bool(known.marks[a, b]), (u, v)
        for x, y in ((a, b), (b, a)):
            if part.pag.marks[x, y] in (2, 3):
                assert part.pag.marks[x, y] == known.marks[x, y], (u, v)


@pytest.mark.parametrize("learner", ["fci", "rfci", "fci+", "icd", "l-marvel"])
def test_with_perfect_answers_all_that_a_part_says_is_in_the_whole(learner):
    told = marked = 0
    for seed in range(8):
        dag, latents = hidden_dag(7, seed)
        truth = dag.true_pag(latents)
        whole = discover(Oracle(dag, latents), learner, stop="paper")
        for share in (0.0, 0.3, 0.6, 0.8, 0.95, 0.999):
            limit = int(share * whole.tests["total"])
            part = discover(Oracle(dag, latents), learner, stop="paper", max_tests=limit)
            assert part.tests["total"] == limit or part.complete
            assert part.complete == (not part.undecided) or part.complete is False
            sound(part, truth)
            told += not part.complete
            marked += not part.complete and part.pag.n_edges > len(part.undecided)
    assert told > 20
    assert marked or learner != "fci"


def test_the_selected_sample_is_no_exception():
    for seed in range(6):
        dag, latents = hidden_dag(8, seed)
        test = Oracle(dag, latents)
        whole = discover(test, selection=True)
        for limit in range(0, whole.tests["total"], 1 + whole.tests["total"] // 6):
            sound(discover(test, selection=True, max_tests=limit), whole.pag)


@pytest.mark.parametrize("workers", ["threads", "processes"])
@pytest.mark.parametrize("asked", [FisherZ, "slow"], ids=["kernels", "a slow test"])
def test_tests_end_a_run_at_the_same_place_for_any_number_of_workers(asked, workers):
    test = FisherZ(table(), alpha=0.05)
    if asked == "slow":
        test = CallableTest(PValue(FisherZ(table(p=9), alpha=0.05)), table(p=9).columns, alpha=0.05)
    settings = {"mode": "paper", "stop": "paper"}
    total = discover(test, **settings).tests["total"]
    for limit in (0, total // 4, total // 2, total - 20, total - 1, total) if workers == "threads" else (total // 2, total - 1):
        one, two = (discover(test, **settings, max_tests=limit, n_jobs=jobs, workers=workers) for jobs in (1, 2))
        assert one == two and one.undecided == two.undecided and one._to_dict({}) == two._to_dict({})
        assert one.complete == (limit == total)


class PValue:
    """A function that is asked in Python, one question at a time."""

    def __init__(self, test: FisherZ) -> None:
        self.test = test

    def __call__(self, x: str, y: str, z: tuple[str, ...]) -> float:
        return self.test(x, y, z).p_value


@pytest.mark.parametrize("mode", ["exact", "paper", "balanced"])
def test_a_budget_that_is_not_reached_changes_nothing(mode):
    whole = discover(FisherZ(table()), mode=mode)
    same = discover(FisherZ(table()), mode=mode, max_seconds=1000, max_tests=10**9, max_memory=10**5)
    budget = {name: value for name, value in same.settings.items() if name not in whole.settings}
    assert budget == {"max_seconds": 1000, "max_tests": 10**9, "max_memory": 10**5}
    assert replace(same, settings=whole.settings) == whole and same.complete


def test_before_there_is_an_independence_graph_nothing_is_decided():
    for settings in ({}, {"decompose": False}, {"mode": "balanced"}):
        part = discover(FisherZ(table()), max_tests=3, **settings)
        pairs = len(part.pag) * (len(part.pag) - 1) // 2
        assert not part.complete and len(part.undecided) == pairs == part.pag.n_edges == part.pag.count(dicola.graphs.marks.Mark.CIRCLE) / 2
        assert "nothing is decided" in part.warnings[0] and "max_tests" in part.warnings[0]


def test_then_the_edges_are_those_of_the_independence_graph():
    test = FisherZ(table())
    pairs = len(test) * (len(test) - 1) // 2
    part = discover(test, mode="paper", max_tests=pairs)
    assert "independence graph" in part.warnings[0]
    assert 0 < len(part.undecided) == part.pag.n_edges < pairs
    assert all(part.skeleton.separating_set(u, v) is not None for u, v in combinations(test.names, 2) if not part.skeleton.adjacent(u, v))


def parts() -> list[Discovery]:
    test = FisherZ(table())
    total = discover(test, mode="paper").tests["total"]
    return [discover(test, mode="paper", max_tests=limit) for limit in (3, total // 2, total - 1)]


@pytest.mark.parametrize("part", parts(), ids=["nothing", "some", "most"])
def test_a_part_is_written_and_read_and_told(part, tmp_path):
    part.write(tmp_path)
    again = Discovery.read(tmp_path)
    assert again == part and again.undecided == part.undecided and not again.complete
    page = again.report()
    assert "Incomplete." in page and 'class="edge circle undecided"' in page
    assert list(again.to_pandas()["decided"]) == [part.is_decided(edge.u, edge.v) for edge in part.pag.edges()]
    u, v = part.undecided[0]
    assert "(undecided)" in str(again.explain(u, v)) and "Undecided" in again.explain(u, v).words
    assert f"incomplete: {len(part.undecided)}" in again.summary() and "Incomplete" in again._repr_html_()
    assert not again.legality and "stopped" in again.legality.reasons[0]


def test_edges_that_are_too_many_to_be_seen_are_not_drawn():
    part = discover(FisherZ(table(p=40)), max_tests=3)
    assert len(part.undecided) == 780
    assert 'class="edge ' not in part.draw() and "too many to be drawn" in part.report()


def test_what_needs_the_whole_answer_refuses_a_part():
    model = DiCoLa(max_tests=5).fit(table())
    part, (u, v) = model.discovery_, model.pag_.names[:2]
    calls: list[Callable[[], Any]] = [
        lambda: part.effect(u, v, table()),
        lambda: model.effect(u, v),
        lambda: model.score(table()),
        part.near_best,
        lambda: bootstrap(table(), 3, max_tests=5),
    ]
    for call in calls:
        with pytest.raises(BudgetExceeded, match=r"whole answer|budget"):
            call()


def test_a_bootstrap_counts_all_tests_in_the_order_of_its_tables():
    settings = {"mode": "exact", "ci_test": "fisher_z", "bootstrap": 6}
    whole = DiCoLa(**settings).fit(table()).discovery_
    once = whole.tests["total"]
    one, two = (DiCoLa(**settings, max_tests=3 * once, n_jobs=jobs).fit(table()).discovery_ for jobs in (1, 2))
    assert one.bootstrap is not None and one.bootstrap.replicates < 6 and one.bootstrap == two.bootstrap
    assert not one.complete and not one.undecided and "drawn tables" in one.warnings[0] and one.pag == whole.pag
    none = DiCoLa(**settings, max_tests=once).fit(table()).discovery_
    assert none.bootstrap is None and not none.complete


def test_the_surroundings_of_a_variable_end_too():
    dag = simulate.er_dag(16, 3, seed=2)
    whole = local(Oracle(dag), "X3")
    for limit in range(0, whole.tests["total"], 25):
        part = local(Oracle(dag), "X3", max_tests=limit)
        assert not part.complete and part.tests["total"] == limit and any("max_tests" in told for told in part.warnings)
        for edge in part.edges:
            assert frozenset((edge.u, edge.v)) in {frozenset((e.u, e.v)) for e in whole.edges}
    assert str(local(Oracle(dag), "X3", max_tests=0)).startswith("Nothing is decided")
    assert local(Oracle(dag), "X3", max_tests=whole.tests["total"]).complete


@pytest.mark.parametrize("mode", ["exact", "paper", "balanced"])
def test_seconds_end_a_run(mode):
    part = (
        discover(hard(), FCI(), mode=mode, decompose=False, max_seconds=0.2)
        if mode != "balanced"
        else discover(hard(), mode=mode, max_seconds=0.05)
    )
    assert not part.complete and part.undecided and "max_seconds" in part.warnings[0]


def test_with_two_workers_as_well():
    for workers in ("threads", "processes"):
        part = discover(hard(), FCI(), mode="paper", stop="reference", n_jobs=2, workers=workers, max_seconds=0.5)
        assert not part.complete and part.undecided


class Grows(PValue):
    """The same, holding on to more memory with every call."""

    def __init__(self, test: FisherZ) -> None:
        super().__init__(test)
        self.held: list[Any] = []

    def __call__(self, x: str, y: str, z: tuple[str, ...]) -> float:
        self.held.append(np.ones(500_000))
        return super().__call__(x, y, z)


def test_memory_ends_a_run():
    small = table(p=12)
    test = CallableTest(Grows(FisherZ(small)), small.columns)
    before = memory_in_use()
    part = discover(test, max_memory=80)
    assert not part.complete and "max_memory" in part.warnings[0]
    assert memory_in_use() - before < 400e6


class Presses(PValue):
    """The same, and at one of its calls somebody presses Ctrl-C."""

    def __init__(self, test: FisherZ, call: int) -> None:
        super().__init__(test)
        self.call, self.count = call, 0

    def __call__(self, x: str, y: str, z: tuple[str, ...]) -> float:
        self.count += 1
        if self.count == self.call:
            os.kill(os.getpid(), signal.SIGINT)
        return super().__call__(x, y, z)


def test_ctrl_c_gives_what_there_is():
    small = table(p=12)
    test = CallableTest(Presses(FisherZ(small), 100), small.columns)
    with pytest.raises(Interrupted) as stopped:
        discover(test)
    part = stopped.value.discovery
    assert not part.complete and part.undecided and "interrupted" in part.warnings[0]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    test = CallableTest(Presses(FisherZ(small), 30), small.columns)
    with pytest.raises(Interrupted) as stopped:
        local(test, "X1")
    assert not stopped.value.discovery.complete


def test_ctrl_c_reaches_kernels():
    for call in (
        lambda: discover(hard(), FCI(), mode="paper", decompose=False),
        lambda: discover(hard(), FCI(), mode="paper", decompose=False, n_jobs=2),
        lambda: FCI().learn_skeleton(hard()),
    ):
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            call()
        timer.join()


def test_a_handler_of_the_user_stays_and_what_it_raises_leaves_the_kernel():
    def handler(number: int, frame: object) -> None:
        raise TimeoutError("enough")

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(TimeoutError, match="enough"):
            discover(hard(), FCI(), mode="paper", decompose=False)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_thread_that_is_stopped_leaves_others_alone():
    watch = Watch.of(max_seconds=1e-9)
    with watched_by(watch), pytest.raises(Stopped):
        for _ in range(10**9):
            heed()
    assert watch.reason == "seconds"
    heed()
    assert discover(FisherZ(table())).complete


def test_more_sets_than_the_rows_can_tell_apart_are_not_tried():
    rng = np.random.default_rng(0)
    test = FisherZ(rng.normal(size=(20_000, 1)) + rng.normal(size=(20_000, 22)))
    found = discover(test, FCI(), mode="paper")
    assert found.complete and any("100,000 sets" in told for told in found.warnings)
    assert most_sets(Inquiry(Oracle(simulate.er_dag(5, 2, seed=0)))) is None
    small = FisherZ(rng.normal(size=(300, 1)) + rng.normal(size=(300, 8)), alpha=0.05)
    for most in (None, 3, 10, 20, 50):
        question = SearchLevels(~np.eye(8, dtype=bool), most=most)
        asked = Inquiry(small)
        fast, plain = small.answer(question), question.plain(_Plainly(asked))
        assert fast is not None and (fast[0], fast[1]) == (plain, asked.counts["total"])
        assert plain.passed_over == (most is not None and most < 50) or not plain.passed_over


class _Plainly(Inquiry):
    """Asks one by one, whatever the test can do."""

    def __init__(self, inquiry: Inquiry) -> None:
        vars(self).update(vars(inquiry))

    def answer(self, question: Any) -> None:
        return None


def test_wrong_budgets_are_refused():
    for settings in (
        {"max_seconds": 0},
        {"max_seconds": -1},
        {"max_tests": -1},
        {"max_tests": 1.5},
        {"max_memory": "much"},
        {"max_memory": 0},
    ):
        with pytest.raises(InvalidSetting, match=next(iter(settings))):
            discover(FisherZ(table()), **settings)


def test_knowledge_is_obeyed_by_a_part():
    known = Knowledge(forbidden_adjacent=[("X1", "X2")])
    part = discover(FisherZ(table()), knowledge=known, max_tests=3)
    assert not part.complete and not part.skeleton.adjacent("X1", "X2")


PRESSED = """
import os, sys
from dicola.ci.fisher_z import FisherZ
from dicola.cli.app import main

number, asked, answer = int(sys.argv.pop(1)), [], FisherZ.answer

def pressed(self, question):
    asked.append(question)
    if len(asked) == 3:
        os.kill(os.getpid(), number)
    return answer(self, question)

FisherZ.answer = pressed
main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_line_writes_what_an_interrupted_run_has_found(number, tmp_path):
    data, out = tmp_path / "table.csv", tmp_path / "out"
    table().to_csv(data, index=False)
    typed = ["fit", str(data), "--test", "fisher_z", "--mode", "exact", "--out", str(out)]
    done = subprocess.run(
        [sys.executable, "-c", PRESSED, str(int(number)), *typed], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 130, (done.stdout, done.stderr)
    assert "interrupted" in done.stderr and "undecided" in done.stdout
    assert not Discovery.read(out).complete


PRESSED_LATE = """
import os, sys
from dicola.cli.app import main
from dicola.discovery import Discovery

number, times, texts = int(sys.argv.pop(1)), int(sys.argv.pop(1)), Discovery.texts

def pressed(self):
    for _ in range(times):
        os.kill(os.getpid(), number)
    return texts(self)

Discovery.texts = pressed
main()
"""


@pytest.mark.parametrize(
    ("number", "times", "is_written"), [(signal.SIGINT, 1, True), (signal.SIGTERM, 1, True), (signal.SIGINT, 2, False)]
)
def test_a_whole_answer_is_not_lost_while_it_is_written(number, times, is_written, tmp_path):
    data, out = tmp_path / "table.csv", tmp_path / "out"
    table(p=8, rows=100).to_csv(data, index=False)
    typed = [str(int(number)), str(times), "fit", str(data), "--mode", "exact", "--out", str(out)]
    done = subprocess.run([sys.executable, "-c", PRESSED_LATE, *typed], capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (130, "dicola: interrupted.\n"), done.stdout
    assert Discovery.read(out).complete if is_written else not out.exists()


def test_a_budget_on_the_command_line_ends_with_a_note(tmp_path):
    from typer.testing import CliRunner

    from dicola.cli.app import app

    data, out = tmp_path / "table.csv", tmp_path / "out"
    table().to_csv(data, index=False)
    done = CliRunner().invoke(app, ["fit", str(data), "--mode", "exact", "--max-tests", "5", "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "note: the run was stopped, as --max-tests was reached" in done.output
    assert not Discovery.read(out).complete
    again = CliRunner().invoke(app, ["fit", str(data), "--config", str(out / "settings.toml"), "--json"])
    assert '"complete": false' in again.output
    compared = CliRunner().invoke(app, ["compare", str(out), str(out / "pag.csv")])
    assert "part of an answer" in compared.output


def test_hierarchies_that_failed_before_do_not_keep_a_run():
    """Of ten neighbours of each end a million bases can be made, and all may stand for one hierarchy, which is asked once."""
    n = 22
    beside = [(x, v) for x, first in ((0, 2), (1, 12)) for v in range(first, first + 10)]
    graph = PartialGraph(n, [(0, 1), *beside])
    sets = RecordedSets({pair: set(range(2, n)).difference(pair) for pair in combinations(range(2, n), 2)})
    oracle = Inquiry(Oracle(dicola.DAG.from_edges([("V0", "V1")], nodes=[f"V{i}" for i in range(n)])))
    with watched_by(Watch.of(max_seconds=0.1)), pytest.raises(Stopped):
        FCIPlus().separator(oracle, graph, sets, 0, 1, set())


def test_sets_that_were_tried_before_do_not_keep_a_run():
    pool = range(2, 26)
    question = FindSeparator(0, 1, pool, (12,), tried=[set(pool)])
    with watched_by(Watch.of(max_seconds=0.05)), pytest.raises(Stopped):
        list(question.sets(12))


def test_ways_to_change_an_edge_do_not_keep_a_run():
    many = set(range(1, 15))
    clique = Pattern([set() for _ in range(16)], [set(), *(many - {v} | {15} for v in sorted(many)), many])
    with watched_by(Watch.of(max_seconds=0.05)), pytest.raises(Stopped):
        list(clique.insertions(0, 15, None))
    star = Pattern([set() for _ in range(24)], [set(range(1, 24)), *({0, 23} for _ in range(1, 23)), set(range(23))])
    with watched_by(Watch.of(max_seconds=0.05)), pytest.raises(Stopped):
        list(star.deletions(0, 23))


@pytest.mark.parametrize(
    ("module", "settings"),
    [
        ("meek", {"learner": "pc"}),
        ("meek", {"learner": "pc", "knowledge": Knowledge(tiers=[["X1", "X2"], ["X3"]])}),
        ("colliders", {"learner": "fci"}),
        ("fixpoint", {"learner": "fci"}),
        ("fixpoint", {"learner": "fci", "selection": True}),
    ],
)
def test_a_run_ends_while_marks_are_put(module, settings, monkeypatch):
    """On 200 columns that all correlate Meek's rules took minutes, and nobody looked up."""
    looks = 0

    def look() -> None:
        nonlocal looks
        looks += 1
        dicola.watch.end("seconds")
        heed()

    monkeypatch.setattr(f"dicola.orient.{module}.heed", look)
    part = discover(FisherZ(table()), mode="paper", max_seconds=100.0, **settings)
    assert looks == 1 and not part.complete and len(part.undecided) == part.pag.n_edges > 0
