"""MMMB, HITON-MB and STMB: first the neighbours of a target by small conditioning sets, then its spouses."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf
from typing import ClassVar, NamedTuple

from dicola.blankets.grow_shrink import shrunk
from dicola.blankets.polished import PolishedBlankets, Target
from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import FindSeparator, Question
from dicola.graphs.skeleton import Variables


class Near(NamedTuple):
    """The neighbours of a target as they were found, and for every other variable the set that separates it from the target."""

    members: list[int]
    separators: dict[int, Variables]

    def drop(self, member: int, separator: Variables) -> None:
        """A neighbour turned out to be none."""
        self.members.remove(member)
        self.separators[member] = separator


Around = Mapping[int, Near]
"""What was found near each variable that was looked at."""


@dataclass(eq=False)
class NeighboursOf(Question[Near]):
    """Who is next to a target, by the rule of a learner?"""

    at: int
    learner: ByNeighbours

    def plain(self, ci: Inquiry) -> Near:
        return self.learner.neighbours(self.learner.target(ci, self.at))

    def key(self) -> None:
        """None: a memory keeps the single verdicts, which targets have in common."""
        return


@dataclass(eq=False)
class WithSpouses(Question[Variables]):
    """The neighbours of a target and their other parents, by the rule of a learner; neighbours first."""

    at: int
    learner: ByNeighbours
    around: Around

    def plain(self, ci: Inquiry) -> Variables:
        return tuple(self.learner.with_spouses(self.learner.target(ci, self.at), self.around))

    def key(self) -> None:
        """None: a memory keeps the single verdicts, which targets have in common."""
        return


@dataclass(frozen=True)
class ByNeighbours(PolishedBlankets):
    """What MMMB, HITON-MB and STMB have in common.

    Parameters
    ----------
    alpha, polish
        As in ``PolishedBlankets``.
    max_condition_size : int, optional
        How many variables at most are held fixed when neighbours are sought; ``None``: no limit.

    """

    looks_around: ClassVar[bool] = True  # does it need the neighbours of neighbours?

    max_condition_size: int | None = 3

    @abstractmethod
    def neighbours(self, target: Target) -> Near:
        """Who is next to the target, in the order of their strength where there is one."""

    @abstractmethod
    def with_spouses(self, target: Target, around: Around) -> list[int]:
        """The neighbours of the target and their other parents."""

    def found(self, ci: Inquiry, targets: list[int]) -> list[Variables]:
        around = self._around(ci, targets)
        if self.looks_around:
            beyond = {v for near in around.values() for v in near.members} - set(targets)
            around |= self._around(ci, sorted(beyond))
        return ci.ask_each([WithSpouses(at, self, around) for at in targets])

    def _around(self, ci: Inquiry, targets: list[int]) -> dict[int, Near]:
        return dict(zip(targets, ci.ask_each([NeighboursOf(at, self) for at in targets]), strict=True))

    def largest(self, target: Target) -> int:
        """The size of the largest set that is tried in the search for neighbours."""
        return target.most if self.max_condition_size is None else min(target.most, self.max_condition_size)

    def separator(self, target: Target, other: int, pool: Sequence[int], tried: Sequence[set[int]] = ()) -> Variables | None:
        """The first set of one or more variables from a pool that separates another variable from the target."""
        sizes = range(1, min(self.largest(target), len(pool)) + 1)
        return target.ci.ask(FindSeparator(target.at, other, pool, sizes, tried, alpha=self.alpha)) if sizes else None


def _symmetric(target: Target, around: Around) -> list[int]:
    """The neighbours that have the target among theirs."""
    return [v for v in around[target.at].members if target.at in around[v].members]


def _spouses_through_neighbours(target: Target, members: Sequence[int], around: Around) -> list[int]:
    """Neighbours of neighbours that depend on the target once the neighbour is given beside what separated them."""
    found: list[int] = []
    own = around[target.at].separators
    for child in members:
        for v in sorted(set(around[child].members) - {target.at, *members, *found}):
            # What the target has as a neighbour, though not the other way round, was separated from the other side.
            separator = own[v] if v in own else around[v].separators[target.at]
            if child not in separator and target.depends(v, (*separator, child)):
                found.append(v)
    return found


@dataclass(frozen=True)
class MMMB(ByNeighbours):
    """Max-min Markov blanket: neighbours by the strongest weakest dependence, then spouses; polished.

    The next neighbour is the variable whose smallest dependence on the target, given subsets of those
    taken so far, is the largest (Tsamardinos, Aliferis and Statnikov 2003); what a subset separates
    goes again, and so does a neighbour that does not have the target among its own. A neighbour of a
    neighbour is a spouse if it depends on the target given that neighbour beside the set that
    separated them.
    """

    name, title = "mmmb", "Polished MMMB"
    reference = "Tsamardinos, Aliferis and Statnikov (2003)"
    assumes = "little about the number of rows: neighbours are sought given at most max_condition_size variables"

    def neighbours(self, target: Target) -> Near:
        near, weakest = Near([], {}), dict.fromkeys(target.others(), -inf)
        sets: list[Variables] = [()]
        while True:
            self._weigh(target, weakest, sets, near)
            if not weakest:
                break
            newest = min(weakest, key=lambda v: (weakest[v], v))
            del weakest[newest]
            sizes = range(min(self.largest(target), len(near.members) + 1))
            sets = [tuple(sorted((*some, newest))) for size in sizes for some in combinations(near.members, size)]
            near.members.append(newest)
        for v in tuple(near.members):
            separator = self.separator(target, v, [w for w in near.members if w != v])
            if separator is not None:
                near.drop(v, separator)
        return near

    @staticmethod
    def _weigh(target: Target, weakest: dict[int, float], sets: Sequence[Variables], near: Near) -> None:
        """The weakest dependence of each variable given further sets; those that a set separates are left out."""
        for v in tuple(weakest):
            for z in sets:
                depends, strength = target.asked(v, z)
                if not depends:
                    near.separators[v] = z
                    del weakest[v]
                    break
                weakest[v] = max(weakest[v], strength)

    def with_spouses(self, target: Target, around: Around) -> list[int]:
        members = _symmetric(target, around)
        return members + _spouses_through_neighbours(target, members, around)


@dataclass(frozen=True)
class HitonMB(ByNeighbours):
    """HITON-MB: neighbours one after the other by their strength, each put to the test at once; polished.

    Variables are taken by their dependence on the target given nothing; with each that comes, every
    neighbour that a subset of the others separates from the target goes (Aliferis, Tsamardinos and
    Statnikov 2003). Spouses as in ``MMMB``; those that do not depend on the target given all the rest
    are left out.
    """

    name, title = "hiton_mb", "Polished HITON-MB"
    reference = "Aliferis, Tsamardinos and Statnikov (2003)"
    assumes = "little about the number of rows: neighbours are sought given at most max_condition_size variables"

    def neighbours(self, target: Target) -> Near:
        near = Near([], {})
        first = {v: target.asked(v, ()) for v in target.others()}
        near.separators.update({v: () for v, (depends, _) in first.items() if not depends})
        for _, v in sorted((strength, v) for v, (depends, strength) in first.items() if depends):
            separator = self.separator(target, v, near.members)
            if separator is not None:
                near.separators[v] = separator
                continue
            before = tuple(near.members)
            near.members.append(v)
            for w in before:
                others = [u for u in near.members if u != w]
                separator = self.separator(target, w, others, tried=[set(others) - {v}])
                if separator is not None:
                    near.drop(w, separator)
        return near

    def with_spouses(self, target: Target, around: Around) -> list[int]:
        members = _symmetric(target, around)
        found = _spouses_through_neighbours(target, members, around)
        for v in tuple(found):
            rest = [w for w in found if w != v]
            if not target.depends(v, (*members, *rest)):
                found = rest
        return members + found


@dataclass(frozen=True)
class STMB(ByNeighbours):
    """Simultaneous Markov blanket: spouses among all variables at once, which also show false neighbours; polished.

    Neighbours are what no set of other neighbours separates from the target, sets of growing size
    being tried. Every other variable is a spouse if it depends on the target given some neighbour
    beside the set that separated them; a neighbour that a set with such a spouse separates was none.
    The blanket is then shrunk given all of it (Gao and Ji 2017). No neighbours of other variables are
    needed.
    """

    name, title = "stmb", "Polished STMB"
    reference = "Gao and Ji (2017)"
    assumes = "little about the number of rows: neighbours are sought given at most max_condition_size variables"
    looks_around = False

    def neighbours(self, target: Target) -> Near:
        near, size = Near(target.others(), {}), 0
        while size <= self.largest(target) and len(near.members) > size:
            before = tuple(near.members)
            for v in before:
                separator = self._of_size(target, v, before, size)
                if separator is not None:
                    near.drop(v, separator)
            size += 1
        return near

    def _of_size(self, target: Target, v: int, members: Variables, size: int) -> Variables | None:
        pool = [w for w in members if w != v]
        return target.ci.ask(FindSeparator(target.at, v, pool, (size,), alpha=self.alpha))

    def with_spouses(self, target: Target, around: Around) -> list[int]:
        members, separators = list(around[target.at].members), around[target.at].separators
        spouses = {
            child: [v for v, z in sorted(separators.items()) if child not in z and target.depends(v, (*z, child))] for child in members
        }
        for child in tuple(members):
            others = [w for w in members if w != child]
            if any(self.separator(target, child, sorted([*others, v]), tried=[set(others)]) is not None for v in spouses[child]):
                members = others
                del spouses[child]
        found = [*members, *sorted({v for each in spouses.values() for v in each})]
        kept = shrunk(found, target.depends)
        return [v for v in found if v in kept]
