"""The text format of Tetrad, which causal-learn reads and writes as well.

Convention (Tetrad manual; ``GraphSaveLoadUtils`` in tetrad-lib)::

    Graph Nodes:
    A;B;C

    Graph Edges:
    1. A o-> B
    2. B <-> C

The mark on the left stands at the node on the left: ``<``, ``o`` or ``-`` there, ``>``, ``o`` or ``-`` on the right. Names of nodes are
parted by ``;`` (or ``,``), words of an edge by blanks, and ``(L)`` is a latent variable; so no name may be empty, hold a blank, a control
character, a comma or a semicolon, or stand in parentheses. What follows an edge on its line (``dd nl``, probabilities) and further
sections are passed over.
"""

from __future__ import annotations

import re
from typing import Final

from dicola.errors import InvalidGraph
from dicola.graphs.formats.texts import marks_of_arrow, refuse_letters, refuse_names
from dicola.graphs.marks import MixedGraph
from dicola.graphs.pag import PAG

TITLE: Final = "Tetrad's text format"
_NOT_IN_A_NAME: Final = re.compile("[\\x00-\\x20,;]")
_LATENT: Final = re.compile(r"^\(.*\)$", re.DOTALL)
_BLANKS: Final = re.compile(r"[ \t\x0b\f]+")


def to_tetrad_text(graph: MixedGraph) -> str:
    """The two sections, edges numbered from 1."""
    refuse_letters(graph, _NOT_IN_A_NAME, TITLE)
    refuse_names(graph, [""], TITLE)
    for name in graph.names:
        if _LATENT.match(name):
            raise InvalidGraph(f"{TITLE} takes {name!r} for a latent variable, because of '(' and ')'; rename it, or use another format.")
    edges = "".join(f"{number}. {edge}\n" for number, edge in enumerate(graph.edges(), start=1))
    return f"Graph Nodes:\n{';'.join(graph.names)}\n\nGraph Edges:\n{edges}\n"


def from_tetrad_text(text: str) -> PAG:
    """Read the nodes and edges of a Tetrad text; an edge may name a node that was not listed, as in Tetrad."""
    nodes: dict[str, None] = {}
    edges = []
    section, filled, seen = "", False, False
    for line in (line.strip(" \t\x0b\f") for line in re.split(r"\r\n|\r|\n", text)):
        if line.startswith("Graph ") and line.endswith(":"):
            section, filled, seen = line, False, True
        elif not line:
            section = "" if filled else section  # an empty line ends what has begun
        elif section == "Graph Nodes:":
            filled = True
            nodes |= dict.fromkeys(_observed(name) for name in re.split("[,;]", line))
        elif section == "Graph Edges:":
            filled = True
            words = _BLANKS.split(re.sub(r"^\d+\.\s?", "", line))
            marks = marks_of_arrow(words[1]) if len(words) > 2 else None
            if marks is None:
                raise InvalidGraph(f"{line!r} is no edge of {TITLE}; it would be like '1. A o-> B'.")
            u, v = _observed(words[0]), _observed(words[2])
            nodes |= dict.fromkeys((u, v))
            edges.append((u, v, *marks))
    if not seen:
        raise InvalidGraph(f"{TITLE} has the sections 'Graph Nodes:' and 'Graph Edges:'; neither is here.")
    return PAG.from_marked_edges(edges, nodes)


def _observed(name: str) -> str:
    if _LATENT.match(name):
        raise InvalidGraph(f"{name} is a latent variable; a PAG has observed ones only. Remove it from the file.")
    return name
