"""The adjacency search of PC, order-independent: the first phase of FCI, RFCI and FCI+ (Colombo and Maathuis 2014)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import numpy as np

from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import Adjacency, Search, SearchLevels, Separation, SweepLevel, has_candidates
from dicola.errors import Sentence, Setting, counted
from dicola.graphs.skeleton import BlanketSets, RecordedSets, Variables
from dicola.graphs.undirected import UndirectedGraph
from dicola.learners.base import Context, edges_of

_FEWEST_SETS = 100_000


def start_of(n: int, context: Context) -> tuple[Adjacency, RecordedSets]:
    """Where a search over n variables starts."""
    if context.start is not None:
        return context.start.to_matrix(), RecordedSets()
    return starting_point(n, context.uig if context.warm else None)


def starting_point(n: int, uig: UndirectedGraph | None) -> tuple[Adjacency, RecordedSets]:
    """The complete graph, or an independence graph with the smaller blanket as separating set of each pair outside it."""
    if uig is None or uig.is_complete:
        return ~np.eye(n, dtype=np.bool_), RecordedSets()
    return uig.to_matrix(), RecordedSets(otherwise=BlanketSets(uig, tuple(range(n))))


def search_neighbours(
    ci: Inquiry, context: Context, max_size: int | None, minimal: bool = False
) -> tuple[Adjacency, RecordedSets, list[str]]:
    """The first phase of several learners, and what to tell the user of it; ``minimal`` where later steps rest on minimal sets."""
    adjacency, sets = start_of(len(ci), context)
    if minimal:
        make_minimal(ci, adjacency, sets)
    told: list[str] = []
    finished = separate_by_neighbours(ci, adjacency, sets, max_size, context.useless_on(ci), told)
    return adjacency, sets, told + limit_warning(finished or not context.tells_limits, max_size)


def start_from_dag(parents: Adjacency, order: Sequence[int]) -> tuple[Adjacency, RecordedSets]:
    """The adjacencies of a DAG (``parents[v, u]``: u → v); every other pair is separated by the parents of its later variable.

    With these sets the usual rule for colliders is that of GFCI: an unshielded triple of the DAG is
    a collider iff it is one there, and one that appears only when a test removes an edge is decided
    by the set that removed it.
    """
    adjacency, place = parents | parents.T, np.argsort(order)
    above = [tuple(np.flatnonzero(row).tolist()) for row in parents]
    sets = RecordedSets()
    for x, y in edges_of(~adjacency):
        sets.add(x, y, above[x if place[x] > place[y] else y])
    return adjacency, sets


def make_minimal(ci: Inquiry, adjacency: Adjacency, sets: RecordedSets) -> None:
    """Write down a minimal separating set for every pair that is not adjacent, made from the one it has."""
    for x, y in edges_of(~adjacency):
        sets[x, y] = minimal_subset(ci, x, y, sets[x, y])


def separate_by_neighbours(
    ci: Inquiry,
    adjacency: Adjacency,
    sets: RecordedSets,
    max_size: int | None,
    useless: Adjacency | None = None,
    told: list[str] | None = None,
) -> bool:
    """Remove every edge whose ends some set of neighbours separates, by growing size of the set; changes its arguments.

    Neighbourhoods are frozen within a level, so the result does not depend on the order of edges. Answers whether the search came to
    its end, rather than to the limit. What is known to cause neither end (``useless``) is in no set: two variables that can be separated
    are so by ancestors of theirs. Where there were more sets than the data can tell apart, ``told`` gets a sentence.
    """
    search = ci.ask(SearchLevels(adjacency, max_size, useless=useless, most=most_sets(ci)))
    tell_passed_over(search, ci, told)
    remove(search.fallen, adjacency, sets)
    return search.finished


def most_sets(ci: Inquiry) -> int | None:
    """How many sets of one size are tried at an end of an edge: with perfect answers any number.

    As many as there are rows, or a hundred thousand: of so many verdicts on the same rows most repeat
    each other, and each further one adds to the chance that a true edge falls by accident.
    """
    return None if ci.alpha is None or ci.n_samples is None else max(ci.n_samples, _FEWEST_SETS)


def tell_passed_over(search: Search, ci: Inquiry, told: list[str] | None) -> None:
    """Say so where edges had more sets than are tried."""
    if search.passed_over and told is not None:
        told.append(
            f"some edges have so many neighbours that larger sets of them were not tried: more than {most_sets(ci):,} sets of one size "
            "tell no more on these rows."
        )


def separate_in_triangles(ci: Inquiry, adjacency: Adjacency, sets: RecordedSets, max_size: int | None) -> bool:
    """As ``separate_by_neighbours``, but only edges whose ends have a neighbour in common when the search begins; changes its arguments.

    For a skeleton that a score found: an edge that a DAG needs though the MAG has none comes with such a neighbour, the next vertex on
    the path of colliders on account of which it is needed.
    """
    return separate_doubtful(ci, adjacency, sets, adjacency.astype(np.int64) @ adjacency > 0, max_size)


def separate_doubtful(ci: Inquiry, adjacency: Adjacency, sets: RecordedSets, doubtful: Adjacency, max_size: int | None) -> bool:
    """As ``separate_by_neighbours``, but only edges in doubt; the others are known to stay."""
    for size in count():
        left = adjacency & doubtful
        if not has_candidates(left, adjacency, size):
            break
        if max_size is not None and size > max_size:
            return False
        remove(ci.ask(SweepLevel(left, size, adjacency)), adjacency, sets)
    return True


def remove(fallen: Sequence[Separation], adjacency: Adjacency, sets: RecordedSets) -> None:
    """Take out the edges that fell and record what separates their ends."""
    if fallen:
        ones, others, separating_sets = zip(*fallen, strict=True)
        rows, columns = np.array(ones), np.array(others)
        adjacency[rows, columns] = adjacency[columns, rows] = False
        sets.add_all(zip(zip(ones, others, strict=True), separating_sets, strict=True))


def limit_warning(finished: bool, max_size: int | None, what: str = "sets of neighbours", setting: str = "max_condition_size") -> list[str]:
    """What to tell the user when a search met its limit."""
    if finished:
        return []
    size = counted(max_size or 0, "variable")
    return [Sentence("{what} were tried up to {size} only ({setting}).", what=what, size=size, setting=Setting(setting))]


def minimal_subset(ci: Inquiry, x: int, y: int, separating_set: Sequence[int]) -> Variables:
    """A separating set from which no single variable can be left out, found by leaving out one after the other."""
    kept = tuple(sorted(separating_set))
    shrunk = True
    while shrunk:
        shrunk = False
        for v in kept:
            smaller = tuple(w for w in kept if w != v)
            if ci.verdict(min(x, y), max(x, y), smaller).independent:
                kept, shrunk = smaller, True
    return kept
