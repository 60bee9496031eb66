"""Room for everything: boxes of one component pushed apart, components set side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from scipy.spatial import cKDTree

from dicola.report.geometry import Array, Positions

MARGIN: Final = np.array([14.0, 16.0])  # least space between two boxes, by axis
_BETWEEN: Final = 46.0  # space between two components
_ASPECT: Final = 1.5  # width over height of the whole drawing, roughly


def spread(half: Array, positions: Array) -> Array:
    """Push overlapping boxes apart along the axis that needs less, until every pair has its margin."""
    places = positions.copy()
    farthest = float(np.hypot(*(2 * half.max(axis=0) + MARGIN)))
    while True:
        for _ in range(60):
            pairs = cKDTree(places).query_pairs(farthest, output_type="ndarray")
            first, second = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))].T
            gap = places[second] - places[first]
            lack = half[first] + half[second] + MARGIN - np.abs(gap)
            close = (lack > 1e-6).all(axis=1)
            if not close.any():
                return places
            first, second, gap, lack = first[close], second[close], gap[close], lack[close]
            rows, axis = np.arange(len(first)), np.where(lack[:, 0] < lack[:, 1], 0, 1)
            push = (0.5 * lack[rows, axis] + 0.05) * np.where(gap[rows, axis] < 0, -1.0, 1.0)
            np.add.at(places, (first, axis), -push)
            np.add.at(places, (second, axis), push)
        places *= 1.06  # too dense to settle: a little more room, and again


def pack(places: Array, half: Array, joined: Sequence[Positions], alone: Sequence[int]) -> Array:
    """Components on shelves in the given order, then the isolated vertices in rows."""
    packed = places.copy()
    corners = [(places[group] - half[group]).min(axis=0) for group in joined]
    sizes = [(places[group] + half[group]).max(axis=0) - corner for group, corner in zip(joined, corners, strict=True)]
    cells = [2 * half[v] + MARGIN for v in alone]
    area = sum(float(np.prod(size + _BETWEEN)) for size in sizes) + sum(float(np.prod(cell)) for cell in cells)
    width = max([float(np.sqrt(area * _ASPECT)), *(float(size[0]) for size in sizes)], default=0.0)

    x = y = shelf = 0.0
    for group, corner, size in zip(joined, corners, sizes, strict=True):
        if x > 0 and x + size[0] > width:
            x, y, shelf = 0.0, y + shelf + _BETWEEN, 0.0
        packed[group] += np.array([x, y]) - corner
        x, shelf = x + float(size[0]) + _BETWEEN, max(shelf, float(size[1]))
    if joined:
        x, y = 0.0, y + shelf + _BETWEEN
    for v in alone:
        if x > 0 and x + 2 * half[v, 0] > width:
            x, y = 0.0, y + 2 * float(half[:, 1].max()) + float(MARGIN[1])
        packed[v] = (x + half[v, 0], y + half[v, 1])
        x += 2 * float(half[v, 0]) + float(MARGIN[0])
    return packed
