"""``dicola learners``: the base learners there are to choose from."""

from __future__ import annotations

from dicola.cli import options
from dicola.cli.listing import show_choices

EXAMPLES = ("dicola learners", "dicola learners --json")


def learners(json: options.Json = False) -> None:
    """List the base learners with their reference, guarantee and settings."""
    from dicola.learners.registry import ALL

    show_choices("learners", ALL.facts(), as_json=json)
