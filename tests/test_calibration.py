"""The maps from frequencies to probabilities are those that were measured, and keep what the page says of them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks import calibration as study
from dicola.calibration import CALIBRATIONS, Map
from dicola.graphs.marks import Mark

RECORD = json.loads(study.RECORD.read_text(encoding="utf-8"))


@pytest.mark.parametrize("mode", study.MODES)
def test_the_maps_are_those_of_the_study_and_its_errors_small(mode):
    assert {name: list(each) for name, each in CALIBRATIONS[mode]._asdict().items()} == RECORD[mode]["maps"]
    assert RECORD[mode]["tables"] == 200
    for name, each in RECORD[mode]["held out"].items():
        assert each["confidence"] <= 0.05, name
        assert each["confidence"] < each["frequency"], name


def test_page_and_figure_are_those_of_the_record():
    assert study.page_block(RECORD) in study.PAGE.read_text(encoding="utf-8")
    assert study.figure(RECORD) == study.FIGURE.read_text(encoding="utf-8")


@pytest.mark.parametrize("mode", study.MODES)
def test_circles_in_place_of_unsure_marks_made_more_marks_right(mode):
    told, page = RECORD[mode]["circles"], " ".join(study.PAGE.read_text(encoding="utf-8").split())
    assert f"{told['answer']:.3f} to {told['bootstrap']:.3f} in" in page
    assert told["bootstrap"] > told["answer"] + 0.02 and f"{told['tables']} simulated tables" in page


def test_a_map_rises_from_near_0_to_near_1():
    shares = np.linspace(0, 1, 101)
    for calibration in CALIBRATIONS.values():
        for each in calibration:
            found = each(shares, 100)
            assert (np.diff(found) > 0).all() and 0 < found[0] < 0.2 and 0.6 < found[-1] < 1
    assert Map(0.0, 1.0, 1.0)(np.array([0.5]), 100) == pytest.approx(0.5)


def test_each_mark_has_a_map_of_its_own():
    known, share = CALIBRATIONS["balanced"], np.array([0.5])
    circle, arrow, tail = (known.of_mark(mark, share, 100)[0] for mark in (Mark.CIRCLE, Mark.ARROW, Mark.TAIL))
    assert circle > arrow > tail  # tails are claimed too readily


def test_a_fit_finds_the_map_behind_claims():
    rng, behind = np.random.default_rng(0), Map(0.5, 1.2, 0.7)
    shares = rng.integers(1, 100, 40_000) / 100
    truth = (rng.random(len(shares)) < behind(shares, 100)).astype(float)
    assert study.fitted(shares, truth) == pytest.approx(behind, abs=0.15)


def test_the_error_is_the_mean_distance_between_said_and_true():
    said, truth = np.array([0.2] * 10 + [0.8] * 10), np.array([1] * 2 + [0] * 8 + [1] * 6 + [0] * 4)
    assert study.error(said, truth) == pytest.approx(0.1)


def test_a_small_part_of_the_study_runs():
    rows = study.counted(7, "exact")
    assert set(rows[:, 2]) <= {0, 1, 2, 3} and ((rows[:, 0] > 0) & (rows[:, 0] <= 1)).all() and set(rows[:, 1]) <= {0, 1}
