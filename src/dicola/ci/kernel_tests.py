"""Tests that see any kind of dependence, by kernels: the full one for small tables, and one by random features."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.spatial.distance import pdist, squareform
from scipy.special import chdtrc, gammaincc

from dicola.allowed import checked
from dicola.ci.base import CITest, Statistic, checked_alpha
from dicola.ci.categories import usable
from dicola.ci.columns import columns_of
from dicola.errors import InvalidData, Sentence
from dicola.graphs.skeleton import Variables
from dicola.tables.table import Table

Floats = NDArray[np.float64]
_MOST_ROWS = 3000  # of the full test: its time grows with their third power
_NOISE = 1e-3  # added to the diagonal in the regressions on what is given
_SHOWN = 500  # rows from which a width is taken
_FLAT = 1e-6  # share of the largest weight below which one does not count
_FAR = 1e-4  # probability below which the integral is not accurate enough
_NODES, _WEIGHTS = (part for part in np.polynomial.legendre.leggauss(400))
_NODES, _WEIGHTS = (_NODES + 1.0) / 2.0, _WEIGHTS / 2.0


class _OnColumns(CITest):
    """What both tests have in common: standardised columns, a level, little to say beyond p-values."""

    is_slow = True
    kinds: ClassVar[tuple[str, ...]] = ("continuous", "nominal", "ordered", "binary")
    needs: ClassVar[str] = "a table of numbers and categories without gaps"
    alpha: float
    n_samples: int

    def _read(self, data: Table | ArrayLike | Any, alpha: float) -> None:
        table = usable(data)
        columns = columns_of(table)
        values = columns.values - columns.values.mean(axis=0)
        self._values = values / values.std(axis=0, ddof=1)
        self._begins = columns.begins
        self.labels, self.names, self.n_samples, self.alpha = table.labels, table.names, table.n_samples, checked_alpha(alpha)

    def _columns(self, variables: Sequence[int]) -> Floats:
        blocks = [self._values[:, self._begins[v] : self._begins[v + 1]] for v in variables]
        return np.hstack(blocks) if blocks else np.empty((self.n_samples, 0))

    def p_values(self, x: int, y: int, sets: Sequence[Variables]) -> Floats:
        return np.array([self._measured(x, y, z)[1] for z in sets])

    def statistic(self, x: int, y: int, z: Variables) -> Statistic:
        return Statistic(self._measured(x, y, z)[0], rows=self.n_samples)

    @abstractmethod
    def _measured(self, x: int, y: int, z: Variables) -> tuple[float, float]:
        """The statistic and the p-value of one question."""

    def rows_to_condition_on(self, size: int) -> int:
        """Many: given more than a handful of variables kernels tell little."""
        return 20 << min(size, 40)

    def is_weak_given(self, size: int) -> bool:
        return self.n_samples < self.rows_to_condition_on(size)


class KCI(_OnColumns):
    """The kernel test of conditional independence: any kind of dependence, on small tables.

    Residuals of x and y in spaces of smooth functions, given those of what is held fixed, are
    compared; the null distribution of their product is a gamma distribution with the same mean and
    variance. A test takes time by the third power of the rows.

    The null model: independent rows; x and y depend on what is held fixed by smooth functions.

    Parameters
    ----------
    data : Table, DataFrame or array
        At most 3,000 rows of numbers and categories, without gaps.
    alpha : float
        The level.

    Raises
    ------
    InvalidData
        The table has gaps or too many rows.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a, noise = rng.normal(size=(2, 150))
    >>> KCI(np.column_stack([a, np.cos(3 * a) + 0.3 * noise]))("X1", "X2").independent
    False

    """

    name: ClassVar[str] = "kci"
    title: ClassVar[str] = "kernel test of conditional independence"
    reference: ClassVar[str] = "Zhang, Peters, Janzing and Schölkopf (2011)"
    assumes: ClassVar[str] = "smooth relations, independent rows; slow: for tables of some hundred rows"

    @checked()
    def __init__(self, data: Table | ArrayLike | Any, alpha: float = 0.01) -> None:
        self._read(data, alpha)
        if self.n_samples > _MOST_ROWS:
            raise InvalidData(
                Sentence(
                    "{n:,} rows are too many for the full kernel test, which takes up to {most:,}; take {ci_test=rcit}.",
                    n=self.n_samples,
                    most=_MOST_ROWS,
                )
            )

    def _measured(self, x: int, y: int, z: Variables) -> tuple[float, float]:
        if not z:
            return self._measured_alone(x, y)
        given = self._columns(z)
        width = _width(self.n_samples, (1.2, 0.7, 0.4)) / given.shape[1]
        residual = _NOISE * np.linalg.inv(_gram(given, width) + _NOISE * np.eye(self.n_samples))
        of_x = residual @ _gram(np.hstack([self._columns([x]), 0.5 * given]), width) @ residual
        of_y = residual @ _gram(self._columns([y]), width) @ residual
        product = of_x * of_y
        statistic = float(product.sum())
        return statistic, _gamma_tail(statistic, float(np.trace(product)), 2 * float((product**2).sum()))

    def _measured_alone(self, x: int, y: int) -> tuple[float, float]:
        of_x, of_y = (
            _gram(each, _width(self.n_samples, (0.8, 0.5, 0.3)) * each.shape[1]) for each in (self._columns([x]), self._columns([y]))
        )
        n = self.n_samples
        variance = 2 * float((of_x**2).sum()) * float((of_y**2).sum()) / n**2
        statistic = float((of_x * of_y).sum())
        return statistic, _gamma_tail(statistic, float(np.trace(of_x) * np.trace(of_y)) / n, variance)


def _width(n: int, widths: tuple[float, float, float]) -> float:
    """The rate at which similarity falls with squared distance; narrower with many rows (Zhang et al. 2011)."""
    return 1.0 / widths[0 if n < 200 else 1 if n < 1200 else 2] ** 2


def _gram(columns: Floats, rate: float) -> Floats:
    """Similarities of all rows, centred."""
    similarity = np.exp(-0.5 * rate * squareform(pdist(columns, "sqeuclidean")))
    similarity -= similarity.mean(axis=0)
    return np.asarray(similarity - similarity.mean(axis=1)[:, None])


def _gamma_tail(statistic: float, mean: float, variance: float) -> float:
    return float(gammaincc(mean**2 / variance, statistic * mean / variance)) if variance > 0 else 1.0


class RCIT(_OnColumns):
    """A kernel test by random features: any smooth dependence, in time that grows with the rows.

    Random waves of x, y and what is held fixed stand for all smooth functions of them; residuals of
    the waves of x and y given the others are multiplied, and the sum of squares of the mean products
    is compared with what their covariances make likely. The waves of a variable depend on the seed
    and its name alone, so that answers do not depend on the order of questions.

    The null model: independent rows; waves of x and y depend linearly on those of what is held fixed.

    Parameters
    ----------
    data : Table, DataFrame or array
        Numbers and categories, without gaps.
    alpha : float
        The level.
    features : int
        Waves of x and of y.
    given_features : int
        Waves of what is held fixed; fewer where there are few rows.
    seed : int
        Of the random waves.

    Raises
    ------
    InvalidData
        The table has gaps.
    InvalidSetting
        A setting is not allowed.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a, noise = rng.normal(size=(2, 500))
    >>> RCIT(np.column_stack([a, np.cos(2 * a) + 0.3 * noise]))("X1", "X2").independent
    False

    """

    name: ClassVar[str] = "rcit"
    title: ClassVar[str] = "kernel test of conditional independence by random features"
    reference: ClassVar[str] = "Strobl, Zhang and Visweswaran (2019)"
    assumes: ClassVar[str] = "smooth relations, independent rows; slow beside the others, and weak given many variables"

    @checked()
    def __init__(
        self, data: Table | ArrayLike | Any, alpha: float = 0.01, *, features: int = 5, given_features: int = 100, seed: int = 0
    ) -> None:
        self.features, self.given_features, self.seed = features, given_features, seed
        self._read(data, alpha)

    def _measured(self, x: int, y: int, z: Variables) -> tuple[float, float]:
        # Of what is given as much stands beside y as y itself, so that dependence through both is seen.
        of_x, of_y = self._waves((x,), self.features, "one"), self._waves((y, *z), self.features, "other")
        if z:
            given = self._waves(z, min(self.given_features, max(self.n_samples // 10, 5)), "given")
            factor = cho_factor(given.T @ given + 1e-6 * self.n_samples * np.eye(given.shape[1]))
            of_x, of_y = (each - given @ cho_solve(factor, given.T @ each) for each in (of_x, of_y))
        products = (of_x[:, :, None] * of_y[:, None, :]).reshape(self.n_samples, -1)
        mean, rows = products.mean(axis=0), self.n_samples - (given.shape[1] if z else 0)
        centred = products - mean
        statistic = self.n_samples * float(mean @ mean)
        return statistic, weighted_tail(statistic, np.linalg.eigvalsh(centred.T @ centred / max(rows - 1, 1)))

    def _waves(self, variables: Sequence[int], many: int, role: str) -> Floats:
        """Cosines of random mixtures of some columns, standardised."""
        columns = self._columns(variables)
        typical = float(np.median(pdist(columns[:_SHOWN]))) or 1.0
        phases = np.zeros(many)
        weights = []
        for v in variables:
            random = np.random.default_rng([self.seed, crc32(self.labels[v].encode()), crc32(role.encode())])
            weights.append(random.normal(size=(int(self._begins[v + 1] - self._begins[v]), many)))
            phases += random.uniform(0, 2 * np.pi, size=many)
        waves = np.cos(columns @ np.vstack(weights) / typical + phases)
        waves -= waves.mean(axis=0)
        return np.asarray(waves / np.maximum(waves.std(axis=0), 1e-12))

    def settings(self) -> dict[str, Any]:
        return {"alpha": self.alpha, "features": self.features, "given_features": self.given_features, "seed": self.seed}


def weighted_tail(statistic: float, weights: Floats) -> float:
    """The probability that a weighted sum of squared normal variables exceeds a value.

    By Imhof's integral (1961) as far as it is accurate, which is to .001 for two or three weights and
    better for more; in the far tail by the χ² distribution with the same first three cumulants (Buckley
    and Eagleson 1988).

    >>> round(weighted_tail(13.0, np.ones(12)), 5), round(float(chdtrc(12, 13.0)), 5)
    (0.36904, 0.36904)
    """
    weights = weights[weights > _FLAT * max(weights.max(initial=0.0), 1e-300)]
    if not len(weights):
        return 1.0
    scale = float(weights.sum())
    relative, value = weights / scale, statistic / scale
    u = _NODES / (1.0 - _NODES) * 4.0
    angle = 0.5 * np.arctan(np.outer(u, relative)).sum(axis=1) - 0.5 * value * u
    size = np.exp(0.25 * np.log1p(np.outer(u, relative) ** 2).sum(axis=1))
    tail = 0.5 + float((_WEIGHTS * 4.0 / (1.0 - _NODES) ** 2 * np.sin(angle) / (u * size)).sum()) / np.pi
    return min(tail, 1.0) if tail > _FAR else _cumulant_tail(value, relative)


def _cumulant_tail(statistic: float, weights: Floats) -> float:
    first, second, third = (float((weights**power).sum()) * factor for power, factor in ((1, 1), (2, 2), (3, 8)))
    freedom = 8 * second**3 / third**2
    return float(chdtrc(freedom, max((statistic - first) * np.sqrt(2 * freedom / second) + freedom, 0.0)))
