"""A PAG as one SVG: boxes, lines, and the true mark at each end of each line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from importlib.resources import files
from typing import TYPE_CHECKING, Final

import numpy as np

from dicola.errors import counted
from dicola.graphs.marks import Edge, Mark
from dicola.graphs.pag import PAG, edge_in_words
from dicola.report.geometry import Array
from dicola.report.labels import FONT_SIZE, escaped, in_natural_order, short_label
from dicola.report.layout import Box, layout
from dicola.report.routing import CORNER, Route, routes
from dicola.report.rule_text import OPEN

if TYPE_CHECKING:
    from dicola.discovery import Discovery

MOST_UNDECIDED: Final = 400  # edges; more of them hide the others
_MARGIN: Final = 24.0
RADIUS: Final = 4.2  # of an open circle
_HEAD: Final = 11.5  # length of an arrowhead
_SPAN: Final = 5.0  # half its width

_KINDS: Final = {
    (Mark.TAIL, Mark.ARROW): "directed",
    (Mark.ARROW, Mark.ARROW): "bidirected",
    (Mark.TAIL, Mark.TAIL): "selection",
}


def visible_part(found: Discovery) -> tuple[PAG, frozenset[frozenset[str]]]:
    """The graph of a result to be drawn, and the pairs in it that are undecided; without these where they are too many to see."""
    pag, open_ = found.pag, frozenset(frozenset(pair) for pair in found.undecided)
    if len(open_) <= MOST_UNDECIDED:
        return pag, open_
    place, marks = {name: i for i, name in enumerate(pag.names)}, pag.to_matrix()
    for u, v in found.undecided:
        marks[place[u], place[v]] = marks[place[v], place[u]] = 0
    return PAG.trusted(marks, pag.names), frozenset()


def draw(pag: PAG, undecided: AbstractSet[frozenset[str]] = frozenset(), selection: bool = False) -> str:
    """The PAG as SVG text; the same graph gives the same bytes, whatever the order of its vertices.

    An open circle, a filled arrowhead or nothing (a tail) stands at each end of a line. Colour repeats what the marks say. Pairs that
    are undecided, of a run that was stopped, are joined by a dashed line. ``selection``: the sample may have been selected.

    >>> draw(PAG.from_text("A o-> B")).count('class="circle"')
    1
    """
    boxes, ways = drawn(pag)
    left, top, width, height = map(_number, _view(boxes, ways.values()))
    described = f"{counted(len(pag), 'variable')}, {counted(pag.n_edges, 'edge')}. Edge ends: {pag.ends_in_words()}."
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="pag" role="img" viewBox="{left} {top} {width} {height}" '
        f'width="{width}" height="{height}">',
        "<title>Partial ancestral graph</title>",
        f"<desc>{described}</desc>",
        f"<style>{drawing_style()}</style>",
        f'<rect class="ground" x="{left}" y="{top}" width="{width}" height="{height}"/>',
        '<g class="edges">',
        *(
            _edge(edge, way, OPEN, is_open=True)
            if frozenset((edge.u, edge.v)) in undecided
            else _edge(edge, way, edge_in_words(edge, selection))
            for edge, way in ways.items()
        ),
        "</g>",
        '<g class="nodes">',
        *(_node(name, box) for name, box in boxes.items()),
        "</g>",
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def drawn(pag: PAG) -> tuple[Mapping[str, Box], dict[Edge, Route]]:
    """The boxes, and the way of each edge from border to border, or from the middle of a circle that touches the border."""
    boxes, edges = layout(pag), pag.reordered(in_natural_order(pag.names)).edges()
    room = [[RADIUS + 0.8 if mark is Mark.CIRCLE else 0.0 for mark in (edge.mark_u, edge.mark_v)] for edge in edges]
    ways = routes([(edge.u, edge.v) for edge in edges], boxes, np.array(room).reshape(-1, 2))
    return boxes, dict(zip(edges, ways, strict=True))


def drawing_style() -> str:
    """The text of the drawing's style element."""
    return "\n" + resource("drawing.css")


def resource(name: str) -> str:
    """A file that lies beside this one."""
    return files("dicola.report").joinpath(name).read_text(encoding="utf-8")


def draw_key(edge: Edge) -> str:
    """The sign of an edge alone, for a legend inside a page that holds a drawing (its style is shared)."""
    left = np.array([2.0 + RADIUS * (edge.mark_u is Mark.CIRCLE), 9.0])
    right = np.array([62.0 - RADIUS * (edge.mark_v is Mark.CIRCLE), 9.0])
    way = Route(left, (left + right) / 2, right, bent=False)
    return f'<svg class="pag key" width="64" height="18" viewBox="0 0 64 18" aria-hidden="true">{_edge(edge, way)}</svg>'


def edge_kind(edge: Edge) -> str:
    """The kind by which an edge is coloured: directed, bidirected, selection or circle."""
    return _KINDS.get((edge.mark_u, edge.mark_v), "circle")


def _node(name: str, box: Box) -> str:
    nameless = "" if name.strip() else " nameless"
    return (
        f'<g class="node{nameless}" data-name="{escaped(name)}"><title>{escaped(name)}</title>'
        f'<rect x="{_number(box.x - box.width / 2)}" y="{_number(box.y - box.height / 2)}" '
        f'width="{_number(box.width)}" height="{_number(box.height)}" rx="{CORNER:g}"/>'
        f'<text x="{_number(box.x)}" y="{_number(box.y + 0.35 * FONT_SIZE)}">{escaped(short_label(name))}</text></g>'
    )


def _edge(edge: Edge, way: Route, words: str | None = None, is_open: bool = False) -> str:
    start, mark_start = _mark(edge.mark_u, way.start, way.control)
    end, mark_end = _mark(edge.mark_v, way.end, way.control)
    line = f"M{_point(start)}Q{_point(way.control)} {_point(end)}" if way.bent else f"M{_point(start)}L{_point(end)}"
    ends = f' data-u="{escaped(edge.u)}" data-v="{escaped(edge.v)}"' if words is not None else ""
    title = f"<title>{escaped(edge)}\n{escaped(words)}</title>" if words is not None else ""
    kind = f"{edge_kind(edge)} undecided" if is_open else edge_kind(edge)
    return f'<g class="edge {kind}"{ends}>{title}<path class="line" d="{line}"/>{mark_start}{mark_end}</g>'


def _mark(mark: Mark, tip: Array, towards: Array) -> tuple[Array, str]:
    """Where the line begins behind the mark, and the mark itself."""
    start, corners = mark_shape(mark, tip, towards)
    if mark is Mark.CIRCLE:
        return start, f'<circle class="circle" cx="{_number(tip[0])}" cy="{_number(tip[1])}" r="{RADIUS:g}"/>'
    if mark is Mark.ARROW:
        return start, f'<path class="arrow" d="M{"L".join(_point(corner) for corner in corners)}Z"/>'
    return start, ""


def mark_shape(mark: Mark, tip: Array, towards: Array) -> tuple[Array, list[Array]]:
    """Where the line begins behind a mark, and the corners of an arrowhead; ``tip`` is at the border, or the middle of a circle."""
    inward = towards - tip
    inward = inward / max(float(np.hypot(*inward)), 1e-9)
    if mark is Mark.CIRCLE:
        return tip + RADIUS * inward, []
    if mark is Mark.ARROW:
        aside = np.array([-inward[1], inward[0]])
        point = tip + 0.8 * inward
        notch, back = point + 0.75 * _HEAD * inward, point + _HEAD * inward
        return notch, [point, back + _SPAN * aside, notch, back - _SPAN * aside]
    return tip, []


def _view(boxes: Mapping[str, Box], ways: Iterable[Route]) -> Array:
    """Left, top, width and height of the drawing."""
    corners = [(box.x + sign * box.width / 2, box.y + sign * box.height / 2) for box in boxes.values() for sign in (-1, 1)]
    points = np.array([*(corners or [(0.0, 0.0)]), *(way.middle for way in ways if way.bent)])
    low, high = points.min(axis=0) - _MARGIN, points.max(axis=0) + _MARGIN
    return np.concatenate([low, high - low])


def _number(value: float) -> str:
    text = f"{value:.1f}"
    return "0" if text in ("0.0", "-0.0") else text.removesuffix(".0")


def _point(point: Array) -> str:
    return ",".join(map(_number, point))
