from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dicola import PAG, InvalidData, InvalidSetting
from dicola_experiments.expression import pathway_facts, read_expression, run_expression, selections
from dicola_experiments.plan import Study, load_study

PAPER = Path(__file__).parents[2] / "paper"
PATHWAYS = {"one": ("A", "B", "C"), "two": ("D", "E")}


def tiny(**more) -> Study:
    settings = {
        "learner": "fci",
        "stops": ["paper", "auto"],
        "alpha": 0.01,
        "pathways": {name: list(genes) for name, genes in PATHWAYS.items()},
    }
    chosen = [{"name": "all", "left_out": [], "why": "All."}, {"name": "four", "left_out": ["C"], "why": "Less."}]
    return Study("genes", "Genes", "A figure", (), "expression", settings | {"selections": chosen} | more)


@pytest.fixture
def table(tmp_path) -> Path:
    random = np.random.default_rng(1)
    frame = pd.DataFrame(random.normal(size=(300, 5)), columns=list("EDCBA"))
    frame["B"] += frame["A"]
    frame["C"] += frame["B"]
    frame["E"] += frame["D"]
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    return path


def test_edges_within_pathways_are_counted_beside_chance():
    facts = pathway_facts(PAG.from_text("A o-o B; D o-o E; A o-> D", nodes=list("ABCDE")), PATHWAYS)
    assert (facts["edges"], facts["within"], facts["share_within"], facts["expected_share_within"]) == (3, 2, 0.6667, 0.4)
    assert facts["blocks"] == [
        {"between": ["one", "one"], "edges": 1, "pairs": 3},
        {"between": ["one", "two"], "edges": 1, "pairs": 6},
        {"between": ["two", "two"], "edges": 1, "pairs": 1},
    ]
    assert 0.1 < facts["chance"] < 0.9
    assert pathway_facts(PAG.from_text("", nodes=list("ABCDE")), PATHWAYS)["share_within"] is None


def test_a_run_writes_facts_and_matrices_the_same_each_time(table, tmp_path):
    study = tiny()
    assert read_expression(study, tmp_path / "a") is None
    facts = run_expression(study, table, tmp_path / "a", tmp_path / "a")
    run_expression(study, table, tmp_path / "b", tmp_path / "b")
    assert read_expression(study, tmp_path / "a") == facts
    assert [selection["genes"] for selection in facts["selections"]] == [5, 4]
    assert [run["share_within"] for run in facts["selections"][0]["runs"]] == [1.0, 1.0]
    assert facts["selections"][0]["runs"][0]["in_words"][0]["edge"] == "A o-o B"
    names = {"genes.json", "genes-5.svg", "genes-5.png", "genes-4.svg", "genes-4.png"}
    assert {path.name for path in (tmp_path / "a").iterdir()} == names
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_what_is_missing_is_named(table, tmp_path):
    with pytest.raises(InvalidSetting, match="name its file with --data"):
        run_expression(tiny(), None, tmp_path, tmp_path)
    with pytest.raises(InvalidData, match="lacks 1 of the 3 genes of the study, among them 'X'"):
        run_expression(tiny(pathways={"one": ["A", "B", "X"]}, selections=[]), table, tmp_path, tmp_path)
    with pytest.raises(InvalidSetting, match="leaves out 'X', which is in none"):
        selections(tiny(selections=[{"name": "n", "left_out": ["X"], "why": ""}]))
    with pytest.raises(InvalidSetting, match="lacks 'learner'"):
        selections(Study("genes", "T", "S", (), "expression", {}))


def test_the_genes_of_the_paper_stand_in_their_pathways(data_root):
    study = load_study(PAPER / "arabidopsis.toml")
    table = data_root / "real" / "arabidopsis_isoprenoid.csv"
    if not table.exists():
        pytest.skip("the expression table is not here")
    genes = pd.read_csv(data_root / "real" / "arabidopsis_isoprenoid_genes.csv")
    assert {name: sorted(members) for name, members in study.more["pathways"].items()} == {
        str(name): sorted(group["gene"]) for name, group in genes.groupby("pathway")
    }
    assert [len(selection.genes) for selection in selections(study)] == [39, 33]
    lowest = pd.read_csv(table).median().nsmallest(6).index
    assert sorted(selections(study)[1].left_out) == sorted(lowest)
