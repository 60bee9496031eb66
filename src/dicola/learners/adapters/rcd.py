"""L-MARVEL as rcd has it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dicola.ci.inquiry import Inquiry
from dicola.extras import from_extra
from dicola.graphs.skeleton import RecordedSets
from dicola.learners.adapters.recover import Questions, separating_sets
from dicola.learners.base import Context, Found, Learner


@dataclass(frozen=True)
class RcdLMarvel(Learner):
    """The skeleton of rcd's ``l_marvel`` from the answers of dicola's test and from dicola's Markov blankets.

    rcd returns a graph without separating sets: each pair keeps the smallest set that the test found to separate it while rcd ran. For a
    pair outside each other's blanket, of which rcd may never ask, one is searched afterwards.

    With perfect answers no wrong skeleton is known, nor a proof that there is none: blankets are brought up to date among neighbours
    only, and so stay larger than those of the theorem. With data a round in which nothing looks removable removes nothing, and the
    variables that come last may stay unsearched; a pair may be separated from one end and joined from the other.
    """

    name, title = "rcd-l-marvel", "L-MARVEL (rcd)"
    reference = "Mokhtarian et al. (2025), rcd; Akbari, Mokhtarian, Ghassami and Kiyavash (2021)"
    guarantee = "exact in all runs with perfect answers, without proof"
    allows_selection = False  # undirected edges: what separates two neighbours may lie outside a blanket

    def search(self, ci: Inquiry, context: Context) -> Found:
        l_marvel = from_extra("rcd.l_marvel.l_marvel", "rcd")
        k = len(ci)
        adjacency = np.zeros((k, k), dtype=np.bool_)
        if k < 2:
            return Found(adjacency, RecordedSets())
        related, questions = context.blanket_graph(ci), Questions(ci)
        table = np.zeros((1, k))  # only its width is read
        graph = l_marvel.learn_and_get_skeleton(
            lambda x, y, given, data: questions.independent(x, y, given), table, lambda data: related.to_matrix()
        )
        for x, y in graph.edges:
            adjacency[x, y] = adjacency[y, x] = True
        return Found(adjacency, *separating_sets(ci, adjacency, questions.sets, lambda: related))
