"""``dicola learners``, ``tests`` and ``blankets``: what there is to choose from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dicola.cli import options
from dicola.cli.output import show

_ABILITIES = {
    "latent_safe": "latent-safe: right where variables are hidden",
    "takes_knowledge": "takes knowledge",
    "allows_selection": "allows for selection of the sample",
    "needs_data": "scores graphs, so it needs data",
}


def learners(json: options.Json = False) -> None:
    """List the base learners with their reference, guarantee and settings."""
    from dicola.learners.registry import ALL

    show_choices("learners", ALL.facts(), json)


def tests(json: options.Json = False) -> None:
    """List the conditional independence tests with their reference and what they assume.

    In Python any function that returns a p-value or a yes/no is a test as well: dicola.CallableTest.
    """
    from dicola.ci.registry import TESTS

    show_choices("tests", TESTS.facts(), json)


def blankets(json: options.Json = False) -> None:
    """List the Markov blanket learners, which find where to split, with their reference and what they assume."""
    from dicola.blankets.registry import BLANKETS

    show_choices("blankets", BLANKETS.facts(), json)


def show_choices(kind: str, choices: Sequence[dict[str, Any]], as_json: bool) -> None:
    """Print each choice: its name and title, then one line per fact; or all as one JSON object under ``kind``."""
    width = max(len(choice["name"]) for choice in choices)
    show({kind: choices}, "\n".join(f"{name:{width}}  {line}" for choice in choices for name, line in _lines(choice)), as_json)


def _lines(choice: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What stands in each line beside the column of names, which the first one alone fills."""
    yield choice["name"], choice["title"] + (f": {choice['reference']}" if "reference" in choice else "")
    yield from (("", fact) for fact in _facts(choice))


def _facts(choice: dict[str, Any]) -> Iterator[str]:
    yield from (f"{key} {choice[key]}" for key in ("assumes", "needs") if key in choice)
    yield from (choice[key] for key in ("guarantee", "data") if key in choice)
    if choice.get("kinds"):
        yield f"columns: {', '.join(choice['kinds'])}"
    if choice.get("latent_safe") is False:
        yield "not latent-safe: members may be missing where variables are hidden"
    if abilities := [words for key, words in _ABILITIES.items() if choice.get(key)]:
        yield "; ".join(abilities)
    if choice.get("settings"):
        yield "settings: " + ", ".join(f"{name}={default!r}" for name, default in choice["settings"].items())
