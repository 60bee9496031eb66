"""The report: one HTML file that needs nothing else, neither a server nor the network.

The page stands on its own as plain HTML with a drawing and a list of the edges; that is what a printer and a reader without scripts
see. Its script makes it a place to explore. Two reports of the same run are equal byte for byte outside the block between
``<!-- timing:begin -->`` and ``<!-- timing:end -->``, which alone holds what a clock said.
"""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from dicola._version import __version__
from dicola.errors import counted
from dicola.graphs.marks import Edge, Mark
from dicola.graphs.pag import edge_in_words
from dicola.report.drawing import MOST_UNDECIDED, draw_key, drawing_style, resource
from dicola.report.labels import escaped, in_natural_order
from dicola.report.look_card import HEADS, MOST_ROWS, NUMERIC, cells, told_first
from dicola.report.payload import payload
from dicola.report.rule_text import OPEN

if TYPE_CHECKING:
    import pandas as pd

    from dicola.confidence import Bootstrap
    from dicola.discovery import Discovery
    from dicola.statements import Statement
    from dicola.tables.look import Look

_WHY_ILLEGAL: Final = (
    "Finite samples often lead here; read the edges named below with care.",
    "Circles were put where graphs that score nearly as well disagree.",
)
_SCRIPTS: Final = ("dom", "facts", "stage", "shapes", "graph", "matrix", "panel", "tree", "tables", "app")


def page(found: Discovery, table: pd.DataFrame | None = None) -> str:
    """The report as HTML text; the same result gives the same bytes.

    ``table`` is that of ``dicola.edge_table``, where there is one; its evidence is shown per edge.
    """
    tree = found.tree
    title = f"PAG of {counted(len(found.pag), 'variable')}"
    edges = found.pag.reordered(in_natural_order(found.pag.names)).edges()
    style, script = resource("page.css"), _script()
    parts = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_policy((style, drawing_style()), script)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f'<meta name="generator" content="dicola {escaped(__version__)}">',
        f"<title>{escaped(title)}</title>",
        f"<style>{style}</style>",
        "</head>",
        "<body>",
        "<main>",
        f"<h1>{escaped(title)}</h1>",
        _summary(found),
        _legality(found) if found.complete else _incomplete(found),
        _how_sure(found.how_sure()) if found.complete else "",
        _drawn(found.bootstrap),
        _section("Graph", f'<div class="still-drawing">\n{found.draw()}</div>', still=True),
        _key(edges, bool(found.settings.get("selection"))),
        '<div class="columns">',
        _section("Warnings", _list(found.warnings)),
        _statements(found.statements),
        _look(found.look),
        _section("Conflicts", _list(found.conflicts_in_words())),
        _section("Data and settings", _facts(_flat(found.settings))),
        '<div class="stack">',
        _section("Tests by phase", _by_phase("Tests", _tests(found))),
        "<!-- timing:begin -->",
        _section("Seconds", _by_phase("Seconds", {phase: f"{value:.3f}" for phase, value in found.seconds.items()})),
        "<!-- timing:end -->",
        _section("Decomposition", _facts({"leaves": tree.n_leaves, "largest leaf": tree.largest_leaf, "depth": tree.depth})),
        "</div>",
        "</div>",
        _edges(edges, found),
        f"<footer>Made by dicola {escaped(__version__)}.</footer>",
        "</main>",
        f'<script type="application/json" id="facts">{payload(found, table)}</script>',
        f"<script>{script}</script>",
        "</body>",
        "</html>",
    ]
    return "\n".join(parts) + "\n"


def _script() -> str:
    """The page's script, one file after the other, closed off from whatever else a page may hold."""
    return '"use strict";\n(() => {\n' + "\n".join(resource(f"script/{name}.js") for name in _SCRIPTS) + "})();\n"


def _policy(styles: Iterable[str], script: str) -> str:
    """A browser that obeys runs this script and these styles, and reaches for nothing, whatever else the page holds."""

    def allowed(text: str) -> str:
        return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"

    return (
        f"default-src 'none'; script-src {allowed(script)}; style-src {' '.join(allowed(style) for style in styles)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _flat(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of settings as lines of their own: ``learner: fci``, ``learner max_condition_size: …``."""
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        parts = value if isinstance(value, dict) else {"name": value}
        flat |= {name if key == "name" else f"{name} {key}": part for key, part in parts.items()}
    return flat


def _summary(found: Discovery) -> str:
    pag = found.pag
    ends = {"arrowheads": Mark.ARROW, "tails": Mark.TAIL, "circles": Mark.CIRCLE}
    numbers = {"variables": len(pag), "edges": pag.n_edges, **{name: pag.count(mark) for name, mark in ends.items()}}
    if found.tests:
        numbers["independence tests"] = found.tests.get("total", sum(found.tests.values()))
    cards = "\n".join(f"<div><dt>{name}</dt><dd>{_plain(number)}</dd></div>" for name, number in numbers.items())
    return f'<dl class="summary">\n{cards}\n</dl>'


def _legality(found: Discovery) -> str:
    reasons = found.legality.reasons
    if not reasons:
        return '<p class="verdict">The graph is a legal PAG: it stands for a Markov equivalence class of maximal ancestral graphs.</p>'
    return (
        '<div class="verdict illegal">\n<p>The graph is not a legal PAG: no Markov equivalence class has exactly these marks. '
        f"{_WHY_ILLEGAL[found.settings.get('undecided') == 'circle']}</p>\n{_list(reasons)}\n</div>"
    )


def _how_sure(told: str) -> str:
    return f'<p class="verdict"><strong>How sure?</strong> {escaped(told[0].upper() + told[1:])}</p>' if told else ""


def _look(look: Look | None) -> str:
    """The table that was learned from; nothing for a table in which there is nothing to tell."""
    if look is None or not look.findings:
        return ""
    shown = told_first(look)[:MOST_ROWS]
    more = look.n_columns - len(shown)
    rest = f"<p>{_plain(more)} more columns are not shown.</p>" if more > 0 else ""
    rows = [cells(column) for column in shown]
    findings = _list([finding.sentence for finding in look.findings])
    return _section("The table", findings + "\n" + _table(HEADS, rows, numeric=NUMERIC) + rest)


def _statements(statements: Sequence[Statement]) -> str:
    """What became of the claims made beforehand; nothing where none were made."""
    rows = [(escaped(each.said), escaped(each.verdict[:1].upper() + each.verdict[1:])) for each in statements]
    return _section("What was known", _table(("Statement", "What became of it"), rows)) if rows else ""


def _key(edges: Sequence[Edge], selection: bool) -> str:
    """The kinds of edge that occur, each with its sign, its count and its meaning."""
    if not edges:
        return ""
    counts = Counter((edge.mark_u, edge.mark_v) for edge in edges)
    kinds = [(Edge("A", "B", *marks), count) for marks, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    rows = [
        (f'<span class="sign">{draw_key(kind)} <code>{escaped(kind)}</code></span>', _plain(count), escaped(edge_in_words(kind, selection)))
        for kind, count in kinds
    ]
    return _section("How to read it", _table(("Sign", "Count", "Meaning"), rows, numeric=(1,)), still=True)


def _drawn(drawn: Bootstrap | None) -> str:
    return "" if drawn is None else f'<p class="verdict"><strong>Bootstrap.</strong> {escaped(drawn.summary())}.</p>'


def _incomplete(found: Discovery) -> str:
    """What a part of an answer is, and how to tell what is decided."""
    many = len(found.undecided) > MOST_UNDECIDED
    how = "are too many to be drawn; the list of edges has them" if many else "are dashed"
    return (
        '<div class="verdict illegal">\n<p><strong>Incomplete.</strong> The run was stopped, and this is a part of an answer: '
        f"{counted(len(found.undecided), 'edge is', 'edges are', ',')} undecided. Undecided edges {how}.</p>\n</div>"
    )


def _edges(edges: Sequence[Edge], found: Discovery) -> str:
    if not edges:
        return _section("Edges", "<p>No edges: every pair of variables can be separated.</p>", still=True)
    drawn = found.bootstrap
    selection = bool(found.settings.get("selection"))
    words = [edge_in_words(edge, selection) if found.is_decided(edge.u, edge.v) else OPEN for edge in edges]
    rows = [(f"<code>{escaped(edge)}</code>", *_often(drawn, edge), escaped(told)) for edge, told in zip(edges, words, strict=True)]
    heads = ("Edge", *(() if drawn is None else ("Adjacent in", "With these marks in")), "In words")
    return _section("Edges", _table(heads, rows, numeric=() if drawn is None else (1, 2)), still=True)


def _often(drawn: Bootstrap | None, edge: Edge) -> tuple[str, ...]:
    """How often an edge came in a bootstrap, and with these marks."""
    return () if drawn is None else tuple(f"{share:.0%}" for share in drawn.of_edge(edge)[:2])


def _tests(found: Discovery) -> dict[str, str]:
    """How many tests there were, and how many of them got a default answer."""
    untested = {"without rows enough": found.untested.rows, "about a determined variable": found.untested.determined}
    return {name: _plain(count) for name, count in (*found.tests.items(), *((name, count) for name, count in untested.items() if count))}


def _by_phase(unit: str, told: Mapping[str, str]) -> str:
    rows = [(f"<strong>{phase}</strong>" if phase == "total" else escaped(phase), number) for phase, number in told.items()]
    return _table(("Phase", unit), rows, numeric=(1,))


def _facts(facts: Mapping[str, object]) -> str:
    return _table(("Name", "Value"), [(escaped(str(name).replace("_", " ")), _plain(value)) for name, value in facts.items()])


def _section(heading: str, body: str, still: bool = False) -> str:
    """A part of the page; a ``still`` one is hidden where the script shows the same in a livelier way."""
    opening = '<section class="still">' if still else "<section>"
    return f"{opening}\n<h2>{heading}</h2>\n{body}\n</section>"


def _list(sentences: Sequence[str]) -> str:
    if not sentences:
        return "<p>None.</p>"
    return "<ul>\n" + "\n".join(f"<li>{escaped(sentence)}</li>" for sentence in sentences) + "\n</ul>"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[int] = ()) -> str:
    """A table of cells that are HTML already; the first column of each row is its header."""
    if not rows:
        return "<p>None.</p>"
    look = [' class="number"' if i in numeric else "" for i in range(len(heads))]
    head = "".join(f'<th scope="col"{look[i]}>{name}</th>' for i, name in enumerate(heads))
    cells = [(first, "".join(f"<td{look[i]}>{cell}</td>" for i, cell in enumerate(rest, 1))) for first, *rest in rows]
    body = "\n".join(f'<tr><th scope="row">{first}</th>{rest}</tr>' for first, rest in cells)
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
    if isinstance(value, list | tuple | AbstractSet):
        parts = map(_plain, value)
        return ", ".join(sorted(parts) if isinstance(value, AbstractSet) else parts) or "none"
    return escaped(value)
