"""How the commands that list what there is to choose from print it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from json import dumps
from typing import Any

import typer

_ABILITIES = {
    "takes_knowledge": "takes knowledge",
    "allows_selection": "allows for selection of the sample",
    "needs_data": "scores graphs, so it needs data",
}


def show_choices(kind: str, choices: Sequence[dict[str, Any]], *, as_json: bool) -> None:
    """Print each choice: its name and title, then one line per fact; or all as one JSON object under ``kind``."""
    if as_json:
        typer.echo(dumps({kind: list(choices)}, ensure_ascii=False, default=repr))
        return
    width = max(len(choice["name"]) for choice in choices)
    for choice in choices:
        reference = f": {choice['reference']}" if "reference" in choice else ""
        typer.echo(f"{choice['name']:{width}}  {choice['title']}{reference}")
        for line in _lines(choice):
            typer.echo(f"{'':{width}}  {line}")


def _lines(choice: dict[str, Any]) -> Iterator[str]:
    yield from (f"{key} {choice[key]}" for key in ("assumes", "needs") if key in choice)
    yield from (choice[key] for key in ("guarantee", "data") if key in choice)
    if choice.get("kinds"):
        yield f"columns: {', '.join(choice['kinds'])}"
    if abilities := [words for key, words in _ABILITIES.items() if choice.get(key)]:
        yield "; ".join(abilities)
    if choice.get("settings"):
        yield "settings: " + ", ".join(f"{name}={default!r}" for name, default in choice["settings"].items())
