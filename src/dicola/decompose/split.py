"""FindDecomposition: cut an independence graph at a small, balanced separator (Li et al. 2026, Algorithm 2)."""

from __future__ import annotations

from dataclasses import dataclass

from dicola.graphs.bits import members
from dicola.graphs.skeleton import Variables
from dicola.graphs.undirected import UndirectedGraph


@dataclass(frozen=True)
class Split:
    """A tripartition (A, B | C) of the variables: ``left`` and ``right`` are independent given ``separator``."""

    left: Variables
    right: Variables
    separator: Variables

    @property
    def score(self) -> float:
        """The balancing score of the paper; less is better."""
        return balance(len(self.left), len(self.right), len(self.separator))

    def relabelled(self, variables: Variables) -> Split:
        """The same split with position i read as ``variables[i]``."""
        left, right, separator = (tuple(variables[v] for v in part) for part in (self.left, self.right, self.separator))
        return Split(left, right, separator)


def balance(left: int, right: int, separator: int) -> float:
    """``|C| / min(|A u C|, |B u C|)``."""
    return separator / (min(left, right) + separator) if separator else 0.0


def find_split(graph: UndirectedGraph) -> Split | None:
    """The split with the least balancing score among the separators of a minimal triangulation; ``None`` iff the graph is complete.

    The components that a separator leaves are grouped into two sides as equal as can be. Ties go to the smaller separator, then to the
    smaller larger side, then to the separator that comes first; so equal graphs are split equally.
    """
    if graph.is_complete:
        return None
    components = graph.components()
    if len(components) > 1:
        return _grouped(components, 0)
    n = len(graph)
    best: Split | None = None
    best_rank: tuple[float, int, int, Variables] | None = None
    for separator in sorted(graph.separators(), key=int.bit_count):
        size = separator.bit_count()
        if best_rank is not None and balance((n - size) // 2, n - size, size) > best_rank[0]:
            continue  # even an equal split would score worse
        split = _grouped(graph.components(without=separator), separator)
        rank = (split.score, size, max(len(split.left), len(split.right)), split.separator)
        if best_rank is None or rank < best_rank:
            best, best_rank = split, rank
    return best


def _grouped(components: list[int], separator: int) -> Split:
    """Components into two sides of nearly equal size: a subset-sum over their sizes, largest first."""
    ordered = sorted(components, key=lambda mask: (-mask.bit_count(), mask & -mask))
    sizes = [mask.bit_count() for mask in ordered]
    reachable = [1]  # bit s: some of the components so far add up to s
    for size in sizes:
        reachable.append(reachable[-1] | reachable[-1] << size)
    total = sum(sizes)
    target = max(members(reachable[-1] & ((1 << total // 2 + 1) - 1)))
    side = 0
    for i in range(len(sizes) - 1, -1, -1):
        if not reachable[i] >> target & 1:
            side |= ordered[i]
            target -= sizes[i]
    other = sum(components) & ~side
    if other & -other < side & -side:
        side, other = other, side
    return Split(tuple(members(side)), tuple(members(other)), tuple(members(separator)))
