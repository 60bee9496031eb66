"""Hidden variables with several children: a clique of bidirected edges may cost one factor.

One hidden variable with k children joins all of them by bidirected edges, k (k - 1) / 2 of them,
where it has k parameters only. From four children on that is dearer than it is worth, and a climb
by single edges leaves some of them out. Here such a clique is given back the difference, less what
one factor fails to explain of it. So price and likelihood speak of the same hidden variable, and a
clique that no factor explains gains nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola._kernels.arrays import Floats
from dicola._kernels.mag_factor import one_factor_misfit, residuals
from dicola._kernels.mag_score import RESIDUAL, misfit
from dicola._kernels.terms import Terms
from dicola.graphs.bits import mask_of, members, union
from dicola.graphs.marks import ARROW, NONE, TAIL
from dicola.graphs.skeleton import Pair
from dicola.score.ancestral import Marks, ancestral_marks
from dicola.score.base import to_precision
from dicola.score.gaussian_bic import district_arrays
from dicola.score.law import Law
from dicola.watch import heed

_CHILDREN = 4  # from so many on a factor is cheaper than the edges it stands for
_NOTHING_LEFT = 1e-9  # of a variance of 1
_LARGEST = 20  # variables of a district: larger ones take long to fit
_HOPE = 60.0  # what a new clique may cost before edges that it makes needless are taken out
_GAIN = 1e-6


class Edges(NamedTuple):
    """An ancestral graph by vertex: the masks of its parents, and of what bidirected edges join it to."""

    parents: list[int]
    siblings: list[int]

    @classmethod
    def of(cls, marks: Marks) -> Edges:
        """Those of a matrix of marks."""
        into = marks.T == ARROW
        return cls(_masks(into & (marks == TAIL)), _masks(into & (marks == ARROW)))

    def without(self, u: int, v: int) -> Edges:
        """The graph without the edge between the two."""
        ends = {u: ~(1 << v), v: ~(1 << u)}
        return Edges(*([mask & ends.get(w, -1) for w, mask in enumerate(masks)] for masks in self))

    def district(self, v: int) -> int:
        """The vertices that bidirected edges join to v, as a mask."""
        found, new = 0, 1 << v
        while new:
            found |= new
            new = union(self.siblings, new) & ~found
        return found


class Step(NamedTuple):
    """A graph with one more factor, and by how much it is better than the one before."""

    marks: Marks
    gain: float


class FactorSearch:
    """Makes sets of variables the children of one hidden variable, as long as that pays.

    Parameters
    ----------
    terms : Terms
        Of a Gaussian score: what a graph is worth without factors.
    surcharge : float
        What a hidden variable costs beyond its edges, be it a factor or a bidirected edge.
    law : Law, optional
        What every graph must obey, as the first one does.

    """

    def __init__(self, terms: Terms, surcharge: float = 0.0, law: Law | None = None) -> None:
        self.terms, self.surcharge, self.law = terms, surcharge, law
        self._part, self._worth_of = cache(self._fitted), cache(self._explained)

    def total(self, marks: Marks) -> float:
        """The score of an ancestral graph, with factors for the cliques that they explain."""
        return self._of_districts(Edges.of(marks), range(len(marks)))

    def improved(self, marks: Marks) -> Marks:
        """The graph after all factors that pay; an ancestral one."""
        return next(reversed([marks, *(step.marks for step in self.steps(marks))]))

    def steps(self, marks: Marks) -> Iterator[Step]:
        """One better graph after the other, each with one more factor."""
        tried = set[tuple[int, ...]]()
        while (better := self._better(marks, tried)) is not None:
            marks = better.marks
            yield better

    def _better(self, marks: Marks, tried: set[tuple[int, ...]]) -> Step | None:
        """The first graph with one more factor that is better."""
        near, old = _masks(marks != NONE), Edges.of(marks)
        for clique in sorted(cliques(near, _CHILDREN - 1), key=lambda each: (-len(each), each)):
            heed()
            children = self._grown(near, old.parents, clique)
            if not children or children in tried:
                continue
            tried.add(children)
            joined = joined_by_one(marks, children, self.law)
            new = Edges.of(joined)
            if max(new.district(v).bit_count() for v in children) > _LARGEST:
                continue
            changed = np.flatnonzero((joined != marks).any(axis=0) | (joined != marks).any(axis=1)).tolist()
            change = self._change(old, new, changed)
            needless: list[Pair] = []
            if change < _HOPE:
                needless, change = self._tidied(new, children, change)
            if change < -_GAIN:
                for u, v in needless:
                    joined[u, v] = joined[v, u] = NONE
                if self.law is None or self.law.is_obeyed(joined):
                    return Step(joined, -change)
        return None

    def _grown(self, near: Sequence[int], above: Sequence[int], children: tuple[int, ...]) -> tuple[int, ...]:
        """The children of a factor, with those that half of them are next to and that it explains; none where it is worth nothing."""

        def worth_of(children: tuple[int, ...]) -> float:
            outside = ~mask_of(children)
            return to_precision(self._worth_of(children, tuple(above[v] & outside for v in children)))

        worth = worth_of(children)
        while True:
            mask = mask_of(children)
            beside = [v for v in members(union(near, mask) & ~mask) if 2 * (near[v] & mask).bit_count() >= len(children)]
            wider = [tuple(sorted((*children, v))) for v in beside]
            best = max(((worth_of(each), each) for each in wider), default=(worth, children))
            if best[0] <= worth:
                return children if len(children) >= _CHILDREN and worth > 0 else ()
            worth, children = best

    def _tidied(self, graph: Edges, children: Collection[int], change: float) -> tuple[list[Pair], float]:
        """The edges from the children to others that a new factor has made needless; and the change of the score without them."""
        needless, inside, done = list[Pair](), mask_of(children), False
        while not done:
            done = True
            below = [mask_of(v for v, above in enumerate(graph.parents) if above >> u & 1) for u in children]
            around = [graph.parents[u] | graph.siblings[u] | under for u, under in zip(children, below, strict=True)]
            for u, v in [(u, v) for u, beside in zip(children, around, strict=True) for v in members(beside & ~inside)]:
                trial = graph.without(u, v)
                gain = self._change(graph, trial, (u, v))
                if gain < -_GAIN:
                    graph, change, done = trial, change + gain, False
                    needless.append((u, v))
        return needless, change

    def _change(self, old: Edges, new: Edges, changed: Sequence[int]) -> float:
        """How the score changes from one graph to another: only districts of vertices with another edge count."""
        return self._of_districts(new, changed) - self._of_districts(old, changed)

    def _of_districts(self, graph: Edges, vertices: Iterable[int]) -> float:
        """The parts of the districts of some vertices, taken together."""
        districts = sorted({graph.district(v) for v in vertices})
        return sum(
            self._part(district, *(tuple(masks[v] for v in members(district)) for masks in (graph.parents, graph.siblings)))
            for district in districts
        )

    def _explained(self, children: tuple[int, ...], parents: tuple[int, ...]) -> float:
        """What one factor is worth for variables of which their parents explain a part."""
        counts = np.array([above.bit_count() for above in parents], dtype=np.int64)
        rows = np.zeros((len(children), max(1, int(counts.max()))), dtype=np.int64)
        for row, above in zip(rows, parents, strict=True):
            row[: above.bit_count()] = members(above)
        return self._worth(residuals(self.terms.correlation, np.array(children, dtype=np.int64), rows, counts))

    def _worth(self, covariance: Floats) -> float:
        """What one factor saves in place of bidirected edges between all, less what it leaves unexplained."""
        if not covariance.diagonal().min() > _NOTHING_LEFT:
            return -np.inf  # few rows: the parents explain everything, so there is nothing for a factor to explain
        k = len(covariance)
        pairs = k * (k - 1) // 2
        saved = self.terms.price * (pairs - k) + self.surcharge * (pairs - 1)
        return float(saved - self.terms.n_samples * one_factor_misfit(covariance))

    def _fitted(self, district: int, parents: Sequence[int], siblings: Sequence[int]) -> float:
        """The part of a district: fitted edge by edge, and the factors found in what its arrows leave."""
        inside = members(district)
        arrows = [(u, v) for v, above in zip(inside, parents, strict=True) for u in members(above)]
        joined = [(v, w) for v, beside in zip(inside, siblings, strict=True) for w in members(beside) if v < w]
        _, block, arrays = district_arrays(self.terms.correlation, inside, arrows, joined)
        loss = misfit(block, self.terms.n_samples, *arrays)
        plain = self.terms.n_samples * loss + self.terms.price * (len(arrows) + len(joined)) + self.surcharge * len(joined)
        place, residual = {v: i for i, v in enumerate(inside)}, arrays.room.small[RESIDUAL]
        return plain - self._saved(residual, [(place[v], place[w]) for v, w in joined])

    def _saved(self, residual: Floats, joined: Iterable[Pair]) -> float:
        """What factors are worth in a district, the best first; no two of them share an edge."""
        near, total = [0] * len(residual), 0.0
        for v, w in joined:
            near[v] |= 1 << w
            near[w] |= 1 << v

        def worth_of(clique: tuple[int, ...]) -> float:
            return to_precision(self._worth(np.ascontiguousarray(residual[np.ix_(clique, clique)])))

        while found := [(worth_of(each), each) for each in cliques(near, _CHILDREN)]:
            worth, clique = max(found)
            if worth <= 0:
                break
            total += worth
            for v in clique:
                near[v] &= ~mask_of(clique)
        return total


def _masks(related: NDArray[np.bool_]) -> list[int]:
    """By row: the mask of the columns."""
    masks = [0] * len(related)
    for v, u in zip(*(at.tolist() for at in np.nonzero(related)), strict=True):
        masks[v] |= 1 << u
    return masks


def joined_by_one(marks: Marks, children: Iterable[int], law: Law | None = None) -> Marks:
    """The graph with bidirected edges between all children, as far as it stays ancestral and obeys."""
    new = marks.copy()
    for u, v in combinations(children, 2):
        new[u, v] = new[v, u] = ARROW
    return ancestral_marks(new, law)


def cliques(near: Sequence[int], least: int) -> Iterator[tuple[int, ...]]:
    """The maximal cliques of at least so many vertices, sorted each; ``near[v]``: the mask of what v is next to.

    Bron and Kerbosch (1973), with a pivot.
    """

    def extended(chosen: int, left: int, done: int) -> Iterator[tuple[int, ...]]:
        if chosen.bit_count() + left.bit_count() < least:
            return
        if not left and not done:
            yield tuple(members(chosen))
            return
        heed()
        pivot = max(members(left | done), key=lambda u: (near[u] & left).bit_count())
        for v in members(left & ~near[pivot]):
            yield from extended(chosen | 1 << v, left & near[v], done & near[v])
            left &= ~(1 << v)
            done |= 1 << v

    return extended(0, (1 << len(near)) - 1, 0)
