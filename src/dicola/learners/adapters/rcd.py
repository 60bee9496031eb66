"""L-MARVEL as rcd has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dicola.ci.inquiry import Evidence
from dicola.ci.questions import Adjacency
from dicola.extras import from_extra
from dicola.graphs.skeleton import RecordedSets, Skeleton
from dicola.learners.adapters.recover import Questions, blanket_matrix, separating_sets
from dicola.learners.base import Context, Learner, local_test, skeleton_of


@dataclass(frozen=True)
class RcdLMarvel(Learner):
    """The skeleton of rcd's ``l_marvel`` from the answers of dicola's test and from dicola's Markov blankets.

    rcd returns a graph without separating sets: each pair keeps the smallest set that the test found to separate it while rcd ran. For a
    pair outside each other's blanket, of which rcd may never ask, one is searched afterwards.

    With perfect answers no wrong skeleton is known, nor a proof that there is none: blankets are brought up to date among neighbours
    only, and so stay larger than those of the theorem. With data a round in which nothing looks removable removes nothing, and the
    variables that come last may stay unsearched; a pair may be separated from one end and joined from the other.
    """

    name: ClassVar[str] = "rcd-l-marvel"
    title: ClassVar[str] = "L-MARVEL (rcd)"
    reference: ClassVar[str] = "Mokhtarian et al. (2025), rcd; Akbari, Mokhtarian, Ghassami and Kiyavash (2021)"
    guarantee: ClassVar[str] = "exact in all runs with perfect answers, without proof"
    complete: ClassVar[bool] = False

    def learn_skeleton(self, ci: Evidence, variables: Sequence[int] | None = None, context: Context | None = None) -> Skeleton:
        context = context or Context()
        l_marvel = from_extra("rcd.l_marvel.l_marvel", "rcd")
        local, chosen = local_test(ci, variables)
        k = len(chosen)
        if k < 2:
            return skeleton_of(ci, chosen, np.zeros((k, k), dtype=np.bool_), RecordedSets())
        related = blanket_matrix(local, context)
        questions = Questions(local)

        def independent(x: int, y: int, given: list[int], data: Any) -> bool:
            return questions.independent(x, y, given)

        def blankets(data: Any) -> Adjacency:
            return related.copy()  # rcd writes into it

        graph = l_marvel.learn_and_get_skeleton(independent, np.zeros((1, k)), blankets)  # of the table only the width is read
        adjacency = np.zeros((k, k), dtype=np.bool_)
        for x, y in graph.edges:
            adjacency[x, y] = adjacency[y, x] = True
        sets, warnings = separating_sets(local, adjacency, questions.sets, lambda: related)
        return skeleton_of(ci, chosen, adjacency, sets, warnings)
