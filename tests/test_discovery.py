"""What a run gives back: written, read, pickled and compared; the same bytes every time."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import pandas as pd
import pytest

from dicola import DAG, FCI, PAG, DicolaError, Discovery, FisherZ, InvalidData, Oracle, discover, simulate
from dicola import discovery as discovery_module
from dicola.decompose import merge as merge_module
from dicola.discovery import FILES
from dicola.learners.registry import LEARNERS
from dicola.written_facts import with_members
from tests.exactness.run import hidden_dag

STABLE = ("pag.csv", "pag.json", "pag.svg", "skeleton.json", "discovery.json")


def table(seed: int = 3, n: int = 400) -> pd.DataFrame:
    dag = simulate.er_dag(10, 2.5, seed=seed)
    return simulate.linear_gaussian(dag, n, seed=seed).drop(columns=list(simulate.hide(dag, 1, seed=seed)))


@pytest.fixture(scope="module")
def found() -> Discovery:
    return discover(FisherZ(table(), alpha=0.05))


@pytest.fixture(scope="module")
def with_conflicts() -> Discovery:
    """Few rows, a lax level and capped searches: sooner or later two rules want different marks at one end."""
    for seed in range(160, 260):
        dag = simulate.er_dag(12, 4, seed=seed)
        frame = simulate.linear_gaussian(dag, 200, seed=seed).drop(columns=list(simulate.hide(dag, 2, seed=seed)))
        result = discover(FisherZ(frame, alpha=0.2), FCI(2, 2), mode="paper")
        if result.conflicts:
            return result
    raise AssertionError("no run among a hundred had conflicting marks")


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())}


def outside_timing(report: str) -> str:
    assert report.count("<!-- timing:begin -->") == report.count("<!-- timing:end -->") == 1
    return re.sub(r"<!-- timing:begin -->.*<!-- timing:end -->", "", report, flags=re.DOTALL)


def test_a_folder_holds_exactly_the_promised_files(found, tmp_path):
    folder = found.write(tmp_path / "a" / "b")
    assert folder == tmp_path / "a" / "b" and sorted(path.name for path in folder.iterdir()) == sorted(FILES)


def test_beyond_its_limit_the_matrix_is_left_out_and_the_rest_reads_back(found, tmp_path, monkeypatch):
    assert found.left_out is None
    found.write(tmp_path / "a")
    monkeypatch.setattr(discovery_module, "_MOST_IN_A_MATRIX", len(found.pag) - 1)
    assert found.left_out is not None and "pag.json and edges.csv have all edges" in found.left_out
    found.write(tmp_path / "a")
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == sorted({*FILES} - {"pag.csv"})
    assert Discovery.read(tmp_path / "a") == found


def test_a_large_tree_is_written_without_the_variables_of_its_branches(found, tmp_path, monkeypatch):
    whole = json.loads(found.texts()["skeleton.json"])["tree"]
    monkeypatch.setattr(merge_module, "MANY_MEMBERS", 0)
    found.write(tmp_path / "a")
    short = json.loads((tmp_path / "a" / "skeleton.json").read_text(encoding="utf-8"))["tree"]
    assert len(short) > 1 and [{**each, "variables": full["variables"]} for each, full in zip(short, whole, strict=True)] == whole
    assert all(("variables" in node) == ("separator" not in node) for node in short)
    back = Discovery.read(tmp_path / "a")
    assert back == found and back.tree == found.tree and back.texts()["skeleton.json"] == found.texts()["skeleton.json"]
    for wrong in ({"left": 0, "right": 0}, {"left": "x", "right": 1}, {"left": 10**6, "right": 1}, {}):
        assert "variables" not in with_members({"tree": [{**wrong, "separator": []}, *short[1:]]})["tree"][0]


def test_what_is_read_back_is_what_was_written(found, with_conflicts, tmp_path):
    for i, result in enumerate((found, with_conflicts)):
        back = Discovery.read(result.write(tmp_path / str(i)))
        assert back.pag == result.pag and back.pag.names == result.pag.names
        assert back.skeleton == result.skeleton and back.skeleton.names == result.skeleton.names
        assert back.skeleton.separating_sets() == result.skeleton.separating_sets()
        for part in ("tests", "settings", "warnings", "conflicts", "reasons", "seconds"):
            assert getattr(back, part) == getattr(result, part), part
        for number in ("n_leaves", "largest_leaf", "depth"):
            assert getattr(back.tree, number) == getattr(result.tree, number)
        assert back.conflicts_in_words() == result.conflicts_in_words() and back.summary() == result.summary()


@pytest.mark.parametrize("decompose", [True, False])
def test_a_round_trip_gives_an_equal_discovery(decompose, tmp_path):
    result = discover(FisherZ(table(), alpha=0.05), decompose=decompose)
    assert Discovery.read(result.write(tmp_path)) == result


@pytest.mark.parametrize("decompose", [True, False])
@pytest.mark.parametrize("learner", LEARNERS)
def test_the_result_of_every_learner_can_be_written_and_read(learner, decompose, tmp_path):
    result = discover(FisherZ(table(), alpha=0.05), learner, decompose=decompose)
    back = Discovery.read(result.write(tmp_path))
    assert back.pag == result.pag and back.skeleton == result.skeleton and back.settings == result.settings


def test_written_again_the_bytes_are_the_same(found, tmp_path):
    found.write(tmp_path / "one")
    Discovery.read(tmp_path / "one").write(tmp_path / "two")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


@pytest.mark.parametrize("n_jobs", [1, 2, -1])
def test_a_second_run_writes_the_same_bytes_whatever_the_number_of_workers(n_jobs, found, tmp_path):
    first = contents(found.write(tmp_path / "first"))
    second = contents(discover(FisherZ(table(), alpha=0.05), n_jobs=n_jobs).write(tmp_path / "second"))
    for name in STABLE:
        assert first[name] == second[name], name
    assert outside_timing(first["report.html"]) == outside_timing(second["report.html"])


def test_the_order_of_the_columns_changes_no_byte_but_the_order_of_the_pag(found, tmp_path):
    frame = table()
    turned = discover(FisherZ(frame[frame.columns[::-1]], alpha=0.05))
    first, second = contents(found.write(tmp_path / "first")), contents(turned.write(tmp_path / "second"))
    for name in ("skeleton.json", "discovery.json", "pag.svg"):
        assert first[name] == second[name], name
    assert PAG.read(tmp_path / "first" / "pag.csv") == PAG.read(tmp_path / "second" / "pag.csv")
    assert outside_timing(first["report.html"]) == outside_timing(second["report.html"])


def test_seconds_stand_in_timing_json_and_in_the_block_of_the_report_alone(found, tmp_path):
    marked = replace(found, seconds={"decompose": 12345.678, "total": 98765.432})
    texts = contents(marked.write(tmp_path))
    timing = json.loads(texts.pop("timing.json"))
    assert set(timing.pop("sha256")) == set(FILES) and timing == {"decompose": 12345.678, "total": 98765.432}
    assert "12345.678" in texts["report.html"] and "98765.432" in texts["report.html"]
    texts["report.html"] = outside_timing(texts["report.html"])
    assert not any("12345.678" in text or "98765.432" in text for text in texts.values())


def test_seconds_take_no_part_in_equality(found):
    assert replace(found, seconds={"total": 1.0}) == found
    assert replace(found, tests={**found.tests, "total": 0}) != found


def test_seconds_are_told_by_phase(found):
    assert list(found.seconds) == ["decompose", "leaves", "merge", "orientation", "total"]
    assert all(value >= 0 for value in found.seconds.values())


def test_a_file_in_the_place_of_the_folder_is_refused(found, tmp_path):
    (tmp_path / "taken").write_text("mine", encoding="utf-8")
    for target in (tmp_path / "taken", tmp_path / "taken" / "below"):
        with pytest.raises(InvalidData, match="taken"):
            found.write(target)
    assert (tmp_path / "taken").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", ["pag.csv", "pag.svg", "report.html", "timing.json"])
def test_a_writer_that_fails_leaves_what_was_there_before(name, found, tmp_path, monkeypatch):
    before = contents(found.write(tmp_path))
    honest = Path.write_text

    def broken(self, *args, **kwargs):
        if self.name == name:
            honest(self, "half", encoding="utf-8")
            raise OSError(28, "No space left on device")
        return honest(self, *args, **kwargs)

    other = discover(FisherZ(table(4), alpha=0.05))
    monkeypatch.setattr(Path, "write_text", broken)
    with pytest.raises(InvalidData, match="No space left on device"):
        other.write(tmp_path)
    monkeypatch.undo()
    assert contents(tmp_path) == before
    assert Discovery.read(tmp_path).pag == found.pag


@pytest.mark.parametrize("name", ["pag.csv", "report.html", "timing.json"])
@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), KeyboardInterrupt()], ids=["error", "interrupt"])
def test_a_move_that_fails_puts_back_what_was_there_before(name, error, found, tmp_path, monkeypatch):
    before = contents(found.write(tmp_path))
    honest = Path.replace

    def broken(self, target):
        if self.name == name and self.parent.name == "new":
            raise error
        return honest(self, target)

    other = discover(FisherZ(table(4), alpha=0.05))
    monkeypatch.setattr(Path, "replace", broken)
    for folder in (tmp_path, tmp_path / "fresh"):
        with pytest.raises((InvalidData, KeyboardInterrupt)):
            other.write(folder)
    monkeypatch.undo()
    assert list((tmp_path / "fresh").iterdir()) == []
    (tmp_path / "fresh").rmdir()
    assert contents(tmp_path) == before


@pytest.mark.parametrize("name", ["pag.json", "skeleton.json", "discovery.json"])
def test_files_of_two_runs_are_noticed(name, found, tmp_path):
    other = discover(FisherZ(table(4), alpha=0.05))
    assert other.pag != found.pag
    found.write(tmp_path / "mixed")
    other.write(tmp_path / "other")
    (tmp_path / "mixed" / name).write_bytes((tmp_path / "other" / name).read_bytes())
    with pytest.raises(InvalidData, match="not written together"):
        Discovery.read(tmp_path / "mixed")


def test_equal_discoveries_have_equal_hashes(found):
    again = discover(FisherZ(table(), alpha=0.05))
    assert again == found and hash(again) == hash(found) and len({again, found}) == 1


def test_an_interruption_leaves_no_half_written_file(found, tmp_path, monkeypatch):
    honest = Path.write_text

    def interrupted(self, *args, **kwargs):
        if self.name == "skeleton.json":
            honest(self, "half", encoding="utf-8")
            raise KeyboardInterrupt
        return honest(self, *args, **kwargs)

    monkeypatch.setattr(Path, "write_text", interrupted)
    with pytest.raises(KeyboardInterrupt):
        found.write(tmp_path / "new")
    assert not (tmp_path / "new").exists() or list((tmp_path / "new").iterdir()) == []


def test_a_drawing_that_fails_writes_nothing(found, tmp_path, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("no pen")

    monkeypatch.setattr("dicola.report.drawing.draw", broken)
    with pytest.raises(RuntimeError, match="no pen"):
        found.write(tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_folder_that_holds_no_discovery_is_refused(found, tmp_path):
    with pytest.raises(InvalidData, match=r"does not hold a written discovery: there is no file .*pag\.json'\. Name a folder"):
        Discovery.read(tmp_path / "nothing")
    folder = found.write(tmp_path)
    for name in ("pag.json", "skeleton.json", "discovery.json", "timing.json"):
        text = (folder / name).read_text(encoding="utf-8")
        (folder / name).unlink()
        with pytest.raises(InvalidData, match=name.replace(".", r"\.")):
            Discovery.read(folder)
        (folder / name).write_text(text, encoding="utf-8")
    assert Discovery.read(folder).pag == found.pag


@pytest.mark.parametrize("name", ["pag.json", "skeleton.json", "discovery.json"])
def test_a_spoilt_file_is_refused_in_a_sentence(name, found, tmp_path):
    folder = found.write(tmp_path)
    for text in ("", "{", "{}", "[]", "3", '{"format": "other"}'):
        (folder / name).write_text(text, encoding="utf-8")
        with pytest.raises(DicolaError):
            Discovery.read(folder)


ODD_NAMES = [
    "a,b",
    "new\nline",
    "carriage\rreturn",
    "both\r\n",
    " leading",
    "trailing ",
    '"quoted"',
    "tab\t",
    "é",
    "日本語",
    "🙂",
    "<b>&amp;",
    "a;b",
    "A o-> B",
    "=1+1",
    "\u2028",
    "node",
    "²",
    "x1²",
    "٣",
    "../up",
    "null",
    "1",
]


@pytest.mark.parametrize("odd", ODD_NAMES, ids=ascii)
def test_odd_names_survive(odd, tmp_path):
    result = discover(Oracle(DAG.from_edges([(odd, "B"), ("C", "B"), ("B", "D")])))
    back = Discovery.read(result.write(tmp_path))
    assert back.pag == result.pag and back.pag.names == (odd, "B", "C", "D")
    pd.testing.assert_frame_equal(back.to_pandas(), result.to_pandas())
    assert back.report() == result.report()
    assert back.skeleton.separating_set(odd, "D") == ("B",)
    assert PAG.read(tmp_path / "pag.csv") == result.pag
    assert odd in [edge.u for edge in PAG.read(tmp_path / "pag.json").edges()]


def test_a_discovery_can_be_pickled(found, with_conflicts):
    for result in (found, with_conflicts):
        back = pickle.loads(pickle.dumps(result))
        assert back == result and back.seconds == result.seconds
        assert back.skeleton.separating_sets() == result.skeleton.separating_sets()


def test_the_fields_of_a_discovery_cannot_be_replaced(found):
    with pytest.raises(FrozenInstanceError):
        found.pag = None


def test_every_mark_that_is_no_circle_has_a_reason(found):
    marks = found.pag.reordered(found.skeleton.labels).to_matrix()
    decided = {(a, b) for a in range(len(marks)) for b in range(len(marks)) if marks[a, b] in (2, 3)}
    assert set(found.reasons) == decided


def test_the_summary_counts_edges_marks_leaves_and_tests():
    dag = DAG.from_edges([("A", "C"), ("B", "C"), ("C", "D")])
    text = discover(Oracle(dag), stop="paper").summary()
    assert "4 variables, 3 edges (3 arrowheads, 1 tail, 2 circles)" in text and "2 leaves" in text
    assert "all variables were learned at once" in discover(Oracle(dag), decompose=False).summary()


def test_an_oracle_gives_a_legal_pag_without_conflicts_or_warnings():
    for number in range(20):
        result = discover(Oracle(*hidden_dag(131, number)))
        assert result.legality and result.conflicts == () and result.warnings == ()


def test_conflicts_are_told_in_words_and_warned_of(with_conflicts):
    words = with_conflicts.conflicts_in_words()
    assert len(words) == len(with_conflicts.conflicts) and all("wants a" in sentence for sentence in words)
    assert any("claimed both ways" in warning for warning in with_conflicts.warnings)


def test_counts_by_phase_add_up(found):
    assert set(found.tests) == {"blankets", "leaves", "orientation", "total"}
    assert found.tests["total"] == sum(found.tests[phase] for phase in ("blankets", "leaves", "orientation"))


def test_the_edges_are_a_table_that_is_written_read_back_and_shown(tmp_path):
    frame = simulate.linear_gaussian(simulate.er_dag(8, 2, seed=4), 400, seed=4)
    frame = frame.rename(columns={frame.columns[0]: 'a "quoted", name', frame.columns[1]: "NA"})
    found = discover(FisherZ(frame))
    table = found.to_pandas()
    assert len(table) == found.pag.n_edges and {"u", "v", "mark_u", "mark_v", "edge", "p_value", "sign"} <= set(table.columns)
    assert table["p_value"].between(0, 1).all() and table["leaves"].str.len().min() > 0
    again = Discovery.read(found.write(tmp_path))
    assert again.to_pandas().equals(table) and again.report() == found.report()
    assert (tmp_path / "edges.csv").read_text(encoding="utf-8").count("\n") == found.pag.n_edges + 1
    (tmp_path / "edges.csv").unlink()
    with pytest.raises(InvalidData, match=r"not written together: edges\.csv is"):
        Discovery.read(tmp_path)
    for name, newer in (("timing.json", "sha256"), ("discovery.json", "sealed_by")):
        facts = json.loads((tmp_path / name).read_text(encoding="utf-8"))
        del facts[newer]
        (tmp_path / name).write_text(json.dumps(facts), encoding="utf-8")
    assert Discovery.read(tmp_path).to_pandas()["p_value"].isna().all(), "a result of an older version has no such table"


def test_without_p_values_the_evidence_stays_empty(tmp_path):
    found = discover(Oracle(DAG.from_edges([("A", "B"), ("C", "B")])))
    assert found.to_pandas()["p_value"].isna().all() and list(found.to_pandas()["edge"]) == ["o->", "o->"]
    assert Discovery.read(found.write(tmp_path)).to_pandas().equals(found.to_pandas())


@pytest.mark.parametrize(
    ("module", "above"),
    [
        ("dicola.pipeline.discover", "dicola.report"),
        ("dicola.graphs.formats.registry", "dicola.orient"),
        ("dicola.orient.equivalence", "numba"),
    ],
)
def test_doors_to_a_layer_above_are_shut_until_a_method_is_called(module, above):
    code = f"import sys, {module}; sys.exit(any(name.split('.')[:{above.count('.') + 1}] == {above.split('.')} for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
