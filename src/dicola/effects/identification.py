"""Can an effect be told from what was observed, and by what: a set to hold fixed, nothing at all, or an expression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from dicola.effects.adjustment import LIMIT, Adjustment, is_selected
from dicola.effects.expression import Expression
from dicola.effects.idp import identify
from dicola.errors import InvalidGraph
from dicola.graphs.bits import members
from dicola.graphs.pag import PAG

SELECTED: Final = "the graph allows for selection of the sample (edges --- or --o, or selection=True), which adjustment does not undo."
"""Why nothing is identified where the sample may have been selected on what the variables cause."""


@dataclass(frozen=True)
class Reason:
    """Why an effect is not identified, as a sentence."""

    sentence: str


@dataclass(frozen=True)
class ToldBy:
    """What can be said of the effect of x on y from a PAG alone.

    Attributes
    ----------
    x, y : str
        The treatment and the outcome.
    by : {"adjustment", "no path", "expression", "nothing"}
        What identifies it: a set to hold fixed; no path that could be causal, so that it is zero;
        another expression; or nothing.
    sets : tuple of tuples of str
        The minimal adjustment sets, the smaller first, at most 1,000.
    expression : str or None
        The distribution of y once x is set, in terms of what was observed.
    reason : str or None
        Why it is not identified.
    note : str or None
        Where another graph than the given one was judged.
    formula : Expression or None
        The expression itself, where it is one beyond adjustment.

    """

    x: str
    y: str
    by: str
    sets: tuple[tuple[str, ...], ...] = ()
    expression: str | None = None
    reason: str | None = None
    note: str | None = None
    formula: Expression | None = None

    @property
    def identified(self) -> bool:
        """Is there any way?"""
        return self.by != "nothing"


def told_by(pag: PAG, x: object, y: object) -> ToldBy:
    """Is the effect of x on y told by the PAG and the distribution of what was observed?

    Parameters
    ----------
    pag : PAG
        A graph without edges that speak of selection; with them nothing is identified here.
    x, y : str
        Names of the treatment and the outcome.

    """
    a, b = pag.names[pag.index(x)], pag.names[pag.index(y)]
    if a == b:
        raise InvalidGraph(f"an effect is one variable's on another; {a} was named twice.")
    if is_selected(pag):
        return ToldBy(a, b, "nothing", reason=SELECTED)
    criterion = Adjustment.between(pag, a, b)
    return identified_by(criterion)


def identified_by(criterion: Adjustment) -> ToldBy:
    """The same for a criterion at hand."""
    pag, note = criterion.pag, criterion.grounds.note
    x, y = pag.names[criterion.x], pag.names[criterion.y]
    if not criterion.on_the_way:
        return ToldBy(x, y, "no path", expression=f"P({y})", note=note)
    sets = sorted(islice(criterion.minimal(), LIMIT), key=lambda given: (given.bit_count(), members(given)))
    if sets:
        named = tuple(criterion.named(given) for given in sets)
        return ToldBy(x, y, "adjustment", named, adjustment_formula(x, y, named[0]), note=note)
    answer = beyond_adjustment(pag, x, y)
    if isinstance(answer, Reason):
        return ToldBy(x, y, "nothing", reason=answer.sentence, note=note)
    return ToldBy(x, y, "expression", expression=str(answer), note=note, formula=answer)


def adjustment_formula(x: str, y: str, given: Sequence[str]) -> str:
    """The distribution of y once x is set, by adjustment for a set."""
    if not given:
        return f"P({y} | {x})"
    held = ", ".join(given)
    return f"Σ_{{{held}}} P({y} | {x}, {held}) P({held})"


def beyond_adjustment(pag: PAG, x: str, y: str) -> Expression | Reason:
    """What else than adjustment identifies the effect of x on y: IDP, which is complete, or the reason why nothing does."""
    found = identify(pag, x, y)
    return Reason(Adjustment.between(pag, x, y).reason()) if found.expression is None else found.expression
