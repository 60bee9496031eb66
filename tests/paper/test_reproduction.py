from __future__ import annotations

import pytest

from dicola.errors import InvalidSetting
from dicola_experiments.claims import checks
from dicola_experiments.folder import Folder
from dicola_experiments.reproduction import report_text, results_in
from dicola_experiments.summary import Results
from tests.paper.examples import SETTING, row, study, total, write_rows

PUBLISHED = """
source = "A paper"
[[degrees]]
graph = "ER(30,3)"
hidden = 3
pool = "any"
vertices = 30
dag = 3.0
mag = 4.0
[[reasons]]
claim = "tests"
learner = ["rfci"]
text = "Because of RFCI."
[[reasons]]
claim = "tests"
text = "Because of others."
[[reasons]]
claim = "f1"
text = "Because it is
less accurate."
"""


def outcome_rows(method: str, tests: int, f1: float):
    return [row(method, seed, tests=total(tests + seed), f1=f1 + 0.01 * seed) for seed in (1, 2, 3)]


@pytest.fixture
def rows():
    return [
        *outcome_rows("fci", 1000, 0.8),
        *outcome_rows("dicola+fci/paper", 400, 0.9),
        *outcome_rows("rfci", 500, 0.8),
        *outcome_rows("dicola+rfci/paper", 600, 0.7),
        *(row("icd", seed, "capped") for seed in (1, 2, 3)),
        row("icd", 0, "given up"),
        *outcome_rows("dicola+icd/paper", 600, 0.9),
    ]


def test_a_single_run_says_nothing_of_accuracy():
    rows = [row("fci", 1, f1=0.9), row("dicola+fci/paper", 1, f1=0.1)]
    (check,) = checks(Results(study("fci", "dicola+fci/paper"), rows))
    assert check.is_comparable and check.accuracy is None and check.is_as_accurate and not check.is_more_accurate


def test_a_learner_stopped_on_every_table_tried_needs_more_also_before_it_is_given_up():
    stopped = row("icd", 1, "capped")
    (check,) = checks(Results(study("icd", "dicola+icd/paper"), [stopped, row("dicola+icd/paper", 1, f1=0.9)]))
    assert check.only_alone_was_stopped and check.needs_fewer_tests and check.is_faster
    (both,) = checks(Results(study("icd", "dicola+icd/paper"), [stopped, row("dicola+icd/paper", 1, "capped")]))
    assert not (both.only_alone_was_stopped or both.needs_fewer_tests or both.is_faster)


METHODS = ("fci", "rfci", "icd", "dicola+fci/paper", "dicola+rfci/paper", "dicola+icd/paper")


def test_claims_are_asked_of_the_seeds_that_both_finished(rows):
    found = {check.alone.cell.method: check for check in checks(Results(study(*METHODS), rows))}
    assert list(found) == ["fci", "rfci", "icd"] and {check.setting for check in found.values()} == {SETTING}
    assert [check.needs_fewer_tests for check in found.values()] == [True, False, True], "a learner that was stopped needs more"
    assert [check.is_as_accurate for check in found.values()] == [True, False, True]
    assert [check.is_comparable for check in found.values()] == [True, True, False]


@pytest.fixture
def folder(rows, tmp_path) -> Folder:
    methods = ", ".join(f'"{method}"' for method in METHODS)
    series = '[[series]]\ngraph = "ER(30,3)"\nhidden = 3\npool = "any"\nrepetitions = 3\ncap = 60\n'
    (tmp_path / "er30-3.toml").write_text(f'title = "A study"\nshows = "A figure"\n{series}samples = [500]\nmethods = [{methods}]\n')
    (tmp_path / "degrees.toml").write_text(
        f'title = "Degrees"\nshows = "A table"\nkind = "degrees"\n{series}samples = [0]\nmethods = ["degree"]\n'
    )
    (tmp_path / "published.toml").write_text(PUBLISHED.replace("is\nless", "is less"))
    (tmp_path / "run.toml").write_text('machine = "An abacus"\nhours = 5\ncommands = ["do it"]\n')
    write_rows(tmp_path / "results" / "er30-3.jsonl", rows)
    degrees = [
        {**row("degree", seed), "kind": "degrees", "samples": 0, "dag_degree": 3.0, "mag_degree": 3.5 + seed / 100} for seed in (1, 2)
    ]
    write_rows(tmp_path / "results" / "degrees.jsonl", degrees)
    return Folder.at(tmp_path)


def test_the_report_says_where_the_claims_do_not_hold_and_why(folder):
    text = report_text(folder, results_in(folder))
    assert "| fewer tests with DiCoLa than without | in all settings, for all learners | in 2 of 3 cells |" in text
    assert "Not in one cell. Because of RFCI." in text and "Because it is less accurate." in text and "Because of others" not in text
    assert "| ER(30,3)/3 any | 500 | RFCI | 502 | 602 | ×1.20 | 3 |" in text
    assert "| ER(30,3)/3 any | 500 | RFCI | 0.820 | 0.720 | -0.100 ±0.000 | 3 |" in text
    assert "alone stopped" in text and "- machine: An abacus" in text and "do it" in text


def test_a_degree_that_is_not_met_is_listed_with_both_pools(folder):
    text = report_text(folder, results_in(folder))
    assert "| ER(30,3)/3 | 3.00 | 4.00 | **3.52 ±0.01** | – | -0.48 | no |" in text or "**3.51 ±0.01**" in text
    assert "published 4.00, ours" in text and "– with pool root" in text


def test_the_same_rows_give_the_same_report(folder):
    assert report_text(folder, results_in(folder)) == report_text(folder, results_in(folder))


def test_rows_are_packed_unless_another_run_is_writing(folder):
    rows = folder.rows("er30-3")
    n = len(rows)
    with rows.writing():
        assert not folder.pack("er30-3") and rows.path.exists()
    assert folder.pack("er30-3") and not rows.path.exists() and len(folder.rows("er30-3")) == n
    assert folder.pack("er30-3"), "there is nothing left to pack"


def test_a_folder_without_studies_and_a_study_that_is_not_there_are_named(folder, tmp_path):
    with pytest.raises(InvalidSetting, match="come with a clone"):
        Folder.at(tmp_path / "nowhere")
    with pytest.raises(InvalidSetting, match=r"no study 'er30'\. Did you mean 'er30-3'\? Known: degrees, er30-3\."):
        folder.study("er30")
