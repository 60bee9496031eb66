"""Options that several commands take, and how they become settings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from dicola.errors import InvalidSetting

METHOD, TUNING = "Method", "Fine tuning"  # headings in the help
FLAG = ""  # the help would show <bool> beside an option that takes no value


def epilog(examples: Iterable[str]) -> str:
    """The examples under the help of a command."""
    lines = "\n\n".join(f"[dim]$[/dim] {example}" for example in examples)
    return f"[bold]Examples[/bold]\n\n{lines}"


def learners(incomplete: str) -> list[str]:
    """Names of base learners, for the shell to complete."""
    from dicola.learners.registry import ALL

    return [name for name in ALL if name.startswith(incomplete)]


def tests(incomplete: str) -> list[str]:
    """Names of tests, for the shell to complete."""
    from dicola.ci.registry import TESTS

    return [name for name in TESTS if name.startswith(incomplete)]


def blankets(incomplete: str) -> list[str]:
    """Names of blanket learners, for the shell to complete."""
    from dicola.blankets.registry import BLANKETS

    return [name for name in BLANKETS if name.startswith(incomplete)]


def modes(incomplete: str) -> list[str]:
    """Names of modes, for the shell to complete."""
    from dicola.pipeline.modes import AUTO, MODES

    return [name for name in (*MODES, AUTO) if name.startswith(incomplete)]


def networks(incomplete: str) -> list[str]:
    """Names of networks, for the shell to complete."""
    from dicola.simulate import network_names

    return [name for name in network_names() if name.startswith(incomplete)]


def formats(incomplete: str) -> list[str]:
    """Names of formats, for the shell to complete."""
    from dicola.graphs.formats.registry import FORMATS

    return [name for name in FORMATS if name.startswith(incomplete)]


Mode = Annotated[
    str,
    typer.Option(
        "--mode",
        autocompletion=modes,
        rich_help_panel=METHOD,
        help="exact (the paper's method), fast (its skeleton, colliders by an order search), balanced (the best MAG by score), "
        "accurate (likewise, searched longer) or auto (what fits the table); see: dicola modes.",
    ),
]
Learner = Annotated[
    str | None,
    typer.Option(
        "--learner",
        autocompletion=learners,
        rich_help_panel=METHOD,
        help="Base learner: fci, rfci, fci+, icd, l-marvel, pc, gfci, boss-fci or mag-bic (see: dicola learners).",
    ),
]
Alone = Annotated[
    bool,
    typer.Option(
        "--alone", metavar=FLAG, rich_help_panel=METHOD, help="Run the base learner on all variables at once, without decomposition."
    ),
]
Jobs = Annotated[int, typer.Option("--jobs", help="Leaves learned at a time; -1 for all cores. The answer does not depend on it.")]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", metavar=FLAG, help="Does the first line hold the names? By default yes, unless it holds numbers."),
]
Out = Annotated[Path | None, typer.Option("--out", help="Folder for the results: pag.csv, pag.json, pag.svg, report.html, …")]
Json = Annotated[bool, typer.Option("--json", metavar=FLAG, help="Print one JSON object on standard output and nothing else there.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", metavar=FLAG, help="Print nothing but errors.")]
Stop = Annotated[
    str | None,
    typer.Option(
        "--stop",
        rich_help_panel=TUNING,
        help="When to stop splitting: auto (where it no longer pays), paper (nothing splits any more) or reference (the authors' caps).",
    ),
]
Colliders = Annotated[
    str | None,
    typer.Option(
        "--colliders", rich_help_panel=TUNING, help="How unshielded triples are decided: sepset, conservative, majority, max_p or order."
    ),
]
Seed = Annotated[int, typer.Option("--seed", rich_help_panel=TUNING, help="Seed of the start orders; mode exact draws none.")]
MaxConditionSize = Annotated[
    int | None,
    typer.Option(
        "--max-condition-size", rich_help_panel=TUNING, help="Largest conditioning set of the adjacency search; no limit by default."
    ),
]
MaxPossibleDsepSize = Annotated[
    int | None,
    typer.Option(
        "--max-possible-dsep-size", rich_help_panel=TUNING, help="Largest conditioning set from Possible-D-Sep; no limit by default."
    ),
]


def learner_with(name: str | None, **limits: int | None) -> Any:
    """The learner of that name with the limits that were given; ``None`` where nothing was chosen."""
    from dicola.learners.registry import learner_named

    if name is None and all(value is None for value in limits.values()):
        return None
    learner: Any = learner_named(name or "fci")
    known = {field.name for field in fields(learner)}
    given = {limit: value for limit, value in limits.items() if value is not None}
    for limit in given:
        if limit not in known:
            raise InvalidSetting(f"the learner {name!r} has no setting --{limit.replace('_', '-')}.")
    return replace(learner, **given)
