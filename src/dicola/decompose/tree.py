"""The decomposition tree: the top-down half of the paper's Algorithm 3."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from dicola.blankets.base import BlanketLearner
from dicola.ci.base import CITest
from dicola.decompose.split import Split, find_split
from dicola.decompose.uig import independence_graph, inherited_graph
from dicola.errors import InvalidSetting
from dicola.graphs.skeleton import Variables
from dicola.graphs.undirected import UndirectedGraph
from dicola.learners.base import checked_limit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STOPS = ("paper", "reference")


@dataclass(frozen=True)
class Leaf:
    """Variables to be handed to the base learner, with their independence graph where one was learned."""

    variables: Variables
    uig: UndirectedGraph | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Branch:
    """Variables that were split; ``left`` and ``right`` are the numbers of the nodes over A u C and B u C."""

    variables: Variables
    split: Split
    left: int
    right: int


@dataclass(frozen=True)
class Tree:
    """All nodes in one flat list, the root first. A variable set met twice is one node, reached from two branches."""

    nodes: tuple[Leaf | Branch, ...]

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        """The leaves, in order of their number."""
        return tuple(node for node in self.nodes if isinstance(node, Leaf))

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

    @cached_property
    def depth(self) -> int:
        """Splits on the longest way from the root to a leaf."""
        below = [0] * len(self.nodes)
        for number in self.bottom_up():
            node = self.nodes[number]
            if isinstance(node, Branch):
                below[number] = 1 + max(below[node.left], below[node.right])
        return below[0]

    def bottom_up(self) -> list[int]:
        """Node numbers, children before their branches: a child has fewer variables than its branch."""
        return sorted(range(len(self.nodes)), key=lambda number: (len(self.nodes[number].variables), number))

    def plot(self, ax: Axes | None = None, names: Sequence[str] | None = None) -> Axes:
        """The tree on Matplotlib axes (extra ``plot``): sizes of all parts, separators in orange.

        ``names`` tells the variables by their position (``discovery.skeleton.labels``), so that small separators are spelled out.
        """
        from dicola.report.figures import plot_tree

        return plot_tree(self, ax, names)

    def __repr__(self) -> str:
        return f"<Tree: {self.n_leaves} leaves, largest {self.largest_leaf}, depth {self.depth}>"


@dataclass(frozen=True)
class StopRule:
    """When not to split a set of variables further; ``None`` is no limit, and without limits the paper's rule remains.

    The paper stops where the independence graph is complete. ``max_depth`` bounds the splits above a leaf, ``min_leaf_size`` leaves
    sets of at most that many variables whole, ``max_nodes`` bounds the size of the tree.
    """

    max_depth: int | None = None
    min_leaf_size: int | None = None
    max_nodes: int | None = None

    def __post_init__(self) -> None:
        for name in ("max_depth", "min_leaf_size", "max_nodes"):
            checked_limit(name, getattr(self, name))

    def allows(self, size: int, depth: int, n_nodes: int) -> bool:
        """May a set of this size at this depth be split while the tree has this many nodes?"""
        if self.max_depth is not None and depth >= self.max_depth:
            return False
        if self.min_leaf_size is not None and size <= self.min_leaf_size:
            return False
        return self.max_nodes is None or n_nodes + 2 <= self.max_nodes


def stop_rule(stop: str, n: int, max_depth: int | None = None, min_leaf_size: int | None = None, max_nodes: int | None = None) -> StopRule:
    """The rule named ``stop`` for n variables, tightened by the plain settings.

    ``"paper"`` splits until nothing splits; ``"reference"`` has the caps of the authors' released code: sets of at most n/3 variables
    are leaves, and so is everything at depth 3 (5 above 200 variables).
    """
    if stop not in STOPS:
        raise InvalidSetting(f"stop is {stop!r}; it may be {' or '.join(repr(name) for name in STOPS)}.")
    given = StopRule(max_depth, min_leaf_size, max_nodes)
    if stop == "paper":
        return given
    depth = 3 if n <= 200 else 5
    return StopRule(min(depth, depth if max_depth is None else max_depth), max(n // 3, min_leaf_size or 0), max_nodes)


def decompose(
    ci: CITest,
    blankets: BlanketLearner,
    stop: StopRule,
    uig: Literal["inherit", "relearn"] = "inherit",
    progress: Callable[[int, int], None] | None = None,
) -> Tree:
    """Learn the independence graph of all variables, split it at its best separator, and go on with both sides.

    ``uig="inherit"`` asks again only about the pairs inside a separator; ``"relearn"`` learns every graph from scratch. With perfect
    answers both give the same graphs. No base learner runs here; an explicit queue stands in for recursion. ``progress`` is told how
    many nodes are done and known.
    """
    everything = tuple(range(len(ci)))
    nodes: list[Leaf | Branch] = [Leaf(everything)]
    number_of: dict[Variables, int] = {everything: 0}
    waiting = deque([(0, 0, independence_graph(ci, blankets))])
    while waiting:
        number, depth, graph = waiting.popleft()
        variables = nodes[number].variables
        split = find_split(graph) if stop.allows(len(variables), depth, len(nodes)) else None
        if progress is not None:
            progress(len(nodes) - len(waiting), len(nodes))
        if split is None:
            nodes[number] = Leaf(variables, graph)
            continue
        children = []
        for side in (split.left, split.right):
            kept = tuple(sorted(side + split.separator))
            child = tuple(variables[v] for v in kept)
            if child not in number_of:
                number_of[child] = len(nodes)
                nodes.append(Leaf(child))
                among = ci.among(child)
                if uig == "inherit":
                    place = {v: i for i, v in enumerate(kept)}
                    below = inherited_graph(among, graph, kept, [place[v] for v in split.separator], blankets)
                else:
                    below = independence_graph(among, blankets) if len(split.separator) > 1 else graph.induced(kept)
                waiting.append((number_of[child], depth + 1, below))
            children.append(number_of[child])
        nodes[number] = Branch(variables, split.relabelled(variables), *children)
    return Tree(tuple(nodes))
