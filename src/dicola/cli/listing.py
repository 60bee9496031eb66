"""How the commands that list what there is to choose from print it."""

from __future__ import annotations

from collections.abc import Sequence
from json import dumps
from typing import Any

import typer


def show_choices(kind: str, choices: Sequence[dict[str, Any]], *, as_json: bool) -> None:
    """Print each choice: its name and title, then one line a fact; or all as one JSON object under ``kind``."""
    if as_json:
        typer.echo(dumps({kind: list(choices)}, ensure_ascii=False))
        return
    width = max(len(choice["name"]) for choice in choices)
    for choice in choices:
        reference = f": {choice['reference']}" if "reference" in choice else ""
        typer.echo(f"{choice['name']:{width}}  {choice['title']}{reference}")
        for key, value in choice.items():
            if key == "settings":
                value = "settings: " + ", ".join(f"{name}={default!r}" for name, default in value.items())
            elif key in ("assumes", "needs"):
                value = f"{key} {value}"
            if key not in ("name", "title", "reference", "complete"):
                typer.echo(f"{'':{width}}  {value}")
