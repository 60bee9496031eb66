"""What a column is, by its type, its values and its name."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from dicola import InvalidSetting, Table
from dicola.tables.kinds import FEW, understood
from tests.tables.examples import held

N = 200
RNG = np.random.default_rng(5)
NORMAL = RNG.normal(size=N)


def kind_of(values: object, name: str = "x", **settings: object) -> str:
    table = Table.from_frame(pd.DataFrame({name: values, "other": NORMAL}))
    return dict(zip(table.labels, table.understood(**settings).kinds, strict=True))[name]


def column(values: object, **settings: object):
    table = Table.from_frame(pd.DataFrame({"x": values})).understood(**settings)
    return table.columns[0]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (NORMAL, "continuous"),
        (RNG.poisson(30, N), "continuous"),
        (RNG.integers(0, FEW, N), "continuous"),
        (RNG.integers(0, FEW - 1, N), "ordered"),
        (RNG.choice([0.1, 0.25, 2.5], N), "ordered"),
        (RNG.integers(1, 3, N), "binary"),
        (NORMAL > 0, "binary"),
        (np.where(NORMAL > 0, "yes", "no"), "binary"),
        (RNG.choice(["a", "b", "c"], N), "nominal"),
        (pd.Categorical(RNG.choice(["a", "b", "c"], N)), "nominal"),
        (pd.Categorical(RNG.choice(["a", "b", "c"], N), ["c", "a", "b"], ordered=True), "ordered"),
        (pd.Categorical(RNG.choice([1, 2, 3], N)), "nominal"),
        ([3.5] * N, "constant"),
        ([None] * N, "constant"),
        (["one"] * N, "constant"),
        (range(N), "identifier"),
        (RNG.permutation(N) * 10 + 7, "identifier"),
        ([f"p{i}" for i in range(N)], "identifier"),
        ([f"p{i // 2}" for i in range(N)], "text"),
        (pd.date_range("2020-01-01", periods=N), "date"),
        ([f"2021-03-{1 + i % 28:02d}" for i in range(N)], "date"),
        ([dt.date(2020, 1, 1 + i % 28) for i in range(N)], "date"),
        (pd.array(RNG.integers(0, 3, N), dtype="Int64"), "ordered"),
        (pd.array([True, None] * (N // 2), dtype="boolean"), "constant"),
        (pd.array([True, False, None, False] * (N // 4), dtype="boolean"), "binary"),
        (pd.array(np.round(NORMAL, 3), dtype="Float64"), "continuous"),
        (RNG.choice(["a", "b", "c"], N).astype("U1"), "nominal"),
        (pd.array(RNG.choice(["a", "b", "c"], N), dtype="string"), "nominal"),
    ],
    ids=str,
)
def test_the_kind_goes_by_type_and_values(values, kind):
    assert kind_of(values) == kind


def test_numbers_that_mostly_differ_are_an_identifier_by_their_name():
    values = RNG.integers(0, 100_000, N)
    assert kind_of(values) == "continuous"
    for name in ("id", "ID", "patient_id", "row", "Index", "record key"):
        assert kind_of(values, name) == "identifier", name
    for name in ("acid", "paid", "monkey", "grid"):
        assert kind_of(values, name) == "continuous", name


def test_few_rows_make_no_identifier_and_no_grades():
    assert kind_of([float(i) for i in range(10)] * 20) != "identifier"
    table = Table.from_frame(pd.DataFrame({"x": range(12), "y": [1, 2, 3] * 4})).understood()
    assert table.kinds == ("continuous", "continuous")


def test_codes_without_an_order_are_categories_and_grades_are_not():
    code = RNG.integers(1, 4, 600)
    hump = np.where(code == 2, 2.0, 0.0) + RNG.normal(size=600)
    slope = code + RNG.normal(size=600)
    for other, kind in ((hump, "nominal"), (slope, "ordered"), (RNG.normal(size=600), "ordered")):
        table, remarks = understood(Table.from_frame(pd.DataFrame({"code": code, "other": other})), {})
        assert table.kinds == (kind, "continuous") and [r.what for r in remarks] == ["codes"] * (kind == "nominal")
    assert table.columns[0].levels == ("1", "2", "3") and table.columns[0].points == (1.0, 2.0, 3.0)


def test_in_a_table_of_codes_longer_ones_are_codes_too():
    codes = {f"c{i}": RNG.integers(1, 4, 2000) for i in range(4)}
    many = RNG.integers(1, 31, 2000)
    assert kind_of(many) == "continuous" if len(many) == N else True
    inside = Table.from_frame(pd.DataFrame({**codes, "many": many})).understood()
    assert inside.kinds[inside.labels.index("many")] == "ordered"
    beside = Table.from_frame(pd.DataFrame({f"n{i}": RNG.normal(size=2000) for i in range(4)} | {"many": many})).understood()
    assert beside.kinds[beside.labels.index("many")] == "continuous"


def test_what_the_user_says_stands():
    grades = RNG.integers(1, 6, N)
    assert kind_of(grades, kinds={"x": "continuous"}) == "continuous"
    assert kind_of(grades, kinds={"x": "nominal"}) == "nominal"
    assert kind_of(NORMAL, kinds={"x": "identifier"}) == "identifier"
    assert kind_of(range(N), kinds={"x": "continuous"}) == "continuous"
    assert kind_of([f"p{i // 2}" for i in range(N)], kinds={"x": "nominal"}) == "nominal"
    assert kind_of(pd.date_range("2020", periods=N), kinds={"x": "continuous"}) == "continuous"
    for kinds, says in (({"q": "nominal"}, "'q'"), ({"x": "numbers"}, "'numbers'"), ({"x": "binary"}, "declared binary")):
        with pytest.raises(InvalidSetting, match=says):
            kind_of(NORMAL, kinds=kinds)
    with pytest.raises(InvalidSetting, match="none of its entries is a number"):
        kind_of(["a", "b"] * (N // 2), kinds={"x": "continuous"})


def test_codes_are_positions_of_levels_and_values_stay():
    ordered = column([10, 30, 20, np.nan, 10] * 40)
    assert ordered.kind == "ordered" and ordered.levels == ("10", "20", "30") and ordered.points == (10.0, 20.0, 30.0)
    assert ordered.codes[:5].tolist() == [0, 2, 1, -1, 0] and held(ordered)[:3].tolist() == [10.0, 30.0, 20.0]
    words = column(pd.Categorical(["low", "high", None, "low"] * 10, ["unused", "low", "high", "never"]))
    assert words.kind == "binary" and words.levels == ("low", "high") and words.codes[:4].tolist() == [0, 1, -1, 0]
    yes = column([True, False] * 20)
    assert yes.levels == ("False", "True") and yes.codes[:2].tolist() == [1, 0]


def test_markers_are_gaps():
    marked = column([*(str(value) for value in NORMAL[2:]), "?", "NA"])
    assert marked.kind == "continuous" and marked.missing.sum() == 2
    words = column(["red", "?", "blue", "green"] * 20)
    assert words.levels == ("blue", "green", "red") and words.missing.sum() == 20
    told = column([-999.0, *NORMAL[1:]], missing_values=[-999])
    assert told.missing.sum() == 1 and column([-999.0, *NORMAL[1:]]).missing.sum() == 0
    assert column(["none", "a", "b"] * 20, missing_values=["none"]).kind == "binary"


def test_a_rare_word_or_infinity_is_a_gap_and_a_frequent_word_a_level():
    table, remarks = understood(Table.from_frame(pd.DataFrame({"x": ["high", *NORMAL[1:]], "y": [np.inf, *NORMAL[1:]]})), {})
    assert table.kinds == ("continuous", "continuous") and np.isnan(held(table)[0]).all()
    assert [(r.column, r.what) for r in remarks] == [("x", "words"), ("y", "infinite")] and "'high' in row 1" in remarks[0].sentence
    grades = ["1", "2", "3", "3+"] * 50
    assert kind_of(grades) == "nominal"
    assert kind_of([*["1", "2", "3"] * 66, "x", "2"]) == "ordered"


def test_understanding_twice_changes_nothing_and_keeps_plain_numbers_in_place():
    table = Table.from_array(RNG.normal(size=(50, 4)))
    once = table.understood()
    assert once.understood() is once and held(once) is held(table) and once.is_understood


def test_rows_and_order_of_columns_do_not_matter_to_what_is_kept():
    data = pd.DataFrame({"b": RNG.choice(["x", "y", "z"], N), "a": NORMAL, "c": RNG.integers(0, 3, N)})
    one, other = (Table.from_frame(data[list(names)]).understood() for names in ("bac", "cab"))
    assert one.kinds == other.kinds and one.levels == other.levels
    assert one.rows([0, 1]).kinds == one.kinds and one.rows([0, 1]).columns[2].codes.tolist() == one.columns[2].codes[:2].tolist()
    chosen = one.choose(["c", "b"])
    assert chosen.names == ("c", "b") and chosen.labels == ("b", "c") and chosen.is_understood


def test_polars_types_are_understood():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(
        {
            "grade": polars.Series(["low", "high", "mid"] * 20, dtype=polars.Enum(["low", "mid", "high"])),
            "yes": [True, False, None] * 20,
            "word": polars.Series(["x", "y", "z"] * 20, dtype=polars.Categorical),
            "day": [dt.date(2020, 1, 1 + i % 28) for i in range(60)],
            "number": NORMAL[:60],
        }
    )
    from dicola.tables.table import as_table

    table = as_table(frame).understood()
    kinds = dict(zip(table.labels, table.kinds, strict=True))
    assert kinds == {"day": "date", "grade": "ordered", "number": "continuous", "word": "nominal", "yes": "binary"}
    assert table.columns[table.labels.index("grade")].levels == ("low", "mid", "high")
