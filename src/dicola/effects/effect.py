"""The effect of one variable on another: identified, bounded, or not identifiable with the reason."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import pandas as pd

from dicola.allowed import check, checked, instance
from dicola.effects.adjustment import Adjustment, is_selected
from dicola.effects.after_discovery import AfterDiscovery, Asked, Learn, by_bootstrap, by_splitting, chosen_set
from dicola.effects.estimation import Estimate, Method, check_choice, check_ends
from dicola.effects.identification import SELECTED, ToldBy, adjustment_formula
from dicola.effects.joint import AskedTogether, JointEffect, joint_effect, treatments
from dicola.effects.member_range import MOST, MemberRange, member_range
from dicola.effects.reading import identification_in_words
from dicola.errors import InvalidData, InvalidSetting, not_allowed
from dicola.graphs.pag import PAG
from dicola.tables.table import Table, as_table

Interval = Literal["split", "bootstrap", "naive"]
_WAYS = ("split", "bootstrap", "naive")


@dataclass(frozen=True)
class Effect:
    """What is known of the effect of x on y.

    Attributes
    ----------
    x, y : str
        The treatment and the outcome.
    identified : bool
        Does the graph, with the distribution of what was observed, tell the effect?
    set : tuple of str or None
        What is held fixed: of all adjustment sets the one of lowest estimated variance, or the
        smallest without a table of numbers. ``None`` where there is none, or none is needed as x
        is no cause of y.
    sets : tuple of tuples of str
        All minimal adjustment sets, at most 1,000.
    expression : str or None
        The distribution of y once x is set, in terms of what was observed.
    reason : str or None
        Why it is not identified, or why there is no number.
    by : str
        What identifies it: ``"adjustment"``, ``"no path"`` (it is zero), ``"expression"`` or
        ``"nothing"``.
    estimate : Estimate or None
        The estimate from all rows as if the graph had been known before; ``None`` without rows.
    after : AfterDiscovery or None
        The interval that allows for the graph having been learned from the same rows.
    range : MemberRange or None
        Where it is not identified: what the graphs of the class make of it.
    notes : tuple of str
        What to know before it is believed.

    """

    x: str
    y: str
    identified: bool
    set: tuple[str, ...] | None
    sets: tuple[tuple[str, ...], ...]
    expression: str | None
    reason: str | None
    by: str
    estimate: Estimate | None = None
    after: AfterDiscovery | None = None
    range: MemberRange | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def value(self) -> float | None:
        """The change in the mean of y per unit of x, from all rows; ``None`` where it cannot be told."""
        if self.by == "no path":
            return 0.0
        return None if self.estimate is None else self.estimate.value

    @property
    def naive_interval(self) -> tuple[float, float] | None:
        """The interval as if the graph had been known before these rows were seen; too narrow where it was learned from them."""
        if self.by == "no path":
            return (0.0, 0.0)
        return None if self.estimate is None else self.estimate.interval

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval that allows for discovery; for a graph that was given, and not learned, the plain one."""
        return self.naive_interval if self.after is None else self.after.interval

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Where it is not identified: the smallest and largest effect among the graphs of the class that identify one.

        What the other graphs leave open is told by ``range`` and ``sentence``. ``None`` where it is
        identified, and where no graph identifies one.
        """
        return None if self.range is None else self.range.bounds

    @property
    def robustness(self) -> float | None:
        """How strong a further hidden cause would have to be: the robustness value of ``Estimate.robustness_value``."""
        return None if self.estimate is None else self.estimate.robustness_value()

    @property
    def sentence(self) -> str:
        """The answer in words."""
        return " ".join(filter(None, (self._answer(), self._doubt(), *(note[:1].upper() + note[1:] for note in self.notes))))

    def _answer(self) -> str:
        if self.by == "no path":
            return f"{self.x} is not a cause of {self.y} in this graph: no path between them could be causal, so the effect is zero."
        if not self.identified:
            told = f"The effect of {self.x} on {self.y} is not identified: {self.reason}"
            return f"{told} {self.range.sentence}" if self.range is not None else told
        if self.estimate is None:
            how = identification_in_words(ToldBy(self.x, self.y, self.by, self.sets, self.expression))
            return f"Identified: {how}" + (f" There is no number for it: {self.reason}" if self.reason else "")
        held = f"with {', '.join(self.set)} held fixed" if self.set else "with nothing held fixed"
        held = f"by {self.expression}" if self.set is None else held
        low, high = self.estimate.interval
        known = f"{self.estimate.level:.0%} interval {low:.3g} to {high:.3g}"
        return (
            f"One unit more of {self.x} changes {self.y} by {self.estimate.value:.3g} on average, {held} "
            f"({known}{', as if the graph had been known before' if self.after else ''})."
        )

    def _doubt(self) -> str:
        told = []
        if self.after is not None:
            ends = self.after.interval
            reach = "" if ends in (None, (0.0, 0.0)) else "Allowing for discovery it is {:.3g} to {:.3g}. ".format(*ends)
            told.append(f"{reach}{self.after.sentence}")
        if self.robustness is not None:
            told.append(
                f"A further hidden cause would have to explain {self.robustness:.1%} of what is left of both {self.x} and {self.y} "
                "to explain it away."
            )
        return " ".join(told)

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        plain = ("x", "y", "identified", "by", "set", "sets", "expression", "reason", "value", "interval", "naive_interval", "bounds")
        return {
            **{name: getattr(self, name) for name in plain},
            "robustness": self.robustness,
            "method": None if self.estimate is None else self.estimate.method,
            "error": None if self.estimate is None else self.estimate.error,
            "rows": None if self.estimate is None else self.estimate.n_rows,
            "members": None
            if self.range is None
            else {"identified": self.range.n_identified, "open": self.range.n_open, "complete": self.range.complete},
            "after": None if self.after is None else {"way": self.after.way, "set": self.after.given, "identified": self.after.identified},
            "notes": self.notes,
            "sentence": self.sentence,
        }

    def to_dowhy(self) -> dict[str, Any]:
        """What DoWhy needs to know: ``dowhy.CausalModel(data=frame, **effect.to_dowhy())``.

        The set that was held fixed goes in as the common causes, so that DoWhy's back-door estimand
        is the one that was identified here.

        Raises
        ------
        InvalidSetting
            No adjustment set identifies the effect.

        """
        return {"treatment": [self.x], "outcome": [self.y], "common_causes": list(self._held())}

    def to_econml(self, frame: pd.DataFrame) -> dict[str, Any]:
        """What EconML needs to fit: ``LinearDML().fit(**effect.to_econml(frame))``.

        Parameters
        ----------
        frame : DataFrame
            The table, with the names of the graph.

        Returns
        -------
        dict
            ``Y`` and ``T``, and as ``W`` the columns that are held fixed, ``None`` where there are
            none.

        Raises
        ------
        InvalidSetting
            No adjustment set identifies the effect.

        """
        held = list(self._held())
        return {"Y": frame[self.y].to_numpy(), "T": frame[self.x].to_numpy(), "W": frame[held].to_numpy() if held else None}

    def _held(self) -> tuple[str, ...]:
        if self.set is None:
            raise InvalidSetting(
                f"no adjustment set identifies the effect of {self.x} on {self.y}, so there is nothing to hand over. {self}"
            )
        return self.set


@checked(pag=instance(PAG))
def effect(
    pag: PAG, x: object, y: object, table: Any = None, *, method: Method = "auto", level: float = 0.95, seed: int = 0, members: int = MOST
) -> Effect | JointEffect:
    """The effect of x on y in a graph that is known, from a table where there is one.

    The intervals take the graph as given. Where it was learned from the same table, ask the fitted
    model instead (``DiCoLa.effect``), which allows for that.

    Parameters
    ----------
    pag : PAG
        The graph.
    x, y : str
        The names of the treatment and the outcome; for x also a list of names: all of them are set.
    table : DataFrame, array, dict or Table, optional
        Rows with the columns of the graph; without them only identification is told.
    method : {"auto", "gaussian", "robust", "doubly-robust"}
        The closed form for Gaussian variables; linear regression with errors that allow for unequal
        variances (HC3); for a binary treatment, outcome and treatment both modelled and
        cross-fitted (AIPW). ``"auto"`` takes the last for a binary treatment, else the second.
    level : float
        Of the intervals.
    seed : int
        For the folds of the doubly robust estimate.
    members : int
        How many MAGs of the class to look at where the effect is not identified.

    Returns
    -------
    Effect
        Its ``sentence`` has the answer in words. A ``JointEffect`` where x is a list.

    Raises
    ------
    InvalidGraph
        A name is no vertex of the graph, or was given twice.
    InvalidSetting
        A setting is not allowed.

    Examples
    --------
    >>> from dicola import PAG
    >>> found = effect(PAG.from_text("W o-> X; V o-> X; X --> Y; W o-> Y"), "X", "Y")
    >>> found.identified, found.set, found.expression
    (True, ('W',), 'Σ_{W} P(Y | X, W) P(W)')
    >>> print(effect(PAG.from_text("X o-> Y"), "X", "Y").reason)
    no adjustment set exists for X and Y: the path X o-> Y could be causal, and its first edge, X o-> Y, leaves open whether it is causal.

    """
    check_choice(method, level)
    check("members", members)
    rows = None if table is None else as_table(table).understood()
    if (several := treatments(pag, x)) is not None:
        return joint_effect(pag, rows, AskedTogether(several, pag.names[pag.index(y)], level, seed))
    asked = Asked(pag.names[pag.index(x)], pag.names[pag.index(y)], method, level, seed)
    return effect_in(pag, rows, asked, members)


def effect_after_discovery(
    pag: PAG, table: Table, learn: Learn, asked: Asked, *, interval: Interval = "split", replicates: int = 100, members: int = MOST
) -> Effect:
    """The effect in a graph that was learned from the table, with an interval that allows for that.

    Parameters
    ----------
    pag : PAG
        The graph of all rows.
    table : Table
        The rows.
    learn : callable
        Learns a graph from other rows as this one was learned.
    asked : Asked
        The effect.
    interval : {"split", "bootstrap", "naive"}
        How to allow for discovery; ``"naive"`` does not.
    replicates : int
        Of the bootstrap.
    members : int
        As for ``effect``.

    """
    if interval not in _WAYS:
        raise not_allowed("interval", interval, f"it may be {', '.join(map(repr, _WAYS))}.")
    check_choice(asked.method, asked.level)
    found = effect_in(pag, table, asked, members)
    if interval == "naive" or not found.identified or found.value is None:
        return found
    after = by_splitting(learn, table, asked) if interval == "split" else by_bootstrap(learn, table, asked, replicates)
    if after.way == "split" and after.interval == (0.0, 0.0):
        if found.by == "no path":
            return replace(found, after=replace(after, sentence="The graph of half of the rows says so too."))
        told = "The graph of all rows says that it is there, that of half of them that it is zero: no interval can allow for that."
        after = replace(after, interval=None, value=None, sentence=told)
    return replace(found, after=after)


def under_selection(asked: Asked | AskedTogether) -> Effect | JointEffect:
    """The answer where the graph was learned so that it allows for selection of the sample: nothing is identified."""
    if isinstance(asked, AskedTogether):
        return JointEffect(asked.x, asked.y, False, None, SELECTED)
    return Effect(asked.x, asked.y, False, None, (), None, SELECTED, "nothing")


def effect_in(pag: PAG, table: Table | None, asked: Asked, members: int = MOST) -> Effect:
    """The effect in one graph, from rows where there are any."""
    found, given = chosen_set(pag, asked.x, asked.y, table)
    notes = (found.note,) if found.note else ()
    expression = found.expression if given is None else adjustment_formula(found.x, found.y, given)
    known = Effect(found.x, found.y, found.identified, given, found.sets, expression, found.reason, found.by, notes=notes)
    if table is None or found.by == "no path":
        return known
    if found.identified:
        try:
            own = asked.estimated(table, found, given)
        except InvalidData as error:
            return replace(known, reason=str(error))
        return known if own is None else replace(known, estimate=own, notes=(*notes, *own.notes))
    if is_selected(pag):
        return known
    try:
        check_ends(table, found.x, found.y)
    except InvalidData as error:
        return replace(known, notes=(*notes, str(error)))
    return replace(known, range=member_range(Adjustment.between(pag, found.x, found.y), table, asked.method, members))
