"""Where each vertex of a PAG stands in the drawing.

Every connected component is laid out by stress majorization, untangled, and spread until no boxes overlap; small ones try two
starts and keep the better draft. A large one is laid out community by community, and the communities like vertices with boxes of
their size. The components are then packed like lines of text, isolated vertices last. There is no randomness, and vertices are
taken in the order of their names: the same graph gives the same picture, whatever the order of its matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components, shortest_path

from dicola.graphs.marks import ARROW
from dicola.graphs.pag import PAG
from dicola.report.communities import MANY, communities
from dicola.report.geometry import Array, Positions
from dicola.report.labels import in_natural_order, short_label, text_width
from dicola.report.packing import pack, spread
from dicola.report.stress import layered_start, spectral_start, stress_layout
from dicola.report.untangle import Sketch, sweeps_for, total_cost, untangled

Start = Callable[[Array, Positions], Array]

BOX_HEIGHT: Final = 28.0
_PADDING: Final = 11.0
_NARROWEST: Final = 40.0
_EDGE: Final = 98.0  # wished length of a vertical edge, centre to centre
_STARTS: Final[tuple[tuple[Start, float], ...]] = ((spectral_start, 0.6), (layered_start, 2.0))  # and how much arrows wish to fall
_HASTY_SWEEPS: Final = 6  # for one community among many: bounds the time on large graphs
_TIGHT: Final = np.array([0.8, 0.5])  # wished distance of two communities by axis, in the distance at which their boxes surely part
_LANE: Final = 60.0  # space between two communities


@dataclass(frozen=True, slots=True)
class Box:
    """The box of one vertex, by its centre; y grows downward."""

    x: float
    y: float
    width: float
    height: float


@lru_cache(maxsize=8)
def layout(pag: PAG) -> Mapping[str, Box]:
    """A box for every vertex, in natural order of the names; the drawing's corner is (0, 0). Equal graphs are laid out once.

    >>> layout(PAG.from_text("A o-> B"))["A"].y < layout(PAG.from_text("A o-> B"))["B"].y
    True
    """
    names = in_natural_order(pag.names)
    half = 0.5 * np.array([box_size(name) for name in names], dtype=np.float64).reshape(-1, 2)
    marks = pag.reordered(names).marks
    n_components, component = connected_components(csr_matrix(marks != 0), directed=False)
    groups = [np.nonzero(component == c)[0] for c in range(n_components)]
    joined = sorted((group for group in groups if len(group) > 1), key=lambda group: (-len(group), int(group[0])))
    alone = [int(group[0]) for group in groups if len(group) == 1]

    places: Array = np.zeros((len(names), 2))
    for group in joined:
        arrange = _component_layout if len(group) <= MANY else _layout_by_community
        places[group] = arrange(marks[np.ix_(group, group)], half[group])
    places = pack(places, half, joined, alone)
    corner = (places - half).min(axis=0) if len(names) else np.zeros(2)
    rows = np.column_stack([np.round(places - corner, 1), 2 * half]).tolist()
    return MappingProxyType({name: Box(*row) for name, row in zip(names, rows, strict=True)})


def box_size(name: str) -> tuple[float, float]:
    """Width and height of the box that shows a name."""
    return max(_NARROWEST, float(np.ceil(text_width(short_label(name)) + 2 * _PADDING))), BOX_HEIGHT


def _component_layout(marks: NDArray[np.int8], half: Array, hasty: bool = False) -> Array:
    edges = np.argwhere(np.triu(marks != 0))
    arrows = np.argwhere((marks == ARROW) & (marks.T != ARROW))
    stretch = float(np.clip((2 * half[:, 0].mean() + 80.0) / _EDGE, 1.0, 2.4))
    sketch = Sketch(half, edges, arrows, (_EDGE * stretch, _EDGE))
    distances = _graph_distances(marks, edges)
    drafts = []
    for start, pull in _STARTS if sweeps_for(sketch) and not hasty else _STARTS[:1]:
        placed = stress_layout(distances, arrows, pull, start(distances, arrows)) * sketch.unit
        drafts.append(spread(half, untangled(sketch, placed, _HASTY_SWEEPS) if hasty else untangled(sketch, placed)))
    return min(drafts, key=lambda draft: round(total_cost(sketch, draft), 6)) if len(drafts) > 1 else drafts[0]


def _layout_by_community(marks: NDArray[np.int8], half: Array) -> Array:
    """Each community on its own, then the communities as boxes, wished apart by their sizes."""
    groups = [np.array(members) for members in communities(marks != 0)]
    places, size = np.zeros_like(half), np.zeros((len(groups), 2))
    number = np.zeros(len(half), dtype=np.int64)
    for g, members in enumerate(groups):
        inner = _component_layout(marks[np.ix_(members, members)], half[members], hasty=True) if len(members) > 1 else np.zeros((1, 2))
        low, high = (inner - half[members]).min(axis=0), (inner + half[members]).max(axis=0)
        places[members], size[g], number[members] = inner - (low + high) / 2, (high - low + _LANE) / 2, g
    apart = np.zeros((len(groups), len(groups)))
    falling = apart.copy()
    for a, b in np.argwhere(np.triu(marks != 0)).tolist():
        g, h = number[a], number[b]
        if g != h:
            apart[g, h] = apart[h, g] = float(np.hypot(*(size[g] + size[h]))) / np.sqrt(2)
            falling[g, h] += int(marks[a, b] == ARROW) - int(marks[b, a] == ARROW)
    unit = float(np.median(apart[apart > 0]))
    distances = np.asarray(shortest_path(csr_matrix(apart / unit), directed=False))
    arrows = np.argwhere(falling - falling.T > 0)
    centres = spread(size, stress_layout(distances, arrows, 0.3, spectral_start(distances, arrows)) * unit * _TIGHT)
    return np.asarray(places + centres[number], dtype=np.float64)


def _graph_distances(marks: NDArray[np.int8], edges: Positions) -> Array:
    """Shortest paths; an edge is longer the more neighbours its ends have between them, which gives hubs and cliques room."""
    adjacent = marks != 0
    degree = adjacent.sum(axis=1)
    first, second = edges[:, 0], edges[:, 1]
    shared = (adjacent[first] & adjacent[second]).sum(axis=1)
    lengths = (degree[first] + degree[second] - shared) ** 0.4
    lengths = lengths / np.median(lengths)
    sparse = csr_matrix((lengths, (first, second)), shape=marks.shape)
    return np.asarray(shortest_path(sparse, directed=False))
