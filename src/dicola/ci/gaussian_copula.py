"""The Gaussian copula by ranks: Fisher's z for columns of any shape, and for grades."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import log, nan, sqrt, tanh
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import erfc, log_ndtr, ndtri

from dicola._kernels import evidence as search
from dicola._kernels import latent as kernel
from dicola._kernels.arrays import flat_rows
from dicola.allowed import checked
from dicola.ci.base import Statistic, checked_alpha
from dicola.ci.by_evidence import Tallied
from dicola.ci.categories import codes_of, usable
from dicola.ci.columns import LEVELLED, normal_scores
from dicola.ci.fisher_z import FisherZ, Untestable, _checked_untestable, _with_gaps
from dicola.ci.gaussian import correlation_of, standardised
from dicola.ci.power import smallest_found
from dicola.ci.questions import Adjacency, Answered, Question, Verdict
from dicola.errors import InvalidData, Sentence, counted
from dicola.graphs.skeleton import Variables
from dicola.tables.checks import check_gaps
from dicola.tables.table import Table

Answer = TypeVar("Answer")
Floats = NDArray[np.float64]
_SMALLEST = 1e-4  # eigenvalue of a matrix of correlations that were estimated pair by pair
_QUADRATURE = np.array(np.polynomial.legendre.leggauss(24))


class GaussianCopula(Tallied, FisherZ):
    """Fisher's z on ranks: the test for columns of any shape that rise and fall together.

    Every continuous column is replaced by its normal scores, so that no strictly increasing function
    of a column (its logarithm, its cube) changes anything. Columns of grades, and of two levels, are
    taken for normal variables of which only classes are seen: their correlations are polychoric
    (with each other) and polyserial (with continuous columns).

    The null model: some strictly increasing functions of the columns are jointly Gaussian, and rows
    are independent. Classes say less than numbers: for a test with such columns the effective
    number of rows is smaller, and is worked out for each test (``effective_rows``).

    Parameters
    ----------
    data : Table, DataFrame or array
        Numbers, grades and columns of two levels, without gaps.
    alpha : float
        The level.
    untestable : {"dependent", "independent", "raise"}
        What is answered where there are too few rows for a test; ``"raise"`` is for numbers alone.
    missing : {"error", "em"}
        Gaps are refused, or, where all columns are numbers, the correlations of normal scores are
        the most likely ones for rows with gaps.

    Raises
    ------
    InvalidData
        The table has gaps, too few rows, or levels without an order.
    InvalidSetting
        A setting is not allowed.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> table = rng.normal(size=(300, 3)) @ np.array([[1, 1, 0], [0, 1, 1], [0, 0, 1]])
    >>> GaussianCopula(table)("X1", "X3", ["X2"]) == GaussianCopula(np.exp(table))("X1", "X3", ["X2"])
    True

    """

    name: ClassVar[str] = "gaussian_copula"
    title: ClassVar[str] = "Fisher's z test on normal scores, polychoric and polyserial correlations"
    reference: ClassVar[str] = "Liu, Lafferty and Wasserman (2009); Olsson (1979)"
    assumes: ClassVar[str] = "increasing functions of the columns are jointly Gaussian; independent rows; sees monotone dependence only"
    needs: ClassVar[str] = "numbers, grades or two levels per column; gaps only with missing='em'"
    kinds: ClassVar[tuple[str, ...]] = ("continuous", "ordered", "binary")

    gaps: ClassVar[tuple[str, ...]] = ("em",)
    noise: Floats

    @checked()
    def __init__(
        self, data: Table | ArrayLike | Any, alpha: float = 0.01, *, untestable: Untestable = "dependent", missing: str = "error"
    ) -> None:
        table = usable(data)
        has_classes = any(kind in LEVELLED for kind in table.kinds)
        check_gaps(table, allowed=missing == "em" and not has_classes)
        _check_order(table)
        if table.n_samples < 5:
            raise InvalidData(
                f"the table has {counted(table.n_samples, 'row')}; this test needs at least 5, and many more to find anything."
            )
        classes = [Classes.of(codes_of(column)[0]) if column.kind in LEVELLED else None for column in table.columns]
        scores = [scores_of(c.values) if own is None else own.scores for c, own in zip(table.columns, classes, strict=True)]
        values = np.column_stack(scores)
        values.setflags(write=False)
        self.noise = np.array([0.0 if own is None else 1.0 / own.variance - 1.0 for own in classes])
        n_samples = table.n_samples
        if has_classes:
            correlation = latent_correlations(values, classes)
        elif np.isnan(values).any():
            correlation, n_samples = _with_gaps(values)
        else:
            correlation = correlation_of(values)
        self._set_up(correlation, n_samples, table.labels, table.names, checked_alpha(alpha), _checked_untestable(untestable))
        self._values = values
        self.noise.setflags(write=False)

    @cached_property
    def has_classes(self) -> bool:
        """Is some variable seen by classes only?"""
        return bool(self.noise.any())

    def _part(self, chosen: NDArray[np.int64]) -> Self:
        part = super()._part(chosen)
        for name in ("has_classes", "evidence", "tally"):
            vars(part).pop(name, None)
        part.noise = self.noise[chosen]
        part.noise.setflags(write=False)
        return part

    def side_by_side(self, parts: Sequence[Variables]) -> Self | None:  # type: ignore[override]
        return None if self.has_classes else super().side_by_side(parts)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name not in ("evidence", "tally")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.noise.setflags(write=False)

    def evidence_at(self, alpha: float) -> kernel.Latent:
        """What kernels need to answer at a level, where some variable is seen by classes only.

        Parameters
        ----------
        alpha : float
            The level.

        """
        quantile = float(-ndtri(alpha / 2))
        return kernel.Latent(self.correlation, self.noise, float(self.n_samples), quantile, self.untestable != "independent", self.tally)

    @cached_property
    def evidence(self) -> kernel.Latent:
        """The same at the level of the test."""
        return self.evidence_at(self.alpha)

    def effective_rows(self, x: int, y: int, z: Variables) -> float:
        """The rows of numbers that would tell as much about a pair as the rows of this table.

        Parameters
        ----------
        x, y : int
            Positions in ``labels``.
        z : tuple of int
            The same, of the variables held fixed.

        """
        return float(kernel.scores_of(self.evidence, x, y, *flat_rows([z]))[1][0]) + len(z) + 3

    def given_rest(self, alpha: float, inside: NDArray[np.int64]) -> Adjacency | None:
        """Which pairs of some variables depend on each other given all others?

        Parameters
        ----------
        alpha : float
            The level.
        inside : array of int
            Positions in ``labels``.

        """
        precision = self.precision_of(np.arange(len(self)))
        if not np.isfinite(precision).all():
            return None
        spread = (precision * self.noise) @ precision
        return np.asarray(kernel.related_latents(precision, spread, self.evidence_at(alpha), inside))

    def verdict(self, x: int, y: int, z: Variables) -> Verdict:
        if not self.has_classes:
            return super().verdict(x, y, z)
        p_value = float(self.p_values(x, y, [z])[0])
        return Verdict(not search.depend_given(self.evidence, x, y, np.array(z, dtype=np.int64)), p_value)

    def p_values(self, x: int, y: int, sets: Sequence[Variables]) -> Floats:
        if not self.has_classes:
            return np.array([super(GaussianCopula, self).verdict(x, y, z).p_value for z in sets])
        scores, freedoms = kernel.scores_of(self.evidence, x, y, *flat_rows(sets))
        return np.where(freedoms > 0, erfc(scores / np.sqrt(2.0)), float(self.untestable == "independent"))

    def statistic(self, x: int, y: int, z: Variables) -> Statistic:
        if not self.has_classes:
            return super().statistic(x, y, z)
        scores, freedoms = kernel.scores_of(self.evidence, x, y, *flat_rows([z]))
        sign = -1.0 if self.partial_correlation(x, y, z) < 0 else 1.0
        return Statistic(sign * float(scores[0]) if freedoms[0] > 0 else nan, rows=self.n_samples)

    def count_untested(self, x: int, y: int, sets: Sequence[Variables]) -> None:
        if self.has_classes:
            super().count_untested(x, y, sets)

    def log_p_values(self, x: int, y: int, sets: Sequence[Variables]) -> Floats:
        if not self.has_classes:
            return super().log_p_values(x, y, sets)
        scores, freedoms = kernel.scores_of(self.evidence, x, y, *flat_rows(sets))
        return np.where(freedoms > 0, log(2.0) + log_ndtr(-scores), 0.0 if self.untestable == "independent" else -np.inf)

    def answer(self, question: Question[Answer]) -> Answered[Answer] | None:
        return question.by_evidence(self) if self.has_classes else question.by_correlations(self)

    def detectable(self, size: int, alpha: float | None = None) -> float | None:
        """Of a pair of usual columns, by their effective rows."""
        usual = float((1.0 / (1.0 + self.noise)).mean()) ** 2
        freedom = int(usual * self.n_samples) - size - 3
        level = self.alpha if alpha is None else alpha
        return smallest_found(tanh(-float(ndtri(level / 2)) / sqrt(freedom)), freedom) if freedom > 0 else None


class Classes:
    """A column of grades as a normal variable cut at thresholds: codes, thresholds, and the mean of each class."""

    def __init__(self, codes: NDArray[np.int64], thresholds: Floats, means: Floats, variance: float) -> None:
        self.codes, self.thresholds, self.means, self.variance = codes, thresholds, means, variance

    @classmethod
    def of(cls, codes: NDArray[np.int64]) -> Classes:
        """From codes 0, 1, … in their order; the thresholds are those of the shares of rows."""
        shares = np.bincount(codes) / len(codes)
        inner = ndtri(np.cumsum(shares)[:-1])
        thresholds = np.concatenate([[-np.inf], inner, [np.inf]])
        density = np.concatenate([[0.0], np.exp(-(inner**2) / 2) / np.sqrt(2 * np.pi), [0.0]])
        means = (density[:-1] - density[1:]) / shares
        return cls(codes, thresholds, means, float((shares * means**2).sum()))

    @property
    def scores(self) -> Floats:
        """The mean of its class in each row."""
        return self.means[self.codes]


def scores_of(values: Floats) -> Floats:
    """Normal scores of the values that are there, NaN for gaps."""
    scores = np.full(len(values), np.nan)
    present = ~np.isnan(values)
    scores[present] = normal_scores(values[present])
    return scores


def latent_correlations(values: Floats, classes: Sequence[Classes | None]) -> Floats:
    """Correlations of the normal variables behind some columns, estimated pair by pair and made a correlation matrix.

    The covariance of a continuous column with the class means of another is the correlation times
    their variance, which gives the polyserial one; polychoric ones are the most likely.
    """
    correlation = correlation_of(values)
    deviation = np.array([1.0 if own is None else np.sqrt(own.variance) for own in classes])
    correlation = np.clip(correlation / deviation[:, None] / deviation, -0.9999, 0.9999)
    seen = [i for i, own in enumerate(classes) if own is not None]
    for at, i in enumerate(seen):
        for j in seen[at + 1 :]:
            one, other = classes[i], classes[j]
            assert one is not None and other is not None
            counts = np.zeros((len(one.means), len(other.means)))
            np.add.at(counts, (one.codes, other.codes), 1.0)
            correlation[i, j] = correlation[j, i] = kernel.polychoric(counts, one.thresholds, other.thresholds, _QUADRATURE)
    np.fill_diagonal(correlation, 1.0)
    eigenvalues, vectors = np.linalg.eigh(correlation)
    if eigenvalues[0] < _SMALLEST:
        correlation = standardised((vectors * np.maximum(eigenvalues, _SMALLEST)) @ vectors.T)
        correlation = (correlation + correlation.T) / 2
    return correlation


def _check_order(table: Table) -> None:
    """Refuse levels without an order."""
    for column in table.columns:
        if column.kind == "nominal":
            raise InvalidData(
                Sentence(
                    "column {name!r} has levels without an order, and the Gaussian copula goes by order. "
                    "Take {ci_test=degenerate_gaussian}, or say kinds={{{name!r}: 'ordered'}} where its levels are grades.",
                    name=column.name,
                )
            )
