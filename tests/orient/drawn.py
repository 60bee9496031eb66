"""Partially oriented graphs written as text, and what a rule does to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dicola.graphs.marks import CIRCLE, MixedGraph
from dicola.graphs.pag import PAG
from dicola.orient.partial import PartialGraph


class Drawn:
    """A ``PartialGraph`` with names: ``Drawn("a o-> b; b o-o c")``. Marks other than circles are put as "given"."""

    def __init__(self, text: str, nodes: Iterable[str] | None = None) -> None:
        drawing = MixedGraph.from_text(text)
        order = sorted(drawing.names) if nodes is None else list(nodes)
        drawing = MixedGraph.from_text(text, nodes=order)
        self.names = drawing.names
        self.graph = PartialGraph(len(drawing), drawing.pairs())
        for a, row in enumerate(drawing.around):
            for b, mark in row.items():
                if mark != CIRCLE:
                    self.graph.put(a, b, mark, "given", (a, b))
        self.graph.changed.clear()

    def at(self, vertices: str) -> list[int]:
        return [self.names.index(v) for v in vertices.split()]

    def looks_like(self, text: str) -> bool:
        return PAG.from_matrix(self.graph.to_matrix(), self.names) == PAG.from_text(text, nodes=self.names)

    def __repr__(self) -> str:
        return str(PAG.from_matrix(self.graph.to_matrix(), self.names)).replace("\n", "; ")


def drawings(text: str) -> list[Drawn]:
    """The same picture under two numberings of its vertices."""
    nodes = sorted(MixedGraph.from_text(text).names)
    return [Drawn(text, nodes), Drawn(text, nodes[::-1])]


def assert_fires(rule: Callable[..., bool], text: str, vertices: str, result: str) -> None:
    """The rule answers yes, leaves exactly ``result``, contradicts nothing, and has nothing to say the second time."""
    for drawn in drawings(text):
        assert rule(drawn.graph, *drawn.at(vertices)), drawn
        assert drawn.looks_like(result), drawn
        assert not drawn.graph.conflicts
        assert not rule(drawn.graph, *drawn.at(vertices)), drawn


def assert_silent(rule: Callable[..., bool], text: str, vertices: str) -> None:
    """The rule answers no and leaves everything as it is."""
    for drawn in drawings(text):
        assert not rule(drawn.graph, *drawn.at(vertices)), drawn
        assert drawn.looks_like(text), drawn
        assert not drawn.graph.conflicts and not drawn.graph.changed
