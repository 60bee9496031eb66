"""What the commands that learn share: a progress bar where a person watches, writing, and printing as text or JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from dicola.cli import options
from dicola.cli.grouped import Group
from dicola.cli.option_names import in_options
from dicola.cli.settings_file import write_settings

if TYPE_CHECKING:
    from dicola.discovery import Discovery
    from dicola.local_discovery import LocalDiscovery
    from dicola.pipeline.discover import Progress

_PHASES = {"decompose": "Decomposing", "leaves": "Learning leaves", "orient": "Orienting"}


class Output(NamedTuple):
    """Where results go, and how they are shown."""

    out: options.Out = None
    json: options.Json = False
    quiet: options.Quiet = False

    def check_folder(self) -> None:
        """Refuse a folder that cannot be written to, before the work and not after it."""
        from dicola.files import writable_folder

        if self.out is not None:
            writable_folder(self.out)

    def progress(self) -> AbstractContextManager[Progress | None]:
        """A progress bar, unless nothing is to be shown but the result."""
        return _progress_bar(self.json or self.quiet)

    def deliver(
        self, ctx: typer.Context, found: Discovery | LocalDiscovery, about: Callable[[], str] = str, more: dict[str, Any] | None = None
    ) -> None:
        """Write what was found beside the settings, where a folder is named, and print it.

        ``about`` makes a remark on the input for the settings file; ``more`` is printed as well.
        """
        if self.out is not None:
            found.write(self.out)
            write_settings(ctx, self.out, about())
        if self.json:
            where = {"written_to": None if self.out is None else str(self.out)}
            typer.echo(json.dumps(_facts(found) | where | (more or {}), ensure_ascii=False))
        elif not self.quiet:
            notes = [f"note: {in_options(warning)}" for warning in found.warnings]
            facts = [f"{key}: {value}" for key, value in (more or {}).items()]
            typer.echo("\n".join([*_lines(found), *notes, *facts, *self._where(found)]))

    def _where(self, found: Discovery | LocalDiscovery) -> list[str]:
        if self.out is None:
            return []
        page = self.out / "report.html"
        return [f"written to {self.out}; open {page} in a browser" if hasattr(found, "report") else f"written to {self.out}"]


Results = Annotated[Output, Group.of(Output)]


@contextmanager
def _progress_bar(quiet: bool) -> Iterator[Progress | None]:
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


def _lines(found: Discovery | LocalDiscovery) -> list[str]:
    """The edges or sentences, and a summary."""
    from dicola.local_discovery import LocalDiscovery

    if isinstance(found, LocalDiscovery):
        return [str(found), "", found.summary()]
    lines = [str(found.pag) or "(no edges)", "", found.summary()]
    if not found.legality:
        lines.append("note: no class of MAGs has exactly these marks (not a legal PAG), as often with finite samples; see --legalize.")
    return lines


def _facts(found: Discovery | LocalDiscovery) -> dict[str, Any]:
    from dicola.local_discovery import LocalDiscovery

    if isinstance(found, LocalDiscovery):
        return found.to_dict() | {"seconds": found.seconds}
    return {
        "nodes": list(found.pag.names),
        "edges": [{"u": e.u, "v": e.v, "mark_u": e.mark_u.name.lower(), "mark_v": e.mark_v.name.lower()} for e in found.pag.edges()],
        "tests": found.tests,
        "evaluations": found.evaluations,
        "score": found.score,
        "seconds": found.seconds,
        "tree": {"n_leaves": found.tree.n_leaves, "largest_leaf": found.tree.largest_leaf, "depth": found.tree.depth},
        "settings": found.settings,
        "warnings": list(found.warnings),
        "legal": found.legality.legal,
    }
