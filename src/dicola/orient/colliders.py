"""R0: which unshielded triples are colliders, and what to do where the data contradict themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations

from dicola.graphs.marks import ARROW
from dicola.graphs.skeleton import SeparatingSets
from dicola.orient.partial import PartialGraph
from dicola.watch import heed

_AT_ONCE = 1024  # triples that are judged before anybody looks up

Triple = tuple[int, int, int]
ColliderPolicy = Callable[[int, int, int], bool | None]
"""For non-adjacent a and c: is b outside what separates them (``True``), inside (``False``), or do the data disagree (``None``)?"""


def unshielded_triples(graph: PartialGraph) -> Iterator[Triple]:
    """All ``(a, b, c)`` with a - b - c, a and c not adjacent, ``a < c``; sorted by b, a, c."""
    for b, beside_b in enumerate(graph.around):
        if b & 15 == 15:
            heed()
        for a, c in combinations(beside_b, 2):
            if c not in graph.around[a]:
                yield a, b, c


def by_separating_set(sets: SeparatingSets) -> ColliderPolicy:
    """B is a collider iff it is not in the set that separates a and c (Spirtes et al. 2000)."""
    return lambda a, b, c: b not in sets[a, c]


def judged_colliders(graph: PartialGraph, is_collider: ColliderPolicy, triples: Iterable[Triple]) -> list[Triple]:
    """The triples that are colliders, all judged before any mark is put.

    A triple on which the policy cannot decide is noted in ``graph.ambiguous``; no rule uses it. A policy with a method ``prepare`` is
    told the triples beforehand, so that it can ask about them together.
    """
    triples = list(triples)
    if hasattr(is_collider, "prepare"):
        is_collider.prepare(triples)
    judged = [(triple, is_collider(*triple)) for triple in heeding(triples)]
    graph.ambiguous.update(triple for triple, answer in judged if answer is None)
    return [triple for triple, answer in judged if answer]


def heeding(triples: Sequence[Triple]) -> Iterator[Triple]:
    """The triples, which can be millions; every thousand of them a run may be ended."""
    for begin in range(0, len(triples), _AT_ONCE):
        heed()
        yield from triples[begin : begin + _AT_ONCE]


def r0(graph: PartialGraph, is_collider: ColliderPolicy, triples: Iterable[Triple] | None = None) -> bool:
    """A - b - c unshielded with b a collider  =>  a *-> b <-* c.

    ``triples`` are the unshielded ones, where they are known already.
    """
    changed = False
    for a, b, c in heeding(judged_colliders(graph, is_collider, unshielded_triples(graph) if triples is None else triples)):
        for end in (a, c):
            if graph.around[end][b] != ARROW:  # most have it from another triple
                changed |= graph.put(end, b, ARROW, "R0", (a, b, c))
    return changed
