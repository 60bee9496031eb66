"""Small covariance matrices: what is left of a block of columns given others.

A column that the ones before it determine says nothing: it is passed over, and counts as if it had
almost no variance.
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np

from dicola._kernels.arrays import Floats, Ints
from dicola._kernels.compiled import hot, inner, kernel, lean, lean_and_hot

_TINY = 1e-200  # products are kept above it
SINGULAR = 1e-10  # what is left of a variance of 1 below this counts as nothing


@lean
def factorise(matrix: Floats, d: int, lower: Floats) -> float:
    """The Cholesky factor of the first d rows and columns, and the logarithm of their determinant.

    Only the lower triangle is read; ``lower`` may be the matrix itself. The column of the factor that
    belongs to a determined column is 0.
    """
    total = 0.0
    for j in range(d):
        pivot = matrix[j, j]
        for t in range(j):
            pivot -= lower[j, t] * lower[j, t]
        if not pivot > SINGULAR:
            total += log(SINGULAR)
            for i in range(j, d):
                lower[i, j] = 0.0
            continue
        total += log(pivot)
        root = sqrt(pivot)
        lower[j, j] = root
        for i in range(j + 1, d):
            value = matrix[i, j]
            for t in range(j):
                value -= lower[i, t] * lower[j, t]
            lower[i, j] = value / root
    return total


@lean
def factorise_scaled(matrix: Floats, d: int, lower: Floats) -> None:
    """The Cholesky factor of a matrix on any scale, such as that of normal equations."""
    for j in range(d):
        pivot = scale = matrix[j, j]
        for t in range(j):
            pivot -= lower[j, t] * lower[j, t]
        if not pivot > SINGULAR * scale:
            for i in range(j, d):
                lower[i, j] = 0.0
            continue
        root = sqrt(pivot)
        lower[j, j] = root
        for i in range(j + 1, d):
            value = matrix[i, j]
            for t in range(j):
                value -= lower[i, t] * lower[j, t]
            lower[i, j] = value / root


@lean
def forward(lower: Floats, d: int, right: Floats, wide: int, out: Floats) -> None:
    """Solve ``lower · out = right`` for so many right sides, one per column; ``out`` may be ``right``."""
    for j in range(d):
        root = lower[j, j]
        for c in range(wide):
            if root == 0.0:
                out[j, c] = 0.0
                continue
            value = right[j, c]
            for t in range(j):
                value -= lower[j, t] * out[t, c]
            out[j, c] = value / root


@lean
def backward(lower: Floats, d: int, right: Floats, wide: int) -> None:
    """Solve ``transposed lower · x = right`` in place."""
    for j in range(d - 1, -1, -1):
        root = lower[j, j]
        for c in range(wide):
            if root == 0.0:
                right[j, c] = 0.0
                continue
            value = right[j, c]
            for t in range(j + 1, d):
                value -= lower[t, j] * right[t, c]
            right[j, c] = value / root


@hot
def log_det_given(rest: Floats, w: int, own: Floats, across: Floats, u: int, work: Floats) -> float:
    """The logarithm of the determinant of ``rest - acrossᵀ · own⁻¹ · across``.

    ``rest`` is the covariance of w columns, ``own`` that of u others, ``across[i, c]`` the covariance
    of the i-th other with the c-th of them. ``work`` is room for three matrices.
    """
    if w == 1 and u == 1:
        left = rest[0, 0]
        if own[0, 0] > SINGULAR:
            left -= across[0, 0] * across[0, 0] / own[0, 0]
        return log(max(left, SINGULAR))
    for j in range(u):  # the steps of ``factorise`` and ``forward``, row by row, without the logarithms of the first
        pivot = own[j, j]
        for t in range(j):
            pivot -= work[0, j, t] * work[0, j, t]
        if not pivot > SINGULAR:
            for i in range(j, u):
                work[0, i, j] = 0.0
            for c in range(w):
                work[1, j, c] = 0.0
            continue
        root = sqrt(pivot)
        for i in range(j + 1, u):
            value = own[i, j]
            for t in range(j):
                value -= work[0, i, t] * work[0, j, t]
            work[0, i, j] = value / root
        for c in range(w):
            value = across[j, c]
            for t in range(j):
                value -= work[0, j, t] * work[1, t, c]
            work[1, j, c] = value / root
    total = 0.0
    for j in range(w):
        for a in range(j, w):
            value = rest[a, j]
            for i in range(u):
                value -= work[1, i, a] * work[1, i, j]
            for t in range(j):
                value -= work[2, a, t] * work[2, j, t]
            work[2, a, j] = value
        pivot = work[2, j, j]
        if not pivot > SINGULAR:
            total += log(SINGULAR)
            for i in range(j, w):
                work[2, i, j] = 0.0
            continue
        total += log(pivot)
        root = sqrt(pivot)
        for i in range(j, w):
            work[2, i, j] /= root
    return total


@lean
def factorise_inverted(matrix: Floats, d: int, lower: Floats) -> None:
    """The Cholesky factor of the first d rows and columns with the inverses of its diagonal in their place, 0 for a determined column."""
    for j in range(d):
        pivot = matrix[j, j]
        for t in range(j):
            pivot -= lower[j, t] * lower[j, t]
        lower[j, j] = 1.0 / sqrt(pivot) if pivot > SINGULAR else 0.0
        for i in range(j + 1, d):
            value = matrix[i, j]
            for t in range(j):
                value -= lower[i, t] * lower[j, t]
            lower[i, j] = value * lower[j, j]


@lean_and_hot
def log_share_left(lower: Floats, w: int, own: Floats, across: Floats, at: int, u: int, work: Floats, most: float) -> float:
    """The logarithm of the share of the determinant of w columns that is left where u others are told; 0 where it is above ``-most``.

    ``lower`` is the factor of the covariance of the w columns (``factorise_inverted``). The others are the columns from ``at`` on:
    ``own[d, x]`` is the covariance of column x with the d-th before it, ``across[c, x]`` that with the c-th of the w. It is the same
    share either way: that of the determinant of the others which is left where the w columns are told. ``work`` is room for three matrices.
    """
    for i in range(u):  # the parts of the others along the w columns
        for c in range(w):
            value = across[c, at + i]
            for t in range(c):
                value -= lower[c, t] * work[0, i, t]
            work[0, i, c] = value * lower[c, c]
    total, share = 0.0, 1.0
    if u == 1:
        before = after = own[0, at]
        for c in range(w):
            after -= work[0, 0, c] * work[0, 0, c]
        if before > SINGULAR:
            share = max(after, SINGULAR) / before
    else:
        for j in range(u):
            for i in range(j, u):
                value = own[i - j, at + i]
                work[1, i, j] = value
                for c in range(w):
                    value -= work[0, i, c] * work[0, j, c]
                work[2, i, j] = value
        for j in range(u):  # eliminate column by column, before and after
            before, after = work[1, j, j], work[2, j, j]
            if not before > SINGULAR:
                continue
            share *= max(after, SINGULAR) / before
            if share < _TINY:
                total += log(share)
                share = 1.0
            for i in range(j + 1, u):
                one = work[1, i, j] / before
                other = work[2, i, j] / after if after > SINGULAR else 0.0
                for t in range(j + 1, i + 1):
                    work[1, i, t] -= one * work[1, t, j]
                    work[2, i, t] -= other * work[2, t, j]
    if total == 0.0 and 1.0 - share < most * share:  # -ln s is at most (1 - s) / s
        return 0.0
    return total + log(share)


@lean
def copy_block(covariance: Floats, begins: Ints, a: int, b: int, out: Floats) -> None:
    """The covariances of the columns of one variable with those of another."""
    for i in range(begins[a + 1] - begins[a]):
        for j in range(begins[b + 1] - begins[b]):
            out[i, j] = covariance[begins[a] + i, begins[b] + j]


@inner
def widest(begins: Ints) -> int:
    """The number of columns of the largest block."""
    most = 1
    for v in range(len(begins) - 1):
        most = max(most, begins[v + 1] - begins[v])
    return most


@kernel
def whitened(covariance: Floats, begins: Ints) -> Floats:
    """The covariance of other columns that say the same: those of a block are unrelated, each of variance 1.

    A column that those before it in its block determine becomes nothing.
    """
    n, w, found = len(begins) - 1, widest(begins), covariance.copy()
    block = np.empty((w, w))
    for _ in range(2):  # of the rows, then of the columns
        for v in range(n):
            wide = begins[v + 1] - begins[v]
            copy_block(covariance, begins, v, v, block)
            factorise(block, wide, block)
            rows = found[begins[v] : begins[v + 1]]
            forward(block, wide, rows, len(found), rows)
        found = found.T.copy()
    for v in range(n):
        for i in range(begins[v], begins[v + 1]):
            is_there = found[i, i] != 0.0
            for j in range(i):
                if j >= begins[v]:
                    found[i, j] = 0.0
                found[j, i] = found[i, j]
            found[i, i] = 1.0 if is_there else 0.0
    return found


@kernel
def alone_and_gains(covariance: Floats, begins: Ints) -> tuple[Floats, Floats]:
    """The logarithm of the determinant of every block; and for each pair, how much the misfit per row falls where one is told the other."""
    n, w = len(begins) - 1, widest(begins)
    own, rest, across, work = np.empty((w, w)), np.empty((w, w)), np.empty((w, w)), np.empty((3, w, w))
    alone, gains = np.empty(n), np.zeros((n, n))
    for v in range(n):
        copy_block(covariance, begins, v, v, own)
        alone[v] = factorise(own, begins[v + 1] - begins[v], own)
    for u in range(n):
        copy_block(covariance, begins, u, u, own)
        for v in range(u):
            copy_block(covariance, begins, v, v, rest)
            copy_block(covariance, begins, u, v, across)
            left = log_det_given(rest, begins[v + 1] - begins[v], own, across, begins[u + 1] - begins[u], work)
            gains[u, v] = gains[v, u] = alone[v] - left
    return alone, gains
