"""Causal graphs with hidden common causes, their discrete models, and identification in one known graph.

An independent reference for identification in PAGs: all graphs of a class are listed, and in each the effect is worked out by the ID
algorithm (Tian and Pearl 2002; Shpitser and Pearl 2006). Tables have one axis per observed variable, of length 1 where nothing
depends on it; variables are numbered.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations, product

import numpy as np
from numpy.typing import NDArray

from dicola import DAG, PAG
from dicola.graphs.marks import Mark
from dicola.orient.equivalence import member_mag

Table = NDArray[np.float64]
Variables = frozenset[int]
NOTHING, DIRECTED, CONFOUNDED, BOW = range(4)


@dataclass(frozen=True)
class CausalGraph:
    """A graph over 0, 1, …: arcs, and pairs with a hidden common cause; a pair may have both."""

    n: int
    arcs: frozenset[tuple[int, int]]
    confounded: frozenset[tuple[int, int]]

    def __str__(self) -> str:
        arcs = [f"V{a} -> V{b}" for a, b in sorted(self.arcs)]
        return "; ".join(arcs + [f"V{a} <-> V{b}" for a, b in sorted(self.confounded)])

    @classmethod
    def in_order(cls, n: int, kinds: Iterable[int]) -> CausalGraph:
        """The graph whose arcs point to larger numbers, with one kind for each pair."""
        pairs = list(zip(combinations(range(n), 2), kinds, strict=True))
        arcs = frozenset(pair for pair, kind in pairs if kind in (DIRECTED, BOW))
        return cls(n, arcs, frozenset(pair for pair, kind in pairs if kind in (CONFOUNDED, BOW)))

    def renamed(self, order: tuple[int, ...]) -> CausalGraph:
        """Variable i called ``order[i]``."""
        confounded = frozenset((min(order[a], order[b]), max(order[a], order[b])) for a, b in self.confounded)
        return CausalGraph(self.n, frozenset((order[a], order[b]) for a, b in self.arcs), confounded)

    def parents(self, v: int) -> list[int]:
        return sorted(a for a, b in self.arcs if b == v)

    def ancestors(self, variables: Variables, among: Variables) -> Variables:
        """The variables and their ancestors in the subgraph."""
        found = set(variables)
        while new := {a for a, b in self.arcs if b in found and a in among} - found:
            found |= new
        return frozenset(found)

    def components(self, among: Variables) -> list[Variables]:
        """The c-components of the subgraph."""
        parts = [frozenset({v}) for v in sorted(among)]
        for a, b in sorted(self.confounded):
            if a in among and b in among:
                joined = [part for part in parts if a in part or b in part]
                parts = [part for part in parts if part not in joined] + [frozenset().union(*joined)]
        return parts

    def order(self) -> list[int]:
        """The variables, causes first."""
        left, done = set(range(self.n)), list[int]()
        while left:
            first = min(v for v in left if not left.intersection(self.parents(v)))
            left.remove(first)
            done.append(first)
        return done

    def is_acyclic(self) -> bool:
        left = set(range(self.n))
        while free := {v for v in left if not left.intersection(self.parents(v))}:
            left -= free
        return not left

    def pag(self) -> PAG:
        """Every hidden common cause made a vertex, then hidden."""
        hidden = [f"U{i}" for i in range(len(self.confounded))]
        arcs = [(f"V{a}", f"V{b}") for a, b in sorted(self.arcs)]
        arcs += [(u, f"V{v}") for u, pair in zip(hidden, sorted(self.confounded), strict=True) for v in pair]
        return DAG.from_edges(arcs, nodes=[f"V{v}" for v in range(self.n)] + hidden).true_pag(hidden)


@cache
def _by_pag(n: int) -> dict[bytes, list[CausalGraph]]:
    """All graphs over n variables whose arcs point to larger numbers, by their PAGs."""
    found = defaultdict(list)
    for kinds in product(range(4), repeat=n * (n - 1) // 2):
        graph = CausalGraph.in_order(n, kinds)
        found[graph.pag().marks.tobytes()].append(graph)
    return found


def all_members(pag: PAG) -> list[CausalGraph]:
    """Every causal graph over the variables of a small PAG that has this PAG."""
    n = len(pag)
    members = dict[CausalGraph, None]()
    for order in permutations(range(n)):
        # Variable i of the graphs listed is variable order[i] of the PAG.
        for graph in _by_pag(n).get(pag.marks[np.ix_(order, order)].tobytes(), ()):
            members[graph.renamed(order)] = None
    return list(members)


def all_pags(n: int) -> Iterator[PAG]:
    """Every PAG over n variables, one of those that differ in names only."""
    seen = set[bytes]()
    for graphs in _by_pag(n).values():
        pag = graphs[0].pag()
        if pag.marks.tobytes() not in seen:
            seen.update(pag.marks[np.ix_(order, order)].tobytes() for order in permutations(range(n)))
            yield pag


def sampled_members(graph: CausalGraph, rng: np.random.Generator, steps: int) -> Iterator[CausalGraph]:
    """Some causal graphs with the PAG of this one, by a random walk that changes one to three pairs at a time."""
    pag, members = graph.pag(), {graph}
    pairs = list(combinations(range(graph.n), 2))
    yield graph
    for _ in range(steps):
        arcs, confounded = set(graph.arcs), set(graph.confounded)
        for number in rng.choice(len(pairs), size=int(rng.integers(1, 4)), replace=False):
            a, b = pairs[number]
            arcs -= {(a, b), (b, a)}
            confounded.discard((a, b))
            if (kind := int(rng.integers(4))) in (DIRECTED, BOW):
                arcs.add((a, b) if rng.random() < 0.5 else (b, a))
            if kind in (CONFOUNDED, BOW):
                confounded.add((a, b))
        there = CausalGraph(graph.n, frozenset(arcs), frozenset(confounded))
        if there in members:
            graph = there
        elif there.is_acyclic() and there.pag() == pag:
            graph = there
            members.add(there)
            yield there


def far_members(pag: PAG, rng: np.random.Generator, walks: int, steps: int) -> Iterator[CausalGraph]:
    """Causal graphs of the class from all over it: random walks from MAGs, in which other edges point the other way."""
    for _ in range(walks):
        mag = member_mag(pag.reordered([pag.names[v] for v in rng.permutation(len(pag))])).reordered(pag.names)
        pairs = list(combinations(range(len(pag)), 2))
        confounded = frozenset((a, b) for a, b in pairs if mag.marks[a, b] == mag.marks[b, a] == Mark.ARROW)
        arcs = frozenset(
            (a, b) for c, d in pairs for a, b in ((c, d), (d, c)) if (mag.marks[a, b], mag.marks[b, a]) == (Mark.ARROW, Mark.TAIL)
        )
        yield from sampled_members(CausalGraph(len(pag), arcs, confounded), rng, steps)


@dataclass(frozen=True)
class Model:
    """A causal graph with probabilities: for each variable a table over hidden causes, parents and itself."""

    graph: CausalGraph
    levels: tuple[int, ...]
    hidden_levels: tuple[int, ...]
    hidden: tuple[Table, ...]
    mechanisms: tuple[Table, ...]

    @classmethod
    def random(cls, graph: CausalGraph, rng: np.random.Generator) -> Model:
        """Two or three levels each; no probability is very small."""
        levels = tuple(int(k) for k in rng.integers(2, 4, size=graph.n))
        hidden_levels = tuple(int(k) for k in rng.integers(2, 4, size=len(graph.confounded)))
        hidden = tuple(rng.dirichlet(np.full(k, 2.0)) for k in hidden_levels)
        mechanisms = []
        for v in range(graph.n):
            shape = [levels[a] for a in graph.parents(v)] + [hidden_levels[u] for u in _causes(graph, v)]
            mechanisms.append(0.9 * rng.dirichlet(np.full(levels[v], 0.7), size=shape) + 0.1 / levels[v])
        return cls(graph, levels, hidden_levels, hidden, tuple(mechanisms))

    def set_to_all(self, x: Variables) -> Table:
        """P(the rest | do(x)) for all values of x, with an axis per variable; the joint where x is empty."""
        graph = self.graph
        operands: list[object] = []
        for u, weights in enumerate(self.hidden):
            operands += [weights, [graph.n + u]]
        for v, mechanism in enumerate(self.mechanisms):
            if v not in x:
                operands += [mechanism, [*graph.parents(v), *(graph.n + u for u in _causes(graph, v)), v]]
        for v in x:
            operands += [np.ones(self.levels[v]), [v]]
        return np.einsum(*operands, list(range(graph.n)), optimize=True)


def _causes(graph: CausalGraph, v: int) -> list[int]:
    return [u for u, pair in enumerate(sorted(graph.confounded)) if v in pair]


def effect_in_graph(graph: CausalGraph, joint: Table, x: Variables, y: Variables, given: Variables = frozenset()) -> Table | None:
    """P(y | do(x), given) by the ID and IDC algorithms, from a joint distribution; ``None`` if it is not identified in this graph."""
    for v in sorted(given):
        if _can_be_set(graph, v, x, y, given - {v}):
            return effect_in_graph(graph, joint, x | {v}, y, given - {v})
    both = _effect(graph, joint, x, y | given)
    if both is None:
        return None
    return both / both.sum(axis=tuple(y), keepdims=True)


def _effect(graph: CausalGraph, joint: Table, x: Variables, y: Variables) -> Table | None:
    """The product of the c-factors of the causes of y that x leaves, each identified from the c-factor that holds it."""
    everything = frozenset(range(graph.n))
    causes = graph.ancestors(y, everything - x)
    whole = dict(zip(graph.components(everything), _factors(graph, joint, everything), strict=True))
    result = np.ones((1,) * graph.n)
    for part in graph.components(causes):
        around = next(each for each in whole if part <= each)
        factor = _identified(graph, part, around, whole[around])
        if factor is None:
            return None
        result = result * factor
    return result.sum(axis=tuple(causes - y), keepdims=True)


def _identified(graph: CausalGraph, part: Variables, whole: Variables, factor: Table) -> Table | None:
    """Q[part] from Q[whole], both c-components of their subgraphs (Tian and Pearl 2002)."""
    ancestral = graph.ancestors(part, whole)
    if ancestral == part:
        return factor.sum(axis=tuple(whole - part), keepdims=True)
    if ancestral == whole:
        return None
    smaller = factor.sum(axis=tuple(whole - ancestral), keepdims=True)
    parts = graph.components(ancestral)
    around = next(i for i, each in enumerate(parts) if part <= each)
    return _identified(graph, part, parts[around], _factors(graph, smaller, ancestral)[around])


def _factors(graph: CausalGraph, factor: Table, variables: Variables) -> list[Table]:
    """The c-factors of Q[variables], by the chain rule in an order with causes first."""
    order = [v for v in graph.order() if v in variables]
    tables = [np.ones((1,) * graph.n) for _ in graph.components(variables)]
    for i, v in enumerate(order):
        until = factor.sum(axis=tuple(order[i + 1 :]), keepdims=True)
        at = next(k for k, part in enumerate(graph.components(variables)) if v in part)
        tables[at] = tables[at] * (until / until.sum(axis=v, keepdims=True))
    return tables


def _can_be_set(graph: CausalGraph, v: int, x: Variables, y: Variables, given: Variables) -> bool:
    """Rule 2: v and y separated by x and given when arcs into x and out of v are cut."""
    return exchangeable(graph, frozenset({v}), x, y, given)


def exchangeable(graph: CausalGraph, moved: Variables, x: Variables, y: Variables, given: Variables) -> bool:
    """Is P(y | do(x, moved), given) = P(y | do(x), moved, given) by the second rule of the do-calculus?"""
    hidden = [(f"U{i}", v) for i, pair in enumerate(sorted(graph.confounded)) for v in pair]
    arcs = [(a, b) for a, b in (*sorted(graph.arcs), *hidden) if b not in x and a not in moved]
    nodes = [*(f"V{v}" for v in range(graph.n)), *dict.fromkeys(u for u, _ in hidden)]
    cut = DAG.from_edges([(a if isinstance(a, str) else f"V{a}", f"V{b}") for a, b in arcs], nodes=nodes)
    held = [f"V{v}" for v in x | given]
    return all(cut.d_separated(f"V{a}", f"V{b}", held) for a in moved for b in y)


def splits(n: int) -> Iterator[tuple[Variables, Variables, Variables]]:
    """All questions over n variables: what is set, asked for and given."""
    for roles in product(range(4), repeat=n):
        x, y, given = (frozenset(v for v, role in enumerate(roles) if role == k) for k in (1, 2, 3))
        if x and y:
            yield x, y, given
