"""RFCI: FCI without Possible-D-Sep, kept sound by a few extra tests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import Adjacency, FindSeparator
from dicola.graphs.skeleton import LaterSets, Pair, RecordedSets, SeparatingSets, Skeleton, Variables
from dicola.learners.adjacency import minimal_subset, search_neighbours
from dicola.learners.base import Context, Found, Learner, OrientationSettings, edges_of
from dicola.learners.collider_policies import collider_policy, where_separated
from dicola.orient.arrowheads import Rules
from dicola.orient.colliders import Triple, r0, unshielded_triples
from dicola.orient.fixpoint import Orientation, apply_rules, put_known
from dicola.orient.partial import PartialGraph


@dataclass(frozen=True)
class RFCI(Learner):
    """Really Fast Causal Inference: edges are tested once more before a mark is based on them.

    The adjacency search of PC can leave edges that only Possible-D-Sep would remove. RFCI leaves
    them too, but asks every edge of an unshielded triple, and of a discriminating path, whether a
    subset of the recorded separating set parts its ends; what falls is removed. Every mark it puts
    is then sound, though the skeleton may have edges too many.

    As a leaf under DiCoLa it gives the skeleton after the triples were checked. That may be a
    strict supergraph of the leaf's true skeleton, so exactness of the whole is not guaranteed; the
    merged skeleton is oriented by RFCI's own steps, as alone.

    Parameters
    ----------
    max_condition_size : int, optional
        Largest set of neighbours that the adjacency search conditions on.

    """

    name, title = "rfci", "RFCI"
    reference = "Colombo, Maathuis, Kalisch and Richardson (2012)"
    guarantee = "every mark sound; no true edge missed; edges too many in rare graphs"

    max_condition_size: int | None = None

    def search(self, ci: Inquiry, context: Context) -> Found:
        # The collider step rests on minimal sets.
        adjacency, sets, warnings = search_neighbours(ci, context, self.max_condition_size, minimal=True)
        check_triples(ci, adjacency, sets, unshielded_triples(PartialGraph(len(ci), edges_of(adjacency))))
        return Found(adjacency, sets, warnings)

    def orient(self, ci: Inquiry, skeleton: Skeleton, settings: OrientationSettings, alone: bool = False) -> tuple[Skeleton, Orientation]:
        """RFCI's own orientation: triples and discriminating paths are put to the test, which may remove further edges.

        After a merge the separating sets need not be minimal, as this rests on; those it uses are made so first, and the triples of the
        merged skeleton are checked once more.
        """
        graph = PartialGraph(len(skeleton.labels), skeleton.edges)
        said = settings.claims is not None and settings.claims.apart.any()  # a pair may be without an edge and without a set
        triples = [(a, b, c) for a, b, c in unshielded_triples(graph) if not said or skeleton.sets.get(a, c) is not None]
        skeleton.sets.prepare([(a, c) for a, _, c in triples])
        sets = RecordedSets(otherwise=skeleton.sets if alone else MinimalSets(ci, skeleton.sets))
        adjacency = graph.to_matrix() != 0
        if not alone:
            check_triples(ci, adjacency, sets, triples)
            graph = PartialGraph(len(graph), edges_of(adjacency))
        current = replace(skeleton, edges=frozenset(edges_of(adjacency)), sets=sets)
        known = put_known(graph, settings.claims)
        policy = collider_policy(settings.colliders, ci, current, self.max_condition_size, settings.seed)
        decide = where_separated(policy, current, settings.claims)
        r0(graph, decide)

        def stands(graph: PartialGraph, path: tuple[int, ...]) -> bool:
            gone = _weak_edge(ci, sets, path)
            if gone is None:
                return True
            (u, v), z = gone
            sets[u, v] = z
            adjacency[u, v] = adjacency[v, u] = False
            for a, b in [(u, v), *check_triples(ci, adjacency, sets, _triples_between(adjacency, u, v))]:
                graph.remove(a, b)
            r0(graph, decide)
            return False

        apply_rules(graph, decide, Rules(settings.selection, settings.max_path_length, stands, known))
        found = LaterSets(dict(sets.items()), otherwise=skeleton.sets) if len(sets) else skeleton.sets
        return replace(skeleton, edges=frozenset(edges_of(adjacency)), sets=found), Orientation.of(graph, skeleton.labels)


class MinimalSets(SeparatingSets):
    """Separating sets made minimal when they are asked for, by tests; each pair once."""

    def __init__(self, ci: Inquiry, base: SeparatingSets) -> None:
        self._ci, self._base = ci, base
        self._known: dict[Pair, Variables | None] = {}

    def get(self, x: int, y: int) -> Variables | None:
        pair = (min(x, y), max(x, y))
        if pair not in self._known:
            z = self._base.get(x, y)
            self._known[pair] = None if z is None else minimal_subset(self._ci, *pair, z)
        return self._known[pair]


def check_triples(ci: Inquiry, adjacency: Adjacency, sets: RecordedSets, triples: Iterable[Triple]) -> list[tuple[int, int]]:
    """Test the two edges of every unshielded triple given what separates its ends; remove those that fall and check the new triples.

    Lemma 3.1 of Colombo et al. Changes ``adjacency`` and ``sets``; answers the edges removed.
    """
    waiting = dict.fromkeys(sorted(triples))
    removed: list[tuple[int, int]] = []
    while waiting:
        i, j, k = next(iter(waiting))
        del waiting[i, j, k]
        if not adjacency[i, j] or not adjacency[j, k] or adjacency[i, k]:
            continue
        given = tuple(v for v in sets[i, k] if v != j)
        if not given:
            continue  # both edges have survived the marginal tests
        for r in (i, k):
            if not adjacency[r, j] or not ci.verdict(min(r, j), max(r, j), given).independent:
                continue
            found = ci.ask(FindSeparator(r, j, given, range(len(given) + 1)))
            sets[r, j] = given if found is None else found
            adjacency[r, j] = adjacency[j, r] = False
            removed.append((min(r, j), max(r, j)))
            waiting.update(dict.fromkeys(_triples_between(adjacency, r, j)))
    return removed


def _weak_edge(ci: Inquiry, sets: SeparatingSets, path: tuple[int, ...]) -> tuple[tuple[int, int], tuple[int, ...]] | None:
    """The first edge of a discriminating path whose ends a subset of sepset(d, c) separates, with that subset."""
    whole = sets[path[0], path[-1]]
    for u, v in pairwise(path):
        candidates = [w for w in whole if w not in (u, v)]
        found = ci.ask(FindSeparator(u, v, candidates, range(len(candidates) + 1)))
        if found is not None:
            return (u, v), found
    return None


def _triples_between(adjacency: Adjacency, a: int, b: int) -> list[Triple]:
    """Unshielded triples whose ends are a and b, no longer adjacent."""
    return [(min(a, b), int(v), max(a, b)) for v in np.nonzero(adjacency[a] & adjacency[b])[0]]
