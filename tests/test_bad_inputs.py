"""What a user can get wrong, each with its sentence: one line on standard error, exit code 1, and nothing half-written."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dicola.cli.app import main

N = 60
RNG = np.random.default_rng(0)
X, Y, Z = RNG.normal(size=(3, N))
GOOD = {"a": X, "b": X + Y, "c": Y + Z}
WORDS = ["red", "green", "blue"]


def csv(**columns: object) -> bytes:
    return pd.DataFrame(columns).to_csv(index=False).encode()


def table(**more: object) -> bytes:
    return csv(**GOOD, **more)


def with_gaps(share: float = 0.5) -> bytes:
    frame = pd.DataFrame(GOOD)
    return frame.mask(np.random.default_rng(1).random(frame.shape) < share).to_csv(index=False).encode()


PLAIN = table()
PACKED = gzip.compress(PLAIN, mtime=0)
KNOWN = b"/knowledge\naddtemporal\n1 a\n2 nobody\n"

# file name, what it holds, options, and what the sentence says
FILES = {
    "no file": ("none.csv", None, "", "there is no file"),
    "a folder": (".", None, "", "is a folder, not a file"),
    "empty": ("t.csv", b"", "", "is empty or has no rows"),
    "blank lines": ("t.csv", b"\n\n \n", "", "t.csv"),
    "header alone": ("t.csv", b"a,b\n", "", "no rows below its header"),
    "one column": ("t.csv", b"a\n1\n2\n", "", "has 1 column"),
    "columns by spaces": ("t.csv", b"a b\n1 2\n3 4\n", "", "told apart by commas"),
    "repeated names": ("t.csv", PLAIN.replace(b"a,b,c", b"a,b,a"), "", "'a' appears more than once"),
    "a nameless column": ("t.csv", PLAIN.replace(b"a,b,c", b"a,,c"), "", "column 2 has no name"),
    "longer rows": ("t.csv", b"a,b\n1,2\n3,4,5\n", "", "t.csv"),
    "latin-1": ("t.csv", "é,b\n1,2\n".encode("latin-1"), "", "utf-8"),
    "utf-16": ("t.csv", "a,b\n1,2\n".encode("utf-16"), "", "UTF-8"),
    "numbers for names": ("t.csv", PLAIN.partition(b"\n")[2], "", "--no-header"),
    "plain text called gz": ("t.csv.gz", PLAIN, "", "could not be read as a table"),
    "a cut archive": ("t.csv.gz", PACKED[:60], "", "could not be read as a table"),
    "no zip": ("t.csv.zip", b"no archive", "", "could not be read as a table"),
    "no Excel file": ("t.xlsx", PLAIN, "", "t.xlsx"),
    "no Parquet file": ("t.parquet", PLAIN, "", "arquet"),
    "JSON": ("t.json", b'{"a": [1, 2]}', "", "t.json"),
    "four rows": ("t.csv", b"a,b\n1.5,2\n3,4.1\n5.2,1\n0.1,7\n", "", "4 rows"),
}
COLUMNS = {
    "constants": ("t.csv", csv(a=[1] * N, b=[2] * N, c=X), "", "1 column that can be used"),
    "an identifier and one more": ("t.csv", csv(id=range(N), c=X), "", "'id' would be left out"),
    "free texts": ("t.csv", csv(a=[f"t{i}" for i in range(N)], b=X), "", "1 column that can be used"),
    "empty columns": ("t.csv", csv(a=[None] * N, b=[None] * N), "", "0 columns that can be used"),
    "a column and its copy": ("t.csv", csv(a=X, b=X), "", "1 column that can be used"),
    "a column in two units": ("t.csv", csv(a=X, b=32 + 1.8 * X), "", "1 column that can be used"),
    "all dropped but one": ("t.csv", PLAIN, "--drop a,b", "1 column that can be used"),
    "categories for Fisher's z": ("t.csv", table(d=WORDS * (N // 3)), "--test fisher_z", "'d' (nominal)"),
    "all of them at once": (
        "t.csv",
        table(d=WORDS * (N // 3), e=RNG.choice(WORDS, N), f=RNG.choice(WORDS, N)),
        "--test fisher_z",
        "'e' (nominal), 'f' (nominal)",
    ),
    "gaps refused": ("t.csv", with_gaps(), "--missing error", "--missing em"),
    "gaps named": ("t.csv", with_gaps(0.1), "--missing error", "gaps in 3 columns"),
    "no complete row": ("t.csv", csv(**{f"x{i}": np.where(np.arange(N) % 9 == i, np.nan, RNG.normal(size=N)) for i in range(9)}),
                        "--missing listwise", "0 rows have no gaps"),
}  # fmt: skip
STRICT = {
    "identifier": ({"id": range(N)}, "'id' counts the rows"),
    "constant": ({"k": [1] * N}, "'k' is constant"),
    "copy": ({"a2": X}, "'a2' is a copy of 'a'"),
    "copy of levels": ({"d": ["u", "v", "w"] * 20, "e": ["x", "y", "z"] * 20}, "'e' is a copy, level for level, of 'd'"),
    "linear function": ({"sum": 2 * X - Y, "y": Y}, "is an exact linear function of"),
    "a word": ({"d": ["high", *X[1:]]}, "'high' in row 1"),
    "an infinity": ({"d": [np.inf, *X[1:]]}, "1 infinite entry"),
    "texts": ({"d": [f"t{i // 2}" for i in range(N)]}, "30 different texts"),
    "dates": ({"d": pd.date_range("2020-01-01", periods=N)}, "'d' holds dates"),
    "hardly any entry": ({"d": [1.5, 2.5, 0.5, *[None] * (N - 3)]}, "'d' has only 3 entries"),
    "all at once": ({"id": range(N), "k": [1] * N, "a2": X}, "3 things stand in the way: (1)"),
}
SETTINGS = {
    "missing": ("--missing guess", "it may be 'auto' or 'error'"),
    "kinds without a kind": ("--kinds a", "sex=nominal"),
    "a kind that is none": ("--kinds a=numeric", "there is no such kind: 'a': 'numeric'"),
    "kinds of no column": ("--kinds q=nominal", "kinds are given for 'q', not among the columns"),
    "nominal, no column": ("--nominal q,r", "'q', 'r'"),
    "nominal and ordered": ("--nominal a --ordered a", "said to be nominal and ordered"),
    "declared binary": ("--kinds a=binary", "declared binary, and it has 60 different values"),
    "drop no column": ("--drop nobody", "--drop names 'nobody'"),
    "alpha 0": ("--alpha 0", "strictly between 0 and 1"),
    "alpha above 1": ("--alpha 1.5", "strictly between 0 and 1"),
    "alpha no number": ("--alpha nan", "strictly between 0 and 1"),
    "test": ("--test nothing", "is not a test"),
    "learner": ("--learner nobody", "is not a learner"),
    "mode": ("--mode best", "it may be 'exact'"),
    "stop": ("--stop never", "it may be"),
    "blankets": ("--blankets wool", "wool"),
    "colliders": ("--colliders guess", "guess"),
    "jobs": ("--jobs 0", "whole number of workers"),
    "depth": ("--max-depth -1", "--max-depth"),
    "workers": ("--workers people", "'threads' or 'processes'"),
    "knowledge": ("--knowledge nowhere.txt", "could not be read"),
    "selection": ("--selection --learner pc", "PC assumes that nothing was selected"),
    "legalize with selection": ("--selection --legalize", "--legalize"),
    "learner against mode": ("--mode balanced --learner icd", "leave out --learner"),
    "limit of another learner": ("--learner icd --max-possible-dsep-size 2", "--max-possible-dsep-size"),
    "config": ("--config nowhere.toml", "could not be read"),
    "target": ("--target nobody", "nobody"),
    "target of a whole graph": ("--target a --mode fast", "leave out --target"),
    "target left out": ("--target a --drop a", "'a'"),
}
BESIDE = {
    "no knowledge": ("--knowledge", b"a causes b\n", "begins with a line '/knowledge'"),
    "knowledge of no column": ("--knowledge", KNOWN, "speaks of 'nobody', not among the variables"),
    "three names": ("--knowledge", b"/knowledge\nforbiddirect\na b c\n", "line 3"),
    "no TOML": ("--config", b"alpha = = 3\n", "is not TOML"),
    "no option": ("--config", b"colour = 3\n", "no option of this command"),
    "kind in the file": ("--config", b'[kinds]\na = "numbers"\n', "no such kind: 'a': 'numbers'"),
    "column in the file": ("--config", b'[kinds]\nq = "nominal"\n', "kinds are given for 'q'"),
    "a list for a word": ("--config", b'mode = ["exact"]\n', "a single value"),
}


def refused(monkeypatch, capsys, *arguments: object) -> str:
    """The one line of the refusal."""
    monkeypatch.setattr("sys.argv", ["dicola", *map(str, arguments)])
    with pytest.raises(SystemExit) as caught:
        main()
    shown = capsys.readouterr()
    assert caught.value.code == 1, shown.err
    assert shown.err.startswith("dicola: ") and shown.err.count("\n") == 1 and "Traceback" not in shown.err, shown.err
    assert shown.out == ""
    return shown.err


@pytest.mark.parametrize("case", [*FILES, *COLUMNS])
def test_a_table_that_cannot_be_used_is_refused_in_a_sentence(case, tmp_path, monkeypatch, capsys):
    name, content, options, says = (FILES | COLUMNS)[case]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    out = tmp_path / "out"
    assert says in refused(monkeypatch, capsys, "fit", tmp_path / name, *options.split(), "--out", out)
    assert not out.exists() or not list(out.iterdir())


@pytest.mark.parametrize("case", STRICT)
def test_a_strict_run_stops_where_another_goes_on_with_a_note(case, tmp_path, monkeypatch, capsys):
    more, says = STRICT[case]
    (tmp_path / "t.csv").write_bytes(table(**more))
    out = tmp_path / "out"
    line = refused(monkeypatch, capsys, "fit", tmp_path / "t.csv", "--strict", "--out", out)
    assert says in line and "without --strict" in line and (not out.exists() or not list(out.iterdir()))
    monkeypatch.setattr("sys.argv", ["dicola", "look", str(tmp_path / "t.csv")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0 and says.partition(": (1)")[2] in capsys.readouterr().out


@pytest.mark.parametrize("case", SETTINGS)
def test_a_setting_that_is_not_allowed_is_refused_in_a_sentence(case, tmp_path, monkeypatch, capsys):
    options, says = SETTINGS[case]
    (tmp_path / "t.csv").write_bytes(PLAIN)
    monkeypatch.chdir(tmp_path)
    assert says in refused(monkeypatch, capsys, "fit", "t.csv", *options.split(), "--out", "out")
    assert not Path("out").exists() or not list(Path("out").iterdir())


@pytest.mark.parametrize("case", BESIDE)
def test_a_file_beside_the_table_that_cannot_be_used_is_refused_in_a_sentence(case, tmp_path, monkeypatch, capsys):
    option, content, says = BESIDE[case]
    (tmp_path / "t.csv").write_bytes(PLAIN)
    (tmp_path / "beside").write_bytes(content)
    out = tmp_path / "out"
    more = ["--mode", "exact"] if option == "--knowledge" else []
    assert says in refused(monkeypatch, capsys, "fit", tmp_path / "t.csv", option, tmp_path / "beside", *more, "--out", out)
    assert not out.exists() or not list(out.iterdir())


def test_a_folder_that_is_a_file_is_refused_before_the_work(tmp_path, monkeypatch, capsys):
    (tmp_path / "t.csv").write_bytes(PLAIN)
    (tmp_path / "out").write_text("mine")
    assert "out" in refused(monkeypatch, capsys, "fit", tmp_path / "t.csv", "--out", tmp_path / "out")
    assert (tmp_path / "out").read_text() == "mine"


@pytest.mark.parametrize("options", ["--kinds q=nominal", "--ordered q", "--drop q"])
def test_a_look_refuses_what_a_fit_refuses(options, tmp_path, monkeypatch, capsys):
    (tmp_path / "t.csv").write_bytes(PLAIN)
    assert "'q'" in refused(monkeypatch, capsys, "look", tmp_path / "t.csv", *options.split())


def test_the_list_is_long():
    assert len(FILES) + len(COLUMNS) + len(STRICT) + len(SETTINGS) + len(BESIDE) >= 60
