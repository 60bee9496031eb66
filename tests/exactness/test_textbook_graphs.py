"""The three small graphs every implementation has to get right, worked out by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from dicola import DAG, FCI, MAG, PAG, Oracle, discover
from dicola.learners.adjacency import separate_by_neighbours, starting_point
from tests.asking import given_rest
from tests.reference_models import PathSeparation, bits

EX4 = MAG.from_text("T --> A; A <-> B; X --> B")
EX5 = MAG.from_text("3 --> 0; 0 --> 4; 3 --> 2; 2 --> 1; 0 <-> 1; 2 <-> 4", nodes="01234")
EX6 = MAG.from_text("0 --> 1; 2 --> 0; 2 --> 1; 4 --> 3; 3 --> 5; 4 --> 5; 0 <-> 5; 1 <-> 3; 2 <-> 3", nodes="012345")
PAGS = {
    "EX4": (EX4, "T o-> A; A <-> B; X o-> B"),
    "EX5": (EX5, "3 o-> 0; 0 --> 4; 3 o-> 2; 2 --> 1; 0 <-> 1; 2 <-> 4"),
    "EX6": (EX6, "0 --> 1; 2 o-> 0; 0 <-> 5; 2 --> 1; 1 <-> 3; 2 o-> 3; 4 o-> 3; 3 --> 5; 4 --> 5"),
}
FCIS = [FCI(), FCI(possible_dsep="textbook")]


@pytest.mark.parametrize("decompose", [True, False])
@pytest.mark.parametrize("learner", FCIS, ids=lambda learner: learner.possible_dsep)
@pytest.mark.parametrize("name", PAGS)
def test_the_pag_is_the_one_worked_out_by_hand(name, learner, decompose):
    mag, text = PAGS[name]
    assert discover(Oracle(mag), learner, decompose=decompose).pag == PAG.from_text(text, nodes=mag.names)


def test_the_dag_behind_ex6_gives_its_pag():
    arcs = [("La", "0"), ("La", "5"), ("Lb", "1"), ("Lb", "2"), ("Lb", "3")]
    arcs += [("0", "1"), ("2", "0"), ("2", "1"), ("4", "3"), ("3", "5"), ("4", "5")]
    dag = DAG.from_edges(arcs)
    assert discover(Oracle(dag, ["La", "Lb"])).pag == PAG.from_text(PAGS["EX6"][1])


def left_by_neighbours(mag: MAG) -> set[tuple[str, str]]:
    """Edges that the first phase leaves although the MAG lacks them."""
    oracle = Oracle(mag)
    adjacency, sets = starting_point(len(oracle), None)
    assert separate_by_neighbours(oracle, adjacency, sets, None)
    left = {(oracle.labels[a], oracle.labels[b]) for a, b in combinations(range(len(oracle)), 2) if adjacency[a, b]}
    return {(x, y) for x, y in left if not mag.marks[mag.index(x), mag.index(y)]}


@pytest.mark.parametrize(("mag", "edge"), [(EX5, ("1", "4")), (EX6, ("1", "5"))], ids=["EX5", "EX6"])
def test_sets_of_neighbours_leave_exactly_one_edge_too_many(mag, edge):
    assert left_by_neighbours(mag) == {edge}


def test_sets_of_neighbours_settle_ex4():
    assert left_by_neighbours(EX4) == set()


@pytest.mark.parametrize("settings", [{}, {"decompose": False}, {"max_depth": 0, "leaf_start": "complete"}], ids=str)
@pytest.mark.parametrize("learner", FCIS, ids=lambda learner: learner.possible_dsep)
@pytest.mark.parametrize(
    ("mag", "edge", "only"), [(EX5, ("1", "4"), {"0", "2", "3"}), (EX6, ("1", "5"), {"0", "2", "3", "4"})], ids=["EX5", "EX6"]
)
def test_fci_removes_that_edge_with_its_only_separating_set(mag, edge, only, learner, settings):
    a, b = (mag.index(name) for name in edge)
    assert [{mag.names[v] for v in bits(z)} for z in PathSeparation(mag.marks.tolist()).separators(a, b)] == [only]
    assert set(discover(Oracle(mag), learner, **settings).skeleton.separating_set(*edge)) == only


def test_the_smallest_separating_sets_of_ex6_are_the_known_ones():
    found = discover(Oracle(EX6), decompose=False).skeleton
    known = {("0", "3"): {"2"}, ("0", "4"): set(), ("1", "4"): set(), ("2", "4"): set(), ("2", "5"): {"3", "4"}}
    for pair, z in known.items():
        assert set(found.separating_set(*pair)) == z


def test_ex4_is_never_split_since_its_ends_meet_through_two_colliders():
    assert given_rest(Oracle(EX4)).sum() == 12
    found = discover(Oracle(EX4))
    assert found.tree.n_leaves == 1 and found.tree.branches == ()


def test_the_independence_graph_of_ex6_lacks_the_one_pair_that_everything_else_separates():
    missing = np.argwhere(np.triu(~given_rest(Oracle(EX6)), k=1))
    assert [[EX6.names[v] for v in pair] for pair in missing] == [["1", "5"]]
