"""A CSV of edges: ``u,v,mark_u,mark_v``, one edge per line.

Convention: dicola's own, with the words of ``pag.json``: ``mark_u`` is the mark at u, one of ``circle``, ``arrow``, ``tail``. A node
without edges has a line of its own with the other cells empty. Lost: the order of the nodes, which is that of their first mention.
"""

from __future__ import annotations

from dicola.errors import InvalidGraph
from dicola.graphs.formats.texts import csv_rows, csv_text, mark_named, word_of
from dicola.graphs.marks import MixedGraph
from dicola.graphs.pag import PAG

HEADER = ["u", "v", "mark_u", "mark_v"]


def to_edge_list(graph: MixedGraph) -> str:
    """One edge per line, then the nodes without edges."""
    edges = [[e.u, e.v, word_of(e.mark_u), word_of(e.mark_v)] for e in graph.edges()]
    alone = [[name, "", "", ""] for name, beside in zip(graph.names, graph.around, strict=True) if not beside]
    return csv_text([HEADER, *edges, *alone])


def from_edge_list(text: str) -> PAG:
    """Read what ``to_edge_list`` writes."""
    rows = csv_rows(text)
    if not rows or [cell.strip().lower() for cell in rows[0]] != HEADER:
        raise InvalidGraph(f"a list of edges begins with the header {','.join(HEADER)!r}.")
    nodes: dict[str, None] = {}
    edges = []
    for line, row in enumerate(rows[1:], start=2):
        if len(row) == 1 or (len(row) == 4 and not any(row[1:])):
            nodes[row[0]] = None
        elif len(row) == 4:
            nodes |= dict.fromkeys(row[:2])
            edges.append((row[0], row[1], mark_named(row[2]), mark_named(row[3])))
        else:
            raise InvalidGraph(f"line {line} is no edge; each line has the four cells {','.join(HEADER)}.")
    return PAG.from_marked_edges(edges, nodes)
