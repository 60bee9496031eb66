"""ICD: conditioning sets near the tested pair first, marks refined after every size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dicola.ci.base import Adjacency, CITest
from dicola.graphs.bits import mask_of, members
from dicola.graphs.skeleton import RecordedSets, Skeleton, Variables
from dicola.learners.adjacency import starting_point
from dicola.learners.base import Context, Learner, checked_limit, local_test, skeleton_of
from dicola.orient.colliders import by_separating_set, r0
from dicola.orient.fixpoint import spread_arrowheads
from dicola.orient.partial import PartialGraph


@dataclass(frozen=True)
class ICD(Learner):
    """Iterative Causal Discovery: round r tests sets of r variables that lie within r steps of an end of the edge.

    A set is a candidate for the edge a - b if from a (or from b) a Possible-D-Sep path inside the set leads to each of its members, and
    every member may be an ancestor of a or b. After each round the colliders and arrowheads are worked out anew, so later rounds have
    fewer candidates. Stopped after any round it is a sound answer as far as it goes: an anytime learner.

    Candidates are made one at a time, in a fixed order, from a graph frozen for the round: no list of all of them ever exists and the
    order of edges does not matter. ``max_condition_size`` bounds r. ``possible_ancestors=False`` leaves out the last
    condition, which prunes but is not needed.
    """

    name: ClassVar[str] = "icd"
    title: ClassVar[str] = "ICD"
    reference: ClassVar[str] = "Rohekar, Nisimov, Gurwicz and Novik (2021)"
    guarantee: ClassVar[str] = "sound and complete"
    complete: ClassVar[bool] = True

    max_condition_size: int | None = None
    possible_ancestors: bool = True

    def __post_init__(self) -> None:
        checked_limit("max_condition_size", self.max_condition_size)

    def learn_skeleton(self, ci: CITest, variables: Sequence[int] | None = None, context: Context | None = None) -> Skeleton:
        context = context or Context()
        local, chosen = local_test(ci, variables)
        adjacency, sets = starting_point(len(chosen), context.uig if context.warm else None)
        warnings = []
        size = 0
        while True:
            graph = marked_graph(adjacency, sets)
            reach = [_within(graph, x, size) for x in range(len(graph))]
            if not _may_have_candidates(graph, reach, size):
                break
            if self.max_condition_size is not None and size > self.max_condition_size:
                warnings.append(f"sets of up to {self.max_condition_size} variables were tried only (max_condition_size).")
                break
            self._round(local, graph, reach, adjacency, sets, size)
            size += 1
        return skeleton_of(ci, chosen, adjacency, sets, warnings)

    def _round(self, ci: CITest, graph: PartialGraph, reach: list[int], adjacency: Adjacency, sets: RecordedSets, size: int) -> None:
        """Test every edge against its candidates of this size; the graph stays as it was until the round is over."""
        for a, b in ((int(i), int(j)) for i, j in np.argwhere(np.triu(adjacency))):
            allowed = (_possible_ancestors(graph, a, b) if self.possible_ancestors else -1) & ~(1 << a | 1 << b)
            separator = separator_near(ci, graph, a, b, size, reach[a] & allowed, reach[b] & allowed)
            if separator is not None:
                adjacency[a, b] = adjacency[b, a] = False
                sets[a, b] = separator


def marked_graph(adjacency: Adjacency, sets: RecordedSets) -> PartialGraph:
    """The current skeleton with its colliders and all arrowheads that follow from them."""
    graph = PartialGraph(len(adjacency), [(int(i), int(j)) for i, j in np.argwhere(np.triu(adjacency))])
    decide = by_separating_set(sets)
    r0(graph, decide)
    spread_arrowheads(graph, decide)
    return graph


def separator_near(ci: CITest, graph: PartialGraph, a: int, b: int, size: int, from_a: int, from_b: int) -> Variables | None:
    """A separating set of this size that hangs together with a, from the pool ``from_a``, else one that does with b.

    A pool of neighbours alone hangs together whatever is taken from it, and needs no check of each set.
    """
    whole_a, whole_b = (not pool & ~mask_of(graph.around[v]) for v, pool in ((a, from_a), (b, from_b)))

    def hangs_on_a(z: Variables) -> bool:
        return hangs_together(graph, a, mask_of(z))

    def hangs_on_b_only(z: Variables) -> bool:
        mask = mask_of(z)
        return hangs_together(graph, b, mask) and (bool(mask & ~from_a) or not hangs_together(graph, a, mask))

    found = ci.find_separator(a, b, tuple(members(from_a)), (size,), admits=None if whole_a else hangs_on_a)
    if found is None and size > 0:
        pool = tuple(members(from_b))
        if whole_a and whole_b:
            return ci.find_separator(a, b, pool, (size,), tried=[set(members(from_a))])
        return ci.find_separator(a, b, pool, (size,), admits=hangs_on_b_only)
    return found


def hangs_together(graph: PartialGraph, root: int, z: int) -> bool:
    """Is every member of z reached from the root by a Possible-D-Sep path inside z? Decided over ordered edges."""
    found = mask_of(v for v in graph.around[root] if z >> v & 1)
    if found == z:
        return True
    stack = [(root, v) for v in members(found)]
    seen = set(stack)
    while stack:
        u, v = stack.pop()
        for w in graph.around[v]:
            if w in (u, root) or not z >> w & 1 or (v, w) in seen:
                continue
            if graph.adjacent(u, w) or (graph.is_arrow(u, v) and graph.is_arrow(w, v)):
                seen.add((v, w))
                stack.append((v, w))
                found |= 1 << w
                if found == z:
                    return True
    return False


def _within(graph: PartialGraph, root: int, steps: int) -> int:
    """Mask of what Possible-D-Sep paths of at most this many steps reach from the root."""
    edges = [(root, v) for v in graph.around[root]] if steps else []
    seen = set(edges)
    found = mask_of(v for _, v in edges)
    for _ in range(steps - 1):
        onward = []
        for u, v in edges:
            for w in graph.around[v]:
                if w in (u, root) or (v, w) in seen:
                    continue
                if graph.adjacent(u, w) or (graph.is_arrow(u, v) and graph.is_arrow(w, v)):
                    seen.add((v, w))
                    onward.append((v, w))
                    found |= 1 << w
        if not onward:
            break
        edges = onward
    return found


def _possible_ancestors(graph: PartialGraph, a: int, b: int) -> int:
    """Mask of the vertices with a potentially directed path to a or to b."""
    found = 1 << a | 1 << b
    stack = [a, b]
    while stack:
        v = stack.pop()
        for u in graph.around[v]:
            if not found >> u & 1 and graph.may_point(u, v):
                found |= 1 << u
                stack.append(u)
    return found


def _may_have_candidates(graph: PartialGraph, reach: list[int], size: int) -> bool:
    """Does any edge have an end with at least ``size`` other vertices in reach?"""
    return any((reach[a] & ~(1 << b)).bit_count() >= size for a in range(len(graph)) for b in graph.around[a])
