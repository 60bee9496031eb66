"""Best orders: a DAG is an order of the variables, each with the parents before it that pay.

One variable at a time moves to the place where the score of all is best, until no such move is left
(Andrews et al. 2023, BOSS). Then a variable may go to before one of its parents together with its
ancestors in between, a *tuck* (Lam et al. 2022, GRaSP): this leads out of orders in which none can
move alone. Parents are found by growing and shrinking. Where a score has terms for
``dicola._kernels.order_search``, the work is done there; for any other score by the plain search
below, which the kernel is held equal to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola._kernels import order_search as kernel
from dicola._kernels.block_trails import MOST_NODES, BlockTrails, make_block_trails
from dicola._kernels.parent_search import make_trails
from dicola._kernels.scored_parents import AnyTerms, AnyTrails
from dicola._kernels.terms import BlockTerms
from dicola.checkpoint import Checkpoint
from dicola.errors import InvalidSetting
from dicola.score.base import OrderedDag, Score, to_precision
from dicola.tables.names import name_order

MAX_SWEEPS = 100
_SLICE = 64  # variables a call of the kernel, so that a long search can be stopped
_ROOM = 24  # parents that are room for at first
_FEW = 100  # variables up to which few scores are remembered, of those that may move

Order = Sequence[int] | NDArray[np.int64]


@dataclass
class Grown:
    """What the searches for parents have worked out, for the next search over orders with the same score and bars."""

    trails: AnyTrails | None = None
    room: int = 0
    most_nodes: int = field(default_factory=lambda: MOST_NODES)


def order_search(
    score: Score,
    order: Order,
    max_sweeps: int = MAX_SWEEPS,
    bars: NDArray[np.bool_] | None = None,
    movable: Order | None = None,
    grown: Grown | None = None,
) -> OrderedDag:
    """Improve an order until neither a move of one variable nor a tuck makes it better.

    Each sweep takes the variables by position; among equally good places a variable takes the
    nearest earlier one, else the nearest later one. Once some have moved, the next sweep looks at
    those near a variable with other parents, as long as one moves; then all are looked at again.
    A sweep of tucks follows where none of all has moved.

    Parameters
    ----------
    score : Score
        Any score. One with ``kernel_terms`` is searched by a kernel, any other in plain Python.
    order : sequence of int
        All variables, as positions in the score.
    max_sweeps : int
        How many sweeps are made at most, of moves and tucks together; a search that needs more is
        answered as it stands.
    bars : matrix of bool, optional
        ``bars[u, v]``: u is no parent of v, wherever the two stand in the order.
    movable : sequence of int, optional
        The variables that may move, and with them those near a change; by default all. An order that
        was the best one before a variable changed is searched again around that one.
    grown : Grown, optional
        What searches before have worked out; this one adds to it. The answer is the same.

    Returns
    -------
    OrderedDag
        The order reached, and its DAG. The lower its score the better.

    Raises
    ------
    InvalidSetting
        The order does not name each position once.

    """
    begin = np.array(order, dtype=np.int64)
    if not np.array_equal(np.sort(begin), np.arange(len(score))):
        raise InvalidSetting(f"an order of {len(score)} variables names each position once; got {begin.tolist()}.")
    terms = score.kernel_terms()
    if terms is None:
        return plain_order_search(score, begin, max_sweeps, bars, movable)
    if bars is not None:
        by_child = np.array(np.asarray(bars, dtype=np.bool_).T, order="C")
        by_child.setflags(write=False)
        terms = terms._replace(bars=by_child)
    return _searched(terms, begin, max_sweeps, _Turn.first(len(begin), movable), Grown() if grown is None else grown)


def kept_search(
    score: Score, order: Order, bars: NDArray[np.bool_] | None, kept: Checkpoint | None, name: str, grown: Grown | None = None
) -> OrderedDag:
    """An order search, or what came of it where that is kept under the name."""
    known = None if kept is None else kept.get(name, lambda facts: OrderedDag.of(**facts))
    if known is not None and np.array_equal(np.sort(known.order), np.arange(len(score))):
        return known
    found = order_search(score, order, bars=bars, grown=grown)
    if kept is not None:
        parents = [np.flatnonzero(row).tolist() for row in found.parents]
        kept.put(name, {"order": found.order.tolist(), "parents": parents, "score": float(found.score), "work": int(found.work)})
    return found


def best_of(
    score: Score,
    n_starts: int = 3,
    seed: int = 0,
    bars: NDArray[np.bool_] | None = None,
    kept: Checkpoint | None = None,
    before: OrderedDag | None = None,
    alike: int = 3,
) -> OrderedDag:
    """The best of some searches from random orders, the first of equals; once some end alike, and none better, they are all.

    All works in the order of the names, from which the start orders are drawn, so that permuted
    columns give the same graph.

    Parameters
    ----------
    score : Score
        Any score.
    n_starts : int
        How many random orders to start from.
    seed : int
        Of the random orders.
    bars : matrix of bool, optional
        ``bars[u, v]``: u is no parent of v.
    kept : Checkpoint, optional
        Where what comes of each start is kept, and read from where it stands there.
    before : OrderedDag, optional
        What a search before these has ended with, to which they may come as well.
    alike : int
        How many that end alike are enough.

    Returns
    -------
    OrderedDag
        The best order and its DAG, with the searches that all starts took.

    Raises
    ------
    InvalidSetting
        There is no start to make.

    """
    if n_starts < 1:
        raise InvalidSetting(f"n_starts is {n_starts!r}; it must be a whole number from 1 on.")
    labels = np.array(name_order(score.names), dtype=np.int64)
    sorted_score = score.among(labels.tolist())
    random = np.random.default_rng(seed)
    sorted_bars = None if bars is None else bars[np.ix_(labels, labels)]
    starts = [random.permutation(len(labels)) for _ in range(n_starts)]
    found, grown = list[OrderedDag](), Grown()
    scores = [] if before is None else [to_precision(before.score)]
    for number, start in enumerate(starts):
        found.append(kept_search(sorted_score, start, sorted_bars, kept, f"start-{number}", grown))
        scores.append(to_precision(found[-1].score))
        if scores.count(min(scores)) == alike:  # others hardly ever find a better one
            break
    best = min(found, key=lambda each: to_precision(each.score))
    place = np.argsort(labels)
    return OrderedDag(labels[best.order], best.parents[np.ix_(place, place)], best.score, sum(each.work for each in found))


def _searched(terms: AnyTerms, begin: NDArray[np.int64], max_sweeps: int, turn: _Turn, grown: Grown) -> OrderedDag:
    """The search by kernels. Trails that outgrow their room get more, and the search goes on where it stood."""
    p, order = len(begin), begin.copy()
    if grown.trails is None:
        grown.room = _ROOM
        grown.trails = _trails(terms, p, grown)
    trails = grown.trails
    if not kernel.start(terms, trails, order):
        trails = _enlarged(terms, grown, order)
    memory, n_searches = _memory(p, len(turn.everyone), np.ascontiguousarray(terms.bars.T)), p
    for _ in range(max_sweeps):
        parents, counts, moved = trails.parents.copy(), trails.counts.copy(), False
        left, stands = turn.which, False
        while len(left):
            which = left[:_SLICE]
            tally = (kernel.tuck if turn.tucks else kernel.sweep)(terms, trails, memory, order, which)
            moved |= tally.moves > 0
            n_searches += tally.searches
            left = left[tally.done :]
            if tally.done < len(which):
                stood, stands = stands, not (tally.done or tally.moves)
                trails = _enlarged(terms, grown, order, stood and stands)
        if turn.tucks and not moved:
            break
        turn = turn.next(kernel.near_changes(trails, parents, counts) if moved else None)
    are_parents = np.arange(trails.parents.shape[1]) < trails.counts[:p, None]
    found = np.zeros((p, p), np.bool_)
    found[np.nonzero(are_parents)[0], trails.parents[:p][are_parents]] = True
    return OrderedDag(order, found, float(trails.scores[:p].sum()), n_searches)


def _trails(terms: AnyTerms, p: int, grown: Grown) -> AnyTrails:
    return make_block_trails(p, grown.room, grown.most_nodes) if isinstance(terms, BlockTerms) else make_trails(p, grown.room)


def _enlarged(terms: AnyTerms, grown: Grown, order: NDArray[np.int64], stands: bool = False) -> AnyTrails:
    """Trails of an order with twice the room: the same ones go on, or where their trees have grown large, trees are begun anew.

    These get more nodes where they do not hold the order, or where the search ``stands``: its next step has outgrown them twice.
    """
    p, old = len(order), grown.trails
    if isinstance(old, BlockTrails) and len(old.begins) >= grown.most_nodes:
        old = None
        grown.most_nodes *= 2 if stands else 1
    while True:
        grown.room, grown.trails = 2 * grown.room, None
        larger = _trails(terms, p, grown)
        for before, now in zip(old or (), larger, strict=False):
            now[tuple(map(slice, before.shape))] = before
        if kernel.start(terms, larger, order):
            grown.trails = larger
            return larger
        if isinstance(larger, BlockTrails) and len(larger.begins) >= grown.most_nodes:
            grown.most_nodes *= 2
        old = None


def _memory(p: int, movable: int, barred: NDArray[np.bool_]) -> kernel.Memory:
    """A memory with nothing in it but what is barred."""
    size = 1 << (13 if movable <= _FEW else 18)
    return kernel.Memory(
        barred=barred,
        keys=_keys(p),
        known=np.zeros((p, p), np.uint64),
        own=np.empty((p, p)),
        calm=np.zeros((p, p), np.int32),
        trail=np.ones(p, np.int32),
        tried=np.zeros(size, np.uint64),
        scores=np.empty(size),
        looked=np.full(p, -1, np.int64),
        moves=np.zeros(1, np.int64),
    )


@lru_cache(maxsize=16)
def _keys(p: int) -> NDArray[np.uint64]:
    """Random numbers, two per variable, the same every time."""
    return np.random.default_rng(0).integers(1, 2**63, 2 * p, dtype=np.uint64)


class _Turn(NamedTuple):
    """Whose turn it is: everyone who may move, or those near a change; to move alone, or to tuck."""

    which: NDArray[np.int64]
    everyone: NDArray[np.int64]
    tucks: bool

    @classmethod
    def first(cls, p: int, movable: Order | None) -> _Turn:
        """All that may move, alone."""
        everyone = np.arange(p) if movable is None else np.array(movable, dtype=np.int64)
        return cls(everyone, everyone, False)

    def next(self, near: NDArray[np.int64] | None) -> _Turn:
        """The turn of those near what changed; of all where nothing moved, to tuck where it was all that did not."""
        if near is None:
            return self._replace(which=self.everyone, tucks=len(self.which) == len(self.everyone))
        # a move may leave all parents as they are
        return self._replace(which=near if len(near) else self.everyone, tucks=False)


def plain_order_search(
    score: Score, begin: Order, max_sweeps: int = MAX_SWEEPS, bars: NDArray[np.bool_] | None = None, movable: Order | None = None
) -> OrderedDag:
    """``order_search`` by the definition: every order that a move leads to is scored."""

    @cache
    def found(v: int, before: frozenset[int]) -> tuple[list[int], float]:
        return grow_and_shrink(score, v, [u for u in sorted(before) if bars is None or not bars[u, v]])

    def parents_of(order: list[int], v: int) -> list[int]:
        return found(v, frozenset(order[: order.index(v)]))[0]

    def total(order: list[int]) -> float:
        return sum(found(v, frozenset(order[:k]))[1] for k, v in enumerate(order))

    def moved_alone(order: list[int], v: int) -> list[int]:
        place, others, best = order.index(v), [w for w in order if w != v], total(order)
        for k in (*range(place - 1, -1, -1), *range(place + 1, len(order))):
            other = [*others[:k], v, *others[k:]]
            if (value := total(other)) < best - kernel.GAIN:
                order, best = other, value
        return order

    def tucked(order: list[int], v: int) -> list[int]:
        for u in parents_of(order, v):
            begin, end = order.index(u), order.index(v) + 1
            along = {v}
            for w in reversed(order[begin + 1 : end]):
                if w in along:
                    along.update(parents_of(order, w))
            other = [*order[:begin], *sorted(order[begin:end], key=lambda w: w == u or w not in along), *order[end:]]
            if total(other) < total(order) - kernel.GAIN:
                return tucked(other, v)
        return order

    def near_changes(one: list[int], other: list[int]) -> NDArray[np.int64]:
        before, now = ([set(parents_of(order, v)) for v in range(p)] for order in (one, other))
        changed = {v for v in range(p) if before[v] != now[v]}
        around = [before[v] | now[v] for v in range(p)]
        return np.array(sorted(changed.union(*(around[v] for v in changed), (v for v in range(p) if around[v] & changed))), dtype=np.int64)

    order, p, turn = [int(v) for v in begin], len(begin), _Turn.first(len(begin), movable)
    for _ in range(max_sweeps):
        before = order
        for v in turn.which.tolist():
            order = tucked(order, v) if turn.tucks else moved_alone(order, v)
        if turn.tucks and order == before:
            break
        turn = turn.next(None if order == before else near_changes(before, order))
    return OrderedDag.of(order, [parents_of(order, v) for v in range(p)], total(order), found.cache_info().currsize)


def grow_and_shrink(score: Score, v: int, candidates: Sequence[int]) -> tuple[list[int], float]:
    """Parents of v among the candidates, and its part of the score.

    The best is added while it pays, then the least missed dropped likewise.
    """
    parents: list[int] = []
    best = score.local(v, parents)
    while left := [u for u in candidates if u not in parents]:
        value, new = min((score.local(v, [*parents, u]), u) for u in left)
        if value >= best:
            break
        parents, best = [*parents, new], value
    while parents:
        value, old = min((score.local(v, [w for w in parents if w != u]), u) for u in parents)
        if value >= best:
            break
        parents, best = [w for w in parents if w != old], value
    return parents, best
