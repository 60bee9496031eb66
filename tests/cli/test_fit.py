"""``dicola fit``: an option for every setting, the surroundings of one variable, and what is known beforehand."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from dicola import FCI, ICD, PAG, DicolaError, Discovery, FisherZ, bootstrap, local, read_table
from dicola.cli.app import app
from dicola.cli.option_names import in_options, option_name
from dicola.graphs.marks import ARROW
from dicola.learners.registry import ALL
from dicola.pipeline.discover import run as discover_by
from dicola.pipeline.plan import Plan
from dicola.pipeline.settings import SETTINGS


def run(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def shown_help(command: str) -> str:
    return CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"}).output


def test_every_setting_of_a_run_has_an_option_with_its_help():
    text = " ".join(shown_help("fit").replace("│", " ").split())
    for name, setting in SETTINGS.items():
        assert f" {option_name(name)} " in text
        told = setting.metadata["told"].partition("{choices}")
        assert told[0] in text and told[2] in text
    assert "CSV, TSV, Parquet or Excel file" in text and "{choices}" not in text


def test_help_names_what_is_in_the_registry():
    class Toy(FCI):
        name = "toy"

    assert "gfci, boss-fci or mag-bic (see" in shown_help("fit") and "boss-fci or mag-bic (see" in shown_help("oracle")
    ALL.add(Toy)
    try:
        assert "mag-bic or toy (see" in shown_help("fit")
    finally:
        ALL.remove("toy")


def test_every_option_reaches_the_run(small):
    odd = {
        "--learner": "icd",
        "--test": "fisher_z",
        "--alpha": 0.02,
        "--workers": "threads",
        "--jobs": 2,
        "--stop": "paper",
        "--max-depth": 3,
        "--min-leaf-size": 4,
        "--max-nodes": 9,
        "--blankets": "iamb",
        "--uig-alpha": 0.03,
        "--uig": "relearn",
        "--leaf-start": "complete",
        "--colliders": "majority",
        "--max-path-length": 5,
        "--seed": 7,
        "--max-condition-size": 2,
    }
    done = run("fit", small / "table.csv", "--json", *(word for pair in odd.items() for word in pair))
    assert done.exit_code == 0, done.output
    plan = Plan(
        learner=ICD(max_condition_size=2),
        alpha=0.02,
        workers="threads",
        n_jobs=2,
        stop="paper",
        max_depth=3,
        min_leaf_size=4,
        max_nodes=9,
        blankets="iamb",
        uig_alpha=0.03,
        uig="relearn",
        leaf_start="complete",
        colliders="majority",
        max_path_length=5,
        seed=7,
        mode="auto",
    )
    told, found = json.loads(done.stdout), discover_by(FisherZ(read_table(small / "table.csv"), alpha=0.02), plan)
    assert told["settings"] == json.loads(json.dumps(found.settings)) and told["tests"] == found.tests


def test_flags_reach_the_run(small):
    alone = json.loads(run("fit", small / "table.csv", "--alone", "--selection", "--json").stdout)["settings"]
    assert (alone["decompose"], alone["selection"], alone["legalize"]) == (False, True, False)
    legal = json.loads(run("fit", small / "table.csv", "--legalize", "--json").stdout)["settings"]
    assert (legal["decompose"], legal["selection"], legal["legalize"]) == (True, False, True)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--selection", "--learner", "lfci"], "lFCI assumes that nothing was selected; --selection goes with"),
        (["--jobs", "0"], "--jobs is 0; it must"),
        (["--uig", "lost"], "--uig is 'lost'; it may be 'inherit' or 'relearn'."),
        (["--leaf-start", "lost"], "--leaf-start is 'lost'"),
        (["--workers", "elves"], "--workers is 'elves'; it may be 'threads' or 'processes' or 'dask' or 'ray'."),
        (["--uig-alpha", "2"], "--uig-alpha is 2.0; it must lie"),
        (
            ["--mode", "balanced", "--learner", "fci"],
            "--mode balanced comes with --learner mag-bic, and --learner fci was chosen: leave out --learner",
        ),
        (["--alone", "--selection", "--legalize"], "--legalize makes the PAG of a MAG without selection"),
    ],
    ids=str,
)
def test_a_refusal_names_options(small, options, sentence):
    done = run("fit", small / "table.csv", *options)
    assert done.exit_code == 1 and isinstance(done.exception, DicolaError)
    assert sentence in in_options(done.exception.sentence)


def test_a_note_names_options(small):
    text = run("fit", small / "table.csv", "--alone", "--max-condition-size", 0).stdout
    assert "note: sets of neighbours were tried up to 0 variables only (--max-condition-size).\n" in text


def test_the_reason_for_a_mode_names_options(small):
    text = run("fit", small / "table.csv", "--mode", "auto", "--learner", "rfci").stdout
    assert "mode: exact, as --learner rfci was chosen, which goes with the paper's method; --mode balanced scores graphs instead\n" in text


def test_how_sure_is_told_in_text_and_json(small):
    facts = json.loads(run("fit", small / "table.csv", "--json").stdout)
    assert f"\npower: {facts['how_sure']}\n" in run("fit", small / "table.csv").stdout
    assert f" correlation of {facts['power']['correlation']:.2f}".replace(" 0.", " .") in facts["how_sure"]


def test_a_run_needs_no_scikit_learn(small):
    program = "import sys; from dicola.cli.app import app; app(sys.argv[1:], standalone_mode=False); sys.exit('sklearn' in sys.modules)"
    for command in (["fit", str(small / "table.csv"), "--quiet"], ["oracle", str(small / "dag.csv"), "--quiet"]):
        assert subprocess.run([sys.executable, "-c", program, *command], check=False).returncode == 0


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
        (["--target", "X5", "--alone"], "--alone is for learning the whole graph"),
        (["--target", "X5", "--workers", "threads"], "--workers is for learning the whole graph"),
        (["--target", "X5", "--max-possible-dsep-size", "2"], "--max-possible-dsep-size is for learning the whole graph"),
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


def test_contexts_and_targets_are_typed_and_heeded(small, tmp_path):
    names = read_table(small / "table.csv").names
    typed = ["--contexts", names[0], "--targets", f"{names[0]}={names[1]},{names[0]}={names[2]}"]
    done = run("fit", small / "table.csv", *typed, "--json", "--out", tmp_path / "out")
    told = json.loads(done.stdout)
    assert told["settings"]["contexts"] == [names[0]] and told["settings"]["targets"] == {names[0]: [names[1], names[2]]}
    assert [each["kind"] for each in told["statements"]] == ["contexts", "targets", "targets"]
    pag = PAG.read(tmp_path / "out/pag.csv")
    assert set(pag.children(names[0])) == set(pag.neighbours(names[0])) >= {names[1], names[2]}
    again = run("fit", small / "table.csv", "--config", tmp_path / "out/settings.toml", "--json")
    assert json.loads(again.stdout)["edges"] == told["edges"]
    wrong = run("fit", small / "table.csv", "--targets", names[0])
    assert wrong.exit_code == 1 and "an equals sign and a column: drug=pkc" in str(wrong.exception)


def test_the_surroundings_of_a_target_heed_what_is_known(small, tmp_path):
    names = read_table(small / "table.csv").names
    (tmp_path / "known.toml").write_text(f'exogenous = ["{names[0]}"]\n', encoding="utf-8")
    for typed in (["--knowledge", tmp_path / "known.toml"], ["--contexts", names[0]]):
        told = json.loads(run("fit", small / "table.csv", "--target", names[0], *typed, "--json").stdout)
        assert told["effects"] and not told["causes"] and not told["siblings"] and not told["undetermined"]


@pytest.mark.parametrize("mode", ["exact", "balanced"])
def test_a_bootstrap_is_printed_written_and_can_be_repeated_from_its_settings(mode, small, tmp_path):
    done = run("fit", small / "table.csv", "--mode", mode, "--bootstrap", 10, "--bootstrap-seed", 2, "--out", tmp_path / "one")
    assert done.exit_code == 0 and "bootstrap: 10 tables drawn with replacement" in done.output
    first = done.output.splitlines()[0]
    assert "adjacent" in first and "%" in first
    found = Discovery.read(tmp_path / "one")
    assert found.bootstrap == bootstrap(read_table(small / "table.csv"), 10, seed=2, mode=mode)
    again = run("fit", small / "table.csv", "--config", tmp_path / "one/settings.toml", "--jobs", 2, "--out", tmp_path / "two", "--json")
    assert [edge["adjacent"] for edge in json.loads(again.output)["edges"]] == found.to_pandas()["adjacent"].tolist()
    for name in ("bootstrap.csv", "consensus.csv", "edges.csv"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    edge = found.pag.edges()[0]
    assert "of 10 bootstrap tables" in run("explain", tmp_path / "one", edge.u, edge.v).output


def test_a_bootstrap_without_replacement_and_settings_that_are_refused(small):
    done = run("fit", small / "table.csv", "--mode", "exact", "--bootstrap", 3, "--bootstrap-fraction", 0.5)
    assert "3 tables drawn without replacement, 50 % of the rows each" in done.output
    for wrong in (("--bootstrap", -1), ("--bootstrap", 2, "--bootstrap-fraction", 1.5), ("--bootstrap", 2, "--target", "X1")):
        assert run("fit", small / "table.csv", *wrong).exit_code != 0
