"""Which model of a learned graph says how likely other rows are."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dicola.ci.base import CITest
from dicola.ci.columns import LEVELLED
from dicola.graphs.marks import MixedGraph
from dicola.score.block_model import BlockModel
from dicola.score.count_model import CountModel
from dicola.score.gaussian_model import GaussianModel
from dicola.tables.table import Table


class RowModel(Protocol):
    """A graph and what was fitted to some rows."""

    @property
    def graph(self) -> MixedGraph:
        """The graph, its variables in the order of the rows."""

    def log_density(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """The logarithm of the density, or of the probability, at each row.

        Parameters
        ----------
        rows : array of float
            One column per variable in the order of ``graph.names``.

        """


def model_behind(test: CITest, table: Table, graph: MixedGraph) -> RowModel | None:
    """The Gaussian model where a test is about correlations; else by kinds: numbers, categories, or both; ``None`` for other columns."""
    if (test.labels, test.names) != (table.labels, table.names):
        return None
    levelled = [kind in LEVELLED for kind in table.kinds]
    if hasattr(test, "correlations") or not (any(levelled) or np.isnan(table.values).any()):
        return GaussianModel.behind(test, table, graph)
    return CountModel.behind(table, graph) if all(levelled) else BlockModel.behind(table, graph)
