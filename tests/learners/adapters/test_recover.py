"""Separating sets for learners that bring none."""

from __future__ import annotations

import numpy as np
import pytest

from dicola import DAG, FCI, MAG, CallableTest, Ledger, Oracle
from dicola.graphs.skeleton import RecordedSets
from dicola.graphs.undirected import UndirectedGraph
from dicola.learners.adapters.recover import Questions, separating_sets
from dicola.learners.base import Context
from tests.asking import given_rest
from tests.learners.adapters.models import bidirected_mags, hidden_dags
from tests.reference_models import BIDIRECTED, DIRECTED, empty, join, names

graph = UndirectedGraph.from_matrix


def no_blankets() -> UndirectedGraph:
    raise AssertionError("blankets were asked for")


@pytest.mark.parametrize("models", [hidden_dags, bidirected_mags])
def test_every_pair_that_is_not_adjacent_gets_a_set_that_separates_it(models):
    for oracle, _ in models(30):
        skeleton = FCI().learn_skeleton(oracle)
        adjacency = np.zeros((len(oracle), len(oracle)), dtype=bool)
        for x, y in skeleton.edges:
            adjacency[x, y] = adjacency[y, x] = True
        sets, warnings = separating_sets(oracle, adjacency, RecordedSets(), lambda: graph(given_rest(oracle)))  # noqa: B023
        assert warnings == []
        assert len(sets) == len(oracle) * (len(oracle) - 1) // 2 - skeleton.n_edges
        for (x, y), z in sets.items():
            assert oracle.verdict(x, y, z).independent


def test_a_set_outside_both_neighbourhoods_is_found_in_a_blanket():
    marks = empty(5)
    for a, b in ((3, 0), (0, 4), (3, 2), (2, 1)):
        join(marks, a, b, DIRECTED)
    for a, b in ((0, 1), (2, 4)):
        join(marks, a, b, BIDIRECTED)
    oracle = Oracle(MAG.from_matrix(marks, names(5)))
    sets, warnings = separating_sets(oracle, np.array(marks) != 0, RecordedSets(), lambda: Context().blanket_graph(Ledger(oracle)))
    assert sets[1, 4] == (0, 2, 3) and warnings == []


def test_what_is_known_is_not_asked_again_and_the_rest_is_counted():
    chain = Oracle(DAG.from_edges([("A", "B"), ("B", "C"), ("C", "D")]))
    adjacency = np.eye(4, k=1, dtype=bool) | np.eye(4, k=-1, dtype=bool)
    ledger = Ledger(chain)
    sets, _ = separating_sets(ledger, adjacency, RecordedSets({(0, 2): (1,), (1, 3): (2,)}), no_blankets)
    assert sets == RecordedSets({(0, 2): (1,), (1, 3): (2,), (0, 3): (1,)})
    assert ledger.counts["total"] == 2  # A and D given nothing, then given B


def test_where_nothing_separates_the_smaller_neighbourhood_stands_in_and_is_told():
    always = CallableTest(lambda x, y, z: False, names="ABCD")
    adjacency = np.array([[0, 0, 1, 1], [0, 0, 1, 0], [1, 1, 0, 1], [1, 0, 1, 0]], dtype=bool)
    sets, warnings = separating_sets(always, adjacency, RecordedSets(), lambda: UndirectedGraph.complete(4))
    assert sets == RecordedSets({(0, 1): (2,), (1, 3): (2,)})
    assert len(warnings) == 1 and warnings[0].startswith("2 pairs were left without an edge")
    _, warnings = separating_sets(always, adjacency | (np.add.outer(range(4), range(4)) == 4), RecordedSets(), lambda: graph(adjacency))
    assert warnings[0].startswith("1 pair was left")


def test_no_set_larger_than_the_limit_is_asked_about():
    sizes = []
    test = CallableTest(lambda x, y, z: bool(sizes.append(len(z))), names="ABCDE")
    adjacency = np.ones((5, 5), dtype=bool)
    adjacency[0, 1] = adjacency[1, 0] = False
    separating_sets(test, adjacency, RecordedSets(), lambda: graph(adjacency), max_size=1)
    assert sorted(sizes) == [0, 1, 1, 1]


def test_questions_keep_the_smallest_separating_set_and_take_a_memory():
    asked = []
    test = CallableTest(lambda x, y, z: asked.append(z) or len(z) > 0, names="ABCD")
    questions = Questions(Ledger(test, cache=True))
    assert not questions.independent(np.int64(2), 0, [])
    assert questions.independent(2, 0, [np.int64(3), np.int64(1)]) and questions.independent(0, 2, [1, 3])
    assert questions.independent(0, 2, (3,)) and questions.independent(0, 2, (1,))
    assert questions.sets == RecordedSets({(0, 2): (3,)})
    assert asked == [(), ("B", "D"), ("D",), ("B",)]
