"""``dicola ask``: questions to a written result."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from typer.testing import CliRunner

from dicola import DAG, DiCoLa, simulate
from dicola.cli.app import app


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    home = tmp_path_factory.mktemp("asked")
    dag = DAG.from_edges([("V", "X"), ("W", "X"), ("X", "Y"), ("W", "Y")])
    table = simulate.linear_gaussian(dag, 1000, seed=3)
    table.to_csv(home / "table.csv", index=False)
    DiCoLa(mode="exact").fit(table).discovery_.write(home / "results")
    return home


def ask(folder, *question: str) -> str:
    done = CliRunner().invoke(app, ["ask", str(folder / "results"), *question])
    assert done.exit_code == 0, done.output
    return done.stdout.strip()


def test_every_question_is_answered_in_words_and_in_json(folder):
    answers = {
        ("causes", "Y"): "X and W are causes of Y",
        ("about", "X"): "V and W may be causes of X",
        ("confounded", "X", "Y"): "no: the edge X --> Y is visible",
        ("paths", "V", "Y"): "open: V may be a cause of Y; 1 path could be causal, the shortest V o-> X --> Y.\nV o-> X --> Y",
        ("adjust", "X", "Y"): "for the effect of X on Y hold fixed {W}.",
        ("effect", "X", "Y"): "Identified: for the effect of X on Y hold fixed {W}.",
    }
    for question, begin in answers.items():
        text, facts = ask(folder, *question), json.loads(ask(folder, *question, "--json"))
        assert text.startswith(begin), text
        assert facts["sentence"] in text


def test_with_a_table_the_effect_has_a_number(folder):
    table = str(folder / "table.csv")
    facts = json.loads(ask(folder, "effect", "X", "Y", "--table", table, "--json"))
    assert facts["set"] == ["W"] and facts["after"]["way"] == "split" and facts["interval"][0] < facts["value"] < facts["interval"][1]
    naive = json.loads(ask(folder, "effect", "X", "Y", "--table", table, "--interval", "naive", "--method", "gaussian", "--json"))
    assert naive["after"] is None and naive["method"] == "gaussian" and naive["interval"] == naive["naive_interval"]


def test_several_treatments_are_named_before_the_outcome(folder):
    facts = json.loads(ask(folder, "effect", "X", "W", "Y", "--table", str(folder / "table.csv"), "--json"))
    assert set(facts["x"]) == {"X", "W"} and facts["y"] == "Y" and (facts["identified"] or facts["reason"])
    alone = CliRunner().invoke(app, ["ask", str(folder / "results"), "effect", "Y"])
    assert alone.exit_code == 1 and "name the outcome as well" in str(alone.exception)


def test_a_wrong_name_is_refused(folder):
    done = CliRunner().invoke(app, ["ask", str(folder / "results"), "causes", "Q"])
    assert done.exit_code == 1 and "'Q' is not a vertex" in str(done.exception)


def test_help_shows_examples():
    assert "dicola ask results causes cancer" in CliRunner().invoke(app, ["ask", "--help"]).output


def test_a_result_that_allows_for_selection_is_read_so(folder, tmp_path):
    table = pd.read_csv(folder / "table.csv")
    DiCoLa(mode="exact", selection=True).fit(table).discovery_.write(tmp_path / "results")
    assert ask(tmp_path, "confounded", "X", "Y").startswith("open: a hidden common cause of X and Y may stand behind the edge X --> Y")
    assert ask(tmp_path, "adjust", "X", "Y").startswith("not identified: the graph allows for selection")
    assert "The sample may have been selected" in ask(tmp_path, "causes", "Y")
