"""The way of an edge from border to border: straight, or a gentle bend where a straight line would run behind a box."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from dicola.report.geometry import Array, meets_box
from dicola.report.layout import Box

CORNER: Final = 8.0  # radius of a box's corners
_CLEARANCE: Final = 4.0
_BENDS: Final = (0.0, 14.0, -14.0, 26.0, -26.0, 40.0, -40.0, 58.0, -58.0, 80.0, -80.0)  # sideways shift of the middle
_SHARPEST: Final = 0.4  # of the length of the edge
_WORTH: Final = 70.0  # a box passed freely is worth this much bend
_MANY: Final = 1500  # with more edges than this no line can be followed, and all stay straight
_PIECES: Final = 12  # a bend is checked as a chain of this many segments


@dataclass(frozen=True)
class Route:
    """A quadratic Bézier curve between two borders; straight when ``bent`` is false."""

    start: Array
    control: Array
    end: Array
    bent: bool

    @property
    def middle(self) -> Array:
        """The point halfway along."""
        return (self.start + self.end) / 4 + self.control / 2


def routes(ends: Sequence[tuple[str, str]], boxes: Mapping[str, Box], room: ArrayLike = 0.0) -> list[Route]:
    """One route per edge, in order; ``room`` is how far before the borders its two ends stay, the same for all or a row per edge."""
    if not ends:
        return []
    index, centres, half = _in_numbers(boxes)
    a, b = np.array([(index[u], index[v]) for u, v in ends], dtype=np.int64).T
    start, end = centres[a], centres[b]
    shift = np.array(bends(ends, boxes))
    along = end - start
    aside = np.column_stack([-along[:, 1], along[:, 0]]) / np.maximum(np.hypot(*along.T), 1e-9)[:, None]
    control = (start + end) / 2 + 2 * shift[:, None] * aside
    bent = shift != 0.0

    before = np.broadcast_to(np.asarray(room, dtype=np.float64), (len(ends), 2))
    low, high = _leaving(start, control, end, half[a], before[:, 0]), 1.0 - _leaving(end, control, start, half[b], before[:, 1])
    first, last = _points(start, control, end, low), _points(start, control, end, high)
    # The polar form at (low, high): the control point of the part between the borders.
    middle = (1 - low) * (1 - high) * start + (low + high - 2 * low * high) * control + low * high * end
    return [Route(*parts) for parts in zip(first, middle, last, bent.tolist(), strict=True)]


def bends(ends: Sequence[tuple[str, str]], boxes: Mapping[str, Box]) -> list[float]:
    """How far the middle of each edge stands aside of the straight line, to the right of its way as the screen shows it; mostly 0."""
    if len(ends) > _MANY:
        return [0.0] * len(ends)
    index, centres, half = _in_numbers(boxes)
    return [_bend(index[u], index[v], centres, half) for u, v in ends]


def _in_numbers(boxes: Mapping[str, Box]) -> tuple[dict[str, int], Array, Array]:
    """The row of each box, the centres, and half the sizes."""
    rows = np.array([(box.x, box.y, box.width / 2, box.height / 2) for box in boxes.values()]).reshape(-1, 4)
    return {name: i for i, name in enumerate(boxes)}, rows[:, :2], rows[:, 2:]


def _bend(a: int, b: int, centres: Array, half: Array) -> float:
    """The bend of the way past the other boxes: as few behind the line, and as little bend, as can be."""
    start, end = centres[a], centres[b]
    middle, along = (start + end) / 2, end - start
    length = max(float(np.hypot(*along)), 1e-9)
    within = (np.abs(centres - middle) < np.abs(along) / 2 + half + _CLEARANCE + min(abs(_BENDS[-1]), _SHARPEST * length)).all(axis=1)
    within[[a, b]] = False
    near, size = centres[within], half[within] + _CLEARANCE
    best, least = 0.0, np.inf
    for bend in _BENDS:
        if abs(bend) >= least * _WORTH or abs(bend) > _SHARPEST * length:
            break
        control = middle + 2 * bend * np.array([-along[1], along[0]]) / length
        chain = _points(start, control, end, np.linspace(0.0, 1.0, (_PIECES if bend else 1) + 1)[:, None])
        x, y = chain.T[:, :, None]
        met = meets_box((x[:-1], y[:-1]), (x[1:], y[1:]), (near[:, 0], near[:, 1]), (size[:, 0], size[:, 1]))
        score = int(met.any(axis=0).sum()) + abs(bend) / _WORTH
        if score < least:
            best, least = bend, score
    return best


def _points(start: Array, control: Array, end: Array, t: Array) -> Array:
    """Points of quadratic curves; ``t`` is a column."""
    return np.asarray((1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end)


def _leaving(start: Array, control: Array, end: Array, half: Array, room: Array) -> Array:
    """The parameters, as a column, at which curves leave the rounded boxes around their starts, grown by ``room``."""
    low, high = np.zeros((len(start), 1)), np.full((len(start), 1), 0.5)
    for _ in range(30):
        t = (low + high) / 2
        beyond = np.abs(_points(start, control, end, t) - start) - half + CORNER
        inside = np.hypot(*np.maximum(beyond, 0.0).T) + np.minimum(beyond.max(axis=1), 0.0) < CORNER + room
        low, high = np.where(inside[:, None], t, low), np.where(inside[:, None], high, t)
    return low
