"""``dicola paper``, the door and the commands behind it, on a study of two methods and a handful of runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import dicola
from dicola.cli.app import app, main
from dicola.errors import InvalidSetting
from dicola_experiments.commands import duration
from dicola_experiments.rows import Rows
from tests.cli.conftest import EXPERIMENTS, TINY_STUDY


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A folder whose study was run once, and what the command said."""
    folder = tmp_path_factory.mktemp("paper")
    (folder / "tiny.toml").write_text(TINY_STUDY)
    (folder / EXPERIMENTS.name).symlink_to(EXPERIMENTS)
    said = CliRunner().invoke(app, ["paper", "run", "tiny", "--folder", str(folder)])
    assert said.exit_code == 0, said.output
    return folder, said


@pytest.fixture
def folder(done, tmp_path):
    shutil.copytree(done[0], tmp_path / "paper", symlinks=True)
    return tmp_path / "paper"


def paper(*arguments: object) -> object:
    return CliRunner().invoke(app, ["paper", *map(str, arguments)])


def test_a_run_says_where_its_rows_are_and_how_many(done):
    folder, said = done
    assert said.stdout == f"tiny: 8 rows, 8 of them new, in {folder / 'results' / 'tiny.jsonl'}; complete\n" and said.stderr == ""
    assert len(Rows(folder / "results", "tiny")) == 8


def test_what_is_done_is_not_run_again_and_more_repetitions_add_to_it(folder):
    before = (folder / "results" / "tiny.jsonl").read_bytes()
    assert json.loads(paper("run", "tiny", "--folder", folder, "--json").stdout)["new"] == 0
    assert (folder / "results" / "tiny.jsonl").read_bytes() == before
    facts = json.loads(paper("run", "tiny", "--folder", folder, "--repetitions", 3, "--method", "fci", "--json").stdout)
    assert (facts["new"], facts["left"], facts["complete"]) == (2, 0, True)
    assert json.loads(paper("run", "all", "--folder", folder, "--json").stdout)["studies"][0]["new"] == 0


def test_a_spent_budget_leaves_runs_and_says_so(tmp_path, monkeypatch):
    """The folder of the studies holds no code; that of the clone we stand in will do."""
    monkeypatch.chdir(EXPERIMENTS.parents[1])
    (tmp_path / "tiny.toml").write_text(TINY_STUDY)
    said = paper("run", "tiny", "--folder", tmp_path, "--budget", "0s")
    assert said.stdout.endswith("; 8 runs are left; the same command goes on from here\n")


def test_list_and_show_tell_how_far_a_study_is(folder):
    assert paper("list", "--folder", folder).stdout == "tiny  complete  Tiny\n"
    shown = paper("show", "tiny", "--folder", folder).stdout
    assert "F1 of the skeleton: ER(12,2), 1 hidden, pool any" in shown and "(2)" in shown
    outcomes = json.loads(paper("show", "tiny", "--folder", folder, "--json").stdout)["outcomes"]
    assert len(outcomes) == 4 and outcomes[0]["means"]["tests"]["n"] == 2
    assert "no runs yet; make them with: dicola paper run tiny" in paper("show", "tiny", "--folder", folder, "--results", "none").stdout


def test_the_report_is_written_with_figures_and_the_rows_are_packed(folder):
    said = paper("report", "--folder", folder)
    assert said.exit_code == 0, said.output
    assert (folder / "figures" / "tiny.svg").exists() and not (folder / "results" / "tiny.jsonl").exists()
    text = (folder / "REPRODUCTION.md").read_text()
    assert "![Tiny](figures/tiny.svg)" in text
    before = {path: path.stat().st_mtime_ns for path in (folder / "REPRODUCTION.md", *(folder / "figures").iterdir())}
    assert paper("report", "--folder", folder, "--quiet").exit_code == 0
    assert {path: path.stat().st_mtime_ns for path in before} == before, "what did not change is not written again"
    assert json.loads(paper("run", "tiny", "--folder", folder, "--json").stdout)["new"] == 0


def test_an_interrupted_run_says_how_far_it_is(folder, monkeypatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("dicola_experiments.run.run_study", interrupted)
    said = paper("run", "tiny", "--folder", folder, "--repetitions", 5)
    expected = "dicola: interrupted; tiny has 8 rows, 12 runs are left. The same command goes on from here.\n"
    assert (said.exit_code, said.stderr) == (130, expected)


def test_a_library_that_is_not_installed_is_named(folder, monkeypatch):
    (folder / "tiny.toml").write_text(TINY_STUDY.replace('"fci", ', '"fci", "rcd l-marvel", '))
    for module in ("dicola_experiments.methods", "dicola_experiments.run"):
        monkeypatch.setattr(f"{module}.is_installed", lambda method: method != "rcd l-marvel")
    said = paper("run", "tiny", "--folder", folder)
    assert said.stdout.startswith("tiny: rcd l-marvel skipped; not installed: rcd.\n") and said.stdout.endswith("complete\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run", "tini"], "there is no study 'tini'. Did you mean 'tiny'? Known: tiny.\n"),
        (["run", "tiny", "--budget", "soon"], "--budget is 'soon'; write a time like 90s, 30m, 2h or 1h30m.\n"),
        (["run", "tiny", "--method", "magic"], "'magic' is not a method. Known: "),
    ],
)
def test_mistakes_are_one_sentence(arguments, sentence, folder, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["dicola", "paper", *arguments, "--folder", str(folder)])
    with pytest.raises(SystemExit, match="1"):
        main()
    assert capsys.readouterr().err.startswith(f"dicola: {sentence}")


@pytest.mark.parametrize("arguments", [["list"], ["run", "smoke"], ["list", "--folder", "mine"], ["nothing"]], ids=" ".join)
def test_outside_a_clone_one_is_told_so(arguments, tmp_path, monkeypatch, capsys):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "tiny.toml").write_text(TINY_STUDY)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["dicola", "paper", *arguments])
    with pytest.raises(SystemExit, match="1"):
        main()
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1
    assert said.err.startswith("dicola: the paper's experiments live in the repository's folder paper/ and come with a clone")


def test_help_lists_the_commands_in_a_clone_and_elsewhere_says_what_is_needed(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.chdir(EXPERIMENTS.parents[1])
    inside = paper("--help").stdout
    assert [name for name in ("list", "run", "show", "report") if f"│ {name} " in inside] == ["list", "run", "show", "report"]
    monkeypatch.chdir(tmp_path)
    elsewhere = paper("--help")
    assert elsewhere.exit_code == 0 and "and come with a clone of the repository" in elsewhere.stdout and "│ report" not in elsewhere.stdout


def python(code: str, *arguments: object, cwd: Path) -> str:
    """What a process of its own prints that finds the library and no experiments."""
    environment = {**os.environ, "PYTHONPATH": str(Path(dicola.__file__).parents[1])}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("spelled", [["--folder", "paper"], ["--folder=paper"]], ids=" ".join)
def test_the_code_is_found_in_the_folder_named_also_by_workers(spelled, folder, tmp_path):
    for path in (folder / "results").iterdir():
        path.unlink()
    folder.rename(tmp_path / "renamed")
    named = [part.replace("paper", str(tmp_path / "renamed")) for part in spelled]
    said = python("from dicola.cli.app import main; main()", "paper", "run", "tiny", "--method", "fci", "--json", *named, cwd=tmp_path)
    assert json.loads(said)["new"] == 4
    assert {row["status"] for row in Rows(tmp_path / "renamed" / "results", "tiny")} == {"done"}


def test_the_folder_of_the_code_joins_the_path_at_its_end_and_once(folder, tmp_path):
    code = """
import sys
from typer.testing import CliRunner
from dicola.cli.app import app
before = list(sys.path)
for _ in range(2):
    assert CliRunner().invoke(app, ["paper", "list"]).exit_code == 0
assert sys.path[: len(before)] == before
print(*sys.path[len(before) :])
"""
    assert python(code, cwd=tmp_path) == f"{folder.resolve()}\n"


@pytest.mark.parametrize(("typed", "expected"), [("dicola paper re", {"report"}), ("dicola paper show sm", {"smoke"})])
def test_the_shell_completes_commands_and_studies_in_a_clone(typed, expected, monkeypatch):
    monkeypatch.chdir(EXPERIMENTS.parents[1])
    words = {"_DICOLA_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1)}
    assert set(CliRunner().invoke(app, [], env=words, prog_name="dicola").output.split()) == expected


def test_rows_that_another_run_writes_are_left_alone(folder, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["dicola", "paper", "run", "tiny", "--folder", str(folder)])
    with Rows(folder / "results", "tiny").writing(), pytest.raises(SystemExit, match="1"):
        main()
    assert "another run is writing to" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "2", "h", "-1h", "1s2h"])
def test_a_time_has_units_in_order(text):
    with pytest.raises(InvalidSetting, match="write a time like"):
        duration(text)


def test_networks_that_lie_outside_the_repository_are_named_where_no_folder_is_given(folder, tmp_path):
    series = (
        '[[series]]\ngraph = "MAGIC-NIAB"\nhidden = 0\npool = "any"\nsamples = [40]\nmethods = ["mode paper"]\ncap = 60\nrepetitions = 3\n'
    )
    (folder / "given.toml").write_text(f'title = "T"\nshows = "S"\nkind = "accuracy"\n{series}')
    said = paper("run", "given", "--folder", folder)
    assert said.stdout.startswith("given: MAGIC-NIAB skipped; read from a folder outside the repository: name it with --data.\n")
    refused = paper("run", "given", "--folder", folder, "--data", folder / "given.toml")
    assert "is no folder; given reads networks from one" in str(refused.exception)
    (tmp_path / "magic-niab.csv").write_text("child,parent,coefficient\nB,A,0.5\nC,B,0.5\n")
    (tmp_path / "magic-niab_nodes.csv").write_text("node,intercept,variance\nA,0,1\nB,0,1\nC,0,1\n")
    assert paper("run", "given", "--folder", folder, "--data", tmp_path, "--first-seed", "300").stdout.endswith("complete\n")
    shown = paper("show", "given", "--folder", folder).stdout
    assert "MAGIC-NIAB/0 any N=40" in shown and "mode paper" in shown
