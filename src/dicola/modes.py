"""Modes: named presets of the one pipeline in ``discover``, from the paper's method to score-guided ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dicola.ci.base import CITest
from dicola.errors import InvalidSetting
from dicola.graphs.skeleton import Skeleton
from dicola.orient.fixpoint import Orientation
from dicola.score.search import balanced


class Refined(NamedTuple):
    """What a refinement makes of the merged and oriented graph; ``score`` is that of the result, less being better."""

    skeleton: Skeleton
    orientation: Orientation
    score: float | None = None


Refine = Callable[[CITest, Skeleton, Orientation, int], Refined]
"""A last step after the orientation, from the test, the skeleton and its orientation, with a seed for what it draws."""


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
    refine=lambda ci, skeleton, orientation, seed: Refined(*balanced(ci, skeleton, orientation, seed)),
)
MODES: dict[str, Mode] = {mode.name: mode for mode in (EXACT, FAST, BALANCED)}


def mode_named(name: str) -> Mode:
    """The mode of that name."""
    found = MODES.get(str(name).lower())
    if found is None:
        raise InvalidSetting(f"mode is {name!r}; it may be {' or '.join(repr(known) for known in MODES)}.")
    return found
