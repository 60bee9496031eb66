"""``dicola compare-tests``: what every test says about one pair of columns."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dicola.cli import options
from dicola.cli.grouped import grouped
from dicola.cli.output import show
from dicola.cli.plan_options import about_the_table, settings_of_a_run, words

if TYPE_CHECKING:
    import pandas as pd

EXAMPLES = ("dicola compare-tests table.csv dose effect", "dicola compare-tests table.csv dose effect --given age,sex --nominal sex")
_WIDTH = 110  # where nobody says how wide the screen is


@grouped
def compare_tests(
    data: Annotated[Path, typer.Argument(metavar="DATA", help="CSV, TSV, Parquet or Excel file with a header of names.")],
    x: Annotated[str, typer.Argument(metavar="X", help="A column.")],
    y: Annotated[str, typer.Argument(metavar="Y", help="Another column.")],
    given: Annotated[str | None, typer.Option("--given", metavar="NAMES", help="Columns held fixed, separated by commas.")] = None,
    header: options.Header = None,
    alpha: Annotated[float, typer.Option("--alpha", help="Level of the tests.")] = 0.01,
    *,
    typed: Annotated[dict[str, Any], settings_of_a_run("kinds", "missing_values")],
    json: options.Json = False,
) -> None:
    """Ask every test whether two columns are independent given others: rows, statistic, degrees of freedom, p-value.

    Tests that do not take columns of these kinds say so.
    """
    from dicola.comparing_tests import compare_tests as compare
    from dicola.tables.reading import read_table

    table = about_the_table(typed)
    found = compare(
        read_table(data, header=header),
        x,
        y,
        words(given),
        alpha=alpha,
        kinds=table["kinds"],
        missing_values=table["missing_values"] or (),
    )
    show({"tests": _facts(found)}, "" if json else _drawn(found, alpha), json)


def _facts(found: pd.DataFrame) -> list[dict[str, Any]]:
    """A row per test, of plain values; what a test does not have is None."""
    rows = found.reset_index().astype(object)
    return [{str(name): value for name, value in row.items()} for row in rows.where(rows.notna(), None).to_dict("records")]


def _drawn(found: pd.DataFrame, alpha: float) -> str:
    """A table as wide as the screen."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as Drawn

    heads = {"n": "right", "statistic": "right", "freedom": "right", "p-value": "right", f"at {alpha:g}": "left", "note": "left"}
    drawn = Drawn("test", box=SIMPLE_HEAD, pad_edge=False)
    for head, side in heads.items():
        drawn.add_column(head, justify=side, overflow="fold", no_wrap=head != "note")  # type: ignore[arg-type]
    for row in _facts(found):
        answer = {True: "independent", False: "dependent", None: ""}[row["independent"]]
        numbers = (_number(row[name], form) for name, form in (("n", ","), ("statistic", ".4g"), ("freedom", ".4g"), ("p_value", ".3g")))
        drawn.add_row(row["test"], *numbers, answer, row["note"])
    console = Console(width=None if sys.stdout.isatty() else _WIDTH, force_terminal=False, markup=False)
    with console.capture() as captured:
        console.print(drawn)
    return "\n".join(line.rstrip() for line in captured.get().splitlines()).strip("\n")


def _number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)
