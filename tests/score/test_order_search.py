"""Order search: the kernel against a twin from the definitions, and what an order promises."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from dicola.errors import InvalidSetting
from dicola.score import order_search as module
from dicola.score.order_search import best_of, order_search

Floats = NDArray[np.float64]


@dataclass
class Problem:
    correlation: Floats
    n_samples: int
    penalty: float = 2.0

    @property
    def names(self) -> list[str]:
        return [f"X{i}" for i in range(len(self.correlation))]

    def permuted(self, order: NDArray[np.int64]) -> Problem:
        return Problem(self.correlation[np.ix_(order, order)], self.n_samples, self.penalty)


def problem(seed: int, p: int = 9, degree: float = 3.0, rows: int = 300) -> Problem:
    """A random linear Gaussian table, some of whose variables are hidden."""
    random = np.random.default_rng(seed)
    whole = p + 2
    weights = np.tril(random.uniform(0.3, 1, (whole, whole)) * random.choice([-1, 1], (whole, whole)), -1)
    weights *= random.random((whole, whole)) < degree / (whole - 1)
    values = random.standard_normal((rows, whole)) @ np.linalg.inv(np.eye(whole) - weights).T
    return Problem(np.corrcoef(values[:, random.permutation(whole)[:p]].T), rows)


class Twin:
    """The search as described, every score of every move anew."""

    def __init__(self, score: Problem) -> None:
        self.correlation, self.n = score.correlation, score.n_samples
        self.fee = score.penalty * np.log(score.n_samples)
        self.p = len(score.correlation)

    def local(self, v: int, parents: list[int]) -> float:
        variance = 1.0
        if parents:
            across = self.correlation[parents, v]
            variance -= across @ np.linalg.solve(self.correlation[np.ix_(parents, parents)], across)
        return float(self.n * np.log(variance) + self.fee * len(parents))

    def parents(self, v: int, prefix: list[int]) -> tuple[list[int], float]:
        chosen: list[int] = []
        score = self.local(v, chosen)
        while prefix := [u for u in prefix if u not in chosen]:
            best = min(prefix, key=lambda u: self.local(v, [*chosen, u]))
            if self.local(v, [*chosen, best]) >= score:
                break
            chosen.append(best)
            score = self.local(v, chosen)
        while chosen:
            weakest = min(chosen, key=lambda u: self.local(v, [w for w in chosen if w != u]))
            without = [w for w in chosen if w != weakest]
            if self.local(v, without) >= score:
                break
            chosen, score = without, self.local(v, without)
        return chosen, score

    def total(self, order: list[int]) -> float:
        return sum(self.parents(v, order[:k])[1] for k, v in enumerate(order))

    def improved(self, order: list[int]) -> list[int]:
        moved = True
        while moved:
            moved = False
            for v in range(self.p):
                place, others = order.index(v), [w for w in order if w != v]
                best = self.total(order)
                for k in (*range(place - 1, -1, -1), *range(place + 1, self.p)):
                    other = [*others[:k], v, *others[k:]]
                    if self.total(other) < best - 1e-6:
                        order, best, moved = other, self.total(other), True
        return order


@pytest.mark.parametrize("seed", range(12))
def test_the_kernel_walks_as_its_twin(seed: int) -> None:
    score = problem(seed, p=5 + seed % 4, degree=2 + seed % 3)
    twin = Twin(score)
    begin = np.random.default_rng(seed).permutation(twin.p)
    found = order_search(score, begin)
    assert found.order.tolist() == twin.improved(begin.tolist())
    for k, v in enumerate(found.order.tolist()):
        assert sorted(twin.parents(v, found.order[:k].tolist())[0]) == np.flatnonzero(found.parents[v]).tolist()
    assert found.score == pytest.approx(twin.total(found.order.tolist()), abs=1e-6)


def test_parents_come_before_their_children() -> None:
    found = order_search(problem(3, p=25), range(25))
    place = np.argsort(found.order)
    child, parent = np.nonzero(found.parents)
    assert len(child) > 10
    assert (place[parent] < place[child]).all()


def test_no_single_move_improves_a_larger_answer() -> None:
    score = problem(4, p=16, degree=4)
    twin, found = Twin(score), order_search(score, range(16))
    for v in range(16):
        others = [w for w in found.order.tolist() if w != v]
        assert min(twin.total([*others[:k], v, *others[k:]]) for k in range(16)) > found.score - 1e-5


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


def test_slices_do_not_touch_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    score = problem(7, p=18)
    whole = order_search(score, range(18))
    monkeypatch.setattr(module, "_SLICE", 5)
    sliced = order_search(score, range(18))
    assert sliced.order.tolist() == whole.order.tolist()
    assert sliced.n_searches == whole.n_searches


def test_sweeps_are_bounded() -> None:
    score = problem(8, p=18)
    assert order_search(score, range(18), max_sweeps=0).order.tolist() == list(range(18))
    assert order_search(score, range(18), max_sweeps=1).n_searches < order_search(score, range(18)).n_searches


def test_permuted_columns_give_the_same_graph() -> None:
    score = problem(9, p=12)
    shuffled = np.random.default_rng(0).permutation(12)
    one = best_of(score, 3, 0, score.names)
    other = best_of(score.permuted(shuffled), 3, 0, [score.names[v] for v in shuffled])
    assert np.array_equal(other.parents, one.parents[np.ix_(shuffled, shuffled)])
    assert other.score == one.score
    assert shuffled[other.order].tolist() == one.order.tolist()


def test_more_starts_are_never_worse() -> None:
    score = problem(10, p=20, degree=5)
    scores = [best_of(score, n, 1, score.names).score for n in (1, 2, 5)]
    assert scores == sorted(scores, reverse=True)


def test_a_determined_variable_is_no_stumbling_block() -> None:
    score = problem(11, p=8)
    score.correlation = score.correlation[np.ix_([*range(8), 0], [*range(8), 0])]
    found = order_search(score, range(9))
    assert np.isfinite(found.score)
    assert found.parents[0, 8] or found.parents[8, 0]


def test_one_variable_has_no_parents() -> None:
    found = best_of(Problem(np.eye(1), 100), 2, 0, ["A"])
    assert found.order.tolist() == [0]
    assert not found.parents.any()


def test_wrong_orders_and_starts_are_refused() -> None:
    score = problem(12, p=4)
    with pytest.raises(InvalidSetting, match="each position once"):
        order_search(score, [0, 1, 1, 2])
    with pytest.raises(InvalidSetting, match="n_starts"):
        best_of(score, 0, 0, score.names)
