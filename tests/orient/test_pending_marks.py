"""Which open marks could still be turned by what is not known, rule by rule."""

from __future__ import annotations

import pytest

from dicola.graphs.bits import mask_of
from dicola.orient.pending_marks import next_to_visit
from tests.orient.drawn import Drawn


def asked(text: str, target: str, unsettled: str = "", nodes: str | None = None) -> str | None:
    """The variable to visit next, where the pairs of ``unsettled`` ("a c; a d") may be adjacent or not."""
    drawn = Drawn(text, nodes.split() if nodes else None)
    masks = [0] * len(drawn.graph)
    for pair in filter(None, unsettled.split(";")):
        a, b = drawn.at(pair)
        masks[a] |= mask_of([b])
        masks[b] |= mask_of([a])
    found = next_to_visit(drawn.graph, masks, drawn.at(target)[0])
    return None if found is None else drawn.names[found]


def test_where_all_is_settled_nothing_is_asked():
    assert asked("a o-o b; b o-o c", "b") is None


def test_where_all_marks_of_the_target_stand_nothing_is_asked():
    assert asked("a --> b; b o-o c; c o-o d", "a", "c e; d e", nodes="a b c d e") is None


@pytest.mark.parametrize(
    ("rule", "text", "unsettled"),
    [
        ("R0, if p and q are apart", "p o-o t; q o-o t", "p q"),
        ("R0, if q is adjacent to p", "t o-o p; q o-o r", "p q"),
        ("R1, once p points at z", "p o-o z; q o-o z; z o-> t", "p q"),
        ("R1 twice", "p o-o z; q o-o z; z o-o y; y o-o t", "p q"),
        ("R2, once b points at c", "t --> b; t --> q; t --o c; b o-o c; q o-o c", "b q"),
        ("R3, once d points at a too", "t o-o a; t o-> b; a <-- b; t o-> c; a o-o c; a <-> d", "c d"),
        ("R4, whose path ends in t and a, if b is adjacent to a", "t o-> b; t o-> c; a <-o c; b <-- c", "a b"),
        ("R4, which puts a tail at t", "t <-o a; t o-> b; a <-o b; a <-- d; b o-> d", "c d"),
        ("R4, which puts an arrowhead at a", "t <-o a; a o-o b; a <-- d; b <-> d", "c d"),
        ("R8, if a causes c", "t --> a; t o-> c", "a c"),
        ("R4, once a causes c", "t <-> a; t o-> c; a o-> c; d o-> a; p o-o a; q o-o a", "p q"),
        ("R8, or R4, once b causes c", "t --> b; t o-> c; b o-> c; p o-o b; q o-o b", "p q"),
        ("R9, if b leads to e", "t o-> c; t o-> b; e o-> c", "b e"),
        ("R10, if w leads to d", "t o-> c; b --> c; t o-> b; d --> c; t o-> w; w <-> c", "w d"),
    ],
    ids=lambda value: value if value.startswith("R") else "",
)
def test_a_mark_that_a_rule_could_turn_is_asked_about(rule, text, unsettled):
    nodes = " ".join(dict.fromkeys(word for word in f"{text} {unsettled}".replace(";", "").split() if word.isalpha()))
    assert asked(text, "t", unsettled, nodes) in unsettled.split(), rule
    assert asked(text, "t", nodes=nodes) is None, rule


def test_doubts_beyond_a_directed_edge_are_left_alone():
    """A collider between b and c is decided; what lies behind c cannot reach the edges of a."""
    assert asked("a o-> c; b o-> c; c --> d", "a", "d e; d f; e f", nodes="a b c d e f") is None


def test_a_variable_about_which_nothing_is_known_is_never_named():
    assert asked("a o-o b", "a", "b x; b y; x y", nodes="a b x y") == "b"


def test_of_many_unknown_variables_a_few_stand_for_all():
    many = [f"x{i}" for i in range(30)]
    pairs = "; ".join(f"b {x}" for x in many) + "; " + "; ".join(f"{x} {y}" for i, x in enumerate(many) for y in many[:i])
    assert asked("a o-o b", "a", pairs, nodes=" ".join(["a", "b", *many])) == "b"
