"""A run made again on drawn tables: the same bytes for any number of workers, frequencies that add up, a legal consensus."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import dicola
from dicola import PAG, Bootstrap, DiCoLa, Discovery, InvalidData, InvalidSetting, Knowledge, legality, simulate
from dicola.ci import workers
from dicola.ci.forks import forked
from dicola.ci.inquiry import Inquiry
from dicola.confidence import EDGE_COLUMNS, KINDS, keys_of
from dicola.graphs.marks import Mark
from dicola.orient.equivalence import mag_to_pag
from dicola.pipeline.bootstrap import Resampling
from dicola.score.search import BestMag, order_of


def table(seed: int = 3, rows: int = 300) -> pd.DataFrame:
    dag = simulate.er_dag(9, 2.5, seed=seed)
    return simulate.linear_gaussian(dag, rows, seed=seed).drop(columns=list(simulate.hide(dag, 1, seed=seed)))


@pytest.fixture(scope="module", params=["exact", "balanced"])
def drawn(request) -> Bootstrap:
    return dicola.bootstrap(table(), 30, seed=1, mode=request.param)


def by_hand(frame: pd.DataFrame, replicates: int, seed: int, **settings: object) -> list[PAG]:
    """The definition: rows drawn with replacement, each table learned from anew with the kinds, mode and test of the whole."""
    streams = np.random.SeedSequence(seed).spawn(replicates)
    rows = [np.random.default_rng(stream).integers(0, len(frame), len(frame)) for stream in streams]
    return [DiCoLa(ci_test="fisher_z", **settings).fit(frame.iloc[chosen]).pag_ for chosen in rows]


def test_frequencies_are_those_of_graphs_learned_one_by_one():
    frame = table()
    drawn = dicola.bootstrap(frame, 12, seed=4, mode="exact", alpha=0.05)
    many = Counter((edge.u, edge.v, edge.arrow) for pag in by_hand(frame, 12, 4, mode="exact", alpha=0.05) for edge in pag.edges())
    assert many
    turned = {"-->": "<--", "o->": "<-o", "--o": "o--"}
    told = {(row.u, row.v): row._asdict() for row in drawn.to_pandas().rename(columns=dict(zip(KINDS, "abcdef", strict=True))).itertuples()}
    counted = 0
    for (u, v, arrow), times in many.items():
        row, kind = (told[u, v], arrow) if (u, v) in told else (told[v, u], turned.get(arrow, arrow))
        assert row["abcdef"[KINDS.index(kind)]] == times / 12
        counted += times
    assert counted == sum(map(sum, drawn.counts.values()))


def test_a_test_on_drawn_rows_is_that_of_the_table_of_these_rows():
    frame, rng = table() * [1, 1e-3, 1e5, 1, 1, 1, 1, 1] + 7, np.random.default_rng(5)
    whole, rows = dicola.FisherZ(frame), rng.integers(0, 300, 300)
    again, by_table = whole.on_rows(rows), dicola.FisherZ(frame.iloc[rows])
    np.testing.assert_allclose(again.correlation, by_table.correlation, atol=1e-12)
    assert (again.n_samples, again.labels, again.names, again.settings()) == (300, whole.labels, whole.names, whole.settings())
    assert dicola.FisherZ(frame.assign(almost=[1e9] * 299 + [1e9 + 1])).on_rows(np.arange(250)) is None  # a table tells that it is constant
    assert whole.among([0, 1]).on_rows(rows) is None and dicola.FisherZ.from_covariance(np.eye(2), 9).on_rows(rows[:9] % 9) is None


def test_types_of_edges_and_marks_add_up_to_adjacency(drawn):
    told = drawn.to_pandas()
    assert list(told.columns[:3]) == ["u", "v", "adjacent"] and list(told.columns[3:9]) == list(KINDS)
    assert len(told) and ((told["adjacent"] > 0) & (told["adjacent"] <= 1)).all()
    for columns in (list(KINDS), ["u_circle", "u_arrow", "u_tail"], ["v_circle", "v_arrow", "v_tail"]):
        np.testing.assert_allclose(told[columns].sum(axis=1), told["adjacent"], atol=1e-12)
    np.testing.assert_allclose(told["v_arrow"], told["-->"] + told["<->"] + told["o->"], atol=1e-12)
    np.testing.assert_allclose(told["u_arrow"], told["<--"] + told["<->"] + told["<-o"], atol=1e-12)


@pytest.mark.parametrize("mode", ["exact", "balanced"])
def test_any_number_of_workers_gives_the_same_bytes(mode):
    one = dicola.bootstrap(table(), 9, seed=2, mode=mode)
    two = dicola.bootstrap(table(), 9, seed=2, n_jobs=2, mode=mode)
    assert one.texts() == two.texts() and one == two


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot copy a process")
@pytest.mark.parametrize("mode", ["exact", "balanced"])
def test_copies_of_this_process_give_the_same_bytes(mode, monkeypatch):
    used = []
    monkeypatch.setattr(workers, "can_fork", lambda: True)
    monkeypatch.setattr(workers, "forked", lambda *asked: used.append(asked[2]) or forked(*asked))
    one, many = (dicola.bootstrap(table(), 9, seed=2, n_jobs=jobs, mode=mode) for jobs in (1, 3))
    assert one.texts() == many.texts() and one == many and used == [3]
    dicola.bootstrap(table(), 3, n_jobs=3, mode="exact", ci_test=lambda rows, alpha: dicola.FisherZ(rows, alpha))
    assert used == [3, 3], "a recipe that makes one of our tests is as good as its name"
    dicola.bootstrap(table(), 3, n_jobs=3, mode="exact", learner=Foreign())
    assert used == [3, 3], "foreign code is not run in a copy"


class Foreign(dicola.FCI):
    """A learner from elsewhere."""


def test_processes_give_the_same_bytes_as_one_thread():
    one, two = (dicola.bootstrap(table(), 4, n_jobs=jobs, mode="exact", workers="processes") for jobs in (1, 2))
    assert one == two


def test_the_first_tables_of_many_are_those_of_few():
    frame = table()
    few, many = (dicola.bootstrap(frame, replicates, mode="exact") for replicates in (5, 10))
    for pair, counts in few.counts.items():
        assert all(a <= b for a, b in zip(counts, many.counts[pair], strict=True))
    assert dicola.bootstrap(frame, 10, seed=1, mode="exact").counts != many.counts


def test_column_order_changes_no_count():
    frame = table()
    one, other = dicola.bootstrap(frame, 6, mode="exact"), dicola.bootstrap(frame[frame.columns[::-1]], 6, mode="exact")
    assert all(one.adjacent(u, v) == other.adjacent(u, v) for u, v in {*one.counts, *other.counts})
    assert one.consensus == other.consensus


def test_without_replacement_no_row_comes_twice_and_with_it_some_do():
    rng = np.random.default_rng(0)
    apart, again = Resampling(1, replace=False).rows(100, rng), Resampling(1).rows(100, rng)
    assert len(apart) == len(set(apart.tolist())) == 50
    assert len(again) == 100 > len(set(again.tolist()))
    assert len(Resampling(1, fraction=0.3).rows(100, rng)) == 30
    drawn = dicola.bootstrap(table(), 3, replace=False, fraction=0.8, mode="exact")
    assert (drawn.replace, drawn.fraction, drawn.calibration) == (False, 0.8, None)
    assert "confidence" not in drawn.to_pandas()


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"replicates": 0}, "replicates"),
        ({"replicates": 2.5}, "replicates"),
        ({"seed": -1}, "seed"),
        ({"fraction": 1.5}, "fraction"),
        ({"replace": False, "fraction": 1.0}, "fraction"),
        ({"learners": "fci"}, "learners"),
        ({"mode": "best"}, "mode"),
    ],
)
def test_settings_that_are_not_allowed_are_named(settings, named):
    with pytest.raises(InvalidSetting, match=named):
        dicola.bootstrap(table(), **{"replicates": 2, **settings})


def test_too_few_rows_are_refused_in_a_sentence():
    with pytest.raises(InvalidData, match="at least 5"):
        dicola.bootstrap(table(rows=12), 2, replace=False, fraction=0.3, mode="exact")


def test_a_table_that_cannot_be_learned_from_is_drawn_again():
    rng = np.random.default_rng(0)
    a = rng.normal(size=12)
    rare = (np.arange(12) < 2).astype(float)  # constant in one of six drawn tables
    frame = pd.DataFrame({"a": a, "b": a + rng.normal(size=12), "rare": rare})
    drawn = dicola.bootstrap(frame, 40, mode="exact", ci_test="fisher_z", kinds={"rare": "continuous"})
    assert drawn.redrawn > 0 and drawn.replicates == 40


def test_the_consensus_is_legal_and_has_what_most_tables_have(drawn):
    assert legality(drawn.consensus)
    most = {frozenset(pair) for pair, many in drawn.counts.items() if 2 * sum(many) > drawn.replicates}
    assert {frozenset((edge.u, edge.v)) for edge in drawn.consensus.edges()} >= most


@pytest.mark.parametrize("mode", ["exact", "balanced"])
def test_the_consensus_obeys_what_is_known(mode, tmp_path):
    """A graph with the marks of tiers is the PAG of no class; the consensus once gave them up for one that is."""
    tiers = [["X1", "X2"], ["X3", "X4", "X5"], ["X6", "X8", "X9"]]
    asked = {"mode": mode, "knowledge": Knowledge(tiers=tiers), "bootstrap": 10, "drop": ["X7"]}
    found = DiCoLa(**asked).fit(simulate.linear_gaussian(simulate.er_dag(9, 3, seed=3), 300, seed=3)).discovery_
    assert found.bootstrap is not None
    consensus, at = found.bootstrap.consensus, {name: number for number, tier in enumerate(tiers) for name in tier}
    between = [edge for edge in consensus.edges() if at[edge.u] != at[edge.v]]
    assert between and not legality(consensus)
    assert all((edge.mark_v if at[edge.u] < at[edge.v] else edge.mark_u) is Mark.ARROW for edge in between)
    found.write(tmp_path / "out")
    assert Discovery.read(tmp_path / "out").bootstrap.consensus == consensus


def test_the_consensus_of_one_graph_is_that_graph():
    pag = PAG.from_text("A o-> C; B o-> C; C --> D")
    again = Bootstrap.of(pag, [keys_of(pag.marks)] * 7)
    assert again.consensus == pag and again.replicates == 7
    for edge in pag.edges():
        assert again.of_edge(edge) == (1.0, 1.0, 1.0, 1.0, None, None, None)


def test_an_end_on_which_no_half_agrees_is_a_circle():
    graphs = [PAG.from_text(text) for text in ("A --> B", "A <-> B", "A o-> B", "A <-- B", "A o-o B")]
    drawn = Bootstrap.of(graphs[0], [keys_of(graph.marks) for graph in graphs])
    marks = PAG.from_matrix([[0, 0], [0, 0]], ["A", "B"])
    often = drawn.of_edge(graphs[0].edges()[0])
    assert (often.adjacent, often.same, often.at_u, often.at_v) == (1.0, 0.2, 0.2, 0.6)
    assert drawn.consensus != marks and legality(drawn.consensus)


def test_marks_that_few_tables_have_become_circles():
    graphs = [PAG.from_text(text) for text in ("A --> B; C o-> B", "A --> B; C o-> B", "A o-> B; C o-> B", "A o-> B; C o-> B")]
    drawn = Bootstrap.of(graphs[0], [keys_of(graph.reordered(graphs[0].names).marks) for graph in graphs])
    assert drawn.undecided_as_circles() == graphs[2].reordered(graphs[0].names)
    assert drawn.undecided_as_circles(least=0.5) == graphs[0]


def test_by_the_calibration_a_mark_gives_way_to_a_circle_that_is_more_probable(drawn):
    often = [drawn.of_edge(edge) for edge in drawn.pag.edges()]
    cautious = drawn.undecided_as_circles()
    assert cautious.count(Mark.CIRCLE) >= drawn.pag.count(Mark.CIRCLE) and cautious.n_edges == drawn.pag.n_edges
    kept = [cautious.marks[cautious.index(edge.u), cautious.index(edge.v)] == edge.mark_v for edge in drawn.pag.edges()]
    as_circle = [drawn.of_edge(replace(edge, mark_v=Mark.CIRCLE)).confidence_v for edge in drawn.pag.edges()]
    assert kept == [each.confidence_v >= circle for each, circle in zip(often, as_circle, strict=True)]


def test_an_edge_is_told_the_same_from_both_ends(drawn):
    for edge in drawn.pag.edges():
        back = drawn.of_edge(replace(edge, u=edge.v, v=edge.u, mark_u=edge.mark_v, mark_v=edge.mark_u))
        here = drawn.of_edge(edge)
        assert (back.adjacent, back.same, back.at_u, back.at_v) == (here.adjacent, here.same, here.at_v, here.at_u)
        assert (back.confidence_u, back.confidence_v) == (here.confidence_v, here.confidence_u)


def test_selection_adds_its_types_of_edges():
    pag = PAG.from_text("A --- B")
    told = Bootstrap.of(pag, [keys_of(pag.marks)] * 2).to_pandas()
    assert told["---"].tolist() == [1.0] and told["u_tail"].tolist() == [1.0]


def test_a_scored_search_on_the_rows_of_the_whole_finds_the_same_graph_from_its_own():
    frame = table(seed=5, rows=2000)
    model = DiCoLa(mode="balanced").fit(frame)
    test = dicola.FisherZ(frame)
    again = mag_to_pag(BestMag().again(Inquiry(test), order_of(model.pag_.reordered(test.labels).marks)))
    assert again == model.pag_


@pytest.mark.parametrize("mode", ["exact", "balanced"])
def test_knowledge_holds_in_drawn_tables(mode):
    frame = table()
    first, second = frame.columns[:2]
    known = Knowledge(forbidden=[(first, other) for other in frame.columns[1:]])
    drawn = dicola.bootstrap(frame, 6, mode=mode, knowledge=known)
    told = drawn.to_pandas()
    assert (told.loc[told["u"] == first, "u_tail"] == 0).all() and second in set(told["u"]) | set(told["v"])


def test_kinds_and_gaps_are_understood_once():
    rng = np.random.default_rng(1)
    frame = table(rows=250).assign(group=rng.choice(["x", "y", "z"], 250))
    frame.iloc[::17, 0] = np.nan
    drawn = dicola.bootstrap(frame, 3)
    assert set(drawn.pag.names) == set(frame.columns) and drawn.replicates == 3


# What a result keeps of it


@pytest.fixture(scope="module")
def found() -> Discovery:
    return DiCoLa(mode="exact", bootstrap=20, bootstrap_seed=3).fit(table()).discovery_


def test_a_result_carries_frequencies_per_edge(found):
    edges = found.to_pandas()
    assert list(edges.columns[-len(EDGE_COLUMNS) :]) == list(EDGE_COLUMNS)
    assert found.bootstrap == dicola.bootstrap(table(), 20, seed=3, mode="exact")
    for row in edges.itertuples():
        often = found.bootstrap.of_edge(next(e for e in found.pag.edges() if (e.u, e.v) == (row.u, row.v)))
        assert (row.adjacent, row.frequency, row.frequency_u, row.frequency_v) == often[:4]
        assert 0 < row.confidence < 1


def test_a_result_without_a_bootstrap_says_nothing_of_it():
    plain = DiCoLa(mode="exact").fit(table()).discovery_
    assert plain.bootstrap is None and not set(EDGE_COLUMNS) & set(plain.to_pandas()) and "bootstrap" not in plain.summary()


def test_written_and_read_back_it_is_the_same(found, tmp_path):
    found.write(tmp_path)
    again = Discovery.read(tmp_path)
    assert again == found and again.bootstrap == found.bootstrap
    pd.testing.assert_frame_equal(again.to_pandas(), found.to_pandas())
    again.write(tmp_path / "again")
    for name in ("bootstrap.csv", "consensus.csv", "edges.csv", "discovery.json"):
        assert (tmp_path / name).read_bytes() == (tmp_path / "again" / name).read_bytes()
    told = pd.read_csv(tmp_path / "bootstrap.csv")
    assert list(told.columns) == ["u", "v", "adjacent", *KINDS]
    assert PAG.read(tmp_path / "consensus.csv") == found.bootstrap.consensus


def test_a_later_result_without_a_bootstrap_takes_the_old_files_away(found, tmp_path):
    found.write(tmp_path)
    replace(found, bootstrap=None).write(tmp_path)
    assert not (tmp_path / "bootstrap.csv").exists() and not (tmp_path / "consensus.csv").exists()
    assert Discovery.read(tmp_path).bootstrap is None


def test_frequencies_of_another_run_are_noticed(found, tmp_path):
    found.write(tmp_path)
    text = (tmp_path / "bootstrap.csv").read_text()
    (tmp_path / "bootstrap.csv").write_text(text.replace("0.95", "0.9").replace("1.0", "0.85"))
    with pytest.raises(InvalidData, match="not written together"):
        Discovery.read(tmp_path)


def test_the_record_makes_the_same_run_again(found):
    again = DiCoLa.from_record(json.loads(json.dumps(found.settings))).fit(table()).discovery_
    assert (again.pag, again.bootstrap) == (found.pag, found.bootstrap)


def test_an_explanation_tells_how_often_each_mark_came(found):
    edge = found.pag.edges()[0]
    often, told = found.bootstrap.of_edge(edge), found.explain(edge.u, edge.v)
    assert f"Adjacent in {round(20 * often.adjacent)} of 20 bootstrap tables." in str(told)
    by_end = {end.at: end.often for end in told.ends}
    assert f"came in {round(20 * often.at_u)} of 20" in by_end[edge.u] and f"came in {round(20 * often.at_v)} of 20" in by_end[edge.v]
    apart = next(pair for pair in found.bootstrap.counts if not found.pag.marks[found.pag.index(pair[0]), found.pag.index(pair[1])])
    assert f"Adjacent in {round(20 * found.bootstrap.adjacent(*apart))} of 20" in str(found.explain(*apart))


def test_a_probability_rises_with_the_frequency_and_is_told_for_usual_settings_alone(found):
    sure = found.bootstrap.to_pandas().sort_values("adjacent")
    assert sure["confidence"].is_monotonic_increasing
    assert dicola.bootstrap(table(), 2, mode="exact", alpha=0.1).calibration is None
    assert dicola.bootstrap(table(), 2, mode="balanced", alpha=0.1).calibration == "balanced"
    other = dicola.bootstrap(table(), 2, mode="exact", learner="rfci")
    assert other.calibration is None and other.summary().endswith("; frequencies alone, as probabilities are not calibrated for such a run")
    assert "calibrated" not in dicola.bootstrap(table(), 2, mode="exact").summary()
