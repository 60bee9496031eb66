from __future__ import annotations

import pytest

from dicola_experiments.summary import Mean, Results, compared, figure
from dicola_experiments.tables import cell_text, study_tables
from tests.paper.examples import SETTING, row, study, total


def test_a_single_value_has_no_standard_error_and_no_value_no_mean():
    assert Mean.of([]) is None and Mean.of([2.0]) == Mean(2.0, None, 1)
    assert Mean.of([1.0, 2.0, 3.0]) == Mean(2.0, pytest.approx(1 / 3**0.5), 3)


def test_tests_are_all_or_those_of_a_phase_and_time_is_the_processors():
    one = row("fci", 1)
    assert (figure(one, "tests"), figure(one, "tests.leaves"), figure(one, "time"), figure(one, "depth")) == (100.0, 90.0, 0.25, None)
    assert figure({**one, "tests": 7}, "tests") == 7.0
    del one["cpu_seconds"]
    assert figure(one, "time") == 0.5


def test_methods_are_compared_on_the_seeds_that_both_finished():
    rows = [
        *(row("fci", seed, tests=total(100 * seed)) for seed in (1, 2)),
        row("fci", 3, "capped"),
        *(row("dicola+fci/paper", seed, tests=total(40 * seed)) for seed in (1, 2, 3)),
    ]
    results = Results(study("fci", "dicola+fci/paper"), rows)
    alone, dicola = results.at(SETTING, "fci"), results.at(SETTING, "dicola+fci/paper")
    assert alone is not None and dicola is not None
    both = compared(dicola, alone, "tests")
    assert both is not None
    assert (both.first.value, both.second.value, both.difference) == (60.0, 150.0, Mean(-90.0, 30.0, 2)) and both.ratio == 0.4
    assert compared(dicola.on({3}), alone, "tests") is None


def test_what_was_stopped_is_counted_and_told():
    rows = [*(row("icd", seed, "capped") for seed in (2, 3)), row("icd", 1, cap=270.0, seconds=200.0), row("icd", 0, "given up")]
    rows.append(row("fci", 1, "failed", seconds=0.0, why="for no reason"))
    results = Results(study("icd", "fci", "rfci"), rows)
    icd, fci = results.at(SETTING, "icd"), results.at(SETTING, "fci")
    assert icd is not None and fci is not None and results.at(SETTING, "rfci") is None
    assert icd.given_up and icd.n_stopped == 3 and len(icd.finished) == 1, "seed 1 finished only because it was granted more"
    assert cell_text(icd, "f1") == "0.800 (1, 3 stopped)" and cell_text(fci, "f1") == "– (1 failed)"
    assert icd.facts()["means"]["f1"] == {"mean": 0.8, "se": None, "n": 1}


def test_a_table_has_a_line_a_method_and_a_column_a_number_of_rows():
    rows = [row("fci", seed) for seed in (1, 2)]
    tables = {table.title: table for table in study_tables(Results(study("fci", samples=(500, 1000)), rows))}
    table = (
        tables["F1 of the skeleton: ER(30,3), 3 hidden, pool any"] if len(tables) > 4 else tables["F1 of the skeleton: pool any, N = 500"]
    )
    assert table.lines == (("fci", "0.800 ±0.000 (2)"),)
    assert table.markdown().splitlines()[1] == "| --- | ---: |"
    assert table.text().splitlines()[-1] == "  fci     0.800 ±0.000 (2)"
