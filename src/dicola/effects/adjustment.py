"""Which variables to hold fixed for the effect of x on y: the generalised adjustment criterion in a PAG.

Perković, Textor, Kalisch and Maathuis (2018): a set Z is valid in a PAG iff (1) every path from x to y that could be causal starts
with a visible edge; (2) Z holds nothing that could be caused by a variable on such a path, y included; (3) Z blocks every other path
of definite status. Given (1) and (2), condition (3) holds in the PAG iff it holds in one MAG of the class, and then in all of them
(their Lemma on blocking); and in a MAG it says that Z m-separates x and y once the first edges of causal paths are taken out (van der
Zander, Liskiewicz and Textor 2014). So (1) and (2) are read off the PAG and (3) is asked of one member.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from typing import Final, TypeVar

import numpy as np

from dicola.effects.separators import minimal_separators, without
from dicola.errors import InvalidGraph, not_allowed
from dicola.graphs.bits import mask_of, members
from dicola.graphs.mag import MAG
from dicola.graphs.marks import ARROW, CIRCLE, NONE, TAIL, Edge, Mark
from dicola.graphs.pag import PAG
from dicola.graphs.relatives import reached
from dicola.orient.equivalence import legality, mag_to_pag
from dicola.score.legal import nearby_mag

Step = TypeVar("Step", bound=Hashable)
LIMIT: Final = 1000
"""How many minimal sets are listed unless more are asked for."""


@dataclass(frozen=True)
class Grounds:
    """The graph in which an effect is judged, with one of its MAGs; ``note`` says where it is not the one that was given."""

    pag: PAG
    member: MAG
    note: str | None = None

    @classmethod
    def of(cls, pag: PAG) -> Grounds:
        """The graph itself, where it stands for MAGs, also with marks that knowledge has put; else the legal PAG next to it.

        Kept with the graph, which never changes, as one graph is asked about many pairs.
        """
        kept = vars(pag)
        if "_grounds" not in kept:
            kept["_grounds"] = cls._found(pag)
        found: Grounds = kept["_grounds"]
        return found

    @classmethod
    def _found(cls, pag: PAG) -> Grounds:
        if is_selected(pag):
            raise InvalidGraph("the graph has edges that speak of selection of the sample (--- or --o); adjustment is not defined there.")
        member = nearby_mag(pag)
        if legality(pag) or _is_among(member, pag):
            return cls(pag, member)
        note = "the graph found is not the PAG of any class of MAGs, as often with finite samples; the legal one next to it is judged."
        return cls(mag_to_pag(member).reordered(pag.names), member, note)


@dataclass(frozen=True)
class Adjustment:
    """The criterion for one pair: vertices are positions in the graph, sets are bit masks."""

    grounds: Grounds
    x: int
    y: int

    @classmethod
    def between(cls, pag: PAG, x: object, y: object) -> Adjustment:
        """The criterion for two variables by name."""
        a, b = pag.index(x), pag.index(y)
        if a == b:
            raise InvalidGraph(f"an effect is one variable's on another; {x!s} was named twice.")
        return cls(Grounds.of(pag), a, b)

    @property
    def pag(self) -> PAG:
        """The graph that is judged."""
        return self.grounds.pag

    def _onward(self, v: int) -> list[int]:
        """Where the edge from v could point, x left out."""
        around = self.pag.around
        return [w for w, mark in around[v].items() if w != self.x and mark != TAIL and around[w][v] != ARROW]

    @cached_property
    def on_the_way(self) -> int:
        """What could lie between x and y on a causal path, y included; empty where x is no possible cause."""
        return mask_of(v for v in reached(self.x, self._onward) - {self.x} if self.y in reached(v, self._onward))

    @cached_property
    def forbidden(self) -> int:
        """What a variable on the way could cause, itself included: to hold it fixed would hide or bend the effect."""
        names, pag = self.pag.names, self.pag
        below = {u for v in members(self.on_the_way) for u in pag.possible_descendants(names[v])}
        return self.on_the_way | mask_of(pag.indices(below))

    @cached_property
    def unclear_start(self) -> int | None:
        """The first neighbour of x at which a path that could be causal starts without a visible edge; ``None``: amenable."""
        names = self.pag.names
        for v in self._onward(self.x):
            if not self.on_the_way >> v & 1:
                continue
            if not (self.pag.is_directed(names[self.x], names[v]) and self.pag.is_visible(names[self.x], names[v])):
                return v
        return None

    @cached_property
    def back_door(self) -> MAG:
        """The member without the first edges of its causal paths from x to y (the proper back-door graph)."""
        member = self.grounds.member
        marks = member.to_matrix()
        ancestors = member.separation.ancestors[self.y]
        for v in np.flatnonzero((marks[self.x] == ARROW) & (marks[:, self.x] == TAIL)).tolist():
            if ancestors >> v & 1:
                marks[self.x, v] = marks[v, self.x] = NONE
        return MAG.trusted(marks, member.names)

    @cached_property
    def allowed(self) -> int:
        """What may be held fixed: all but x, y and what is forbidden."""
        return ((1 << len(self.pag)) - 1) & ~(self.forbidden | 1 << self.x | 1 << self.y)

    def blocks(self, given: int) -> bool:
        """Does a set of allowed variables block every path that is not causal?"""
        return self.back_door.separation.separated(self.x, self.y, given)

    def is_valid(self, given: int) -> bool:
        """Is a set of variables an adjustment set?"""
        return self.unclear_start is None and not given & ~self.allowed and self.blocks(given)

    def minimal(self) -> Iterator[int]:
        """All minimal valid sets.

        They lie among the ancestors of the two, and are the minimal separators of the graph in which these ancestors are joined by
        edges and by paths of colliders, once ways through what is not allowed are edges.
        """
        if self.unclear_start is not None:
            return
        ancestors = self.back_door.separation.ancestors
        inside = members(ancestors[self.x] | ancestors[self.y])
        part = MAG.trusted(self.back_door.marks[np.ix_(inside, inside)], tuple(self.pag.names[v] for v in inside))
        joined = [mask_of(np.flatnonzero(row).tolist()) for row in part.augmented()]
        a, b = inside.index(self.x), inside.index(self.y)
        out_of_reach = mask_of(i for i, v in enumerate(inside) if not self.allowed >> v & 1) & ~(1 << a | 1 << b)
        for separator in minimal_separators(without(joined, out_of_reach), a, b):
            yield mask_of(inside[i] for i in members(separator))

    def named(self, given: int) -> tuple[str, ...]:
        """The variables of a mask by name, in the order of the graph."""
        return tuple(self.pag.names[v] for v in members(given))

    def reason(self) -> str:
        """Why there is no adjustment set, with the edge or path that stands in the way."""
        x, y = self.pag.names[self.x], self.pag.names[self.y]
        if self.unclear_start is not None:
            path = (self.x, *_path(self.unclear_start, self.y, self._onward))
            first = edge_between(self.pag, self.x, self.unclear_start)
            why = "is not visible: a hidden common cause may stand behind it" if "-->" in first else "leaves open whether it is causal"
            return (
                f"no adjustment set exists for {x} and {y}: the path {path_in_words(self.pag, path)} could be causal, and its first "
                f"edge, {first}, {why}."
            )
        ancestors = self.back_door.separation.ancestors
        path = _open_path(self.back_door, self.x, self.y, (ancestors[self.x] | ancestors[self.y]) & self.allowed)
        inner = [self.pag.names[v] for v in path[1:-1] if self.forbidden >> v & 1]
        because = f": {', '.join(inner)} could be affected by {x} and may not be held fixed" if inner else ""
        return (
            f"no adjustment set exists for {x} and {y}: the path {path_in_words(self.pag, path)} is not causal, and no allowed set "
            f"blocks every such path{because}."
        )


def adjustment_sets(pag: PAG, x: object, y: object, limit: int | None = LIMIT) -> list[tuple[str, ...]]:
    """All minimal adjustment sets; behind ``PAG.adjustment_sets``."""
    if limit is not None and limit < 1:
        raise not_allowed("limit", limit, "it must be a number of sets, at least 1, or None for all.")
    criterion = Adjustment.between(pag, x, y)
    found = [criterion.named(given) for given in islice(criterion.minimal(), limit)]
    return sorted(found, key=lambda names: (len(names), pag.indices(names)))


def is_selected(pag: PAG) -> bool:
    """Has the graph edges that only selection of the sample explains?"""
    return bool(((pag.marks == TAIL) & ((pag.marks.T == TAIL) | (pag.marks.T == CIRCLE))).any())


def edge_between(pag: PAG, u: int, v: int) -> str:
    """The edge as it reads from u to v."""
    return str(Edge(pag.names[u], pag.names[v], Mark(pag.around[v][u]), Mark(pag.around[u][v])))


def path_in_words(pag: PAG, path: tuple[int, ...]) -> str:
    """The path as it reads from its first vertex: ``A o-> B --> C``."""
    words = [pag.names[path[0]]]
    for u, v in pairwise(path):
        edge = Edge("", "", Mark(pag.around[v][u]), Mark(pag.around[u][v])) if v in pag.around[u] else None
        words += [edge.arrow if edge else "…", pag.names[v]]
    return " ".join(words)


def _is_among(member: MAG, pag: PAG) -> bool:
    """Has a MAG every mark of the graph, circles left open?"""
    return bool((((pag.marks == CIRCLE) & (member.marks != NONE)) | (pag.marks == member.marks)).all()) and member.invalid() is None


def shortest_path(start: int, goal: int, onward: Callable[[int], Iterable[int]]) -> tuple[int, ...] | None:
    """A shortest way from start to goal; ``None`` where no steps lead there."""
    return _path(start, goal, onward) if goal in reached(start, onward) else None


def _path(start: int, goal: int, onward: Callable[[int], Iterable[int]]) -> tuple[int, ...]:
    """A shortest way from start to goal, which steps lead to."""
    before = {start: start}
    queue = deque([start])
    while goal not in before:
        v = queue.popleft()
        for w in onward(v):
            if w not in before:
                before[w] = v
                queue.append(w)
    return tuple(reversed(_back(before, goal, start)))


def _open_path(mag: MAG, x: int, y: int, given: int) -> tuple[int, ...]:
    """A shortest walk from x to y that is open given a set; steps are (vertex, entered through an arrowhead?)."""
    openers, around = mag.separation.ancestors_of(given), mag.around
    before: dict[tuple[int, bool], tuple[int, bool]] = {}
    start = (x, False)
    queue = deque([start])
    while queue:
        step = queue.popleft()
        v, by_head = step
        if v == y:
            return tuple(t for t, _ in reversed([*_back(before, step, start)]))
        for w, mark in around[v].items():
            is_collider = by_head and around[w][v] == ARROW
            may_pass = step == start or (openers >> v & 1 if is_collider else not given >> v & 1)
            after = (w, mark == ARROW)
            if may_pass and w != x and after not in before:
                before[after] = step
                queue.append(after)
    raise AssertionError("asked only where the set leaves the two connected")


def _back(before: dict[Step, Step], goal: Step, start: Step) -> list[Step]:
    """The steps from the goal back to the start."""
    steps = [goal]
    while steps[-1] != start:
        steps.append(before[steps[-1]])
    return steps
