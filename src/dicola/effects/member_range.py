"""Where an effect is not identified: what each graph of the class would make of it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Final

from dicola.effects.adjustment import LIMIT, Adjustment, Grounds
from dicola.effects.estimation import Method, estimate
from dicola.effects.members import members_from
from dicola.errors import DicolaError, counted
from dicola.graphs.bits import members
from dicola.graphs.marks import CIRCLE
from dicola.graphs.pag import PAG
from dicola.tables.table import Table

MOST: Final = 500
"""How many MAGs of a class are looked at unless more are asked for."""


@dataclass(frozen=True)
class MemberRange:
    """The effects that the MAGs of a class give, for those MAGs in which an adjustment set exists.

    Attributes
    ----------
    effects : tuple of float
        The different effects, smallest first.
    n_identified, n_open : int
        In how many of the MAGs that were looked at the effect is identified, and in how many not: there a hidden common
        cause may bend it without bound.
    complete : bool
        Were all MAGs of the class looked at?

    """

    effects: tuple[float, ...]
    n_identified: int
    n_open: int
    complete: bool

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The smallest and the largest effect; ``None`` where no MAG identifies one."""
        return (self.effects[0], self.effects[-1]) if self.effects else None

    @property
    def sentence(self) -> str:
        """What the range is worth, in words."""
        looked = self.n_identified + self.n_open
        all_of_them, some = (
            f"the {counted(looked, 'MAG')} of the class",
            f"{counted(looked, 'MAG')} that were looked at (the class has more)",
        )
        which = all_of_them if self.complete else some
        if self.bounds is None:
            return f"None of {which} identifies it by adjustment."
        low, high = self.bounds
        told = f"it is {low:.3g}" if low == high else f"it lies between {low:.3g} and {high:.3g}"
        left = f"; in the other {self.n_open} it is not identified either, and could be anything" if self.n_open else ""
        return f"In {self.n_identified} of {which} {told}{left}."


def member_range(criterion: Adjustment, table: Table, method: Method = "auto", most: int = MOST) -> MemberRange:
    """The effect in each MAG of the class, by a smallest adjustment set of that MAG (LV-IDA; Malinsky and Spirtes 2017).

    Those come first that differ near the two and what lies between them; those further away
    rarely change the effect.
    MAGs that contradict a mark of the graph, such as one that knowledge has put, are passed over.
    A MAG in which x is no ancestor of y gives zero; one in which no adjustment set exists gives
    nothing. Estimates are points: the error of each comes on top.

    Parameters
    ----------
    criterion : Adjustment
        The pair, in a graph that stands for a class of MAGs.
    table : Table
        The rows.
    method : str
        As for ``estimate``.
    most : int
        How many MAGs to look at.

    Raises
    ------
    InvalidData
        Where the two columns have no such effect.

    """
    pag, by_set = criterion.pag, dict[int, float | None]()
    x, y = pag.names[criterion.x], pag.names[criterion.y]
    every = members_from(criterion.grounds.member, _distances(criterion))
    values, n_open = list[float](), 0
    definite = pag.marks != CIRCLE
    for member in islice(every, most):
        if (member.marks != pag.marks)[definite].any():  # knowledge has ruled it out
            continue
        alone = Adjustment(Grounds(PAG.trusted(member.marks, pag.names), member), criterion.x, criterion.y)
        if not alone.on_the_way:
            values.append(0.0)
            continue
        given = min(islice(alone.minimal(), LIMIT), key=lambda mask: (mask.bit_count(), members(mask)), default=None)
        if given is not None and given not in by_set:
            by_set[given] = _value(table, x, y, alone.named(given), method)
        value = None if given is None else by_set[given]
        if value is None:
            n_open += 1
        else:
            values.append(value)
    return MemberRange(tuple(sorted(set(values))), len(values), n_open, next(every, None) is None)


def _distances(criterion: Adjustment) -> list[int]:
    """How many edges each vertex is away from the two and what could lie between them."""
    around = criterion.pag.around
    new = [criterion.x, criterion.y, *members(criterion.on_the_way)]
    found = dict.fromkeys(new, 0)
    for v in new:  # grows while it is read
        for w in around[v]:
            if w not in found:
                found[w] = found[v] + 1
                new.append(w)
    return [found.get(v, len(around)) for v in range(len(around))]


def _value(table: Table, x: str, y: str, given: tuple[str, ...], method: Method) -> float | None:
    try:
        return estimate(table, x, y, given, method=method).value
    except DicolaError:  # too few rows for this set, or x is a function of it
        return None
