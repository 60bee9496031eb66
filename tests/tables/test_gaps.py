"""Covariances of rows with gaps, draws for the gaps, and gaps that depend on other columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dicola import Table
from dicola.tables.gaps import drivers_of_gaps, effective_rows, moments
from dicola.tables.imputation import imputed
from tests.tables.examples import held


def rows(seed: int, n: int = 400, p: int = 5) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + 3.0


def with_holes(values: np.ndarray, seed: int, share: float = 0.2) -> np.ndarray:
    return np.where(np.random.default_rng(seed).random(values.shape) < share, np.nan, values)


def readable_em(values: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """EM from its definition, row by row, by regression of what is missing on what is there."""
    n, p = values.shape
    mean, covariance = np.nanmean(values, axis=0), np.diag(np.nanvar(values, axis=0))
    for _ in range(steps):
        filled, spread = values.copy(), np.zeros((p, p))
        for row in filled:
            gap, seen = np.flatnonzero(np.isnan(row)), np.flatnonzero(~np.isnan(row))
            slopes = covariance[np.ix_(gap, seen)] @ np.linalg.inv(covariance[np.ix_(seen, seen)])
            row[gap] = mean[gap] + slopes @ (row[seen] - mean[seen])
            spread[np.ix_(gap, gap)] += covariance[np.ix_(gap, gap)] - slopes @ covariance[np.ix_(seen, gap)]
        mean = filled.mean(axis=0)
        covariance = ((filled - mean).T @ (filled - mean) + spread) / n
    return mean, covariance


def test_complete_rows_have_their_own_moments():
    values = rows(1)
    found = moments(values)
    assert np.allclose(found.mean, values.mean(axis=0)) and np.allclose(
        found.covariance, np.cov(values, rowvar=False, bias=True), rtol=1e-5
    )
    assert found.effective == found.n_rows == 400


@pytest.mark.parametrize("seed", [2, 3, 4])
def test_em_is_what_its_definition_gives(seed):
    values = with_holes(rows(seed, n=60, p=4), seed)
    values = values[~np.isnan(values).all(axis=1)]
    mean, covariance = readable_em(values, steps=100)
    found = moments(values)
    scale = np.sqrt(np.diag(covariance))
    assert np.abs(found.covariance - covariance).max() < 2e-3 * np.outer(scale, scale).max()
    assert np.abs((found.mean - mean) / scale).max() < 2e-3


def test_em_repairs_what_complete_rows_get_wrong():
    rng = np.random.default_rng(7)
    x = rng.normal(size=4000)
    y = x + rng.normal(size=4000)
    hidden = x > 0.3  # whether y is seen depends on x alone
    values = np.column_stack([x, np.where(hidden, np.nan, y)])
    assert abs(moments(values).mean[1]) < 0.08 < 0.5 < abs(np.nanmean(values[:, 1]))
    assert moments(values).covariance[1, 1] == pytest.approx(2.0, rel=0.1)


def test_more_columns_than_rows_and_determined_columns_stay_finite():
    values = with_holes(rows(8, n=20, p=30), 8)
    assert np.linalg.eigvalsh(moments(values).covariance)[0] > 0
    twice = np.column_stack([rows(9), rows(9)[:, 0]])
    assert np.isfinite(moments(with_holes(twice, 9)).covariance).all()


def test_effective_rows_count_pairs_of_columns():
    present = np.ones((100, 3), dtype=bool)
    assert effective_rows(present) == 100
    present[:50, 0] = False
    assert effective_rows(present) == int(3 / (1 / 50 + 1 / 50 + 1 / 100))
    assert effective_rows(np.ones((40, 1), dtype=bool)) == 40


def test_gaps_that_depend_on_another_column_are_told_from_those_left_by_chance():
    rng = np.random.default_rng(10)
    values = rng.normal(size=(600, 4))
    present = np.ones(values.shape, dtype=bool)
    present[:, 1] = rng.random(600) > 0.6 / (1 + np.exp(-2 * values[:, 0]))
    present[:, 2] = rng.random(600) > 0.2
    assert drivers_of_gaps(present, np.where(present, values, 0.0)) == {1: 0}
    assert drivers_of_gaps(np.ones((50, 2), dtype=bool), values[:50, :2]) == {}


def mixed() -> Table:
    rng = np.random.default_rng(11)
    x = rng.normal(size=500)
    data = pd.DataFrame(
        {
            "x": x,
            "y": x + rng.normal(size=500),
            "word": np.where(x > 0.4, "hi", np.where(x < -0.4, "lo", "mid")),
            "grade": rng.integers(1, 6, 500),
        }
    )
    return Table.from_frame(data.mask(rng.random(data.shape) < 0.2)).understood()


def test_fillings_keep_what_is_there_and_differ_in_the_gaps():
    table = mixed()
    first, second, *others = imputed(table, seed=3)
    gaps = np.isnan(held(table))
    assert len(others) == 8 and not np.isnan(held(first)).any()
    assert np.array_equal(held(first)[~gaps], held(table)[~gaps]) and (held(first)[gaps] != held(second)[gaps]).mean() > 0.3
    assert first.kinds == table.kinds and first.is_understood
    again = imputed(table, seed=3)[0]
    assert held(again).tobytes() == held(first).tobytes() and held(imputed(table, seed=4)[0]).tobytes() != held(first).tobytes()


def test_fillings_hold_only_values_that_occur_and_carry_the_relations():
    table = mixed()
    filled = imputed(table, seed=5)[0]
    for before, after in zip(table.columns, filled.columns, strict=True):
        if before.levels:
            assert set(np.unique(after.codes)) == set(range(len(before.levels)))
    frame = filled.to_frame()
    assert frame["x"].corr(frame["y"]) == pytest.approx(0.7, abs=0.07)
    assert frame.groupby("word", observed=True)["x"].mean()["hi"] > 0.7
