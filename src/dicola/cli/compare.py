"""``dicola compare``: how near one PAG is to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dicola.cli import options
from dicola.cli.output import show

EXAMPLES = ("dicola compare results/pag.csv simulated/true_pag.csv", "dicola compare results simulated/true_pag.csv --json")


def compare(
    found: Annotated[
        Path, typer.Argument(metavar="FOUND", help="A graph in any format that convert knows, or a folder that holds a pag.json.")
    ],
    truth: Annotated[Path, typer.Argument(metavar="TRUTH", help="The graph to compare with, likewise.")],
    json: options.Json = False,
) -> None:
    """Compare two PAGs over the same variables: skeleton, marks, arrowheads, tails and structural distance."""
    from dicola import metrics
    from dicola.graphs.formats.registry import read

    scores = metrics.compare(read(found), read(truth))
    show(scores.to_dict(), str(scores), json)
