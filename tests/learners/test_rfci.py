"""RFCI: no true edge missed, every mark a true statement, edges too many in rare graphs."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from dicola import MAG, RFCI, Oracle, discover, mag_to_pag
from dicola.graphs.skeleton import RecordedSets
from dicola.graphs.undirected import UndirectedGraph
from dicola.learners import rfci
from dicola.learners.base import Context
from dicola.learners.rfci import check_triples
from tests.asking import given_rest
from tests.exactness.learners import (
    EX4,
    EX5,
    EX6,
    Tally,
    check,
    edges_missed,
    edges_too_many,
    insufficient_truth,
    random_truth,
    unsound_marks,
)

TOO_MANY = {False: (1089, 1103, 1809), True: (1089,)}  # of the first 2,000 graphs of family 1, by decompose

ONE_BY_A_TRIPLE = MAG.from_text(
    "V0 --> V2; V0 --> V3; V0 --> V4; V2 --> V1; V1 <-> V3; V2 <-> V4; V2 <-> V5; V3 --> V4; V4 --> V5", nodes=[f"V{i}" for i in range(6)]
)
FOUR_BY_TRIPLES = MAG.from_text(
    "V0 <-> V2; V5 --> V0; V1 <-> V2; V4 --> V1; V1 <-> V5; V3 --> V2; V2 <-> V5; V2 --> V6; V3 --> V4; V3 --> V5; V4 --> V5; "
    "V4 <-> V6; V4 <-> V7; V6 --> V7",
    nodes=[f"V{i}" for i in range(8)],
)
BY_A_PATH = {
    "a path of four": (
        "V1 --> V0; V0 <-> V2; V0 --> V3; V4 --> V0; V1 --> V2; V2 --> V3; V5 --> V2; V2 --> V6; V4 --> V3; V6 --> V3; V5 --> V4; "
        "V4 <-> V6",
        (1, 0, 6, 3),
        ("V0", "V6"),
        ("V2", "V4", "V5"),
    ),
    "its middle edge": (
        "V0 --> V2; V0 --> V4; V2 --> V1; V1 <-> V4; V1 --> V6; V2 <-> V3; V2 --> V6; V4 --> V3; V5 --> V3; V3 --> V6; V4 --> V5; "
        "V4 --> V6",
        (5, 3, 1, 6),
        ("V1", "V3"),
        ("V0", "V2", "V4"),
    ),
    "a path of five": (
        "V0 --> V2; V0 <-> V4; V6 --> V0; V1 <-> V3; V1 --> V4; V3 --> V2; V4 --> V2; V5 --> V2; V6 --> V2; V3 --> V4; V3 --> V6; "
        "V4 --> V5; V5 <-> V6",
        (1, 4, 0, 5, 2),
        ("V0", "V5"),
        ("V3", "V4", "V6"),
    ),
}
UNSOUND_AFTER_A_MERGE = MAG.from_text(
    "V0 <-> V1; V0 <-> V2; V4 --> V0; V5 --> V1; V3 --> V2; V2 --> V6; V3 --> V4; V4 <-> V6; V6 --> V5", nodes=[f"V{i}" for i in range(7)]
)


@pytest.fixture
def removals(monkeypatch):
    """What the two extra steps removed: edges by triples, (path, edge) by discriminating paths, and how many paths were tested."""
    seen: dict[str, list] = {"triples": [], "paths": [], "tested": []}
    by_triples, by_path = rfci.check_triples, rfci._weak_edge

    def triples(*arguments):
        removed = by_triples(*arguments)
        seen["triples"] += removed
        return removed

    def path(ci, sets, path):
        found = by_path(ci, sets, path)
        seen["tested"].append(path)
        if found is not None:
            seen["paths"].append((path, found[0]))
        return found

    monkeypatch.setattr(rfci, "check_triples", triples)
    monkeypatch.setattr(rfci, "_weak_edge", path)
    return seen


@pytest.mark.parametrize("chunk", range(10))
@pytest.mark.parametrize("decompose", [False, True], ids=["alone", "DiCoLa"])
def test_it_misses_no_edge_states_no_falsehood_and_has_edges_too_many_in_three_graphs_of_two_thousand(decompose, chunk):
    for number in range(chunk * 200, (chunk + 1) * 200):
        expected = Tally(1, (), number in TOO_MANY[decompose])
        assert check("rfci", decompose, random_truth(1, number), sets=number % 5 == 0) == expected, number


@pytest.mark.parametrize("chunk", range(4))
def test_alone_every_mark_is_a_true_statement_where_sets_of_neighbours_are_not_enough(chunk, removals):
    tally = Tally()
    for number in range(chunk * 250, (chunk + 1) * 250):
        tally += check("rfci", False, insufficient_truth(4, number))
    assert tally.wrong == () and tally.too_many >= 150
    assert removals["triples"] and removals["tested"]


def test_marks_on_edges_too_many_are_true_statements_about_ancestors():
    marked = Counter()
    for number in range(300):
        truth = insufficient_truth(5, number)
        found = discover(truth.oracle(), "rfci", decompose=False).pag
        assert unsound_marks(found, truth.mag) == [] and edges_missed(found, truth.mag) == []
        for x, y in edges_too_many(found, truth.mag):
            marked.update(int(found.marks[a, b]) for a, b in ((found.index(x), found.index(y)), (found.index(y), found.index(x))))
    assert marked[2] >= 100, "arrowheads on edges that the true MAG lacks"


@pytest.mark.parametrize(("mag", "edge"), [(EX5, ("1", "4")), (EX6, ("1", "5"))], ids=["EX5", "EX6"])
def test_alone_it_keeps_the_edge_that_only_a_distant_set_removes_and_under_dicola_a_cut_removes_it(mag, edge):
    alone, parts = discover(Oracle(mag), "rfci", decompose=False), discover(Oracle(mag), "rfci")
    assert edges_too_many(alone.pag, mag) == [edge] and edges_missed(alone.pag, mag) == [] and unsound_marks(alone.pag, mag) == []
    assert parts.pag == mag_to_pag(mag)


@pytest.mark.parametrize("decompose", [False, True])
def test_ex4_is_found(decompose):
    assert discover(Oracle(EX4), "rfci", decompose=decompose).pag == mag_to_pag(EX4)


def test_the_smallest_graph_in_which_a_triple_removes_an_edge_comes_out_right(removals):
    found = discover(Oracle(ONE_BY_A_TRIPLE), "rfci", decompose=False)
    assert removals["triples"] == [(1, 5)] and found.skeleton.separating_set("V1", "V5") == ("V0", "V2", "V3")
    assert found.pag == mag_to_pag(ONE_BY_A_TRIPLE)


def test_removals_show_new_triples_which_remove_further_edges(removals):
    found = discover(Oracle(FOUR_BY_TRIPLES), "rfci", decompose=False)
    assert removals["triples"] == [(0, 6), (0, 7), (1, 6), (1, 7)] and removals["paths"] == []
    assert found.pag == mag_to_pag(FOUR_BY_TRIPLES)


@pytest.mark.parametrize("case", BY_A_PATH)
def test_a_discriminating_path_loses_the_edge_that_does_not_stand_and_the_pag_comes_out_right(case, removals):
    text, path, edge, separating = BY_A_PATH[case]
    mag = MAG.from_text(text, nodes=sorted(MAG.from_text(text).names))
    found = discover(Oracle(mag), "rfci", decompose=False)
    (tested, (u, v)), *more = removals["paths"]
    assert tested == path and {mag.names[u], mag.names[v]} == set(edge) and not more
    assert not found.skeleton.adjacent(*edge) and found.skeleton.separating_set(*edge) == separating
    assert found.pag == mag_to_pag(mag) and not found.conflicts
    assert found.tests["orientation"] > 0


def test_without_the_step_for_paths_those_edges_stay(monkeypatch):
    monkeypatch.setattr(rfci, "_weak_edge", lambda ci, sets, path: None)
    for text, _, edge, _ in BY_A_PATH.values():
        mag = MAG.from_text(text, nodes=sorted(MAG.from_text(text).names))
        assert edge in edges_too_many(discover(Oracle(mag), "rfci", decompose=False).pag, mag)


def test_every_mark_is_a_true_statement_under_dicola_too():
    found = discover(Oracle(UNSOUND_AFTER_A_MERGE), "rfci")
    assert edges_missed(found.pag, UNSOUND_AFTER_A_MERGE) == []
    assert unsound_marks(found.pag, UNSOUND_AFTER_A_MERGE) == []


def test_the_skeleton_changed_by_orientation_and_the_pag_agree():
    for number in range(100):
        found = discover(insufficient_truth(6, number).oracle(), "rfci", decompose=False)
        assert {frozenset((found.pag.names[a], found.pag.names[b])) for a, b in found.pag.pairs()} == found.skeleton.named_edges()
        n = len(found.pag)
        assert len(found.skeleton.separating_sets()) == n * (n - 1) // 2 - found.skeleton.n_edges


def test_an_answer_found_alone_can_be_written_and_read_back(tmp_path):
    found = discover(Oracle(EX5), "rfci", decompose=False)
    assert type(found).read(found.write(tmp_path / "rfci")) == found


def test_separating_sets_are_minimal_whether_it_starts_from_the_complete_graph_or_from_the_independence_graph():
    for number in range(150):
        oracle = random_truth(8, number).oracle()
        uig = UndirectedGraph.from_matrix(given_rest(oracle))
        for context in (None, Context(uig=uig, warm=True)):
            skeleton = RFCI().learn_skeleton(oracle, context=context)
            for (x, y), z in skeleton.separating_sets().items():
                assert oracle(x, y, z).independent
                assert not any(oracle(x, y, set(z) - {v}).independent for v in z)


def test_check_triples_leaves_what_survives_and_answers_nothing():
    for number in range(60):
        oracle = random_truth(9, number).oracle()
        skeleton = RFCI().learn_skeleton(oracle)
        adjacency = np.zeros((len(oracle), len(oracle)), dtype=bool)
        for a, b in skeleton.edges:
            adjacency[a, b] = adjacency[b, a] = True
        before = adjacency.copy()
        sets = RecordedSets({pair: skeleton.sets[pair] for pair in combinations(range(len(oracle)), 2) if pair not in skeleton.edges})
        triples = [(a, b, c) for a, c in sets for b in range(len(oracle)) if adjacency[a, b] and adjacency[b, c]]
        assert check_triples(oracle, adjacency, sets, triples) == [] and (adjacency == before).all()
