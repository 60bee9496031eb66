"""The library's own files: ``pag.csv`` (see ``pcalg``), ``pag.json``, and ``dag.csv``.

``pag.json`` is ``{"format": "dicola.pag", "version": 1, "nodes": […], "edges": [{"u", "v", "mark_u", "mark_v"}]}`` with the marks
``circle``, ``arrow`` and ``tail``; ``mark_u`` stands at u. It says everything that a PAG holds. ``dag.csv`` has the header
``parent,child`` and one arc per line; it knows no other edges and no nodes without arcs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dicola.errors import InvalidGraph
from dicola.graphs.dag import DAG
from dicola.graphs.formats.pcalg import from_csv as from_csv
from dicola.graphs.formats.pcalg import to_csv as to_csv
from dicola.graphs.formats.texts import csv_rows, csv_text, json_object, json_text, mark_named, refuse_isolated, text_of, word_of
from dicola.graphs.marks import MixedGraph
from dicola.graphs.pag import PAG

FORMAT = "dicola.pag"


def to_json(graph: MixedGraph) -> str:
    """``{"format": "dicola.pag", "version": 1, "nodes": [...], "edges": [{"u", "v", "mark_u", "mark_v"}]}``."""
    edges = [{"u": e.u, "v": e.v, "mark_u": word_of(e.mark_u), "mark_v": word_of(e.mark_v)} for e in graph.edges()]
    return json_text({"format": FORMAT, "version": 1, "nodes": list(graph.names), "edges": edges})


def from_json(text: str) -> PAG:
    """Read what ``to_json`` writes."""
    facts = json_object(text)
    if facts.get("format") != FORMAT:
        raise InvalidGraph(f"this JSON has the format {facts.get('format')!r}, not {FORMAT!r}.")
    try:
        edges = [(str(e["u"]), str(e["v"]), mark_named(e["mark_u"]), mark_named(e["mark_v"])) for e in facts["edges"]]
        return PAG.from_marked_edges(edges, list(facts["nodes"]))
    except (LookupError, TypeError) as error:
        raise InvalidGraph(f"this is no PAG in dicola's JSON: {type(error).__name__}: {error}.") from None


def dag_to_csv(dag: DAG) -> str:
    """Header ``parent,child``, one arc per line; nodes without arcs are not in it."""
    return csv_text([["parent", "child"], *dag.arcs()])


def to_arcs(graph: MixedGraph) -> str:
    """``dag_to_csv`` for a graph that it holds in full."""
    dag = graph if isinstance(graph, DAG) else DAG(graph.marks, graph.names)
    refuse_isolated(dag, "a list of arcs (parent,child)")
    for name in dag.names:
        if name != name.strip() or not name:
            raise InvalidGraph(f"a list of arcs (parent,child) has no blanks around names, as in {name!r}; use another format.")
    return dag_to_csv(dag)


def from_arcs(text: str, nodes: Sequence[str] | None = None, source: str = "this") -> DAG:
    """Read ``parent,child`` lines; further columns are ignored. ``nodes`` fixes the order and adds those without arcs."""
    rows = csv_rows(text)
    if not rows or [cell.strip().lower() for cell in rows[0][:2]] != ["parent", "child"]:
        raise InvalidGraph(f"{source} is no list of arcs: its first line must be 'parent,child'.")
    rows = [[cell.strip() for cell in row[:2]] for row in rows]
    for line, row in enumerate(rows[1:], start=2):
        if len(row) < 2 or not row[0] or not row[1]:
            raise InvalidGraph(f"line {line} of {source} is no arc; each line names a parent and a child.")
    return DAG.from_edges([(row[0], row[1]) for row in rows[1:]], nodes=nodes)


def read_dag(path: str | Path, nodes: Sequence[str] | None = None) -> DAG:
    """Read a DAG from a file of ``parent,child`` lines."""
    return from_arcs(text_of(Path(path)), nodes, repr(str(path)))


def read_lines(path: str | Path) -> list[str]:
    """The lines of a text file that are not empty: one name each."""
    return [line for line in text_of(Path(path)).replace("\r\n", "\n").split("\n") if line.strip()]
