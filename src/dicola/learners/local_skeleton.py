"""The edges of one variable, found inside its Markov blanket.

If x and y can be separated at all, a subset of the blanket of x separates them. So the blanket and x itself are enough: the edges at x of
the local skeleton over them are those of the whole. Edges between two others may be due to what is left out; a pair of them that falls
apart is apart in the whole.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import Adjacency, Separation, SweepLevel, has_candidates
from dicola.graphs.marks import ARROW
from dicola.graphs.skeleton import Pair, RecordedSets, Variables
from dicola.learners.adjacency import remove
from dicola.learners.fci_plus import Asked, BreaksSeparation, FCIPlus, possible_links
from dicola.orient.partial import PartialGraph


def separate_around(ci: Inquiry, x: int, adjacency: Adjacency, doubtful: Adjacency, sets: RecordedSets, max_size: int | None) -> bool:
    """Search the local skeleton over the variables of ``ci``, the blanket of x and x itself; changes ``adjacency`` and ``sets``.

    The edges in doubt are put to sets of neighbours, those at x to hierarchies as well, as in FCI+; the others are known to stay. Answers
    whether the search came to its end, rather than to the limit.
    """
    size = 0
    while has_candidates(adjacency & doubtful, adjacency, size):
        if max_size is not None and size > max_size:
            break
        remove(ci.ask(SweepLevel(adjacency & doubtful, size, adjacency)), adjacency, sets)
        size += 1
    finished = not has_candidates(adjacency & doubtful, adjacency, size)
    _remove_links_at(x, ci, adjacency, doubtful, sets)
    return finished


def _remove_links_at(x: int, ci: Inquiry, adjacency: Adjacency, doubtful: Adjacency, sets: RecordedSets) -> None:
    """Search D-separation links at x until none is left."""
    refuted: dict[Pair, set[Variables]] = {}
    marks = _Arrowheads(ci, adjacency, sets)
    found = True
    while found:
        found = False
        graph = marks.around(x, doubtful)
        for a, b in [(a, b) for a, b in possible_links(graph) if x in (a, b) and doubtful[a, b]]:
            separator, _ = FCIPlus().separator(ci, graph, sets, a, b, refuted.setdefault((a, b), set()))
            if separator is not None:
                remove([Separation(a, b, separator)], adjacency, sets)
                found = True
                break


class _Arrowheads:
    """Arrowheads at what destroys a minimal separation, as ``augmented_graph`` has them, but only those that a link at x needs."""

    def __init__(self, ci: Inquiry, adjacency: Adjacency, sets: RecordedSets) -> None:
        self._ci, self._adjacency, self._sets = ci, adjacency, sets
        self._asked: Asked = {}

    def around(self, x: int, doubtful: Adjacency) -> PartialGraph:
        """The graph with arrowheads wherever they are known once every pattern u <-> x <-> y <-> v has been looked for."""
        graph = PartialGraph(len(self._adjacency), [(int(a), int(b)) for a, b in np.argwhere(np.triu(self._adjacency))])
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
                    known[b] = self._ci.ask(BreaksSeparation(p, q, z, (b,)))[0]
                if known[b]:
                    return True
        return False
