"""Modes: named presets of the one pipeline in ``discover``, from the paper's method to score-guided ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dicola.errors import not_allowed
from dicola.learners.mag_bic import MagBIC
from dicola.score.both_ways import BothWays
from dicola.score.search import MANY_ROWS, BestMag


@dataclass(frozen=True)
class Mode:
    """A preset: the settings of ``discover`` that it fixes, and a last step on the oriented graph where it has one.

    ``needs_data`` says that it scores graphs, so that no oracle will do. ``trusts_blankets`` says that what a test cannot see given all
    other variables counts as independent: cuts are taken unasked, and leaves start from their independence graph. ``if_few`` are settings
    for so few rows that the best DAG on all variables is the only start of the last step, whatever the parts found.
    """

    name: str
    title: str
    guarantee: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    if_few: Mapping[str, Any] = field(default_factory=dict)
    needs_data: bool = True
    trusts_blankets: bool = True
    last_step: BestMag | BothWays | None = None

    def on(self, n_samples: int | None) -> Mode:
        """The mode as it is with so many rows."""
        is_few = (n_samples or 0) < MANY_ROWS
        return replace(self, settings={**self.settings, **self.if_few}) if self.if_few and is_few else self


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
BALANCED = Mode(
    "balanced",
    "the MAG with the best BIC that score-guided parts, merged, and a search on all variables find",
    "a legal PAG; the score is consistent for linear Gaussian data and their blocks, the search is a heuristic",
    {"learner": MagBIC(threshold=-1.0), "stop": "reference"},  # in parts pairs of moves find nothing that those on all variables miss
    {"learner": MagBIC(n_starts=1, threshold=-1.0)},
    last_step=BestMag(),
)
EITHER = Mode(
    "either",
    "for categories: edges by tests that count, and by a score on indicators where the counts do not deny them; marks by both",
    "none: the tests of exact and a score, each where the other is weak",
    trusts_blankets=False,
    last_step=BothWays(),
)
MODES: dict[str, Mode] = {mode.name: mode for mode in (EXACT, PAPER, BALANCED, EITHER)}
SAME_AS: dict[str, tuple[Mode, str]] = {
    "fast": (BALANCED, "'fast' is another name for it: a shorter search saved milliseconds and lost marks"),
    "accurate": (BALANCED, "'accurate' is another name for it: a longer search took five times as long and found no better graphs"),
}
"""Names that went, each with the mode that it stands for now and the reason, to follow "as"."""
SCORED = "balanced"  # what "auto" takes where the data can be scored
COUNTED = "either"  # and where they are counted
AUTO = "auto"


def mode_named(name: str) -> Mode:
    """The mode of that name, or the one that the name stands for now."""
    asked = str(name).lower()
    found = SAME_AS[asked][0] if asked in SAME_AS else MODES.get(asked)
    if found is None:
        raise not_allowed("mode", name, f"it may be {', '.join(repr(known) for known in MODES)} or {AUTO!r}.")
    return found


def reason_for(name: str) -> str | None:
    """Why the mode of that name is another one, where it is."""
    found = SAME_AS.get(str(name).lower())
    return None if found is None else found[1]


def mode_names() -> tuple[str, ...]:
    """All that may be asked for."""
    return (*MODES, *SAME_AS, AUTO)
