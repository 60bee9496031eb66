"""The linear Gaussian model of a graph, fitted to some rows: how likely are other rows?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, log, pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola._kernels import mag_score as kernel
from dicola.ci.base import CITest
from dicola.ci.gaussian import correlation_of
from dicola.graphs.marks import MixedGraph
from dicola.graphs.skeleton import Pair
from dicola.score.base import districts_of
from dicola.score.gaussian_bic import district_arrays
from dicola.score.legal import nearby_mag
from dicola.tables.table import Table

Floats = NDArray[np.float64]
_ROWS = 1e8  # the kernel stops where the likelihood of so many rows would not tell any more


class District(NamedTuple):
    """Variables joined by bidirected edges: their regressions on their parents.

    ``slopes[i]`` belongs to ``members[i]`` and has an entry for each of ``inside``, the members and
    their parents (0 where it is no parent); ``precision`` is the inverse covariance of the residuals.
    """

    members: list[int]
    inside: list[int]
    slopes: Floats
    precision: Floats

    def log_density(self, standard: Floats) -> Floats:
        """The part of this district in the log density of standardised rows."""
        residual = standard[:, self.members] - standard[:, self.inside] @ self.slopes.T
        distance = ((residual @ self.precision) * residual).sum(axis=1)
        return np.asarray((np.linalg.slogdet(self.precision)[1] - distance - len(self.members) * log(2 * pi)) / 2)


@dataclass(frozen=True, eq=False)
class GaussianModel:
    """Moments of some rows, and a graph that says which of their correlations count.

    Nothing is fitted before it is asked for, and the rows are not kept.

    Parameters
    ----------
    graph : MixedGraph
        A PAG, legal or not; the model is that of a MAG of its class, or of one nearby.
    mean, deviation : array of float
        Of each variable, in the order of ``graph.names``.
    correlation : array of float
        Likewise.

    """

    graph: MixedGraph
    mean: Floats
    deviation: Floats
    correlation: Floats

    @classmethod
    def behind(cls, test: CITest, table: Table, graph: MixedGraph) -> GaussianModel:
        """The model on the correlations behind a test, or on those of a table of complete numbers where it has none."""
        correlations = getattr(test, "correlations", None)
        mean, deviation = _moments(table.values)
        correlation = correlation_of(table.values) if correlations is None else correlations()[0]
        return cls(graph.reordered(table.labels), mean, deviation, correlation)

    @cached_property
    def districts(self) -> list[District]:
        """The parts of the fitted model, each at its most likely."""
        return [_fitted(self.correlation, *parts) for parts in districts_of(nearby_mag(self.graph))]

    def log_density(self, rows: Floats) -> Floats:
        """The logarithm of the density at each row.

        Parameters
        ----------
        rows : array of float
            One column per variable in the order of ``graph.names``.

        """
        standard = (rows - self.mean) / self.deviation
        return np.asarray(sum(part.log_density(standard) for part in self.districts) - np.log(self.deviation).sum())


def _moments(values: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation of each column; extreme scales are brought near 1 for the squares."""
    if np.isnan(values.sum()):
        return np.nanmean(values, axis=0), np.nanstd(values, axis=0)
    mean = values.mean(axis=0)
    centred = values - mean
    with np.errstate(over="ignore", under="ignore"):
        squares = np.einsum("ij,ij->j", centred, centred)
    if ((squares > 1e-200) & (squares < 1e200)).all():
        return mean, np.sqrt(squares / len(values))
    _, exponent = np.frexp(np.abs(centred).max(axis=0))
    centred = np.ldexp(centred, -exponent)
    return mean, np.ldexp(np.sqrt(np.einsum("ij,ij->j", centred, centred) / len(values)), exponent)


def _fitted(correlation: Floats, members: Sequence[int], arrows: Sequence[Pair], bidirected: Sequence[Pair]) -> District:
    """The most likely slopes and precision of a district, as the kernel leaves them in its room."""
    inside, block, arrays = district_arrays(correlation, members, arrows, bidirected)
    misfit, room, d = kernel.misfit(block, _ROWS, *arrays), arrays[-1], len(members)
    if d == 1:  # the kernel has solved one regression, and answers the logarithm of what it leaves
        return District(inside[:1], inside[1:], room.line[kernel.RIGHT, None, : len(inside) - 1].copy(), np.full((1, 1), exp(-misfit)))
    order = room.numbers[kernel.INSIDE, : len(inside)]
    slopes, precision = room.wide[kernel.SLOPES, :d, : len(inside)], room.small[kernel.INVERSE, :d, :d]
    return District(inside[:d], [inside[v] for v in order], slopes.copy(), precision.copy())
