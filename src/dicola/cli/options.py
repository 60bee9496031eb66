"""Options that several commands take."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

import typer

from dicola.pipeline.settings import SETTINGS, TUNING, names_in

FLAG = ""  # the help would show <bool> beside an option that takes no value


def epilog(examples: Iterable[str]) -> str:
    """The examples under the help of a command."""
    lines = "\n\n".join(f"[dim]$[/dim] {example}" for example in examples)
    return f"[bold]Examples[/bold]\n\n{lines}"


def completing(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """How the shell completes one of these names."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names() if name.startswith(incomplete)]

    return complete


modes = completing(SETTINGS["mode"].metadata["choices"])
networks = completing(names_in("dicola.simulate.networks:network_names"))
formats = completing(names_in("dicola.graphs.formats.registry:FORMATS"))

Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", metavar=FLAG, help="Does the first line hold the names? By default yes, unless it holds numbers."),
]
Out = Annotated[Path | None, typer.Option("--out", help="Folder for the results: pag.csv, pag.json, pag.svg, report.html, …")]
Json = Annotated[bool, typer.Option("--json", metavar=FLAG, help="Print one JSON object on standard output and nothing else there.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", metavar=FLAG, help="Print nothing but errors.")]
Seed = Annotated[int, typer.Option("--seed", rich_help_panel=TUNING, help=SETTINGS["seed"].metadata["told"])]
