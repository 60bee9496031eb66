"""Options that several commands take, and how they become settings."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from dicola.errors import InvalidSetting

Learner = Annotated[str, typer.Option("--learner", help="Base learner: fci, rfci, fci+, icd, l-marvel or pc (see: dicola learners).")]
Alone = Annotated[bool, typer.Option("--alone", help="Run the base learner on all variables at once, without decomposition.")]
Jobs = Annotated[int, typer.Option("--jobs", help="Leaves learned at a time; -1 for all cores. The answer does not depend on it.")]
Out = Annotated[Path | None, typer.Option("--out", help="Folder for the results: pag.csv, pag.json, pag.svg, report.html, …")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output and nothing else there.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
Stop = Annotated[
    str,
    typer.Option(
        "--stop",
        help="When to stop splitting: auto (where it no longer pays), paper (nothing splits any more) or reference (the authors' caps).",
    ),
]
Colliders = Annotated[str, typer.Option("--colliders", help="How unshielded triples are decided: sepset, conservative, majority or max_p.")]
MaxConditionSize = Annotated[
    int | None, typer.Option("--max-condition-size", help="Largest conditioning set of the adjacency search; no limit by default.")
]
MaxPossibleDsepSize = Annotated[
    int | None, typer.Option("--max-possible-dsep-size", help="Largest conditioning set from Possible-D-Sep; no limit by default.")
]


def learner_with(name: str, **limits: int | None) -> Any:
    """The learner of that name, with the limits that were given."""
    from dicola.learners.names import learner_named

    learner: Any = learner_named(name)
    known = {field.name for field in fields(learner)}
    given = {limit: value for limit, value in limits.items() if value is not None}
    for limit in given:
        if limit not in known:
            raise InvalidSetting(f"the learner {name!r} has no setting --{limit.replace('_', '-')}.")
    return replace(learner, **given)
