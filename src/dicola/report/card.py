"""A discovery as a notebook shows it: a drawing with a few lines, in plain HTML without scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dicola.graphs.marks import Mark
from dicola.graphs.pag import PAG
from dicola.report.drawing import draw
from dicola.report.labels import escaped

if TYPE_CHECKING:
    from dicola.discovery import Discovery

_DRAWABLE: Final = 150  # vertices that fit the width of a notebook


def drawing_for_notebook(pag: PAG) -> str | None:
    """The drawing, or ``None`` where it would be too large to read there."""
    return draw(pag) if len(pag) <= _DRAWABLE else None


def card(found: Discovery) -> str:
    """One small block: what was found, how, and the drawing where it is small enough."""
    pag, tree = found.pag, found.tree
    lines = [
        f"<strong>PAG of {len(pag)} variables</strong>, {pag.n_edges} edges: {pag.count(Mark.ARROW)} arrowheads, "
        f"{pag.count(Mark.TAIL)} tails, {pag.count(Mark.CIRCLE)} circles",
        f"{tree.n_leaves} leaves, the largest with {tree.largest_leaf} variables; {found.tests.get('total', 0):,} independence tests",
        *(f"Note: {escaped(warning)}" for warning in found.warnings),
    ]
    picture = drawing_for_notebook(pag)
    if picture is None:
        lines.append("Too large to draw here: <code>write(folder)</code> makes a report to explore.")
    text = "".join(f'<div style="margin:2px 0">{line}</div>' for line in lines)
    stage = "" if picture is None else f'<div style="overflow:auto;max-height:640px;margin-top:8px">{picture}</div>'
    return f'<div style="max-width:1000px;font:14px/1.5 system-ui,sans-serif">{text}{stage}</div>'
