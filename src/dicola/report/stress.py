"""Stress majorization: drawn distances match graph distances, and arrows prefer to point down.

Gansner, Koren and North (2004) majorize the stress by quadratic functions; the wish "the arrowhead lies one step below" (Dwyer and
Koren 2005) is quadratic too, so it joins the system of the vertical axis and each step stays one linear solve.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from dicola.report.geometry import Array, Positions

_PIVOTS: Final = 60
_CELLS: Final = 40_000_000  # matrix cells touched in all: bounds the time on large graphs
_DROP: Final = 0.9  # wished drop of an arrow, in edge lengths
_HOLD: Final = 0.05  # how firmly the layered start holds to the spectral one
_DIGITS: Final = 6  # rounding that keeps the last bits of a linear solver out of the picture


def stress_layout(distances: Array, arrows: Positions, pull: float, start: Array) -> Array:
    """Move ``start`` to low stress; rows of ``arrows`` are (upper, lower) and draw down with weight ``pull``."""
    n = len(distances)
    if n < 2:
        return np.zeros((n, 2))
    weights = 1.0 / np.maximum(distances, 1e-9) ** 2
    np.fill_diagonal(weights, 0.0)
    across = _laplacian(weights)
    downward, drops = _downward_terms(arrows, n, pull)
    anchor = 1.0 / n  # fixes the centre, which stress leaves free
    solve_x, solve_y = cho_factor(across + anchor), cho_factor(across + downward + anchor)
    inverse_distances = weights * distances
    positions = start
    for _ in range(int(np.clip(_CELLS // (n * n), 15, 200))):
        ratios = inverse_distances / np.maximum(_lengths(positions), 1e-9)
        np.fill_diagonal(ratios, 0.0)
        target = ratios.sum(axis=1)[:, None] * positions - ratios @ positions
        target[:, 1] += drops
        moved = np.column_stack([cho_solve(solve_x, target[:, 0]), cho_solve(solve_y, target[:, 1])])
        step = float(np.abs(moved - positions).max())
        positions = moved
        if step < 1e-4:
            break
    return np.asarray(np.round(positions - positions.mean(axis=0), _DIGITS), dtype=np.float64)


def spectral_start(distances: Array, arrows: Positions) -> Array:
    """Pivot MDS (Brandes and Pich 2007), turned so that the arrows point down on the whole."""
    n = len(distances)
    if n < 3:
        return np.column_stack([np.zeros(n), np.arange(n, dtype=np.float64)])
    columns = distances[:, _far_apart(distances, min(n, _PIVOTS))] ** 2
    centred = -0.5 * (columns - columns.mean(axis=0) - columns.mean(axis=1)[:, None] + columns.mean())
    _, vectors = np.linalg.eigh(centred.T @ centred)
    axes = vectors[:, [-1, -2]]
    axes = axes * np.where(axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)
    plane = centred @ axes
    plane *= np.sqrt((distances**2).sum() / np.maximum((_lengths(plane) ** 2).sum(), 1e-12))
    # Twins share all distances and so their point; a small fan pulls them apart.
    turn = 2.399963 * np.arange(n)
    plane += 0.05 * np.column_stack([np.cos(turn), np.sin(turn)])
    return np.round(_turned_down(plane, arrows), _DIGITS)


def layered_start(distances: Array, arrows: Positions) -> Array:
    """The spectral start with heights that follow the arrows, each one step long where all agree."""
    start = spectral_start(distances, arrows)
    downward, drops = _downward_terms(arrows, len(start), 1.0)
    heights = cho_solve(cho_factor(downward + _HOLD * np.eye(len(start))), drops + _HOLD * start[:, 1])
    return np.asarray(np.round(np.column_stack([start[:, 0], heights]), _DIGITS), dtype=np.float64)


def _downward_terms(arrows: Positions, n: int, pull: float) -> tuple[Array, Array]:
    links, drops = np.zeros((n, n)), np.zeros(n)
    for upper, lower in arrows.tolist():
        links[upper, lower] += pull
        links[lower, upper] += pull
        drops[lower] += pull * _DROP
        drops[upper] -= pull * _DROP
    return _laplacian(links), drops


def _laplacian(weights: Array) -> Array:
    result = -weights
    np.fill_diagonal(result, weights.sum(axis=1))
    return result


def _lengths(positions: Array) -> Array:
    across, down = (np.subtract.outer(axis, axis) for axis in positions.T)
    return np.asarray(np.sqrt(across**2 + down**2))


def _far_apart(distances: Array, count: int) -> list[int]:
    """Pivots, each as far as possible from those before it."""
    chosen = [0]
    nearest = distances[0].copy()
    while len(chosen) < count:
        chosen.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, distances[chosen[-1]])
    return chosen


def _turned_down(plane: Array, arrows: Positions) -> Array:
    x, y = (plane[arrows[:, 1]] - plane[arrows[:, 0]]).sum(axis=0)
    length = np.hypot(x, y)
    if length < 1e-6:
        return plane
    cosine, sine = y / length, x / length
    return np.asarray(plane @ np.array([[cosine, sine], [-sine, cosine]]), dtype=np.float64)
