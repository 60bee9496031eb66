"""One question to every test, side by side: in Python and on the command line."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from typer.testing import CliRunner

import dicola
from dicola import GSquare, InvalidData, InvalidSetting, compare_tests
from dicola.ci.registry import TESTS
from dicola.cli.app import app


def mixed(rows: int = 400) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    a, noise = rng.normal(size=(2, rows))
    group = np.array(list("pqr"))[rng.integers(3, size=rows)]
    grade = np.digitize(a + rng.normal(size=rows), [-1, 0, 1])
    return pd.DataFrame({"a": a, "b": a + noise, "c": a**2 + rng.normal(size=rows), "group": group, "grade": grade})


def test_numbers_are_taken_by_all_but_tests_of_counts():
    found = compare_tests(mixed(), "a", "b", "c")
    assert list(found.index) == list(TESTS) and list(found.columns) == ["n", "statistic", "freedom", "p_value", "independent", "note"]
    asked = found[found["n"].notna()]
    assert set(found.index) - set(asked.index) == {"g_square", "chi_square"}
    assert (asked["n"] == 400).all() and not asked["independent"].any() and (asked["note"] == "").all()
    assert "takes nominal, ordered, binary columns; 'a' is continuous" in found.loc["g_square", "note"]
    for name in asked.index:
        test = TESTS[name](mixed()[["a", "b", "c"]])
        assert found.loc[name, "p_value"] == test("a", "b", ["c"]).p_value


def test_a_statistic_and_its_degrees_of_freedom_make_the_p_value():
    for question in (("a", "b"), ("a", "group", "grade"), ("group", "grade"), ("c", "b", ["a", "grade"])):
        found = compare_tests(mixed(), *question, kinds={"grade": "ordered"}).dropna(subset=["statistic"])
        by_table = found.dropna(subset=["freedom"])
        assert stats.chi2.sf(by_table["statistic"], by_table["freedom"]) == pytest.approx(by_table["p_value"].to_numpy(), rel=1e-9)
        normal = found.loc[found.index.isin(["fisher_z", "gaussian_copula"])]
        assert 2 * stats.norm.sf(normal["statistic"].abs()) == pytest.approx(normal["p_value"].to_numpy(), rel=1e-9)
        assert len(by_table) + len(normal) > 2


def test_counts_are_those_of_scipy():
    found = compare_tests(mixed(), "group", "grade", kinds={"grade": "nominal"})
    table = pd.crosstab(mixed()["group"], mixed()["grade"])
    for name, power in (("g_square", "log-likelihood"), ("chi_square", "pearson")):
        theirs = stats.chi2_contingency(table, correction=False, lambda_=power)
        assert found.loc[name, ["statistic", "freedom", "p_value"]].tolist() == pytest.approx([theirs.statistic, theirs.dof, theirs.pvalue])


def test_tests_that_see_different_things_disagree():
    found = compare_tests(mixed(), "a", "c")["independent"]
    assert found["fisher_z"] and found["gaussian_copula"] and not found["basis_function"] and not found["rcit"] and not found["kci"]


def test_the_sign_of_a_normal_score_is_that_of_the_correlation():
    frame = mixed().assign(less=lambda each: -each["b"], down=lambda each: 3 - each["grade"])
    found = compare_tests(frame, "a", "less")["statistic"]
    assert found["fisher_z"] < 0 and found["gaussian_copula"] < 0
    assert compare_tests(frame, "a", "down", kinds={"down": "ordered"})["statistic"]["gaussian_copula"] < 0


def test_what_cannot_be_tested_has_a_note_and_no_p_value():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(3, size=(40, 4)), columns=list("abcd")).astype("category")
    few = compare_tests(frame, "a", "b", ["c", "d"]).loc["g_square"]
    assert few["note"] == "too few rows for this question; counted as independent" and np.isnan(few["p_value"]) and few["independent"]
    frame = pd.DataFrame(rng.integers(2, size=(400, 3)), columns=list("abc"))
    frame["d"] = frame["a"] ^ frame["b"]
    determined = compare_tests(frame, "c", "d", ["a", "b"]).loc["g_square"]
    assert determined["note"].startswith("a column is determined") and not determined["independent"]


def test_rows_with_a_gap_in_these_columns_are_left_out_for_all():
    frame = mixed()
    frame.loc[:99, "a"] = np.nan
    frame.loc[50:149, "b"] = np.nan
    frame.loc[:, "c"] = np.nan
    assert compare_tests(frame, "a", "b")["n"].dropna().unique().tolist() == [250]
    told = mixed()
    told.loc[:99, "b"] = -999.0
    assert compare_tests(told, "a", "b", missing_values=[-999])["n"].max() == 300


def test_what_a_column_is_does_not_depend_on_the_columns_asked_about():
    rng = np.random.default_rng(4)
    code, follows = rng.integers(3, size=300), rng.normal(size=300)
    frame = pd.DataFrame({"code": code, "up": code + follows, "bent": (code == 1) * 3 + rng.normal(size=300)})
    assert dicola.look(frame).of_kind("nominal") == ("code",)
    assert "'code' is nominal" in compare_tests(frame, "code", "up").loc["fisher_z", "note"]


def test_the_full_kernel_test_is_spared_many_rows():
    assert "more than 1,000 rows" in compare_tests(mixed(1200), "a", "b").loc["kci", "note"]


def test_a_test_of_ones_own_is_asked_too():
    class Own(GSquare):
        name = "own"

        def p_values(self, x, y, sets):
            return np.full(len(sets), 0.25)

    TESTS.add(Own)
    try:
        own = compare_tests(mixed(), "group", "grade", kinds={"grade": "nominal"}).loc["own"]
    finally:
        TESTS.remove("own")
    assert own["p_value"] == 0.25 and own["independent"]


@pytest.mark.parametrize(
    ("question", "error", "told"),
    [
        (("a", "z"), InvalidData, "no column 'z'"),
        (("a", "a"), InvalidSetting, "different columns"),
        (("a", "b", ["a"]), InvalidSetting, "different columns"),
        (("a", "one"), InvalidData, "'one' is constant"),
        (("a", "id"), InvalidData, "identifier"),
        (("a", "empty"), InvalidData, "'empty'"),
        (("left", "right"), InvalidData, "3 rows have no gap"),
    ],
)
def test_what_cannot_be_asked_is_a_sentence(question, error, told):
    frame = mixed().assign(one=1.0, empty=np.nan, id=[f"no-{i}" for i in range(400)])
    frame["left"] = np.where(np.arange(400) < 203, frame["a"], np.nan)
    frame["right"] = np.where(np.arange(400) >= 200, frame["b"], np.nan)
    with pytest.raises(error, match=told):
        compare_tests(frame, *question)


def test_a_level_that_is_none_is_refused():
    with pytest.raises(InvalidSetting, match="strictly between 0 and 1"):
        compare_tests(mixed(), "a", "b", alpha=2)


@pytest.fixture
def file(tmp_path):
    mixed().to_csv(tmp_path / "table.csv", index=False)
    return tmp_path / "table.csv"


def test_the_command_prints_a_table_with_every_test(file):
    done = CliRunner().invoke(app, ["compare-tests", str(file), "a", "group", "--given", "b,grade", "--nominal", "grade"])
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert all(any(line.strip().startswith(name) for line in lines) for name in TESTS)
    assert "degenerate_gaussian" in done.stdout and "'group' is nominal" in " ".join(done.stdout.split())
    assert max(map(len, lines)) <= 110 and "at 0.01" in done.stdout


def test_the_command_prints_json_that_is_valid_and_equal_to_the_frame(file):
    done = CliRunner().invoke(app, ["compare-tests", str(file), "a", "group", "--json"])
    facts = json.loads(done.stdout, parse_constant=lambda name: pytest.fail(name))["tests"]
    frame = compare_tests(dicola.read_table(file), "a", "group")
    assert [each["test"] for each in facts] == list(frame.index)
    for each in facts:
        row = frame.loc[each["test"]]
        assert each["p_value"] is None if np.isnan(row["p_value"]) else each["p_value"] == row["p_value"]
