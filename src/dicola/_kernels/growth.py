"""The descent of a decomposition: split a node, hand its graph down to both sides, go on with the next.

The readable form is ``tests/decompose/readable_descent.py``, which this follows step by step. Nodes are
numbered in the order in which they are met; a set of variables met twice is one node.
"""

from __future__ import annotations

from math import sqrt, tanh
from typing import Any, NamedTuple

import numpy as np

from dicola._kernels.arrays import Bools, Floats, Ints, Rows, Small
from dicola._kernels.compiled import hot, inner, kernel
from dicola._kernels.cuts import joined_across, links_across, sides_of
from dicola._kernels.precision import related_within
from dicola._kernels.splits import find_split, group, in_turn, split_at, work_of
from dicola._kernels.stopping import heed
from dicola._kernels.undirected import components, induced, with_block

_AT_ONCE = 256  # nodes looked at in one call, so that progress is told and a user can stop it
_SIMILAR = 0.75  # share of a graph's variables up to which its separators, in their order, serve a part of it


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
    waiting: Ints  # numbers of the separators that nodes are still to try, one list after the other; only where cuts are confirmed
    first: Ints  # by node: where its list begins
    last: Ints  # by node: where its list ends
    found_among: Ints  # by node: how many variables the graph had in which its list was found; negative: it is this very graph
    separators: Ints  # variables of all separators, one after the other
    separator_begins: Ints
    counts: Ints
    work: Floats  # in the first place: that of the tree so far


APART = 2  # a cut without a separator is confirmed at the level of one with so many times twice as many pairs across it: at a quarter
NONE, OPEN, PROPOSED = -1, -2, -3  # left and right: there is no child; it is still to be made; the cut is still to be confirmed
KNOWN, DONE, ASKED = 0, 1, 2  # counts: nodes, nodes looked at, verdicts that the kernel gave itself
USED, TAKEN = 3, 4  # entries of ``indices``; whether the answer that was given has been used
WAITING, SEPARATORS = 5, 6  # entries of ``waiting``; separators


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


def planted(starts: Ints, indices: Ints) -> Growth:
    """A tree of no node yet, the first of which will have this graph."""
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
        waiting=np.empty(members, np.int64),
        first=np.zeros(nodes, np.int64),
        last=np.zeros(nodes, np.int64),
        found_among=np.zeros(nodes, np.int64),
        separators=np.empty(members, np.int64),
        separator_begins=np.zeros(members + 1, np.int64),
        counts=np.zeros(7, np.int64),
        work=np.zeros(1),
    )
    growth.begins[1], growth.members[:n] = n, np.arange(n)
    growth.starts[: n + 1], growth.indices[: len(indices)] = starts, indices
    return growth


def is_done(growth: Growth) -> bool:
    """Has every node been looked at?"""
    return bool(0 < growth.counts[DONE] == growth.counts[KNOWN])


def flat(growth: Growth) -> tuple[Ints, Ints, Small, Ints, Ints]:
    """The arrays of the tree as ``dicola._kernels.tree`` takes them, without the room to grow."""
    n = growth.counts[KNOWN]
    end = growth.begins[n]
    begins, members, side = growth.begins[: n + 1].copy(), growth.members[:end].copy(), growth.side[:end].copy()
    return begins, members, side, growth.left[:n].copy(), growth.right[:n].copy()


def roomier(growth: Growth, everywhere: bool = False) -> Growth:
    """The same tree with twice the room where half of it is used, or ``everywhere``.

    Nothing is hashed anew: to whichever half of the table one more bit of its hash leads a set, it finds
    there all nodes that it found before. Graphs that nobody will look at any more make room for others
    where they are more than half of all: a tree that sheds a few variables at every split has one
    graph of nearly all variables per node, and one per cut that was denied.
    """
    counts = growth.counts
    known, separators = int(counts[KNOWN]), int(counts[SEPARATORS])
    nodes = _Room(len(growth.left), known + 1, everywhere)
    members = _Room(len(growth.members), int(growth.begins[known]), everywhere)
    waiting = _Room(len(growth.waiting), int(counts[WAITING]), everywhere)
    listed = _Room(len(growth.separators), int(growth.separator_begins[separators]), everywhere)
    begun = _Room(len(growth.separator_begins), separators + 1, everywhere)
    live, used = _live_entries(growth), int(counts[USED])
    indices = np.empty(len(growth.indices) * (1 if 2 * live < used and not everywhere else 2), np.int64)
    entries = growth.entries.copy()
    counts[USED] = _move_live(growth, indices, entries)
    by_node = ("left", "right", "depth", "own_work", "earlier", "first", "last", "found_among")
    larger: dict[str, Any] = {name: nodes.of(getattr(growth, name)) for name in by_node}
    starts = np.empty(members.size + nodes.size, np.int64)
    starts[: members.used + nodes.used] = growth.starts[: members.used + nodes.used]
    begins = np.zeros(nodes.size + 1, np.int64)
    begins[: known + 1] = growth.begins[: known + 1]
    return Growth(
        **larger,
        begins=begins,
        starts=starts,
        entries=nodes.of(entries),
        indices=indices,
        latest=np.concatenate((growth.latest, growth.latest)) if nodes.size > len(growth.left) else growth.latest,
        members=members.of(growth.members),
        side=members.of(growth.side),
        waiting=waiting.of(growth.waiting),
        separators=listed.of(growth.separators),
        separator_begins=begun.of(growth.separator_begins),
        counts=counts,
        work=growth.work,
    )


class _Room:
    """Arrays of one length, of which some is used: twice as long once that is the half."""

    def __init__(self, length: int, used: int, everywhere: bool) -> None:
        self.used, self.size = min(used, length), length * (2 if everywhere or 2 * used >= length else 1)

    def of(self, part: Any) -> Any:
        """The same array with room behind it, which takes no memory until it is written to."""
        if len(part) == self.size:
            return part
        whole = np.empty(self.size, part.dtype)
        whole[: self.used] = part[: self.used]
        return whole


@inner
def _is_live(growth: Growth, number: int) -> bool:
    """Is the graph of a node still to be looked at: is it a leaf, or not done with?"""
    return bool(number >= growth.counts[DONE] or growth.left[number] < 0)


@kernel
def _live_entries(growth: Growth) -> int:
    total = 0
    for number in range(growth.counts[KNOWN]):
        if _is_live(growth, number):
            total += _size(growth, number)
    return total


@kernel
def _move_live(growth: Growth, indices: Ints, entries: Ints) -> int:
    """Write the graphs that are still to be looked at to another place, one after the other; where that ends."""
    used = 0
    for number in range(growth.counts[KNOWN]):
        if not _is_live(growth, number):
            entries[number] = 0
            continue
        size, entry = _size(growth, number), growth.entries[number]
        for i in range(size):
            indices[used + i] = growth.indices[entry + i]
        entries[number] = used
        used += size
    return used


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
    if counts[KNOWN] == 0:
        _enter(growth, growth.begins[1], 0, rule.largest)
    pause = counts[DONE] + _AT_ONCE
    while counts[DONE] < min(counts[KNOWN], pause):
        number = counts[DONE]
        heed(counts[ASKED])
        if growth.right[number] == NONE and not _propose(growth, rule, number):
            return Request(True, nobody, nobody, nowhere)
        while growth.right[number] == PROPOSED:
            begin, end = growth.begins[number], growth.begins[number + 1]
            variables, sides = growth.members[begin:end], sides_of(growth.side[begin:end])
            pairs = len(sides.left) * len(sides.right)
            across = answer
            if rule.confirms and len(across) == 0:
                if len(correlations.quantiles) == 0:
                    return Request(False, variables.copy(), nobody, growth.side[begin:end].copy())
                limit = _confirming(correlations, pairs, len(sides.separator))
                across = links_across(correlations.matrix, variables[sides.left], variables[sides.right], variables[sides.separator], limit)
            denied = np.count_nonzero(across)
            if denied and counts[USED] + _size(growth, number) + 2 * denied > len(growth.indices):
                return Request(True, nobody, nobody, nowhere)
            counts[ASKED] += pairs if rule.confirms and len(answer) == 0 else 0
            answer = unknown
            counts[TAKEN] = 1
            if denied:
                graph = _graph(growth, number)
                _replace(growth, number, joined_across(graph.begins, graph.members, sides, across), rule.largest)
                if not _propose(growth, rule, number):
                    return Request(True, nobody, nobody, nowhere)
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
                _inherit(growth, number, found)
            children[number] = found
        counts[DONE] += 1
    return Request(False, nobody, nobody, nowhere)


@hot
def _size(growth: Growth, number: int) -> int:
    """How many entries the graph of a node has."""
    return int(growth.starts[growth.begins[number + 1] + number])


@hot
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
    power += 0 if given else APART
    critical = tanh(correlations.quantiles[power] / sqrt(freedom))
    return critical * critical


@hot
def _propose(growth: Growth, rule: Rule, number: int) -> bool:
    """Find the sides of a node, if the rule lets it be split and something splits it; the cut is then proposed. Is there room?"""
    begin, end = growth.begins[number], growth.begins[number + 1]
    growth.left[number] = growth.right[number] = NONE
    growth.side[begin:end] = 0
    if growth.depth[number] >= rule.max_depth or growth.counts[KNOWN] + 2 > rule.max_nodes:
        return True
    graph = _graph(growth, number)
    enough = end - begin <= rule.min_leaf_size or growth.work[0] > rule.max_work * growth.own_work[0]
    if enough and rule.confirms:  # to part what is not connected costs nothing
        enough = components(graph.begins, graph.members, np.zeros(end - begin, np.bool_))[1] == 1
    if enough:
        return True
    if rule.confirms:
        found, has_room = _next_split(growth, rule, number)
        if not has_room:
            return False
    else:
        found = find_split(graph.begins, graph.members, rule.saving, rule.largest)
    if len(found) == 0:
        return True
    side = growth.side
    for i in range(len(found)):
        side[begin + i] = found[i]
    growth.left[number] = growth.right[number] = PROPOSED
    return True


@inner
def _next_split(growth: Growth, rule: Rule, number: int) -> tuple[Small, bool]:
    """Components apart; else the next separator of the node's list that saves enough, else that of a list made anew.

    All separators of a list belong to one triangulation, so a part holds those of its parent that lie in it, and data that deny one of
    them say nothing of the others. Most are tried without another search for separators, which is the dearest step of a descent.
    """
    nothing = np.empty(0, np.int8)
    begin, end = growth.begins[number], growth.begins[number + 1]
    variables = growth.members[begin:end]
    starts, indices = _graph(growth, number)
    n = len(variables)
    if len(indices) == n * (n - 1):
        return nothing, True
    label, count = components(starts, indices, np.zeros(n, np.bool_))
    if count > 1:
        return group(label, count)[0], True
    while True:
        while growth.first[number] < growth.last[number]:
            heed(0)
            at = growth.waiting[growth.first[number]]
            growth.first[number] += 1
            separator = growth.separators[growth.separator_begins[at] : growth.separator_begins[at + 1]]
            found = split_at(starts, indices, np.searchsorted(variables, separator), rule.saving, rule.largest)
            if len(found):
                growth.found_among[number] = abs(growth.found_among[number])
                return found, True
        if growth.found_among[number] < 0:
            return nothing, True
        if not _list_anew(growth, rule, number):
            return nothing, False


@inner
def _list_anew(growth: Growth, rule: Rule, number: int) -> bool:
    """Give a node the separators of its graph to try. Is there room for them?"""
    starts, indices = _graph(growth, number)
    begins, members = in_turn(starts, indices, rule.widest)
    counts = growth.counts
    count, used = counts[SEPARATORS], growth.separator_begins[counts[SEPARATORS]]
    total = len(begins) - 1
    if (
        counts[WAITING] + total > len(growth.waiting)
        or count + total >= len(growth.separator_begins)
        or used + len(members) > len(growth.separators)
    ):
        return False
    growth.first[number] = counts[WAITING]
    for i in range(total):
        growth.waiting[counts[WAITING] + i] = count + i
        growth.separator_begins[count + i + 1] = used + begins[i + 1]
    for i in range(len(members)):
        growth.separators[used + i] = growth.members[growth.begins[number] + members[i]]
    counts[WAITING] += total
    counts[SEPARATORS] += total
    growth.last[number] = counts[WAITING]
    growth.found_among[number] = 1 - len(starts)
    return True


@hot
def _inherit(growth: Growth, number: int, child: int) -> None:
    """Hand the separators that lie in a child down to it, if it is nearly as large as the graph in which they were found."""
    begin, end = growth.begins[child], growth.begins[child + 1]
    among = abs(growth.found_among[number])
    if end - begin <= _SIMILAR * among:
        return
    variables = growth.members[begin:end]
    growth.first[child] = growth.last[child] = growth.counts[WAITING]
    for at in range(growth.first[number], growth.last[number]):
        separator = growth.waiting[at]
        if _holds(variables, growth.separators[growth.separator_begins[separator] : growth.separator_begins[separator + 1]]):
            growth.waiting[growth.last[child]] = separator
            growth.last[child] += 1
    growth.counts[WAITING] = growth.last[child]
    growth.found_among[child] = among


@inner
def _holds(variables: Ints, separator: Ints) -> bool:
    """Are all of these among the sorted variables?"""
    for v in separator:
        at = np.searchsorted(variables, v)
        if at == len(variables) or variables[at] != v:
            return False
    return True


@hot
def _open(growth: Growth, number: int, separator: int) -> None:
    """Take the cut that is proposed; the children are then to be made."""
    growth.work[0] -= growth.own_work[number] - separator * (separator - 1)
    growth.left[number] = growth.right[number] = OPEN


@hot
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


@hot
def _hash(variables: Ints, places: int) -> int:
    """A place in a table whose length is a power of two (FNV-1a, variable by variable)."""
    code = 0
    for v in variables:
        code = (code ^ v) * 1099511628211
    return (code ^ (code >> 32)) & (places - 1)


@hot
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


@hot
def _has_room(growth: Growth, number: int, size: int, block: int) -> bool:
    """Is there room for a child of this node, of so many variables, whatever is answered about its block?"""
    known = growth.counts[KNOWN]
    return bool(
        known < len(growth.left)
        and growth.begins[known] + size <= len(growth.members)
        and growth.counts[USED] + _size(growth, number) + block * block <= len(growth.indices)
        and growth.counts[WAITING] + growth.last[number] - growth.first[number] <= len(growth.waiting)
    )


@hot
def _add(growth: Growth, variables: Ints, graph: Rows, depth: int, largest: int) -> None:
    """One more node, a leaf for now."""
    starts, indices = graph
    members, rows, neighbours = growth.members, growth.starts, growth.indices
    number = growth.counts[KNOWN]
    begin, entry = growth.begins[number], growth.counts[USED]
    for i in range(len(variables)):
        members[begin + i] = variables[i]
    for i in range(len(starts)):
        rows[begin + number + i] = starts[i]
    for i in range(len(indices)):
        neighbours[entry + i] = indices[i]
    _enter(growth, len(variables), depth, largest)


@hot
def _enter(growth: Growth, size: int, depth: int, largest: int) -> None:
    """Take what stands behind the last node, of so many variables, as one more."""
    number = growth.counts[KNOWN]
    begin, end = growth.begins[number], growth.begins[number] + size
    growth.side[begin:end] = 0
    growth.begins[number + 1] = end
    growth.entries[number] = growth.counts[USED]
    growth.counts[USED] += _size(growth, number)
    growth.left[number] = NONE
    growth.right[number] = NONE
    growth.depth[number] = depth
    growth.first[number] = growth.last[number] = growth.found_among[number] = 0
    growth.own_work[number] = work_of(growth.starts[begin + number : end + number + 1], largest)
    growth.work[0] += growth.own_work[number]
    place = _hash(growth.members[begin:end], len(growth.latest))
    growth.earlier[number] = growth.latest[place]
    growth.latest[place] = number + 1
    growth.counts[KNOWN] += 1
