"""``dicola tests``: the conditional independence tests there are to choose from."""

from __future__ import annotations

from dicola.cli import options
from dicola.cli.listing import show_choices

EXAMPLES = ("dicola tests", "dicola tests --json")


def tests(json: options.Json = False) -> None:
    """List the conditional independence tests with their reference and what they assume.

    In Python any function that returns a p-value or a yes/no is a test as well: dicola.CallableTest.
    """
    from dicola.ci.registry import TESTS

    show_choices("tests", TESTS.facts(), as_json=json)
