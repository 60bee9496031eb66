"""``dicola report``: the page of a written result, made again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dicola.cli import options
from dicola.cli.output import show

EXAMPLES = ("dicola report results", "dicola report results --out for_a_colleague.html")


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that fit, oracle or demo wrote.")],
    out: Annotated[Path | None, typer.Option("--out", help="File for the report; by default report.html in DIR.")] = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Make the one-file HTML report of a written result again."""
    from dicola.discovery import Discovery
    from dicola.result_folder import REPORT, digests_in, remake, write_beside

    target = folder / REPORT if out is None else out
    seal = digests_in(folder)
    page = Discovery.read(folder).report()
    if target.absolute() == (folder / REPORT).absolute():
        remake(folder, REPORT, page, seal)
    else:
        write_beside(target.parent, {target.name: page})
    show({"written_to": str(target)}, f"written to {target}", json, quiet)
