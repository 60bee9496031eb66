"""``dicola compare``: how near one PAG is to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dicola.cli import options

EXAMPLES = ("dicola compare results/pag.csv simulated/true_pag.csv", "dicola compare results simulated/true_pag.csv --json")


def compare(
    found: Annotated[Path, typer.Argument(metavar="FOUND", help="pag.csv, pag.json, or a folder that holds one.")],
    truth: Annotated[Path, typer.Argument(metavar="TRUTH", help="The PAG to compare with, likewise.")],
    json: options.Json = False,
) -> None:
    """Compare two PAGs over the same variables: skeleton, marks, arrowheads, tails and structural distance."""
    from dicola import metrics
    from dicola.graphs.formats.native import read_pag

    scores = metrics.compare(read_pag(found), read_pag(truth))
    if json:
        from json import dumps

        typer.echo(dumps(scores.to_dict(), ensure_ascii=False))
    else:
        typer.echo(str(scores))
