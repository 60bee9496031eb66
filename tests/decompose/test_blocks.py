"""Columns correlated in blocks: with decomposition no edge of a block is lost to it, and none between blocks is won."""

from __future__ import annotations

import numpy as np
import pytest

from dicola import FisherZ, discover, simulate
from dicola.learners.fci import FCI


def block_of(name: str, items: int) -> int:
    return (int(name[1:]) - 1) // items


def edges(table, items: int, **settings) -> tuple[int, int]:
    """Those inside a block, and those between two."""
    found = [block_of(edge.u, items) == block_of(edge.v, items) for edge in discover(FisherZ(table), **settings).pag.edges()]
    return sum(found), len(found) - sum(found)


@pytest.mark.parametrize(("factors", "items", "seed"), [(5, 12, 3), (5, 12, 13), (10, 20, 14), (10, 20, 20), (10, 20, 24), (10, 20, 101)])
def test_exact_finds_the_edges_of_blocks_that_its_learner_finds_alone(factors, items, seed):
    dag, hidden = simulate.factor_dag(factors, items)
    table = simulate.additive_noise(dag, 500, seed, coefficients=(2.0, 2.0)).drop(columns=list(hidden))
    inside, between = edges(table, items)
    alone, _ = edges(table, items, learner=FCI(3, 2), decompose=False)
    assert inside >= alone
    assert between == 0


def test_independent_columns_are_taken_apart_one_by_one():
    table = np.random.default_rng(4).normal(size=(120, 100))
    leaves = discover(FisherZ(table)).tree.leaves
    assert sorted({len(leaf.variables) for leaf in leaves})[0] == 1
    assert sum(len(leaf.variables) > 1 for leaf in leaves) <= 2
