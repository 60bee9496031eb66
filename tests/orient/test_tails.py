"""R8-R10, each alone."""

from __future__ import annotations

import pytest

from dicola.orient.tails import r8, r9, r10
from tests.orient.drawn import assert_fires, assert_silent


@pytest.mark.parametrize("first", ["a --> b", "a --o b"])
def test_r8_puts_the_tail_of_a_shortcut(first):
    assert_fires(r8, f"{first}; b --> c; a o-> c", "a b c", f"{first}; b --> c; a --> c")


@pytest.mark.parametrize(
    "text",
    [
        "a o-> b; b --> c; a o-> c",
        "a <-> b; b --> c; a o-> c",
        "a --- b; b --> c; a o-> c",
        "a --> b; b o-> c; a o-> c",
        "a --> b; b <-> c; a o-> c",
        "a --> b; b --> c; a o-o c",
        "a --> b; b --> c; a <-> c",
        "a --> b; b --> c; a --> c",
        "a --> b; b --> c",
        "a <-- b; b --> c; a o-> c",
    ],
    ids=[
        "circle at a",
        "head at a",
        "undirected",
        "circle at b",
        "head at b",
        "no head at c",
        "head stands",
        "done",
        "apart",
        "turned",
    ],
)
def test_r8_is_silent_when_a_premise_is_broken(text):
    assert_silent(r8, text, "a b c")


ROUND = "a o-> c; a o-o b; b o-o d; d o-> c"


@pytest.mark.parametrize(
    "text",
    [
        ROUND,
        ROUND.replace("a o-o b", "a --> b"),
        ROUND.replace("b o-o d", "b o-> d"),
        ROUND.replace("d o-> c", "d --> c"),
        ROUND.replace("d o-> c", "d o-o c"),
        "a o-> c; a o-o b; b o-o e; e o-o d; d o-> c",
    ],
    ids=["circles", "directed start", "arrow inside", "directed end", "circle end", "longer"],
)
def test_r9_puts_the_tail_when_an_uncovered_path_goes_the_same_way(text):
    assert_fires(r9, text, "a c", text.replace("a o-> c", "a --> c"))


@pytest.mark.parametrize(
    "text",
    [
        ROUND.replace("a o-> c", "a o-o c"),
        ROUND.replace("a o-> c", "a <-> c"),
        ROUND.replace("a o-> c", "a --> c"),
        ROUND.replace("a o-o b", "a <-o b"),
        ROUND.replace("a o-o b", "a o-- b"),
        ROUND.replace("b o-o d", "b <-o d"),
        ROUND.replace("b o-o d", "b o-- d"),
        ROUND.replace("d o-> c", "d <-> c"),
        ROUND.replace("d o-> c", "d o-- c"),
        ROUND + "; b o-o c",
        ROUND + "; a o-o d",
        "a o-> c; a o-o b; b o-> c",
        "a o-> c; a o-o b; b o-o d",
        "a o-> c; a o-o b; b o-o e; e o-o d; d o-> c; b <-> d",
    ],
    ids=[
        "no head at c",
        "head at a",
        "done",
        "head against the start",
        "tail ahead at the start",
        "head against inside",
        "tail ahead inside",
        "head against the end",
        "tail ahead at the end",
        "b beside c",
        "covered at the start",
        "first and last adjacent",
        "no way to c",
        "covered inside",
    ],
)
def test_r9_is_silent_when_a_premise_is_broken(text):
    assert_silent(r9, text, "a c")


@pytest.mark.parametrize(("wrong", "right"), [("p", "q"), ("q", "p")])
def test_r9_may_enter_a_vertex_by_one_neighbour_and_not_by_another(wrong, right):
    """The step v - w is covered coming from one neighbour and open coming from the other: visiting v once can miss it."""
    text = f"a o-> c; a o-o p; a o-o q; p o-o v; q o-o v; v o-o w; w o-> c; w --> {wrong}"
    assert_fires(r9, text, "a c", text.replace("a o-> c", "a --> c"))
    assert_silent(r9, f"{text}; w --> {right}", "a c")


def test_r9_does_not_count_a_path_through_a_itself():
    """From b one only comes back to a; the way on from a begins with x, which is beside c."""
    loop, onward = "a o-o b; b o-o e; e o-o f; f o-o a", "a o-o x; x <-> c; x o-o y; y o-o z; z o-> c"
    assert_silent(r9, f"a o-> c; {loop}; {onward}", "a c")


FORK = "a o-> c; b --> c; d --> c; a o-o b; a o-o d"
LONG_FORK = "a o-> c; b --> c; d --> c; a o-o m; m o-o b; a o-o w; w o-o d"


@pytest.mark.parametrize(
    "text",
    [
        FORK,
        FORK.replace("a o-o b", "a --> b").replace("a o-o d", "a o-> d"),
        LONG_FORK,
        "a o-> c; b --> c; d --> c; a o-o m; m o-o b; a o-o d",
        LONG_FORK.replace("m o-o b", "m --> b").replace("a o-o w", "a o-> w"),
        LONG_FORK + "; b o-o d",
    ],
    ids=["edges", "partly directed", "paths", "an edge and a path", "partly directed paths", "the parents may be adjacent"],
)
def test_r10_puts_the_tail_when_one_of_two_ways_must_be_directed(text):
    assert_fires(r10, text, "a c", text.replace("a o-> c", "a --> c"))


@pytest.mark.parametrize(
    "text",
    [
        FORK.replace("a o-> c", "a o-o c"),
        FORK.replace("a o-> c", "a <-> c"),
        FORK.replace("a o-> c", "a --> c"),
        FORK.replace("b --> c", "b o-> c"),
        FORK.replace("d --> c", "d <-> c"),
        FORK.replace("a o-o b", "a <-o b"),
        FORK.replace("a o-o d", "a o-- d"),
        FORK + "; b o-o d",
        LONG_FORK + "; m o-o w",
        LONG_FORK + "; a <-> b",
        LONG_FORK.replace("m o-o b", "m <-o b"),
        LONG_FORK.replace("w o-o d", "w o-- d"),
        "a o-> c; b --> c; d --> c; a o-o m; m o-o b; m o-o d",
        "a o-> c; b --> c; a o-o b; a o-o w",
        "a o-> c; b --> c; d --> c; a o-o b",
    ],
    ids=[
        "no head at c",
        "head at a",
        "done",
        "b no parent",
        "d no parent",
        "head against b",
        "tail ahead at d",
        "first vertices adjacent",
        "first vertices of paths adjacent",
        "covered path",
        "head against the path",
        "tail ahead on the path",
        "one first vertex for both",
        "one parent alone",
        "one way alone",
    ],
)
def test_r10_is_silent_when_a_premise_is_broken(text):
    assert_silent(r10, text, "a c")


def test_r10_does_not_set_out_through_c():
    """The only second way from a to d would begin with a o-> c itself."""
    assert_silent(r10, "a o-> c; b --> c; d --> c; a o-o b", "a c")
