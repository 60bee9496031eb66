"""``--out`` and ``--checkpoint``: where results go, and what they are not mixed with."""

from __future__ import annotations

import shutil

import pytest
from typer.testing import CliRunner

from dicola.cli.app import app


def run(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.mark.parametrize("command", ["fit", "oracle", "demo", "simulate"])
@pytest.mark.parametrize("out", ["", ".", "./"])
def test_the_current_folder_is_no_place_for_results(command, out, small, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = {"fit": [small / "table.csv"], "oracle": [small / "dag.csv"], "demo": []}
    arguments["simulate"] = ["--er", "5,2", "--latents", "0", "--samples", "9", "--seed", "1"]
    done = run(command, *arguments[command], "--out", out)
    assert done.exit_code == 1 and "is the current folder; results need a folder of their own" in str(done.exception)
    assert list(tmp_path.iterdir()) == []


def test_the_surroundings_of_a_variable_take_the_place_of_a_whole_result_and_back(small, tmp_path):
    for first, second in (([], ["--target", "X1"]), (["--target", "X1"], []), (["--bootstrap", "2"], [])):
        for arguments, name in ((first, "both"), (second, "both"), (second, "alone")):
            assert run("fit", small / "table.csv", *arguments, "--out", tmp_path / name).exit_code == 0
        both, alone = ({path.name for path in (tmp_path / name).iterdir()} for name in ("both", "alone"))
        assert both == alone
        for name in both - {"timing.json", "report.html"}:
            assert (tmp_path / "both" / name).read_bytes() == (tmp_path / "alone" / name).read_bytes(), name
        shutil.rmtree(tmp_path / "both")
        shutil.rmtree(tmp_path / "alone")


def test_settings_are_written_with_the_results_and_sealed_with_them(small, tmp_path):
    assert run("fit", small / "table.csv", "--out", tmp_path / "r").exit_code == 0
    with (tmp_path / "r" / "settings.toml").open("a") as file:
        file.write("# another run\n")
    done = run("report", tmp_path / "r")
    assert done.exit_code == 1 and "not written together: settings.toml is of another run" in str(done.exception)


def test_a_report_made_again_is_sealed_again_and_a_simulation_does_not_mix_with_a_result(small, tmp_path):
    assert run("fit", small / "table.csv", "--out", tmp_path / "r").exit_code == 0
    assert run("report", tmp_path / "r").exit_code == 0 and run("report", tmp_path / "r").exit_code == 0
    done = run("simulate", "--er", "5,2", "--latents", 0, "--samples", 9, "--seed", 1, "--out", tmp_path / "r")
    assert done.exit_code == 1 and "belongs to the result in that folder" in str(done.exception)
    shutil.copytree(small / "simulated", tmp_path / "s")
    assert run("fit", small / "table.csv", "--out", tmp_path / "s").exit_code == 0, "the other way round nothing of it is lost"
    assert (tmp_path / "s" / "data.csv").exists() and run("report", tmp_path / "s").exit_code == 0


def test_a_checkpoint_of_another_run_is_refused_in_the_words_of_the_command_line(small, tmp_path):
    assert run("fit", small / "table.csv", "--checkpoint", tmp_path / "kept").exit_code == 0
    done = run("fit", small / "table.csv", "--checkpoint", tmp_path / "kept", "--alpha", 0.5)
    assert done.exit_code == 1 and "alpha" in str(done.exception)
    assert run("fit", small / "table.csv", "--target", "X1", "--checkpoint", tmp_path / "other").exit_code == 1
