"""Fisher's z test of a vanishing partial correlation: the test for linear Gaussian data (Fisher 1924)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from math import atanh, erfc, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from dicola._kernels import growth, levels, precision
from dicola._kernels import partial_correlation as kernel
from dicola.ci.base import CITest, checked_alpha
from dicola.ci.gaussian import check_correlation, correlation_of, covariance_names, inverse_of, standardised
from dicola.ci.questions import Adjacency, Bounds, FlatTree, Growth, Levels, Search, Separation, SetFamily, Verdict
from dicola.errors import InvalidData, InvalidSetting
from dicola.graphs.skeleton import Pair, Variables
from dicola.tables.checks import numeric_matrix
from dicola.tables.names import distinct_names, name_order, named_or_positions
from dicola.tables.table import Table, as_table

_SMALL = 64  # variables up to which a kernel inverts faster than the call of a library takes
_NOTHING = np.zeros((0, 0), dtype=np.bool_)
Untestable = Literal["dependent", "independent", "raise"]


class FisherZ(CITest):
    """x and y are called independent given z iff ``|atanh(r)| · sqrt(n - |z| - 3)`` stays below the normal quantile of ``1 - alpha/2``.

    The correlation matrix is computed once, in float64. Where ``n - |z| - 3 <= 0`` no test is possible: ``untestable`` says what is
    then answered. A variable determined by z is called independent of everything given z.

    >>> test = FisherZ.from_covariance([[1, .5, .25], [.5, 1, .5], [.25, .5, 1]], n_samples=200, names="ABC", alpha=0.01)
    >>> test("A", "C", ["B"]).independent, test("A", "C").independent
    (True, False)
    """

    _whole: NDArray[np.float64]  # the correlation matrix of all variables, of which a part sees those it has chosen
    _chosen: NDArray[np.int64] | None
    _inverse: NDArray[np.float64] | None  # upper triangle; of the whole, where there are rows enough
    _values: NDArray[np.float64] | None
    alpha: float

    def __init__(self, data: Table | ArrayLike | Any, alpha: float = 0.01, *, untestable: Untestable = "dependent") -> None:
        table = as_table(data)
        values = numeric_matrix(table)
        if table.n_samples < 5:
            raise InvalidData(f"the table has {table.n_samples} rows; Fisher's z test needs at least 5, and many more to find anything.")
        correlation = correlation_of(values)
        self._set_up(correlation, table.n_samples, table.labels, table.names, checked_alpha(alpha), _checked_untestable(untestable))
        self._values = values

    @classmethod
    def from_covariance(
        cls,
        matrix: ArrayLike,
        n_samples: int,
        names: Iterable[object] | None = None,
        alpha: float = 0.01,
        *,
        untestable: Untestable = "dependent",
    ) -> FisherZ:
        """Build from a covariance or correlation matrix and the number of rows behind it; a DataFrame brings its names."""
        try:
            covariance = np.asarray(matrix, dtype=np.float64)
        except (TypeError, ValueError):
            raise InvalidData("a covariance matrix is a square table of numbers.") from None
        if covariance.ndim != 2 or covariance.shape[0] != covariance.shape[1]:
            raise InvalidData(f"a covariance matrix is square; this one has shape {covariance.shape}.")
        columns = distinct_names(named_or_positions(covariance_names(matrix) if names is None else names, len(covariance)))
        if len(columns) < 2:
            raise InvalidData("the covariance matrix has one variable; looking for causes needs at least two.")
        if not np.isfinite(covariance).all():
            raise InvalidData("the covariance matrix has missing or infinite entries.")
        if not np.allclose(covariance, covariance.T, rtol=1e-8, atol=1e-12):
            raise InvalidData("the covariance matrix is not symmetric.")
        if not (np.diag(covariance) > 0).all():
            bad = columns[int(np.argmin(np.diag(covariance)))]
            raise InvalidData(f"the variance of {bad!r} is not positive. Drop the variable.")
        if isinstance(n_samples, bool) or not isinstance(n_samples, int | np.integer) or n_samples < 5:
            raise InvalidData(f"n_samples is {n_samples!r}; Fisher's z test needs a whole number of at least 5.")
        order = name_order(columns)
        correlation = standardised(covariance[np.ix_(order, order)])
        correlation = (correlation + correlation.T) / 2
        if np.linalg.eigvalsh(correlation)[0] < -1e-8:
            raise InvalidData("the covariance matrix is not positive semidefinite, so it is no covariance of any data.")
        test = cls.__new__(cls)
        labels = tuple(columns[i] for i in order)
        test._set_up(correlation, int(n_samples), labels, columns, checked_alpha(alpha), _checked_untestable(untestable))
        return test

    def _set_up(
        self,
        correlation: NDArray[np.float64],
        n_samples: int,
        labels: tuple[str, ...],
        names: tuple[str, ...],
        alpha: float,
        untestable: Untestable,
    ) -> None:
        correlation.setflags(write=False)
        self.n_samples: int = n_samples
        self.labels, self.names, self.alpha, self.untestable = labels, names, alpha, untestable
        self._whole, self._chosen, self._values = correlation, None, None
        self._inverse = inverse_of(correlation) if n_samples > len(labels) + 1 else None
        self._limits = self._critical(np.arange(len(labels) + 1), alpha)
        self._other_limits: dict[tuple[int, float], float] = {}
        check_correlation(correlation, self._inverse, labels, n_samples)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Arrays come writeable out of a pickle or a copy; for these the kernels would be compiled once more."""
        vars(self).update(state)
        for array in (self._whole, self._values, state.get("correlation")):
            if array is not None:
                array.setflags(write=False)

    @cached_property
    def correlation(self) -> NDArray[np.float64]:
        """The correlation matrix of the variables, in the order of ``labels``."""
        if self._chosen is None:
            return self._whole
        block: NDArray[np.float64] = precision.block_of(self._whole, self._chosen)
        block.setflags(write=False)  # as in the whole, so that the kernels are compiled for one kind of array
        return block

    def among(self, variables: Sequence[int] | NDArray[np.int64]) -> FisherZ:
        chosen = np.array(variables, dtype=np.int64)
        if len(chosen) == len(self) and np.array_equal(chosen, np.arange(len(self))):
            return self
        return self._part(chosen)

    def _part(self, chosen: NDArray[np.int64]) -> FisherZ:
        part = FisherZ.__new__(FisherZ)
        part._whole, part._values, part._inverse, part._limits = self._whole, self._values, None, self._limits
        part._other_limits = self._other_limits
        part._chosen = chosen if self._chosen is None else self._chosen[chosen]
        part.n_samples, part.alpha, part.untestable = self.n_samples, self.alpha, self.untestable
        part.labels = part.names = tuple([self.labels[v] for v in chosen.tolist()])
        return part

    def side_by_side(self, parts: Sequence[Variables]) -> FisherZ:
        union = self._part(np.array([v for part in parts for v in part], dtype=np.int64))
        assert union._chosen is not None
        begins = np.cumsum([0, *[len(part) for part in parts]], dtype=np.int64)
        union.correlation = precision.blocks_of(union._whole, union._chosen, begins)
        union.correlation.setflags(write=False)
        return union

    def samples(self) -> NDArray[np.float64]:
        if self._values is None:
            return super().samples()
        return self._values if self._chosen is None else self._values[:, self._chosen]

    def correlations(self) -> tuple[NDArray[np.float64], int]:
        return self.correlation, self.n_samples

    def limit(self, size: int, alpha: float | None = None) -> float:
        """Squared critical correlation given ``size`` variables: above it a pair is dependent (below 0: always)."""
        if self._may_raise(size):
            raise InvalidData(f"{self.n_samples} rows are too few to condition on {size} variables; set a smaller max_condition_size.")
        if alpha is None and size < len(self._limits):
            return float(self._limits[size])
        level = self.alpha if alpha is None else alpha
        known = self._other_limits.get((size, level))
        if known is None:
            known = self._other_limits[size, level] = float(self._critical(np.array([size]), level)[0])
        return known

    def _critical(self, sizes: NDArray[np.int64], alpha: float | NDArray[np.float64]) -> NDArray[np.float64]:
        """``limit`` for many sizes at once, each at its level."""
        freedom = self.n_samples - sizes - 3
        critical = np.tanh(-ndtri(np.asarray(alpha) / 2) / np.sqrt(np.maximum(freedom, 1))) ** 2
        return np.where(freedom > 0, critical, -1.0 if self.untestable == "dependent" else 2.0)

    def partial_correlation(self, x: int, y: int, z: Variables) -> float:
        """Partial correlation of two positions given others; 0 where one of the two is determined by z."""
        xy, xx, yy = kernel.residual(self.correlation, x, y, np.array(z, dtype=np.int64))
        return 0.0 if min(xx, yy) < kernel.SINGULAR else max(-1.0, min(1.0, xy / sqrt(xx * yy)))

    def verdict(self, x: int, y: int, z: Variables) -> Verdict:
        limit = self.limit(len(z))
        xy, xx, yy = kernel.residual(self.correlation, x, y, np.array(z, dtype=np.int64))
        independent = not kernel.is_dependent(xy, xx, yy, limit)
        freedom = self.n_samples - len(z) - 3
        if freedom <= 0:
            return Verdict(independent, 1.0 if independent else 0.0)
        r = 0.0 if min(xx, yy) < kernel.SINGULAR else xy / sqrt(xx * yy)
        z_score = atanh(min(abs(r), 1.0 - 1e-15)) * sqrt(freedom)
        return Verdict(independent, erfc(z_score / sqrt(2.0)), z_score)

    def counted_growth(
        self, graph: tuple[NDArray[np.int64], NDArray[np.int64]], alphas: Sequence[float | None], bounds: Bounds
    ) -> tuple[Growth, int] | None:
        if len(self) > _SMALL or self._may_raise(len(self) - 2):
            return None
        at_levels = np.array([self.alpha if alpha is None else alpha for alpha in alphas])
        limits = self._critical(np.maximum(np.arange(len(self) + 1) - 2, 0), at_levels)
        grown = growth.grow(self.correlation, graph[0], graph[1], limits, *bounds)
        return (Growth(FlatTree(*grown[:5]), *grown[5:8]), int(grown[8])) if grown[9] else None

    def counted_given_rest(self, alpha: float | None = None, block: Sequence[int] | None = None) -> tuple[Adjacency, int]:
        inside = np.arange(len(self)) if block is None else np.array(block, dtype=np.int64)
        tests = len(inside) * (len(inside) - 1) // 2
        if not tests:
            return np.zeros((len(inside), len(inside)), dtype=np.bool_), 0
        limit = self.limit(len(self) - 2, alpha)
        if self._inverse is not None and block is None:
            dependent, sure = precision.related(self._inverse, limit)
        elif len(self) > _SMALL or self._chosen is None:
            dependent, sure = precision.related(self._precision_of(inside), limit)
        else:
            dependent, sure = precision.related_within(self._whole, self._chosen, inside, limit)
        return (dependent, tests) if sure else super().counted_given_rest(alpha, block)  # some variable is determined by the others

    def counted_depends_given_rest(self, x: int, others: Sequence[int], alpha: float | None = None) -> tuple[list[bool], int]:
        """One row of the matrix, which one inverse gives as a whole."""
        row = self.given_rest(alpha)[x].tolist()
        return [row[y] for y in others], len(others)

    def _precision_of(self, inside: NDArray[np.int64]) -> NDArray[np.float64]:
        """The block of the inverse correlation matrix that belongs to ``inside``: the inverse of its residual given the rest.

        Infinite where some variable is determined by the others.
        """
        if len(self) <= _SMALL:
            return np.asarray(precision.precision_of(self.correlation, inside))
        whole = np.arange(len(self)) if self._chosen is None else self._chosen
        block, rest = whole[inside], np.delete(whole, inside)
        residual = self._whole[np.ix_(block, block)]
        try:
            if len(rest):
                across, within = self._whole[np.ix_(rest, block)], self._whole[np.ix_(rest, rest)]
                residual = residual - across.T @ np.linalg.solve(within, across)
            return np.asarray(np.linalg.inv((residual + residual.T) / 2), dtype=np.float64)
        except np.linalg.LinAlgError:
            return np.full(residual.shape, np.inf)

    def _may_raise(self, size: int) -> bool:
        """Would a question of this size be refused? Then it must be asked one by one: nothing is refused that is not asked."""
        return self.untestable == "raise" and self.n_samples - size - 3 <= 0

    def counted_sweep_level(
        self, adjacency: Adjacency, size: int, candidates: Adjacency | None = None, tried: Adjacency | None = None
    ) -> tuple[list[Separation], int]:
        if self._may_raise(size):
            return super().counted_sweep_level(adjacency, size, candidates, tried)
        if size == 0 and tried is not None:
            return [], 0
        edges = np.ascontiguousarray(adjacency, dtype=np.bool_)
        pools = edges if candidates is None else np.ascontiguousarray(candidates, dtype=np.bool_)
        old = _NOTHING if tried is None else np.ascontiguousarray(tried, dtype=np.bool_)
        rows, tests = levels.sweep_level(self.correlation, edges, pools, old, size, self.limit(size))
        return [Separation(row[0], row[1], tuple(row[2:])) for row in rows.tolist()], int(tests)

    def counted_breaks_separation(self, x: int, y: int, z: Variables, others: Sequence[int]) -> tuple[list[bool], int]:
        if not others:
            return [], 0
        given, added, limit = np.array(z, dtype=np.int64), np.array(others, dtype=np.int64), self.limit(len(z) + 1)
        answer = kernel.dependent_with_each(self.correlation, min(x, y), max(x, y), given, added, limit)
        return answer.tolist(), len(others)

    def counted_search_levels(self, question: Levels) -> tuple[Search, int]:
        adjacency, max_size, first, candidates, tried, tried_to = question
        n = len(self)
        largest = n - 2 if max_size is None else min(max_size, n - 2)
        if self._may_raise(largest):
            return super().counted_search_levels(question)
        edges = np.array(adjacency, dtype=np.bool_)
        pools = _NOTHING if candidates is None else np.ascontiguousarray(candidates, dtype=np.bool_)
        old = _NOTHING if tried is None else np.ascontiguousarray(tried, dtype=np.bool_)
        pairs, begins, members, tests, finished = levels.search_levels(
            self.correlation, edges, pools, old, n if tried_to is None else min(tried_to, n), first, largest, self._limits
        )
        ends, flat = begins.tolist(), members.tolist()
        sets = [tuple(flat[begin:end]) for begin, end in pairwise(ends)]
        fallen = list(map(Separation, pairs[::2].tolist(), pairs[1::2].tolist(), sets))
        return Search(fallen, bool(finished)), int(tests)

    def counted_find_separator(
        self,
        x: int,
        y: int,
        candidates: Sequence[int],
        sizes: Iterable[int],
        tried: Sequence[Collection[int]] = (),
        family: SetFamily | None = None,
    ) -> tuple[Variables | None, int]:
        sizes = [size for size in sizes if size <= len(candidates)]
        if family is not None or (self.untestable == "raise" and any(self._may_raise(size) for size in sizes)):
            return super().counted_find_separator(x, y, candidates, sizes, tried, family)
        pool = np.array(sorted(candidates), dtype=np.int64)
        parts = np.zeros(len(pool), dtype=np.uint8)
        for bit, old in enumerate(tried):
            parts |= np.array([v in old for v in pool.tolist()], dtype=np.uint8) << np.uint8(bit)
        wanted = np.array(sizes, dtype=np.int64)
        limits = self._limits[wanted]
        found, separated, tests = kernel.separator_among(self.correlation, min(x, y), max(x, y), pool, wanted, limits, parts, bool(tried))
        return (tuple(found.tolist()) if separated else None), int(tests)

    def counted_find_separators(
        self, pairs: Sequence[Pair], pool: Sequence[int], max_size: int, beside: int | None = None
    ) -> tuple[list[Variables | None], int]:
        largest = min(max_size, len(pool))
        if self._may_raise(largest + 1):
            return super().counted_find_separators(pairs, pool, max_size, beside)
        wanted = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        around = np.array(sorted(pool if beside is None else [*pool, beside]), dtype=np.int64)
        sizes, members, tests = kernel.separators_among(
            self.correlation, wanted, around, largest, -1 if beside is None else beside, self._limits
        )
        flat, begin = members.tolist(), 0
        found: list[Variables | None] = []
        for size in sizes.tolist():
            found.append(None if size < 0 else tuple(flat[begin : begin + size]))
            begin += max(size, 0)
        return found, int(tests)

    def _first_separator(
        self,
        x: int,
        y: int,
        candidates: Sequence[int],
        size: int,
        tried: Sequence[Collection[int]],
        family: SetFamily | None = None,
    ) -> tuple[Variables | None, int]:
        """The sets of a family in bunches, so that the kernel is called once for many of them."""
        if family is None or tried or self._may_raise(size):
            return super()._first_separator(x, y, candidates, size, tried, family)
        a, b, limit = min(x, y), max(x, y), self.limit(size)
        total = 0
        for sets in family.bunches(size):
            found = int(kernel.first_of(self.correlation, a, b, sets, limit))
            if found >= 0:
                return tuple(sets[found].tolist()), total + found + 1
            total += len(sets)
        return None, total


def _checked_untestable(policy: str) -> Untestable:
    if policy not in ("dependent", "independent", "raise"):
        raise InvalidSetting(f"untestable is {policy!r}; it may be 'dependent', 'independent' or 'raise'.")
    return policy  # type: ignore[return-value]
