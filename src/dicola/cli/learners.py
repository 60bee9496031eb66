"""``dicola learners``: what there is to choose from."""

from __future__ import annotations

from dataclasses import fields

import typer

from dicola.cli import options


def learners(json: options.Json = False) -> None:
    """List the base learners with their reference, guarantee and settings."""
    from dicola.learners.names import LEARNERS

    known = [
        {
            "name": learner.name,
            "title": learner.title,
            "reference": learner.reference,
            "guarantee": learner.guarantee,
            "complete": learner.complete,
            "settings": {field.name: field.default for field in fields(learner)},  # type: ignore[arg-type]
        }
        for learner in LEARNERS.values()
    ]
    if json:
        from json import dumps

        typer.echo(dumps({"learners": known}, ensure_ascii=False))
        return
    for learner in known:
        typer.echo(f"{learner['name']:10} {learner['title']}: {learner['reference']}")
        typer.echo(f"{'':10} {learner['guarantee']}")
        settings = ", ".join(f"{name}={value!r}" for name, value in learner["settings"].items())  # type: ignore[attr-defined]
        typer.echo(f"{'':10} settings: {settings}")
