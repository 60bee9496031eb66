"""What a test reads off a Markdown page: its tables, its sections, and the words in code."""

from __future__ import annotations

import re

from tests.docs.snippets import ROOT


def page(name: str) -> str:
    """The text of a page, by its path from the root of the repository."""
    return (ROOT / name).read_text(encoding="utf-8")


def section(text: str, title: str) -> str:
    """What stands under a heading, up to the next one of the same or a higher level."""
    lines = text.splitlines(keepends=True)
    begin = next(i for i, line in enumerate(lines) if line.lstrip("#") == f" {title}\n")
    level = lines[begin].index(" ")
    ends = (i for i in range(begin + 1, len(lines)) if re.match(rf"#{{1,{level}}} ", lines[i]))
    return "".join(lines[begin + 1 : next(ends, len(lines))])


def tables(text: str) -> list[list[list[str]]]:
    """Every table as rows of cells, the header first and the rule below it left out."""
    found: list[list[list[str]]] = []
    for block in re.findall(r"(?:^[ ]*\|.*\|\n)+", text, re.M):
        rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in block.splitlines()]
        found.append([rows[0], *rows[2:]])
    return found


def table(text: str, *heads: str) -> list[list[str]]:
    """The rows of the one table whose header begins so."""
    fitting = [rows for rows in tables(text) if rows[0][: len(heads)] == list(heads)]
    assert len(fitting) == 1, f"{len(fitting)} tables begin with {heads}"
    return fitting[0][1:]


def in_code(text: str) -> list[str]:
    """What stands between backticks in prose, without the quotes of a Python string."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)
    return [word.strip('"') for word in re.findall(r"`([^`]+)`", prose)]
