"""Directed acyclic graphs, and what remains of them when some variables are hidden or selected on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush

import numpy as np
from numpy.typing import ArrayLike

from dicola.allowed import checked
from dicola.errors import InvalidGraph
from dicola.graphs.bits import mask_of
from dicola.graphs.mag import MAG, project
from dicola.graphs.marks import ARROW, TAIL, checked_names
from dicola.graphs.pag import PAG
from dicola.graphs.relatives import Relatives
from dicola.graphs.separation import Separable


class DAG(Relatives, Separable):
    """A directed acyclic graph.

    Parameters
    ----------
    marks : square matrix of int
        ``marks[a, b]`` is the mark at b: 0 no edge, 2 arrowhead, 3 tail. A DataFrame brings its
        names.
    names : iterable of str, optional
        In the order of the matrix; X1, X2, … by default.

    Raises
    ------
    InvalidGraph
        An edge is not directed, or there is a directed cycle.

    Examples
    --------
    >>> dag = DAG.from_edges([("L", "A"), ("L", "B"), ("C", "B")])
    >>> print(dag.true_mag(["L"]))
    A <-> B
    C --> B
    >>> print(dag.true_pag(["L"]))
    A o-> B
    C o-> B

    """

    def __init__(self, marks: ArrayLike, names: Iterable[object] | None = None) -> None:
        super().__init__(marks, names)
        tails = (self.marks == TAIL) & (self.marks.T == ARROW)
        for a, b in np.argwhere((self.marks != 0) & ~tails & ~tails.T)[:1]:
            raise InvalidGraph(f"the edge {self.names[a]!r} - {self.names[b]!r} is not directed; a DAG has directed edges only.")
        try:
            self._sorter().prepare()
        except CycleError as error:
            walk = " -> ".join(self.names[v] for v in error.args[1])
            raise InvalidGraph(f"the graph has a directed cycle: {walk}. Remove or turn one of these arcs.") from None

    @classmethod
    @checked()
    def from_edges(cls, edges: Iterable[Sequence[object]], nodes: Iterable[object] | None = None) -> DAG:
        """Build from arcs.

        Parameters
        ----------
        edges : iterable of pairs
            ``(parent, child)``, by name.
        nodes : iterable of str, optional
            Fixes the order and may add isolated ones; by default the order in which the arcs name
            them.

        Raises
        ------
        InvalidGraph
            Something is not a pair, an arc names what is not among the nodes, or there is a cycle.

        """
        arcs: list[tuple[str, str]] = []
        for edge in edges:
            if isinstance(edge, str) or not isinstance(edge, Sequence | np.ndarray) or len(edge) != 2:
                raise InvalidGraph(f"{edge!r} is not an arc; an arc is a pair (parent, child).")
            arcs.append((str(edge[0]), str(edge[1])))
        names = checked_names(dict.fromkeys(name for arc in arcs for name in arc) if nodes is None else nodes)
        known, drawn = set(names), set(arcs)
        for parent, child in arcs:
            for name in (parent, child):
                if name not in known:
                    raise InvalidGraph(f"the arc {parent!r} -> {child!r} names {name!r}, which is not among the nodes.")
            if parent == child:
                raise InvalidGraph(f"the graph has a directed cycle: {parent} -> {child}. Remove this arc.")
            if (child, parent) in drawn:
                raise InvalidGraph(f"the graph has a directed cycle: {parent} -> {child} -> {parent}. Remove or turn one of these arcs.")
        return cls.from_marked_edges([(parent, child, TAIL, ARROW) for parent, child in arcs], names)

    def arcs(self) -> list[tuple[str, str]]:
        """``(parent, child)`` pairs, sorted by position."""
        return [(self.names[a], self.names[b]) for a, b in np.argwhere(self.marks == ARROW).tolist()]

    def topological_order(self) -> list[int]:
        """Positions, every parent before its children; ties by position."""
        sorter = self._sorter()
        sorter.prepare()
        ready: list[int] = []
        order = []
        while sorter.is_active():
            for v in sorter.get_ready():
                heappush(ready, v)
            order.append(heappop(ready))
            sorter.done(order[-1])
        return order

    def _sorter(self) -> TopologicalSorter[int]:
        sorter: TopologicalSorter[int] = TopologicalSorter(dict.fromkeys(range(len(self)), ()))
        for parent, child in np.argwhere(self.marks == ARROW).tolist():
            sorter.add(child, parent)
        return sorter

    def d_separated(self, x: object, y: object, z: Iterable[object] | str = ()) -> bool:
        """Is every path between x and y blocked given z?

        Parameters
        ----------
        x, y : str
            Names of two vertices.
        z : iterable of str, or str
            Names of others; by default nothing is given.

        Raises
        ------
        InvalidGraph
            A vertex is named twice, or is not of the graph.

        """
        return self.m_separated(x, y, z)

    def observed(self, latents: Iterable[object] | str = (), selection: Iterable[object] | str = ()) -> tuple[int, ...]:
        """Positions of the vertices that are neither hidden nor selected on.

        Parameters
        ----------
        latents : iterable of str, or str
            Hidden vertices.
        selection : iterable of str, or str
            Vertices that are conditioned on throughout.

        Raises
        ------
        InvalidGraph
            A vertex is named as both, or is not of the graph.

        """
        hidden, selected = set(self.indices(latents)), set(self.indices(selection))
        both = hidden & selected
        if both:
            raise InvalidGraph(f"{self.names[min(both)]!r} is named both as hidden and as selected on; it can be one of the two.")
        return tuple(v for v in range(len(self)) if v not in hidden and v not in selected)

    def true_mag(self, latents: Iterable[object] | str = (), selection: Iterable[object] | str = ()) -> MAG:
        """The MAG over the observed variables.

        Parameters
        ----------
        latents : iterable of str, or str
            Hidden vertices; by default none.
        selection : iterable of str, or str
            Vertices that are conditioned on throughout; by default none.

        """
        selected = self.indices(selection)
        return project(self, self.observed(latents, [self.names[v] for v in selected]), mask_of(selected))

    def true_pag(self, latents: Iterable[object] | str = (), selection: Iterable[object] | str = ()) -> PAG:
        """The PAG over the observed variables: all that independences among them can ever tell.

        Parameters
        ----------
        latents : iterable of str, or str
            Hidden vertices; by default none.
        selection : iterable of str, or str
            Vertices that are conditioned on throughout; by default none.

        """
        from dicola.orient.equivalence import mag_to_pag

        return mag_to_pag(self.true_mag(latents, selection))
