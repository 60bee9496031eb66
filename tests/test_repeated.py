"""Runs that are repeated compile what the first ones had Python interpret."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from dicola import DAG, FisherZ, Oracle, discover, simulate
from dicola._kernels import compiled, interpreted
from dicola.pipeline import repeated, warming
from dicola.pipeline.repeated import compiled_if_repeated
from dicola.watch import Watch, watched_by


@pytest.fixture
def warms(monkeypatch):
    """What would be compiled, where Python has interpreted for two seconds."""
    asked: list[tuple[str, bool]] = []
    monkeypatch.delenv("DICOLA_COMPILE")
    monkeypatch.setattr(interpreted._here, "spent", 2.0, raising=False)
    monkeypatch.setattr(warming, "warm_before", lambda mode, has_blocks: asked.append((mode, has_blocks)))
    repeated._say_once.cache_clear()
    repeated._warm_once.cache_clear()
    yield asked
    repeated._say_once.cache_clear()
    repeated._warm_once.cache_clear()


def _test() -> FisherZ:
    return FisherZ(np.random.default_rng(1).normal(size=(100, 4)))


def _compiles() -> bool:
    return not repeated.may_interpret()


def test_a_run_after_a_second_of_interpreting_compiles_and_says_so_once(warms):
    with pytest.warns(RuntimeWarning, match="dicola warm-up"), compiled_if_repeated(_test(), "auto"):
        assert _compiles()
    with compiled_if_repeated(_test(), "auto"):  # a warning would be an error here
        assert _compiles()
    assert warms == [("auto", False)] and not _compiles()


def test_nothing_is_compiled_aside_where_no_part_of_it_would_be_used(warms):
    with pytest.warns(RuntimeWarning), compiled_if_repeated(Oracle(DAG.from_edges([("A", "B")])), "exact"):
        assert _compiles()
    assert not warms


def test_where_nothing_can_be_kept_nobody_else_compiles_and_nothing_is_promised(warms, monkeypatch):
    monkeypatch.setattr(compiled, "_said", ["compiled kernels are not kept on disk"])
    with compiled_if_repeated(_test(), "auto"):
        assert _compiles()
    assert not warms


@pytest.mark.parametrize("spent", [0.0, 0.9])
def test_a_run_after_less_goes_on_in_python(warms, monkeypatch, spent):
    monkeypatch.setattr(interpreted._here, "spent", spent, raising=False)
    with compiled_if_repeated(_test(), "auto"):
        assert not _compiles()


def test_a_run_in_limited_time_goes_on_in_python(warms):
    with compiled_if_repeated(_test(), "auto", 60.0):
        assert not _compiles()
    with watched_by(Watch.of(60.0)), compiled_if_repeated(_test(), "auto"):
        assert not _compiles()
    assert not warms


def test_interpreting_counts_towards_it(tmp_path):
    """In a process of its own, with nothing compiled: a run counts what it interprets, to the end of the process."""
    script = (
        "from dicola import FisherZ, discover, simulate; from dicola._kernels.interpreted import seconds_interpreted;"
        "table = simulate.linear_gaussian(simulate.er_dag(6, 2, seed=1), 100, seed=1);"
        "before = seconds_interpreted(); discover(FisherZ(table)); between = seconds_interpreted(); discover(FisherZ(table));"
        "print(before == 0.0 < between < seconds_interpreted())"
    )
    alone = os.environ | {"DICOLA_COMPILE": "", "NUMBA_CACHE_DIR": str(tmp_path)}
    assert subprocess.run([sys.executable, "-c", script], env=alone, capture_output=True, text=True, check=True).stdout == "True\n"


def test_ctrl_c_while_a_part_is_compiled_is_no_answer(monkeypatch):
    """A part makes small runs: what they have found when somebody presses Ctrl-C is no answer to anybody's question."""
    found = discover(FisherZ(simulate.linear_gaussian(simulate.er_dag(4, 2, seed=1), 100, seed=1)))

    def interrupted() -> None:
        raise warming.Interrupted(found)

    monkeypatch.setattr(warming, "PARTS", {"splitting": interrupted})
    with pytest.raises(KeyboardInterrupt) as stopped:
        warming.warmed("splitting")
    assert not isinstance(stopped.value, warming.Interrupted)
