"""R0."""

from __future__ import annotations

import numpy as np
import pytest

from dicola.graphs.marks import Mark
from dicola.graphs.skeleton import RecordedSets
from dicola.orient.colliders import by_separating_set, r0, unshielded_triples
from dicola.orient.partial import PartialGraph
from tests.orient.drawn import Drawn
from tests.reference_models import random_dag
from tests.reference_models import unshielded_triples as triples_by_definition


def test_unshielded_triples_are_listed_once_with_the_smaller_end_first():
    rng = np.random.default_rng(0)
    for _ in range(30):
        marks = random_dag(rng, 7, 0.4)
        graph = PartialGraph(7, [(a, b) for a in range(7) for b in range(a + 1, 7) if marks[a][b]])
        assert list(unshielded_triples(graph)) == triples_by_definition(marks)


def test_a_vertex_outside_the_separating_set_is_a_collider():
    drawn = Drawn("a o-o b; b o-o c")
    assert r0(drawn.graph, by_separating_set(RecordedSets({(0, 2): []})))
    assert drawn.looks_like("a o-> b; c o-> b")
    assert {reason.witness for reason in drawn.graph.reasons.values()} == {(0, 1, 2)}


def test_a_vertex_inside_the_separating_set_is_no_collider():
    drawn = Drawn("a o-o b; b o-o c")
    assert not r0(drawn.graph, by_separating_set(RecordedSets({(0, 2): [1]})))
    assert drawn.looks_like("a o-o b; b o-o c")


def test_a_shielded_triple_is_never_a_collider():
    drawn = Drawn("a o-o b; b o-o c; a o-o c")
    assert not r0(drawn.graph, lambda a, b, c: True)


def test_two_colliders_on_one_edge_make_it_bidirected():
    drawn = Drawn("a o-o b; b o-o c; c o-o d")
    sets = RecordedSets({(0, 2): [], (1, 3): [], (0, 3): []})
    r0(drawn.graph, by_separating_set(sets))
    assert drawn.looks_like("a o-> b; b <-> c; d o-> c")


def test_an_unknown_separating_set_is_an_error_and_not_an_empty_one():
    with pytest.raises(KeyError):
        r0(Drawn("a o-o b; b o-o c").graph, by_separating_set(RecordedSets()))


def test_all_triples_are_judged_before_any_mark_is_put():
    drawn = Drawn("a o-o b; b o-o c; c o-o d; d o-o e")
    seen = []

    def policy(a: int, b: int, c: int) -> bool:
        seen.append(drawn.looks_like("a o-o b; b o-o c; c o-o d; d o-o e"))
        return True

    r0(drawn.graph, policy)
    assert seen == [True] * 3


def test_a_collider_against_a_standing_tail_is_a_conflict_and_the_tail_stays():
    drawn = Drawn("a o-o b; b --o c")
    assert r0(drawn.graph, lambda a, b, c: True)
    assert drawn.looks_like("a o-> b; b --o c")
    (conflict,) = drawn.graph.conflicts
    assert (conflict.rule, conflict.other, conflict.at) == ("R0", 2, 1)
    assert (conflict.standing, conflict.wanted) == (Mark.TAIL, Mark.ARROW)
    assert conflict.witness == (0, 1, 2) and conflict.standing_rule == "given"
