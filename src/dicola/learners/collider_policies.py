"""Ways to decide colliders that ask the data again instead of trusting one separating set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from math import isnan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dicola._kernels import weighed_sets as kernel
from dicola._kernels.arrays import flat_rows, in_columns
from dicola.ci.inquiry import Evidence, Inquiry
from dicola.ci.questions import Answered, Depends, Question
from dicola.claims import Claims
from dicola.errors import not_allowed
from dicola.graphs.skeleton import Pair, SeparatingSets, Skeleton, Variables
from dicola.orient.colliders import ColliderPolicy, Triple, by_separating_set
from dicola.orient.partial import PartialGraph
from dicola.score.order_search import best_of
from dicola.score.registry import score_behind

if TYPE_CHECKING:
    from dicola.ci.fisher_z import FisherZ


class Weighed(NamedTuple):
    """The sets that separate a pair: how many, how many of them hold each variable, and the one with the largest p-value."""

    total: int
    holding: Mapping[int, int]
    best: Variables


def _conservative(b: int, found: Weighed) -> bool | None:
    """Collider if b is in none of the separating sets, non-collider if in all, else undecided (Ramsey et al. 2006)."""
    return {0: True, found.total: False}.get(found.holding.get(b, 0))


def _majority(b: int, found: Weighed) -> bool | None:
    """Collider if b is in less than half of the separating sets, non-collider if in more (Colombo and Maathuis 2014)."""
    twice = 2 * found.holding.get(b, 0)
    return None if twice == found.total else twice < found.total


def _max_p(b: int, found: Weighed) -> bool:
    """Decided by the separating set with the largest p-value (Ramsey 2016); ties go to the smaller, then the first set."""
    return b not in found.best


Rule = Callable[[int, Weighed], bool | None]
_RULES: dict[str, Rule] = {"conservative": _conservative, "majority": _majority, "max_p": _max_p}
POLICIES = ("sepset", *_RULES, "compare", "order")
CHOICES = ("auto", *POLICIES)
STARTS = 3  # order searches, of which the best decides
DECISIVE = 10.0  # times a p-value that the other must be, where neither set separates the ends alone
LARGEST = 4  # a hub has more sets of neighbours than anyone can ask about; small ones have the power


def checked_policy(name: str) -> None:
    """Refuse a policy that is not known."""
    if name not in POLICIES:
        raise not_allowed("colliders", name, f"it may be {', '.join(repr(policy) for policy in CHOICES)}.")


def collider_policy(name: str, ci: Evidence, skeleton: Skeleton, max_size: int | None = None, seed: int = 0) -> ColliderPolicy:
    """How to tell whether b is a collider between the non-adjacent a and c.

    ``"sepset"`` looks at the recorded separating set. ``"compare"`` asks whether a and c are more independent without b than with it,
    given the rest of that set, and leaves close calls open. ``"order"`` looks at the DAG with the best score that some order searches
    find, from random orders of this seed, and at the recorded set where that DAG has no such triple. The others collect, for a pair, the
    recorded set and every set of neighbours of a or of c (up to ``max_size``, or 4 variables where there is no limit) that separates it,
    in the frozen skeleton, so that no order of triples matters; each pair is asked once.
    """
    checked_policy(name)
    if name == "sepset":
        return by_separating_set(skeleton.sets)
    if name == "compare":
        return Compare(Inquiry.of(ci), skeleton.sets)
    if name == "order":
        return _by_order(Inquiry.of(ci), skeleton, seed)
    return AskAgain(Inquiry.of(ci), skeleton, _RULES[name], LARGEST if max_size is None else max_size)


def where_separated(policy: ColliderPolicy, skeleton: Skeleton, claims: Claims | None) -> ColliderPolicy:
    """The policy, but undecided about pairs that are not adjacent only because that was said: no set separates them."""
    said = [] if claims is None else [(a, b) for a, b in np.argwhere(np.triu(claims.apart)).tolist() if (a, b) not in skeleton.edges]
    without = {pair for pair in said if skeleton.sets.get(*pair) is None}
    return ExceptFor(policy, without) if without else policy


class ExceptFor:
    """A policy that does not decide about some pairs."""

    def __init__(self, policy: ColliderPolicy, pairs: set[Pair]) -> None:
        self.policy, self.pairs = policy, pairs

    def prepare(self, triples: Iterable[Triple]) -> None:
        """Tell the policy about the others."""
        if hasattr(self.policy, "prepare"):
            self.policy.prepare([(a, b, c) for a, b, c in triples if (min(a, c), max(a, c)) not in self.pairs])

    def __call__(self, a: int, b: int, c: int) -> bool | None:
        return None if (min(a, c), max(a, c)) in self.pairs else self.policy(a, b, c)


class Compare:
    """A policy that asks the data about b alone: one recorded set may hold it for no reason, or lack it for want of power."""

    def __init__(self, ci: Inquiry, sets: SeparatingSets) -> None:
        self.ci, self.sets = ci, sets
        self.known: dict[Triple, bool | None] = {}

    def prepare(self, triples: Iterable[Triple]) -> None:
        """Ask about many triples at once."""
        known = self.known
        new = list(dict.fromkeys([each for a, b, c in triples if (each := (a, b, c) if a < c else (c, b, a)) not in known]))
        self.sets.prepare([(a, c) for a, _, c in new])
        found = self.ci.ask(FreerWithout(new, [self.sets[a, c] for a, _, c in new])) if new else []
        self.known.update(zip(new, found, strict=True))

    def __call__(self, a: int, b: int, c: int) -> bool | None:
        triple = (a, b, c) if a < c else (c, b, a)
        try:
            return self.known[triple]
        except KeyError:
            self.prepare([triple])
            return self.known[triple]


class Agreed:
    """What two policies say alike; undecided where they differ."""

    def __init__(self, one: ColliderPolicy, other: Compare) -> None:
        self.one, self.other = one, other

    def prepare(self, triples: Iterable[Triple]) -> None:
        """Ask about many triples at once."""
        self.other.prepare(triples)

    def __call__(self, a: int, b: int, c: int) -> bool | None:
        found = self.one(a, b, c)
        return found if found == self.other(a, b, c) else None


@dataclass(eq=False)
class FreerWithout(Question[list[bool | None]]):
    """For each (a, b, c): are a and c more independent without b than with it, given the rest of what separates them?

    Where one of the two sets separates them and the other does not, that decides, as it does with
    perfect answers; else a p-value that is ``DECISIVE`` times the other. ``None`` where neither does:
    both sets may separate for want of power, and to guess costs more marks than it wins.
    """

    triples: Sequence[Triple]
    sets: Sequence[Variables]

    def plain(self, ci: Inquiry) -> list[bool | None]:
        if ci.remembers:  # by all workers; the verdicts are remembered
            pairs = zip(self.triples, self.sets, strict=True)
            ci.ask_each([Depends(a, c, held) for (a, b, c), z in pairs for held in self._without_and_given(b, z)])
        return [self._is_freer(ci, *triple, z) for triple, z in zip(self.triples, self.sets, strict=True)]

    @staticmethod
    def _without_and_given(b: int, z: Variables) -> tuple[Variables, Variables]:
        rest = tuple(v for v in z if v != b)
        return rest, tuple(sorted((*rest, b)))

    def _is_freer(self, ci: Inquiry, a: int, b: int, c: int, z: Variables) -> bool | None:
        without, given = (ci.verdict(a, c, held) for held in self._without_and_given(b, z))
        if without.independent != given.independent or isnan(without.p_value) or isnan(given.p_value):
            return without.independent and not given.independent
        smaller, larger = sorted((without.p_value, given.p_value))
        return without.p_value > given.p_value if larger > smaller and larger >= DECISIVE * smaller else None

    def by_correlations(self, test: FisherZ) -> Answered[list[bool | None]] | None:
        if test.n_samples - max(map(len, self.sets)) - 4 <= 0:
            return None
        found = kernel.freer_without(
            test.correlation, in_columns(self.triples, 3), flat_rows(self.sets), test.n_samples, test.alpha, DECISIVE
        )
        return [None if answer < 0 else bool(answer) for answer in found.tolist()], 2 * len(found)


class AskAgain:
    """A policy that looks at all small sets of neighbours that separate a pair; each pair is asked about once."""

    def __init__(self, ci: Inquiry, skeleton: Skeleton, rule: Rule, max_size: int) -> None:
        self.ci, self.sets, self.rule, self.max_size = ci, skeleton.sets, rule, max_size
        self.pools = [tuple(row) for row in PartialGraph(len(skeleton.labels), skeleton.edges).around]
        self.weighed: dict[Pair, Weighed] = {}

    def prepare(self, triples: Iterable[Triple]) -> None:
        """Ask about many pairs at once."""
        new = [pair for pair in dict.fromkeys((min(a, c), max(a, c)) for a, _, c in triples) if pair not in self.weighed]
        self.sets.prepare(new)
        found = self.ci.ask(WeighSets(new, [self.sets[pair] for pair in new], self.pools, self.max_size)) if new else []
        self.weighed.update(zip(new, found, strict=True))

    def __call__(self, a: int, b: int, c: int) -> bool | None:
        pair = (a, c) if a < c else (c, a)
        if pair not in self.weighed:
            self.prepare([(a, b, c)])
        return self.rule(b, self.weighed[pair])


@dataclass(eq=False)
class WeighSets(Question[list[Weighed]]):
    """Which sets separate each of some pairs: the one ``recorded`` for it, which counts in any case, and those of up to ``max_size``
    of the ``pools`` of x, or of y?
    """

    pairs: Sequence[Pair]
    recorded: Sequence[Variables]
    pools: Sequence[Variables]
    max_size: int

    def plain(self, ci: Inquiry) -> list[Weighed]:
        return [self._weighed(ci, pair, z) for pair, z in zip(self.pairs, self.recorded, strict=True)]

    def _weighed(self, ci: Inquiry, pair: Pair, recorded: Variables) -> Weighed:
        candidates = dict.fromkeys([recorded])
        for pool in (self.pools[v] for v in pair):
            for size in range(min(len(pool), self.max_size) + 1):
                candidates.update(dict.fromkeys(combinations(pool, size)))
        verdicts = {z: ci.verdict(*pair, z) for z in candidates}
        found = {z: 1.0 if isnan(v.p_value) else v.p_value for z, v in verdicts.items() if v.independent or z == recorded}
        return Weighed(len(found), Counter(v for z in found for v in z), min(found, key=lambda z: (-found[z], len(z), z)))

    def by_correlations(self, test: FisherZ) -> Answered[list[Weighed]] | None:
        if not self.pairs or test.may_raise(max(self.max_size, max(map(len, self.recorded)))):
            return None
        pairs, most = np.array(self.pairs, dtype=np.int64), min(self.max_size, len(test))
        totals, holding, sizes, best, tests = kernel.weighed_sets(
            test.correlation, pairs, flat_rows(self.pools), flat_rows(self.recorded), most, test.limits, test.n_samples
        )
        held, chosen, found = iter(holding.tolist()), iter(best.tolist()), []
        for (x, y), z, total, size in zip(self.pairs, self.recorded, totals.tolist(), sizes.tolist(), strict=True):
            inside = {v: next(held) for v in (*self.pools[x], *self.pools[y])}
            found.append(Weighed(total, dict.fromkeys(z, 1) | inside, tuple(islice(chosen, size))))
        return found, int(tests)


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
