"""Putting marks: circles turn once; what contradicts a standing mark is recorded."""

from __future__ import annotations

import numpy as np
import pytest

from dicola.graphs.marks import ARROW, CIRCLE, TAIL, Mark
from dicola.orient.partial import Conflict, PartialGraph, Reason
from tests.orient.drawn import Drawn


@pytest.fixture
def graph() -> PartialGraph:
    return PartialGraph(3, [(0, 1), (2, 1)])


def test_all_marks_are_circles_at_first(graph):
    assert graph.to_matrix().tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert graph.to_matrix().dtype == np.int8 and len(graph) == 3
    assert graph.reasons == {} and not graph.conflicts and not graph.changed


def test_a_mark_is_put_at_the_second_vertex(graph):
    assert graph.put(0, 1, ARROW, "R0", (0, 1, 2))
    assert graph.to_matrix().tolist() == [[0, 2, 0], [1, 0, 1], [0, 1, 0]]
    assert graph.reasons == {(0, 1): Reason("R0", (0, 1, 2))} and list(graph.changed) == [(0, 1)]


def test_the_same_mark_again_is_neither_a_change_nor_a_conflict(graph):
    graph.put(0, 1, ARROW, "R0", (0, 1, 2))
    assert not graph.put(0, 1, ARROW, "R2", (9, 0, 1))
    assert not graph.conflicts and len(graph.changed) == 1
    assert graph.reasons[0, 1] == Reason("R0", (0, 1, 2))


@pytest.mark.parametrize(("first", "second"), [(ARROW, TAIL), (TAIL, ARROW)])
def test_a_standing_mark_is_kept_and_the_conflict_tells_both_witnesses(graph, first, second):
    graph.put(0, 1, first, "R0", (0, 1, 2))
    assert not graph.put(0, 1, second, "R1", (2, 1, 0))
    assert graph.around[0][1] == first and len(graph.changed) == 1
    assert list(graph.conflicts) == [
        Conflict(
            rule="R1",
            other=0,
            at=1,
            standing=Mark(first),
            wanted=Mark(second),
            witness=(2, 1, 0),
            standing_rule="R0",
            standing_witness=(0, 1, 2),
        )
    ]
    assert graph.reasons[0, 1] == Reason("R0", (0, 1, 2))


def test_the_same_conflict_is_recorded_once_and_another_beside_it(graph):
    graph.put(0, 1, ARROW, "R0", (0, 1, 2))
    graph.put(0, 1, TAIL, "R1", (2, 1, 0))
    graph.put(0, 1, TAIL, "R1", (2, 1, 0))
    graph.put(0, 1, TAIL, "R4", (2, 1, 0))
    assert [conflict.rule for conflict in graph.conflicts] == ["R1", "R4"]


def test_the_two_ends_of_an_edge_are_decided_apart(graph):
    graph.put(0, 1, ARROW, "R0", (0, 1, 2))
    assert graph.put(1, 0, ARROW, "R0", (2, 0, 1))
    assert graph.is_arrow(0, 1) and graph.is_arrow(1, 0) and not graph.conflicts


def test_orienting_puts_a_tail_behind_and_an_arrowhead_ahead(graph):
    assert graph.orient(0, 1, "R1", (5, 0, 1))
    assert graph.is_tail(1, 0) and graph.is_arrow(0, 1) and graph.is_parent(0, 1) and not graph.is_parent(1, 0)
    assert graph.reasons == {(1, 0): Reason("R1", (5, 0, 1)), (0, 1): Reason("R1", (5, 0, 1))}


def test_orienting_an_open_arrow_changes_the_open_end_only():
    drawn = Drawn("a o-> b")
    assert drawn.graph.orient(0, 1, "R1", ()) and drawn.looks_like("a --> b")


def test_orienting_against_a_standing_arrowhead_leaves_it_and_records_it():
    drawn = Drawn("a <-o b")
    drawn.graph.orient(0, 1, "R1", (7, 0, 1))
    (conflict,) = drawn.graph.conflicts
    assert drawn.graph.is_arrow(1, 0)
    assert (conflict.other, conflict.at, conflict.standing, conflict.wanted) == (1, 0, Mark.ARROW, Mark.TAIL)


@pytest.mark.parametrize(
    ("text", "forward", "backward"),
    [
        ("a --> b", True, False),
        ("a o-> b", True, False),
        ("a o-o b", True, True),
        ("a <-> b", False, False),
        ("a --- b", False, False),
        ("a --o b", True, False),
    ],
)
def test_an_edge_may_point_where_no_arrowhead_stands_behind_and_no_tail_ahead(text, forward, backward):
    graph = Drawn(text).graph
    assert graph.may_point(0, 1) == forward and graph.may_point(1, 0) == backward


def test_questions_about_absent_edges_are_answered_no(graph):
    assert not graph.adjacent(0, 2)
    for question in (graph.is_arrow, graph.is_tail, graph.is_circle, graph.is_parent):
        assert not question(0, 2)


def test_questions_read_the_mark_at_the_second_vertex():
    graph = Drawn("a o-> b").graph
    assert graph.is_arrow(0, 1) and graph.is_circle(1, 0) and not graph.is_circle(0, 1)
    assert graph.around[0][1] == ARROW and graph.around[1][0] == CIRCLE
