"""The door for tables: what may come in, and the sentence that sends the rest away."""

from __future__ import annotations

import gzip
import importlib.util
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dicola import Dataset, DicolaError, FisherZ, InvalidData, MissingExtra, read_table
from dicola.data import as_dataset, name_order


def frame(n: int = 50, **columns: object) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n), "c": rng.normal(size=n), **columns})


def held(dataset: Dataset) -> np.ndarray:
    """The numbers, in the fixed order of the columns."""
    return dataset.values  # noqa: PD011


def refused(data: object, *culprits: str) -> str:
    """The message of the refusal, which names every culprit and is one or two sentences."""
    with pytest.raises(InvalidData) as caught:
        FisherZ(data)
    message = str(caught.value)
    for culprit in culprits:
        assert culprit in message, message
    assert message.endswith(".") and "\n" not in message and len(message) < 400
    return message


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


def test_copies_are_named_also_scaled_shifted_and_turned():
    data = frame()
    for copy in (data["b"], 2 * data["b"] - 7, -data["b"]):
        refused(data.assign(d=copy), "'b'", "'d'", "copies")


def test_collinear_columns_are_named():
    data = frame()
    message = refused(data.assign(total=data["a"] + data["c"], d=np.random.default_rng(2).normal(size=50)), "collinear", "'total'")
    assert "'a'" in message and "'c'" in message and "'d'" not in message and "'b'" not in message


def test_of_two_dependences_one_is_named_whole_and_no_other_column():
    data = pd.DataFrame(np.random.default_rng(5).normal(size=(80, 8)), columns=list("abcdefgh"))
    data = data.assign(b=data["a"] - 2 * data["c"], h=data["f"] + data["g"] / 3)
    message = refused(data, "collinear")
    named = {name for name in data if repr(name) in message}
    assert named in ({"a", "b", "c"}, {"f", "g", "h"})


def test_shares_that_add_up_to_one_are_collinear():
    parts = np.random.default_rng(3).dirichlet(np.ones(4), size=80)
    refused(parts, "collinear", "'X1'", "'X4'")


def test_nearly_collinear_columns_are_let_in():
    data = frame()
    FisherZ(data.assign(d=data["a"] + 1e-3 * np.random.default_rng(4).normal(size=50)))


def test_text_is_named_with_its_value_and_row():
    refused(frame(d=["1.5", "2"] + ["x7"] * 48), "'d'", "'x7'", "row 3")
    refused(frame(d=["red", "blue"] * 25), "'d'", "'red'", "row 1", "Encode the column or drop it")


def test_a_text_column_of_numbers_is_read_as_numbers():
    data = frame()
    assert np.allclose(held(Dataset.from_frame(data.astype(str))), held(Dataset.from_frame(data)))


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


def test_gaps_in_nullable_columns_are_missing_values():
    refused(frame(d=pd.array([None, 1] + [2] * 48, dtype="Int64")), "missing", "'d' (1)")
    refused(frame(d=[None, "1"] + ["2"] * 48), "missing", "'d' (1)")


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
    assert as_dataset(dataset) is dataset


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["X10", "X2", "X1"], ["X1", "X2", "X10"]),
        (["b", "a", "B"], ["B", "a", "b"]),
        (["10", "9", "a"], ["9", "10", "a"]),
        (["a1b10", "a01b3", "a1b2"], ["a1b2", "a01b3", "a1b10"]),
        (["x²", "x1", "²", "x10²"], None),
        (["٣", "٢"], ["٢", "٣"]),
        (["é", "日本", "a b", "a,b"], None),
        (["1" * 5000, "2"], ["2", "1" * 5000]),
    ],
    ids=lambda names: ascii(names)[:30],
)
def test_the_fixed_order_reads_numbers_as_numbers_and_takes_any_name(names, expected):
    ordered = [names[i] for i in name_order(names)]
    assert sorted(ordered) == sorted(names) and ordered == (expected or ordered)
    for turned in (names[::-1], sorted(names)):
        assert [turned[i] for i in name_order(turned)] == ordered, "whatever order they come in"


BODY = "\n".join(f"{x:.6f},{y:.6f}" for x, y in np.random.default_rng(10).normal(size=(20, 2)))

PACKED = gzip.compress(f"a,b\n{BODY}\n".encode(), mtime=0)


def write(folder: Path, text: str | bytes, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def unreadable(path: Path, *culprits: str, error: type[DicolaError] = InvalidData) -> str:
    with pytest.raises(error) as caught:
        read_table(path)
    message = str(caught.value)
    for culprit in culprits:
        assert culprit in message, message
    return message


def test_a_csv_file_with_a_header_is_read(tmp_path):
    dataset = read_table(write(tmp_path, f"b,a\n{BODY}\n"))
    assert dataset.names == ("b", "a") and dataset.labels == ("a", "b") and dataset.n_samples == 20
    assert held(dataset)[0, 1] == float(BODY.split(",", 1)[0])
    assert read_table(str(tmp_path / "table.csv")).names == ("b", "a")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"a,b\r\n{BODY}\r\n".replace("\n", "\r\n").replace("\r\r", "\r"), "windows.csv"),
        (b"\xef\xbb\xbf" + f"a,b\n{BODY}\n".encode(), "mark.csv"),
        (PACKED, "packed.csv.gz"),
        (f"a,b\n{BODY}\n".replace(",", "\t"), "tabs.tsv"),
        (f"a,b\n{BODY}\n".replace(",", "\t"), "tabs.txt"),
        (gzip.compress(f"a,b\n{BODY}\n".replace(",", "\t").encode()), "tabs.tsv.gz"),
        (f"a,b\n{BODY}".replace("\n", "\n\n"), "gaps.csv"),
        (f"\na,b\n{BODY}", "blank_first.csv"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 20 else "",
)
def test_line_ends_marks_tabs_and_gzip_are_understood(text, name, tmp_path):
    plain = read_table(write(tmp_path, f"a,b\n{BODY}\n"))
    dataset = read_table(write(tmp_path, text, name))
    assert dataset.names == ("a", "b") and np.array_equal(held(dataset), held(plain))


def test_a_first_column_without_a_name_is_row_labels(tmp_path):
    rows = "\n".join(f"r{i},{line}" for i, line in enumerate(BODY.split("\n")))
    assert read_table(write(tmp_path, f",a,b\n{rows}\n")).names == ("a", "b")
    saved = tmp_path / "saved.csv"
    frame().to_csv(saved)
    assert read_table(saved).names == ("a", "b", "c")


def test_a_nameless_column_elsewhere_is_refused(tmp_path):
    rows = "\n".join(f"{line},1" for line in BODY.split("\n"))
    unreadable(write(tmp_path, f"a,,b\n{rows}\n"), "column 2", "no name")


def test_odd_names_in_a_file_survive(tmp_path):
    names = ["new\nline", "a,b", '"q"', " x ", "日本", "<b>"]
    data = pd.DataFrame(np.random.default_rng(11).normal(size=(12, 6)), columns=names)
    data.to_csv(tmp_path / "odd.csv", index=False)
    assert read_table(tmp_path / "odd.csv").names == tuple(names)


@pytest.mark.parametrize("text", ["", "\n\n", "  ", b"\xef\xbb\xbf"], ids=repr)
def test_an_empty_file_is_refused(text, tmp_path):
    unreadable(write(tmp_path, text), "table.csv")


@pytest.mark.parametrize("text", ["a,b\n", "a,b", "a,b\n\n\n"], ids=repr)
def test_a_header_without_rows_is_refused(text, tmp_path):
    unreadable(write(tmp_path, text), "table.csv", "no rows")


def test_a_missing_file_is_named(tmp_path):
    unreadable(tmp_path / "nowhere.csv", "no file", "nowhere.csv")
    unreadable(tmp_path, "no file")


def test_a_file_of_one_column_is_refused(tmp_path):
    unreadable(write(tmp_path, "a\n1\n2\n3\n"), "1 column")


@pytest.mark.parametrize("text", ["a,b\n1,2\n3,4,5\n6,7\n", "a,b\n1,2,3\n4,5,6\n"], ids=repr)
def test_rows_longer_than_the_header_are_refused(text, tmp_path):
    unreadable(write(tmp_path, text), "table.csv")


def test_a_row_that_is_too_short_leaves_a_gap(tmp_path):
    unreadable(write(tmp_path, "a,b\n1,2\n3\n5,6\n"), "missing", "'b' (1)")


@pytest.mark.parametrize("text", ["é,b\n1,2\n2,3\n".encode("latin-1"), "a,b\n1,2\n2,é\n".encode("latin-1"), "a,b\n1,2\n".encode("utf-16")])
def test_a_file_that_is_not_utf8_is_refused(text, tmp_path):
    unreadable(write(tmp_path, text), "table.csv", "utf-8")


def test_text_in_a_column_is_named_with_value_and_row(tmp_path):
    unreadable(write(tmp_path, "a,b\n1,2\n2,high\n3,4\n"), "'b'", "'high'", "row 2")


def test_repeated_names_are_refused(tmp_path):
    unreadable(write(tmp_path, f"a,a\n{BODY}\n"), "'a'", "more than once")


@pytest.mark.parametrize("header", ["0.5,1.5", "-0.25,a", ".5,1e-3", "1E5,2"])
def test_numbers_in_the_place_of_the_header_are_refused(header, tmp_path):
    unreadable(write(tmp_path, f"{header}\n{BODY}\n"), "table.csv", "header")


def test_whole_numbers_may_be_names(tmp_path):
    assert read_table(write(tmp_path, f"1,2\n{BODY}\n")).names == ("1", "2")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"a,b\n{BODY}\n".encode(), "plain.csv.gz"),
        (PACKED[:100], "cut.csv.gz"),
        (PACKED[:12] + b"\xff" * 12 + PACKED[24:], "spoilt_within.csv.gz"),
        (PACKED[:-8] + b"\xff" * 8, "spoilt_at_its_end.csv.gz"),
        (b"PK no archive", "no.csv.zip"),
        (b"no archive", "no.csv.xz"),
        (b"no archive", "no.csv.bz2"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_spoilt_archive_is_refused_in_a_sentence(text, name, tmp_path):
    unreadable(write(tmp_path, text, name), name)


@pytest.mark.skipif(importlib.util.find_spec("pyarrow") is not None, reason="pyarrow is installed")
def test_parquet_without_pyarrow_says_what_to_install(tmp_path):
    unreadable(write(tmp_path, b"PAR1", "table.parquet"), "pyarrow", "pip install", error=MissingExtra)


@pytest.mark.skipif(importlib.util.find_spec("pyarrow") is None, reason="pyarrow is not installed")
def test_parquet_is_read_with_pyarrow(tmp_path):
    frame().to_parquet(tmp_path / "table.parquet")
    assert read_table(tmp_path / "table.parquet").names == ("a", "b", "c")
    unreadable(write(tmp_path, b"no parquet", "spoilt.parquet"), "spoilt.parquet")


def test_a_dataset_tells_its_size():
    assert repr(Dataset.from_frame(frame())) == "<Dataset: 50 rows, 3 columns>"


TABLE = f"a,b\n{BODY}\n"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (TABLE.replace(",", ";"), "semicolons.csv"),
        (TABLE.replace(",", ";").replace(".", ","), "decimal_commas.csv"),
        (TABLE.replace(",", "\t"), "tabs.csv"),
        (TABLE.replace(",", "\t"), "TABS.TSV"),
        (TABLE.replace(",", "\t"), "tabs.dat"),
        (TABLE, "commas.txt"),
        (TABLE, "commas.tsv"),
        (TABLE, "COMMAS.CSV"),
        (gzip.compress(TABLE.replace(",", "\t").encode()), "TABS.TSV.GZ"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 20 else "",
)
def test_the_first_line_tells_the_separator(text, name, tmp_path):
    dataset = read_table(write(tmp_path, text, name))
    assert dataset.names == ("a", "b")
    assert np.array_equal(held(dataset), held(read_table(write(tmp_path, TABLE))))


def test_a_separator_inside_a_name_is_not_one(tmp_path):
    assert read_table(write(tmp_path, f'"a;x;y",b\n{BODY}\n')).names == ("a;x;y", "b")
    assert read_table(write(tmp_path, "a,x,y\tb\n" + BODY.replace(",", "\t"), "t.tsv")).names == ("a,x,y", "b")


def test_one_column_says_how_columns_are_told_apart(tmp_path):
    unreadable(write(tmp_path, f"a b\n{BODY.replace(',', ' ')}\n"), "1 column", "commas, semicolons or tabs")


@pytest.mark.parametrize("first", ["5,1", "3,3", "-1,2", "10,20", "0.5,1", ",5,1"])
def test_a_first_line_of_numbers_is_refused_with_the_way_out(first, tmp_path):
    rows = "\n".join(f"{i},{line}" for i, line in enumerate(BODY.split("\n"))) if first.startswith(",") else BODY
    unreadable(write(tmp_path, f"{first}\n{rows}\n"), "header=False", "header=True")


def test_a_table_without_header_is_named_by_position(tmp_path):
    dataset = read_table(write(tmp_path, f"5,1\n{BODY}\n"), header=False)
    assert dataset.names == ("X1", "X2") and dataset.n_samples == 21 and held(dataset)[0].tolist() == [5.0, 1.0]


def test_numbers_are_names_when_the_user_says_so_or_when_they_count(tmp_path):
    assert read_table(write(tmp_path, f"1990,2000\n{BODY}\n"), header=True).names == ("1990", "2000")
    assert read_table(write(tmp_path, f"0,1\n{BODY}\n")).names == ("0", "1")
    pd.DataFrame(np.random.default_rng(0).normal(size=(9, 3))).to_csv(tmp_path / "saved.csv")
    assert read_table(tmp_path / "saved.csv").names == ("0", "1", "2")


@pytest.mark.parametrize("path", [None, 5, b"table.csv"])
def test_a_path_is_needed_to_read_a_table(path):
    with pytest.raises(InvalidData, match="path of a file"):
        read_table(path)


class Foreign:
    """A table of another library: names and numbers, not a DataFrame."""

    def __init__(self, columns: list[str], values: np.ndarray) -> None:
        self.columns, self.numbers = columns, values

    def to_numpy(self) -> np.ndarray:
        return self.numbers


def test_tables_of_other_libraries_keep_their_names():
    values = np.random.default_rng(1).normal(size=(20, 2))
    assert as_dataset(Foreign(["q", "p"], values)).names == ("q", "p")

    class Arrow:
        columns = values.T

        def to_pandas(self) -> pd.DataFrame:
            return pd.DataFrame(values, columns=["q", "p"])

    assert as_dataset(Arrow()).names == ("q", "p")
    assert as_dataset(values.tolist()).names == ("X1", "X2")


def test_a_labelled_covariance_matrix_brings_its_names():
    data = frame()
    named = FisherZ.from_covariance(data[["c", "a", "b"]].cov(), n_samples=50)
    assert named.names == ("c", "a", "b")
    assert np.allclose(named.correlation, FisherZ(data).correlation)
    assert FisherZ.from_covariance(data.cov(), n_samples=50, names="xyz").names == ("x", "y", "z")
    with pytest.raises(InvalidData, match="different names"):
        FisherZ.from_covariance(data.cov().iloc[::-1], n_samples=50)


@pytest.mark.parametrize("value", [5e-324, 1e-310, 1e-160, 1e160, 1.7e308])
def test_extreme_scales_neither_overflow_nor_underflow(value):
    rare = np.zeros(50)
    rare[-1] = 1.0
    plain, scaled = FisherZ(frame(d=rare)), FisherZ(frame(d=rare * value))
    assert np.allclose(plain.correlation, scaled.correlation, rtol=0, atol=1e-12)
