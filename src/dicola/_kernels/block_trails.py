"""What searches for the parents of blocks keep, and the arrays that they work in; ``block_parents`` says how they go."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dicola._kernels.arrays import Bools, Floats, Ints
from dicola._kernels.block_algebra import widest
from dicola._kernels.compiled import inner
from dicola._kernels.terms import BlockTerms

MOST_NODES = 1 << 19  # trees with more are begun anew, and get more where these do not hold one order
_LARGE = 1 << 20  # numbers that are kept, of the steps of a walk, so that the next one can begin halfway
UNKNOWN = -1


class BlockTrails(NamedTuple):
    """Trails with the parents and the score that come of them, by place as in ``parent_search``; and the trees that they lie in."""

    taken: Ints  # the variables taken, one after the other
    nodes: Ints  # [k]: the node before the k-th step
    lengths: Ints
    parents: Ints
    counts: Ints
    scores: Floats
    roots: Ints  # by variable: the node with nothing taken
    begins: Ints  # by node: where its offers begin
    ends: Ints
    offers: Ints  # variables
    leads: Ints  # the node that taking the offer leads to
    kept: Ints  # by node: where the parents begin that are left of the variables taken, and where they end
    kept_ends: Ints
    values: Floats  # by node: the score with these parents
    listed: Ints  # parents
    used: Ints  # how much of ``begins``, ``offers`` and ``listed`` is used


NODES, OFFERS, LISTED = 0, 1, 2  # of ``BlockTrails.used``
LOWER, INVERSE = 0, 1  # of ``BlockRoom.square``
VARIABLE, DEPTH = 0, 1  # of ``BlockRoom.here``


class BlockRoom(NamedTuple):
    """Arrays to work in. The columns of all candidates lie side by side.

    What is left after each step of a walk is kept, as far as there is room: step k is in slot k, or in the last one.
    """

    here: Ints  # whose walk it is, and how many steps of it were made
    path: Ints  # the variables taken by these, and how many columns were taken before each
    columns_before: Ints
    rows: Floats  # the part of every column of the candidates along each column taken
    starts: Ints  # by variable: where its columns begin in ``rows``; -1: it is no candidate
    columns: Ints  # which columns they are
    own: Floats  # [slot, d, x]: what is left of the covariance of column x with the d-th before it, of the same candidate
    across: Floats  # [slot, c, x]: and of that with the c-th column of v
    left: Floats  # [slot]: of the covariance of v
    lower: Floats  # its factor, inverses on its diagonal
    parts_of: Floats  # [c, x]: the part of column x along the c-th column left of v, once these are unrelated
    told: Floats  # [x]: the sum of their squares
    gains: Floats  # of the offers of a node
    inside: Bools  # by variable: is it in the pool, or taken?
    work: Floats
    rest: Floats  # what some parents leave of the covariance of v
    square: Floats  # the factor of the columns of the parents, and its inverse
    parts: Floats  # the parts of v along them


def make_block_trails(n: int, room: int, most_nodes: int = MOST_NODES) -> BlockTrails:
    """Trails for n variables, each of fewer than ``room`` others, and trees of so many nodes as mostly go with that, or the most."""
    places, longest = n + 1, min(room, n + 1)
    nodes = max(min(2 * n * room, most_nodes), 4 * longest)
    return BlockTrails(
        taken=np.zeros((places, longest), np.int64),
        nodes=np.zeros((places, longest + 1), np.int64),
        lengths=np.zeros(places, np.int64),
        parents=np.zeros((places, longest), np.int64),
        counts=np.zeros(places, np.int64),
        scores=np.zeros(places),
        roots=np.full(n, UNKNOWN),
        begins=np.full(nodes, UNKNOWN),
        ends=np.zeros(nodes, np.int64),
        offers=np.zeros(6 * nodes + n * n, np.int64),
        leads=np.full(6 * nodes + n * n, UNKNOWN),
        kept=np.full(nodes, UNKNOWN),
        kept_ends=np.zeros(nodes, np.int64),
        values=np.zeros(nodes),
        listed=np.zeros(4 * nodes, np.int64),
        used=np.zeros(3, np.int64),
    )


@inner
def make_block_room(terms: BlockTerms, trails: BlockTrails) -> BlockRoom:
    """Room for searches that leave such trails."""
    n, w, longest, total = len(terms.begins) - 1, widest(terms.begins), trails.taken.shape[1], len(terms.covariance)
    columns, slots = longest * w, max(2, min(longest, _LARGE // (2 * w * total)))
    here = np.full(2, UNKNOWN)
    return BlockRoom(
        here,
        np.empty(longest, np.int64),
        np.empty(longest + 1, np.int64),
        np.empty((columns, total)),
        np.empty(n, np.int64),
        np.empty(total, np.int64),
        np.empty((slots, w, total)),
        np.empty((slots, w, total)),
        np.empty((slots, w, w)),
        np.empty((w, w)),
        np.empty((w, total)),
        np.empty(total),
        np.empty(n),
        np.zeros(n, np.bool_),
        np.empty((6, w, w)),
        np.empty((w, w)),
        np.empty((2, columns, columns)),
        np.empty((columns, w)),
    )
