"""R1-R4, each alone on the smallest graph where it speaks, and on those where one premise is broken."""

from __future__ import annotations

import pytest

from dicola.graphs.marks import Mark
from dicola.graphs.skeleton import RecordedSets
from dicola.orient.arrowheads import Rules, r1, r2, r3, r4
from dicola.orient.colliders import by_separating_set
from tests.orient.drawn import Drawn, assert_fires, assert_silent, drawings


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("a o-> b; b o-o c", "a o-> b; b --> c"),
        ("a --> b; b o-o c", "a --> b; b --> c"),
        ("a <-> b; b o-o c", "a <-> b; b --> c"),
        ("a o-> b; b o-> c", "a o-> b; b --> c"),
    ],
)
def test_r1_directs_the_edge_away_from_an_arrowhead(text, result):
    assert_fires(r1, text, "a b c", result)


@pytest.mark.parametrize(
    "text",
    [
        "a o-o b; b o-o c",
        "a o-- b; b o-o c",
        "a o-> b; b <-o c",
        "a o-> b; b --> c",
        "a o-> b; b --o c",
        "a o-> b; b o-o c; a o-o c",
    ],
    ids=["no arrowhead", "tail instead", "collider", "done", "tail stands", "shielded"],
)
def test_r1_is_silent_when_a_premise_is_broken(text):
    assert_silent(r1, text, "a b c")


def test_r1_needs_two_different_ends():
    assert_silent(r1, "a o-> b", "a b a")


def test_r1_against_a_standing_tail_ahead_is_a_conflict():
    drawn = Drawn("a o-> b; b o-- c")
    r1(drawn.graph, *drawn.at("a b c"))
    (conflict,) = drawn.graph.conflicts
    assert drawn.graph.is_tail(1, 2)
    assert (conflict.rule, conflict.other, conflict.at, conflict.wanted) == ("R1", 1, 2, Mark.ARROW)
    assert conflict.witness == (0, 1, 2) and conflict.standing_witness == (1, 2)


@pytest.mark.parametrize("first", ["a --> b; b o-> c", "a --> b; b --> c", "a --> b; b <-> c", "a o-> b; b --> c", "a <-> b; b --> c"])
@pytest.mark.parametrize(("edge", "result"), [("a o-o c", "a o-> c"), ("a <-o c", "a <-> c"), ("a --o c", "a --> c")])
def test_r2_puts_an_arrowhead_where_a_cycle_would_close(first, edge, result):
    assert_fires(r2, f"{first}; {edge}", "a b c", f"{first}; {result}")


@pytest.mark.parametrize(
    "text",
    [
        "a o-> b; b o-> c; a o-o c",
        "a <-> b; b <-> c; a o-o c",
        "a --o b; b --> c; a o-o c",
        "a --> b; b --o c; a o-o c",
        "a --> b; b --> c; a o-> c",
        "a --> b; b --> c; a o-- c",
        "a --> b; b --> c",
        "a --> b; b <-- c; a o-o c",
    ],
    ids=["no directed step", "both bidirected", "no head at b", "no head at c", "done", "tail stands", "not adjacent", "turned"],
)
def test_r2_is_silent_when_a_premise_is_broken(text):
    assert_silent(r2, text, "a b c")


KITE = "a o-> b; c o-> b; a o-o d; c o-o d; d o-o b"


def test_r3_puts_an_arrowhead_on_the_middle_of_the_kite():
    assert_fires(r3, KITE, "a b c d", KITE.replace("d o-o b", "d o-> b"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a o-> b", "a --> b"),
        ("c o-> b", "c <-> b"),
        ("a o-o d", "a <-o d"),
        ("c o-o d", "c --o d"),
        ("d o-o b", "d <-o b"),
        ("d o-o b", "d --o b"),
    ],
)
def test_r3_does_not_mind_the_marks_written_as_a_star(old, new):
    text = KITE.replace(old, new)
    at_d = text.split("; ")[-1][2:4]
    assert_fires(r3, text, "a b c d", "; ".join([*text.split("; ")[:-1], f"d {at_d}> b"]))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a o-> b", "a o-o b"),
        ("c o-> b", "c o-- b"),
        ("a o-o d", "a o-> d"),
        ("c o-o d", "c o-- d"),
        ("d o-o b", "d o-> b"),
        ("d o-o b", "d o-- b"),
        ("d o-o b", "d o-o b; a o-o c"),
        ("; a o-o d", ""),
    ],
    ids=["no head a", "tail c", "head at d", "tail at d", "done", "tail stands", "shielded", "a and d apart"],
)
def test_r3_is_silent_when_a_premise_is_broken(old, new):
    assert_silent(r3, KITE.replace(old, new), "a b c d")


def test_r3_needs_two_different_ends():
    assert_silent(r3, KITE, "a b a d")


SHORT = "d o-> a; b o-> a; a --> c; b o-o c"
LONG = "d o-> q; q <-> a; q --> c; b o-> a; a --> c; b o-o c"


def with_sets(holds_b: bool, last_first: bool = False, max_length: int | None = None):
    """R4 with a separating set of d and c that holds b or not, stored under either order of the pair."""

    def rule(graph, a, b, c, d):
        z = [a, b] if holds_b else [a]
        return r4(graph, by_separating_set(RecordedSets({(c, d) if last_first else (d, c): z})), a, b, c, Rules(max_path_length=max_length))

    return rule


@pytest.mark.parametrize("text", [SHORT, LONG], ids=["short", "long"])
@pytest.mark.parametrize("last_first", [False, True])
def test_r4_directs_the_edge_when_b_separates_the_ends_of_the_path(text, last_first):
    assert_fires(with_sets(True, last_first), text, "a b c d", text.replace("b o-o c", "b --> c"))


@pytest.mark.parametrize("text", [SHORT, LONG], ids=["short", "long"])
@pytest.mark.parametrize("last_first", [False, True])
def test_r4_makes_b_a_collider_when_it_does_not_separate_the_ends(text, last_first):
    result = text.replace("b o-o c", "b <-> c").replace("b o-> a", "b <-> a")
    assert_fires(with_sets(False, last_first), text, "a b c d", result)


def test_r4_keeps_an_arrowhead_that_already_stands_at_c():
    text = SHORT.replace("b o-o c", "b o-> c")
    assert_fires(with_sets(True), text, "a b c d", text.replace("b o-> c", "b --> c"))
    assert_fires(with_sets(False), text, "a b c d", text.replace("b o-> c", "b <-> c").replace("b o-> a", "b <-> a"))


@pytest.mark.parametrize("holds_b", [True, False])
@pytest.mark.parametrize(
    "text",
    [
        SHORT.replace("d o-> a", "d o-o a"),
        SHORT.replace("d o-> a", "d o-- a"),
        SHORT.replace("b o-> a", "b o-o a"),
        SHORT.replace("a --> c", "a o-> c"),
        SHORT.replace("a --> c", "a <-> c"),
        SHORT.replace("b o-o c", "b --> c"),
        SHORT.replace("b o-o c", "b <-> c"),
        SHORT + "; d o-o c",
        SHORT + "; d --> c",
        LONG.replace("q --> c", "q o-> c"),
        LONG.replace("q <-> a", "q o-> a"),
        LONG.replace("q <-> a", "q <-o a"),
        LONG.replace("d o-> q", "d o-o q"),
        LONG + "; d o-> c",
    ],
    ids=[
        "a no collider",
        "tail at a",
        "no head from b",
        "a no parent",
        "a a spouse",
        "directed already",
        "bidirected already",
        "ends adjacent",
        "d a parent without a start",
        "q no parent",
        "q no collider",
        "a no collider on the long path",
        "no head from d",
        "ends adjacent on the long path",
    ],
)
def test_r4_is_silent_when_a_premise_is_broken(text, holds_b):
    assert_silent(with_sets(holds_b), text, "a b c d")


def test_r4_asks_for_the_separating_set_of_the_ends_of_the_path():
    for drawn in drawings(SHORT):
        a, b, c = drawn.at("a b c")
        with pytest.raises(KeyError):
            r4(drawn.graph, by_separating_set(RecordedSets()), a, b, c)


@pytest.mark.parametrize(("text", "length"), [(SHORT, 4), (LONG, 5)], ids=["short", "long"])
def test_r4_looks_as_far_as_the_longest_path_allowed_in_vertices(text, length):
    assert_silent(with_sets(True, max_length=length - 1), text, "a b c d")
    assert_fires(with_sets(True, max_length=length), text, "a b c d", text.replace("b o-o c", "b --> c"))


def test_r4_against_a_standing_tail_at_b_is_a_conflict_with_the_path_as_witness():
    drawn = Drawn(SHORT.replace("b o-> a", "b --> a"))
    a, b, c, d = drawn.at("a b c d")
    r4(drawn.graph, by_separating_set(RecordedSets({(c, d): [a]})), a, b, c)
    assert drawn.looks_like("d o-> a; b --> a; a --> c; b <-> c")
    (conflict,) = drawn.graph.conflicts
    assert (conflict.other, conflict.at, conflict.witness) == (a, b, (d, a, b, c))
    assert (conflict.standing, conflict.wanted, conflict.standing_rule) == (Mark.TAIL, Mark.ARROW, "given")
