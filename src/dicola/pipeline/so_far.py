"""What a run that was stopped has found: the labelled part of an answer.

A pair is decided where all leaves that hold it are learned. Every other edge is one of an independence graph, and stays undecided, with
circles. Rules then use decided edges alone, and no triple whose ends may be adjacent: with perfect answers each mark that they put
stands in the whole answer too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from time import perf_counter

from dicola.checkpoint import Checkpoint
from dicola.ci.inquiry import Inquiry
from dicola.decompose.leaves import Learned
from dicola.decompose.merge import merge_up
from dicola.decompose.tree import Leaf, Tree
from dicola.errors import InvalidSetting, Sentence, counted
from dicola.graphs.skeleton import BlanketSets, Pair, RecordedSets, Skeleton
from dicola.graphs.undirected import UndirectedGraph
from dicola.learners.base import Learner
from dicola.learners.collider_policies import ExceptFor, collider_policy
from dicola.orient.fixpoint import Orientation, orient
from dicola.orient.partial import PartialGraph
from dicola.pipeline.obeying import obeying
from dicola.pipeline.plan import Plan, Steps
from dicola.score.search import Finished
from dicola.watch import Reason, Stopped, Watch, Watching, can_measure_memory, current, now, watched_by

_GRACE = 1.0  # seconds for the rules on what is decided, once time is up
_GRACE_AT_CTRL_C = 0.3
_WHY: Mapping[Reason, Sentence] = {
    "seconds": Sentence("{max_seconds} was reached"),
    "tests": Sentence("{max_tests} was reached"),
    "memory": Sentence("{max_memory} was reached"),
    "interrupted": Sentence("it was interrupted"),
}


def watching(plan: Plan) -> AbstractContextManager[Watch]:
    """The watch of a run: that of the work which it is a part of, else one of its own, with the budget of the plan."""
    outer = current()
    if outer is not None:
        return nullcontext(outer)
    if plan.max_memory is not None and not can_measure_memory():
        raise InvalidSetting(Sentence("this system does not tell how much memory a process holds; leave out {max_memory}."))
    return Watching(Watch.of(plan.max_seconds, plan.max_memory))


class Clock:
    """Seconds by phase."""

    def __init__(self) -> None:
        self._laps: dict[str, float] = {}
        self._start = self._last = perf_counter()

    def lap(self, phase: str) -> None:
        """The phase ends here."""
        now = perf_counter()
        self._laps[phase] = now - self._last
        self._last = now

    def elapsed(self) -> float:
        """Seconds since the run began."""
        return perf_counter() - self._start

    def seconds(self) -> dict[str, float]:
        """Those of each phase, and their total."""
        return {**self._laps, "total": self._last - self._start}


@dataclass
class SoFar:
    """How far a run has come. ``None`` is not known yet; so is a leaf that is not learned.

    ``oriented`` are the marks by the rules, ``answer`` what the mode made of them; ``undecided`` pairs and a ``note`` are for a run that
    was stopped.
    """

    ci: Inquiry
    steps: Steps
    clock: Clock = field(default_factory=Clock)
    phase: str = "blankets"
    tree: Tree | None = None
    leaves: Sequence[Learned | None] | None = None
    skeleton: Skeleton | None = None
    oriented: Orientation | None = None
    answer: Finished | None = None
    kept: Checkpoint | None = None
    undecided: frozenset[Pair] = frozenset()
    note: str | None = None

    def plant(self, root: UndirectedGraph | None) -> None:
        """All variables are one leaf, with their independence graph where it is known."""
        self.tree = Tree((Leaf(tuple(range(len(self.ci))), root),))

    def stopped(self, watch: Watch) -> None:
        """Make the most of what there is, once the run was stopped."""
        reason = watch.reason or "tests"
        watch.end(reason)
        if reason == "tests":
            self.ci.account.use_up(self.phase)
        self.ci.test.take_untested()
        done = self._done()
        with watched_by(Watch(now() + (_GRACE_AT_CTRL_C if reason == "interrupted" else _GRACE))):
            if self.skeleton is None:
                self._merge()
            if self.oriented is None:
                self._orient(may_ask=reason != "tests")
            else:
                self.undecided = self.skeleton.edges if self.skeleton is not None else frozenset()
        self.clock.lap("stopped")
        self.note = Sentence(
            "the run was stopped, as {why}: {done} {left}",
            why=why_stopped(reason),
            done=done,
            left=counted(len(self.undecided), "edge is undecided.", "edges are undecided.", ","),
        )

    def _done(self) -> str:
        """How far it came, in words."""
        if self.oriented is not None:
            return "the search by score was not finished, and may change any edge."
        if self.skeleton is not None:
            return "all edges are found, and no marks."
        if self.leaves is None or self.tree is None or (len(self.leaves) == 1 and self.leaves[0] is None):
            known = self.tree is not None and self.tree.leaves[0].uig is not None
            return "all that is known is the independence graph." if known else "nothing is decided."
        learned, total = sum(leaf is not None for leaf in self.leaves), len(self.leaves)
        return f"{learned} of {counted(total, 'leaf is', 'leaves are')} learned, the others have the edges of their independence graphs."

    def _merge(self) -> None:
        """The skeleton, in which leaves that are not learned have the edges of their independence graphs."""
        if self.tree is None:
            self.plant(None)
        assert self.tree is not None
        leaves = self.tree.leaves
        learned = [None] * len(leaves) if self.leaves is None else list(self.leaves)
        filled = [undone(leaf) if each is None else each for leaf, each in zip(leaves, learned, strict=True)]
        merged = merge_up(self.tree, filled, self.ci.labels, self.ci.names)
        self.skeleton = obeying(merged, self.steps.claims)
        if None not in learned:  # stopped in the merge, which may remove any edge
            self.undecided = self.skeleton.edges
        else:
            open_ = {pair for leaf, each in zip(filled, learned, strict=True) if each is None for pair in leaf.edges}
            self.undecided = frozenset(self.skeleton.edges & open_)

    def _orient(self, may_ask: bool) -> None:
        """Marks on the decided edges, where the rules are those for all learners and no more tests are needed than there may be."""
        assert self.skeleton is not None
        skeleton, learner, settings = self.skeleton, self.steps.learner, self.steps.orientation
        decided = replace(skeleton, edges=skeleton.edges - self.undecided)
        graph = PartialGraph(len(skeleton.labels), skeleton.edges)
        self.oriented = Orientation.of(graph, skeleton.labels)
        plain = type(learner).orient is Learner.orient and settings.claims is None and (may_ask or settings.colliders == "sepset")
        if not decided.edges or not self.undecided or not plain:
            self.undecided = skeleton.edges
            return
        try:
            limit = getattr(learner, "max_condition_size", None)
            policy = collider_policy(settings.colliders, self.ci.during("orientation"), decided, limit, settings.seed)
            found = orient(
                decided,
                selection=settings.selection,
                max_path_length=settings.max_path_length,
                is_collider=ExceptFor(policy, set(self.undecided)),
            )
        except Stopped:
            self.undecided = skeleton.edges
            return
        marks = self.oriented.pag.to_matrix()
        known = found.pag.marks != 0
        marks[known] = found.pag.marks[known]
        self.oriented = replace(found, pag=type(found.pag).trusted(marks, skeleton.labels))


def undone(leaf: Leaf) -> Learned:
    """What is known of a leaf that was not learned: the edges of its independence graph, if there is one, else that nothing is."""
    variables, graph = leaf.variables, leaf.uig
    if graph is None or graph.is_complete:
        pairs = [(a, b) for i, a in enumerate(variables) for b in variables[i + 1 :]]
        return Learned(frozenset(pairs), RecordedSets(), ())
    edges = [(variables[a], variables[b]) for a in range(len(graph)) for b in graph.beside(a) if a < b]
    return Learned(frozenset(edges), RecordedSets(otherwise=BlanketSets(graph, variables)), ())


def why_stopped(reason: Reason) -> Sentence:
    """Why a run was stopped, to follow "as"."""
    return _WHY[reason]
