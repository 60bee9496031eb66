"""The command ``dicola``: its subcommands, and how it ends."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from types import TracebackType
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from dicola.cli import ask, compare, compare_tests, convert, demo, explain, fit, listing, look, modes, oracle, paper, report, simulate
from dicola.cli.option_names import in_options
from dicola.cli.options import FLAG, epilog
from dicola.cli.plan_options import with_names
from dicola.cli.terminal import complain, visible
from dicola.errors import DicolaError


class _Commands(TyperGroup):
    """Ends quietly where typer would not: on Ctrl-C, and when whoever reads our output has gone."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            complain("interrupted.")
            raise typer.Exit(130) from None
        except typer.BadParameter as error:
            error.message = visible(error.message)  # it may quote a settings file
            raise
        except BrokenPipeError:
            _forget_output()
            raise typer.Exit(0) from None


class _Command(TyperCommand):
    """Fills names from the registries into its help only when that is shown: loading them takes a second."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        for parameter in self.params:
            with_names(parameter)
        super().format_help(ctx, formatter)


app = typer.Typer(
    name="dicola",
    cls=_Commands,
    help="Causal discovery when some variables are hidden: learn a partial ancestral graph (PAG) from a table.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _add(command: Callable[..., None], examples: tuple[str, ...]) -> None:
    app.command(command.__name__.replace("_", "-"), cls=_Command, epilog=epilog(examples))(command)


for module in (demo, look, fit, simulate, oracle, compare, compare_tests, explain, report, convert, modes):
    _add(getattr(module, module.__name__.rpartition(".")[2]), module.EXAMPLES)
for command in (listing.learners, listing.tests, listing.blankets):
    _add(command, (f"dicola {command.__name__}", f"dicola {command.__name__} --json"))
app.add_typer(ask.app)
app.add_typer(paper.app)


def _version(wanted: bool) -> None:
    if wanted:
        from dicola import __version__

        typer.echo(f"dicola {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", metavar=FLAG, callback=_version, is_eager=True, help="Print the version and stop."),
) -> None:
    pass


def main() -> None:
    """Run the command line. A user's mistake is one sentence on standard error and exit code 1; wrong usage is exit code 2."""
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # who ends the process gets what there is, as with Ctrl-C
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _note
            app()
    except DicolaError as error:
        complain(in_options(error.sentence))
        sys.exit(1)
    except OSError as error:
        _forget_output()
        complain(f"the output could not be written: {error.strerror or error}.")
        sys.exit(1)
    except Exception:
        sys.excepthook = _show_bug
        raise


def _note(message: Warning | str, *_: Any, **__: Any) -> None:
    """A warning as a line for a person, without the place in the code."""
    complain(f"note: {in_options(message.args[0]) if isinstance(message, Warning) and message.args else message}")


def _show_bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Python's own words on an error that is ours, with names that do not speak to the terminal."""
    sys.stderr.write(visible("".join(traceback.format_exception(kind, error, trace))))


def _forget_output() -> None:
    """Send what is still buffered nowhere, so that Python does not fail on it again when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
