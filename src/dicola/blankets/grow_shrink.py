"""Grow-shrink and IAMB: blankets by adding what depends and dropping what does not, one target at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from dicola.blankets.base import BlanketLearner
from dicola.ci.base import checked_alpha
from dicola.ci.inquiry import Evidence, Inquiry
from dicola.ci.questions import Adjacency
from dicola.graphs.skeleton import Variables


@dataclass(frozen=True)
class GrowShrink(BlanketLearner):
    """Grow: add the first variable that depends on the target given those added; shrink: drop what has become independent.

    Margaritis and Thrun (1999). Exact in MAGs too: growing ends with a superset of the blanket (composition), shrinking with the
    blanket (intersection). Conditions on few variables only, so it works with fewer rows than variables. A pair is kept when either
    target claims it: a missing edge of the independence graph cannot be mended later, a false one costs only time.
    """

    name, title = "grow_shrink", "Grow-shrink"
    reference = "Margaritis and Thrun (1999)"
    assumes = "little about the number of rows: it conditions on the blanket found so far"
    guarantee = "exact in MAGs with perfect answers; alpha=None is the level of the independence test"

    alpha: float | None = None

    def __post_init__(self) -> None:
        if self.alpha is not None:
            object.__setattr__(self, "alpha", checked_alpha(self.alpha))

    def learn(self, ci: Evidence, block: Sequence[int] | None = None) -> Adjacency:
        inside = list(range(len(ci))) if block is None else list(block)
        claimed = np.zeros((len(inside), len(inside)), dtype=np.bool_)
        for i, target in enumerate(inside if len(inside) > 1 else ()):
            claimed[i] = np.isin(inside, self.blanket(ci, target))
        return claimed | claimed.T

    def blanket(self, ci: Evidence, target: int, among: Sequence[int] | None = None) -> Variables:
        found = self._shrunk(ci, target, self._grown(ci, target))
        return found if among is None else tuple(v for v in found if v in set(among))

    def _depends(self, ci: Evidence, target: int, other: int, given: list[int]) -> bool:
        return not ci(target, other, given).independent_at(self.alpha)

    def _grown(self, ci: Evidence, target: int) -> list[int]:
        blanket: list[int] = []
        changed = True
        while changed:
            changed = False
            for v in range(len(ci)):
                if v != target and v not in blanket and self._depends(ci, target, v, blanket):
                    blanket.append(v)
                    changed = True
        return blanket

    def _shrunk(self, ci: Evidence, target: int, blanket: list[int]) -> Variables:
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

    name, title = "iamb", "IAMB"
    reference = "Tsamardinos, Aliferis and Statnikov (2003)"
    assumes = "little about the number of rows; takes the strongest dependence first, so its conditioning sets stay small"

    def _grown(self, ci: Evidence, target: int) -> list[int]:
        blanket: list[int] = []
        while True:
            asked = {v: ci(target, v, blanket) for v in range(len(ci)) if v != target and v not in blanket}
            depending = {v: verdict.p_value for v, verdict in asked.items() if not verdict.independent_at(self.alpha)}
            if not depending:
                return blanket
            blanket.append(_strongest(ci, target, depending, tuple(sorted(blanket))))


def _strongest(ci: Evidence, target: int, p_values: dict[int, float], given: Variables) -> int:
    """The variable with the smallest p-value, the first of equals; those too small to differ are told apart by their logarithms."""
    smallest = min(0.0 if isnan(p) else p for p in p_values.values())
    equal = [v for v, p in p_values.items() if isnan(p) or p == smallest]
    if len(equal) == 1 or smallest > 0.0:
        return equal[0]
    test = Inquiry.of(ci).test
    logs = [test.log_p_values(min(target, v), max(target, v), [given]) for v in equal]
    return min(zip(logs, equal, strict=True), key=lambda each: (0.0 if each[0] is None else float(each[0][0]), each[1]))[1]
