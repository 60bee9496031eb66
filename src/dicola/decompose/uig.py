"""ConstructUIG: the undirected independence graph of a set of variables (Li et al. 2026, Algorithm 1)."""

from __future__ import annotations

from collections.abc import Sequence

from dicola.blankets.base import BlanketLearner
from dicola.ci.inquiry import Evidence, Inquiry
from dicola.graphs.undirected import UndirectedGraph, Vertices


def independence_graph(ci: Evidence, blankets: BlanketLearner) -> UndirectedGraph:
    """X - y iff one is in the other's Markov blanket among the variables of ``ci``.

    Vertex separation in this graph implies m-separation, and no sparser graph has that property (Propositions 1 and 3).
    """
    return UndirectedGraph.from_matrix(blankets.learn(Inquiry.of(ci).during("blankets")))


def inherited_graph(
    ci: Evidence, parent: UndirectedGraph, kept: Vertices, separator: Sequence[int], blankets: BlanketLearner
) -> UndirectedGraph:
    """The independence graph of a child, from its parent's: only pairs inside the separator can change and are asked again.

    ``ci`` is the test among the child's variables, ``kept`` their positions in the parent, ``separator`` the positions of the separator
    in the child. Marginalising the other side can join a separator pair (a chain through it) or part it (a collider in it); every other
    pair keeps its answer, by contraction and weak union.
    """
    return parent.induced(kept, separator, blankets.learn(Inquiry.of(ci).during("blankets"), separator))
