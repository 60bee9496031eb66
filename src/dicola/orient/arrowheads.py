"""R1-R4: all arrowheads that follow from the colliders (Zhang 2008; Ali et al. 2005). ``*`` stands for any mark."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from dicola.graphs.marks import ARROW
from dicola.orient.colliders import ColliderPolicy
from dicola.orient.known_paths import KnownRules
from dicola.orient.partial import PartialGraph
from dicola.orient.paths import discriminating_path

PathCheck = Callable[[PartialGraph, tuple[int, ...]], bool]
"""Does a discriminating path stand up to further tests? Where it does not, the check has removed an edge of it."""


class Rules(NamedTuple):
    """Which rules may fire, how far they look, whether a discriminating path is put to the test first, and what is known beforehand."""

    selection: bool = False
    max_path_length: int | None = None
    stands: PathCheck | None = None
    known: KnownRules | None = None


def r1(graph: PartialGraph, a: int, b: int, c: int) -> bool:
    """A *-> b o-* c with a, c not adjacent  =>  b --> c."""
    if c == a or not graph.is_circle(c, b) or not graph.is_arrow(a, b) or graph.adjacent(a, c):
        return False
    if not graph.is_definite(a, b, c):
        return False
    return graph.orient(b, c, "R1", (a, b, c))


def r2(graph: PartialGraph, a: int, b: int, c: int) -> bool:
    """A --> b *-> c or a *-> b --> c, and a *-o c  =>  a *-> c."""
    if not graph.is_circle(a, c) or not graph.is_arrow(a, b) or not graph.is_arrow(b, c):
        return False
    if not graph.is_tail(b, a) and not graph.is_tail(c, b):
        return False
    return graph.put(a, c, ARROW, "R2", (a, b, c))


def r3(graph: PartialGraph, a: int, b: int, c: int, d: int) -> bool:
    """A *-> b <-* c, a *-o d o-* c with a, c not adjacent, and d *-o b  =>  d *-> b."""
    if not graph.is_circle(d, b) or not graph.is_arrow(a, b) or not graph.is_arrow(c, b):
        return False
    if not graph.is_circle(a, d) or not graph.is_circle(c, d) or a == c or graph.adjacent(a, c):
        return False
    if not graph.is_definite(a, d, c):
        return False
    return graph.put(d, b, ARROW, "R3", (a, b, c, d))


def r4(graph: PartialGraph, is_collider: ColliderPolicy, a: int, b: int, c: int, rules: Rules = Rules()) -> bool:
    """(d, …, a, b, c) discriminates b and b o-* c  =>  b --> c if b separates d and c, else a <-> b <-> c.

    ``rules.stands`` may put the path to the test before it is used; where it removes an edge, the rule has changed something else.
    """
    if not graph.is_circle(c, b) or not graph.is_arrow(b, a) or not graph.is_parent(a, c):
        return False
    path = discriminating_path(graph, a, b, c, rules.max_path_length)
    if path is None:
        return False
    if rules.stands is not None and not rules.stands(graph, path):
        return True
    answer = is_collider(path[0], b, c)
    if answer is None:
        return False
    if not answer:
        return graph.orient(b, c, "R4", path)
    changed = graph.put(a, b, ARROW, "R4", path)
    changed |= graph.put(c, b, ARROW, "R4", path)
    changed |= graph.put(b, c, ARROW, "R4", path)
    return changed
