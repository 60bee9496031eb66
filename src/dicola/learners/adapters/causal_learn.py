"""FCI as causal-learn has it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from dicola.ci.base import Adjacency, CITest
from dicola.graphs.skeleton import RecordedSets, Skeleton
from dicola.learners.adapters.extra import from_extra
from dicola.learners.adapters.recover import Questions, blanket_matrix, separating_sets
from dicola.learners.base import Context, Learner, checked_limit, local_test, skeleton_of

_LEVEL = 0.5  # there a pair is independent iff p > level, so that 1 and 0 stand for yes and no


@dataclass(frozen=True)
class CausalLearnFCI(Learner):
    """The skeleton of causal-learn's ``fci``, from the answers of dicola's test; the orientation is dicola's.

    Runs the steps of ``fci`` that decide adjacencies: ``fas``, ``rule0``, ``removeByPossibleDsep``. Its rules of orientation are left
    out: they change no adjacency, ask further questions, and end with a step that prints. Its separating sets are not used either,
    because the default search stores the union of all sets found at a level, which need not separate: each pair keeps the smallest set
    that the test found to separate it. A question met again is answered from memory, as causal-learn's own tests do.

    ``depth`` bounds the sets of the first phase alone; Possible-D-Sep has no bound there. The search always starts from the complete
    graph.
    """

    name: ClassVar[str] = "causal-learn-fci"
    title: ClassVar[str] = "FCI (causal-learn)"
    reference: ClassVar[str] = "Zheng, Huang, Chen, Ramsey, Gong, Cai, Shimizu, Spirtes and Zhang (2024)"
    guarantee: ClassVar[str] = (
        "none: its Possible-D-Sep phase takes unions for separating sets, follows other paths than the definition and passes over some "
        "sets, so an edge of which only that phase can tell that it is false may stay; without such edges the skeleton is exact"
    )
    complete: ClassVar[bool] = False

    depth: int | None = None

    def __post_init__(self) -> None:
        checked_limit("depth", self.depth)

    def learn_skeleton(self, ci: CITest, variables: Sequence[int] | None = None, context: Context | None = None) -> Skeleton:
        context = context or Context()
        local, chosen = local_test(ci, variables)
        adjacency, seen = _adjacency(local, -1 if self.depth is None else self.depth)
        sets, warnings = separating_sets(local, adjacency, seen, lambda: blanket_matrix(local, context), self.depth)
        if self.depth is not None:
            warnings.append(f"sets of neighbours were tried up to {self.depth} variables only (depth).")
        return skeleton_of(ci, chosen, adjacency, sets, warnings)


def _adjacency(ci: CITest, depth: int) -> tuple[Adjacency, RecordedSets]:
    """What causal-learn leaves adjacent, and the sets that its questions found to separate the rest."""
    cit, fas, fci, node = (_module(name) for name in ("utils.cit", "utils.FAS", "search.ConstraintBased.FCI", "graph.GraphNode"))
    k = len(ci)
    if k < 2:
        return np.zeros((k, k), dtype=np.bool_), RecordedSets()
    questions = Questions(ci, remember=True)
    table = np.zeros((1, k))  # only its width is read
    test = _asking(cit.CIT_Base, questions, table)
    nodes = [node.GraphNode(_node_name(i, k)) for i in range(k)]
    graph, unions, _ = fas.fas(table, nodes, independence_test_method=test, alpha=_LEVEL, depth=depth, show_progress=False)
    fci.rule0(graph, nodes, unions, None, False)
    fci.removeByPossibleDsep(graph, test, _LEVEL, unions)
    return np.asarray(graph.graph) != 0, questions.sets


def _module(name: str) -> ModuleType:
    return from_extra(f"causallearn.{name}", "causal-learn", "causal-learn")


def _node_name(i: int, k: int) -> str:
    """Names that sort like numbers, because causal-learn goes through candidates in the order of names."""
    return f"X{i + 1:0{len(str(k))}d}"


def _asking(base: Any, questions: Questions, table: Any) -> Any:
    """A test of causal-learn's kind that asks dicola's."""

    class Asking(base):  # type: ignore[misc]
        method = "dicola"

        def __call__(self, x: int, y: int, condition_set: Iterable[int] | None = None) -> float:
            return 1.0 if questions.independent(x, y, condition_set or ()) else 0.0

    return Asking(table)
