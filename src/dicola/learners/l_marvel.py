"""L-MARVEL: remove one variable after the other, each with its neighbours found inside its Markov blanket."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dicola._kernels import partial_correlation as kernel
from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import Answered, FindSeparator, Question, SearchedTest
from dicola.errors import counted
from dicola.graphs.bits import mask_of, members
from dicola.graphs.skeleton import MaskSets, Pair, RecordedSets, Variables
from dicola.learners.adjacency import limit_warning
from dicola.learners.base import Context, Found, Learner

if TYPE_CHECKING:
    from dicola.ci.fisher_z import FisherZ


@dataclass(eq=False)
class SeparatorsInPool(Question[list[Variables | None]]):
    """For one pair after the other the first subset of ``pool`` that separates it, of at most ``max_size`` variables, by size, then
    lexicographically; ``None`` where none does. The two variables themselves are left out of the pool.

    With ``beside``, a variable outside the pool, the answer ends before the first pair that only a set with it separates: one of at
    most ``max_size`` variables of the pool, and ``beside``.
    """

    pairs: Sequence[Pair]
    pool: Sequence[int]
    max_size: int
    beside: int | None = None

    def plain(self, ci: Inquiry) -> list[Variables | None]:
        found: list[Variables | None] = []
        for x, y in self.pairs:
            inside = [v for v in self.pool if v not in (x, y)]
            sizes = range(min(self.max_size, len(inside)) + 1)
            separator = ci.ask(FindSeparator(x, y, inside, sizes))
            if separator is None and self.beside is not None:
                larger = [size + 1 for size in sizes]
                if ci.ask(FindSeparator(x, y, [*inside, self.beside], larger, [inside])) is not None:
                    break
            found.append(separator)
        return found

    def by_correlations(self, test: FisherZ) -> Answered[list[Variables | None]] | None:
        largest = self._largest
        return None if test.may_raise(largest + 1) else self._found(test.correlation, test.limits, largest)

    def by_evidence(self, test: SearchedTest) -> Answered[list[Variables | None]]:
        return self._found(test.evidence, test.limits, self._largest)

    @property
    def _largest(self) -> int:
        return min(self.max_size, len(self.pool))

    def _found(self, evidence: Any, limits: NDArray[np.float64], largest: int) -> Answered[list[Variables | None]]:
        wanted = np.array(self.pairs, dtype=np.int64).reshape(-1, 2)
        around = np.array(sorted(self.pool if self.beside is None else [*self.pool, self.beside]), dtype=np.int64)
        sizes, members, tests = kernel.separators_among(
            evidence, wanted, around, largest, -1 if self.beside is None else self.beside, limits
        )
        flat, begin = members.tolist(), 0
        found: list[Variables | None] = []
        for size in sizes.tolist():
            found.append(None if size < 0 else tuple(flat[begin : begin + size]))
            begin += max(size, 0)
        return found, int(tests)


@dataclass(frozen=True)
class LMarvel(Learner):
    """L-MARVEL: take out one variable after the other that leaves the graph on the rest as it is.

    A variable is removable if the MAG on the rest is simply the induced graph. Such a variable
    always exists, and whether x is one can be told from tests inside its Markov blanket. The
    blankets of the others are brought up to date after each removal: every pair of the removed
    variable's blanket may fall apart, not neighbours only. With data no variable may look
    removable; then the one with the smallest blanket is taken out, so that the search goes on, and
    a warning says how often.

    Where the sample was selected two things differ. What separates two neighbours of x may lie
    outside its blanket: in a ring of undirected edges it takes the variable on the far side as
    well. So x counts as removable only if each pair is found apart without x, inside a blanket of
    its own, which for a removable x is enough. And there need not be a removable variable. But one
    with arrowheads and no children is, so if none is, no arrowhead is left: the rest is an
    undirected graph, and there a blanket holds neighbours alone.

    Parameters
    ----------
    max_condition_size : int, optional
        Largest set that is tried inside a blanket.

    """

    name, title = "l-marvel", "L-MARVEL"
    reference = "Akbari, Mokhtarian, Ghassami and Kiyavash (2021); Mokhtarian et al. (2025)"
    guarantee, complete = "sound and complete", True

    max_condition_size: int | None = None

    def search(self, ci: Inquiry, context: Context) -> Found:
        search = _Removal(ci, list(context.blanket_graph(ci).neighbours), self.max_condition_size, context.selection)
        search.run()
        return Found(search.adjacency, RecordedSets(otherwise=search.sets), search.warnings())


class _Removal:
    """The state of one run: who is left, their blankets, and what is decided of each pair."""

    def __init__(self, ci: Inquiry, blankets: list[int], max_size: int | None, selection: bool = False) -> None:
        n = len(blankets)
        self.ci = ci
        self._blanket_test = ci.during("blankets")
        self.blankets = blankets
        self.max_size = max_size
        self.selection = selection
        self.left = (1 << n) - 1
        self.adjacency = np.zeros((n, n), dtype=np.bool_)
        self.beside = [0] * n
        self.decided = [1 << v for v in range(n)]  # of which pairs it is known whether they are adjacent
        self.masks: dict[Pair, int] = {}
        self.apart: dict[int, tuple[int, int]] = {}
        self.forced = 0
        self.cut_short = False
        self._sure = True  # that the variable to go is removable; once a limit was met it only looks so
        self._refused: dict[int, int] = {}  # blanket for which a variable was found not removable: it stays so while the blanket does

    @property
    def sets(self) -> MaskSets:
        """What separates the pairs decided so far."""
        return MaskSets(self.masks, self.apart)

    def run(self) -> None:
        """Take out one variable after the other until one is left, or what is left is tied by selection alone."""
        while self.left.bit_count() > 1:
            x = self._removable()
            if x is None and self.selection:
                self._take_blankets_for_neighbours()
                break
            self._sure = x is not None and not self.cut_short
            if x is None:
                x = min(members(self.left), key=lambda v: self.blankets[v].bit_count())
                self.forced += 1
            self._remove(x)

    def _removable(self) -> int | None:
        """The first variable that can be removed, smaller blankets first."""
        worth_asking = [v for v in members(self.left) if self._refused.get(v) != self.blankets[v]]
        for x in sorted(worth_asking, key=lambda v: self.blankets[v].bit_count()):
            self._find_neighbours(x)
            if self._is_removable_if_selected(x) if self.selection else self._is_removable(x):
                return x
            self._refused[x] = self.blankets[x]
        return None

    def _within_limit(self, size: int) -> int:
        limit = size if self.max_size is None else min(size, self.max_size)
        self.cut_short |= limit < size
        return limit

    def _join(self, x: int, y: int) -> None:
        self.adjacency[x, y] = self.adjacency[y, x] = True
        self._note(x, y)
        self.beside[x] |= 1 << y
        self.beside[y] |= 1 << x

    def _part(self, x: int, y: int, mask: int) -> None:
        self.masks[(x, y) if x < y else (y, x)] = mask
        self._note(x, y)

    def _note(self, x: int, y: int) -> None:
        self.decided[x] |= 1 << y
        self.decided[y] |= 1 << x

    def _find_neighbours(self, x: int) -> None:
        """Decide every pair of x inside its blanket: separated by a proper part of it, or adjacent."""
        blanket = self.blankets[x]
        inside = members(self.left & ~self.decided[x] & blanket)
        if not inside:
            return
        if not blanket & (blanket - 1):  # one variable alone: no proper part is left to separate the two
            self._join(x, inside[0])
            return
        # The whole rest of the blanket is left out: y is in the blanket because it depends on x given all of it.
        largest = self._within_limit(blanket.bit_count() - 2)
        separators = self.ci.ask(SeparatorsInPool([(x, y) for y in inside], members(blanket), largest))
        for y, found in zip(inside, separators, strict=True):
            if found is None:
                self._join(x, y)
            else:
                self._part(x, y, mask_of(found))

    def _is_removable(self, x: int) -> bool:
        """For all y in Mb(x), z in Ne(x): some W in Mb(x) separates y and z, or no W with x added does (Akbari et al., Theorem 2)."""
        blanket = self.blankets[x]
        others = blanket
        pairs, unknown = [], []
        for z in members(blanket & self.beside[x]):
            others &= ~(1 << z)
            for y in members(others & ~self.beside[z]):
                pair = (y, z) if y < z else (z, y)
                known = self.masks.get(pair)
                if known is None and not self.blankets[y] >> z & 1:
                    known = min(self.blankets[y], self.blankets[z], key=int.bit_count)
                if known is None or known & ~blanket:
                    pairs.append(pair)
                    unknown.append(known is None)
        if not pairs:
            return True
        largest = self._within_limit(blanket.bit_count() - 2)
        separators = self.ci.ask(SeparatorsInPool(pairs, members(blanket), largest, beside=x))
        for (y, z), new, found in zip(pairs, unknown, separators, strict=False):
            if new and found is not None:
                self._part(y, z, mask_of(found))
        return len(separators) == len(pairs)

    def _is_removable_if_selected(self, x: int) -> bool:
        """For all y in Mb(x), z in Ne(x): y and z are adjacent, or some W in Mb(z) without x separates them.

        Otherwise the rest without x would have an edge between them. Where it has none, x is removable, no blanket grows, and Mb(z)
        without x holds a set that separates z and y.
        """
        for z in members(self.blankets[x] & self.beside[x]):
            self._find_neighbours(z)
            for y in members(self.blankets[x] & ~self.beside[z] & ~(1 << z)):
                known = self.masks.get((y, z) if y < z else (z, y))
                if known is None or known >> x & 1:
                    pool = members(self.blankets[z] & ~(1 << x | 1 << y))
                    found = self.ci.ask(FindSeparator(y, z, pool, range(self._within_limit(len(pool)) + 1)))
                    if found is None:
                        return False
                    self._part(y, z, mask_of(found))
        return True

    def _take_blankets_for_neighbours(self) -> None:
        """Decide all that is left: of an undirected graph the blankets are the edges."""
        for x in members(self.left):
            for y in members(self.left & self.blankets[x] & ~self.decided[x]):
                self._join(x, y)
            self.left &= ~(1 << x)
            self.apart[x] = (self.left & ~self.decided[x], self.blankets[x])

    def _remove(self, x: int) -> None:
        """Take x out, apart by its blanket from all that is outside, and bring the blankets of its blanket up to date.

        If x is removable, pairs that nothing but x held together fall apart, and no pair is joined. If it is not, its removal may also
        join pairs (a chain through x), so each pair is asked anew given all that surrounds it; of a pair that is joined the old blankets
        say that it is not adjacent.
        """
        near = self.blankets[x]
        around = members(near)
        before = {v: self.blankets[v] for v in around}
        self.left &= ~(1 << x)
        self.apart[x] = (self.left & ~self.decided[x], near)
        for v in around:
            self.blankets[v] &= ~(1 << x)
        for y in around:
            later = near >> y + 1 << y + 1
            for z in members(later & self.blankets[y] & ~self.beside[y] if self._sure else later):
                self._ask_again(y, z, near, before)

    def _ask_again(self, y: int, z: int, near: int, before: dict[int, int]) -> None:
        """Is z still in the blanket of y? ``near`` was the blanket of the variable that went, ``before`` has those of its members."""
        in_touch = self.blankets[y] >> z & 1
        pair = 1 << y | 1 << z
        if self._sure:
            given = min(self.blankets[y] & ~pair, self.blankets[z] & ~pair, key=int.bit_count)
        else:
            given = (self.blankets[y] | self.blankets[z] | near) & self.left & ~pair
        if not self._blanket_test.verdict(y, z, tuple(members(given))).independent:
            if not in_touch and not self.decided[y] >> z & 1:
                self._part(y, z, min(before[y], before[z], key=int.bit_count))
            self.blankets[y] |= 1 << z
            self.blankets[z] |= 1 << y
            return
        self.blankets[y] &= ~pair
        self.blankets[z] &= ~pair
        if not self.decided[y] >> z & 1:
            self._part(y, z, given)

    def warnings(self) -> list[str]:
        """What the user should know of this run."""
        told = f"no variable looked removable at {counted(self.forced, 'step')}; the one with the smallest blanket was taken out to go on."
        return ([told] if self.forced else []) + limit_warning(not self.cut_short, self.max_size, "sets inside blankets")
