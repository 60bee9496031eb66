"""The figures of the paper, drawn again from rows: accuracy, tests, seconds against rows or degree.

A learner keeps its colour and marker: dashed and open it runs alone, solid and filled within
DiCoLa. The same rows give the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from math import log10
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, Final, Literal

from dicola import PAG
from dicola_experiments.extras import from_extra
from dicola_experiments.files import write_changed
from dicola_experiments.methods import BASES, base_of
from dicola_experiments.plan import Setting
from dicola_experiments.summary import Outcome, Results, compared

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

METRICS: Final = {"f1": "F1 of the skeleton", "tests": "independence tests", "time": "CPU seconds"}
NAMES: Final = {"fci": "FCI", "rfci": "RFCI", "fci+": "FCI+", "icd": "ICD", "l-marvel": "L-MARVEL"}
_COLOURS: Final = {"fci": "#0b62a4", "rfci": "#d1490c", "fci+": "#00835f", "icd": "#b0418c", "l-marvel": "#a57400"}
_MARKERS: Final = {"fci": "o", "rfci": "s", "fci+": "^", "icd": "D", "l-marvel": "v"}
# What DiCoLa may do instead of stopping where the paper does: colour, marker, line.
_VARIANTS: Final = {
    "paper": ("#0b62a4", "o", "-"),
    "reference": ("#d1490c", "s", "-"),
    "auto": ("#00835f", "^", "-"),
    "uig": ("#b0418c", "D", ":"),
}
_VARIANT_NAMES: Final = {
    "paper": 'DiCoLa, stop="paper"',
    "reference": 'stop="reference"',
    "auto": 'stop="auto"',
    "uig": "from the UIG, not divided",
}
# Those of PAG.plot_matrix; a test holds them equal.
MARK_COLOURS: Final = {"arrowhead": "#14181e", "tail": "#1f5fc4", "circle": "#c62f2f"}
_INK = "#22272e"
_SAMPLES: Final = 2000  # of the comparison at one number of rows
_RULES: Final = {
    "font.size": 8.5,
    "axes.edgecolor": "#8a929c",
    "axes.labelcolor": _INK,
    "axes.linewidth": 0.7,
    "axes.titlesize": 9.5,
    "axes.titlecolor": _INK,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "#eceef1",
    "grid.linewidth": 0.8,
    "xtick.color": "#5b636d",
    "ytick.color": "#5b636d",
    "xtick.labelcolor": _INK,
    "ytick.labelcolor": _INK,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "xtick.minor.size": 0,
    "ytick.minor.size": 0,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.6,
    "legend.frameon": False,
    "figure.dpi": 100,
    "savefig.dpi": 150,
    "svg.hashsalt": "dicola",
    "svg.fonttype": "path",
}


@dataclass(frozen=True)
class _Look:
    colour: str
    marker: str
    line: str = "-"
    filled: bool = True

    def of_line(self) -> dict[str, Any]:
        face = self.colour if self.filled else "white"
        return {"color": self.colour, "marker": self.marker, "linestyle": self.line, "markerfacecolor": face, "markeredgewidth": 1.1}


@dataclass(frozen=True)
class _Curve:
    """One line of a panel: where it stands, and what was found there."""

    look: _Look
    points: tuple[tuple[float, Outcome], ...]


def figures_of(studies: Mapping[str, Results]) -> dict[str, Callable[[], Figure]]:
    """How to draw each figure that the rows allow, by name."""
    figures: dict[str, Callable[[], Figure]] = {}
    drawn = {f"dicola+{base}/paper" for base in BASES}
    recovered = {name: found for name, found in studies.items() if found.study.kind == "recovery" and drawn & set(found.methods)}
    main = [recovered[name] for name in ("er30-5", "er50-3-5", "andes") if name in recovered]
    if len(main) == 3:
        figures["main"] = lambda: learners_figure(main)
    for name, results in recovered.items():
        if len(_longest(results)) > 1:
            figures[name] = lambda results=results: learners_figure([results])  # type: ignore[misc]
        elif len(results.series()) > 1:
            figures[name] = lambda results=results: degrees_figure(results)  # type: ignore[misc]
    places = [
        (results, setting)
        for results in recovered.values()
        for setting in _longest(results)
        if setting.samples == _SAMPLES and len(_longest(results)) > 1
    ]
    if places:
        figures["variants"] = lambda: variants_figure(places)
    return figures


def write_figures(studies: Mapping[str, Results], folder: Path) -> list[Path]:
    """Draw all figures into the folder, each as SVG and PNG."""
    written = []
    with drawing():
        for name, draw in figures_of(studies).items():
            written += save(draw(), folder / name)
    return written


@contextmanager
def drawing() -> Iterator[None]:
    """Matplotlib with our rules, whatever the user's are."""
    matplotlib = from_extra("matplotlib", "matplotlib")
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_RULES)
        yield


def save(figure: Figure, path: Path) -> list[Path]:
    """As SVG and PNG, without anything that differs from run to run.

    A file that would not change is left as it is.
    """
    svg, png = BytesIO(), BytesIO()
    figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    figure.savefig(png, format="png", metadata={"Software": None})
    plain = re.sub(rb"[ \t]+$", b"", svg.getvalue(), flags=re.MULTILINE)
    return [
        write_changed(path.with_name(f"{path.name}.svg"), plain),
        write_changed(path.with_name(f"{path.name}.png"), png.getvalue()),
    ]


def learners_figure(studies: Sequence[Results]) -> Figure:
    """Each learner alone and within DiCoLa, against the number of rows.

    One row of panels per study, one panel per metric.
    """
    figure, panels = _panels(len(studies), len(METRICS), width=9.2, height=2.75)
    notes = []
    for row, results in zip(panels, studies, strict=True):
        settings = _longest(results)
        curves = [
            _Curve(look, tuple((float(setting.samples), found) for setting in settings if (found := results.at(setting, method))))
            for base in BASES
            for method, look in (
                (base, _Look(_COLOURS[base], _MARKERS[base], "--", filled=False)),
                (f"dicola+{base}/paper", _Look(_COLOURS[base], _MARKERS[base])),
            )
        ]
        _fill(row, curves, {float(setting.samples): f"{setting.samples / 1000:g}" for setting in settings})
        _name(row, f"{settings[0].graph}, {settings[0].hidden} hidden")
        notes.append(_left_out(curves, settings[0].graph if len(studies) > 1 else ""))
    _head(panels[0])
    for ax in panels[-1]:
        ax.set_xlabel("thousand rows (N)")
    looks = [(NAMES[base], _Look(_COLOURS[base], _MARKERS[base])) for base in BASES]
    _legend(
        figure,
        [*looks, ("within DiCoLa", _Look(_INK, "", "-")), ("alone", _Look(_INK, "", "--"))],
        "\n".join(note for note in notes if note),
    )
    return figure


def degrees_figure(results: Results) -> Figure:
    """Each learner alone and within DiCoLa, against the average degree.

    One row of panels per learner, one line per rule that stops the splitting.
    """
    bases = [base for base in BASES if base in results.methods and f"dicola+{base}/paper" in results.methods]
    figure, panels = _panels(len(bases), len(METRICS), width=9.2, height=2.75)
    settings = {_degree(setting): setting for setting in results.settings}
    alone = _Look(_INK, "x", "--", filled=False)
    notes = []
    for row, base in zip(panels, bases, strict=True):
        looks = {base: alone} | {f"dicola+{base}/{stop}": _Look(*_VARIANTS[stop]) for stop in ("paper", "reference", "auto")}
        curves = [
            _Curve(look, tuple((degree, found) for degree, setting in settings.items() if (found := results.at(setting, method))))
            for method, look in looks.items()
        ]
        _fill(row, curves, {degree: f"{degree:g}" for degree in settings})
        _name(row, NAMES[base])
        notes.append(_left_out(curves, ""))
    _head(panels[0])
    for ax in panels[-1]:
        ax.set_xlabel("average degree d of the graph")
    named = [(_VARIANT_NAMES[stop], _Look(*_VARIANTS[stop])) for stop in ("paper", "reference", "auto")]
    _legend(figure, [("alone", alone), *named], "\n".join(note for note in notes if note))
    return figure


def variants_figure(places: Sequence[tuple[Results, Setting]]) -> Figure:
    """What each rule that stops the splitting does to each learner: share of tests, gain in F1."""
    height = 0.62 + 0.2 * len(places)
    learners = [BASES[0], "fci exact", *BASES[1:]]
    figure, panels = _panels(2, len(learners), width=9.6, height=height, shared=True)
    for learner, top, bottom in zip(learners, panels[0], panels[1], strict=True):
        base = learner.partition(" ")[0]
        for offset, variant in zip((-0.24, -0.08, 0.08, 0.24), _VARIANTS, strict=True):
            look = _Look(*_VARIANTS[variant][:2])
            method = f"uig+{base}" if variant == "uig" else f"dicola+{base}/{variant}"
            for place, (results, setting) in enumerate(places):
                alone, other = results.at(setting, learner), results.at(setting, method)
                if alone is None or other is None or alone.given_up or other.given_up:
                    continue
                tests, accuracy = compared(other, alone, "tests"), compared(other, alone, "f1")
                if tests is not None:
                    top.plot([tests.ratio], [place + offset], **look.of_line() | {"markersize": 4})
                if accuracy is not None:
                    gain = accuracy.difference
                    bottom.errorbar(
                        [gain.value], [place + offset], xerr=gain.error or 0.0, **look.of_line() | {"markersize": 4}, elinewidth=1
                    )
        top.set_title(method_name(learner))
        top.axvline(1, color="#9aa2ac", linewidth=0.8)
        bottom.axvline(0, color="#9aa2ac", linewidth=0.8)
        for ax in (top, bottom):
            ax.set_yticks(range(len(places)), [f"{setting.graph}/{setting.hidden}" for _, setting in places])
            ax.set_ylim(len(places) - 0.5, -0.5)
            ax.grid(visible=False, axis="y")
            for place in range(1, len(places)):
                ax.axhline(place - 0.5, color="#eceef1", linewidth=0.8)
    for ax in panels[0]:
        _logarithmic(ax, "x")
    for row, label in zip(panels, ("tests: share of the learner's alone", "F1 of the skeleton: gain over the learner alone"), strict=True):
        # The label spans several panels and must not part them; a blank keeps its height free.
        row[0].set_xlabel(" ")
        middle = row[len(row) // 2 - 1]
        text = middle.annotate(label, (1.08, 0), (0, -20), xycoords="axes fraction", textcoords="offset points", ha="center", va="top")
        text.set_in_layout(False)
    _legend(figure, [(_VARIANT_NAMES[variant], _Look(*_VARIANTS[variant][:2], "")) for variant in _VARIANTS], "")
    return figure


def matrices_figure(pags: Mapping[str, PAG], groups: Mapping[str, Sequence[str]]) -> Figure:
    """Mark matrices side by side, vertices grouped.

    A cell is the mark at the vertex of its column, on the edge with the vertex of its row.
    """
    n = len(next(iter(pags.values())))
    figure, (panels,) = _panels(1, len(pags), width=(0.125 * n + 1.35) * len(pags), height=0.125 * n + 0.85)
    for ax, (title, pag) in zip(panels, pags.items(), strict=True):
        ax.grid(visible=False)
        ax.spines[["top", "right"]].set_visible(True)
        for line in range(1, n):
            ax.axhline(line, color="#f1f3f5", linewidth=0.6, zorder=0)
            ax.axvline(line, color="#f1f3f5", linewidth=0.6, zorder=0)
        pag.plot_matrix(ax, groups=groups)
        ax.set_xlabel(f"{title}, {pag.n_edges} edges", labelpad=6)
    patches = from_extra("matplotlib.patches", "matplotlib")
    handles = [patches.Patch(color=colour, label=label) for label, colour in MARK_COLOURS.items()]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return figure


def _panels(n_rows: int, n_columns: int, width: float, height: float, shared: bool = False) -> tuple[Figure, list[list[Axes]]]:
    figure: Figure = from_extra("matplotlib.figure", "matplotlib").Figure(figsize=(width, height * n_rows + 0.5), layout="constrained")
    from_extra("matplotlib.backends.backend_agg", "matplotlib").FigureCanvasAgg(figure)
    how: Literal["row", "none"] = "row" if shared else "none"
    return figure, figure.subplots(n_rows, n_columns, squeeze=False, sharex=how, sharey=how).tolist()


def _fill(row: Sequence[Axes], curves: Sequence[_Curve], ticks: Mapping[float, str]) -> None:
    """Draw the curves into the panels of a row.

    A method that was given up somewhere has no point there, as in the paper.
    """
    for ax, metric in zip(row, METRICS, strict=True):
        for curve in curves:
            points = [(x, mean) for x, found in curve.points if not found.given_up and (mean := found.mean(metric)) is not None]
            if points:
                ax.errorbar(
                    [x for x, _ in points],
                    [mean.value for _, mean in points],
                    yerr=[mean.error or 0.0 for _, mean in points],
                    elinewidth=0.9,
                    capsize=1.8,
                    capthick=0.9,
                    **curve.look.of_line(),
                )
        if metric != "f1":
            _logarithmic(ax, "y")
        ax.set_xticks(list(ticks), list(ticks.values()))
        span = max(ticks) - min(ticks) if len(ticks) > 1 else 1.0
        ax.set_xlim(min(ticks) - 0.05 * span, max(ticks) + 0.05 * span)


def _logarithmic(ax: Axes, which: str) -> None:
    """A logarithmic axis with plain numbers, more of them the fewer decades it spans."""
    ticker = from_extra("matplotlib.ticker", "matplotlib")
    ax.set(**{f"{which}scale": "log"})
    low, high = getattr(ax, f"get_{which}lim")()
    decades = log10(high / low)
    axis = getattr(ax, f"{which}axis")
    axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if decades < 1.3 else (1, 3) if decades < 2.5 else (1,), numticks=12))
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: _short(value)))
    axis.set_minor_locator(ticker.NullLocator())


def _short(value: float) -> str:
    """
    >>> [_short(value) for value in (0.003, 0.5, 20, 3000, 1e6)]
    ['0.003', '0.5', '20', '3k', '1M']
    """
    for unit, sign in ((1e6, "M"), (1e3, "k")):
        if value >= unit * 0.999:
            return f"{value / unit:g}{sign}"
    return f"{value:g}"


def _head(row: Sequence[Axes]) -> None:
    for ax, title in zip(row, METRICS.values(), strict=True):
        ax.set_title(title, loc="left")


def _name(row: Sequence[Axes], name: str) -> None:
    row[0].set_ylabel(name, fontweight="bold", fontsize=9.5, labelpad=8)


def _left_out(curves: Sequence[_Curve], where: str) -> str:
    """A sentence on points that are missing because the method was given up there."""
    missing: dict[str, list[str]] = {}
    cap = 0.0
    for curve in curves:
        for x, found in curve.points:
            if found.given_up:
                missing.setdefault(method_name(found.cell.method), []).append(f"{x:g}")
                cap = found.cell.cap
    if not missing:
        return ""
    parts = "; ".join(f"{method} at {', '.join(places)}" for method, places in missing.items())
    return f"{f'{where}: ' if where else ''}left out, stopped after {cap:g} s on three tables: {parts}"


def method_name(method: str) -> str:
    """As people write it.

    >>> method_name("dicola+l-marvel/paper"), method_name("dicola+fci/auto")
    ('DiCoLa+L-MARVEL', 'DiCoLa+FCI (auto)')
    >>> method_name("uig+icd"), method_name("fci exact")
    ('ICD from the UIG', 'FCI exact')
    """
    base = base_of(method)
    name = NAMES.get(base, base)
    if method.startswith("dicola+"):
        stop = method.partition("/")[2]
        return f"DiCoLa+{name}" + (f" ({stop})" if stop != "paper" else "")
    if method.startswith("uig+"):
        return f"{name} from the UIG"
    return {
        "fci exact": "FCI exact",
        "causal-learn fci": "causal-learn FCI",
        "rcd l-marvel": "rcd L-MARVEL",
        "mmb-by-mmb": "MMB-by-MMB",
    }.get(method, name)


def _legend(figure: Figure, entries: Sequence[tuple[str, _Look]], note: str) -> None:
    lines = from_extra("matplotlib.lines", "matplotlib")
    handles = [lines.Line2D([], [], label=label, **look.of_line()) for label, look in entries]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), handlelength=2.4, columnspacing=1.6)
    if note:
        figure.supxlabel("\n".join(fill(line, 150) for line in note.splitlines()), fontsize=7, color="#5b636d")


def _longest(results: Results) -> list[Setting]:
    """The first of the series with the most settings, which is the one that the figure shows."""
    return max(results.series().values(), key=len, default=[])


def _degree(setting: Setting) -> float:
    found = re.search(r",\s*([\d.]+)\)", setting.graph)
    return float(found[1]) if found else 0.0
