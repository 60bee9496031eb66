"""``dicola compare``: how near one PAG is to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dicola.cli import options
from dicola.cli.output import show
from dicola.cli.terminal import complain

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
    for path in (found, truth):
        if _is_part(path):
            complain(f"note: {path} is a part of an answer, of a run that was stopped; undecided edges count as o-o.")
    show(scores.to_dict(), str(scores), json)


def _is_part(path: Path) -> bool:
    """Is a graph that of a run which was stopped? The folder says so, where it is one that a run wrote."""
    from dicola.result_folder import text_of
    from dicola.written_facts import loaded

    folder, name = path if path.is_dir() else path.parent, "discovery.json"
    is_ours = path.is_dir() or path.stem == "pag"
    return is_ours and (folder / name).is_file() and loaded(text_of(folder, name), name).get("complete") is False
