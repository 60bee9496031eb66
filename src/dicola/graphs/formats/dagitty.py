"""The text of dagitty, on its website and in R.

Convention (dagitty's manual and ``GraphDotParser.pegjs``): ``pag { A @-> B }`` with ``@`` for a circle, ``>`` or ``<`` for an arrowhead and
nothing for a tail: ``->``, ``<->``, ``@->``, ``@-@``, ``--``, ``--@``. The word before the brace says what kind of graph it is; a DAG of
ours is written as ``dag``, a MAG as ``mag``, everything else as ``pag``, and each is read back as it was. A ``pdag`` with ``--`` is
refused, because there ``--`` leaves the direction open, while in a PAG it speaks of selection. dagitty has no variable called ``graph`` or
``node`` and cannot write control characters in names, nor a name that ends in a backslash. Passed over: positions, labels, and roles such
as exposure, outcome and latent.
"""

from __future__ import annotations

import re
from typing import Final

from dicola.errors import InvalidGraph
from dicola.graphs.dag import DAG
from dicola.graphs.formats.statements import Dialect, statements_of
from dicola.graphs.formats.texts import refuse_letters, refuse_names
from dicola.graphs.mag import MAG
from dicola.graphs.marks import ARROW, CIRCLE, TAIL, MixedGraph
from dicola.graphs.pag import PAG

TITLE: Final = "dagitty"
_OPERATOR: Final = {
    "@->": (CIRCLE, ARROW),
    "<-@": (ARROW, CIRCLE),
    "<->": (ARROW, ARROW),
    "@-@": (CIRCLE, CIRCLE),
    "@--": (CIRCLE, TAIL),
    "--@": (TAIL, CIRCLE),
    "->": (TAIL, ARROW),
    "<-": (ARROW, TAIL),
    "--": (TAIL, TAIL),
}
_WRITTEN: Final = {marks: operator for operator, marks in _OPERATOR.items()}
_BARE: Final = re.compile(r"[0-9a-zA-Z_.]+")
_KIND: Final[dict[type[MixedGraph], str]] = {DAG: "dag", MAG: "mag"}
_RESERVED: Final = ("graph", "node")

DIALECT: Final = Dialect(
    title=TITLE,
    kinds=("dag", "mag", "pdag", "pag", "digraph", "graph"),
    operators=tuple(_OPERATOR),
    word=r"-?[0-9a-zA-Z_.]+",
    quoted=r'"(?:\\"|[^"])*+"',
    unquote=lambda body: re.sub(r'\\("|[\r\n]+)', lambda found: '"' if found[1] == '"' else "", body),
)


def to_dagitty(graph: MixedGraph) -> str:
    """Nodes, then edges, one a line."""
    refuse_letters(graph, re.compile("[\\x00-\\x1f\\x7f]"), TITLE)
    refuse_names(graph, _RESERVED, TITLE)
    for name in graph.names:
        if name.endswith("\\"):
            raise InvalidGraph(
                f"{TITLE} cannot hold a name that ends in '\\', as {name!r} does; rename the variable, or use another format."
            )
    kind = _KIND.get(type(graph), "pag")
    nodes = [_quoted(name) for name in graph.names]
    edges = [f"{_quoted(e.u)} {_WRITTEN[int(e.mark_u), int(e.mark_v)]} {_quoted(e.v)}" for e in graph.edges()]
    return "\n".join([f"{kind} {{", *nodes, *edges, "}"]) + "\n"


def from_dagitty(text: str) -> MixedGraph:
    """Read a graph of any kind; a DAG or MAG comes as one."""
    found = statements_of(text, DIALECT)
    for name in _RESERVED:
        found.nodes.pop(name, None)  # attributes of the whole, not a variable
    if found.kind == "pdag" and any(operator == "--" for _, operator, _, _ in found.edges):
        raise InvalidGraph("a pdag leaves the direction of an -- edge open, which no mark of a PAG says; orient these edges, or write @-@.")
    edges = [(u, v, *_OPERATOR[operator]) for u, operator, v, _ in found.edges]
    kind: type[MixedGraph] = PAG
    if found.kind == "mag":
        kind = MAG
    elif found.kind == "dag" and all(sorted(marks) == [ARROW, TAIL] for _, _, *marks in edges):
        kind = DAG
    return kind.from_marked_edges(edges, found.nodes)


def _quoted(name: str) -> str:
    return name if _BARE.fullmatch(name) else '"' + name.replace('"', r"\"") + '"'
