"""Climb over ancestral graphs to a better score, one edge at a time, looking two moves ahead."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola._kernels import mag_climb, mag_state
from dicola._kernels.block_score import make_block_room
from dicola._kernels.mag_score import make_room
from dicola._kernels.scored_districts import AnyRoom, AnyTerms
from dicola._kernels.terms import BlockTerms
from dicola.graphs.mag import MAG
from dicola.graphs.marks import ARROW, NONE, TAIL
from dicola.score.base import Score
from dicola.score.law import Law
from dicola.score.readable_climb import ReadableClimb

Marks = NDArray[np.int8]
_PASSES = 1000  # pairs of moves made at most
_SLICE = 20_000  # scores fitted between two looks at the clock, or at Ctrl-C
# by kind of edge: the mark at a, and at b
_AT_A = np.array([NONE, TAIL, ARROW, ARROW], dtype=np.int8)
_AT_B = np.array([NONE, ARROW, TAIL, ARROW], dtype=np.int8)


class Known(NamedTuple):
    """Scores of districts by their keys, for the climbs on one score."""

    keys: NDArray[np.uint64]
    scores: NDArray[np.float64]

    @classmethod
    def room_for(cls, n: int) -> Known:
        """None yet, and room for as many as a climb over n variables looks at."""
        size = _table_size(n)
        return cls(np.zeros(size, dtype=np.uint64), np.zeros(size))


class Allowed(NamedTuple):
    """The graphs that a climb may meet: where edges may be added, and what all of them obey."""

    candidates: NDArray[np.bool_] | None = None
    law: Law | None = None


class Climbed(NamedTuple):
    """Where a climb ended: an ancestral graph, its score, the districts scored, the moves made.

    ``runner_up`` is by how much the best graph of another class that one move led to, or two of
    which the first was not too dear, is worse, surcharges included; infinite where there is none.
    """

    marks: Marks
    score: float
    n_fits: int
    n_moves: int
    runner_up: float


def climb(
    score: Score,
    start: MAG | Marks,
    candidates: NDArray[np.bool_] | Allowed | None = None,
    threshold: float = 6.0,
    max_district: int = 10,
    third: float | None = None,
    surcharge: float = 0.0,
    known: Known | None = None,
) -> Climbed:
    """From an ancestral graph to one that neither a move nor a pair of moves makes better.

    A move removes, adds or turns one edge and keeps the graph ancestral. Once no single move pays,
    each one that is not too dear is tried together with a second one at one of its ends.

    Parameters
    ----------
    score : Score
        Any score. One with ``kernel_terms`` is climbed by a kernel, any other in plain Python.
    start : MAG or matrix of marks
        An ancestral graph, or its marks over the variables of the score.
    candidates : matrix of bool, optional
        A symmetric matrix: edges may be added between these (``None``: everywhere), and where the
        start has one. ``Allowed`` says more: which law to obey, as the start must.
    threshold : float
        What the first of two moves may cost; below zero no two are looked at.
    max_district : int
        No districts of more variables are made.
    third : float, optional
        With it, three moves of which the first two are free are made as well where they gain that
        much. Free moves lead to graphs that the data cannot tell apart, and an edge that is not
        needed may show next to another of them.
    surcharge : float
        What a bidirected edge costs beyond the price of an edge, for this climb.
    known : Known, optional
        Scores of districts that climbs on the same score have found; this one adds its own.

    Returns
    -------
    Climbed
        Where the climb ended, with its score free of surcharges, and the work it took.

    """
    marks = start.reordered(score.names).to_matrix() if isinstance(start, MAG) else np.array(start, dtype=np.int8)
    allowed = candidates if isinstance(candidates, Allowed) else Allowed(candidates)
    ends = np.argwhere(np.triu(_free(marks, allowed), 1)).astype(np.int64)
    terms = score.kernel_terms()
    if terms is None:
        at_start = {(a, b): kind for (a, b), kind in zip(ends.tolist(), kinds_of(marks, ends).tolist(), strict=True)}
        plain = ReadableClimb(score, at_start, threshold, max_district, third, surcharge, allowed.law)
        plain.run(_PASSES)
        kinds = np.array(list(plain.kinds.values()), dtype=np.int64)
        total = plain.total() - surcharge * np.count_nonzero(kinds == mag_state.BOTH)
        return Climbed(
            marks_of(kinds, ends, len(marks)), float(total), plain.fitted.cache_info().currsize, plain.n_moves, plain.runner_up()
        )
    task = mag_state.Task(terms, max_district, threshold, np.inf if third is None else third, surcharge)
    state = _state(marks, ends, Known.room_for(len(marks)) if known is None else known, allowed.law)
    room = _room(terms, len(marks), max(max_district, _largest_district(marks)))
    while not mag_climb.climb(state, task, room, _SLICE, _PASSES):
        pass  # a look at the clock, or at Ctrl-C
    kinds = state.pairs[:, mag_state.KIND]
    total = state.value[np.unique(state.places[mag_state.ROOT])].sum()
    fits, moves = (int(state.counts[which]) for which in (mag_state.FITS, mag_state.MOVES))
    return Climbed(marks_of(kinds, ends, len(marks)), float(total), fits, moves, float(state.gaps[mag_state.NEXT]))


def weighed_moves(
    score: Score, marks: Marks, ends: NDArray[np.int64], max_district: int, surcharge: float, known: Known, law: Law | None
) -> NDArray[np.float64]:
    """By pair and kind of edge: what giving it to this pair would change in the score; infinite where that may not be.

    The arguments are those of ``climb``; ``ends`` are the pairs whose edge may change.
    """
    terms = score.kernel_terms()
    if terms is None:
        at_start = {(a, b): kind for (a, b), kind in zip(ends.tolist(), kinds_of(marks, ends).tolist(), strict=True)}
        return ReadableClimb(score, at_start, 0.0, max_district, None, surcharge, law).weighed()
    state = _state(marks, ends, known, law)
    room = _room(terms, len(marks), max(max_district, _largest_district(marks)))
    mag_climb.weigh_moves(state, mag_state.Task(terms, max_district, 0.0, np.inf, surcharge), room)
    return state.delta


def _free(marks: Marks, allowed: Allowed) -> NDArray[np.bool_]:
    """The pairs whose edge may change."""
    free = np.ones_like(marks, dtype=np.bool_) if allowed.candidates is None else (marks != NONE) | allowed.candidates
    return free if allowed.law is None else free & ~allowed.law.claims.apart


def _room(terms: AnyTerms, n: int, largest: int) -> AnyRoom:
    """Room for districts of at most ``largest`` of n variables."""
    if isinstance(terms, BlockTerms):
        return make_block_room(n, len(terms.covariance), largest, int(np.diff(terms.begins).max()))
    return make_room(n, largest)


def kinds_of(marks: Marks, ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """The kind of the edge of each pair: 0 none, 1 a -> b, 2 b -> a, 3 a <-> b."""
    at_a, at_b = marks[ends[:, 1], ends[:, 0]], marks[ends[:, 0], ends[:, 1]]
    return np.asarray((at_b == ARROW) + 2 * (at_a == ARROW), dtype=np.int64)


def marks_of(kinds: NDArray[np.int64], ends: NDArray[np.int64], n: int) -> Marks:
    """The mark matrix of a graph over n variables with edges of these kinds."""
    marks = np.zeros((n, n), dtype=np.int8)
    marks[ends[:, 1], ends[:, 0]] = _AT_A[kinds]
    marks[ends[:, 0], ends[:, 1]] = _AT_B[kinds]
    return marks


def _largest_district(marks: Marks) -> int:
    """How many vertices bidirected edges join at most."""
    districts: dict[int, list[int]] = {}
    for a, b in np.argwhere(np.triu((marks == ARROW) & (marks.T == ARROW))).tolist():
        one, other = (districts.setdefault(v, [v]) for v in (a, b))
        if one is not other:
            one += other
            districts.update(dict.fromkeys(other, one))
    return max(map(len, districts.values()), default=1)


def _table_size(n: int) -> int:
    """Scores kept at a time: a power of two. What is not touched takes no time, and a small table is touched in few places."""
    return 1 << (12 if n <= 10 else 14 if n <= 30 else 16 if n <= 100 else 20)


def _state(marks: Marks, ends: NDArray[np.int64], known: Known, law: Law | None = None) -> mag_state.State:
    n = len(marks)
    both = np.concatenate([ends[:, 0], ends[:, 1]])
    return mag_state.State(
        pairs=np.ascontiguousarray(np.column_stack([ends, kinds_of(marks, ends)])),  # of one layout, or the kernel would be compiled twice
        starts=np.cumsum(np.bincount(both + 1, minlength=n + 1)),
        incident=np.argsort(both, kind="stable") % max(1, len(ends)),
        delta=np.zeros((len(ends), 4)),
        tried=np.zeros((len(ends), 4), dtype=np.bool_),
        lists=np.zeros((3, n, n), dtype=np.int64),
        lengths=np.zeros((3, n), dtype=np.int64),
        ancestors=np.zeros((3, n, n), dtype=np.bool_),
        places=np.zeros((6, n), dtype=np.int64),
        words=np.zeros((2, n), dtype=np.uint64),
        value=np.zeros(n),
        keys=known.keys,
        scores=known.scores,
        counts=np.zeros(5, dtype=np.int64),
        gaps=np.array([np.inf, 0.0, 0.0]),
        closed=np.zeros((0, 4), dtype=np.bool_) if law is None else np.ascontiguousarray(law.closed(ends)),
        barred=np.zeros((0, 0), dtype=np.bool_) if law is None else np.ascontiguousarray(law.barred_on_paths),
        needed=np.zeros((0, 2), dtype=np.int64) if law is None else law.needed,
    )
