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
    missing = np.isnan(columns)
    present = np.maximum(1, (~missing).sum(axis=0))
    known = np.where(missing, 0.0, columns)
    known = np.where(missing, 0.0, known - known.sum(axis=0) / present)
    lines = _scaled(known, present)
    squares = np.where(missing, 0.0, lines**2 - 1)
    squares = _scaled(squares - (squares * lines).sum(axis=0) / present * lines, present)
    n, p = columns.shape
    correlation = lines.T @ lines / n
    related = beyond_doubt(correlation, n) & ~np.eye(p, dtype=np.bool_)
    if not related.any():
        return False
    share = (squares.T @ lines / n) ** 2 / np.maximum(_NOTHING_LEFT, 1 - correlation**2)
    bends = -n * np.log1p(-np.minimum(share, 1 - _NOTHING_LEFT))
    return bool(np.minimum(bends, bends.T)[related].mean() > _STRAIGHT)


def _scaled(centred: NDArray[np.float64], present: NDArray[np.int64]) -> NDArray[np.float64]:
    """Columns with variance 1, as far as they vary."""
    spread = np.sqrt((centred**2).sum(axis=0) / present)
    return np.asarray(centred / np.where(spread > 0, spread, 1.0))
