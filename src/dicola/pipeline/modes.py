"""Modes: named presets of the one pipeline in ``discover``, from the paper's method to score-guided ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dicola.errors import not_allowed
from dicola.score.search import BestMag


@dataclass(frozen=True)
class Mode:
    """A preset: the settings of ``discover`` that it fixes, and a last step on the oriented graph where it has one.

    ``needs_data`` says that it scores graphs, so that no oracle will do. ``trusts_blankets`` says that what a test cannot see given all
    other variables counts as independent: cuts are taken unasked, and leaves start from their independence graph.
    """

    name: str
    title: str
    guarantee: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    needs_data: bool = True
    trusts_blankets: bool = True
    last_step: BestMag | None = None


EXACT = Mode(
    "exact",
    "every mark rests on independence tests, every cut is confirmed by the data",
    "the true PAG whenever the answers of the test are right",
    needs_data=False,
    trusts_blankets=False,
)
PAPER = Mode(
    "paper",
    "the paper's own configuration: total conditioning, cuts taken unasked, leaves from their independence graph",
    "the true PAG whenever the answers of the test are right; the fastest, and with few rows far less accurate than exact",
    {"blankets": "total_conditioning"},
    needs_data=False,
)
FAST = Mode(
    "fast",
    "the skeleton of exact; colliders as in the best DAG of an order search",
    "as exact if the order search ends in the best DAG; a heuristic otherwise",
    {"colliders": "order"},
    trusts_blankets=False,
)
BALANCED = Mode(
    "balanced",
    "the MAG with the best Gaussian BIC that score-guided parts, merged, and a search on all variables find",
    "a legal PAG; the score is consistent for linear Gaussian data, the search is a heuristic",
    {"learner": "mag-bic", "stop": "reference"},
    last_step=BestMag(),
)
ACCURATE = Mode(
    "accurate",
    "balanced with more starts, the PAG by tests alone among them, for several times the work",
    "as balanced; the PAG by tests is one of the starts, and the best score stands",
    {"learner": "mag-bic", "stop": "reference"},
    last_step=BestMag(longer=True),
)
MODES: dict[str, Mode] = {mode.name: mode for mode in (EXACT, PAPER, FAST, BALANCED, ACCURATE)}
SCORED = "balanced"  # what "auto" takes where the data can be scored
AUTO = "auto"


def mode_named(name: str) -> Mode:
    """The mode of that name."""
    found = MODES.get(str(name).lower())
    if found is None:
        raise not_allowed("mode", name, f"it may be {', '.join(repr(known) for known in MODES)} or {AUTO!r}.")
    return found
