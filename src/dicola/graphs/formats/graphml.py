"""GraphML, the XML that yEd, Gephi, Cytoscape, igraph and NetworkX read.

Convention: nodes ``n0, n1, …`` with their name under the key ``label``; every edge goes from tail to arrowhead as far as it has them and
carries ``mark_source``, ``mark_target`` (``circle``, ``arrow``, ``tail``) and ``edge``, such as ``o->``. All edges are marked as directed,
so that readers keep the order of the two ends: what a PAG claims stands in the marks alone. An edge of a foreign file without these keys is
read as it is drawn: directed ``-->``, undirected ``---``. Names may not hold control characters that XML cannot write.
"""

from __future__ import annotations

from typing import Final
from xml.etree.ElementTree import Element, SubElement

from dicola.graphs.formats.texts import drawn_marks, end_named, labelled, needed, noted_marks, notes_on, numbered, xml_graph, xml_text
from dicola.graphs.marks import MixedGraph
from dicola.graphs.pag import PAG

TITLE: Final = "GraphML"
_KEYS: Final = {"label": "node", "mark_source": "edge", "mark_target": "edge", "edge": "edge"}


def to_graphml(graph: MixedGraph) -> str:
    """The graph as one GraphML document."""
    root = Element("graphml", {"xmlns": "http://graphml.graphdrawing.org/xmlns"})
    for key, domain in _KEYS.items():
        SubElement(root, "key", {"id": key, "for": domain, "attr.name": key, "attr.type": "string"})
    body = SubElement(root, "graph", {"id": "G", "edgedefault": "directed"})
    for position, name in enumerate(graph.names):
        node = SubElement(body, "node", {"id": f"n{position}"})
        SubElement(node, "data", {"key": "label"}).text = name
    for edge, ends in numbered(graph):
        element = SubElement(body, "edge", ends)
        for key, value in {**notes_on(edge), "edge": edge.arrow}.items():
            SubElement(element, "data", {"key": key}).text = value
    return xml_text(root, graph, TITLE)


def from_graphml(text: str) -> PAG:
    """Read our GraphML, or another's as it is drawn."""
    root, body = xml_graph(text, "graphml", TITLE)
    keys = {key.get("id"): key.get("attr.name") for key in root.iter("key")}

    def data(element: Element) -> dict[str | None, str]:
        return {keys.get(entry.get("key")): entry.text or "" for entry in element.findall("data")}

    default = body.get("edgedefault", "directed") == "directed"
    nodes = [(needed(node, "id"), data(node)) for node in body.findall("node")]
    names = labelled([(node, values.get("label", values.get("name"))) for node, values in nodes])
    edges = []
    for edge in body.findall("edge"):
        ends = [end_named(names, needed(edge, end)) for end in ("source", "target")]
        directed = {"true": True, "false": False}.get(edge.get("directed", ""), default)
        edges.append((ends[0], ends[1], *noted_marks(data(edge), drawn_marks(directed))))
    return PAG.from_marked_edges(edges, names.values())
