"""Ways to decide colliders that ask the data again instead of trusting one separating set."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations
from math import isnan

from dicola.ci.inquiry import Evidence, Inquiry
from dicola.errors import not_allowed
from dicola.graphs.skeleton import Skeleton, Variables
from dicola.orient.colliders import ColliderPolicy, by_separating_set
from dicola.orient.partial import PartialGraph
from dicola.score.order_search import best_of
from dicola.score.registry import score_behind

Found = tuple[tuple[Variables, float], ...]
"""Sets that separate a pair, each with its p-value."""


def _conservative(b: int, found: Found) -> bool | None:
    """Collider if b is in none of the separating sets, non-collider if in all, else undecided (Ramsey et al. 2006)."""
    holding = sum(b in z for z, _ in found)
    return {0: True, len(found): False}.get(holding)


def _majority(b: int, found: Found) -> bool | None:
    """Collider if b is in less than half of the separating sets, non-collider if in more (Colombo and Maathuis 2014)."""
    twice = 2 * sum(b in z for z, _ in found)
    return None if twice == len(found) else twice < len(found)


def _max_p(b: int, found: Found) -> bool:
    """Decided by the separating set with the largest p-value (Ramsey 2016); ties go to the smaller, then the first set."""
    best = min(found, key=lambda entry: (-entry[1], len(entry[0]), entry[0]))
    return b not in best[0]


_RULES: dict[str, Callable[[int, Found], bool | None]] = {"conservative": _conservative, "majority": _majority, "max_p": _max_p}
POLICIES = ("sepset", *_RULES, "order")
STARTS = 3  # order searches, of which the best decides
LARGEST = 4  # a hub has more sets of neighbours than anyone can ask about; small ones have the power


def checked_policy(name: str) -> None:
    """Refuse a policy that is not known."""
    if name not in POLICIES:
        raise not_allowed("colliders", name, f"it may be {', '.join(repr(policy) for policy in POLICIES)}.")


def collider_policy(name: str, ci: Evidence, skeleton: Skeleton, max_size: int | None = None, seed: int = 0) -> ColliderPolicy:
    """How to tell whether b is a collider between the non-adjacent a and c.

    ``"sepset"`` looks at the recorded separating set. ``"order"`` looks at the DAG with the best score that some order searches find,
    from random orders of this seed, and at the recorded set where that DAG has no such triple. The others collect, for a pair, the
    recorded set and every set of neighbours of a or of c (up to ``max_size``, or 4 variables where there is no limit) that separates it,
    in the frozen skeleton, so that no order of triples matters; each pair is asked once.
    """
    checked_policy(name)
    if name == "sepset":
        return by_separating_set(skeleton.sets)
    if name == "order":
        return _by_order(Inquiry.of(ci), skeleton, seed)
    rule = _RULES[name]
    around = PartialGraph(len(skeleton.labels), skeleton.edges).around

    @cache
    def separating(a: int, c: int) -> Found:
        candidates = dict.fromkeys([skeleton.sets[a, c]])
        for pool in (around[a], around[c]):
            for size in range(min(len(pool), LARGEST if max_size is None else max_size) + 1):
                candidates.update(dict.fromkeys(combinations(pool, size)))
        recorded = next(iter(candidates))
        verdicts = [(z, ci.verdict(a, c, z)) for z in candidates]
        return tuple((z, 1.0 if isnan(v.p_value) else v.p_value) for z, v in verdicts if v.independent or z == recorded)

    def is_collider(a: int, b: int, c: int) -> bool | None:
        return rule(b, separating(min(a, c), max(a, c)))

    return is_collider


def _by_order(ci: Inquiry, skeleton: Skeleton, seed: int) -> ColliderPolicy:
    """A triple that is unshielded in the best DAG too is a collider iff it is one there; others, and those of R4, go by their set."""
    found = best_of(score_behind(ci), STARTS, seed)
    ci.book_score("parent searches", found.work)
    parents, by_set = found.parents, by_separating_set(skeleton.sets)
    adjacent = parents | parents.T

    def is_collider(a: int, b: int, c: int) -> bool | None:
        is_triple = (min(a, b), max(a, b)) in skeleton.edges and (min(b, c), max(b, c)) in skeleton.edges
        if is_triple and adjacent[a, b] and adjacent[b, c] and not adjacent[a, c]:
            return bool(parents[b, a] and parents[b, c])
        return by_set(a, b, c)

    return is_collider
