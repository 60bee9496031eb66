"""The commands of ``dicola paper``, which finds them here in a clone.

What a command needs is imported when it is called, so that help and completion need not wait.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dicola import InvalidSetting

if TYPE_CHECKING:
    from dicola_experiments.folder import Folder
    from dicola_experiments.plan import Study
    from dicola_experiments.run import Standing

ALL = "all"

app = typer.Typer(rich_markup_mode="rich")


def _examples(*lines: str) -> str:
    """Lines under the help of a command."""
    return "[bold]Examples[/bold]\n\n" + "\n\n".join(f"[dim]$[/dim] {line}" for line in lines)


def studies(incomplete: str) -> list[str]:
    """Names of studies in ./paper, for the shell to complete."""
    from dicola_experiments.folder import Folder

    try:
        return [name for name in (*Folder.at(Path("paper")).names, ALL) if name.startswith(incomplete)]
    except InvalidSetting:
        return []


Name = Annotated[str, typer.Argument(metavar="NAME", autocompletion=studies, help="The study (see: dicola paper list).")]
StudyFolder = Annotated[Path, typer.Option("--folder", help="Folder of the settings files.")]
Results = Annotated[Path | None, typer.Option("--results", help="Folder of the rows; 'results' in the folder of the studies by default.")]
Json = Annotated[bool, typer.Option("--json", metavar="", help="Print one JSON object on standard output and nothing else there.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", metavar="", help="Print nothing but errors.")]


@app.command("list", epilog=_examples("dicola paper list", "dicola paper list --json"))
def list_studies(folder: StudyFolder = Path("paper"), results: Results = None, json: Json = False) -> None:
    """List the studies, what of the paper each one shows, and how far it is."""
    from dicola_experiments.folder import Folder

    place = Folder.at(folder, results)
    found = [_facts(place, name) for name in place.names]
    if json:
        typer.echo(dumps({"studies": found}, ensure_ascii=False))
        return
    width, state_width = (max(len(facts[key]) for facts in found) for key in ("name", "state"))
    for facts in found:
        typer.echo(f"{facts['name']:{width}}  {facts['state']:{state_width}}  {facts['title']}")


@app.command(
    epilog=_examples(
        "dicola paper run smoke",
        "dicola paper run er30-3 --jobs 2 --budget 1h30m",
        "dicola paper run andes --repetitions 50 --cap 2130",
        "dicola paper run arabidopsis --data arabidopsis_isoprenoid.csv",
        "dicola paper run accuracy --jobs 2 --data gaussian_networks",
        "dicola paper run accuracy --only weak --first-seed 300 --repetitions 4 --out trial",
        "dicola paper run all --jobs 2 --budget 5h",
        "dicola paper run andes --scheduler tcp://127.0.0.1:8786",
    )
)
def run(
    name: Annotated[str, typer.Argument(metavar="NAME", autocompletion=studies, help=f"The study, or {ALL!r} for every one.")],
    repetitions: Annotated[
        int | None, typer.Option("--repetitions", min=1, help="Runs of each method on each setting; by default as the settings file says.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", help="Runs made at a time; -1 for as many as there are cores.")] = 1,
    scheduler: Annotated[
        str | None,
        typer.Option("--scheduler", metavar="ADDRESS", help="Make the runs on a cluster: tcp://host:8786 (Dask), ray://host:10001 or ray."),
    ] = None,
    budget: Annotated[
        str | None, typer.Option("--budget", metavar="TIME", help="Begin no new run after that time: 90s, 30m, 2h or 1h30m.")
    ] = None,
    cap: Annotated[
        float | None, typer.Option("--cap", min=0.0, metavar="SECONDS", help="Stop a run after that many seconds, whatever the file says.")
    ] = None,
    method: Annotated[
        list[str] | None, typer.Option("--method", metavar="NAME", help="Only this method or group of methods; may be repeated.")
    ] = None,
    skip: Annotated[
        list[str] | None, typer.Option("--skip", metavar="NAME", help="All but this method or group of methods; may be repeated.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="PATH", help="What the repository does not hold: the table of real data, or a folder of networks."),
    ] = None,
    first_seed: Annotated[
        int | None, typer.Option("--first-seed", min=1, metavar="SEED", help="Seed of the first repetition, whatever the file says.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="WORD", help="Only settings with this word in their name; may be repeated.")
    ] = None,
    folder: StudyFolder = Path("paper"),
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for the rows; 'results' in the folder of the studies by default.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make the runs of a study that are still missing, one JSON line each.

    Stopped at any moment and started again it goes on where it was.
    """
    from time import monotonic

    from dicola_experiments.files import writable_folder
    from dicola_experiments.folder import SMOKE, Folder

    place = Folder.at(folder, out)
    writable_folder(place.results)
    end = None if budget is None else monotonic() + duration(budget)
    known = [place.study(each) for each in place.names if each != SMOKE] if name == ALL else [place.study(name)]
    told = []
    for study in known:
        left = None if end is None else max(end - monotonic(), 0.0)
        if study.kind != "expression":
            networks = None if name == ALL and not (data and data.is_dir()) else data
            limited = study.of_series(only or ()).with_limits(repetitions, cap, method or None, skip or (), first_seed)
            told.append(_run(place, limited, jobs, left, networks, json, quiet, scheduler))
        elif name != ALL or (data is not None and not data.is_dir()):
            told.append(_run_expression(place, study, data, json, quiet))
    if json:
        typer.echo(dumps(told[0] if name != ALL else {"studies": told}, ensure_ascii=False))


@app.command(epilog=_examples("dicola paper show er30-3", "dicola paper show dense --json"))
def show(name: Name, folder: StudyFolder = Path("paper"), results: Results = None, json: Json = False) -> None:
    """Print the means of a study so far, with their standard errors and the runs behind them."""
    from dicola_experiments.accuracy import accuracy_tables
    from dicola_experiments.folder import Folder
    from dicola_experiments.tables import LEGEND, study_tables

    place = Folder.at(folder, results)
    study = place.study(name)
    if study.kind == "expression":
        _show_expression(place, study, json)
        return
    found = place.outcomes(name)
    if json:
        typer.echo(dumps({"study": name, "title": study.title, "outcomes": [outcome.facts() for outcome in found]}, ensure_ascii=False))
        return
    typer.echo(f"{study.title}\n{study.shows}")
    tables = accuracy_tables(found) if study.kind == "accuracy" else study_tables(found)
    if not tables:
        typer.echo(f"\nno runs yet; make them with: dicola paper run {name}")
        return
    typer.echo(LEGEND)
    for table in tables:
        typer.echo(f"\n{table.text()}")


@app.command(epilog=_examples("dicola paper report", "dicola paper report --json"))
def report(
    folder: StudyFolder = Path("paper"),
    results: Results = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write REPRODUCTION.md, ACCURACY.md and all figures from the rows, and pack these.

    The study of accuracy is also written into docs/modes.md beside the folder of the studies. Rows
    that another run is adding to are read, but not packed.
    """
    from dicola_experiments.figures import write_figures
    from dicola_experiments.files import writable_folder, write_changed
    from dicola_experiments.folder import Folder
    from dicola_experiments.reproduction import report_text, results_in

    place = Folder.at(folder, results)
    writable_folder(place.path)
    found = results_in(place)
    figures = write_figures(found, place.figures)
    write_changed(place.path / "REPRODUCTION.md", report_text(place, found).encode())
    beyond = [name for name in place.names if place.study(name).kind == "accuracy"]
    for name in beyond:
        figures += _report_accuracy(place, name)
    busy = [name for name in (*found, *beyond) if not place.pack(name)]
    if json:
        facts = {"written_to": str(place.path / "REPRODUCTION.md"), "figures": list(map(str, figures)), "studies": list(found)}
        typer.echo(dumps(facts | {"not_packed": busy}, ensure_ascii=False))
    elif not quiet:
        for name in busy:
            typer.echo(f"{name}: another run is adding rows; they are not packed yet")
        typer.echo(f"{place.path / 'REPRODUCTION.md'} written from {len(found)} studies, with {len(figures)} figures in {place.figures}")


def _report_accuracy(place: Folder, name: str) -> list[Path]:
    """Write the page of one study of accuracy, its block in the documentation, and its figure."""
    from dicola_experiments.accuracy import page_block, report_page, write_block
    from dicola_experiments.accuracy_figure import accuracy_figure
    from dicola_experiments.figures import drawing, save
    from dicola_experiments.files import write_changed

    results = place.outcomes(name)
    documentation = place.path.resolve().parent / "docs"
    if name == "accuracy" and (documentation / "modes.md").exists():
        write_block(documentation / "modes.md", page_block(results))
    if not results.settings:
        return []
    write_changed(place.path / f"{name.upper()}.md", report_page(results).encode())
    with drawing():
        written = save(accuracy_figure(results), place.figures / name)
    if name == "accuracy" and (documentation / "images").is_dir():
        written.append(write_changed(documentation / "images" / f"{name}.svg", written[0].read_bytes()))
    return written


def duration(text: str) -> float:
    """Seconds in a time as people write it.

    >>> duration("90s"), duration("2h"), duration("1h30m"), duration("0.5h")
    (90.0, 7200.0, 5400.0, 1800.0)
    """
    parts = re.fullmatch(r"(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m(?:in)?)?(?:(\d+(?:\.\d+)?)s)?", text.replace(" ", "").lower())
    if parts is None or not any(parts.groups()):
        raise InvalidSetting(f"--budget is {text!r}; write a time like 90s, 30m, 2h or 1h30m.")
    hours, minutes, seconds = (float(part or 0) for part in parts.groups())
    return 3600 * hours + 60 * minutes + seconds


def _run(
    place: Folder, study: Study, jobs: int, budget: float | None, data: Path | None, json: bool, quiet: bool, scheduler: str | None
) -> dict[str, Any]:
    """Run one study; Ctrl-C ends it with a word on how far it is."""
    import os

    from dicola_experiments.run import run_study, standing

    rows = place.rows(study.name)
    skipped = _not_installed(study)
    if skipped and not (quiet or json):
        typer.echo(f"{study.name}: {', '.join(skipped)} skipped; not installed: {', '.join(dict.fromkeys(skipped.values()))}.")
    absent = _without_folder(study, data)
    if absent and not (quiet or json):
        typer.echo(f"{study.name}: {', '.join(absent)} skipped; read from a folder outside the repository: name it with --data.")
    try:
        with _bar(study, quiet or json) as progress:
            now = run_study(study, rows, (os.cpu_count() or 1) if jobs == -1 else jobs, budget, progress, data, scheduler)
    except KeyboardInterrupt:
        left = standing(study, rows, data).total
        sys.stderr.write(
            f"dicola: interrupted; {study.name} has {len(rows):,} rows, {left:,} runs are left. The same command goes on from here.\n"
        )
        raise typer.Exit(130) from None
    left = now.total - now.done
    if not (quiet or json):
        state = "complete" if now.is_complete else f"{left:,} runs are left; the same command goes on from here"
        typer.echo(f"{study.name}: {len(rows):,} rows, {rows.n_added:,} of them new, in {rows.path}; {state}")
    facts: dict[str, Any] = {"study": study.name, "rows": len(rows), "new": rows.n_added, "left": left}
    return facts | {"complete": now.is_complete, "skipped": [*skipped, *absent], "written_to": str(rows.path)}


def _run_expression(place: Folder, study: Study, data: Path | None, json: bool, quiet: bool) -> dict[str, Any]:
    from dicola_experiments.expression import run_expression
    from dicola_experiments.tables import expression_table

    facts = run_expression(study, data, place.results, place.figures)
    if not (quiet or json):
        typer.echo(expression_table(facts).text())
        typer.echo(f"written to {place.results / study.name}.json and {place.figures}")
    return facts


def _show_expression(place: Folder, study: Study, json: bool) -> None:
    from dicola_experiments.expression import read_expression
    from dicola_experiments.tables import expression_table

    facts = read_expression(study, place.results)
    if json:
        typer.echo(dumps(facts or {"study": study.name, "selections": []}, ensure_ascii=False))
        return
    typer.echo(f"{study.title}\n{study.shows}\n")
    if facts is None:
        typer.echo(f"not run yet; do it with: dicola paper run {study.name} --data FILE")
        return
    typer.echo(expression_table(facts).text())
    for selection in facts["selections"]:
        for learned in selection["runs"]:
            typer.echo(f"\n{selection['name']}, {learned['how']}")
            for line in learned["in_words"]:
                typer.echo(f"  {line['edge']:28}  {line['words']}")


def _without_folder(study: Study, data: Path | None) -> list[str]:
    """Graphs of the study that are read from a folder, where none was named."""
    from dicola_experiments.plan import lacks_folder

    if data is not None and not data.is_dir() and any(lacks_folder(cell, None) for cell in study.cells()):
        raise InvalidSetting(f"--data is {str(data)!r}, which is no folder; {study.name} reads networks from one.")
    return list(dict.fromkeys(cell.setting.graph for cell in study.cells() if lacks_folder(cell, data)))


def _not_installed(study: Study) -> dict[str, str]:
    """Methods of the study whose library is not there, with the modules that are missing."""
    from dicola_experiments.methods import PEERS, is_installed

    absent = [method for method in dict.fromkeys(cell.method for cell in study.cells()) if not is_installed(method)]
    return {method: ", ".join(PEERS[method].missing or PEERS[method].modules) for method in absent}


@contextmanager
def _bar(study: Study, quiet: bool) -> Iterator[Callable[[Standing], None]]:
    """A bar with the time left on a terminal's standard error; nothing in a pipe or when quiet."""
    if quiet or not sys.stderr.isatty():
        yield lambda standing: None
        return
    from datetime import timedelta

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
        TextColumn("[dim]{task.fields[last]}[/dim]", markup=True),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(study.name, total=None, left="", last="starting")

        def advance(standing: Standing) -> None:
            left = f"about {timedelta(seconds=round(standing.seconds_left))} left"
            bar.update(task, total=standing.total, completed=standing.done, left=left, last=standing.last)

        yield advance


def _facts(place: Folder, name: str) -> dict[str, Any]:
    """A study in the listing."""
    from dicola_experiments.run import standing

    study = place.study(name)
    facts: dict[str, Any] = {"name": name, "title": study.title, "shows": study.shows, "kind": study.kind}
    if study.kind == "expression":
        done = (place.results / f"{name}.json").exists()
        return facts | {"rows": int(done), "left": int(not done), "state": "done" if done else "needs --data"}
    rows = place.rows(name)
    left = standing(study, rows).total
    state = "complete" if not left else "not begun" if not len(rows) else f"{left:,} runs left"
    return facts | {"rows": len(rows), "left": left, "state": state}
