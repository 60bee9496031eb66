"""FCI+: what sets of neighbours leave is removed by hierarchies of separating sets, and only where it can be."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from dicola import MAG, FCIPlus, Oracle, discover, mag_to_pag
from dicola.graphs.skeleton import RecordedSets
from dicola.graphs.undirected import UndirectedGraph
from dicola.learners.adjacency import minimal_subset, separate_by_neighbours, starting_point
from dicola.learners.base import Context
from dicola.learners.fci_plus import augmented_graph, hierarchy, possible_links
from tests.asking import given_rest
from tests.exactness.learners import EX4, EX5, EX6, insufficient_truth, random_truth
from tests.orient.drawn import Drawn
from tests.reference_models import ancestors

LEFT = {"EX5": (EX5, ("1", "4"), ("0", "2", "3")), "EX6": (EX6, ("1", "5"), ("0", "2", "3", "4"))}


def after_neighbours(oracle: Oracle):
    """Adjacencies and minimal separating sets once sets of neighbours were tried."""
    adjacency, sets = starting_point(len(oracle), None)
    assert separate_by_neighbours(oracle, adjacency, sets, None)
    return adjacency, sets


def links_of(oracle: Oracle) -> list[tuple[int, int]]:
    adjacency, sets = after_neighbours(oracle)
    return list(possible_links(augmented_graph(oracle, adjacency, sets, {})))


@pytest.mark.parametrize("settings", [{}, {"decompose": False}, {"max_depth": 0}, {"max_depth": 0, "leaf_start": "complete"}], ids=str)
@pytest.mark.parametrize("name", LEFT)
def test_the_link_is_removed_with_its_only_separating_set(name, settings):
    mag, edge, only = LEFT[name]
    found = discover(Oracle(mag), "fci+", **settings)
    assert found.skeleton.separating_set(*edge) == only and found.pag == mag_to_pag(mag)


@pytest.mark.parametrize("name", LEFT)
def test_the_only_possible_link_is_the_one_edge_too_many(name):
    mag, edge, _ = LEFT[name]
    assert links_of(Oracle(mag)) == [tuple(mag.index(v) for v in edge)]


def test_ex4_has_no_possible_link():
    assert links_of(Oracle(EX4)) == []
    assert discover(Oracle(EX4), "fci+", decompose=False).pag == mag_to_pag(EX4)


def test_in_ex5_every_arrowhead_of_the_true_pag_is_seen_before_any_rule():
    oracle = Oracle(EX5)
    adjacency, sets = after_neighbours(oracle)
    graph = augmented_graph(oracle, adjacency, sets, {})
    arrows = {(a, b) for a, row in enumerate(graph.around) for b in row if graph.is_arrow(a, b)}
    assert arrows >= {(1, 4), (4, 1), (0, 1), (1, 0), (2, 4), (4, 2)}


def test_an_arrowhead_of_the_augmented_graph_is_never_at_an_ancestor():
    put = 0
    for number in range(400):
        truth = insufficient_truth(2, number) if number % 2 else random_truth(2, number)
        oracle = truth.oracle()
        adjacency, sets = after_neighbours(oracle)
        graph = augmented_graph(oracle, adjacency, sets, {})
        mag = MAG.from_matrix(truth.mag.reordered(oracle.labels).marks, oracle.labels)
        before = ancestors(mag.marks.tolist())
        arrows = [(a, b) for a, row in enumerate(graph.around) for b in row if graph.is_arrow(a, b)]
        assert not [(a, b) for a, b in arrows if before[a] >> b & 1], truth.label
        put += len(arrows)
    assert put > 1000


def test_answers_are_remembered_between_rounds():
    oracle = Oracle(EX6)
    adjacency, sets = after_neighbours(oracle)
    asked: dict = {}
    first = augmented_graph(oracle, adjacency, sets, asked)
    known = dict(asked)
    again = augmented_graph(_Mute(oracle), adjacency, sets, asked)
    assert known and asked == known and again.around == first.around


class _Mute(Oracle):
    """A test that nobody may ask."""

    def __init__(self, oracle: Oracle) -> None:
        super().__init__(oracle.graph)

    def verdict(self, x, y, z):
        raise AssertionError("asked again")


def test_every_edge_that_sets_of_neighbours_leave_wrongly_is_a_possible_link():
    links = 0
    for number in range(300):
        truth = insufficient_truth(3, number)
        oracle = truth.oracle()
        adjacency, sets = after_neighbours(oracle)
        mag = truth.mag.reordered(oracle.labels)
        left = {(a, b) for a, b in combinations(range(len(oracle)), 2) if adjacency[a, b] and not mag.marks[a, b]}
        graph = augmented_graph(oracle, adjacency, sets, {})
        # After a removal the next ones may show; one at least must be seen at once.
        assert not left or left & set(possible_links(graph)), truth.label
        links += len(left)
    assert links > 200


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("u <-> x; x <-> y; y <-> v; v o-> x; u o-> y", ["xy"]),  # a way may be one edge, left through a circle
        ("u <-> x; x <-> y; y <-> v; v <-> x; u o-> y", []),
        ("u <-> x; x <-> y; y <-> v", []),
        ("u <-> x; x <-> y; y <-> v; v o-o w; w o-o x; u o-o z; z o-o y", ["xy"]),
        ("u <-> x; x <-> y; y <-> v; v o-o w; w o-o x; u o-o z; z o-o y; u o-o v", []),
        ("u <-> x; x <-> y; y <-> v; v <-o w; w o-o x; u o-o z; z o-o y", []),
        ("u <-> x; x o-> y; y <-> v; v o-o w; w o-o x; u o-o z; z o-o y", []),
        ("u o-> x; x <-> y; y <-> v; v o-o w; w o-o x; u o-o z; z o-o y", []),
    ],
)
def test_a_possible_link_has_double_arrows_on_both_sides_and_open_ways_across(text, found):
    drawn = Drawn(text)
    names = drawn.names
    assert [names[a] + names[b] for a, b in possible_links(drawn.graph)] == found


def test_a_hierarchy_closes_under_the_sets_of_its_own_pairs():
    sets = RecordedSets({(0, 1): (2,), (1, 2): (3,), (0, 3): (), (4, 5): (6,), (3, 4): (5,)})
    assert hierarchy((0, 1), sets) == (0, 1, 2, 3)
    assert hierarchy((0, 3), sets) == (0, 3)
    assert hierarchy((1, 2, 4), sets) == (1, 2, 3, 4, 5, 6)
    assert hierarchy((5,), sets) == (5,) and hierarchy((), sets) == ()


def test_a_hierarchy_is_the_smallest_such_set_whatever_the_order_of_its_base():
    rng = np.random.default_rng(1)
    for _ in range(200):
        n = int(rng.integers(3, 9))
        pairs = [pair for pair in combinations(range(n), 2) if rng.random() < 0.5]
        sets = RecordedSets({(x, y): [v for v in range(n) if v not in (x, y) and rng.random() < 0.2] for x, y in pairs})
        base = [int(v) for v in rng.permutation(n)[: int(rng.integers(0, n + 1))]]
        closed = set(base)
        while more := {v for x, y in combinations(closed, 2) for v in sets.get(x, y) or ()} - closed:
            closed |= more
        assert hierarchy(base, sets) == tuple(sorted(closed)) == hierarchy(base[::-1], sets)


@pytest.mark.parametrize("name", LEFT)
def test_the_hierarchy_of_the_neighbours_of_both_ends_holds_the_separating_set(name):
    mag, edge, only = LEFT[name]
    oracle = Oracle(mag)
    adjacency, sets = after_neighbours(oracle)
    x, y = (mag.index(v) for v in edge)
    around = [v for v in range(len(mag)) if adjacency[x, v] or adjacency[y, v]]
    assert {mag.names[v] for v in hierarchy(around, sets)} >= set(only)


def test_a_minimal_subset_separates_and_loses_no_member():
    for number in range(200):
        oracle = random_truth(4, number).oracle()
        everything = set(range(len(oracle)))
        for x, y in combinations(range(len(oracle)), 2):
            whole = tuple(sorted(everything - {x, y}))
            if oracle(x, y, whole).independent:
                z = minimal_subset(oracle, y, x, whole)
                assert oracle(x, y, z).independent and not any(oracle(x, y, set(z) - {v}).independent for v in z)


def test_sets_are_minimal_where_it_starts_from_the_independence_graph():
    for number in range(100):
        oracle = random_truth(5, number).oracle()
        uig = UndirectedGraph.from_matrix(given_rest(oracle))
        for (x, y), z in FCIPlus().learn_skeleton(oracle, context=Context(uig=uig, warm=True)).separating_sets().items():
            assert oracle(x, y, z).independent and not any(oracle(x, y, set(z) - {v}).independent for v in z)


@pytest.mark.parametrize(
    ("learner", "removed"),
    [
        (FCIPlus(max_base_size=1), False),
        (FCIPlus(max_base_size=2), True),
        (FCIPlus(max_hierarchy_size=2), False),
        (FCIPlus(max_hierarchy_size=3), True),
        (FCIPlus(max_base_size=0), False),
        (FCIPlus(max_hierarchy_size=0), False),
    ],
    ids=str,
)
def test_a_limit_on_hierarchies_keeps_the_link_of_ex5_and_says_so(learner, removed):
    found = discover(Oracle(EX5), learner, decompose=False)
    assert found.skeleton.adjacent("1", "4") != removed
    assert any("hierarchies" in warning for warning in found.warnings) != removed
    assert found.skeleton.n_edges == (6 if removed else 7)
