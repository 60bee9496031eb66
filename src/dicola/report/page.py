"""The report: one HTML file that needs nothing else, neither scripts nor the network.

Two reports of the same run are equal byte for byte outside the block between ``<!-- timing:begin -->`` and ``<!-- timing:end -->``,
which alone holds what a clock said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from dicola.graphs.marks import Edge, Mark
from dicola.graphs.pag import PAG, edge_in_words
from dicola.report.drawing import draw, draw_key
from dicola.report.labels import escaped, in_natural_order

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"  # a browser that obeys cannot reach out, whatever the page holds


@dataclass(frozen=True)
class PageContent:
    """All that a report tells; ``legality`` holds the reasons why the graph is no PAG, and is empty where it is one."""

    title: str
    pag: PAG
    settings: Mapping[str, object]
    tests: Mapping[str, int]
    seconds: Mapping[str, float]
    warnings: Sequence[str]
    conflicts: Sequence[str]
    legality: Sequence[str]
    tree_summary: Mapping[str, object]
    dicola_version: str


def page(content: PageContent) -> str:
    """The report as HTML text; the same content gives the same bytes."""
    edges = content.pag.reordered(in_natural_order(content.pag.names)).edges()
    parts = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f'<meta name="generator" content="dicola {escaped(content.dicola_version)}">',
        f"<title>{escaped(content.title)}</title>",
        f"<style>\n{files('dicola.report').joinpath('page.css').read_text(encoding='utf-8')}</style>",
        "</head>",
        "<body>",
        "<main>",
        f"<h1>{escaped(content.title)}</h1>",
        _summary(content),
        _legality(content.legality),
        _drawing(content.pag),
        _key(edges),
        '<div class="columns">',
        _section("Warnings", _list(content.warnings)),
        _section("Conflicts", _list(content.conflicts)),
        _section("Tests by phase", _counts(content.tests)),
        _section("Decomposition", _facts(content.tree_summary)),
        _section("Settings", _facts(content.settings)),
        _timing(content.seconds),
        "</div>",
        _edges(edges),
        "</main>",
        f"<footer>Made by dicola {escaped(content.dicola_version)}.</footer>",
        "</body>",
        "</html>",
    ]
    return "\n".join(parts) + "\n"


def _summary(content: PageContent) -> str:
    pag = content.pag
    numbers = {
        "variables": len(pag),
        "edges": pag.n_edges,
        "arrowheads": pag.count(Mark.ARROW),
        "tails": pag.count(Mark.TAIL),
        "circles": pag.count(Mark.CIRCLE),
    }
    if content.tests:
        numbers["independence tests"] = content.tests.get("total", sum(content.tests.values()))
    cards = "\n".join(f"<div><dt>{name}</dt><dd>{_plain(number)}</dd></div>" for name, number in numbers.items())
    return f'<dl class="summary">\n{cards}\n</dl>'


def _legality(reasons: Sequence[str]) -> str:
    if not reasons:
        return '<p class="verdict">The graph is a legal PAG: it stands for a Markov equivalence class of maximal ancestral graphs.</p>'
    return (
        '<div class="verdict illegal">\n<p>The graph is not a legal PAG: no Markov equivalence class has exactly these marks. '
        f"Finite samples often lead here; read the edges named below with care.</p>\n{_list(reasons)}\n</div>"
    )


def _drawing(pag: PAG) -> str:
    choices = "\n".join(
        f'<input type="radio" name="zoom" id="zoom-{key}"{checked}><label for="zoom-{key}">{label}</label>'
        for key, label, checked in (("fit", "Fit", " checked"), ("full", "100 %", ""), ("double", "200 %", ""))
    )
    stage = f'<div class="stage" tabindex="0" role="group" aria-label="Drawing, scrollable">\n{draw(pag)}</div>'
    return f'<section class="drawing">\n<h2>Graph</h2>\n{choices}\n{stage}\n</section>'


def _key(edges: Sequence[Edge]) -> str:
    """The kinds of edge that occur, each with its sign, its count and its meaning."""
    counts = Counter((edge.mark_u, edge.mark_v) for edge in edges)
    rows = []
    for marks, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        kind = Edge("A", "B", *marks)
        rows.append(
            (
                f'<span class="sign">{draw_key(kind)} <code>{escaped(kind)}</code></span>',
                _plain(count),
                escaped(edge_in_words(kind)),
            )
        )
    if not rows:
        return ""
    return _section("How to read it", _table(("Sign", "Count", "Meaning"), rows, numeric=(1,)))


def _edges(edges: Sequence[Edge]) -> str:
    if not edges:
        return _section("Edges", "<p>No edges: every pair of variables can be separated.</p>")
    rows = [(f"<code>{escaped(edge)}</code>", escaped(edge_in_words(edge))) for edge in edges]
    return _section("Edges", _table(("Edge", "In words"), rows))


def _counts(tests: Mapping[str, int]) -> str:
    return _table(("Phase", "Tests"), [(_phase(phase), _plain(count)) for phase, count in tests.items()], numeric=(1,))


def _facts(facts: Mapping[str, object]) -> str:
    return _table(("Name", "Value"), [(escaped(str(name).replace("_", " ")), _plain(value)) for name, value in facts.items()])


def _timing(seconds: Mapping[str, float]) -> str:
    rows = [(_phase(phase), f"{value:.3f}") for phase, value in seconds.items()]
    table = _table(("Phase", "Seconds"), rows, numeric=(1,))
    return f"<!-- timing:begin -->\n{_section('Seconds', table)}\n<!-- timing:end -->"


def _phase(name: str) -> str:
    return f"<strong>{escaped(name)}</strong>" if name == "total" else escaped(name)


def _section(heading: str, body: str) -> str:
    return f"<section>\n<h2>{heading}</h2>\n{body}\n</section>"


def _list(sentences: Sequence[str]) -> str:
    if not sentences:
        return "<p>None.</p>"
    return "<ul>\n" + "\n".join(f"<li>{escaped(sentence)}</li>" for sentence in sentences) + "\n</ul>"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[int] = ()) -> str:
    """A table of cells that are HTML already; the first column of each row is its header."""
    style = ['class="number"' if i in numeric else "" for i in range(len(heads))]
    lines = []
    for row in rows:
        cells = [f"<td {style[i]}>{cell}</td>" if style[i] else f"<td>{cell}</td>" for i, cell in enumerate(row) if i]
        lines.append(f'<tr><th scope="row">{row[0]}</th>{"".join(cells)}</tr>')
    if not lines:
        return "<p>None.</p>"
    head = "".join(
        f'<th scope="col" {style[i]}>{name}</th>' if style[i] else f'<th scope="col">{name}</th>' for i, name in enumerate(heads)
    )
    body = "\n".join(lines)
    return f'<div class="table"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>'


def _plain(value: object) -> str:
    """A value as a reader expects it: grouped thousands, yes and no, names in a row; sets in sorted order."""
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and not isinstance(value, Mark):
        return f"{value:,}".replace(",", "\u202f")
    if isinstance(value, Mapping):
        return "; ".join(f"{escaped(name)}: {_plain(part)}" for name, part in value.items()) or "none"
    if isinstance(value, AbstractSet):
        return ", ".join(sorted(_plain(part) for part in value)) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(_plain(part) for part in value) or "none"
    return escaped(value)
