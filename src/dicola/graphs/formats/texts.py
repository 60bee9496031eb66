"""What the text formats share: rows of CSV, JSON, XML without entities, marks in words, and names that a grammar cannot hold."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

from dicola.errors import InvalidGraph
from dicola.files import refuse_unreadable
from dicola.graphs.marks import ARROW, CIRCLE, MARK_OF, TAIL, Edge, Mark, MixedGraph, first_twice

_LONGEST: Final = 200_000_000  # characters of a file; a matrix of 10,000 nodes has as many
_MARKS: Final = {"circle": CIRCLE, "arrow": ARROW, "tail": TAIL, **MARK_OF}
_ARROW: Final = re.compile(r"([<o-])-([>o-])")
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def mark_named(word: object) -> int:
    """The mark that a file calls ``circle``, ``arrow`` or ``tail`` (or ``o``, ``>``, ``-``)."""
    found = _MARKS.get(word.strip().lower()) if isinstance(word, str) else None
    if found is None:
        raise InvalidGraph(f"{word!r} is not a mark; a mark is circle, arrow or tail.")
    return found


def word_of(mark: Mark) -> str:
    """``circle``, ``arrow`` or ``tail``."""
    return mark.name.lower()


def marks_of_arrow(text: str) -> tuple[int, int] | None:
    """The marks of ``o->`` and its like; ``None`` for another text."""
    arrow = _ARROW.fullmatch(text)
    return None if arrow is None else (mark_named(arrow[1]), mark_named(arrow[2]))


def numbered(graph: MixedGraph) -> Iterator[tuple[Edge, dict[str, str]]]:
    """Each edge with its id and those of its ends: ``e0`` from ``n0`` to ``n1``."""
    for number, edge in enumerate(graph.edges()):
        yield edge, {"id": f"e{number}", "source": f"n{graph.index(edge.u)}", "target": f"n{graph.index(edge.v)}"}


def notes_on(edge: Edge) -> dict[str, str]:
    """The marks as ``noted_marks`` reads them."""
    return {"mark_source": word_of(edge.mark_u), "mark_target": word_of(edge.mark_v)}


def noted_marks(notes: Mapping[Any, Any], drawn: tuple[int, int]) -> tuple[int, int]:
    """What an edge notes as ``mark_source`` and ``mark_target``; else the marks it is drawn with."""
    if "mark_source" in notes or "mark_target" in notes:
        return mark_named(notes.get("mark_source")), mark_named(notes.get("mark_target"))
    return drawn


def drawn_marks(directed: bool) -> tuple[int, int]:
    """Marks of an edge of which a file says only whether it is directed: as it is drawn, ``-->`` or ``---``."""
    return (TAIL, ARROW) if directed else (TAIL, TAIL)


def refuse_letters(graph: MixedGraph, pattern: re.Pattern[str], format: str) -> None:
    """Refuse a graph with a name that holds a letter the format has no way to write."""
    for name in graph.names:
        if match := pattern.search(name):
            raise InvalidGraph(
                f"{format} cannot hold {match[0]!r}, which is in the name {name!r}; rename the variable, or use another format."
            )


def refuse_names(graph: MixedGraph, wrong: Iterable[str], format: str) -> None:
    """Refuse a graph with one of these names, which mean something else to the format."""
    for name in sorted(set(graph.names) & set(wrong)):
        raise InvalidGraph(f"{format} cannot have a variable called {name!r}; rename it, or use another format.")


def refuse_isolated(graph: MixedGraph, format: str) -> None:
    """Refuse a graph with a node without edges."""
    for name, beside in zip(graph.names, graph.around, strict=True):
        if not beside:
            raise InvalidGraph(f"{format} cannot hold a node without edges, as {name!r} is; use another format.")


def text_of(file: Path) -> str:
    """The text of a UTF-8 file, line ends untouched."""
    refuse_unreadable(file, InvalidGraph)
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            text = stream.read(_LONGEST + 1)
    except UnicodeDecodeError:
        raise InvalidGraph(f"{str(file)!r} is not text in UTF-8.") from None
    except OSError as error:
        raise InvalidGraph(f"{str(file)!r} could not be read: {error.strerror or error}.") from None
    if len(text) > _LONGEST:
        raise InvalidGraph(f"{str(file)!r} holds more than {_LONGEST // 10**6} million characters, which no graph that we can read needs.")
    return text


def csv_text(rows: Iterable[Sequence[str]]) -> str:
    """Rows as CSV; a cell is quoted where it must be, a carriage return alone included, and a row is never an empty line."""

    def quoted(cell: str) -> str:
        return '"' + cell.replace('"', '""') + '"' if any(letter in cell for letter in ',"\r\n') else cell

    return "".join((",".join(quoted(cell) for cell in row) or '""') + "\n" for row in rows)


def csv_rows(text: str) -> list[list[str]]:
    """The rows of a CSV that are not empty."""
    try:
        return [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    except csv.Error as error:
        raise InvalidGraph(f"this is no table of comma-separated values: {error}.") from None


def csv_header(text: str) -> list[str]:
    """The first row of a CSV, in small letters."""
    return [cell.strip().lower() for row in csv_rows(text)[:1] for cell in row]


def json_text(facts: object) -> str:
    """A value as JSON, readable and the same each time."""
    return json.dumps(facts, ensure_ascii=False, indent=1) + "\n"


def json_object(text: str) -> dict[str, Any]:
    """The one JSON object that a text holds."""
    try:
        facts = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidGraph(f"this is no JSON: {str(error) or 'it is nested too deeply'}.") from None
    if not isinstance(facts, dict):
        raise InvalidGraph(f"this JSON is a {type(facts).__name__}, not an object with nodes and edges.")
    return facts


class _WithoutDoctype(ElementTree.TreeBuilder):
    """Entities, which can grow without bound or point to other files, are declared in a document type; none is taken."""

    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        raise InvalidGraph("this XML declares a document type (<!DOCTYPE …>), which no graph needs; remove the declaration.")


def xml_graph(text: str, tag: str, format: str) -> tuple[ElementTree.Element, ElementTree.Element]:
    """The root of an XML text, which must be a ``tag`` of any namespace, and its graph; the tags below come without namespaces."""
    parser = ElementTree.XMLParser(target=_WithoutDoctype())
    try:
        parser.feed(text)
        root: ElementTree.Element = parser.close()
    except ElementTree.ParseError as error:
        raise InvalidGraph(f"this is no XML: {error}.") from None
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    if root.tag != tag:
        raise InvalidGraph(f"this XML is a <{root.tag}>, not a <{tag}>.")
    body = root.find("graph")
    if body is None:
        raise InvalidGraph(f"this {format} holds no <graph>.")
    return root, body


def xml_text(root: ElementTree.Element, graph: MixedGraph, format: str) -> str:
    """An XML tree as text; XML has no way to write most control characters."""
    refuse_letters(graph, _NOT_XML, format)
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode").replace("\r", "&#13;")  # else read back as a line feed
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def needed(element: ElementTree.Element, attribute: str) -> str:
    """An attribute that an element must have."""
    value = element.get(attribute)
    if value is None:
        raise InvalidGraph(f"a <{element.tag}> of this XML has no {attribute!r}.")
    return value


def labelled(nodes: Sequence[tuple[str, object]]) -> dict[str, str]:
    """Names of nodes by id: the labels, where every node has one and they differ; else the ids."""
    ids, labels = [node for node, _ in nodes], [str(label) for _, label in nodes if label is not None]
    if len(set(ids)) != len(ids):
        raise InvalidGraph(f"the node {first_twice(ids)!r} is given twice.")
    return dict(zip(ids, labels if len(set(labels)) == len(ids) else ids, strict=True))


def end_named(names: Mapping[str, str], node: str) -> str:
    """The name of the node at an end of an edge."""
    if node not in names:
        raise InvalidGraph(f"an edge ends at {node!r}, which is not among the nodes.")
    return names[node]
