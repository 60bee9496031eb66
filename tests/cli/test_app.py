"""How the command line helps, completes, and ends."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import suppress

import pytest
from typer.testing import CliRunner

from dicola import FisherZ
from dicola.blankets.registry import BLANKETS
from dicola.ci.registry import TESTS
from dicola.cli import compare, convert, demo, explain, fit, modes, oracle, paper, report, simulate
from dicola.cli.app import app
from dicola.learners.registry import ALL

EXAMPLES = {
    module.__name__.rsplit(".", 1)[-1]: module.EXAMPLES
    for module in (demo, fit, simulate, oracle, compare, explain, report, convert, modes, paper)
} | {name: (f"dicola {name}", f"dicola {name} --json") for name in ("learners", "tests", "blankets")}
COMMAND = [sys.executable, "-c", "from dicola.cli.app import main; main()"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_help_shows_examples_and_they_run(name, small, tmp_path, monkeypatch):
    shown = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "200"}).output
    for path in small.iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    for example in EXAMPLES[name]:
        assert example in shown
        command = example.partition(" > ")[0].replace("--out results", "--out mine")
        for shown_name, name_here in (("L1", "X1"), ("L2", "X2"), ("Smoking", "X1"), ("Cancer", "X2")):
            command = command.replace(shown_name, name_here)
        command = command.split()
        assert command[:2] == ["dicola", name]
        done = CliRunner().invoke(app, command[1:])
        assert done.exit_code == 0, done.output


def test_every_command_has_json_on_standard_output_and_nothing_else(small, tmp_path):
    for arguments in (
        ["fit", small / "table.csv"],
        ["oracle", small / "dag.csv", "--latents-file", small / "latents.txt"],
        ["simulate", "--er", "9,2", "--latents", 1, "--samples", 20, "--seed", 1, "--out", tmp_path / "s"],
        ["compare", small / "results", small / "results"],
        ["demo", "--samples", 100, "--out", tmp_path / "d"],
        ["explain", small / "results", "X1", "X2"],
        ["report", small / "results", "--out", tmp_path / "again.html"],
        ["convert", small / "results", tmp_path / "pag.dot"],
        ["learners"],
        ["modes"],
        ["modes", str(small / "table.csv"), "--mode", "exact", "--mode", "paper"],
        ["tests"],
        ["blankets"],
        ["paper", "list", "--folder", small / "paper"],
        ["paper", "show", "er30-3", "--folder", small / "paper"],
    ):
        done = CliRunner().invoke(app, [*map(str, arguments), "--json"])
        assert isinstance(json.loads(done.stdout), dict) and done.stderr == ""


def test_tests_and_blankets_are_listed_with_what_they_assume():
    for kind, known in (("tests", TESTS), ("blankets", BLANKETS)):
        text = CliRunner().invoke(app, [kind]).output
        facts = json.loads(CliRunner().invoke(app, [kind, "--json"]).output)[kind]
        assert [entry["name"] for entry in facts] == list(known)
        for entry in facts:
            assert entry["reference"] in text and f"assumes {entry['assumes']}" in text


def test_a_test_that_was_entered_is_listed_completed_and_taken_out_again(small):
    class Toy(FisherZ):
        """A toy."""

        name, reference, assumes, needs = "toy", "nobody (2026)", "nothing", "any table"
        kinds = ("continuous", "nominal")

    TESTS.add(Toy)
    try:
        text = CliRunner().invoke(app, ["tests"]).output
        facts = json.loads(CliRunner().invoke(app, ["tests", "--json"]).output)["tests"][-1]
        done = CliRunner().invoke(app, ["fit", str(small / "table.csv"), "--test", "toy", "--json"])
    finally:
        TESTS.remove("toy")
    assert re.search(r"^toy +Fisher's z test of a vanishing partial correlation: nobody \(2026\)\n", text, re.M)
    assert re.search(r"^ +columns: continuous, nominal\n", text, re.M) and "['" not in text
    assert (facts["name"], facts["kinds"]) == ("toy", ["continuous", "nominal"])
    assert json.loads(done.stdout)["settings"]["test"]["name"] == "Toy"
    assert "toy" not in CliRunner().invoke(app, ["tests"]).output


def test_learners_tell_what_they_can_do():
    text = CliRunner().invoke(app, ["learners"]).output
    assert "takes knowledge; allows for selection of the sample\n" in text and "scores graphs, so it needs data\n" in text
    facts = json.loads(CliRunner().invoke(app, ["learners", "--json"]).output)["learners"]
    assert {entry["name"]: entry["takes_knowledge"] for entry in facts} == {name: learner.takes_knowledge for name, learner in ALL.items()}


def test_help_loads_nothing_heavy():
    heavy = {"numpy", "numba", "pandas", "scipy"}
    program = (
        f"import sys; from dicola.cli.app import app; app(['--help'], standalone_mode=False); sys.exit(bool({heavy} & {{*sys.modules}}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "Learn a PAG from a table." in done.stdout


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("dicola bl", {"blankets"}),
        ("dicola fit --learner fc", {"fci", "fci+"}),
        ("dicola fit --blankets i", {"iamb"}),
        ("dicola fit --test f", {"fisher_z"}),
        ("dicola fit --mode a", {"accurate", "auto"}),
        ("dicola fit --stop p", {"paper"}),
        ("dicola fit --colliders m", {"majority", "max_p"}),
        ("dicola fit --workers t", {"threads"}),
        ("dicola oracle --learner fc", {"fci", "fci+"}),
        ("dicola simulate --network mi", {"mildew"}),
        ("dicola fit --uig", {"--uig", "--uig-alpha"}),
        ("dicola convert --to te", {"tetrad", "tetrad-json"}),
    ],
)
def test_the_shell_completes_commands_options_and_names(typed, expected):
    words = {"_DICOLA_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1)}
    done = CliRunner().invoke(app, [], env=words, prog_name="dicola")
    assert set(done.output.split()) == expected


def test_progress_shows_on_a_terminal_and_nowhere_else(small, tmp_path):
    command, environment = [*COMMAND, "fit", str(small / "table.csv")], {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    shown, printed = b"", tmp_path / "printed"
    ours, theirs = os.openpty()
    with printed.open("w") as file, subprocess.Popen(command, stdout=file, stderr=theirs, env=environment) as running:
        os.close(theirs)
        with suppress(OSError):  # how the end of a terminal's output shows on Linux
            while more := os.read(ours, 4096):
                shown += more
    os.close(ours)
    assert running.returncode == 0
    phases = ("Starting", "Decomposing", "Learning leaves", "Orienting")
    assert [phase for phase in phases if phase.encode() in shown] == list(phases)
    piped = subprocess.run(command, capture_output=True, env=environment, text=True, check=False)
    assert (piped.stdout, piped.stderr) == (printed.read_text(), "")


def test_a_flag_is_not_shown_as_if_it_took_a_value():
    shown = CliRunner().invoke(app, ["fit", "--help"], env={"COLUMNS": "200"}).output
    for flag in ("--json", "--quiet", "--alone", "--header"):
        line = next(line for line in shown.splitlines() if f" {flag} " in line)
        assert "<bool>" not in line and "BOOLEAN" not in line


def test_a_run_that_writes_names_the_page_to_open(small, tmp_path):
    done = CliRunner().invoke(app, ["fit", str(small / "table.csv"), "--out", str(tmp_path / "new")])
    page = tmp_path / "new" / "report.html"
    assert done.output.endswith(f"open {page} in a browser\n") and page.is_file()


def test_interruption_is_one_sentence(small, monkeypatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("dicola.tables.reading.read_table", interrupted)
    done = CliRunner().invoke(app, ["fit", str(small / "table.csv")])
    assert (done.exit_code, done.stdout, done.stderr) == (130, "", "dicola: interrupted.\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full on this system")  # noqa: PTH110
@pytest.mark.parametrize("arguments", [["learners"], ["--help"], ["learners", "--json"]], ids=" ".join)
def test_a_full_disk_is_one_sentence(arguments):
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run([*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "dicola: the output could not be written: No space left on device.\n")


def test_a_reader_that_has_gone_is_no_error():
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([*COMMAND, "learners"], stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")
