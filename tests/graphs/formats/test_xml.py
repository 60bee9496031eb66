"""GraphML and GEXF: read by NetworkX, read as drawn from others, and closed to entities."""

from __future__ import annotations

import io

import networkx as nx
import pytest

from dicola import PAG, InvalidGraph
from dicola.graphs.formats.gexf import from_gexf, to_gexf
from dicola.graphs.formats.graphml import from_graphml, to_graphml
from tests.graphs.formats.drawn import AWKWARD, joined, random_pags

BOTH = [(to_graphml, from_graphml), (to_gexf, from_gexf)]


@pytest.mark.parametrize(
    ("write", "parse"), [(to_graphml, nx.parse_graphml), (to_gexf, lambda text: nx.read_gexf(io.BytesIO(text.encode())))]
)
def test_networkx_reads_our_files_and_gives_the_same_marks(write, parse):
    for pag in (*random_pags(), joined([name for name in AWKWARD if name not in ("\x00", "\x01")], share=0.2)):
        assert PAG.from_networkx(parse(write(pag))) == pag


def test_graphml_of_networkx_is_read_as_drawn():
    arcs = nx.DiGraph([("A", "B"), ("B", "C")])
    assert from_graphml("".join(nx.generate_graphml(arcs))) == PAG.from_text("A --> B; B --> C")
    assert from_graphml("".join(nx.generate_graphml(nx.Graph([("A", "B")])))) == PAG.from_text("A --- B")


def test_gexf_of_networkx_is_read_as_drawn():
    assert from_gexf("".join(nx.generate_gexf(nx.DiGraph([("A", "B"), ("B", "C")])))) == PAG.from_text("A --> B; B --> C")
    assert from_gexf("".join(nx.generate_gexf(nx.Graph([("A", "B")])))) == PAG.from_text("A --- B")
    mutual = (
        '<gexf><graph><nodes><node id="a"/><node id="b"/></nodes><edges><edge source="a" target="b" type="mutual"/></edges></graph></gexf>'
    )
    assert from_gexf(mutual) == PAG.from_text("a <-> b")


def test_an_edge_says_its_own_direction_in_graphml():
    edge = '<edge source="a" target="b" directed="true"/>'
    text = f'<graphml><graph edgedefault="undirected"><node id="a"/><node id="b"/>{edge}</graph></graphml>'
    assert from_graphml(text) == PAG.from_text("a --> b")


BOMB = '<?xml version="1.0"?><!DOCTYPE g [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'


@pytest.mark.parametrize("read", [from_graphml, from_gexf])
@pytest.mark.parametrize(
    "head", [BOMB, '<!DOCTYPE g SYSTEM "http://example.org/g.dtd">', '<!DOCTYPE g [<!ENTITY x SYSTEM "file:///etc/hostname">]>']
)
def test_document_types_and_with_them_entities_are_refused(read, head):
    with pytest.raises(InvalidGraph, match="declares a document type"):
        read(head + '<graphml><graph><node id="&b;"/></graph></graphml>')


@pytest.mark.parametrize("read", [from_graphml, from_gexf])
@pytest.mark.parametrize("text", ["<a>" * 100_000, '<?xml version="1.0" encoding="no-such"?><graphml/>', "<graphml/>", "<gexf/>"])
def test_deep_foreign_and_empty_documents_are_refused(read, text):
    with pytest.raises(InvalidGraph):
        read(text)


@pytest.mark.parametrize(("write", "read"), BOTH)
def test_a_mark_or_node_that_is_missing_is_named(write, read):
    text = write(PAG.from_text("A o-> B"))
    with pytest.raises(InvalidGraph, match="'ring' is not a mark"):
        read(text.replace("circle", "ring"))
    with pytest.raises(InvalidGraph, match="'n7', which is not among the nodes"):
        read(text.replace('target="n1"', 'target="n7"'))
    with pytest.raises(InvalidGraph, match="'B', which is not among the nodes"):
        read(text.replace('target="n1"', 'target="B"'))
    with pytest.raises(InvalidGraph, match="has no 'target'"):
        read(text.replace('target="n1"', ""))
    with pytest.raises(InvalidGraph, match="is given twice"):
        read(text.replace('id="n1"', 'id="n0"'))
