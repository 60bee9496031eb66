"""Objects of pywhy-graphs.

Convention (``pywhy_graphs.PAG``): a mixed-edge graph made of four layers. ``directed`` (u, v) is an arrowhead at v; ``circle`` (u, v) is a
circle at v; ``bidirected`` and ``undirected`` are whole edges. An end that no layer marks is a tail, but for ``u o-> v``, which is the pair
of ``directed`` (u, v) and ``circle`` (v, u). Nothing is lost. ``pywhy_graphs.PAG`` refuses some graphs that are no PAGs. Graphs with two
edges between a pair (an ADMG may have them) are refused on reading.
"""

from __future__ import annotations

from typing import Any, Final

from dicola.errors import InvalidGraph
from dicola.extras import from_extra
from dicola.graphs.marks import ARROW, CIRCLE, TAIL, Mark, MixedGraph
from dicola.graphs.pag import PAG

_WHOLE: Final = {"bidirected": ARROW, "undirected": TAIL}
_END: Final = {"directed": ARROW, "circle": CIRCLE}


def to_pywhy(graph: MixedGraph) -> Any:
    """A ``pywhy_graphs.PAG``."""
    layers: dict[str, list[tuple[str, str]]] = {layer: [] for layer in (*_END, *_WHOLE)}
    for edge in graph.edges():
        whole = next((layer for layer, mark in _WHOLE.items() if edge.mark_u == edge.mark_v == mark), None)
        if whole is not None:
            layers[whole].append((edge.u, edge.v))
            continue
        for start, end, mark in ((edge.u, edge.v, edge.mark_v), (edge.v, edge.u, edge.mark_u)):
            if mark is not Mark.TAIL:
                layers["directed" if mark is Mark.ARROW else "circle"].append((start, end))
    made = from_extra("pywhy_graphs", "pywhy-graphs").PAG()
    made.add_nodes_from(graph.names)
    for layer, edges in layers.items():
        for u, v in edges:
            made.add_edge(u, v, getattr(made, f"{layer}_edge_name"))
    return made


def from_pywhy(graph: Any) -> PAG:
    """Take any mixed-edge graph whose layers are called directed, circle, bidirected or undirected."""
    if not hasattr(graph, "get_graphs"):
        raise InvalidGraph(f"this is a {type(graph).__name__}, not a graph of pywhy-graphs.")
    ends: dict[tuple[str, str], int] = {}
    whole: dict[frozenset[str], int] = {}
    for layer, part in graph.get_graphs().items():
        if layer not in _END and layer not in _WHOLE and part.number_of_edges():
            raise InvalidGraph(f"the layer {layer!r} is no kind of edge of a PAG; known are {', '.join((*_END, *_WHOLE))}.")
        for u, v in ((str(u), str(v)) for u, v in part.edges):
            pair = frozenset((u, v))
            if pair in whole or (u, v) in ends or (layer in _WHOLE and (v, u) in ends):
                raise InvalidGraph(f"there are two edges between {min(u, v)!r} and {max(u, v)!r}; a PAG has one at most.")
            if layer in _WHOLE:
                whole[pair] = _WHOLE[layer]
            else:
                ends[u, v] = _END[layer]
    edges = [(u, v, mark, mark) for (u, v), mark in ((sorted(pair), mark) for pair, mark in whole.items())]
    for (u, v), mark in ends.items():
        back = ends.get((v, u), TAIL)
        if (mark, back) == (ARROW, ARROW):
            raise InvalidGraph(f"{u!r} and {v!r} each point at the other; write that as a bidirected edge.")
        edges.append((u, v, back, mark))
    return PAG.from_marked_edges(edges, [str(node) for node in graph.nodes])
