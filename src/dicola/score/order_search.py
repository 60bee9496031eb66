"""Best orders: a DAG is an order of the variables, each with the parents that pay among those before it.

One variable at a time moves to the place where the score of all is best, until no such move is left (Andrews et al. 2023, BOSS). Parents
are found by growing and shrinking. The work is done by ``dicola._kernels.order_search``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dicola._kernels import order_search as kernel
from dicola.data import name_order
from dicola.errors import InvalidSetting

MAX_SWEEPS = 100
_SLICE = 64  # variables a call of the kernel, so that a long search can be stopped
_ROOM = 24  # parents that are room for at first

Order = Sequence[int] | NDArray[np.int64]


class Correlated(Protocol):
    """A score that needs the correlation matrix only: ``n ln(residual variance)`` and ``penalty · ln n`` a parent."""

    correlation: NDArray[np.float64]
    n_samples: int
    penalty: float


@dataclass(frozen=True, eq=False)
class Ordered:
    """An order no single move improves, and its DAG: ``parents[v, u]`` says u → v. The lower the score the better.

    ``n_searches`` counts the searches for parents that were made, each growing and shrinking once.
    """

    order: NDArray[np.int64]
    parents: NDArray[np.bool_]
    score: float
    n_searches: int


def order_search(score: Correlated, order: Order, max_sweeps: int = MAX_SWEEPS) -> Ordered:
    """Improve an order of all variables, positions in the score, until no move of one variable makes it better.

    Each sweep takes the variables by position; among equally good places a variable takes the nearest earlier one, else the nearest
    later one. At most ``max_sweeps`` are made; a search that needs more is answered as it stands.
    """
    begin = np.array(order, dtype=np.int64)
    if not np.array_equal(np.sort(begin), np.arange(len(score.correlation))):
        raise InvalidSetting(f"an order of {len(score.correlation)} variables names each position once; got {begin.tolist()}.")
    return _searched(score.correlation, score.n_samples, score.penalty, begin, max_sweeps)


def best_of(score: Correlated, n_starts: int, seed: int, names: Sequence[str]) -> Ordered:
    """The best of some searches from random orders, the first of equals.

    All works in the order of the names, from which the start orders are drawn, so that permuted columns give the same graph.
    """
    if n_starts < 1:
        raise InvalidSetting(f"n_starts is {n_starts!r}; it must be a whole number from 1 on.")
    labels = np.array(name_order(names), dtype=np.int64)
    correlation = np.ascontiguousarray(score.correlation[np.ix_(labels, labels)])
    random = np.random.default_rng(seed)
    found = [_searched(correlation, score.n_samples, score.penalty, random.permutation(len(labels)), MAX_SWEEPS) for _ in range(n_starts)]
    best = min(found, key=lambda each: each.score)
    parents = np.zeros_like(best.parents)
    parents[np.ix_(labels, labels)] = best.parents
    return Ordered(labels[best.order], parents, best.score, sum(each.n_searches for each in found))


def _searched(correlation: NDArray[np.float64], n_samples: int, factor: float, begin: NDArray[np.int64], max_sweeps: int) -> Ordered:
    room = _ROOM
    while (answer := _searched_within(room, correlation, n_samples, factor, begin, max_sweeps)) is None:
        room *= 2
    return answer


def _searched_within(
    room: int, correlation: NDArray[np.float64], n_samples: int, factor: float, begin: NDArray[np.int64], max_sweeps: int
) -> Ordered | None:
    """The search with room for fewer parents than ``room`` a variable; ``None`` where some variable asked for more."""
    p = len(begin)
    order, n, penalty = begin.copy(), float(n_samples), factor * log(n_samples)
    parents, counts, scores = np.zeros((p, room), np.int64), np.zeros(p, np.int64), np.zeros(p)
    trails = np.zeros((p, room, room)), np.zeros((p, 3, room)), np.zeros((p, room), np.int64), np.zeros(p, np.int64)
    state = (order, *trails, parents, counts, scores)
    keys = np.random.default_rng(0).integers(1, 2**63, p, dtype=np.uint64)
    memory = (keys, np.zeros((p, p), np.uint64), np.full((p, p), np.nan))
    whole = np.array(correlation, dtype=np.float64)  # writeable and contiguous, so that the kernel is compiled for one kind of array
    if not kernel.start(whole, n, penalty, *state):
        return None
    n_searches = p
    for _ in range(max_sweeps):
        moved = 0
        for first in range(0, p, _SLICE):
            moves, searches, fits = kernel.sweep(whole, n, penalty, first, min(first + _SLICE, p), *state, *memory)
            if not fits:
                return None
            moved += moves
            n_searches += searches
        if not moved:
            break
    matrix = np.zeros((p, p), np.bool_)
    for v in range(p):
        matrix[v, parents[v, : counts[v]]] = True
    return Ordered(order, matrix, float(scores.sum()), n_searches)
