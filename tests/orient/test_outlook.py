"""Which open marks could still be turned by what is not known, rule by rule."""

from __future__ import annotations

import pytest

from dicola.graphs.bits import mask_of
from dicola.orient.outlook import next_to_visit
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
    ("rule", "text", "target", "unsettled"),
    [
        ("R0, the ends may be apart", "a o-o b; b o-o c", "b", "a c"),
        ("R0, the second edge may be there", "a o-o b", "b", "a c; b c"),
        ("R1", "a o-> b; b o-o c", "b", "a c"),
        ("R2", "a --> b; b o-> d; a o-o c; b o-o c", "a", "c d"),
        ("R3", "a o-> b; c o-> b; a o-o d; c o-o d; d o-o b", "d", "a c"),
        ("R4", "d o-> a; a <-o b; a --> c; b o-> c; d o-o b", "b", "d c"),
        ("R8", "a o-> c; a o-> b; b --> c", "a", "a x"),
        ("R9", "a o-> c; a o-> b; b o-> e; e --> c", "a", "b c; a e"),
        ("R10", "a o-> c; b --> c; d --> c; a o-> b; a o-> d", "a", "b d"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("R") else "",
)
def test_a_mark_that_a_rule_could_turn_is_asked_about(rule, text, target, unsettled):
    nodes = sorted(set((text + " " + unsettled).replace(";", " ").split()) - {"o-o", "o->", "<-o", "-->"})
    assert asked(text, target, unsettled, " ".join(nodes)) is not None, rule
    assert asked(text, target, "", " ".join(nodes)) is None, rule


def test_doubts_beyond_a_directed_edge_are_left_alone():
    """A collider between b and c is decided; what lies behind c cannot reach the edges of a."""
    assert asked("a o-> c; b o-> c; c --> d", "a", "d e; d f; e f", nodes="a b c d e f") is None


def test_a_variable_about_which_nothing_is_known_is_never_named():
    assert asked("a o-o b", "a", "b x; b y; x y", nodes="a b x y") == "b"


def test_of_many_unknown_variables_a_few_stand_for_all():
    many = [f"x{i}" for i in range(30)]
    pairs = "; ".join(f"b {x}" for x in many) + "; " + "; ".join(f"{x} {y}" for i, x in enumerate(many) for y in many[:i])
    assert asked("a o-o b", "a", pairs, nodes=" ".join(["a", "b", *many])) == "b"
