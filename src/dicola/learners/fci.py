"""FCI: the sound and complete reference among the learners with hidden variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import Adjacency
from dicola.errors import InvalidSetting
from dicola.graphs.skeleton import RecordedSets
from dicola.learners.adjacency import limit_warning, search_neighbours
from dicola.learners.base import Context, Found, Learner
from dicola.learners.possible_dsep import possible_dsep, separate_by_possible_dsep


@dataclass(frozen=True)
class FCI(Learner):
    """Fast Causal Inference: remove edges by sets of neighbours, then by sets from Possible-D-Sep.

    The first phase is PC's adjacency search. Hidden variables can leave edges whose ends only a set
    outside the neighbourhoods separates; the second phase finds it in the Possible-D-Sep of an end.
    With a bound on either phase the answer is partial and says so in its warnings.

    Parameters
    ----------
    max_condition_size : int, optional
        Largest set of neighbours that the first phase conditions on.
    max_possible_dsep_size : int, optional
        The same for the sets from Possible-D-Sep.
    possible_dsep : {"blanket", "textbook"}
        Keep the candidates of the second phase to the Markov blanket of their end, or do without.
        The blanket loses nothing (a separating set of x and y lies in the blanket of x whenever
        there is one) and is much smaller.

    """

    name, title = "fci", "FCI"
    reference = "Spirtes, Meek and Richardson (1995); Zhang (2008)"
    guarantee, complete = "sound and complete", True

    max_condition_size: int | None = None
    max_possible_dsep_size: int | None = None
    possible_dsep: Literal["blanket", "textbook"] = "blanket"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.possible_dsep not in ("blanket", "textbook"):
            raise InvalidSetting(f"possible_dsep is {self.possible_dsep!r}; it may be 'blanket' or 'textbook'.")

    @property
    def is_local(self) -> bool:
        """Whether there is a second phase depends on the whole graph; it may then ask neighbours again, beyond the limit of the first."""
        first, second = self.max_condition_size, self.max_possible_dsep_size
        return first is None or (second is not None and second <= first)

    @property
    def work_size(self) -> int:
        """The second phase asks most."""
        return 3 if self.max_possible_dsep_size is None else min(3, self.max_possible_dsep_size)

    def search(self, ci: Inquiry, context: Context) -> Found:
        adjacency, sets, warnings = search_neighbours(ci, context, self.max_condition_size)
        finished = self._separate_further(ci, adjacency, sets, context, warnings)
        silent = finished or not context.tells_limits
        warnings += limit_warning(silent, self.max_possible_dsep_size, "sets from Possible-D-Sep", "max_possible_dsep_size")
        return Found(adjacency, sets, warnings)

    def _separate_further(self, ci: Inquiry, adjacency: Adjacency, sets: RecordedSets, context: Context, told: list[str]) -> bool:
        """The second phase; most graphs have nothing for it to do, and then no blanket is learned."""
        if len(adjacency) <= 3 or (not len(sets) and sets.otherwise is None):
            return True  # with three variables the neighbours are all there is, and in a complete graph nothing is a collider
        candidates = possible_dsep(adjacency, sets)
        if not (candidates & ~adjacency).any():
            return True
        if self.possible_dsep == "blanket":
            candidates &= context.blanket_graph(ci).to_matrix()
        limits = self.max_condition_size, self.max_possible_dsep_size
        return separate_by_possible_dsep(ci, adjacency, sets, candidates, *limits, context.useless_on(ci), told)
