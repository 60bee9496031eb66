"""The Gaussian BIC of a MAG, from the correlation matrix alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from copy import copy
from itertools import chain
from math import erfc, exp, log, sqrt
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dicola._kernels import mag_score as kernel
from dicola._kernels.terms import Terms
from dicola.allowed import COUNT, checked
from dicola.ci.base import CITest
from dicola.ci.inquiry import Evidence, Inquiry
from dicola.errors import InvalidData, NeedsData
from dicola.graphs.skeleton import Pair
from dicola.score.base import Score
from dicola.score.saturated import LARGE, Fitted, fitted_saturated

_FEW_VALUES = 10  # a column with fewer different values is taken for categories or grades
_ENOUGH_ROWS = 100  # if these show as many values, the rest need not be looked at
_NOTHING_LEFT = 1e-12  # of a variance of 1
# When an edge may cost less (see ``eased``):
_NEAR, _WEAK = 1.5, 2.0  # prices that an edge gains at most: given the other parents, and by itself
_SHARE = 0.06  # of the edges must be such; with fewer a lower price gains little, and one false edge costs several marks
_REAL = 5.0  # edges for one by chance: a lower price may let in as few
_UNSEEN = 0.3  # edges added to both counts, so that a ratio of small ones is near 1
_CHANGE, _LEAST = 0.3, 0.7  # the smallest change that is made; the smallest share of the usual price


class GaussianBIC(Score):
    """Minus twice the log likelihood, and a price for every edge; less is better.

    With the usual penalty of 2 an edge costs 1.3 ln n + ln(pairs / k) + 1, where k counts the
    variables that are correlated with another beyond doubt. Noise is then priced by the number of
    pairs that may look related by chance, and a table full of relations hardly above 2 ln n.

    Only correlations are used, so nothing can be read off variances. A subclass that overrides
    ``district`` or ``local`` is searched by what it says, without kernels.

    Parameters
    ----------
    correlation : square matrix
        The correlations of the variables.
    n_samples : int
        The rows behind them.
    names : iterable of str, optional
        In the order of the matrix; X1, X2, … by default.
    penalty : float
        An edge costs half of this times the usual price.

    Raises
    ------
    InvalidSetting
        The penalty is not a positive number.

    """

    scores_as: ClassVar[str] = "linear Gaussian"

    @checked(n_samples=COUNT)
    def __init__(self, correlation: ArrayLike, n_samples: int, names: Iterable[object] | None = None, penalty: float = 2.0) -> None:
        self.correlation = _read_only(square_matrix(correlation))  # its own copy
        self.n_samples = int(n_samples)
        self.names = tuple(f"X{i + 1}" for i in range(len(self.correlation))) if names is None else tuple(str(name) for name in names)
        self.penalty = float(penalty)
        self._rarity = _rarity(self.correlation, self.n_samples)

    @property
    def price(self) -> float:
        """What an edge costs; in a part of the variables as much as in all."""
        return self.penalty / 2 * (1.3 * log(self.n_samples) + self._rarity + 1)

    def eased(self, parents: NDArray[np.bool_]) -> Self:
        """The score with a lower price, where the edges of a DAG show that many relations are weak.

        The price is for tables of which little is known. A DAG found by it tells more: how many of
        its edges gain hardly more than they cost, and how many of these chance alone would have
        brought. Where the former are many times the latter, more real edges lie just below the
        price, and it is lowered until five edges are expected for one by chance. Gains by chance
        above x are as rare as exp(-x / 2), so that is by twice the logarithm of the ratio. Only edges
        between variables that are hardly correlated count: others gain little where much else, such
        as a hidden variable with many children, explains the same correlation.

        Parameters
        ----------
        parents : matrix of bool
            Of a DAG over these variables: ``parents[v, u]`` says u → v.

        Returns
        -------
        GaussianBIC
            This score, where there is no reason for another one.

        """
        price, pairs = self.price, len(self) * (len(self) - 1) / 2
        given_others, alone = self.gains(parents)
        near = int(np.count_nonzero((given_others < _NEAR * price) & (alone < _WEAK * price)))
        if near < max(1, _SHARE * len(alone)):
            return self
        by_chance = pairs * (_beyond(price) - _beyond(_NEAR * price))
        drop = 2 * log((near + _UNSEEN) / (by_chance + _UNSEEN) / _REAL)
        if drop <= _CHANGE:
            return self
        easier = copy(self)
        easier.penalty *= max(_LEAST, 1 - drop / price)
        return easier

    def gains(self, parents: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What each arrow of a DAG takes off the misfit: given the other parents, and by itself.

        Parameters
        ----------
        parents : matrix of bool
            ``parents[v, u]`` says u → v. Arrows come in the order of its rows.

        """
        counts, squares = parents.sum(axis=1), np.zeros((2, int(parents.sum())))
        ends = np.cumsum(counts)
        for k in np.unique(counts[counts > 0]).tolist():  # variables with as many parents are worked out together
            children = np.flatnonzero(counts == k)
            family = np.column_stack([children, np.nonzero(parents[children])[1].reshape(-1, k)])
            blocks = self.correlation[family[:, :, None], family[:, None, :]]
            inverse = np.linalg.inv(blocks + _NOTHING_LEFT * np.eye(k + 1))  # few rows: parents may explain everything
            diagonal = np.diagonal(inverse, axis1=1, axis2=2)
            partial = inverse[:, 0, 1:] ** 2 / (diagonal[:, :1] * diagonal[:, 1:])
            squares[:, ends[children, None] + np.arange(-k, 0)] = partial, blocks[:, 0, 1:] ** 2
        given_others, alone = -self.n_samples * np.log1p(-np.clip(squares, 0, 1 - _NOTHING_LEFT))
        return given_others, alone

    @classmethod
    def of(cls, ci: Evidence, penalty: float = 2.0) -> Self:
        """The score on the data behind a test that knows correlations, in its positions.

        Parameters
        ----------
        ci : CITest or Inquiry
            The test, such as ``FisherZ(table)``.
        penalty : float
            An edge costs half of this times the usual price.

        Raises
        ------
        NeedsData
            The test carries no correlations.

        """
        test = Inquiry.of(ci).test
        correlations = getattr(test, "correlations", None)
        if correlations is None:
            raise NeedsData(f"{type(test).__name__} carries no correlations; a Gaussian score needs those of a table: FisherZ(table).")
        correlation, n_samples = correlations()
        return cls(correlation, n_samples, ci.labels, penalty)

    @staticmethod
    def doubt_about(ci: CITest) -> str | None:
        """What speaks against this score on the data behind a test; ``None`` where nothing does.

        Errors need not be Gaussian for that: what counts is that correlations mean something.

        Parameters
        ----------
        ci : CITest
            The test whose rows are looked at, where it has any.

        """
        correlations = getattr(ci, "correlations", None)
        if correlations is None:
            return "the test carries no correlations, so no graph can be scored"
        if ci.detectable(0) is None:
            return "the test has answers of its own, which no score would ask for"
        try:
            values = ci.samples()
        except NeedsData:
            return None
        few = min(_FEW_VALUES, len(values))
        for name, column in zip(ci.labels, values.T, strict=True):
            if len(np.unique(column[:_ENOUGH_ROWS])) < few and (different := len(np.unique(column))) < few:
                return f"{name!r} has only {different} different values, so it is no Gaussian variable"
        return None

    def among(self, variables: Sequence[int]) -> Self:
        chosen, part = list(variables), copy(self)
        part.correlation = _read_only(self.correlation[np.ix_(chosen, chosen)])
        part.names = tuple(self.names[v] for v in chosen)
        return part

    def kernel_terms(self) -> Terms | None:
        if type(self).district is not GaussianBIC.district or type(self).local is not GaussianBIC.local:
            return None
        return Terms(_read_only(self.correlation), float(self.n_samples), self.price)

    def district(self, members: Sequence[int], arrows: Iterable[Pair], bidirected: Iterable[Pair]) -> float:
        arrows, bidirected = list(arrows), list(bidirected)
        found = fitted_district(self.correlation, float(self.n_samples), members, arrows, bidirected)
        return float(self.n_samples * found.misfit + self.price * (len(arrows) + len(bidirected)))


class DistrictArrays(NamedTuple):
    """A district as the kernel takes it, beside correlations and the number of rows."""

    members: NDArray[np.int64]
    d: int
    lists: NDArray[np.int64]
    lengths: NDArray[np.int64]
    room: kernel.Room


def district_lists(
    members: Iterable[int], arrows: Iterable[Pair], bidirected: Iterable[Pair]
) -> tuple[list[int], NDArray[np.int64], NDArray[np.int64]]:
    """The members and then their other parents; the edges by places there, as the kernels take them."""
    members, bidirected = sorted(members), tuple(bidirected)
    parents, siblings = sorted(arrows), sorted([*bidirected, *((w, v) for v, w in bidirected)])
    inside = [*members, *sorted({u for u, _ in parents} - set(members))]
    d, place = len(members), {v: i for i, v in enumerate(inside)}
    rows: list[list[int]] = [[] for _ in range(2 * d)]
    for relation, pairs in ((kernel.PA, parents), (kernel.SP, siblings)):
        for u, v in pairs:
            rows[relation * d + place[v]].append(place[u])
    padded = np.array([row + [0] * (len(inside) - len(row)) for row in rows], dtype=np.int64)
    return inside, padded.reshape(2, d, len(inside)), np.array([len(row) for row in rows], dtype=np.int64).reshape(2, d)


def district_arrays(
    correlation: NDArray[np.float64], members: Iterable[int], arrows: Iterable[Pair], bidirected: Iterable[Pair]
) -> tuple[list[int], NDArray[np.float64], DistrictArrays]:
    """The members and then their other parents; the correlations among them; edges by places there."""
    inside, lists, lengths = district_lists(members, arrows, bidirected)
    d = lists.shape[1]
    room = kernel.make_room(len(inside), d)
    return inside, _read_only(correlation[np.ix_(inside, inside)]), DistrictArrays(np.arange(d), d, lists, lengths, room)


def fitted_district(
    correlation: NDArray[np.float64], n_samples: float, members: Sequence[int], arrows: Iterable[Pair], bidirected: Collection[Pair]
) -> Fitted:
    """How badly a district fits; a large one with an edge between every two members by a way of its own."""
    inside = sorted(members)
    parents, siblings = ({v: list[int]() for v in inside} for _ in range(2))
    for u, v in sorted(arrows):
        parents[v].append(u)
    for v, w in sorted([*bidirected, *((w, v) for v, w in bidirected)]):
        siblings[w].append(v)
    return fitted_members(_read_only(correlation.view()), n_samples, inside, list(parents.values()), list(siblings.values()))


def fitted_members(
    correlation: NDArray[np.float64], n_samples: float, members: list[int], parents: list[list[int]], siblings: list[list[int]]
) -> Fitted:
    """The same from the parents and siblings of each member, all of them sorted; the correlations are read-only."""
    d, ends = len(members), sum(map(len, siblings))
    if d == 1:
        misfit = kernel.misfit_alone(correlation, np.array([*members, *parents[0]], dtype=np.int64))
        return Fitted(misfit, np.array([[exp(misfit)]]))
    if LARGE < d < n_samples and ends == d * (d - 1):
        inside = [*members, *sorted(set(chain.from_iterable(parents)) - set(members))]
        place = {v: i for i, v in enumerate(inside)}
        return fitted_saturated(correlation[np.ix_(inside, inside)], n_samples, [[place[u] for u in above] for above in parents])
    packed = np.array([*members, *map(len, parents), *map(len, siblings), *chain(*parents, *siblings)], dtype=np.int64)
    return Fitted(*kernel.fit_members(correlation, n_samples, packed, d))


def square_matrix(matrix: ArrayLike) -> NDArray[np.float64]:
    """Numbers in as many rows as columns, as an array of one's own."""
    try:
        numbers = np.array(matrix, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidData("a covariance or correlation matrix is a square table of numbers.") from None
    if numbers.ndim != 2 or numbers.shape[0] != numbers.shape[1] or not len(numbers) or not np.isfinite(numbers).all():
        raise InvalidData(f"a covariance or correlation matrix is square and without gaps; this one has shape {numbers.shape}.")
    return numbers


def _rarity(correlation: NDArray[np.float64], n_samples: int) -> float:
    """The logarithm of the pairs for each variable that is correlated with another beyond doubt."""
    related = int(np.count_nonzero(beyond_doubt(correlation, n_samples).sum(axis=0) > 1))  # with itself every variable is
    return log(_pairs(len(correlation)) / max(1, related))


def beyond_doubt(correlation: NDArray[np.float64], n_samples: float) -> NDArray[np.bool_]:
    """Which correlations no chance brings among all pairs."""
    limit = log(n_samples) + 2 * log(_pairs(len(correlation)))
    return np.asarray(correlation**2 > -np.expm1(-limit / n_samples))


def _pairs(n: int) -> int:
    """The number of pairs of n variables, at least 1."""
    return max(1, n * (n - 1) // 2)


def _beyond(x: float) -> float:
    """The chance that a squared normal deviate is larger: what an edge gains where there is none."""
    return erfc(sqrt(x / 2))


def _read_only(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """The matrix as the kernels are compiled for."""
    found = np.ascontiguousarray(matrix, dtype=np.float64)
    found.setflags(write=False)
    return found
