"""Blanket learners made for graphs in which nothing is hidden, and the polish that makes them right where something is.

Without hidden variables a blanket holds parents, children and parents of children. With them it also holds what lies behind several
colliders in a row, ``T --> A <-> B <-- X``, and no step of these learners looks that far. The polish does: growing and shrinking from
what they found ends with the blanket of a MAG, whatever the start was.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, isnan, log
from typing import ClassVar, NamedTuple

import numpy as np

from dicola.allowed import LEVEL_OR_NONE, check_fields
from dicola.blankets.base import BlanketLearner
from dicola.blankets.grow_shrink import Growing, GrownBlankets, most_to_condition_on
from dicola.ci.base import checked_alpha
from dicola.ci.inquiry import Evidence, Inquiry
from dicola.ci.questions import Adjacency
from dicola.errors import Sentence
from dicola.graphs.skeleton import Variables


class Target(NamedTuple):
    """A variable whose blanket is sought: at which level and given how many variables at most it is asked about."""

    ci: Inquiry
    at: int
    alpha: float | None
    most: int

    def others(self) -> list[int]:
        """All variables but the target."""
        return [v for v in range(len(self.ci)) if v != self.at]

    def asked(self, other: int, given: Variables) -> tuple[bool, float]:
        """Does another variable depend on the target, and how strongly: the logarithm of the p-value, 0 where there is none."""
        verdict = self.ci(self.at, other, given)
        depends, p_value = not verdict.independent_at(self.alpha), verdict.p_value
        if isnan(p_value) or p_value > 0.0:
            return depends, 0.0 if isnan(p_value) else log(p_value)
        logs = self.ci.test.log_p_values(min(self.at, other), max(self.at, other), [given])
        return depends, -inf if logs is None else float(logs[0])

    def depends(self, other: int, given: Iterable[int]) -> bool:
        """Does another variable depend on the target? It does where that is not tested, as too many variables are given."""
        held = tuple(sorted(given))
        return len(held) > self.most or not self.ci(self.at, other, held).independent_at(self.alpha)


@dataclass(frozen=True)
class PolishedBlankets(BlanketLearner):
    """A learner whose blankets are grown and shrunk once more at the end.

    A pair is kept when either target claims it, as in ``GrowShrink``.

    Parameters
    ----------
    alpha : float, optional
        The level; by default that of the test.
    polish : bool
        Grow from what was found until nothing more depends on the target, the strongest first, then
        shrink. Without it a blanket may lack members where variables are hidden.

    """

    latent_safe: ClassVar[bool] = True
    guarantee: ClassVar[str] = "exact in MAGs with perfect answers, by the polish; alpha=None is the level of the independence test"

    alpha: float | None = None
    polish: bool = True

    def __post_init__(self) -> None:
        check_fields(self, alpha=LEVEL_OR_NONE)
        if self.alpha is not None:
            object.__setattr__(self, "alpha", checked_alpha(self.alpha))

    @abstractmethod
    def found(self, ci: Inquiry, targets: list[int]) -> list[Variables]:
        """What the steps of this learner find for each target, before the polish."""

    def target(self, ci: Inquiry, at: int) -> Target:
        """The variable of that number, asked about at the level of the learner."""
        return Target(ci, at, self.alpha, most_to_condition_on(ci))

    def learn(self, ci: Evidence, block: Sequence[int] | None = None) -> Adjacency:
        inside = list(range(len(ci)) if block is None else block)
        if len(inside) < 2:
            return np.zeros((len(inside), len(inside)), dtype=np.bool_)
        claimed = self._blankets(Inquiry.of(ci), inside)[:, inside]
        return claimed | claimed.T

    def blanket(self, ci: Evidence, target: int, among: Sequence[int] | None = None) -> Variables:
        found = np.flatnonzero(self._blankets(Inquiry.of(ci), [target])[0]).tolist()
        return tuple(found if among is None else sorted(set(found).intersection(among)))

    def _blankets(self, ci: Inquiry, targets: list[int]) -> Adjacency:
        found = self.found(ci, targets)
        if self.polish:
            return ci.ask(GrownBlankets(targets, Growing(self.alpha, strongest_first=True, most=most_to_condition_on(ci)), found))
        claimed = np.zeros((len(targets), len(ci)), dtype=np.bool_)
        for row, members in zip(claimed, found, strict=True):
            row[list(members)] = True
        return claimed

    def warnings(self, ci: Evidence) -> tuple[str, ...]:
        if self.polish:
            return ()
        return (
            Sentence(
                "blankets by {name} without its polish lack members where variables are hidden, so edges may be lost.", name=self.name
            ),
        )
