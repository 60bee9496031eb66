"""The figure of docs/howto/which-test.md: from what the columns hold to a test."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import NamedTuple

WIDE, HIGH = 880, 372
_QUESTION, _ANSWER, _INK, _LINE = "#e8f1f3", "#ffffff", "#15333a", "#5b7b83"


class Box(NamedTuple):
    """A question, or a test with what it goes by; its lines of text, its middle and its width."""

    lines: tuple[str, ...]
    x: int
    y: int
    wide: int
    is_test: bool = False


class Way(NamedTuple):
    """From one box to another, with the answer that leads there."""

    start: str
    end: str
    answer: str


BOXES = {
    "kinds": Box(("What do the columns hold?",), 440, 40, 220),
    "shape": Box(("Skewed, or with", "heavy tails?"), 150, 140, 150),
    "rows": Box(("Rows enough to count,", "most of 3 levels or more?"), 730, 140, 190),
    "bend": Box(("Do you expect", "bends?"), 80, 240, 130),
    "fisher_z": Box(("fisher_z", "straight lines"), 56, 336, 104, True),
    "basis_function 1": Box(("basis_function", "smooth curves"), 182, 336, 128, True),
    "gaussian_copula": Box(("gaussian_copula", "ranks"), 246, 240, 140, True),
    "basis_function 2": Box(("basis_function", "blocks of indicators and curves"), 440, 140, 224, True),
    "small": Box(("Some hundred rows,", "anything smooth?"), 440, 240, 160),
    "rcit, kci": Box(("rcit, kci", "kernels; slow"), 440, 336, 120, True),
    "g_square": Box(("g_square", "counts"), 640, 240, 116, True),
    "degenerate_gaussian": Box(("degenerate_gaussian", "blocks of indicators"), 796, 240, 160, True),
}
WAYS = (
    Way("kinds", "shape", "numbers"),
    Way("kinds", "basis_function 2", "both"),
    Way("kinds", "rows", "categories, grades"),
    Way("shape", "bend", "no"),
    Way("shape", "gaussian_copula", "yes"),
    Way("bend", "fisher_z", "no"),
    Way("bend", "basis_function 1", "yes"),
    Way("basis_function 2", "small", "or"),
    Way("small", "rcit, kci", "yes"),
    Way("rows", "g_square", "yes"),
    Way("rows", "degenerate_gaussian", "no"),
)


def drawn() -> str:
    """The figure as SVG text."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" font-family="system-ui, sans-serif" font-size="13">',
        "<title>Which test for my table?</title>",
        f'<rect width="{WIDE}" height="{HIGH}" fill="#ffffff"/>',
        *(part for way in WAYS for part in _way(way)),
        *(part for box in BOXES.values() for part in _box(box)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _height(box: Box) -> int:
    return 18 * len(box.lines) + 14


def _way(way: Way) -> Iterable[str]:
    start, end = BOXES[way.start], BOXES[way.end]
    top, bottom = start.y + _height(start) // 2, end.y - _height(end) // 2
    middle = (top + bottom) // 2
    yield f'<path d="M{start.x} {top}V{middle}H{end.x}V{bottom}" fill="none" stroke="{_LINE}" stroke-width="1.4"/>'
    yield f'<path d="M{end.x - 4} {bottom - 7}L{end.x} {bottom}L{end.x + 4} {bottom - 7}" fill="none" stroke="{_LINE}" stroke-width="1.4"/>'
    side, at = ("start", end.x + 6) if end.x >= start.x else ("end", end.x - 6)
    yield f'<text x="{at}" y="{middle + 13}" text-anchor="{side}" font-size="12" fill="{_LINE}">{escape(way.answer)}</text>'


def _box(box: Box) -> Iterable[str]:
    high = _height(box)
    shape = f'x="{box.x - box.wide // 2}" y="{box.y - high // 2}" width="{box.wide}" height="{high}" rx="{4 if box.is_test else 14}"'
    yield f'<rect {shape} fill="{_ANSWER if box.is_test else _QUESTION}" stroke="{_LINE}" stroke-width="{1.6 if box.is_test else 0.8}"/>'
    for at, line in enumerate(box.lines):
        y = box.y - 9 * (len(box.lines) - 1) + 18 * at + 5
        look = ' font-family="ui-monospace, monospace" font-weight="600"' if box.is_test and at == 0 else ""
        yield f'<text x="{box.x}" y="{y}" text-anchor="middle" fill="{_INK}"{look}>{escape(line)}</text>'
