"""The question every learner asks, x ⟂ y | z, and the bulk questions built on it.

A test numbers its variables 0, 1, … in a fixed order, ``labels``. A new test needs one method, ``verdict``; the bulk questions have
plain answers here, which a test may give faster as long as verdicts and counts stay the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations
from math import nan
from typing import Self

import numpy as np
from numpy.typing import NDArray

from dicola.ci.questions import Adjacency, Bounds, Growth, Levels, Search, Separation, SetFamily, Verdict
from dicola.errors import InvalidData, InvalidSetting, NeedsData
from dicola.graphs.marks import listed
from dicola.graphs.skeleton import Pair, Variables


class CITest(ABC):
    """A conditional independence test over ``labels``; ``names`` are the same names in the user's order.

    ``alpha`` is the level (``None`` for an oracle), ``n_samples`` the number of rows behind it (``None`` where there are none).
    """

    labels: tuple[str, ...]
    names: tuple[str, ...]
    alpha: float | None = None
    n_samples: int | None = None
    is_slow: bool = False

    @abstractmethod
    def verdict(self, x: int, y: int, z: Variables) -> Verdict:
        """X ⟂ y | z, for positions in ``labels``."""

    def among(self, variables: Sequence[int] | NDArray[np.int64]) -> CITest:
        """The same test restricted to some variables, which are then numbered 0, 1, … in the order given.

        Only the whole test knows the user's order; ``names`` of a part may be in that of its ``labels``.
        """
        return Among(self, tuple(int(v) for v in variables))

    def side_by_side(self, parts: Sequence[Variables]) -> CITest | None:
        """A test over the disjoint union of some sets of variables, numbered through, for questions inside one part; ``None`` where
        it would be no faster than one test a part.
        """
        return None

    def samples(self) -> NDArray[np.float64]:
        """The rows behind this test, one column a variable in the order of ``labels``; ``NeedsData`` where there are none."""
        raise NeedsData(f"{type(self).__name__} carries no rows; this needs a test made from a table, such as FisherZ(table).")

    def correlations(self) -> tuple[NDArray[np.float64], int]:
        """The correlation matrix behind this test, in the order of ``labels``, and its rows; ``NeedsData`` where there is none."""
        raise NeedsData(f"{type(self).__name__} carries no correlations; a Gaussian score needs those of a table: FisherZ(table).")

    def book_score(self, kind: str, count: int) -> None:  # noqa: B027
        """Note evaluations of a score made on the data behind this test; only a ledger keeps account of them."""

    def during(self, phase: str) -> Self:
        """The same test; a ledger answers with one that books what follows under ``phase``."""
        return self

    def __len__(self) -> int:
        return len(self.labels)

    def __call__(self, x: int | str, y: int | str, z: Iterable[int | str] = ()) -> Verdict:
        """Ask one question, by name or by position in ``labels``."""
        a, b = self._position(x), self._position(y)
        z = (z,) if isinstance(z, str) else tuple(z)
        given = tuple(sorted({self._position(v) for v in z}))
        if a == b or a in given or b in given:
            raise InvalidSetting(f"x, y and z must be different variables; got {x!r}, {y!r} and {tuple(z)!r}.")
        return self.verdict(min(a, b), max(a, b), given)

    def _position(self, variable: int | str) -> int:
        if isinstance(variable, str):
            try:
                return self.labels.index(variable)
            except ValueError:
                raise InvalidData(f"{variable!r} is not a variable of this test. Its variables: {listed(self.names)}.") from None
        if not 0 <= variable < len(self.labels):
            raise InvalidData(f"{variable} is not a position among {len(self.labels)} variables.")
        return int(variable)

    def given_rest(self, alpha: float | None = None, block: Sequence[int] | None = None) -> Adjacency:
        """Total conditioning: which pairs of ``block`` (default: all) are dependent given *all* other variables of this test?"""
        return self.counted_given_rest(alpha, block)[0]

    def depends_given_rest(self, x: int, others: Sequence[int], alpha: float | None = None) -> list[bool]:
        """Total conditioning for one variable: which of ``others`` depend on x given *all* other variables of this test?"""
        return self.counted_depends_given_rest(x, others, alpha)[0]

    def sweep_level(
        self, adjacency: Adjacency, size: int, candidates: Adjacency | None = None, tried: Adjacency | None = None
    ) -> list[Separation]:
        """One order-independent level of a search: every edge against all sets of one size.

        Every edge i - j of the frozen ``adjacency`` is tested given all sets of this size from row i of ``candidates`` (default: the
        neighbours of i), then from row j; the first that separates is reported. Sets that lie within row i or row j of ``tried`` are
        passed over.
        """
        self._check_level(size, adjacency, candidates, tried)
        return self.counted_sweep_level(adjacency, size, candidates, tried)[0]

    def search_levels(
        self,
        adjacency: Adjacency,
        max_size: int | None = None,
        first: int = 0,
        candidates: Adjacency | None = None,
        tried: Adjacency | None = None,
        tried_to: int | None = None,
    ) -> Search:
        """Level after level of growing size, from ``first`` on, each without the edges that fell before, until no edge has candidates
        enough for the next one or ``max_size`` is passed.

        Without ``candidates`` they are the neighbours left when a level begins. ``tried`` holds for the sizes up to ``tried_to``
        (``None``: for all). The given ``adjacency`` is left as it is.
        """
        self._check_level(first, adjacency, candidates, tried)
        return self.counted_search_levels(Levels(adjacency, max_size, first, candidates, tried, tried_to))[0]

    def _check_level(self, size: int, *matrices: Adjacency | None) -> None:
        square = (len(self), len(self))
        for matrix in matrices:
            if matrix is not None and np.shape(matrix) != square:
                raise InvalidSetting(
                    f"a level over {len(self)} variables takes square matrices of that size; got shape {np.shape(matrix)}."
                )
        if size < 0:
            raise InvalidSetting(f"the size of a conditioning set is {size}; it must be a whole number from 0 on.")

    def find_separator(
        self,
        x: int,
        y: int,
        candidates: Sequence[int],
        sizes: Iterable[int],
        tried: Sequence[Collection[int]] = (),
        family: SetFamily | None = None,
    ) -> Variables | None:
        """First subset of ``candidates`` that separates x and y, by size, then lexicographically.

        Subsets of any set in ``tried`` (at most eight) are passed over. With a ``family`` only its sets are asked about, in its order.
        """
        return self.counted_find_separator(x, y, candidates, sizes, tried, family)[0]

    def find_separators(
        self, pairs: Sequence[Pair], pool: Sequence[int], max_size: int, beside: int | None = None
    ) -> list[Variables | None]:
        """For one pair after the other the first subset of ``pool`` that separates it, of at most ``max_size`` variables, by size, then
        lexicographically; ``None`` where none does. The two variables themselves are left out of the pool.

        With ``beside``, a variable outside the pool, the answer ends before the first pair that only a set with it separates: one of at
        most ``max_size`` variables of the pool, and ``beside``.
        """
        return self.counted_find_separators(pairs, pool, max_size, beside)[0]

    def breaks_separation(self, x: int, y: int, z: Variables, others: Sequence[int]) -> list[bool]:
        """Which of ``others``, added to z one at a time, make x and y dependent?"""
        return self.counted_breaks_separation(x, y, z, others)[0]

    def counted_growth(
        self, graph: tuple[NDArray[np.int64], NDArray[np.int64]], alphas: Sequence[float | None], bounds: Bounds
    ) -> tuple[Growth, int] | None:
        """The decomposition tree that grows from an independence graph over all variables, and the number of verdicts computed for it.

        Each child inherits the graph of its parent, with total conditioning at the level ``alphas[k]`` for k variables. ``None`` where
        the test would not grow it faster than it is grown by asking node by node.
        """
        return None

    def counted_given_rest(self, alpha: float | None = None, block: Sequence[int] | None = None) -> tuple[Adjacency, int]:
        """``given_rest`` and the number of verdicts computed for it."""
        inside = tuple(range(len(self))) if block is None else tuple(block)
        dependent = np.zeros((len(inside), len(inside)), dtype=np.bool_)
        everything = tuple(range(len(self)))
        for (i, x), (j, y) in combinations(enumerate(inside), 2):
            rest = tuple(v for v in everything if v not in (x, y))
            verdict = self.verdict(min(x, y), max(x, y), rest)
            dependent[i, j] = dependent[j, i] = not verdict.independent_at(alpha)
        return dependent, len(inside) * (len(inside) - 1) // 2

    def counted_depends_given_rest(self, x: int, others: Sequence[int], alpha: float | None = None) -> tuple[list[bool], int]:
        """``depends_given_rest`` and the number of verdicts computed for it."""
        rests = (tuple(v for v in range(len(self)) if v not in (x, y)) for y in others)
        verdicts = [self.verdict(min(x, y), max(x, y), rest) for y, rest in zip(others, rests, strict=True)]
        return [not verdict.independent_at(alpha) for verdict in verdicts], len(verdicts)

    def counted_sweep_level(
        self, adjacency: Adjacency, size: int, candidates: Adjacency | None = None, tried: Adjacency | None = None
    ) -> tuple[list[Separation], int]:
        """``sweep_level`` and the number of verdicts computed for it."""
        pools = [np.nonzero(row)[0].tolist() for row in np.asarray(adjacency if candidates is None else candidates)]
        old = None if tried is None else [set(np.nonzero(row)[0].tolist()) for row in np.asarray(tried)]
        fallen: list[Separation] = []
        tests = 0
        for i, j in np.argwhere(np.triu(np.asarray(adjacency), 1)).tolist():
            first, second = ([v for v in pools[a] if v not in (i, j)] for a in (i, j))
            passed = [] if old is None else [old[i], old[j]]
            separator, used = self._first_separator(i, j, first, size, passed)
            tests += used
            if separator is None and size > 0:
                separator, used = self._first_separator(i, j, second, size, [*passed, first])
                tests += used
            if separator is not None:
                fallen.append(Separation(i, j, separator))
        return fallen, tests

    def counted_breaks_separation(self, x: int, y: int, z: Variables, others: Sequence[int]) -> tuple[list[bool], int]:
        """``breaks_separation`` and the number of verdicts computed for it."""
        a, b = min(x, y), max(x, y)
        return [not self.verdict(a, b, tuple(sorted((*z, w)))).independent for w in others], len(others)

    def counted_search_levels(self, question: Levels) -> tuple[Search, int]:
        """``search_levels`` and the number of verdicts computed for it."""
        adjacency, max_size, first, candidates, tried, tried_to = question
        left = np.array(adjacency, dtype=np.bool_)
        fallen: list[Separation] = []
        tests = 0
        size = first
        while has_candidates(left, left if candidates is None else candidates, size):
            if max_size is not None and size > max_size:
                return Search(fallen, False), tests
            passed = tried if tried_to is None or size <= tried_to else None
            found, used = self.counted_sweep_level(left, size, candidates, passed)
            tests += used
            fallen += found
            for i, j, _ in found:
                left[i, j] = left[j, i] = False
            size += 1
        return Search(fallen, True), tests

    def counted_find_separator(
        self,
        x: int,
        y: int,
        candidates: Sequence[int],
        sizes: Iterable[int],
        tried: Sequence[Collection[int]] = (),
        family: SetFamily | None = None,
    ) -> tuple[Variables | None, int]:
        """``find_separator`` and the number of verdicts computed for it."""
        tests = 0
        for size in sizes:
            separator, used = self._first_separator(x, y, sorted(candidates), size, tried, family)
            tests += used
            if separator is not None:
                return separator, tests
        return None, tests

    def counted_find_separators(
        self, pairs: Sequence[Pair], pool: Sequence[int], max_size: int, beside: int | None = None
    ) -> tuple[list[Variables | None], int]:
        """``find_separators`` and the number of verdicts computed for it."""
        found: list[Variables | None] = []
        tests = 0
        for x, y in pairs:
            inside = [v for v in pool if v not in (x, y)]
            sizes = range(min(max_size, len(inside)) + 1)
            separator, used = self.counted_find_separator(x, y, inside, sizes)
            tests += used
            if separator is None and beside is not None:
                further, used = self.counted_find_separator(x, y, [*inside, beside], [size + 1 for size in sizes], [inside])
                tests += used
                if further is not None:
                    break
            found.append(separator)
        return found, tests

    def _first_separator(
        self,
        x: int,
        y: int,
        candidates: Sequence[int],
        size: int,
        tried: Sequence[Collection[int]],
        family: SetFamily | None = None,
    ) -> tuple[Variables | None, int]:
        tests = 0
        for z in combinations(candidates, size) if family is None else family.of_size(size):
            if any(all(v in old for v in z) for old in tried):
                continue
            tests += 1
            if self.verdict(min(x, y), max(x, y), z).independent:
                return z, tests
        return None, tests


class Among(CITest):
    """Another test seen through a choice of its variables."""

    def __init__(self, whole: CITest, variables: Variables) -> None:
        self._whole = whole
        self._variables = variables
        self.labels = tuple(whole.labels[v] for v in variables)
        chosen = set(self.labels)
        self.names = tuple(name for name in whole.names if name in chosen)
        self.alpha, self.n_samples, self.is_slow = whole.alpha, whole.n_samples, whole.is_slow

    def verdict(self, x: int, y: int, z: Variables) -> Verdict:
        a, b = self._variables[x], self._variables[y]
        return self._whole.verdict(min(a, b), max(a, b), tuple(sorted(self._variables[v] for v in z)))

    def samples(self) -> NDArray[np.float64]:
        return self._whole.samples()[:, list(self._variables)]

    def correlations(self) -> tuple[NDArray[np.float64], int]:
        matrix, n_samples = self._whole.correlations()
        return matrix[np.ix_(self._variables, self._variables)], n_samples


def has_candidates(adjacency: Adjacency, candidates: Adjacency, size: int) -> bool:
    """Does some edge have an end with at least ``size`` candidates beside the other end?"""
    beside = np.count_nonzero(candidates, axis=1)[:, None] - np.asarray(candidates, dtype=np.int64)
    return bool((np.asarray(adjacency) & (beside >= size)).any())


def checked_alpha(alpha: float) -> float:
    """A significance level strictly between 0 and 1."""
    try:
        value = float(alpha)
    except (TypeError, ValueError):
        value = nan
    if not 0.0 < value < 1.0:
        raise InvalidSetting(f"alpha is {alpha!r}; it must lie strictly between 0 and 1, for example 0.01.")
    return value
