"""causal-learn's ``GeneralGraph`` and its matrix.

Convention (``causallearn.graph.Endpoint``, ``GeneralGraph``): ``graph.graph[i, j]`` is the mark **at i** on the edge between i and j:
-1 tail, 0 no edge, 1 arrowhead, 2 circle. So ``i --> j`` is ``[i, j] = -1, [j, i] = 1``. The codes 3 (star), 4 and 5 (two edges between
a pair) are not marks of a PAG and refused. As CSV the matrix carries its names and the corner cell ``causal-learn``. The object loses
nothing; it cannot be built up edge by edge, for ``GeneralGraph.add_edge`` drops ``o--`` edges without a word.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from dicola.errors import InvalidGraph
from dicola.extras import from_extra
from dicola.graphs.formats.pcalg import matrix_from_csv, matrix_to_csv
from dicola.graphs.marks import ARROW, CIRCLE, NONE, TAIL, MixedGraph
from dicola.graphs.pag import PAG

CORNER: Final = "causal-learn"
_CODE: Final = {NONE: 0, TAIL: -1, ARROW: 1, CIRCLE: 2}


def to_general_graph(graph: MixedGraph) -> Any:
    """A ``GeneralGraph`` with one ``GraphNode`` a name, in the order of ``names``."""
    node, general = (from_extra(f"causallearn.graph.{name}", "causal-learn") for name in ("GraphNode", "GeneralGraph"))
    nodes = [node.GraphNode(name) for name in graph.names]
    for position, each in enumerate(nodes):
        each.add_attribute("id", position)
    made = general.GeneralGraph(nodes)
    made.graph = to_codes(graph.marks).astype(int)
    made.reconstitute_dpath(made.get_graph_edges())
    made.set_pag(isinstance(graph, PAG))
    return made


def from_general_graph(graph: Any, names: Iterable[object] | None = None) -> PAG:
    """Take a ``GeneralGraph`` (or what holds one as ``.G``, as ``pc`` returns it), or its bare matrix with ``names``."""
    graph = getattr(graph, "G", graph)
    codes = getattr(graph, "graph", graph)
    if names is None and hasattr(graph, "get_node_names"):
        names = graph.get_node_names()
    return PAG.from_matrix(from_codes(codes), names)


def to_matrix_csv(graph: MixedGraph) -> str:
    """The matrix of the ``GeneralGraph`` with its names."""
    return matrix_to_csv(to_codes(graph.marks), graph.names, CORNER)


def from_matrix_csv(text: str) -> PAG:
    """Read what ``to_matrix_csv`` writes, or any such matrix with names."""
    _, names, codes = matrix_from_csv(text)
    return PAG.from_matrix(from_codes(codes), names)


def to_codes(marks: NDArray[np.int8]) -> NDArray[np.int8]:
    """Our matrix in causal-learn's codes, where the mark stands at the row's end."""
    return np.array([_CODE[mark] for mark in range(4)], dtype=np.int8)[marks.T]


def from_codes(codes: Any) -> NDArray[np.int8]:
    """A matrix in causal-learn's codes in ours."""
    try:
        values = np.asarray(codes, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidGraph("this is no GeneralGraph of causal-learn, nor its matrix.") from None
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise InvalidGraph(f"the matrix of a GeneralGraph is square; this one has shape {values.shape}.")
    marks = np.zeros(values.shape, dtype=np.int8)
    for mark, code in _CODE.items():
        marks[values == code] = mark
    wrong = values[(marks == NONE) & (values != 0)]
    if wrong.size:
        raise InvalidGraph(f"the code {wrong[0]:g} is no mark of a PAG; causal-learn's codes are -1 tail, 1 arrowhead and 2 circle.")
    return np.ascontiguousarray(marks.T)
