"""The command line as a user meets it: in a process of its own, from an empty folder."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dicola import PAG, Discovery, metrics, simulate


def dicola(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dicola", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def simulated(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("simulated")
    done = dicola("simulate", "--network", "mildew", "--latents", 3, "--samples", 1000, "--seed", 7, "--out", "sim", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "sim"


def test_help_names_every_command_and_exits_with_0(tmp_path):
    done = dicola("--help", cwd=tmp_path)
    assert done.returncode == 0
    for command in ("demo", "fit", "simulate", "oracle", "compare", "learners", "explain", "report", "convert", "tests", "blankets"):
        assert command in done.stdout


def test_simulate_writes_the_observed_table_with_its_truth(simulated):
    table = pd.read_csv(simulated / "data.csv")
    latents = (simulated / "latents.txt").read_text().split()
    arcs = list(csv.reader((simulated / "dag.csv").read_text().splitlines()))
    assert arcs[0] == ["parent", "child"] and len(arcs) == 1 + 46
    assert len(latents) == 3 and not set(latents) & set(table.columns)
    assert table.shape == (1000, 32)
    dag = simulate.network("mildew")
    assert all(not dag.parents(name) and len(dag.children(name)) >= 2 for name in latents)
    assert PAG.read(simulated / "true_pag.csv") == dag.true_pag(latents)


def test_simulate_is_the_same_for_the_same_seed_and_differs_for_another(tmp_path):
    for out, seed in (("a", 1), ("b", 1), ("c", 2)):
        assert (
            dicola("simulate", "--er", "12,3", "--latents", 2, "--samples", 50, "--seed", seed, "--out", out, cwd=tmp_path).returncode == 0
        )
    same = [
        (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes() for name in ("data.csv", "dag.csv", "true_pag.csv")
    ]
    assert all(same)
    assert (tmp_path / "a/data.csv").read_bytes() != (tmp_path / "c/data.csv").read_bytes()


def test_fit_writes_all_files_and_prints_edges_and_summary(simulated, tmp_path):
    done = dicola("fit", simulated / "data.csv", "--out", "results", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    pag = PAG.read(tmp_path / "results")
    for line in str(pag).splitlines():
        assert line in done.stdout
    assert "tests:" in done.stdout and done.stderr == ""
    written = {path.name for path in (tmp_path / "results").iterdir()}
    assert written == {
        "pag.csv",
        "edges.csv",
        "pag.json",
        "pag.svg",
        "report.html",
        "skeleton.json",
        "discovery.json",
        "timing.json",
        "settings.toml",
    }
    assert Discovery.read(tmp_path / "results").pag == pag
    assert metrics.compare(pag, PAG.read(simulated / "true_pag.csv")).skeleton.f1 > 0.8


def test_fit_json_is_one_object_and_nothing_else_on_standard_output(simulated, tmp_path):
    done = dicola("fit", simulated / "data.csv", "--json", "--learner", "rfci", "--alone", cwd=tmp_path)
    facts = json.loads(done.stdout)
    assert done.returncode == 0
    assert facts["settings"]["learner"]["name"] == "rfci" and facts["settings"]["decompose"] is False
    assert set(facts["tests"]) == {"blankets", "leaves", "orientation", "total"}
    assert facts["written_to"] is None and not list(tmp_path.iterdir())


@pytest.mark.parametrize("learner", ["fci", "rfci", "fci+", "icd", "l-marvel", "lfci", "pc"])
def test_fit_knows_every_learner(simulated, tmp_path, learner):
    done = dicola("fit", simulated / "data.csv", "--learner", learner, "--quiet", "--out", "r", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(PAG.read(tmp_path / "r")) == 32


def test_learners_lists_reference_guarantee_and_settings(tmp_path):
    text = dicola("learners", cwd=tmp_path).stdout
    facts = json.loads(dicola("learners", "--json", cwd=tmp_path).stdout)["learners"]
    assert [entry["name"] for entry in facts] == ["fci", "rfci", "fci+", "icd", "l-marvel", "lfci", "pc", "gfci", "boss-fci", "mag-bic"]
    for entry in facts:
        assert entry["reference"] in text and entry["guarantee"] in text and entry["settings"]


def test_oracle_gives_the_true_pag_of_a_simulated_network(simulated, tmp_path):
    done = dicola(
        "oracle",
        simulated / "dag.csv",
        "--latents-file",
        simulated / "latents.txt",
        "--nodes",
        simulated / "nodes.txt",
        "--out",
        "o",
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    facts = json.loads(dicola("compare", "o/pag.json", simulated / "true_pag.csv", "--json", cwd=tmp_path).stdout)
    assert facts["marks"]["f1"] == 1.0 and facts["shd"] == 0


def test_demo_prints_and_writes_the_main_job(tmp_path):
    done = dicola("demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "against the truth" in done.stdout and "o->" in done.stdout
    assert {"pag.csv", "pag.json", "pag.svg", "report.html"} <= {path.name for path in (tmp_path / "demo").iterdir()}


def write_table(path: Path, **columns: object) -> Path:
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


def bad_tables(folder: Path) -> dict[str, tuple[Path, str]]:
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=(3, 60))
    holes = a.copy()
    holes[:3] = np.nan
    endless = a.copy()
    endless[0] = np.inf
    empty = folder / "empty.csv"
    empty.write_text("")
    twice = folder / "twice.csv"
    twice.write_text("A,A,B\n1,2,3\n2,3,1\n")
    text = folder / "text.csv"
    text.write_text("A,B\n1,2\nhello,3\n2,5\n")
    return {
        "missing": (
            write_table(folder / "m.csv", A=holes, B=b),
            "gaps in 1 column, 2.5 % of all cells; 57 of 60 rows are complete: 'A' (3)",
        ),
        "infinite": (write_table(folder / "i.csv", A=endless, B=b), "1 infinite entry is a gap"),
        "constant": (write_table(folder / "k.csv", A=a, B=np.ones(60)), "'B' is constant"),
        "duplicate": (write_table(folder / "d.csv", A=a, B=b, C=a), "'C' is a copy of 'A'"),
        "collinear": (write_table(folder / "l.csv", A=a, B=b, C=c, D=a + b), "'D' is an exact linear function of 'A' and 'B'"),
        "text": (text, "'A' (nominal)"),
        "twice": (twice, "'A' appears more than once"),
        "empty": (empty, "empty"),
        "one column": (write_table(folder / "o.csv", A=a), "1 column"),
        "few rows": (write_table(folder / "f.csv", A=a[:4], B=b[:4]), "needs at least 5"),
        "no file": (folder / "nowhere.csv", "there is no file"),
    }


def test_a_wide_table_is_answered_with_a_warning_and_refused_where_total_conditioning_was_chosen(tmp_path):
    rng = np.random.default_rng(1)
    table = write_table(tmp_path / "t.csv", **{f"X{i}": rng.normal(size=12) for i in range(10)})
    done = dicola("fit", table, cwd=tmp_path)
    assert done.returncode == 0 and "12 rows" in done.stdout
    refused = dicola("fit", table, "--blankets", "total_conditioning", "--mode", "paper", cwd=tmp_path)
    assert refused.returncode == 1 and "--blankets iamb" in refused.stderr and "Traceback" not in refused.stderr


@pytest.mark.parametrize(
    "case",
    [
        "missing",
        "infinite",
        "constant",
        "duplicate",
        "collinear",
        "text",
        "twice",
        "empty",
        "one column",
        "few rows",
        "no file",
    ],
)
def test_a_bad_table_gets_one_sentence_exit_code_1_and_nothing_written(tmp_path, case):
    path, sentence = bad_tables(tmp_path)[case]
    strictly = ("--strict", "--missing", "error", "--test", "fisher_z")
    done = dicola("fit", path, *strictly, "--out", "results", cwd=tmp_path)
    assert done.returncode == 1
    assert sentence in done.stderr and done.stderr.count("\n") == 1 and "Traceback" not in done.stderr
    assert done.stdout == "" and not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--alpha", "0"], "strictly between 0 and 1"),
        (["--alpha", "1.5"], "strictly between 0 and 1"),
        (["--learner", "magic"], "Known: fci, rfci, fci+, icd, l-marvel, lfci, pc"),
        (["--test", "magic"], "Known: fisher_z"),
        (["--blankets", "magic"], "Known: total_conditioning"),
        (["--stop", "never"], "stop is 'never'"),
        (["--colliders", "coin"], "'sepset'"),
        (["--max-condition-size", "-1"], "--max-condition-size is -1"),
        (["--learner", "icd", "--max-possible-dsep-size", "2"], "no setting --max-possible-dsep-size"),
    ],
)
def test_a_bad_setting_gets_one_sentence_and_exit_code_1(simulated, tmp_path, options, sentence):
    done = dicola("fit", simulated / "data.csv", *options, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert sentence in done.stderr and done.stderr.count("\n") == 1


def test_a_dag_with_a_cycle_is_refused_with_the_cycle_printed(tmp_path):
    (tmp_path / "dag.csv").write_text("parent,child\nA,B\nB,C\nC,A\n")
    done = dicola("oracle", "dag.csv", cwd=tmp_path)
    assert done.returncode == 1 and "A -> B -> C -> A" in done.stderr


def test_an_unknown_latent_is_named(tmp_path):
    (tmp_path / "dag.csv").write_text("parent,child\nA,B\n")
    done = dicola("oracle", "dag.csv", "--latent", "L9", cwd=tmp_path)
    assert done.returncode == 1 and "'L9' is not a vertex" in done.stderr


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("written")
    (folder / "dag.csv").write_text("parent,child\nA,C\nB,C\nC,D\n")
    assert dicola("oracle", "dag.csv", "--out", "r", "--quiet", cwd=folder).returncode == 0
    return folder


def test_explain_says_an_edge_in_words_and_a_pair_in_json(written):
    assert "A o-> C" in dicola("explain", "r", "C", "A", cwd=written).stdout
    facts = json.loads(dicola("explain", "r", "A", "D", "--json", cwd=written).stdout)
    assert facts["edge"] is None and facts["separation"]["separating_set"] == ["C"]
    done = dicola("explain", "r", "A", "Z", cwd=written)
    assert done.returncode == 1 and "'Z' is not a vertex" in done.stderr and done.stderr.count("\n") == 1


def test_report_makes_the_page_of_a_written_folder_again(written):
    first = (written / "r/report.html").read_bytes()
    (written / "r/report.html").unlink()
    assert dicola("report", "r", "--quiet", cwd=written).returncode == 0
    assert (written / "r/report.html").read_bytes() == first
    facts = json.loads(dicola("report", "r", "--out", "sub/page.html", "--json", cwd=written).stdout)
    assert facts == {"written_to": "sub/page.html"} and (written / "sub/page.html").read_bytes() == first


@pytest.mark.parametrize("command", [["fit", "data.csv"], ["oracle", "dag.csv"], ["demo"]], ids=lambda command: command[0])
def test_a_folder_that_cannot_be_written_is_told_before_the_work_begins(command, tmp_path):
    (tmp_path / "taken").write_text("mine")
    done = dicola(*command, "--out", "taken", cwd=tmp_path)  # there is no data either: the folder is looked at first
    assert done.returncode == 1 and "'taken' is a file" in done.stderr and done.stderr.count("\n") == 1


def test_wrong_usage_exits_with_2(tmp_path):
    assert dicola("fit", cwd=tmp_path).returncode == 2
    assert dicola("fit", "x.csv", "--no-such-option", cwd=tmp_path).returncode == 2
    assert dicola("nonsense", cwd=tmp_path).returncode == 2


def test_compare_aligns_by_name_and_refuses_other_variables(tmp_path):
    from dicola.graphs.formats.native import to_csv

    pag = PAG.from_text("A o-> B; C o-> B")
    (tmp_path / "one.csv").write_text(to_csv(pag))
    (tmp_path / "two.csv").write_text(to_csv(pag.reordered(["C", "B", "A"])))
    (tmp_path / "three.csv").write_text(to_csv(PAG.from_text("A o-> B; D o-> B")))
    assert json.loads(dicola("compare", "one.csv", "two.csv", "--json", cwd=tmp_path).stdout)["shd"] == 0
    done = dicola("compare", "one.csv", "three.csv", cwd=tmp_path)
    assert done.returncode == 1 and "'C'" in done.stderr
