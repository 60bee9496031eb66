"""A run is repeated from the settings written beside its results."""

from __future__ import annotations

import tomllib

import pytest
from typer.testing import CliRunner

from dicola import InvalidSetting, read_table
from dicola.cli.app import app
from dicola.cli.settings_file import _toml

CLOCKED = {"timing.json", "report.html"}  # they tell the seconds


def run(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def contents(folder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name not in CLOCKED}


def test_a_fit_is_repeated_byte_for_byte(small, tmp_path):
    odd = ["--learner", "fci+", "--alpha", 0.05, "--uig-alpha", 1e-7, "--max-condition-size", 3, "--colliders", "majority", "--jobs", 2]
    first = run("fit", small / "table.csv", *odd, "--out", tmp_path / "first")
    again = run("fit", small / "table.csv", "--config", tmp_path / "first/settings.toml", "--out", tmp_path / "again")
    assert first.exit_code == again.exit_code == 0, again.output
    assert contents(tmp_path / "first") == contents(tmp_path / "again")
    assert "settings.toml" in contents(tmp_path / "first")


def test_an_oracle_run_and_a_simulation_are_repeated_byte_for_byte(small, tmp_path):
    latents = (small / "latents.txt").read_text().split()
    options = [word for name in latents for word in ("--latent", name)]
    run("oracle", small / "dag.csv", *options, "--learner", "icd", "--out", tmp_path / "o1")
    run("oracle", small / "dag.csv", "--config", tmp_path / "o1/settings.toml", "--out", tmp_path / "o2")
    assert contents(tmp_path / "o1") == contents(tmp_path / "o2")
    assert tomllib.loads((tmp_path / "o1/settings.toml").read_text())["latent"] == latents
    run("simulate", "--config", small / "simulated/settings.toml", "--out", tmp_path / "s")
    assert contents(small / "simulated") == contents(tmp_path / "s")


def test_options_win_over_the_file_and_the_file_over_defaults(small, tmp_path):
    (tmp_path / "mine.toml").write_text('alpha = 0.05\nlearner = "rfci"\nmax_depth = 2\nalone = false\n')
    run("fit", small / "table.csv", "--config", tmp_path / "mine.toml", "--alpha", 0.001, "--out", tmp_path / "r")
    written = tomllib.loads((tmp_path / "r/settings.toml").read_text())
    assert (written["alpha"], written["learner"], written["max-depth"], written["alone"]) == (0.001, "rfci", 2, False)


def test_what_does_not_touch_the_answer_is_not_written(small):
    written = tomllib.loads((small / "results/settings.toml").read_text())
    assert not {"jobs", "workers", "out", "json", "quiet", "config"} & set(written)
    assert "SHA-256" in (small / "results/settings.toml").read_text()


def test_a_knowledge_file_is_found_from_any_folder(small, tmp_path, monkeypatch):
    here, there = tmp_path / "here", tmp_path / "far" / "there"
    here.mkdir()
    there.mkdir(parents=True)
    names = read_table(small / "table.csv").names
    (here / "known.txt").write_text(f"/knowledge\naddtemporal\n1 {names[0]}\n2 {' '.join(names[1:])}\n", encoding="utf-8")
    monkeypatch.chdir(here)
    assert run("fit", small / "table.csv", "--knowledge", "known.txt", "--out", "results").exit_code == 0
    settings = here / "results" / "settings.toml"
    assert tomllib.loads(settings.read_text())["knowledge"] == "../known.txt"
    monkeypatch.chdir(there)
    again = run("fit", small / "table.csv", "--config", "../../here/results/settings.toml", "--out", "again")
    assert again.exit_code == 0, again.exception
    assert contents(here / "results")["discovery.json"] == contents(there / "again")["discovery.json"]
    assert tomllib.loads((there / "again/settings.toml").read_text())["knowledge"] == "../../../here/known.txt"
    third = run("fit", small / "table.csv", "--config", settings, "--knowledge", here / "known.txt", "--json")
    assert third.exit_code == 0 and '"tiers": [["' in third.stdout


def test_other_files_to_read_are_found_too_and_the_results_stay_here(small, tmp_path, monkeypatch):
    monkeypatch.chdir(small)
    assert run("oracle", "dag.csv", "--latents-file", "latents.txt", "--out", tmp_path / "o1").exit_code == 0
    monkeypatch.chdir(tmp_path)
    (tmp_path / "o1/mine.toml").write_text((tmp_path / "o1/settings.toml").read_text() + 'out = "o2"\n')
    again = run("oracle", small / "dag.csv", "--config", "o1/mine.toml")
    assert again.exit_code == 0, again.exception
    assert contents(tmp_path / "o1")["pag.json"] == contents(tmp_path / "o2")["pag.json"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("magic = 2", "'magic', which is no option"),
        ("alpha = [0.01]", "'alpha' a single value"),
        ("[fit]\nalpha = 0.01", "'fit', which is no option"),
        ("alpha", "is not TOML"),
        ('config = "other.toml"', "no option"),
    ],
)
def test_a_settings_file_that_cannot_be_followed_gets_a_sentence(small, tmp_path, text, words):
    (tmp_path / "s.toml").write_text(text)
    done = run("fit", small / "table.csv", "--config", tmp_path / "s.toml")
    assert isinstance(done.exception, InvalidSetting) and words in str(done.exception)


def test_a_settings_file_that_is_not_there_gets_a_sentence(small, tmp_path):
    done = run("fit", small / "table.csv", "--config", tmp_path / "none.toml")
    assert isinstance(done.exception, InvalidSetting) and "could not be read" in str(done.exception)


def test_a_value_of_the_wrong_kind_is_wrong_usage(small, tmp_path):
    (tmp_path / "s.toml").write_text("max-depth = 2.5")
    assert run("fit", small / "table.csv", "--config", tmp_path / "s.toml").exit_code == 2


@pytest.mark.parametrize("value", ["plain", 'quo"te', "back\\slash", "new\nline", "日本 🦊", "\x7f", "a;b"])
def test_any_text_survives_toml(value):
    assert tomllib.loads(f"key = {_toml(value)}")["key"] == value
    assert tomllib.loads(f"key = {_toml([value])}")["key"] == [value]


def test_knowledge_may_stand_in_the_settings_file_and_is_written_into_it(small, tmp_path):
    names = read_table(small / "table.csv").names
    tiers = [[names[0]], list(names[2:])]
    (tmp_path / "mine.toml").write_text(
        f'mode = "exact"\ncontexts = ["{names[1]}"]\n\n[targets]\n"{names[1]}" = ["{names[2]}"]\n\n[knowledge]\ntiers = {tiers}\n',
        encoding="utf-8",
    )
    assert run("fit", small / "table.csv", "--config", tmp_path / "mine.toml", "--out", tmp_path / "out").exit_code == 0
    written = tomllib.loads((tmp_path / "out/settings.toml").read_text())
    assert written["knowledge"] == {"tiers": tiers}
    assert (written["contexts"], written["targets"]) == (names[1], f"{names[1]}={names[2]}")
    first = contents(tmp_path / "out")
    assert run("fit", small / "table.csv", "--config", tmp_path / "out/settings.toml", "--out", tmp_path / "out").exit_code == 0
    assert contents(tmp_path / "out") == first
    (tmp_path / "mine.toml").write_text("[knowledge]\nnonsense = 1\n", encoding="utf-8")
    refused = run("fit", small / "table.csv", "--config", tmp_path / "mine.toml")
    assert refused.exit_code == 1 and "'nonsense', which is no kind of statement" in str(refused.exception)
