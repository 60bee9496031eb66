"""R0: which unshielded triples are colliders, and what to do where the data contradict themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from dicola.graphs.marks import ARROW
from dicola.graphs.skeleton import SeparatingSets
from dicola.orient.partial import PartialGraph

Triple = tuple[int, int, int]
ColliderPolicy = Callable[[int, int, int], bool | None]
"""For non-adjacent a and c: is b outside what separates them (``True``), inside (``False``), or do the data disagree (``None``)?"""


def unshielded_triples(graph: PartialGraph) -> Iterator[Triple]:
    """All ``(a, b, c)`` with a - b - c, a and c not adjacent, ``a < c``; sorted by b, a, c."""
    for b in range(len(graph)):
        neighbours = list(graph.around[b])
        for i, a in enumerate(neighbours):
            beside_a = graph.around[a]
            for c in neighbours[i + 1 :]:
                if c not in beside_a:
                    yield a, b, c


def by_separating_set(sets: SeparatingSets) -> ColliderPolicy:
    """B is a collider iff it is not in the set that separates a and c (Spirtes et al. 2000)."""

    def is_collider(a: int, b: int, c: int) -> bool:
        return b not in sets[a, c]

    return is_collider


def r0(graph: PartialGraph, is_collider: ColliderPolicy, triples: Iterable[Triple] | None = None) -> bool:
    """A - b - c unshielded with b a collider  =>  a *-> b <-* c. All triples are judged before any mark is put.

    A triple on which the policy cannot decide is noted in ``graph.ambiguous``; no rule uses it. ``triples`` are the unshielded ones,
    where they are known already.
    """
    judged = [(triple, is_collider(*triple)) for triple in (unshielded_triples(graph) if triples is None else triples)]
    graph.ambiguous.update(triple for triple, answer in judged if answer is None)
    changed = False
    for (a, b, c), answer in judged:
        if answer:
            changed |= graph.put(a, b, ARROW, "R0", (a, b, c))
            changed |= graph.put(c, b, ARROW, "R0", (a, b, c))
    return changed
