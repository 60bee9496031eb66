"""Rows with gaps under a Gaussian model: what is expected in the gaps, how far it may be off, and draws.

All from the precision matrix K: given the rest of its row, what is missing has the precision K_mm and the mean
m - K_mm⁻¹ K_mo (x_o - m_o), so a row costs by its gaps and not by its columns.
"""

from __future__ import annotations

from math import sqrt

from dicola._kernels.arrays import Bools, Floats, Ints
from dicola._kernels.compiled import inner, kernel
from dicola._kernels.stopping import heed


@inner
def _gaps_of(missing: Bools, gaps: Ints) -> int:
    """The places of the gaps in a row, and how many there are."""
    m = 0
    for v in range(len(missing)):
        if missing[v]:
            gaps[m] = v
            m += 1
    return m


@inner
def _factor(precision: Floats, gaps: Ints, m: int, factor: Floats) -> None:
    """The Cholesky factor of the block of the gaps, in the lower triangle."""
    for a in range(m):
        for b in range(a + 1):
            left = precision[gaps[a], gaps[b]]
            for c in range(b):
                left -= factor[a, c] * factor[b, c]
            if a == b:
                factor[a, a] = sqrt(max(left, 1e-300))
            else:
                factor[a, b] = left / factor[b, b]


@inner
def _solved(factor: Floats, m: int, right: Floats) -> None:
    """Solve by a Cholesky factor, in place."""
    for a in range(m):
        for c in range(a):
            right[a] -= factor[a, c] * right[c]
        right[a] /= factor[a, a]
    _solved_upwards(factor, m, right)


@inner
def _solved_upwards(factor: Floats, m: int, right: Floats) -> None:
    """Solve by the transpose of a Cholesky factor, in place."""
    for i in range(m):
        a = m - 1 - i
        for c in range(a + 1, m):
            right[a] -= factor[c, a] * right[c]
        right[a] /= factor[a, a]


@inner
def _expected_in(centred: Floats, gaps: Ints, m: int, missing: Bools, precision: Floats, factor: Floats, right: Floats) -> None:
    """What is expected in the gaps of a centred row, into ``right``."""
    for a in range(m):
        total = 0.0
        for v in range(len(centred)):
            if not missing[v]:
                total -= precision[gaps[a], v] * centred[v]
        right[a] = total
    _solved(factor, m, right)


@kernel
def fill(centred: Floats, missing: Bools, is_new: Bools, precision: Floats, spread: Floats, room: Floats, gaps: Ints) -> None:
    """Put into the gaps what is expected there, and add up in ``spread`` how it covaries.

    Rows with the same gaps stand together; ``is_new`` marks the first of them. ``room`` is three square matrices to work in.
    """
    factor, covariance, right = room[0], room[1], room[2, 0]
    m = 0
    for row in range(len(centred)):
        if is_new[row]:
            m = _gaps_of(missing[row], gaps)
            heed(0)
            _factor(precision, gaps, m, factor)
            for a in range(m):
                for b in range(m):
                    covariance[a, b] = 1.0 if a == b else 0.0
                _solved(factor, m, covariance[a])
        if m == 0:
            continue
        _expected_in(centred[row], gaps, m, missing[row], precision, factor, right)
        for a in range(m):
            centred[row, gaps[a]] = right[a]
            for b in range(m):
                spread[gaps[a], gaps[b]] += covariance[a, b]


@kernel
def draw(centred: Floats, missing: Bools, is_new: Bools, precision: Floats, noise: Floats, room: Floats, gaps: Ints) -> None:
    """Put into the gaps a draw of what may be there; ``noise`` holds standard normal numbers, one per cell."""
    factor, shift, right = room[0], room[1, 0], room[2, 0]
    m = 0
    for row in range(len(centred)):
        if is_new[row]:
            m = _gaps_of(missing[row], gaps)
            heed(0)
            _factor(precision, gaps, m, factor)
        if m == 0:
            continue
        _expected_in(centred[row], gaps, m, missing[row], precision, factor, right)
        for a in range(m):
            shift[a] = noise[row, gaps[a]]
        _solved_upwards(factor, m, shift)
        for a in range(m):
            centred[row, gaps[a]] = right[a] + shift[a]
