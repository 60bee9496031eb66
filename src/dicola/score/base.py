"""What a score is: a number for how badly a graph fits the data, which falls into parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import log
from typing import Self

import numpy as np
from numpy.typing import NDArray

from dicola._kernels.terms import PRECISION, BlockTerms, Terms
from dicola.graphs.mag import MAG
from dicola.graphs.marks import ARROW, TAIL
from dicola.graphs.skeleton import Pair
from dicola.watch import heed


def to_precision(score: float) -> float:
    """A score, or a change of one, as searches compare it: to about a millionth.

    Graphs that no data tell apart have the same score but for rounding, which the order of rows or
    the unit of a column changes. So rounded they are ties, and of equals the first is taken.

    Parameters
    ----------
    score : float
        The number; infinity stays what it is.

    Examples
    --------
    >>> to_precision(0.1 + 0.2) == to_precision(0.3)
    True

    """
    return float(np.rint(score / PRECISION) * PRECISION)


class Score(ABC):
    """A penalised misfit over some variables: the smaller, the better.

    The score of a MAG is the sum over its districts (sets joined by bidirected edges), each with
    the arrows into it; that of a DAG the sum over its variables given their parents. So a search
    needs to look again only at the part that it changes. A score of your own is a class with
    ``names``, ``n_samples``, ``penalty``, ``district`` and ``among``; every search takes it.

    Attributes
    ----------
    names : tuple of str
        The variables; vertices of graphs are positions among them.
    n_samples : int
        The number of rows behind the score.
    penalty : float
        The price of an edge, as a multiple of that of the plain criterion.

    """

    names: tuple[str, ...]
    n_samples: int
    penalty: float

    @property
    def price(self) -> float:
        """What an edge costs."""
        return self.penalty * log(self.n_samples)

    @abstractmethod
    def district(self, members: Sequence[int], arrows: Iterable[Pair], bidirected: Iterable[Pair]) -> float:
        """The part of a district.

        Parameters
        ----------
        members : sequence of int
            The variables of the district.
        arrows : iterable of pairs of int
            The arrows into them, as ``(parent, member)``.
        bidirected : iterable of pairs of int
            The bidirected edges among them.

        """

    @abstractmethod
    def among(self, variables: Sequence[int]) -> Self:
        """The same score over a choice of the variables, numbered anew."""

    def kernel_terms(self) -> Terms | BlockTerms | None:
        """What the compiled searches need to work out this score by themselves, where it has that.

        By default it is ``None``: the searches then ask the score, part by part.
        """
        return None

    def local(self, v: int, parents: Iterable[int]) -> float:
        """The part of one variable given its parents, as in a DAG."""
        heed()
        return self.district((v,), [(u, v) for u in parents], ())

    def mag(self, mag: MAG) -> float:
        """The score of a MAG over these variables: the sum over its districts."""
        return sum((self.district(*part) for part in districts_of(mag.reordered(self.names))), 0.0)

    def __len__(self) -> int:
        return len(self.names)


def districts_of(mag: MAG) -> Iterator[tuple[tuple[int, ...], list[Pair], list[Pair]]]:
    """The parts of a MAG: variables joined by bidirected edges, arrows into them, and these edges."""
    around, left = mag.around, set(range(len(mag)))
    while left:
        members = mag.indices(mag.district(mag.names[min(left)]))
        left -= set(members)
        arrows = [(u, v) for v in members for u in sorted(around[v]) if (around[u][v], around[v][u]) == (ARROW, TAIL)]
        joined = [(v, w) for v in members for w in sorted(around[v]) if v < w and around[v][w] == ARROW == around[w][v]]
        yield members, arrows, joined


@dataclass(frozen=True, eq=False)
class OrderedDag:
    """The DAG that a search ended with: ``parents[v, u]`` says u → v; in ``order`` parents come first.

    ``work`` counts what the search took: searches for the parents of a variable, each growing and
    shrinking once (``order_search``), or parts given some parents (``equivalence_search``).
    """

    order: NDArray[np.int64]
    parents: NDArray[np.bool_]
    score: float
    work: int

    @classmethod
    def of(cls, order: Sequence[int] | NDArray[np.int64], parents: Iterable[Iterable[int]], score: float, work: int) -> OrderedDag:
        """From the parents of each variable in turn."""
        matrix = np.zeros((len(order), len(order)), np.bool_)
        for row, above in zip(matrix, parents, strict=True):
            row[above if isinstance(above, np.ndarray) else list(above)] = True
        return cls(np.array(order, dtype=np.int64), matrix, score, work)

    def families(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """By variable: its parents, ascending, and how many they are."""
        below, above = np.divmod(np.flatnonzero(self.parents), len(self.parents))
        counts = np.bincount(below, minlength=len(self.parents))
        parents = np.zeros((len(counts), max(1, int(counts.max(initial=0)))), dtype=np.int64)
        parents[below, np.arange(len(below)) - np.repeat(np.cumsum(counts) - counts, counts)] = above
        return parents, counts
