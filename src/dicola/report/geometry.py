"""Segments and boxes: which cross, and which meet. A point is a pair of arrays (x, y); all functions broadcast."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Truths = NDArray[np.bool_]
Positions = NDArray[np.int64]
Point = tuple[Array, Array]

_TOUCH = 1e-9


def crosses(a: Point, b: Point, c: Point, d: Point) -> Truths:
    """Does the segment a-b properly cross the segment c-d? Touching ends do not count."""
    return (_side(a, b, c) * _side(a, b, d) < -_TOUCH) & (_side(c, d, a) * _side(c, d, b) < -_TOUCH)


def meets_box(a: Point, b: Point, centre: Point, half: Point) -> Truths:
    """Does the segment a-b pass through the box around ``centre``? Clipped slab by slab (Liang and Barsky 1984)."""
    entry_x, leave_x = _slab(a[0], b[0], centre[0], half[0])
    entry_y, leave_y = _slab(a[1], b[1], centre[1], half[1])
    entry, leave = np.maximum(entry_x, entry_y), np.minimum(leave_x, leave_y)
    return np.asarray((entry < leave) & (leave > 0.0) & (entry < 1.0), dtype=np.bool_)


def _slab(a: Array, b: Array, centre: Array, half: Array) -> tuple[Array, Array]:
    along = b - a
    along = np.where(np.abs(along) < _TOUCH, _TOUCH, along)
    middle, reach = (centre - a) / along, np.abs(half / along)
    return middle - reach, middle + reach


def _side(a: Point, b: Point, c: Point) -> Array:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
