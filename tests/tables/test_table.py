"""What may become a table, and what it holds then."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from dicola import Column, Dataset, FisherZ, InvalidData, InvalidSetting, Table
from dicola.tables.table import as_table
from tests.tables.examples import frame, held


def test_a_text_column_of_numbers_is_read_as_numbers():
    data = frame()
    assert np.allclose(held(Dataset.from_frame(data.astype(str))), held(Dataset.from_frame(data)))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.one_of(st.none(), st.sampled_from(["1", "2.5", " 3", "-inf", "nan", "b", "a", "Ä", ""]), st.text("0e.-x", max_size=3))))
@pytest.mark.parametrize("dtype", [object, "string"])
def test_texts_are_read_as_if_row_by_row(dtype, texts):
    (column,) = Table.from_frame(pd.DataFrame({"v": pd.Series(texts, dtype=dtype)})).columns
    numbers = [np.nan if text is None else pd.to_numeric(text, errors="coerce") for text in texts]
    if any(text is not None and np.isnan(number) for text, number in zip(texts, numbers, strict=True)):
        assert column.kind == "nominal"
        assert column.levels == tuple(sorted({text for text in texts if text is not None}))
        assert [None if code < 0 else column.levels[code] for code in column.codes] == texts
    else:
        assert (column.kind, column.levels) == ("continuous", ())
        np.testing.assert_array_equal(column.values, np.array(numbers, dtype=np.float64))


def test_numbers_of_every_kind_are_let_in():
    rng = np.random.default_rng(5)
    data = pd.DataFrame(
        {
            "int": rng.integers(0, 9, 60),
            "bool": rng.random(60) < 0.5,
            "float32": rng.normal(size=60).astype(np.float32),
            "Int64": pd.array(rng.integers(0, 9, 60), dtype="Int64"),
            "boolean": pd.array(rng.random(60) < 0.5, dtype="boolean"),
            "object": pd.Series(rng.integers(0, 9, 60).tolist(), dtype=object),
            "uint8": rng.integers(0, 200, 60).astype(np.uint8),
        }
    )
    dataset = Dataset.from_frame(data)
    assert held(dataset).dtype == np.float64 and dataset.n_samples == 60
    assert np.array_equal(dataset.to_frame()["bool"], data["bool"].astype(float))


def test_object_arrays_with_numbers_bools_and_ints_are_let_in():
    values = np.random.default_rng(6).integers(0, 9, (30, 3))
    for array in (values.astype(object), values, values.astype(bool), values.tolist()):
        assert np.array_equal(held(Dataset.from_array(array)), np.asarray(array, dtype=float))


def test_columns_are_worked_on_in_the_fixed_order_and_given_back_in_the_users():
    data = pd.DataFrame(np.random.default_rng(7).normal(size=(9, 4)), columns=["X10", "X9", "b", "X1"])
    dataset = Dataset.from_frame(data)
    assert dataset.labels == ("X1", "X9", "X10", "b") and dataset.names == ("X10", "X9", "b", "X1")
    assert dataset.to_frame().equals(data) and dataset.kinds == ("continuous",) * 4
    assert np.array_equal(held(dataset)[:, 0], data["X1"])


def test_an_unnamed_array_is_named_by_position():
    dataset = Dataset.from_array(np.random.default_rng(8).normal(size=(6, 11)))
    assert dataset.names == dataset.labels == tuple(f"X{i}" for i in range(1, 12))


def test_names_for_an_array_must_be_as_many_as_its_columns():
    values = np.random.default_rng(8).normal(size=(6, 3))
    assert Dataset.from_array(values, names="zyx").labels == ("x", "y", "z")
    with pytest.raises(InvalidData, match="2 names were given for 3 columns"):
        Dataset.from_array(values, names=["a", "b"])


def test_a_dataset_is_a_copy_that_cannot_be_changed():
    values = np.random.default_rng(9).normal(size=(6, 3))
    dataset = Dataset.from_array(values)
    kept = held(dataset).copy()
    values[:] = 0
    assert np.array_equal(held(dataset), kept)
    with pytest.raises(ValueError, match="read-only"):
        held(dataset)[0, 0] = 1
    assert as_table(dataset) is dataset


def test_a_table_tells_its_size():
    assert repr(Table.from_frame(frame())) == "<Table: 50 rows, 3 columns>" and Dataset is Table


class Foreign:
    """A table of another library: names and numbers, not a DataFrame."""

    def __init__(self, columns: list[str], values: np.ndarray) -> None:
        self.columns, self.numbers = columns, values

    def to_numpy(self) -> np.ndarray:
        return self.numbers


def test_tables_of_other_libraries_keep_their_names():
    values = np.random.default_rng(1).normal(size=(20, 2))
    assert as_table(Foreign(["q", "p"], values)).names == ("q", "p")

    class Arrow:
        columns = values.T

        def to_pandas(self) -> pd.DataFrame:
            return pd.DataFrame(values, columns=["q", "p"])

    assert as_table(Arrow()).names == ("q", "p")
    assert as_table(values.tolist()).names == ("X1", "X2")


MIXED = pd.DataFrame(
    {
        "X10": [0.5, np.nan, 2.5, -1.0],
        "word": ["low", None, "high", "low"],
        "yes": [True, False, True, True],
        "X9": [3, 1, 4, 1],
        "grade": pd.Categorical(["b", "a", None, "a"], categories=["c", "b", "a"]),
    }
)


def test_every_column_has_a_kind_by_its_type():
    table = Table.from_frame(MIXED)
    assert table.labels == ("X9", "X10", "grade", "word", "yes")
    assert table.kinds == ("continuous", "continuous", "nominal", "nominal", "binary")
    assert [column.name for column in table.columns] == list(table.labels)
    assert [column.kind for column in table.columns] == list(table.kinds)
    assert [column.levels for column in table.columns] == [(), (), ("c", "b", "a"), ("high", "low"), ()]
    assert Table.from_array(MIXED[["yes", "yes"]].to_numpy()).kinds == ("binary", "binary")


def test_levels_are_codes_and_gaps_are_marked():
    x9, x10, grade, word, yes = Table.from_frame(MIXED).columns
    assert word.codes.tolist() == [1, -1, 0, 1] and word.missing.tolist() == [False, True, False, False]
    assert grade.codes.tolist() == [1, 2, -1, 2] and grade.missing.tolist() == [False, False, True, False]
    assert yes.codes.tolist() == [1, 0, 1, 1] and not yes.missing.any() and not x9.missing.any()
    assert x10.missing.tolist() == [False, True, False, False]
    with pytest.raises(InvalidData, match="'X9' is continuous"):
        _ = x9.codes


def test_text_gaps_and_constants_are_let_in_and_come_back():
    data = MIXED.assign(flat=1.0)
    back = Table.from_frame(data).to_frame()
    assert list(back) == list(data) and back["grade"].equals(data["grade"]) and back["X10"].equals(data["X10"])
    assert back["word"].astype(object).where(back["word"].notna(), None).tolist() == data["word"].tolist()
    assert back["yes"].tolist() == [1.0, 0.0, 1.0, 1.0] and back["flat"].tolist() == [1.0] * 4


def test_every_column_lies_together_in_memory_and_is_a_view():
    for table in (
        Table.from_frame(MIXED),
        Table.from_frame(frame()),
        Table.from_array(frame().to_numpy()),
        Table.from_frame(MIXED).rows([1, 0]),
    ):
        assert held(table).flags.f_contiguous and not held(table).flags.writeable
        for column in table.columns:
            assert np.shares_memory(held(column), held(table)) and not held(column).flags.writeable


def test_columns_of_mixed_objects_are_levels_by_their_text():
    (column,) = Table.from_frame(pd.DataFrame({"a": [1, "x", None, (2, 3)]})).columns
    assert isinstance(column, Column) and column.levels == ("(2, 3)", "1", "x") and column.codes.tolist() == [1, 2, -1, 0]


@pytest.mark.parametrize(
    ("index", "positions"),
    [
        ([2, 0, 2, 2], [2, 0, 2, 2]),
        (np.array([3], dtype=np.uint8), [3]),
        ([-1, 0], [3, 0]),
        ([True, False, False, True], [0, 3]),
        (pd.Series([3, 2], index=[7, 7]), [3, 2]),
        (range(1, 3), [1, 2]),
        ([], []),
        (np.zeros(4, dtype=bool), []),
    ],
    ids=str,
)
def test_rows_are_chosen_by_position_or_by_mask(index, positions):
    table = Table.from_frame(MIXED)
    chosen = table.rows(index)
    assert chosen.n_samples == len(positions)
    assert np.array_equal(held(chosen), held(table)[positions], equal_nan=True)
    assert (chosen.labels, chosen.names, chosen.kinds, chosen.levels) == (table.labels, table.names, table.kinds, table.levels)
    assert held(chosen.columns[0]).tolist() == held(table)[positions, 0].tolist()


@pytest.mark.parametrize("index", [[4], [-5], [0.5], [True, False], 2, [[0, 1]], ["a"], [[1], [2, 3]], None], ids=str)
def test_rows_that_are_not_there_are_refused(index):
    with pytest.raises(InvalidSetting, match="whole numbers from 0 to 3, or by a mask of 4"):
        Table.from_frame(MIXED).rows(index)


def test_rows_do_not_depend_on_the_order_of_the_columns():
    data = pd.DataFrame(np.random.default_rng(13).normal(size=(40, 5)), columns=["X10", "X9", "b", "X1", "a"])
    index = np.random.default_rng(14).integers(0, 40, 40)
    first, turned = (Table.from_frame(data[names]).rows(index) for names in (list(data), list(data)[::-1]))
    assert held(first).tobytes("F") == held(turned).tobytes("F")
    assert first.names == turned.names[::-1] and first.to_frame().equals(data.iloc[index].reset_index(drop=True))
    assert FisherZ(first).correlation.tobytes() == FisherZ(turned).correlation.tobytes()


CELLS = {
    "number": st.floats(allow_nan=True, allow_infinity=True, width=32),
    "whole": st.integers(-9, 9),
    "yes": st.booleans(),
    "word": st.sampled_from(["low", "high", "1", "x y"]),
    "grade": st.sampled_from(["a", "b", None]),
}


@given(st.data(), st.permutations(list(CELLS)), st.integers(1, 9))
@settings(max_examples=60, deadline=None)
def test_a_choice_of_rows_is_the_table_of_that_choice(data, names, n):
    cells = {name: data.draw(st.lists(CELLS[name], min_size=n, max_size=n)) for name in names}
    cells["word"][0] = "word"
    whole = pd.DataFrame(cells).astype({"grade": pd.CategoricalDtype(["c", "b", "a"])})
    index = [0, *data.draw(st.lists(st.integers(0, n - 1), max_size=12))]
    chosen, direct = Table.from_frame(whole).rows(index), Table.from_frame(whole.iloc[index])
    assert (chosen.names, chosen.labels, chosen.kinds) == (direct.names, direct.labels, direct.kinds)
    for one, other in zip(chosen.columns, direct.columns, strict=True):
        if one.name == "word":  # levels that no chosen row has stay
            assert [one.levels[code] for code in one.codes] == [other.levels[code] for code in other.codes]
        else:
            assert one.levels == other.levels and np.array_equal(held(one), held(other), equal_nan=True)


def test_a_dict_of_columns_is_a_table():
    data = frame()
    table = as_table({name: data[name].tolist() for name in ("c", "a", "b")})
    assert table.names == ("c", "a", "b") and np.array_equal(held(table), data.to_numpy())
    assert as_table({2: [1, 2], 1: ["x", "y"]}).names == ("2", "1")
    assert FisherZ(dict(data)).correlation.tobytes() == FisherZ(data).correlation.tobytes()


@pytest.mark.parametrize("columns", [{"a": [1, 2], "b": [1]}, {"a": 1, "b": 2}, {"a": np.zeros((2, 2))}], ids=str)
def test_a_dict_of_other_things_is_refused(columns):
    with pytest.raises(InvalidData, match="all columns have the same length"):
        as_table(columns)


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array, sparse.dok_array])
def test_a_sparse_matrix_is_filled_in(form):
    values = np.random.default_rng(15).poisson(0.5, size=(30, 3)).astype(float)
    assert np.array_equal(held(as_table(form(values))), values)
    assert Table.from_array(form(values), "zyx").names == ("z", "y", "x")


def test_a_sparse_matrix_too_large_to_fill_in_is_refused():
    with pytest.raises(InvalidData, match=r"shape \(1000000, 1000000\).*toarray"):
        as_table(sparse.csr_array((1_000_000, 1_000_000)))


class Lazy:
    """A table that is not read before it is collected, like a polars LazyFrame."""

    def __init__(self, table: object) -> None:
        self.table = table

    @property
    def columns(self) -> list[str]:
        raise AssertionError("polars warns that finding the names is expensive")

    def collect(self) -> object:
        return self.table


def test_a_lazy_table_is_collected():
    values = np.random.default_rng(1).normal(size=(20, 2))
    table = as_table(Lazy(Foreign(["q", "p"], values)))
    assert table.names == ("q", "p") and np.array_equal(held(table), values[:, ::-1])
    with pytest.raises(InvalidData, match="two dimensions"):
        as_table(Lazy([("a", 1), ("b", 2)]))  # no table with names comes of it


def test_polars_frames_lazy_or_not_are_tables():
    polars = pytest.importorskip("polars")
    data = polars.DataFrame({"b": [1.5, None, 2.5], "a": ["x", "y", "x"]})
    for table in (as_table(data), as_table(data.lazy())):
        assert table.names == ("b", "a") and table.kinds == ("nominal", "continuous")
        assert table.columns[0].codes.tolist() == [0, 1, 0] and table.columns[1].missing.tolist() == [False, True, False]
