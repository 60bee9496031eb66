"""Graphs and discoveries as a notebook shows them: a drawing and a few lines, without scripts.

A drawing on its own follows the colours that the system prefers, but the theme of a notebook is
chosen apart from the system's. Where the page names its theme (JupyterLab, VS Code, Colab, most
documentation sites) the drawing follows that one; elsewhere it follows the system, on a ground of
its own. Text takes the colour of the page.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from dicola.errors import counted
from dicola.graphs.pag import PAG
from dicola.report.drawing import draw, drawing_style
from dicola.report.labels import escaped

if TYPE_CHECKING:
    from dicola.discovery import Discovery

_DRAWABLE: Final = 150  # vertices that fit the width of a notebook
_SYSTEM_IS_DARK: Final = "@media screen and (prefers-color-scheme: dark) {"
_DARK_PAGE: Final = (
    ':is([data-jp-theme-light="false"], .vscode-dark, .vscode-high-contrast:not(.vscode-high-contrast-light), '
    '[data-theme="dark"], html[theme="dark"])'
)
_LIGHT_PAGE: Final = (
    ':is([data-jp-theme-light="true"], .vscode-light, .vscode-high-contrast-light, [data-theme="light"], html[theme="light"])'
)
_INK: Final = "color:var(--jp-content-font-color1,var(--vscode-editor-foreground,inherit))"


def drawing_for_notebook(pag: PAG) -> str | None:
    """The drawing, or ``None`` where it would be too large to read there."""
    return draw(pag) if len(pag) <= _DRAWABLE else None


def pag_card(pag: PAG) -> str | None:
    """The drawing in the colours of the notebook, or ``None`` where it would be too large."""
    picture = drawing_for_notebook(pag)
    return None if picture is None else _framed("", picture)


def card(found: Discovery) -> str:
    """One small block: what was found, how, and the drawing where it is small enough."""
    pag, tree = found.pag, found.tree
    lines = [
        f"<strong>PAG of {counted(len(pag), 'variable')}</strong>, {counted(pag.n_edges, 'edge')}: {pag.ends_in_words()}",
        *([] if found.complete else [f"<strong>Incomplete</strong>: {len(found.undecided):,} of these edges are undecided"]),
        f"{tree.in_words()}; {counted(found.tests.get('total', 0), 'independence test', spec=',')}",
        *([f"Power: {escaped(told)}"] if (told := found.how_sure()) else []),
        *([] if found.bootstrap is None else [f"Bootstrap: {escaped(found.bootstrap.summary())}"]),
        *(f"Note: {escaped(warning)}" for warning in found.warnings),
    ]
    picture = found.draw() if len(pag) <= _DRAWABLE else None
    if picture is None:
        lines.append("Too large to draw here: <code>write(folder)</code> makes a report to explore.")
    text = "".join(f'<div style="margin:2px 0">{line}</div>' for line in lines)
    return _framed(text, picture)


def _framed(text: str, picture: str | None) -> str:
    style = f"max-width:1000px;font:14px/1.5 system-ui,sans-serif;{_INK}"
    stage = "overflow:auto;width:fit-content;max-width:100%;max-height:640px;margin-top:8px;border-radius:8px"
    shown = "" if picture is None else f'<div style="{stage}">{picture}</div>'
    return f'<div class="dicola-card" style="{style}"><style>{_theme()}</style>{text}{shown}</div>'


@cache
def _theme() -> str:
    """The two sets of colours of a drawing once more, each for the pages that name their theme."""
    light, dark = drawing_style().rstrip().removesuffix("}").split(_SYSTEM_IS_DARK)
    return f"@media screen {{\n{_LIGHT_PAGE} .dicola-card {{{light}}}\n{_DARK_PAGE} .dicola-card {{{dark}}}\n}}"
