"""What the commands that learn share: a progress bar where a person watches, writing, and printing as text or JSON."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dicola.cli import options
from dicola.cli.grouped import Group
from dicola.cli.option_names import in_options
from dicola.cli.settings_file import FILE as SETTINGS_FILE
from dicola.cli.settings_file import settings_text
from dicola.cli.terminal import complain, json_line, say

if TYPE_CHECKING:
    from types import FrameType

    from dicola.ci.base import CITest
    from dicola.discovery import Discovery
    from dicola.graphs.marks import Edge
    from dicola.local_discovery import LocalDiscovery
    from dicola.pipeline.discover import Progress
    from dicola.pipeline.plan import Plan
    from dicola.tables.table import Table

_MOST_UNDECIDED = 200  # edges that are listed though nothing is known of them
_PHASES = {"decompose": "Decomposing", "leaves": "Learning leaves", "orient": "Orienting", "bootstrap": "Learning again"}


def show(facts: Any, text: str, as_json: bool, quiet: bool = False) -> None:
    """Print the facts as JSON, or else the text, unless nothing is to be said."""
    if as_json:
        typer.echo(json_line(facts))
    elif not quiet:
        say(text)


@dataclass(frozen=True, kw_only=True)
class Output:
    """Where results go, and how they are shown."""

    out: options.Out = None
    json: options.Json = False
    quiet: options.Quiet = False

    def check_folder(self, ctx: typer.Context) -> None:
        """Refuse a folder that cannot be written to, before the work and not after it."""
        from dicola.files import own_folder

        if self.out is not None:
            own_folder(self.out)
            settings_text(ctx, self.out)  # what no settings file can hold is refused now as well

    def learned(self, ci: CITest, plan: Plan) -> Discovery:
        """What a plan finds, with a progress bar where a person watches."""
        from dicola.pipeline.discover import run

        with self._progress() as progress:
            return run(ci, plan, progress)

    def learned_from(self, table: Table, plan: Plan) -> Discovery:
        """What comes of a table, with a bootstrap where one is asked for."""
        from dicola.pipeline.bootstrap import learned_from
        from dicola.pipeline.warming import is_compiled_first, warm_before

        compiles = is_compiled_first(table, plan.mode, plan.max_seconds)
        if compiles and not self.quiet and not sys.stderr.isatty():  # a terminal has a progress bar that says so
            complain("note: the first run after an installation compiles the inner loops, which takes a minute.")
        with self._progress("Compiling, as the first run after an installation does" if compiles else "Starting") as progress:
            if compiles:
                warm_before(plan.mode)
            return learned_from(table, plan, progress)[1]

    @contextmanager
    def even_if_interrupted(self, ctx: typer.Context, about: Callable[[], str] = str) -> Iterator[None]:
        """While a run goes on: where it is interrupted, what it has found is delivered all the same."""
        from dicola.errors import Interrupted

        try:
            yield
        except Interrupted as stopped:
            self._deliver(ctx, stopped.discovery, about, None)  # pressed again, it ends at once
            raise

    @contextmanager
    def _progress(self, beginning: str = "Starting") -> Iterator[Progress | None]:
        """A progress bar with the time left, on a terminal's standard error.

        ``None`` in a pipe, or if only the result is to be shown. How far a decomposition will go is
        not known beforehand, so its bar counts and gives no time.
        """
        if self.json or self.quiet or not sys.stderr.isatty():
            yield None
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
        with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
            tasks: dict[str, TaskID] = {}
            start = bar.add_task(beginning, total=None)

            def advance(phase: str, done: int, total: int) -> None:
                if phase not in tasks:
                    bar.update(start, visible=False)
                    for earlier in tasks.values():
                        bar.update(earlier, total=bar.tasks[earlier].completed)
                    tasks[phase] = bar.add_task(_PHASES.get(phase, phase), total=None if phase == "decompose" else total)
                bar.update(tasks[phase], completed=done)

            yield advance

    def deliver(
        self, ctx: typer.Context, found: Discovery | LocalDiscovery, about: Callable[[], str] = str, more: dict[str, Any] | None = None
    ) -> None:
        """Write what was found beside the settings, where a folder is named, and print it.

        ``about`` makes a remark on the input for the settings file; ``more`` is printed as well. Ctrl-C waits until this is done, so
        that a whole answer is not lost in its last second; pressed again, it ends at once.
        """
        with _after_this():
            self._deliver(ctx, found, about, more)

    def _deliver(
        self, ctx: typer.Context, found: Discovery | LocalDiscovery, about: Callable[[], str], more: dict[str, Any] | None
    ) -> None:
        if self.out is not None:
            from dicola.result_folder import write_result

            seconds = found.seconds if isinstance(found.seconds, dict) else {"total": found.seconds}
            write_result(self.out, found.texts() | {SETTINGS_FILE: settings_text(ctx, self.out, about())}, seconds)
        if self.json:
            where = {"written_to": None if self.out is None else str(self.out)}
            show(_facts(found) | where | (more or {}), "", as_json=True)
        elif not self.quiet:
            say("\n".join([*_lines(found), *(f"{key}: {value}" for key, value in (more or {}).items())]))
            if self.out is not None:
                page = f"; open {self.out / 'report.html'} in a browser" if hasattr(found, "report") else ""
                say(f"written to {self.out}{page}")
                if (left_out := getattr(found, "left_out", None)) is not None:
                    say(f"note: {left_out}")


Results = Annotated[Output, Group.of(Output)]


@contextmanager
def _after_this() -> Iterator[None]:
    """The first signal that ends the process is heard afterwards, the second at once; one that somebody else handles is left alone."""
    heard: list[int] = []

    def press(number: int, frame: FrameType | None) -> None:
        heard.append(number)
        if len(heard) > 1:
            raise KeyboardInterrupt

    is_main = threading.current_thread() is threading.main_thread()
    ours = [each for each in (signal.SIGINT, signal.SIGTERM) if is_main and signal.getsignal(each) is signal.default_int_handler]
    for each in ours:
        signal.signal(each, press)
    try:
        yield
    finally:
        for each in ours:
            signal.signal(each, signal.default_int_handler)
    if heard:
        raise KeyboardInterrupt


def _lines(found: Discovery | LocalDiscovery) -> list[str]:
    """The edges or sentences, a summary and notes."""
    from dicola.local_discovery import LocalDiscovery

    notes = [f"note: {in_options(warning)}" for warning in found.warnings]
    if isinstance(found, LocalDiscovery):
        return [str(found), "", found.summary(), *notes]
    said = found.statements if hasattr(found, "statements") else ()
    notes += [f"note: {each}" for each in said if each.status == "denied" and str(each) not in found.warnings]
    if found.complete and not found.legality and found.settings.get("undecided") != "circle":
        notes.insert(0, "note: no class of MAGs has exactly these marks (not a legal PAG), as often with finite samples; see --legalize.")
    return ["\n".join(_edges(found)) or "(no edges)", "", in_options(found.summary()), *notes]


def _edges(found: Discovery) -> list[str]:
    """The edges as they print; after a bootstrap with how often each came, and its mark at each end."""
    edges = found.pag.edges()
    if not found.complete and found.undecided:
        decided = [str(edge) for edge in edges if found.is_decided(edge.u, edge.v)]
        left = [f"{u} o-o {v}   (undecided)" for u, v in found.undecided]
        return [*decided, *(left if len(left) <= _MOST_UNDECIDED else [f"({len(left):,} undecided edges are not listed)"])]
    if found.bootstrap is None:
        return [str(edge) for edge in edges]
    width = max((len(str(edge)) for edge in edges), default=0)
    told = [(edge, found.bootstrap.of_edge(edge)) for edge in edges]
    return [
        f"{str(edge).ljust(width)}  adjacent {often.adjacent:4.0%}, {edge.arrow} {often.same:4.0%}, "
        f"at {edge.u} {often.at_u:.0%}, at {edge.v} {often.at_v:.0%}"
        for edge, often in told
    ]


def _facts(found: Discovery | LocalDiscovery) -> dict[str, Any]:
    from dicola.local_discovery import LocalDiscovery, edge_facts

    if isinstance(found, LocalDiscovery):
        return found.to_dict() | {"seconds": found.seconds}
    return {
        "nodes": found.pag.names,
        "edges": [edge_facts(edge) | _often(found, edge) for edge in found.pag.edges()],
        **({} if found.bootstrap is None else {"bootstrap": found.bootstrap.to_dict()}),
        **{name: getattr(found, name) for name in ("tests", "evaluations", "score", "runner_up", "seconds")},
        "complete": found.complete,
        "undecided": found.undecided,
        "untested": found.untested._asdict(),
        "power": None if found.power is None else asdict(found.power),
        "how_sure": found.how_sure(),
        "tree": {name: getattr(found.tree, name) for name in ("n_leaves", "largest_leaf", "depth")},
        "settings": found.settings,
        "warnings": found.warnings,
        "legal": found.legality.legal,
        **({"statements": [asdict(each) for each in found.statements]} if found.statements else {}),
    }


def _often(found: Discovery, edge: Edge) -> dict[str, float]:
    """How often an edge came in a bootstrap, where there was one."""
    from dicola.confidence import EDGE_COLUMNS

    told = () if found.bootstrap is None else found.bootstrap.of_edge(edge)
    return {name: value for name, value in zip(EDGE_COLUMNS, told, strict=False) if value is not None}
