"""The effect as an object: identified with a number, bounded, or not identifiable with the reason."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import dicola
from dicola import DAG, PAG, DiCoLa, Discovery, InvalidData, InvalidGraph, InvalidSetting, Oracle, Table, discover, simulate
from dicola.effects.after_discovery import Asked, by_bootstrap, by_splitting, halves
from dicola.effects.identification import Reason, beyond_adjustment
from tests.effects.coverage import learned

DAG_ = DAG.from_edges([("V", "X"), ("W", "X"), ("X", "Y"), ("W", "Y"), ("U", "Y")])
PAG_ = DAG_.true_pag()


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return simulate.linear_gaussian(DAG_, 1500, seed=3)


@pytest.fixture(scope="module")
def model(frame) -> DiCoLa:
    return DiCoLa(mode="exact").fit(frame)


def test_a_fitted_model_tells_the_effect_with_both_intervals(model, frame):
    found = model.effect("X", "Y")
    assert found.identified and found.reason is None and found.bounds is None and found.range is None
    assert found.set == ("W", "U") and found.sets == (("W",),)
    assert found.expression == "Σ_{W, U} P(Y | X, W, U) P(W, U)"
    assert found.after.way == "split" and found.interval == found.after.interval != found.naive_interval
    assert found.naive_interval[0] < found.value < found.naive_interval[1]
    assert found.interval[1] - found.interval[0] > found.naive_interval[1] - found.naive_interval[0]
    assert found.sentence.startswith("One unit more of X changes Y by 0.6") and "with W, U held fixed" in found.sentence
    assert "Allowing for discovery it is" in str(found) and "to explain it away." in str(found)
    assert 0 < found.robustness < 1
    assert model.effect("X", "Y") == found
    assert model.effect("X", "Y", seed=1).interval != found.interval


def test_the_split_learns_from_one_half_and_estimates_from_the_other(frame):
    table = Table.from_frame(frame).understood()
    first, second = halves(table, 0)
    seen = []

    def learn(rows: Table) -> PAG:
        seen.append(rows)
        return PAG_

    found = by_splitting(learn, table, Asked("X", "Y"))
    assert len(seen) == 1 and np.array_equal(seen[0].values, first.values)
    assert first.n_samples + second.n_samples == 1500
    assert found.value == dicola.effect(PAG_, "X", "Y", second).value
    assert found.given == ("W", "U")


def test_the_split_says_where_half_of_the_rows_do_not_identify(frame):
    table = Table.from_frame(frame).understood()
    found = by_splitting(lambda rows: PAG.from_text("X o-o Y; W o-o U", nodes=PAG_.names), table, Asked("X", "Y"))
    assert found.interval is None and found.identified == 0 and "does not identify it: no adjustment set exists" in found.sentence
    nothing = by_splitting(lambda rows: PAG.from_text("X <-> Y; W o-o U", nodes=PAG_.names), table, Asked("X", "Y"))
    assert nothing.interval == (0, 0)
    lost = by_splitting(lambda rows: PAG.from_text("W o-o Y"), table, Asked("X", "Y"))
    assert lost.interval is None and lost.sentence.startswith("Half of the rows are not enough: 'X' is not a vertex")


def test_the_bootstrap_learns_again_on_every_replicate(frame):
    table = Table.from_frame(frame).understood()
    graphs = iter([PAG_, PAG_, PAG.from_text("X o-o Y", nodes=PAG_.names), PAG_] * 10)
    found = by_bootstrap(lambda rows: next(graphs), table, Asked("X", "Y"), replicates=40)
    assert found.identified == 0.75 and found.interval[0] < found.value < found.interval[1]
    assert found.sentence.startswith("30 of 40 graphs")
    few = by_bootstrap(lambda rows: PAG.from_text("X o-o Y", nodes=PAG_.names), table, Asked("X", "Y"), replicates=20)
    assert few.interval is None and few.identified == 0 and "too few for an interval" in few.sentence
    with pytest.raises(InvalidSetting, match="replicates is 5"):
        by_bootstrap(lambda rows: PAG_, table, Asked("X", "Y"), replicates=5)


def test_the_bootstrap_of_a_model_is_the_same_every_time(model):
    found = model.effect("X", "Y", interval="bootstrap", replicates=40)
    assert found == model.effect("X", "Y", interval="bootstrap", replicates=40)
    assert found.after.way == "bootstrap" and found.interval[0] < found.value < found.interval[1]


def test_with_discovery_the_split_interval_covers_what_was_chosen():
    runs = list(islice(learned(first=2000), 60))
    assert sum(run.chosen for run in runs) >= 52
    assert all(run.chosen == run.truth for run in runs if run.right_set)


def test_what_is_not_identified_has_a_reason_and_the_range_over_its_graphs(model):
    found = model.effect("W", "Y")
    assert not found.identified and found.set is None and found.value is None and found.interval is None
    assert "its first edge, W o-> X, leaves open whether it is causal" in found.reason
    assert found.bounds == (found.range.effects[0], found.range.effects[-1]) and found.range.complete
    assert f"In {found.range.n_identified} of the {found.range.n_identified + found.range.n_open} MAGs of the class" in found.sentence
    assert "could be anything" in found.sentence
    cut = model.effect("W", "Y", members=2)
    assert not cut.range.complete and "2 MAGs that were looked at (the class has more)" in cut.sentence


def test_the_range_holds_the_effect_of_every_member_that_identifies_one(frame):
    pag = PAG.from_text("A o-o B; B o-o C")
    rows = simulate.linear_gaussian(DAG.from_edges([("A", "B"), ("B", "C")]), 3000, seed=1)
    found = dicola.effect(pag, "B", "C", rows)
    slope = np.polyfit(rows["B"], rows["C"], 1)[0]
    assert found.range.effects == pytest.approx(sorted([0.0, slope])) and found.range.n_open > 0
    alone = dicola.effect(PAG.from_text("A o-> B; C o-> B"), "A", "B", rows)
    assert alone.bounds == (0, 0) and alone.range.n_open > 0


def test_no_path_that_could_be_causal_means_no_effect(model):
    found = model.effect("Y", "X")
    assert found.identified and found.by == "no path" and found.value == 0 and found.naive_interval == (0, 0) and found.set is None
    assert "so the effect is zero" in found.sentence and found.expression == "P(X)"


def test_without_a_table_identification_is_told():
    found = dicola.effect(PAG_, "X", "Y")
    assert found.identified and found.set == ("W",) and found.value is None and found.interval is None
    assert found.sentence == "Identified: for the effect of X on Y hold fixed {W}."
    assert dicola.effect(PAG.from_text("X o-> Y"), "X", "Y").range is None


def test_a_graph_that_was_given_has_one_interval(frame):
    found = dicola.effect(PAG_, "X", "Y", frame, method="gaussian", level=0.9)
    assert found.after is None and found.interval == found.naive_interval and found.estimate.level == 0.9


def test_categories_without_a_number_are_told_in_a_sentence(frame):
    coarse = frame.assign(Y=np.array(["a", "b", "c"])[np.digitize(frame["Y"], [-1, 1])])
    found = dicola.effect(PAG_, "X", "Y", coarse)
    assert found.identified and found.value is None and found.set == ("W",)
    assert "There is no number for it: Y is nominal" in found.sentence
    unclear = dicola.effect(PAG_, "W", "Y", coarse)
    assert not unclear.identified and unclear.range is None and "Y is nominal" in unclear.sentence


def test_selection_identifies_nothing(frame):
    found = dicola.effect(PAG.from_text("X --- Y; Y --- W"), "X", "Y", frame)
    assert not found.identified and "selection of the sample" in found.reason and found.bounds is None
    model = DiCoLa(mode="exact", selection=True, decompose=False).fit(frame)
    assert model.effect("X", "Y").reason == model.discovery_.effect("X", "Y", frame).reason == found.reason


def test_a_graph_that_is_no_pag_is_told(frame):
    pag = PAG.from_text("V --> X; X --> Y; Y --> V; W o-> X; U o-> Y")
    assert "not the PAG of any class of MAGs" in dicola.effect(pag, "X", "Y").sentence


def test_a_written_result_tells_the_same_from_its_table(model, frame, tmp_path):
    model.discovery_.write(tmp_path / "results")
    found = Discovery.read(tmp_path / "results")
    assert found.effect("X", "Y", frame) == model.effect("X", "Y")
    assert found.effect("X", "Y", frame, interval="naive").after is None
    assert found.effect("X", "Y").estimate is None
    with pytest.raises(InvalidData, match="the table lacks 'W'"):
        found.effect("X", "Y", frame.drop(columns="W"))


def test_the_graph_of_an_oracle_is_taken_as_known(frame):
    found = discover(Oracle(DAG_)).effect("X", "Y", frame)
    assert found.after is None and found.interval == found.naive_interval


def test_hand_over_to_other_libraries(model, frame):
    found = model.effect("X", "Y", interval="naive")
    assert found.to_dowhy() == {"treatment": ["X"], "outcome": ["Y"], "common_causes": ["W", "U"]}
    econml = found.to_econml(frame)
    assert econml["Y"].shape == econml["T"].shape == (1500,) and econml["W"].shape == (1500, 2)
    assert replace(found, set=()).to_econml(frame)["W"] is None
    with pytest.raises(InvalidSetting, match="no adjustment set identifies the effect of W on Y"):
        model.effect("W", "Y").to_dowhy()


def test_what_lies_beyond_adjustment_has_one_door():
    answer = beyond_adjustment(PAG.from_text("X o-> Y"), "X", "Y")
    assert isinstance(answer, Reason) and "no adjustment set exists" in answer.sentence


def test_wrong_questions_are_refused(model):
    with pytest.raises(NotFittedError):
        DiCoLa().effect("X", "Y")
    with pytest.raises(InvalidGraph, match="'Z' is not a vertex"):
        model.effect("X", "Z")
    with pytest.raises(InvalidGraph, match="X was named twice"):
        model.effect("X", "X")
    with pytest.raises(InvalidSetting, match="interval is 'wide'"):
        model.effect("X", "Y", interval="wide")
    with pytest.raises(InvalidSetting, match="members is 0"):
        dicola.effect(PAG_, "X", "Y", members=0)
    with pytest.raises(InvalidSetting, match="level is 2"):
        model.effect("X", "Y", level=2)
