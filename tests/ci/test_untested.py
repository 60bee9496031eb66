"""What a test cannot answer is counted once, whoever asks, and told wherever a result is shown."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import pytest

from dicola import (
    BasisFunction,
    ChiSquare,
    ConditionalGaussian,
    DegenerateGaussian,
    DiCoLa,
    Discovery,
    FisherZ,
    GaussianCopula,
    GSquare,
    Inquiry,
    discover,
    local,
)
from dicola.ci.questions import FindSeparator, GivenRest, SearchLevels
from dicola.ci.untested import NOTHING, Untested


def categories(rows: int, seed: int = 0, columns: int = 6) -> pd.DataFrame:
    """Columns of three levels that hang together; the last is a function of the first two."""
    rng = np.random.default_rng(seed)
    first = rng.integers(3, size=(rows, 1))
    values = np.where(rng.random((rows, columns)) < 0.5, first, rng.integers(3, size=(rows, columns)))
    values[:, -1] = (values[:, 0] + values[:, 1]) % 3
    return pd.DataFrame(values, columns=list("ABCDEFGH")[:columns]).astype("category")


def asked_one_by_one(test):
    """The same test without its faster answers."""

    class Plain(type(test)):
        def answer(self, question):
            return None

    plain = pickle.loads(pickle.dumps(test))
    plain.__class__ = Plain
    return plain


MAKERS = {
    "g_square": lambda: GSquare(categories(150)),
    "chi_square": lambda: ChiSquare(categories(150), untestable="dependent", determined="independent"),
    "conditional_gaussian": lambda: ConditionalGaussian(categories(150)),
    "degenerate_gaussian": lambda: DegenerateGaussian(np.random.default_rng(1).normal(size=(5, 7))),
    "basis_function": lambda: BasisFunction(np.random.default_rng(1).normal(size=(14, 6))),
    "copula": lambda: GaussianCopula(categories(9).astype(int).rename(columns=str.lower) + 0.0),
}


@pytest.mark.parametrize("name", MAKERS)
def test_a_search_counts_the_same_whether_kernels_or_single_verdicts_answer(name):
    test = MAKERS[name]()
    n = len(test)
    questions = (
        SearchLevels(~np.eye(n, dtype=bool), 4),
        FindSeparator(0, 1, range(2, n), range(5)),
        FindSeparator(0, n - 1, range(1, n - 1), range(5), alpha=0.3),
        GivenRest(),
    )
    counts = []
    for question in questions:
        fast, slow = Inquiry(test), Inquiry(asked_one_by_one(test))
        fast.ask(question)
        slow.ask(question)
        assert fast.untested == slow.untested and fast.counts == slow.counts
        counts.append(sum(fast.untested))
        assert counts[-1] <= fast.counts["total"]
    assert sum(counts) > 0


def test_rows_and_determined_variables_are_told_apart():
    test = Inquiry(GSquare(categories(300)))
    test.verdict(0, 5, (1,))
    assert test.untested == NOTHING
    test.verdict(2, 5, (0, 1))
    assert test.untested == Untested(determined=1), "F is a function of A and B"
    test.verdict(2, 3, (0, 1, 4))
    assert test.untested == Untested(rows=1, determined=1), "up to 108 degrees of freedom, and 300 rows"
    assert test.untested + Untested(1, 2) == Untested(2, 3)


def test_an_inquiry_counts_what_it_asked_itself_and_what_those_asked_that_ask_it():
    whole = GSquare(categories(150))
    whole.verdict(2, 3, (0, 1, 4))
    inner = Inquiry(whole)
    assert inner.untested == NOTHING, "asked before"
    outer = Inquiry(inner)
    outer.verdict(2, 3, (0, 1, 4))
    inner.verdict(2, 4, (0, 1, 3))
    assert outer.untested == Untested(rows=1) and inner.untested == Untested(rows=2)
    part = outer.among([2, 3, 0, 1, 4])
    part.during("leaves").verdict(0, 1, (2, 3, 4))
    assert outer.untested.rows >= 2, "parts count in the same account"
    assert Inquiry(pickle.loads(pickle.dumps(whole))).untested == NOTHING


def test_with_several_workers_the_count_is_the_same():
    table = categories(200, seed=2, columns=8)
    one, two, by_processes = (
        discover(GSquare(table), mode="paper", blankets="iamb", n_jobs=jobs, workers=workers)
        for jobs, workers in ((1, None), (2, "threads"), (2, "processes"))
    )
    assert sum(one.untested) > 0 and one == two == by_processes


def test_the_count_stands_in_summary_notes_report_and_file(tmp_path):
    found = DiCoLa(ci_test="g_square", mode="exact").fit(categories(150)).discovery_
    total = sum(found.untested)
    assert 0 < total < found.tests["total"]
    assert f"{total:,} of them not testable" in found.summary()
    (note,) = (each for each in found.warnings if "too few rows" in each)
    assert f"of {found.tests['total']:,} tests" in note and f"{found.untested.rows:,} had too few rows and counted as independent" in note
    assert "without rows enough" in found.report()
    again = Discovery.read(found.write(tmp_path))
    assert again == found and again.untested == found.untested
    assert json.loads((tmp_path / "discovery.json").read_text())["untested"] == found.untested._asdict()


def test_where_everything_could_be_tested_nothing_is_said(tmp_path):
    values = np.random.default_rng(0).normal(size=(300, 4))
    for found in (discover(FisherZ(values)), discover(DegenerateGaussian(values))):
        assert found.untested == NOTHING and "testable" not in found.summary() and not found.warnings
        assert "untested" not in json.loads((found.write(tmp_path) / "discovery.json").read_text())


def test_the_sentence_says_what_was_taken_for_an_answer():
    settings = {"untestable": "independent", "determined": "dependent"}
    assert Untested(1200, 3).sentence(4000, settings) == (
        "of 4,000 tests, 1,200 had too few rows and counted as independent; "
        "3 asked about a variable that those held fixed determine, and counted as dependent."
    )
    assert Untested(0, 1).sentence(1, {}).endswith("and counted as independent."), "as tests of blocks answer"


def test_around_one_variable_it_is_a_note():
    assert any("too few rows" in each for each in local(GSquare(categories(150)), "D").warnings)
    assert any("those held fixed determine" in each for each in local(GSquare(categories(600)), "F").warnings)


def test_levels_taken_together_and_raised_variances_are_noted():
    rng = np.random.default_rng(3)
    group = np.array(list("abcd"))[rng.choice(4, size=300, p=[0.5, 0.48, 0.01, 0.01])]
    frame = pd.DataFrame({"group": group, "x": rng.normal(size=300), "y": rng.normal(size=300)})
    found = DiCoLa(ci_test="degenerate_gaussian").fit(frame).discovery_
    assert "levels of 'group' that have fewer than 5 rows are taken together." in found.warnings
    frame["group"] = np.array(list("abc"))[rng.integers(3, size=300)]
    frame["same"] = np.where(frame["group"] == "a", "yes", "no")
    test = DegenerateGaussian(frame)
    assert test.has_ridge and any("raised by a millionth" in each for each in discover(test).warnings)
    assert any("raised by a millionth" in each for each in local(test, "x").warnings)
    assert discover(DegenerateGaussian(frame[["x", "y"]])).warnings == () == DegenerateGaussian(frame[["x", "y"]]).notes()
