"""Grow-shrink and IAMB: blankets by adding what depends and dropping what does not, one target at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dicola.blankets.base import BlanketLearner
from dicola.ci.base import CITest, checked_alpha
from dicola.ci.questions import Adjacency
from dicola.graphs.skeleton import Variables


@dataclass(frozen=True)
class GrowShrink(BlanketLearner):
    """Grow: add the first variable that depends on the target given those added; shrink: drop what has become independent.

    Margaritis and Thrun (1999). Exact in MAGs too: growing ends with a superset of the blanket (composition), shrinking with the
    blanket (intersection). Conditions on few variables only, so it works with fewer rows than variables. A pair is kept when either
    target claims it: a missing edge of the independence graph cannot be mended later, a false one costs only time.
    """

    name: ClassVar[str] = "grow_shrink"
    alpha: float | None = None

    def __post_init__(self) -> None:
        if self.alpha is not None:
            object.__setattr__(self, "alpha", checked_alpha(self.alpha))

    def learn(self, ci: CITest, block: Sequence[int] | None = None) -> Adjacency:
        inside = list(range(len(ci))) if block is None else list(block)
        claimed = np.zeros((len(inside), len(inside)), dtype=np.bool_)
        if len(inside) < 2:
            return claimed
        for i, target in enumerate(inside):
            blanket = set(self.blanket(ci, target))
            claimed[i] = [v in blanket for v in inside]
        return claimed | claimed.T

    def blanket(self, ci: CITest, target: int, among: Sequence[int] | None = None) -> Variables:
        found = self._shrunk(ci, target, self._grown(ci, target))
        return found if among is None else tuple(v for v in found if v in set(among))

    def _depends(self, ci: CITest, target: int, other: int, given: list[int]) -> bool:
        return not ci(target, other, given).independent_at(self.alpha)

    def _grown(self, ci: CITest, target: int) -> list[int]:
        blanket: list[int] = []
        changed = True
        while changed:
            changed = False
            for v in range(len(ci)):
                if v != target and v not in blanket and self._depends(ci, target, v, blanket):
                    blanket.append(v)
                    changed = True
        return blanket

    def _shrunk(self, ci: CITest, target: int, blanket: list[int]) -> Variables:
        changed = True
        while changed:
            changed = False
            for v in list(blanket):
                rest = [w for w in blanket if w != v]
                if not self._depends(ci, target, v, rest):
                    blanket, changed = rest, True
        return tuple(sorted(blanket))


@dataclass(frozen=True)
class IAMB(GrowShrink):
    """Grow-shrink that always adds the variable with the strongest dependence next (Tsamardinos, Aliferis and Statnikov 2003).

    The blanket fills with its true members first, so the conditioning sets stay smaller.
    """

    name: ClassVar[str] = "iamb"

    def _grown(self, ci: CITest, target: int) -> list[int]:
        blanket: list[int] = []
        while True:
            best: tuple[float, float, int] | None = None
            for v in range(len(ci)):
                if v == target or v in blanket:
                    continue
                verdict = ci(target, v, blanket)
                if verdict.independent_at(self.alpha):
                    continue
                p_value = 0.0 if verdict.p_value != verdict.p_value else verdict.p_value
                rank = (p_value, -verdict.strength, v)
                best = rank if best is None else min(best, rank)
            if best is None:
                return blanket
            blanket.append(best[2])
