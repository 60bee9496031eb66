"""Do relations bend? Where they do, correlations are no whole account of them, and what bends looks like a hidden variable."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dicola.score.gaussian_bic import beyond_doubt

_STRAIGHT = 1.2  # what a square explains beyond a line, by pair: .3 to 1 where relations are straight, 2 and more where they bend
_NOTHING_LEFT = 1e-9  # of a variance of 1


def relations_bend(columns: NDArray[np.float64]) -> bool:
    """Do relations between columns bend, so that the square of one tells more of another than a line does?

    Of a pair that is correlated beyond doubt the better direction counts: with errors that are skewed a straight effect bends when it is
    read backwards. If all rows are Gaussian, a square explains hardly anything, hidden variables or not.
    """
    n, p = columns.shape
    lines = _scaled(columns)
    squares = lines * lines
    correlation, cubic = lines.T @ lines / n, squares.T @ lines / n
    related = beyond_doubt(correlation, n) & ~np.eye(p, dtype=np.bool_)
    if not related.any():
        return False
    skewness = cubic.diagonal()
    spread = np.einsum("ij,ij->j", squares, squares) / n - 1 - skewness**2  # of a square beyond the line
    beyond = (cubic - skewness[:, None] * correlation) ** 2
    share = beyond / np.maximum(_NOTHING_LEFT, spread[:, None] * (1 - correlation**2))
    bends = -n * np.log1p(-np.minimum(share, 1 - _NOTHING_LEFT))
    return bool(np.minimum(bends, bends.T)[related].mean() > _STRAIGHT)


def _scaled(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Columns with mean 0 and variance 1, as far as they vary; a gap is at the mean."""
    if np.isnan(columns).any():
        present = ~np.isnan(columns)
        columns = np.where(present, columns, columns.sum(axis=0, where=present) / np.maximum(1, present.sum(axis=0)))
    centred = columns - columns.mean(axis=0)
    spread = np.sqrt(np.einsum("ij,ij->j", centred, centred) / len(columns))
    return np.asarray(centred / np.where(spread > 0, spread, 1.0))
