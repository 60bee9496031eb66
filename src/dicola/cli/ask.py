"""``dicola ask``: questions to the graph of a written result, answered in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dicola.cli import options
from dicola.cli.output import show
from dicola.errors import InvalidSetting

if TYPE_CHECKING:
    from dicola.effects.reading import Answer

EXAMPLES = (
    "dicola ask results causes cancer",
    "dicola ask results effect smoking cancer --table table.csv",
    "dicola ask results confounded smoking cancer",
    "dicola ask results paths smoking cancer",
    "dicola ask results adjust smoking cancer",
    "dicola ask results about smoking",
)

app = typer.Typer(
    name="ask",
    help="Ask a written result: what causes a variable, what is confounded, what to adjust for, how large an effect is.",
    no_args_is_help=True,
    epilog=options.epilog(EXAMPLES),
    rich_markup_mode="rich",
)

Variable = Annotated[str, typer.Argument(metavar="NAME", help="A variable.")]
First = Annotated[str, typer.Argument(metavar="A", help="A variable.")]
Second = Annotated[str, typer.Argument(metavar="B", help="Another variable.")]
Treatment = Annotated[str, typer.Argument(metavar="X", help="The treatment.")]
Outcome = Annotated[str, typer.Argument(metavar="Y", help="The outcome.")]


@app.callback()
def _results(
    ctx: typer.Context, folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that fit, oracle or demo wrote.")]
) -> None:
    ctx.obj = folder


@app.command()
def causes(ctx: typer.Context, variable: Variable, json: options.Json = False) -> None:
    """Tell which variables cause one surely, which possibly, and which do not."""
    _answer(ctx, "causes_of", (variable,), json)


@app.command()
def about(ctx: typer.Context, variable: Variable, json: options.Json = False) -> None:
    """Tell all that the graph says of one variable: causes, effects, hidden common causes."""
    _answer(ctx, "about", (variable,), json)


@app.command()
def confounded(ctx: typer.Context, a: First, b: Second, json: options.Json = False) -> None:
    """Tell whether a hidden common cause stands behind two variables: yes, no, or open."""
    _answer(ctx, "confounded", (a, b), json)


@app.command()
def paths(ctx: typer.Context, a: First, b: Second, json: options.Json = False) -> None:
    """List the paths from one variable to another that could be causal, at most twenty."""
    _answer(ctx, "paths", (a, b), json, lambda answer: answer.facts["paths"])


@app.command()
def adjust(ctx: typer.Context, x: Treatment, y: Outcome, json: options.Json = False) -> None:
    """List the minimal sets of variables to hold fixed for an effect, or say what stands in the way."""
    _answer(ctx, "adjustment", (x, y), json)


@app.command()
def effect(
    ctx: typer.Context,
    names: Annotated[list[str], typer.Argument(metavar="X… Y", help="The treatment, or several that are set together; then the outcome.")],
    table: Annotated[Path | None, typer.Option("--table", help="The table that the graph was learned from; without it no number.")] = None,
    interval: Annotated[
        str, typer.Option("--interval", help="How to allow for discovery: split (halves of the rows), bootstrap or naive (not at all).")
    ] = "split",
    method: Annotated[str, typer.Option("--method", help="auto, gaussian, robust or doubly-robust.")] = "auto",
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Tell the effect of one variable on another: identified, bounded, or not identifiable with the reason."""
    from dicola.discovery import Discovery
    from dicola.tables.reading import read_table

    *several, y = names
    if not several:
        raise InvalidSetting(f"an effect is one variable's on another; name the outcome as well: effect {y} OUTCOME.")
    found = Discovery.read(ctx.obj)
    rows = None if table is None else read_table(table)
    answer = found.effect(several if len(several) > 1 else several[0], y, rows, interval=interval, method=method, seed=seed)  # type: ignore[arg-type]  # checked there
    show(answer.to_dict(), answer.sentence, json)


def _answer(
    ctx: typer.Context, question: str, names: tuple[str, ...], json: bool, more: Callable[[Answer], tuple[str, ...]] = lambda answer: ()
) -> None:
    """Put a question of ``dicola.effects.reading`` to the graph in the folder, and print what it says."""
    from dicola.discovery import Discovery
    from dicola.effects import reading

    found = Discovery.read(ctx.obj)
    found.refuse_if_partial("This question")
    answer: Any = getattr(reading, question)(found.pag, *names, selection=bool(found.settings.get("selection")))
    show(answer.to_dict(), "\n".join([answer.sentence, *more(answer)]), json)
