"""Meek's rules: the arcs that all DAGs of an equivalence class share (Meek 1995), for the case without hidden variables."""

from __future__ import annotations

from dicola.claims import Claims
from dicola.graphs.marks import ARROW
from dicola.graphs.skeleton import Skeleton
from dicola.orient.colliders import ColliderPolicy, heeding, judged_colliders, unshielded_triples
from dicola.orient.fixpoint import Orientation
from dicola.orient.partial import PartialGraph
from dicola.watch import heed


def orient_dag_class(skeleton: Skeleton, is_collider: ColliderPolicy, claims: Claims | None = None) -> Orientation:
    """Colliders, then Meek's rules to the end; an arc open in both directions stays o-o.

    What ``claims`` say of two adjacent variables comes first: without hidden variables, of two of
    which one does not cause the other, the other is the cause. Rule 4 has no work without claims.
    """
    graph = PartialGraph(len(skeleton.labels), skeleton.edges)
    for other, at, mark in claims.marks(skeleton.edges) if claims is not None else ():
        ends = (other, at) if mark == ARROW else (at, other)
        graph.orient(*ends, "knowledge", (other, at))
    for a, b, c in heeding(judged_colliders(graph, is_collider, unshielded_triples(graph))):
        graph.orient(a, b, "R0", (a, b, c))
        graph.orient(c, b, "R0", (a, b, c))
    while graph.changed:
        heed()
        a, b = graph.changed.popleft()
        for x, y in ((a, b), (b, a)):
            beside = sorted(graph.around[y])
            for c in beside:
                meek1(graph, x, y, c)
                meek2(graph, x, y, c)
                meek2(graph, c, x, y)
                if c != x and graph.is_parent(x, y) and graph.is_parent(c, y) and not graph.adjacent(x, c):  # else rule 3 asks in vain
                    for d in beside:
                        meek3(graph, d, y, x, c)
        if claims is not None and not graph.changed:
            _complete_with_claims(graph)
    return Orientation.of(graph, skeleton.labels)


def _complete_with_claims(graph: PartialGraph) -> None:
    """Every instance of rule 4."""
    for d in range(len(graph)):
        heed()
        causes = [v for v in sorted(graph.around[d]) if graph.is_parent(v, d)]
        effects = [v for v in sorted(graph.around[d]) if graph.is_parent(d, v)]
        for c in causes:
            for b in effects:
                for a in sorted(graph.around[d]):
                    if a not in (b, c) and graph.adjacent(a, b) and graph.adjacent(a, c):
                        meek4(graph, a, b, c, d)


def _is_open(graph: PartialGraph, a: int, b: int) -> bool:
    return graph.is_circle(a, b) and graph.is_circle(b, a)


def meek1(graph: PartialGraph, a: int, b: int, c: int) -> bool:
    """A --> b o-o c with a, c not adjacent  =>  b --> c."""
    if a == c or not graph.is_parent(a, b) or not _is_open(graph, b, c) or graph.adjacent(a, c) or not graph.is_definite(a, b, c):
        return False
    return graph.orient(b, c, "Meek 1", (a, b, c))


def meek2(graph: PartialGraph, a: int, b: int, c: int) -> bool:
    """A --> b --> c and a o-o c  =>  a --> c."""
    if not _is_open(graph, a, c) or not graph.is_parent(a, b) or not graph.is_parent(b, c):
        return False
    return graph.orient(a, c, "Meek 2", (a, b, c))


def meek3(graph: PartialGraph, a: int, b: int, c: int, d: int) -> bool:
    """A o-o b, a o-o c --> b, a o-o d --> b with c, d not adjacent  =>  a --> b."""
    if c == d or not _is_open(graph, a, b) or not graph.is_parent(c, b) or not graph.is_parent(d, b):
        return False
    if not _is_open(graph, a, c) or not _is_open(graph, a, d) or graph.adjacent(c, d) or not graph.is_definite(c, a, d):
        return False
    return graph.orient(a, b, "Meek 3", (a, b, c, d))


def meek4(graph: PartialGraph, a: int, b: int, c: int, d: int) -> bool:
    """A o-o b, a o-o c --> d --> b with a, d adjacent and c, b not  =>  a --> b."""
    if not _is_open(graph, a, b) or not _is_open(graph, a, c) or graph.adjacent(c, b) or not graph.is_definite(c, a, b):
        return False
    return graph.orient(a, b, "Meek 4", (a, b, c, d))
