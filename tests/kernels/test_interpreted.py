"""Kernels that Python runs give the same to the bit, and are compiled when that takes too long."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from math import atanh, exp, inf, log, nan, sqrt

import numpy as np
import pytest
from numba import njit

from dicola import simulate
from dicola._kernels import interpreted
from dicola._kernels.compiled import kernel, may_interpret
from dicola._kernels.stopping import heed
from dicola.ci.degenerate_gaussian import DegenerateGaussian
from dicola.ci.fisher_z import FisherZ
from dicola.ci.g_square import GSquare
from dicola.learners.registry import ALL
from dicola.pipeline.discover import discover
from dicola.pipeline.warming import categories, numbers
from dicola.watch import Stopped, Watch, watched_by
from tests.kernels.interpreting import both_ways

pytestmark = pytest.mark.skipif(not interpreted.IS_POSSIBLE, reason="NumPy 1 has other rules for numbers of mixed types")


@pytest.mark.parametrize("mode", ["exact", "paper", "balanced"])
def test_every_call_of_a_run_on_numbers_is_the_same_both_ways(mode):
    with both_ways() as calls:
        discover(FisherZ(numbers()), mode=mode)
    assert calls["dicola._kernels.growth.grow"] > 0


@pytest.mark.parametrize("learner", ALL)
def test_every_call_of_a_learner_is_the_same_both_ways(learner):
    with both_ways() as calls:
        discover(FisherZ(numbers()), learner, "paper", decompose=False)
    assert calls


@pytest.mark.parametrize(
    ("test", "mode", "kernel"),
    [
        (GSquare, "either", "growth.grow"),
        (DegenerateGaussian, "exact", "growth.grow"),
        (DegenerateGaussian, "balanced", "order_search.sweep"),
    ],
)
def test_every_call_of_a_run_on_categories_is_the_same_both_ways(test, mode, kernel):
    with both_ways() as calls:
        discover(test(categories()), mode=mode)
    assert calls[f"dicola._kernels.{kernel}"] > 0


@kernel
def _count_up(counts, steps):
    for i in range(steps):
        counts[0] += 1
        if i & 63 == 0:
            heed(0)
    return counts[0], counts[0] > 5


@pytest.fixture
def counting(monkeypatch):
    """A kernel that is interpreted, with all its time before it."""
    monkeypatch.delenv("DICOLA_COMPILE")
    _count_up._clear()
    _count_up.overloads.clear()
    way = _count_up._compile_for_args
    monkeypatch.setattr(way, "_is_empty", lambda: True)
    monkeypatch.setattr(way, "_interpreted", interpreted.Interpreted(_count_up.py_func))
    monkeypatch.setattr(way, "_absent", set())
    return way._interpreted


def test_a_kernel_is_interpreted_and_gives_numbers_of_python(counting):
    counts = np.zeros(1, dtype=np.int64)
    found = _count_up(counts, 10)
    assert found == (10, True) and [type(each) for each in found] == [int, bool]
    assert counts[0] == 10 and not _count_up.overloads


def test_what_takes_too_long_is_compiled_from_where_it_began(counting):
    counting.left = 0.02
    counts = np.zeros(1, dtype=np.int64)
    assert _count_up(counts, 3_000_000) == (3_000_000, True)
    assert counts[0] == 3_000_000 and len(_count_up.overloads) == 1 and counting.left < 0.0


def test_a_run_without_the_time_to_compile_goes_on_in_python_and_ends_in_time(counting):
    counting.left = 0.02
    counts = np.zeros(1, dtype=np.int64)
    with watched_by(Watch.of(0.3)), pytest.raises(Stopped):
        counting.to_compile = 0.2
        _count_up(counts, 10**12)
    assert not _count_up.overloads and counts[0] > 0


def test_large_arguments_are_not_interpreted(counting):
    assert counting.may_take((np.zeros(10), 1)) and not counting.may_take((np.zeros(1 << 21), 1))


def test_who_measures_compiles_at_once(counting, monkeypatch):
    assert may_interpret()
    monkeypatch.setenv("DICOLA_COMPILE", "always")
    assert not may_interpret()
    _count_up(np.zeros(1, dtype=np.int64), 3)
    assert len(_count_up.overloads) == 1


@pytest.mark.parametrize(
    ("function", "value"), [(log, 0.0), (log, -1.0), (log, inf), (sqrt, -2.0), (atanh, 1.0), (atanh, -1.0), (atanh, 2.0)]
)
def test_what_python_refuses_is_what_compiled_code_gives(function, value):
    compiled = njit(error_model="numpy")(lambda x: function(x))
    assert str(abs(interpreted._stand_ins[function](value))) == str(abs(compiled(value)))


def test_numbers_too_large_for_python_are_infinite_and_nan_stays():
    assert interpreted._stand_ins[exp](1e5) == inf
    assert np.isnan(interpreted._stand_ins[log](nan)) and np.isnan(interpreted._stand_ins[sqrt](nan))


def test_a_first_run_on_few_columns_compiles_nothing_and_finds_the_same(tmp_path):
    dag = simulate.er_dag(10, 3, seed=2)
    simulate.linear_gaussian(dag, 500, seed=2).to_csv(tmp_path / "table.csv", index=False)
    command = [sys.executable, "-c", "from dicola.cli.app import main; main()", "fit", "table.csv", "--quiet", "--out"]
    first = os.environ | {"DICOLA_COMPILE": "", "NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    for mode in ("exact", "auto"):
        subprocess.run([*command, f"{mode}-first", "--mode", mode], cwd=tmp_path, env=first, check=True)
        subprocess.run([*command, f"{mode}-compiled", "--mode", mode], cwd=tmp_path, check=True)
        one, other = ({each.name: each.read_bytes() for each in (tmp_path / f"{mode}-{way}").iterdir()} for way in ("first", "compiled"))
        assert one.keys() == other.keys()
        assert {name for name in one if one[name] != other[name]} <= {"timing.json", "report.html", "settings.toml"}
        assert json.loads(one["pag.json"]) == json.loads(other["pag.json"])
    assert not list((tmp_path / "kernels").rglob("*.nbi"))
