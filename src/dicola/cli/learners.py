"""``dicola learners``: the base learners there are to choose from."""

from __future__ import annotations

from dataclasses import fields

from dicola.cli import options
from dicola.cli.listing import show_choices

EXAMPLES = ("dicola learners", "dicola learners --json")


def learners(json: options.Json = False) -> None:
    """List the base learners with their reference, guarantee and settings."""
    from dicola.learners.names import LEARNERS, SCORED

    known = [
        {
            "name": learner.name,
            "title": learner.title,
            "reference": learner.reference,
            "guarantee": learner.guarantee,
            "complete": learner.complete,
            "settings": {field.name: field.default for field in fields(learner)},  # type: ignore[arg-type]
        }
        for learner in (*LEARNERS.values(), *SCORED.values())
    ]
    show_choices("learners", known, as_json=json)
