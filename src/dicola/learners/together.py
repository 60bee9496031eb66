"""Small leaves side by side: one run of a learner over their disjoint union instead of one run a leaf.

A leaf of four variables is learned in a few microseconds; what surrounds the search takes ten times as long. If what a learner finds in
one part does not depend on the others (``Learner.is_local``), the union of many leaves gives each of them what it gets alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from dicola.ci.base import CITest
from dicola.graphs.skeleton import Pair, Skeleton, Variables
from dicola.graphs.undirected import UndirectedGraph
from dicola.learners.base import Context, Learner

_TOGETHER = 160  # variables of one union, so that its matrices stay small

Part = tuple[Variables, UndirectedGraph]
"""Variables with their independence graph."""


def bunches(sizes: Iterable[int]) -> list[range]:
    """Consecutive leaves whose sizes add up to little; a large leaf is by itself."""
    found: list[range] = []
    begin, total, at = 0, 0, 0
    for at, size in enumerate(sizes, start=1):
        if total and total + size > _TOGETHER:
            found.append(range(begin, at - 1))
            begin, total = at - 1, 0
        total += size
    return [*found, range(begin, at)]


def learn_together(learner: Learner, ci: CITest, parts: Sequence[Part], context: Context) -> list[Skeleton]:
    """The skeleton of every part, each as ``learner.learn_skeleton`` would give it from its independence graph."""
    union = ci.side_by_side([variables for variables, _ in parts]) if learner.is_local and len(parts) > 1 else None
    if union is None:
        return [learner.learn_skeleton(ci, variables, replace(context, uig=uig)) for variables, uig in parts]
    together = UndirectedGraph.side_by_side([uig for _, uig in parts])
    found = learner.learn_skeleton(union, context=replace(context, uig=together))
    part_of, whole = [i for i, (variables, _) in enumerate(parts) for _ in variables], [v for variables, _ in parts for v in variables]
    edges: list[list[Pair]] = [[] for _ in parts]
    for a, b in found.edges:
        edges[part_of[a]].append((whole[a], whole[b]))
    sets = found.sets.parted(parts)
    return [
        Skeleton(ci.labels, variables, frozenset(edges[i]), sets[i], tuple([ci.labels[v] for v in variables]), found.warnings)
        for i, (variables, _) in enumerate(parts)
    ]
