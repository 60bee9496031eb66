import asyncio
import os
import signal
import subprocess
import sys
import time
from collections import deque
from dataclasses import replace
from pathlib import Path

import pytest

from dicola.errors import InvalidSetting
from dicola_experiments.measure import row_of
from dicola_experiments.methods import GROUPS, is_installed
from dicola_experiments.plan import Series, Study, load_study
from dicola_experiments.rows import Rows
from dicola_experiments.run import _cells, _Run, run_study, standing

PAPER = Path(__file__).parents[2] / "paper"
CLOCKS = ("seconds", "cpu_seconds")


def study(*methods: str, graph: str = "ER(20,4)", **settings) -> Study:
    series = Series(graph, 2, "any", settings.pop("samples", (300,)), methods, **{"repetitions": 3, "cap": 60.0, **settings})
    return Study("mine", "T", "S", (series,))


def timeless(rows: Rows) -> list[dict]:
    return sorted(({k: v for k, v in row.items() if k not in CLOCKS} for row in rows), key=str)


def test_the_smoke_study_runs_whole(tmp_path):
    smoke = load_study(PAPER / "smoke.toml")
    rows = Rows(tmp_path, "smoke")
    assert run_study(smoke, rows, jobs=2).is_complete
    expected = [cell for cell in smoke.cells() if is_installed(cell.method)]
    assert len(rows) == len(expected) >= 3 * len(GROUPS["native"]) + 1
    for cell in expected:
        (row,) = rows.of(cell)
        assert row["status"] in ("done", "capped"), row
        if row["status"] == "done":
            assert {"tests", "seconds", "precision", "recall", "f1", "observed"} <= set(row)
            if cell.method not in GROUPS["peers"]:
                assert row["tests"]["total"] == sum(count for phase, count in row["tests"].items() if phase != "total") > 0
                assert {"mark_f1", "leaves", "largest_leaf", "depth"} <= set(row)
    assert sum(row["status"] == "done" for row in rows) > len(rows) / 2, "a cap of five seconds is long"


def test_killed_in_the_middle_it_goes_on_to_the_same_rows(tmp_path):
    whole = study("fci", "dicola+fci/paper", "icd", "dicola+l-marvel/paper", repetitions=12)
    plain = Rows(tmp_path, "plain")
    assert run_study(whole, plain, jobs=2).is_complete
    code = f"""
from pathlib import Path
from dicola_experiments.plan import *
from dicola_experiments.rows import Rows
from dicola_experiments.run import run_study
run_study(Study("mine", "T", "S", ({whole.series[0]!r},)), Rows(Path({str(tmp_path)!r}), "mine"), jobs=2)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(PAPER), os.environ.get("PYTHONPATH"))))}
    path, kills = tmp_path / "mine.jsonl", 0
    for enough in (5, 20, 33):
        process = subprocess.Popen([sys.executable, "-c", code], env=environment)
        while process.poll() is None and (not path.exists() or path.read_bytes().count(b"\n") < enough):
            time.sleep(0.005)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            kills += 1
        process.wait()
    assert kills, "the run was never killed"
    with path.open("ab") as file:
        file.write(b'{"kind": "rec')  # as if the last kill had come in the middle of a line
    rows = Rows(tmp_path, "mine")
    assert not standing(whole, rows).is_complete
    assert run_study(whole, rows, jobs=2).is_complete
    assert timeless(rows) == timeless(plain)
    assert path.read_bytes().count(b"\n") == len(rows) == 4 * 12, "no row is there twice"


def test_workers_part_the_methods_among_them(tmp_path):
    mine = study("fci", "rfci", samples=(300, 500, 700))
    runs = _Run(_cells(mine, None), Rows(tmp_path, "mine"), None, lambda standing: None)
    queue, one, other = deque(mine.cells()), set(), set()
    assert [runs._next(queue, own).method for own in (one, other, one, other, one)] == ["fci", "rfci", "fci", "rfci", "fci"]
    assert runs._next(queue, one).method == "rfci" and not queue, "a worker with nothing of its own left takes what there is"


def test_a_finished_study_runs_nothing_again(tmp_path):
    small = study("fci", repetitions=2)
    run_study(small, Rows(tmp_path, "mine"))
    before = (tmp_path / "mine.jsonl").read_bytes()
    seen = []
    assert run_study(small, Rows(tmp_path, "mine"), progress=seen.append).is_complete
    assert (tmp_path / "mine.jsonl").read_bytes() == before
    assert [each.total for each in seen] == [0]


def test_more_repetitions_add_to_those_there_are(tmp_path):
    run_study(study("fci", repetitions=1), Rows(tmp_path, "mine"))
    rows = Rows(tmp_path, "mine")
    run_study(study("fci", repetitions=3), rows)
    assert [row["seed"] for row in rows] == [1, 2, 3]


def test_a_method_stopped_on_three_seeds_is_given_up_and_its_first_seed_gets_the_last_cap(tmp_path):
    rows = Rows(tmp_path, "mine")
    # a graph that takes a while: an answer that is there before the clock is looked at counts as one
    mine = study("icd", "dicola+icd/paper", graph="ER(45,4)", repetitions=6, cap=1e-4, last_cap=True)
    assert run_study(mine, rows, jobs=2).is_complete
    for cell in mine.cells():
        own = [row for row in rows if row["method"] == cell.method]
        assert sorted((row["seed"], row["status"]) for row in own) == [(0, "given up"), (1, "done"), (2, "capped"), (3, "capped")]
        assert {row["seed"]: row["cap"] for row in own} == {0: 1e-4, 1: 430.0, 2: 1e-4, 3: 1e-4}
    before = len((tmp_path / "mine.jsonl").read_bytes())
    assert run_study(mine, Rows(tmp_path, "mine")).is_complete
    assert len((tmp_path / "mine.jsonl").read_bytes()) == before


def test_the_last_cap_goes_to_the_first_table_on_which_a_method_was_stopped_given_up_or_not(tmp_path):
    mine, rows = study("icd", repetitions=4, cap=50, last_cap=True), Rows(tmp_path, "mine")
    (cell,) = mine.cells()
    with rows.writing():
        rows.add(row_of(cell, 2, 50, "capped", {}))
    assert run_study(mine, rows).is_complete
    assert [(row["seed"], row["status"], row["cap"]) for row in rows.of(cell)] == [
        (1, "done", 50),
        (2, "done", 180.0),
        (3, "done", 50),
        (4, "done", 50),
    ]
    assert not rows.is_given_up(cell)


def test_a_longer_cap_runs_again_what_was_stopped(tmp_path):
    run_study(study("icd", repetitions=2, cap=1e-4), Rows(tmp_path, "mine"))
    rows = Rows(tmp_path, "mine")
    run_study(study("icd", repetitions=2), rows)
    assert [row["status"] for row in rows] == ["done", "done"]


def test_no_run_is_begun_when_the_budget_is_spent(tmp_path):
    reached = run_study(study("fci"), Rows(tmp_path, "mine"), budget=0.0)
    assert (reached.done, reached.total, reached.is_complete) == (0, 3, False)
    assert reached.seconds_left > 0


def test_a_run_that_fails_is_a_row_that_says_why_and_the_others_go_on(tmp_path):
    too_few = study("dicola+fci/paper", "fci", repetitions=1)
    too_few = replace(too_few, series=(replace(too_few.series[0], samples=(10,)),))
    rows = Rows(tmp_path, "mine")
    assert run_study(too_few, rows).is_complete
    failed, fine = sorted(rows, key=lambda row: row["method"])
    assert failed["status"] == "failed" and "rows" in failed["why"]
    assert fine["method"] == "fci"


def test_peers_that_are_not_installed_are_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr("dicola_experiments.run.is_installed", lambda method: method != "rcd l-marvel")
    assert run_study(study("fci", "rcd l-marvel", repetitions=1), Rows(tmp_path, "mine")).total == 1


def test_jobs_must_be_positive(tmp_path):
    with pytest.raises(InvalidSetting, match="jobs is 0"):
        run_study(study("fci"), Rows(tmp_path, "mine"), jobs=0)


def test_degrees_are_those_of_the_graph_and_its_mag(tmp_path):
    series = Series("MILDEW", 3, "root", (0,), ("degree",), repetitions=1, kind="degrees", cap=60.0)
    rows = Rows(tmp_path, "mine")
    run_study(Study("mine", "T", "S", (series,), "degrees"), rows)
    (row,) = rows
    assert (row["observed"], row["dag_degree"]) == (32, round(2 * 46 / 35, 4))
    problem = next(series.settings()).draw(1)
    assert row["mag_degree"] == round(2 * problem.dag.true_mag(problem.latents).n_edges / 32, 4)


def test_from_the_exact_covariance_an_easy_graph_is_found_exactly_and_sizes_of_coefficients_tell_settings_apart(tmp_path):
    series = Series("ER(8,2)", 1, "any", (10**6,), ("mode exact", "mode balanced"), repetitions=3, kind="population", cap=60.0)
    weak = replace(series, coefficients=(0.2, 0.6))
    rows = Rows(tmp_path, "mine")
    assert run_study(Study("mine", "T", "S", (series, weak), "population"), rows).is_complete
    assert len(rows) == 12 and {tuple(row.get("coefficients", ())) for row in rows} == {(), (0.2, 0.6)}
    assert sum(row["exact_pag"] for row in rows if "coefficients" not in row) >= 4
    assert all(row["exact_skeleton"] >= row["exact_pag"] for row in rows)
    assert len(Rows(tmp_path, "mine")) == 12


def test_a_run_whose_worker_was_lost_is_made_again_when_the_study_is_started_again(tmp_path, monkeypatch):
    async def dying():
        pipe = asyncio.subprocess.PIPE
        return await asyncio.create_subprocess_exec(sys.executable, "-c", "input()", stdin=pipe, stdout=pipe)

    with monkeypatch.context() as patch:
        patch.setattr("dicola_experiments.process.Process._begin", staticmethod(dying))
        rows = Rows(tmp_path, "mine")
        assert not run_study(study("fci", repetitions=1), rows).is_complete
        assert [row["status"] for row in rows] == ["lost"]
    rows = Rows(tmp_path, "mine")
    assert run_study(study("fci", repetitions=1), rows).is_complete
    assert [row["status"] for row in rows] == [row["status"] for row in Rows(tmp_path, "mine")] == ["done"]


def test_a_dask_cluster_makes_the_same_rows(dask, tmp_path):
    small = study("fci", "dicola+fci/paper", repetitions=2)
    here, there = Rows(tmp_path, "here"), Rows(tmp_path, "there")
    assert run_study(small, here).is_complete and run_study(small, there, scheduler=dask).is_complete
    assert timeless(here) == timeless(there) and len(here) == 4


def test_a_cluster_that_is_not_there_is_told_in_a_sentence(tmp_path, monkeypatch):
    pytest.importorskip("distributed", reason="Dask is not installed: pip install dicola[dask]")
    monkeypatch.setattr("dicola_experiments.cluster._SECONDS", "1s")
    with pytest.raises(InvalidSetting, match=r"no scheduler answers at tcp://127\.0\.0\.1:1"):
        run_study(study("fci"), Rows(tmp_path, "mine"), scheduler="tcp://127.0.0.1:1")
