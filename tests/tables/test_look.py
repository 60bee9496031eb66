"""What a look at a table says, all at once, with the command that goes on."""

from __future__ import annotations

import json
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import dicola
from dicola import InvalidSetting, Look, look
from dicola.cli.app import app
from tests.tables.examples import held

N = 300
RNG = np.random.default_rng(8)
X = RNG.normal(size=N)


def messy() -> pd.DataFrame:
    """One column of every sort."""
    return pd.DataFrame(
        {
            "id": range(1, N + 1),
            "x": X,
            "y": X + RNG.normal(size=N),
            "skewed": np.exp(2 * RNG.normal(size=N)),
            "total": 0.0,
            "sex": RNG.choice(["f", "m"], N),
            "site": RNG.choice(["A", "B", "C"], N),
            "grade": RNG.integers(1, 6, N),
            "flat": 7,
            "x again": X,
            "site code": 0,
            "when": pd.date_range("2020-01-01", periods=N),
            "note": [f"text {i // 2}" for i in range(N)],
            "age": ["forty", *RNG.normal(50, 9, N - 1)],
            "income": np.where(X > 0.5, np.nan, RNG.normal(size=N)),
            "bare": [1.5, 2.0, *[None] * (N - 2)],
        }
    ).assign(total=lambda t: t["x"] + t["y"], **{"site code": lambda t: t["site"].map({"A": "n", "B": "s", "C": "w"})})


def test_everything_is_told_at_once():
    seen = look(messy())
    assert set(seen.left_out) == {"id", "flat", "x again", "site code", "when", "note", "bare", "total"}
    told = {what: seen.about(what) for what in ("identifier", "constant", "copy", "date", "text", "empty", "function", "words", "skewed")}
    assert told == {
        "identifier": ("id",),
        "constant": ("flat",),
        "copy": ("x again", "site code"),
        "date": ("when",),
        "text": ("note",),
        "empty": ("bare",),
        "function": ("total",),
        "words": ("age",),
        "skewed": ("skewed",),
    }
    assert seen.about("gaps") == ("age", "income") and seen.about("gaps_depend") == ("income",)
    assert (
        seen.of_kind("binary") == ("sex", "bare")
        and seen.of_kind("nominal") == ("site", "site code")
        and seen.of_kind("ordered") == ("grade",)
    )
    assert seen.table is not None and seen.table.names == ("x", "y", "skewed", "sex", "site", "grade", "age", "income")
    assert {finding.what for finding in seen.problems} == set(told) - {"skewed"}


def test_the_one_command_that_goes_on_spells_out_what_is_done():
    seen = look(messy())
    assert seen.missing == "em"
    assert seen.command("t.csv") == "dicola fit t.csv --drop 'id,flat,when,note,bare,x again,site code,total' --missing em"
    assert seen.call().startswith("DiCoLa(drop=['id', 'flat'") and seen.call().endswith("missing='em').fit(frame)")
    assert look(messy()[["x", "y"]]).command("t.csv") == "dicola fit t.csv"


def test_the_sentences_name_what_was_found():
    text = str(look(messy()))
    for part in (
        "'id' counts the rows (an identifier); it is left out.",
        "'total' is an exact linear function of 'x' and 'y'; it is left out.",
        "'site code' is a copy, level for level, of 'site'; it is left out.",
        "'age': 1 entry that is no number is a gap ('forty' in row 1).",
        "the gaps of 'income' depend on 'x', so they are not left by chance alone.",
        "left out: constant",
    ):
        assert part in text, part
    assert str(look(messy()[["x", "y"]])).endswith("- nothing stands in the way.")


def test_what_the_user_says_is_heeded():
    seen = look(messy(), kinds={"id": "continuous", "grade": "nominal"}, drop="when", missing_values=[7])
    assert "id" not in seen.left_out and seen.of_kind("nominal") == ("site", "grade", "site code")
    assert seen.about("told") == ("when",) and "'flat' is empty" in str(seen)
    with pytest.raises(InvalidSetting, match="'nobody'"):
        look(messy(), drop=["nobody"])


def test_a_look_can_be_written_down_and_shown():
    seen = look(messy())
    facts = json.loads(json.dumps(seen.to_dict()))
    assert Look.from_dict(facts) == seen
    html = look(pd.DataFrame({"<b>": X, "y": X * 2 + RNG.normal(size=N), "k": 1}))._repr_html_()
    assert "&lt;b&gt;" in html and "<b>" not in html and "is constant" in html and "<script" not in html
    assert list(seen.to_pandas()["name"]) == list(messy())


def test_a_large_table_is_told_in_short():
    wide = pd.DataFrame(RNG.normal(size=(30, 700))).add_prefix("c").assign(k=1)
    seen = look(wide)
    assert seen.n_columns == 701 and [column.name for column in seen.columns] == ["k"]
    assert "700 more columns" in str(seen) and "700 more columns" in seen._repr_html_()


def test_the_command_prints_the_same_look(tmp_path):
    file = tmp_path / "t.csv"
    messy().to_csv(file, index=False)
    done = CliRunner().invoke(app, ["look", str(file)])
    assert done.exit_code == 0 and "an identifier" in done.stdout and f"go on with: dicola fit {file} --drop" in done.stdout
    facts = json.loads(CliRunner().invoke(app, ["look", str(file), "--json", "--ordered", "site", "--drop", "note"]).stdout)
    kinds = {column["name"]: column["kind"] for column in facts["seen"]}
    assert kinds["site"] == "ordered" and "note" not in kinds and facts["command"].startswith(f"dicola fit {file} --drop 'note,")


def test_looking_changes_nothing_and_is_public():
    frame = messy()
    before = frame.copy(deep=True)
    table = look(frame).table
    assert frame.equals(before) and table is not None and not held(table).flags.writeable
    assert {"look", "Look"} <= set(dicola.__all__)


def test_a_table_from_text_is_seen_like_the_frame():
    frame = messy()[["x", "sex", "grade", "flat"]]
    assert look(pd.read_csv(StringIO(frame.to_csv(index=False)))).to_dict() == look(frame).to_dict()
