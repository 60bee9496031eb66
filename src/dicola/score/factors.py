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

import numpy as np

from dicola._kernels.arrays import Floats
from dicola._kernels.mag_factor import one_factor_misfit
from dicola._kernels.mag_score import RESIDUAL, misfit
from dicola._kernels.terms import Terms
from dicola.graphs.bits import mask_of, members, union
from dicola.graphs.marks import ARROW, NONE, TAIL
from dicola.graphs.skeleton import Pair
from dicola.score.ancestral import Marks, ancestral_marks, reached
from dicola.score.gaussian_bic import district_arrays

_CHILDREN = 4  # from so many on a factor is cheaper than the edges it stands for
_NOTHING_LEFT = 1e-9  # of a variance of 1
_LARGEST = 20  # variables of a district: larger ones take long to fit
_HOPE = 60.0  # what a new clique may cost before edges that it makes needless are taken out
_GAIN = 1e-6


class FactorSearch:
    """Makes sets of variables the children of one hidden variable, as long as that pays.

    Parameters
    ----------
    terms : Terms
        Of a Gaussian score: what a graph is worth without factors.
    surcharge : float
        What a hidden variable costs beyond its edges, be it a factor or a bidirected edge.

    """

    def __init__(self, terms: Terms, surcharge: float = 0.0) -> None:
        self.terms, self.surcharge = terms, surcharge
        self._part, self._regressed = cache(self._fitted), cache(self._left)

    def total(self, marks: Marks) -> float:
        """The score of an ancestral graph, with factors for the cliques that they explain."""
        return self._of_districts(marks, range(len(marks)))

    def improved(self, marks: Marks) -> Marks:
        """The graph after all factors that pay; an ancestral one."""
        tried = set[tuple[int, ...]]()
        while (better := self._better(marks, tried)) is not None:
            marks = better
        return marks

    def _better(self, marks: Marks, tried: set[tuple[int, ...]]) -> Marks | None:
        """The first graph with one more factor that is better."""
        near = [mask_of(np.flatnonzero(row).tolist()) for row in marks]
        above = [tuple(np.flatnonzero(row).tolist()) for row in (marks == TAIL) & (marks.T == ARROW)]
        for clique in sorted(cliques(near, _CHILDREN - 1), key=lambda each: (-len(each), each)):
            children = self._grown(near, above, clique)
            if not children or children in tried:
                continue
            tried.add(children)
            new = joined_by_one(marks, children)
            if max(len(_district(new, v)) for v in children) > _LARGEST:
                continue
            change = self._change(marks, new)
            if change < _HOPE:
                new, change = self._tidied(new, children, change)
            if change < -_GAIN:
                return new
        return None

    def _grown(self, near: Sequence[int], above: Sequence[tuple[int, ...]], children: tuple[int, ...]) -> tuple[int, ...]:
        """The children of a factor, with those that half of them are next to and that it explains; none where it is worth nothing."""
        worth = self._worth(self._residuals(above, children))
        while True:
            mask = mask_of(children)
            beside = [v for v in members(union(near, mask) & ~mask) if 2 * (near[v] & mask).bit_count() >= len(children)]
            wider = [tuple(sorted((*children, v))) for v in beside]
            best = max(((self._worth(self._residuals(above, each)), each) for each in wider), default=(worth, children))
            if best[0] <= worth:
                return children if len(children) >= _CHILDREN and worth > 0 else ()
            worth, children = best

    def _tidied(self, marks: Marks, children: Collection[int], change: float) -> tuple[Marks, float]:
        """Without the edges from the children to others that a new factor has made needless; and the change of the score with that."""
        done = False
        while not done:
            done = True
            across = [(u, v) for u in children for v in np.flatnonzero(marks[u]).tolist() if v not in children]
            for u, v in across:
                trial = marks.copy()
                trial[u, v] = trial[v, u] = NONE
                gain = self._change(marks, trial)
                if gain < -_GAIN:
                    marks, change, done = trial, change + gain, False
        return marks, change

    def _change(self, old: Marks, new: Marks) -> float:
        """How the score changes from one graph to another: only districts of vertices with another edge count."""
        changed = np.flatnonzero((old != new).any(axis=0) | (old != new).any(axis=1)).tolist()
        return self._of_districts(new, changed) - self._of_districts(old, changed)

    def _of_districts(self, marks: Marks, vertices: Iterable[int]) -> float:
        """The parts of the districts of some vertices, taken together."""
        districts = {_district(marks, v) for v in vertices}
        return sum(self._part(*_inside(marks, district)) for district in sorted(districts))

    def _residuals(self, above: Sequence[tuple[int, ...]], children: Sequence[int]) -> Floats:
        """The covariance of what their parents outside leave of the children."""
        rows = np.array([self._regressed(v, tuple(u for u in above[v] if u not in children)) for v in children])
        return np.asarray(rows @ self.terms.correlation @ rows.T)

    def _left(self, v: int, parents: tuple[int, ...]) -> Floats:
        """A variable less its regression on some others, as weights of all variables."""
        row, correlation, given = np.zeros(len(self.terms.correlation)), self.terms.correlation, list(parents)
        row[v] = 1
        if given:
            row[given] = -np.linalg.lstsq(correlation[np.ix_(given, given)], correlation[given, v], rcond=None)[0]
        return row

    def _worth(self, covariance: Floats) -> float:
        """What one factor saves in place of bidirected edges between all, less what it leaves unexplained."""
        if not covariance.diagonal().min() > _NOTHING_LEFT:
            return -np.inf  # few rows: the parents explain everything, so there is nothing for a factor to explain
        k = len(covariance)
        pairs = k * (k - 1) // 2
        saved = self.terms.price * (pairs - k) + self.surcharge * (pairs - 1)
        return float(saved - self.terms.n_samples * one_factor_misfit(covariance))

    def _fitted(self, inside: tuple[int, ...], arrows: tuple[Pair, ...], joined: tuple[Pair, ...]) -> float:
        """The part of a district: fitted edge by edge, and the factors found in what its arrows leave."""
        _, block, arrays = district_arrays(self.terms.correlation, inside, arrows, joined)
        loss = misfit(block, self.terms.n_samples, *arrays)
        plain = self.terms.n_samples * loss + self.terms.price * (len(arrows) + len(joined)) + self.surcharge * len(joined)
        place, residual = {v: i for i, v in enumerate(sorted(inside))}, arrays.room.small[RESIDUAL]
        return plain - self._saved(residual, [(place[v], place[w]) for v, w in joined])

    def _saved(self, residual: Floats, joined: Iterable[Pair]) -> float:
        """What factors are worth in a district, the best first; no two of them share an edge."""
        near, total = [0] * len(residual), 0.0
        for v, w in joined:
            near[v] |= 1 << w
            near[w] |= 1 << v
        while found := [(self._worth(np.ascontiguousarray(residual[np.ix_(each, each)])), each) for each in cliques(near, _CHILDREN)]:
            worth, clique = max(found)
            if worth <= 0:
                break
            total += worth
            for v in clique:
                near[v] &= ~mask_of(clique)
        return total


def _district(marks: Marks, v: int) -> tuple[int, ...]:
    """The vertices that bidirected edges join to v, sorted."""
    return tuple(sorted(reached(v, lambda w: np.flatnonzero((marks[w] == ARROW) & (marks[:, w] == ARROW)).tolist())))


def _inside(marks: Marks, district: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[Pair, ...], tuple[Pair, ...]]:
    """A district, the arrows into it and the bidirected edges in it."""
    into = [(u, v) for v in district for u in np.flatnonzero(marks[:, v] == ARROW).tolist()]
    arrows = tuple((u, v) for u, v in into if marks[v, u] == TAIL)
    return district, arrows, tuple((u, v) for u, v in into if u < v and marks[v, u] == ARROW)


def joined_by_one(marks: Marks, children: Iterable[int]) -> Marks:
    """The graph with bidirected edges between all children, as far as it stays ancestral."""
    new = marks.copy()
    for u, v in combinations(children, 2):
        new[u, v] = new[v, u] = ARROW
    return ancestral_marks(new)


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
        pivot = max(members(left | done), key=lambda u: (near[u] & left).bit_count())
        for v in members(left & ~near[pivot]):
            yield from extended(chosen | 1 << v, left & near[v], done & near[v])
            left &= ~(1 << v)
            done |= 1 << v

    return extended(0, (1 << len(near)) - 1, 0)
