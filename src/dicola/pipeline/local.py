"""MMB-by-MMB: the causes and effects of one variable, from Markov blankets outwards (Xie et al. 2024)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from itertools import combinations
from time import perf_counter
from typing import Any

import numpy as np

from dicola.allowed import COUNT, checked, instance
from dicola.blankets.base import BlanketLearner
from dicola.blankets.registry import blanket_learner
from dicola.ci.base import CITest
from dicola.ci.inquiry import Evidence, Inquiry
from dicola.ci.registry import record_of
from dicola.claims import Claims
from dicola.errors import Interrupted, InvalidSetting, Sentence, counted
from dicola.graphs.bits import mask_of
from dicola.graphs.marks import ARROW, TAIL, listed
from dicola.graphs.pag import PAG
from dicola.graphs.skeleton import Pair, RecordedSets, SeparatingSets, Skeleton, Variables
from dicola.knowledge import Knowledge
from dicola.learners.adjacency import limit_warning
from dicola.learners.local_skeleton import separate_around
from dicola.local_discovery import LocalDiscovery
from dicola.orient.colliders import r0
from dicola.orient.fixpoint import apply_rules
from dicola.orient.partial import PartialGraph
from dicola.orient.pending_marks import next_to_visit
from dicola.pipeline.plan import Plan
from dicola.pipeline.so_far import watching, why_stopped
from dicola.pipeline.sureness import power_of_tests
from dicola.registry import described
from dicola.statements import Judge
from dicola.watch import Reason, Stopped, Watch


@checked(
    max_visited=COUNT.or_none("it must be a whole number from 1 on, or None for no limit."),
    knowledge=instance(Knowledge).or_none("make one: Knowledge(tiers=[...], forbidden=[...], required=[...])."),
)
def local(
    ci: Evidence,
    target: str,
    *,
    blankets: str | BlanketLearner = "auto",
    uig_alpha: float | None = None,
    max_condition_size: int | None = None,
    max_visited: int | None = None,
    knowledge: Knowledge | None = None,
    contexts: str | Iterable[str] | None = None,
    targets: Mapping[str, Any] | None = None,
    max_seconds: float | None = None,
    max_tests: int | None = None,
    max_memory: float | None = None,
) -> LocalDiscovery:
    """Learn the edges of one variable and their marks, as ``discover`` would, with fewer tests.

    A variable is visited by learning its Markov blanket and, inside that, its edges. The first is
    ``target``; then whichever could still help to decide a mark on an edge of the target, until
    none could. Exact if the test never errs: the edges of the target and the marks at both of their
    ends are those of the PAG over all variables.

    Parameters
    ----------
    ci : CITest or Inquiry
        The test, such as ``FisherZ(table)``.
    target : str
        The name of the variable.
    blankets : str or BlanketLearner
        How Markov blankets are learned, as in ``discover``.
    uig_alpha : float, optional
        The level of the blanket learner; by default its own.
    max_condition_size : int, optional
        Largest set of neighbours that is tried.
    max_visited : int, optional
        How many variables to visit at most. With this or the other bound the answer is partial and
        says so in its warnings.
    knowledge : Knowledge, optional
        What is known beforehand. It puts its marks on the edges that are found, and the rules go on
        from there; what follows along paths, which may leave the surroundings, is left to
        ``discover``. ``LocalDiscovery.statements`` tells what became of each claim.
    contexts, targets
        Variables that were set from outside, and what they act on, as in ``discover``.
    max_seconds, max_tests, max_memory : float, int, float, optional
        A budget, as in ``discover``; where one is reached, ``LocalDiscovery.complete`` is false.

    Returns
    -------
    LocalDiscovery
        The edges of the target with what led to them.

    Raises
    ------
    InvalidSetting
        The target is not among the variables, or a setting is not allowed.
    Interrupted
        On Ctrl-C, with what was found; a second Ctrl-C ends at once.

    Examples
    --------
    >>> from dicola import DAG, Oracle
    >>> arcs = [("Rain", "Wet"), ("Sprinkler", "Wet"), ("Wet", "Slip"), ("Slip", "Fall")]
    >>> print(local(Oracle(DAG.from_edges(arcs)), "Wet").pag)
    Rain o-> Wet
    Sprinkler o-> Wet
    Wet --> Slip

    """
    if not isinstance(ci, CITest | Inquiry):
        raise InvalidSetting(
            f"local takes a conditional independence test, not a {type(ci).__name__}; wrap a table as FisherZ(table, alpha=0.01)."
        )
    learner, _ = blanket_learner(blankets, uig_alpha).settled(ci)
    center = _position(ci, target)
    inquiry = Inquiry(ci, cache=True)
    inquiry.account.limit = max_tests
    plan = Plan(
        knowledge=knowledge, contexts=contexts, targets=targets, max_seconds=max_seconds, max_tests=max_tests, max_memory=max_memory
    )
    spelled = plan.known(ci.names)
    known = _Known(inquiry, learner, max_condition_size, None if spelled is None else Claims.of(spelled, ci.labels))
    told = {"max_seconds": max_seconds, "max_tests": max_tests, "max_memory": max_memory, **plan.record_of_knowledge()}
    given: dict[str, Any] = {"max_condition_size": max_condition_size, "max_visited": max_visited}
    with watching(plan) as watch:
        found = known.around(center, max_visited, watch, given | {name: value for name, value in told.items() if value is not None})
    if not found.complete and watch.reason == "interrupted":
        raise Interrupted(found)
    return found


def _position(ci: Evidence, target: str) -> int:
    name = str(target)
    if name in ci.labels:
        return ci.labels.index(name)
    near = get_close_matches(name, ci.names, n=3) or [other for other in ci.names if other.lower() == name.lower()]
    meant = f"Did you mean {' or '.join(repr(other) for other in near)}? " if near else ""
    raise InvalidSetting(f"the target {name!r} is not among the variables. {meant}They are: {listed(ci.names)}.")


def _warnings(graph: PartialGraph, cut_short_at: int | None, stopped: Reason | None) -> list[str]:
    warnings: list[str] = []
    if stopped is not None:
        warnings.append(
            Sentence("the run was stopped, as {why}: more could decide further edges and marks of the target.", why=why_stopped(stopped))
        )
    if cut_short_at is not None:
        visited = counted(cut_short_at, "variable was", "variables were")
        warnings.append(f"{visited} visited only (max_visited); more could decide further marks of the target.")
    if graph.conflicts:
        warnings.append(f"the rules claimed both ways at {counted(len(graph.conflicts), 'edge end')}; the first claim stands.")
    return warnings


class _Known:
    """What is known so far: all edges of the visited variables, and a set for every pair that was separated."""

    def __init__(self, ci: Inquiry, learner: BlanketLearner, max_condition_size: int | None, claims: Claims | None = None) -> None:
        self._ci, self._learner, self._max_size, self._claims = ci, learner, max_condition_size, claims
        self._plain = None if claims is None else claims.never_bidirected()
        self.blankets: dict[int, Variables] = {}  # of the visited ones, in the order of the visits
        self._found = RecordedSets()
        self.edges: set[Pair] = set()
        self.finished = True

    def around(self, center: int, max_visited: int | None, watch: Watch, settings: dict[str, Any]) -> LocalDiscovery:
        """Visit one variable after the other, and tell what is known in the end."""
        start = perf_counter()
        graph = PartialGraph(len(self._ci), ())
        following: int | None = center
        stopped: Reason | None = None
        try:
            while following is not None and (max_visited is None or len(self.blankets) < max_visited):
                self.visit(following)
                graph = self.oriented()
                following = next_to_visit(graph, self.unsettled(), center)
        except Stopped:
            stopped = watch.reason or "tests"
            watch.end(stopped)
            if stopped == "tests":
                self._ci.account.use_up("leaves")
        return self._found_around(center, graph, settings, (None if following is None or stopped else max_visited, stopped), start)

    def visit(self, x: int) -> None:
        """Learn the blanket of x, and inside it the edges of x."""
        unvisited = [v for v in range(len(self._ci)) if v != x and v not in self.blankets]
        claimed = [v for v, members in self.blankets.items() if x in members]
        blanket = sorted([*claimed, *self._learner.blanket(self._ci.during("blankets"), x, unvisited)])
        inside = sorted([x, *blanket])
        place = {v: i for i, v in enumerate(inside)}

        adjacency = ~np.eye(len(inside), dtype=np.bool_)
        doubtful = adjacency.copy()
        sets = RecordedSets()
        for pair in combinations(inside, 2):
            i, j = (place[v] for v in pair)
            z = self._found.get(*pair)
            if z is not None and all(v in place for v in z):
                adjacency[i, j] = adjacency[j, i] = False
                sets.add(i, j, tuple(place[v] for v in z))
            elif pair in self.edges:
                doubtful[i, j] = doubtful[j, i] = False
        self.finished &= separate_around(self._ci.among(inside), place[x], adjacency, doubtful, sets, self._max_size)

        for pair, z in sets.relabelled(tuple(inside)).items():
            if pair not in self._found:
                self._found.add(*pair, z)
        self.blankets[x] = tuple(blanket)
        self.edges |= {(min(x, y), max(x, y)) for y in blanket if self.separating_set(x, y) is None}

    def unsettled(self) -> list[int]:
        """For each variable a mask of those of which it is not known whether they are adjacent to it."""
        unvisited = mask_of(v for v in range(len(self._ci)) if v not in self.blankets)
        masks = [unvisited & ~(1 << v) if unvisited >> v & 1 else 0 for v in range(len(self._ci))]
        for a, b in (*self.edges, *self._found):
            masks[a] &= ~(1 << b)
            masks[b] &= ~(1 << a)
        return masks

    def oriented(self) -> PartialGraph:
        """The known edges with every mark that follows; a triple whose ends may be adjacent for all that is known is used by no rule."""

        def is_collider(a: int, b: int, c: int) -> bool | None:
            z = self.separating_set(a, c)
            return None if z is None else b not in z

        graph = PartialGraph(len(self._ci), self._said(self.edges))
        self._put_known(graph)
        r0(graph, is_collider)
        apply_rules(graph, is_collider)
        return graph

    def judge(self, graph: PartialGraph) -> Judge:
        """Who weighs claims against what is known."""
        labels = self._ci.labels
        edges = frozenset((a, b) for a, row in enumerate(graph.around) for b in row if a < b)
        skeleton = Skeleton(labels, tuple(range(len(labels))), edges, _SetsSoFar(self), self._ci.names)
        return Judge(PAG.trusted(graph.to_matrix(), labels), skeleton, tuple(graph.conflicts), unsettled=self.unsettled())

    def _said(self, edges: set[Pair]) -> set[Pair]:
        """The edges but for pairs said not to be adjacent, and with those said to be so at variables that were visited."""
        if self._claims is None:
            return edges
        joined = {(a, b) for a, b in np.argwhere(np.triu(self._claims.joined)).tolist() if a in self.blankets or b in self.blankets}
        return {(a, b) for a, b in edges | joined if not self._claims.apart[a, b]}

    def _put_known(self, graph: PartialGraph) -> None:
        """Marks that follow from what is known beforehand of the two ends of an edge."""
        if self._claims is None or self._plain is None:
            return
        for other, at, mark in self._claims.marks((a, b) for a, row in enumerate(graph.around) for b in row if a < b):
            graph.put(other, at, mark, "knowledge", (other, at))
            if mark == ARROW and self._plain[other, at]:
                graph.put(at, other, TAIL, "unconfounded", (at, other))

    def _found_around(
        self, center: int, graph: PartialGraph, settings: dict[str, Any], cut_short: tuple[int | None, Reason | None], start: float
    ) -> LocalDiscovery:
        ci, learner = self._ci, self._learner
        seen = {v for v, row in enumerate(graph.around) if row}
        shown = sorted({center, *self.blankets, *seen})
        pag = PAG.from_matrix(graph.to_matrix()[np.ix_(shown, shown)], [ci.labels[v] for v in shown])
        record = record_of(ci.test)
        statements = () if self._claims is None else self.judge(graph).statements(settings)
        return LocalDiscovery(
            target=ci.labels[center],
            pag=pag.reordered([name for name in ci.names if name in set(pag.names)]),
            visited=tuple(ci.labels[v] for v in self.blankets),
            n_variables=len(ci),
            separating_sets={
                (ci.labels[a], ci.labels[b]): tuple(ci.labels[v] for v in z)
                for a, b in combinations(shown, 2)
                if (z := self.separating_set(a, b)) is not None
            },
            tests=ci.counts,
            settings={"test": record, "blankets": described(learner), **settings},
            warnings=(
                *ci.test.notes(),
                *((ci.untested.sentence(ci.counts["total"], record),) if any(ci.untested) else ()),
                *learner.warnings(ci),
                *limit_warning(self.finished, self._max_size),
                *_warnings(graph, *cut_short),
                *(str(each) for each in statements if each.status == "denied"),
            ),
            statements=statements,
            power=power_of_tests(ci, pag, learner),
            seconds=perf_counter() - start,
            complete=cut_short[1] is None,
        )

    def separating_set(self, a: int, b: int) -> Variables | None:
        """A set that separates a pair; ``None`` where there is none, or none is known.

        Where a blanket does it, the blanket: with data it is the better witness of colliders than a set of few variables.
        """
        for x, y in ((a, b), (b, a)):
            if x in self.blankets and y not in self.blankets[x]:
                return self.blankets[x]
        return self._found.get(a, b)


class _SetsSoFar(SeparatingSets):
    """The sets of a local run."""

    def __init__(self, known: _Known) -> None:
        self._known = known

    def get(self, x: int, y: int) -> Variables | None:
        return self._known.separating_set(x, y)
