"""What became of each claim that was made beforehand: obeyed, undecided, or denied by the data, and on what evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from dicola.claims import Claims
from dicola.errors import counted
from dicola.graphs.bits import mask_of, members, union
from dicola.graphs.marks import ARROW, NONE, TAIL, Mark, listed
from dicola.graphs.pag import PAG
from dicola.graphs.skeleton import Skeleton
from dicola.knowledge import Knowledge
from dicola.orient.partial import Conflict

Status = Literal["obeyed", "undecided", "denied"]
Found = tuple[Status, str]
_FROM_CLAIMS = ("knowledge", "knowledge on a path", "unconfounded", "knowledge beside an arrowhead", "knowledge of selection")
_SHOWN = 3  # of many reasons
_THROUGH_SELECTION = "no path can lead there but through what the sample was selected by."
_NOT_LOOKED_AT = "whether an edge joins them was not looked at."
STATUSES: tuple[Status, ...] = ("obeyed", "undecided", "denied")


@dataclass(frozen=True)
class Statement:
    """One claim of a user, and what became of it.

    Attributes
    ----------
    kind : str
        The setting that it came by: ``"tiers"``, ``"forbidden"``, …, ``"contexts"``.
    said : str
        The claim in words.
    status : {"obeyed", "undecided", "denied"}
        In every graph that the answer stands for it holds; in some of them; or the data speak
        against it, though the answer may have been held to it.
    evidence : str
        The marks, paths, sets or rules on which that rests.
    about : tuple of str
        The two variables, or the one, that it is about; none where it is about many.

    """

    kind: str
    said: str
    status: Status
    evidence: str
    about: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.said}: {self.verdict}"

    @property
    def verdict(self) -> str:
        """What became of it, and why, in words."""
        status = "denied by the data" if self.status == "denied" else self.status
        return f"{status}. {self.evidence[:1].upper()}{self.evidence[1:]}"


def in_brief(statements: Sequence[Statement]) -> str:
    """How many claims were obeyed, how many are undecided, how many the data deny; empty where there are none."""
    counts = Counter(each.status for each in statements)
    words = {"obeyed": "obeyed", "undecided": "undecided", "denied": "denied by the data"}
    told = ", ".join(f"{counts[status]} {words[status]}" for status in STATUSES if counts[status])
    return f"{counted(len(statements), 'statement')}: {told}" if told else ""


def knowledge_in(settings: Mapping[str, Any], names: Sequence[str]) -> Knowledge | None:
    """The claims on record, contexts aside, about these variables; ``None`` where there are none."""
    record = settings.get("knowledge")
    return None if record is None else Knowledge(**record).on(names)


def contexts_in(settings: Mapping[str, Any], names: Sequence[str]) -> Knowledge | None:
    """What follows from the contexts on record; ``None`` where there are none."""
    if not settings.get("contexts") and not settings.get("targets"):
        return None
    return Knowledge.of_contexts(settings.get("contexts") or (), names, settings.get("targets"))


def claims_in(settings: Mapping[str, Any], labels: Sequence[str]) -> Claims | None:
    """All claims on record by position; ``None`` where there are none."""
    known, told = knowledge_in(settings, labels), contexts_in(settings, labels)
    both = known if told is None else told if known is None else known.together_with(told)
    return Claims.of(both, labels, bool(settings.get("selection"))) if both else None


@dataclass(frozen=True, eq=False)
class Judge:
    """Weighs claims against a graph.

    Parameters
    ----------
    pag : PAG
        What was learned.
    skeleton : Skeleton
        Its edges and separating sets.
    conflicts : sequence of Conflict
        What rules wanted and did not get.
    closest : callable, optional
        For two names, what the data say against the edge between them; empty where that is nothing.
    unsettled : sequence of int, optional
        Where only a part was learned: by position in the graph, a mask of those of which it is not
        known whether they are adjacent.
    selection : bool
        May the sample have been selected, so that a tail may speak of selection alone?

    """

    pag: PAG
    skeleton: Skeleton
    conflicts: Sequence[Conflict] = ()
    closest: Callable[[str, str], str] = lambda a, b: ""
    unsettled: Sequence[int] = ()
    selection: bool = False

    def statements(self, settings: Mapping[str, Any]) -> tuple[Statement, ...]:
        """Every claim in the settings of a run, in the order of the settings."""
        if settings.get("selection") and not self.selection:
            return replace(self, selection=True).statements(settings)
        names = self.skeleton.labels
        known, told = knowledge_in(settings, names), contexts_in(settings, names)
        found = [] if known is None else list(self._of_knowledge(known))
        return (*found, *(() if told is None else self._of_contexts(told)))

    def _of_knowledge(self, known: Knowledge) -> Iterator[Statement]:
        for number, tier in enumerate(known.tiers):
            later = [name for after in known.tiers[number + 1 :] for name in after]
            if later and tier:
                said = f"nothing in a later tier causes tier {number + 1} ({listed(tier)})"
                yield self._taken_together("tiers", said, later, tier)
            if number in known.closed:
                said = f"in tier {number + 1} ({listed(tier)}) nothing causes anything"
                yield self._taken_together("closed", said, tier, tier)
        for a, b in known.forbidden:
            yield Statement("forbidden", f"{a} does not cause {b}", *self.is_no_cause(a, b), (a, b))
        for a, b in known.required:
            yield Statement("required", f"{a} causes {b}", *self.is_cause(a, b), (a, b))
        for name in known.exogenous:
            yield Statement("exogenous", f"{name} is exogenous", *self.leads_out(name), (name,))
        for a, b in known.unconfounded:
            yield Statement("unconfounded", f"nothing hidden causes {a} and {b}", *self.is_unconfounded(a, b, known), (a, b))
        for a, b in known.forbidden_adjacent:
            yield Statement("forbidden_adjacent", f"{a} and {b} are not adjacent", *self.is_apart(a, b), (a, b))
        for a, b in known.required_adjacent:
            yield Statement("required_adjacent", f"{a} and {b} are adjacent", *self.is_joined(a, b), (a, b))

    def _of_contexts(self, told: Knowledge) -> Iterator[Statement]:
        contexts = sorted({c for _, c in told.forbidden})
        for name in contexts:
            yield Statement("contexts", f"{name} is a context", *self.leads_out(name, beside=contexts), (name,))
        for a, b in told.required:
            both = [self.is_cause(a, b), self.is_joined(a, b)]
            yield Statement("targets", f"{a} acts on {b}", *max(both, key=lambda each: STATUSES.index(each[0])), (a, b))

    def _taken_together(self, kind: str, said: str, later: Sequence[str], earlier: Sequence[str]) -> Statement:
        """One statement for many pairs: none of the later ones causes an earlier one."""
        reasons: dict[Status, list[str]] = {status: [] for status in STATUSES}
        known = mask_of(self.pag.index(b) for b in earlier)
        disputed: dict[str, int] = {}
        for c in self.conflicts:
            at, other = self.skeleton.labels[c.at], self.skeleton.labels[c.other]
            disputed[at] = disputed.get(at, 0) | 1 << self.pag.index(other)
        for a in later:
            doubtful = known if self.selection else self._reach(self._possible, a, self._no_effects(a)) | disputed.get(a, 0)
            for b in members(doubtful & known):
                status, why = self.is_no_cause(a, self.pag.names[b])
                reasons[status].append(why)
        ways = [self.pag.index(a) for a in later], [self.pag.index(b) for b in earlier]
        edges = int((self.pag.marks[np.ix_(*ways)] != NONE).sum()) // (2 if kind == "closed" else 1)
        worst = next(status for status in reversed(STATUSES) if reasons[status] or status == "obeyed")
        if worst == "obeyed":
            ends = "with its arrowhead where it belongs" if edges == 1 else "all with their arrowheads where they belong"
            return Statement(kind, said, worst, f"{counted(edges, 'edge')} between them, {ends}." if edges else "no edge between them.")
        shown = [why[:1].upper() + why[1:] for why in reasons[worst][:_SHOWN]]
        more = len(reasons[worst]) - len(shown)
        return Statement(kind, said, worst, " ".join(shown) + (f" And {more} more." if more else ""))

    def is_no_cause(self, a: str, b: str) -> Found:
        """Does a not cause b?"""
        if (conflict := self._conflict(b, a, Mark.TAIL)) is not None:
            return "denied", conflict
        if self._reaches(self._definite, a, b):
            return "denied", f"a directed path leads from {a} to {b}."
        if self.selection and not self._is_free(a) and not self._may_reach(a, b):
            return "undecided", _THROUGH_SELECTION
        if not self._may_reach(a, b):
            has_edge = self._mark(a, b) != NONE
            return "obeyed", f"the edge has an arrowhead at {a}." if has_edge else f"no path can lead from {a} to {b}."
        return "undecided", f"a path may lead from {a} to {b}."

    def is_cause(self, a: str, b: str) -> Found:
        """Does a cause b?"""
        conflict = self._conflict(b, a, Mark.ARROW) or self._conflict(a, b, Mark.TAIL)
        if conflict is not None:
            return "denied", conflict
        if self._mark(a, b) != NONE and (against := self.closest(a, b)):
            return "denied", against
        if self._reaches(self._definite, a, b):
            return "obeyed", f"a directed path leads from {a} to {b}."
        if self._may_reach(a, b):
            return "undecided", f"a path may lead from {a} to {b}."
        if self._mark(a, b) != NONE:
            return "denied", f"the edge has an arrowhead at {a}."
        if self.selection and not self._is_free(a):
            return "undecided", _THROUGH_SELECTION
        return "denied", f"no edge joins them and no path can lead from {a} to {b}.{self._separation(a, b)}"

    def leads_out(self, name: str, beside: Sequence[str] = ()) -> Found:
        """Does every edge lead away from a variable, but for those to some others?"""
        others = [other for other in self.pag.neighbours(name) if other not in beside]
        against = [why for other in others if (why := self._conflict(other, name, Mark.ARROW)) is not None]
        against += [f"the edge to {other} has an arrowhead at {name}." for other in others if self._mark(other, name) == ARROW]
        if against:
            return "denied", " ".join(against[:_SHOWN])
        away = [other for other in others if self._mark(other, name) == TAIL and (self.selection or self._mark(name, other) == ARROW)]
        if any(other not in beside for other in self._unsettled(name)):
            return "undecided", f"not all edges of {name} were looked for."
        if len(away) == len(others):
            return "obeyed", f"{counted(len(away), 'edge leads', 'edges lead')} away from it." if away else "no edge is in question."
        return "undecided", f"the edge to {next(other for other in others if other not in away)} is open."

    def is_unconfounded(self, a: str, b: str, known: Knowledge) -> Found:
        """Has a pair no hidden common cause?"""
        if b in self._unsettled(a):
            return "undecided", _NOT_LOOKED_AT
        if self._mark(a, b) == NONE:
            return "obeyed", f"no edge joins them.{self._separation(a, b)}"
        if self.selection:
            return "undecided", "what the sample was selected by may tie them together."
        if self._mark(a, b) == ARROW == self._mark(b, a):
            claims = Claims.of(known, self.skeleton.labels)
            labels = self.skeleton.labels
            marks = self.pag.reordered(labels).marks
            if claims.never_bidirected(None if self.unsettled else marks != NONE)[labels.index(a), labels.index(b)]:
                return "denied", f"the edge is {a} <-> {b}, and no other variables can stand behind it."
            return "undecided", f"the edge is {a} <-> {b}; others that share hidden causes with both may stand behind it."
        for one, other in ((a, b), (b, a)):
            if self.pag.is_directed(one, other) and not self.unsettled and self.pag.is_visible(one, other):
                return "obeyed", f"the edge {one} --> {other} is visible: nothing hidden causes both."
        return "undecided", "the edge leaves room for a hidden common cause, and says nothing for one."

    def is_apart(self, a: str, b: str) -> Found:
        """Are two variables not adjacent?"""
        if b in self._unsettled(a):
            return "undecided", _NOT_LOOKED_AT
        if self._mark(a, b) != NONE:
            return "denied", "no set separates them in the graph."
        separation = self._separation(a, b)
        return ("obeyed", separation.strip()) if separation else ("denied", "no set separated them; the edge was left out as was said.")

    def is_joined(self, a: str, b: str) -> Found:
        """Are two variables adjacent?"""
        if b in self._unsettled(a):
            return "undecided", _NOT_LOOKED_AT
        if self._mark(a, b) == NONE:
            return "denied", f"no edge joins them.{self._separation(a, b)}"
        if separation := self._separation(a, b):
            return "denied", f"{separation.strip()} The edge stands as was said."
        against = self.closest(a, b)
        return ("denied", f"{against} The edge stands as was said.") if against else ("obeyed", "an edge joins them.")

    def _is_free(self, name: str) -> bool:
        """Does an arrowhead say that a variable is no cause of selection?"""
        return bool((self.pag.marks[:, self.pag.index(name)] == ARROW).any())

    def _mark(self, a: str, b: str) -> int:
        """The mark at b."""
        return int(self.pag.marks[self.pag.index(a), self.pag.index(b)])

    def _separation(self, a: str, b: str) -> str:
        labels = self.skeleton.labels
        z = self.skeleton.sets.get(labels.index(a), labels.index(b))
        if z is None:
            return ""
        return f" They are independent given {listed([labels[v] for v in z])}." if z else " They are independent."

    def _conflict(self, other: str, at: str, wanted: Mark) -> str | None:
        """A rule that wanted this mark against a claim, in words."""
        labels = self.skeleton.labels
        for c in self.conflicts:
            if (labels[c.other], labels[c.at]) != (other, at):
                continue
            where = f"another mark at {at} on the edge to {other}"
            if c.standing_rule in _FROM_CLAIMS and c.wanted == wanted:
                return f"{c.rule} on {', '.join(labels[v] for v in c.witness)} wants {where}."
            if c.rule in _FROM_CLAIMS and c.standing == wanted:
                return f"{c.standing_rule} on {', '.join(labels[v] for v in c.standing_witness)} put {where}."
        return None

    @cached_property
    def _possible(self) -> list[int]:
        """By vertex, where an edge may lead on to."""
        marks = self.pag.marks
        onward = (marks != NONE) & ((marks != TAIL) | self.selection) & (marks.T != ARROW)
        found = [mask_of(row.nonzero()[0].tolist()) for row in onward]
        return [mask | more for mask, more in zip(found, self.unsettled, strict=True)] if self.unsettled else found

    def _unsettled(self, name: str) -> list[str]:
        """The variables of which it is not known whether they are adjacent to one."""
        return [self.pag.names[v] for v in members(self.unsettled[self.pag.index(name)])] if self.unsettled else []

    @cached_property
    def _definite(self) -> list[int]:
        marks = self.pag.marks
        if self.selection:  # a tail speaks of the other end if an arrowhead elsewhere rules out that it speaks of selection
            leads = (marks.T == TAIL) & (marks == ARROW).any(axis=0)[:, None]
            return [mask_of(row.nonzero()[0].tolist()) for row in leads]
        return [mask_of(row.nonzero()[0].tolist()) for row in (marks == ARROW) & (marks.T == TAIL)]

    def _reaches(self, steps: list[int], a: str, b: str) -> bool:
        return bool(self._reach(steps, a) >> self.pag.index(b) & 1)

    def _may_reach(self, a: str, b: str) -> bool:
        """May a directed path lead from a to b? All on it are effects of a and causes of b, so that no arrowhead there denies it."""
        return bool(self._reach(self._possible, a, self._no_effects(a) | self._no_causes(b)) >> self.pag.index(b) & 1)

    def _no_effects(self, a: str) -> int:
        """The mask of what is no effect of a, by an arrowhead at a on the edge between them."""
        return mask_of((self.pag.marks[:, self.pag.index(a)] == ARROW).nonzero()[0].tolist())

    def _no_causes(self, b: str) -> int:
        """The mask of what is no cause of b, by an arrowhead at it on the edge between them."""
        return mask_of((self.pag.marks[self.pag.index(b)] == ARROW).nonzero()[0].tolist())

    def _reach(self, steps: list[int], a: str, shunned: int = 0) -> int:
        """The mask of what steps lead to from a, around some vertices."""
        start = self.pag.index(a)
        key = (id(steps), start, shunned)
        if key not in self._known:
            found, new = 0, 1 << start
            while new:
                found |= new
                new = union(steps, new) & ~found & ~shunned
            self._known[key] = found & ~(1 << start)
        return self._known[key]

    @cached_property
    def _known(self) -> dict[tuple[int, int, int], int]:
        return {}
