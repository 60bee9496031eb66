"""Files from others: each is read, or refused in a sentence, before it costs minutes, gigabytes or a terminal."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import re
import shutil
import sys
import tarfile
import tomllib
import zipfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dicola import DAG, PAG, DiCoLa, Discovery, FisherZ, InvalidData, InvalidGraph, InvalidSetting, Knowledge, Oracle, discover, read_table
from dicola.cli.app import main
from dicola.edge_table import from_csv
from dicola.files import toml_from
from dicola.graphs.formats import registry
from dicola.graphs.marks import MOST_NODES
from dicola.spreadsheets import as_named, harmless
from dicola.tables import reading, unpacking

MANY = [f"v{i}" for i in range(60_000)]
TWICE = [*MANY[:39_999], "v39998"]
XML = '<graphml><graph edgedefault="directed">{}</graph></graphml>'


def native(nodes: list[str]) -> str:
    return json.dumps({"format": "dicola.pag", "version": 1, "nodes": nodes, "edges": []})


def group(letter: str) -> str:
    return "{" + " ".join(f"{letter}{i}" for i in range(3000)) + "}"


# Each took over half a minute or gigabytes.
GRAPHS = {
    "groups.dot": (f"digraph {{ {group('a')} -> {group('b')} }}", "9,000,000 edges"),
    "chained groups.dot": ("digraph { " + " -> ".join([group("a")[:800] + "}"] * 30) + " }", "by groups"),
    "groups.dagitty": (f"dag {{ {group('a')} -> {group('b')} }}", "9,000,000 edges"),
    "twice.json": (native(TWICE), "'v39998' appears more than once"),
    "twice.graphml": (XML.format("".join(f'<node id="{name}"/>' for name in TWICE)), "'v39998' is given twice"),
    "twice.cyjs": (json.dumps({"elements": {"nodes": [{"data": {"id": name}} for name in TWICE]}}), "'v39998' is given twice"),
    "many.json": (native(MANY), "60,000 nodes"),
    "many.csv": ("u,v,mark_u,mark_v\n" + "".join(f"{name},,,\n" for name in MANY), "60,000 nodes"),
    "arcs.csv": ("parent,child\n" + "".join(f"{a},{b}\n" for a, b in pairwise(MANY)), "60,000 nodes"),
    "many.txt": ("Graph Nodes:\n" + ";".join(MANY) + "\n\nGraph Edges:\n", "60,000 nodes"),
    "deep.json": ("[" * 100_000, "deep.json"),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_that_would_take_minutes_or_gigabytes_is_refused(name, tmp_path):
    text, sentence = GRAPHS[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(InvalidGraph, match=sentence):
        registry.read(tmp_path / name)


def test_empty_lines_of_an_edge_list_are_passed_over(tmp_path):
    (tmp_path / "edges").write_text("u,v,mark_u,mark_v\n" + "\n" * 200_000 + "A,B,tail,arrow\n")  # without an ending, all formats are tried
    assert registry.read(tmp_path / "edges") == PAG.from_text("A --> B")


def test_groups_and_graphs_of_a_fair_size_are_read():
    assert registry.FORMATS["dot"].read("digraph { {a b} -> {c d} [dir=both, arrowtail=odot] }").n_edges == 4
    assert MOST_NODES >= 10_000
    nodes = [f"n{i}" for i in range(600)]  # more than one band of the matrix
    assert PAG.from_marked_edges([("n599", "n3", 3, 2)], nodes).edges()[0].u == "n599"
    marks = np.zeros((600, 600), dtype=int)
    marks[500, 2] = 1
    with pytest.raises(InvalidGraph, match=r"'X501' - 'X3' has a mark at one end only|'X3' - 'X501' has a mark at one end only"):
        PAG.from_matrix(marks)


def test_a_long_line_of_blanks_is_no_edge():
    for text in ("A" + " " * 200_000, "A --> B" + " " * 200_000 + ".", " " * 200_000):  # took minutes
        try:
            assert PAG.from_text(text).n_edges <= 1
        except InvalidGraph as error:
            assert "is not an edge" in str(error)[-100:]


def test_a_matrix_that_nobody_can_write_to_is_not_copied():
    graph = PAG.from_text("A --> B")
    assert DAG(graph.marks, graph.names).marks is graph.marks
    own = np.array(graph.marks)
    assert PAG(own, graph.names).marks is not own


def test_a_graph_file_without_end_is_refused(tmp_path, monkeypatch):
    from dicola.graphs.formats import texts

    monkeypatch.setattr(texts, "_LONGEST", 10**6)
    (tmp_path / "pag.json").write_text(" " * (10**6 + 1))
    with pytest.raises(InvalidGraph, match="million characters"):
        registry.read(tmp_path / "pag.json")


# ------------------------------------------------------------------------------------------------ tables

TABLE = b"a,b,c\n" + b"".join(b"%d,%d,%d\n" % (i, i * i % 7, i % 3) for i in range(30))
PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


def refused_table(path: Path, *words: str) -> str:
    with pytest.raises(InvalidData) as caught:
        read_table(path)
    message = str(caught.value)
    assert all(word in message for word in words), message
    return message


BOMBS = {
    "one line of commas": b"," * 10_000_000,
    "a header and a line of commas": b"a,b\n1,2\n" + b"," * 10_000_000,
    "lines of commas": b"a,b\n" + (b"," * 40_000 + b"\n") * 300,
    "lines": b"a,b\n" + b"\n" * 12_000_000,
    "rows": b"a,b\n" + b"1,2\n" * 6_000_000,
}


@pytest.mark.parametrize("kind", BOMBS)
def test_a_small_file_that_unpacks_to_gigabytes_is_refused(kind, tmp_path, monkeypatch):
    (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(BOMBS[kind], 6))
    taken = 0
    look_at = unpacking._Watched._look_at

    def counted(self, piece):
        nonlocal taken
        taken += len(piece)
        look_at(self, piece)

    monkeypatch.setattr(unpacking._Watched, "_look_at", counted)
    refused_table(tmp_path / "bomb.csv.gz", "bomb.csv.gz")
    assert taken < len(BOMBS[kind]) + 100_000  # it stops, and is not read to its end again and again


@pytest.mark.parametrize("before", [b"", b"a,b\n1,2\n"])
def test_a_cell_without_end_is_refused(before, tmp_path):
    (tmp_path / "cell.csv.gz").write_bytes(gzip.compress(before + b'"' + b"x" * 25_000_000, 1))  # took half a gigabyte, were it longer
    refused_table(tmp_path / "cell.csv.gz", "a line of more than 20 million bytes")


def test_a_line_of_commas_is_refused_after_its_first_pieces(tmp_path):
    (tmp_path / "wide.csv").write_bytes(b"," * 5_000_000)
    with unpacking.TextSource(tmp_path / "wide.csv").open() as source, pytest.raises(InvalidData, match="more than 50,000 columns"):
        source.read()
    refused_table(tmp_path / "wide.csv", "more than 50,000 columns")


@pytest.mark.parametrize("ending", PACKERS)
def test_packed_tables_are_read(ending, tmp_path):
    (tmp_path / f"t.csv.{ending}").write_bytes(PACKERS[ending](TABLE))
    assert read_table(tmp_path / f"t.csv.{ending}").n_samples == 30


def test_zip_holds_one_table(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("t.csv", TABLE)
    assert read_table(tmp_path / "t.zip").names == ("a", "b", "c")
    with zipfile.ZipFile(tmp_path / "t.zip", "a") as archive:
        archive.writestr("second.csv", TABLE)
    refused_table(tmp_path / "t.zip", "holds 2 files")


def test_a_packed_table_that_repeats_itself_is_read(tmp_path):
    rows = b"a,b,c\n" + b"0,0,1\n0,1,0\n" * 100_000  # packs 500 times smaller, and is no bomb
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(rows))
    assert read_table(tmp_path / "t.csv.gz").n_samples == 200_000


def test_a_workbook_that_unpacks_to_gigabytes_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b" " * 60_000_000)
    refused_table(tmp_path / "t.xlsx", "fill the memory")


@pytest.mark.parametrize("name", ["t.csv.tar", "t.tar.gz", "t.tgz"])
def test_an_archive_is_named_as_one(name, tmp_path):
    with tarfile.open(tmp_path / name, "w") as archive:
        entry = tarfile.TarInfo("t.csv")
        entry.size = len(TABLE)
        archive.addfile(entry, io.BytesIO(TABLE))
    refused_table(tmp_path / name, "archive", "unpack it")


@pytest.mark.parametrize("text", [b"a\0b,c\n1,2\n3,4\n", b"a,c\n1,2\0\n3,4\n", b"a\0,a\n1,2\n3,4\n"])
def test_a_nul_is_refused_and_not_cut_away(text, tmp_path):
    (tmp_path / "t.csv").write_bytes(text)
    refused_table(tmp_path / "t.csv", "NUL")


def test_an_index_with_a_name_is_a_column():
    frame = pd.DataFrame({"a": [1, 2], "b": [3, 4]}, index=pd.Index([7, 8], name="year"))
    assert list(reading._with_named_index(frame).columns) == ["year", "a", "b"]
    assert list(reading._with_named_index(frame.rename_axis(None)).columns) == ["a", "b"]
    two = frame.set_index("a", append=True).rename_axis(["year", None])
    assert list(reading._with_named_index(two).columns) == ["year", "b"]


def test_the_index_of_a_parquet_file_is_read(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"a": [1.5, 2], "b": [3, 4.5]}, index=pd.Index([7, 8], name="year"))
    frame.to_parquet(tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet").names == ("year", "a", "b")
    pd.DataFrame({"a": np.zeros(10_000_000), "b": 1.0}).to_parquet(tmp_path / "bomb.parquet", compression="gzip")
    refused_table(tmp_path / "bomb.parquet", "fill the memory")


# ---------------------------------------------------------------------------------- what is no file at all


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_folders_pipes_and_devices_are_named_for_what_they_are(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")  # opening it would wait forever for someone to write
    refused_table(tmp_path / "pipe.csv", "named pipe")
    refused_table(tmp_path, "is a folder")
    refused_table(Path("/dev/null"), "device")
    refused_table(Path("a\0b.csv"), "there is no file")
    with pytest.raises(InvalidGraph, match="named pipe"):
        registry.read(tmp_path / "pipe.csv")
    (tmp_path / "inner").mkdir()
    os.mkfifo(tmp_path / "inner" / "discovery.json")
    with pytest.raises(InvalidData):
        Discovery.read(tmp_path / "inner")


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="there are no open files by number here")
def test_a_pipe_that_was_opened_for_us_is_read():
    reader, writer = os.pipe()
    try:
        os.write(writer, TABLE)
        os.close(writer)
        assert read_table(f"/dev/fd/{reader}").n_samples == 30
    finally:
        os.close(reader)


# ------------------------------------------------------------------------------------------ written results


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    dag = DAG.from_edges([("A", "C"), ("B", "C"), ("C", "D"), ("E", "D")])
    folder = tmp_path_factory.mktemp("written")
    found = discover(Oracle(dag))
    found.write(folder)
    return folder


DEEP: object = 1
for _ in range(60):
    DEEP = [DEEP]

WRONG = {
    "tests": [None, [], {"total": "many"}, {"leaves": 3}, {"total": -1}, {"total": 1.5}, {"total": True}],
    "settings": [
        None,
        [],
        {"mode": 3},
        {"test": "x"},
        {"test_chosen": "why"},
        {"learner": []},
        {"deep": DEEP},
        {"test": {"name": 3}},
        {"test": {"n_samples": "x"}},
        {"test": {"alpha": []}},
        {"learner": {"name": []}},
    ],
    "warnings": [None, "text", [3], [["a"]]],
    "conflicts": [None, {}, [[]], [["R1", 0, 1, 9, 2, [], "R2", []]], [["R1", 0, 99, 1, 2, [], "R2", []]]],
    "reasons": [None, [[0, 1, "R1"]], [[0, 99, "R1", []]], [["A", "B", "R1", []]], [[0, 1, "R1", [99]]], [[0, 1, 5, []]]],
    "evaluations": [[], {"fits": "x"}],
    "score": ["x", [], {}],
    "runner_up": ["x"],
    "untested": [[], {"rows": "x"}, {"other": 3}],
    "power": [
        [],
        {},
        {"n_samples": "x", "given": 1, "correlation": 0.1},
        {"n_samples": 1, "given": 1, "correlation": 0.1, "strength": "x"},
    ],
    "look": [[], {}, {"rows": 1, "columns": 1, "seen": [{}], "findings": [], "missing": ""}],
}
WRONG_SKELETON = {
    "labels": [None, "ABCDE", ["A"], [1, 2, 3, 4, 5], ["A", "A", "B", "C", "D"]],
    "edges": [None, [[0]], [[0, 99]], [[0, "B"]], [[0, 1.0]]],
    "tree": [
        None,
        [],
        [{}],
        [{"variables": [0, 1], "left": 0, "right": 0, "separator": []}],
        [{"variables": [1, 0], "separating_sets": []}],
    ],
    "separated_later": [None, [[0, 1]], [[0, 1, [99]]], [[0, 1, "A"]]],
    "warnings": [[1]],
    "mag": [[[0, 1, 300, 2]], [[0, 99, 1, 1]], "x"],
}


def with_field(folder: Path, to: Path, file: str, field: str, value: object) -> Path:
    """A copy of a result in which one field is another, with digests that fit."""
    import hashlib

    shutil.copytree(folder, to)
    facts = json.loads((to / file).read_text())
    facts[field] = value
    (to / file).write_text(json.dumps(facts))
    whole = json.loads((to / "discovery.json").read_text())
    whole["sha256"]["skeleton"] = hashlib.sha256((to / "skeleton.json").read_bytes()).hexdigest()
    (to / "discovery.json").write_text(json.dumps(whole))
    return to


@pytest.mark.parametrize(("file", "wrong"), [("discovery.json", WRONG), ("skeleton.json", WRONG_SKELETON)])
def test_every_field_of_a_written_result_is_checked(file, wrong, written, tmp_path):
    for number, (field, value) in enumerate((field, value) for field, values in wrong.items() for value in values):
        folder = with_field(written, tmp_path / str(number), file, field, value)
        with pytest.raises(InvalidData) as caught:
            Discovery.read(folder)
        assert "does not hold a written discovery" in str(caught.value), (field, value)
        assert field in str(caught.value) or field == "labels", (field, value, str(caught.value))


@pytest.mark.parametrize("file", ["discovery.json", "skeleton.json", "timing.json", "pag.json"])
@pytest.mark.parametrize("text", ["[" * 100_000, '{"a": ' * 100_000, "1" * 5000, '{"total": 1' + "0" * 30 + "}", "[]", "7", ""])
def test_texts_that_are_no_result_are_refused(file, text, written, tmp_path):
    shutil.copytree(written, tmp_path / "r")
    (tmp_path / "r" / file).write_text(text)
    with pytest.raises(InvalidData):
        Discovery.read(tmp_path / "r")


@pytest.mark.parametrize("seconds", [[], {"total": "x"}, {"total": None}])
def test_seconds_are_numbers(seconds, written, tmp_path):
    shutil.copytree(written, tmp_path / "r")
    (tmp_path / "r" / "timing.json").write_text(json.dumps(seconds))
    with pytest.raises(InvalidData, match=r"timing\.json"):
        Discovery.read(tmp_path / "r")


def test_a_table_of_edges_without_its_columns_is_refused(written, tmp_path):
    shutil.copytree(written, tmp_path / "r")
    (tmp_path / "r" / "edges.csv").write_text("u,w\n1,2\n")
    with pytest.raises(InvalidData):
        Discovery.read(tmp_path / "r")


@pytest.mark.parametrize("change", ["fewer", "twice", "another mark", "another order", "without leaves", "without types"])
def test_a_table_with_other_edges_than_the_graph_is_refused(change, written, tmp_path):
    edges = pd.read_csv(written / "edges.csv", dtype=str, keep_default_na=False)
    changed = {
        "fewer": edges[1:],
        "twice": pd.concat([edges, edges[:1]]),
        "another mark": edges.assign(mark_u="tail"),
        "another order": edges[::-1],
        "without leaves": edges.drop(columns="leaves"),
        "without types": edges.drop(columns="type"),
    }[change]
    shutil.copytree(written, tmp_path / "r")
    changed.to_csv(tmp_path / "r" / "edges.csv", index=False)
    with pytest.raises(InvalidData, match=r"edges\.csv does not hold the edges of pag\.json"):
        Discovery.read(tmp_path / "r")


def test_a_result_that_is_no_text_is_refused_by_every_command(written, tmp_path, capsys, monkeypatch):
    shutil.copytree(written, tmp_path / "r")
    (tmp_path / "r" / "discovery.json").write_bytes(b"\xff\xfe")
    for command in (["compare", tmp_path / "r", written], ["report", tmp_path / "r"], ["explain", tmp_path / "r", "A", "B"]):
        code, told = said(command, capsys, monkeypatch)
        assert (code, "discovery.json is not text in UTF-8" in told) == (1, True), (command, told)


# ------------------------------------------------------------------------------ settings and what is known

KNOWN = {
    "groups.txt": (f"/knowledge\nforbiddengroup\n{group('a')}\n{group('b')}\n", "9,000,000 pairs"),  # gigabytes
    "digit.txt": ("/knowledge\naddtemporal\n\u00b9 a\n", "begins with its number"),
    "digits.txt": (f"/knowledge\naddtemporal\n{'1' * 5000} a\n", "begins with its number"),
    "deep.toml": ("tiers = " + "[" * 5000, "nested too deeply"),
    "digits.toml": (f"tiers = {'1' * 5000}", "is not TOML"),
    "key.toml": ("a." * 500_000 + "a = 1", "a key of more than 200 parts"),  # three quarters of an hour
    "keys.toml": ("a = {" + '"=" . ' * 500_000 + "a = 1}", "a key of more than 200 parts"),
    "long.toml": ("#" * 20_000_001, "20 million characters"),
}


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_known_is_read_in_no_time_or_refused(name, tmp_path, capsys, monkeypatch):
    text, sentence = KNOWN[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(InvalidData, match=sentence):
        Knowledge.read(tmp_path / name)
    if name.endswith(".toml"):
        code, told = said(["fit", table_of(("a", "b"), tmp_path), "--config", tmp_path / name], capsys, monkeypatch)
        assert (code, sentence in told) == (1, True), told


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_what_is_known_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(InvalidData, match="named pipe"):
        Knowledge.read(tmp_path / "pipe.txt")
    with pytest.raises(InvalidData, match="is a folder"):
        Knowledge.read(tmp_path)


def test_keys_and_strings_with_some_dots_are_read():
    text = "a.b.c = 'x.y." + "z." * 100 + "'\nd = [" + "1.5," * 1000 + "]\n"
    assert toml_from(text, "file", InvalidData)["a"]["b"]["c"].startswith("x.y.z.")


def test_a_pattern_of_many_stars_is_answered_at_once():
    many = Knowledge(forbidden=[("a*" * 25 + "b", "c")])  # took longer than anyone waits
    with pytest.raises(InvalidSetting, match="not among the variables"):
        many.on(["a" * 60, "c"])
    names = ["gene_1", "gene_2", "x_gene_1", "gene_", "_gene", "g1_2_1", "c\nd"]
    for pattern in ("gene_*", "*gene*", "*_1", "g*_*_*", "*", "**", "gene_*_*", "*1*1", "c*d", "ge*ne_", "gene_*gene_"):
        wanted = re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)
        found = [name for name in names if wanted.fullmatch(name)]
        knowledge = Knowledge(exogenous=[pattern])
        if found:
            assert list(knowledge.on(names).exogenous) == sorted(found), pattern
        else:
            with pytest.raises(InvalidSetting):
                knowledge.on(names)


def test_patterns_for_too_many_pairs_are_refused():
    names = [f"v{i}" for i in range(1001)]
    with pytest.raises(InvalidSetting, match="1,002,001 pairs"):
        Knowledge(forbidden=[("*", "*")]).on(names)


# ------------------------------------------------------------------------------- terminals and spreadsheets

ESCAPES = ("\x1b]0;owned\x07x", "\x9b31my", "\u202ez", "\x1b[2J\bw", "del\x7f")
OBEYED = [chr(code) for code in (*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F))]


def table_of(names: tuple[str, ...], tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    values = np.cumsum(rng.normal(size=(60, len(names))), axis=1)
    pd.DataFrame(values, columns=list(names)).to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def said(command: list[str], capsys, monkeypatch) -> tuple[int, str]:
    monkeypatch.setattr(sys, "argv", ["dicola", *map(str, command)])
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr()
    return int(ended.value.code or 0), told.out + told.err


def test_names_never_speak_to_the_terminal(tmp_path, capsys, monkeypatch):
    data, out = table_of(ESCAPES, tmp_path), tmp_path / "out"
    commands = [
        ["fit", data, "--mode", "exact", "--out", out],
        ["fit", data, "--mode", "exact", "--json"],
        ["fit", data, "--target", ESCAPES[0], "--mode", "exact"],
        ["fit", data, "--target", "\x1b[31mnobody"],
        ["fit", tmp_path / "\x1b[31m.csv"],
        ["look", data],
        ["look", data, "--json"],
        ["explain", out, ESCAPES[0], ESCAPES[1]],
        ["compare", out, out],
        ["compare-tests", data, ESCAPES[0], ESCAPES[1]],
        ["convert", out, tmp_path / "pag.dot"],
        ["report", out],
    ]
    for command in commands:
        _, told = said(command, capsys, monkeypatch)
        assert told, command
        assert not [letter for letter in OBEYED if letter in told], (command, told)
    assert set(PAG.read(out).names) == set(ESCAPES)  # the files keep the names
    assert set(read_table(data).names) == set(ESCAPES)


def test_json_on_the_screen_still_means_the_names(tmp_path, capsys, monkeypatch):
    _, told = said(["fit", table_of(ESCAPES, tmp_path), "--mode", "exact", "--json"], capsys, monkeypatch)
    assert json.loads(told)["nodes"] == list(ESCAPES)


def test_a_settings_file_from_others_never_speaks_to_the_terminal(tmp_path, capsys, monkeypatch):
    (tmp_path / "s.toml").write_text('alpha = "\\u001b[31m"\n')
    code, told = said(["fit", table_of(("a", "b"), tmp_path), "--config", tmp_path / "s.toml"], capsys, monkeypatch)
    assert (code, "\x1b[31m" in told) == (2, False)
    (tmp_path / "s.toml").write_text("alpha = " + "[" * 5000)
    code, told = said(["fit", table_of(("a", "b"), tmp_path), "--config", tmp_path / "s.toml"], capsys, monkeypatch)
    assert (code, "is not TOML" in told) == (1, True)


FORMULAS = ("=HYPERLINK(1)", "+1", "-2", "@SUM(1)", "'=3", "plain", "'tis")


@pytest.mark.parametrize("name", ["a\r=1+1", "a\r\n=1+1", "a\n=1+1"])
def test_no_row_of_a_spreadsheet_begins_within_a_name(name, tmp_path):
    rows = pd.DataFrame(np.cumsum(np.random.default_rng(1).normal(size=(200, 3)), axis=1), columns=[name, "b", "c"])
    found = DiCoLa(mode="exact", bootstrap=2).fit(rows).discovery_
    found.write(tmp_path / "r")
    for file in ("edges.csv", "bootstrap.csv"):
        text = (tmp_path / "r" / file).read_bytes().decode()
        bare = "".join(text.split('"')[::2])  # what stands in no quotes
        assert name in text and "\r" not in bare and "=" not in bare, text
    back = Discovery.read(tmp_path / "r")
    assert back == found and back.report() == found.report()


def test_no_name_is_a_formula_to_a_spreadsheet(tmp_path):
    dag = DAG.from_edges([(FORMULAS[i], FORMULAS[i + 1]) for i in range(6)])
    rows = pd.DataFrame(np.cumsum(np.random.default_rng(1).normal(size=(200, 7)), axis=1), columns=list(FORMULAS))
    found = discover(FisherZ(rows))
    found.write(tmp_path)
    text = (tmp_path / "edges.csv").read_text()
    cells = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
    assert len(cells)
    assert not any(cell.startswith(("=", "+", "-", "@")) for name in ("u", "v", "given") for cell in cells[name])
    assert any(cell.startswith("'=") for cell in cells["u"])
    pd.testing.assert_frame_equal(from_csv(text, found.pag), found.to_pandas())
    assert PAG.read(tmp_path / "pag.csv") == PAG.read(tmp_path / "pag.json") == found.pag
    assert set(dag.names) == set(found.pag.names)
    assert Discovery.read(tmp_path) == found


def test_every_text_comes_back_from_a_spreadsheet():
    texts = [*FORMULAS, "", "'", "''", "'a", "''=", "'''+", "\t=1", "\r=1", "'\n"]
    assert [as_named(harmless(text)) for text in texts] == texts
    assert len({harmless(text) for text in texts}) == len(texts)


# ------------------------------------------------------------------------------------------- names of files


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text here")
@pytest.mark.parametrize("name", [b"\xff\xfe.csv", b"a\x7f\x1b[31m\nb.csv"])
def test_any_name_of_a_file_leaves_settings_that_read_back(name, tmp_path, capsys, monkeypatch):
    data = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
    data.write_bytes(TABLE)
    code, told = said(["fit", data, "--mode", "exact", "--out", tmp_path / "out"], capsys, monkeypatch)
    assert code == 0, told
    text = (tmp_path / "out" / "settings.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text)["mode"] == "exact"
    code, told = said(["fit", data, "--config", tmp_path / "out" / "settings.toml"], capsys, monkeypatch)
    assert code == 0, told


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text here")
def test_what_no_settings_file_can_hold_is_refused_before_the_work(tmp_path, capsys, monkeypatch):
    known = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.txt"))
    known.write_text("/knowledge\naddtemporal\n1 a\n2 b c\n")
    (tmp_path / "t.csv").write_bytes(TABLE)
    code, told = said(["fit", tmp_path / "t.csv", "--knowledge", known, "--out", tmp_path / "out"], capsys, monkeypatch)
    assert (code, "no text in UTF-8" in told) == (1, True)
    assert not (tmp_path / "out").exists()
