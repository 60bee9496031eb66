"""Intervals that allow for the graph having been learned from the same table: by splitting it, or by learning again and again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from dicola.effects.adjustment import Adjustment, is_selected
from dicola.effects.by_expression import estimate_by, values_by
from dicola.effects.estimation import Estimate, Method, estimate, numeric_covariance
from dicola.effects.identification import ToldBy, identified_by, told_by
from dicola.effects.variance import lowest_variance
from dicola.errors import DicolaError, not_allowed
from dicola.graphs.pag import PAG
from dicola.tables.table import Table

Learn = Callable[[Table], PAG]
"""Makes a graph of rows, as the run did whose graph is judged."""

FEW: Final = 20
"""How many replicates must identify the effect for an interval of theirs."""


@dataclass(frozen=True)
class Asked:
    """The effect of x on y, and how it is to be estimated."""

    x: str
    y: str
    method: Method = "auto"
    level: float = 0.95
    seed: int = 0

    def estimated(self, table: Table, found: ToldBy, given: tuple[str, ...] | None) -> Estimate | None:
        """The effect by what identifies it: with a set held fixed, or by an expression; ``None`` where nothing does."""
        if given is not None:
            return estimate(table, self.x, self.y, given, method=self.method, level=self.level, seed=self.seed)
        if found.formula is None:
            return None
        (own,) = estimate_by(found.formula, table, [self.x], self.y, level=self.level, seed=self.seed).values()
        return own


@dataclass(frozen=True)
class AfterDiscovery:
    """An interval that allows for discovery.

    Attributes
    ----------
    way : {"split", "bootstrap"}
        The graph was learned from one half of the rows and the effect estimated from the other; or
        both were done anew on rows drawn with replacement.
    interval : pair of float, or None
        ``None`` where the graph of the half, or of most replicates, does not identify the effect.
    value : float or None
        The estimate from the other half; the median of the replicates.
    given : tuple of str or None
        The set that the graph of the half gave; ``None`` for replicates, where sets differ.
    identified : float
        The share of graphs that identified the effect.
    sentence : str
        The same in words.

    """

    way: str
    interval: tuple[float, float] | None
    value: float | None
    given: tuple[str, ...] | None
    identified: float
    sentence: str


def chosen_set(pag: PAG, x: str, y: str, table: Table | None) -> tuple[ToldBy, tuple[str, ...] | None]:
    """What identifies the effect, and the adjustment set of lowest variance in some rows; the smallest where that cannot be told."""
    if is_selected(pag):
        return told_by(pag, x, y), None
    criterion = Adjustment.between(pag, x, y)
    found = identified_by(criterion)
    if found.by != "adjustment":
        return found, None
    covariance = None if table is None else numeric_covariance(table, pag.names)
    best = None if covariance is None else lowest_variance(criterion, covariance)
    return found, found.sets[0] if best is None else criterion.named(best)


def by_splitting(learn: Learn, table: Table, asked: Asked) -> AfterDiscovery:
    """Learn the graph and choose the set on one half of the rows, estimate on the other.

    Whatever the first half says, the second knows nothing of it: so the interval covers the
    regression that was chosen at its level. It covers the effect where the graph of the half is
    right about it.

    Parameters
    ----------
    learn : callable
        From a table to a PAG.
    table : Table
        All rows; the seed of ``asked`` says how they are split.
    asked : Asked
        The effect.

    """
    first, second = halves(table, asked.seed)
    try:
        pag = learn(first)
        found, given = chosen_set(pag, asked.x, asked.y, first)
        if found.by == "no path":
            return AfterDiscovery("split", (0.0, 0.0), 0.0, None, 1.0, "The graph of half of the rows says that it is zero.")
        own = asked.estimated(second, found, given)
    except DicolaError as error:
        return AfterDiscovery("split", None, None, None, 0.0, f"Half of the rows are not enough: {error}")
    if own is None:
        return AfterDiscovery("split", None, None, None, 0.0, f"The graph of half of the rows does not identify it: {found.reason}")
    what = "expression" if given is None else f"set {_braced(given)}"
    said = f"The graph and the {what} come from one half of the rows, the interval from the other."
    return AfterDiscovery("split", own.interval, own.value, given, 1.0, said)


def halves(table: Table, seed: int) -> tuple[Table, Table]:
    """The rows in two halves, drawn by the seed, each in the order of the table."""
    order = np.random.default_rng(seed).permutation(table.n_samples)
    half = table.n_samples // 2
    return table.rows(np.sort(order[:half])), table.rows(np.sort(order[half:]))


def by_bootstrap(learn: Learn, table: Table, asked: Asked, replicates: int = 100) -> AfterDiscovery:
    """Learn the graph, choose the set and estimate, on rows drawn with replacement, many times; the middle of what comes out.

    Parameters
    ----------
    learn, table, asked
        As in ``by_splitting``.
    replicates : int
        How many times; replicate i depends on the seed and on i alone.

    """
    if replicates < FEW:
        raise not_allowed("replicates", replicates, f"an interval needs at least {FEW}.")
    values = []
    for i in range(replicates):
        drawn = np.random.default_rng([asked.seed, i]).integers(table.n_samples, size=table.n_samples)
        value = _replicate(learn, table.rows(np.sort(drawn)), asked)
        if value is not None:
            values.append(value)
    share = len(values) / replicates
    zeros = values.count(0.0)
    told = f"{len(values)} of {replicates} graphs, each learned from rows drawn with replacement, identify it"
    told += f", {zeros} of them as zero" if zeros else ""
    if len(values) < FEW:
        return AfterDiscovery("bootstrap", None, None, None, share, f"Only {told}: too few for an interval.")
    tail = (1 - asked.level) / 2
    low, middle, high = np.quantile(values, [tail, 0.5, 1 - tail]).tolist()
    said = f"{told}; the interval holds the middle {asked.level:.0%} of their estimates."
    return AfterDiscovery("bootstrap", (low, high), middle, None, share, said)


def _replicate(learn: Learn, table: Table, asked: Asked) -> float | None:
    try:
        found, given = chosen_set(learn(table), asked.x, asked.y, table)
        if found.by == "no path":
            return 0.0
        if found.formula is not None:  # the drawn tables tell the error, so none is asked for
            return values_by(found.formula, table, [asked.x], asked.y)[asked.x]
        own = asked.estimated(table, found, given)
        return None if own is None else own.value
    except DicolaError:  # a column left constant, say: these rows cannot tell
        return None


def _braced(names: tuple[str, ...]) -> str:
    return "{" + ", ".join(names) + "}"
