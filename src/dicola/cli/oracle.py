"""``dicola oracle``: the exact PAG of a known DAG with hidden variables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dicola.cli import settings_file
from dicola.cli.grouped import grouped
from dicola.cli.output import Results
from dicola.cli.plan_options import BUDGETS, plan_of, settings_of_a_run

EXAMPLES = ("dicola oracle dag.csv --latent L1 --latent L2", "dicola oracle dag.csv --latents-file latents.txt --learner icd --out truth")


@grouped
def oracle(
    ctx: typer.Context,
    dag: Annotated[Path, typer.Argument(metavar="DAG", help="CSV of arcs with the header parent,child.")],
    config: settings_file.Config = None,
    latent: Annotated[list[str] | None, typer.Option("--latent", help="A hidden variable; repeat for several.")] = None,
    latents_file: Annotated[Path | None, typer.Option("--latents-file", help="A file with one hidden variable a line.")] = None,
    nodes: Annotated[
        Path | None, typer.Option("--nodes", help="A file with all variables, one a line; needed for those without arcs.")
    ] = None,
    *,
    typed: Annotated[dict[str, Any], settings_of_a_run("learner", "decompose", "knowledge", *BUDGETS, "n_jobs", "stop")],
    results: Results,
) -> None:
    """Learn the PAG of a known DAG with perfect independence answers: the most that any number of rows could tell."""
    from dicola.ci.oracle import Oracle
    from dicola.graphs.formats.native import read_dag, read_lines

    results.check_folder(ctx)
    plan = plan_of(typed)
    hidden = [*(latent or ()), *(read_lines(latents_file) if latents_file else ())]
    graph = read_dag(dag, read_lines(nodes) if nodes else None)
    with results.even_if_interrupted(ctx):
        found = results.learned(Oracle(graph, hidden), plan)
    results.deliver(ctx, found)
