"""Adjustment by its meaning: a set is valid in a PAG iff it is in every causal graph with hidden variables behind it.

Such a graph is a MAG of the class whose bidirected edges are hidden common causes, with one more hidden common cause behind any of its
invisible edges. In each the paths are listed and the criterion of Shpitser, VanderWeele and Robins (2010) is asked by definition.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from tests.reference_models import ARROW, CIRCLE, Marks, bits, descendants, equivalence_class, is_directed, mask, subsets

Link = tuple[int, int]


def is_visible(marks: Marks, a: int, b: int) -> bool:
    """Some c not adjacent to b has an edge into a, or a path into a whose inner vertices are colliders and parents of b."""

    def reaches(v: int, seen: tuple[int, ...]) -> bool:
        for c in range(len(marks)):
            if c in seen or marks[c][v] != ARROW or c == b:
                continue
            if not marks[c][b]:
                return True
            if is_directed(marks, c, b) and marks[v][c] == ARROW and reaches(c, (*seen, c)):
                return True
        return False

    return reaches(a, (a,))


def graphs_behind(marks: Marks) -> Iterator[frozenset[Link]]:
    """The hidden common causes, as pairs, of each causal graph behind a MAG that has at most one beside those of the MAG."""
    n = len(marks)
    own = frozenset((a, b) for a, b in permutations(range(n), 2) if a < b and marks[a][b] == ARROW == marks[b][a])
    yield own
    for a, b in permutations(range(n), 2):
        if is_directed(marks, a, b) and not is_visible(marks, a, b):
            yield own | {(min(a, b), max(a, b))}


def other_paths(marks: Marks, hidden: frozenset[Link], x: int, y: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Every path from x to y that is not causal: its non-colliders, and what each collider leads to."""
    n, below = len(marks), descendants(marks)
    steps: dict[int, list[tuple[int, bool, bool]]] = {v: [] for v in range(n)}  # to, arrowhead here, arrowhead there
    for a, b in permutations(range(n), 2):
        if is_directed(marks, a, b):
            steps[a].append((b, False, True))
            steps[b].append((a, True, False))
        if a < b and (a, b) in hidden:
            steps[a].append((b, True, True))
            steps[b].append((a, True, True))

    def extend(path: tuple[int, ...], into: bool, causal: bool, chain: int, colliders: tuple[int, ...]) -> Iterator[tuple]:
        v = path[-1]
        for w, here, there in steps[v]:
            if w in path:
                continue
            is_collider = len(path) > 1 and into and here
            now = (chain if is_collider or len(path) == 1 else chain | 1 << v, (*colliders, below[v]) if is_collider else colliders)
            still = causal and not here and there
            if w != y:
                yield from extend((*path, w), there, still, *now)
            elif not still:
                yield now

    yield from extend((x,), False, True, 0, ())


def forbidden(marks: Marks, x: int, y: int) -> int:
    """Descendants of what lies on a causal path from x to y, y included."""
    below = descendants(marks)
    inner = [v for v in range(len(marks)) if v != x and below[x] >> v & 1 and below[v] >> y & 1]
    return mask(u for v in inner for u in bits(below[v]))


def valid_sets(marks: Marks, pairs: list[Link], known: Marks | None = None) -> dict[Link, list[int]]:
    """For each pair the sets that are valid in every graph behind every member of the class of a MAG, sorted.

    Members that contradict a mark of ``known``, circles left open, are passed over.
    """
    everything = (1 << len(marks)) - 1
    left = {(x, y): set(subsets(everything & ~(1 << x | 1 << y))) for x, y in pairs}
    for member in equivalence_class(marks):
        if known is not None and any(known[a][b] not in (CIRCLE, member[a][b]) for a, b in permutations(range(len(marks)), 2)):
            continue
        behind = list(graphs_behind(member))
        for x, y in (pair for pair, sets in left.items() if sets):
            bad = forbidden(member, x, y)
            kept = {z for z in left[x, y] if not z & bad}
            for hidden in behind:
                if kept:
                    ways = set(other_paths(member, hidden, x, y))
                    kept = {z for z in kept if all(z & chain or not all(z & below for below in colliders) for chain, colliders in ways)}
            left[x, y] = kept
    return {pair: sorted(sets) for pair, sets in left.items()}


def minimal(sets: list[int]) -> list[int]:
    """Those that hold no other."""
    return [z for z in sets if not any(other != z and other & ~z == 0 for other in sets)]
