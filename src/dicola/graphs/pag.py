"""Partial ancestral graphs: what all members of a Markov equivalence class of MAGs have in common."""

from __future__ import annotations

from dicola.graphs.marks import ARROW, CIRCLE, TAIL, Edge, Mark, MixedGraph


class PAG(MixedGraph):
    """A partial ancestral graph, learned or true.

    An arrowhead at v says "v is not a cause of the other end", a tail says "v is a cause of the other end" (or of selection),
    a circle says that the data cannot tell (Zhang 2008).

    >>> print(PAG.from_matrix([[0, 2], [1, 0]], ["A", "B"]))
    A o-> B
    """

    def count(self, mark: Mark) -> int:
        """How many edge ends carry this mark."""
        return int((self.marks == int(mark)).sum())

    def in_words(self) -> list[str]:
        """One sentence an edge, in the order of ``edges()``."""
        return [edge_in_words(edge) for edge in self.edges()]


WORDS = {
    (TAIL, ARROW): "{u} is a cause of {v} (directly or through variables not shown).",
    (ARROW, ARROW): "{u} and {v} share a hidden common cause; neither causes the other.",
    (CIRCLE, ARROW): "{v} is not a cause of {u}: either {u} causes {v}, or a hidden common cause drives both.",
    (CIRCLE, CIRCLE): "{u} and {v} are dependent whatever is held fixed; the direction is open.",
    (TAIL, TAIL): "{u} and {v} are tied together by selection of the sample.",
    (TAIL, CIRCLE): "{u} is a cause of {v} or of selection of the sample; whether {v} acts back is open.",
}
"""What an edge claims, by its marks at u and at v."""


def edge_in_words(edge: Edge) -> str:
    """What the edge claims, as a sentence."""
    return WORDS[int(edge.mark_u), int(edge.mark_v)].format(u=edge.u, v=edge.v)
