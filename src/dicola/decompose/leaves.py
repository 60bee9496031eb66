"""Leaves as tasks: each carries its own block of the evidence, small enough to send, and workers learn them side by side.

A leaf of four variables is learned in a few microseconds; what surrounds the search takes ten times as long. If what a learner finds in
one part does not depend on the others (``Learner.is_local``), one run over the disjoint union of many leaves gives each of them what it
gets alone; such leaves share a task.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from cloudpickle import dumps
from joblib import Parallel, delayed

from dicola.ci.inquiry import Inquiry
from dicola.decompose.tree import Leaf
from dicola.graphs.skeleton import Pair, SeparatingSets, Skeleton
from dicola.graphs.undirected import UndirectedGraph
from dicola.learners.base import Context, Learner

_TOGETHER = 160  # variables of one union, so that its matrices stay small

Workers = Literal["threads", "processes"]


class Learned(NamedTuple):
    """What was found of a leaf, in the positions of the whole."""

    edges: frozenset[Pair]
    sets: SeparatingSets
    warnings: tuple[str, ...]


class LeafResult(NamedTuple):
    """What was found of the leaves of a task, and the account of what they took."""

    learned: list[Learned]
    asked: Inquiry


@dataclass(frozen=True, eq=False)
class LeafTask:
    """Some leaves to be learned, with the evidence on their variables alone.

    ``asked`` has one view per leaf, all of one account and one memory; or a single one over the union of the leaves, numbered through.
    """

    learner: Learner
    asked: tuple[Inquiry, ...]
    leaves: tuple[Leaf, ...]
    context: Context

    def run(self) -> LeafResult:
        """Learn the leaves."""
        if len(self.asked) < len(self.leaves):
            return LeafResult(self._from_union(*self.asked), self.asked[0])
        return LeafResult([self._learned(*each) for each in zip(self.asked, self.leaves, strict=True)], self.asked[0])

    def _learned(self, asked: Inquiry, leaf: Leaf) -> Learned:
        found = self.learner.learn_skeleton(asked, context=replace(self.context, uig=leaf.uig))
        variables = leaf.variables
        if variables[-1] == len(variables) - 1:  # the whole: positions are the same
            return Learned(found.edges, found.sets, found.warnings)
        edges = frozenset([(variables[a], variables[b]) for a, b in found.edges])
        return Learned(edges, found.sets.relabelled(variables), found.warnings)

    def _from_union(self, union: Inquiry) -> list[Learned]:
        """One run over the union, taken apart again: each leaf gets what it would get alone."""
        parts = [(leaf.variables, leaf.uig) for leaf in self.leaves if leaf.uig is not None]
        context = replace(self.context, uig=UndirectedGraph.side_by_side([uig for _, uig in parts]))
        found = self.learner.learn_skeleton(union, context=context)
        part_of = [i for i, (variables, _) in enumerate(parts) for _ in variables]
        whole = [v for variables, _ in parts for v in variables]
        edges: list[list[Pair]] = [[] for _ in parts]
        for a, b in found.edges:
            edges[part_of[a]].append((whole[a], whole[b]))
        sets = found.sets.parted(parts)
        return [Learned(frozenset(edges[i]), sets[i], found.warnings) for i in range(len(parts))]


def bunches(sizes: Iterable[int]) -> list[range]:
    """Consecutive leaves whose sizes add up to little; a large leaf is by itself."""
    found: list[range] = []
    begin, total, at = 0, 0, 0
    for at, size in enumerate(sizes, start=1):
        if total and total + size > _TOGETHER:
            found.append(range(begin, at - 1))
            begin, total = at - 1, 0
        total += size
    return [*found, range(begin, at)]


def leaf_tasks(leaves: Sequence[Leaf], learner: Learner, ci: Inquiry, context: Context) -> Iterator[LeafTask]:
    """The tasks, in the order of the leaves; each asks with an account of its own, so that no count depends on who came first."""
    in_bunches = context.warm and all(leaf.uig is not None for leaf in leaves)
    for bunch in bunches(len(leaf.variables) for leaf in leaves) if in_bunches else [range(i, i + 1) for i in range(len(leaves))]:
        some, own = tuple(leaves[bunch.start : bunch.stop]), ci.fresh()
        union = own.side_by_side([leaf.variables for leaf in some]) if learner.is_local and len(some) > 1 else None
        asked = (union,) if union is not None else tuple(own.among(leaf.variables) for leaf in some)
        yield LeafTask(learner, asked, some, context)


def learn_leaves(
    leaves: Sequence[Leaf],
    learner: Learner,
    ci: Inquiry,
    context: Context,
    n_jobs: int = 1,
    workers: Workers | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Skeleton]:
    """The skeleton of every leaf, in the order of the leaves; what they take is counted in ``ci``.

    ``n_jobs`` tasks run at a time, in threads or processes (``workers``; by default processes where a test is slow Python, which would
    hold the others up). The answer does not depend on it.
    """
    labels = ci.labels
    skeletons: list[Skeleton] = []
    for task, (learned, asked) in _results(leaf_tasks(leaves, learner, ci, context), n_jobs, workers or _fitting(ci)):
        ci.add(asked)
        for leaf, found in zip(task.leaves, learned, strict=True):
            names = tuple([labels[v] for v in leaf.variables])
            skeletons.append(Skeleton(labels, leaf.variables, found.edges, found.sets, names, found.warnings))
        if progress is not None:
            progress(len(skeletons), len(leaves))
    return skeletons


def _fitting(ci: Inquiry) -> Workers:
    return "processes" if ci.test.is_slow else "threads"


def _results(tasks: Iterator[LeafTask], n_jobs: int, workers: Workers) -> Iterator[tuple[LeafTask, LeafResult]]:
    if n_jobs == 1:
        for task in tasks:
            yield task, task.run()
        return
    waiting = list(tasks)
    if workers == "processes" and not _can_be_sent(waiting[0]):
        workers = "threads"  # the answer is the same
    done = Parallel(n_jobs=n_jobs, prefer=workers, return_as="generator")(delayed(LeafTask.run)(task) for task in waiting)
    yield from zip(waiting, done, strict=True)


def _can_be_sent(task: LeafTask) -> bool:
    """A user's function may hold what no other process can have, such as an open connection."""
    try:
        dumps(task)
    except Exception:
        return False
    return True
