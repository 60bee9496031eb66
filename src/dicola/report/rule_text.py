"""Marks and orientation rules in words. The page's script fills the same sentences, so that there is one wording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from dicola.graphs.marks import Mark
from dicola.orient.partial import NEAR_TIE

_ANY: Final = (Mark.CIRCLE, Mark.ARROW, Mark.TAIL)
MEANINGS: Final[Mapping[tuple[Mark, Mark], str]] = {
    **{(Mark.ARROW, other): "{at} is not a cause of {other}." for other in _ANY},
    (Mark.TAIL, Mark.ARROW): "{at} is a cause of {other}.",
    **{(Mark.TAIL, other): "{at} is a cause of {other} or of the selection of the sample." for other in (Mark.TAIL, Mark.CIRCLE)},
    **{(Mark.CIRCLE, other): "Independences alone cannot tell whether {at} is a cause of {other}." for other in _ANY},
}
"""What a mark says, by the mark itself and the one at the other end."""

_OF_SELECTED: Final[Mapping[tuple[Mark, Mark], str]] = {
    **MEANINGS,
    **{(Mark.ARROW, other): "{at} is a cause neither of {other} nor of the selection of the sample." for other in _ANY},
    (Mark.TAIL, Mark.ARROW): "{at} is a cause of {other} or of the selection of the sample.",
}


def meanings_of(settings: Mapping[str, Any]) -> Mapping[tuple[Mark, Mark], str]:
    """The same for a run: where the sample may have been selected, marks say less."""
    return _OF_SELECTED if settings.get("selection") else MEANINGS


UNDECIDED: Final = "No rule decided this end."
OPEN: Final = "Undecided: the run was stopped before it was done with the two. They may be adjacent or not, and nothing is said of causes."
NO_OTHER_MARK: Final = "While all other edges stay as they are, no other mark can stand here."
NO_REASON: Final = "The graph came with this mark; no rule of this run put it."


@dataclass(frozen=True)
class Rule:
    """How a rule speaks: the place of each role in its witness, the sentence, and the two roles that a separating set keeps apart."""

    roles: Mapping[str, int]
    sentence: str
    apart: tuple[str, str] | None = None

    def in_words(self, witness: Sequence[str]) -> str:
        """Why the rule put its mark, with the names of the vertices on which it fired."""
        return self.sentence.format(path=", ".join(witness), **{role: witness[place] for role, place in self.roles.items()})

    def pair(self, witness: Sequence[str]) -> tuple[str, str] | None:
        """The two whose separating set the rule rests on."""
        return None if self.apart is None else (witness[self.roles[self.apart[0]]], witness[self.roles[self.apart[1]]])


_ABC: Final = {"a": 0, "b": 1, "c": 2}
_ABCD: Final = {**_ABC, "d": 3}

RULES: Final[Mapping[str, Rule]] = {
    "knowledge": Rule({"b": 1}, "What was known beforehand says so of {b}."),
    "knowledge on a path": Rule(
        {"a": 0, "b": 1}, "If {b} caused {a}, a cause of {b} would cause what {a} causes, and what was known beforehand rules that out."
    ),
    "unconfounded": Rule(
        {"a": 0, "b": 1}, "{a} does not cause {b}, and what was known beforehand rules out that something hidden ties the two together."
    ),
    "knowledge beside an arrowhead": Rule(
        {"a": 0, "b": 1},
        "{b} does not cause {a}, by what was known beforehand or as {a} causes it; and an arrowhead at {b}, or at a cause of it, says "
        "that it does not cause selection of the sample either.",
    ),
    "knowledge of selection": Rule(
        {"b": 1},
        "By what was known beforehand and the other marks, {b} is a cause of the selection of the sample, as each of its tails says.",
    ),
    NEAR_TIE: Rule({"a": 0, "b": 1}, "Graphs that score nearly as well have different marks at {b} on its edge to {a}."),
    "R0": Rule(
        _ABC,
        "{a} and {c} are not adjacent, and {b} is not needed to separate them: {b} is a collider, so both edges have an arrowhead at {b}.",
        ("a", "c"),
    ),
    "R1": Rule(
        _ABC,
        "{a} points at {b}, and {b} is needed to separate {a} from {c}. Then {b} is no collider between them, so {b} causes {c}.",
        ("a", "c"),
    ),
    "R2": Rule(_ABC, "{a} points at {b} and {b} at {c}, one of them as a cause. If {c} caused {a}, that would close a cycle."),
    "R3": Rule(
        _ABCD,
        "{a} and {c} both point at {b} and are not adjacent; {d} lies between them and is no collider. "
        "If {b} caused {d}, it would close a cycle either way.",
        ("a", "c"),
    ),
    "R4": Rule(
        {"d": 0, "b": -2, "c": -1},
        "The path {path} discriminates {b}: whether {b} is needed to separate {d} from {c} decides if {b} is a collider on it.",
        ("d", "c"),
    ),
    "R5": Rule(
        {}, "{path} form a cycle in which no vertex is adjacent to the next but one: only selection of the sample can tie it together."
    ),
    "R6": Rule({"a": 0, "b": 1}, "{a} and {b} are tied together by selection of the sample, so nothing points at {b}."),
    "R7": Rule(
        _ABC, "{a} and {c} are not adjacent, and {a} has a tail towards {b}: an arrowhead at {b} would make {b} a collider.", ("a", "c")
    ),
    "R8": Rule(_ABC, "{a} leads to {b}, and {b} causes {c}: so {a} causes {c}."),
    "R9": Rule(
        _ABC,
        "A path that may be directed leads from {a} by way of {b} to {c}, with no shortcuts. "
        "If {a} did not cause {c}, the path would have to run backwards and close a cycle.",
        ("b", "c"),
    ),
    "R10": Rule(
        {"a": 0, "c": 1, "b": 2, "d": 3, "m": 4, "w": 5},
        "{b} and {d} both cause {c}, and paths that may be directed lead there from {a}, one by way of {m}, one by way of {w}. "
        "{m} and {w} are not adjacent and {a} is no collider between them, so one of the paths is directed: {a} causes {c}.",
        ("m", "w"),
    ),
    "Meek 1": Rule(
        _ABC, "{a} causes {b}, and {a} and {c} are not adjacent. As {b} is no collider between them, {b} causes {c}.", ("a", "c")
    ),
    "Meek 2": Rule(_ABC, "{a} causes {b} and {b} causes {c}. If {c} caused {a}, that would close a cycle."),
    "Meek 3": Rule(
        _ABCD,
        "{c} and {d} both cause {b} and are not adjacent; {a} is adjacent to all three. "
        "If {b} caused {a}, it would close a cycle either way.",
        ("c", "d"),
    ),
    "Meek 4": Rule(
        _ABCD,
        "{c} causes {d} and {d} causes {b}; {c} and {b} are not adjacent, and {a} lies between them and is no collider. "
        "If {b} caused {a}, then {a} would cause {c} and close a cycle.",
        ("c", "b"),
    ),
}
_AS_SCORED: Final = ": in the DAG with the best score, or by what separates them where that DAG has no such triple. "
BY_ORDER: Final[Mapping[str, Rule]] = {
    "R0": Rule(
        _ABC, "{a} and {c} are not adjacent, and {b} is a collider between them" + _AS_SCORED + "So both edges have an arrowhead at {b}."
    ),
    "R1": Rule(_ABC, "{a} points at {b}, and {b} is no collider between {a} and {c}" + _AS_SCORED + "So {b} causes {c}."),
}
"""The rules that speak otherwise where an order search decided the colliders."""
OTHER_RULE: Final = Rule({}, "This rule applied to {path}.")


def rules_of(settings: Mapping[str, Any]) -> Mapping[str, Rule]:
    """How the rules speak about a run with these settings."""
    return {**RULES, **BY_ORDER} if settings.get("colliders") == "order" else RULES
