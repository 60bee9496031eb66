"""The command ``dicola``: its subcommands, and how it ends."""

from __future__ import annotations

import sys

import typer

from dicola.cli import compare, demo, explain, fit, learners, oracle, report, simulate
from dicola.errors import DicolaError

app = typer.Typer(
    name="dicola",
    help="Causal discovery when some variables are hidden: learn a partial ancestral graph (PAG) from a table.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo")(demo.demo)
app.command("fit")(fit.fit)
app.command("simulate")(simulate.simulate)
app.command("oracle")(oracle.oracle)
app.command("compare")(compare.compare)
app.command("explain")(explain.explain)
app.command("report")(report.report)
app.command("learners")(learners.learners)


def _version(wanted: bool) -> None:
    if wanted:
        from dicola import __version__

        typer.echo(f"dicola {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version and stop."),
) -> None:
    pass


def main() -> None:
    """Run the command line. A user's mistake is one sentence on standard error and exit code 1; wrong usage is exit code 2."""
    try:
        app()
    except DicolaError as error:
        sys.stderr.write(f"dicola: {error}\n")
        sys.exit(1)
    except KeyboardInterrupt:
        sys.stderr.write("dicola: interrupted; nothing was written.\n")
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
