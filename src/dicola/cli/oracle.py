"""``dicola oracle``: the exact PAG of a known DAG with hidden variables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dicola.cli import options, settings
from dicola.cli.output import progress_bar, show

EXAMPLES = ("dicola oracle dag.csv --latent L1 --latent L2", "dicola oracle dag.csv --latents-file latents.txt --learner icd --out truth")


def oracle(
    ctx: typer.Context,
    dag: Annotated[Path, typer.Argument(metavar="DAG", help="CSV of arcs with the header parent,child.")],
    config: settings.Config = None,
    latent: Annotated[list[str] | None, typer.Option("--latent", help="A hidden variable; repeat for several.")] = None,
    latents_file: Annotated[Path | None, typer.Option("--latents-file", help="A file with one hidden variable a line.")] = None,
    nodes: Annotated[
        Path | None, typer.Option("--nodes", help="A file with all variables, one a line; needed for those without arcs.")
    ] = None,
    learner: options.Learner = None,
    alone: options.Alone = False,
    jobs: options.Jobs = 1,
    out: options.Out = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    stop: options.Stop = None,
) -> None:
    """Learn the PAG of a known DAG with perfect independence answers: the most that any number of rows could tell."""
    from dicola.ci.oracle import Oracle
    from dicola.files import writable_folder
    from dicola.graphs.formats.native import read_dag, read_lines
    from dicola.pipeline.discover import discover

    if out is not None:
        writable_folder(out)
    hidden = [*(latent or ()), *(read_lines(latents_file) if latents_file else ())]
    graph = read_dag(dag, read_lines(nodes) if nodes else None)
    with progress_bar(quiet or json) as progress:
        found = discover(Oracle(graph, hidden), learner=learner, decompose=not alone, stop=stop, n_jobs=jobs, progress=progress)
    if out is not None:
        found.write(out)
        settings.write_settings(ctx, out)
    show(found, as_json=json, quiet=quiet, folder=out)
