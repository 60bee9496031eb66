"""``dicola fit``: a table in, a PAG out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dicola.cli import options, settings_file
from dicola.cli.grouped import grouped
from dicola.cli.option_names import option_name
from dicola.cli.output import Results, show
from dicola.cli.plan_options import ABOUT_THE_TABLE, plan_of, settings_of_a_run
from dicola.errors import InvalidSetting
from dicola.pipeline.settings import BUDGET

if TYPE_CHECKING:
    from dicola.discovery import Discovery
    from dicola.local_discovery import LocalDiscovery

EXAMPLES = (
    "dicola fit table.csv",
    "dicola fit table.csv --alpha 0.001 --learner rfci --out results",
    "dicola fit table.csv --mode exact",
    "dicola fit table.csv --config results/settings.toml",
    "dicola fit table.csv --json > result.json",
    "dicola fit table.csv --bootstrap 100 --jobs 2 --out results",
    "dicola fit table.csv --target Cancer",
    "dicola fit table.csv --max-seconds 600 --out results",
    "dicola fit table.csv --forecast",
)


@grouped
def fit(
    ctx: typer.Context,
    data: Annotated[Path, typer.Argument(metavar="DATA", help="CSV, TSV, Parquet or Excel file with a header of names.")],
    config: settings_file.Config = None,
    header: options.Header = None,
    target: Annotated[
        str | None,
        typer.Option("--target", metavar="NAME", help="Learn the causes and effects of this variable only."),
    ] = None,
    forecast: Annotated[
        bool,
        typer.Option(
            "--forecast",
            metavar=options.FLAG,
            rich_help_panel=BUDGET,
            help="Tell what the run will take, from its decomposition: the largest part, tests, time and memory. Then stop.",
        ),
    ] = False,
    *,
    typed: Annotated[dict[str, Any], settings_of_a_run()],
    results: Results,
) -> None:
    """Learn a PAG from a table.

    Prints the edges and a summary; with --out also writes them, a report and settings.toml, with which the run can be repeated. With
    --target only the surroundings of one variable are learned.
    """
    from dicola.pipeline.preparation import prepare
    from dicola.tables.reading import read_table

    results.check_folder(ctx)
    surroundings = None if target is None else _surroundings(ctx, target, typed)
    plan = plan_of(typed)
    table = read_table(data, header=header)

    if forecast:
        from dicola.pipeline.discover import forecast as foretold

        prepared = prepare(table, plan)
        expected = foretold(prepared.test, prepared.plan)
        show(expected.to_dict(), str(expected), results.json)
        return

    def about() -> str:
        return settings_file.about(data, table)

    with results.even_if_interrupted(ctx, about):
        if surroundings is None:
            found: Discovery | LocalDiscovery = results.learned_from(table, plan)
        else:
            prepared = prepare(table, plan)
            plan = prepared.plan
            found = prepared.told(surroundings(prepared.test, knowledge=plan.knowledge, contexts=plan.contexts, targets=plan.targets))
    results.deliver(ctx, found, about)


def _surroundings(ctx: typer.Context, target: str, typed: Mapping[str, Any]) -> Callable[..., LocalDiscovery]:
    """Learning around one variable, with the settings that ``local`` takes; others that were typed are refused."""
    from dicola.pipeline.local import local

    known = ("knowledge", "contexts", "targets")  # made from the names of the table, which are not read yet
    own = [name for name in typed if name in signature(local).parameters and name not in known]
    for name in typed:
        if (
            name not in ("ci_test", "alpha", "device", *ABOUT_THE_TABLE, *known, *own)
            and getattr(ctx.get_parameter_source(name), "name", "") == "COMMANDLINE"
        ):
            raise InvalidSetting(f"{option_name(name)} is for learning the whole graph; leave it out, or leave out --target.")
    return partial(local, target=target, **{name: typed[name] for name in own})
