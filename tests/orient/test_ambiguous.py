"""A triple that could be a collider or not is used by no rule; everything else goes on as usual."""

from __future__ import annotations

import pytest

from dicola.graphs.skeleton import RecordedSets, Skeleton
from dicola.orient.arrowheads import r1, r2, r3, r4
from dicola.orient.colliders import r0
from dicola.orient.fixpoint import orient
from dicola.orient.selection import r5, r7
from dicola.orient.tails import r8, r9, r10
from tests.orient.drawn import Drawn, assert_fires, drawings

FORK = "a o-> c; b --> c; d --> c; a o-o m; m o-> b; a o-o w; w o-> d"  # R10 by way of m and w

RULES = {
    "R1": (r1, "a o-> b; b o-o c", "a b c", ["a b c"], "a o-> b; b --> c"),
    "R3": (r3, "a o-> b; c o-> b; a o-o d; c o-o d; d o-o b", "a b c d", ["a d c"], "a o-> b; c o-> b; a o-o d; c o-o d; d o-> b"),
    "R7": (r7, "a --o b; b o-o c", "a b c", ["a b c"], "a --o b; b --o c"),
    "R9": (
        r9,
        "a o-> c; a o-o b; b o-o d; d o-> c",
        "a c",
        ["a b d", "b d c"],
        "a --> c; a o-o b; b o-o d; d o-> c",
    ),
    "R10": (r10, FORK, "a c", ["m a w", "a m b", "a w d"], FORK.replace("a o-> c", "a --> c")),
}


def noted(text: str, triple: str) -> list[Drawn]:
    """The drawing, under two numberings, with one triple that nobody could judge."""
    found = drawings(text)
    for drawn in found:
        x, y, z = drawn.at(triple)
        drawn.graph.ambiguous.add((min(x, z), y, max(x, z)))
    return found


@pytest.mark.parametrize("name", RULES)
def test_a_rule_fires_where_all_its_triples_are_definite(name):
    rule, text, vertices, _, result = RULES[name]
    assert_fires(rule, text, vertices, result)


@pytest.mark.parametrize(("name", "triple"), [(name, triple) for name, case in RULES.items() for triple in case[3]])
def test_a_rule_is_silent_where_one_of_its_triples_is_ambiguous(name, triple):
    rule, text, vertices, _, _ = RULES[name]
    for drawn in noted(text, triple):
        assert not rule(drawn.graph, *drawn.at(vertices)), drawn
        assert drawn.looks_like(text) and not drawn.graph.conflicts


def test_r9_is_silent_where_the_path_and_the_edge_may_meet_in_a_collider():
    """That b --> a <-- c is not the case is what turns the path forward; were a a collider there, a <-> c would be possible."""
    _, text, _, _, _ = RULES["R9"]
    for drawn in noted(text, "b a c"):
        assert not r9(drawn.graph, *drawn.at("a c")), drawn


@pytest.mark.parametrize("triple", ["a c d", "c d b", "a b d", "b a c"])
def test_r5_is_silent_where_a_corner_of_the_cycle_is_ambiguous(triple):
    cycle = "a o-o b; a o-o c; c o-o d; d o-o b"
    for drawn in drawings(cycle):
        assert r5(drawn.graph, *drawn.at("a b"))
    for drawn in noted(cycle, triple):
        assert not r5(drawn.graph, *drawn.at("a b")) and drawn.looks_like(cycle)


def test_r10_takes_another_pair_of_first_vertices_where_one_is_ambiguous():
    text = FORK + "; a o-o v; v o-> d"
    for drawn in noted(text, "m a w"):
        assert r10(drawn.graph, *drawn.at("a c")) and drawn.looks_like(text.replace("a o-> c", "a --> c"))


def test_r4_is_silent_where_nobody_can_tell_whether_the_discriminated_vertex_is_a_collider():
    text = "d o-> a; a --> c; a <-o b; b o-o c"
    for answer, result in ((None, text), (False, "d o-> a; a --> c; a <-o b; b --> c"), (True, "d o-> a; a --> c; a <-> b; b <-> c")):
        for drawn in drawings(text):
            fired = r4(drawn.graph, lambda d, b, c, answer=answer: answer, *drawn.at("a b c"))
            assert fired == (answer is not None) and drawn.looks_like(result), drawn


def test_rules_that_rest_on_no_unshielded_triple_do_not_ask():
    for drawn in noted("a --> b; b o-> c; a o-o c", "a b c"):
        assert r2(drawn.graph, *drawn.at("a b c"))
    for drawn in noted("a --> b; b --> c; a o-> c", "a b c"):
        assert r8(drawn.graph, *drawn.at("a b c"))


def test_r0_notes_what_cannot_be_judged_and_marks_the_rest():
    drawn = Drawn("a o-o b; c o-o b; c o-o d; e o-o d")
    a, b, c, d, e = drawn.at("a b c d e")

    def decide(x, y, z):
        return None if y == b else True

    assert r0(drawn.graph, decide)
    assert drawn.graph.ambiguous == {(a, b, c)}
    assert not drawn.graph.is_arrow(a, b) and drawn.graph.is_arrow(c, d) and drawn.graph.is_arrow(e, d)


def skeleton_of(edges: set[tuple[int, int]], n: int) -> Skeleton:
    names = tuple("abcdefgh"[:n])
    missing = {(x, y): () for x in range(n) for y in range(x + 1, n) if (x, y) not in edges}
    return Skeleton(names, tuple(range(n)), frozenset(edges), RecordedSets(missing), names)


def test_orient_reports_the_triple_and_leaves_its_circles():
    chain = skeleton_of({(0, 1), (1, 2)}, 3)
    found = orient(chain, is_collider=lambda x, y, z: None)
    assert found.ambiguous == ((0, 1, 2),) and str(found.pag) == "a o-o b\nb o-o c" and not found.reasons and not found.conflicts


def test_an_arrowhead_from_elsewhere_is_not_carried_through_an_ambiguous_triple():
    # a *-> c <-* b is a collider; c - d is unshielded with both a and b.
    star = skeleton_of({(0, 2), (1, 2), (2, 3)}, 4)

    def decide(x, y, z, unsure=()):
        return None if (min(x, z), max(x, z)) in unsure else {x, z} == {0, 1}

    assert str(orient(star, is_collider=decide).pag) == "a o-> c\nb o-> c\nc --> d"
    both = orient(star, is_collider=lambda x, y, z: decide(x, y, z, ((0, 3), (1, 3))))
    assert str(both.pag) == "a o-> c\nb o-> c\nc o-o d" and len(both.ambiguous) == 2
    one = orient(star, is_collider=lambda x, y, z: decide(x, y, z, ((0, 3),)))
    assert str(one.pag) == "a o-> c\nb o-> c\nc --> d" and one.ambiguous == ((0, 2, 3),)
