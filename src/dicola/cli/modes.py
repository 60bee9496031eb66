"""``dicola modes``: the modes there are, or all of them on one table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dicola.cli import options
from dicola.cli.listing import show_choices
from dicola.cli.output import show

EXAMPLES = ("dicola modes", "dicola modes table.csv", "dicola modes table.csv --mode exact --mode paper --json")


def modes(
    data: Annotated[
        Path | None, typer.Argument(metavar="[DATA]", help="A table on which to compare the modes; without one they are listed.")
    ] = None,
    header: options.Header = None,
    mode: Annotated[
        list[str] | None,
        typer.Option("--mode", autocompletion=options.modes, help="A mode to compare; repeat for several. Default: exact, balanced."),
    ] = None,
    alpha: Annotated[float, typer.Option("--alpha", help="Level of the independence test.")] = 0.01,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """List the modes; or run them on a table: how far they agree, how they score, and what they imply that the data reject."""
    from dicola.pipeline.modes import MODES

    if data is None:
        needs = {True: "needs a table that can be scored", False: "works with every test, an oracle included"}
        shown = ({"name": m.name, "title": m.title, "guarantee": m.guarantee, "data": needs[m.needs_data]} for m in MODES.values())
        show_choices("modes", list(shown), json)
        return
    from dicola.mode_comparison import compare_modes
    from dicola.tables.reading import read_table

    compared = compare_modes(read_table(data, header=header), mode or ("exact", "balanced"), seed, alpha=alpha)
    show(compared.to_dict(), str(compared), json)
