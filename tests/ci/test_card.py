"""What a card answers is what the kernels answer, to the mark and to the number of verdicts.

PyTorch on the processor stands for the card: the code is the same, the numbers are added in another order than by the kernels.
"""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pandas as pd
import pytest

from dicola import DiCoLa, FisherZ, InvalidData, InvalidSetting, MissingExtra, discover, simulate
from dicola.blankets import grow_shrink
from dicola.blankets.grow_shrink import IAMB
from dicola.ci import card as cards
from dicola.ci import fisher_z
from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import GivenRest, SearchLevels, SweepLevel
from dicola.decompose import tree as tree_module


@pytest.fixture
def card(monkeypatch):
    """Every card is PyTorch on the processor, asked about tables of any size."""
    torch = pytest.importorskip("torch", reason="the extra gpu (PyTorch) is not installed")
    monkeypatch.setattr(fisher_z, "card_at", lambda device: None if device == "cpu" else cards.Card(torch, torch.device("cpu")))
    monkeypatch.setattr(fisher_z, "LEAST", 2)


def drawn(n: int, degree: float, rows: int, seed: int) -> pd.DataFrame:
    return simulate.linear_gaussian(simulate.er_dag(n, degree, seed=seed), rows, seed=seed)


def both(table: pd.DataFrame, **settings) -> tuple[FisherZ, FisherZ]:
    with_card = FisherZ(table, device="cuda", **settings)
    assert with_card.card is not None
    return FisherZ(table, **settings), with_card


def answers(test: FisherZ, question) -> tuple:
    asked = Inquiry(test)
    return asked.ask(question), asked.counts["total"]


def assert_same(tests: tuple[FisherZ, FisherZ], question) -> None:
    (one, used), (other, as_many) = (answers(test, question) for test in tests)
    np.testing.assert_equal(other, one)
    assert as_many == used


@pytest.mark.parametrize("rows", [30, 400])
def test_correlations_are_those_of_the_processor_and_symmetric_to_the_bit(card, rows, monkeypatch):
    monkeypatch.setattr(cards, "_TILE", 7)
    monkeypatch.setattr(cards, "_AT_ONCE", 50)
    without, with_card = both(drawn(40, 3, rows, seed=rows))
    np.testing.assert_allclose(with_card.correlation, without.correlation, rtol=0, atol=1e-14)
    assert np.array_equal(with_card.correlation, with_card.correlation.T)
    assert (with_card.inverse is None) == (without.inverse is None)
    if without.inverse is not None:
        np.testing.assert_allclose(np.triu(with_card.inverse), np.triu(without.inverse), rtol=1e-9, atol=1e-10)


def test_extreme_scales_are_left_to_the_processor(card):
    table = drawn(6, 2, 200, seed=1) * 1e150
    without, with_card = both(table)
    assert np.array_equal(with_card.correlation, without.correlation)


@pytest.mark.parametrize("seed", range(6))
def test_total_conditioning(card, seed, monkeypatch):
    monkeypatch.setattr(cards, "_AT_ONCE", 100)
    tests = both(drawn(30, 3, 500, seed))
    part = tuple(test.among(range(3, 27)) for test in tests)
    small = tuple(test.among([20, 4, 7, 11, 2]) for test in tests)
    for asked in (tests, part, small):
        assert_same(asked, GivenRest(0.001))
        assert_same(asked, GivenRest(0.05, block=[0, 2, 4]))


def test_total_conditioning_with_fewer_rows_than_columns(card):
    tests = both(drawn(40, 2, 25, seed=3))
    assert_same(tuple(test.among(range(12)) for test in tests), GivenRest(0.05))


@pytest.mark.parametrize(("n", "rows", "seed"), [(40, 60, 0), (40, 1000, 1), (60, 300, 2), (25, 20000, 3)])
def test_blankets(card, n, rows, seed, monkeypatch):
    monkeypatch.setattr(cards, "_AT_ONCE", 7 * n)
    tests = both(drawn(n, 4, rows, seed))
    parts = tuple(test.among(range(n - 1, 4, -1)) for test in tests)
    for asked in (tests, parts):
        one, other = (Inquiry(test) for test in asked)
        learner = IAMB(0.01, 0.001)
        np.testing.assert_array_equal(learner.learn(other), learner.learn(one))
        assert other.counts == one.counts


def test_blankets_with_ties_are_decided_again(card):
    """Two columns that correlate equally with a third: which comes first is a matter of the last digit."""
    matrix = np.eye(6)
    for a, b in ((0, 1), (0, 2), (3, 4), (3, 5)):
        matrix[a, b] = matrix[b, a] = 0.5
    without = FisherZ.from_covariance(matrix, 500)
    with_card = FisherZ.from_covariance(matrix, 500)
    with_card.card = fisher_z.card_at("cuda")
    with_card.card.hold(with_card.correlation)
    np.testing.assert_array_equal(IAMB().learn(with_card), IAMB().learn(without))
    assert with_card.card.again == 2
    assert with_card.notes() == ("2 calls of the card were too near to the limit of the test and decided again by the processor.",)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_levels(card, seed, size, monkeypatch):
    monkeypatch.setattr(cards, "_AT_ONCE", 300)
    rng = np.random.default_rng(seed)
    tests = both(drawn(14, 4, 200, seed), alpha=0.05)
    adjacency, candidates, tried = (np.triu(rng.random((14, 14)) < share, 1) for share in (0.8, 0.5, 0.3))
    adjacency, candidates, tried = adjacency | adjacency.T, candidates | candidates.T, tried | tried.T
    assert_same(tests, SweepLevel(adjacency, size))
    assert_same(tests, SweepLevel(adjacency, size, candidates))
    assert_same(tests, SweepLevel(adjacency, size, candidates, tried))
    assert_same(tests, SweepLevel(adjacency, size, most=10))


@pytest.mark.parametrize("seed", range(6))
def test_searches(card, seed):
    rng = np.random.default_rng(seed)
    tests = both(drawn(16, 4, 300, seed))
    everything, tried = ~np.eye(16, dtype=bool), rng.random((16, 16)) < 0.4
    tried |= tried.T
    for largest in (None, 0, 1, 2, 4):
        assert_same(tests, SearchLevels(everything, largest))
        assert_same(tests, SearchLevels(everything, largest, tried=tried, tried_to=1))
    assert_same(tuple(test.among(range(15, 3, -1)) for test in tests), SearchLevels(everything[:12, :12]))


def test_calls_at_the_limit_are_decided_again_and_counted(card):
    """Correlations that are the critical ones: by another last digit each would fall on the other side."""
    plain = FisherZ.from_covariance(np.eye(5), 100, alpha=0.05)
    critical = np.sqrt(plain.limit(0))
    matrix = np.full((5, 5), critical)
    np.fill_diagonal(matrix, 1.0)
    without, with_card = (FisherZ.from_covariance(matrix, 100, alpha=0.05) for _ in range(2))
    with_card.card = fisher_z.card_at("cuda")
    with_card.card.hold(with_card.correlation)
    assert_same((without, with_card), SweepLevel(~np.eye(5, dtype=bool), 0))
    assert with_card.card.again == 10


def test_a_pair_of_total_conditioning_at_its_limit_is_decided_again(card):
    test = FisherZ.from_covariance([[1, 0.3, 0.1], [0.3, 1, 0.2], [0.1, 0.2, 1]], 100)
    share = test.inverse[0, 1] ** 2 / (test.inverse[0, 0] * test.inverse[1, 1])
    held = fisher_z.card_at("cuda")
    held.hold(test.correlation)
    held.inverse()
    for limit, expected in ((share * (1 + 1e-12), False), (share * (1 - 1e-12), True)):
        assert held.related(limit, test.inverted_again)[0, 1] == expected
    assert held.again == 2


def test_variables_that_others_determine_are_left_to_the_kernels(card):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(100, 6))
    values[:, 5] = values[:, 0] + values[:, 1] + 1e-4 * rng.normal(size=100)
    tests = both(pd.DataFrame(values))
    assert_same(tests, GivenRest(0.01))
    assert_same(tests, SearchLevels(~np.eye(6, dtype=bool)))
    one, other = (IAMB(0.01).learn(test) for test in tests)
    np.testing.assert_array_equal(one, other)


SETTINGS = {
    "exact": {"mode": "exact"},
    "paper": {"mode": "paper"},
    "alone": {"decompose": False, "mode": "paper"},
    "pc alone": {"decompose": False, "learner": "pc", "mode": "paper"},
    "rfci": {"learner": "rfci"},
    "iamb": {"blankets": "iamb"},
    "stop at nothing": {"stop": "paper"},
    "relearned": {"uig": "relearn", "mode": "paper"},
    "majority": {"colliders": "majority"},
    "balanced": {"mode": "balanced"},
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_whole_runs_are_the_same(card, settings):
    for seed, rows in ((1, 150), (2, 2500)):
        table = drawn(24, 3, rows, seed)
        without, with_card = (DiCoLa(ci_test="fisher_z", device=device, **settings).fit(table).discovery_ for device in ("cpu", "cuda"))
        assert with_card.pag == without.pag
        assert with_card.tests == without.tests
        assert with_card.settings == without.settings
        assert with_card.skeleton.edges == without.skeleton.edges


@pytest.fixture
def by_rows(card, monkeypatch):
    """No matrix of all correlations is kept, and none of more than a few variables is made."""
    monkeypatch.setattr(fisher_z, "MOST_HELD", 10)
    monkeypatch.setattr(fisher_z, "_AT_ONCE", 20)
    monkeypatch.setattr(grow_shrink, "_MANY", 20)
    monkeypatch.setattr(grow_shrink, "_TOGETHER", 3)
    monkeypatch.setattr(tree_module, "SUSPECTED", 10)
    monkeypatch.setattr(cards, "_TILE", 7)


@pytest.mark.parametrize("seed", range(4))
def test_whole_runs_without_a_matrix_of_all_correlations_are_the_same(by_rows, seed, monkeypatch):
    monkeypatch.setattr(cards, "_AT_ONCE", 150)
    table = drawn(60, 2.5, 55, seed)
    without, with_card = (FisherZ(table, 0.05, device=device) for device in ("cpu", "cuda"))
    assert with_card.standardised is not None
    assert with_card.whole.size == 0
    assert IAMB(0.01).graph(with_card) == IAMB(0.01).graph(without)
    one, other = discover(without, blankets=IAMB(0.01)), discover(with_card, blankets=IAMB(0.01))
    assert other.tree.nodes == one.tree.nodes
    assert other.pag == one.pag
    assert other.tests == one.tests
    assert "correlation" not in vars(with_card)
    pd.testing.assert_frame_equal(other.to_pandas(), one.to_pandas(), rtol=1e-6)


def test_single_verdicts_without_a_matrix_of_all_correlations(by_rows):
    without, with_card = (FisherZ(drawn(40, 3, 30, seed=2), 0.05, device=device) for device in ("cpu", "cuda"))
    for x, y, z in ((0, 1, ()), (3, 7, (5,)), (2, 30, (1, 8, 39))):
        one, other = (test.verdict(x, y, z) for test in (without, with_card))
        assert other.independent == one.independent
        assert other.p_value == pytest.approx(one.p_value, rel=1e-9)
    sent = pickle.loads(pickle.dumps(with_card.among([4, 2, 9])))
    assert sent.standardised is None
    np.testing.assert_allclose(sent.correlation, without.among([4, 2, 9]).correlation, atol=1e-14)
    with pytest.raises(InvalidData, match="copies of each other"):
        copied = drawn(40, 3, 30, seed=2)
        copied["X7"] = -2.0 * copied["X30"]
        FisherZ(copied, device="cuda")


def test_ties_without_a_matrix_of_all_correlations(by_rows):
    rng = np.random.default_rng(1)
    signs = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]])
    design = np.kron(signs, np.kron(signs, signs))[:, 1:]  # orthogonal columns
    table = np.column_stack([design[:, 0] + design[:, 1], design[:, :2], rng.normal(size=(64, 80))])
    without, with_card = (FisherZ(table, 0.05, device=device) for device in ("cpu", "cuda"))
    one, other = Inquiry(without), Inquiry(with_card)
    assert IAMB(0.01).graph(other) == IAMB(0.01).graph(one)
    assert other.counts == one.counts
    assert with_card.card.again > 0


def test_suspects_hold_all_that_depend_across(by_rows):
    test = FisherZ(drawn(50, 4, 45, seed=3), 0.05, device="cuda")
    for separator in ((), (4,), (4, 9, 20)):
        left = tuple(v for v in range(0, 25) if v not in separator)
        right = tuple(v for v in range(25, 50) if v not in separator)
        found = test.ask(tree_module.LinksAcross(left, right, separator, 0.9))
        without = FisherZ(drawn(50, 4, 45, seed=3), 0.05).ask(tree_module.LinksAcross(left, right, separator, 0.9))
        np.testing.assert_array_equal(found, without)
        assert without.any()


def test_workers_get_parts_without_a_card(card):
    test = FisherZ(drawn(12, 3, 200, seed=0), device="cuda")
    for sent in (pickle.loads(pickle.dumps(test)), pickle.loads(pickle.dumps(test.among([3, 1])))):
        assert sent.card is None
    with pytest.raises(TypeError):
        pickle.dumps(test.card)
    assert test.without_rows().card is None
    assert discover(test).test.card is None


def test_gaps_by_maximum_likelihood(card):
    table = drawn(12, 3, 400, seed=5)
    table.iloc[::7, 2] = np.nan
    without, with_card = both(table, missing="em")
    assert np.array_equal(without.correlation, with_card.correlation)
    assert_same((without, with_card), SearchLevels(~np.eye(12, dtype=bool)))


def test_small_tables_are_not_sent_to_a_card(monkeypatch):
    pytest.importorskip("torch", reason="the extra gpu (PyTorch) is not installed")
    monkeypatch.setattr(fisher_z, "card_at", lambda device: cards.Card(None, None))
    assert FisherZ(drawn(12, 3, 200, seed=0), device="cuda").card is None


def test_without_pytorch_a_sentence_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"this needs dicola\[gpu\] .*; install it with: pip install dicola\[gpu\]"):
        FisherZ(drawn(5, 2, 50, seed=0), device="cuda")
    with pytest.raises(MissingExtra, match=r"dicola\[gpu\]"):
        DiCoLa(device="cuda").fit(drawn(5, 2, 50, seed=0))


def test_without_a_card_a_sentence(monkeypatch):
    torch = pytest.importorskip("torch", reason="the extra gpu (PyTorch) is not installed")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(InvalidSetting, match="device='cuda' needs a graphics card, and PyTorch finds none here; leave out device"):
        FisherZ(drawn(5, 2, 50, seed=0), device="cuda")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    with pytest.raises(InvalidSetting, match="device is 'cuda:5'; PyTorch finds 2 cards here, counted from 'cuda:0' on"):
        cards.card_at("cuda:5")


def test_a_device_has_a_name():
    for wrong in ("gpu", "cuda:", "cuda:x", "tpu"):
        with pytest.raises(InvalidSetting, match=r"device is .*; it may be 'cpu', 'cuda', or one card of several"):
            FisherZ(drawn(5, 2, 50, seed=0), device=wrong)
        with pytest.raises(InvalidSetting, match="device is"):
            DiCoLa(device=wrong).fit(drawn(5, 2, 50, seed=0))


def test_a_card_is_for_fisher_z():
    with pytest.raises(InvalidSetting, match=r"device='cuda' .*fisher_z"):
        DiCoLa(ci_test="rcit", device="cuda").fit(drawn(5, 2, 50, seed=0))
