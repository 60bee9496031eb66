"""``dicola paper``: a door to the paper's experiments.

Their code lies in the repository's folder ``paper`` and not in the package.
"""

from __future__ import annotations

import sys
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from dicola.cli.options import epilog
from dicola.errors import InvalidSetting

EXAMPLES = (
    "dicola paper list",
    "dicola paper run er30-3 --jobs 2 --budget 2h",
    "dicola paper show er30-3",
    "dicola paper report",
)
_PACKAGE = "dicola_experiments"
_NEEDS = (
    "the paper's experiments live in the repository's folder paper/ and come with a clone of the repository, not with the installed "
    "package: run this command in the clone, or name that folder with --folder."
)


class _Door(TyperGroup):
    """Takes its commands from the clone at hand; without a clone it says what it needs."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        home = _home(args)
        if home is None:
            self.epilog = _NEEDS.capitalize()
        else:
            self.commands = _commands(home)
        return super().parse_args(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if not self.commands and not ctx.resilient_parsing:
            raise InvalidSetting(_NEEDS)
        return super().get_command(ctx, cmd_name)


def _home(args: list[str]) -> Path | None:
    """The folder that holds the code: the one after ``--folder``, else ``./paper``.

    So in a clone one can also run studies that lie elsewhere.
    """
    after = [value for option, value in pairwise(args) if option == "--folder"]
    joined = [value for option, equals, value in (arg.partition("=") for arg in args) if equals and option == "--folder"]
    return next((Path(folder) for folder in (*after, *joined, "paper") if (Path(folder) / _PACKAGE / "commands.py").is_file()), None)


def _commands(home: Path) -> Any:
    """The commands of the experiments there.

    Their package imports itself by name, so its folder joins ``sys.path``: once, and at the end,
    where it hides nothing.
    """
    if _PACKAGE not in sys.modules:
        sys.path.append(str(home.resolve()))
    return get_group(import_module(f"{_PACKAGE}.commands").app).commands


app = typer.Typer(
    name="paper",
    cls=_Door,
    help="Run the experiments of the paper again: its tables and figures, one study each (in a clone of the repository).",
    epilog=epilog(EXAMPLES),
    no_args_is_help=True,
    rich_markup_mode="rich",
)
