"""dagitty's language as its parser defines it."""

from __future__ import annotations

import pytest

from dicola import DAG, MAG, PAG, InvalidGraph
from dicola.graphs.formats.dagitty import from_dagitty, to_dagitty


def test_every_kind_of_edge_is_written_with_its_operator():
    pag = PAG.from_text("A o-> B; B <-> C; C --> D; D o-o E; E --o F; F --- G", nodes="ABCDEFGH")
    assert to_dagitty(pag).split("\n") == [
        "pag {",
        *"ABCDEFGH",
        *("A @-> B", "B <-> C", "C -> D", "D @-@ E", "E --@ F", "F -- G"),
        "}",
        "",
    ]


def test_every_operator_is_read_both_ways_round():
    text = "pag{ a -> b b <- c; c <-> d d -- e e @-> f f <-@ g g @-@ h h @-- i i --@ j }"
    assert from_dagitty(text) == PAG.from_text(
        "a --> b; c --> b; c <-> d; d --- e; e o-> f; g o-> f; g o-o h; i --o h; i --o j", nodes="abcdefghij"
    )


def test_the_kind_of_graph_survives():
    dag = DAG.from_edges([("A", "B"), ("C", "B")], nodes="ABCD")
    mag = MAG.from_text("A <-> B; B --- C")
    assert to_dagitty(dag).startswith("dag {") and to_dagitty(mag).startswith("mag {")
    assert from_dagitty(to_dagitty(dag)) == dag and from_dagitty(to_dagitty(mag)) == mag
    assert isinstance(from_dagitty("dag { x -> y x <-> y2 }"), PAG)


def test_what_the_website_writes_is_read():
    text = """
    dag {
    bb="-2.1,-2.6,1.9,1.7"
    "body mass" [adjusted,pos="-0.5,0.1"]
    U [latent,pos="-1.4,-1.0"]
    X [exposure,pos="-1.3,0.6"]
    Y [outcome,pos="1.1,0.6"]
    "body mass" -> {X Y}
    U -> X
    X -> Y [beta="0.3"]
    }
    """
    graph = from_dagitty(text)
    assert graph == DAG.from_edges([("body mass", "X"), ("body mass", "Y"), ("U", "X"), ("X", "Y")])


def test_quotes_and_backslashes_follow_its_parser():
    assert from_dagitty(r'pag { "a\"b" -> "c\d" "e\\f" }').names == ('a"b', r"c\d", r"e\\f")
    assert to_dagitty(PAG.from_text("x --> y").reordered(["y", "x"])).startswith("pag {\ny\nx\nx -> y")


def test_a_pdag_with_open_directions_is_refused_and_one_without_is_read():
    with pytest.raises(InvalidGraph, match="leaves the direction"):
        from_dagitty("pdag { a -- b }")
    assert from_dagitty("pdag { a -> b }") == PAG.from_text("a --> b")


@pytest.mark.parametrize(
    "text", ["dag { a -> b b -> a }", "dag { a -> a }", "pag { a -> }", "pag { a -> b", "pag a -> b }", "pag { a <> b }"]
)
def test_what_is_no_graph_is_refused(text):
    with pytest.raises(InvalidGraph):
        from_dagitty(text)
