"""The JSON of Tetrad and causal-cmd.

Convention (``JsonUtils`` in tetrad-lib): an object with ``nodes`` (``name``, ``nodeType``, place) and ``edgesSet``, where ``endpoint1`` is
the mark at ``node1``. Present versions write an end as its name (``"ARROW"``), older ones as ``{"ordinal": 1}`` in the order tail, arrow,
circle; both are read, and the first is written. A graph inside ``{"graph": …}``, as the causal-cmd of older days wrote it, is found. It
holds any name. Passed over: coordinates, attributes, probabilities, triples.
"""

from __future__ import annotations

from typing import Any, Final

from dicola.errors import InvalidGraph
from dicola.graphs.formats.texts import json_object, json_text, mark_named
from dicola.graphs.marks import ARROW, CIRCLE, TAIL, MixedGraph
from dicola.graphs.pag import PAG

_ORDINALS: Final = (TAIL, ARROW, CIRCLE)
_MEASURED: Final = {"ordinal": 0}
_UNTOLD: Final[dict[str, Any]] = {"properties": [], "edgeTypeProbabilities": []}


def to_tetrad_json(graph: MixedGraph) -> str:
    """All keys that Tetrad's own reader asks for."""
    nodes = {
        name: {"name": name, "nodeType": _MEASURED, "nodeVariableType": "DOMAIN", "centerX": 0, "centerY": 0, "attributes": {}}
        for name in graph.names
    }
    edges = [
        {"node1": nodes[e.u], "node2": nodes[e.v], "endpoint1": e.mark_u.name, "endpoint2": e.mark_v.name, **_UNTOLD} for e in graph.edges()
    ]
    nothing: dict[str, Any] = {key: [] for key in ("ambiguousTriples", "underLineTriples", "dottedUnderLineTriples", "highlightedEdges")}
    facts = {"nodes": list(nodes.values()), "edgesSet": edges, **nothing, "stuffRemovedSinceLastTripleAccess": False, "attributes": {}}
    return json_text(facts)


def from_tetrad_json(text: str) -> PAG:
    """Read a graph of either generation of Tetrad."""
    facts = json_object(text)
    if isinstance(facts.get("graph"), dict):
        facts = facts["graph"]
    try:
        names = [_text(node["name"]) for node in facts["nodes"]]
        edges = [
            (_text(e["node1"]["name"]), _text(e["node2"]["name"]), _mark(e["endpoint1"]), _mark(e["endpoint2"])) for e in facts["edgesSet"]
        ]
    except (LookupError, TypeError) as error:
        raise InvalidGraph(f"this is no graph in Tetrad's JSON: {type(error).__name__}: {error}.") from None
    return PAG.from_marked_edges(edges, names)


def _mark(end: Any) -> int:
    if isinstance(end, dict) and end.get("ordinal") in (0, 1, 2):
        return _ORDINALS[end["ordinal"]]
    return mark_named(end)


def _text(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"{name!r} is no name")
    return name
