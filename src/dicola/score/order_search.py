"""Best orders: a DAG is an order of the variables, each with the parents that pay among those before it.

One variable at a time moves to the place where the score of all is best, until no such move is left (Andrews et al. 2023, BOSS). Then a
variable may go to before one of its parents together with its ancestors in between, a *tuck* (Lam et al. 2022, GRaSP): this leads out of
orders in which none can move alone. Parents are found by growing and shrinking. For the Gaussian BIC the work is done by
``dicola._kernels.order_search``; for any other score by the plain search below, which it is held equal to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dicola._kernels import order_search as kernel
from dicola.errors import InvalidSetting
from dicola.score.base import Score
from dicola.score.gaussian_bic import GaussianBIC
from dicola.tables.names import name_order

MAX_SWEEPS = 100
_SLICE = 64  # variables a call of the kernel, so that a long search can be stopped
_ROOM = 24  # parents that are room for at first

Order = Sequence[int] | NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Ordered:
    """An order that neither a move nor a tuck improves, and its DAG: ``parents[v, u]`` says u → v. The lower the score the better.

    ``n_searches`` counts the searches for parents that were made, each growing and shrinking once.
    """

    order: NDArray[np.int64]
    parents: NDArray[np.bool_]
    score: float
    n_searches: int


def order_search(score: Score, order: Order, max_sweeps: int = MAX_SWEEPS) -> Ordered:
    """Improve an order of all variables, positions in the score, until neither a move of one variable nor a tuck makes it better.

    Each sweep takes the variables by position; among equally good places a variable takes the nearest earlier one, else the nearest
    later one. A sweep of tucks follows where none has moved. At most ``max_sweeps`` are made of both; a search that needs more is
    answered as it stands.
    """
    begin = np.array(order, dtype=np.int64)
    if not np.array_equal(np.sort(begin), np.arange(len(score))):
        raise InvalidSetting(f"an order of {len(score)} variables names each position once; got {begin.tolist()}.")
    if not isinstance(score, GaussianBIC):
        return plain_order_search(score, begin, max_sweeps)
    room = _ROOM
    while (found := _searched_within(room, score, begin, max_sweeps)) is None:
        room *= 2
    return found


def best_of(score: Score, n_starts: int = 3, seed: int = 0, names: Sequence[str] | None = None) -> Ordered:
    """The best of some searches from random orders, the first of equals.

    All works in the order of the names (default: those of the score), from which the start orders are drawn, so that permuted columns
    give the same graph.
    """
    if n_starts < 1:
        raise InvalidSetting(f"n_starts is {n_starts!r}; it must be a whole number from 1 on.")
    labels = np.array(name_order(score.names if names is None else names), dtype=np.int64)
    sorted_score = score.among(labels.tolist())
    random = np.random.default_rng(seed)
    found = [order_search(sorted_score, random.permutation(len(labels))) for _ in range(n_starts)]
    best = min(found, key=lambda each: each.score)
    parents = np.zeros_like(best.parents)
    parents[np.ix_(labels, labels)] = best.parents
    return Ordered(labels[best.order], parents, best.score, sum(each.n_searches for each in found))


def _searched_within(room: int, score: GaussianBIC, begin: NDArray[np.int64], max_sweeps: int) -> Ordered | None:
    """The search with room for fewer parents than ``room`` a variable; ``None`` where some variable asked for more."""
    p, order = len(begin), begin.copy()
    correlation = np.array(score.correlation, dtype=np.float64)  # writeable, as all others, so that one kind of array is compiled for
    parents, counts, scores = np.zeros((p, room), np.int64), np.zeros(p, np.int64), np.zeros(p)
    trails = np.zeros((p, room, room)), np.zeros((p, 3, room)), np.zeros((p, room), np.int64), np.zeros(p, np.int64)
    state = (correlation, float(score.n_samples), score.price, order, *trails, parents, counts, scores)
    keys = np.random.default_rng(0).integers(1, 2**63, p, dtype=np.uint64)
    with_memory = (*state, keys, np.zeros((p, p), np.uint64), np.full((p, p), np.nan))
    if not kernel.start(*state):
        return None
    n_searches, moved = p, True
    for _ in range(max_sweeps):
        alone, moved = moved, False  # after a sweep in which none has moved alone it is the turn of the tucks
        for first in range(0, p, _SLICE):
            last = min(first + _SLICE, p)
            moves, searches, fits = kernel.sweep(first, last, *with_memory) if alone else kernel.tuck(first, last, *state)
            if not fits:
                return None
            moved |= moves > 0
            n_searches += searches
        if not moved and not alone:
            break
    matrix = np.zeros((p, p), np.bool_)
    for v in range(p):
        matrix[v, parents[v, : counts[v]]] = True
    return Ordered(order, matrix, float(scores.sum()), n_searches)


def plain_order_search(score: Score, begin: Order, max_sweeps: int = MAX_SWEEPS) -> Ordered:
    """``order_search`` by the definition, for any score: every order that a move leads to is scored."""
    known: dict[tuple[int, frozenset[int]], tuple[list[int], float]] = {}

    def parents_of(v: int, before: list[int]) -> tuple[list[int], float]:
        key = v, frozenset(before)
        if key not in known:
            known[key] = grow_and_shrink(score, v, sorted(before))
        return known[key]

    def total(order: list[int]) -> float:
        return sum(parents_of(v, order[:k])[1] for k, v in enumerate(order))

    def moved_alone(order: list[int], v: int) -> list[int]:
        place, others, best = order.index(v), [w for w in order if w != v], total(order)
        for k in (*range(place - 1, -1, -1), *range(place + 1, len(order))):
            other = [*others[:k], v, *others[k:]]
            if (value := total(other)) < best - kernel.GAIN:
                order, best = other, value
        return order

    def tucked(order: list[int], v: int) -> list[int]:
        for u in parents_of(v, order[: order.index(v)])[0]:
            begin, end = order.index(u), order.index(v) + 1
            along = {v}
            for w in reversed(order[begin + 1 : end]):
                if w in along:
                    along.update(parents_of(w, order[: order.index(w)])[0])
            between = order[begin:end]
            front = [w for w in between[1:] if w in along]
            other = [*order[:begin], *front, *(w for w in between if w not in front), *order[end:]]
            if total(other) < total(order) - kernel.GAIN:
                return tucked(other, v)
        return order

    order, p, moved = [int(v) for v in begin], len(begin), True
    for _ in range(max_sweeps):
        alone, before = moved, order
        for v in range(p):
            order = moved_alone(order, v) if alone else tucked(order, v)
        moved = order != before
        if not moved and not alone:
            break
    matrix = np.zeros((p, p), np.bool_)
    for k, v in enumerate(order):
        matrix[v, parents_of(v, order[:k])[0]] = True
    return Ordered(np.array(order, dtype=np.int64), matrix, total(order), len(known))


def grow_and_shrink(score: Score, v: int, candidates: Sequence[int]) -> tuple[list[int], float]:
    """Parents of v among the candidates, and its part of the score: add the best while it pays, then drop the least missed likewise."""
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
