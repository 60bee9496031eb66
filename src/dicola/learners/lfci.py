"""lFCI: separating sets that are small and lie on short paths between the two variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import FindSeparator, SearchLevels, Separation
from dicola.graphs.bits import mask_of, members, union
from dicola.learners.adjacency import remove, start_of
from dicola.learners.base import Context, Found, Learner, edges_of
from dicola.watch import heed


@dataclass(frozen=True)
class LFCI(Learner):
    """Local FCI: an edge falls to few variables, all on short paths between its ends.

    FCI looks for separating sets among the neighbours of an end, then in its Possible-D-Sep; where
    some variable has very many neighbours, these are very many sets. Large random graphs, hubs
    included, have few short paths between two variables, so a few variables block them all, and
    what long paths carry is too weak for any test to see. So only sets of at most
    ``max_condition_size`` variables are asked about, each on a path of at most ``max_local_path``
    edges, by growing size; the graph is frozen for a size, so the order of edges does not matter.

    Small conditioning sets keep the power of a test where rows are few. With perfect answers no
    true edge is missed, and the skeleton is exact where the assumption holds; where only larger or
    farther sets separate, an edge too many stays, and marks that rest on it may be wrong. Without
    either limit it is complete.

    Parameters
    ----------
    max_condition_size : int, optional
        Largest set that is asked about (the authors' η).
    max_local_path : int, optional
        Longest path between two variables, in edges, whose vertices may separate them (their γ).

    """

    name, title = "lfci", "lFCI"
    reference = "Chen, Drton and Shojaie (2023)"
    guarantee = (
        "no true edge missed; sound and complete where at most max_condition_size variables, on paths of at most max_local_path "
        "edges, separate each pair that is not adjacent"
    )
    allows_selection = False  # rings of undirected edges need larger sets, and an edge too many makes false marks

    max_condition_size: int | None = 3
    max_local_path: int | None = 4

    @property
    def is_local(self) -> bool:
        """Paths stay inside a part."""
        return True

    def search(self, ci: Inquiry, context: Context) -> Found:
        n = len(ci)
        adjacency, sets = start_of(n, context)
        remove(ci.ask(SearchLevels(adjacency, 0)).fallen, adjacency, sets)
        largest = n - 2 if self.max_condition_size is None else min(self.max_condition_size, n - 2)
        length = n - 1 if self.max_local_path is None else self.max_local_path
        for size in range(1, largest + 1):
            beside = [mask_of(row.nonzero()[0].tolist()) for row in adjacency]
            pools = [(x, y, members(between(beside, x, y, length))) for x, y in edges_of(adjacency)]
            searches = [FindSeparator(x, y, pool, (size,)) for x, y, pool in pools if len(pool) >= size]
            if not searches:
                break
            found = zip(searches, ci.ask_each(searches), strict=True)
            remove([Separation(*each.pair, z) for each, z in found if z is not None], adjacency, sets)
        return Found(adjacency, sets)


def between(beside: Sequence[int], x: int, y: int, length: int) -> int:
    """Mask of the vertices on a way of at most ``length`` steps from x to y that passes neither end again.

    ``beside[v]`` is the mask of the neighbours of v.
    """
    heed()  # each of ten thousands of edges asks
    from_x, from_y = _reached(beside, x, y, length - 1), _reached(beside, y, x, length - 1)
    found = 0
    for steps in range(1, length):
        found |= from_x[min(steps, len(from_x)) - 1] & from_y[min(length - steps, len(from_y)) - 1]
    return found


def _reached(beside: Sequence[int], start: int, other: int, steps: int) -> list[int]:
    """What 1, 2, … steps from the start lead to at most, past neither end; the last stands for all further steps."""
    ends = 1 << start | 1 << other
    reached = [beside[start] & ~ends]
    new = reached[0]
    while new and len(reached) < steps:
        new = union(beside, new) & ~reached[-1] & ~ends
        reached.append(reached[-1] | new)
    return reached
