"""Copies and exact functions, found without comparing every pair."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dicola import Table, look
from dicola.tables.redundancy import Function, copies, correlation_with_gaps, functions_of_categories, linear_functions, near_copies

RNG = np.random.default_rng(6)


def columns(**values: object):
    table = Table.from_frame(pd.DataFrame(values)).understood()
    return [table.columns[table.labels.index(name)] for name in table.names]


def test_copies_are_found_by_value_and_by_level():
    x, word = RNG.normal(size=80), RNG.choice(["a", "b", "c"], 80)
    renamed = pd.Series(word).map({"a": "z", "b": "x", "c": "y"})
    late = np.append(x[:-1], 5.0)
    found = columns(x=x, word=word, twin=x, late=late, renamed=renamed, other=RNG.choice(["a", "b", "c"], 80))
    assert copies(found) == [Function(2, (0,)), Function(4, (1,))]
    with_gaps = np.where(np.arange(80) % 7 == 0, np.nan, x)
    assert copies(columns(x=with_gaps, y=with_gaps.copy(), z=x)) == [Function(1, (0,))]
    assert copies(columns(x=x * 0.0 + np.arange(80) % 12 * 1.0, y=-(np.arange(80) % 12) * -1.0)) == [Function(1, (0,))]


@pytest.mark.parametrize("share", [0.0, 0.1])
def test_linear_functions_leave_the_last_and_name_what_they_are_made_of(share):
    a, b, c, d = RNG.normal(size=(4, 400))
    values = np.column_stack([a, b, 2 * a - b + 5, c, d, 1e3 * c, a + c + 0.01 * d])
    values[RNG.random(values.shape) < share] = np.nan
    assert linear_functions(values, correlation_with_gaps(values)) == [Function(2, (0, 1)), Function(5, (3,)), Function(6, (0, 3, 4))]


def test_with_few_rows_nothing_is_called_a_function():
    values = RNG.normal(size=(6, 8))
    assert linear_functions(values, correlation_with_gaps(values)) == []


def test_near_copies_are_told_and_not_called_functions():
    a = RNG.normal(size=500)
    values = np.column_stack([a, a + 0.01 * RNG.normal(size=500), RNG.normal(size=500)])
    correlation = correlation_with_gaps(values)
    assert linear_functions(values, correlation) == [] and list(near_copies(correlation)) == [(0, 1)]


def test_functions_of_categories_are_found_of_one_column_and_of_two():
    lung, tub = RNG.random(900) < 0.3, RNG.random(900) < 0.2
    fine = RNG.integers(0, 4, 900)
    found = columns(lung=lung, tub=tub, either=lung | tub, fine=fine, coarse=fine // 2, free=RNG.random(900) < 0.5)
    assert functions_of_categories(found) == [Function(2, (0, 1)), Function(4, (3,))]
    spoilt = (lung | tub) ^ (np.arange(900) == 899)
    assert functions_of_categories(columns(lung=lung, tub=tub, either=spoilt)) == []


def test_a_rare_level_that_another_column_fixes_is_found_and_a_single_row_is_chance():
    cause = np.repeat(np.arange(4), [1000, 600, 380, 20])
    frame = pd.DataFrame({"cause": cause, "rare": cause == 3, "single": np.arange(2000) == 1990})
    frame["lonely"] = np.where(frame["single"], 9, cause)  # its level 9 fixes the single row
    assert look(frame.astype("category")).about("determined") == ("cause", "rare")


def test_columns_as_large_as_numbers_get_are_told_without_a_word_from_lapack(capfd):
    rng = np.random.default_rng(3)
    values = rng.normal(size=(40, 3))
    values[:, 1] = -2.0 * values[:, 0]
    values *= 1e307 / np.abs(values).max() * np.array([8.0, 8.0, 8.0])
    assert linear_functions(values, correlation_with_gaps(values)) == [Function(1, (0,))]
    assert capfd.readouterr() == ("", "")
