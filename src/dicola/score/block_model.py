"""The Gaussian model of a graph over blocks of columns: how likely are other rows of numbers and categories?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola._kernels import block_score as kernel
from dicola.ci.columns import LEVELLED, columns_of
from dicola.ci.gaussian import correlation_of, standardised
from dicola.graphs.marks import MixedGraph
from dicola.graphs.skeleton import Pair
from dicola.score.base import districts_of
from dicola.score.block_bic import BlockBIC, read_only
from dicola.score.gaussian_bic import district_lists
from dicola.score.gaussian_model import District
from dicola.score.legal import nearby_mag
from dicola.tables.columns import Column
from dicola.tables.gaps import moments
from dicola.tables.table import Table

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Block:
    """How one variable becomes columns: the different values of a category, each with its row of indicators; none for a number."""

    values: Floats
    rows: Floats

    @classmethod
    def of(cls, column: Column, shown: Floats) -> Block:
        """As a column of a table is shown, row by row."""
        if column.kind not in LEVELLED:
            return cls(np.empty(0), np.empty((0, 1)))
        present = ~column.missing
        found, first = np.unique(column.values[present], return_index=True)
        return cls(found, shown[present][first])

    def shown(self, values: Floats) -> Floats:
        """Other values as columns; a level that was never seen has none of the indicators."""
        if not len(self.values):
            return values[:, None]
        at = np.minimum(np.searchsorted(self.values, values), len(self.values) - 1)
        return np.asarray(np.where((self.values[at] == values)[:, None], self.rows[at], 0.0))


class FittedBlocks(NamedTuple):
    """How each variable becomes columns, mean and standard deviation of these, and the districts at their most likely."""

    blocks: list[Block]
    mean: Floats
    deviation: Floats
    districts: list[District]


@dataclass(eq=False)
class BlockModel:
    """The Gaussian model of the columns that stand for the variables of a graph.

    A category is a block of indicators, a number a block of one column, as in ``BlockBIC``. All variances are
    raised by one part in as many as there are rows, so that a column that others determine makes no row
    impossible. Gaps are allowed for by maximum likelihood.

    Parameters
    ----------
    graph : MixedGraph
        A PAG, legal or not, in the fixed order of the table; the model is that of a MAG of its class, or of one nearby.
    table : Table, optional
        Numbers and categories. It is forgotten once the model is fitted, which happens when it is asked for or stored.

    """

    graph: MixedGraph
    table: Table | None

    @classmethod
    def behind(cls, table: Table, graph: MixedGraph) -> BlockModel:
        """The model on the rows of a table."""
        return cls(graph.reordered(table.labels), table)

    @cached_property
    def fitted(self) -> FittedBlocks:
        """All that the rows have told."""
        table, self.table = self.table, None
        assert table is not None
        columns, share = columns_of(table, gaps=True), 1 / table.n_samples
        if np.isnan(columns.values).any():
            found = moments(columns.values)
            mean, deviation, correlation = found.mean, np.sqrt(np.diag(found.covariance)), standardised(found.covariance)
        else:
            mean, deviation = columns.values.mean(axis=0), columns.values.std(axis=0)
            correlation = correlation_of(columns.values)
        raised = (correlation + share * np.eye(len(correlation))) / (1 + share)
        whole = BlockBIC(raised, table.n_samples, np.diff(columns.begins))
        ends = zip(columns.begins[:-1], columns.begins[1:], strict=True)
        blocks = [Block.of(column, columns.values[:, a:b]) for column, (a, b) in zip(table.columns, ends, strict=True)]
        return FittedBlocks(blocks, mean, deviation, [_fitted(whole, raised, *parts) for parts in districts_of(nearby_mag(self.graph))])

    def __getstate__(self) -> dict[str, Any]:
        """Without the rows."""
        self.fitted  # noqa: B018  # fits, and forgets the table
        return vars(self).copy()

    def log_density(self, rows: Floats) -> Floats:
        """The logarithm of the density at each row.

        Parameters
        ----------
        rows : array of float
            One column per variable in the order of ``graph.names``, numbered as those of the table.

        """
        blocks, mean, deviation, districts = self.fitted
        shown = np.hstack([block.shown(values) for block, values in zip(blocks, rows.T, strict=True)])
        standard = (shown - mean) / deviation
        return np.asarray(sum(part.log_density(standard) for part in districts) - np.log(deviation).sum())


def _fitted(whole: BlockBIC, covariance: Floats, members: Sequence[int], arrows: Sequence[Pair], bidirected: Sequence[Pair]) -> District:
    """The most likely slopes and precision of a district on the columns as they are, as the kernel leaves them in its room."""
    inside, lists, lengths = district_lists(members, arrows, bidirected)
    begins, d = whole._terms.begins, len(members)
    columns = np.concatenate([np.arange(begins[v], begins[v + 1]) for v in inside])
    part = whole.among(inside)._terms._replace(covariance=read_only(covariance[np.ix_(columns, columns)]))
    room = kernel.make_block_room(len(inside), len(part.covariance), d, int(np.diff(part.begins).max()))
    kernel.fit_blocks(part, np.arange(d), d, lists, lengths, room)
    size, own = len(part.covariance), int(part.begins[d])
    local = columns[room.column[:size]].tolist()
    if d > 1:
        return District(local[:own], local, room.slopes[:own, :size].copy(), room.inverse[:own, :own].copy())
    left = np.tril(room.left[kernel.LEFT, :own, :own])
    slopes = np.zeros((own, size))
    slopes[:, room.chosen[: size - own]] = room.right[: size - own, :own].T
    return District(local[:own], local, slopes, np.asarray(np.linalg.inv(left + np.tril(left, -1).T), dtype=np.float64))
