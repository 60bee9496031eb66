"""``dicola explain``: an edge in words, with its evidence."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dicola.cli import options
from dicola.cli.output import show

EXAMPLES = ("dicola explain results Smoking Cancer", "dicola explain results Smoking Cancer --json")


def explain(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that fit, oracle or demo wrote.")],
    a: Annotated[str, typer.Argument(metavar="A", help="A variable.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another variable.")],
    json: options.Json = False,
) -> None:
    """Say why two variables are joined as they are, mark by mark, or which set separates them."""
    from dicola.discovery import Discovery

    explanation = Discovery.read(folder).explain(a, b)
    show(explanation.to_dict(), str(explanation), json)
