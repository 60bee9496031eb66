"""The descent of a decomposition: split a node, hand its graph down to both sides, go on with the next.

The readable form is ``tests/decompose/readable_descent.py``, which this follows step by step. Nodes are
numbered in the order in which they are met; a set of variables met twice is one node.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dicola._kernels.arrays import Bools, Floats, Ints, Rows, Small
from dicola._kernels.compiled import inner, kernel
from dicola._kernels.cuts import dependent_across, joined_across, sides_of
from dicola._kernels.precision import related_within
from dicola._kernels.splits import find_split, work_of
from dicola._kernels.undirected import induced, with_block

_AT_ONCE = 256  # nodes looked at in one call, so that progress is told and a user can stop it


class Growth(NamedTuple):
    """A tree being grown, as in ``dicola._kernels.tree``, with the graphs of its nodes and what it takes to go on.

    The graph of node k has the rows ``starts[begins[k] + k:begins[k + 1] + k + 1]`` into ``indices[entries[k]:]``.
    """

    begins: Ints
    members: Ints
    side: Small
    left: Ints
    right: Ints
    entries: Ints
    starts: Ints
    indices: Ints
    depth: Ints
    own_work: Floats
    latest: Ints  # by hash of a set: the latest node whose variables have it, counted from 1 (0: none)
    earlier: Ints  # by node: the one before it with the same hash
    counts: Ints
    work: Floats  # in the first place: that of the tree so far


NONE, OPEN, PROPOSED = -1, -2, -3  # left and right: there is no child; it is still to be made; the cut is still to be confirmed
KNOWN, DONE, ASKED = 0, 1, 2  # counts: nodes, nodes looked at, verdicts that the kernel gave itself
USED, TAKEN = 3, 4  # entries of ``indices``; whether the answer that was given has been used


class Rule(NamedTuple):
    """When not to split, with a number for no limit; and whether a child's graph is asked for as a whole."""

    max_depth: int
    min_leaf_size: int
    max_nodes: int
    saving: float
    max_work: float
    largest: int
    relearn: bool
    confirms: bool
    widest: int


class Correlations(NamedTuple):
    """What the kernel needs to answer itself; sets of ``len(limits)`` variables and more are asked about elsewhere.

    ``limits[k]`` is the squared critical correlation of total conditioning over k variables. ``quantiles[k]`` are those of the normal
    distribution by which a cut with up to 2^k pairs across is confirmed; without them cuts are asked about elsewhere.
    """

    matrix: Floats
    limits: Floats
    quantiles: Floats
    n_samples: int


class Request(NamedTuple):
    """Why the kernel came back: for room (an answer that is not taken yet is to be given again); to know which pairs of ``block``,
    positions in ``child``, are joined; or, with a ``side`` for each variable of ``child``, which pairs across that cut depend.

    With none of these it is done or makes a pause.
    """

    full: bool
    child: Ints
    block: Ints
    side: Small


def planted(starts: Ints, indices: Ints, largest: int) -> Growth:
    """A tree of one node, which has this graph."""
    n = len(starts) - 1
    nodes, members = 1 << (4 * n).bit_length(), 32 * n + 32
    growth = Growth(
        begins=np.zeros(nodes + 1, np.int64),
        members=np.empty(members, np.int64),
        side=np.empty(members, np.int8),
        left=np.empty(nodes, np.int64),
        right=np.empty(nodes, np.int64),
        entries=np.zeros(nodes, np.int64),
        starts=np.empty(members + nodes, np.int64),
        indices=np.empty(2 * len(indices) + 4 * members, np.int64),
        depth=np.empty(nodes, np.int64),
        own_work=np.empty(nodes),
        latest=np.zeros(nodes, np.int64),
        earlier=np.empty(nodes, np.int64),
        counts=np.zeros(5, np.int64),
        work=np.zeros(1),
    )
    _add(growth, np.arange(n), Rows(starts, indices), 0, largest)
    return growth


def is_done(growth: Growth) -> bool:
    """Has every node been looked at?"""
    return bool(growth.counts[DONE] == growth.counts[KNOWN])


def flat(growth: Growth) -> tuple[Ints, Ints, Small, Ints, Ints]:
    """The arrays of the tree as ``dicola._kernels.tree`` takes them, without the room to grow."""
    n = growth.counts[KNOWN]
    end = growth.begins[n]
    begins, members, side = growth.begins[: n + 1].copy(), growth.members[:end].copy(), growth.side[:end].copy()
    return begins, members, side, growth.left[:n].copy(), growth.right[:n].copy()


def roomier(growth: Growth) -> Growth:
    """The same tree with twice the room.

    Nothing is hashed anew: to whichever half of the table one more bit of its hash leads a set, it finds
    there all nodes that it found before.
    """
    doubled: list[Any] = [np.concatenate((part, part)) for part in growth]
    return Growth(*doubled)


@kernel
def grow(growth: Growth, rule: Rule, correlations: Correlations, answer: Bools) -> Request:
    """Split node after node until all are done or something is needed.

    ``answer`` is the answer to the request before; empty where that did not ask.
    """
    nobody = np.empty(0, np.int64)
    nowhere = np.empty(0, np.int8)
    unknown = np.empty((0, 0), np.bool_)
    counts = growth.counts
    counts[TAKEN] = 0
    pause = counts[DONE] + _AT_ONCE
    while counts[DONE] < min(counts[KNOWN], pause):
        number = counts[DONE]
        if growth.right[number] == NONE:
            _propose(growth, rule, number)
        while growth.right[number] == PROPOSED:
            begin, end = growth.begins[number], growth.begins[number + 1]
            variables, sides = growth.members[begin:end], sides_of(growth.side[begin:end])
            pairs = len(sides.left) * len(sides.right)
            across = answer
            if rule.confirms and len(across) == 0:
                if len(correlations.quantiles) == 0:
                    return Request(False, variables.copy(), nobody, growth.side[begin:end].copy())
                limit = _confirming(correlations, pairs, len(sides.separator))
                across = dependent_across(
                    correlations.matrix, variables[sides.left], variables[sides.right], variables[sides.separator], limit
                )
            denied = np.count_nonzero(across)
            if denied and counts[USED] + _size(growth, number) + 2 * denied > len(growth.indices):
                return Request(True, nobody, nobody, nowhere)
            counts[ASKED] += pairs if rule.confirms and len(answer) == 0 else 0
            answer = unknown
            counts[TAKEN] = 1
            if denied:
                graph = _graph(growth, number)
                _replace(growth, number, joined_across(graph.begins, graph.members, sides, across), rule.largest)
                _propose(growth, rule, number)
            else:
                _open(growth, number, len(sides.separator))
        for away in (2, 1):
            children = growth.left if away == 2 else growth.right
            if children[number] != OPEN:
                continue
            kept, child, block = _part(growth, number, away, rule.relearn)
            found = _find(growth, child)
            if found < 0:
                if not _has_room(growth, number, len(child), len(block)):
                    return Request(True, nobody, nobody, nowhere)
                related, sure = answer, len(answer) > 0 or len(block) < 2
                answer = unknown
                counts[TAKEN] = 1
                if not sure and len(child) < len(correlations.limits):
                    related, sure = related_within(correlations.matrix, child, block, correlations.limits[len(child)])
                    counts[ASKED] += len(block) * (len(block) - 1) // 2 if sure else 0
                if not sure:
                    return Request(False, child, block, nowhere)
                parent = _graph(growth, number)
                graph = induced(parent.begins, parent.members, kept)
                if len(block) > 1:
                    graph = with_block(graph.begins, graph.members, block, related)
                found = counts[KNOWN]
                _add(growth, child, graph, growth.depth[number] + 1, rule.largest)
            children[number] = found
        counts[DONE] += 1
    return Request(False, nobody, nobody, nowhere)


@inner
def _size(growth: Growth, number: int) -> int:
    """How many entries the graph of a node has."""
    return int(growth.starts[growth.begins[number + 1] + number])


@inner
def _graph(growth: Growth, number: int) -> Rows:
    """The independence graph of a node."""
    begin, end, entry = growth.begins[number] + number, growth.begins[number + 1] + number + 1, growth.entries[number]
    return Rows(growth.starts[begin:end], growth.indices[entry : entry + _size(growth, number)])


@inner
def _replace(growth: Growth, number: int, graph: Rows, largest: int) -> None:
    """Give a node another graph; the old one stays where it is, unused."""
    begin, entry = growth.begins[number] + number, growth.counts[USED]
    for i in range(len(graph.begins)):
        growth.starts[begin + i] = graph.begins[i]
    for i in range(len(graph.members)):
        growth.indices[entry + i] = graph.members[i]
    growth.entries[number] = entry
    growth.counts[USED] += len(graph.members)
    growth.work[0] -= growth.own_work[number]
    growth.own_work[number] = work_of(graph.begins, largest)
    growth.work[0] += growth.own_work[number]


@inner
def _confirming(correlations: Correlations, pairs: int, given: int) -> float:
    """The squared partial correlation beyond which a pair across a cut denies it, given so many variables."""
    freedom = correlations.n_samples - given - 3
    if freedom <= 0:
        return -1.0
    power = 0
    while 1 << power < pairs:
        power += 1
    return float(np.tanh(correlations.quantiles[power] / np.sqrt(freedom)) ** 2)


@inner
def _propose(growth: Growth, rule: Rule, number: int) -> None:
    """Find the sides of a node, if the rule lets it be split and something splits it; the cut is then proposed."""
    begin, end = growth.begins[number], growth.begins[number + 1]
    growth.left[number] = growth.right[number] = NONE
    growth.side[begin:end] = 0
    if growth.work[0] > rule.max_work * growth.own_work[0] or growth.depth[number] >= rule.max_depth:
        return
    if end - begin <= rule.min_leaf_size or growth.counts[KNOWN] + 2 > rule.max_nodes:
        return
    graph = _graph(growth, number)
    found = find_split(graph.begins, graph.members, rule.saving, rule.largest, rule.widest)
    if len(found) == 0:
        return
    side = growth.side
    for i in range(len(found)):
        side[begin + i] = found[i]
    growth.left[number] = growth.right[number] = PROPOSED


@inner
def _open(growth: Growth, number: int, separator: int) -> None:
    """Take the cut that is proposed; the children are then to be made."""
    growth.work[0] -= growth.own_work[number] - separator * (separator - 1)
    growth.left[number] = growth.right[number] = OPEN


@inner
def _part(growth: Growth, number: int, away: int, relearn: bool) -> tuple[Ints, Ints, Ints]:
    """A child, without the side ``away``: positions in its parent, variables, and positions of the block to be asked about."""
    begin, end = growth.begins[number], growth.begins[number + 1]
    members, side = growth.members, growth.side
    kept = np.empty(end - begin, np.int64)
    child = np.empty(end - begin, np.int64)
    block = np.empty(end - begin, np.int64)
    size = 0
    separator = 0
    for i in range(end - begin):
        if side[begin + i] == away:
            continue
        if side[begin + i] == 0:
            block[separator] = size
            separator += 1
        kept[size] = i
        child[size] = members[begin + i]
        size += 1
    if relearn and separator > 1:
        return kept[:size], child[:size], np.arange(size)
    return kept[:size], child[:size], block[:separator]


@inner
def _hash(variables: Ints, places: int) -> int:
    """A place in a table whose length is a power of two (FNV-1a, variable by variable)."""
    code = 0
    for v in variables:
        code = (code ^ v) * 1099511628211
    return (code ^ (code >> 32)) & (places - 1)


@inner
def _find(growth: Growth, variables: Ints) -> int:
    """The node that has these variables; -1 where none has."""
    begins, members = growth.begins, growth.members
    number = growth.latest[_hash(variables, len(growth.latest))] - 1
    while number >= 0:
        begin = begins[number]
        if begins[number + 1] - begin == len(variables):
            at = 0
            while at < len(variables) and members[begin + at] == variables[at]:
                at += 1
            if at == len(variables):
                return int(number)
        number = growth.earlier[number] - 1
    return -1


@inner
def _has_room(growth: Growth, number: int, size: int, block: int) -> bool:
    """Is there room for a child of this node, of so many variables, whatever is answered about its block?"""
    known = growth.counts[KNOWN]
    return bool(
        known < len(growth.left)
        and growth.begins[known] + size <= len(growth.members)
        and growth.counts[USED] + _size(growth, number) + block * block <= len(growth.indices)
    )


@kernel
def _add(growth: Growth, variables: Ints, graph: Rows, depth: int, largest: int) -> None:
    """One more node, a leaf for now."""
    starts, indices = graph
    members, side, rows, neighbours = growth.members, growth.side, growth.starts, growth.indices
    number = growth.counts[KNOWN]
    begin, entry = growth.begins[number], growth.counts[USED]
    for i in range(len(variables)):
        members[begin + i] = variables[i]
        side[begin + i] = 0
    for i in range(len(starts)):
        rows[begin + number + i] = starts[i]
    for i in range(len(indices)):
        neighbours[entry + i] = indices[i]
    growth.begins[number + 1] = begin + len(variables)
    growth.entries[number] = entry
    growth.counts[USED] = entry + len(indices)
    growth.left[number] = NONE
    growth.right[number] = NONE
    growth.depth[number] = depth
    growth.own_work[number] = work_of(starts, largest)
    growth.work[0] += growth.own_work[number]
    place = _hash(variables, len(growth.latest))
    growth.earlier[number] = growth.latest[place]
    growth.latest[place] = number + 1
    growth.counts[KNOWN] += 1
