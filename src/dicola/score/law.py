"""What a search over graphs must obey: claims about causes and edges, as the searches need them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dicola.claims import Bools, Claims
from dicola.graphs.mag import MAG
from dicola.graphs.marks import ARROW, NONE, TAIL
from dicola.graphs.pag import PAG
from dicola.orient.fixpoint import Orientation
from dicola.score.ancestral import Marks, ancestral_marks

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Law:
    """The claims that hold for every graph of a search, and the pairs whose edge may not be <->.

    A DAG stands for a graph with hidden variables: where neither may cause the other, an arrow
    between them, whichever way, is all it can have for <->.
    """

    claims: Claims
    never_both: Bools

    @classmethod
    def of(cls, claims: Claims | None) -> Law | None:
        """The law of some claims; ``None`` where there are none."""
        return cls(claims, claims.never_bidirected()) if claims else None

    @cached_property
    def parent_bars(self) -> Bools:
        """``[u, v]``: u is no parent of v in any DAG of the search."""
        barred, never = self.claims.barred, self.claims.apart
        either = barred & barred.T & ~self.never_both
        return np.asarray((barred & ~either) | never)

    @cached_property
    def needed(self) -> Ints:
        """Pairs (a, b) where a directed path must lead from a to b; those that follow from others are left out."""
        causes = self.claims.causes
        via = (causes.astype(np.float32) @ causes.astype(np.float32)) > 0
        return np.ascontiguousarray(np.argwhere(causes & ~via).astype(np.int64))

    @cached_property
    def barred_on_paths(self) -> Bools:
        """``barred`` where a path of allowed arrows may lead to what is barred; empty where arrows alone have to be looked at."""
        allowed = ~self.claims.barred
        np.fill_diagonal(allowed, True)
        passed_on = (allowed.astype(np.float32) @ allowed.astype(np.float32)) > 0
        return self.claims.barred if (passed_on & ~allowed).any() else np.zeros((0, 0), dtype=np.bool_)

    def closed(self, ends: Ints) -> Bools:
        """By pair and kind of edge (none, a -> b, b -> a, a <-> b): may it not be?"""
        a, b = ends[:, 0], ends[:, 1]
        barred, causes = self.claims.barred, self.claims.causes
        both = self.never_both | causes | causes.T
        return np.column_stack([self.claims.joined[a, b], barred[a, b], barred[b, a], both[a, b]])

    def obeying(self, marks: Marks) -> Marks:
        """An ancestral graph as like this one as can be that obeys."""
        return ancestral_marks(marks, self)

    def is_obeyed(self, marks: Marks) -> bool:
        """Does an ancestral graph obey, in all that an edge more or less can break?"""
        above = ancestors_in(marks)
        needed = self.needed
        both = (marks == ARROW) & (marks.T == ARROW)
        kept = bool((marks[self.claims.joined] != NONE).all()) and not (both & self.never_both).any()
        return kept and not (above & self.claims.barred).any() and bool(above[needed[:, 0], needed[:, 1]].all())

    def is_obeyed_by_mag(self, mag: MAG) -> bool:
        """Does a MAG obey in all, found by whatever search?"""
        apart = (mag.marks[self.claims.apart] != NONE).any()
        return self.is_obeyed(mag.marks) and not apart and not self.broken_by(mag.marks).any()

    def is_obeyed_by(self, found: Orientation) -> bool:
        """Does an oriented graph obey, and no rule wanted otherwise?"""
        return not found.conflicts and not self.is_contradicted_by(found.pag)

    def is_contradicted_by(self, pag: PAG) -> bool:
        """Is there no graph with these marks that obeys?

        That is so where a directed path leads where none may, none can lead where one must, or an
        edge is there or missing, or <->, against what was said.
        """
        claims, marks = self.claims, pag.reordered(self.claims.labels).marks
        denied = (ancestors_in(marks) & claims.barred).any() or self.denied_causes(pag).any()
        both = (marks == ARROW) & (marks.T == ARROW)
        edges = (marks[claims.joined] == NONE).any() or (marks[claims.apart] != NONE).any()
        return bool(denied or edges or (both & claims.never_bidirected(marks != NONE)).any())

    def denied_causes(self, pag: PAG) -> Bools:
        """``[a, b]``: a was said to cause b, and no path can lead there.

        All on a path would be effects of a and causes of b, which an arrowhead on their edge to one of the two may deny.
        """
        marks, causes = pag.reordered(self.claims.labels).marks, self.claims.causes
        onward = (marks != NONE) & (marks != TAIL) & (marks.T != ARROW)
        denied: Bools = np.array(causes & ~_passed_on(onward))
        for a, b in np.argwhere(causes & ~denied & ~onward).tolist():
            open_to = (marks[:, a] != ARROW) & (marks[b] != ARROW)
            denied[a, b] = not _leads(onward & open_to, a, b)
        return denied

    def broken_by(self, marks: Marks) -> Bools:
        """Bidirected edges of an ancestral graph that stand behind a claim it breaks; none where it obeys.

        A pair said to be without hidden common cause may be joined by <-> only if a path through
        other variables that may share one explains it, and a pair said to be without an edge may
        not become adjacent by way of others.
        """
        both = (marks == ARROW) & (marks.T == ARROW)
        broken: Bools = np.array(both & self.claims.never_bidirected(marks != NONE))
        joined = MAG(marks, self.claims.labels).maximal().marks if self.claims.apart.any() else marks
        for a, b in np.argwhere(np.triu(self.claims.apart & (joined != NONE))).tolist():
            u, v = _first_step(marks, a, b)
            broken[[u, v], [v, u]] = True
        return np.asarray(broken & ~self.never_both)

    def without_both(self, pairs: Bools) -> Law:
        """The law that also rules out <-> for some pairs."""
        return replace(self, never_both=self.never_both | pairs)


def _first_step(marks: Marks, a: int, b: int) -> tuple[int, int]:
    """The first bidirected edge of a path on account of which no set separates a and b, though no edge was put between them.

    All variables on it are colliders and ancestors of a or b, so that from the second on all its
    edges but the last are bidirected.
    """
    above = np.array(ancestors_in(marks)[:, [a, b]].any(axis=1), dtype=np.bool_)
    above[[a, b]] = False
    both = (marks == ARROW) & (marks.T == ARROW) & above & above[:, None]
    for start in np.flatnonzero((marks[a] == ARROW) & above).tolist():
        ways: dict[int, tuple[int, int]] = {}
        queue = [start]
        for c in queue:  # grows while it is read
            for d in np.flatnonzero(both[c]).tolist():
                if d not in ways and d != start:
                    ways[d] = (c, d) if c == start else ways[c]
                    if marks[b, d] == ARROW:
                        return ways[d]
                    queue.append(d)
    raise AssertionError("a pair became adjacent without a path of colliders between them")


def ancestors_in(marks: Marks) -> Bools:
    """``[a, b]``: a directed path leads from a to b."""
    return _passed_on((marks == ARROW) & (marks.T == TAIL))


def _leads(steps: Bools, a: int, b: int) -> bool:
    """Do steps lead from a to b?"""
    found, new = np.zeros(len(steps), dtype=np.bool_), np.array(steps[a])
    while new.any() and not new[b]:
        found |= new
        new = steps[new].any(axis=0) & ~found
    return bool(new[b])


def _passed_on(steps: Bools) -> Bools:
    """``[a, b]``: steps lead from a to b."""
    found = steps
    while True:
        more = found | ((found.astype(np.float32) @ found.astype(np.float32)) > 0)
        if (more == found).all():
            return np.asarray(found)
        found = more
