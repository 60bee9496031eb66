"""``dicola blankets``: the Markov blanket learners there are to choose from."""

from __future__ import annotations

from dicola.cli import options
from dicola.cli.listing import show_choices

EXAMPLES = ("dicola blankets", "dicola blankets --json")


def blankets(json: options.Json = False) -> None:
    """List the Markov blanket learners, which find where to split, with their reference and what they assume."""
    from dicola.blankets.registry import BLANKETS

    show_choices("blankets", BLANKETS.facts(), as_json=json)
