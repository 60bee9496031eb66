"""Errors and warnings know the settings they name, and count in proper English."""

from __future__ import annotations

import ast
import copy
import json
import pickle
from pathlib import Path
from string import Formatter

import pytest

import dicola
from dicola import (
    DAG,
    FCI,
    CallableTest,
    DicolaError,
    FisherZ,
    InvalidData,
    InvalidSetting,
    Oracle,
    compare_modes,
    discover,
    local,
    simulate,
)
from dicola.cli.option_names import in_options, option_name
from dicola.errors import Sentence, Setting, counted, not_allowed
from dicola.graphs.pag import PAG
from dicola.pipeline.settings import SETTINGS
from dicola.report.card import card
from dicola.report.drawing import draw

SOURCES = sorted(Path(dicola.__file__).parent.rglob("*.py"))


def test_a_sentence_speaks_python_and_the_command_line():
    sentence = Sentence(
        "{shown!r} needs {decompose=False}, {blankets=iamb}, {n:,} rows or {own}.", shown="{x}", n=1200, own=Setting("n_jobs")
    )
    assert sentence == "'{x}' needs decompose=False, blankets='iamb', 1,200 rows or n_jobs."
    assert in_options(sentence) == "'{x}' needs --alone, --blankets iamb, 1,200 rows or --jobs."


def test_what_a_user_typed_is_left_alone():
    assert in_options(Sentence("there is no file {file!r}; see {max_depth}", file="max_depth=3")).startswith(
        "there is no file 'max_depth=3'; see --"
    )
    assert in_options("a plain text about max_depth") == "a plain text about max_depth"


def test_sentences_inside_sentences_keep_their_settings():
    outer = Sentence("take fewer{remedy}.", remedy=Sentence(" or {pool=any}"))
    assert in_options(outer) == "take fewer or --pool any."


@pytest.mark.parametrize("travel", [lambda it: pickle.loads(pickle.dumps(it)), copy.deepcopy], ids=["pickle", "copy"])
def test_a_sentence_survives_travel(travel):
    sentence = Sentence("{{braces}} of {name!r}: set {max_nodes}.", name="{n}")
    assert travel(sentence) == sentence and in_options(travel(sentence)) == "{braces} of '{n}': set --max-nodes."
    error = travel(InvalidSetting(sentence))
    assert isinstance(error, InvalidSetting) and in_options(error.sentence) == in_options(sentence)
    assert json.loads(json.dumps([sentence])) == [str(sentence)]


def test_bad_data_and_bad_settings_are_value_errors_too():
    for error in (InvalidData, InvalidSetting):
        assert issubclass(error, ValueError) and issubclass(error, DicolaError)
    with pytest.raises(ValueError, match="n_jobs is 0"):
        discover(Oracle(DAG.from_edges([("A", "B")])), n_jobs=0)
    assert in_options(not_allowed("n_jobs", 0, "why?").sentence) == "--jobs is 0; why?"


def test_a_warning_from_another_process_still_knows_its_setting():
    table = simulate.linear_gaussian(simulate.er_dag(12, 4, seed=1), 300, seed=1)
    found = discover(FisherZ(table), FCI(max_condition_size=1), n_jobs=2, workers="processes")
    (warning,) = (text for text in found.warnings if "neighbours" in text)
    assert warning == "sets of neighbours were tried up to 1 variable only (max_condition_size)."
    assert in_options(warning) == "sets of neighbours were tried up to 1 variable only (--max-condition-size)."


def test_every_sentence_of_the_library_names_settings_that_there_are():
    """A field that is neither filled in nor a setting is a slip: it would be printed as a name."""
    seen = 0
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Sentence":
                template = ast.literal_eval(node.args[0])
                fields = {field for _, field, _, _ in Formatter().parse(template) if field is not None}
                given = {keyword.arg for keyword in node.keywords}
                assert given <= fields, (path, template)
                for field in fields - given:
                    assert option_name(field.partition("=")[0]), (path, template, field)
                    seen += 1
    assert seen > 20


def test_no_error_names_a_setting_as_plain_text():
    telling = [name for name in SETTINGS if "_" in name and name != "ci_test"]
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                texts = [part.value for part in ast.walk(node.exc) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
                assert not [(path, text) for text in texts for name in telling if f"{name} " in text]


def test_one_of_a_kind_is_not_many():
    assert [counted(number, "leaf", "leaves") for number in (0, 1, 2)] == ["0 leaves", "1 leaf", "2 leaves"]
    pag = PAG.from_text("A o-> B")
    assert "2 variables, 1 edge. Edge ends: 1 arrowhead, 0 tails, 1 circle." in draw(pag)
    assert repr(pag) == "<PAG: 2 vertices, 1 edge>" and pag.ends_in_words() == "1 arrowhead, 0 tails, 1 circle"


def test_a_small_result_is_told_in_the_singular():
    apart = DAG.from_edges([("A", "B")], nodes=["A", "B", "C"])
    found = discover(Oracle(apart), stop="paper", decompose=False)
    assert "3 variables, 1 edge (0 arrowheads, 0 tails, 2 circles)" in found.summary()
    assert "1 leaf, the largest with 3 variables; " in card(found)
    alone = discover(Oracle(DAG.from_edges([], nodes=["A"])), decompose=False)
    assert alone.summary().startswith("1 variable, 0 edges") and "<title>PAG of 1 variable</title>" in alone.report()
    assert "visited 1 of 1 variable: A" in local(Oracle(DAG.from_edges([], nodes=["A"])), "A").summary()


def test_one_question_is_one_independence_test():
    found = discover(CallableTest(lambda x, y, z: False, names="AB"), decompose=False)
    assert found.tests["total"] == 1 and "; 1 independence test<" in card(found)


def test_one_agreed_edge_is_told_in_the_singular():
    table = simulate.linear_gaussian(DAG.from_edges([("A", "B")], nodes=["A", "B", "C"]), 500, seed=1)
    assert str(compare_modes(table, ["exact", "paper"])).endswith("1 edge has the same marks in every mode.")
