"""``dicola fit``: a table in, a PAG out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dicola.cli import options
from dicola.cli.output import progress_bar, show


def fit(
    data: Annotated[Path, typer.Argument(metavar="DATA", help="CSV, TSV or Parquet file with a header of names and rows of numbers.")],
    mode: Annotated[str, typer.Option("--mode", help="exact: the paper's method.")] = "exact",
    learner: options.Learner = "fci",
    test: Annotated[str, typer.Option("--test", help="Independence test: fisher_z.")] = "fisher_z",
    alpha: Annotated[float, typer.Option("--alpha", help="Level of the independence test.")] = 0.01,
    alone: options.Alone = False,
    jobs: options.Jobs = 1,
    out: options.Out = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    stop: options.Stop = "paper",
    max_depth: Annotated[int | None, typer.Option("--max-depth", help="Most splits above a leaf; no limit by default.")] = None,
    max_nodes: Annotated[int | None, typer.Option("--max-nodes", help="Most nodes of the decomposition; no limit by default.")] = None,
    blankets: Annotated[
        str, typer.Option("--blankets", help="Blanket learner: total_conditioning, iamb or grow_shrink.")
    ] = "total_conditioning",
    uig_alpha: Annotated[
        float | None, typer.Option("--uig-alpha", help="Level of the blanket tests; by default the learner's own.")
    ] = None,
    colliders: options.Colliders = "sepset",
    max_condition_size: options.MaxConditionSize = None,
    max_possible_dsep_size: options.MaxPossibleDsepSize = None,
) -> None:
    """Learn a PAG from a table.

    Example: dicola fit table.csv --alpha 0.01 --out results
    """
    from dicola.data import read_table
    from dicola.estimator import DiCoLa
    from dicola.files import writable_folder

    if out is not None:
        writable_folder(out)
    base = options.learner_with(learner, max_condition_size=max_condition_size, max_possible_dsep_size=max_possible_dsep_size)
    model = DiCoLa(
        learner=base,
        ci_test=test,
        alpha=alpha,
        n_jobs=jobs,
        mode=mode,  # type: ignore[arg-type]
        decompose=not alone,
        stop=stop,
        max_depth=max_depth,
        max_nodes=max_nodes,
        blankets=blankets,
        uig_alpha=uig_alpha,
        colliders=colliders,
    )
    dataset = read_table(data)
    with progress_bar(quiet or json) as progress:
        model.fit(dataset, progress=progress)
    if out is not None:
        model.discovery_.write(out)
    show(model.discovery_, as_json=json, quiet=quiet, folder=out)
