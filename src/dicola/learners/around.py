"""The edges of one variable, found inside its Markov blanket.

If x and y can be separated at all, a subset of the blanket of x separates them. So the variables of the blanket and x itself are enough: the
edges at x of the local skeleton over them are those of the whole. Edges between two others may be due to what is left out; a pair of
them that falls apart is apart in the whole.
"""

from __future__ import annotations

from dicola.ci.base import Adjacency, CITest, Separation, has_candidates
from dicola.graphs.skeleton import Pair, RecordedSets, Variables
from dicola.learners.adjacency import remove
from dicola.learners.fci_plus import Asked, FCIPlus, augmented_graph, possible_links
from dicola.orient.partial import PartialGraph


def separate_around(ci: CITest, x: int, adjacency: Adjacency, doubtful: Adjacency, sets: RecordedSets, max_size: int | None) -> bool:
    """Search the local skeleton over the variables of ``ci``, the blanket of x and x itself; changes ``adjacency`` and ``sets``.

    The edges in doubt are put to sets of neighbours, those at x to hierarchies as well, as in FCI+; the others are known to stay. Answers
    whether the search came to its end, rather than to the limit.
    """
    size = 0
    while has_candidates(adjacency & doubtful, adjacency, size):
        if max_size is not None and size > max_size:
            break
        remove(ci.sweep_level(adjacency & doubtful, size, adjacency), adjacency, sets)
        size += 1
    finished = not has_candidates(adjacency & doubtful, adjacency, size)
    _remove_links_at(x, ci, adjacency, doubtful, sets)
    return finished


def _remove_links_at(x: int, ci: CITest, adjacency: Adjacency, doubtful: Adjacency, sets: RecordedSets) -> None:
    """Search D-separation links at x until none is left."""
    refuted: dict[Pair, set[Variables]] = {}
    asked: Asked = {}
    found = True
    while found:
        found = False
        graph = _arrowheads_around(x, ci, adjacency, sets, asked)
        for a, b in [(a, b) for a, b in possible_links(graph) if x in (a, b) and doubtful[a, b]]:
            separator, _ = FCIPlus().separator(ci, graph, sets, a, b, refuted.setdefault((a, b), set()))
            if separator is not None:
                remove([Separation(a, b, separator)], adjacency, sets)
                found = True
                break


def _arrowheads_around(x: int, ci: CITest, adjacency: Adjacency, sets: RecordedSets, asked: Asked) -> PartialGraph:
    """The arrowheads of a pattern u <-> x <-> y <-> v, looked for from x outwards, and no further where there can be none."""
    at = {x}
    graph = augmented_graph(ci, adjacency, sets, asked, at)
    into_x = {y for y in graph.around[x] if graph.is_arrow(y, x)}
    if len(into_x) < 2:
        return graph
    at |= into_x
    graph = augmented_graph(ci, adjacency, sets, asked, at)
    both_ways = {y for y in into_x if graph.is_arrow(x, y)}
    if len(both_ways) < 2:
        return graph
    at |= {v for y in both_ways for v in graph.around[y] if graph.is_arrow(v, y)}
    return augmented_graph(ci, adjacency, sets, asked, at)
