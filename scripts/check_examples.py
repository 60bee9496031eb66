"""Lint, format and strict types of the classes that the pages show as examples; ``make check`` asks.

A reader copies such a block into a module. So every Python block of ``docs/howto/own-*.md`` that defines a class has to pass what a
module of the library passes, on its own.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.S | re.M)
DOCSTRING = '"""An example."""\n\n'


def examples(folder: Path) -> dict[str, str]:
    """The blocks that define a class, each as a module, by a name that tells the page."""
    return {
        f"{page.stem.replace('-', '_')}_{at}.py": f"{DOCSTRING}{block}"
        for page in sorted(folder.glob("own-*.md"))
        for at, block in enumerate(BLOCK.findall(page.read_text(encoding="utf-8")))
        if re.search(r"^class ", block, re.M)
    }


def passes(tool: str, options: Sequence[str], files: Sequence[Path]) -> bool:
    """Run a tool of this environment in the root, where it finds its settings."""
    command = [sys.executable, "-m", tool, *options, *map(str, files)]
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


if __name__ == "__main__":
    with TemporaryDirectory() as scratch:
        files = []
        for name, text in examples(ROOT / "docs" / "howto").items():
            files.append(Path(scratch) / name)
            files[-1].write_text(text, encoding="utf-8")
        settings = ["--no-cache", "--config", "pyproject.toml"]
        told = [
            passes("ruff", ["format", "--check", "--diff", "--quiet", *settings], files),
            passes("ruff", ["check", "--quiet", *settings], files),
            passes("mypy", ["--strict", "--no-error-summary"], files),
        ]
    print(f"{len(files)} classes in the documentation pass" if all(told) else "a class in docs/howto would not pass make check")
    sys.exit(not (files and all(told)))
