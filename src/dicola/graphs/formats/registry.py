"""Every file format by name and by ending: which there are, which a file is in, and reading and writing files.

A new format is a file beside this one and a line here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dicola.allowed import check
from dicola.errors import DicolaError, InvalidGraph, InvalidSetting
from dicola.graphs.formats import causal_learn, cytoscape, dagitty, dot, edge_list, gexf, graphml, native, pcalg, tetrad_json, tetrad_text
from dicola.graphs.formats.texts import csv_header, json_object, text_of
from dicola.graphs.marks import MixedGraph
from dicola.result_folder import write_beside
from dicola.transaction import settle


@dataclass(frozen=True)
class Format:
    """A text format: its name, what it is, its endings, a writer, a reader, and whether a text looks like it."""

    name: str
    title: str
    endings: tuple[str, ...]
    write: Callable[[MixedGraph], str]
    read: Callable[[str], MixedGraph]
    fits: Callable[[str], bool]


def _is_matrix(of_causal_learn: bool) -> Callable[[str], bool]:
    """By the corner cell, else by codes that only one of the two has; one with neither could be both."""

    def fits(text: str) -> bool:
        corner, _, entries = pcalg.matrix_from_csv(text)
        if corner in (pcalg.CORNER, causal_learn.CORNER) and not (corner == pcalg.CORNER and (entries < 0).any()):
            return (corner == causal_learn.CORNER) is of_causal_learn
        return not (entries > 2).any() if of_causal_learn else not (entries < 0).any()

    return fits


def _is_edge_list(text: str) -> bool:
    return csv_header(text) == edge_list.HEADER


def _is_arc_list(text: str) -> bool:
    return csv_header(text)[:2] == ["parent", "child"]


def _is_dagitty(text: str) -> bool:
    return dagitty.DIALECT.begins(text) and not dot.DIALECT.begins(text)


def _is_tetrad_text(text: str) -> bool:
    return re.search(r"^[^\S\n]*Graph (Nodes|Edges):[^\S\n]*$", text, re.MULTILINE) is not None


def _has_key(key: str) -> Callable[[str], bool]:
    def fits(text: str) -> bool:
        facts = json_object(text)
        return any(key in part for part in (facts, facts.get("graph")) if isinstance(part, dict))

    return fits


def _is_xml(tag: str) -> Callable[[str], bool]:
    return lambda text: re.search(rf"<(?:\w+:)?{tag}[\s>/]", text) is not None


FORMATS: Final = {
    entry.name: entry
    for entry in (
        Format("json", "dicola's own JSON", (".json",), native.to_json, native.from_json, _has_key("format")),
        Format("pcalg", "pcalg's matrix (amat.pag)", (".csv",), pcalg.to_csv, pcalg.from_csv, _is_matrix(of_causal_learn=False)),
        Format("edges", "list of edges u,v,mark_u,mark_v", (".csv",), edge_list.to_edge_list, edge_list.from_edge_list, _is_edge_list),
        Format("arcs", "list of arcs parent,child (a DAG)", (".csv",), native.to_arcs, native.from_arcs, _is_arc_list),
        Format(
            "causal-learn",
            "causal-learn's matrix (GeneralGraph.graph)",
            (".csv",),
            causal_learn.to_matrix_csv,
            causal_learn.from_matrix_csv,
            _is_matrix(of_causal_learn=True),
        ),
        Format("tetrad", "Tetrad's text", (".txt", ".tetrad"), tetrad_text.to_tetrad_text, tetrad_text.from_tetrad_text, _is_tetrad_text),
        Format("tetrad-json", "Tetrad's JSON", (".json",), tetrad_json.to_tetrad_json, tetrad_json.from_tetrad_json, _has_key("edgesSet")),
        Format("dagitty", "dagitty's text", (".dagitty", ".txt"), dagitty.to_dagitty, dagitty.from_dagitty, _is_dagitty),
        Format("dot", "DOT of Graphviz", (".dot", ".gv"), dot.to_dot, dot.from_dot, dot.DIALECT.begins),
        Format("graphml", "GraphML", (".graphml",), graphml.to_graphml, graphml.from_graphml, _is_xml("graphml")),
        Format("gexf", "GEXF of Gephi", (".gexf",), gexf.to_gexf, gexf.from_gexf, _is_xml("gexf")),
        Format("cytoscape", "Cytoscape JSON", (".cyjs", ".json"), cytoscape.to_cytoscape, cytoscape.from_cytoscape, _has_key("elements")),
    )
}
_IN_A_FOLDER: Final = ("pag.json", "pag.csv", "true_pag.csv")


def read(path: str | Path, format: str | None = None) -> MixedGraph:
    """Read a graph from a file; a folder stands for the ``pag.json``, ``pag.csv`` or ``true_pag.csv`` in it.

    Without ``format`` the ending says which it is, and the content where an ending stands for several.
    """
    check("path", path)
    file = Path(path)
    if file.is_dir():
        settle(file)  # what a writer that died has left
        inside = [file / name for name in _IN_A_FOLDER if (file / name).is_file()]
        if not inside:
            raise InvalidGraph(f"the folder {str(path)!r} holds no {', '.join(_IN_A_FOLDER[:-1])} or {_IN_A_FOLDER[-1]}.")
        file = inside[0]
    text = text_of(file)
    chosen = named(format) if format is not None else recognised(text, file)
    try:
        return chosen.read(text)
    except InvalidGraph as error:
        raise InvalidGraph(f"{str(file)!r}, read as {chosen.name}: {error}") from None
    except RecursionError:
        raise InvalidGraph(f"{str(file)!r}, read as {chosen.name}, is nested too deeply.") from None


def write(graph: MixedGraph, path: str | Path, format: str | None = None) -> Path:
    """Write a graph into a file; without ``format`` in the first format of its ending."""
    check("path", path)
    file = Path(path)
    chosen = named(format) if format is not None else for_ending(file)
    write_beside(file.parent, {file.name: chosen.write(graph)})
    return file


def named(name: str) -> Format:
    """The format of that name."""
    if name not in FORMATS:
        raise InvalidSetting(f"there is no format {name!r}. Known: {', '.join(FORMATS)}.")
    return FORMATS[name]


def for_ending(file: Path) -> Format:
    """The format in which a file of that name is written."""
    known = _with_ending(file)
    if not known:
        endings = dict.fromkeys(ending for entry in FORMATS.values() for ending in entry.endings)
        raise InvalidSetting(
            f"{file.name!r} does not say its format. Use one of the endings {' '.join(endings)}, or {_name_it(FORMATS.values(), '--to')}."
        )
    return known[0]


def recognised(text: str, file: Path) -> Format:
    """The format of a text: by the ending of its file, and by its content where that leaves a choice."""
    known = _with_ending(file)
    if len(known) == 1:
        return known[0]
    candidates = known or list(FORMATS.values())
    fitting = [entry for entry in candidates if _fits(entry, text)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        titles = " or ".join(entry.title for entry in fitting)
        raise InvalidGraph(f"{str(file)!r} could be {titles}; {_name_it(fitting, '--from')}.")
    titles = ", ".join(entry.title for entry in candidates)
    raise InvalidGraph(f"{str(file)!r} looks like none of these: {titles}. If it is one after all, {_name_it(candidates, '--from')}.")


def _name_it(formats: Iterable[Format], option: str) -> str:
    return f"name it with format=… ({option} … on the command line): {', '.join(entry.name for entry in formats)}"


def _with_ending(file: Path) -> list[Format]:
    return [entry for entry in FORMATS.values() if file.suffix.lower() in entry.endings]


def _fits(entry: Format, text: str) -> bool:
    try:
        return entry.fits(text)
    except DicolaError:
        return False
