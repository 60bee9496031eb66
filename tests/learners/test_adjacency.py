"""The adjacency search of PC, frozen within a level."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from dicola import DAG, MAG, FisherZ, Oracle, simulate
from dicola.ci.base import CITest
from dicola.ci.questions import SweepLevel
from dicola.graphs.skeleton import RecordedSets
from dicola.graphs.undirected import UndirectedGraph
from dicola.learners.adjacency import separate_by_neighbours, starting_point
from tests.asking import counted, given_rest
from tests.exactness.run import hidden_dag


def adjacent_pairs(adjacency: np.ndarray) -> set[tuple[int, int]]:
    return {(int(a), int(b)) for a, b in np.argwhere(np.triu(adjacency))}


def test_without_hidden_variables_it_finds_the_skeleton_of_the_dag():
    for seed in range(40):
        dag = simulate.er_dag(9, 3, seed=seed)
        oracle = Oracle(dag)
        adjacency, sets = starting_point(9, None)
        assert separate_by_neighbours(oracle, adjacency, sets, None)
        assert adjacent_pairs(adjacency) == {tuple(sorted((oracle.labels.index(a), oracle.labels.index(b)))) for a, b in dag.arcs()}
        assert all(oracle.verdict(x, y, z).independent for (x, y), z in sets.items())


def test_with_hidden_variables_it_finds_a_supergraph_with_valid_sets():
    for number in range(60):
        dag, latents = hidden_dag(97, number)
        oracle = Oracle(dag, latents)
        mag = dag.true_mag(latents).reordered(oracle.labels)
        adjacency, sets = starting_point(len(oracle), None)
        separate_by_neighbours(oracle, adjacency, sets, None)
        assert adjacent_pairs(adjacency) >= set(mag.pairs())
        assert {pair for pair, _ in sets.items()} == set(combinations(range(len(oracle)), 2)) - adjacent_pairs(adjacency)
        assert all(oracle.verdict(x, y, z).independent for (x, y), z in sets.items())


class Shuffled(CITest):
    """The same answers to a level, edges reported in another order."""

    def __init__(self, test: CITest) -> None:
        self.labels, self.names, self._test = test.labels, test.names, test

    def verdict(self, x, y, z):
        return self._test.verdict(x, y, z)

    def answer(self, question):
        if not isinstance(question, SweepLevel):
            return None
        fallen, tests = counted(self._test, question)
        return fallen[::-1], tests


def test_the_order_of_edges_within_a_level_does_not_matter():
    rng = np.random.default_rng(3)
    test = FisherZ(rng.normal(size=(80, 9)) @ rng.normal(size=(9, 9)), alpha=0.05)
    results = []
    for asked in (test, Shuffled(test)):
        adjacency, sets = starting_point(9, None)
        separate_by_neighbours(asked, adjacency, sets, None)
        results.append((adjacency.tolist(), list(sets.items())))
    assert results[0] == results[1]


@pytest.mark.parametrize(("limit", "left", "finished"), [(0, 3, False), (1, 2, True), (None, 2, True)])
def test_a_limit_cuts_the_search_short_and_says_so(limit, left, finished):
    adjacency, sets = starting_point(3, None)
    assert separate_by_neighbours(Oracle(DAG.from_edges([("A", "B"), ("B", "C")])), adjacency, sets, limit) == finished
    assert len(adjacent_pairs(adjacency)) == left


def test_a_limit_that_nothing_reached_is_no_loss():
    adjacency, sets = starting_point(4, None)
    assert separate_by_neighbours(Oracle(DAG.from_edges([("A", "B")], nodes="ABCD")), adjacency, sets, 0)


def test_a_cold_start_is_the_complete_graph_without_sets():
    adjacency, sets = starting_point(4, None)
    assert adjacency.sum() == 12 and len(sets) == 0


def test_a_warm_start_is_the_independence_graph_with_the_smaller_blanket_for_every_pair_outside():
    oracle = Oracle(MAG.from_text("A --> B; B --> C; C --> D; E --> D"))
    uig = UndirectedGraph.from_matrix(given_rest(oracle))
    adjacency, sets = starting_point(5, uig)
    assert np.array_equal(adjacency, given_rest(oracle))
    known = {(x, y): sets.get(x, y) for x, y in combinations(range(5), 2) if not adjacency[x, y]}
    assert known == {(0, 2): (1,), (0, 3): (1,), (0, 4): (1,), (1, 3): (0, 2), (1, 4): (0, 2)}
    assert not any(sets.get(x, y) for x, y in combinations(range(5), 2) if adjacency[x, y]) and not len(sets)
    assert all(oracle.verdict(x, y, z).independent for (x, y), z in sets.items())


def test_every_blanket_of_a_warm_start_separates():
    for number in range(60):
        dag, latents = hidden_dag(101, number)
        oracle = Oracle(dag, latents)
        _, sets = starting_point(len(oracle), UndirectedGraph.from_matrix(given_rest(oracle)))
        assert all(x not in z and y not in z and oracle.verdict(x, y, z).independent for (x, y), z in sets.items())


def test_a_graph_without_edges_is_left_at_once():
    adjacency = np.zeros((3, 3), dtype=bool)
    assert separate_by_neighbours(Oracle(DAG.from_edges([], nodes="ABC")), adjacency, RecordedSets(), None)
