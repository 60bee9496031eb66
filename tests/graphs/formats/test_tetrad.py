"""Tetrad's text and JSON as Tetrad writes and reads them."""

from __future__ import annotations

import json

import pytest

from dicola import PAG, InvalidGraph
from dicola.graphs.formats.tetrad_json import from_tetrad_json, to_tetrad_json
from dicola.graphs.formats.tetrad_text import from_tetrad_text, to_tetrad_text
from tests.graphs.formats.drawn import random_pags

PAG_ = PAG.from_text("A o-> B; B <-> C; C --> D; D o-o E; E --o F; F --- G", nodes="ABCDEFGH")


def test_the_text_is_the_documented_one():
    assert (
        to_tetrad_text(PAG.from_text("B o-> A; B <-> C", nodes="ABC")) == "Graph Nodes:\nA;B;C\n\nGraph Edges:\n1. B o-> A\n2. B <-> C\n\n"
    )


def test_a_text_with_properties_attributes_and_windows_line_ends_is_read():
    text = (
        "Graph Nodes:\r\nX1,X2,X3,Alone\r\n\r\nGraph Edges:\r\n1. X1 --> X2 dd nl\r\n2. X3 <-o X2 [X2 o-> X3]:0.9;[no edge]:0.1;\r\n"
        "\r\nGraph Attributes:\r\nScore: -17.5\r\n\r\nGraph Node Attributes:\r\nScore: [X1: -1;X2: -2]\r\n\r\n"
        "Ambiguous triples (i.e. list of triples for which there is ambiguous data):\r\n<X1, X2, X3>\r\n"
    )
    assert from_tetrad_text(text) == PAG.from_text("X1 --> X2; X2 o-> X3", nodes=["X1", "X2", "X3", "Alone"])


def test_nodes_named_only_in_edges_are_taken_as_tetrad_does():
    assert from_tetrad_text("Graph Edges:\n1. A o-o B\n") == PAG.from_text("A o-o B")


def test_latent_variables_are_refused():
    with pytest.raises(InvalidGraph, match=r"\(L1\) is a latent variable"):
        from_tetrad_text("Graph Nodes:\nA;(L1)\n")


@pytest.mark.parametrize("line", ["1. A -> B", "1. A o-> ", "1. A", "1. A o~> B", "A and B"])
def test_a_line_that_is_no_edge_is_shown(line):
    with pytest.raises(InvalidGraph, match="is no edge of Tetrad's text format"):
        from_tetrad_text(f"Graph Edges:\n{line}\n")


def test_causal_learn_reads_the_same_marks_from_our_text(tmp_path):
    reader = pytest.importorskip("causallearn.utils.TXT2GeneralGraph", reason="causal-learn is not installed")
    for pag in random_pags():
        # Its reader goes through add_edge, which knows no circle beside a tail.
        if len(pag) and not any({str(edge.mark_u), str(edge.mark_v)} == {"o", "-"} for edge in pag.edges()):
            (tmp_path / "graph.txt").write_text(to_tetrad_text(pag))
            assert PAG.from_causal_learn(reader.txt2generalgraph(str(tmp_path / "graph.txt"))) == pag


def test_what_causal_learn_prints_of_a_graph_is_read():
    pytest.importorskip("causallearn", reason="causal-learn is not installed")
    for pag in random_pags():
        if len(pag):
            assert from_tetrad_text(str(pag.to_causal_learn())) == pag


def test_the_json_has_every_key_that_tetrad_asks_for():
    facts = json.loads(to_tetrad_json(PAG_))
    for key in ("ambiguousTriples", "underLineTriples", "dottedUnderLineTriples", "highlightedEdges"):
        assert facts[key] == []
    assert facts["stuffRemovedSinceLastTripleAccess"] is False
    assert {"name", "nodeType", "centerX", "centerY"} <= facts["nodes"][0].keys() and facts["nodes"][0]["nodeType"] == {"ordinal": 0}
    edge = facts["edgesSet"][0]
    assert (edge["node1"]["name"], edge["endpoint1"], edge["endpoint2"], edge["node2"]["name"]) == ("A", "CIRCLE", "ARROW", "B")


def test_the_json_of_older_versions_is_read():
    facts = json.loads(to_tetrad_json(PAG_))
    for edge in facts["edgesSet"]:
        for end in ("endpoint1", "endpoint2"):
            edge[end] = {"ordinal": ["TAIL", "ARROW", "CIRCLE"].index(edge[end])}
    assert from_tetrad_json(json.dumps({"name": "job", "graph": facts})) == PAG_


def test_marks_that_no_pag_has_are_refused():
    text = to_tetrad_json(PAG.from_text("A o-> B"))
    with pytest.raises(InvalidGraph, match="'STAR' is not a mark"):
        from_tetrad_json(text.replace("CIRCLE", "STAR"))
    with pytest.raises(InvalidGraph, match="is not a mark"):
        from_tetrad_json(text.replace('"CIRCLE"', '{"ordinal": 3}'))
