"""The descent in readable form, node by node: the specification of the kernel in ``dicola._kernels.growth``."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from dicola._kernels.splits import in_turn, split_at, work_of
from dicola.blankets.base import BlanketLearner
from dicola.ci.inquiry import Evidence, Inquiry
from dicola.decompose.split import sides_of_split, split_of
from dicola.decompose.tree import Branch, Leaf, LinksAcross, StopRule, Tree
from dicola.decompose.uig import independence_graph
from dicola.graphs.undirected import UndirectedGraph
from tests.graphs.parts import components, induced


def inherited_graph(
    ci: Evidence, parent: UndirectedGraph, kept: Sequence[int], separator: Sequence[int], blankets: BlanketLearner
) -> UndirectedGraph:
    """The independence graph of a child, from its parent's: only pairs inside the separator are asked again.

    ``ci`` is the test among the child's variables, ``kept`` their positions in the parent, ``separator`` the positions of the separator
    in the child.
    """
    related = induced(parent, kept).to_matrix()
    related[np.ix_(separator, separator)] = blankets.learn(Inquiry.of(ci).during("blankets"), separator)
    return UndirectedGraph.from_matrix(related)


@dataclass(frozen=True)
class Waiting:
    """Separators that a node is still to try, best first; ``among`` so many variables they were found, in its very graph if ``fresh``."""

    separators: tuple[tuple[int, ...], ...] = ()
    among: int = 0
    fresh: bool = False

    def below(self, child: np.ndarray) -> Waiting:
        """What a child inherits: the separators that lie in it, if it is nearly as large as the graph they come from."""
        if len(child) <= 0.75 * self.among:
            return Waiting()
        return Waiting(tuple(z for z in self.separators if set(z) <= set(child.tolist())), self.among)


def next_split(graph: UndirectedGraph, variables: np.ndarray, waiting: Waiting, stop: StopRule) -> tuple[np.ndarray | None, Waiting]:
    """Components apart; else the next separator that saves enough, of those that wait or of a list made anew; and what waits then."""
    if graph.is_complete:
        return None, waiting
    if len(components(graph)) > 1:
        return sides_of_split(graph, stop.saving, stop.largest), waiting
    share = -np.inf if stop.saving is None else stop.saving
    while True:
        for tried, separator in enumerate(waiting.separators):
            side = split_at(graph.starts, graph.indices, variables.searchsorted(separator), share, stop.largest)
            if len(side):
                return side, Waiting(waiting.separators[tried + 1 :], waiting.among)
        if waiting.fresh:
            return None, Waiting(among=waiting.among, fresh=True)
        begins, members = in_turn(graph.starts, graph.indices, len(graph) if stop.widest is None else stop.widest)
        found = tuple(tuple(variables[members[a:b]].tolist()) for a, b in pairwise(begins))
        waiting = Waiting(found, len(graph), fresh=True)


def allows(stop: StopRule, graph: UndirectedGraph, depth: int, n_nodes: int, is_dear: bool) -> bool:
    """May a set with this graph at this depth be split while the tree has this many nodes, and takes more work than it should?

    Where cuts are confirmed, components come apart however small the set and whatever the work.
    """
    if stop.max_depth is not None and depth >= stop.max_depth:
        return False
    is_small = stop.min_leaf_size is not None and len(graph) <= stop.min_leaf_size
    if (is_small or is_dear) and (stop.confirm is None or len(components(graph)) == 1):
        return False
    return stop.max_nodes is None or n_nodes + 2 <= stop.max_nodes


def denied(ci: Evidence, variables: np.ndarray, side: np.ndarray, graph: UndirectedGraph, level: float) -> UndirectedGraph | None:
    """The graph with the pairs joined that depend across a cut; ``None`` where the data confirm it."""
    separator, left, right = (np.flatnonzero(side == part) for part in range(3))
    sides = (tuple(variables[part].tolist()) for part in (left, right, separator))
    depends = Inquiry.of(ci).during("blankets").ask(LinksAcross(*sides, level))
    if not depends.any():
        return None
    matrix = graph.to_matrix()
    matrix[np.ix_(left, right)] |= depends
    return UndirectedGraph.from_matrix(matrix | matrix.T)


def decompose(ci: Evidence, blankets: BlanketLearner, stop: StopRule, uig: str = "inherit") -> Tree:
    """Split the graph of all variables at its best separator and go on with both sides; a queue stands in for recursion."""
    everything = np.arange(len(ci))
    root = independence_graph(ci, blankets)
    nodes: list[Leaf | Branch] = [Leaf(tuple(everything.tolist()), root)]
    number_of = {everything.tobytes(): 0}
    work = work_of(root.starts, stop.largest)
    root_work = work
    open_nodes = deque([(0, 0, everything, root, work, Waiting())])
    while open_nodes:
        number, depth, variables, graph, own_work, waiting = open_nodes.popleft()
        while True:
            bound = np.inf if stop.max_work is None else stop.max_work * root_work
            if not allows(stop, graph, depth, len(nodes), work > bound):
                side = None
            elif stop.confirm is None:
                side = sides_of_split(graph, stop.saving, stop.largest)
            else:
                side, waiting = next_split(graph, variables, waiting, stop)
            joined = None if side is None or stop.confirm is None else denied(ci, variables, side, graph, stop.confirm)
            if joined is None:
                break
            graph, before = joined, own_work
            own_work = work_of(graph.starts, stop.largest)
            work += own_work - before
            root_work = own_work if number == 0 else root_work
        nodes[number] = Leaf(nodes[number].variables, graph)
        if side is None:
            continue
        separator = (side == 0).nonzero()[0]
        work -= own_work - len(separator) * (len(separator) - 1)
        children = []
        for other_side in (2, 1):
            kept = (side != other_side).nonzero()[0]
            child = variables[kept]
            known = number_of.setdefault(child.tobytes(), len(nodes))
            children.append(known)
            if known < len(nodes):
                continue
            if len(separator) < 2:
                below = induced(graph, kept)
            elif uig == "inherit":
                below = inherited_graph(ci.among(child), graph, kept, kept.searchsorted(separator).tolist(), blankets)
            else:
                below = independence_graph(ci.among(child), blankets)
            below_work = work_of(below.starts, stop.largest)
            nodes.append(Leaf(tuple(child.tolist()), below))
            open_nodes.append((known, depth + 1, child, below, below_work, waiting.below(child)))
            work += below_work
        nodes[number] = Branch(nodes[number].variables, split_of(side.tolist(), nodes[number].variables), *children)
    return Tree(tuple(nodes))
