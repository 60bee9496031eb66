"""The library's own files: ``pag.csv`` (mark matrix, mark at the column's end), ``pag.json``, and ``dag.csv`` (parent,child)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from dicola.errors import InvalidGraph
from dicola.graphs.dag import DAG
from dicola.graphs.marks import Mark
from dicola.graphs.pag import PAG


def to_csv(pag: PAG) -> str:
    """First column ``node``, then one column a node; entry [i, j] is the mark at j: 0 none, 1 circle, 2 arrowhead, 3 tail."""
    rows = ([name, *map(str, row)] for name, row in zip(pag.names, pag.marks.tolist(), strict=True))
    return _csv_lines([["node", *pag.names], *rows])


def from_csv(text: str) -> PAG:
    """Read what ``to_csv`` writes."""
    rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    if not rows or rows[0][:1] != ["node"]:
        raise InvalidGraph("a PAG table begins with the header 'node' and one column a node.")
    names = rows[0][1:]
    if [row[0] for row in rows[1:]] != names:
        raise InvalidGraph("a PAG table has its rows named like its columns, in the same order.")
    try:
        matrix = np.array([[int(entry) for entry in row[1:]] for row in rows[1:]], dtype=np.int64).reshape(len(names), len(names))
    except ValueError:
        raise InvalidGraph("a PAG table has one entry a column in each row, each 0, 1, 2 or 3.") from None
    return PAG.from_matrix(matrix, names)


def to_json(pag: PAG) -> str:
    """``{"format": "dicola.pag", "version": 1, "nodes": [...], "edges": [{"u", "v", "mark_u", "mark_v"}]}``."""
    edges = [{"u": e.u, "v": e.v, "mark_u": e.mark_u.name.lower(), "mark_v": e.mark_v.name.lower()} for e in pag.edges()]
    return json.dumps({"format": "dicola.pag", "version": 1, "nodes": list(pag.names), "edges": edges}, ensure_ascii=False, indent=1) + "\n"


def from_json(text: str) -> PAG:
    """Read what ``to_json`` writes."""
    try:
        facts = json.loads(text)
        if facts["format"] != "dicola.pag":
            raise InvalidGraph(f"this JSON has the format {facts['format']!r}, not 'dicola.pag'.")
        names = [str(name) for name in facts["nodes"]]
        index = {name: i for i, name in enumerate(names)}
        matrix = np.zeros((len(names), len(names)), dtype=np.int8)
        for edge in facts["edges"]:
            u, v = index[edge["u"]], index[edge["v"]]
            matrix[v, u], matrix[u, v] = int(Mark[edge["mark_u"].upper()]), int(Mark[edge["mark_v"].upper()])
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        raise InvalidGraph(f"this is no PAG in dicola's JSON: {type(error).__name__}: {error}.") from None
    return PAG.from_matrix(matrix, names)


def read_pag(path: str | Path) -> PAG:
    """Read a PAG from a ``.json`` or ``.csv`` file, or from a folder that holds one."""
    file = Path(path)
    if file.is_dir():
        inside = [file / name for name in ("pag.json", "pag.csv", "true_pag.csv") if (file / name).is_file()]
        if not inside:
            raise InvalidGraph(f"the folder {str(path)!r} holds no pag.json, pag.csv or true_pag.csv.")
        file = inside[0]
    text = _text_of(file)
    return from_json(text) if file.suffix.lower() == ".json" else from_csv(text)


def dag_to_csv(dag: DAG) -> str:
    """Header ``parent,child``, one arc a line; nodes without arcs are not in it."""
    return _csv_lines([["parent", "child"], *dag.arcs()])


def _csv_lines(rows: Iterable[Sequence[str]]) -> str:
    """Rows as CSV; a cell is quoted where it must be, a carriage return alone included."""

    def quoted(cell: str) -> str:
        return '"' + cell.replace('"', '""') + '"' if not cell or any(letter in cell for letter in ',"\r\n') else cell

    return "".join(",".join(quoted(cell) for cell in row) + "\n" for row in rows)


def read_dag(path: str | Path, nodes: Sequence[str] | None = None) -> DAG:
    """Read a DAG from ``parent,child`` lines; further columns are ignored. ``nodes`` fixes the order and adds those without arcs."""
    rows = [row for row in csv.reader(io.StringIO(_text_of(Path(path)), newline="")) if row]
    if not rows or [cell.strip().lower() for cell in rows[0][:2]] != ["parent", "child"]:
        raise InvalidGraph(f"{str(path)!r} is no list of arcs: its first line must be 'parent,child'.")
    rows = [[cell.strip() for cell in row[:2]] for row in rows]
    for line, row in enumerate(rows[1:], start=2):
        if len(row) < 2 or not row[0] or not row[1]:
            raise InvalidGraph(f"line {line} of {str(path)!r} is no arc; each line names a parent and a child.")
    return DAG.from_edges([(row[0], row[1]) for row in rows[1:]], nodes=nodes)


def read_lines(path: str | Path) -> list[str]:
    """The lines of a text file that are not empty: one name each."""
    return [line for line in _text_of(Path(path)).replace("\r\n", "\n").split("\n") if line.strip()]


def _text_of(file: Path) -> str:
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            return stream.read()
    except FileNotFoundError:
        raise InvalidGraph(f"there is no file {str(file)!r}.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidGraph(f"{str(file)!r} could not be read: {error}.") from None
