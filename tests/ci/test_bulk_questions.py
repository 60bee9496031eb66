"""A test may answer the bulk questions faster, never differently: verdict for verdict, set for set, count for count."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicola import DAG, BasisFunction, ChiSquare, DegenerateGaussian, FisherZ, GaussianCopula, GSquare, Oracle
from dicola.blankets.grow_shrink import Growing, GrownBlankets
from dicola.blankets.total_conditioning import DependsOnTarget
from dicola.ci import oracle as oracle_module
from dicola.ci.base import Among, CITest
from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import FindSeparator, GivenRest, SearchLevels, SweepLevel
from dicola.learners.l_marvel import SeparatorsInPool
from dicola.tables.table import as_table
from tests.asking import counted, given_rest
from tests.reference_models import names, random_hidden_dag, random_selection_mag

FEW, MANY = (settings(deadline=None, derandomize=True, database=None, max_examples=n) for n in (60, 150))
SEEDS = st.integers(0, 10**6)


def plain(test: CITest) -> CITest:
    """The same verdicts with the default answers to the bulk questions."""
    return Among(test, tuple(range(len(test))))


def random_fisher_z(seed: int) -> FisherZ:
    """Correlation matrices from harmless to nearly singular, few to many rows, both ways to answer where rows run out."""
    rng = np.random.default_rng(seed)
    p = int(rng.integers(2, 9))
    noise = float(rng.choice([1.0, 0.3, 1e-2, 1e-3]))
    rank = int(rng.integers(1, p + 1))
    loadings = rng.normal(size=(p, rank)) * (rng.random((p, rank)) < rng.uniform(0.3, 1))
    covariance = loadings @ loadings.T + noise**2 * np.diag(rng.uniform(0.5, 2, p))
    n = int(rng.choice([5, 7, 9, 12, 20, 50, 200, 10_000]))
    policy = str(rng.choice(["dependent", "independent"]))
    return FisherZ.from_covariance(covariance, n, alpha=float(rng.choice([0.5, 0.1, 0.01, 1e-4])), untestable=policy)


def random_singular_fisher_z(seed: int) -> FisherZ:
    """Fewer rows than columns: the correlation matrix has no inverse, and whole blocks are determined by others."""
    rng = np.random.default_rng(seed)
    p = int(rng.integers(5, 9))
    n = int(rng.integers(5, p + 1))
    values = rng.normal(size=(n, p)) @ (rng.normal(size=(p, p)) * (rng.random((p, p)) < 0.5) + np.eye(p))
    if rng.random() < 0.5:
        values[:, 2] = values[:, 0] - values[:, 1]
    return FisherZ(values, alpha=0.2, untestable=str(rng.choice(["dependent", "independent"])))


def random_oracle(seed: int) -> Oracle:
    rng = np.random.default_rng(seed)
    if rng.random() < 0.3:
        _, marks, observed, selected = random_selection_mag(rng, int(rng.integers(3, 6)))
        labels = names(len(marks))
        chosen = [labels[v] for v in range(len(marks)) if selected >> v & 1]
        return Oracle(DAG.from_matrix(marks, labels), [n for v, n in enumerate(labels) if v not in observed and n not in chosen], chosen)
    marks, hidden = random_hidden_dag(rng, int(rng.integers(2, 10)), int(rng.integers(0, 4)), float(rng.uniform(0.1, 0.6)))
    labels = names(len(marks))
    oracle = Oracle(DAG.from_matrix(marks, labels), [labels[v] for v in hidden])
    if rng.random() < 0.3 and len(oracle) > 3:
        return oracle.among(sorted(rng.choice(len(oracle), len(oracle) - 1, replace=False).tolist()))
    return oracle


def random_categories(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    """Columns of letters, each a copy of an earlier one but for some rows, or of all of them."""
    columns = [rng.integers(int(rng.integers(2, 5)), size=n)]
    for _ in range(p - 1):
        other, fresh = columns[int(rng.integers(len(columns)))], rng.integers(int(rng.integers(2, 5)), size=n)
        columns.append(np.where(rng.random(n) < rng.choice([0.0, 0.3, 0.8, 1.0]), other, fresh))
    return np.column_stack(columns)


def random_g_square(seed: int) -> GSquare:
    """Few to many rows per cell, gaps, exact copies, more cells than rows."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.choice([8, 30, 200, 1000])), int(rng.integers(2, 8))
    letters = np.array(["a", "b", "c", "d", None])
    codes = np.where(rng.random((n, p)) < rng.choice([0.0, 0.1]), 4, random_categories(rng, n, p))
    codes[:2] = [[0] * p, [1] * p]
    answers = {name: str(rng.choice(["dependent", "independent"])) for name in ("untestable", "determined")}
    made = GSquare if rng.random() < 0.5 else ChiSquare
    frame = pd.DataFrame(letters[codes], columns=names(p))
    return made(as_table(frame).understood(dict.fromkeys(names(p), "nominal")), float(rng.choice([0.3, 0.01])), **answers)


def random_degenerate_gaussian(seed: int) -> DegenerateGaussian:
    """Numbers and letters, some of them functions of others, few to many rows."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.choice([8, 30, 200, 1000])), int(rng.integers(2, 8))
    codes = random_categories(rng, n, p)
    codes[:2] = [[0] * p, [1] * p]
    frame = pd.DataFrame(np.array(list("abcd"))[codes], columns=names(p))
    for i, name in enumerate(frame.columns):
        if rng.random() < 0.5:
            frame[name] = codes[:, i] + rng.choice([0.1, 1.0]) * rng.normal(size=n)
    kinds = {name: "nominal" if frame[name].dtype == object else "continuous" for name in frame}
    made = DegenerateGaussian if rng.random() < 0.7 else BasisFunction
    policy = str(rng.choice(["dependent", "independent"]))
    return made(as_table(frame).understood(kinds), float(rng.choice([0.3, 0.01])), untestable=policy)


def random_copula(seed: int) -> GaussianCopula:
    """Numbers and grades, few to many rows."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.choice([8, 30, 200, 1000])), int(rng.integers(2, 8))
    values = rng.normal(size=(n, p)) @ (rng.normal(size=(p, p)) * (rng.random((p, p)) < 0.5) + np.eye(p))
    frame, kinds = pd.DataFrame(values, columns=names(p)), dict.fromkeys(names(p), "continuous")
    for name in frame.columns[rng.random(p) < 0.6]:
        frame[name] = pd.qcut(frame[name], int(rng.integers(2, 4)), labels=False)
        kinds[name] = "ordered"
    policy = str(rng.choice(["dependent", "independent"]))
    return GaussianCopula(as_table(frame).understood(kinds), float(rng.choice([0.3, 0.01])), untestable=policy)


MAKERS = {
    "Fisher z": random_fisher_z,
    "Fisher z, singular": random_singular_fisher_z,
    "oracle": random_oracle,
    "counts": random_g_square,
    "blocks": random_degenerate_gaussian,
    "latent variables": random_copula,
}


@pytest.fixture(params=[*MAKERS, "oracle that never asks one by one"])
def maker(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], CITest]:
    if request.param in MAKERS:
        return MAKERS[request.param]
    monkeypatch.setattr(oracle_module, "_FEW", 0)
    return random_oracle


def random_adjacency(rng: np.random.Generator, n: int) -> np.ndarray:
    upper = np.triu(rng.random((n, n)) < rng.choice([0.3, 0.7, 1.0]), k=1)
    return upper | upper.T


def test_a_level_of_the_adjacency_search_is_answered_alike(maker):
    @MANY
    @given(seed=SEEDS, size=st.integers(0, 7))
    def agree(seed: int, size: int) -> None:
        test, rng = maker(seed), np.random.default_rng([seed, 1])
        adjacency = random_adjacency(rng, len(test))
        kept = adjacency.copy()
        assert counted(test, SweepLevel(adjacency, size)) == counted(plain(test), SweepLevel(adjacency, size))
        assert np.array_equal(adjacency, kept)

    agree()


def test_a_search_level_by_level_is_answered_alike(maker):
    @MANY
    @given(seed=SEEDS)
    def agree(seed: int) -> None:
        test, rng = maker(seed), np.random.default_rng([seed, 5])
        n = len(test)
        adjacency = random_adjacency(rng, n)
        kept = adjacency.copy()
        candidates, tried = (random_adjacency(rng, n) if rng.random() < 0.5 else None for _ in range(2))
        max_size, tried_to = (int(rng.integers(0, 5)) if rng.random() < 0.5 else None for _ in range(2))
        useless = rng.random((n, n)) < 0.5 if rng.random() < 0.5 else None
        question = SearchLevels(adjacency, max_size, int(rng.integers(0, 3)), candidates, tried, tried_to, useless)
        assert counted(test, question) == counted(plain(test), question)
        assert np.array_equal(adjacency, kept)

    agree()


def random_search(seed: int, p: int) -> tuple[int, int, list[int], list[int], list[list[int]]]:
    """Ends, candidates in any order, growing sizes, and up to four sets that were tried before."""
    rng = np.random.default_rng([seed, 2])
    x, y, *others = rng.permutation(p).tolist()
    candidates = others[: int(rng.integers(0, len(others) + 1))]
    sizes = sorted(rng.choice(p, int(rng.integers(1, p + 1)), replace=False).tolist())
    tried = [rng.permutation(p)[: int(rng.integers(0, p))].tolist() for _ in range(int(rng.integers(0, 5)))]
    return x, y, candidates, sizes, tried


def test_the_search_for_the_separating_sets_of_many_pairs_is_answered_alike(maker):
    ended = {True: 0, False: 0}

    @MANY
    @given(seed=SEEDS)
    def agree(seed: int) -> None:
        test, rng = maker(seed), np.random.default_rng([seed, 6])
        beside, *pool = rng.permutation(len(test)).tolist()[: int(rng.integers(1, len(test) + 1))]
        pairs = [tuple(rng.permutation([v for v in range(len(test)) if v != beside])[:2].tolist()) for _ in range(4)]
        question = ([pair for pair in pairs if len(pair) == 2], sorted(pool), int(rng.integers(-1, len(pool) + 1)))
        assert counted(test, SeparatorsInPool(*question)) == counted(plain(test), SeparatorsInPool(*question))
        found, tests = counted(test, SeparatorsInPool(*question, beside))
        assert (found, tests) == counted(plain(test), SeparatorsInPool(*question, beside))
        ended[len(found) < len(question[0])] += 1

    agree()
    assert min(ended.values()) > 3


def test_the_search_for_a_separating_set_is_answered_alike(maker):
    @MANY
    @given(seed=SEEDS)
    def agree(seed: int) -> None:
        test = maker(seed)
        search = random_search(seed, len(test))
        assert counted(test, FindSeparator(*search)) == counted(plain(test), FindSeparator(*search))
        own_level = FindSeparator(*search, alpha=0.2)
        assert counted(test, own_level) == counted(plain(test), own_level)

    agree()


@pytest.mark.parametrize("make", [random_fisher_z, random_oracle, random_g_square, random_degenerate_gaussian, random_copula])
def test_total_conditioning_is_answered_alike(make):
    @MANY
    @given(seed=SEEDS)
    def agree(seed: int) -> None:
        test, rng = make(seed), np.random.default_rng([seed, 3])
        for block in (None, rng.permutation(len(test))[: int(rng.integers(0, len(test) + 1))].tolist()):
            for alpha in (None, float(rng.choice([0.3, 0.01, 1e-5]))):
                fast, slow = counted(test, GivenRest(alpha, block)), counted(plain(test), GivenRest(alpha, block))
                assert np.array_equal(fast[0], slow[0]) and fast[1] == slow[1]
        x, *others = rng.permutation(len(test)).tolist()
        one = counted(test, DependsOnTarget(x, others[:-1], 0.01))
        assert one == counted(plain(test), DependsOnTarget(x, others[:-1], 0.01)) and one[1] == max(len(others) - 1, 0)
        assert one[0] == [bool(given_rest(test, 0.01)[x, y]) for y in others[:-1]]

    agree()


def _some_others(rng: np.random.Generator, n: int, target: int) -> tuple[int, ...]:
    others = [v for v in rng.permutation(n).tolist() if v != target]
    return tuple(others[: int(rng.integers(0, n))])


@pytest.mark.parametrize("strongest_first", [False, True])
def test_blankets_are_grown_alike(maker, strongest_first):
    @MANY
    @given(seed=SEEDS)
    def agree(seed: int) -> None:
        test, rng = maker(seed), np.random.default_rng([seed, 7])
        targets = rng.permutation(len(test))[: int(rng.integers(0, len(test) + 1))].tolist()
        levels = (None if rng.random() < 0.5 else float(rng.choice([0.3, 0.01, 1e-5])) for _ in range(2))
        starts = None if rng.random() < 0.5 else [_some_others(rng, len(test), target) for target in targets]
        question = GrownBlankets(targets, Growing(*levels, strongest_first, int(rng.integers(0, len(test)))), starts)
        fast, slow = counted(test, question), counted(plain(test), question)
        assert np.array_equal(fast[0], slow[0]) and fast[1] == slow[1]

    agree()


@pytest.mark.parametrize("strongest_first", [False, True])
def test_large_blankets_of_a_wide_table_are_grown_alike(strongest_first):
    """More members than there is room for at first, p-values that underflow, columns that are nearly alike."""
    rng = np.random.default_rng(8)
    values = rng.normal(size=(40, 60))
    values[:, 0] = values[:, 1:16].sum(axis=1)
    for v in (22, 23, 24):
        values[:, v] = values[:, 21] + 1e-4 * rng.normal(size=40)
    correlation = np.corrcoef(values.T)
    many = FisherZ.from_covariance(0.9999 * correlation + 0.0001 * np.eye(60), 10_000, alpha=0.2)
    for test in (FisherZ.from_covariance(correlation, 40, alpha=0.2), many):
        question = GrownBlankets(range(0, 60, 5), Growing(None, None, strongest_first, 18))
        fast, slow = counted(test, question), counted(plain(test), question)
        assert np.array_equal(fast[0], slow[0]) and fast[1] == slow[1]
        assert fast[0].sum(axis=1).max() > 9


def test_one_question_is_answered_alike_from_both_ends(maker):
    @FEW
    @given(seed=SEEDS)
    def agree(seed: int) -> None:
        test, rng = maker(seed), np.random.default_rng([seed, 4])
        x, y, *others = rng.permutation(len(test)).tolist()
        z = others[: int(rng.integers(0, len(others) + 1))]
        by_name = [test.labels[v] for v in z]
        asked = [test(x, y, z), test(y, x, z[::-1]), test(test.labels[x], y, by_name)]
        assert asked[0] == asked[1] == asked[2]

    agree()


def test_a_restricted_test_is_the_whole_seen_through_a_choice(maker):
    @FEW
    @given(seed=SEEDS)
    def agree(seed: int) -> None:
        test, rng = maker(seed), np.random.default_rng([seed, 5])
        chosen = sorted(rng.choice(len(test), int(rng.integers(2, len(test) + 1)), replace=False).tolist())
        part, seen = test.among(chosen), Among(test, tuple(chosen))
        assert part.labels == seen.labels and part.names == seen.names and part.n_samples == seen.n_samples
        search = random_search(seed, len(part))
        assert counted(part, FindSeparator(*search)) == counted(seen, FindSeparator(*search))

    agree()


def test_an_inquiry_answers_alike_and_counts_what_was_needed(maker):
    @FEW
    @given(seed=SEEDS, size=st.integers(0, 4), cache=st.booleans())
    def agree(seed: int, size: int, cache: bool) -> None:
        test, rng = maker(seed), np.random.default_rng([seed, 6])
        adjacency, search = random_adjacency(rng, len(test)), random_search(seed, len(test))
        for question in (SweepLevel(adjacency, size), FindSeparator(*search), DependsOnTarget(0, range(1, len(test)))):
            inquiry = Inquiry(test, cache=cache)
            answer, needed = inquiry.during("leaves").ask(question), counted(test, question)[1]
            assert answer == counted(test, question)[0]
            assert inquiry.counts["total"] == inquiry.counts["leaves"] and (cache or inquiry.counts["leaves"] == needed)
            spent = inquiry.counts["total"]
            assert inquiry.ask(question) == answer and inquiry.counts["total"] == (spent if cache else 2 * spent)

    agree()


@pytest.mark.parametrize("sizes", [(5, 1, 0), (3, 2), (9, 0)])
def test_sizes_may_come_in_any_order(maker, sizes):
    for seed in range(60):
        test = maker(seed)
        if len(test) > 3:
            search = (0, 1, [2, 3], sizes)
            assert counted(test, FindSeparator(*search)) == counted(plain(test), FindSeparator(*search)), seed


@pytest.mark.parametrize("seed", range(6))
def test_a_level_over_candidates_is_that_of_asking_one_by_one(seed):
    rng = np.random.default_rng(seed)
    for _ in range(12):
        p = int(rng.integers(3, 9))
        test = FisherZ(rng.normal(size=(60, p)) @ rng.normal(size=(p, p)), alpha=0.05)
        half = np.triu(rng.random((p, p)) < 0.6, 1)
        candidates, tried = (rng.random((p, p)) < 0.7, rng.random((p, p)) < 0.4)
        for size in range(p):
            for pools, old in ((candidates, tried), (candidates, None), (None, tried)):
                fast = counted(test, SweepLevel(half | half.T, size, pools, old))
                assert fast == counted(plain(test), SweepLevel(half | half.T, size, pools, old))
