"""The Gaussian BIC of a MAG whose variables are blocks of columns: for tables of numbers and categories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from math import log
from typing import ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dicola._kernels import block_score as kernel
from dicola._kernels.block_algebra import alone_and_gains, whitened
from dicola._kernels.terms import BlockTerms, Terms
from dicola.allowed import COUNT, NAMES, checked
from dicola.ci.base import CITest
from dicola.ci.inquiry import Evidence, Inquiry
from dicola.errors import NeedsData, not_allowed
from dicola.graphs.skeleton import Pair
from dicola.score.base import Score
from dicola.score.gaussian_bic import district_lists, square_matrix

Floats = NDArray[np.float64]
Number = TypeVar("Number", bound=np.generic)
_PER_EDGE = 0.8  # of ln n; what is left of the 1.3 that an edge between two columns costs is paid for every pair of columns


class BlockBIC(Score):
    """Minus twice the log likelihood of blocks of Gaussian columns, and a price for every edge; less is better.

    A category with c levels is a block of c - 1 indicator columns, a number a block of one, or of
    itself and curves of it: the blocks of ``DegenerateGaussian`` and ``BasisFunction``. Every column of
    a parent may act on every column of its child, and any two columns of variables joined by a
    bidirected edge may share a hidden cause. What happens within a block is fitted freely, so that a
    variable alone costs nothing and it does not matter which level is left out. With blocks of one
    column it is ``GaussianBIC``.

    With the usual penalty of 2 an edge between blocks of a and b columns costs
    (.8 + a b / 2) ln n + ln(pairs / k) + 1, where k counts the variables that are related to another
    beyond doubt. A parameter is cheaper than an edge: that an edge is there is what may be wrong.

    Parameters
    ----------
    covariance : square matrix
        Of all columns, each with variance 1.
    n_samples : int
        The rows behind it.
    widths : sequence of int
        How many columns each variable has; these lie side by side.
    names : iterable of str, optional
        In the order of the blocks; X1, X2, … by default.
    penalty : float
        An edge costs half of this times the usual price.

    Raises
    ------
    InvalidSetting
        The penalty is not a positive number.

    """

    scores_as: ClassVar[str] = "blocks of indicators and curves"

    @checked(n_samples=COUNT, widths=NAMES)
    def __init__(
        self,
        covariance: ArrayLike,
        n_samples: int,
        widths: Sequence[int] | NDArray[np.int64],
        names: Iterable[object] | None = None,
        penalty: float = 2.0,
    ) -> None:
        self.penalty, self.n_samples = float(penalty), int(n_samples)
        matrix = read_only(square_matrix(covariance))
        begins = read_only(np.cumsum([0, *_whole_widths(widths, len(matrix))], dtype=np.int64))
        self.names = tuple(f"X{i + 1}" for i in range(len(begins) - 1)) if names is None else tuple(str(name) for name in names)
        matrix = read_only(whitened(matrix, begins))
        alone, gains = map(read_only, alone_and_gains(matrix, begins))
        self._terms = BlockTerms(matrix, begins, alone, gains, float(n_samples), read_only(self._prices(np.diff(begins), gains)))

    def _prices(self, widths: NDArray[np.int64], gains: Floats) -> Floats:
        """What an edge costs, by its ends."""
        n = self.n_samples
        freedoms = np.outer(widths, widths).astype(np.float64)
        pairs = max(1, len(widths) * (len(widths) - 1) // 2)
        beyond_doubt = n * gains > freedoms * log(n) + 2 * log(pairs)
        rarity = log(pairs / max(1, int(beyond_doubt.any(axis=0).sum())))
        return np.asarray(self.penalty / 2 * ((_PER_EDGE + (1.3 - _PER_EDGE) * freedoms) * log(n) + rarity + 1))

    @classmethod
    def of(cls, ci: Evidence, penalty: float = 2.0) -> Self:
        """The score on the columns behind a test of blocks, in its positions.

        Parameters
        ----------
        ci : CITest or Inquiry
            The test, such as ``DegenerateGaussian(table)``.
        penalty : float
            An edge costs half of this times the usual price.

        Raises
        ------
        NeedsData
            The test has no blocks of columns.

        """
        test = Inquiry.of(ci).test
        blocks = getattr(test, "blocks", None)
        if blocks is None:
            raise NeedsData(f"{type(test).__name__} has no blocks of columns; take a test that has, such as DegenerateGaussian(table).")
        covariance, n_samples, widths = blocks()
        return cls(covariance, n_samples, widths, ci.labels, penalty)

    @staticmethod
    def doubt_about(ci: CITest) -> str | None:
        """What speaks against this score on the data behind a test; ``None`` where nothing does.

        Parameters
        ----------
        ci : CITest
            A test of blocks.

        """
        return "the test has answers of its own, which no score would ask for" if type(ci).answer is CITest.answer else None

    @property
    def widths(self) -> NDArray[np.int64]:
        """How many columns each variable has."""
        return np.diff(self._terms.begins)

    @property
    def prices(self) -> Floats:
        """What an edge costs, by its ends; not to be written to."""
        return self._terms.prices

    def price_of(self, u: int, v: int) -> float:
        """What an edge between two variables costs; in a part of the variables as much as in all.

        Parameters
        ----------
        u, v : int
            Positions in ``names``.

        """
        return float(self._terms.prices[u, v])

    def among(self, variables: Sequence[int]) -> Self:
        chosen, part, terms = np.array(variables, dtype=np.int64), copy(self), self._terms
        columns = np.concatenate([np.arange(terms.begins[v], terms.begins[v + 1]) for v in chosen] or [np.zeros(0, np.int64)])
        part.names = tuple(self.names[v] for v in chosen)
        part._terms = terms._replace(
            covariance=read_only(terms.covariance[np.ix_(columns, columns)]),
            begins=read_only(np.cumsum([0, *self.widths[chosen]], dtype=np.int64)),
            alone=read_only(terms.alone[chosen]),
            gains=read_only(terms.gains[np.ix_(chosen, chosen)]),
            prices=read_only(terms.prices[np.ix_(chosen, chosen)]),
        )
        return part

    def kernel_terms(self) -> BlockTerms | Terms | None:
        if type(self).district is not BlockBIC.district or type(self).local is not BlockBIC.local:
            return None
        if (self.widths > 1).any():
            return self._terms
        return Terms(self._terms.covariance, self._terms.n_samples, float(self._terms.prices.max(initial=0.0)))  # all prices are equal

    def district(self, members: Sequence[int], arrows: Iterable[Pair], bidirected: Iterable[Pair]) -> float:
        inside, lists, lengths = district_lists(members, arrows, bidirected)
        part, d = self.among(inside)._terms, len(members)
        room = kernel.make_block_room(len(inside), len(part.covariance), d, int(np.diff(part.begins).max()))
        return float(kernel.score_blocks(part, np.arange(d), d, lists, lengths, room))


def read_only(array: NDArray[Number]) -> NDArray[Number]:
    """The array as the kernels are compiled for."""
    found = np.ascontiguousarray(array)
    found.setflags(write=False)
    return found


def _whole_widths(widths: Iterable[object], columns: int) -> list[int]:
    """How many columns each variable has; together they are all columns."""
    found = list(widths)
    if not all(isinstance(width, int | np.integer) and 1 <= width <= columns for width in found) or sum(found) != columns:  # type: ignore[arg-type]
        raise not_allowed("widths", widths, f"it must have one whole number from 1 on per variable, {columns} in all.")
    return found  # type: ignore[return-value]
