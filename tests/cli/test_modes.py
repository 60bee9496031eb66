"""Modes on the command line: listed, compared on a table, chosen, repeated from a settings file."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from dicola.cli.app import app
from dicola.pipeline.modes import MODES

runner = CliRunner()


def run(*arguments: object) -> str:
    done = runner.invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_modes_are_listed_with_their_guarantee():
    text, facts = run("modes"), json.loads(run("modes", "--json"))["modes"]
    assert [mode["name"] for mode in facts] == list(MODES)
    assert all(mode.name in text and mode.guarantee in text for mode in MODES.values())
    assert "an oracle included" in text


def test_modes_are_compared_on_a_table(small):
    chosen = ("--mode", "exact", "--mode", "paper")
    facts = json.loads(run("modes", small / "table.csv", *chosen, "--json"))
    assert list(facts["modes"]) == ["exact", "paper"] and 0 < facts["agreement"]["exact and paper"]["skeleton"]["f1"] <= 1
    assert "independences rejected" in run("modes", small / "table.csv", *chosen)


def test_fit_says_which_mode_and_why(small, tmp_path):
    assert "mode: exact\n" in run("fit", small / "table.csv", "--mode", "exact")
    assert "mode: balanced, as 'fast' is another name" in run("fit", small / "table.csv", "--mode", "fast")
    for chosen in ((), ("--mode", "auto")):
        text = run("fit", small / "table.csv", *chosen)
        assert "mode: balanced, as the columns can be scored" in text and "; --mode exact goes by tests alone\n" in text


def test_a_mode_is_repeated_from_the_settings_it_wrote(small, tmp_path):
    run("fit", small / "table.csv", "--mode", "balanced", "--seed", 5, "--legalize", "--out", tmp_path / "one")
    run("fit", small / "table.csv", "--config", tmp_path / "one" / "settings.toml", "--out", tmp_path / "two")
    one, two = ((tmp_path / name / "discovery.json").read_text(encoding="utf-8") for name in ("one", "two"))
    assert one == two and json.loads(one)["settings"]["mode"] == "balanced"
    settings = (tmp_path / "one" / "settings.toml").read_text(encoding="utf-8")
    assert 'mode = "balanced"' in settings and "seed = 5" in settings and "legalize = true" in settings
