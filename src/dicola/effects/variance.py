"""Of all adjustment sets, the one that leaves the least variance."""

from __future__ import annotations

from itertools import combinations, islice
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dicola.effects.adjustment import LIMIT, Adjustment
from dicola.errors import InvalidData, not_allowed
from dicola.graphs.bits import mask_of, members
from dicola.graphs.pag import PAG

BOUND: Final = 10
"""How many variables are tried in all combinations: 1,024 sets."""


def optimal_adjustment_set(pag: PAG, x: object, y: object, covariance: ArrayLike, bound: int = BOUND) -> tuple[str, ...] | None:
    """The set of lowest variance; behind ``PAG.optimal_adjustment_set``."""
    matrix = np.asarray(covariance, dtype=np.float64)
    if matrix.shape != (len(pag), len(pag)):
        raise InvalidData(f"the covariance has shape {matrix.shape}; it needs one row and column for each of the {len(pag)} variables.")
    if bound < 0:
        raise not_allowed("bound", bound, "it must be a number of variables, at least 0.")
    criterion = Adjustment.between(pag, x, y)
    best = lowest_variance(criterion, matrix, bound)
    return None if best is None else criterion.named(best)


def lowest_variance(criterion: Adjustment, covariance: NDArray[np.float64], bound: int = BOUND) -> int | None:
    """The mask of the valid set of lowest variance within the bound; ``None`` where no set is valid."""
    smallest = min(islice(criterion.minimal(), LIMIT), key=lambda given: (given.bit_count(), members(given)), default=None)
    if smallest is None:
        return None
    pool = _pool(criterion, covariance, members(smallest), bound)
    candidates = (mask_of(chosen) for size in range(len(pool) + 1) for chosen in combinations(pool, size))
    best, least = smallest, asymptotic_variance(covariance, criterion.x, criterion.y, members(smallest))
    for given in candidates:
        if given == smallest or not criterion.blocks(given):
            continue
        variance = asymptotic_variance(covariance, criterion.x, criterion.y, members(given))
        if variance < least * (1 - 1e-12):  # of equals, the first
            best, least = given, variance
    return best


def asymptotic_variance(covariance: NDArray[np.float64], x: int, y: int, given: list[int]) -> float:
    """The variance of √n times the error of the coefficient of x in the regression of y on x and a set.

    For jointly Gaussian variables it is σ(yy | x, z) / σ(xx | z): what is left of y once x and the set are known, over what is
    left of x once the set is known. NaN where nothing of x is left.
    """
    left = partial_covariance(covariance, [x, y], given)
    own, shared, other = left[0, 0], left[0, 1], left[1, 1]
    if own <= 1e-12 * covariance[x, x]:
        return float("nan")
    return float((other - shared**2 / own) / own)


def partial_covariance(covariance: NDArray[np.float64], kept: list[int], given: list[int]) -> NDArray[np.float64]:
    """The covariance of some variables that is left once others are known."""
    block = covariance[np.ix_(kept, kept)]
    if not given:
        return block
    across = covariance[np.ix_(given, kept)]
    return np.asarray(block - across.T @ np.linalg.lstsq(covariance[np.ix_(given, given)], across, rcond=None)[0])


def _pool(criterion: Adjustment, covariance: NDArray[np.float64], smallest: list[int], bound: int) -> list[int]:
    """The variables that are tried: all that are allowed, or a smallest valid set and those that tell most about y beside it."""
    allowed = members(criterion.allowed)
    if len(allowed) <= bound:
        return allowed
    if len(smallest) >= bound:
        return []

    def tells(v: int) -> float:
        left = partial_covariance(covariance, [criterion.y, v], [criterion.x, *smallest])
        return float(left[0, 1] ** 2 / (left[0, 0] * left[1, 1])) if left[1, 1] > 1e-12 * covariance[v, v] else 0.0

    others = sorted((v for v in allowed if v not in smallest), key=lambda v: (-tells(v), v))
    return sorted([*smallest, *others[: bound - len(smallest)]])
