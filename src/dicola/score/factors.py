"""Hidden variables with several children: a clique of bidirected edges may cost one factor.

One hidden variable with k children joins all of them by bidirected edges, k (k - 1) / 2 of them,
where it has k parameters only. From four children on that is dearer than it is worth, and a climb
by single edges leaves some of them out. Here such a clique is given back the difference, less what
one factor fails to explain of it. So price and likelihood speak of the same hidden variable, and a
clique that no factor explains gains nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, cached_property, lru_cache
from itertools import combinations
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola._kernels.arrays import Floats
from dicola._kernels.mag_factor import NOTHING_LEFT, left_by_one_factor, one_factor_misfit
from dicola._kernels.mag_score import misfit_alone
from dicola._kernels.terms import Terms
from dicola.graphs.bits import mask_of, members, union
from dicola.graphs.marks import ARROW, NONE, TAIL
from dicola.graphs.skeleton import Pair
from dicola.score.ancestral import Marks, ancestral_marks, reached
from dicola.score.base import to_precision
from dicola.score.gaussian_bic import beyond_doubt, fitted_members
from dicola.score.law import Law
from dicola.score.saturated import LARGE
from dicola.watch import heed

_CHILDREN = 4  # from so many on a factor is cheaper than the edges it stands for
_CORE, _WIDE = 4, 10  # members of a clique that a set of more than ten children is grown from
_LARGEST_OPEN = 40  # variables of a district around such children where not every two are joined: larger ones take too long to fit
_AXES, _MOST_SHARED = 20, 0.995  # rounds that find the loadings of a factor; the most of a variance that it explains
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
        parents, siblings = self.parents.copy(), self.siblings.copy()
        for masks in (parents, siblings):
            masks[u] &= ~(1 << v)
            masks[v] &= ~(1 << u)
        return Edges(parents, siblings)

    def district(self, v: int) -> int:
        """The vertices that bidirected edges join to v, as a mask."""
        found, new = 1 << v, self.siblings[v]
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
        self._cliques = lru_cache(maxsize=1)(_largest_first)  # two searches begin with the same graph

    def total(self, marks: Marks) -> float:
        """The score of an ancestral graph, with factors for the cliques that they explain."""
        return self._of_districts(Edges.of(marks), range(len(marks)))

    def improved(self, marks: Marks) -> Marks:
        """The graph after all factors that pay; an ancestral one."""
        return next(reversed([marks, *(step.marks for step in self.steps(marks))]))

    def steps(self, marks: Marks) -> Iterator[Step]:
        """One better graph after the other, each with one more factor."""
        wide, tried = list[int](), set[tuple[int, ...]]()
        for step in self._wide_steps(marks, wide):
            marks = step.marks
            yield step
        while (better := self._better(marks, tried)) is not None:
            marks = better.marks
            yield better
        yield from self._rid_of_chance(marks, wide)

    def _better(self, marks: Marks, tried: set[tuple[int, ...]]) -> Step | None:
        """The first graph with one more factor that is better."""
        near, old = _masks(marks != NONE), Edges.of(marks)
        for clique in self._cliques(tuple(near)):
            heed()
            children = self._grown(near, old.parents, clique)
            if not children or children in tried:
                continue
            tried.add(children)
            joined = joined_by_one(marks, children, self.law, old.parents)
            new = Edges.of(joined)
            if max(new.district(v).bit_count() for v in children) > LARGE:
                continue
            if (step := self._step((marks, old), (joined, new), children)) is not None:
                return step
        return None

    def _step(self, before: tuple[Marks, Edges], after: tuple[Marks, Edges], children: Collection[int]) -> Step | None:
        """From a graph to one with a factor, without the edges that it makes needless; ``None`` where that is not better."""
        (marks, old), (joined, new) = before, after
        changed = np.flatnonzero((joined != marks).any(axis=0) | (joined != marks).any(axis=1)).tolist()
        change = self._change(old, new, changed)
        needless: list[Pair] = []
        if change < _HOPE:
            needless, change = self._tidied(new, children, change)
        return self._without(joined, needless, -change) if change < -_GAIN else None

    def _without(self, marks: Marks, needless: Iterable[Pair], gain: float) -> Step | None:
        """A graph without some edges and what that gains; ``None`` where it does not obey."""
        new = marks.copy()
        for u, v in needless:
            new[u, v] = new[v, u] = NONE
        return Step(new, gain) if self.law is None or self.law.is_obeyed(new) else None

    def _rid_of_chance(self, marks: Marks, wide: Sequence[int]) -> Iterator[Step]:
        """The graph without the edges of wide sets, given as masks, that gain no more than chance may.

        An edge to one of k children was chosen among k that might have shown by chance, so it must gain
        2 ln k more than its price; one between two such sets, by both.
        """
        for mask in wide:
            needless, change = self._tidied(Edges.of(marks), members(mask), 0.0, wide)
            step = self._without(marks, needless, -change)
            if needless and step is not None:
                marks = step.marks
                yield step

    def _wide_steps(self, marks: Marks, made: list[int]) -> Iterator[Step]:
        """Graphs with factors of more than ten children, each made at once; the masks of these children are put on a list.

        The edges that a climb puts between so many variables hide most of what one factor explains, so
        here the children are told from their correlations, with no regard to what edges they have.
        """
        found = list[int]()
        for core in self._cliques(tuple(_masks(marks != NONE))):
            heed()
            if len(core) < _CORE or any(not mask_of(core) & ~children for children in found):
                continue
            children = self._gathered(core)
            if len(children) <= _WIDE:
                continue
            found.append(mask_of(children))
            joined = joined_below(marks, children, self.law)
            new = Edges.of(joined)
            district = max((new.district(v) for v in children), key=int.bit_count)
            if district.bit_count() > _LARGEST_OPEN and not _is_complete(new, district):
                continue
            if (step := self._step((marks, Edges.of(marks)), (joined, new), children)) is not None:
                marks = step.marks
                made.append(found[-1])
                yield step

    def _gathered(self, core: tuple[int, ...]) -> tuple[int, ...]:
        """A clique with the variables that are correlated with half of it and that its factor explains; none where it explains nothing."""

        @cache
        def worth_of(children: tuple[int, ...]) -> float:
            return to_precision(self._worth_in(np.ascontiguousarray(self.terms.correlation[np.ix_(children, children)])))

        def with_these(new: Iterable[int], children: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(sorted((*children, *new)))

        children, alone = core, worth_of(core)
        while alone > 0:
            beside = next_to_half(self._related, children)
            gains = sorted(((worth_of(with_these([v], core)) - alone, v) for v in beside), key=lambda each: (-each[0], each[1]))
            new = [v for gain, v in gains if gain > 0]
            while new and worth_of(with_these(new, children)) <= worth_of(children):
                new = new[: len(new) // 2]
            if not new:
                return self._without_doublets(children)
            children = with_these(new, children)
        return ()

    def _without_doublets(self, children: tuple[int, ...]) -> tuple[int, ...]:
        """The children without those that are related to another beyond the factor, such as effects of one.

        Of two that are, the one goes on which the factor bears less.
        """
        left = list(children)
        while len(left) > _WIDE:
            block = self.terms.correlation[np.ix_(left, left)]
            load = loadings(block)
            own = np.sqrt(1 - load**2)
            beyond = np.triu((block - np.outer(load, load)) / np.outer(own, own), 1)
            if not beyond_doubt(np.clip(beyond, -1, 1), self.terms.n_samples, len(self.terms.correlation)).any():
                return tuple(left)
            pair = np.unravel_index(np.argmax(np.abs(beyond)), beyond.shape)
            del left[min(pair, key=lambda i: (abs(load[i]), i))]
        return ()

    @cached_property
    def _related(self) -> list[int]:
        """By variable: those that are correlated with it beyond doubt, itself among them."""
        return _masks(beyond_doubt(self.terms.correlation, self.terms.n_samples))

    def _grown(self, near: Sequence[int], above: Sequence[int], children: tuple[int, ...]) -> tuple[int, ...]:
        """The children of a factor, with those that half of them are next to and that it explains; none where it is worth nothing."""

        def worth_of(children: tuple[int, ...]) -> float:
            outside = ~mask_of(children)
            return to_precision(self._worth_of(children, tuple(above[v] & outside for v in children)))

        if len(children) < _CHILDREN and not next_to_half(near, children):
            return ()
        worth = worth_of(children)
        while True:
            wider = [tuple(sorted((*children, v))) for v in next_to_half(near, children)]
            best = max(((worth_of(each), each) for each in wider), default=(worth, children))
            if best[0] <= worth:
                return children if len(children) >= _CHILDREN and worth > 0 else ()
            worth, children = best

    def _tidied(self, graph: Edges, children: Collection[int], change: float, wide: Sequence[int] = ()) -> tuple[list[Pair], float]:
        """The edges from the children to others that a new factor has made needless; and the change of the score without them.

        Edges to ``wide`` sets of variables count as dearer, as ``_rid_of_chance`` says.
        """
        needless, inside, done = list[Pair](), mask_of(children), False
        while not done:
            done = True
            below = [mask_of(v for v, above in enumerate(graph.parents) if above >> u & 1) for u in children]
            around = [graph.parents[u] | graph.siblings[u] | under for u, under in zip(children, below, strict=True)]
            for u, v in [(u, v) for u, beside in zip(children, around, strict=True) for v in members(beside & ~inside)]:
                trial = graph.without(u, v)
                dearer = sum(2 * log(mask.bit_count()) for mask in wide if mask >> u & 1 or mask >> v & 1)
                gain = self._change(graph, trial, (u, v)) - dearer
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
        above, beside = graph
        return sum(
            self._part(district, tuple([above[v] for v in inside]), tuple([beside[v] for v in inside]))
            for district, inside in [(district, members(district)) for district in districts]
        )

    def _explained(self, children: tuple[int, ...], parents: tuple[int, ...]) -> float:
        """What one factor is worth for variables of which their parents explain a part."""
        above = [members(mask) for mask in parents]
        packed = np.array([*children, *map(len, above), *(v for each in above for v in each)], dtype=np.int64)
        return self._worth(len(children), *left_by_one_factor(self.terms.correlation, packed, len(children)))

    def _worth(self, k: int, least: float, misfit: float) -> float:
        """What one factor saves in place of bidirected edges between k variables, less what it leaves unexplained."""
        if not least > NOTHING_LEFT:
            return -np.inf  # few rows: the parents explain everything, so there is nothing for a factor to explain
        pairs = k * (k - 1) // 2
        saved = self.terms.price * (pairs - k) + self.surcharge * (pairs - 1)
        return float(saved - self.terms.n_samples * misfit)

    def _worth_in(self, covariance: Floats) -> float:
        """The same, from the covariance of what parents leave."""
        least = covariance.diagonal().min()
        return self._worth(len(covariance), least, one_factor_misfit(covariance) if least > NOTHING_LEFT else 0.0)

    def _fitted(self, district: int, parents: Sequence[int], siblings: Sequence[int]) -> float:
        """The part of a district: fitted edge by edge, and the factors found in what its arrows leave."""
        inside = members(district)
        if len(inside) == 1:
            above = members(parents[0])
            alone = misfit_alone(self.terms.correlation, np.array([*inside, *above], dtype=np.int64))
            return float(self.terms.n_samples * alone + self.terms.price * len(above))
        joined = [(v, w) for v, beside in zip(inside, siblings, strict=True) for w in members(beside) if v < w]
        edges = sum(map(int.bit_count, parents)) + len(joined)
        lists = [[members(mask) for mask in masks] for masks in (parents, siblings)]
        loss, residual = fitted_members(self.terms.correlation, self.terms.n_samples, inside, *lists)
        plain = self.terms.n_samples * loss + self.terms.price * edges + self.surcharge * len(joined)
        place = {v: i for i, v in enumerate(inside)}
        return plain - self._saved(residual, [(place[v], place[w]) for v, w in joined])

    def _saved(self, residual: Floats, joined: Iterable[Pair]) -> float:
        """What factors are worth in a district, the best first; no two of them share an edge."""
        near, total = [0] * len(residual), 0.0
        for v, w in joined:
            near[v] |= 1 << w
            near[w] |= 1 << v

        def worth_of(clique: tuple[int, ...]) -> float:
            return to_precision(self._worth_in(np.ascontiguousarray(residual[np.ix_(clique, clique)])))

        while found := [(worth_of(each), each) for each in cliques(near, _CHILDREN)]:
            worth, clique = max(found)
            if worth <= 0:
                break
            total += worth
            for v in clique:
                near[v] &= ~mask_of(clique)
        return total


def loadings(correlation: NDArray[np.float64]) -> NDArray[np.float64]:
    """How a factor bears on some variables, by principal axes: what is their own is taken off, and the first axis found again."""
    load = np.zeros(len(correlation))
    shared = np.abs(correlation - np.eye(len(correlation))).max(axis=0)
    for _ in range(_AXES):
        values, vectors = np.linalg.eigh(correlation - np.diag(1 - shared))
        load = vectors[:, -1] * np.sqrt(max(float(values[-1]), 0.0))
        shared = np.minimum(load**2, _MOST_SHARED)
    return np.asarray(np.clip(load, -(_MOST_SHARED**0.5), _MOST_SHARED**0.5))


def _masks(related: NDArray[np.bool_]) -> list[int]:
    """By row: the mask of the columns."""
    packed = np.packbits(related, axis=1, bitorder="little")
    flat, width = packed.tobytes(), max(1, packed.shape[1])
    return [int.from_bytes(flat[at : at + width], "little") for at in range(0, len(flat), width)]


def next_to_half(near: Sequence[int], children: Sequence[int]) -> list[int]:
    """The other vertices that half of the children are next to; ``near[v]``: the mask of what v is next to."""
    mask = mask_of(children)
    return [v for v in members(union(near, mask) & ~mask) if 2 * (near[v] & mask).bit_count() >= len(children)]


def joined_by_one(marks: Marks, children: Iterable[int], law: Law | None = None, parents: Sequence[int] | None = None) -> Marks:
    """The graph with bidirected edges between all children, as far as it stays ancestral and obeys.

    With the masks of its ``parents`` an ancestral graph is told to stay one without making it anew.
    """
    new, inside = marks.copy(), list(children)
    for u, v in combinations(inside, 2):
        new[u, v] = new[v, u] = ARROW
    return new if law is None and parents is not None and _are_unrelated(parents, inside) else ancestral_marks(new, law)


def _are_unrelated(parents: Sequence[int], children: Sequence[int]) -> bool:
    """Is none of the children an ancestor of another, but for arrows between two of them?"""
    inside = mask_of(children)
    for u in children:
        found = new = parents[u] & ~inside
        while new:
            new = union(parents, new) & ~found
            found |= new
        if found & inside:
            return False
    return True


def joined_below(marks: Marks, children: Sequence[int], law: Law | None = None) -> Marks:
    """The graph with bidirected edges between all children and to no others, as far as it stays ancestral and obeys.

    Edges to others become arrows: to those that descend from a child, else from them. An arrow back from
    a descendant is left out, as it would make one child the cause of another.
    """
    new, inside = marks.copy(), list(children)
    new[np.ix_(inside, inside)] = NONE
    arrows = (new == ARROW) & (new.T == TAIL)  # arrows[u, v]: u -> v
    below = {w for u in inside for w in reached(u, lambda v: np.flatnonzero(arrows[v]).tolist())} - set(inside)
    for u in inside:
        for v in np.flatnonzero(new[u]).tolist():
            if v not in below:
                new[u, v], new[v, u] = TAIL, ARROW
            elif arrows[v, u]:
                new[u, v] = new[v, u] = NONE
            else:
                new[u, v], new[v, u] = ARROW, TAIL
    return joined_by_one(new, children, law)


def _is_complete(graph: Edges, district: int) -> bool:
    """Does a bidirected edge join every two of a district?"""
    return all(graph.siblings[v] | 1 << v == district for v in members(district))


def _largest_first(near: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The cliques that children are looked for in."""
    return sorted(cliques(near, _CHILDREN - 1), key=lambda each: (-len(each), each))


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
