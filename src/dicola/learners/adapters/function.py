"""Any function from a table to an adjacency matrix as a base learner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import InitVar, dataclass
from typing import Any

import numpy as np
import pandas as pd

from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import Adjacency
from dicola.errors import InvalidSetting
from dicola.graphs.skeleton import RecordedSets
from dicola.learners.adapters.recover import separating_sets
from dicola.learners.base import Context, Found, Learner, checked_limit

AdjacencyFunction = Callable[[pd.DataFrame, float | None], Any]


@dataclass(frozen=True, eq=False)
class FunctionLearner(Learner):
    """Wrap ``function(data, alpha)``, which returns a square matrix: variables are adjacent where either entry of the pair is not zero.

    ``data`` is a table of the variables at hand, on a leaf those of the leaf; ``alpha`` is the level of the test. The matrix is an
    array, a nested list, or a table whose rows and columns carry the same names. Separating sets are then searched with the test, among
    sets of at most ``max_condition_size`` variables. Needs a test made from a table.

    >>> from dicola import FisherZ, discover, simulate
    >>> data = simulate.linear_gaussian(simulate.er_dag(5, 2, seed=1), 500, seed=1)
    >>> correlated = FunctionLearner(lambda data, alpha: abs(data.corr()) > 0.2, name="correlated")
    >>> discover(FisherZ(data), correlated).settings["learner"]
    {'name': 'correlated', 'max_condition_size': None}
    """

    title = "Function"
    reference = "the user's own"
    guarantee = "that of the function"

    function: InitVar[AdjacencyFunction]  # not a setting: settings are written to files
    name: str = "function"  # type: ignore[misc]
    max_condition_size: int | None = None

    def __post_init__(self, function: AdjacencyFunction) -> None:
        if not callable(function):
            raise InvalidSetting(f"a FunctionLearner wraps a function of (data, alpha); got {type(function).__name__}.")
        checked_limit("max_condition_size", self.max_condition_size)
        vars(self)["function"] = function

    def search(self, ci: Inquiry, context: Context) -> Found:
        if len(ci) < 2:
            return Found(np.zeros((len(ci), len(ci)), dtype=np.bool_), RecordedSets())
        data = pd.DataFrame(ci.samples().copy(), columns=list(ci.labels))
        adjacency = _checked(vars(self)["function"](data, ci.alpha), ci.labels, self.name)
        found = separating_sets(ci, adjacency, RecordedSets(), lambda: context.blanket_graph(ci), self.max_condition_size)
        return Found(adjacency, *found)


def _checked(answer: Any, labels: tuple[str, ...], name: str) -> Adjacency:
    """The answer of a function as a symmetric matrix without a diagonal."""
    k = len(labels)
    if isinstance(answer, pd.DataFrame):
        answer = _in_order(answer, labels, name)
    try:
        matrix = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidSetting(f"{name!r} returned a {type(answer).__name__} that is no matrix of numbers; it must be {k} by {k}.") from None
    if matrix.shape != (k, k):
        raise InvalidSetting(f"{name!r} returned a matrix of shape {matrix.shape} for {k} variables; it must be {k} by {k}.")
    if np.isnan(matrix).any():
        raise InvalidSetting(f"{name!r} returned a matrix with missing entries; each must be 0 or not 0.")
    adjacency: Adjacency = (matrix != 0) | (matrix.T != 0)
    np.fill_diagonal(adjacency, False)
    return adjacency


def _in_order(table: pd.DataFrame, labels: tuple[str, ...], name: str) -> pd.DataFrame:
    """The table in the order of the variables; one that only numbers its rows and columns is in order already."""
    rows, columns = [str(row) for row in table.index], [str(column) for column in table.columns]
    if sorted(rows) == sorted(columns) == sorted(labels):
        return table.set_axis(rows, axis=0).set_axis(columns, axis=1).loc[list(labels), list(labels)]
    if rows == columns == [str(i) for i in range(len(rows))]:
        return table
    raise InvalidSetting(f"{name!r} returned a table whose rows and columns do not carry the names of the {len(labels)} variables.")
