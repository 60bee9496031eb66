"""``dicola fit``: a table in, a PAG out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dicola.cli import options, settings
from dicola.cli.output import progress_bar, show, show_local
from dicola.errors import InvalidSetting

EXAMPLES = (
    "dicola fit table.csv",
    "dicola fit table.csv --alpha 0.001 --learner rfci --out results",
    "dicola fit table.csv --mode fast",
    "dicola fit table.csv --config results/settings.toml",
    "dicola fit table.csv --json > result.json",
    "dicola fit table.csv --target Cancer",
)
_WHOLE_GRAPH = (
    "mode",
    "learner",
    "alone",
    "jobs",
    "stop",
    "max_depth",
    "max_nodes",
    "colliders",
    "max_possible_dsep_size",
    "seed",
    "legalize",
    "knowledge",
)


def fit(
    ctx: typer.Context,
    data: Annotated[Path, typer.Argument(metavar="DATA", help="CSV, TSV or Parquet file with a header of names and rows of numbers.")],
    config: settings.Config = None,
    header: options.Header = None,
    target: Annotated[
        str | None,
        typer.Option("--target", metavar="NAME", help="Learn the causes and effects of this variable only."),
    ] = None,
    mode: options.Mode = "exact",
    learner: options.Learner = None,
    test: Annotated[
        str,
        typer.Option("--test", rich_help_panel=options.METHOD, autocompletion=options.tests, help="Independence test (see: dicola tests)."),
    ] = "fisher_z",
    alpha: Annotated[float, typer.Option("--alpha", rich_help_panel=options.METHOD, help="Level of the independence test.")] = 0.01,
    alone: options.Alone = False,
    jobs: options.Jobs = 1,
    out: options.Out = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    stop: options.Stop = None,
    max_depth: Annotated[
        int | None, typer.Option("--max-depth", rich_help_panel=options.TUNING, help="Most splits above a leaf; no limit by default.")
    ] = None,
    max_nodes: Annotated[
        int | None,
        typer.Option("--max-nodes", rich_help_panel=options.TUNING, help="Most nodes of the decomposition; no limit by default."),
    ] = None,
    blankets: Annotated[
        str,
        typer.Option(
            "--blankets",
            rich_help_panel=options.TUNING,
            autocompletion=options.blankets,
            help="Markov blanket learner (see: dicola blankets).",
        ),
    ] = "total_conditioning",
    uig_alpha: Annotated[
        float | None,
        typer.Option("--uig-alpha", rich_help_panel=options.TUNING, help="Level of the blanket tests; by default the learner's own."),
    ] = None,
    colliders: options.Colliders = None,
    max_condition_size: options.MaxConditionSize = None,
    max_possible_dsep_size: options.MaxPossibleDsepSize = None,
    legalize: Annotated[
        bool,
        typer.Option(
            "--legalize", metavar=options.FLAG, rich_help_panel=options.TUNING, help="Replace a graph that is no legal PAG by one."
        ),
    ] = False,
    seed: options.Seed = 0,
    knowledge: Annotated[
        Path | None,
        typer.Option(
            "--knowledge",
            metavar="FILE",
            rich_help_panel=options.METHOD,
            help="What is known beforehand: tiers, forbidden and required causes, as a Tetrad knowledge file.",
        ),
    ] = None,
) -> None:
    """Learn a PAG from a table.

    Prints the edges and a summary; with --out also writes them, a report and settings.toml, with which the run can be repeated. With
    --target only the surroundings of one variable are learned.
    """
    from dicola.ci.registry import test_on
    from dicola.estimator import DiCoLa
    from dicola.files import writable_folder
    from dicola.knowledge import Knowledge
    from dicola.pipeline.local import local
    from dicola.tables.reading import read_table

    if out is not None:
        writable_folder(out)
    if target is not None:
        _refuse_options_of_the_whole_graph(ctx)
        dataset = read_table(data, header=header)
        around = local(
            test_on(test, dataset, alpha),
            target,
            blankets=blankets,
            uig_alpha=uig_alpha,
            max_condition_size=max_condition_size,
        )
        if out is not None:
            around.write(out)
            settings.write_settings(ctx, out, settings.about(data, dataset))
        show_local(around, as_json=json, quiet=quiet, folder=out)
        return
    base = options.learner_with(learner, max_condition_size=max_condition_size, max_possible_dsep_size=max_possible_dsep_size)
    model = DiCoLa(
        learner=base,
        ci_test=test,
        alpha=alpha,
        n_jobs=jobs,
        mode=mode,
        decompose=not alone,
        stop=stop,
        max_depth=max_depth,
        max_nodes=max_nodes,
        blankets=blankets,
        uig_alpha=uig_alpha,
        colliders=colliders,
        seed=seed,
        legalize=legalize,
        knowledge=None if knowledge is None else Knowledge.read(knowledge),
    )
    dataset = read_table(data, header=header)
    with progress_bar(quiet or json) as progress:
        model.fit(dataset, progress=progress)
    if out is not None:
        model.discovery_.write(out)
        settings.write_settings(ctx, out, settings.about(data, dataset))
    show(model.discovery_, as_json=json, quiet=quiet, folder=out)


def _refuse_options_of_the_whole_graph(ctx: typer.Context) -> None:
    typed = [name for name in _WHOLE_GRAPH if getattr(ctx.get_parameter_source(name), "name", "") == "COMMANDLINE"]
    if typed:
        raise InvalidSetting(f"--{typed[0].replace('_', '-')} is for learning the whole graph; leave it out, or leave out --target.")
