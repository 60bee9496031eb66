"""GEXF 1.3, the XML of Gephi.

Convention: nodes ``n0, n1, …`` with their name as ``label``; every edge carries the attributes ``mark_source`` and ``mark_target``
(``circle``, ``arrow``, ``tail``) and the label ``o->``. All edges are of the type directed, so that readers keep the order of the two ends:
what a PAG claims stands in the marks alone. An edge of a foreign file without these attributes is read as it is drawn: directed ``-->``,
undirected ``---``, mutual ``<->``. Names may not hold control characters that XML cannot write.
"""

from __future__ import annotations

from typing import Final
from xml.etree.ElementTree import Element, SubElement

from dicola.graphs.formats.texts import drawn_marks, end_named, labelled, needed, noted_marks, notes_on, numbered, xml_graph, xml_text
from dicola.graphs.marks import ARROW, MixedGraph
from dicola.graphs.pag import PAG

TITLE: Final = "GEXF"
_MARKS: Final = ("mark_source", "mark_target")


def to_gexf(graph: MixedGraph) -> str:
    """The graph as one GEXF document."""
    root = Element("gexf", {"xmlns": "http://gexf.net/1.3", "version": "1.3"})
    body = SubElement(root, "graph", {"defaultedgetype": "directed", "mode": "static"})
    attributes = SubElement(body, "attributes", {"class": "edge"})
    for position, key in enumerate(_MARKS):
        SubElement(attributes, "attribute", {"id": str(position), "title": key, "type": "string"})
    nodes = SubElement(body, "nodes")
    for position, name in enumerate(graph.names):
        SubElement(nodes, "node", {"id": f"n{position}", "label": name})
    edges = SubElement(body, "edges")
    for edge, ends in numbered(graph):
        element = SubElement(edges, "edge", {**ends, "label": edge.arrow})
        values = SubElement(element, "attvalues")
        for position, word in enumerate(notes_on(edge).values()):
            SubElement(values, "attvalue", {"for": str(position), "value": word})
    return xml_text(root, graph, TITLE)


def from_gexf(text: str) -> PAG:
    """Read our GEXF, or another's as it is drawn."""
    _, body = xml_graph(text, "gexf", TITLE)
    titles = {entry.get("id"): entry.get("title") for group in body.iter("attributes") if group.get("class") == "edge" for entry in group}
    default = body.get("defaultedgetype", "undirected")
    names = labelled([(needed(node, "id"), node.get("label")) for node in body.iterfind("nodes/node")])
    edges = []
    for edge in body.iterfind("edges/edge"):
        values = {titles.get(value.get("for", value.get("id"))): value.get("value") for value in edge.iter("attvalue")}
        ends = [end_named(names, needed(edge, end)) for end in ("source", "target")]
        kind = edge.get("type", default)
        drawn = (ARROW, ARROW) if kind == "mutual" else drawn_marks(kind == "directed")
        edges.append((ends[0], ends[1], *noted_marks(values, drawn)))
    return PAG.from_marked_edges(edges, names.values())
