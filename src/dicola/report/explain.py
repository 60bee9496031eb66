"""Why an edge looks as it does, or why there is none: in words, with the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from dicola.errors import InvalidGraph, counted
from dicola.graphs.marks import Edge, Mark
from dicola.graphs.pag import PAG, edge_in_words
from dicola.orient.partial import Conflict
from dicola.report.rule_text import NO_OTHER_MARK, NO_REASON, OPEN, OTHER_RULE, UNDECIDED, meanings_of, rules_of

if TYPE_CHECKING:
    from dicola.discovery import Discovery

_TIE = 0.05  # of the score
_NEARLY = 0.995  # nothing is said to be certain
_MARK_NAMES = {Mark.CIRCLE: "circle", Mark.ARROW: "arrowhead", Mark.TAIL: "tail"}


@dataclass(frozen=True)
class Separation:
    """Two variables, a set that separates them, and where in the decomposition it was found."""

    pair: tuple[str, str]
    separating_set: tuple[str, ...]
    found: str

    def __str__(self) -> str:
        x, y = self.pair
        if not self.separating_set:
            return f"{x} and {y} are independent with nothing held fixed."
        return f"{x} and {y} are independent given {', '.join(self.separating_set)}."


@dataclass(frozen=True)
class End:
    """One end of an edge: its mark, what it says, and the rule and the vertices behind it."""

    at: str
    mark: str
    meaning: str
    rule: str | None
    witness: tuple[str, ...]
    because: str
    separation: Separation | None
    often: str | None = None
    score: str | None = None

    def __str__(self) -> str:
        lines = [f"{self.mark} at {self.at}: {self.meaning}", f"    {self.rule}: {self.because}" if self.rule else f"    {self.because}"]
        if self.separation is not None:
            lines.append(f"    {self.separation}")
        lines += [f"    {each}" for each in (self.score, self.often) if each is not None]
        return "\n".join(lines)


@dataclass(frozen=True)
class Explanation:
    """What a discovery says about two variables.

    ``str()`` is the text for a person, ``to_dict()`` the same for a program. ``edge`` is the edge
    as ``str(pag)`` prints it, ``None`` where there is none; then ``separation`` tells the set that
    parts the pair. ``leaves`` are the numbers of the leaves in which both stood before the learner
    and no set separated them. ``weakest`` tells the test that came closest to removing the edge,
    ``score`` what the graph would lose without it, ``often`` how often it came in a bootstrap.
    """

    u: str
    v: str
    edge: str | None
    words: str
    ends: tuple[End, ...]
    separation: Separation | None
    leaves: tuple[int, ...]
    conflicts: tuple[str, ...]
    often: str | None = None
    weakest: str | None = None
    score: str | None = None

    def __str__(self) -> str:
        lines = [self.edge or f"{self.u}   {self.v}   (no edge)", self.words]
        if self.separation is not None:
            lines.append(self.separation.found)
        if self.often is not None:
            lines.append(self.often)
        for end in self.ends:
            lines += ["", str(end)]
        if self.leaves:
            shown = ", ".join(map(str, self.leaves[:8])) + (", …" if len(self.leaves) > 8 else "")
            lines += ["", f"adjacent: no set separated the two in {'leaf' if len(self.leaves) == 1 else 'leaves'} {shown}."]
        told = [each for each in (self.weakest, self.score) if each is not None]
        if told:
            lines += ["", *told] if not self.leaves else told
        if self.conflicts:
            lines += ["", "Conflicts at this edge; the first claim stands:", *(f"    {sentence}" for sentence in self.conflicts)]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def explain(found: Discovery, u: object, v: object) -> Explanation:
    """The edge between two named variables with its evidence, or the set that separates them."""
    a, b = (found.pag.index(name) for name in (u, v))
    if a == b:
        raise InvalidGraph(f"{str(u)!r} was named twice; an explanation is about two different variables.")
    x, y = found.pag.names[a], found.pag.names[b]
    joined = PAG(found.pag.marks[np.ix_([a, b], [a, b])], (x, y)).edges()
    if not joined:
        separation = separation_of(found, x, y)
        was_said = any(each.kind == "forbidden_adjacent" and {x, y} == set(each.about) for each in found.statements)
        alone = f"{x} and {y} are not adjacent{', as was known beforehand' if was_said else ''}."
        words = alone if separation is None else str(separation)
        return Explanation(x, y, None, words, (), separation, (), (), _adjacent_often(found, x, y))
    edge = joined[0]
    if not found.is_decided(x, y):
        return Explanation(edge.u, edge.v, f"{edge}   (undecided)", OPEN, (), None, (), ())
    ends: tuple[End, ...] = (_end(found, edge.v, edge.u, edge.mark_v, edge.mark_u), _end(found, edge.u, edge.v, edge.mark_u, edge.mark_v))
    labels = found.skeleton.labels
    at_x, at_y = labels.index(x), labels.index(y)
    leaves = found.skeleton.sets.leaves_with(at_x, at_y)
    disputes = tuple(conflicts_in_words([c for c in found.conflicts if {c.other, c.at} == {at_x, at_y}], labels))
    often = None
    if found.bootstrap is not None:
        drawn, told = found.bootstrap.replicates, found.bootstrap.of_edge(edge)
        often = f"{_adjacent_often(found, edge.u, edge.v)}{_sure(told.confidence)} With exactly these marks in {round(told.same * drawn)}."
        of_mark = {edge.u: (told.at_u, told.confidence_u), edge.v: (told.at_v, told.confidence_v)}
        ends = tuple(replace(end, often=_mark_often(*of_mark[end.at], drawn)) for end in ends)
    row = _row(found, edge)
    scores = {edge.u: row.get("score_u"), edge.v: row.get("score_v")}
    ends = tuple(replace(end, score=_worse(_OTHER_MARK, scores[end.at]) or _only(end, scores[end.at])) for end in ends)
    without = _worse(_WITHOUT, row.get("score_without"))
    words = edge_in_words(edge, bool(found.settings.get("selection")))
    return Explanation(edge.u, edge.v, str(edge), words, ends, None, leaves, disputes, often, _weakest(row), without)


_OTHER_MARK = "With another mark here, and all other edges as they are, the graph scores {}."
_WITHOUT = "Without the edge the graph scores {}."


def _row(found: Discovery, edge: Edge) -> dict[str, Any]:
    """What the table of edges says of one."""
    table = found.to_pandas()
    return dict(table[(table["u"] == edge.u) & (table["v"] == edge.v)].iloc[0])


def _worse(sentence: str, by: float | None) -> str | None:
    """By how much a graph scores worse, in a sentence; ``None`` where that is not known."""
    if by is None or isnan(by):
        return None
    return sentence.format(f"{by:.1f} worse" if by > _TIE else "as well")


def _only(end: End, by: float | None) -> str | None:
    """Where no edge with another mark could be scored: why."""
    return None if by is None or end.mark == _MARK_NAMES[Mark.CIRCLE] else NO_OTHER_MARK


def _weakest(row: dict[str, Any]) -> str | None:
    """The test that came closest to removing an edge."""
    if isnan(row["p_value"]):
        return None
    r = row["partial_correlation"]
    strength = "" if isnan(r) else f", partial correlation {r:+.2f}"
    return f"weakest test: p = {row['p_value']:.2g} given {row['given'] or 'nothing'}{strength}."


def _adjacent_often(found: Discovery, x: str, y: str) -> str | None:
    """How often two variables were adjacent in a bootstrap, as a sentence; ``None`` where there was none."""
    drawn = found.bootstrap
    return (
        None
        if drawn is None
        else f"Adjacent in {round(drawn.adjacent(x, y) * drawn.replicates)} of {counted(drawn.replicates, 'bootstrap table')}."
    )


def _mark_often(share: float, confidence: float | None, drawn: int) -> str:
    return f"This mark came in {round(share * drawn)} of {counted(drawn, 'bootstrap table')}.{_sure(confidence)}"


def _sure(confidence: float | None) -> str:
    """The calibrated probability in words."""
    if confidence is None:
        return ""
    return f" Calibrated, that makes it right with a probability of {'over 99%' if confidence > _NEARLY else f'{confidence:.0%}'}."


def conflicts_in_words(conflicts: Sequence[Conflict], name: Sequence[str]) -> list[str]:
    """One sentence per conflict; ``name`` tells the variables by their position."""
    return [
        f"{c.rule} on {', '.join(name[v] for v in c.witness)} wants {_article(c.wanted)} at {name[c.at]} "
        f"on its edge to {name[c.other]}, "
        f"where {c.standing_rule} on {', '.join(name[v] for v in c.standing_witness)} put {_article(c.standing)}."
        for c in conflicts
    ]


def separation_of(found: Discovery, x: str, y: str) -> Separation | None:
    """The separating set of two named variables and where it was found; ``None`` if unknown."""
    labels, sets = found.skeleton.labels, found.skeleton.sets
    pair = labels.index(x), labels.index(y)
    z = sets.get(*pair)
    if z is None:
        return None
    where = sets.provenance(*pair) or "Found in the run; the place is not on record."
    return Separation((x, y), tuple(labels[v] for v in z), where)


def _end(found: Discovery, at: str, other: str, mark: Mark, mark_other: Mark) -> End:
    labels = found.skeleton.labels
    reason = found.reasons.get((labels.index(other), labels.index(at)))
    meaning = meanings_of(found.settings)[mark, mark_other].format(at=at, other=other)
    if reason is None:
        return End(at, _MARK_NAMES[mark], meaning, None, (), UNDECIDED if mark is Mark.CIRCLE else NO_REASON, None)
    witness, rule = tuple(labels[v] for v in reason.witness), rules_of(found.settings).get(reason.rule, OTHER_RULE)
    apart = rule.pair(witness)
    separation = None if apart is None else separation_of(found, *apart)
    return End(at, _MARK_NAMES[mark], meaning, reason.rule, witness, rule.in_words(witness), separation)


def _article(mark: Mark) -> str:
    return "an arrowhead" if mark is Mark.ARROW else f"a {_MARK_NAMES[mark]}"
