"""Total conditioning: y is in the blanket of x iff they are dependent given everything else (Pellet and Elisseeff 2008)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dicola.blankets.base import BlanketLearner
from dicola.ci.base import checked_alpha
from dicola.ci.inquiry import Evidence, Inquiry
from dicola.ci.questions import Adjacency, Answered, Depends, GivenRest, Question
from dicola.errors import InvalidData, Sentence
from dicola.graphs.skeleton import Variables

if TYPE_CHECKING:
    from dicola.ci.fisher_z import FisherZ


@dataclass(eq=False)
class DependsOnTarget(Question[list[bool]]):
    """Total conditioning for one variable: which of ``others`` depend on it given *all* other variables of the test?"""

    target: int
    others: Sequence[int]
    alpha: float | None = None

    def plain(self, ci: Inquiry) -> list[bool]:
        return ci.ask_each([Depends(self.target, y, None, self.alpha) for y in self.others])

    def by_correlations(self, test: FisherZ) -> Answered[list[bool]] | None:
        """One row of the matrix, which one inverse gives as a whole."""
        row = test.ask(GivenRest(self.alpha))[self.target].tolist()
        return [row[y] for y in self.others], len(self.others)


@dataclass(frozen=True)
class TotalConditioning(BlanketLearner):
    """One question per pair, the definition itself; exact in MAGs.

    For Gaussian data one matrix inverse answers all of them.

    Parameters
    ----------
    alpha : float, optional
        The level; by default ``1/k²`` for k variables, so that about half a false edge is expected
        in a whole graph. A larger level keeps more true edges and costs only time.

    """

    name, title = "total_conditioning", "Total conditioning"
    reference = "Pellet and Elisseeff (2008)"
    assumes = "clearly more rows than variables: every pair is tested given all other variables"
    guarantee = "exact in MAGs with perfect answers; alpha=None is the level 1/k² for k variables"
    latent_safe = True

    alpha: float | None = None

    def __post_init__(self) -> None:
        if self.alpha is not None:
            object.__setattr__(self, "alpha", checked_alpha(self.alpha))

    def learn(self, ci: Evidence, block: Sequence[int] | None = None) -> Adjacency:
        return ci.ask(GivenRest(self._checked_level(ci), block))

    def blanket(self, ci: Evidence, target: int, among: Sequence[int] | None = None) -> Variables:
        others = [v for v in (range(len(ci)) if among is None else sorted(among)) if v != target]
        depends = ci.ask(DependsOnTarget(target, others, self._checked_level(ci)))
        return tuple(v for v, depending in zip(others, depends, strict=True) if depending)

    def _checked_level(self, ci: Evidence) -> float | None:
        k, n = len(ci), ci.n_samples
        rows = Inquiry.of(ci).test.rows_to_condition_on(k - 2)
        if n is not None and n < rows:
            raise InvalidData(
                Sentence(
                    "total conditioning over {k} variables needs more than {rows} rows, and there are {n}. "
                    "Use a blanket learner that conditions on few variables: {blankets=iamb} or {blankets=grow_shrink}.",
                    k=k,
                    rows=rows - 1,
                    n=n,
                )
            )
        return self.level(k)

    def level(self, k: int) -> float | None:
        """The level for k variables; a single variable has nothing to ask."""
        return 1.0 / k**2 if self.alpha is None and k > 1 else self.alpha

    def warnings(self, ci: Evidence) -> tuple[str, ...]:
        k, n = len(ci), ci.n_samples
        is_weak = n is not None and Inquiry.of(ci).test.is_weak_given(k - 2)
        return (
            (
                Sentence(
                    "{n} rows for {k} variables leave total conditioning little power: true edges may be missed. "
                    "Consider {blankets=iamb}, a larger blanket level ({uig_alpha}) or more rows.",
                    n=n,
                    k=k,
                ),
            )
            if is_weak
            else ()
        )
