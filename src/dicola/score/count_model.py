"""The model of a graph over categories, by counting: how likely are other rows?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola.graphs.mag import MAG
from dicola.graphs.marks import ARROW, TAIL, MixedGraph
from dicola.graphs.relatives import reached
from dicola.score.legal import nearby_mag
from dicola.tables.table import Table

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_WEIGHT = 1.0  # of the shares of the levels in all rows, in rows: what each combination begins with


class Family(NamedTuple):
    """One variable given some others: how often each combination came, as sorted numbers with their counts.

    ``given`` are the others; ``shares`` those of the levels in all rows, the last one for a level that was never seen.
    """

    variable: int
    given: tuple[int, ...]
    shares: Floats
    strata: Ints
    of_stratum: Ints
    cells: Ints
    of_cell: Ints


@dataclass(eq=False)
class CountModel:
    """Chances of the levels of each variable, given those before it that the graph does not part it from.

    The variables stand in an order in which causes come first. Given its blanket among those before it (its
    parents, the variables that bidirected edges lead to, and their parents), a variable is independent of all
    others before it, so that the product of these chances is the probability of a row. The levels of a
    combination begin with one row, shared as the levels are in the whole table: no row has probability 0.

    Parameters
    ----------
    graph : MixedGraph
        A PAG, legal or not; the model is that of a MAG of its class, or of one nearby.
    values : tuple of arrays of float
        The different values of each variable, in the order of ``graph.names``.
    codes : matrix of int, optional
        A row per variable: the position of the value of each row, -1 for a gap. They are forgotten once
        everything is counted, which happens when it is asked for or stored.

    """

    graph: MixedGraph
    values: tuple[Floats, ...]
    codes: Ints | None

    @classmethod
    def behind(cls, table: Table, graph: MixedGraph) -> CountModel:
        """The model on the rows of a table; a row with a gap counts where it has none."""
        values = tuple(np.unique(column.values[~column.missing]) for column in table.columns)
        return cls(graph.reordered(table.labels), values, _positions(values, table.values))

    @cached_property
    def families(self) -> list[Family]:
        """Each variable given its blanket among those before it, counted."""
        codes = self.codes
        assert codes is not None
        self.codes = None
        levels = [len(values) + 1 for values in self.values]
        return [_counted(codes, levels, v, given) for v, given in blankets_before(nearby_mag(self.graph))]

    def __getstate__(self) -> dict[str, Any]:
        """Without the rows."""
        self.families  # noqa: B018  # counts, and forgets the rows
        return vars(self).copy()

    def log_density(self, rows: Floats) -> Floats:
        """The logarithm of the probability of each row.

        Parameters
        ----------
        rows : array of float
            One column per variable in the order of ``graph.names``, numbered as those of the table.

        """
        codes, levels = _positions(self.values, rows), [len(values) + 1 for values in self.values]
        return np.asarray(sum(_log_chances(family, codes, levels) for family in self.families))


def blankets_before(mag: MAG) -> list[tuple[int, tuple[int, ...]]]:
    """The variables in an order in which causes come first, each with its blanket among those before it.

    >>> from dicola import MAG
    >>> mag = MAG.from_text("a --> b; b <-> c; d --> c")
    >>> [(mag.names[v], [mag.names[u] for u in given]) for v, given in blankets_before(mag)]
    [('a', []), ('b', ['a']), ('d', []), ('c', ['a', 'b', 'd'])]
    """
    around = mag.around
    parents = [{u for u in around[v] if (around[u][v], around[v][u]) == (ARROW, TAIL)} for v in range(len(mag))]
    spouses = [{u for u in around[v] if around[u][v] == ARROW == around[v][u]} for v in range(len(mag))]
    order = list[int]()
    for v in range(len(mag)):
        _put_behind_causes(v, parents, order)
    found, before = [], set[int]()
    for v in order:
        before.add(v)
        district = reached(v, lambda u: spouses[u] & before)
        blanket = set.union(district, *(parents[u] for u in district)) - {v}
        found.append((v, tuple(sorted(blanket))))
    return found


def _put_behind_causes(v: int, parents: list[set[int]], order: list[int]) -> None:
    waiting = [v]
    while waiting:
        u = waiting[-1]
        above = sorted(parents[u].difference(order))
        if above:
            waiting.append(above[0])
        else:
            waiting.pop()
            if u not in order:
                order.append(u)


def _positions(values: tuple[Floats, ...], rows: Floats) -> Ints:
    """The position of each entry among the different values of its column; -1 where it is a gap or was never seen."""
    codes = np.empty(rows.shape[::-1], dtype=np.int64)
    for own, known, column in zip(codes, values, rows.T, strict=True):
        own[:] = np.minimum(np.searchsorted(known, column), len(known) - 1)
        own[known[own] != column] = -1
    return codes


def _numbers(codes: Ints, levels: list[int], given: tuple[int, ...]) -> Ints:
    """One number per row for the combination of levels of some variables; a level that was never seen is one of its own.

    They wrap around where there are very many combinations, the same way for the same combination.
    """
    numbers = np.zeros(codes.shape[1], dtype=np.int64)
    for v in given:
        numbers = numbers * levels[v] + (codes[v] + 1)
    return numbers


def _counted(codes: Ints, levels: list[int], v: int, given: tuple[int, ...]) -> Family:
    complete = (codes[[v, *given]] >= 0).all(axis=0)
    strata = _numbers(codes[:, complete], levels, given)
    own = codes[v, codes[v] >= 0]
    shares = (np.bincount(own, minlength=levels[v]) + 1.0) / (len(own) + levels[v])
    numbers, of_number = np.unique(strata, return_counts=True)
    cells, of_cell = np.unique(strata * levels[v] + codes[v, complete], return_counts=True)
    return Family(v, given, shares, numbers, of_number, cells, of_cell)


def _log_chances(family: Family, codes: Ints, levels: list[int]) -> Floats:
    v, own = family.variable, codes[family.variable]
    strata = _numbers(codes, levels, family.given)
    cells = _times(family.cells, family.of_cell, strata * levels[v] + own, own >= 0)
    within = _times(family.strata, family.of_stratum, strata, np.ones(len(own), dtype=np.bool_))
    return np.asarray(np.log((cells + _WEIGHT * family.shares[own]) / (within + _WEIGHT)))


def _times(numbers: Ints, counts: Ints, asked: Ints, known: NDArray[np.bool_]) -> Ints:
    """How often some numbers came; 0 for those that are not known."""
    at = np.minimum(np.searchsorted(numbers, asked), len(numbers) - 1)
    return np.where(known & (numbers[at] == asked), counts[at], 0) if len(numbers) else np.zeros(len(asked), dtype=np.int64)
