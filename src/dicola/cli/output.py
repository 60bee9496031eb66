"""What all commands share: printing a discovery, as text or JSON, and a progress bar where a person watches."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from dicola.cli.words import in_options

if TYPE_CHECKING:
    from dicola.discovery import Discovery
    from dicola.local_discovery import LocalDiscovery
    from dicola.pipeline.discover import Progress

_PHASES = {"decompose": "Decomposing", "leaves": "Learning leaves", "orient": "Orienting"}


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Progress | None]:
    """A progress bar with the time left on a terminal's standard error; ``None`` in a pipe or when quiet.

    How far a decomposition will go is not known beforehand, so its bar counts and gives no time.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, TaskID] = {}
        start = bar.add_task("Starting; the first run after an installation compiles", total=None)

        def advance(phase: str, done: int, total: int) -> None:
            if phase not in tasks:
                bar.update(start, visible=False)
                for earlier in tasks.values():
                    bar.update(earlier, total=bar.tasks[earlier].completed)
                tasks[phase] = bar.add_task(_PHASES.get(phase, phase), total=None if phase == "decompose" else total)
            bar.update(tasks[phase], completed=done)

        yield advance


def show(found: Discovery, *, as_json: bool, quiet: bool, folder: Path | None, more: dict[str, Any] | None = None) -> None:
    """Print a discovery: one JSON object, or the edges, a summary and the warnings."""
    if as_json:
        typer.echo(json.dumps(_facts(found, folder) | (more or {}), ensure_ascii=False))
        return
    if quiet:
        return
    text = str(found.pag)
    typer.echo(text if text else "(no edges)")
    typer.echo()
    typer.echo(found.summary())
    if not found.legality:
        typer.echo("note: no class of MAGs has exactly these marks (not a legal PAG), as often with finite samples; see --legalize.")
    for warning in found.warnings:
        typer.echo(f"note: {in_options(warning)}")
    for key, value in (more or {}).items():
        typer.echo(f"{key}: {value}")
    if folder is not None:
        typer.echo(f"written to {folder}; open {folder / 'report.html'} in a browser")


def show_local(found: LocalDiscovery, *, as_json: bool, quiet: bool, folder: Path | None) -> None:
    """Print what was found around one variable: one JSON object, or sentences, a summary and the warnings."""
    if as_json:
        more = {"seconds": found.seconds, "written_to": None if folder is None else str(folder)}
        typer.echo(json.dumps(found.to_dict() | more, ensure_ascii=False))
        return
    if quiet:
        return
    typer.echo(str(found))
    typer.echo()
    typer.echo(found.summary())
    for warning in found.warnings:
        typer.echo(f"note: {in_options(warning)}")
    if folder is not None:
        typer.echo(f"written to {folder}")


def _facts(found: Discovery, folder: Path | None) -> dict[str, Any]:
    edges = [{"u": e.u, "v": e.v, "mark_u": e.mark_u.name.lower(), "mark_v": e.mark_v.name.lower()} for e in found.pag.edges()]
    return {
        "nodes": list(found.pag.names),
        "edges": edges,
        "tests": found.tests,
        "evaluations": found.evaluations,
        "score": found.score,
        "seconds": found.seconds,
        "tree": {"n_leaves": found.tree.n_leaves, "largest_leaf": found.tree.largest_leaf, "depth": found.tree.depth},
        "settings": found.settings,
        "warnings": list(found.warnings),
        "legal": found.legality.legal,
        "written_to": None if folder is None else str(folder),
    }
