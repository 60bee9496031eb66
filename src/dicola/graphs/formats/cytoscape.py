"""Cytoscape JSON: ``.cyjs`` of Cytoscape, and the elements of Cytoscape.js.

Convention: ``{"elements": {"nodes": [{"data": {"id", "name"}}], "edges": [{"data": {"source", "target", …}}]}}``. Nodes are ``n0, n1, …``
with their ``name``; an edge carries ``mark_source``, ``mark_target`` (``circle``, ``arrow``, ``tail``) and ``interaction``, such as
``o->``, for the style of its ends. It holds any name. An edge of a foreign file without marks is read by its ``interaction`` if that is an
arrow such as ``o->``, else as ``-->``.
"""

from __future__ import annotations

from typing import Any

from dicola.errors import InvalidGraph
from dicola.graphs.formats.texts import (
    drawn_marks,
    end_named,
    json_object,
    json_text,
    labelled,
    marks_of_arrow,
    noted_marks,
    notes_on,
    numbered,
)
from dicola.graphs.marks import MixedGraph
from dicola.graphs.pag import PAG


def to_cytoscape(graph: MixedGraph) -> str:
    """The graph as one JSON object; ``value`` and the two switches are for NetworkX' ``cytoscape_graph``."""
    nodes = [{"data": {"id": f"n{i}", "value": f"n{i}", "name": name}} for i, name in enumerate(graph.names)]
    edges = [{"data": {**ends, "interaction": edge.arrow, **notes_on(edge)}} for edge, ends in numbered(graph)]
    facts = {
        "format_version": "1.0",
        "generated_by": "dicola",
        "target_cytoscapejs_version": "~2.1",
        "data": {"name": type(graph).__name__},
    }
    return json_text({**facts, "directed": True, "multigraph": False, "elements": {"nodes": nodes, "edges": edges}})


def from_cytoscape(text: str) -> PAG:
    """Read our JSON, or another's."""
    facts = json_object(text)
    try:
        nodes, edges = _parts(facts["elements"])
        names = labelled([(str(node["id"]), node.get("name", node.get("label"))) for node in nodes])
        found = []
        for edge in edges:
            u, v = (end_named(names, str(edge[end])) for end in ("source", "target"))
            drawn = marks_of_arrow(str(edge.get("interaction", ""))) or drawn_marks(directed=True)
            found.append((u, v, *noted_marks(edge, drawn)))
    except (LookupError, TypeError, AttributeError) as error:
        raise InvalidGraph(f"this is no graph in Cytoscape's JSON: {type(error).__name__}: {error}.") from None
    return PAG.from_marked_edges(found, names.values())


def _parts(elements: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Data of nodes and of edges; Cytoscape.js also takes both in one list."""
    if isinstance(elements, dict):
        return [node["data"] for node in elements["nodes"]], [edge["data"] for edge in elements.get("edges", ())]
    data = [element["data"] for element in elements]
    return [entry for entry in data if "source" not in entry], [entry for entry in data if "source" in entry]
