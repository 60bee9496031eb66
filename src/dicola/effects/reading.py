"""What a PAG says of causes, hidden common causes and paths, each as facts and as a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice
from typing import Any, Final

from dicola.effects.adjustment import edge_between, is_selected, path_in_words, shortest_path
from dicola.effects.identification import SELECTED, ToldBy, told_by
from dicola.errors import counted
from dicola.graphs.bits import members
from dicola.graphs.marks import ARROW, TAIL
from dicola.graphs.pag import PAG
from dicola.graphs.relatives import reached
from dicola.learners.possible_dsep import PdsPaths
from dicola.orient.partial import PartialGraph
from dicola.orient.paths import uncovered_reach

SHOWN: Final = 20
"""How many paths an answer lists."""

_MAY_BE_SELECTED: Final = "The sample may have been selected: a tail may speak of that, and so may an edge."


@dataclass(frozen=True)
class Answer:
    """A question about a PAG and what it answers.

    Attributes
    ----------
    verdict : {"yes", "no", "open"}
        ``"open"``: graphs that fit the data equally well disagree.
    sentence : str
        The answer in words; ``str()`` gives it too.
    facts : dict
        What it rests on, as plain values.

    """

    verdict: str
    sentence: str
    facts: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"verdict": self.verdict, "sentence": self.sentence, **self.facts}


def possible_dsep(pag: PAG, v: object) -> tuple[str, ...]:
    """Behind ``PAG.possible_dsep``."""
    start = pag.index(v)
    found = PdsPaths(_partial(pag)).reached(start, ~0)
    return tuple(pag.names[u] for u in members(found) if u != start)


def definite_ancestors(pag: PAG, v: object) -> tuple[str, ...]:
    """Behind ``PAG.definite_ancestors``."""
    graph, goal = _partial(pag), pag.index(v)
    above = {u: _surely_above(graph, u) for u in range(len(pag))}
    found = reached(goal, lambda t: [u for u, below in above.items() if t in below]) - {goal}
    return tuple(pag.names[u] for u in sorted(found))


def causes_of(pag: PAG, v: object, selection: bool = False) -> Answer:
    """Which variables cause v surely, which possibly, and which do not.

    Where the sample may have been selected (``selection``, or edges that say so), a tail says "causes the other, or selection", and an
    arrowhead "neither". So a tail speaks of the other end if an arrowhead elsewhere rules out selection, and without such an arrowhead a
    variable may act on any other through what was selected by.
    """
    name = pag.names[pag.index(v)]
    definite, possible = _causes(pag, name, selection)
    excluded = tuple(u for u in pag.names if u != name and u not in (*definite, *possible))
    told = [
        f"{_are(definite)} {_of(definite)} of {name}, directly or by way of others." if definite else "",
        f"{_are(possible, 'may be')} {_of(possible)} of {name}: the data cannot tell." if possible else "",
        f"{_are(excluded, 'is not', 'are not')} {_of(excluded)} of {name}." if excluded else "",
    ]
    facts = {"variable": name, "definite": definite, "possible": possible, "excluded": excluded}
    verdict = "yes" if definite else "open" if possible else "no"
    told.append(_MAY_BE_SELECTED if any(told) and _is_open_to_selection(pag, selection) else "")
    return Answer(verdict, " ".join(filter(None, told)) or f"{name} stands alone in the graph.", facts)


def about(pag: PAG, v: object, selection: bool = False) -> Answer:
    """Everything that the graph says of one variable: causes, effects, hidden common causes, and where to look for what separates it."""
    causes = causes_of(pag, v, selection)
    name = causes.facts["variable"]
    others = {u: _causes(pag, u, selection) for u in pag.names if u != name}
    below = tuple(u for u, (surely, _) in others.items() if name in surely)
    possibly = tuple(u for u, (_, perhaps) in others.items() if name in perhaps)
    visible = [edge for edge in pag.visible_edges() if name in (edge.u, edge.v)]
    shared = {"yes": pag.spouses(name), "open": tuple(u for u in pag.neighbours(name) if pag.is_confounded(name, u) is None)}
    if _is_open_to_selection(pag, selection):
        visible, shared = [], {"yes": (), "open": pag.neighbours(name)}
    told = [
        causes.sentence,
        f"{name} is a cause of {_and(below)}." if below else "",
        f"{name} may be a cause of {_and(possibly)}." if possibly else "",
        f"A hidden common cause stands behind {name} and {_and(shared['yes'])}." if shared["yes"] else "",
        f"A hidden common cause may stand behind {name} and {_and(shared['open'])}." if shared["open"] else "",
        f"No hidden common cause can stand behind {_and([str(edge) for edge in visible])}." if visible else "",
    ]
    facts = causes.facts | {
        "effects": below,
        "possible_effects": possibly,
        "confounded_with": shared["yes"],
        "possibly_confounded_with": shared["open"],
        "visible_edges": [str(edge) for edge in visible],
        "district": pag.district(name),
        "possible_district": pag.possible_district(name),
        "possible_dsep": pag.possible_dsep(name),
    }
    return Answer(causes.verdict, " ".join(filter(None, told)), facts)


def confounded(pag: PAG, u: object, v: object, selection: bool = False) -> Answer:
    """Does a hidden common cause stand behind two variables?"""
    answer = pag.is_confounded(u, v)
    a, b = pag.index(u), pag.index(v)
    x, y = pag.names[a], pag.names[b]
    edge = edge_between(pag, a, b) if b in pag.around[a] else None
    if edge is not None and _is_open_to_selection(pag, selection):
        neither = "; neither causes the other" if answer else ""
        said = f"open: a hidden common cause of {x} and {y} may stand behind the edge {edge}, or what the sample was selected by{neither}."
        answer = None
    elif answer:
        said = f"yes: {x} and {y} share a hidden common cause ({edge}); neither causes the other."
    elif answer is None:
        said = f"open: the edge {edge} leaves room for a hidden common cause of {x} and {y}, and does not ask for one."
    elif edge is None:
        said = f"no: {x} and {y} have no edge, so no hidden variable acts on both, unless by way of measured ones."
    else:
        said = f"no: the edge {edge} is visible, so no hidden common cause stands behind it."
    facts = {
        "variables": (x, y),
        "edge": edge,
        "district": {x: pag.district(x), y: pag.district(y)},
        "possible_district": {x: pag.possible_district(x), y: pag.possible_district(y)},
    }
    return Answer({True: "yes", False: "no", None: "open"}[answer], said, facts)


def paths(pag: PAG, u: object, v: object, limit: int = SHOWN, selection: bool = False) -> Answer:
    """Which paths from one variable to another could be causal?"""
    a, b = pag.index(u), pag.index(v)
    x, y = pag.names[a], pag.names[b]
    is_open = _is_open_to_selection(pag, selection)
    definite, possible = _causes(pag, y, selection)
    shortest = None if a == b else shortest_path(a, b, lambda t: _onward(pag, t, is_open))
    if shortest is None:
        nothing = {"variables": (x, y), "paths": (), "directed": False, "cut": False}
        if x in possible:
            return Answer("open", f"open: no path from {x} to {y} could be causal but through what the sample was selected by.", nothing)
        return Answer("no", f"no: no path from {x} to {y} could be causal, so {x} is not a cause of {y}.", nothing)
    found = list(islice(_possible_paths(pag, a, b, is_open), limit + 1))
    cut = len(found) > limit
    written = tuple(path_in_words(pag, path) for path in sorted(found[:limit], key=lambda path: (len(path), path)))
    directed = x in pag.ancestors(y)
    verdict = "yes" if x in definite else "open"
    many = f"at least {counted(limit, 'path')}" if cut else counted(len(found), "path")
    begin = f"yes: {x} is a cause of {y}" if verdict == "yes" else f"open: {x} may be a cause of {y}"
    said = f"{begin}; {many} could be causal, the shortest {path_in_words(pag, shortest)}."
    return Answer(verdict, said, {"variables": (x, y), "paths": written, "directed": directed, "cut": cut})


def adjustment(pag: PAG, u: object, v: object, selection: bool = False) -> Answer:
    """Which sets of variables to hold fixed for the effect of one variable on another?"""
    found = told_by(pag, u, v)
    if selection:
        found = ToldBy(found.x, found.y, "nothing", reason=SELECTED)
    listed = list(found.sets)
    facts = {"variables": (found.x, found.y), "by": found.by, "sets": listed, "expression": found.expression, "note": found.note}
    return Answer("yes" if found.identified else "no", identification_in_words(found), facts)


def identification_in_words(found: ToldBy) -> str:
    """What identifies an effect, or what stands in the way."""
    note = f" ({found.note})" if found.note else ""
    if found.by == "no path":
        return f"no path from {found.x} to {found.y} could be causal: the effect is zero.{note}"
    if found.by == "nothing":
        return f"not identified: {found.reason}{note}"
    if found.by == "expression":
        return f"no adjustment set exists, and yet the effect of {found.x} on {found.y} is identified: {found.expression}.{note}"
    if found.sets[0] == ():
        return f"nothing needs to be held fixed for the effect of {found.x} on {found.y}.{note}"
    shown = "; ".join("{" + ", ".join(names) + "}" for names in found.sets[:SHOWN])
    more = f"; and {len(found.sets) - SHOWN} more" if len(found.sets) > SHOWN else ""
    return f"for the effect of {found.x} on {found.y} hold fixed {'one of ' if len(found.sets) > 1 else ''}{shown}{more}.{note}"


def _partial(pag: PAG) -> PartialGraph:
    """The same marks as the orientation rules see them."""
    graph = PartialGraph(len(pag), pag.pairs())
    for a, row in enumerate(pag.around):
        graph.around[a] = {b: row[b] for b in sorted(row)}
    return graph


def _surely_above(graph: PartialGraph, u: int) -> set[int]:
    """What u is an ancestor of in every graph, by an edge or by two uncovered paths."""
    found = {w for w in graph.around[u] if graph.is_parent(u, w)}
    starts = [m for m in graph.around[u] if graph.may_point(u, m)]
    for m, k in combinations(starts, 2):
        if not graph.adjacent(m, k):
            found |= uncovered_reach(graph, u, m) & uncovered_reach(graph, u, k)
    return found


def _is_open_to_selection(pag: PAG, selection: bool) -> bool:
    """May the sample have been selected, as was said or as an edge tells?"""
    return selection or is_selected(pag)


def _causes(pag: PAG, name: str, selection: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What surely causes a variable, and what else may."""
    if not _is_open_to_selection(pag, selection):
        definite, at = definite_ancestors(pag, name), pag.index(name)
        # In the PAG of a class no path leads from a variable whose edge has an arrowhead at it; with marks of knowledge one may seem to.
        ruled_out = {*definite, *(pag.names[u] for u in pag.around[at] if pag.around[at][u] == ARROW)}
        return definite, tuple(u for u in pag.possible_ancestors(name) if u not in ruled_out)
    around, goal = pag.around, pag.index(name)
    is_free = [any(around[w][u] == ARROW for w in around[u]) for u in range(len(pag))]  # an arrowhead says: no cause of selection
    surely = reached(goal, lambda b: [a for a in around[b] if around[b][a] == TAIL and is_free[a]]) - {goal}
    perhaps = reached(goal, lambda b: [a for a in around[b] if around[b][a] != ARROW]) | {u for u, free in enumerate(is_free) if not free}
    open_ones = perhaps - surely - {goal}
    return tuple(pag.names[u] for u in sorted(surely)), tuple(pag.names[u] for u in sorted(open_ones))


def _onward(pag: PAG, v: int, is_open: bool) -> list[int]:
    """Where an edge may lead on to; with selection also against a tail, as both ends may be causes of it."""
    around = pag.around
    return [w for w in sorted(around[v]) if around[w][v] != ARROW and (is_open or around[v][w] != TAIL)]


def _possible_paths(pag: PAG, a: int, b: int, is_open: bool) -> Iterator[tuple[int, ...]]:
    """Every potentially directed path without a vertex twice."""
    around = pag.around
    leads = reached(b, lambda v: [w for w in around[v] if around[v][w] != ARROW and (is_open or around[w][v] != TAIL)])

    def extend(path: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        for w in _onward(pag, path[-1], is_open):
            if w == b:
                yield (*path, b)
            elif w in leads and w not in path:
                yield from extend((*path, w))

    yield from extend((a,))


def _are(names: Sequence[str], one: str = "is", many: str = "") -> str:
    return f"{_and(names)} {one if len(names) == 1 or one == 'may be' else many or 'are'}"


def _and(names: Sequence[str]) -> str:
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0]


def _of(names: Sequence[str]) -> str:
    return "a cause" if len(names) == 1 else "causes"
