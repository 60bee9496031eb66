"""FCI+: the complete skeleton in polynomial time for sparse graphs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from dicola._kernels import partial_correlation as kernel
from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import Adjacency, Answered, Question, Separation
from dicola.graphs.marks import ARROW
from dicola.graphs.skeleton import Pair, RecordedSets, Variables
from dicola.learners.adjacency import minimal_subset, remove, search_neighbours
from dicola.learners.base import Context, Found, Learner, edges_of
from dicola.learners.possible_dsep import reaching
from dicola.orient.partial import PartialGraph
from dicola.watch import heed

if TYPE_CHECKING:
    from dicola.ci.fisher_z import FisherZ

Separated = tuple[int, int, Variables]
"""A pair ``x < y``, and what separates it."""
Asked = dict[Separated, dict[int, bool]]
"""Which further variable makes a separated pair dependent again, as far as asked."""


@dataclass(eq=False)
class BreaksSeparation(Question[list[list[bool]]]):
    """Of each separated pair: which of its ``others``, added to its set one at a time, make it dependent?"""

    separated: Sequence[Separated]
    others: Sequence[Sequence[int]]

    def plain(self, ci: Inquiry) -> list[list[bool]]:
        cases = zip(self.separated, self.others, strict=True)
        return [[not ci.verdict(x, y, tuple(sorted((*z, w)))).independent for w in others] for (x, y, z), others in cases]

    def by_correlations(self, test: FisherZ) -> Answered[list[list[bool]]] | None:
        found: list[list[bool]] = [[]] * len(self.separated)
        for k, (x, y, z) in enumerate(self.separated):
            if others := self.others[k]:
                given, added = np.array(z, dtype=np.int64), np.array(others, dtype=np.int64)
                found[k] = kernel.dependent_with_each(test.correlation, x, y, given, added, test.limit(len(z) + 1)).tolist()
        return found, sum(map(len, self.others))


@dataclass(frozen=True)
class FCIPlus(Learner):
    """FCI+: where neighbours do not part an edge, put together separating sets found already.

    If x - y is left by the adjacency search though x and y can be separated (a D-separation link),
    then the hierarchy of a few neighbours of x and y, closed under the minimal separating sets of
    its own pairs, separates them (Claassen et al., Lemma 3). Only x <-> y in u <-> x <-> y <-> v
    can be such a link, so most graphs need no further test at all.

    Parameters
    ----------
    max_condition_size : int, optional
        Largest set of neighbours that the adjacency search conditions on.
    max_base_size : int, optional
        How many neighbours of x and y a hierarchy is built on at most.
    max_hierarchy_size : int, optional
        Larger hierarchies are not conditioned on.

    """

    name, title = "fci+", "FCI+"
    reference = "Claassen, Mooij and Heskes (2013)"
    guarantee, complete = "sound and complete", True

    max_condition_size: int | None = None
    max_base_size: int | None = None
    max_hierarchy_size: int | None = None

    def search(self, ci: Inquiry, context: Context) -> Found:
        # Hierarchies rest on minimal sets.
        adjacency, sets, warnings = search_neighbours(ci, context, self.max_condition_size, minimal=True)
        asked: Asked = {}
        if not self.remove_links(ci, adjacency, sets, lambda: augmented_graph(ci, adjacency, sets, asked)):
            warnings.append("hierarchies were tried up to the limits max_base_size and max_hierarchy_size only.")
        return Found(adjacency, sets, warnings)

    def remove_links(
        self, ci: Inquiry, adjacency: Adjacency, sets: RecordedSets, marked: Callable[[], PartialGraph], doubtful: Adjacency | None = None
    ) -> bool:
        """Search D-separation links until none is left; each removal may show new non-ancestors.

        Parameters
        ----------
        ci : Inquiry
            What is asked.
        adjacency : matrix of bool
            Links are taken out of it.
        sets : RecordedSets
            Minimal separating sets; those of the links are added.
        marked : callable
            The graph as it stands, with arrowheads at known non-ancestors; called after every
            removal.
        doubtful : matrix of bool, optional
            The edges that may be links; by default all.

        Returns
        -------
        bool
            Whether no limit was met.

        """
        refuted: defaultdict[Pair, set[Variables]] = defaultdict(set)
        while True:
            graph, within = marked(), True
            for x, y in possible_links(graph):
                if doubtful is not None and not doubtful[x, y]:
                    continue
                separator, tried_all = self.separator(ci, graph, sets, x, y, refuted[x, y])
                within &= tried_all
                if separator is not None:
                    remove([Separation(x, y, separator)], adjacency, sets)
                    break
            else:
                return within

    def separator(
        self, ci: Inquiry, graph: PartialGraph, sets: RecordedSets, x: int, y: int, refuted: set[Variables]
    ) -> tuple[Variables | None, bool]:
        """A hierarchy that separates a possible link, made minimal, and whether no limit was met.

        Parameters
        ----------
        ci : Inquiry
            What is asked, over the variables of ``graph``.
        graph : PartialGraph
            The adjacencies left, with arrowheads at known non-ancestors.
        sets : RecordedSets
            Minimal separating sets of the pairs that are not adjacent, from which hierarchies are
            built.
        x, y : int
            The ends of the link.
        refuted : set of tuples of int
            Hierarchies that failed before: they are not asked again, and those that fail now are
            added.

        """
        beside_x, beside_y = (sorted(v for v in graph.around[a] if v != b) for a, b in ((x, y), (y, x)))
        largest = len(beside_x) + len(beside_y)
        within = True
        for base in _bases(beside_x, beside_y, largest if self.max_base_size is None else min(largest, self.max_base_size)):
            heed()  # there are more bases than hierarchies, and none is asked twice
            given = tuple(v for v in hierarchy((x, y, *base), sets) if v not in (x, y))
            if given in refuted:
                continue
            if self.max_hierarchy_size is not None and len(given) > self.max_hierarchy_size:
                within = False
                continue
            refuted.add(given)
            if ci.verdict(x, y, given).independent:
                return minimal_subset(ci, x, y, given), within
        return None, within and (self.max_base_size is None or self.max_base_size >= largest)


def augmented_graph(ci: Inquiry, adjacency: Adjacency, sets: RecordedSets, asked: Asked) -> PartialGraph:
    """Arrowheads at every w that destroys a minimal separation: if x and y depend given Z and w, then w causes none of x, y, Z.

    ``asked`` remembers answers between rounds.
    """
    graph = PartialGraph(len(adjacency), edges_of(adjacency))
    separated = [(x, y, z) for (x, y), z in sets.items()]
    around = [_beside(graph, *each) for each in separated]
    known = [asked.setdefault(each, {}) for each in separated]
    new = [[w for w in beside if w not in told] for told, beside in zip(known, around, strict=True)]
    for told, added, answers in zip(known, new, ci.ask(BreaksSeparation(separated, new)), strict=True):
        told.update(zip(added, answers, strict=True))
    for (x, y, z), told, beside in zip(separated, known, around, strict=True):
        heed()
        for v, w in [(v, w) for w in beside if told[w] for v in (x, y, *z) if w in graph.around[v]]:
            graph.put(v, w, ARROW, "augment", (x, y, w))
    return graph


def _beside(graph: PartialGraph, x: int, y: int, z: Variables) -> list[int]:
    """What is next to two variables or to what separates them."""
    heed()
    return sorted(set().union(*(graph.around[v] for v in (x, y, *z))).difference(z, (x, y)))


def possible_links(graph: PartialGraph) -> Iterator[tuple[int, int]]:
    """Edges x <-> y inside u <-> x <-> y <-> v, u and v not adjacent, with ways from v to x and from u to y that meet no arrowhead."""

    def double(a: int, b: int) -> bool:
        return graph.is_arrow(a, b) and graph.is_arrow(b, a)

    def opens(u: int, v: int) -> bool:
        return not graph.is_arrow(v, u)

    for x in range(len(graph)) if graph.reasons else ():  # without an arrowhead there is none
        for y in sorted(v for v in graph.around[x] if v > x and double(x, v)):
            heed()
            to_x, to_y = reaching(graph, [x], opens), reaching(graph, [y], opens)
            outer_x = [u for u in graph.around[x] if u != y and double(u, x) and u in to_y]
            outer_y = [v for v in graph.around[y] if v != x and double(v, y) and v in to_x]
            if any(u != v and not graph.adjacent(u, v) for u in outer_x for v in outer_y):
                yield x, y


def hierarchy(base: Sequence[int], sets: RecordedSets) -> tuple[int, ...]:
    """The base with the separating sets of all its separated pairs, and of theirs, until nothing is added; sorted."""
    found = set(base)
    waiting = list(combinations(sorted(found), 2))
    while waiting:
        z = sets.get(*waiting.pop())
        for new in sorted(set(z or ()) - found):
            waiting += [(new, old) for old in sorted(found)]
            found.add(new)
    return tuple(sorted(found))


def _bases(first: list[int], second: list[int], largest: int) -> Iterator[tuple[int, ...]]:
    """Some neighbours of each end, at least one of either, by growing number; each set once."""
    seen: set[tuple[int, ...]] = set()
    for size in range(2, largest + 1):
        for n in range(1, size):
            for some in combinations(first, n):
                for more in combinations(second, size - n):
                    base = tuple(sorted({*some, *more}))
                    if base not in seen:
                        seen.add(base)
                        yield base
