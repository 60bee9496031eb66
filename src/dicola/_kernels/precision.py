"""Blocks of correlation matrices, their inverses, and which pairs depend given all the rest."""

from __future__ import annotations

import numpy as np

from dicola._kernels.arrays import Bools, Floats, Ints
from dicola._kernels.compiled import kernel
from dicola._kernels.partial_correlation import SINGULAR
from dicola._kernels.stopping import heed


@kernel
def block_of(matrix: Floats, chosen: Ints) -> Floats:
    """Rows and columns ``chosen`` of a matrix."""
    block = np.empty((len(chosen), len(chosen)))
    for a in range(len(chosen)):
        for b in range(len(chosen)):
            block[a, b] = matrix[chosen[a], chosen[b]]
    return block


@kernel
def symmetric_block(matrix: Floats, rows: Ints, columns: Ints) -> Floats:
    """Rows and columns of a symmetric matrix, of which the upper triangle is read."""
    block = np.empty((len(rows), len(columns)))
    for a in range(len(rows)):
        for b in range(len(columns)):
            block[a, b] = matrix[min(rows[a], columns[b]), max(rows[a], columns[b])]
    return block


@kernel
def blocks_of(matrix: Floats, chosen: Ints, begins: Ints) -> Floats:
    """The blocks of ``chosen[begins[i]:begins[i + 1]]`` along a diagonal, zero elsewhere."""
    result = np.zeros((len(chosen), len(chosen)))
    for i in range(len(begins) - 1):
        for a in range(begins[i], begins[i + 1]):
            for b in range(begins[i], begins[i + 1]):
                result[a, b] = matrix[chosen[a], chosen[b]]
    return result


@kernel
def precision_of(correlation: Floats, block: Ints) -> Floats:
    """The rows and columns ``block`` of the inverse; infinite where some variable is determined by the others."""
    return precision_within(correlation, np.arange(len(correlation)), block)


@kernel
def precision_within(matrix: Floats, chosen: Ints, block: Ints) -> Floats:
    """``precision_of`` for the positions ``block`` of the variables ``chosen``.

    The rest is swept out first, then the block inverted in place (Gauss-Jordan).
    """
    n, m = len(chosen), len(block)
    order = np.empty(n, np.int64)
    inside = np.zeros(n, np.bool_)
    for i in range(m):
        inside[block[i]] = True
        order[i] = chosen[block[i]]
    at = m
    for i in range(n):
        if not inside[i]:
            order[at] = chosen[i]
            at += 1
    w = block_of(matrix, order)  # of which the lower triangle is kept up: loops from 0 on are the faster ones
    for p in range(n - 1, m - 1, -1):
        pivot = w[p, p]
        if pivot < SINGULAR:
            return np.full((m, m), np.inf)
        if p & 63 == 63:
            heed(0)
        for a in range(p):
            factor = w[p, a] / pivot
            for b in range(a + 1):
                w[a, b] -= factor * w[p, b]
    r = np.empty((m, m))
    for a in range(m):
        for b in range(m):
            r[a, b] = w[max(a, b), min(a, b)]
    for p in range(m):
        pivot = r[p, p]
        if pivot < SINGULAR:
            return np.full((m, m), np.inf)
        if p & 63 == 63:
            heed(0)
        r[p, p] = 1.0
        for b in range(m):
            r[p, b] /= pivot
        for a in range(m):
            if a == p:
                continue
            factor = r[a, p]
            r[a, p] = 0.0
            for b in range(m):
                r[a, b] -= factor * r[p, b]
    for a in range(m):
        for b in range(a):
            r[a, b] = r[b, a] = (r[a, b] + r[b, a]) / 2.0
    return r


@kernel
def related(precision: Floats, limit: float) -> tuple[Bools, bool]:
    """Which pairs does a precision matrix call dependent given the rest?

    Also: can it be trusted? Not where some variable is determined by the others.
    """
    n = len(precision)
    dependent = np.zeros((n, n), np.bool_)
    for a in range(n):
        if not (0.0 < precision[a, a] < 1.0 / SINGULAR):
            return dependent, False
    for a in range(n):
        for b in range(a + 1, n):
            if precision[a, b] * precision[a, b] > limit * precision[a, a] * precision[b, b]:
                dependent[a, b] = dependent[b, a] = True
    return dependent, True


@kernel
def related_within(correlation: Floats, chosen: Ints, block: Ints, limit: float) -> tuple[Bools, bool]:
    """``related`` for the positions ``block`` of the variables ``chosen``, given the others."""
    return related(precision_within(correlation, chosen, block), limit)
