"""Meek's rules, each alone, and the class of a DAG they lead to."""

from __future__ import annotations

import pytest

from dicola import DAG, PAG
from dicola.graphs.skeleton import RecordedSets, Skeleton
from dicola.orient.colliders import by_separating_set
from dicola.orient.meek import meek1, meek2, meek3, orient_dag_class
from tests.orient.drawn import Drawn, assert_fires, assert_silent


def test_meek1_points_away_from_an_arc_where_a_collider_would_be_new():
    assert_fires(meek1, "a --> b; b o-o c", "a b c", "a --> b; b --> c")


@pytest.mark.parametrize(
    "text",
    [
        "a o-o b; b o-o c",  # nothing points at b
        "b --> a; b o-o c",
        "a --> b; b --> c",  # decided already
        "a --> b; c --> b",
        "a --> b; b o-o c; a o-o c",  # shielded
        "a <-> b; b o-o c",  # no arc
        "a o-> b; b o-o c",
    ],
)
def test_meek1_says_nothing_elsewhere(text):
    assert_silent(meek1, text, "a b c")


def test_meek1_needs_three_different_vertices():
    assert_silent(meek1, "a --> b; b o-o c", "a b a")


def test_meek2_closes_no_cycle():
    assert_fires(meek2, "a --> b; b --> c; a o-o c", "a b c", "a --> b; b --> c; a --> c")


@pytest.mark.parametrize(
    "text",
    [
        "a --> b; c --> b; a o-o c",
        "a --> b; b o-o c; a o-o c",
        "b --> a; b --> c; a o-o c",
        "a --> b; b --> c; c --> a",
        "a --> b; b --> c",
    ],
)
def test_meek2_says_nothing_elsewhere(text):
    assert_silent(meek2, text, "a b c")


def test_meek3_points_where_both_other_ways_would_make_a_cycle_or_a_collider():
    assert_fires(meek3, "a o-o b; a o-o c; a o-o d; c --> b; d --> b", "a b c d", "a --> b; a o-o c; a o-o d; c --> b; d --> b")


@pytest.mark.parametrize(
    "text",
    [
        "a o-o b; a o-o c; a o-o d; c --> b; d --> b; c o-o d",  # c and d are adjacent
        "a o-o b; a --> c; a o-o d; c --> b; d --> b",
        "a o-o b; a o-o c; d --> a; c --> b; d --> b",
        "a o-o b; a o-o c; a o-o d; c --> b; b --> d",
        "a o-o b; a o-o c; a o-o d; c --> b; b o-o d",
        "b --> a; a o-o c; a o-o d; c --> b; d --> b",
        "a o-o c; a o-o d; c --> b; d --> b",
    ],
)
def test_meek3_says_nothing_elsewhere(text):
    assert_silent(meek3, text, "a b c d")


def test_meek3_needs_two_different_parents():
    assert_silent(meek3, "a o-o b; a o-o c; a o-o d; c --> b; d --> b", "a b c c")


@pytest.mark.parametrize(
    ("rule", "text", "vertices", "triple"),
    [
        (meek1, "a --> b; b o-o c", "a b c", "a b c"),
        (meek3, "a o-o b; a o-o c; a o-o d; c --> b; d --> b", "a b c d", "c a d"),
    ],
    ids=["meek1", "meek3"],
)
def test_a_triple_nobody_could_judge_serves_no_rule(rule, text, vertices, triple):
    drawn = Drawn(text)
    x, y, z = drawn.at(triple)
    drawn.graph.ambiguous.add((min(x, z), y, max(x, z)))
    assert not rule(drawn.graph, *drawn.at(vertices)) and drawn.looks_like(text)


def oriented(text: str, sets: dict[str, str]) -> PAG:
    """The class from a skeleton, given as a graph whose marks do not matter, and the set that separates each missing pair."""
    names = sorted(DAG.from_edges([line.split(" --> ") for line in text.split("; ")]).names)
    place = {name: i for i, name in enumerate(names)}
    edges = frozenset(tuple(sorted((place[a], place[b]))) for a, b in (line.split(" --> ") for line in text.split("; ")))
    recorded = RecordedSets({(place[pair[0]], place[pair[1]]): [place[v] for v in z] for pair, z in sets.items()})
    skeleton = Skeleton(tuple(names), tuple(range(len(names))), edges, recorded, tuple(names))
    return orient_dag_class(skeleton, by_separating_set(recorded)).pag


def test_a_chain_stays_open_and_a_collider_does_not():
    assert str(oriented("a --> b; b --> c", {"ac": "b"})) == "a o-o b\nb o-o c"
    assert str(oriented("a --> b; c --> b", {"ac": ""})) == "a --> b\nc --> b"


def test_rules_follow_one_another():
    chain = oriented("a --> c; b --> c; c --> d; d --> e", {"ab": "", "ad": "c", "bd": "c", "ae": "d", "be": "d", "ce": "d"})
    assert str(chain) == "a --> c\nb --> c\nc --> d\nd --> e"  # a collider, meek1, meek1 again
    triangle = oriented("a --> b; e --> b; b --> c; a --> c", {"ae": "", "ce": "ab"})
    assert str(triangle) == "a --> b\na --> c\nb --> c\ne --> b"  # a collider, meek1, meek2
    open_end = oriented("a --> c; b --> c; c --> d; c --> e; d --> e", {"ab": "", "ad": "c", "bd": "c", "ae": "c", "be": "c"})
    assert str(open_end) == "a --> c\nb --> c\nc --> d\nc --> e\nd o-o e"


def test_meek3_is_reached_from_colliders_alone():
    kite = oriented("a --> b; a --> c; a --> d; c --> b; d --> b", {"cd": "a"})
    assert str(kite) == "a --> b\na o-o c\na o-o d\nc --> b\nd --> b"


def test_contradicting_colliders_leave_no_edge_with_two_arrowheads():
    # a - b - c and b - c - d, both said to be colliders: c --> b and b --> c at once
    names = ("a", "b", "c", "d")
    sets = RecordedSets({(0, 2): (), (1, 3): (), (0, 3): ()})
    skeleton = Skeleton(names, (0, 1, 2, 3), frozenset({(0, 1), (1, 2), (2, 3)}), sets, names)
    found = orient_dag_class(skeleton, by_separating_set(sets))
    assert str(found.pag) == "a --> b\nc --> b\nd --> c" and found.conflicts
