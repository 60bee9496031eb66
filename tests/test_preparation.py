"""Tables as they are, through every door: what is left out is told, gaps are bridged, and knowledge heeds it."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from dicola import CallableTest, DiCoLa, Discovery, FisherZ, InvalidData, InvalidSetting, Knowledge, compare_modes, simulate
from dicola.cli.app import app
from dicola.pipeline import preparation
from dicola.report.page import page

DAG = simulate.er_dag(8, 2, seed=4)
CLEAN = simulate.linear_gaussian(DAG, 400, seed=4)


def messy() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    frame = CLEAN.assign(id=range(400), flat=1, twin=CLEAN["X1"], total=CLEAN["X1"] + CLEAN["X2"], word=rng.choice(["f", "m"], 400))
    frame["X3"] = frame["X3"].mask(rng.random(400) < 0.2)
    return frame


def test_a_messy_table_goes_in_as_it_is_and_everything_is_told():
    model = DiCoLa().fit(messy())
    found = model.discovery_
    assert set(found.pag.names) == {*CLEAN, "word"}
    notes = "\n".join(found.warnings)
    for part in ("'id' counts the rows", "'flat' is constant", "'twin' is a copy of 'X1'", "'total' is an exact linear function", "by EM"):
        assert part in notes, part
    assert found.look is not None and set(found.look.left_out) == {"id", "flat", "twin", "total"}
    assert found.settings["missing"] == "em" and found.settings["kinds"] == {"word": "binary"}
    assert model.n_features_in_ == 13 and list(model.feature_names_in_) == list(messy())


def test_what_is_left_out_does_not_change_the_rest():
    plain, more = DiCoLa().fit(CLEAN), DiCoLa().fit(CLEAN.assign(id=range(400), flat=1, twin=CLEAN["X1"]))
    assert plain.pag_ == more.pag_ and plain.discovery_.tests == more.discovery_.tests
    assert plain.discovery_.look is not None and not plain.discovery_.look.findings and "kinds" not in plain.discovery_.settings


def test_linear_functions_leave_the_last_column_also_without_gaps():
    frame = CLEAN.assign(sum=CLEAN["X1"] - CLEAN["X2"], heat=32 + 1.8 * CLEAN["X3"])
    found = DiCoLa().fit(frame[["heat", *CLEAN, "sum"]]).discovery_
    assert found.look is not None and found.look.left_out == ("X3", "sum"), "the last of them, in the user's order"
    with pytest.raises(InvalidData, match=r"2 things stand in the way: \(1\) .*\(2\)"):
        DiCoLa(strict=True).fit(frame)


def test_a_result_with_its_look_is_written_read_and_reported(tmp_path):
    found = DiCoLa().fit(messy()).discovery_
    back = Discovery.read(found.write(tmp_path))
    assert back == found and back.look == found.look and back.settings == found.settings
    html = page(found)
    assert "<h2>The table</h2>" in html and "&#x27;twin&#x27; is a copy" in html.replace("&#39;", "&#x27;")
    assert "<h2>The table</h2>" not in page(DiCoLa().fit(CLEAN).discovery_)


def test_a_run_is_made_again_from_its_record():
    rows = messy()
    found = DiCoLa(missing_values=[-999]).fit(rows.fillna(-999)).discovery_
    again = DiCoLa.from_record(json.loads(json.dumps(found.settings))).fit(rows.fillna(-999))
    assert again.pag_ == found.pag and again.discovery_.settings["missing"] == "em"


@pytest.mark.parametrize("way", ["listwise", "testwise", "em", "impute"])
def test_every_way_around_gaps_says_what_it_assumes(way):
    found = DiCoLa(missing=way, seed=3).fit(messy()).discovery_
    assert found.settings["missing"] == way
    (note,) = (text for text in found.warnings if "missing" in text)
    assert ("completely" in note) == (way in ("listwise", "testwise"))
    assert found == DiCoLa(missing=way, seed=3).fit(messy()).discovery_
    assert found.settings["test"]["name"] == ("FisherZ" if way == "testwise" else "BasisFunction")


def test_gaps_are_refused_where_that_is_asked_for():
    with pytest.raises(InvalidData, match=r"gaps in 1 column.*'X3'.*missing='em'"):
        DiCoLa(missing="error").fit(messy())
    assert DiCoLa(missing="error").fit(CLEAN).pag_ == DiCoLa().fit(CLEAN).pag_
    with pytest.raises(InvalidSetting, match="missing is 'ignore'"):
        DiCoLa(missing="ignore").fit(CLEAN)


def test_knowledge_of_a_column_left_out_gets_a_note():
    knowledge = Knowledge(tiers=[["id", "X1"], ["X2", "flat"]], forbidden=[("twin", "X4")])
    found = DiCoLa(mode="exact", knowledge=knowledge).fit(messy()).discovery_
    assert any("the knowledge speaks of 'flat', 'id', 'twin', left out" in text for text in found.warnings)
    with pytest.raises(InvalidSetting, match="'nobody'"):
        DiCoLa(mode="exact", knowledge=Knowledge(forbidden=[("nobody", "X1")])).fit(messy())


def test_causes_of_an_age_get_a_hint_where_nothing_was_said():
    rng = np.random.default_rng(0)
    a, b, *noise = rng.normal(size=(5, 2000))
    x = a + b + noise[0]
    frame = pd.DataFrame({"a": a, "b": b, "x": x, "patient age": x + noise[1], "storage": x + noise[2]})

    def hints(columns: list[str], **settings) -> list[str]:
        return [note for note in DiCoLa(mode="exact", **settings).fit(frame[columns]).discovery_.warnings if "in this graph" in note]

    text = 'in this graph other columns cause {!r}. If nothing in the table does, say so with knowledge: forbidden = [["*", "{}"]]'
    assert hints(list(frame)) == [text.format("patient age", "patient age")]  # x --> storage is nothing to wonder at
    assert hints(list(frame), knowledge=Knowledge(forbidden=[["*", "patient age"]])) == []
    frame = frame.rename(columns={"patient age": "y", "x": "Sex"})
    assert hints(["a", "b", "Sex"]) == []  # a o-> Sex: a need not cause it


def test_a_held_out_row_is_scored_by_the_columns_that_were_used():
    model = DiCoLa(ci_test="fisher_z").fit(messy())
    held_out = messy().fillna(0.0)
    assert model.score(held_out) == pytest.approx(model.score(held_out.assign(flat=9, id=0)))
    with pytest.raises(InvalidData, match="missing"):
        model.score(messy())


def test_a_test_of_the_users_own_sees_the_columns_that_are_left():
    seen = []

    def own(table, alpha):
        seen.append(table)
        return CallableTest(lambda x, y, z: 0.5, names=table.names, alpha=alpha)

    DiCoLa(ci_test=own, missing="listwise").fit(messy())
    assert set(seen[-1].names) >= {*CLEAN, "word"} and "id" not in seen[-1].names and seen[-1].n_samples < 400


def test_the_command_line_takes_the_same_settings(tmp_path):
    file = tmp_path / "t.csv"
    messy().to_csv(file, index=False)
    options = ["--drop", "X8", "--nominal", "word", "--test", "fisher_z", "--missing-values", "-999,none", "--json"]
    refused = CliRunner().invoke(app, ["fit", str(file), *options])
    assert isinstance(refused.exception, InvalidData) and "'word' (nominal)" in str(refused.exception)
    done = CliRunner().invoke(
        app, ["fit", str(file), "--drop", "X8,word", "--missing", "testwise", "--json", "--out", str(tmp_path / "out")]
    )
    facts = json.loads(done.stdout)
    assert "X8" not in facts["nodes"] and facts["settings"]["missing"] == "testwise"
    assert facts["settings"]["drop"] == ["X8", "word", "id", "flat", "twin", "total"]
    again = CliRunner().invoke(app, ["fit", str(file), "--json", "--config", str(tmp_path / "out" / "settings.toml")])
    assert json.loads(again.stdout)["edges"] == facts["edges"]


def test_kinds_stand_in_a_settings_file(tmp_path):
    file = tmp_path / "t.csv"
    CLEAN.assign(**{"a,b": np.arange(400) % 3}).to_csv(file, index=False)
    (tmp_path / "s.toml").write_text('drop = "X1"\n[kinds]\n"a,b" = "continuous"\nX2 = "continuous"\n')
    done = CliRunner().invoke(app, ["fit", str(file), "--config", str(tmp_path / "s.toml"), "--json"])
    assert done.exit_code == 0, done.output
    assert "kinds" not in json.loads(done.stdout)["settings"] and "a,b" in json.loads(done.stdout)["nodes"]


def test_around_one_variable_the_table_is_read_likewise(tmp_path):
    file = tmp_path / "t.csv"
    messy().to_csv(file, index=False)
    done = CliRunner().invoke(app, ["fit", str(file), "--target", "X2", "--missing", "em"])
    assert done.exit_code == 0 and "'id' counts the rows" in done.stdout


def test_modes_are_compared_on_a_messy_table():
    assert len(compare_modes(messy(), ["exact", "paper"]).fits) == 2


def test_a_test_made_by_hand_stays_strict():
    with pytest.raises(InvalidData, match="missing"):
        FisherZ(messy().drop(columns=["word", "flat"]))


@pytest.mark.parametrize("n", [5, 6, 8, 12])
def test_a_few_rows_of_many_columns_are_answered(n):
    rows = simulate.linear_gaussian(simulate.er_dag(27, 3, seed=9), 2000, seed=9)
    assert len(DiCoLa().fit(rows.iloc[:n]).pag_) == 27


def test_names_of_what_is_given_are_whole_words():
    given = ("age", "Age (years)", "patient_age", "SEX", "gender2", "date_of_birth", "birth year", "birthday")
    other = ("péage", "traçage", "dosage", "storage", "asexual", "ageé", "average")
    assert [preparation._GIVEN.fullmatch(name) is not None for name in (*given, *other)] == [True] * len(given) + [False] * len(other)


def test_skewness_is_told_where_gaps_choose_the_test():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(np.exp(2 * rng.normal(size=(300, 4))), columns=list("abcd"))
    gaps = frame.mask(rng.random(frame.shape) < 0.03)
    for settings in ({}, {"ci_test": "fisher_z"}):
        found = DiCoLa(missing="testwise", **settings).fit(gaps).discovery_
        assert any("which skewed columns rarely have" in note for note in found.warnings)
