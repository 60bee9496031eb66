"""``dicola warm-up``: compile every kernel now, so that no later run has to."""

from __future__ import annotations

from itertools import chain
from typing import Annotated

import typer

from dicola.cli import options
from dicola.cli.output import show

EXAMPLES = ("dicola warm-up", "dicola warm-up --jobs 2")


def warm_up(
    jobs: Annotated[int, typer.Option("--jobs", help="Processes that compile at a time; -1 for one per core.")] = -1,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Compile the inner loops of all modes and learners, and keep them on disk.

    Without it each run compiles what it needs and finds missing. Worth a call after an installation,
    in an image that others start from, or before a class.
    """
    from dicola.allowed import check
    from dicola.ci.workers import Workers
    from dicola.pipeline.warming import PARTS, REST, warmed

    check("n_jobs", jobs)
    done = []
    for each in chain(Workers(jobs, "processes").each(warmed, PARTS), map(warmed, [REST])):  # each is told as it is done
        done.append(each)
        if not json and not quiet:
            show(None, f"{each.part}: {each.compiled} compiled in {each.seconds:.1f} s", as_json=False)
    total = sum(each.compiled for each in done)
    show(
        {"parts": [each._asdict() for each in done], "compiled": total},
        f"{total} kernels compiled" if total else "nothing to do: all kernels were compiled before",
        json,
        quiet,
    )
