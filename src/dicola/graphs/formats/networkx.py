"""NetworkX objects.

Convention: a ``networkx.Graph`` whose edge between u and v carries ``marks={u: "o", v: ">"}``, the mark at each end under the name of that
end: ``o`` circle, ``>`` arrowhead, ``-`` tail. An undirected graph forgets which end was named first; the marks do not depend on it.
pgmpy's ancestral graphs keep their marks in the same way, so they are read as well. Also read: directed graphs whose edges carry
``mark_source`` and ``mark_target``, as NetworkX reads them from our GraphML, GEXF and Cytoscape JSON (nodes ``n0, n1, …`` are then named by
their ``label`` or ``name``), and plain directed graphs, whose arcs are ``-->``. Nothing is lost; names of nodes become text.
"""

from __future__ import annotations

from typing import Any

from dicola.errors import InvalidGraph
from dicola.extras import from_extra
from dicola.graphs.formats.texts import drawn_marks, labelled, mark_named, noted_marks
from dicola.graphs.marks import MixedGraph
from dicola.graphs.pag import PAG


def to_networkx(graph: MixedGraph) -> Any:
    """A ``networkx.Graph`` with the mark at each end of each edge."""
    made = from_extra("networkx", "networkx").Graph()
    made.add_nodes_from(graph.names)
    made.add_edges_from((e.u, e.v, {"marks": {e.u: str(e.mark_u), e.v: str(e.mark_v)}}) for e in graph.edges())
    return made


def from_networkx(graph: Any) -> PAG:
    """Take a graph with marks, or a directed one without."""
    if not (hasattr(graph, "is_directed") and hasattr(graph, "edges") and hasattr(graph, "nodes")):
        raise InvalidGraph(f"this is a {type(graph).__name__}, not a graph of NetworkX.")
    nodes = [(str(node), data.get("label", data.get("name"))) for node, data in graph.nodes(data=True)]
    numbered = [node for node, _ in nodes] == [f"n{position}" for position in range(len(nodes))]
    names = labelled([(node, label if numbered else None) for node, label in nodes])
    found = [(names[str(u)], names[str(v)], *_marks(u, v, data, graph.is_directed())) for u, v, data in graph.edges(data=True)]
    return PAG.from_marked_edges(found, names.values())


def _marks(u: object, v: object, data: dict[str, Any], directed: bool) -> tuple[int, int]:
    marks = data.get("marks")
    if isinstance(marks, dict) and u in marks and v in marks:
        return mark_named(marks[u]), mark_named(marks[v])
    if directed:
        return noted_marks(data, drawn_marks(directed=True))
    raise InvalidGraph(f"the edge {u!r} - {v!r} carries no marks; give each edge marks={{u: 'o', v: '>'}}, or pass a DiGraph of arcs.")
