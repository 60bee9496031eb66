"""Run the code of a Markdown page: ``python`` blocks in one namespace, ``console`` blocks in one folder, in the order of the page.

What a Python block prints must stand in the ``text`` block right below it, if there is one; what a command prints stands below it, where
``...`` stands for anything. ``python -m tests.docs.snippets`` rewrites these outputs in README.md and docs/.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.S | re.M)
_CHECKER = doctest.OutputChecker()


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and where that text stands in the page."""

    language: str
    body: str
    start: int
    end: int


@dataclass(frozen=True)
class Outcome:
    """What one piece of code was to print, what it printed, and where in the page the expectation stands (``None``: nowhere)."""

    code: str
    expected: str
    printed: str
    place: tuple[int, int] | None
    failed: bool = False

    @property
    def is_as_told(self) -> bool:
        """Nothing failed, and the page tells what is printed; a page may leave out the output of Python."""
        if self.place is None:
            return not self.failed
        refused = self.expected.startswith("dicola: ")
        return self.failed == refused and _CHECKER.check_output(self.expected, self.printed, doctest.ELLIPSIS)


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page."""
    return [Block(found[1], found[2], found.start(2), found.end(2)) for found in _FENCE.finditer(text)]


def run(text: str, folder: Path) -> list[Outcome]:
    """Run every Python and console block of a page in the folder, which is the working directory meanwhile."""
    outcomes: list[Outcome] = []
    names: dict[str, object] = {"__name__": "__main__"}
    found = blocks(text)
    with contextlib.chdir(folder):
        for block, after in zip_longest(found, found[1:]):
            if block.language == "python":
                told = after if after is not None and after.language == "text" and text[block.end : after.start].count("\n") <= 3 else None
                outcomes.append(_python(block, told, names))
            elif block.language == "console":
                outcomes += _console(block)
    return outcomes


def _python(block: Block, told: Block | None, names: dict[str, object]) -> Outcome:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block.body, "page", "exec", dont_inherit=True), names)  # as a reader runs it, without our __future__
    return Outcome(block.body, told.body if told else "", printed.getvalue(), (told.start, told.end) if told else None)


def _console(block: Block) -> list[Outcome]:
    outcomes = []
    for found in re.finditer(r"^\$ (.*\n)((?:(?!\$ ).*\n)*)", block.body, re.M):
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "NO_COLOR": "1", "COLUMNS": "100"}
        done = subprocess.run(
            ["bash", "-c", found[1]], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        place = (block.start + found.start(2), block.start + found.end(2))
        outcomes.append(Outcome(found[1], found[2], done.stdout, place, done.returncode != 0))
    return outcomes


def refreshed(text: str, outcomes: list[Outcome]) -> str:
    """The page with what was printed in place of what it told, except where that agrees."""
    for outcome in reversed(outcomes):
        if outcome.place is not None and not outcome.is_as_told:
            start, end = outcome.place
            text = text[:start] + outcome.printed + text[end:]
    return text


if __name__ == "__main__":
    for page in PAGES:
        with tempfile.TemporaryDirectory() as scratch:
            before = page.read_text(encoding="utf-8")
            after = refreshed(before, run(before, Path(scratch)))
        if after != before:
            page.write_text(after, encoding="utf-8")
            sys.stdout.write(f"rewrote {page.relative_to(ROOT)}\n")
