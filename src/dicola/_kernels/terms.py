"""What the compiled searches know of a score."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from dicola._kernels.compiled import lean_and_hot

PRECISION = 2.0**-20  # to which scores are compared, about a millionth: rows in another order change them by far less
NO_BARS: NDArray[np.bool_] = np.zeros((0, 0), dtype=np.bool_)
NO_BARS.setflags(write=False)


class Terms(NamedTuple):
    """A score of minus twice the log likelihood on correlations, and a price per edge.

    The matrices are read-only: for writeable ones every kernel would be compiled once more.
    """

    correlation: NDArray[np.float64]
    n_samples: float
    price: float
    bars: NDArray[np.bool_] = NO_BARS  # ``bars[v, u]``: an order search may not make u a parent of v; empty: it may


class BlockTerms(NamedTuple):
    """The same where a variable is a block of columns that lie side by side; all arrays are read-only.

    What is fitted within a block is free: its misfit alone is taken off.
    """

    covariance: NDArray[np.float64]  # of columns that are unrelated within a block, each of variance 1, or 0 where others determine it
    begins: NDArray[np.int64]  # where the block of each variable begins, and where the last one ends
    alone: NDArray[np.float64]  # the logarithm of the determinant of each block
    gains: NDArray[np.float64]  # of a pair: what telling one of them the other takes off its misfit per row
    n_samples: float
    prices: NDArray[np.float64]  # of an edge, by its two ends
    bars: NDArray[np.bool_] = NO_BARS  # as for single columns


@lean_and_hot
def not_barred(bars: NDArray[np.bool_], v: int, pool: NDArray[np.int64], size: int, free: NDArray[np.int64]) -> int:
    """Write those of the first ``size`` of ``pool`` that may be parents of v to ``free``; answers how many they are."""
    many = 0
    for j in range(size):
        free[many] = pool[j]
        many += 0 if bars[v, pool[j]] else 1
    return many


@lean_and_hot
def to_precision(score: float) -> float:
    """A score, or a change of one, as searches compare it: what is as good but for rounding is a tie, which order breaks."""
    return float(np.rint(score / PRECISION) * PRECISION)


def has_blocks(terms: Any) -> bool:
    """Is this type, which Numba has of an argument, that of terms of blocks?"""
    return isinstance(terms, types.BaseNamedTuple) and getattr(terms, "instance_class", None) is BlockTerms
