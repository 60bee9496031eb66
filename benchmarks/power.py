"""How often each test finds a link, by its strength, the rows and the kinds of columns.

``python benchmarks/power.py`` draws the tables, writes ``power.json`` beside this file and the figure and the table of
docs/howto/which-test.md; ``python benchmarks/power.py page`` writes the latter from the record alone.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola import RCIT, BasisFunction, ChiSquare, CITest, ConditionalGaussian, DegenerateGaussian, FisherZ, GaussianCopula, GSquare, Table

Floats = NDArray[np.float64]
HERE = Path(__file__).resolve().parent
RECORD, FIGURE, PAGE = HERE / "power.json", HERE.parent / "docs/images/power.svg", HERE.parent / "docs/howto/which-test.md"
BEGIN, END = "<!-- power:begin, by benchmarks/power.py -->", "<!-- power:end -->"
LEVEL, REPEATS, SEED = 0.05, 200, 18
ROWS, EFFECTS = (200, 500, 2000), (0.0, 0.1, 0.2, 0.3, 0.4)
SHOWN_ROWS, TOLD_EFFECT = 500, 0.2
TESTS: dict[str, type[CITest]] = {
    kind.name: kind for kind in (FisherZ, GaussianCopula, DegenerateGaussian, BasisFunction, ConditionalGaussian, GSquare, ChiSquare, RCIT)
}
COLOURS = dict(zip(TESTS, ("#0b5e6b", "#d1495b", "#edae49", "#3d7dca", "#7b5ea7", "#2e8b57", "#8c6d46", "#9a9a9a"), strict=True))


class Setting(NamedTuple):
    """Two columns and one that drives both: their kinds, and the shape of what is seen of x and y."""

    title: str
    x: str
    y: str
    given: str
    shape: str = "straight"


SETTINGS = (
    Setting("number, number", "continuous", "continuous", "continuous"),
    Setting("number, number, skewed", "continuous", "continuous", "continuous", "skewed"),
    Setting("number, number, bent", "continuous", "continuous", "continuous", "bent"),
    Setting("number, grade", "continuous", "ordered", "continuous"),
    Setting("grade, grade", "ordered", "ordered", "continuous"),
    Setting("number, category", "continuous", "nominal", "continuous"),
    Setting("category, category", "nominal", "nominal", "nominal"),
)


def drawn(setting: Setting, effect: float, rows: int, rng: np.random.Generator) -> Table:
    """X and Y with this partial correlation given Z behind what is seen; Y bent means that it follows the square of X."""
    cause = rng.normal(size=rows)
    given = np.digitize(cause, [-0.43, 0.43]) if setting.given == "nominal" else cause
    driven = 0.7 * (given - 1.0 if setting.given == "nominal" else cause)
    own = rng.normal(size=rows)
    followed = (own**2 - 1) / np.sqrt(2) if setting.shape == "bent" else own
    x, y = own + driven, effect * followed + np.sqrt(1 - effect**2) * rng.normal(size=rows) + driven
    if setting.shape == "skewed":
        x, y = np.exp(1.5 * x), np.exp(1.5 * y)
    kinds = {"X": setting.x, "Y": setting.y, "Z": setting.given}
    values = np.column_stack([_seen(x, setting.x), _seen(y, setting.y), given])
    return Table.from_array(values, list(kinds)).understood(kinds)  # type: ignore[arg-type]


def _seen(values: Floats, kind: str) -> Floats:
    """Numbers as they are, four grades, or three classes in no order: the middle one comes last."""
    if kind == "continuous":
        return values
    shares = (0.25, 0.5, 0.75) if kind == "ordered" else (1 / 3, 2 / 3)
    classes = np.digitize(values, np.quantile(values, shares))
    return np.asarray(classes if kind == "ordered" else np.array([0, 2, 1])[classes], dtype=np.float64)


def takes(test: type[CITest], setting: Setting) -> bool:
    taken: tuple[str, ...] = getattr(test, "kinds", ())
    return {setting.x, setting.y, setting.given} <= set(taken)


def measured(at: int, repeats: int = REPEATS) -> list[dict[str, Any]]:
    """The share of tables of one setting in which each test calls X and Y dependent given Z."""
    found, setting = [], SETTINGS[at]
    for rows in ROWS:
        for effect in EFFECTS:
            seen = {name: 0 for name, test in TESTS.items() if takes(test, setting)}
            rng = np.random.default_rng([SEED, at, rows, round(100 * effect)])
            for _ in range(repeats):
                table = drawn(setting, effect, rows, rng)
                for name in seen:
                    seen[name] += not TESTS[name](table, alpha=LEVEL)("X", "Y", ["Z"]).independent  # type: ignore[call-arg]
            found += [
                {"setting": setting.title, "rows": rows, "effect": effect, "test": name, "found": count / repeats}
                for name, count in seen.items()
            ]
    return found


def shares(record: Iterable[dict[str, Any]], **fixed: Any) -> dict[tuple[Any, ...], float]:
    """By setting and test, and by whatever of rows and effect is not fixed."""
    free = [name for name in ("setting", "test", "rows", "effect") if name not in fixed]
    return {tuple(row[name] for name in free): row["found"] for row in record if all(row[name] == fixed[name] for name in fixed)}


def page_block(record: list[dict[str, Any]]) -> str:
    """The table of the page: how often a link of one strength is found, and how often one that is not there, with some rows."""
    there, nothing = (shares(record, rows=SHOWN_ROWS, effect=effect) for effect in (TOLD_EFFECT, 0.0))
    heads = ["columns", *(f"`{name}`" for name in TESTS)]
    lines = [heads, ["---"] * len(heads)]
    for setting in SETTINGS:
        pairs = [(there.get((setting.title, name)), nothing.get((setting.title, name))) for name in TESTS]
        lines.append([setting.title, *("" if a is None or b is None else f"{_short(a)} ({_short(b)})" for a, b in pairs)])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _short(share: float) -> str:
    return f"{share:.2f}".removeprefix("0")


WIDE, HIGH, ACROSS, LEFT, TOP = 200, 150, 4, 46, 34
_Scale = Callable[[float], float]


def figure(record: list[dict[str, Any]]) -> str:
    """A panel per pair of kinds: the share found, by strength, one line per test."""
    found = shares(record, rows=SHOWN_ROWS)
    down = -(-(len(SETTINGS) + 1) // ACROSS)
    width, height = LEFT + ACROSS * WIDE, TOP + down * HIGH + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="system-ui, sans-serif" font-size="11">',
        f"<title>Share of links found with {SHOWN_ROWS} rows, by strength</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="16" font-size="13">Share of links found by their partial correlation ({SHOWN_ROWS} rows, level {LEVEL:g})'
        "</text>",
    ]
    for at, setting in enumerate(SETTINGS):
        parts += _panel(setting, found, LEFT + at % ACROSS * WIDE, TOP + at // ACROSS * HIGH)
    parts += _legend(LEFT + len(SETTINGS) % ACROSS * WIDE, TOP + len(SETTINGS) // ACROSS * HIGH)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(setting: Setting, found: dict[tuple[Any, ...], float], left: float, top: float) -> Iterable[str]:
    def across(effect: float) -> float:
        return round(left + effect / EFFECTS[-1] * (WIDE - 34), 1)

    def down(share: float) -> float:
        return round(top + 18 + (1 - share) * (HIGH - 52), 1)

    yield f'<text x="{left}" y="{top + 10}" font-weight="600" fill="#222">{escape(setting.title)}</text>'
    for share in (0.0, 0.5, 1.0):
        yield f'<path d="M{across(0)} {down(share)}H{across(EFFECTS[-1])}" stroke="#ddd"/>'
        yield f'<text x="{left - 5}" y="{down(share) + 4}" text-anchor="end" fill="#666">{share:g}</text>'
    for effect in EFFECTS[::2]:
        yield f'<text x="{across(effect)}" y="{down(0) + 14}" text-anchor="middle" fill="#666">{effect:g}</text>'
    for name in TESTS:
        points = [(effect, found[setting.title, name, effect]) for effect in EFFECTS if (setting.title, name, effect) in found]
        if points:
            line = " ".join(f"{across(effect)},{down(share)}" for effect, share in points)
            yield f'<polyline points="{line}" fill="none" stroke="{COLOURS[name]}" stroke-width="1.8"/>'


def _legend(left: float, top: float) -> Iterable[str]:
    for at, name in enumerate(TESTS):
        y = top + 16 + 14 * at
        yield f'<path d="M{left} {y}h20" stroke="{COLOURS[name]}" stroke-width="2.5"/><text x="{left + 26}" y="{y + 4}">{name}</text>'


def write_page(record: list[dict[str, Any]]) -> None:
    FIGURE.write_text(figure(record), encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{page_block(record)}\n\n{END}{rest.partition(END)[2]}", encoding="utf-8")


def main() -> None:
    if sys.argv[1:] != ["page"]:
        RECORD.write_text(
            "[\n" + ",\n".join(map(json.dumps, (row for at in range(len(SETTINGS)) for row in measured(at)))) + "\n]\n", encoding="utf-8"
        )
    write_page(json.loads(RECORD.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
