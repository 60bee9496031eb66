"""Searches that obey what is known: kernels against their twins, and no graph that breaks a claim."""

from __future__ import annotations

import numpy as np
import pytest

from dicola import Knowledge
from dicola.claims import Claims
from dicola.graphs.mag import MAG
from dicola.graphs.marks import ARROW, NONE
from dicola.score.ancestral import marks_of_dag
from dicola.score.block_bic import BlockBIC
from dicola.score.equivalence_search import equivalence_search
from dicola.score.law import Law, ancestors_in
from dicola.score.mag_climb import Allowed, climb
from dicola.score.order_search import best_of, order_search, plain_order_search
from tests.score.drawn import models
from tests.score.test_mag_climb import Unknown, empty, random_dag
from tests.score.test_order_search import Definition, problem


def random_claims(names: tuple[str, ...], rng: np.random.Generator) -> Claims:
    """Claims of every kind that do not contradict each other, true or not."""
    order = rng.permutation(len(names))
    place = {names[v]: int(k) for k, v in enumerate(order)}
    pairs = [(a, b) for a in names for b in names if a != b]

    def some(share: float, pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
        return [pair for pair in pairs if rng.random() < share]

    required = some(0.06, [(a, b) for a, b in pairs if place[a] < place[b]])
    forbidden = some(0.25, [(a, b) for a, b in pairs if place[a] > place[b]])
    apart = some(0.05, [(a, b) for a, b in pairs if a < b and (a, b) not in required and (b, a) not in required])
    joined = some(0.05, [(a, b) for a, b in pairs if a < b and (a, b) not in apart])
    return Claims.of(
        Knowledge(
            forbidden=forbidden,
            required=required,
            unconfounded=some(0.3, pairs),
            forbidden_adjacent=apart,
            required_adjacent=joined,
        ),
        names,
    )


def laws(seed: int, count: int, n: int = 8):
    rng = np.random.default_rng(seed)
    for mag, score in models(seed, count, n=n, hidden=2):
        law = Law.of(random_claims(score.names, rng))
        assert law is not None
        yield mag, score, law, rng


def is_kept(law: Law, marks: np.ndarray) -> bool:
    """From the definitions: no directed path where none may be, one where one must, and edges as said."""
    above, claims = ancestors_in(marks), law.claims
    both = (marks == ARROW) & (marks.T == ARROW)
    return not (
        (above & claims.barred).any()
        or (claims.causes & ~above).any()
        or (claims.apart & (marks != NONE)).any()
        or (claims.joined & (marks == NONE)).any()
        or (both & law.never_both & ~claims.joined).any()
    )


@pytest.mark.parametrize("third", [None, 0.05])
def test_the_climb_under_a_law_is_that_of_the_readable_twin(third):
    for mag, score, law, rng in laws(11, 10):
        for start in (empty(score), random_dag(rng, len(score)), mag.to_matrix()):
            fast, plain = (climb(each, law.obeying(start), Allowed(None, law), third=third) for each in (score, Unknown(score)))
            assert np.array_equal(fast.marks, plain.marks)
            assert fast.n_moves == plain.n_moves
            assert fast.runner_up == pytest.approx(plain.runner_up, abs=1e-9)


def test_where_a_climb_starts_and_ends_every_claim_is_kept():
    moves = 0
    for mag, score, law, rng in laws(12, 40, n=11):
        for start in (empty(score), random_dag(rng, len(score)), mag.to_matrix()):
            begin = law.obeying(start)
            assert is_kept(law, begin)
            found = climb(score, begin, Allowed(None, law))
            assert is_kept(law, found.marks)
            reason = MAG(found.marks, score.names).invalid()
            assert reason is None or "not maximal" in reason
            moves += found.n_moves
    assert moves > 500


def test_an_empty_law_is_none_and_one_that_allows_all_changes_nothing():
    _, score = next(models(3, 1, n=8, hidden=2))
    assert Law.of(Claims.of(Knowledge(), score.names)) is None
    nothing = Law(Claims.of(Knowledge(), score.names), np.zeros((len(score), len(score)), dtype=np.bool_))
    free, held = climb(score, empty(score)), climb(score, empty(score), Allowed(None, nothing))
    assert np.array_equal(free.marks, held.marks)
    assert (free.score, free.n_moves, free.runner_up) == (held.score, held.n_moves, held.runner_up)


def random_bars(n: int, seed: int) -> np.ndarray:
    return np.asarray(np.random.default_rng(seed).random((n, n)) < 0.4)


@pytest.mark.parametrize("seed", range(12))
def test_the_order_search_with_bars_walks_as_the_plain_one(seed):
    score = problem(seed, p=5 + seed % 4, degree=2 + seed % 3)
    begin, bars = np.random.default_rng(seed).permutation(len(score)), random_bars(len(score), seed)
    found, plain = order_search(score, begin, bars=bars), order_search(Definition(score), begin, bars=bars)
    assert found.order.tolist() == plain.order.tolist()
    assert np.array_equal(found.parents, plain.parents)
    assert found.score == pytest.approx(plain.score, abs=1e-6)
    assert not (found.parents.T & bars).any()


@pytest.mark.parametrize("seed", range(4))
def test_blocks_are_searched_with_bars_as_well(seed):
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(300, 9)) @ np.where(rng.random((9, 9)) < 0.3, 1.0, 0.0) + rng.normal(size=(300, 9))
    score = BlockBIC(np.corrcoef(columns.T), 300, [2, 1, 2, 1, 3], names=list("abcde"))
    bars = random_bars(5, seed)
    found, plain = order_search(score, range(5), bars=bars), plain_order_search(score, range(5), bars=bars)
    assert np.array_equal(found.parents, plain.parents)
    assert not (found.parents.T & bars).any()
    assert order_search(score, range(5)).parents.any()


def test_bars_turn_with_the_names_in_searches_from_random_orders():
    score = problem(5, p=12)
    bars = random_bars(12, 5)
    found = best_of(score, 2, 0, bars)
    assert found.parents.any()
    assert not (found.parents.T & bars).any()


@pytest.mark.parametrize("seed", range(10))
def test_greedy_equivalence_search_keeps_to_classes_with_a_dag_that_obeys(seed):
    score = problem(seed, p=8)
    bars = random_bars(8, seed)
    found, free = equivalence_search(score, bars=bars), equivalence_search(score)
    assert not (found.parents.T & bars).any()
    place = np.argsort(found.order)
    child, parent = np.nonzero(found.parents)
    assert (place[parent] < place[child]).all()
    assert found.score >= free.score - 1e-6 or found.parents.any()
    assert np.array_equal(equivalence_search(score, bars=np.zeros((8, 8), dtype=np.bool_)).parents, free.parents)


def test_an_arrow_stands_in_for_a_bidirected_edge_where_neither_may_cause_the_other():
    claims = Claims.of(Knowledge(forbidden=[("a", "b"), ("b", "a")], forbidden_adjacent=[("a", "c")]), ("a", "b", "c"))
    law = Law.of(claims)
    assert law is not None
    assert not law.parent_bars[0, 1] and not law.parent_bars[1, 0]
    assert law.parent_bars[0, 2] and law.parent_bars[2, 0]
    parents = np.zeros((3, 3), dtype=np.bool_)
    parents[1, 0] = True
    start = law.obeying(marks_of_dag(parents))
    assert start[0, 1] == ARROW == start[1, 0]


def test_a_pair_said_to_be_apart_is_not_joined_by_way_of_others():
    ancestral = MAG.from_text("a <-> c; c <-> d; d <-> b; c --> b; d --> a", nodes="abcd").to_matrix()
    law = Law.of(Claims.of(Knowledge(forbidden_adjacent=[("a", "b")]), ("a", "b", "c", "d")))
    assert law is not None
    assert ancestral[0, 1] == NONE
    broken = law.broken_by(ancestral)
    assert broken[2, 3] and broken[3, 2]
