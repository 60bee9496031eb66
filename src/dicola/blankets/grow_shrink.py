"""Grow-shrink and IAMB: blankets by adding what depends and dropping what does not, one target at a time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isnan
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola._kernels import blankets as kernel
from dicola._kernels.arrays import Rows, flat_rows
from dicola.blankets.base import BlanketLearner
from dicola.ci.base import CITest, checked_alpha
from dicola.ci.by_evidence import EvidenceTest
from dicola.ci.inquiry import Evidence, Inquiry
from dicola.ci.questions import Adjacency, Answered, Question, SearchedTest
from dicola.errors import Sentence
from dicola.graphs.skeleton import Variables
from dicola.graphs.undirected import UndirectedGraph

if TYPE_CHECKING:
    from dicola.ci.card import Card
    from dicola.ci.fisher_z import FisherZ

_MANY = 4096  # variables from which on no matrix of all pairs is made
_TOGETHER = 128  # targets whose blankets are looked at together after a card has grown them
_FEW_ROWS = 10  # per variable: counts can never be tested given all the rest, and with more rows than that are no worse for it


class Growing(NamedTuple):
    """How blankets are grown: at which levels, in which order, and given how many variables at most.

    ``first_alpha`` is the level given nothing, ``alpha`` that given something; ``None``: that of the test.
    """

    alpha: float | None = None
    first_alpha: float | None = None
    strongest_first: bool = False
    most: int = 0

    def level(self, size: int) -> float | None:
        """The level given so many variables."""
        return self.alpha if size or self.first_alpha is None else self.first_alpha

    def in_numbers(self, test: FisherZ) -> kernel.Rule:
        """The rule as the kernel takes it."""
        sizes = np.arange(self.most + 1)
        levels = [self.level(size) for size in sizes.tolist()]
        limits = test.critical(sizes, np.array([test.alpha if level is None else level for level in levels]))
        return kernel.Rule(self.strongest_first, self.most, limits, test.n_samples)


@dataclass(eq=False)
class GrownBlankets(Question[Adjacency]):
    """Who is in the blanket of each target, by growing and shrinking? One row per target, over all variables of the test.

    With ``strongest_first`` the variable with the strongest dependence is added next, else the first that depends. No test
    conditions on more than ``most`` variables. Each blanket is grown from what ``starts`` has for its target, the members that
    come first being kept where there are too many; without them from nothing.
    """

    targets: Sequence[int]
    rule: Growing
    starts: Sequence[Variables] | None = None

    @property
    def _starts(self) -> Sequence[Variables]:
        return [()] * len(self.targets) if self.starts is None else self.starts

    def plain(self, ci: Inquiry) -> Adjacency:
        grown = ci.ask_each([GrownBlanket(*each, self.rule) for each in zip(self.targets, self._starts, strict=True)])
        found = np.zeros((len(self.targets), len(ci)), dtype=np.bool_)
        for row, blanket in zip(found, grown, strict=True):
            row[list(blanket)] = True
        return found

    def by_correlations(self, test: FisherZ) -> Answered[Adjacency] | None:
        if test.may_raise(self.rule.most):
            return None
        targets = np.array(self.targets, dtype=np.int64)
        found, tests = kernel.blankets_of(*test.part_of_whole, targets, self.rule.in_numbers(test), *flat_rows(self._starts))
        return found, int(tests)

    def by_card(self, test: FisherZ, card: Card) -> Answered[Adjacency] | None:
        rows = GrownMembers(self.targets, self.rule).by_card(test, card) if not any(self._starts) else None
        if rows is None:
            return None
        (begins, members), tests = rows
        found = np.zeros((len(self.targets), len(test)), dtype=np.bool_)
        found[np.repeat(np.arange(len(found)), np.diff(begins)), members] = True
        return found, tests

    def by_evidence(self, test: SearchedTest) -> Answered[Adjacency] | None:
        if not self.rule.strongest_first or not isinstance(test, EvidenceTest):
            return None
        levels = [test.alpha if level is None else level for level in map(self.rule.level, (0, 1))]
        by_kernel = test.grown_blankets(np.array(self.targets, dtype=np.int64), flat_rows(self._starts), levels, self.rule.most)
        if by_kernel is not None:
            return by_kernel
        growing = _AtOnce(test, self.rule)
        found = np.zeros((len(self.targets), len(test.labels)), dtype=np.bool_)
        for row, target, start in zip(found, self.targets, self._starts, strict=True):
            row[list(growing.blanket(target, start))] = True
        return found, growing.tests


@dataclass(eq=False)
class GrownMembers(Question[Rows]):
    """The same, from nothing, as rows: for so many variables that a matrix of all pairs is better not made."""

    targets: Sequence[int]
    rule: Growing

    def plain(self, ci: Inquiry) -> Rows:
        found = ci.ask(GrownBlankets(self.targets, self.rule))
        return Rows(np.append(0, np.cumsum(np.count_nonzero(found, axis=1))), np.nonzero(found)[1].astype(np.int64, copy=False))

    def by_card(self, test: FisherZ, card: Card) -> Answered[Rows] | None:
        """Who is added, by the card; who is dropped again, and targets in doubt, by the kernels."""
        if test.may_raise(self.rule.most) or not self.rule.strongest_first or not len(self.targets):
            return None
        targets, rule = np.array(self.targets, dtype=np.int64), self.rule.in_numbers(test)
        added, tests = card.blankets(test.part_of_card, targets, rule.most, rule.limits, test.n_samples)
        found: list[list[int]] = []
        for begin in range(0, len(targets), _TOGETHER):
            some = slice(begin, begin + _TOGETHER)
            own: list[NDArray[np.int64]] = []
            for target, grown in zip(targets[some].tolist(), added[some], strict=True):
                again, more = (grown, 0) if grown is not None else _added_again(test, target, rule)
                own.append(again)
                tests += more
            shrunk_rows, more = _shrunk_again(test, targets[some], own, rule)
            found += shrunk_rows
            tests += more
        return flat_rows(found), tests


def _added_again(test: FisherZ, target: int, rule: kernel.Rule) -> tuple[NDArray[np.int64], int]:
    """Who is added to the blanket of one target by the kernel, which is given the rows of the correlation matrix that it needs."""
    known, place = [target], np.zeros(len(test), dtype=np.int64)
    rows = test.correlations_with(target)[None]
    while True:
        added, tests = kernel.added_to(rows, place, target, rule)
        new = next((v for v in added.tolist() if v not in known), None)
        if new is None:
            return added, int(tests)
        place[new] = len(known)
        known.append(new)
        rows = np.concatenate((rows, test.correlations_with(new)[None]))


def _shrunk_again(
    test: FisherZ, targets: NDArray[np.int64], added: list[NDArray[np.int64]], rule: kernel.Rule
) -> tuple[list[list[int]], int]:
    """The blankets of some targets once what was added for nothing is dropped, and the verdicts it took."""
    few = np.unique(np.concatenate([targets, *added]))
    begins, members = flat_rows([few.searchsorted(own).tolist() for own in added])
    part = test.among(few)
    rows, tests = kernel.shrunk_blankets(*part.part_of_whole, few.searchsorted(targets), rule, begins, members)
    numbers = few[rows.members].tolist()
    return [numbers[begin:end] for begin, end in pairwise(rows.begins.tolist())], int(tests)


@dataclass(eq=False)
class GrownBlanket(Question[Variables]):
    """The blanket of one target, sorted; see ``GrownBlankets``."""

    target: int
    start: Variables
    rule: Growing

    def plain(self, ci: Inquiry) -> Variables:
        start = list(self.start[: self.rule.most + 1])
        grown = self._strongest_added(ci, start) if self.rule.strongest_first else self._added(ci, start)
        return shrunk(grown, lambda v, rest: self._depends(ci, v, rest))

    def key(self) -> None:
        """None: a memory keeps the single verdicts, which targets have in common."""
        return

    def _depends(self, ci: Inquiry, other: int, given: list[int]) -> bool:
        return not ci(self.target, other, given).independent_at(self.rule.level(len(given)))

    def _added(self, ci: Inquiry, blanket: list[int]) -> list[int]:
        changed = True
        while changed:
            changed = False
            for v in range(len(ci)):
                if len(blanket) > self.rule.most:
                    return blanket
                if v != self.target and v not in blanket and self._depends(ci, v, blanket):
                    blanket.append(v)
                    changed = True
        return blanket

    def _strongest_added(self, ci: Inquiry, blanket: list[int]) -> list[int]:
        while len(blanket) <= self.rule.most:
            asked = {v: ci(self.target, v, blanket) for v in range(len(ci)) if v != self.target and v not in blanket}
            level = self.rule.level(len(blanket))
            depending = {v: verdict.p_value for v, verdict in asked.items() if not verdict.independent_at(level)}
            if not depending:
                break
            blanket.append(_strongest(ci.test, self.target, depending, tuple(sorted(blanket))))
        return blanket


class _AtOnce:
    """``GrownBlanket`` with the strongest first, all that is asked given the same blanket measured at once."""

    def __init__(self, test: EvidenceTest[Any], rule: Growing) -> None:
        self.test, self.rule, self.tests = test, rule, 0

    def blanket(self, target: int, start: Variables) -> Variables:
        """The blanket of a target, sorted."""
        grown = self._strongest_added(target, list(start[: self.rule.most + 1]))
        changed = bool(grown)
        while changed:
            before = len(grown)
            grown = self._once_shrunk(target, grown)
            changed = 0 < len(grown) < before
        return tuple(sorted(grown))

    def _strongest_added(self, target: int, blanket: list[int]) -> list[int]:
        while len(blanket) <= self.rule.most:
            given = tuple(sorted(blanket))
            others = [v for v in range(len(self.test.labels)) if v != target and v not in blanket]
            p_values = self._p_values(target, others, [given] * len(others))
            level = self._level(len(blanket))
            depending = {v: p for v, p in zip(others, p_values.tolist(), strict=True) if p <= level}
            self.tests += len(others)
            if not depending:
                break
            blanket.append(_strongest(self.test, target, depending, given))
        return blanket

    def _once_shrunk(self, target: int, blanket: list[int]) -> list[int]:
        """One pass over the members; those behind a member that goes are asked about again, given one less."""
        left = list(blanket)
        while left:
            sets = [tuple(sorted(w for w in blanket if w != v)) for v in left]
            is_out = self._p_values(target, left, sets, until=self._level(len(blanket) - 1)) > self._level(len(blanket) - 1)
            first = int(np.argmax(is_out)) if is_out.any() else len(left)
            self.tests += min(first + 1, len(left))
            blanket = [v for v in blanket if v not in left[first : first + 1]]
            left = left[first + 1 :]
        return blanket

    def _level(self, size: int) -> float:
        level = self.rule.level(size)
        return self.test.alpha if level is None else level

    def _p_values(self, target: int, others: list[int], sets: list[Variables], until: float = 1.0) -> NDArray[np.float64]:
        """P-values of the target with others; questions without a statistic are counted up to the first p-value above ``until``."""
        against = np.array(others, dtype=np.int64)
        x, y = np.minimum(target, against), np.maximum(target, against)
        found = self.test.measure_pairs(x, y, sets)
        p_values = found.p_values()
        above = np.flatnonzero(p_values > until)
        for i in np.flatnonzero(found.defaults[: above[0] + 1 if len(above) else None] >= 0).tolist():
            self.test.count_untested(int(x[i]), int(y[i]), [sets[i]])
        return p_values


def shrunk(blanket: Sequence[int], depends: Callable[[int, list[int]], bool]) -> Variables:
    """Drop members that do not depend on the target given the rest, as long as there are any; sorted."""
    changed = True
    while changed:
        changed = False
        for v in list(blanket):
            rest = [w for w in blanket if w != v]
            if not depends(v, rest):
                blanket, changed = rest, True
    return tuple(sorted(blanket))


def _strongest(test: CITest, target: int, p_values: dict[int, float], given: Variables) -> int:
    """The variable with the smallest p-value, the first of equals; those too small to differ are told apart by their logarithms."""
    smallest = min(0.0 if isnan(p) else p for p in p_values.values())
    equal = [v for v, p in p_values.items() if isnan(p) or p == smallest]
    if len(equal) == 1 or smallest > 0.0:
        return equal[0]
    logs = [test.log_p_values(min(target, v), max(target, v), [given]) for v in equal]
    return min(zip(logs, equal, strict=True), key=lambda each: (0.0 if each[0] is None else float(each[0][0]), each[1]))[1]


def most_to_condition_on(ci: Inquiry) -> int:
    """The largest conditioning set for which there are twice the rows that it takes; the empty one is always asked about."""
    n, size = ci.n_samples, max(len(ci) - 2, 0)
    if n is None:
        return size
    return bisect_right(range(size + 1), n // 2, key=ci.test.rows_to_condition_on, lo=1) - 1


@dataclass(frozen=True)
class GrowShrink(BlanketLearner):
    """Grow: add the first variable that depends on the target given those added; shrink: drop what has become independent.

    Margaritis and Thrun (1999). Exact in MAGs too: growing ends with a superset of the blanket (composition), shrinking with the
    blanket (intersection). Conditions on few variables only, and never uses up half of the rows, so it works with fewer rows than
    variables. A pair is kept when either target claims it: a missing edge of the independence graph cannot be mended later, a false
    one costs only time. For Gaussian data a kernel grows all blankets at once, and for blocks of columns those of IAMB; for counts IAMB
    asks all that it asks given the same blanket at once.

    Parameters
    ----------
    alpha : float, optional
        The level; by default that of the test.
    first_alpha : float, optional
        The level given nothing, by default the same. Where it is smaller, a target that depends on
        nothing gets no members by chance, and one that does still finds its weaker ones.

    """

    name, title = "grow_shrink", "Grow-shrink"
    reference = "Margaritis and Thrun (1999)"
    assumes = "little about the number of rows: it conditions on the blanket found so far"
    guarantee = "exact in MAGs with perfect answers; alpha=None is the level of the independence test"
    latent_safe = True
    strongest_first: ClassVar[bool] = False

    alpha: float | None = None
    first_alpha: float | None = None

    def __post_init__(self) -> None:
        for name in ("alpha", "first_alpha"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, checked_alpha(getattr(self, name), name))

    def learn(self, ci: Evidence, block: Sequence[int] | None = None) -> Adjacency:
        inside = list(range(len(ci)) if block is None else block)
        claimed = self._grown(ci, inside if len(inside) > 1 else [])[:, inside]
        return claimed | claimed.T if len(inside) > 1 else np.zeros((len(inside), len(inside)), dtype=np.bool_)

    def graph(self, ci: Evidence) -> UndirectedGraph:
        if len(ci) < _MANY:
            return super().graph(ci)
        return UndirectedGraph.claimed(ci.ask(GrownMembers(range(len(ci)), self._growing(ci))))

    def blanket(self, ci: Evidence, target: int, among: Sequence[int] | None = None) -> Variables:
        found = np.flatnonzero(self._grown(ci, [target])[0]).tolist()
        return tuple(found if among is None else sorted(set(found).intersection(among)))

    def warnings(self, ci: Evidence) -> tuple[str, ...]:
        k, n = len(ci), ci.n_samples
        is_wide = n is not None and n < min(Inquiry.of(ci).test.rows_to_condition_on(max(k - 2, 0)), _FEW_ROWS * k)
        if not is_wide:
            return ()
        return (
            Sentence(
                "{n:,} rows for {k:,} variables: nothing can be tested given all the rest, and with so many pairs only strong relations "
                "stand out. "
                "What is found is worth more than what is not: weaker edges are missed, and marks that rest on their absence are unsure.",
                n=n,
                k=k,
            ),
        )

    def _grown(self, ci: Evidence, targets: list[int]) -> Adjacency:
        return ci.ask(GrownBlankets(targets, self._growing(ci)))

    def _growing(self, ci: Evidence) -> Growing:
        return Growing(self.alpha, self.first_alpha, self.strongest_first, most_to_condition_on(Inquiry.of(ci)))


@dataclass(frozen=True)
class IAMB(GrowShrink):
    """Grow-shrink that always adds the variable with the strongest dependence next (Tsamardinos, Aliferis and Statnikov 2003).

    The blanket fills with its true members first, so the conditioning sets stay smaller.
    """

    name, title = "iamb", "IAMB"
    reference = "Tsamardinos, Aliferis and Statnikov (2003)"
    assumes = "little about the number of rows; takes the strongest dependence first, so its conditioning sets stay small"
    strongest_first = True
