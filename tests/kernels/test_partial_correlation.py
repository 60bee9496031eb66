"""The compiled search against a readable twin: same residuals, same first set, same number of verdicts."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicola._kernels import levels, precision
from dicola._kernels import partial_correlation as kernel

MANY = settings(deadline=None, derandomize=True, database=None, max_examples=150)
SEEDS = st.integers(0, 10**6)

NOTHING = np.zeros((0, 0), dtype=bool)


def random_correlation(rng: np.random.Generator, p: int) -> np.ndarray:
    loadings = rng.normal(size=(p, int(rng.integers(1, p + 1))))
    covariance = loadings @ loadings.T + float(rng.choice([1, 1e-1, 1e-3])) * np.eye(p)
    scale = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(scale, scale)
    correlation.setflags(write=False)
    return correlation


def conditional_covariance(correlation: np.ndarray, x: int, y: int, z: tuple[int, ...]) -> np.ndarray:
    """The textbook formula: R_xy,xy - R_xy,z R_zz^-1 R_z,xy."""
    ends, given_ = [x, y], list(z)
    if not given_:
        return correlation[np.ix_(ends, ends)]
    across = correlation[np.ix_(given_, ends)]
    return correlation[np.ix_(ends, ends)] - across.T @ np.linalg.solve(correlation[np.ix_(given_, given_)], across)


def twin_depends(correlation: np.ndarray, x: int, y: int, z: tuple[int, ...], limit: float) -> bool:
    return kernel.is_dependent(*kernel.residual(correlation, x, y, np.array(z, dtype=np.int64)), limit)


def twin_first_separator(correlation, x, y, candidates, size, limit, tried):
    """Ask one set after the other."""
    tests = 0
    for z in combinations(candidates, size):
        if size and any(set(z) <= set(old) for old in tried):
            continue
        tests += 1
        if not twin_depends(correlation, x, y, z, limit):
            return z, tests
    return None, tests


def twin_sweep_level(correlation, adjacency, size, limit):
    rows, tests = [], 0
    for i, j in combinations(range(len(adjacency)), 2):
        if adjacency[i, j]:
            beside = [[v for v in range(len(adjacency)) if adjacency[end, v] and v not in (i, j)] for end in (i, j)]
            z, used = twin_first_separator(correlation, i, j, beside[0], size, limit, [])
            tests += used
            if z is None and size:
                z, used = twin_first_separator(correlation, i, j, beside[1], size, limit, [beside[0]])
                tests += used
            if z is not None:
                rows.append([i, j, *z])
    return rows, tests


@MANY
@given(seed=SEEDS)
def test_residuals_are_those_of_the_textbook_formula(seed):
    rng = np.random.default_rng(seed)
    p = int(rng.integers(2, 9))
    correlation = random_correlation(rng, p)
    x, y, *others = rng.permutation(p).tolist()
    z = tuple(others[: int(rng.integers(0, len(others) + 1))])
    xy, xx, yy = kernel.residual(correlation, x, y, np.array(z, dtype=np.int64))
    expected = conditional_covariance(correlation, x, y, z)
    assert np.allclose([[xx, xy], [xy, yy]], expected, atol=1e-9)


@MANY
@given(seed=SEEDS, size=st.integers(0, 6), n_tried=st.integers(0, 8))
def test_the_first_separating_set_is_that_of_asking_one_by_one(seed, size, n_tried):
    rng = np.random.default_rng(seed)
    p = int(rng.integers(2, 10))
    correlation = random_correlation(rng, p)
    x, y, *others = rng.permutation(p).tolist()
    candidates = sorted(others[: int(rng.integers(0, len(others) + 1))])
    tried = [rng.permutation(p)[: int(rng.integers(0, p))].tolist() for _ in range(n_tried)]
    parts = np.array([sum(1 << b for b, old in enumerate(tried) if v in old) for v in candidates], dtype=np.uint8)
    limit = float(rng.choice([1e-4, 1e-2, 0.1, 0.5, -1.0, 2.0]))
    pool = np.array(candidates, dtype=np.int64)
    found, separated, tests = kernel.separator_among(correlation, x, y, pool, np.array([size]), np.array([limit]), parts, False)
    expected, asked = twin_first_separator(correlation, x, y, candidates, size, limit, tried)
    assert (tuple(found.tolist()) if separated else None, tests) == (expected, asked)


@MANY
@given(seed=SEEDS, size=st.integers(0, 5))
def test_a_level_is_that_of_asking_edge_by_edge(seed, size):
    rng = np.random.default_rng(seed)
    p = int(rng.integers(2, 9))
    correlation = random_correlation(rng, p)
    upper = np.triu(rng.random((p, p)) < rng.choice([0.4, 0.8, 1.0]), k=1)
    adjacency = np.ascontiguousarray(upper | upper.T)
    limit = float(rng.choice([1e-4, 1e-2, 0.1, 0.5]))
    rows, tests = levels.sweep_level(correlation, adjacency, adjacency, NOTHING, size, limit)
    expected, asked = twin_sweep_level(correlation, adjacency, size, limit)
    assert (rows.tolist(), tests) == (expected, asked)


def test_a_level_has_room_for_every_edge():
    p = 30
    rows, tests = levels.sweep_level(np.eye(p), ~np.eye(p, dtype=bool), ~np.eye(p, dtype=bool), NOTHING, 0, 0.1)
    assert rows.tolist() == [[i, j] for i, j in combinations(range(p), 2)] and tests == p * (p - 1) // 2
    assert rows.shape == (435, 2), "the table starts with sixteen rows and grows"


def test_a_determined_variable_is_passed_over_as_a_pseudo_inverse_would():
    values = np.random.default_rng(3).normal(size=(50, 5))
    values[:, 2] = values[:, 0] + values[:, 1]
    correlation = np.corrcoef(values, rowvar=False)
    with_copy = kernel.residual(correlation, 3, 4, np.array([0, 1, 2]))
    without = kernel.residual(correlation, 3, 4, np.array([0, 1]))
    assert with_copy == pytest.approx(without, abs=1e-9)


def test_an_end_that_is_determined_is_never_dependent_except_where_everything_is():
    for xx, yy in ((1e-12, 1.0), (1.0, 1e-12), (0.0, 0.0)):
        assert not kernel.is_dependent(1e-6, xx, yy, 0.0)
        assert kernel.is_dependent(1e-6, xx, yy, -1.0)


def test_the_limit_is_the_square_of_a_correlation():
    assert kernel.is_dependent(0.5, 1.0, 1.0, 0.2499) and not kernel.is_dependent(0.5, 1.0, 1.0, 0.2501)
    assert kernel.is_dependent(-0.5, 1.0, 1.0, 0.2499)
    assert kernel.is_dependent(0.0, 1.0, 1.0, -1.0) and not kernel.is_dependent(1.0, 1.0, 1.0, 2.0)


def test_kernels_leave_their_arguments_alone():
    correlation = random_correlation(np.random.default_rng(4), 6)
    kept = correlation.copy()
    adjacency = ~np.eye(6, dtype=bool)
    for size in range(4):
        levels.sweep_level(correlation, adjacency, adjacency, NOTHING, size, 0.1)
    assert np.array_equal(correlation, kept) and adjacency.sum() == 30


def test_a_block_of_the_inverse_is_that_of_the_whole_inverse():
    rng = np.random.default_rng(8)
    for _ in range(60):
        p = int(rng.integers(2, 12))
        correlation = random_correlation(rng, p)
        block = np.sort(rng.permutation(p)[: int(rng.integers(1, p + 1))])
        expected = np.linalg.inv(correlation)[np.ix_(block, block)]
        assert np.allclose(precision.precision_of(correlation, block), expected, rtol=1e-6, atol=1e-9)


def test_a_determined_variable_makes_the_block_infinite():
    correlation = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    assert np.isinf(precision.precision_of(correlation, np.array([0, 1]))).all()
    assert np.isinf(precision.precision_of(correlation, np.array([2]))).all()


def test_the_first_of_many_sets_is_that_of_the_plain_verdicts_to_the_last_bit():
    rng = np.random.default_rng(9)
    shared = singular = 0
    for number in range(400):
        p = int(rng.integers(4, 13))
        correlation = random_correlation(rng, p).copy()
        if number % 3 == 0:  # a copy of a variable, so that pivots vanish
            correlation[-1], correlation[:, -1] = correlation[0], correlation[:, 0]
            correlation[-1, -1] = 1.0
        x, y, *rest = (int(v) for v in rng.permutation(p))
        size = int(rng.integers(1, len(rest) + 1))
        sets = np.array(sorted(sorted(rng.choice(rest, size, replace=False).tolist()) for _ in range(7)), dtype=np.int64)
        shared += int((sets[1:, 0] == sets[:-1, 0]).sum())
        xy, xx, yy = kernel.residual(correlation, x, y, sets[4])
        edge = xy * xy / (xx * yy) if min(xx, yy) > kernel.SINGULAR else 0.1
        singular += min(xx, yy) <= kernel.SINGULAR
        for limit in (edge, np.nextafter(edge, 0), np.nextafter(edge, 2), 0.02, 2.0, -1.0):
            verdicts = [kernel.is_dependent(*kernel.residual(correlation, x, y, z), limit) for z in sets]
            assert kernel.first_of(correlation, x, y, sets, limit) == (verdicts.index(False) if False in verdicts else -1)
    assert shared > 300 and singular > 10
