"""Modes: named presets of the one pipeline in ``discover``, from the paper's method to score-guided ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dicola.ci.base import CITest
from dicola.errors import InvalidSetting, NeedsData
from dicola.graphs.mag import MAG
from dicola.graphs.pag import PAG
from dicola.orient.fixpoint import Orientation
from dicola.score.search import accurate, balanced

Refine = Callable[[CITest, Orientation, int, Callable[[], PAG]], tuple[MAG, float]]
"""A last step: from the test, what the decomposition found, a seed and the way to the PAG by tests alone, to a MAG and its score."""


@dataclass(frozen=True)
class Mode:
    """A preset: the settings of ``discover`` that it fixes, and a last step on the oriented graph where it has one.

    ``needs_data`` says that it scores graphs, so that no oracle will do.
    """

    name: str
    title: str
    guarantee: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    needs_data: bool = True
    refine: Refine | None = None

    def setting(self, name: str, given: Any, default: Any) -> Any:
        """The value of a setting: the mode's own where it has one, which must not be contradicted, else what was given."""
        own = self.settings.get(name, given)
        if given not in (own, default):
            raise InvalidSetting(f"mode={self.name!r} comes with {name}={own!r}; leave {name} alone, or take another mode.")
        return own


EXACT = Mode(
    "exact",
    "the paper's method: every mark rests on independence tests",
    "the true PAG whenever the answers of the test are right",
    needs_data=False,
)
FAST = Mode(
    "fast",
    "the skeleton of exact; colliders as in the best DAG of an order search",
    "as exact if the order search ends in the best DAG; a heuristic otherwise",
    {"colliders": "order"},
)
BALANCED = Mode(
    "balanced",
    "the MAG with the best Gaussian BIC that score-guided parts, merged, and a search on all variables find",
    "a legal PAG; the score is consistent for linear Gaussian data, the search is a heuristic",
    {"learner": "mag-bic", "stop": "reference"},
    refine=lambda ci, found, seed, by_tests: balanced(ci, found, seed),
)
ACCURATE = Mode(
    "accurate",
    "balanced with more starts, the PAG by tests alone among them, for several times the work",
    "as balanced; the PAG by tests is one of the starts, and the best score stands",
    {"learner": "mag-bic", "stop": "reference"},
    refine=lambda ci, found, seed, by_tests: accurate(ci, found, seed, by_tests()),
)
MODES: dict[str, Mode] = {mode.name: mode for mode in (EXACT, FAST, BALANCED, ACCURATE)}
SCORED = "balanced"  # what "auto" takes where the data can be scored
AUTO = "auto"
_FEW_VALUES = 10  # a column with fewer different values is taken for categories or grades
_FEW_ROWS = 5  # rows a variable below which the score modes were never tried


def mode_named(name: str) -> Mode:
    """The mode of that name."""
    found = MODES.get(str(name).lower())
    if found is None:
        raise InvalidSetting(f"mode is {name!r}; it may be {', '.join(repr(known) for known in MODES)} or {AUTO!r}.")
    return found


def chosen_mode(name: str, ci: CITest) -> tuple[Mode, str | None]:
    """The mode of that name; for ``"auto"`` the one that fits the data behind the test, and the reason in words."""
    if str(name).lower() != AUTO:
        return mode_named(name), None
    doubt = doubt_about_scoring(ci)
    if doubt is not None:
        return EXACT, doubt
    return MODES[SCORED], "the columns can be scored as linear Gaussian, where this mode was the more accurate in simulations"


def doubt_about_scoring(ci: CITest) -> str | None:
    """What speaks against scoring graphs by the Gaussian BIC on the data behind a test; ``None`` where nothing does.

    Errors need not be Gaussian for that: what counts is that correlations mean something.
    """
    try:
        _, rows = ci.correlations()
    except NeedsData:
        return "the test carries no correlations, so no graph can be scored"
    if rows < _FEW_ROWS * len(ci):
        return f"{rows} rows are fewer than {_FEW_ROWS} a variable, where scores were never tried"
    try:
        values = ci.samples()
    except NeedsData:
        return None
    for name, column in zip(ci.labels, values.T, strict=True):
        if (different := len(np.unique(column))) < _FEW_VALUES:
            return f"{name!r} has only {different} different values, so it is no Gaussian variable"
    return None
