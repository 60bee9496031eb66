"""Public tables with the knowledge that goes with them: every statement is obeyed, and the page about one of them prints what it says."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pandas as pd
import pytest

from dicola import DiCoLa, Knowledge
from tests.docs.snippets import ROOT, run

REAL = Path(os.environ.get("DICOLA_DATA", ROOT.parent / "shared" / "data")) / "real"


def folder(name: str) -> Path:
    if not (REAL / name).is_dir():
        pytest.skip(f"{REAL / name} is absent; set DICOLA_DATA")
    return REAL / name


@pytest.mark.parametrize("name", ["auto_mpg", "wine_quality_red", "wine_quality_white", "student_performance"])
def test_every_statement_is_obeyed(name):
    where = folder(name)
    told = json.loads((where / "knowledge.json").read_text(encoding="utf-8"))
    known = Knowledge(tiers=told["tiers"], forbidden=told["forbidden"], required=told["required"])
    found = DiCoLa(knowledge=known).fit(pd.read_csv(next(where.glob("data.csv*")))).discovery_
    assert found.statements and {each.status for each in found.statements} == {"obeyed"}
    assert all(edge.weakest is not None for edge in (found.explain(e.u, e.v) for e in found.pag.edges()))


def test_conditions_of_an_experiment_are_contexts():
    frame = pd.read_csv(folder("sachs") / "all_7466.csv.gz")
    found = DiCoLa(contexts=["condition"]).fit(frame).discovery_
    assert {each.status for each in found.statements} == {"obeyed"}
    assert set(found.pag.children("condition")) == set(found.pag.neighbours("condition"))


def test_the_page_about_students_prints_what_it_says(tmp_path):
    shutil.copy(folder("student_performance") / "data.csv", tmp_path / "students.csv")
    page = (ROOT / "docs" / "howto" / "students.md").read_text(encoding="utf-8").replace("```py\n", "```python\n")
    outcomes = run(page, tmp_path)
    assert len(outcomes) == 3
    assert [outcome.code for outcome in outcomes if not outcome.is_as_told] == []
