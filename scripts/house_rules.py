"""Two rules of the house that no linter knows; ``make check`` asks.

No block of ten lines of code stands twice in ``src``: then one piece of code should serve both. Blank lines, comments, docstrings,
imports and the headers of functions and classes do not count. And no function takes more than eight parameters: then what belongs
together should travel together. The doors that list every setting, ``discover`` and ``local``, may.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

LENGTH, MOST = 10, 8
DOORS = {("discover.py", "discover"), ("local.py", "local")}
Line = tuple[int, str]


def passed_over(tree: ast.Module) -> Iterator[range]:
    """The lines of docstrings, imports and headers."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield range(node.lineno, (node.end_lineno or node.lineno) + 1)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield range(node.lineno, node.body[0].lineno)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield range(node.lineno, (node.end_lineno or node.lineno) + 1)


def code_lines(file: Path) -> list[Line]:
    """The lines that count, without white space around them, with their numbers."""
    text = file.read_text(encoding="utf-8")
    skipped = {number for span in passed_over(ast.parse(text)) for number in span}
    lines = ((number, line.strip()) for number, line in enumerate(text.splitlines(), start=1) if number not in skipped)
    return [(number, line) for number, line in lines if any(map(str.isalnum, line)) and not line.startswith("#")]


def repeats(folder: Path) -> list[str]:
    """Every first line of a block that stands elsewhere too, with the other place."""
    seen: dict[tuple[str, ...], tuple[str, int]] = {}
    found: list[str] = []
    for file in sorted(folder.rglob("*.py")):
        lines, last = code_lines(file), -LENGTH
        for at in range(len(lines) - LENGTH + 1):
            block = tuple(line for _, line in lines[at : at + LENGTH])
            place = (str(file), lines[at][0])
            other = seen.setdefault(block, place)
            if other != place and at >= last + LENGTH:
                found.append(f"{place[0]}:{place[1]} stands again at {other[0]}:{other[1]}")
                last = at
    return found


def long_lists(file: Path) -> Iterator[str]:
    """Functions of a file with too many parameters; ``self`` and ``cls`` do not count."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.FunctionDef) or (file.name, node.name) in DOORS:
            continue
        terms = node.args
        named = [each.arg for each in (*terms.posonlyargs, *terms.args, *terms.kwonlyargs)]
        count = len([name for name in named if name not in ("self", "cls")]) + bool(terms.vararg) + bool(terms.kwarg)
        if count > MOST:
            yield f"{file}:{node.lineno} {node.name} takes {count} parameters"


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "src")
    told = [*repeats(folder), *(line for file in sorted(folder.rglob("*.py")) for line in long_lists(file))]
    print("\n".join(told) if told else f"no block of {LENGTH} lines stands twice, no function takes more than {MOST} parameters")
    sys.exit(bool(told))
