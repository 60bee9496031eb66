"""A climb over ancestral graphs by changes of one edge, with two-move lookahead.

``mag_state`` says what a move is and what it is worth, ``mag_ancestors`` whether it may be made.
"""

from __future__ import annotations

import numpy as np

from dicola._kernels.arrays import Bools, Ints
from dicola._kernels.compiled import inlined, kernel, lean
from dicola._kernels.mag_ancestors import find_ancestors, forget_ancestors, is_valid, renew_ancestors
from dicola._kernels.mag_state import (
    FITS,
    KIND,
    LAST,
    MOVES,
    NEXT,
    PASSES,
    PLAIN,
    READY,
    SPENT,
    A,
    B,
    State,
    Task,
    added_surcharge,
    make,
    refresh,
    set_up,
    worth,
)
from dicola._kernels.scored_districts import AnyRoom
from dicola._kernels.stopping import heed

# a single move, and a pair of moves, must change the score by less than this
GREEDY, PAIRED = -0.01, -0.05
FREE = 0.01  # moves that change it by less are free


@inlined
def _best_single(state: State) -> int:
    """The best move if it pays by itself, as 4 pair + kind; -1 where none does."""
    best, chosen = GREEDY, -1
    for pair in range(len(state.pairs)):
        for kind in range(4):
            if state.delta[pair, kind] < best and is_valid(state, state.ancestors[0], pair, kind):
                best, chosen = state.delta[pair, kind], 4 * pair + kind
    return chosen


@inlined
def _remember(state: State, task: Task, pair: int, kind: int, value: float) -> None:
    """Remember how far the graph after a move is from the one that the climb stands at.

    Two graphs with the same score are taken for Markov equivalent, whatever their surcharges.
    """
    plain = state.gaps[PLAIN] + value - added_surcharge(state, task, pair, kind)
    if abs(plain) >= FREE and state.gaps[SPENT] + value < state.gaps[NEXT]:
        state.gaps[NEXT] = state.gaps[SPENT] + value


@inlined
def _of_interest(state: State, best: float) -> float:
    """Below which the worth of a next move matters: it is better than the best so far, or is remembered."""
    return best if state.gaps[SPENT] == np.inf else max(best, state.gaps[NEXT] - state.gaps[SPENT])


@inlined
def _next_best(state: State, task: Task, room: AnyRoom) -> None:
    """Remember the best graph of another class that one move leads to as well."""
    state.gaps[SPENT] = state.gaps[PLAIN] = 0.0
    for pair in range(len(state.pairs)):
        for kind in range(4):
            if state.delta[pair, kind] < state.gaps[NEXT] and is_valid(state, state.ancestors[0], pair, kind):
                _remember(state, task, pair, kind, worth(state, task, room, pair, kind, state.gaps[NEXT]))


@lean
def _best_near(state: State, task: Task, room: AnyRoom, near: Ints, last: int, limit: float, ancestors: Bools) -> int:
    """After moves that are only tried: the best at some vertices that is worth less than the limit.

    It is -1 where none is. The pair of the ``last`` move is left out. To ask whether a move may be
    made costs less than to fit a district.
    """
    best, chosen = limit, -1
    for v in near:
        for at in range(state.starts[v], state.starts[v + 1]):
            pair = state.incident[at]
            for kind in range(4):
                if pair == last or kind == state.pairs[pair, KIND] or not is_valid(state, ancestors, pair, kind):
                    continue
                value = worth(state, task, room, pair, kind, _of_interest(state, best))
                _remember(state, task, pair, kind, value)
                if value < best:  # never where the rows are too few for a likelihood, and it is no number
                    best, chosen = value, 4 * pair + kind
    return chosen


@inlined
def _after_free(state: State, task: Task, room: AnyRoom, changed: Ints, near: int, first: int, limit: float) -> tuple[int, int]:
    """After a first move that is free: make a second free one near it, such that a third pays.

    Answers the third (-1: none), and where its vertices begin. Free moves lead to graphs that the
    data cannot tell apart, and an edge that is not needed may be seen from another of them only.
    """
    for i in range(near):
        v = changed[i]
        for at in range(state.starts[v], state.starts[v + 1]):
            pair = state.incident[at]
            old = state.pairs[pair, KIND]
            for kind in range(4):
                if pair == first or kind == old:
                    continue
                value = worth(state, task, room, pair, kind, FREE)
                if abs(value) >= FREE or not is_valid(state, state.ancestors[1], pair, kind):
                    continue
                beyond = near + make(state, task, room, pair, kind, changed[near:])
                find_ancestors(state, state.ancestors[2])
                third = _best_near(state, task, room, changed[near:beyond], pair, limit - value, state.ancestors[2])
                if third >= 0:
                    return third, beyond
                make(state, task, room, pair, old, changed[near:])
    return -1, near


@inlined
def _by_worth(state: State, threshold: float) -> tuple[Ints, int]:
    """First moves not tried yet that cost less than the threshold, the best first; and how many.

    A move is 4 pair + kind.
    """
    moves, room = np.empty(4 * len(state.pairs), np.int64), np.empty(4 * len(state.pairs), np.int64)
    count = 0
    for pair in range(len(state.pairs)):
        for kind in range(4):
            if state.delta[pair, kind] < threshold and not state.tried[pair, kind]:
                moves[count] = 4 * pair + kind
                count += 1
    width = 1
    while width < count:  # merge sort: equal ones keep their order
        for begin in range(0, count, 2 * width):
            middle, end = min(begin + width, count), min(begin + 2 * width, count)
            i, j = begin, middle
            for at in range(begin, end):
                if i < middle and (j >= end or state.delta[moves[i] >> 2, moves[i] & 3] <= state.delta[moves[j] >> 2, moves[j] & 3]):
                    room[at] = moves[i]
                    i += 1
                else:
                    room[at] = moves[j]
                    j += 1
        moves, room = room, moves
        width *= 2
    return moves, count


@kernel
def climb(state: State, task: Task, room: AnyRoom, budget: int, max_passes: int) -> bool:
    """Go on climbing until no move and no pair of moves pays; was this end reached?

    If not, ``budget`` scores were fitted. Where it stands is in the state (the graph, and what was
    tried): called again it goes on as if it had not stopped.
    """
    # at first every vertex, later those of the districts that a move touched
    changed = np.arange(6 * len(state.value))
    ends, rows = np.zeros(2, np.int64), np.zeros(len(state.value), np.int64)
    count = 0
    stop = state.counts[FITS] + budget
    if state.counts[READY] == 0:
        set_up(state, task, room)
        count = len(state.value)
        state.counts[LAST] = 1  # nothing is tried yet
    while True:
        if count:
            find_ancestors(state, state.ancestors[0])
            state.ancestors[1] = state.ancestors[0]
            refresh(state, task, room, changed, count, max(task.threshold, GREEDY))
            state.counts[READY] = 1
            count = 0
        heed(0)
        move = _best_single(state)
        if move >= 0:
            count = make(state, task, room, move >> 2, move & 3, changed[0:])
            state.counts[MOVES] += 1
            continue
        if state.counts[PASSES] >= max_passes:
            _next_best(state, task, room)
            return True
        moves, n_moves = _by_worth(state, task.threshold)
        for i in range(n_moves):
            if state.counts[FITS] >= stop:
                return False
            pair, kind = moves[i] >> 2, moves[i] & 3
            if i & 15 == 15:
                heed(0)
            if not is_valid(state, state.ancestors[0], pair, kind):
                continue
            old, first = state.pairs[pair, KIND], state.delta[pair, kind]
            state.gaps[SPENT], state.gaps[PLAIN] = first, first - added_surcharge(state, task, pair, kind)
            near = make(state, task, room, pair, kind, changed[0:])
            steps = 2
            ends[A], ends[B] = state.pairs[pair, A], state.pairs[pair, B]
            n_rows = renew_ancestors(state, pair, rows)
            move = _best_near(state, task, room, ends, pair, PAIRED - first, state.ancestors[1])
            if move < 0 and abs(first) < FREE and task.third < np.inf:
                state.gaps[SPENT] = np.inf  # graphs further off are not remembered
                move, near = _after_free(state, task, room, changed, near, pair, -task.third - first)
                steps = 3
            if move >= 0:
                count = near + make(state, task, room, move >> 2, move & 3, changed[near:])
                state.counts[MOVES] += steps
                break
            make(state, task, room, pair, old, changed[0:])
            forget_ancestors(state, rows, n_rows)
            state.tried[pair, kind] = True
        if count:
            state.counts[PASSES] += 1
            state.counts[LAST] = 0
        elif state.counts[LAST]:
            _next_best(state, task, room)
            return True
        else:  # once more from the start, without marks
            state.counts[LAST] = 1
            state.gaps[NEXT] = np.inf
            state.tried[:] = False


@kernel
def weigh_moves(state: State, task: Task, room: AnyRoom) -> None:
    """Fill ``delta``: what each move from the graph is worth; infinite for those that may not be made."""
    n = len(state.value)
    set_up(state, task, room)
    find_ancestors(state, state.ancestors[0])
    refresh(state, task, room, np.arange(n), n, np.inf)
    for pair in range(len(state.pairs)):
        for kind in range(4):
            if state.delta[pair, kind] < np.inf and not is_valid(state, state.ancestors[0], pair, kind):
                state.delta[pair, kind] = np.inf
