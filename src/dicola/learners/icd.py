"""ICD: conditioning sets near the tested pair first, marks refined after every size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dicola._kernels import possible_dsep_paths as kernel
from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import Adjacency, FindSeparator, SearchLevels, Separation
from dicola.errors import Sentence, counted
from dicola.graphs.bits import as_words, mask_of, members
from dicola.graphs.skeleton import RecordedSets, Variables
from dicola.learners.adjacency import remove, start_of
from dicola.learners.base import Context, Found, Learner, edges_of
from dicola.learners.possible_dsep import PdsPaths, reaching
from dicola.orient.colliders import by_separating_set, r0
from dicola.orient.fixpoint import spread_arrowheads
from dicola.orient.partial import PartialGraph


@dataclass(frozen=True)
class ICD(Learner):
    """Iterative Causal Discovery: round r tests sets of r variables within r steps of the edge.

    A set is a candidate for the edge a - b if from a (or from b) a Possible-D-Sep path inside the
    set leads to each of its members. After each round the colliders and arrowheads are worked out
    anew, so later rounds have fewer candidates. Stopped after any round it is a sound answer as far
    as it goes: an anytime learner.

    Candidates are made one at a time, in a fixed order, from a graph frozen for the round: no list
    of all of them ever exists and the order of edges does not matter.

    Parameters
    ----------
    max_condition_size : int, optional
        The last round.
    possible_ancestors : bool
        Also ask that every member may be an ancestor of a or b, as the authors do. That prunes and
        is exact with perfect answers, but with data one false independence makes false colliders,
        which then hide the sets that would remove edges: precision falls to a fraction.

    """

    name, title = "icd", "ICD"
    reference = "Rohekar, Nisimov, Gurwicz and Novik (2021)"
    guarantee, complete = "sound and complete", True

    max_condition_size: int | None = None
    possible_ancestors: bool = False

    def search(self, ci: Inquiry, context: Context) -> Found:
        # Arrowheads that rest on blankets say nothing about sets of size r, so pruning by ancestry needs the complete graph to start from.
        adjacency, sets = start_of(len(ci), context._replace(warm=context.warm and not self.possible_ancestors))
        size = 0
        if not self.possible_ancestors:  # one step leads to the neighbours whatever the marks: the first two rounds are levels
            size = 2 if self.max_condition_size is None else min(2, self.max_condition_size + 1)
            remove(ci.ask(SearchLevels(adjacency, size - 1)).fallen, adjacency, sets)
        while True:
            graph = marked_graph(adjacency, sets)
            paths = PdsPaths(graph)
            reach = paths.within(size)
            if not _may_have_candidates(paths, reach, size):
                return Found(adjacency, sets)
            if self.max_condition_size is not None and size > self.max_condition_size:
                tried = counted(self.max_condition_size, "variable")
                told = Sentence("sets of up to {tried} were tried only ({max_condition_size}).", tried=tried)
                return Found(adjacency, sets, [told])
            for a, b in edges_of(adjacency):  # the graph stays as it was until the round is over
                pool = mask_of(reaching(graph, (a, b), graph.may_point)) if self.possible_ancestors else -1
                pool &= ~(1 << a | 1 << b)
                separator = separator_near(ci, paths, a, b, size, reach[a] & pool, reach[b] & pool)
                if separator is not None:
                    remove([Separation(a, b, separator)], adjacency, sets)
            size += 1


def marked_graph(adjacency: Adjacency, sets: RecordedSets) -> PartialGraph:
    """The current skeleton with its colliders and all arrowheads that follow from them."""
    graph = PartialGraph(len(adjacency), edges_of(adjacency))
    decide = by_separating_set(sets)
    r0(graph, decide)
    spread_arrowheads(graph, decide)
    return graph


def separator_near(ci: Inquiry, paths: PdsPaths, a: int, b: int, size: int, from_a: int, from_b: int) -> Variables | None:
    """A separating set of this size that hangs together with a, from the pool ``from_a``, else one that does with b.

    A pool of neighbours alone hangs together whatever is taken from it; then the family is all its subsets.
    """
    whole_a, whole_b = (not pool & ~paths.beside[v] for v, pool in ((a, from_a), (b, from_b)))
    hanging_on_a = Hanging(paths, a, from_a)
    if from_a.bit_count() >= size:
        found = ci.ask(FindSeparator(a, b, members(from_a), (size,), family=None if whole_a else hanging_on_a))
        if found is not None or not size:
            return found
    if from_b.bit_count() < size:
        return None
    if whole_a and whole_b:
        return ci.ask(FindSeparator(a, b, members(from_b), (size,), tried=[set(members(from_a))]))
    return ci.ask(FindSeparator(a, b, members(from_b), (size,), family=Hanging(paths, b, from_b, asked=hanging_on_a)))


class Hanging:
    """The sets of a pool all of whose members a Possible-D-Sep path inside the set joins to the root.

    If two sets hang together so does their union, and from each some member can be left out; so they can be grown member by member:
    the next one is taken in or left out for good, and each set comes up exactly once. ``asked`` are sets to leave out.
    """

    def __init__(self, paths: PdsPaths, root: int, pool: int, asked: Hanging | None = None) -> None:
        self.paths, self.root, self.pool, self.asked = paths, root, pool, asked

    def __contains__(self, z: Variables) -> bool:
        mask = mask_of(z)
        hangs = not mask & ~(self.pool & self.paths.reached(self.root, mask))
        return hangs and (self.asked is None or z not in self.asked)

    def of_size(self, size: int) -> Iterator[Variables]:
        """Its sets of this size, grown from the root outwards."""
        for sets in self.bunches(size):
            yield from map(tuple, sets.tolist())

    def bunches(self, size: int) -> Iterator[NDArray[np.int64]]:
        """The kernel finds some sets, and goes on where it stopped when more are asked for."""
        graph = self.paths.words
        _, n, words = graph.shape
        frames, missing = np.zeros((3, n + 2, words), dtype=np.uint64), np.zeros(n + 2, dtype=np.int64)
        frames[kernel.OPEN, 0], frames[kernel.REACH, 0] = as_words(self.pool, words), graph[kernel.BESIDE, self.root]
        missing[0] = size
        other, other_pool = (-1, 0) if self.asked is None else (self.asked.root, self.asked.pool)
        left_out = as_words(other_pool, words)
        top, bunch = 1, 16
        while top:
            out = np.empty((bunch, size), dtype=np.int64)
            count, top = kernel.hanging_sets(graph, self.root, other, left_out, frames, missing, top, out)
            if count:
                yield out[:count]
            bunch = min(4 * bunch, 4096)


def _may_have_candidates(paths: PdsPaths, reach: list[int], size: int) -> bool:
    """Does any edge have an end with at least ``size`` other vertices in reach?"""
    return any((reach[a] & ~(1 << b)).bit_count() >= size for a, mask in enumerate(paths.beside) for b in members(mask))
