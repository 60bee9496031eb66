"""Limits: a whole number from 0 on or none; what is cut short is labelled, sound as far as it goes, and never an exception."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from dicola import FCI, ICD, PC, RFCI, FCIPlus, FisherZ, InvalidSetting, LMarvel, Oracle, discover, simulate
from dicola.errors import counted
from dicola.learners.registry import LEARNERS
from tests.exactness.learners import EX4, EX5, EX6, edges_missed, insufficient_truth, plain_dag, random_truth
from tests.exactness.run import hidden_dag, wrong_sets

LIMITS = [(learner, field.name) for learner in LEARNERS.values() for field in fields(learner) if field.name.startswith("max_")]
SMALL = [
    *(learner(max_condition_size=size) for learner in (FCI, RFCI, FCIPlus, ICD) for size in (0, 1, 2)),
    *(FCI(max_possible_dsep_size=size) for size in (0, 1, 2)),
    *(FCI(size, size, "textbook") for size in (0, 1)),
    *(FCIPlus(max_base_size=size) for size in (0, 1, 2)),
    *(FCIPlus(max_hierarchy_size=size) for size in (0, 1, 2)),
    FCIPlus(0, 0, 0),
    ICD(1, possible_ancestors=True),
]


def test_every_learner_has_a_limit_on_its_conditioning_sets():
    assert {learner for learner, name in LIMITS if name == "max_condition_size"} == set(LEARNERS.values())
    assert {name for learner, name in LIMITS if learner is FCIPlus} == {"max_condition_size", "max_base_size", "max_hierarchy_size"}
    assert {name for learner, name in LIMITS if learner is FCI} == {"max_condition_size", "max_possible_dsep_size"}


@pytest.mark.parametrize("bad", [-1, True, False, 1.5, 2.0, "3", np.nan], ids=repr)
@pytest.mark.parametrize(("learner", "name"), LIMITS, ids=lambda value: getattr(value, "name", value))
def test_a_limit_that_is_no_whole_number_from_zero_on_is_refused(learner, name, bad):
    with pytest.raises(InvalidSetting, match=f"{name} is .*whole number from 0 on"):
        learner(**{name: bad})


@pytest.mark.parametrize(("learner", "name"), LIMITS, ids=lambda value: getattr(value, "name", value))
def test_zero_and_none_are_limits_too(learner, name):
    assert getattr(learner(**{name: 0}), name) == 0 and getattr(learner(**{name: None}), name) is None


@pytest.mark.parametrize("decompose", [False, True], ids=["alone", "DiCoLa"])
@pytest.mark.parametrize("learner", SMALL, ids=str)
def test_what_a_limit_leaves_is_a_supergraph_with_valid_sets_and_a_label(learner, decompose):
    cut_short = 0
    for number in range(40):
        truth = insufficient_truth(6, number) if number % 2 else random_truth(6, number)
        found = discover(truth.oracle(), learner, decompose=decompose)
        assert edges_missed(found.pag, truth.mag) == [] and wrong_sets(found, truth.oracle()) == [], truth.label
        if found.skeleton.n_edges > len(list(truth.mag.pairs())) and learner.complete:
            cut_short += 1
            assert any("max_" in warning for warning in found.warnings), truth.label
    if learner.complete and not decompose and 0 in vars(learner).values():
        assert cut_short > 0, "a limit of zero bites"


@pytest.mark.parametrize("limit", [0, 1])
def test_pc_is_labelled_where_its_limit_left_edges(limit):
    cut_short = 0
    for number in range(100):
        dag, truth = plain_dag(6, number)
        found = discover(Oracle(dag), PC(limit), decompose=False)
        if found.skeleton.n_edges > truth.n_edges:
            cut_short += 1
            assert found.warnings == (f"sets of neighbours were tried up to {counted(limit, 'variable')} only (max_condition_size).",)
        else:
            assert found.skeleton.n_edges == truth.n_edges
    assert cut_short > 10


@pytest.mark.parametrize(
    "learner", [FCI(99, 99), RFCI(99), FCIPlus(99, 99, 99), ICD(99), LMarvel(99), PC(99)], ids=lambda learner: learner.name
)
@pytest.mark.parametrize("mag", [EX4, EX5, EX6], ids=["EX4", "EX5", "EX6"])
def test_a_limit_that_is_never_met_changes_nothing_and_is_not_spoken_of(mag, learner):
    for decompose in (False, True):
        limited, free = discover(Oracle(mag), learner, decompose=decompose), discover(Oracle(mag), learner.name, decompose=decompose)
        assert limited.pag == free.pag and limited.tests == free.tests and limited.skeleton == free.skeleton
        assert not any("only" in warning for warning in limited.warnings)


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (FCI(0), "sets of neighbours were tried up to 0 variables only (max_condition_size)."),
        (FCI(max_possible_dsep_size=0), "sets from Possible-D-Sep were tried up to 0 variables only (max_possible_dsep_size)."),
        (RFCI(0), "sets of neighbours were tried up to 0 variables only (max_condition_size)."),
        (FCIPlus(0), "sets of neighbours were tried up to 0 variables only (max_condition_size)."),
        (FCIPlus(max_base_size=0), "hierarchies were tried up to the limits max_base_size and max_hierarchy_size only."),
        (ICD(0), "sets of up to 0 variables were tried only (max_condition_size)."),
        (LMarvel(0), "sets inside blankets were tried up to 0 variables only (max_condition_size)."),
        (PC(0), "sets of neighbours were tried up to 0 variables only (max_condition_size)."),
    ],
    ids=str,
)
def test_the_label_names_the_limit_and_travels_to_the_discovery(learner, words):
    assert words in discover(Oracle(EX5), learner, decompose=False).warnings
    assert words in discover(Oracle(EX5), learner, max_depth=0, leaf_start="complete").warnings


def test_a_label_met_on_many_leaves_is_given_once():
    dag, latents = hidden_dag(59, 4)
    warnings = discover(Oracle(dag, latents), FCI(0)).warnings
    assert len(set(warnings)) == len(warnings)


@pytest.mark.parametrize("learner", [FCI(1, 1), RFCI(1), FCIPlus(1, 1, 1), ICD(1), LMarvel(1), PC(1)], ids=lambda learner: learner.name)
@pytest.mark.parametrize("decompose", [False, True], ids=["alone", "DiCoLa"])
def test_limits_hold_with_data_and_every_pair_still_has_an_edge_or_a_set(learner, decompose):
    for seed in range(8):
        dag, latents = hidden_dag(61, seed)
        test = FisherZ(simulate.linear_gaussian(dag, 300, seed=seed).drop(columns=list(latents)), alpha=0.05)
        skeleton = discover(test, learner, decompose=decompose).skeleton
        n = len(skeleton.names)
        assert len(skeleton.separating_sets()) + skeleton.n_edges == n * (n - 1) // 2
        if not decompose and not isinstance(learner, LMarvel):
            assert all(len(z) <= 1 for z in skeleton.separating_sets().values())


def test_other_settings_are_checked_as_well():
    with pytest.raises(InvalidSetting, match="'blanket' or 'textbook'"):
        FCI(possible_dsep="some")  # type: ignore[arg-type]
