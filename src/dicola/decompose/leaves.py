"""Leaves as tasks: each carries its own block of the evidence, small enough to send, and workers learn them side by side.

A leaf of four variables is learned in a few microseconds; what surrounds the search takes ten times as long. If what a learner finds in
one part does not depend on the others (``Learner.is_local``), one run over the disjoint union of many leaves gives each of them what it
gets alone; such leaves share a task.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from dicola.checkpoint import Checkpoint
from dicola.ci.inquiry import Account, Inquiry
from dicola.ci.workers import Workers
from dicola.decompose.tree import Leaf
from dicola.errors import from_pieces, in_pieces
from dicola.graphs.skeleton import Pair, RecordedSets, SeparatingSets, Variables
from dicola.graphs.undirected import UndirectedGraph
from dicola.learners.base import Context, Learner
from dicola.watch import Reason, Stopped, current, end, heed

_TOGETHER = 160  # variables of one union, so that its matrices stay small
_KEPT_TOGETHER = 40  # the same where what is found is kept, so that little is lost


class Learned(NamedTuple):
    """What was found of a leaf, in the positions of the whole."""

    edges: frozenset[Pair]
    sets: SeparatingSets
    warnings: tuple[str, ...]

    def to_dict(self, variables: Variables) -> dict[str, Any]:
        """As plain values, the sets as a result is written with them."""
        sets = self.sets.to_dict(variables)
        return {"edges": sorted(self.edges), "warnings": [in_pieces(each) for each in self.warnings], "separating_sets": [], **sets}

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any], variables: Variables) -> Learned:
        """Read back what ``to_dict`` gave."""
        edges = frozenset((a, b) for a, b in facts["edges"])
        return cls(edges, RecordedSets.from_dict(facts, variables), tuple(from_pieces(each) for each in facts["warnings"]))


class LeafResult(NamedTuple):
    """What was found of the leaves of a task, and what they took; where it was stopped, ``None`` for each leaf and the reason."""

    learned: Sequence[Learned | None]
    account: Account
    reason: Reason | None = None


@dataclass(frozen=True, eq=False)
class LeafTask:
    """Some leaves to be learned, with the evidence on their variables alone.

    ``asked`` has one view per leaf, all of one account and one memory; or a single one over the union of the leaves, numbered through.
    """

    learner: Learner
    asked: tuple[Inquiry, ...]
    leaves: tuple[Leaf, ...]
    context: Context

    def found_in(self, kept: Any) -> LeafResult | None:
        """What was found of these leaves, read back; ``None`` where what is kept is of other leaves."""
        if kept["leaves"] != [list(leaf.variables) for leaf in self.leaves]:
            return None
        learned = [Learned.from_dict(facts, leaf.variables) for facts, leaf in zip(kept["learned"], self.leaves, strict=True)]
        return LeafResult(learned, Account.from_dict(kept["account"]))

    def to_dict(self, result: LeafResult, account: dict[str, Any]) -> dict[str, Any]:
        """What was found of these leaves and what they took, as plain values."""
        learned = [each.to_dict(leaf.variables) for each, leaf in zip(result.learned, self.leaves, strict=True) if each is not None]
        return {"leaves": [leaf.variables for leaf in self.leaves], "learned": learned, "account": account}

    def run(self) -> LeafResult:
        """Learn the leaves, all of them or none."""
        account = self.asked[0].account
        try:
            heed()
            if len(self.asked) < len(self.leaves):
                return LeafResult(self._from_union(*self.asked), account)
            return LeafResult([self._learned(*each) for each in zip(self.asked, self.leaves, strict=True)], account)
        except Stopped:
            watch = current()
            return LeafResult([None] * len(self.leaves), account, (watch and watch.reason) or "tests")

    def _learned(self, asked: Inquiry, leaf: Leaf) -> Learned:
        found = self.learner.learn_skeleton(asked, context=self.context._replace(uig=leaf.uig))
        variables = leaf.variables
        if variables[-1] == len(variables) - 1:  # the whole: positions are the same
            return Learned(found.edges, found.sets, found.warnings)
        edges = frozenset([(variables[a], variables[b]) for a, b in found.edges])
        return Learned(edges, found.sets.relabelled(variables), found.warnings)

    def _from_union(self, union: Inquiry) -> list[Learned]:
        """One run over the union, taken apart again: each leaf gets what it would get alone."""
        graphs = [leaf.uig for leaf in self.leaves if leaf.uig is not None]
        context = self.context._replace(uig=UndirectedGraph.side_by_side(graphs))
        if not context.warm:
            graphs = [UndirectedGraph.complete(len(leaf.variables)) for leaf in self.leaves]
            context = context._replace(start=UndirectedGraph.side_by_side(graphs))
        parts = [(leaf.variables, graph) for leaf, graph in zip(self.leaves, graphs, strict=True)]
        found = self.learner.learn_skeleton(union, context=context)
        part_of = [i for i, (variables, _) in enumerate(parts) for _ in variables]
        whole = [v for variables, _ in parts for v in variables]
        edges: list[list[Pair]] = [[] for _ in parts]
        for a, b in found.edges:
            edges[part_of[a]].append((whole[a], whole[b]))
        sets = found.sets.parted(parts)
        return [Learned(frozenset(edges[i]), sets[i], found.warnings) for i in range(len(parts))]


def bunches(sizes: Iterable[int], most: int = _TOGETHER) -> list[range]:
    """Consecutive leaves whose sizes add up to little; a large leaf is by itself."""
    found: list[range] = []
    begin, total, at = 0, 0, 0
    for at, size in enumerate(sizes, start=1):
        if total and total + size > most:
            found.append(range(begin, at - 1))
            begin, total = at - 1, 0
        total += size
    return [*found, range(begin, at)]


def leaf_tasks(
    leaves: Sequence[Leaf], learner: Learner, ci: Inquiry, context: Context, workers: Workers, most: int = _TOGETHER
) -> Iterator[LeafTask]:
    """The tasks, in the order of the leaves; ``most`` variables are in one that has several.

    Each asks with an account of its own, so that no count depends on who came first. Where answers are remembered each leaf is a task,
    and one worker alone asks through ``ci`` itself, whose memory all leaves then share.
    """
    in_bunches = not ci.remembers and all(leaf.uig is not None for leaf in leaves)
    shares = ci.remembers and (not workers.are_many or len(leaves) == 1)
    for bunch in bunches((len(leaf.variables) for leaf in leaves), most) if in_bunches else [range(i, i + 1) for i in range(len(leaves))]:
        some, own = tuple(leaves[bunch.start : bunch.stop]), ci if shares else ci.fresh()
        union = own.side_by_side([leaf.variables for leaf in some]) if learner.is_local and len(some) > 1 else None
        asked = (union,) if union is not None else tuple(own.among(leaf.variables) for leaf in some)
        yield LeafTask(learner, asked, some, context)


def learn_leaves(
    leaves: Sequence[Leaf],
    learner: Learner,
    ci: Inquiry,
    context: Context,
    workers: Workers = Workers(),
    progress: Callable[[int, int], None] | None = None,
    kept: Checkpoint | None = None,
) -> list[Learned | None]:
    """What is found of every leaf, in the order of the leaves; what they take is counted in ``ci``. The answer does not depend on the
    workers. What stands in ``kept`` is read from there, and what is found is kept.

    A leaf is ``None`` where the run was stopped before it was learned. With a limit on tests these are all from the first on with
    which there were too many, in the order of the leaves, whoever came first.
    """
    found: list[Learned | None] = []
    is_spent = False
    hired = ci.hired(workers) if len(leaves) > 1 else Workers()
    tasks = leaf_tasks(leaves, learner, ci, context, hired, _TOGETHER if kept is None else _KEPT_TOGETHER)
    before = ci.account if ci.account.limit is None else ci.account.copy()
    results = hired.each(LeafTask.run, tasks) if kept is None else _kept_results(list(tasks), hired, ci, kept)
    try:
        for learned, account, reason in results:
            if is_spent:
                continue  # for the workers to come to their end
            ci.account.add(account)
            if is_spent := (reason == "tests" or ci.account.is_spent):
                ci.account.go_back_to(before)
                found += _one_by_one(leaves[len(found) : len(found) + len(learned)], learner, ci, context)
                end("tests")
                continue
            if reason is not None:
                end(reason)
            elif ci.account.limit is not None:
                before = ci.account.copy()
            found += learned
            if progress is not None:
                progress(len(found), len(leaves))
    except Stopped:  # a signal, in the thread that waits for the workers
        pass
    return [*found, *[None] * (len(leaves) - len(found))]


def _one_by_one(leaves: Sequence[Leaf], learner: Learner, ci: Inquiry, context: Context) -> Iterator[Learned | None]:
    """The leaves of a task that took too many tests, up to the first that does so by itself."""
    for leaf in leaves if len(leaves) > 1 else ():
        own = ci.fresh()
        learned, account, reason = LeafTask(learner, (own.among(leaf.variables),), (leaf,), context).run()
        if reason is not None or own.account.is_spent:
            return
        ci.account.add(account)
        yield from learned


def _kept_results(tasks: Sequence[LeafTask], workers: Workers, ci: Inquiry, kept: Checkpoint) -> Iterator[LeafResult]:
    """What comes of each task, in their order: read back, or found by the workers and kept."""
    how = "leaf" if tasks[0].asked[0].account is not ci.account else "leaf-after-others"  # one that all leaves share knows what came before
    known = [kept.get(f"{how}-{number:06d}", task.found_in) for number, task in enumerate(tasks)]
    found = workers.each(LeafTask.run, [task for task, result in zip(tasks, known, strict=True) if result is None])
    for number, (task, result) in enumerate(zip(tasks, known, strict=True)):
        if result is not None:
            yield result
            continue
        before = ci.account.stand()
        result = next(found)
        taken = result.account.to_dict(before if result.account is ci.account else None)
        if taken is not None and result.reason is None:
            kept.put(f"{how}-{number:06d}", task.to_dict(result, taken))
        yield result
