"""Counting: the one definition of "number of CI tests", and of score evaluations beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from dicola.ci.base import CITest
from dicola.ci.questions import Adjacency, Bounds, Growth, Levels, Search, Separation, SetFamily, Verdict
from dicola.graphs.skeleton import Pair, Variables

PHASES = ("blankets", "leaves", "orientation")


class Ledger(CITest):
    """Wraps a test and books every verdict computed under the phase at hand.

    A test is one verdict computed, however it was computed: total conditioning over k variables is k(k-1)/2 tests, though one matrix
    inverse may answer them all. With ``cache=True`` a question met again is answered from memory and not counted again.
    """

    def __init__(self, test: CITest, *, cache: bool = False) -> None:
        self._open(test, "leaves", Counter(), {} if cache else None)

    def _open(
        self, test: CITest, phase: str, counts: Counter[str], memory: dict[tuple[str, str, tuple[str, ...]], Verdict] | None
    ) -> Ledger:
        self._test, self._phase, self._counts, self._memory = test, phase, counts, memory
        self.labels, self.names = test.labels, test.names
        self.alpha, self.n_samples, self.is_slow = test.alpha, test.n_samples, test.is_slow
        return self

    @property
    def counts(self) -> dict[str, int]:
        """Tests by phase, and their ``total``."""
        by_phase = {phase: self._counts[phase] for phase in PHASES}
        return {**by_phase, "total": sum(by_phase.values())}

    @property
    def evaluations(self) -> dict[str, int]:
        """Evaluations of a score by kind; none of them is a test."""
        return {kind: count for kind, count in sorted(self._counts.items()) if kind not in PHASES}

    def book_score(self, kind: str, count: int) -> None:
        self._counts[kind] += count

    def add(self, other: Ledger) -> None:
        """Book what another ledger counted."""
        self._counts.update(other._counts)

    def during(self, phase: str) -> Ledger:
        """The same ledger, booking under another phase."""
        return Ledger.__new__(Ledger)._open(self._test, phase, self._counts, self._memory)

    def among(self, variables: Sequence[int] | NDArray[np.int64]) -> Ledger:
        """The same ledger over a choice of the variables."""
        return Ledger.__new__(Ledger)._open(self._test.among(variables), self._phase, self._counts, self._memory)

    def side_by_side(self, parts: Sequence[Variables]) -> Ledger | None:
        together = None if self._memory is not None else self._test.side_by_side(parts)
        return None if together is None else Ledger.__new__(Ledger)._open(together, self._phase, self._counts, None)

    def fresh(self) -> Ledger:
        """A new ledger over the same test: nothing counted, nothing remembered."""
        return Ledger(self._test, cache=self._memory is not None)

    def samples(self) -> NDArray[np.float64]:
        return self._test.samples()

    def correlations(self) -> tuple[NDArray[np.float64], int]:
        return self._test.correlations()

    def verdict(self, x: int, y: int, z: Variables) -> Verdict:
        if self._memory is None:
            self._counts[self._phase] += 1
            return self._test.verdict(x, y, z)
        key = (self.labels[x], self.labels[y], tuple(self.labels[v] for v in z))
        known = self._memory.get(key)
        if known is None:
            self._counts[self._phase] += 1
            known = self._memory[key] = self._test.verdict(x, y, z)
        return known

    def counted_growth(
        self, graph: tuple[NDArray[np.int64], NDArray[np.int64]], alphas: Sequence[float | None], bounds: Bounds
    ) -> tuple[Growth, int] | None:
        grown = None if self._memory is not None else self._test.counted_growth(graph, alphas, bounds)
        if grown is not None:
            self._counts[self._phase] += grown[1]
        return grown

    def counted_given_rest(self, alpha: float | None = None, block: Sequence[int] | None = None) -> tuple[Adjacency, int]:
        if self._memory is not None:
            return super().counted_given_rest(alpha, block)
        answer, tests = self._test.counted_given_rest(alpha, block)
        self._counts[self._phase] += tests
        return answer, tests

    def counted_depends_given_rest(self, x: int, others: Sequence[int], alpha: float | None = None) -> tuple[list[bool], int]:
        if self._memory is not None and self.is_slow:
            return super().counted_depends_given_rest(x, others, alpha)
        answer, tests = self._test.counted_depends_given_rest(x, others, alpha)
        self._counts[self._phase] += tests
        return answer, tests

    def counted_sweep_level(
        self, adjacency: Adjacency, size: int, candidates: Adjacency | None = None, tried: Adjacency | None = None
    ) -> tuple[list[Separation], int]:
        if self._memory is not None:
            return super().counted_sweep_level(adjacency, size, candidates, tried)
        answer, tests = self._test.counted_sweep_level(adjacency, size, candidates, tried)
        self._counts[self._phase] += tests
        return answer, tests

    def counted_breaks_separation(self, x: int, y: int, z: Variables, others: Sequence[int]) -> tuple[list[bool], int]:
        if self._memory is not None:
            return super().counted_breaks_separation(x, y, z, others)
        answer, tests = self._test.counted_breaks_separation(x, y, z, others)
        self._counts[self._phase] += tests
        return answer, tests

    def counted_search_levels(self, question: Levels) -> tuple[Search, int]:
        if self._memory is not None:
            return super().counted_search_levels(question)
        answer, tests = self._test.counted_search_levels(question)
        self._counts[self._phase] += tests
        return answer, tests

    def counted_find_separator(
        self,
        x: int,
        y: int,
        candidates: Sequence[int],
        sizes: Iterable[int],
        tried: Sequence[Collection[int]] = (),
        family: SetFamily | None = None,
    ) -> tuple[Variables | None, int]:
        if self._memory is not None:
            return super().counted_find_separator(x, y, candidates, sizes, tried, family)
        answer, tests = self._test.counted_find_separator(x, y, candidates, sizes, tried, family)
        self._counts[self._phase] += tests
        return answer, tests

    def counted_find_separators(
        self, pairs: Sequence[Pair], pool: Sequence[int], max_size: int, beside: int | None = None
    ) -> tuple[list[Variables | None], int]:
        if self._memory is not None:
            return super().counted_find_separators(pairs, pool, max_size, beside)
        answer, tests = self._test.counted_find_separators(pairs, pool, max_size, beside)
        self._counts[self._phase] += tests
        return answer, tests
