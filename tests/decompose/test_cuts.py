"""Cuts that the data confirm: asked pair by pair, by correlations, in the kernel; and what they are good for."""

from __future__ import annotations

import numpy as np
import pytest

from dicola import CallableTest, FisherZ, Inquiry, Oracle, simulate
from dicola.blankets.total_conditioning import TotalConditioning
from dicola.decompose.tree import LinksAcross, StopRule, decompose


def table(seed: int, n: int = 14, rows: int = 300):
    return simulate.linear_gaussian(simulate.er_dag(n, 3, seed=seed), rows, seed=seed)


@pytest.mark.parametrize("separator", [(), (2,), (2, 5, 11)])
def test_correlations_answer_as_single_verdicts_do(separator):
    dependent = 0
    for seed in range(10):
        test = FisherZ(table(seed))
        rest = [v for v in range(14) if v not in separator]
        question = LinksAcross(tuple(rest[::2]), tuple(rest[1::2]), separator, 0.05)
        plain, fast = Inquiry(test), question.by_correlations(test)
        assert np.array_equal(question.plain(plain), fast[0]) and plain.counts["total"] == fast[1]
        dependent += fast[0].sum()
    assert dependent > 15


def test_a_determined_variable_denies_nothing_and_few_rows_everything():
    frame = table(1, rows=40)
    test = FisherZ(frame)
    copied = test.whole.copy()
    copied[0], copied[:, 0] = copied[3], copied[:, 3]
    copied[0, 0] = 1.0
    test.whole = copied
    assert not LinksAcross((0,), (1, 2), (3,), 0.05).by_correlations(test)[0].any()
    few = FisherZ(table(2, rows=9))
    assert LinksAcross((0, 1), (2,), tuple(range(3, 10)), 0.05).by_correlations(few)[0].all(), "nothing can be tested"


def test_a_slow_test_is_asked_only_about_pairs_that_depend_at_all():
    frame = table(3)
    inner, asked = FisherZ(frame), []
    slow = CallableTest(lambda x, y, z: asked.append((x, y, z)) or inner(x, y, z).p_value, frame.columns)
    question = LinksAcross((0, 1, 2, 3), (4, 5, 6), (7, 8), 0.05)
    question.plain(Inquiry(slow, cache=True))
    marginal = [entry for entry in asked if not entry[2]]
    assert len(marginal) == 12 and 0 < len(asked) - 12 < 12


def test_perfect_answers_confirm_every_cut_and_take_no_test():
    cuts = 0
    for seed in range(20):
        dag = simulate.er_dag(12, 3, seed=seed)
        oracle = Oracle(dag, simulate.hide(dag, 2, seed=seed))
        tree = decompose(oracle, TotalConditioning(), StopRule(confirm=0.05))
        assert all(leaf.uig.is_complete for leaf in tree.leaves), "each cut that was proposed was taken"
        asked = Inquiry(oracle)
        for branch in tree.branches:
            question = LinksAcross(*branch.split, 0.05)
            assert not question.plain(Inquiry(oracle)).any() and not asked.ask(question).any()
        assert asked.counts["total"] == 0
        cuts += len(tree.branches)
    assert cuts > 20


def test_columns_of_one_factor_are_not_cut_apart():
    draws = np.random.default_rng(0)
    values = draws.normal(size=(500, 1)) * 0.9 + draws.normal(size=(500, 15)) * 0.45
    test = FisherZ(values)
    assert len(decompose(test, TotalConditioning(), StopRule()).leaves) > 1, "given all the others hardly any pair depends"
    assert len(decompose(test, TotalConditioning(), StopRule().confirmed(15, 500)).leaves) == 1
