"""Modes: presets that say what they fix, and need data where they score."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dicola import DAG, FCI, DiCoLa, Discovery, FisherZ, InvalidSetting, Knowledge, MagBIC, NeedsData, Oracle, discover, simulate
from dicola.pipeline.modes import MODES, SCORED, mode_named


def table(seed: int = 1, rows: int = 600) -> pd.DataFrame:
    dag = simulate.er_dag(16, 3, seed)
    return simulate.linear_gaussian(dag, rows, seed).drop(columns=list(simulate.hide(dag, 2, seed)))


def test_exact_is_the_default_and_the_paper():
    ci = FisherZ(table())
    assert discover(ci) == discover(ci, mode="exact")
    assert discover(ci).settings["mode"] == "exact" and not discover(ci).evaluations


def test_every_mode_has_a_name_a_title_and_a_guarantee():
    for name, mode in MODES.items():
        assert mode_named(name.upper()) is mode and mode.name == name
        assert mode.title and mode.guarantee


def test_colliders_by_order_keep_the_skeleton_and_ask_the_score():
    ci = FisherZ(table(seed=3))
    exact, order = discover(ci), discover(ci, colliders="order")
    assert order.skeleton == exact.skeleton and order.pag != exact.pag
    assert {**exact.tests, **{phase: order.tests[phase] for phase in ("orientation", "total")}} == order.tests
    assert order.settings["colliders"] == "order" and order.evaluations["parent searches"] > 0
    assert f"score: parent searches {order.evaluations['parent searches']:,}" in order.summary()


def test_fast_is_another_name_for_balanced_and_its_records_are_run_as_they_were():
    frame = table(seed=3)
    found = DiCoLa(mode="fast").fit(frame).discovery_
    assert found.pag == DiCoLa(mode="balanced").fit(frame).pag_ and found.settings["mode"] == "balanced"
    assert "mode: balanced, as 'fast' is another name for it" in found.summary()
    before = discover(FisherZ(frame), colliders="order")
    assert DiCoLa.from_record(before.settings | {"mode": "fast"}).fit(frame).pag_ == before.pag


def test_colliders_by_order_hang_on_the_seed_alone_and_not_on_the_order_of_columns():
    frame = table(seed=2)
    shuffled = frame[list(np.random.default_rng(0).permutation(frame.columns))]
    one = DiCoLa(colliders="order", seed=3).fit(frame).discovery_
    other = DiCoLa(colliders="order", seed=3).fit(shuffled).discovery_
    assert other.pag.reordered(one.pag.names) == one.pag
    assert other.evaluations == one.evaluations


def test_a_score_mode_refuses_a_test_without_data():
    with pytest.raises(NeedsData, match="correlations"):
        discover(Oracle(DAG.from_edges([("A", "B")])), mode="balanced")


def test_what_a_mode_fixes_cannot_be_set_otherwise():
    ci = FisherZ(table())
    for chosen in (FCI(), "fci", FCI(max_condition_size=2)):
        with pytest.raises(InvalidSetting, match=r"comes with learner='mag-bic', and learner='fci' was chosen: leave out .* mode='exact'"):
            discover(ci, chosen, mode="balanced")
    with pytest.raises(InvalidSetting, match="comes with stop='reference'"):
        discover(ci, mode="balanced", stop="auto")
    for own in (MagBIC(), "mag-bic"):
        assert discover(ci, own, mode="balanced").settings["learner"]["name"] == "mag-bic"


def test_auto_obeys_what_was_chosen():
    ci = FisherZ(table())
    for chosen in (
        {"learner": "rfci"},
        {"learner": "mag-bic"},
        {"stop": "paper"},
        {"stop": "reference"},
        {"colliders": "majority"},
        {"colliders": "order"},
        {"selection": True, "decompose": False},
    ):
        found = discover(ci, mode="auto", **chosen)
        assert found.settings["mode"] == "exact" and "was chosen" in found.settings["mode_chosen"]
        assert found.pag == discover(ci, **chosen).pag


def test_auto_scores_with_knowledge_as_without_it():
    ci = FisherZ(table())
    known = Knowledge(tiers=[ci.names[:3], ci.names[3:]])
    found = discover(ci, mode="auto", knowledge=known)
    assert found.settings["mode"] == "balanced"
    assert found.pag == discover(ci, mode="balanced", knowledge=known).pag
    assert found.legality
    assert not any(each.status == "denied" for each in found.statements)


def test_a_mode_that_does_not_exist_is_refused():
    ci = FisherZ(table())
    with pytest.raises(InvalidSetting, match=r"'exact', 'paper', 'balanced', 'either' or 'auto'"):
        discover(ci, mode="perfect")


def test_evaluations_and_score_are_written_and_read_back(tmp_path):
    found = discover(FisherZ(table()), mode="balanced")
    found.write(tmp_path)
    again = Discovery.read(tmp_path)
    assert again == found and again.evaluations == found.evaluations


def test_auto_scores_tables_of_numbers_and_says_so():
    found = discover(FisherZ(table()), mode="auto")
    assert found.settings["mode"] == SCORED and "linear Gaussian" in found.settings["mode_chosen"]
    assert f"mode: {SCORED}, as the columns can be scored" in found.summary()
    assert "mode_chosen" not in discover(FisherZ(table())).settings and "mode: exact\n" in discover(FisherZ(table())).summary()


def test_auto_scores_a_covariance_matrix_too():
    frame = table()
    test = FisherZ.from_covariance(frame.cov(), len(frame))
    assert discover(test, mode="auto").settings["mode"] == SCORED


def test_auto_is_exact_where_a_score_would_be_out_of_place():
    frame = table()
    graded = frame.assign(**{frame.columns[3]: np.sign(frame[frame.columns[3]])})
    reasons = {
        "only 2 different values": FisherZ(graded),
        "no correlations": Oracle(DAG.from_edges([("A", "B"), ("C", "B")])),
    }
    for words, test in reasons.items():
        found = discover(test, mode="auto")
        assert found.settings["mode"] == "exact" and words in found.settings["mode_chosen"]
        assert found.pag == discover(test).pag


@pytest.mark.parametrize("rows", [16, 30, 60])
def test_auto_scores_few_rows_too(rows):
    found = discover(FisherZ(table(rows=rows)), mode="auto", blankets="iamb")
    assert found.settings["mode"] == SCORED and found.power.n_samples == rows and found.legality


def test_a_table_of_fewer_rows_than_columns_is_scored_without_leaving_the_room_of_districts():
    values = np.random.default_rng(0).normal(size=(10, 15))
    assert discover(FisherZ(values), mode="auto", blankets="iamb").legality


def test_auto_goes_by_tests_where_scoring_would_take_too_long(monkeypatch):
    ci = FisherZ(table())
    monkeypatch.setattr("dicola.pipeline.plan.MOST_SCORED", len(ci) - 1)
    found = discover(ci, mode="auto")
    assert found.settings["mode"] == "exact" and "are more than 13, where scoring takes minutes" in found.settings["mode_chosen"]
    assert discover(ci, mode=SCORED).settings["mode"] == SCORED
    monkeypatch.setattr("dicola.pipeline.plan.MOST_SCORED", len(ci))
    assert discover(ci, mode="auto").settings["mode"] == SCORED


def test_marks_that_the_score_decided_are_not_laid_to_separating_sets():
    found = discover(FisherZ(table(seed=3)), colliders="order")
    (a, b), _ = next((ends, reason) for ends, reason in found.reasons.items() if reason.rule == "R0")
    told = str(found.explain(found.skeleton.labels[a], found.skeleton.labels[b]))
    assert "in the DAG with the best score" in told and "is not needed to separate" not in told
    assert "in the DAG with the best score" in found.report()


@pytest.mark.parametrize("settings", [{"mode": "paper"}, {"colliders": "order"}], ids=str)
def test_an_illegal_graph_is_made_legal_on_request_and_a_legal_one_left_alone(settings, tmp_path):
    was_illegal = 0
    for seed in range(12):
        ci = FisherZ(table(seed, rows=200))
        found, legal = discover(ci, **settings), discover(ci, **settings, legalize=True)
        assert legal.legality
        if found.legality:
            assert legal.pag == found.pag and legal.skeleton == found.skeleton and legal.warnings == found.warnings
        else:
            was_illegal += 1
            assert "the graph was no legal PAG" in legal.warnings[-1] and found.skeleton.edges <= legal.skeleton.edges
            assert Discovery.read(legal.write(tmp_path / str(seed))) == legal
    assert 0 < was_illegal < 12


def test_legality_of_dag_classes_and_selection_is_not_touched():
    for settings in ({"learner": "pc"}, {"selection": True, "decompose": False}):
        with pytest.raises(InvalidSetting, match="legalize"):
            discover(FisherZ(table()), legalize=True, **settings)
