"""Prose of Markdown pages, at most 100 columns wide: ``python -m tests.docs.prose`` wraps the paragraphs that are wider.

Code, tables, headings, pictures and directives are left alone, and no code span or link is broken.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.docs.snippets import PAGES, ROOT

WIDTH = 100
WRITTEN = (*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "SECURITY.md")
_OTHER = re.compile(r"\s*(\||#|!\[|<!--|```|:::|\{\.|---$)")  # lines that are no prose
_MARKER = re.compile(r"(\s*)((?:[-*+]|\d+\.|:|>)\s+)?")
_WORD = re.compile(r"(?:`[^`]*`|\[[^]]*\]\([^)]*\)| / |[^\s`])+")
_WOULD_START = re.compile(r"([-*+>#|:]|\d+\.)$")  # words that mean something else at the start of a line


def paragraphs(text: str) -> Iterator[tuple[bool, list[str]]]:
    """The lines of a page in groups, each with whether it is a paragraph of prose or one item of a list."""
    group: list[str] = []
    fenced = False
    for line in text.split("\n"):
        is_fence = line.lstrip().startswith("```")
        is_prose = not fenced and not is_fence and bool(line.strip()) and not _OTHER.match(line)
        if group and (not is_prose or _starts_item(line, group)):
            yield True, group
            group = []
        if is_prose:
            group.append(line)
        else:
            yield False, [line]
        fenced ^= is_fence
    if group:
        yield True, group


def _starts_item(line: str, group: list[str]) -> bool:
    marker, first = _MARKER.match(line), _MARKER.match(group[0])
    assert marker is not None and first is not None
    return bool(marker[2]) and not (marker[2].startswith(">") and (first[2] or "").startswith(">"))


def wrapped(text: str) -> str:
    """The page with every paragraph that is too wide broken anew."""
    lines: list[str] = []
    for is_prose, group in paragraphs(text):
        lines += _broken(group) if is_prose and any(is_too_wide(line) for line in group) else group
    return "\n".join(lines)


def is_too_wide(line: str) -> bool:
    """Is a line of prose wider than it may be, though it could be broken?"""
    return len(line) > WIDTH and len(_WORD.findall(line[_head(line) :])) > 1


def _head(line: str) -> int:
    found = _MARKER.match(line)
    return found.end() if found else 0


def _broken(group: list[str]) -> list[str]:
    head = group[0][: _head(group[0])]
    quote = ">" in head
    following = head if quote else " " * len(head)
    words = _WORD.findall(" ".join(line[_head(line) :] if i == 0 or quote else line.strip() for i, line in enumerate(group)))
    lines, line = [], words[:1]
    for word in words[1:]:
        if len(head) + len(" ".join((*line, word))) <= WIDTH:
            line.append(word)
            continue
        first = [line.pop(), word] if _WOULD_START.match(word) and len(line) > 1 else [word]
        lines.append(line)
        line = first
    return [(following if i else head) + " ".join(each) for i, each in enumerate((*lines, line))]


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]) if sys.argv[1:] else WRITTEN:
        before = page.read_text(encoding="utf-8")
        if (after := wrapped(before)) != before:
            page.write_text(after, encoding="utf-8")
            sys.stdout.write(f"wrapped {page.name}\n")
