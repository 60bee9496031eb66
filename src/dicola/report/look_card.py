"""The look at a table as HTML: a section of the report, and a card in a notebook."""

from __future__ import annotations

from typing import Final

from dicola.errors import counted
from dicola.report.labels import escaped
from dicola.tables.look import Look, Seen

HEADS: Final = ("Column", "Kind", "Levels", "Gaps", "Skew", "Ties", "Use")
NUMERIC: Final = (2, 3, 4, 5)
MOST_ROWS: Final = 200
_INK: Final = "color:var(--jp-content-font-color1,var(--vscode-editor-foreground,inherit))"


def cells(column: Seen) -> tuple[str, ...]:
    """A row of the table, as HTML."""
    skew = "" if column.skew is None else f"{column.skew:.1f}"
    ties = "" if not column.ties else f"{100 * column.ties:.0f}\u202f%"
    return (escaped(column.name), column.kind, str(column.levels or ""), str(column.gaps or ""), skew, ties, escaped(column.use))


def told_first(look: Look) -> list[Seen]:
    """The columns, of many those with something to tell first."""
    told = {name for finding in look.findings for name in finding.columns}
    return sorted(look.columns, key=lambda column: column.name not in told) if len(look.columns) > MOST_ROWS else list(look.columns)


def look_card(look: Look) -> str:
    """One block for a notebook, without scripts."""
    rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells(column)) + "</tr>" for column in told_first(look)[:MOST_ROWS])
    more = look.n_columns - min(len(look.columns), MOST_ROWS)
    head = "".join(f"<th>{name}</th>" for name in HEADS)
    findings = "".join(f"<li>{escaped(finding.sentence)}</li>" for finding in look.findings)
    return (
        f'<div class="dicola-look" style="max-width:1000px;font:14px/1.5 system-ui,sans-serif;{_INK}">'
        f"<div><strong>{counted(look.n_rows, 'row', spec=',')}, {counted(look.n_columns, 'column', spec=',')}</strong></div>"
        f"<ul>{findings or '<li>nothing stands in the way.</li>'}</ul>"
        f'<div style="overflow:auto;max-height:480px"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
        + (f"<div>… {more:,} more columns</div>" if more > 0 else "")
        + f"<div>Go on with <code>{escaped(look.call())}</code></div></div>"
    )
