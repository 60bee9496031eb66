"""The separating sets of many pairs, weighed by a kernel: against the plain form."""

from __future__ import annotations

import pytest

from dicola import FisherZ, Inquiry, discover, simulate
from dicola.learners.collider_policies import WeighSets
from dicola.orient.colliders import unshielded_triples
from dicola.orient.partial import PartialGraph


@pytest.mark.parametrize("max_size", [0, 1, 2, 4])
@pytest.mark.parametrize("rows", [9, 60, 500])
def test_the_kernel_weighs_as_single_verdicts_do(max_size, rows):
    several = 0
    for seed in range(6):
        frame = simulate.linear_gaussian(simulate.er_dag(14, 3, seed=seed), rows, seed=seed)
        test = FisherZ(frame, alpha=0.05)
        skeleton = discover(FisherZ(frame, alpha=0.2), "pc", decompose=False).skeleton
        graph = PartialGraph(14, skeleton.edges)
        pairs = list(dict.fromkeys((a, c) for a, _, c in unshielded_triples(graph)))
        if not pairs:
            continue
        question = WeighSets(pairs, [skeleton.sets[pair] for pair in pairs], [tuple(row) for row in graph.around], max_size)
        inquiry, fast = Inquiry(test), question.by_correlations(test)
        for plain, found in zip(question.plain(inquiry), fast[0], strict=True):
            assert found.total == plain.total and found.best == plain.best
            assert {v: n for v, n in found.holding.items() if n} == dict(plain.holding)
            several += found.total > 1
        assert inquiry.counts["total"] == fast[1]
    assert several > 10 or max_size == 0 or rows == 9


def test_no_pairs_are_no_question():
    assert WeighSets([], [], [()], 2).by_correlations(FisherZ(simulate.linear_gaussian(simulate.er_dag(4, 1, seed=0), 50, seed=0))) is None
