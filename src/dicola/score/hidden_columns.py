"""Hidden variables as columns: a DAG over the observed variables and over hidden ones that several of them share.

A hidden variable with several children leaves an edge between every two of them. A search that pays
for each of these edges leaves some out, turns others, and cannot tell arrows among the children from
what they share. Here the hidden variable gets a column of its own. What it would have been is expected
from the columns that it bears on, and the best DAG is looked for again as if it had been measured; the
two take turns (structural expectation and maximisation, Friedman 1998). A hidden variable stays where
the edges that it saves are dearer than its own. So price and likelihood speak of the same hidden
variable, and a set that none explains gains nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass, field, replace
from functools import lru_cache
from heapq import nsmallest
from itertools import islice, pairwise, takewhile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola._kernels.child_sets import WIDE, Remembered, Stakes, grown_sets, nothing_remembered
from dicola._kernels.hidden_columns import expect
from dicola.graphs.bits import mask_of
from dicola.score.base import OrderedDag, to_precision
from dicola.score.gaussian_bic import GaussianBIC
from dicola.score.order_search import order_search
from dicola.score.stand_ins import Supposition, by_common_parents, by_splitting
from dicola.watch import heed

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Children = tuple[int, ...]

_FEW = 30  # variables up to which each hidden one is taken out once more; with more of them that doubles the time of a run
_APART = 150  # variables beyond which hidden ones that do not hang together are fitted one after the other
LARGE = 500  # variables beyond which less is tried; see ``HiddenColumns.is_large``
_HOPELESS = 3.0  # prices of an edge: where the first search is worse by more, no second one is made in a large table
_PROMISING = 0.5  # of what the best set is worth: so much others must be, to be tried in a large table before all are weighed anew
_ROUNDS, _STILL = 50, 1e-7  # of expectation and maximisation, at most; what a round gains in the fit per row, at least
_TURNS = 3  # of expectations and searches for a DAG, at most
_CHOSEN = 1.4  # what each variable next to a hidden one costs that was chosen among those near a stand-in: one of two, 2 ln 2
_LOOKED_AT, _PER_SPLIT = (
    6,
    20,
)  # stand-ins of a kind that are looked at in turn; of many variables one per so many: later ones hardly ever pay
_WORTHWHILE = 1.0  # what a turn gains, at least, for another one to be made
_PATIENCE = 1.0  # times its last gain, which a search is trusted to gain in all the turns that are left
_SEEN_AS, _FEWER = (
    tuple(500 * 4**k for k in range(20)),
    0.67,
)  # rows that a table counts as, one after the other, up to a share of what it has
_RIDGE = 1e-9  # added to variances of 1: with few rows parents may determine each other
_AXES, _MOST_SHARED = 6, 0.995  # rounds that find the loadings of a factor; the most of a variance that it explains


class HiddenVariable(NamedTuple):
    """A hidden variable that a graph supposes: the names of its children, and the correlations that are expected of it with all variables,
    in their fixed order.
    """

    children: tuple[str, ...]
    correlations: tuple[float, ...]


class Supposed(NamedTuple):
    """A DAG over observed variables and hidden ones, which come last.

    Its score has a column for each hidden variable, with the correlations that are expected of it. ``misfit`` is minus twice the log
    likelihood of the observed columns; ``total`` is that with the price of all edges and hidden variables.
    """

    score: GaussianBIC
    dag: OrderedDag
    misfit: float
    total: float
    n_hidden: int

    @property
    def expected(self) -> Floats:
        """The correlations, of hidden variables too."""
        return self.score.correlation

    @property
    def hidden(self) -> tuple[HiddenVariable, ...]:
        """What is supposed: the hidden variables that bear on several others. Some may be left that only stand between two."""
        found = []
        for each in range(len(self.score) - self.n_hidden, len(self.score)):
            below = np.flatnonzero(self.dag.parents[:, each]).tolist()
            if len(below) < 2:
                continue
            found.append(HiddenVariable(tuple(self.score.names[v] for v in below), tuple(self.expected[each, : -self.n_hidden].tolist())))
        return tuple(found)

    @property
    def wide(self) -> Ints:
        """The hidden variables with many children."""
        n_children = self.dag.parents[:, len(self.score) - self.n_hidden :].sum(axis=0)
        return np.asarray(len(self.score) - self.n_hidden + np.flatnonzero(n_children > WIDE))

    def candidates_from(self, candidates: Bools) -> Bools:
        """Pairs between which edges may be added: those of the observed variables, and all with a hidden one; but where a hidden variable
        has many children, chance would bring some.
        """
        n = len(candidates)
        found = np.pad(candidates, (0, self.n_hidden))
        found[n:, :n] = found[:n, n:] = True
        closed: Bools = np.array(self.dag.parents[:, self.wide].any(axis=1))
        closed[self.wide] = True
        found[closed] = found[:, closed] = False
        return found

    def score_at(self, price: float) -> float:
        """The score if an edge cost so much, and a hidden variable nothing beyond its edges."""
        return float(self.misfit + price * self.dag.parents.sum())


@dataclass(frozen=True, eq=False)
class HiddenColumns:
    """Supposes hidden variables, one after the other, as long as that pays.

    Their names are no names of observed variables. No hidden variable is a parent of another one.

    Parameters
    ----------
    score : GaussianBIC
        Of the observed variables.
    surcharge : float
        What a hidden variable costs beyond its edges.
    bars : matrix of bool, optional
        ``bars[u, v]``: u is no parent of v in any DAG over the observed variables.
    exogenous : vector of bool, optional
        The observed variables that no hidden one bears on.
    caused : bool
        May observed variables bear on hidden ones in the end?
    from_the_first : bool
        May they do so while hidden variables are looked for?
    stand_ins : bool
        Are hidden variables looked for where others stand in for them too? What bends, such as the square of a cause that two children
        take, looks the same.
    known : list
        What one factor leaves of sets that were looked at; with few rows it is the same as with all.

    """

    score: GaussianBIC
    surcharge: float = 0.0
    bars: Bools | None = None
    exogenous: Bools | None = None
    caused: bool = True
    from_the_first: bool = False
    stand_ins: bool = True
    known: list[Remembered] = field(default_factory=lambda: [nothing_remembered(0)], repr=False)

    @property
    def is_large(self) -> bool:
        """Are there so many variables that less must be tried?

        Then observed variables bear on hidden ones from the first, hidden ones are looked for with few rows and only settled with all
        of them, several apart from each other are taken at once, and a search that begins badly is given up.
        """
        return len(self.score) > LARGE

    def beside(self, dag: OrderedDag) -> Supposed:
        """The best DAG with hidden variables that is found from one without.

        The rows count as few at first, then as more and more. So the hidden variables that bear most on others show first, before
        the many weak edges that stand in for them. In the end variables that stand in for others are looked at.
        """
        alone = self._fitted(np.array(self.score.correlation), dag)
        first = next(self._by_rows())
        begun = first._settled(alone)
        found = replace(self, from_the_first=self.is_large and self.caused)._grown_from(begun)
        if found.n_hidden and self.caused and not self.is_large:
            other = replace(self, from_the_first=True)._grown_from(begun)
            found = other if to_precision(other.total) < to_precision(found.total) else found
        while len(self.score) <= _FEW and (better := self._revised(found)) is not None:
            found = better
        found = found if to_precision(found.total) < to_precision(alone.total) else self._searched(alone)
        if self.stand_ins and not self.is_large:
            found = replace(self, from_the_first=self.caused)._with_stand_ins(found)
        return self._rid_of_chance(found)

    def _grown_from(self, found: Supposed) -> Supposed:
        """What is found with few rows, for which the DAG is settled, with more, and with all of them."""
        for number, columns in enumerate(self._by_rows()):
            found = columns._settled(found, turns=1 if self.is_large else _TURNS) if number else found
            found = columns._freed(found if number and self.is_large else columns._with_others(found))
        return found

    def _freed(self, found: Supposed) -> Supposed:
        """The DAG settled where observed variables may bear on hidden ones: those that do have been taken for children."""
        if not found.n_hidden or not self.caused:
            return found
        hidden = np.arange(len(self.score), len(found.score))
        near = np.flatnonzero(_neighbours(found.dag)[hidden].any(axis=0))
        return replace(self, from_the_first=True)._settled(found, np.append(near, hidden))

    def again(self, dag: OrderedDag, known: Iterable[HiddenVariable]) -> Supposed:
        """The same on other rows, where it is known what to suppose: one search with all of that."""
        alone = found = self._fitted(np.array(self.score.correlation), dag)
        for each in known:
            weights, correlations = np.zeros(len(self.score)), np.array(each.correlations)
            telling = self._telling(dag, each.children)
            weights[telling] = np.linalg.lstsq(self.score.correlation[np.ix_(telling, telling)], correlations[telling], rcond=_RIDGE)[0]
            left = max(_RIDGE, 1 - float(weights @ correlations))
            found = self._with_column(found, np.pad(weights, (0, found.n_hidden)), left)
        if not found.n_hidden:
            return alone
        found = self._freed(self._settled(found))
        return self._rid_of_chance(found) if to_precision(found.total) < to_precision(alone.total) else alone

    def _telling(self, dag: OrderedDag, children: tuple[str, ...]) -> Ints:
        """The variables that tell what a hidden one would have been: all, or of many those next to its children."""
        if len(self.score) <= _APART:
            return np.arange(len(self.score))
        near = np.isin(self.score.names, children)
        return np.flatnonzero(near | _neighbours(dag)[near].any(axis=0))

    def _by_rows(self) -> Iterator[HiddenColumns]:
        """The same as if there were few rows, more, and all of them."""
        fewer = list(takewhile(lambda few: few < _FEWER * self.score.n_samples, _SEEN_AS))
        for n_samples in (*fewer[: 1 if self.is_large else None], self.score.n_samples):
            seen = copy(self.score)
            seen.n_samples = n_samples
            yield replace(self, score=seen)

    def _searched(self, found: Supposed) -> Supposed:
        """The DAG settled, and with further hidden variables as long as these pay."""
        return self._with_others(self._settled(found))

    def _with_others(self, found: Supposed) -> Supposed:
        """The DAG with further hidden variables as long as these pay."""
        tried, last = set[Children](), None
        while found is not last:
            last, found = found, self._better(found, tried)
        return found

    def _with_stand_ins(self, found: Supposed) -> Supposed:
        """The DAG with hidden variables where others stand in for them, as long as these pay; some found before may go for it."""
        tried, last = set[tuple[Children, Children]](), None
        while found is not last:
            last, found = found, self._with_a_stand_in(found, tried)
            found = found if found is last else self._without_idle(found)
        return found

    def _with_a_stand_in(self, at: Supposed, tried: set[tuple[Children, Children]]) -> Supposed:
        """The DAG with the first further hidden variable in place of what stands in for it that makes it better."""
        for begun, supposition in self._begun(at, tried):
            heed()
            tried.add((supposition.children, supposition.above))
            enough = at.total - _CHOSEN * len(supposition.near)
            found = self._settled(begun, np.array([*supposition.near, len(at.score)]), enough)
            if to_precision(found.total) < to_precision(enough):
                return found
        return at

    def _begun(self, at: Supposed, tried: set[tuple[Children, Children]]) -> Iterator[tuple[Supposed, Supposition]]:
        """What may be supposed, each fitted in its place, the most promising first: splits, then what is between variables with common
        parents.
        """
        exogenous = np.zeros(len(self.score), dtype=np.bool_) if self.exogenous is None else self.exogenous

        def fitted(suppositions: Iterable[Supposition]) -> Iterator[tuple[Supposed, Supposition]]:
            for each in suppositions:
                if (each.children, each.above) in tried or (each.above and not self.caused) or exogenous[list(each.children)].any():
                    continue
                expected = self._with_column(at, each.weights, each.left).expected
                yield self._fitted(expected, each.into(at.dag)), each

        p = len(self.score)
        most = max(_LOOKED_AT, p // _PER_SPLIT)
        yield from islice(fitted(by_splitting(at.expected, at.dag, p, self.score.n_samples)), most)
        between = fitted(by_common_parents(at.expected, at.dag, p))
        yield from nsmallest(most, between, key=lambda each: to_precision(each[0].total))

    def _without_idle(self, at: Supposed) -> Supposed:
        """The DAG without the first hidden variable that it is better without."""
        for hidden in range(len(self.score), len(at.score)):
            heed()
            near = np.flatnonzero(_neighbours(at.dag)[hidden])
            found = self._settled(self._without(at, np.array([hidden])), near - (near > hidden), at.total)
            if to_precision(found.total) < to_precision(at.total):
                return found
        return at

    def _revised(self, at: Supposed) -> Supposed | None:
        """The first better DAG that is found once one of the hidden variables is taken out: an early one may be two in one."""
        for hidden in range(len(self.score), len(at.score)):
            heed()
            found = self._searched(self._without(at, np.array([hidden])))
            if found.total < at.total - _WORTHWHILE:
                return found
        return None

    def _without(self, at: Supposed, gone: Ints) -> Supposed:
        """The DAG without some of the hidden variables."""
        kept = np.delete(np.arange(len(at.score)), gone)
        order = np.searchsorted(kept, at.dag.order[~np.isin(at.dag.order, gone)])
        return self._fitted(at.expected[np.ix_(kept, kept)], replace(at.dag, order=order, parents=at.dag.parents[np.ix_(kept, kept)]))

    def _scored(self, expected: Floats) -> GaussianBIC:
        """The score with a column for each hidden variable, at the same price."""
        wider = copy(self.score)
        expected.setflags(write=False)
        wider.correlation, wider.names = expected, _wider_names(self.score.names, len(expected) - len(self.score))
        return wider

    def _better(self, at: Supposed, tried: set[Children]) -> Supposed:
        """The DAG with the first further hidden variable that makes it better; of a large table with some, apart from each other."""
        sets, changed, least, before = self._sets(at), 0, -np.inf, at
        for children, worth in sets.items():
            heed()
            if children in tried or changed & mask_of(children):
                continue
            if worth < least and at is not before:
                break
            tried.add(children)
            least = max(least, _PROMISING * worth)
            found = self._settled(self._beside_one(at, children), np.array([*children, len(at.score)]), at.total)
            if to_precision(found.total) < to_precision(at.total):
                if not self.is_large:
                    return found
                n = len(at.score)
                differs = (found.dag.parents[:n, :n] != at.dag.parents).any(axis=1)
                changed |= mask_of(children) | mask_of(np.flatnonzero(differs).tolist())
                at = found
        return at

    def _settled(self, at: Supposed, movable: Ints | None = None, enough: float = np.inf, turns: int = _TURNS) -> Supposed:
        """The DAG and the expectations that lead to each other; given up where the score will hardly be good enough."""
        bars, expected, order, found = self._wider_bars(len(at.score)), at.expected, at.dag.order, None
        for _ in range(turns):
            new = self._fitted(expected, order_search(self._scored(expected), order, bars=bars, movable=movable))
            gain = np.inf if found is None else found.total - new.total
            if found is None or to_precision(gain) > 0:
                found, expected, order = new, new.expected, new.dag.order
            if self.is_large and new.total - _HOPELESS * self.score.price > enough:
                break
            if gain < _WORTHWHILE or new.total - _PATIENCE * gain > enough or not new.n_hidden:  # without any, nothing is expected anew
                break
        assert found is not None
        return found

    def _rid_of_chance(self, at: Supposed) -> Supposed:
        """The DAG without the edges at children of hidden variables that gain no more than chance may.

        An edge to one of k children was chosen among k that might have shown by chance, and a child that is none brings k edges into
        the answer, so it must gain 2 ln k more than its price; one between two such sets, by both.
        """
        parents, wide = at.dag.parents, at.wide
        if not len(wide):
            return at
        concerned = parents[:, wide].T | (np.arange(len(at.score)) == wide[:, None])
        v, u = np.nonzero(parents)
        dearer = 2 * np.log(parents[:, wide].sum(axis=0)) @ (concerned[:, u] | concerned[:, v])
        by_chance = at.score.gains(parents)[0] < self.score.price + dearer
        kept = parents.copy()
        kept[v[by_chance], u[by_chance]] = False
        return self._fitted(at.expected, OrderedDag(at.dag.order, kept, at.dag.score, at.dag.work)) if by_chance.any() else at

    def _fitted(self, expected: Floats, dag: OrderedDag) -> Supposed:
        """The DAG with expectations that agree with it, and its score."""
        expected, (parents, counts) = np.array(expected), dag.families()
        n_hidden = len(expected) - len(self.score)
        misfit = self.score.n_samples * expect(len(self.score), expected, parents, counts, len(self.score) > _APART, _ROUNDS, _STILL)
        total = misfit + self.score.price * int(counts.sum()) + self.surcharge * n_hidden
        return Supposed(self._scored(expected), dag, misfit, total, n_hidden)

    def _wider_bars(self, n: int) -> Bools:
        """``bars`` with hidden variables among those that may be parents, and with what may not be a parent of theirs."""
        p, bars = len(self.score), np.zeros((n, n), dtype=np.bool_)
        bars[p if self.from_the_first else 0 :, p:] = True
        if self.bars is not None:
            bars[:p, :p] = self.bars
        if self.exogenous is not None:
            bars[p:, :p] = self.exogenous
        return bars

    def _beside_one(self, at: Supposed, children: Children) -> Supposed:
        """One more hidden variable without edges, and what is expected of it: the first factor of what the parents that were measured
        leave of its children.
        """
        n, p = len(at.score), len(self.score)
        rows = np.zeros((len(children), n))
        for row, v in zip(rows, children, strict=True):
            above = [u for u in np.flatnonzero(at.dag.parents[v, :p]).tolist() if u not in children]
            row[v] = 1.0
            row[above] = -np.linalg.solve(at.expected[np.ix_(above, above)] + _RIDGE * np.eye(len(above)), at.expected[above, v])
        used = np.flatnonzero(rows.any(axis=0))
        covariance = rows[:, used] @ at.expected[np.ix_(used, used)] @ rows[:, used].T
        scale = np.sqrt(covariance.diagonal())
        load = loadings(covariance / np.outer(scale, scale))
        sureness = load / (1 - load**2)
        left = 1 / (1 + float(sureness @ load))
        return self._with_column(at, left * sureness / scale @ rows, left)

    def _with_column(self, at: Supposed, weights: Floats, left: float) -> Supposed:
        """One more hidden variable without edges: the others by these weights, and a variance that they leave."""
        n, used = len(at.score), np.flatnonzero(weights)
        across = weights[used] @ at.expected[used]
        wider = np.ones((n + 1, n + 1))
        wider[:n, :n] = at.expected
        wider[n, :n] = wider[:n, n] = across / np.sqrt(across @ weights + left)
        dag = OrderedDag(np.append(n, at.dag.order), np.pad(at.dag.parents, (0, 1)), at.dag.score, at.dag.work)
        return at._replace(score=self._scored(wider), dag=dag, n_hidden=at.n_hidden + 1)

    def _sets(self, at: Supposed) -> dict[Children, float]:
        """Sets that may be the children of one hidden variable, the most promising first, and what that is worth.

        They are grown from three of a clique, as a hidden variable leaves an edge between every two of its children.
        """
        p, stakes = len(self.score), Stakes(self.score.price, self.surcharge, float(self.score.n_samples))
        near = np.array(_neighbours(at.dag)[:p, :p], order="C")
        flat, begins, worths = grown_sets(at.expected, near, *at.dag.families(), stakes, self._known_among(len(at.score)))
        sets = [tuple(flat[begin:end].tolist()) for begin, end in pairwise(begins.tolist())]
        found = dict(zip(sets, worths.tolist(), strict=True))
        return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))

    def _known_among(self, n: int) -> Remembered:
        """What is remembered of sets, with room for as many variables."""
        if 2 * n > len(self.known[0].keys):
            self.known[0] = nothing_remembered(2 * n)
        return self.known[0]


@lru_cache(maxsize=16)
def _wider_names(names: tuple[str, ...], n_hidden: int) -> tuple[str, ...]:
    """The names, and others for hidden variables."""
    if not n_hidden:
        return names
    before, name = _wider_names(names, n_hidden - 1), f"hidden {n_hidden}"
    while name in before:
        name = f"{name}'"
    return (*before, name)


def _neighbours(dag: OrderedDag) -> Bools:
    return np.asarray(dag.parents | dag.parents.T)


def loadings(correlation: Floats) -> Floats:
    """How a factor bears on some variables, by principal axes: what is their own is taken off, and the first axis found again."""
    load = np.zeros(len(correlation))
    shared = np.abs(correlation - np.eye(len(correlation))).max(axis=0)
    for _ in range(_AXES):
        values, vectors = np.linalg.eigh(correlation - np.diag(1 - shared))
        load = vectors[:, -1] * np.sqrt(max(float(values[-1]), 0.0))
        shared = np.minimum(load**2, _MOST_SHARED)
    return np.asarray(np.clip(load, -(_MOST_SHARED**0.5), _MOST_SHARED**0.5))
