"""The same pictures on Matplotlib axes, for papers; Matplotlib comes with the extra ``plot``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from dicola.decompose.tree import Branch, Tree
from dicola.errors import InvalidGraph, MissingExtra
from dicola.graphs.marks import ARROW, CIRCLE, TAIL
from dicola.graphs.pag import PAG
from dicola.report.drawing import RADIUS, drawn, edge_kind, mark_shape
from dicola.report.labels import FONT_SIZE, in_natural_order, short_label
from dicola.report.routing import CORNER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_EDGE_COLOURS: Final = {"directed": "#1f5fa8", "bidirected": "#b3541e", "selection": "#2f7d4f", "circle": "#5c6470"}
MARK_COLOURS: Final = {ARROW: "#14181e", TAIL: "#1f5fc4", CIRCLE: "#c62f2f"}
_MARK_SIGNS: Final = {ARROW: (">", True), TAIL: ("_", False), CIRCLE: ("o", False)}  # marker, filled
_MARGIN: Final = 16.0
_INK, _BOX, _LINE, _SEPARATOR, _LEAF = "#1c232d", "#f5f7fa", "#5b6675", "#b3541e", "#e6f1ea"


def plot_pag(pag: PAG, ax: Axes | None = None) -> Axes:
    """The drawing of ``draw`` on axes; text and lines take the scale of the axes."""
    patches, path = _matplotlib("patches"), _matplotlib("path")
    boxes, ways = drawn(pag)
    far = np.array([(box.x + box.width / 2, box.y + box.height / 2) for box in boxes.values()]).reshape(-1, 2)
    bends = np.array([way.middle for way in ways.values() if way.bent]).reshape(-1, 2)
    low = bends.min(axis=0, initial=0.0) - _MARGIN
    high = np.maximum(bends.max(axis=0, initial=0.0), far.max(axis=0, initial=1.0) + _MARGIN)
    ax = _axes(ax, *(high - low) / 100)
    ax.set(xlim=(low[0], high[0]), ylim=(high[1], low[1]), aspect="equal")
    ax.set_axis_off()
    unit = _points(ax, *(high - low))
    for edge, way in ways.items():
        colour = _EDGE_COLOURS[edge_kind(edge)]
        start, head = mark_shape(edge.mark_u, way.start, way.control)
        end, foot = mark_shape(edge.mark_v, way.end, way.control)
        line = path.Path([start, way.control, end], [path.Path.MOVETO, path.Path.CURVE3, path.Path.CURVE3])
        ax.add_patch(patches.PathPatch(line, facecolor="none", edgecolor=colour, linewidth=1.6 * unit, capstyle="butt"))
        for mark, tip, corners in ((edge.mark_u, way.start, head), (edge.mark_v, way.end, foot)):
            if mark == CIRCLE:
                ax.add_patch(patches.Circle(tip, RADIUS, facecolor="white", edgecolor=colour, linewidth=1.6 * unit, zorder=2))
            elif mark == ARROW:
                ax.add_patch(patches.Polygon(corners, color=colour, linewidth=0.6 * unit, joinstyle="round", zorder=2))
    rounded = patches.BoxStyle("Round", pad=0, rounding_size=CORNER)
    for name, box in boxes.items():
        corner = (box.x - box.width / 2, box.y - box.height / 2)
        shape = patches.FancyBboxPatch(corner, box.width, box.height, boxstyle=rounded, facecolor=_BOX, edgecolor=_LINE, zorder=3)
        ax.add_patch(shape).set_linewidth(1.2 * unit)
        ax.text(box.x, box.y, _plain(short_label(name)), size=FONT_SIZE * unit, color=_INK, ha="center", va="center", zorder=4)
    return ax


def plot_matrix(
    pag: PAG, ax: Axes | None = None, order: Sequence[str] | None = None, groups: Mapping[str, Sequence[str]] | None = None
) -> Axes:
    """The mark matrix in colours and signs; see ``PAG.plot_matrix``."""
    patches, collections = _matplotlib("patches"), _matplotlib("collections")
    names = _order(pag, order, groups)
    marks, n = pag.reordered(names).marks, len(names)
    side = min(2 + 0.24 * n, 24.0)
    ax = _axes(ax, side, side, bare=False)
    ax.set(xlim=(0, n), ylim=(n, 0), aspect="equal")
    cell = _points(ax, n, n)
    for mark, colour in MARK_COLOURS.items():
        rows, columns = np.nonzero(marks == mark)
        squares = [patches.Rectangle((column, row), 1, 1) for row, column in zip(rows.tolist(), columns.tolist(), strict=True)]
        ax.add_collection(collections.PatchCollection(squares, facecolor=colour, edgecolor="white", linewidth=0.06 * cell))
        sign, filled = _MARK_SIGNS[mark]
        style: dict[str, Any] = {"c": "white"} if sign == "_" else {"edgecolors": "white", "facecolors": "white" if filled else "none"}
        ax.scatter(columns + 0.5, rows + 0.5, marker=sign, s=(0.5 * cell) ** 2, linewidths=0.1 * cell, zorder=3, **style)
    ax.set_xticks(np.arange(n) + 0.5, [_plain(short_label(name)) for name in names], rotation=90, size=min(9.0, 0.62 * cell))
    ax.set_yticks(np.arange(n) + 0.5, [_plain(short_label(name)) for name in names], size=min(9.0, 0.62 * cell))
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set(color="#c9d1da", linewidth=0.8)
    start = 0
    for title, members in (groups or {}).items():
        size = len(members)
        ax.add_patch(patches.Rectangle((start, start), size, size, fill=False, edgecolor=_SEPARATOR, linewidth=1.2, zorder=4))
        ax.text(n + 0.4, start + size / 2, _plain(title), va="center", size=min(9.0, 0.8 * cell), color=_SEPARATOR)
        start += size
    return ax


def plot_tree(tree: Tree, ax: Axes | None = None, names: Sequence[str] | None = None) -> Axes:
    """The decomposition from the root down; see ``Tree.plot``."""
    places = _tree_places(tree)
    width, depth = max(x for x, _ in places.values()) + 1.0, tree.depth + 1.0
    ax = _axes(ax, min(1.5 + 0.55 * width, 40.0), min(1.0 + 0.8 * depth, 30.0))
    ax.set(xlim=(-0.7, width - 0.3), ylim=(depth - 0.4, -0.6))
    ax.set_axis_off()
    size = float(np.clip(0.5 * min(_axes_size(ax)[0] / (width + 0.4), 24.0), 2.0, 9.0))
    for number, (x, y) in places.items():
        node = tree.nodes[number]
        if isinstance(node, Branch):
            for child in (node.left, node.right):
                to_x, to_y = places[child]
                style = "-" if to_y == y + 1 else ":"  # a node reached twice stands below one branch only
                ax.plot([x, to_x], [y, to_y], color=_LINE, linewidth=0.1 * size, linestyle=style, zorder=1)
            if node.split.separator:
                label = ax.text(x, y + 0.26, _separator(node, names), size=0.85 * size, color=_SEPARATOR, ha="center", va="top", zorder=3)
                label.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 0.8})
        frame = {
            "boxstyle": "round,pad=0.35",
            "facecolor": _BOX if isinstance(node, Branch) else _LEAF,
            "edgecolor": _LINE,
            "linewidth": 0.1 * size,
        }
        ax.text(x, y, str(len(node.variables)), size=size, color=_INK, ha="center", va="center", bbox=frame, zorder=2)
    return ax


def _separator(node: Branch, names: Sequence[str] | None) -> str:
    separator = node.split.separator
    if names is None or len(separator) > 2:
        return str(len(separator))
    return "\n".join(_plain(short_label(names[v])) for v in separator)


def _tree_places(tree: Tree) -> dict[int, tuple[float, float]]:
    """Leaves side by side, a branch above the middle of its children; a node reached twice stands under the branch that came first."""
    places: dict[int, tuple[float, float]] = {}
    waiting: list[tuple[int, int, bool]] = [(0, 0, False)]
    begun: set[int] = set()
    column = 0
    while waiting:
        number, depth, is_done = waiting.pop()
        node = tree.nodes[number]
        if is_done and isinstance(node, Branch):
            below = [places[child][0] for child in (node.left, node.right) if child in places]
            places[number] = (sum(below) / len(below), float(depth))
        elif number not in begun:
            begun.add(number)
            if isinstance(node, Branch):
                waiting += [(number, depth, True), (node.right, depth + 1, False), (node.left, depth + 1, False)]
            else:
                places[number] = (float(column), float(depth))
                column += 1
    return places


def _order(pag: PAG, order: Sequence[str] | None, groups: Mapping[str, Sequence[str]] | None) -> list[str]:
    if order is not None and groups is not None:
        raise InvalidGraph("give an order or groups, not both: the groups tell the order.")
    if order is not None:
        return [str(name) for name in order]
    grouped = [str(name) for members in (groups or {}).values() for name in members]
    pag.indices(grouped)  # refuses a name that is none of its vertices
    return [*grouped, *(name for name in in_natural_order(pag.names) if name not in set(grouped))]


def _plain(text: str) -> str:
    """Text that Matplotlib shows as it stands: a dollar sign would begin a formula."""
    return text.replace("$", r"\$")


def _matplotlib(module: str) -> Any:
    from importlib import import_module

    try:
        return import_module(f"matplotlib.{module}")
    except ImportError as error:
        raise MissingExtra(
            f"plotting needs Matplotlib ({error}); install it with: pip install matplotlib. pag.draw() gives SVG without it."
        ) from error


def _axes(ax: Axes | None, width: float, height: float, bare: bool = True) -> Axes:
    """The axes given, or those of a new figure, which they fill where they are ``bare`` of ticks."""
    if ax is not None:
        return ax
    size = (float(np.clip(width, 3, 40)), float(np.clip(height, 2, 40)))
    figure = _matplotlib("pyplot").figure(figsize=size, layout=None if bare else "constrained")
    made: Axes = figure.add_axes((0, 0, 1, 1)) if bare else figure.add_subplot()
    return made


def _axes_size(ax: Axes) -> tuple[float, float]:
    """Width and height of the axes in points."""
    box, inch = ax.get_window_extent(), ax.figure.dpi
    return float(box.width / inch * 72), float(box.height / inch * 72)


def _points(ax: Axes, width: float, height: float) -> float:
    """Points that one unit of the drawing takes on these axes."""
    across, down = _axes_size(ax)
    return min(across / width, down / height)
