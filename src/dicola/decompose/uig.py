"""ConstructUIG: the undirected independence graph of a set of variables (Li et al. 2026, Algorithm 1)."""

from __future__ import annotations

from dicola.blankets.base import BlanketLearner
from dicola.ci.inquiry import Evidence, Inquiry
from dicola.graphs.undirected import UndirectedGraph


def independence_graph(ci: Evidence, blankets: BlanketLearner) -> UndirectedGraph:
    """X - y iff one is in the other's Markov blanket among the variables of ``ci``.

    Vertex separation in this graph implies m-separation, and no sparser graph has that property (Propositions 1 and 3).
    """
    return blankets.graph(Inquiry.of(ci).during("blankets"))
