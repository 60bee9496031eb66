"""Files that hold a table, and the sentence about those that hold none."""

from __future__ import annotations

import gzip
import importlib.util
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dicola import DicolaError, InvalidData, MissingExtra, read_table
from tests.tables.examples import frame, held, refused

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
    unreadable(tmp_path, "is a folder, not a file")


def test_a_file_of_one_column_is_refused(tmp_path):
    unreadable(write(tmp_path, "a\n1\n2\n3\n"), "1 column")


@pytest.mark.parametrize("text", ["a,b\n1,2\n3,4,5\n6,7\n", "a,b\n1,2,3\n4,5,6\n"], ids=repr)
def test_rows_longer_than_the_header_are_refused(text, tmp_path):
    unreadable(write(tmp_path, text), "table.csv")


def test_a_row_that_is_too_short_leaves_a_gap(tmp_path):
    refused(read_table(write(tmp_path, "a,b\n1,2\n3\n5,6\n")), "missing", "'b' (1)")


@pytest.mark.parametrize("text", ["é,b\n1,2\n2,3\n".encode("latin-1"), "a,b\n1,2\n2,é\n".encode("latin-1"), "a,b\n1,2\n".encode("utf-16")])
def test_a_file_that_is_not_utf8_is_refused(text, tmp_path):
    assert "utf-8" in unreadable(write(tmp_path, text), "table.csv").lower()


def test_text_in_a_column_is_named_with_value_and_row(tmp_path):
    refused(read_table(write(tmp_path, "a,b\n1,2\n2,high\n3,4\n")), "'b'", "'high'", "row 2")


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


def test_text_gaps_and_constants_are_read_as_they_are(tmp_path):
    table = read_table(write(tmp_path, "a,b,c\n1,high,7\nNA,low,7\n3,high,7\n"))
    assert table.kinds == ("continuous", "nominal", "continuous")
    assert table.columns[0].missing.tolist() == [False, True, False] and table.columns[1].levels == ("high", "low")


def book(folder: Path, rows: list[list[object]], name: str = "table.xlsx") -> Path:
    path = folder / name
    pd.DataFrame(rows).to_excel(path, index=False, header=False)
    return path


ROWS = np.random.default_rng(12).normal(size=(12, 2)).tolist()


def test_the_first_sheet_of_an_excel_file_is_read(tmp_path):
    with pd.ExcelWriter(tmp_path / "table.XLSX", engine="openpyxl") as writer:
        pd.DataFrame(ROWS, columns=["b", "a"]).to_excel(writer, sheet_name="first", index=False)
        frame().to_excel(writer, sheet_name="second", index=False)
    table = read_table(tmp_path / "table.XLSX")
    assert table.names == ("b", "a") and np.allclose(table.to_frame(), ROWS, rtol=1e-15, atol=0)


def test_excel_files_have_the_same_rules_for_their_header(tmp_path):
    assert read_table(book(tmp_path, [["", "NA", "10"], *([i, *row] for i, row in enumerate(ROWS))])).names == ("NA", "10")
    assert read_table(book(tmp_path, [[0, 1], *ROWS])).names == ("0", "1")
    unreadable(book(tmp_path, [[5, 1], *ROWS]), "header=False", "header=True")
    unreadable(book(tmp_path, [[0.5, 1.5], *ROWS]), "header=False", "header=True")
    assert read_table(book(tmp_path, [[5, 1], *ROWS]), header=True).names == ("5", "1")
    unnamed = read_table(book(tmp_path, [[5, 1], *ROWS]), header=False)
    assert unnamed.names == ("X1", "X2") and held(unnamed)[0].tolist() == [5.0, 1.0]
    unreadable(book(tmp_path, [["a", "a"], *ROWS]), "'a'", "more than once")
    unreadable(book(tmp_path, [["a", "b"], *([*row, 1.0] for row in ROWS)]), "column 3", "no name")


def test_text_gaps_and_blank_rows_of_an_excel_file_are_understood(tmp_path):
    table = read_table(book(tmp_path, [["a", "b", "c"], [1, "high", "NA"], [None, None, None], [True, "low", 2.5]]))
    assert table.n_samples == 2 and table.kinds == ("continuous", "nominal", "continuous")
    assert table.columns[2].missing.tolist() == [True, False]


@pytest.mark.parametrize("rows", [[], [["a", "b"]], [["a"], [1], [2]]], ids=["nothing", "header alone", "one column"])
def test_an_excel_file_without_a_table_is_refused(rows, tmp_path):
    message = unreadable(book(tmp_path, rows), "table.xlsx", "1 column" if len(rows) > 1 else "no rows")
    assert "commas" not in message


def test_a_spoilt_excel_file_is_refused_in_a_sentence(tmp_path):
    good = book(tmp_path, [["a", "b"], *ROWS], "good.xlsx").read_bytes()
    with zipfile.ZipFile(tmp_path / "good.xlsx") as packed, zipfile.ZipFile(tmp_path / "sheet.xlsx", "w") as spoilt:
        for name in packed.namelist():
            spoilt.writestr(name, b"<no sheet" if "sheet1" in name else packed.read(name))
    with zipfile.ZipFile(tmp_path / "parts.xlsx", "w") as spoilt:
        spoilt.writestr("xl/workbook.xml", b"no book")
    with zipfile.ZipFile(tmp_path / "other.xlsx", "w") as spoilt:
        spoilt.writestr("other.txt", b"no book")
    write(tmp_path, good[: len(good) // 2], "half.xlsx")
    write(tmp_path, b"a,b\n1,2\n", "text.xlsx")
    for name in ("sheet.xlsx", "parts.xlsx", "other.xlsx", "half.xlsx", "text.xlsx"):
        assert "could not be read as a table" in unreadable(tmp_path / name, name)


def test_excel_without_openpyxl_says_what_to_install(tmp_path, monkeypatch):
    path = book(tmp_path, [["a", "b"], *ROWS])
    monkeypatch.setitem(sys.modules, "openpyxl", None)  # what is None there cannot be imported
    unreadable(path, "openpyxl", "pip install openpyxl", error=MissingExtra)
