"""The effects of several variables that are set together on another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dicola.effects.adjustment import is_selected
from dicola.effects.after_discovery import FEW, Learn, halves
from dicola.effects.by_expression import estimate_by, values_by
from dicola.effects.estimation import Estimate, check_choice
from dicola.effects.identification import SELECTED
from dicola.effects.idp import identify
from dicola.errors import DicolaError, InvalidData, not_allowed
from dicola.graphs.pag import PAG
from dicola.tables.table import Table


@dataclass(frozen=True)
class AskedTogether:
    """The effects of some variables on another, and how intervals are made."""

    x: tuple[str, ...]
    y: str
    level: float = 0.95
    seed: int = 0


@dataclass(frozen=True)
class JointEffect:
    """What is known of the effects of several variables, all of which are set, on another.

    Attributes
    ----------
    x : tuple of str
        The treatments.
    y : str
        The outcome.
    identified : bool
        Does the graph, with the distribution of what was observed, tell the effects?
    expression : str or None
        The distribution of y once all of x are set, in terms of what was observed.
    reason : str or None
        Why they are not identified, or why there are no numbers.
    estimates : dict
        For linear relations an ``Estimate`` by treatment: by how much the mean of y changes per
        unit, while the others stay where they are set. For categories a single one, under the name
        of all: of all having their second level and not their first. Empty where there are none.
    intervals : dict
        By the same names, intervals that allow for discovery; for a graph that was given, and not
        learned, those of the estimates; ``None`` where there is none.
    notes : tuple of str
        What to know before it is believed.

    """

    x: tuple[str, ...]
    y: str
    identified: bool
    expression: str | None
    reason: str | None
    estimates: Mapping[str, Estimate] = field(default_factory=dict)
    intervals: Mapping[str, tuple[float, float] | None] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def effects(self) -> dict[str, float]:
        """The effects by name."""
        return {name: each.value for name, each in self.estimates.items()}

    @property
    def naive_intervals(self) -> dict[str, tuple[float, float]]:
        """The intervals as if the graph had been known before these rows were seen."""
        return {name: each.interval for name, each in self.estimates.items()}

    @property
    def sentence(self) -> str:
        """The answer in words."""
        together = " and ".join(self.x)
        if not self.identified:
            return f"The effect of {together} on {self.y} is not identified: {self.reason}"
        told = [f"With {together} set, {self.y} is distributed as {self.expression}."]
        if self.reason:
            told.append(f"There are no numbers for it: {self.reason}")
        for name, each in self.estimates.items():
            low, high = each.interval
            unit = f"One unit more of {name} changes" if name in self.x else f"Setting {name} changes"
            told.append(f"{unit} {self.y} by {each.value:.3g} on average ({each.level:.0%} interval {low:.3g} to {high:.3g}).")
        told += [
            f"Allowing for discovery that of {name} is {ends[0]:.3g} to {ends[1]:.3g}."
            for name, ends in self.intervals.items()
            if ends is not None and ends != self.naive_intervals.get(name)
        ]
        return " ".join([*told, *(note[:1].upper() + note[1:] for note in self.notes)])

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        plain = ("x", "y", "identified", "expression", "reason", "effects", "naive_intervals", "notes", "sentence")
        return {**{name: getattr(self, name) for name in plain}, "intervals": dict(self.intervals)}


def joint_effect(pag: PAG, table: Table | None, asked: AskedTogether) -> JointEffect:
    """The effects in a graph that is known, from rows where there are any.

    Parameters
    ----------
    pag : PAG
        The graph.
    table : Table, optional
        Rows with its columns.
    asked : AskedTogether
        The effects.

    """
    check_choice("auto", asked.level)
    if is_selected(pag):
        return JointEffect(asked.x, asked.y, False, None, SELECTED)
    found = identify(pag, asked.x, asked.y)
    if found.expression is None:
        return JointEffect(asked.x, asked.y, False, None, found.reason)
    notes = (found.warning,) if found.warning else ()
    known = JointEffect(asked.x, asked.y, True, found.expression.text(beside=(*asked.x, asked.y)), None, notes=notes)
    if table is None:
        return known
    try:
        own = estimate_by(found.expression, table, asked.x, asked.y, level=asked.level, seed=asked.seed)
    except InvalidData as error:
        return replace(known, reason=str(error))
    told = next(iter(own.values())).notes
    return replace(known, estimates=own, intervals={name: each.interval for name, each in own.items()}, notes=(*notes, *told))


def joint_effect_after_discovery(
    pag: PAG, table: Table, learn: Learn, asked: AskedTogether, *, interval: str = "split", replicates: int = 100
) -> JointEffect:
    """The same in a graph that was learned from the rows, with intervals that allow for that.

    Parameters
    ----------
    pag, table, asked
        As in ``joint_effect``.
    learn : callable
        Learns a graph from other rows as this one was learned.
    interval : {"split", "bootstrap", "naive"}
        As for the effect of one variable.
    replicates : int
        Of the bootstrap.

    """
    if interval not in ("split", "bootstrap", "naive"):
        raise not_allowed("interval", interval, "it may be 'split', 'bootstrap', 'naive'.")
    found = joint_effect(pag, table, asked)
    if interval == "naive" or not found.estimates:
        return found
    if interval == "bootstrap":
        intervals, said = _by_bootstrap(learn, table, asked, replicates, found.estimates)
    else:
        intervals, said = _by_splitting(learn, table, asked, found.estimates)
    return replace(found, intervals=intervals, notes=(*found.notes, said))


Intervals = dict[str, tuple[float, float] | None]


def _by_splitting(learn: Learn, table: Table, asked: AskedTogether, names: Mapping[str, Estimate]) -> tuple[Intervals, str]:
    first, second = halves(table, asked.seed)
    nothing: Intervals = dict.fromkeys(names)
    try:
        half = identify(learn(first), asked.x, asked.y)
        if half.expression is None:
            return nothing, f"the graph of half of the rows does not identify it: {half.reason}"
        own = estimate_by(half.expression, second, asked.x, asked.y, level=asked.level, seed=asked.seed)
    except DicolaError as error:
        return nothing, f"half of the rows are not enough: {error}"
    return {
        name: own[name].interval for name in names
    }, "graph and expression come from one half of the rows, the intervals from the other."


def _by_bootstrap(
    learn: Learn, table: Table, asked: AskedTogether, replicates: int, names: Mapping[str, Estimate]
) -> tuple[Intervals, str]:
    if replicates < FEW:
        raise not_allowed("replicates", replicates, f"an interval needs at least {FEW}.")
    values = []
    for i in range(replicates):
        rows = np.sort(np.random.default_rng([asked.seed, i]).integers(table.n_samples, size=table.n_samples))
        try:
            drawn = table.rows(rows)
            formula = identify(learn(drawn), asked.x, asked.y).expression
            if formula is not None:
                values.append([values_by(formula, drawn, asked.x, asked.y)[name] for name in names])
        except DicolaError:  # a column left constant, say: these rows cannot tell
            continue
    told = f"{len(values)} of {replicates} graphs, each learned from rows drawn with replacement, identify it"
    if len(values) < FEW:
        return dict.fromkeys(names), f"only {told}: too few for an interval."
    tail = (1 - asked.level) / 2
    low, high = np.quantile(np.array(values), [tail, 1 - tail], axis=0)
    return {
        name: (float(low[i]), float(high[i])) for i, name in enumerate(names)
    }, f"{told}; the intervals hold the middle of their estimates."


def treatments(pag: PAG, x: object) -> tuple[str, ...] | None:
    """The names of several treatments, as the graph has them; ``None`` where one variable is named."""
    if isinstance(x, str) or not isinstance(x, Sequence | set | frozenset):
        return None
    return tuple(pag.names[v] for v in sorted(pag.index(each) for each in x))
