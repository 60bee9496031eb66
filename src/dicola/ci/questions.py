"""Questions about many independences at once, as values.

A question knows its plain answer, put together from single verdicts. A test may know a faster one, with the same answer and the same
number of verdicts. Questions that only one caller asks live with that caller.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import chain, combinations, pairwise, repeat
from math import comb, isnan, nan
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from dicola._kernels import levels, precision
from dicola._kernels import partial_correlation as kernel
from dicola.allowed import MOST
from dicola.errors import InvalidSetting, shown
from dicola.graphs.skeleton import Pair, Variables
from dicola.watch import heed

if TYPE_CHECKING:
    from dicola.ci.card import Card, Doubt
    from dicola.ci.fisher_z import FisherZ
    from dicola.ci.inquiry import Inquiry

Adjacency = NDArray[np.bool_]
Answer = TypeVar("Answer", covariant=True)
Answered = tuple[Answer, int]
"""An answer, and the number of verdicts that it took."""

Verdicts = tuple[int, int, Iterable[Variables], float | None]
"""Two variables, the smaller one first, sets that are tried one after the other, and the level (``None``: that of the test)."""

SMALL = 64  # variables up to which a kernel inverts faster than the call of a library takes
_NOTHING = np.zeros((0, 0), dtype=np.bool_)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to one question; ``p_value`` is NaN where a test only says yes or no."""

    independent: bool
    p_value: float = nan

    def independent_at(self, alpha: float | None) -> bool:
        """The answer at another level; a test without p-values has one answer only."""
        return self.independent if alpha is None or isnan(self.p_value) else self.p_value > alpha


class Question(ABC, Generic[Answer]):
    """A question as a value: a dataclass of what is asked, which nobody changes.

    It is not frozen, because that makes it several times slower to make, and a run may ask thousands.
    """

    @abstractmethod
    def plain(self, ci: Inquiry) -> Answer:
        """The answer from single verdicts or from simpler questions, which ``ci`` counts."""

    def by_correlations(self, test: FisherZ) -> Answered[Answer] | None:
        """A faster answer from the correlations behind a Gaussian test; ``None`` where there is none."""
        return None

    def by_card(self, test: FisherZ, card: Card) -> Answered[Answer] | None:
        """A faster answer from the graphics card that holds these correlations; ``None`` where there is none."""
        return None

    def by_evidence(self, test: SearchedTest) -> Answered[Answer] | None:
        """A faster answer from the counts or blocks of columns behind a test; ``None`` where there is none."""
        return None

    def if_perfect(self) -> Answered[Answer] | None:
        """What every test that never errs would answer, where that is known beforehand; ``None`` where it is not."""
        return None

    def check(self, ci: Inquiry) -> None:
        """Refuse what cannot be asked about the variables of ``ci``."""
        return

    def verdicts(self, n: int) -> Verdicts | None:
        """The verdicts that the plain answer asks of a test of n variables, up to the first independent one; ``None`` if it asks others."""
        return None

    def key(self) -> tuple[Any, ...] | None:
        """What tells this question from others, for a memory; ``None`` where what it asks is better remembered one by one."""
        return (type(self), *(_frozen(getattr(self, each.name)) for each in fields(self)))  # type: ignore[arg-type]


def _frozen(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tobytes()
    if isinstance(value, set | frozenset):
        return frozenset(value)
    return tuple(_frozen(each) for each in value) if isinstance(value, list | tuple | range) else value


class SearchedTest(Protocol):
    """A test on evidence that the kernels of searches can ask: counts, blocks of columns, latent variables."""

    @property
    def evidence(self) -> Any:
        """What these kernels need, at the level of the test."""
        ...

    @property
    def limits(self) -> NDArray[np.float64]:
        """One number per size of a conditioning set, for kernels that go by correlations."""
        ...

    @property
    def alpha(self) -> float:
        """The level."""
        ...

    def evidence_at(self, alpha: float) -> Any:
        """The same at another level."""
        ...

    def given_rest(self, alpha: float, inside: NDArray[np.int64]) -> Adjacency | None:
        """Total conditioning inside a block, where there is a faster way than pair by pair."""
        ...

    def verdict(self, x: int, y: int, z: Variables) -> Verdict:
        """One verdict, as of any test."""
        ...

    def log_p_values(self, x: int, y: int, sets: Sequence[Variables]) -> NDArray[np.float64] | None:
        """Logarithms of p-values, as of any test."""
        ...

    def __len__(self) -> int: ...


class SetFamily(Protocol):
    """The conditioning sets a search may ask about, where not every subset of the candidates will do."""

    def of_size(self, size: int) -> Iterator[Variables]:
        """Its sets of this size, each once, in a fixed order, made as they are asked for."""
        ...

    def bunches(self, size: int) -> Iterator[NDArray[np.int64]]:
        """The same sets in the same order, as the rows of matrices."""
        ...

    def __contains__(self, z: Variables) -> bool:
        """Is this set of candidates one of them?"""
        ...


@dataclass(eq=False)
class GivenRest(Question[Adjacency]):
    """Total conditioning: which pairs of ``block`` (default: all) depend on each other given *all* other variables of the test?

    ``alpha`` is the level, by default that of the test.
    """

    alpha: float | None = None
    block: Sequence[int] | None = None

    def plain(self, ci: Inquiry) -> Adjacency:
        inside = range(len(ci)) if self.block is None else self.block
        dependent = np.zeros((len(inside), len(inside)), dtype=np.bool_)
        dependent[np.triu_indices(len(inside), 1)] = ci.ask_each([Depends(x, y, None, self.alpha) for x, y in combinations(inside, 2)])
        return dependent | dependent.T

    def by_correlations(self, test: FisherZ) -> Answered[Adjacency] | None:
        inside = np.arange(len(test)) if self.block is None else np.array(self.block, dtype=np.int64)
        tests = len(inside) * (len(inside) - 1) // 2
        if not tests:
            return np.zeros((len(inside), len(inside)), dtype=np.bool_), 0
        limit = test.limit(len(test) - 2, self.alpha)
        if self.block is None and test.inverse is not None:
            dependent, sure = precision.related(test.inverse, limit)
        elif len(test) > SMALL or test.chosen is None:
            dependent, sure = precision.related(test.precision_of(inside), limit)
        else:
            dependent, sure = precision.related_within(*test.part_of_whole, inside, limit)
        return (dependent, tests) if sure else None  # not sure: some variable is determined by the others

    def by_card(self, test: FisherZ, card: Card) -> Answered[Adjacency] | None:
        inside = np.arange(len(test)) if self.block is None else np.array(self.block, dtype=np.int64)
        tests = len(inside) * (len(inside) - 1) // 2
        if not tests:
            return None
        limit = test.limit(len(test) - 2, self.alpha)
        if self.block is None and test.inverse is not None:
            dependent = card.related(limit, test.inverted_again)
        else:
            dependent = card.related_within(test.part_of_card, inside, limit)
        return None if dependent is None else (dependent, tests)

    def by_evidence(self, test: SearchedTest) -> Answered[Adjacency] | None:
        inside = np.arange(len(test)) if self.block is None else np.array(self.block, dtype=np.int64)
        dependent = test.given_rest(test.alpha if self.alpha is None else self.alpha, inside)
        return None if dependent is None else (dependent, len(inside) * (len(inside) - 1) // 2)


@dataclass(eq=False)
class Depends(Question[bool]):
    """Do x and y depend on each other given z (``None``: all other variables)? ``alpha`` is the level, by default that of the test."""

    x: int
    y: int
    z: Variables | None
    alpha: float | None = None

    def verdict(self, n: int) -> tuple[int, int, Variables]:
        """What a test of n variables is asked."""
        z = tuple(v for v in range(n) if v not in (self.x, self.y)) if self.z is None else self.z
        return min(self.x, self.y), max(self.x, self.y), z

    def plain(self, ci: Inquiry) -> bool:
        return not ci.verdict(*self.verdict(len(ci))).independent_at(self.alpha)

    def verdicts(self, n: int) -> Verdicts:
        x, y, z = self.verdict(n)
        return x, y, (z,), self.alpha


class Separation(NamedTuple):
    """An edge that fell, ``i < j``, and the set that separates its ends."""

    i: int
    j: int
    separating_set: Variables


@dataclass(eq=False)
class SweepLevel(Question[list[Separation]]):
    """One order-independent level of a search: every edge against all sets of one size.

    Every edge i - j of the frozen ``adjacency`` is tested given all sets of this size from row i of ``candidates`` (default: the
    neighbours of i), then from row j; the first that separates is reported. Sets that lie within row i or row j of ``tried`` are
    passed over, and so is a candidate v with ``useless[v, i]`` and ``useless[v, j]``: known to cause neither, it is in no set that is
    needed. An end of an edge with more sets than ``most`` (``None``: any number) is passed over.
    """

    adjacency: Adjacency
    size: int
    candidates: Adjacency | None = None
    tried: Adjacency | None = None
    useless: Adjacency | None = None
    most: int | None = None

    def check(self, ci: Inquiry) -> None:
        check_level(len(ci), self.size, self.adjacency, self.candidates, self.tried, self.useless)

    def plain(self, ci: Inquiry) -> list[Separation]:
        pools = [np.nonzero(row)[0].tolist() for row in np.asarray(self.adjacency if self.candidates is None else self.candidates)]
        old = None if self.tried is None else [set(np.nonzero(row)[0].tolist()) for row in np.asarray(self.tried)]
        edges = [(i, j) for i, j in np.argwhere(np.triu(np.asarray(self.adjacency), 1)).tolist()]
        separators: dict[Pair, Variables | None] = dict.fromkeys(edges)
        for end in (0, 1) if self.size > 0 else (0,):
            left = [(i, j) for i, j in edges if separators[i, j] is None]
            searches = []
            for i, j in left:
                passed = [] if old is None else [old[i], old[j]]
                if end:
                    passed.append(set(pools[i]) - {j})
                pool = [v for v in pools[(i, j)[end]] if v not in (i, j) and not self._is_useless(v, i, j)]
                sizes = () if self._are_too_many(len(pool)) else (self.size,)
                searches.append(FindSeparator(i, j, pool, sizes, passed))
            separators.update(zip(left, ci.ask_each(searches), strict=True))
        return [Separation(i, j, z) for (i, j), z in separators.items() if z is not None]

    def passes_over(self, fallen: Sequence[Separation]) -> bool:
        """Is there an edge that stayed, at an end of which there were too many sets, not all of them tried before?"""
        if self.most is None:
            return False
        pools = np.asarray(self.adjacency if self.candidates is None else self.candidates)
        gone = {(i, j) for i, j, _ in fallen}
        for i, j in np.argwhere(np.triu(np.asarray(self.adjacency), 1)).tolist():
            for end, owner in enumerate((i, j)):
                pool = [v for v in np.nonzero(pools[owner])[0].tolist() if v not in (i, j) and not self._is_useless(v, i, j)]
                olds = ([] if self.tried is None else [self.tried[i], self.tried[j]]) + ([pools[i]] if end else [])
                known = any(all(old[v] for v in pool) for old in olds)
                if (i, j) not in gone and not known and len(pool) >= self.size and self._are_too_many(len(pool)):
                    return True
        return False

    def _are_too_many(self, candidates: int) -> bool:
        return self.most is not None and comb(candidates, min(self.size, candidates // 2)) > self.most

    def _is_useless(self, v: int, i: int, j: int) -> bool:
        return self.useless is not None and bool(self.useless[v, i] and self.useless[v, j])

    def by_correlations(self, test: FisherZ) -> Answered[list[Separation]] | None:
        return None if (found := self._as_search().by_correlations(test)) is None else (found[0].fallen, found[1])

    def by_card(self, test: FisherZ, card: Card) -> Answered[list[Separation]] | None:
        return None if (found := self._as_search().by_card(test, card)) is None else (found[0].fallen, found[1])

    def by_evidence(self, test: SearchedTest) -> Answered[list[Separation]]:
        found, tests = self._as_search().by_evidence(test)
        return found.fallen, tests

    def _as_search(self) -> SearchLevels:
        return SearchLevels(self.adjacency, self.size, self.size, self.candidates, self.tried, useless=self.useless, most=self.most)


class Search(NamedTuple):
    """What a search level by level found: the edges that fell, whether it came to its end rather than to the largest size, and whether
    an edge stayed at an end of which there were too many sets.
    """

    fallen: list[Separation]
    finished: bool
    passed_over: bool = False


@dataclass(eq=False)
class SearchLevels(Question[Search]):
    """Level after level of growing size, from ``first`` on, each without the edges that fell before, until no edge has candidates
    enough for the next one or ``max_size`` is passed.

    Without ``candidates`` they are the neighbours left when a level begins. ``tried`` holds for the sizes up to ``tried_to``
    (``None``: for all). ``useless`` and ``most`` are as for a single level. The given ``adjacency`` is left as it is.
    """

    adjacency: Adjacency
    max_size: int | None = None
    first: int = 0
    candidates: Adjacency | None = None
    tried: Adjacency | None = None
    tried_to: int | None = None
    useless: Adjacency | None = None
    most: int | None = None

    def check(self, ci: Inquiry) -> None:
        check_level(len(ci), self.first, self.adjacency, self.candidates, self.tried, self.useless)

    def plain(self, ci: Inquiry) -> Search:
        left = np.array(self.adjacency, dtype=np.bool_)
        fallen: list[Separation] = []
        size, passed_over = self.first, False
        while has_candidates(left, left if self.candidates is None else self.candidates, size):
            if self.max_size is not None and size > self.max_size:
                return Search(fallen, False, passed_over)
            passed = self.tried if self.tried_to is None or size <= self.tried_to else None
            level = SweepLevel(left, size, self.candidates, passed, self.useless, self.most)
            found = ci.ask(level)
            passed_over |= level.passes_over(found)
            fallen += found
            for i, j, _ in found:
                left[i, j] = left[j, i] = False
            size += 1
        return Search(fallen, True, passed_over)

    def by_correlations(self, test: FisherZ) -> Answered[Search] | None:
        return None if test.may_raise(self._largest(len(test))) else self._searched(test.correlation, test.limits)

    def by_card(self, test: FisherZ, card: Card) -> Answered[Search] | None:
        """The lowest levels, where most of the edges fall; the others as without a card."""
        if test.may_raise(self._largest(len(test))) or self.useless is not None or self.most is not None or not card.is_held:
            return None
        left, tests = np.array(self.adjacency, dtype=np.bool_), 0
        fallen: list[Separation] = []
        size = self.first
        while size <= min(self._largest(len(left)), card.largest):
            pools = left if self.candidates is None else np.asarray(self.candidates, dtype=np.bool_)
            is_new = self.tried is None or (self.tried_to is not None and size > self.tried_to)
            tried = _NOTHING if is_new else np.asarray(self.tried, dtype=np.bool_)
            edges = np.argwhere(np.triu(left, 1))
            if size or not len(tried):
                again = partial(_again, test, size, edges, pools, tried)
                found = card.level(test.part_of_card, edges, pools, tried, size, test.limit(size), again)
                fell = edges[found.separated]
                fallen += map(Separation, fell[:, 0].tolist(), fell[:, 1].tolist(), map(tuple, found.sets[found.separated].tolist()))
                left[fell[:, 0], fell[:, 1]] = left[fell[:, 1], fell[:, 0]] = False
                tests += found.tests
            size += 1
        rest, more = replace(self, adjacency=left, first=size)._searched(test.correlation, test.limits)
        return Search(fallen + rest.fallen, rest.finished, rest.passed_over), tests + more

    def by_evidence(self, test: SearchedTest) -> Answered[Search]:
        return self._searched(test.evidence, test.limits)

    def _largest(self, n: int) -> int:
        return n - 2 if self.max_size is None else min(self.max_size, n - 2)

    def _searched(self, evidence: Any, limits: NDArray[np.float64]) -> Answered[Search]:
        n = len(self.adjacency)
        edges, tried_to = np.array(self.adjacency, dtype=np.bool_), n if self.tried_to is None else min(self.tried_to, n)
        pools, old = _or_nothing(self.candidates), _or_nothing(self.tried)
        sizes = levels.Sizes(self.first, self._largest(n), tried_to, np.inf if self.most is None else float(self.most))
        pairs, begins, members, tests, finished, passed_over = levels.search_levels(
            evidence, edges, pools, old, _or_nothing(self.useless), sizes, limits
        )
        ends, flat = begins.tolist(), members.tolist()
        sets = [tuple(flat[begin:end]) for begin, end in pairwise(ends)]
        made = map(
            tuple.__new__, repeat(Separation), zip(pairs[::2].tolist(), pairs[1::2].tolist(), sets, strict=True)
        )  # as its own __new__ does
        fallen: list[Separation] = list(made)
        return Search(fallen, bool(finished), bool(passed_over)), int(tests)


def _again(
    test: FisherZ, size: int, edges: NDArray[np.int64], pools: Adjacency, tried: Adjacency, doubt: Doubt
) -> tuple[NDArray[np.int64] | None, int]:
    """One end of an edge, searched by the kernel: the set that separates its ends, and the verdicts that it took."""
    i, j = edges[doubt.edge].tolist()
    pool = np.flatnonzero(pools[j if doubt.second else i])
    pool = pool[(pool != i) & (pool != j)]
    parts = np.zeros(len(pool), dtype=np.uint8)
    if len(tried):
        parts |= tried[i, pool].astype(np.uint8) | tried[j, pool].astype(np.uint8) << np.uint8(1)
    if doubt.second:
        parts |= pools[i, pool].astype(np.uint8) << np.uint8(2)
    wanted = np.array([size], dtype=np.int64)
    found, separated, tests = kernel.separator_among(test.correlation, i, j, pool, wanted, test.limits[wanted], parts, False)
    return (found if separated else None), int(tests)


def has_candidates(adjacency: Adjacency, candidates: Adjacency, size: int) -> bool:
    """Does some edge have an end with at least ``size`` candidates beside the other end?"""
    beside = np.count_nonzero(candidates, axis=1)[:, None] - np.asarray(candidates, dtype=np.int64)
    return bool((np.asarray(adjacency) & (beside >= size)).any())


def check_level(n: int, size: int, adjacency: Adjacency, *others: Adjacency | None) -> None:
    """Refuse matrices that are not n by n, and sizes below 0."""
    for matrix in (adjacency, *(other for other in others if other is not None)):
        if (shape := _shape(matrix)) != (n, n):
            raise InvalidSetting(f"a level over {n} variables takes square matrices of that size; got {shape}.")
    if isinstance(size, bool) or not isinstance(size, int | np.integer) or not 0 <= size <= MOST:
        raise InvalidSetting(f"the size of a conditioning set is {shown(size)}; it must be a whole number from 0 on.")


def _shape(matrix: Any) -> Any:
    try:
        return np.shape(matrix)
    except ValueError:
        return "rows of different lengths"


def _or_nothing(matrix: Adjacency | None) -> Adjacency:
    return _NOTHING if matrix is None else np.ascontiguousarray(matrix, dtype=np.bool_)


@dataclass(eq=False)
class FindSeparator(Question[Variables | None]):
    """First subset of ``candidates`` that separates x and y, by size, then lexicographically; ``None`` where none does.

    Subsets of any set in ``tried`` (at most eight) are passed over. With a ``family`` only its sets are asked about, in its order.
    ``alpha`` is the level, by default that of the test.
    """

    x: int
    y: int
    candidates: Sequence[int]
    sizes: Sequence[int]
    tried: Sequence[Collection[int]] = ()
    family: SetFamily | None = None
    alpha: float | None = None

    @property
    def pair(self) -> Pair:
        """The two variables, the smaller one first."""
        return (self.x, self.y) if self.x < self.y else (self.y, self.x)

    def sets(self, size: int) -> Iterator[Variables]:
        """The sets of one size that are asked about, in order."""
        for z in combinations(sorted(self.candidates), size) if self.family is None else self.family.of_size(size):
            if any(all(v in old for v in z) for old in self.tried):
                heed()  # millions may be passed over before one is asked about
            else:
                yield z

    def plain(self, ci: Inquiry) -> Variables | None:
        for size in self.sizes:
            separator = ci.first_independent(*self.pair, self.sets(size), self.alpha)
            if separator is not None:
                return separator
        return None

    def verdicts(self, n: int) -> Verdicts:
        return *self.pair, chain.from_iterable(map(self.sets, self.sizes)), self.alpha

    def by_correlations(self, test: FisherZ) -> Answered[Variables | None] | None:
        sizes = [size for size in self.sizes if size <= len(self.candidates)]
        if any(test.may_raise(size) for size in sizes):
            return None
        if self.family is not None:
            return None if self.tried else self._in_family(test, self.family, sizes)
        limits = test.limits if self.alpha is None else test.critical(np.arange(len(test)), self.alpha)
        return self._found(test.correlation, limits, sizes)

    def by_evidence(self, test: SearchedTest) -> Answered[Variables | None] | None:
        if self.family is not None or self.alpha is not None:
            return None
        return self._found(test.evidence, test.limits, [size for size in self.sizes if size <= len(self.candidates)])

    def _found(self, evidence: Any, limits: NDArray[np.float64], sizes: Sequence[int]) -> Answered[Variables | None]:
        pool = np.array(sorted(self.candidates), dtype=np.int64)
        parts = np.zeros(len(pool), dtype=np.uint8)
        for bit, old in enumerate(self.tried):
            parts |= np.array([v in old for v in pool.tolist()], dtype=np.uint8) << np.uint8(bit)
        wanted = np.array(sizes, dtype=np.int64)
        found, separated, tests = kernel.separator_among(evidence, *self.pair, pool, wanted, limits[wanted], parts, bool(self.tried))
        return (tuple(found.tolist()) if separated else None), int(tests)

    def _in_family(self, test: FisherZ, family: SetFamily, sizes: Sequence[int]) -> Answered[Variables | None]:
        """The sets of a family in bunches, so that the kernel is called once for many of them."""
        total = 0
        for size in sizes:
            limit = test.limit(size, self.alpha)
            for sets in family.bunches(size):
                found = int(kernel.first_of(test.correlation, *self.pair, sets, limit))
                if found >= 0:
                    return tuple(sets[found].tolist()), total + found + 1
                total += len(sets)
        return None, total
