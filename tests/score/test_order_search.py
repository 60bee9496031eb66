"""Order search: the kernel against a twin from the definitions, and what an order promises."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from dicola.errors import InvalidSetting
from dicola.graphs.skeleton import Pair
from dicola.score import order_search as module
from dicola.score.base import Score
from dicola.score.gaussian_bic import GaussianBIC
from dicola.score.order_search import best_of, grow_and_shrink, order_search


def problem(seed: int, p: int = 9, degree: float = 3.0, rows: int = 300) -> GaussianBIC:
    """A random linear Gaussian table, some of whose variables are hidden."""
    random = np.random.default_rng(seed)
    whole = p + 2
    weights = np.tril(random.uniform(0.3, 1, (whole, whole)) * random.choice([-1, 1], (whole, whole)), -1)
    weights *= random.random((whole, whole)) < degree / (whole - 1)
    values = random.standard_normal((rows, whole)) @ np.linalg.inv(np.eye(whole) - weights).T
    return GaussianBIC(np.corrcoef(values[:, random.permutation(whole)[:p]].T), rows)


class Definition(Score):
    """The Gaussian BIC of a DAG written from its definition, and unknown to the kernel."""

    def __init__(self, score: GaussianBIC) -> None:
        self.correlation, self.names, self.n_samples, self.penalty = score.correlation, score.names, score.n_samples, score.penalty
        self.of_an_edge = score.price

    def local(self, v: int, parents: Iterable[int]) -> float:
        given, variance = list(parents), 1.0
        if given:
            across = self.correlation[given, v]
            variance -= across @ np.linalg.solve(self.correlation[np.ix_(given, given)], across)
        return float(self.n_samples * np.log(variance) + self.of_an_edge * len(given))

    def district(self, members: Sequence[int], arrows: Iterable[Pair], bidirected: Iterable[Pair]) -> float:
        raise AssertionError("an order search asks for no districts")

    def among(self, variables: Sequence[int]) -> Definition:
        raise AssertionError("an order search asks for no part of a score")

    def total(self, order: list[int]) -> float:
        return sum(grow_and_shrink(self, v, order[:k])[1] for k, v in enumerate(order))


@pytest.mark.parametrize("seed", range(20))
def test_the_kernel_walks_as_the_plain_search(seed: int) -> None:
    score = problem(seed, p=5 + seed % 4, degree=2 + seed % 3)
    begin = np.random.default_rng(seed).permutation(len(score))
    found, plain = order_search(score, begin), order_search(Definition(score), begin)
    assert found.order.tolist() == plain.order.tolist()
    assert np.array_equal(found.parents, plain.parents)
    assert found.score == pytest.approx(plain.score, abs=1e-6)


@pytest.mark.parametrize("seed", range(10))
def test_the_kernel_walks_as_the_plain_search_where_few_may_move(seed: int) -> None:
    score, random = problem(seed, p=8), np.random.default_rng(seed)
    begin, movable = random.permutation(len(score)), random.permutation(len(score))[:3]
    found, plain = order_search(score, begin, movable=movable), order_search(Definition(score), begin, movable=movable)
    assert found.order.tolist() == plain.order.tolist() and np.array_equal(found.parents, plain.parents)
    assert order_search(score, begin, movable=[]).order.tolist() == begin.tolist()


def test_a_tuck_leads_out_where_no_variable_can_move_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = {}
    for tucks in (True, False):
        if not tucks:
            monkeypatch.setattr(module.kernel, "tuck", lambda *state: module.kernel.Tally(len(state[-1]), 0, 0))
        scores[tucks] = [order_search(problem(seed, p=20, degree=4), range(20)).score for seed in range(8)]
    assert all(with_tucks <= without + 1e-6 for with_tucks, without in zip(scores[True], scores[False], strict=True))
    assert sum(scores[True]) < sum(scores[False]) - 10


def test_parents_come_before_their_children() -> None:
    found = order_search(problem(3, p=25), range(25))
    place = np.argsort(found.order)
    child, parent = np.nonzero(found.parents)
    assert len(child) > 10
    assert (place[parent] < place[child]).all()


def test_no_single_move_improves_a_larger_answer() -> None:
    score = problem(4, p=11, degree=4)
    definition, found = Definition(score), order_search(score, range(11))
    for v in range(11):
        others = [w for w in found.order.tolist() if w != v]
        assert min(definition.total([*others[:k], v, *others[k:]]) for k in range(11)) > found.score - 1e-5


def test_a_search_from_its_own_answer_stays() -> None:
    score = problem(5, p=20)
    found = order_search(score, range(20))
    again = order_search(score, found.order)
    assert again.order.tolist() == found.order.tolist()
    assert again.score == found.score


def test_room_for_parents_grows_as_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    score = problem(6, p=14, degree=6)
    roomy = order_search(score, range(14))
    assert roomy.parents.sum(1).max() > 2
    monkeypatch.setattr(module, "_ROOM", 2)
    narrow = order_search(score, range(14))
    assert narrow.order.tolist() == roomy.order.tolist()
    assert narrow.score == roomy.score
    assert narrow.work == roomy.work


def test_slices_do_not_touch_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    score = problem(7, p=18)
    whole = order_search(score, range(18))
    monkeypatch.setattr(module, "_SLICE", 5)
    sliced = order_search(score, range(18))
    assert sliced.order.tolist() == whole.order.tolist()
    assert sliced.work == whole.work


def test_sweeps_are_bounded() -> None:
    score = problem(8, p=18)
    assert order_search(score, range(18), max_sweeps=0).order.tolist() == list(range(18))
    assert order_search(score, range(18), max_sweeps=1).work < order_search(score, range(18)).work


def test_permuted_columns_give_the_same_graph() -> None:
    score = problem(9, p=12)
    shuffled = np.random.default_rng(0).permutation(12)
    one = best_of(score, 3, 0)
    other = best_of(score.among(shuffled.tolist()), 3, 0)
    assert np.array_equal(other.parents, one.parents[np.ix_(shuffled, shuffled)])
    assert other.score == one.score
    assert shuffled[other.order].tolist() == one.order.tolist()


def test_more_starts_are_never_worse() -> None:
    score = problem(10, p=20, degree=5)
    scores = [best_of(score, n, seed=1).score for n in (1, 2, 5)]
    assert scores == sorted(scores, reverse=True)


def test_few_starts_are_made_where_they_end_alike(monkeypatch) -> None:
    made = []
    search = module.kept_search
    monkeypatch.setattr(module, "kept_search", lambda *args: made.append(search(*args)) or made[-1])
    easy, hard = problem(3, p=6, degree=1, rows=2000), problem(11, p=20, degree=5)
    one = best_of(easy, 6)
    assert len(made) == 3 and len({round(each.score, 6) for each in made}) == 1
    made.clear()
    assert best_of(easy, 6, before=one).score == one.score and len(made) == 2
    made.clear()
    assert best_of(easy, 6, before=one, alike=2).score == one.score and len(made) == 1
    made.clear()
    worse = replace(one, score=one.score + 1.0)
    assert best_of(easy, 6, before=worse).score == one.score and len(made) == 3
    made.clear()
    assert best_of(hard, 6, seed=1).score == min(each.score for each in made) and len(made) == 6


def test_a_determined_variable_is_no_stumbling_block() -> None:
    score = problem(11, p=8)
    found = order_search(score.among([*range(8), 0]), range(9))
    assert np.isfinite(found.score)
    assert found.parents[0, 8] or found.parents[8, 0]


def test_one_variable_has_no_parents() -> None:
    found = best_of(GaussianBIC(np.eye(1), 100), 2)
    assert found.order.tolist() == [0]
    assert not found.parents.any()


def test_wrong_orders_and_starts_are_refused() -> None:
    score = problem(12, p=4)
    with pytest.raises(InvalidSetting, match="each position once"):
        order_search(score, [0, 1, 1, 2])
    with pytest.raises(InvalidSetting, match="n_starts"):
        best_of(score, n_starts=0)
