"""The blanket learner that suits the table: total conditioning where it has power, else tests given few variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dicola.blankets.base import BlanketLearner
from dicola.blankets.grow_shrink import IAMB
from dicola.blankets.total_conditioning import TotalConditioning
from dicola.ci.base import checked_alpha
from dicola.ci.inquiry import Evidence, Inquiry
from dicola.ci.questions import Adjacency
from dicola.graphs.skeleton import Variables
from dicola.graphs.undirected import UndirectedGraph

# Rows left to a test given all other variables, above which total conditioning lost nothing in
# simulations; with fewer it missed cuts and members that IAMB found.
_ROWS_LEFT = 1000
_LEVEL, _FIRST = (
    0.2,
    0.4,
)  # over k, over k²: the levels of further members (one false one for five targets that have a first) and of a first


@dataclass(frozen=True)
class AutoBlankets(BlanketLearner):
    """Total conditioning where it has power, else IAMB.

    The rule: given all other variables a test must be left 1,000 rows, beside those that it takes to
    condition on them. A test without rows (an oracle), and one that does not say how many rows it
    takes, is asked by total conditioning, which needs the fewest verdicts.

    Parameters
    ----------
    alpha : float, optional
        The level of either learner. By default that of total conditioning is its own, ``1/k²`` for k
        variables; IAMB takes a first member at ``0.4/k²``, so that hardly any are found where nothing
        depends on anything, and further ones at ``0.2/k``.

    """

    name, title = "auto", "Chosen by rows and columns"
    reference = "Pellet and Elisseeff (2008); Tsamardinos, Aliferis and Statnikov (2003)"
    assumes = "nothing about the number of rows: total_conditioning where 1,000 rows are left given all other variables, else iamb"
    guarantee = "exact in MAGs with perfect answers; alpha=None is the level 1/k², with iamb 0.4/k² and 0.2/k for further members"
    latent_safe = True

    alpha: float | None = None

    def __post_init__(self) -> None:
        if self.alpha is not None:
            object.__setattr__(self, "alpha", checked_alpha(self.alpha))

    def settled(self, ci: Evidence) -> tuple[BlanketLearner, str]:
        k, n = len(ci), ci.n_samples
        needed = Inquiry.of(ci).test.rows_to_condition_on(max(k - 2, 0))
        if n is None or not needed:
            return TotalConditioning(self.alpha), "total conditioning, as the test sets no limit to what it can condition on"
        level = "1/k²" if self.alpha is None else f"{self.alpha:g}"
        if n - needed >= _ROWS_LEFT:
            return TotalConditioning(
                self.alpha
            ), f"total conditioning at level {level}: {n} rows are enough to condition on all {k} variables"
        learner = IAMB(_LEVEL / k, _FIRST / k**2) if self.alpha is None else IAMB(self.alpha)
        return learner, f"IAMB at level {learner.alpha:.2g}: {n} rows are few to condition on all {k} variables"

    def learn(self, ci: Evidence, block: Sequence[int] | None = None) -> Adjacency:
        return self.settled(ci)[0].learn(ci, block)

    def graph(self, ci: Evidence) -> UndirectedGraph:
        return self.settled(ci)[0].graph(ci)

    def blanket(self, ci: Evidence, target: int, among: Sequence[int] | None = None) -> Variables:
        return self.settled(ci)[0].blanket(ci, target, among)

    def warnings(self, ci: Evidence) -> tuple[str, ...]:
        return self.settled(ci)[0].warnings(ci)
