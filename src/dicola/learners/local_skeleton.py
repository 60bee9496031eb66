"""The edges of one variable, found inside its Markov blanket.

If x and y can be separated at all, a subset of the blanket of x separates them. So the blanket and x itself are enough: the edges at x of
the local skeleton over them are those of the whole. Edges between two others may be due to what is left out; a pair of them that falls
apart is apart in the whole.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import Adjacency
from dicola.graphs.marks import ARROW
from dicola.graphs.skeleton import RecordedSets
from dicola.learners.adjacency import separate_doubtful
from dicola.learners.base import edges_of
from dicola.learners.fci_plus import Asked, BreaksSeparation, FCIPlus
from dicola.orient.partial import PartialGraph


def separate_around(ci: Inquiry, x: int, adjacency: Adjacency, doubtful: Adjacency, sets: RecordedSets, max_size: int | None) -> bool:
    """Search the local skeleton over the variables of ``ci``, the blanket of x and x itself; changes ``adjacency`` and ``sets``.

    The edges in doubt are put to sets of neighbours, those at x to hierarchies as well, as in FCI+; the others are known to stay. Answers
    whether the search came to its end, rather than to the limit.
    """
    finished = separate_doubtful(ci, adjacency, sets, doubtful, max_size)
    marks = _Arrowheads(ci, adjacency, sets)
    here = np.arange(len(ci)) == x
    FCIPlus().remove_links(ci, adjacency, sets, lambda: marks.around(x, doubtful), doubtful & (here | here[:, None]))
    return finished


class _Arrowheads:
    """Arrowheads at what destroys a minimal separation, as ``augmented_graph`` has them, but only those that a link at x needs."""

    def __init__(self, ci: Inquiry, adjacency: Adjacency, sets: RecordedSets) -> None:
        self._ci, self._adjacency, self._sets = ci, adjacency, sets
        self._asked: Asked = {}

    def around(self, x: int, doubtful: Adjacency) -> PartialGraph:
        """The graph with arrowheads wherever they are known once every pattern u <-> x <-> y <-> v has been looked for."""
        graph = PartialGraph(len(self._adjacency), edges_of(self._adjacency))
        for y in [y for y in graph.around[x] if doubtful[x, y]]:
            for u, v in product(graph.around[x], graph.around[y]):
                if u not in (y, v) and v != x and not graph.adjacent(u, v):
                    all(self._stands(graph, a, b) for a, b in ((x, y), (y, x), (x, u), (u, x), (y, v), (v, y)))
        return graph

    def _stands(self, graph: PartialGraph, a: int, b: int) -> bool:
        """Is there an arrowhead at b on a - b: does b destroy a separation of which a is part?"""
        if graph.is_circle(a, b) and self._is_destroyer(a, b):
            graph.put(a, b, ARROW, "augment", (a, b))
        return graph.is_arrow(a, b)

    def _is_destroyer(self, a: int, b: int) -> bool:
        for (p, q), z in self._sets.items():
            if a in (p, q, *z) and b not in (p, q, *z):
                known = self._asked.setdefault((p, q, z), {})
                if b not in known:
                    known[b] = self._ci.ask(BreaksSeparation([(p, q, z)], [[b]]))[0][0]
                if known[b]:
                    return True
        return False
