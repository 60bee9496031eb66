"""``dicola convert`` and ``dicola compare`` as a user meets them."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from dicola import PAG
from dicola.graphs.formats.registry import FORMATS
from tests.graphs.formats.drawn import joined

NAMES = ("<script>alert(1)</script>", '"', "&", "a;b", "\U0001f9ec", "x" * 200, "变量")
PAG_ = joined(NAMES, seed=2, share=0.6)


def dicola(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-X", "utf8", "-c", "from dicola.cli.app import main; main()", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, encoding="utf-8")


def test_a_graph_goes_round_through_many_formats_and_compare_reads_the_last(tmp_path):
    PAG_.write(tmp_path / "start.json")
    files = ["start.json", "a.csv", "b.dot", "c.graphml", "d.gexf", "e.cyjs", "f.dagitty", "g.gv", "end.json"]
    for source, target in pairwise(files):
        done = dicola("convert", source, target, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "") and f"written to {target}" in done.stdout
    assert (tmp_path / "end.json").read_bytes() == (tmp_path / "start.json").read_bytes()
    assert json.loads(dicola("compare", "f.dagitty", "d.gexf", "--json", cwd=tmp_path).stdout)["shd"] == 0


def test_formats_are_named_where_endings_do_not_say_them(tmp_path):
    PAG_.write(tmp_path / "pag.csv", "edges")
    done = dicola("convert", "pag.csv", "graph", "--to", "tetrad-json", "--json", cwd=tmp_path)
    assert json.loads(done.stdout) == {"nodes": 7, "edges": PAG_.n_edges, "format": "tetrad-json", "written_to": "graph"}
    assert dicola("convert", "graph", "back.csv", "--from", "tetrad-json", "--quiet", cwd=tmp_path).stdout == ""
    assert PAG.read(tmp_path / "back.csv") == PAG_


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("pag.json", "pag.txt"), "Tetrad's text format cannot hold ';', which is in the name 'a;b'"),
        (("pag.json", "pag.png"), "'pag.png' does not say its format"),
        (("pag.json", "x", "--to", "excel"), "there is no format 'excel'"),
        (("none.json", "x.dot"), "there is no file 'none.json'"),
        (("m.csv", "x.dot"), "could be pcalg's matrix (amat.pag) or causal-learn's matrix (GeneralGraph.graph); name it"),
        (("pag.json", "x.dot", "--from", "dot"), "'pag.json', read as dot: "),
    ],
)
def test_a_mistake_gets_one_sentence_exit_code_1_and_nothing_written(tmp_path, arguments, sentence):
    PAG_.write(tmp_path / "pag.json")
    (tmp_path / "m.csv").write_text(",A,B\nA,0,2\nB,1,0\n")
    before = sorted(path.name for path in tmp_path.iterdir())
    done = dicola("convert", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert sentence in done.stderr and done.stderr.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_help_names_every_format(tmp_path):
    text = dicola("convert", "--help", cwd=tmp_path).stdout
    assert all(name in text for name in FORMATS)


def test_one_edge_and_one_row_are_told_in_the_singular(tmp_path):
    PAG.from_text("A o-> B").write(tmp_path / "pag.json")
    assert dicola("convert", "pag.json", "pag.dot", cwd=tmp_path).stdout.startswith("2 nodes and 1 edge written to pag.dot")
    done = dicola("simulate", "--er", "2,1", "--latents", 0, "--samples", 1, "--seed", 1, "--out", "s", cwd=tmp_path)
    assert done.stdout == "1 row of 2 observed variables; hidden: none\nthe true PAG has 1 edge; written to s\n"
