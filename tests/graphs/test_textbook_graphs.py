"""The worked examples EX4, EX5 and EX6: known MAGs with their PAGs, separators and blankets."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from dicola.graphs.dag import DAG
from dicola.graphs.mag import MAG
from dicola.graphs.pag import PAG
from dicola.orient.equivalence import legality, mag_to_pag, markov_equivalent, member_mag
from tests.reference_models import PathSeparation, bits, common_marks, equivalence_class

EX4 = ("T --> A; A <-> B; X --> B", "T o-> A; A <-> B; X o-> B")
EX5 = (
    "3 --> 0; 0 --> 4; 3 --> 2; 2 --> 1; 0 <-> 1; 2 <-> 4",
    "3 o-> 0; 0 --> 4; 3 o-> 2; 2 --> 1; 0 <-> 1; 2 <-> 4",
)
EX6 = (
    "0 --> 1; 2 --> 0; 2 --> 1; 4 --> 3; 3 --> 5; 4 --> 5; 0 <-> 5; 1 <-> 3; 2 <-> 3",
    "0 --> 1; 2 o-> 0; 0 <-> 5; 2 --> 1; 1 <-> 3; 2 o-> 3; 4 o-> 3; 3 --> 5; 4 --> 5",
)
EXAMPLES = pytest.mark.parametrize(("mag", "pag"), [EX4, EX5, EX6], ids=["EX4", "EX5", "EX6"])


def ordered(graph: MAG) -> MAG:
    return graph.reordered(sorted(graph.names))


def separators(mag: MAG, x: str, y: str) -> list[set[str]]:
    """All separating sets of a pair, by path enumeration."""
    found = PathSeparation(mag.to_matrix().tolist()).separators(mag.index(x), mag.index(y))
    return [{mag.names[v] for v in bits(z)} for z in found]


def minimal(sets: list[set[str]]) -> list[set[str]]:
    return [z for z in sets if not any(other < z for other in sets)]


@EXAMPLES
def test_the_example_is_a_mag(mag, pag):
    assert MAG.from_text(mag).invalid() is None


@EXAMPLES
def test_the_example_has_the_pag_of_the_book(mag, pag):
    assert mag_to_pag(MAG.from_text(mag)) == PAG.from_text(pag)


@EXAMPLES
def test_the_pag_of_the_example_is_that_of_its_enumerated_class(mag, pag):
    marks = MAG.from_text(mag).to_matrix().tolist()
    assert PAG.from_matrix(common_marks(equivalence_class(marks)), MAG.from_text(mag).names) == PAG.from_text(pag)


@EXAMPLES
def test_the_pag_of_the_example_is_legal_and_its_member_equivalent(mag, pag):
    assert legality(PAG.from_text(pag))
    assert markov_equivalent(member_mag(PAG.from_text(pag)), MAG.from_text(mag))


@EXAMPLES
def test_every_order_of_the_vertices_gives_the_same_pag(mag, pag):
    graph, rng = MAG.from_text(mag), np.random.default_rng(0)
    for _ in range(30):
        assert mag_to_pag(graph.reordered([graph.names[i] for i in rng.permutation(len(graph))])) == PAG.from_text(pag)


def test_in_ex4_all_pairs_are_joined_in_the_augmented_graph():
    mag = MAG.from_text(EX4[0])
    assert np.array_equal(mag.augmented(), ~np.eye(4, dtype=bool))
    assert set(mag.blanket("T")) == {"A", "B", "X"}


def test_in_ex4_the_far_parent_opens_only_given_both_colliders():
    mag = MAG.from_text(EX4[0])
    assert mag.m_separated("T", "X", ["A"]) and not mag.m_separated("T", "X", ["A", "B"])


def test_in_ex5_the_pair_1_4_has_one_separator():
    assert separators(ordered(MAG.from_text(EX5[0])), "1", "4") == [{"0", "2", "3"}]


def test_in_ex5_the_separator_of_1_4_is_no_set_of_neighbours():
    mag = MAG.from_text(EX5[0])
    for v in ("1", "4"):
        beside = {mag.names[w] for w in mag.around[mag.index(v)]}
        assert not {"0", "2", "3"} <= beside


def test_in_ex6_the_pair_1_5_has_one_separator():
    assert separators(ordered(MAG.from_text(EX6[0])), "1", "5") == [{"0", "2", "3", "4"}]


@pytest.mark.parametrize(
    ("x", "y", "sets"),
    [("0", "3", [{"2"}]), ("0", "4", [set()]), ("1", "4", [set()]), ("2", "4", [set()]), ("2", "5", [{"3", "4"}])],
)
def test_in_ex6_the_other_pairs_have_the_minimal_separators_of_the_book(x, y, sets):
    assert minimal(separators(MAG.from_text(EX6[0]), x, y)) == sets


def test_in_ex6_only_1_and_5_are_apart_in_the_augmented_graph():
    mag = ordered(MAG.from_text(EX6[0]))
    apart = [pair for pair in combinations(range(6), 2) if not mag.augmented()[pair]]
    assert apart == [(1, 5)]


def test_ex6_comes_from_a_dag_with_two_hidden_variables():
    arcs = ["0 1", "2 0", "2 1", "4 3", "3 5", "4 5", "La 0", "La 5", "Lb 1", "Lb 2", "Lb 3"]
    dag = DAG.from_edges([arc.split() for arc in arcs])
    assert dag.true_mag(["La", "Lb"]) == MAG.from_text(EX6[0])
    assert dag.true_pag(["La", "Lb"]) == PAG.from_text(EX6[1])
