"""Kernels are compiled beforehand, and a first run says what it waits for."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from dicola.cli.app import app
from dicola.pipeline import warming
from dicola.tables.table import Table


@pytest.fixture
def quick(monkeypatch):
    """Parts that take no time."""
    monkeypatch.setattr(warming, "PARTS", {"splitting": warming.numbers, "climbs": warming.numbers, "orders": warming.numbers})
    monkeypatch.setattr(warming, "_run_all", lambda: None)


def test_every_part_is_told(quick):
    text = CliRunner().invoke(app, ["warm-up", "--jobs", "1"]).stdout
    assert [line.partition(":")[0] for line in text.splitlines()][:-1] == ["splitting", "climbs", "orders", "whole runs"]
    assert text.splitlines()[-1] == "nothing to do: all kernels were compiled before"
    facts = json.loads(CliRunner().invoke(app, ["warm-up", "--jobs", "1", "--json"]).stdout)
    assert facts["compiled"] == 0 and [part["part"] for part in facts["parts"]] == ["splitting", "climbs", "orders", "whole runs"]
    assert CliRunner().invoke(app, ["warm-up", "--jobs", "1", "--quiet"]).stdout == ""


def test_a_part_is_told_before_the_next_begins(quick, monkeypatch):
    told: list[str] = []
    monkeypatch.setattr("dicola.cli.warm_up.show", lambda facts, text, *_, **__: told.append(text.partition(":")[0]))
    monkeypatch.setattr(warming, "warmed", lambda part: told.append(f"begin {part}") or warming.Warmed(part, 0, 0.0))
    CliRunner().invoke(app, ["warm-up", "--jobs", "1"])
    assert told[:4] == ["begin splitting", "splitting", "begin climbs", "climbs"]


def test_every_part_comes_to_its_end():
    found = [warming.warmed(part) for part in (*warming.PARTS, warming.REST)]
    assert [each.part for each in found] == [*warming.PARTS, warming.REST] and all(each.seconds > 0.0 for each in found)


def test_a_number_of_processes_that_cannot_be_is_refused(quick):
    assert CliRunner().invoke(app, ["warm-up", "--jobs", "0"]).exit_code == 1


@pytest.mark.parametrize(("mode", "ours", "theirs"), [("exact", ["blankets", "searches"], "splitting"), ("auto", ["splitting"], "climbs")])
def test_before_a_first_run_two_processes_compile_different_parts(mode, ours, theirs, monkeypatch):
    here: list[str] = []
    sent: list[tuple[str, ...]] = []

    def command(parts):
        sent.append(parts)
        return [sys.executable, "-c", ""]

    monkeypatch.setattr(warming, "warmed", here.append)
    monkeypatch.setattr(warming, "_command", command)
    warming.warm_before(mode)
    assert here == ours and sent[0][0] == theirs and not set(here) & set(sent[0])


@pytest.mark.parametrize(("mode", "most"), [("exact", 150), ("auto", 50)])
def test_only_a_first_run_on_many_columns_of_numbers_is_compiled_beforehand(mode, most, monkeypatch):
    def of(n):
        return Table.from_frame(pd.DataFrame(np.random.default_rng(1).normal(size=(100, n)), columns=[f"v{i}" for i in range(n)]))

    monkeypatch.delenv("DICOLA_COMPILE")
    monkeypatch.setattr(warming, "is_first_use", lambda: True)
    assert [warming.is_compiled_first(of(n), mode) for n in (most, most + 1)] == [False, True]
    assert not warming.is_compiled_first(of(most + 1), mode, max_seconds=60)
    assert not warming.is_compiled_first(Table.from_frame(pd.concat([warming.categories()] * 8, axis=1, ignore_index=True)), mode)
    monkeypatch.setenv("DICOLA_COMPILE", "always")
    assert warming.is_compiled_first(of(5), mode)
    monkeypatch.setattr(warming, "is_first_use", lambda: False)
    assert not warming.is_compiled_first(of(most + 1), mode)


def test_a_first_use_is_one_without_kept_kernels(monkeypatch, tmp_path):
    class Kept:
        cache_path = str(tmp_path)

    monkeypatch.setattr(warming.growth.grow, "_cache", Kept())
    assert warming.is_first_use()
    Path(tmp_path / "growth.grow-1.py311.nbi").touch()
    assert not warming.is_first_use()
