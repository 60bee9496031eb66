"""Moments of rows that come in blocks are those of the whole table, digits included."""

from __future__ import annotations

import gzip
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from dicola import FisherZ, InvalidData, Moments, discover, simulate
from dicola.tables import moments as module
from dicola.tables import streams


def table(rows: int = 700) -> pd.DataFrame:
    frame = simulate.linear_gaussian(simulate.er_dag(6, 2, seed=2), rows, seed=2)
    return frame * [1, 1e-3, 1e4, 1, 1, 1] + [0, 5, 1e7, -3e3, 0, 1]


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(module, "_CELLS", 60)
    monkeypatch.setattr(streams, "_ROWS", 64)


def is_that_of(found: Moments, frame: pd.DataFrame) -> None:
    scale = np.sqrt(np.diag(frame.cov()))
    assert found.names == tuple(frame.columns) and (found.rows, found.n_samples) == (len(frame), len(frame))
    np.testing.assert_allclose(found.covariance / np.outer(scale, scale), frame.cov() / np.outer(scale, scale), atol=1e-12)
    np.testing.assert_allclose(found.means, frame.mean(), rtol=1e-12)


def test_blocks_in_any_order_of_columns_make_the_whole(small_blocks):
    frame, found = table(), Moments()
    for begin in range(0, 700, 100):
        part = frame.iloc[begin : begin + 100]
        found.partial_fit(part if begin < 300 else part[part.columns[::-1]])
    is_that_of(found, frame)
    first, second = Moments().partial_fit(frame.iloc[:33]), Moments().partial_fit(frame.iloc[33:])
    is_that_of(first.merged(second), frame)
    is_that_of(Moments(frame.columns).merged(first).merged(second), frame)


def test_no_digits_are_lost_where_the_mean_is_far_from_zero_and_moves(small_blocks):
    rng = np.random.default_rng(0)
    x = np.concatenate([1e9 + rng.integers(0, 9, 200), 2e9 + rng.integers(0, 9, 200)]).astype(np.int64)
    for rows in (x[:200], x):  # sums of squares would have lost all digits of the first
        exact = [Fraction(int(v)) for v in rows]
        mean = sum(exact) / len(exact)
        variance = sum((v - mean) ** 2 for v in exact) / (len(exact) - 1)
        found = Moments().partial_fit({"x": rows.astype(float), "y": rng.normal(size=len(rows))})
        assert found.covariance.loc["x", "x"] == pytest.approx(float(variance), rel=1e-12)


def test_weights_that_count_rows_are_rows_that_come_again(small_blocks):
    frame, times = table(90), np.random.default_rng(1).integers(0, 4, 90)
    weighted, again = Moments().partial_fit(frame, times), frame.iloc[np.repeat(np.arange(90), times)]
    np.testing.assert_allclose(weighted.means, again.mean(), rtol=1e-12)
    np.testing.assert_allclose(_correlation(weighted.covariance), again.corr(), atol=1e-12)
    assert weighted.rows == 90 and weighted.n_samples == int(times.sum() ** 2 / (times**2).sum())
    np.testing.assert_allclose(Moments().partial_fit(frame, np.full(90, 0.5)).covariance, frame.cov(), rtol=1e-9, atol=1e-9)


def _correlation(covariance: pd.DataFrame) -> pd.DataFrame:
    scale = np.sqrt(np.diag(covariance))
    return covariance / np.outer(scale, scale)


def test_files_and_folders_of_files_are_read_in_blocks(small_blocks, tmp_path):
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow: pip install dicola[parquet]")
    frame, folder = table(), tmp_path / "parts"
    folder.mkdir()
    frame.iloc[:300].to_parquet(folder / "a.parquet", index=False)
    frame.iloc[300:500].to_csv(folder / "b.csv", index=False)
    with gzip.open(folder / "c.csv.gz", "wt") as file:
        frame.iloc[500:][frame.columns[::-1]].to_csv(file)
    (folder / "read me.md").write_text("no table")
    is_that_of(Moments.of_file(folder), frame)
    is_that_of(Moments.of_file(folder, columns=frame.columns[:3]), frame[frame.columns[:3]])
    for part, rows in (("a.parquet", slice(300)), ("b.csv", slice(300, 500)), ("c.csv.gz", slice(500, 700))):
        found = Moments.of_file(folder / part, columns=frame.columns)
        is_that_of(found, frame.iloc[rows])


def test_the_graph_is_that_of_the_table():
    frame = table(3000)
    found = Moments().partial_fit(frame.iloc[:2000]).partial_fit(frame.iloc[2000:])
    assert discover(FisherZ.from_covariance(found.covariance, found.n_samples)).pag == discover(FisherZ(frame)).pag


@pytest.mark.parametrize(
    ("rows", "weights", "words"),
    [
        ({"A": [1.0, 2.0], "C": [1.0, 2.0]}, None, "lacks 'B' and has besides 'C'"),
        ({"A": [1.0, np.nan], "B": [1.0, 2.0]}, None, "missing"),
        ({"A": ["x", "y"], "B": [1.0, 2.0]}, None, "'A'"),
        ({"A": [1.0, 2.0], "B": [1.0, 2.0]}, [1.0], "each row needs one"),
        ({"A": [1.0, 2.0], "B": [1.0, 2.0]}, [1.0, -1.0], "negative"),
        ({"A": [1.0, 2.0], "B": [1.0, 2.0]}, ["a", "b"], "weights are numbers"),
        ({"A": [1e200, 2.0], "B": [1.0, 2.0]}, None, "too large"),
    ],
)
def test_what_cannot_be_taken_in_is_told_and_changes_nothing(rows, weights, words):
    found = Moments().partial_fit({"A": [1.0, 2.0, 4.0], "B": [1.0, 0.0, 2.0]})
    before = found.covariance
    with pytest.raises(InvalidData, match=words), np.errstate(over="ignore", invalid="ignore"):
        found.partial_fit(rows, weights)
    assert found.covariance.equals(before) and found.rows == 3


def test_files_that_will_not_do_are_told(tmp_path):
    for name, text, words in (
        ("words.csv", "a,b\n1,x\n", "'b'"),
        ("gaps.csv", "a,b\n1,\n2,3\n", "'b' .* has gaps"),
        ("a.xlsx", "", "no Parquet or text file"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(InvalidData, match=words):
            Moments.of_file(tmp_path / name)
    (tmp_path / "c.csv").write_text("a,b\n1,2\n3,4\n")
    with pytest.raises(InvalidData, match="has no column 'z'"):
        Moments.of_file(tmp_path / "c.csv", columns=["a", "z"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidData, match="holds no Parquet or text file"):
        Moments.of_file(tmp_path / "empty")
    with pytest.raises(InvalidData, match="at least 2 rows, and there are none"):
        _ = Moments("ab").covariance
    with pytest.raises(InvalidData, match="the columns are not the same"):
        Moments("ab").merged(Moments("ba"))


def test_products_by_tiles_are_the_products(monkeypatch):
    rows = np.random.default_rng(1).standard_normal((23, 9))
    monkeypatch.setattr(module, "_AT_ONCE", 22)
    monkeypatch.setattr(module, "_TILE", 5)
    found = module.products_of(rows)
    np.testing.assert_allclose(found, rows @ rows.T, rtol=1e-12, atol=1e-14)
    assert (found == found.T).all()
