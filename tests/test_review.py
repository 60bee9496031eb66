"""Facts that a reader of the code found to be false once; kept so that they stay true."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dicola import DAG, ICD, PAG, FisherZ, InvalidData, InvalidGraph, InvalidSetting, Oracle, discover, metrics, simulate
from dicola.graphs.formats.native import read_dag
from dicola.tables.table import Table


def test_icd_with_ancestral_pruning_is_exact_on_leaves_that_were_not_split():
    dag = DAG.from_edges([("X1", "X5"), ("X2", "X5"), ("X2", "X6"), ("X3", "X6"), ("X4", "X1"), ("X6", "X1")])
    assert discover(Oracle(dag), ICD(possible_ancestors=True), max_depth=0).pag == dag.true_pag()


@pytest.mark.parametrize("shape", [(400, 400), (4, 3), (4,)])
def test_a_level_over_a_matrix_of_another_size_is_refused(shape):
    test = FisherZ(np.random.default_rng(0).normal(size=(50, 4)))
    with pytest.raises(InvalidSetting, match="square matrices"):
        test.sweep_level(np.ones(shape, dtype=bool), 0)


def test_a_level_of_negative_size_is_refused():
    test = FisherZ(np.random.default_rng(0).normal(size=(50, 4)))
    with pytest.raises(InvalidSetting, match="-1"):
        test.sweep_level(~np.eye(4, dtype=bool), -1)


def test_blanks_around_the_names_of_arcs_do_not_make_other_nodes(tmp_path):
    (tmp_path / "dag.csv").write_text("parent, child\nA, B\nB, C\n")
    assert read_dag(tmp_path / "dag.csv").names == ("A", "B", "C")


def test_masked_entries_are_missing_values():
    values = np.ma.masked_greater(np.random.default_rng(0).normal(size=(20, 3)), 1.5)
    assert np.array_equal(np.isnan(Table.from_array(values).to_frame()), values.mask)
    with pytest.raises(InvalidData, match="there are missing values in 'X1' "):
        FisherZ(values)


def test_a_bound_on_path_lengths_that_was_met_is_told():
    dag = simulate.er_dag(10, 3, 0)
    oracle = Oracle(dag, simulate.hide(dag, 2, 0))
    bounded, free = discover(oracle, max_path_length=3), discover(oracle)
    assert any("max_path_length" in warning for warning in bounded.warnings) and free.warnings == ()
    assert free.pag == dag.true_pag(simulate.hide(dag, 2, 0))


def test_a_single_name_is_a_conditioning_set_of_one():
    dag = DAG.from_edges([("A1", "B1"), ("B1", "C1")])
    assert Oracle(dag)("A1", "C1", "B1").independent


def test_a_data_frame_of_marks_brings_its_names_along():
    frame = pd.DataFrame([[0, 2], [1, 0]], index=["A", "B"], columns=["A", "B"])
    assert PAG.from_matrix(frame) == PAG(frame) == PAG.from_matrix(frame, ["A", "B"]) == PAG.from_text("A o-> B")
    assert PAG.from_matrix(pd.DataFrame([[0, 2], [1, 0]])).names == ("X1", "X2")
    assert PAG.from_matrix(pd.DataFrame([[0, 2], [1, 0]]), "AB") == PAG.from_text("A o-> B")
    with pytest.raises(InvalidGraph, match="rows named like its columns"):
        PAG.from_matrix(frame.loc[["B", "A"]])
    with pytest.raises(InvalidGraph, match="names of its own"):
        PAG.from_matrix(frame, ["B", "A"])


@pytest.mark.parametrize("other", [np.zeros((2, 2)), None, "A o-> B"])
def test_skeleton_scores_of_what_is_no_graph_get_a_sentence(other):
    for pair in ((PAG.from_text("A o-> B"), other), (other, PAG.from_text("A o-> B"))):
        with pytest.raises(InvalidGraph, match="scores are of graphs or skeletons, not of a"):
            metrics.skeleton_scores(*pair)


def test_half_a_character_in_a_name_is_refused():
    with pytest.raises(InvalidGraph, match="half a character"):
        PAG.from_matrix([[0]], ["a\ud800"])
