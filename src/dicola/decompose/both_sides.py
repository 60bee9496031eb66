"""What a merge misses where the sample was selected: pairs that only variables of both sides separate.

With undirected edges Theorem 1 of Li et al. (2026) still holds, and so does Theorem 2 but for one
kind of pair. Write ant(x, y) for the variables from which a way of undirected, then directed edges
leads to x or y. Two variables that are not adjacent are separated by what y is collider connected
to within ant(x, y): these are its neighbours in the augmented graph over ant(x, y), of which x is
none. Such neighbours are neighbours in the independence graph as well.

- x in A, say: all neighbours of x lie in A ∪ C. That is Theorem 1.
- x and y in C, y not in ant(x): if y has an undirected edge, nothing at all separates the two, for
  a path away from its undirected component that does not end below it has a collider. If it has
  none, only edges into y stay within ant(x, y), and collider paths through them that led both into
  A and into B would join the two sides given C. So the set lies on one side. That is Theorem 2.
- x and y in C, each in the ant of the other: an undirected path joins them. No arrowhead is at
  any variable of their undirected component, so what separates them there by plain cuts separates
  them; the undirected neighbours of x on the way to y do, and on a cycle they may lie on *both*
  sides. In the ring x - a - y - b - x, cut at {x, y}, only {a, b} separates x and y.

So after a merge each pair of the separator that is still joined is asked again, given sets of
neighbours of one end (all of which are in its blanket) that reach into both sides. Then the merged
skeleton is exact, and what is exact below is so above.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import FindSeparator
from dicola.decompose.split import Split
from dicola.graphs.skeleton import Pair, Variables


class Separated(NamedTuple):
    """Pairs of a separator with the sets that separate them, and whether the search came to its end rather than to the limit."""

    sets: dict[Pair, Variables]
    finished: bool


@dataclass(frozen=True)
class BothSides:
    """The search after a merge for sets of neighbours that reach into both sides.

    Parameters
    ----------
    ci : Inquiry
        What is asked.
    max_size : int, optional
        Largest set that is tried.

    """

    ci: Inquiry
    max_size: int | None = None

    def separated(self, edges: frozenset[Pair], split: Split) -> Separated:
        """The joined pairs of the separator that such a set separates; all are put to the graph as it is now."""
        searches = list(self._searches(edges, split))
        answers = zip(searches, self.ci.ask_each(searches), strict=True)
        found = {search.pair: z for search, z in answers if z is not None}
        finished = all(search.pair in found or self._largest(search.candidates) == len(search.candidates) for search in searches)
        return Separated(found, finished)

    def _largest(self, pool: Sequence[int]) -> int:
        return len(pool) if self.max_size is None else min(self.max_size, len(pool))

    def _searches(self, edges: frozenset[Pair], split: Split) -> Iterator[FindSeparator]:
        """One search per joined pair both ends of which have neighbours on both sides; the others need none."""
        inside = [pair for pair in combinations(split.separator, 2) if pair in edges]
        if not inside:
            return
        beside: dict[int, set[int]] = {v: set() for v in split.separator}
        for a, b in edges:
            for one, other in ((a, b), (b, a)):
                if one in beside:
                    beside[one].add(other)
        left, right = set(split.left), set(split.right)
        for x, y in inside:
            if all(beside[v] & side for v in (x, y) for side in (left, right)):
                pool = min((sorted(beside[x] - {y}), sorted(beside[y] - {x})), key=len)
                yield FindSeparator(x, y, pool, range(2, self._largest(pool) + 1), [set(pool) - left, set(pool) - right])
