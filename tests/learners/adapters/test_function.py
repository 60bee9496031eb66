"""A plain function from a table to a matrix learns leaves like any other learner."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dicola import DAG, FCI, DiCoLa, Discovery, FisherZ, InvalidSetting, NeedsData, Oracle, discover, simulate
from dicola.learners.adapters.function import FunctionLearner

CHAIN = DAG.from_edges([("A", "B"), ("B", "C"), ("C", "D"), ("D", "E"), ("E", "F")])
DATA = simulate.linear_gaussian(CHAIN, 2000, seed=4)


def strong_partial_correlations(data: pd.DataFrame, alpha: float | None) -> pd.DataFrame:
    """On a chain variables are adjacent iff correlated given all the others."""
    precision = np.linalg.inv(data.corr())
    scale = np.sqrt(np.diag(precision))
    return pd.DataFrame(abs(precision / np.outer(scale, scale)) > 0.1, index=data.columns, columns=data.columns)


@pytest.mark.parametrize("decompose", [False, True])
def test_a_function_that_finds_the_skeleton_gives_the_pag_of_fci(decompose):
    found = discover(FisherZ(DATA), FunctionLearner(strong_partial_correlations), decompose=decompose)
    assert found.pag == discover(FisherZ(DATA), FCI(), decompose=decompose).pag == CHAIN.true_pag([])
    assert found.warnings == ()
    assert found.skeleton.separating_set("A", "C") == ("B",)


def test_on_each_leaf_it_sees_the_columns_of_the_leaf_and_the_level():
    seen = []

    def function(data: pd.DataFrame, alpha: float | None) -> pd.DataFrame:
        seen.append((tuple(data.columns), alpha))
        pd.testing.assert_frame_equal(data, DATA[list(data.columns)], check_names=False)
        data.iloc[:, :] = 0.0  # its own copy
        return np.ones((len(data.columns), len(data.columns)))

    found = discover(FisherZ(DATA, alpha=0.02), FunctionLearner(function))
    assert seen == [(tuple(found.skeleton.labels[v] for v in leaf.variables), 0.02) for leaf in found.tree.leaves]
    assert len(seen) > 1


@pytest.mark.parametrize(
    "answer",
    [
        [[0, 0.5, 0], [0, 9, 0], [0, -1, 0]],
        np.array([[False, True, False], [True, False, True], [False, True, False]]),
        pd.DataFrame([[0, 1, 0], [0, 0, 1], [0, 0, 0]]),
        pd.DataFrame([[0, 0, 1], [0, 0, 1], [1, 1, 0]], index=list("CAB"), columns=list("CAB")),
        pd.DataFrame([[1, 0, 0], [0, 0, 1], [0, 0, 0]], index=list("ABC"), columns=list("BAC")),
    ],
)
def test_either_entry_makes_an_edge_whatever_the_kind_of_matrix(answer):
    skeleton = FunctionLearner(lambda data, alpha: answer).learn_skeleton(FisherZ(DATA), [0, 1, 2])
    assert skeleton.named_edges() == {frozenset("AB"), frozenset("BC")}


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (np.zeros((2, 2)), r"'mine' returned a matrix of shape \(2, 2\) for 3 variables; it must be 3 by 3"),
        (np.zeros(3), r"shape \(3,\)"),
        (None, r"shape \(\)"),
        ([[0, 1], [0]], "a list that is no matrix of numbers; it must be 3 by 3"),
        ("edges", "a str that is no matrix of numbers"),
        ([[0, np.nan, 0], [0, 0, 0], [0, 0, 0]], "missing entries"),
        (pd.DataFrame(np.zeros((3, 3)), index=list("ABD"), columns=list("ABD")), "do not carry the names of the 3 variables"),
    ],
)
def test_an_answer_that_is_no_matrix_of_the_variables_is_refused_in_a_sentence(answer, words):
    with pytest.raises(InvalidSetting, match=words):
        FunctionLearner(lambda data, alpha: answer, name="mine").learn_skeleton(FisherZ(DATA), [0, 1, 2])


def test_settings_are_checked():
    with pytest.raises(InvalidSetting, match=r"wraps a function of \(data, alpha\); got list"):
        FunctionLearner([])  # type: ignore[arg-type]
    with pytest.raises(InvalidSetting, match="max_condition_size is -1"):
        FunctionLearner(strong_partial_correlations, max_condition_size=-1)


def test_an_oracle_has_no_table_to_hand_over():
    with pytest.raises(NeedsData, match="Oracle carries no rows"):
        discover(Oracle(CHAIN), FunctionLearner(strong_partial_correlations))


def test_pairs_that_no_set_separates_are_counted_in_a_warning():
    found = discover(FisherZ(DATA), FunctionLearner(lambda data, alpha: np.zeros((6, 6)), max_condition_size=0), decompose=False)
    apart = sum(not FisherZ(DATA)(x, y).independent for i, x in enumerate("ABCDEF") for y in "ABCDEF"[:i])
    assert found.warnings[0].startswith(f"{apart} pairs were left without an edge though no set that was tried separates them")


def test_a_result_can_be_written_and_the_estimator_takes_the_learner(tmp_path):
    learner = FunctionLearner(strong_partial_correlations, name="mine")
    model = DiCoLa(learner=learner).fit(DATA)
    assert model.pag_ == CHAIN.true_pag([])
    assert Discovery.read(model.discovery_.write(tmp_path / "out")).settings["learner"] == {"name": "mine", "max_condition_size": None}


def test_a_single_variable_is_not_worth_a_call():
    assert FunctionLearner(lambda data, alpha: pytest.fail("called")).learn_skeleton(FisherZ(DATA), [3]).edges == frozenset()
