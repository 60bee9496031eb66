"""The decomposition tree: the top-down half of the paper's Algorithm 3."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, chain
from math import isnan, log
from operator import eq
from typing import TYPE_CHECKING, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from dicola._kernels import growth as kernel
from dicola._kernels import tree as walks
from dicola._kernels.arrays import Rows
from dicola._kernels.cuts import links_across
from dicola._kernels.evidence import depend_across
from dicola.blankets.base import BlanketLearner
from dicola.blankets.total_conditioning import TotalConditioning
from dicola.ci.base import CITest
from dicola.ci.inquiry import Evidence, Inquiry
from dicola.ci.questions import SMALL, Adjacency, Answered, Depends, Question, SearchedTest
from dicola.decompose.split import Split, split_of
from dicola.decompose.uig import independence_graph
from dicola.errors import counted, not_allowed
from dicola.graphs.skeleton import Pair, Variables
from dicola.graphs.undirected import UndirectedGraph
from dicola.learners.base import checked_limit
from dicola.watch import tests_left

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dicola.ci.card import Card
    from dicola.ci.fisher_z import FisherZ

Uig = Literal["inherit", "relearn"]
STOPS = ("auto", "paper", "reference")
_WORTH_SPLITTING = 5  # sets of at most so many variables are learned faster than split, and no worse
_SAVING = 0.05  # share of the work at a separator that a split has to save
_WORK_BOUND = 2.0  # predicted work of the tree, as a multiple of the work on the whole set
_WORK_BOUND_CONFIRMED = 20.0  # the same where cuts are confirmed: joining pairs adds work to the parts, and small parts err less
_DENIED = 0.25  # true cuts that are denied by chance in a whole tree, of which there are about as many as variables
_WIDEST, _ROWS_PER_CONDITION = 4, 500  # variables of a separator that data can confirm: so many, or one per so many rows
SUSPECTED = 256  # variables of a cut from which on a card looks at it first, where it holds no correlations
_LEAST = -1e300  # the logarithm of a p-value that is 0
_MOST = int(np.iinfo(np.int64).max)
MANY_MEMBERS = 2_000_000  # of all nodes together, up to which they are kept as tuples
_MANY_NODES = 1000  # of a tree in which it pays to look for ways before pairs are asked about
_NO_CORRELATIONS = kernel.Correlations(np.zeros((0, 0)), np.zeros(0), np.zeros(0), 0)
_NO_CORRELATIONS.matrix.setflags(write=False)  # as those of a test are, so that the kernel is compiled once
_NO_ANSWER = np.zeros((0, 0), dtype=np.bool_)


@dataclass(frozen=True)
class Leaf:
    """Variables to be handed to the base learner, with their independence graph where one was learned."""

    variables: Variables
    uig: UndirectedGraph | None = field(default=None, compare=False)


class Branch(NamedTuple):
    """Variables that were split; ``left`` and ``right`` are the numbers of the nodes over A u C and B u C."""

    variables: Variables
    split: Split
    left: int
    right: int


class FlatTree(NamedTuple):
    """A decomposition tree as arrays: see ``dicola._kernels.tree``."""

    begins: NDArray[np.int64]
    members: NDArray[np.int64]
    side: NDArray[np.int8]
    left: NDArray[np.int64]
    right: NDArray[np.int64]


@dataclass(frozen=True)
class Tree:
    """All nodes in one flat list, the root first. A variable set met twice is one node, reached from two branches."""

    nodes: Sequence[Leaf | Branch]
    grown: FlatTree | None = field(default=None, repr=False, compare=False)

    @cached_property
    def flat(self) -> FlatTree:
        """The tree as arrays: as it was grown, where it was."""
        if self.grown is not None:
            return self.grown
        nodes = self.nodes
        begins = np.array([0, *accumulate([len(node.variables) for node in nodes])], dtype=np.int64)
        members = np.fromiter(chain.from_iterable([node.variables for node in nodes]), np.int64, int(begins[-1]))
        left, right = np.array([[-1] * len(nodes)] * 2, dtype=np.int64)
        branches = [(number, node) for number, node in enumerate(nodes) if isinstance(node, Branch)]
        side = np.zeros(len(members), dtype=np.int8)
        if branches:
            numbers = np.array([number for number, _ in branches])
            left[numbers] = [node.left for _, node in branches]
            right[numbers] = [node.right for _, node in branches]
            above = int(members.max()) + 1  # node and variable as one number, so that one search finds the place of all
            places = np.repeat(np.arange(len(nodes)), np.diff(begins)) * above + members
            for name, parts in ((1, [node.split.left for _, node in branches]), (2, [node.split.right for _, node in branches])):
                wanted = np.repeat(numbers, [len(part) for part in parts]) * above + np.fromiter(chain.from_iterable(parts), np.int64)
                side[places.searchsorted(wanted)] = name
        return FlatTree(begins, members, side, left, right)

    @cached_property
    def _ways(self) -> walks.Ways:
        return walks.ways_of(*self.flat)

    def deciding_nodes(self, pairs: NDArray[np.int64]) -> Rows:
        """The numbers of the branches that part each pair, and of the leaves that hold both its ends."""
        begins, members, side, left, right = self.flat
        if len(left) <= _MANY_NODES:
            return walks.deciding_nodes(pairs, begins, members, side, left, right)
        return walks.deciding_nodes_by_ways(pairs, begins, members, left, right, self._ways)

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        """The leaves, in order of their number."""
        return self.nodes.leaves if isinstance(self.nodes, GrownNodes) else tuple([node for node in self.nodes if isinstance(node, Leaf)])

    @property
    def variables(self) -> Variables:
        """All variables: those of the root."""
        return self.nodes.variables(0) if isinstance(self.nodes, GrownNodes) else self.nodes[0].variables

    def split(self, number: int) -> Split:
        """The split at a branch."""
        node = self.nodes[number]
        assert isinstance(node, Branch)
        return node.split

    @cached_property
    def separators(self) -> list[Variables | None]:
        """The separator of each branch by its number, ``None`` for leaves."""
        if not isinstance(self.nodes, GrownNodes):
            return [node.split.separator if isinstance(node, Branch) else None for node in self.nodes]
        begins, members, side, left, _ = self.flat
        inside = (side == 0).nonzero()[0]
        ends, between = inside.searchsorted(begins).tolist(), members[inside].tolist()
        return [tuple(between[ends[k] : ends[k + 1]]) if child >= 0 else None for k, child in enumerate(left.tolist())]

    @property
    def branches(self) -> tuple[Branch, ...]:
        """The branches, in order of their number."""
        return tuple(node for node in self.nodes if isinstance(node, Branch))

    @property
    def n_leaves(self) -> int:
        """How many leaves there are."""
        return len(self.leaves)

    @property
    def largest_leaf(self) -> int:
        """Number of variables of the largest leaf."""
        return max(len(leaf.variables) for leaf in self.leaves)

    def in_words(self) -> str:
        """How far it went: ``3 leaves, the largest with 5 variables``."""
        return f"{counted(self.n_leaves, 'leaf', 'leaves')}, the largest with {counted(self.largest_leaf, 'variable')}"

    @cached_property
    def depth(self) -> int:
        """Splits on the longest way from the root to a leaf."""
        below, lefts, rights = [0] * len(self.nodes), self.flat.left.tolist(), self.flat.right.tolist()
        for number in self.bottom_up():
            if lefts[number] >= 0:
                below[number] = 1 + max(below[lefts[number]], below[rights[number]])
        return below[0]

    def bottom_up(self) -> list[int]:
        """Node numbers, children before their branches: a child has fewer variables than its branch."""
        numbers: list[int] = np.argsort(np.diff(self.flat.begins), kind="stable").tolist()
        return numbers

    def plot(self, ax: Axes | None = None, names: Sequence[str] | None = None) -> Axes:
        """The tree on Matplotlib axes (extra ``plot``): sizes of all parts, separators in orange.

        ``names`` tells the variables by their position (``discovery.skeleton.labels``), so that small separators are spelled out.
        """
        from dicola.report.figures import plot_tree

        return plot_tree(self, ax, names)

    def __repr__(self) -> str:
        return f"<Tree: {counted(self.n_leaves, 'leaf', 'leaves')}, largest {self.largest_leaf}, depth {self.depth}>"


@dataclass(frozen=True)
class StopRule:
    """When not to split a set of variables further; ``None`` is no limit, and without limits the paper's rule remains.

    The paper stops where the independence graph is complete. ``max_depth`` bounds the splits above a leaf, ``min_leaf_size`` leaves
    sets of at most that many variables whole, ``max_nodes`` bounds the size of the tree. With ``saving`` a split has to save that share
    of the work at its separator, and ``max_work`` bounds the predicted work of all leaves and blankets, as a multiple of that of the
    base learner started from the independence graph of the whole set. Work is counted in sets of at most ``largest`` neighbours.

    With ``confirm`` a cut stands only if no pair across it depends given its separator, at this level for all of them together, at a
    quarter of it where the separator is empty; the strongest that do are joined in the graph, and another cut is looked for. Perfect
    answers confirm every cut (Proposition 1). Parts that nothing joins are then taken apart however little work that saves.
    ``widest`` bounds separators: given many variables a test has no power, and what it cannot deny is no evidence.
    """

    max_depth: int | None = None
    min_leaf_size: int | None = None
    max_nodes: int | None = None
    saving: float | None = None
    max_work: float | None = None
    largest: int = 3
    confirm: float | None = None
    widest: int | None = None

    def __post_init__(self) -> None:
        for name in ("max_depth", "min_leaf_size", "max_nodes"):
            checked_limit(name, getattr(self, name))

    def confirmed(self, n: int, n_samples: int | None) -> StopRule:
        """The same rule for n variables of data that may err: cuts are to be confirmed, and then more of them are worth their work."""
        widest = max(_WIDEST, (n_samples or 0) // _ROWS_PER_CONDITION)
        return replace(
            self, confirm=min(0.05, _DENIED / n), widest=widest, max_work=None if self.max_work is None else _WORK_BOUND_CONFIRMED
        )

    def in_numbers(self, uig: Uig) -> kernel.Rule:
        """The rule as the kernel takes it, with a number for no limit."""
        return kernel.Rule(
            _MOST if self.max_depth is None else min(self.max_depth, _MOST),
            -1 if self.min_leaf_size is None else min(self.min_leaf_size, _MOST),
            _MOST if self.max_nodes is None else min(self.max_nodes, _MOST),
            -np.inf if self.saving is None else self.saving,
            np.inf if self.max_work is None else self.max_work,
            self.largest,
            uig == "relearn",
            self.confirm is not None,
            _MOST if self.widest is None else self.widest,
        )


def stop_rule(
    stop: str, n: int, max_depth: int | None = None, min_leaf_size: int | None = None, max_nodes: int | None = None, largest: int = 3
) -> StopRule:
    """The rule named ``stop`` for n variables, tightened by the plain settings.

    ``"paper"`` splits until nothing splits. ``"auto"`` does so while it pays: on dense graphs the parts overlap so much that learning
    them all costs more than learning the whole, and parts of five variables are not worth splitting further. ``"reference"`` has the
    caps of the authors' released code: sets of at most n/3 variables are leaves, and so is everything at depth 3 (5 above 200
    variables). ``largest`` is the size of the sets in which the base learner's work is counted.
    """
    if stop not in STOPS:
        raise not_allowed("stop", stop, f"it may be {' or '.join(repr(name) for name in STOPS)}.")
    if stop == "paper":
        return StopRule(max_depth, min_leaf_size, max_nodes)
    if stop == "auto":
        return StopRule(max_depth, max(_WORTH_SPLITTING, min_leaf_size or 0), max_nodes, _SAVING, _WORK_BOUND, largest)
    depth = 3 if n <= 200 else 5
    return StopRule(min(depth, depth if max_depth is None else max_depth), max(n // 3, min_leaf_size or 0), max_nodes)


def decompose(
    ci: Evidence,
    blankets: BlanketLearner,
    stop: StopRule,
    uig: Uig = "inherit",
    progress: Callable[[int, int], None] | None = None,
) -> Tree:
    """Learn the independence graph of all variables, split it at its best separator, and go on with both sides.

    ``uig="inherit"`` asks again only about the pairs inside a separator; ``"relearn"`` learns every
    graph from scratch. With perfect answers both give the same graphs. No base learner runs here.
    ``progress`` is told, once per node, how many nodes are done and how many are known.
    """
    return grown(ci, GrowTree(blankets, stop, uig, progress))


def grown(ci: Evidence, question: GrowTree) -> Tree:
    """The answer to a question about the tree, counted under blankets."""
    return Inquiry.of(ci).during("blankets").ask(question)


@dataclass(eq=False)
class LinksAcross(Question[Adjacency]):
    """Which pairs deny a cut: depend across it given its separator, at a level for all of them together, each end on no other more?

    One link that was missed makes all that lies behind it depend; once the two are joined, another cut may explain the rest. Of a slow
    test only pairs that depend marginally are asked; for it the others count as independent.
    """

    left: Variables
    right: Variables
    separator: Variables
    level: float

    def plain(self, ci: Inquiry) -> Adjacency:
        asked, level = [(min(x, y), max(x, y)) for x in self.left for y in self.right], self.each_level
        if ci.remembers and self.separator:
            marginal = ci.ask_each([Depends(x, y, ()) for x, y in asked])
            asked = [pair for pair, depends in zip(asked, marginal, strict=True) if depends]
            ci.ask_each([Depends(x, y, self.separator) for x, y in asked])  # by all workers; the verdicts are remembered
        elif ci.remembers:
            ci.ask_each([Depends(x, y, ()) for x, y in asked])
        verdicts = {pair: ci.verdict(*pair, self.separator) for pair in asked}
        return self._strongest(ci.test, {pair: found.p_value for pair, found in verdicts.items() if not found.independent_at(level)})

    def _strongest(self, test: CITest | SearchedTest, p_values: Mapping[Pair, float]) -> Adjacency:
        """Of the pairs that depend, those with the smallest p-value of both their ends."""
        logs = {pair: self._log_p(test, pair, p_value) for pair, p_value in p_values.items()}
        log_p = np.array([[logs.get((min(x, y), max(x, y)), np.inf) for y in self.right] for x in self.left])
        return np.asarray(np.isfinite(log_p) & (log_p == log_p.min(axis=0)) & (log_p == log_p.min(axis=1)[:, None]))

    def _log_p(self, test: CITest | SearchedTest, pair: Pair, p_value: float) -> float:
        """The logarithm of a p-value; 0 where the test gives none."""
        if isnan(p_value) or p_value > 0.0:
            return 0.0 if isnan(p_value) else log(p_value)
        logs = test.log_p_values(*pair, [self.separator])
        return _LEAST if logs is None else float(logs[0])

    @property
    def each_level(self) -> float:
        """The level of a single pair: as for the next power of two, so that few quantiles have to be known.

        Without a separator it is a quarter: where nothing else relates two parts, an edge between them
        rests on this test alone.
        """
        return self.level / 2.0 ** ((len(self.left) * len(self.right) - 1).bit_length() + (0 if self.separator else kernel.APART))

    def by_correlations(self, test: FisherZ) -> Answered[Adjacency] | None:
        if test.may_raise(len(self.separator)):
            return None
        left, right, separator = (np.array(part, dtype=np.int64) for part in (self.left, self.right, self.separator))
        limit = test.limit(len(separator), self.each_level)
        return links_across(test.correlation, left, right, separator, limit), len(left) * len(right)

    def by_card(self, test: FisherZ, card: Card) -> Answered[Adjacency] | None:
        """Only where no matrix of all correlations is kept: the card says who may depend on something across, the kernel decides."""
        if card.is_held or test.may_raise(len(self.separator)):
            return None
        left, right, separator = (np.array(part, dtype=np.int64) for part in (self.left, self.right, self.separator))
        limit = test.limit(len(separator), self.each_level)
        some, others = np.arange(len(left)), np.arange(len(right))
        if len(left) + len(right) >= SUSPECTED and limit > 0.0:
            place = test.part_of_card
            within = test.among(separator).correlation if len(separator) else np.empty((0, 0))
            some, others = card.suspects(place[left], place[right], place[separator], within, limit)
        found = np.zeros((len(left), len(right)), dtype=np.bool_)
        if len(some) and len(others):
            few = test.among(np.concatenate((left[some], right[others], separator))).correlation
            ours, theirs, given = np.split(np.arange(len(few)), np.cumsum((len(some), len(others))))
            found[np.ix_(some, others)] = links_across(few, ours, theirs, given, limit)
        return found, len(left) * len(right)

    def by_evidence(self, test: SearchedTest) -> Answered[Adjacency]:
        left, right, separator = (np.array(part, dtype=np.int64) for part in (self.left, self.right, self.separator))
        found = depend_across(test.evidence_at(self.each_level), left, right, separator)
        pairs = [(min(x, y), max(x, y)) for x, y in zip(left[found.nonzero()[0]].tolist(), right[found.nonzero()[1]].tolist(), strict=True)]
        p_values = {pair: test.verdict(*pair, self.separator).p_value for pair in pairs}
        return self._strongest(test, p_values), len(left) * len(right)

    def if_perfect(self) -> Answered[Adjacency]:
        """A cut of an independence graph separates (Proposition 1)."""
        return np.zeros((len(self.left), len(self.right)), dtype=np.bool_), 0


@dataclass(eq=False)
class GrowTree(Question[Tree]):
    """Into which tree do all variables of the test decompose? See ``decompose``."""

    blankets: BlanketLearner
    stop: StopRule
    uig: Uig = "inherit"
    progress: Callable[[int, int], None] | None = None
    root: UndirectedGraph | None = None  # the independence graph of all variables, once it is known

    def plain(self, ci: Inquiry) -> Tree:
        return tree_of(self._grown(ci, _NO_CORRELATIONS))

    def by_correlations(self, test: FisherZ) -> Answered[Tree] | None:
        """The same descent, but the kernel itself finds what total conditioning says of small children."""
        if self.uig == "relearn" or type(self.blankets) is not TotalConditioning or test.may_raise(len(test) - 2):
            return None
        sizes = np.arange(min(len(test), SMALL) + 1)
        levels = np.array([self.blankets.level(k) for k in sizes.tolist()], dtype=np.float64)
        asked = Inquiry(test)
        asked.account.limit = tests_left()
        quantiles = _NO_CORRELATIONS.quantiles
        if self.stop.confirm is not None and test.untestable == "dependent":
            quantiles = -ndtri(self.stop.confirm / 2.0 ** np.arange(1, 2 * len(test).bit_length() + 1 + kernel.APART))
        growth = self._grown(asked, kernel.Correlations(test.correlation, test.critical(sizes - 2, levels), quantiles, test.n_samples))
        return tree_of(growth), asked.counts["total"] + int(growth.counts[kernel.ASKED])

    def key(self) -> None:
        """None: a memory keeps what is asked on the way, one by one."""
        return

    def _grown(self, ci: Inquiry, known: kernel.Correlations) -> kernel.Growth:
        """Split until nothing is to be split any more; where the kernel needs to know the pairs inside a separator, ask."""
        root, rule, answer = independence_graph(ci, self.blankets), self.stop.in_numbers(self.uig), _NO_ANSWER
        self.root = root
        growth = kernel.planted(root.starts, root.indices)
        stuck: list[int] = []  # the counts when room was made last: where nothing came of it, more is needed
        while not kernel.is_done(growth):
            before = growth.counts[kernel.DONE]
            request = kernel.grow(growth, rule, known, answer)
            self._tell(growth, before)
            ci.account.stop_if_spent(int(growth.counts[kernel.ASKED]))
            if request.full:
                answer = _NO_ANSWER if growth.counts[kernel.TAKEN] else answer
                growth = kernel.roomier(growth, everywhere=stuck == growth.counts.tolist())
                stuck = growth.counts.tolist()
            elif len(request.side):
                answer = self._across(ci, request)
            else:
                answer = self._joined(ci.among(request.child), request.block) if len(request.child) else _NO_ANSWER
        return growth

    def _across(self, ci: Inquiry, request: kernel.Request) -> Adjacency:
        """Which pairs deny a cut that is proposed?"""
        separator, left, right = (tuple(request.child[request.side == part].tolist()) for part in range(3))
        return np.ascontiguousarray(ci.ask(LinksAcross(left, right, separator, self.stop.confirm or 1.0)), dtype=np.bool_)

    def _joined(self, ci: Inquiry, block: NDArray[np.int64]) -> Adjacency:
        """Which pairs of a block are joined in the graph of a child, given the test among its variables?

        Only pairs inside the separator can change: marginalising the other side can join one (a chain
        through it) or part it (a collider in it). Every other pair keeps its parent's answer, by
        contraction and weak union. A graph that is relearned is asked for as a whole.
        """
        joined = self.blankets.learn(ci, None if self.uig == "relearn" else block.tolist())
        return np.ascontiguousarray(joined, dtype=np.bool_)

    def _tell(self, growth: kernel.Growth, before: int) -> None:
        if self.progress is not None:
            for done in range(before, growth.counts[kernel.DONE]):
                self.progress(done + 1, int(growth.counts[kernel.KNOWN]))


def tree_of(growth: kernel.Growth) -> Tree:
    """The tree that was grown, with the graphs of its leaves."""
    flat = FlatTree(*kernel.flat(growth))
    count = len(flat.left)
    graphs = LeafGraphs(
        flat.begins.tolist(),
        growth.entries[:count].tolist(),
        growth.starts[: flat.begins[-1] + count].copy(),
        growth.indices[: growth.counts[kernel.USED]].copy(),
    )
    return Tree(GrownNodes(flat, graphs.of_leaves(flat) if len(flat.members) > MANY_MEMBERS else graphs), flat)


class LeafGraphs(NamedTuple):
    """Independence graphs of nodes, as they were grown: see ``dicola._kernels.growth``."""

    begins: list[int]
    entries: list[int]
    starts: NDArray[np.int64]
    indices: NDArray[np.int64]

    def of(self, number: int, size: int) -> UndirectedGraph:
        """That of a node with so many variables."""
        begin, entry = self.begins[number] + number, self.entries[number]
        starts = self.starts[begin : begin + size + 1]
        return UndirectedGraph(starts, self.indices[entry : entry + starts[-1]])

    def of_leaves(self, flat: FlatTree) -> LeafGraphs:
        """The same without the graphs of branches, which are not looked at any more."""
        is_leaf = flat.left < 0
        sizes = np.where(is_leaf, np.diff(flat.begins), 0)
        begins, number = np.concatenate(([0], np.cumsum(sizes))), np.arange(len(sizes))
        graphs = [self.of(k, size) for k, size in zip(number[is_leaf].tolist(), sizes[is_leaf].tolist(), strict=True)]
        entries = np.zeros(len(sizes) + 1, dtype=np.int64)
        entries[1:][is_leaf] = [len(graph.indices) for graph in graphs]
        starts = np.zeros(begins[-1] + len(sizes), dtype=np.int64)
        for k, graph in zip(number[is_leaf].tolist(), graphs, strict=True):
            starts[begins[k] + k : begins[k] + k + len(graph.starts)] = graph.starts
        return LeafGraphs(begins.tolist(), np.cumsum(entries).tolist(), starts, np.concatenate([graph.indices for graph in graphs]))


class GrownNodes(Sequence[Leaf | Branch]):
    """The nodes of a tree that was grown, made when they are looked at: a run needs no more than the leaves and the separators.

    Where they are few they are kept then. A tree over ten thousand variables that sheds a few at every split has nodes with as many
    members each: as arrays they fit into memory, as tuples of numbers they would not.
    """

    def __init__(self, flat: FlatTree, graphs: LeafGraphs) -> None:
        self.flat, self.graphs = flat, graphs

    def __len__(self) -> int:
        return len(self.flat.left)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(eq, self, other))

    def __hash__(self) -> int:
        return hash(self.variables(0))

    @overload
    def __getitem__(self, number: int) -> Leaf | Branch: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[Leaf | Branch, ...]: ...
    def __getitem__(self, number: int | slice) -> Leaf | Branch | tuple[Leaf | Branch, ...]:
        if len(self.flat.members) <= MANY_MEMBERS:
            return self._kept[number]
        return tuple(map(self._node, range(len(self))[number])) if isinstance(number, slice) else self._node(range(len(self))[number])

    @cached_property
    def _kept(self) -> tuple[Leaf | Branch, ...]:
        return tuple(map(self._node, range(len(self))))

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        """The leaves alone, in order of their number."""
        return tuple([self._leaf(number) for number in (self.flat.left < 0).nonzero()[0].tolist()])

    def variables(self, number: int) -> Variables:
        """Those of a node."""
        begin, end = self.flat.begins[number : number + 2].tolist()
        return tuple(self.flat.members[begin:end].tolist())

    def _leaf(self, number: int) -> Leaf:
        variables = self.variables(number)
        return Leaf(variables, self.graphs.of(number, len(variables)))

    def _node(self, number: int) -> Leaf | Branch:
        left = self.flat.left.item(number)
        if left < 0:
            return self._leaf(number)
        begin, end = self.flat.begins[number : number + 2].tolist()
        variables = self.variables(number)
        return Branch(variables, split_of(self.flat.side[begin:end].tolist(), variables), left, self.flat.right.item(number))
