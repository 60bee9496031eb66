"""Which format a file is in: by its ending, by its content, by name; and every malformed file gets a sentence."""

from __future__ import annotations

import random

import pytest

from dicola import DAG, MAG, PAG, DicolaError, InvalidData, InvalidGraph, InvalidSetting
from dicola.graphs.formats.registry import FORMATS
from tests.graphs.formats.drawn import joined

PAG_ = PAG.from_text("A o-> B; B <-> C; C --> D; D o-o E; E --o F; F --- G; D o-> B", nodes="ABCDEFGH")
DAG_ = DAG.from_edges([("A", "B"), ("C", "B")])


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda entry: entry.name)
def test_a_file_without_a_telling_ending_is_known_by_its_content(form, tmp_path):
    graph = DAG_ if form.name == "arcs" else PAG_
    (tmp_path / "graph.data").write_text(form.write(graph), encoding="utf-8")
    assert PAG.read(tmp_path / "graph.data") == PAG(graph.marks, graph.names)


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda entry: entry.name)
def test_every_ending_is_read_back_and_the_bytes_are_the_same_each_time(form, tmp_path):
    graph = DAG_ if form.name == "arcs" else PAG_
    for ending in form.endings:
        first, second = tmp_path / f"first{ending}", tmp_path / f"second{ending.upper()}"
        assert graph.write(first, form.name) == first
        graph.write(second, form.name)
        assert first.read_bytes() == second.read_bytes()
        assert type(graph).read(first) == type(graph).read(second) == graph


def test_the_ending_alone_chooses_what_is_written(tmp_path):
    expected = {
        ".json": "json",
        ".csv": "pcalg",
        ".txt": "tetrad",
        ".dagitty": "dagitty",
        ".dot": "dot",
        ".gv": "dot",
        ".cyjs": "cytoscape",
    }
    for ending, name in expected.items():
        assert PAG_.write(tmp_path / f"pag{ending}").read_text(encoding="utf-8") == FORMATS[name].write(PAG_)


def test_a_folder_stands_for_the_graph_in_it(tmp_path):
    PAG_.write(tmp_path / "deep" / "true_pag.csv")
    assert PAG.read(tmp_path / "deep") == PAG_
    joined("AB").write(tmp_path / "deep" / "pag.json")
    assert PAG.read(tmp_path / "deep") == joined("AB")
    with pytest.raises(InvalidGraph, match=r"holds no pag.json, pag.csv or true_pag.csv"):
        PAG.read(tmp_path)


def test_a_matrix_that_could_be_of_two_libraries_is_asked_about(tmp_path):
    (tmp_path / "m.csv").write_text(",A,B\nA,0,2\nB,1,0\n")
    with pytest.raises(InvalidGraph, match=r"pcalg's matrix .* or causal-learn's matrix .*--from.*: pcalg, causal-learn"):
        PAG.read(tmp_path / "m.csv")
    assert PAG.read(tmp_path / "m.csv", "pcalg") == PAG.from_text("A o-> B")
    assert PAG.read(tmp_path / "m.csv", "causal-learn") == PAG.from_text("A o-> B")
    (tmp_path / "t.csv").write_text(",A,B\nA,0,-1\nB,1,0\n")
    (tmp_path / "p.csv").write_text(",A,B\nA,0,2\nB,3,0\n")
    assert PAG.read(tmp_path / "t.csv") == PAG.read(tmp_path / "p.csv") == PAG.from_text("A --> B")


def test_unknown_formats_endings_and_files_get_a_sentence(tmp_path):
    with pytest.raises(InvalidSetting, match=r"no format 'excel'. Known: json, pcalg"):
        PAG_.write(tmp_path / "x", "excel")
    with pytest.raises(InvalidSetting, match=r"'x.png' does not say its format. Use one of the endings .json .csv"):
        PAG_.write(tmp_path / "x.png")
    with pytest.raises(InvalidGraph, match="there is no file"):
        PAG.read(tmp_path / "x.json")
    (tmp_path / "x.json").write_text("[]")
    with pytest.raises(InvalidGraph, match="looks like none of these: dicola's own JSON, Tetrad's JSON, Cytoscape JSON"):
        PAG.read(tmp_path / "x.json")
    (tmp_path / "x.dot").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidGraph, match="not text in UTF-8"):
        PAG.read(tmp_path / "x.dot")
    (tmp_path / "folder.dot").mkdir()
    (tmp_path / "folder.dot" / "kept").touch()
    with pytest.raises(InvalidData, match=r"is a folder; no file of that name could be written there"):
        PAG_.write(tmp_path / "folder.dot")
    assert (tmp_path / "folder.dot" / "kept").exists()


def test_a_graph_is_read_as_the_class_that_was_asked(tmp_path):
    DAG_.write(tmp_path / "dag.dagitty")
    assert DAG.read(tmp_path / "dag.dagitty") == DAG_
    assert MAG.read(tmp_path / "dag.dagitty") == MAG(DAG_.marks, DAG_.names)
    with pytest.raises(InvalidGraph, match="not directed"):
        DAG.read(PAG_.write(tmp_path / "pag.json"))


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda entry: entry.name)
def test_a_damaged_text_gives_a_graph_or_a_sentence_and_never_a_traceback(form):
    text = form.write(DAG_ if form.name == "arcs" else PAG_)
    rng = random.Random(7)
    letters = '\x00 "\\<>{}[]()=,:;-o>@&#/\n\r0129-ab\u53d8'
    refused = 0
    for _ in range(300):
        at = rng.randrange(len(text))
        kind = rng.randrange(4)
        damaged = (
            text[:at],
            text[:at] + text[at + rng.randrange(1, 20) :],
            text[:at] + "".join(rng.choices(letters, k=rng.randrange(1, 6))) + text[at:],
            text[:at] + text[rng.randrange(len(text)) :],
        )[kind]
        for entry in (form, rng.choice(list(FORMATS.values()))):
            try:
                assert len(entry.read(damaged)) >= 0
            except DicolaError as error:
                refused += 1
                assert str(error).endswith(".")
    assert refused > 100


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda entry: entry.name)
@pytest.mark.parametrize(
    "text", ["", " ", "\n", "{}", "[]", "null", "0", "<a/>", "[" * 100_000, "{" * 100_000, "digraph " + "{" * 1000, "\x00"]
)
def test_nonsense_is_refused(form, text):
    with pytest.raises(InvalidGraph):
        form.read(text)
