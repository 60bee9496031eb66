"""R5-R7, each alone."""

from __future__ import annotations

import pytest

from dicola.orient.selection import r5, r6, r7
from tests.orient.drawn import assert_fires, assert_silent

SQUARE = "a o-o c; c o-o d; d o-o b; a o-o b"
PENTAGON = "a o-o c; c o-o e; e o-o d; d o-o b; a o-o b"


@pytest.mark.parametrize("text", [SQUARE, PENTAGON], ids=["square", "pentagon"])
def test_r5_makes_an_uncovered_circle_cycle_undirected(text):
    assert_fires(r5, text, "a b", text.replace("o-o", "---"))


def test_r5_leaves_what_hangs_on_the_cycle_alone():
    assert_fires(r5, SQUARE + "; a o-o x; x o-> y", "a b", SQUARE.replace("o-o", "---") + "; a o-o x; x o-> y")


@pytest.mark.parametrize(
    "text",
    [
        SQUARE.replace("a o-o b", "a o-> b"),
        SQUARE.replace("a o-o b", "a --o b"),
        SQUARE.replace("c o-o d", "c o-> d"),
        SQUARE.replace("c o-o d", "c --o d"),
        SQUARE + "; a o-o d",
        SQUARE + "; c o-o b",
        SQUARE + "; a --> d",
        "a o-o b; a o-o c; b o-o c",
        "a o-o c; c o-o d; a o-o b",
        PENTAGON + "; c --> d",
        PENTAGON + "; a --> e",
        PENTAGON + "; a --> e; c --> b",
    ],
    ids=[
        "edge has an arrowhead",
        "edge has a tail",
        "path has an arrowhead",
        "path has a tail",
        "a beside d",
        "c beside b",
        "chord of another kind",
        "triangle",
        "no cycle",
        "covered inside",
        "covered at the start",
        "covered twice",
    ],
)
def test_r5_is_silent_when_a_premise_is_broken(text):
    assert_silent(r5, text, "a b")


def test_r5_finds_the_long_cycle_when_the_first_try_is_a_dead_end():
    """c1 leads nowhere, c2 leads round."""
    text = "a o-o b; a o-o c1; c1 o-o x; a o-o c2; c2 o-o e; e o-o d; d o-o b"
    result = "a --- b; a o-o c1; c1 o-o x; a --- c2; c2 --- e; e --- d; d --- b"
    assert_fires(r5, text, "a b", result)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("a --- b; b o-o c", "a --- b; b --o c"),
        ("a --- b; b o-> c", "a --- b; b --> c"),
        ("a --- b; b o-- c", "a --- b; b --- c"),
        ("a --- b; b o-o c; a o-o c", "a --- b; b --o c; a o-o c"),
    ],
)
def test_r6_puts_a_tail_beside_an_undirected_edge(text, result):
    assert_fires(r6, text, "a b c", result)


@pytest.mark.parametrize("text", ["a --> b; b o-o c", "a --o b; b o-o c", "a o-- b; b o-o c", "a --- b; b --> c", "a --- b; b <-o c"])
def test_r6_is_silent_when_a_premise_is_broken(text):
    assert_silent(r6, text, "a b c")


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("a --o b; b o-o c", "a --o b; b --o c"),
        ("a --o b; b o-> c", "a --o b; b --> c"),
        ("a --o b; b o-- c", "a --o b; b --- c"),
    ],
)
def test_r7_puts_a_tail_behind_a_tail_and_a_circle(text, result):
    assert_fires(r7, text, "a b c", result)


@pytest.mark.parametrize(
    "text",
    [
        "a o-o b; b o-o c",
        "a --> b; b o-o c",
        "a --- b; b o-o c",
        "a <-o b; b o-o c",
        "a --o b; b --o c",
        "a --o b; b <-o c",
        "a --o b; b o-o c; a o-o c",
    ],
    ids=["no tail", "arrowhead at b", "tail at b", "arrowhead at a", "done", "arrowhead stands", "shielded"],
)
def test_r7_is_silent_when_a_premise_is_broken(text):
    assert_silent(r7, text, "a b c")


def test_r7_needs_two_different_ends():
    assert_silent(r7, "a --o b", "a b a")
