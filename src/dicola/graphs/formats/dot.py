r"""DOT, the language of Graphviz.

Convention: what is drawn is what is meant. An edge has an arrowhead where Graphviz draws an arrow, a circle where it draws ``odot``, a tail
where it draws nothing; written as ``"A" -> "B" [dir=both, arrowtail=odot, arrowhead=normal]``, where ``arrowtail`` is the end at A. A name
is what Graphviz shows: ``\\`` is a backslash in it, ``\n`` a new line and ``&amp;`` an ampersand; so every name can be written, but for
an empty one and the character NUL. Read are quoted and bare words, ``label`` as the name where all nodes have one (causal-learn numbers its
nodes), ``dir``, defaults for edges, chains, subgraphs and comments. Passed over: everything else about looks.
"""

from __future__ import annotations

import html
import re
from typing import Final

from dicola.errors import InvalidGraph
from dicola.graphs.formats.statements import Dialect, statements_of
from dicola.graphs.formats.texts import labelled, refuse_letters, refuse_names
from dicola.graphs.marks import ARROW, CIRCLE, TAIL, Mark, MixedGraph
from dicola.graphs.pag import PAG

TITLE: Final = "DOT"
_SHAPE: Final = {Mark.CIRCLE: "odot", Mark.ARROW: "normal", Mark.TAIL: "none"}
_MARK: Final = {
    **dict.fromkeys(("normal", "onormal", "empty", "vee", "open", "halfopen"), ARROW),
    **dict.fromkeys(("odot", "dot"), CIRCLE),
    "none": TAIL,
}
_ENDS: Final = {"forward": (False, True), "back": (True, False), "both": (True, True), "none": (False, False)}


def _unquote(body: str) -> str:
    return re.sub(r'\\(\\|"|\r?\n)', lambda found: {"\\": r"\\", '"': '"'}.get(found[1], ""), body)


DIALECT: Final = Dialect(
    title=TITLE,
    kinds=("digraph", "graph"),
    operators=("->", "--"),
    word=r"[A-Za-z_\u0080-\U0010ffff][A-Za-z0-9_\u0080-\U0010ffff]*|-?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)",
    quoted=r'"(?:\\.|[^"\\])*+"',
    unquote=_unquote,
    defaults=("graph", "node", "edge"),
    html=True,
)


def to_dot(graph: MixedGraph) -> str:
    """A digraph with both ends of every edge drawn."""
    refuse_letters(graph, re.compile("\\x00"), TITLE)
    refuse_names(graph, [""], TITLE)
    nodes = [f"  {_quoted(name)};\n" for name in graph.names]
    edges = [
        f"  {_quoted(e.u)} -> {_quoted(e.v)} [dir=both, arrowtail={_SHAPE[e.mark_u]}, arrowhead={_SHAPE[e.mark_v]}];\n"
        for e in graph.edges()
    ]
    return f"digraph {{\n{''.join(nodes)}{''.join(edges)}}}\n"


def from_dot(text: str) -> PAG:
    """Read the edges as they are drawn."""
    found = statements_of(text, DIALECT)
    labels = [(node, attributes.get("label")) for node, attributes in found.nodes.items()]
    names = labelled([(node, None if label in (None, "", r"\N") else _shown(str(label))) for node, label in labels])
    if names == {node: node for node in names}:
        names = {node: _shown(node) for node in names}
    directed = found.kind == "digraph"
    edges = []
    for u, operator, v, attributes in found.edges:
        if (operator == "->") is not directed:
            raise InvalidGraph(f"a {found.kind} has no {operator!r} edges, as that between {names[u]!r} and {names[v]!r}.")
        edges.append((names[u], names[v], *_marks(attributes, directed)))
    return PAG.from_marked_edges(edges, names.values())


def _marks(attributes: dict[str, str], directed: bool) -> tuple[int, int]:
    drawn = attributes.get("dir", "forward" if directed else "none")
    if drawn not in _ENDS:
        raise InvalidGraph(f"dir={drawn!r} is no direction of an edge; it may be {', '.join(_ENDS)}.")
    tail, head = (
        attributes.get(end, "normal") if shown else "none" for end, shown in zip(("arrowtail", "arrowhead"), _ENDS[drawn], strict=True)
    )
    for shape in (tail, head):
        if shape not in _MARK:
            raise InvalidGraph(
                f"an edge ends in the shape {shape!r}, which is no mark; normal is an arrowhead, odot a circle, none a tail."
            )
    return _MARK[tail], _MARK[head]


def _quoted(name: str) -> str:
    shown = name.replace("\\", r"\\").replace("&", "&amp;").replace("\n", r"\n").replace('"', r"\"")
    # Graphviz keeps names that begin with a percent sign to itself.
    return '"' + re.sub("^%|[\\x01-\\x1f\\x7f]", lambda found: f"&#{ord(found[0])};", shown) + '"'


def _shown(text: str) -> str:
    """The text as Graphviz draws it: entities first, then escapes."""
    plain = re.sub(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*);", _entity, text)
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] in "nlr" else found[1], plain, flags=re.DOTALL)


def _entity(found: re.Match[str]) -> str:
    number = re.fullmatch(r"&#(?:[xX]([0-9a-fA-F]+)|([0-9]+));", found[0])
    if number is None:
        return html.unescape(found[0])
    code = int(number[1], 16) if number[1] else int(number[2])
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else found[0]
