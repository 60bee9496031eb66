"""From a skeleton with separating sets to the PAG: R0, then the rules until nothing changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dicola.claims import Claims
from dicola.graphs.marks import ARROW, CIRCLE, TAIL
from dicola.graphs.pag import PAG
from dicola.graphs.skeleton import Skeleton
from dicola.orient.arrowheads import Rules, r1, r2, r3, r4
from dicola.orient.colliders import ColliderPolicy, Triple, by_separating_set, r0, unshielded_triples
from dicola.orient.known_paths import KnownOfSelection, KnownPaths, KnownRules
from dicola.orient.partial import Conflict, PartialGraph, Reason
from dicola.orient.selection import r5, r6, r7
from dicola.orient.tails import r8, r9, r10
from dicola.watch import heed

_AT_ONCE = 16  # changes that are followed before anybody looks up


@dataclass(frozen=True)
class Orientation:
    """The oriented graph with the trace of how it came about."""

    pag: PAG
    conflicts: tuple[Conflict, ...]
    reasons: dict[tuple[int, int], Reason]
    ambiguous: tuple[Triple, ...] = ()
    cut_short: bool = False

    @classmethod
    def of(cls, graph: PartialGraph, labels: tuple[str, ...]) -> Orientation:
        """What has become of a graph once the rules are done with it."""
        pag = PAG.trusted(graph.to_matrix(), labels)
        return cls(pag, tuple(graph.conflicts), graph.reasons, tuple(sorted(graph.ambiguous)), graph.cut_short)


def orient(
    skeleton: Skeleton,
    *,
    selection: bool = False,
    max_path_length: int | None = None,
    is_collider: ColliderPolicy | None = None,
    claims: Claims | None = None,
) -> Orientation:
    """Orient a skeleton completely: the PAG of the equivalence class, if skeleton and sets are right (Zhang 2008, Theorem 4).

    ``selection=True`` allows for selection of the sample (R5-R7). ``max_path_length`` bounds discriminating paths, in vertices.
    ``is_collider`` decides the colliders (default: by the recorded separating sets). What ``claims`` say stands before any rule is
    asked. Marks are only ever put on circles; what contradicts a standing mark is in ``conflicts``.
    """
    graph = PartialGraph(len(skeleton.labels), skeleton.edges)
    known = put_known(graph, claims)
    decide = is_collider or by_separating_set(skeleton.sets)
    triples = list(unshielded_triples(graph))
    if not hasattr(decide, "prepare"):  # else the policy looks up the sets that it needs
        skeleton.sets.prepare([(a, c) for a, _, c in triples])
    r0(graph, decide, triples)
    apply_rules(graph, decide, Rules(selection, max_path_length, known=known))
    return Orientation.of(graph, skeleton.labels)


def put_known(graph: PartialGraph, claims: Claims | None) -> KnownRules | None:
    """Put the marks that follow from what is known beforehand alone; answers what goes on from there."""
    if claims is None:
        return None
    for other, at, mark in claims.marks((a, b) for a, row in enumerate(graph.around) for b in row if a < b):
        graph.put(other, at, mark, "knowledge", (other, at))
    if claims.selection:
        return KnownOfSelection(claims)  # which rests on the colliders being known
    known = KnownPaths(graph, claims)
    known.apply(graph)
    return known


def apply_rules(graph: PartialGraph, is_collider: ColliderPolicy, rules: Rules = Rules()) -> None:
    """R1-R4, with selection R5-R7, then R8-R10, round and round until nothing changes."""
    settled = -1  # the number of changes up to which R5-R10 have nothing to add
    while True:
        spread_arrowheads(graph, is_collider, rules)
        if graph.n_changes == settled and rules.known is None:
            return
        before = graph.n_changes
        if rules.selection:
            _complete_selection(graph)
        _complete_tails(graph)
        if rules.known is not None:
            rules.known.apply(graph)
        if graph.n_changes == before:
            return
        settled = -1 if rules.selection else graph.n_changes


def spread_arrowheads(graph: PartialGraph, is_collider: ColliderPolicy, rules: Rules = Rules()) -> None:
    """R1-R4 until nothing changes: all arrowheads that follow."""
    while True:
        while graph.changed:
            heed()
            for _ in range(min(_AT_ONCE, len(graph.changed))):
                _follow_change(graph, *graph.changed.popleft())
        if not _find_discriminated(graph, is_collider, rules):
            return


def _follow_change(graph: PartialGraph, a: int, b: int) -> None:
    """Every instance of R1-R3 that a new mark at b on a - b can complete; what cannot fire is passed over before the rule is asked."""
    around = graph.around
    beside_a, beside_b = around[a], around[b]
    if beside_a.get(b) == ARROW:
        for c in beside_b:
            if c not in beside_a and around[c][b] == CIRCLE:
                r1(graph, a, b, c)
    beside_both = [c for c in beside_b if c in beside_a]
    if not beside_both:
        return
    if beside_a.get(b) == ARROW:
        for d in beside_both:
            if beside_a[d] != CIRCLE or around[d][b] != CIRCLE:
                continue
            for c in beside_b:
                if around[c][b] == ARROW and c not in beside_a:
                    r3(graph, a, b, c, d)
    into_a, into_b = beside_b.get(a) == ARROW, beside_a.get(b) == ARROW
    if not into_a and not into_b:
        return
    for c in beside_both:
        beside_c = around[c]
        if into_b and beside_a[c] == CIRCLE and beside_b[c] == ARROW:
            r2(graph, a, b, c)
        if into_a and beside_b[c] == CIRCLE and beside_a[c] == ARROW:
            r2(graph, b, a, c)
        if into_b and beside_c[b] == CIRCLE and beside_c[a] == ARROW:
            r2(graph, c, a, b)
        if into_a and beside_c[a] == CIRCLE and beside_c[b] == ARROW:
            r2(graph, c, b, a)


def _find_discriminated(graph: PartialGraph, is_collider: ColliderPolicy, rules: Rules) -> bool:
    """One pass of R4 over all triangles; answers whether anything changed."""
    changed = False
    around = graph.around
    for b, beside_b in enumerate(around):
        pointed_at = [a for a, mark in beside_b.items() if mark == ARROW]
        if not pointed_at:
            continue  # no a <-* b
        if b & 15 == 15:
            heed()
        for c in [c for c in beside_b if around[c][b] == CIRCLE]:
            for a in pointed_at:
                if around[a].get(c) == ARROW and around[c][a] == TAIL and r4(graph, is_collider, a, b, c, rules):
                    changed = True
            if changed:
                pointed_at = [a for a, mark in beside_b.items() if mark == ARROW]
    return changed


def _complete_selection(graph: PartialGraph) -> None:
    for a, b in _ends(graph):
        if a < b:
            heed()
            r5(graph, a, b)
    changed = True
    while changed:
        changed = False
        for c, b in _ends(graph):
            if graph.is_circle(c, b):
                heed()
                for a in graph.around[b]:
                    changed |= r6(graph, a, b, c) or r7(graph, a, b, c)


def _complete_tails(graph: PartialGraph) -> None:
    around = graph.around
    changed = True
    while changed:
        changed = False
        for a, beside_a in enumerate(around):
            if len(beside_a) < 2:
                continue  # the paths of all three rules leave a by another edge
            if a & 15 == 15:
                heed()
            for c, mark in beside_a.items():
                if mark == ARROW and around[c][a] == CIRCLE:
                    between = [b for b in beside_a if around[b][a] == TAIL and around[b].get(c) == ARROW]
                    changed |= any(r8(graph, a, b, c) for b in between) or r9(graph, a, c) or r10(graph, a, c)


def _ends(graph: PartialGraph) -> Iterable[tuple[int, int]]:
    return ((a, b) for a, row in enumerate(graph.around) for b in row)
