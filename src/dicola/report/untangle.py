"""The last strokes on one component: fewer crossings, no line behind a box, no marks on top of each other.

Each vertex in turn tries a ring of places around itself and around its neighbours' middle, and takes the cheapest. The cost adds up
what a reader stumbles over: crossings, lines behind boxes, crowded boxes, edges too short or too long, arrows that climb, and edges
that leave a box side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from dicola.report.geometry import Array, Point, Positions, crosses, meets_box

_CROSSING: Final = 1.0
_BEHIND: Final = 1.8
_TOUCHING: Final = 5.0
_ROOM: Final = (34.0, 30.0)  # space between two boxes that feels free, by axis
_CLEARANCE: Final = 6.0  # between a box and a line that passes
_DIRECTIONS: Final = 2 * np.pi * np.arange(12) / 12
_RINGS: Final = (2.6, 1.7, 1.1, 0.7, 0.45, 0.28, 0.16, 0.08)  # radii, in edge lengths
_VISITS: Final = 1600  # vertices looked at in all: bounds the time on large graphs
_LOOKS: Final = 1_200_000  # pairs of edges looked at in all, for one place in a ring: bounds the time on dense graphs


@dataclass(frozen=True)
class Sketch:
    """One component on its way to a drawing: half sizes of boxes, edges, arrows (upper, lower), wished edge length by axis."""

    half: Array
    edges: Positions
    arrows: Positions
    unit: tuple[float, float]

    @cached_property
    def neighbourhoods(self) -> Sequence[_Neighbourhood]:
        """What stays the same about each vertex while places change."""
        joined, falls = np.zeros((2, len(self.half), len(self.half)))
        joined[tuple(self.edges.T)], falls[tuple(self.arrows.T)] = 1.0, 1.0
        others = [np.nonzero(row)[0] for row in joined + joined.T]
        return [_Neighbourhood.of(v, others, signs) for v, signs in enumerate(falls - falls.T)]


@dataclass(frozen=True)
class _Neighbourhood:
    """The neighbours of a vertex; whether each should lie below it (1), above it (-1) or anywhere (0); their further neighbours."""

    others: Positions
    falls: Array
    fan_at: Positions  # rows of ``others``, once for each further neighbour of that neighbour
    fan_to: Positions

    @classmethod
    def of(cls, v: int, others: Sequence[Positions], falls: Array) -> _Neighbourhood:
        fan = [(i, t) for i, w in enumerate(others[v].tolist()) for t in others[w].tolist() if t != v]
        at, to = np.array(fan, dtype=np.int64).reshape(-1, 2).T
        return cls(others[v], falls[others[v]], at, to)


def sweeps_for(sketch: Sketch) -> int:
    """How often all vertices may be looked at; 0 where the graph is too large or too dense for it to help."""
    n, m = len(sketch.half), len(sketch.edges)
    near = min(m, 80 * m // n)  # edges that lie where a line of one vertex can reach, roughly
    return min(_VISITS // n, _LOOKS // max(2 * m * near, 1))


def untangled(sketch: Sketch, positions: Array, most: int = _VISITS) -> Array:
    """Hill climbing, vertex by vertex, on rings that shrink; stops where nothing gets better or after so many sweeps."""
    places = positions.copy()
    sweeps = min(sweeps_for(sketch), most)
    skipped = max(0, (len(_RINGS) - sweeps + 1) // 2)
    for radius in _RINGS[skipped : skipped + sweeps]:
        for _ in range(min(2, max(1, sweeps // len(_RINGS)))):
            moved = False
            for v in range(len(places)):
                candidates = _ring(sketch, places, v, radius)
                costs = _vertex_cost(sketch, places, v, candidates)
                best = int(costs.argmin())
                if costs[best] < costs[0] - 1e-6:
                    places[v], moved = candidates[best], True
            if not moved:
                break
    return places


def total_cost(sketch: Sketch, positions: Array) -> float:
    """The sum that tells two layouts of the same component apart; lower is better."""
    return float(sum(_vertex_cost(sketch, positions, v, positions[v][None])[0] for v in range(len(positions))))


def _ring(sketch: Sketch, places: Array, v: int, radius: float) -> Array:
    """Where v stands now, places around it, and places around the middle of its neighbours."""
    ring = np.column_stack([np.cos(_DIRECTIONS), np.sin(_DIRECTIONS)]) * sketch.unit * radius
    middle = places[sketch.neighbourhoods[v].others].mean(axis=0)
    return np.concatenate([places[v][None], places[v] + ring, middle + ring[::2]])


def _vertex_cost(sketch: Sketch, places: Array, v: int, candidates: Array) -> Array:
    """What the drawing would cost around v, for each place it could take."""
    around = sketch.neighbourhoods[v]
    x, y = places.T
    here = (candidates[:, 0], candidates[:, 1])
    ends = (x[around.others], y[around.others])
    cost = _tangle(sketch, places, v, here, ends) + _crowding(sketch, x, y, v, here)

    across, down = here[0][:, None] - ends[0], here[1][:, None] - ends[1]
    length = np.hypot(across, down)
    reach = np.hypot(across / sketch.unit[0], down / sketch.unit[1])
    strain = np.log(np.maximum(reach, 0.05))
    cost += (np.where(strain < 0.0, 0.9, 0.45) * strain**2).sum(axis=1)
    lack = np.clip(0.5 + down * around.falls / sketch.unit[1], 0.0, 1.5)
    cost += 0.5 * (lack * (around.falls != 0)).sum(axis=1)

    # Rays that leave v side by side, then those at its neighbours.
    unit_x, unit_y = across / np.maximum(length, 1e-9), down / np.maximum(length, 1e-9)
    cost += 0.5 * _alike(unit_x[:, :, None] * unit_x[:, None] + unit_y[:, :, None] * unit_y[:, None]).sum(axis=(1, 2))
    cost -= 0.5 * len(around.others)  # each ray is like itself
    fan_x, fan_y = x[around.fan_to] - ends[0][around.fan_at], y[around.fan_to] - ends[1][around.fan_at]
    fan = np.maximum(np.hypot(fan_x, fan_y), 1e-9)
    cosine = (unit_x[:, around.fan_at] * fan_x + unit_y[:, around.fan_at] * fan_y) / fan
    return np.asarray(cost + _alike(cosine).sum(axis=1))


def _tangle(sketch: Sketch, places: Array, v: int, here: Point, ends: Point) -> Array:
    """Crossings and lines behind boxes, looked for only where a line of v can reach."""
    others = sketch.neighbourhoods[v].others
    low = np.array([min(p.min(), q.min()) for p, q in zip(here, ends, strict=True)])
    high = np.array([max(p.max(), q.max()) for p, q in zip(here, ends, strict=True)])
    first, second = places[sketch.edges[:, 0]], places[sketch.edges[:, 1]]
    reached = (np.maximum(first, second) > low - sketch.half[v]) & (np.minimum(first, second) < high + sketch.half[v])
    near = reached[:, 0] & reached[:, 1] & (sketch.edges[:, 0] != v) & (sketch.edges[:, 1] != v)
    a, b = (first[near, 0], first[near, 1]), (second[near, 0], second[near, 1])
    apart = (sketch.edges[near, 0] != others[:, None]) & (sketch.edges[near, 1] != others[:, None])
    start = (here[0][:, None, None], here[1][:, None, None])
    stop = (ends[0][:, None], ends[1][:, None])
    cost = _CROSSING * (crosses(start, stop, a, b) & apart).sum(axis=(1, 2))

    spot = (here[0][:, None], here[1][:, None])
    own = sketch.half[v] + _CLEARANCE
    cost = cost + _BEHIND * meets_box(a, b, spot, (own[0], own[1])).sum(axis=1)

    half = sketch.half + _CLEARANCE
    boxed = (places + half > low) & (places - half < high)
    boxed_at = np.nonzero(boxed[:, 0] & boxed[:, 1])[0]
    boxed_at = boxed_at[boxed_at != v]
    centre, size = places[boxed_at], half[boxed_at]
    met = meets_box(start, stop, (centre[:, 0], centre[:, 1]), (size[:, 0], size[:, 1]))
    return np.asarray(cost + _BEHIND * (met & (boxed_at != others[:, None])).sum(axis=(1, 2)))


def _crowding(sketch: Sketch, x: Array, y: Array, v: int, here: Point) -> Array:
    half_x, half_y = sketch.half.T
    gap_x = np.abs(here[0][:, None] - x) - (half_x + half_x[v])
    gap_y = np.abs(here[1][:, None] - y) - (half_y + half_y[v])
    crowd = np.clip(np.minimum(1.0 - gap_x / _ROOM[0], 1.0 - gap_y / _ROOM[1]), 0.0, None)
    crowd[:, v] = 0.0
    return np.asarray(2.0 * (crowd**2).sum(axis=1) + _TOUCHING * (crowd > 0.55).sum(axis=1))


def _alike(cosine: Array) -> Array:
    """1 for parallel rays, 0 from 26 degrees on."""
    return np.clip(10.0 * cosine - 9.0, 0.0, 1.0)
