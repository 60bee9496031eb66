"""``dicola fit``: the surroundings of one variable, and what is known beforehand."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from dicola import PAG, FisherZ, local, read_table
from dicola.cli.app import app
from dicola.graphs.marks import ARROW


def run(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_a_target_is_learned_as_in_python(small):
    told = json.loads(run("fit", small / "table.csv", "--target", "X5", "--alpha", 0.05, "--json").stdout)
    found = local(FisherZ(read_table(small / "table.csv"), alpha=0.05), "X5")
    assert told | {"seconds": 0, "written_to": None} == found.to_dict() | {"seconds": 0, "written_to": None}
    assert told["causes"] == list(found.causes) and told["n_variables"] == 10


def test_it_is_told_in_words(small):
    text = run("fit", small / "table.csv", "--target", "X5").stdout
    assert text.startswith("direct causes of X5: ") and "tests: " in text and "visited" in text
    assert run("fit", small / "table.csv", "--target", "X5", "--quiet").stdout == ""


def test_a_target_run_is_written_and_repeated_byte_for_byte(small, tmp_path):
    first = run("fit", small / "table.csv", "--target", "X5", "--uig-alpha", 0.02, "--out", tmp_path / "first")
    again = run("fit", small / "table.csv", "--config", tmp_path / "first/settings.toml", "--out", tmp_path / "again")
    assert first.exit_code == again.exit_code == 0, again.output
    files = {path.name for path in (tmp_path / "first").iterdir()}
    assert files == {"pag.csv", "pag.json", "local.json", "timing.json", "settings.toml"}
    assert all((tmp_path / "first" / name).read_bytes() == (tmp_path / "again" / name).read_bytes() for name in files - {"timing.json"})
    assert "X5" in PAG.read(tmp_path / "first/pag.csv").names


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--target", "x5"], "Did you mean 'X5'"),
        (["--target", "X5", "--learner", "icd"], "--learner is for learning the whole graph"),
        (["--target", "X5", "--max-depth", "3"], "--max-depth is for learning the whole graph"),
        (["--target", "X5", "--max-condition-size", "-1"], "max_condition_size is -1"),
    ],
    ids=str,
)
def test_what_cannot_be_is_told_in_a_sentence(small, options, message):
    done = run("fit", small / "table.csv", *options)
    assert done.exit_code == 1 and message in str(done.exception or done.output)


def test_knowledge_is_read_from_a_file_and_obeyed(small, tmp_path):
    names = read_table(small / "table.csv").names
    (tmp_path / "known.txt").write_text(f"/knowledge\naddtemporal\n1 {names[0]}\n2 {' '.join(names[1:])}\n", encoding="utf-8")
    done = run("fit", small / "table.csv", "--knowledge", tmp_path / "known.txt", "--out", tmp_path / "out", "--json")
    pag = PAG.read(tmp_path / "out/pag.csv")
    neighbours = [name for name in names[1:] if pag.marks[pag.index(names[0]), pag.index(name)]]
    assert neighbours and all(pag.marks[pag.index(names[0]), pag.index(name)] == ARROW for name in neighbours)
    assert json.loads(done.stdout)["settings"]["knowledge"]["tiers"][0] == [names[0]]
    refused = run("fit", small / "table.csv", "--knowledge", tmp_path / "none.txt")
    assert refused.exit_code == 1 and "could not be read" in str(refused.exception)
