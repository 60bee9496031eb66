"""Public tables with the knowledge that goes with them: every statement is obeyed, and the pages about them print what they say."""

from __future__ import annotations

import gzip
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


PAGES = {
    "students.md": {"student_performance/data.csv": "students.csv"},
    "cars-and-wine.md": {
        "auto_mpg/data.csv": "cars.csv",
        "wine_quality_red/data.csv": "red.csv",
        "wine_quality_white/data.csv.gz": "white.csv",
    },
    "interventions.md": {"sachs/all_7466.csv.gz": "sachs.csv.gz"},
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_about_public_tables_prints_what_it_says(name, tmp_path):
    for source, kept in PAGES[name].items():
        table = folder(source.partition("/")[0]) / source.partition("/")[2]
        if table.suffix == ".gz" and not kept.endswith(".gz"):
            (tmp_path / kept).write_bytes(gzip.decompress(table.read_bytes()))
        else:
            shutil.copy(table, tmp_path / kept)
    page = (ROOT / "docs" / "howto" / name).read_text(encoding="utf-8")
    outcomes = run(page.replace("```py\n", "```python\n"), tmp_path)
    assert sum(outcome.place is not None for outcome in outcomes) >= page.count("```py\n") >= 3
    assert [outcome.code for outcome in outcomes if not outcome.is_as_told] == []
