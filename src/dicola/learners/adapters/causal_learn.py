"""FCI as causal-learn has it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import Adjacency
from dicola.extras import from_extra
from dicola.learners.adapters.recover import Questions, separating_sets
from dicola.learners.adjacency import limit_warning
from dicola.learners.base import Context, Found, Learner, checked_limit

_LEVEL = 0.5  # there a pair is independent iff p > level, so that 1 and 0 stand for yes and no


@dataclass(frozen=True)
class CausalLearnFCI(Learner):
    """The skeleton of causal-learn's ``fci`` from the answers of dicola's test; separating sets and orientation are dicola's.

    Of ``fci`` those steps run that decide adjacencies: ``fas``, ``rule0`` and ``removeByPossibleDsep``. Its rules of orientation change
    no adjacency, but ask further questions, and the last step prints. Its separating sets are unions of all sets found at a level, which
    need not separate; here each pair keeps the smallest set that the test found to separate it. A question met again is answered from
    memory, as by causal-learn's own tests, so the count is that of different questions.

    Not exact: its search for Possible-D-Sep looks two steps far, drops vertices by a filter that depends on the order of the search, and
    passes over the first set of each size, so that a false edge may stay which no set of neighbours removes.

    ``depth`` bounds the sets of the first phase; the second has no bound. The search always starts from the complete graph.
    """

    name, title = "causal-learn-fci", "FCI (causal-learn)"
    reference = "Zheng et al. (2024), causal-learn; Spirtes, Meek and Richardson (1995)"
    guarantee = "not exact: a false edge that no set of neighbours removes may stay"

    depth: int | None = None

    def __post_init__(self) -> None:
        checked_limit("depth", self.depth)

    def search(self, ci: Inquiry, context: Context) -> Found:
        questions = Questions(Inquiry(ci, cache=True))
        adjacency, finished = _adjacency(questions, len(ci), self.depth)
        sets, warnings = separating_sets(ci, adjacency, questions.sets, lambda: context.blanket_graph(ci), self.depth)
        return Found(adjacency, sets, warnings + limit_warning(finished, self.depth, setting="depth"))


def _adjacency(questions: Questions, k: int, depth: int | None) -> tuple[Adjacency, bool]:
    """What causal-learn leaves adjacent among k variables, and whether its first phase came to its end rather than to the limit."""
    cit, fas, fci, node = (_module(name) for name in ("utils.cit", "utils.FAS", "search.ConstraintBased.FCI", "graph.GraphNode"))
    if k < 2:
        return np.zeros((k, k), dtype=np.bool_), True
    table = np.zeros((1, k))  # only its width is read
    test = _asking(cit.CIT_Base, questions, table)
    # Numbers for names: causal-learn walks through sets of nodes, and the hashes of texts, unlike these, change from run to run.
    nodes = [node.GraphNode(i) for i in range(k)]
    limit = -1 if depth is None else depth
    graph, unions, _ = fas.fas(table, nodes, independence_test_method=test, alpha=_LEVEL, depth=limit, show_progress=False)
    finished = depth is None or int((graph.graph != 0).sum(axis=1).max()) <= depth + 1
    fci.rule0(graph, nodes, unions, None, False)
    fci.removeByPossibleDsep(graph, test, _LEVEL, unions)
    return np.asarray(graph.graph) != 0, finished


def _module(name: str) -> ModuleType:
    return from_extra(f"causallearn.{name}", "causal-learn")


def _asking(base: Any, questions: Questions, table: Any) -> Any:
    """A test of causal-learn's kind that asks dicola's."""

    class Asking(base):  # type: ignore[misc]
        method = "dicola"

        def __call__(self, x: int, y: int, condition_set: Iterable[int] | None = None) -> float:
            return 1.0 if questions.independent(x, y, condition_set or ()) else 0.0

    return Asking(table)
