"""What a test on correlations refuses, and the sentence that says why."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dicola import FisherZ, Table
from tests.tables.examples import frame, refused


def test_missing_values_are_counted_by_column():
    data = frame()
    data.loc[[3, 5], "b"] = np.nan
    data.loc[7, "c"] = np.nan
    assert "'a'" not in refused(data, "missing", "'b' (2)", "'c' (1)")
    refused(data.to_numpy(), "missing", "'X2' (2)", "'X3' (1)")


def test_infinite_values_are_counted_by_column():
    data = frame()
    data.loc[[0, 1, 2], "a"] = [np.inf, -np.inf, np.inf]
    refused(data, "infinite", "'a' (3)")


def test_many_columns_with_gaps_are_summed_up():
    data = pd.DataFrame(np.full((20, 9), np.nan), columns=list("abcdefghi"))
    refused(data, "'a' (20)", "'e' (20)", "4 more columns")


def test_a_constant_column_is_named():
    refused(frame(flat=[2.5] * 50), "'flat'", "constant")
    refused(np.column_stack([frame().to_numpy(), np.zeros(50)]), "'X4'", "constant")


def test_text_is_named_with_its_value_and_row():
    refused(frame(d=["1.5", "2"] + ["x7"] * 48), "'d'", "'x7'", "row 3")
    refused(frame(d=["red", "blue"] * 25), "'d'", "'red'", "row 1", "Encode the column or drop it")


@pytest.mark.parametrize(
    "column",
    [pd.date_range("2020", periods=50), pd.Categorical([1, 2] * 25), [1 + 2j] * 25 + [2 + 1j] * 25, [[1], [2]] * 25],
    ids=["dates", "categories", "complex", "lists"],
)
def test_other_types_are_refused_by_column(column):
    refused(frame(d=column), "'d'")


def test_complex_numbers_are_refused_also_among_objects():
    refused(np.array([[1 + 1j, 2.0, 3.0]] * 5 + [[2 + 3j, 1.0, 1.0]] * 5, dtype=object), "'X1'")


def test_repeated_and_missing_names_are_refused():
    data = frame()
    data.columns = ["a", "b", "a"]
    refused(data, "'a'", "more than once")
    data.columns = ["a", "", "c"]
    refused(data, "column 2", "no name")
    data.columns = [1, "1", "c"]
    refused(data, "'1'", "more than once")


def test_one_column_is_too_few():
    refused(frame()[["a"]], "1 column", "at least two")
    refused(np.zeros((5, 0)), "0 columns")


def test_no_rows_and_few_rows_are_too_few():
    refused(frame().iloc[:0], "no rows")
    refused(frame().iloc[:4], "4 rows", "at least 5")
    FisherZ(frame().iloc[:5])


@pytest.mark.parametrize("shape", [(3, 4, 5), (4,), ()])
def test_an_array_of_other_dimensions_is_refused_with_its_shape(shape):
    refused(np.zeros(shape), "two dimensions", str(shape))


def test_a_ragged_list_is_refused():
    refused([[1.0, 2.0], [3.0]])


def test_a_path_is_told_to_be_read_first():
    refused("table.csv", "'table.csv'", "read_table")
    refused(Path("table.csv"), "read_table")


def test_gaps_in_nullable_columns_are_missing_values():
    refused(frame(d=pd.array([None, 1] + [2] * 48, dtype="Int64")), "missing", "'d' (1)")
    refused(frame(d=[None, "1"] + ["2"] * 48), "missing", "'d' (1)")


def test_categories_are_refused_with_their_first_text_or_by_their_type():
    refused(frame(d=pd.Categorical(["low", "high"] * 25)), "'d' holds text ('low' in row 1)")
    refused(frame(d=pd.Categorical([None, "1", "high", "1", "1"] * 10)), "'d' holds text ('high' in row 3)")
    refused(frame(d=pd.Categorical([None, 1] * 25)), "'d' has the type category")
    refused(frame(d=pd.Categorical([None] * 50)), "'d' has the type category")


def test_a_choice_of_rows_is_checked_anew():
    data = frame(half=[0.0] * 25 + list(range(25)), gap=[np.nan] + list(range(49)))
    assert len(FisherZ(Table.from_frame(data).rows(range(1, 50)))) == 5
    refused(Table.from_frame(data).rows(range(1, 25)), "'half'", "constant")
    refused(Table.from_frame(data).rows([0, *range(50)]), "missing", "'gap' (2)")
    refused(Table.from_frame(data).rows([]), "no rows")
