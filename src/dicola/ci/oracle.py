"""The perfect test: m-separation in a known graph with hidden variables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from dicola.allowed import NAMES, checked
from dicola.ci.base import CITest
from dicola.ci.questions import Answered, FindSeparator, GivenRest, Question, Verdict
from dicola.errors import InvalidGraph, InvalidSetting
from dicola.graphs.bits import mask_of, members
from dicola.graphs.dag import DAG
from dicola.graphs.mag import MAG, require_valid
from dicola.graphs.skeleton import Variables
from dicola.tables.names import name_order

_REMEMBERED = 1 << 17  # answers kept; a bound on memory, not on meaning
Answer = TypeVar("Answer")
_FEW = 64  # below this many subsets asking each is as fast as reasoning


class Oracle(CITest):
    """Answers from the true graph, a DAG or a MAG, about its observed variables.

    No number of samples, no level, no error.

    Parameters
    ----------
    graph : DAG or MAG
        The truth.
    latents : iterable of str, or str
        Hidden variables: nothing is said of them.
    selection : iterable of str, or str
        Variables of a DAG that are conditioned on throughout, and hidden too.

    Raises
    ------
    InvalidGraph
        Nothing is left to observe, a name is not of the graph, or the MAG is none.
    InvalidSetting
        The graph is neither a DAG nor a MAG.

    Examples
    --------
    >>> dag = DAG.from_edges([("L", "A"), ("L", "B"), ("C", "B")])
    >>> oracle = Oracle(dag, latents=["L"])
    >>> oracle("A", "C").independent, oracle("A", "C", ["B"]).independent
    (True, False)

    """

    @checked(selection=NAMES)
    def __init__(self, graph: DAG | MAG, latents: Iterable[object] | str = (), selection: Iterable[object] | str = ()) -> None:
        if not isinstance(graph, DAG | MAG):
            raise InvalidSetting(
                f"an Oracle answers from a DAG or a MAG, not a {type(graph).__name__}; build one with DAG.from_edges(arcs)."
            )
        latents = (latents,) if isinstance(latents, str) else tuple(latents)
        selection = (selection,) if isinstance(selection, str) else tuple(selection)
        if isinstance(graph, MAG):
            if selection:
                raise InvalidGraph("selection variables belong to a DAG; a MAG carries selection as undirected edges.")
            require_valid(graph)
            hidden = set(graph.indices(latents))
            observed = tuple(v for v in range(len(graph)) if v not in hidden)
        else:
            observed = graph.observed(latents, selection)
        if not observed:
            raise InvalidGraph("every variable is hidden; at least one must be observed.")
        self.graph = graph
        self._separation = graph.separation
        self._selected = mask_of(graph.indices(selection))
        self.names = tuple(graph.names[v] for v in observed)
        order = name_order(self.names)
        self.labels = tuple(self.names[i] for i in order)
        self._at = tuple(observed[i] for i in order)
        self._connected: dict[tuple[int, int], int] = {}

    def among(self, variables: Sequence[int] | NDArray[np.int64]) -> Self:
        part = object.__new__(type(self))
        vars(part).update(vars(self))  # what it remembers of the graph too: keys are vertices, the same for every part
        part.labels = tuple(self.labels[v] for v in variables)
        inside = set(part.labels)
        part.names = tuple(name for name in self.names if name in inside)
        part._at = tuple(self._at[v] for v in variables)
        return part

    def verdict(self, x: int, y: int, z: Variables) -> Verdict:
        given = self._selected
        for v in z:
            given |= 1 << self._at[v]
        key = (self._at[x], given)
        connected = self._connected.get(key)
        if connected is None:
            if len(self._connected) >= _REMEMBERED:
                self._connected.clear()
            connected = self._connected[key] = self._separation.connected(*key)
        independent = not connected >> self._at[y] & 1
        return _YES if independent else _NO

    def answer(self, question: Question[Answer]) -> Answered[Answer] | None:
        if isinstance(question, GivenRest):
            return self._given_rest(question)
        return self._find_separator(question) if isinstance(question, FindSeparator) else question.if_perfect()

    def _given_rest(self, question: GivenRest) -> Answered[Any]:
        """One walk per variable: what is reached past colliders alone is its Markov blanket."""
        inside = list(range(len(self))) if question.block is None else list(question.block)
        place = {self._at[v]: i for i, v in enumerate(inside)}
        everything = mask_of(self._at) | self._selected
        wanted = mask_of(place)
        dependent = np.zeros((len(inside), len(inside)), dtype=np.bool_)
        openers = self._separation.ancestors_of(everything)
        for i, v in enumerate(inside):
            x = self._at[v]
            for y in members(self._separation.walk(x, everything & ~(1 << x), openers) & wanted):
                dependent[i, place[y]] = True
        return dependent, len(inside) * (len(inside) - 1) // 2

    def _find_separator(self, question: FindSeparator) -> Answered[Any] | None:
        """The plain answer, found with fewer questions where there are many sets of one size.

        If any subset of the candidates separates x and y, their ancestors among the candidates do (van der Zander et al. 2019). So one
        question tells that no subset will do, and one per variable tells whether it can be left out. The tests that asking about each
        subset would have taken are counted all the same, but for a ``family``: how many
        sets it has is not worked out, and the questions really asked are counted.
        """
        n = len(question.candidates)
        if all(comb(n, size) <= _FEW for size in question.sizes):
            return None
        total = 0
        for size in question.sizes:
            separator, asked = self._one_by_one(question, size) if comb(n, size) <= _FEW else self._reasoned(question, size)
            total += asked
            if separator is not None:
                return separator, total
        return None, total

    def _one_by_one(self, question: FindSeparator, size: int) -> tuple[Variables | None, int]:
        asked = 0
        for asked, z in enumerate(question.sets(size), start=1):
            if self.verdict(*question.pair, z).independent:
                return z, asked
        return None, asked

    def _reasoned(self, question: FindSeparator, size: int) -> tuple[Variables | None, int]:
        (x, y), family = question.pair, question.family
        pool, old = sorted(question.candidates), [set(part) for part in question.tried]
        first, asked = None, 1
        if self._separable(x, y, pool):
            needed = [v for v in pool if not self._separable(x, y, [w for w in pool if w != v])]
            free = [v for v in pool if v not in needed]
            asked += len(pool)
            for more in combinations(free, size - len(needed)) if len(needed) <= size else ():
                z = tuple(sorted([*needed, *more]))
                if any(part.issuperset(z) for part in old) or (family is not None and z not in family):
                    continue
                asked += 1
                if self.verdict(x, y, z).independent:
                    first = z  # they come up in lexicographic order
                    break
        return first, asked if family is not None else _untried_up_to(first, set(pool), size, old)

    def _separable(self, x: int, y: int, candidates: Sequence[int]) -> bool:
        ancestors = self._separation.ancestors_of(1 << self._at[x] | 1 << self._at[y] | self._selected)
        return self.verdict(x, y, tuple(v for v in candidates if ancestors >> self._at[v] & 1)).independent


def _untried_up_to(last: Variables | None, pool: set[int], size: int, tried: list[set[int]]) -> int:
    """How many subsets of this size lie in no tried set and come up to ``last`` in lexicographic order (``None``: to the end).

    Inclusion and exclusion over the tried sets.
    """
    count = 0
    for n in range(len(tried) + 1):
        for some in combinations(tried, n):
            inside = pool.intersection(*some)
            count += (-1) ** n * (comb(len(inside), size) if last is None else _rank(last, inside))
    return count


def _rank(last: Variables, pool: set[int]) -> int:
    """How many subsets of ``pool`` of the size of ``last`` come before it in lexicographic order, or are it."""
    count, previous = 0, -1
    for i, v in enumerate(last):
        for w in (w for w in pool if previous < w < v):
            count += comb(sum(1 for u in pool if u > w), len(last) - i - 1)
        if v not in pool:
            return count
        previous = v
    return count + 1


_YES = Verdict(True, 1.0)
_NO = Verdict(False, 0.0)
