"""Where a hidden variable may be looked for in a DAG: what stands in for it.

Without a column of its own a hidden variable leaves traces in the best DAG. One of its children stands in for it, with its parents above
and its other children below; or two of its children have several parents in common, each by arrows of its own. Neither needs an edge
between every two children, so with few rows, where many of these are not worth their price, a hidden variable is seen here first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola._kernels.hidden_splits import ALIKE, split_gains
from dicola.graphs.skeleton import Pair
from dicola.score.base import OrderedDag, to_precision

_HARDLY = 2.0  # what a split must gain in the fit, before its price, for a search around it
_STILL = 0.02  # what a round of its fit gains, at least
_DOUBT = 0.2  # the share of a hidden variable that is its own, beside what two children take from their common parents, at first
_RIDGE = 1e-9  # as elsewhere: with few rows parents may determine each other


class Supposition(NamedTuple):
    """A hidden variable to try: its children and parents, the arrows it takes the place of, and what it is at first.

    That is the other variables by these weights, and a variance that they leave.
    """

    children: tuple[int, ...]
    above: tuple[int, ...]
    gone: tuple[Pair, ...]
    weights: NDArray[np.float64]
    left: float

    @property
    def near(self) -> tuple[int, ...]:
        """All variables next to it."""
        return (*self.children, *self.above)

    def into(self, dag: OrderedDag) -> OrderedDag:
        """The DAG with the hidden variable, behind all others; in the order it comes right before the first of its children."""
        n, parents = len(dag.order), np.pad(dag.parents, (0, 1))
        for u, v in self.gone:
            parents[v, u] = False
        parents[list(self.children), n] = True
        parents[n, list(self.above)] = True
        first = int(np.flatnonzero(np.isin(dag.order, self.children))[0])
        return OrderedDag(np.insert(dag.order, first, n), parents, dag.score, dag.work)


def by_splitting(expected: NDArray[np.float64], dag: OrderedDag, p: int, n_samples: int) -> list[Supposition]:
    """Each of the first p variables as a noisy copy of a hidden one, which has some of its parents and children: the best first."""
    found = split_gains(np.array(expected), *dag.families(), p, _STILL / n_samples)
    worth = np.array([to_precision(gain) for gain in (n_samples * found.gains).tolist()])
    return [
        _split(dag, p, int(found.variables[i]), int(found.sets[i]))
        for i in np.argsort(-worth, kind="stable").tolist()
        if worth[i] >= _HARDLY
    ]


def _split(dag: OrderedDag, p: int, v: int, chosen: int) -> Supposition:
    parents, children = np.flatnonzero(dag.parents[v, :p]).tolist(), np.flatnonzero(dag.parents[:p, v]).tolist()
    above = tuple(u for i, u in enumerate(parents) if chosen >> i & 1)
    below = tuple(c for i, c in enumerate(children, len(parents)) if chosen >> i & 1)
    weights = np.zeros(len(dag.order))
    weights[v] = ALIKE
    return Supposition((v, *below), above, (*((u, v) for u in above), *((v, c) for c in below)), weights, 1 - ALIKE**2)


def by_common_parents(expected: NDArray[np.float64], dag: OrderedDag, p: int) -> list[Supposition]:
    """Every two of the first p variables that have several parents in common there, with a hidden one in between."""
    observed, found = dag.parents[:p, :p], []
    counted = observed.astype(np.float32)
    for w, v in np.argwhere(np.triu(counted @ counted.T > 1, 1)).tolist():
        above = np.flatnonzero(observed[v] & observed[w])
        one, other = (_taken_from(expected, dag, each, above) for each in (v, w))
        weights = one + (other if one @ expected @ other >= 0 else -other)
        arrows = (*((int(u), each) for each in (v, w) for u in above), (v, w), (w, v))
        found.append(Supposition((v, w), tuple(above.tolist()), arrows, weights, _DOUBT * float(weights @ expected @ weights)))
    return found


def _taken_from(expected: NDArray[np.float64], dag: OrderedDag, v: int, above: NDArray[np.int64]) -> NDArray[np.float64]:
    """What a variable takes from some of its parents, with variance 1: the weights of these."""
    parents, weights = np.flatnonzero(dag.parents[v]), np.zeros(len(dag.order))
    weights[parents] = np.linalg.solve(expected[np.ix_(parents, parents)] + _RIDGE * np.eye(len(parents)), expected[parents, v])
    weights[np.setdiff1d(parents, above)] = 0.0
    return np.asarray(weights / np.sqrt(max(float(weights @ expected @ weights), _RIDGE)))
