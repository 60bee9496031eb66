"""Total conditioning: y is in the blanket of x iff they are dependent given everything else (Pellet and Elisseeff 2008)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from dicola.blankets.base import BlanketLearner
from dicola.ci.base import CITest, checked_alpha
from dicola.ci.questions import Adjacency
from dicola.errors import InvalidData
from dicola.graphs.skeleton import Variables


@dataclass(frozen=True)
class TotalConditioning(BlanketLearner):
    """One question a pair, the definition itself; exact in MAGs. For Gaussian data one matrix inverse answers all of them.

    ``alpha=None`` takes the level ``1/k²`` for k variables: about half a false edge is then expected in a whole graph. A larger level
    keeps more true edges and costs only time.
    """

    name: ClassVar[str] = "total_conditioning"
    alpha: float | None = None

    def __post_init__(self) -> None:
        if self.alpha is not None:
            object.__setattr__(self, "alpha", checked_alpha(self.alpha))

    def learn(self, ci: CITest, block: Sequence[int] | None = None) -> Adjacency:
        return ci.given_rest(self._checked_level(ci), block)

    def blanket(self, ci: CITest, target: int, among: Sequence[int] | None = None) -> Variables:
        others = [v for v in (range(len(ci)) if among is None else sorted(among)) if v != target]
        depends = ci.depends_given_rest(target, others, self._checked_level(ci))
        return tuple(v for v, depending in zip(others, depends, strict=True) if depending)

    def _checked_level(self, ci: CITest) -> float | None:
        k, n = len(ci), ci.n_samples
        if n is not None and n <= k + 3:
            raise InvalidData(
                f"total conditioning over {k} variables needs more than {k + 3} rows, and there are {n}. "
                "Use a blanket learner that conditions on few variables: blankets='iamb' or blankets='grow_shrink'."
            )
        return self.level(k)

    def level(self, k: int) -> float | None:
        """The level for k variables; a single variable has nothing to ask."""
        return 1.0 / k**2 if self.alpha is None and k > 1 else self.alpha

    def warnings(self, ci: CITest) -> tuple[str, ...]:
        k, n = len(ci), ci.n_samples
        if n is None or not (n - k - 1 < 50 or (n < 2 * k and n - k - 1 < 1000)):
            return ()
        return (
            f"{n} rows for {k} variables leave total conditioning little power: true edges may be missed. "
            "Consider blankets='iamb', a larger blanket level (uig_alpha) or more rows.",
        )
