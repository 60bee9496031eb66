"""``dicola look``: what a table is, before anything is learned from it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dicola.cli import options
from dicola.cli.grouped import grouped
from dicola.cli.output import show
from dicola.cli.plan_options import about_the_table, settings_of_a_run

EXAMPLES = ("dicola look table.csv", "dicola look table.csv --nominal sex,site --ordered grade", "dicola look table.csv --json")


@grouped
def look(
    data: Annotated[Path, typer.Argument(metavar="DATA", help="CSV, TSV, Parquet or Excel file with a header of names.")],
    header: options.Header = None,
    *,
    typed: Annotated[dict[str, Any], settings_of_a_run("kinds", "drop", "missing_values")],
    json: options.Json = False,
) -> None:
    """Tell what every column of a table is, what is wrong with it, and what would be done about it.

    Prints all problems at once, and the command that goes on from here.
    """
    from dicola.tables.look import look as look_at
    from dicola.tables.reading import read_table

    given = about_the_table(typed)
    seen = look_at(
        read_table(data, header=header), kinds=given["kinds"], drop=given["drop"] or (), missing_values=given["missing_values"] or ()
    )
    command = seen.command(str(data))
    show(seen.to_dict() | {"command": command}, f"{seen}\n\ngo on with: {command}", json)
