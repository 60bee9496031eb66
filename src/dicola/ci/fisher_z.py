"""Fisher's z test of a vanishing partial correlation: the test for linear Gaussian data (Fisher 1924)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from math import atanh, erfc, log, sqrt
from typing import Any, ClassVar, Literal, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_ndtr, ndtri

from dicola._kernels import partial_correlation as kernel
from dicola._kernels import precision
from dicola.allowed import MOST, checked
from dicola.ci.base import CITest, Statistic, checked_alpha
from dicola.ci.card import CPU, LEAST, Card, card_at
from dicola.ci.engines import held_if_small
from dicola.ci.gaussian import (
    check_correlation,
    correlation_of,
    correlation_of_rows,
    covariance_names,
    inverse_of,
    refuse_copies,
    residual,
    standardised,
    standardised_rows,
)
from dicola.ci.power import smallest_found
from dicola.ci.questions import SMALL, Answered, Question, Verdict
from dicola.errors import InvalidData, InvalidSetting, Sentence, counted, shown
from dicola.graphs.skeleton import Variables
from dicola.tables.checks import numeric_matrix
from dicola.tables.gaps import moments
from dicola.tables.moments import products_of
from dicola.tables.names import distinct_names, name_order, named_or_positions
from dicola.tables.table import Table, as_table

Answer = TypeVar("Answer")
Untestable = Literal["dependent", "independent", "raise"]
MOST_HELD = 30_000  # columns up to which a matrix of all correlations is kept; with a card and fewer rows than that blocks are made anew
_AT_ONCE = 4096  # variables of the largest block that is made


class FisherZ(CITest):
    """Is a partial correlation zero? The test for linear Gaussian data.

    x and y are called independent given z iff ``|atanh(r)| · sqrt(n - |z| - 3)`` stays below the
    normal quantile of ``1 - alpha/2``. The correlation matrix is computed once, in float64. A
    variable determined by z is called independent of everything given z.

    Parameters
    ----------
    data : Table, DataFrame or array
        Numbers without gaps, one column per variable, at least 5 rows.
    alpha : float
        The level.
    untestable : {"dependent", "independent", "raise"}
        What is answered where ``n - |z| - 3 <= 0`` and no test is possible.
    missing : {"error", "em"}
        Gaps are refused, or the correlations are the most likely ones for rows with gaps, and
        ``n_samples`` is the number of complete rows that would tell as much.
    device : str
        ``"cuda"`` lets a graphics card compute what is large: correlations, their inverse, blankets
        and low levels of searches (extra ``gpu``). Its calls near a limit are decided again by the
        processor, so the answers are the same.

    Raises
    ------
    InvalidData
        The table has too few rows, gaps or texts, or some columns determine another.
    InvalidSetting
        A setting is not allowed, or there is no such card.
    MissingExtra
        A card was asked for, and PyTorch is not installed.

    Examples
    --------
    >>> matrix = [[1, .5, .25], [.5, 1, .5], [.25, .5, 1]]
    >>> test = FisherZ.from_covariance(matrix, n_samples=200, names="ABC", alpha=0.01)
    >>> test("A", "C", ["B"]).independent, test("A", "C").independent
    (True, False)

    """

    name: ClassVar[str] = "fisher_z"
    title: ClassVar[str] = "Fisher's z test of a vanishing partial correlation"
    reference: ClassVar[str] = "Fisher (1924)"
    assumes: ClassVar[str] = "linear relations, Gaussian noise, independent rows; sees linear dependence only"
    needs: ClassVar[str] = "a table of numbers without gaps; in Python also a covariance matrix and the number of rows"
    kinds: ClassVar[tuple[str, ...]] = ("continuous", "ordered", "binary")

    whole: NDArray[np.float64]  # the correlation matrix of all variables, of which a part sees those it has chosen
    chosen: NDArray[np.int64] | None
    inverse: NDArray[np.float64] | None  # upper triangle; of a whole that has rows enough, else None
    whole_inverse: NDArray[np.float64] | None  # the same, for all parts of that whole
    _values: NDArray[np.float64] | None
    alpha: float

    gaps: ClassVar[tuple[str, ...]] = ("em", "testwise")
    card: Card | None = None  # holds the correlations of the whole, of which a part sees those it has chosen
    standardised: NDArray[np.float64] | None = None  # one row per column of the table, where no matrix of all correlations is kept

    @checked()
    def __init__(
        self,
        data: Table | ArrayLike | Any,
        alpha: float = 0.01,
        *,
        untestable: Untestable = "dependent",
        missing: str = "error",
        device: str = CPU,
    ) -> None:
        card = card_at(device)
        table = as_table(data)
        values = numeric_matrix(table, gaps=missing == "em")
        if table.n_samples < 5:
            raise InvalidData(
                f"the table has {counted(table.n_samples, 'row')}; Fisher's z test needs at least 5, and many more to find anything."
            )
        has_gaps = missing == "em" and bool(np.isnan(values).any())  # elsewhere they were refused
        if card is not None and values.shape[1] >= LEAST:
            self.card = card
            if values.shape[1] > max(MOST_HELD, table.n_samples) and not has_gaps:
                self.standardised = standardised_rows(values)
        with held_if_small(*values.shape):
            correlation, n_samples = _with_gaps(values) if has_gaps else (self._correlation_of(values), table.n_samples)
            if has_gaps and self.card is not None:
                self.card.hold(correlation)
            self._set_up(correlation, n_samples, table.labels, table.names, checked_alpha(alpha), _checked_untestable(untestable))
        self._values = values

    def _correlation_of(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.card is not None and self.standardised is not None:
            self.card.hold_rows(self.standardised)
            return np.empty((0, 0))
        found = None if self.card is None else self.card.correlation_of(values)
        if found is not None:
            return found
        correlation = correlation_of(values)
        if self.card is not None:
            self.card.hold(correlation)
        return correlation

    @classmethod
    @checked()
    def from_covariance(
        cls,
        matrix: ArrayLike,
        n_samples: int,
        names: Iterable[object] | None = None,
        alpha: float = 0.01,
        *,
        untestable: Untestable = "dependent",
    ) -> FisherZ:
        """Build from a covariance or correlation matrix and the number of rows behind it.

        Parameters
        ----------
        matrix : square array
            A DataFrame brings its names.
        n_samples : int
            At least 5.
        names : iterable of str, optional
            In the order of the matrix; by default those of a DataFrame, else X1, X2, ….
        alpha, untestable
            As for a table.

        Raises
        ------
        InvalidData
            The matrix is no covariance of two or more variables that vary, or the rows are too few.

        """
        try:
            covariance = np.asarray(matrix, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
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
        if isinstance(n_samples, bool) or not isinstance(n_samples, int | np.integer) or not 5 <= n_samples <= MOST:
            raise InvalidData(f"n_samples is {shown(n_samples)}; Fisher's z test needs a whole number of at least 5.")
        order = name_order(columns)
        correlation = standardised(covariance[np.ix_(order, order)])
        correlation = (correlation + correlation.T) / 2
        test = cls.__new__(cls)
        labels = tuple(columns[i] for i in order)
        with held_if_small(None, len(labels)):
            if np.linalg.eigvalsh(correlation)[0] < -1e-8:
                raise InvalidData("the covariance matrix is not positive semidefinite, so it is no covariance of any data.")
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
        like: FisherZ | None = None,
    ) -> None:
        correlation.setflags(write=False)
        self.n_samples: int = n_samples
        self.labels, self.names, self.alpha, self.untestable = labels, names, alpha, untestable
        self.whole, self.chosen, self._values = correlation, None, None
        self.inverse = self.whole_inverse = self._inverted() if n_samples > len(labels) + 1 else None
        self.limits: NDArray[np.float64]
        if like is not None and like.n_samples == n_samples:
            self.limits = like.limits
        else:
            self.limits = self.critical(np.arange(len(labels) + 1), alpha)
        self._other_limits: dict[tuple[int, float], float] = {}
        if self.card is not None and self.standardised is not None:
            refuse_copies(self.card.copies(), labels)
        else:
            check_correlation(correlation, self.inverse, labels, n_samples)

    def _inverted(self) -> NDArray[np.float64] | None:
        return inverse_of(self.whole) if self.card is None else self.card.inverse()

    def __getstate__(self) -> dict[str, Any]:
        """A part takes only its own block along, so that a leaf is small enough to send; a card stays where it is."""
        state = dict(vars(self))
        state.pop("card", None)
        if self.chosen is not None:
            state |= {"correlation": self.correlation, "whole": self.correlation, "whole_inverse": None, "chosen": None}
            state["standardised"] = None
            state["_values"] = None if self._values is None else self._values[:, self.chosen]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Arrays come writeable out of a pickle or a copy; for these the kernels would be compiled once more."""
        vars(self).update(state)
        for array in (self.whole, self._values, state.get("correlation")):
            if array is not None:
                array.setflags(write=False)

    @cached_property
    def correlation(self) -> NDArray[np.float64]:
        """The correlation matrix of the variables, in the order of ``labels``."""
        if self.chosen is None and self.standardised is None:
            return self.whole
        block: NDArray[np.float64] = self._block(self.part_of_card)
        block.setflags(write=False)  # as in the whole, so that the kernels are compiled for one kind of array
        return block

    def correlations_of(self, some: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.float64]:
        """The correlations of pairs of variables, without a matrix of all.

        Parameters
        ----------
        some, others : array of int
            Positions in ``labels``, pair by pair.

        """
        if not self._is_too_large:
            return np.asarray(self.correlation[some, others])
        assert self.standardised is not None
        rows, place = self.standardised, self.part_of_card
        found = np.array([rows[a] @ rows[b] for a, b in zip(place[some].tolist(), place[others].tolist(), strict=True)])
        return np.where(some == others, 1.0, found)

    def correlations_with(self, v: int) -> NDArray[np.float64]:
        """The correlations of one variable with all.

        Parameters
        ----------
        v : int
            Its position in ``labels``.

        """
        place = self.part_of_card
        if self.standardised is None:
            return np.ascontiguousarray(self.whole[place[v]][place])
        rows = self.standardised if self.chosen is None else self.standardised[place]
        found = rows @ self.standardised[place[v]]
        found[v] = 1.0
        return np.asarray(found)

    def _block(self, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        """Correlations of some variables of the whole."""
        if self.standardised is None:
            return np.asarray(precision.block_of(self.whole, chosen))
        rows = self.standardised[chosen]
        block = np.triu(products_of(rows), 1)
        block += block.T
        block.flat[:: len(block) + 1] = 1.0
        return np.asarray(block)

    @property
    def part_of_whole(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """A matrix and the positions in it that ``correlation`` consists of, for kernels that read little of it: nothing is copied."""
        if self.chosen is None or self.standardised is not None or "correlation" in vars(self):
            return self.correlation, np.arange(len(self))
        return self.whole, self.chosen

    @property
    def part_of_card(self) -> NDArray[np.int64]:
        """The positions in the matrix on the card that ``correlation`` consists of."""
        return np.arange(len(self)) if self.chosen is None else self.chosen

    def inverted_again(self) -> NDArray[np.float64] | None:
        """The inverse of the correlation matrix, upper triangle, as it is without a card."""
        return inverse_of(self.whole)

    def among(self, variables: Sequence[int] | NDArray[np.int64]) -> Self:
        chosen = np.array(variables, dtype=np.int64)
        if len(chosen) == len(self) and np.array_equal(chosen, np.arange(len(self))):
            return self
        return self._part(chosen)

    def _part(self, chosen: NDArray[np.int64]) -> Self:
        """The same test, of the same class and with all it carries, over a choice of the variables."""
        part = object.__new__(type(self))
        vars(part).update(vars(self))
        vars(part).pop("correlation", None)
        part.inverse = None
        part.chosen = chosen if self.chosen is None else self.chosen[chosen]
        part.labels = part.names = tuple([self.labels[v] for v in chosen.tolist()])
        return part

    def without_rows(self) -> Self:
        test = object.__new__(type(self))
        vars(test).update(vars(self), _values=None, card=None)
        return test

    def on_rows(self, rows: NDArray[np.int64]) -> FisherZ | None:
        """The same test on some rows of its table, repeats allowed, by a covariance with weights.

        ``None`` where that is not the way: where it has no complete rows, is of a class of its own,
        or a column is constant there or nearly so, which only a table can tell.

        Parameters
        ----------
        rows : array of int
            Positions of rows.

        """
        if type(self) is not FisherZ or self.chosen is not None or self._values is None or len(self._values) != self.n_samples:
            return None
        correlation = correlation_of_rows(self._values, np.bincount(rows, minlength=self.n_samples))
        if correlation is None or len(rows) < 5:
            return None
        test = object.__new__(type(self))
        test._set_up(correlation, len(rows), self.labels, self.names, self.alpha, self.untestable, self)
        return test

    def side_by_side(self, parts: Sequence[Variables]) -> Self:
        union = self._part(np.array([v for part in parts for v in part], dtype=np.int64))
        assert union.chosen is not None
        begins = np.array([0, *accumulate(map(len, parts))])
        if self.standardised is None:
            union.correlation = precision.blocks_of(union.whole, union.chosen, begins)
        else:
            union.correlation = np.zeros((len(union), len(union)))
            for begin, end in pairwise(begins.tolist()):
                union.correlation[begin:end, begin:end] = self._block(union.chosen[begin:end])
        union.correlation.setflags(write=False)
        union.card = None
        return union

    def samples(self) -> NDArray[np.float64]:
        if self._values is None:
            return super().samples()
        return self._values if self.chosen is None else self._values[:, self.chosen]

    def correlations(self) -> tuple[NDArray[np.float64], int]:
        """The correlation matrix in the order of ``labels``, and the number of rows behind it."""
        return self.correlation, self.n_samples

    def limit(self, size: int, alpha: float | None = None) -> float:
        """Squared critical correlation: above it a pair is dependent.

        Parameters
        ----------
        size : int
            The number of variables conditioned on.
        alpha : float, optional
            By default the level of the test.

        Returns
        -------
        float
            Below 0: always dependent, as no test is possible.

        Raises
        ------
        InvalidData
            The rows are too few, and ``untestable`` is ``"raise"``.

        """
        if self.may_raise(size):
            raise InvalidData(
                Sentence(
                    "{n} rows are too few to condition on {size}; set a smaller {max_condition_size}.",
                    n=self.n_samples,
                    size=counted(size, "variable"),
                )
            )
        if alpha is None and size < len(self.limits):
            return float(self.limits[size])
        level = self.alpha if alpha is None else alpha
        known = self._other_limits.get((size, level))
        if known is None:
            freedom = self.n_samples - size - 3
            known = float(_squared_critical(level, freedom)) if freedom > 0 else self._without_rows_to_test
            self._other_limits[size, level] = known
        return known

    def critical(self, sizes: NDArray[np.int64], alpha: float | NDArray[np.float64]) -> NDArray[np.float64]:
        """``limit`` for many sizes at once, each at its level.

        Parameters
        ----------
        sizes : array of int
            Numbers of variables that are held fixed.
        alpha : float or array of float
            One level for all sizes, or one per size.

        """
        freedom = self.n_samples - sizes - 3
        return np.where(freedom > 0, _squared_critical(alpha, np.maximum(freedom, 1)), self._without_rows_to_test)

    @property
    def _without_rows_to_test(self) -> float:
        """The limit where there are too few rows: below all squared correlations, or above."""
        return -1.0 if self.untestable == "dependent" else 2.0

    def partial_correlation(self, x: int, y: int, z: Variables) -> float:
        """Partial correlation of two variables given others; 0 where z determines one of them.

        Parameters
        ----------
        x, y : int
            Positions in ``labels``.
        z : tuple of int
            The same, of the variables held fixed.

        """
        xy, xx, yy = self._residual(x, y, z)
        return 0.0 if min(xx, yy) < kernel.SINGULAR else max(-1.0, min(1.0, xy / sqrt(xx * yy)))

    def _residual(self, x: int, y: int, z: Variables) -> tuple[float, float, float]:
        if self._is_too_large:
            few = self.part_of_card[[x, y, *z]]
            return kernel.residual(self._block(few), 0, 1, np.arange(2, len(few)))
        return kernel.residual(self.correlation, x, y, np.array(z, dtype=np.int64))

    @property
    def _is_too_large(self) -> bool:
        """Are these too many variables for one matrix of their correlations?"""
        return self.standardised is not None and len(self) > _AT_ONCE and "correlation" not in vars(self)

    def verdict(self, x: int, y: int, z: Variables) -> Verdict:
        size = len(z)
        limit = self.limit(size) if self.untestable == "raise" or size >= len(self.limits) else self.limits.item(size)
        xy, xx, yy = self._residual(x, y, z)
        is_determined = xx < kernel.SINGULAR or yy < kernel.SINGULAR  # and then depends on nothing; else as the kernels say
        independent = limit >= 0.0 if is_determined else not xy * xy > limit * xx * yy
        freedom = self.n_samples - size - 3
        if freedom <= 0:
            return Verdict(independent, 1.0 if independent else 0.0)
        r = 0.0 if is_determined else xy / sqrt(xx * yy)
        z_score = atanh(min(abs(r), 1.0 - 1e-15)) * sqrt(freedom)
        return Verdict(independent, erfc(z_score / sqrt(2.0)))

    def log_p_values(self, x: int, y: int, sets: Sequence[Variables]) -> NDArray[np.float64]:
        """From the logarithm of the normal distribution, which does not underflow."""
        freedom = np.array([max(self.n_samples - len(z) - 3, 0) for z in sets])
        r = np.array([abs(self.partial_correlation(x, y, z)) for z in sets])
        return np.asarray(log(2.0) + log_ndtr(-np.arctanh(np.minimum(r, 1.0 - 1e-15)) * np.sqrt(freedom)))

    def answer(self, question: Question[Answer]) -> Answered[Answer] | None:
        found = None if self.card is None or len(self) < LEAST else question.by_card(self, self.card)
        return question.by_correlations(self) if found is None and not self._is_too_large else found

    def notes(self) -> tuple[str, ...]:
        if self.card is None or not self.card.again:
            return ()
        said = counted(self.card.again, "call of the card was", "calls of the card were", spec=",")
        return (f"{said} too near to the limit of the test and decided again by the processor.",)

    def rows_to_condition_on(self, size: int) -> int:
        return size + 6

    def is_weak_given(self, size: int) -> bool:
        freedom = self.n_samples - size - 3
        return freedom < 50 or (self.n_samples < 2 * (size + 2) and freedom < 1000)

    def statistic(self, x: int, y: int, z: Variables) -> Statistic:
        """Fisher's z: the transformed partial correlation over its standard error."""
        freedom = self.n_samples - len(z) - 3
        if freedom <= 0:
            return Statistic(rows=self.n_samples)
        r = self.partial_correlation(x, y, z)
        return Statistic(atanh(max(-1 + 1e-15, min(1 - 1e-15, r))) * sqrt(freedom), rows=self.n_samples)

    def detectable(self, size: int, alpha: float | None = None) -> float | None:
        freedom = self.n_samples - size - 3
        return smallest_found(sqrt(self.limit(size, alpha)), freedom) if freedom > 0 else None

    def settings(self) -> dict[str, Any]:
        return {"alpha": self.alpha, "untestable": self.untestable}

    def precision_of(self, inside: NDArray[np.int64]) -> NDArray[np.float64]:
        """The block of the inverse correlation matrix that belongs to some variables.

        It is the inverse of their residual given the rest; infinite where some variable is
        determined by the others.

        Parameters
        ----------
        inside : array of int
            Positions in ``labels``.

        """
        if len(self) <= SMALL:
            return np.asarray(precision.precision_of(self.correlation, inside))
        matrix, chosen = (self.whole, self.part_of_card) if self.standardised is None else self.part_of_whole
        whole = np.arange(len(matrix))
        gone = np.delete(whole, chosen)
        try:
            if self.whole_inverse is not None and 2 * len(gone) < len(whole):
                return residual(self.whole_inverse, chosen[inside], gone)
            return np.asarray(np.linalg.inv(residual(matrix, chosen[inside], np.delete(chosen, inside))), dtype=np.float64)
        except np.linalg.LinAlgError:
            return np.full((len(inside), len(inside)), np.inf)

    def may_raise(self, size: int) -> bool:
        """Would a question of this size be refused?

        Then verdicts are asked one by one: nothing is refused that is not asked.

        Parameters
        ----------
        size : int
            The number of variables conditioned on.

        """
        return self.untestable == "raise" and self.n_samples - size - 3 <= 0


def _squared_critical(level: Any, freedom: Any) -> Any:
    """The squared critical correlation; arrays give arrays."""
    critical = np.tanh(-ndtri(level / 2) / np.sqrt(freedom))
    return critical * critical


def _with_gaps(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    """Correlations by maximum likelihood, and the number of complete rows that would tell as much."""
    found = moments(values)
    return standardised(found.covariance), max(found.effective, 5)


def _checked_untestable(policy: str) -> Untestable:
    if policy not in ("dependent", "independent", "raise"):
        raise InvalidSetting(f"untestable is {policy!r}; it may be 'dependent', 'independent' or 'raise'.")
    return policy  # type: ignore[return-value]
