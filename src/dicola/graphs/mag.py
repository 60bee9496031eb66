"""Maximal ancestral graphs: the independences and ancestral relations of a DAG among its observed variables."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dicola.errors import InvalidGraph
from dicola.graphs.bits import mask_of, members
from dicola.graphs.marks import ARROW, CIRCLE, TAIL, listed
from dicola.graphs.relatives import reached
from dicola.graphs.separation import Separable
from dicola.watch import heed


class MAG(Separable):
    """A mixed graph with arrowheads and tails only; ``invalid()`` says why it is not a MAG.

    Richardson and Spirtes (2002): ancestral means no directed and no almost directed cycle; maximal
    means that every non-adjacent pair is m-separated by some set. Neither is checked when one is
    built.

    Parameters
    ----------
    marks : square matrix of int
        ``marks[a, b]`` is the mark at b: 0 no edge, 2 arrowhead, 3 tail. A DataFrame brings its
        names.
    names : iterable of str, optional
        In the order of the matrix; X1, X2, … by default.

    Examples
    --------
    >>> mag = MAG.from_text("T --> A; A <-> B; X --> B")
    >>> mag.m_separated("T", "X", []), mag.m_separated("T", "X", ["A", "B"])
    (True, False)

    """

    def ancestors(self, x: object) -> tuple[str, ...]:
        """X and its ancestors, in the order of ``names``.

        Parameters
        ----------
        x : str
            The name of a vertex.

        """
        return tuple(self.names[v] for v in members(self.separation.ancestors[self.index(x)]))

    def invalid(self) -> str | None:
        """Why this is no MAG, as a sentence; ``None`` if it is one."""
        return _wrong_marks(self) or _not_ancestral(self) or _not_maximal(self)

    def canonical_separator(self, a: int, b: int) -> int:
        """The ancestors of two vertices without themselves: they separate them iff anything does.

        Parameters
        ----------
        a, b : int
            Positions.

        Returns
        -------
        int
            A mask: bit v stands for the vertex at position v.

        """
        return (self.separation.ancestors[a] | self.separation.ancestors[b]) & ~(1 << a | 1 << b)

    def maximal(self) -> MAG:
        """The MAG with the same independences as this ancestral graph: an edge for every pair that no set separates.

        Marks of such an edge follow the ancestors (Richardson and Spirtes 2002, Theorem 5.1).
        """
        heads, tails = self.marks == ARROW, self.marks == TAIL
        if (tails & tails.T).any():
            return project(self, tuple(range(len(self))), 0)
        # On a path that no set blocks two colliders a <-> b follow each other, and both are ancestors of its ends: these point at such two.
        is_above = (heads & tails.T).any(axis=1)
        inner = is_above & (heads & heads.T & is_above).any(axis=1)
        return self._with_missing(is_above, np.flatnonzero(heads[:, inner].any(axis=1))) if inner.any() else self

    def _with_missing(self, is_above: NDArray[np.bool_], ends: NDArray[np.int64]) -> MAG:
        """The graph with an edge for each pair that a path joins whose inner vertices are colliders and ancestors of its ends.

        No vertices but those that are ``above`` another can be such ancestors, and no paths but those between these ``ends`` count.
        """
        separation, everything, marks = self.separation, (1 << len(self)) - 1, self.to_matrix()
        above = mask_of(np.flatnonzero(is_above).tolist())
        for x in ends.tolist():
            heed()
            near = separation.walk(x, everything & ~(1 << x), above)
            for y in members(near >> (x + 1) << (x + 1)):
                if not marks[x, y] and not separation.separated_by_ancestors(x, y):
                    marks[y, x] = TAIL if separation.ancestors[y] >> x & 1 else ARROW
                    marks[x, y] = TAIL if separation.ancestors[x] >> y & 1 else ARROW
        return MAG(marks, self.names) if (marks != self.marks).any() else self

    def marginal(self, variables: Iterable[object]) -> MAG:
        """The MAG over a subset: what remains, marks included, when the others are hidden too.

        Parameters
        ----------
        variables : iterable of str
            The names to keep.

        """
        return project(self, self.indices(variables), 0)

    @cached_property
    def _blanket_masks(self) -> list[int]:
        everything = (1 << len(self)) - 1
        return [self.separation.walk(x, everything & ~(1 << x), everything) for x in range(len(self))]

    def blanket(self, x: object) -> tuple[str, ...]:
        """Markov blanket: everything collider connected to x, in the order of ``names``.

        Li et al. (2026), Proposition 2.

        Parameters
        ----------
        x : str
            The name of a vertex.

        """
        return tuple(self.names[v] for v in members(self._blanket_masks[self.index(x)]))

    def augmented(self) -> NDArray[np.bool_]:
        """Augmented graph: x - y iff joined by an edge or a path of colliders; the smallest independence graph of the MAG."""
        n = len(self)
        return np.array([[mask >> y & 1 for y in range(n)] for mask in self._blanket_masks], dtype=np.bool_).reshape(n, n)

    def district(self, x: object) -> tuple[str, ...]:
        """X and all that is joined to it by bidirected edges alone, in the order of ``names``.

        Parameters
        ----------
        x : str
            The name of a vertex.

        """
        around = self.around
        found = reached(self.index(x), lambda v: [w for w, mark in around[v].items() if mark == ARROW == around[w][v]])
        return tuple(self.names[v] for v in sorted(found))


def project(graph: Separable, kept: tuple[int, ...], selected: int) -> MAG:
    """The MAG over ``kept`` of a DAG or MAG, the rest hidden, the vertices of the mask ``selected`` conditioned on.

    x and y are adjacent iff their observed ancestors (with those of the selected vertices) do not separate them; the mark at x is a
    tail iff x is an ancestor of y or of a selected vertex (Richardson and Spirtes 2002, Theorem 4.2).
    """
    separation, observed = graph.separation, mask_of(kept)
    everything = (1 << len(graph)) - 1
    place = {v: i for i, v in enumerate(kept)}
    shared = separation.ancestors_of(selected)
    marks = np.zeros((len(kept), len(kept)), dtype=np.int8)
    for x in kept:
        heed()
        # An inducing path passes observed vertices as colliders only: one walk leaves few candidates for the exact test.
        near = separation.walk(x, (observed | selected) & ~(1 << x), everything) & observed
        for y in members(near >> (x + 1) << (x + 1)):
            ancestors = separation.ancestors[x] | separation.ancestors[y] | shared
            given = (ancestors & observed & ~(1 << x | 1 << y)) | selected
            if y not in graph.around[x] and not separation.walk(x, given, ancestors) >> y & 1:
                continue
            i, j = place[x], place[y]
            marks[j, i] = TAIL if (separation.ancestors[y] | shared) >> x & 1 else ARROW
            marks[i, j] = TAIL if (separation.ancestors[x] | shared) >> y & 1 else ARROW
    return MAG(marks, [graph.names[v] for v in kept])


def _wrong_marks(mag: MAG) -> str | None:
    for a, b in np.argwhere(mag.marks == CIRCLE)[:1]:
        return f"the edge {mag.names[a]!r} - {mag.names[b]!r} has a circle at {mag.names[b]!r}; a MAG has arrowheads and tails only."
    return None


def _not_ancestral(mag: MAG) -> str | None:
    ancestors = mag.separation.ancestors
    ends = [(x, y, mag.around[y][x], mag.around[x][y]) for a, b in mag.pairs() for x, y in ((a, b), (b, a))]
    for x, y, at_x, at_y in ends:
        if at_x == TAIL and at_y == TAIL and ARROW in (mag.around[w][x] for w in mag.around[x]):
            return f"{mag.names[x]!r} has the undirected edge to {mag.names[y]!r} and an arrowhead at it as well."
    for x, y, at_x, at_y in ends:
        a, b = mag.names[x], mag.names[y]
        if at_x == TAIL and at_y == ARROW and ancestors[x] >> y & 1:
            return f"{a!r} --> {b!r} closes a directed cycle: {b!r} is an ancestor of {a!r}."
        if at_x == ARROW and at_y == ARROW and ancestors[y] >> x & 1:
            return f"{a!r} <-> {b!r} closes an almost directed cycle: {a!r} is an ancestor of {b!r}."
    return None


def _not_maximal(mag: MAG) -> str | None:
    for a, near in enumerate(mag._blanket_masks):  # a path that no set blocks has colliders only
        heed()
        for b in members(near >> (a + 1) << (a + 1)):
            if b not in mag.around[a] and not mag.separation.separated_by_ancestors(a, b):
                return f"no set separates {mag.names[a]!r} and {mag.names[b]!r}, although there is no edge between them (not maximal)."
    return None


def require_valid(mag: MAG) -> MAG:
    """The MAG itself, or ``InvalidGraph`` with the reason."""
    reason = mag.invalid()
    if reason is not None:
        raise InvalidGraph(f"this is no maximal ancestral graph over {listed(mag.names)}: {reason}")
    return mag
