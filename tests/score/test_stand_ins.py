"""Hidden variables are looked for where others stand in for them."""

from __future__ import annotations

import numpy as np
import pytest

from dicola import DAG, FisherZ, discover, simulate
from dicola._kernels import hidden_splits
from dicola._kernels.hidden_splits import split_gains
from dicola.score import hidden_columns
from dicola.score.base import OrderedDag
from dicola.score.bends import relations_bend
from dicola.score.gaussian_bic import GaussianBIC
from dicola.score.hidden_columns import HiddenColumns, Supposed
from dicola.score.order_search import best_of
from dicola.score.stand_ins import Supposition, by_common_parents, by_splitting

ROWS, STILL = 300, 1e-9
SPLIT = DAG.from_edges([("P", "H"), ("Q", "H"), *[("H", child) for child in "ABCD"]])
# with few rows the arrows from P, Q and R to each of the two children leave traces of their own
BETWEEN = DAG.from_edges([*[(cause, "H") for cause in "PQR"], ("H", "A"), ("H", "B"), ("S", "A"), ("T", "B")])


def score_of(dag: DAG, hidden: str, rows: int, seed: int) -> GaussianBIC:
    return GaussianBIC.of(FisherZ(simulate.linear_gaussian(dag, rows, seed).drop(columns=list(hidden))))


def random_score(seed: int, rows: int = ROWS) -> GaussianBIC:
    dag = simulate.er_dag(16, 4, seed=seed)
    return score_of(dag, simulate.hide(dag, 2, seed=seed), rows, seed)


def begun(score: GaussianBIC) -> tuple[HiddenColumns, Supposed]:
    columns = HiddenColumns(score, 3.0, from_the_first=True)
    return columns, columns._fitted(np.array(score.correlation), best_of(score, 2))


def plain_gain(columns: HiddenColumns, at: Supposed, supposition: Supposition) -> float:
    """What a hidden variable gains per row, by the fit of all families."""
    wider = columns._with_column(at, supposition.weights, supposition.left)
    return (at.misfit - columns._fitted(wider.expected, supposition.into(at.dag)).misfit) / columns.score.n_samples


def is_dag(dag: OrderedDag) -> bool:
    place = np.argsort(dag.order)
    return all(place[u] < place[v] for v, u in np.argwhere(dag.parents))


@pytest.mark.parametrize("seed", range(4))
def test_a_split_gains_what_the_fit_of_all_families_says(seed, monkeypatch):
    monkeypatch.setattr(hidden_columns, "_ROUNDS", hidden_splits.ROUNDS)
    monkeypatch.setattr(hidden_columns, "_STILL", STILL)
    score = random_score(seed)
    columns, at = begun(score)
    p, found = len(score), split_gains(np.array(at.expected), *at.dag.families(), len(score), STILL)
    assert len(found.gains) > 5
    for v, chosen, gain in zip(*(each.tolist() for each in found), strict=True):
        parents, children = np.flatnonzero(at.dag.parents[v]).tolist(), np.flatnonzero(at.dag.parents[:p, v]).tolist()
        taken = [u for i, u in enumerate([*parents, *children]) if chosen >> i & 1]
        weights = np.zeros(p)
        weights[v] = hidden_splits.ALIKE
        above, below = tuple(u for u in taken if u in parents), tuple(c for c in taken if c in children)
        split = Supposition((v, *below), above, (*((u, v) for u in above), *((v, c) for c in below)), weights, 1 - hidden_splits.ALIKE**2)
        assert gain == pytest.approx(plain_gain(columns, at, split), abs=1e-8)


def test_what_is_supposed_makes_a_dag_with_one_edge_more_or_fewer_edges():
    n_between = 0
    for seed in range(6):
        score = random_score(seed)
        _, at = begun(score)
        p, edges = len(score), int(at.dag.parents.sum())
        for each in by_splitting(at.expected, at.dag, p, ROWS):
            assert is_dag(each.into(at.dag)) and each.into(at.dag).parents.sum() == edges + 1
        for each in by_common_parents(at.expected, at.dag, p):
            n_between += 1
            assert is_dag(each.into(at.dag)) and each.into(at.dag).parents.sum() <= edges - len(each.above) + 2
    assert n_between > 5


def test_the_most_promising_split_comes_first_and_chance_is_left_out():
    columns, at = begun(score_of(SPLIT, "H", ROWS, 1))
    gains = [ROWS * plain_gain(columns, at, each) for each in by_splitting(at.expected, at.dag, len(columns.score), ROWS)]
    assert gains and gains[0] == pytest.approx(max(gains), abs=0.5) and min(gains) > 0.4


def test_a_hidden_variable_is_found_where_one_of_its_children_stands_in_for_it():
    n_more = 0
    for seed in range(12):
        score = score_of(SPLIT, "H", ROWS // 3, seed)
        dag = best_of(score, 3)
        plain, found = HiddenColumns(score, 3.0, stand_ins=False).beside(dag), HiddenColumns(score, 3.0).beside(dag)
        assert found.total <= plain.total
        n_more += found.total < plain.total - 1
    assert n_more >= 2


def test_a_hidden_variable_is_found_between_two_that_have_several_parents_in_common():
    n_more = 0
    for seed in range(12):
        score = score_of(BETWEEN, "H", ROWS, seed)
        dag = best_of(score, 3)
        plain, found = HiddenColumns(score, 3.0, stand_ins=False).beside(dag), HiddenColumns(score, 3.0).beside(dag)
        assert found.total <= plain.total
        n_more += {"A", "B"} in [set(each.children) for each in found.hidden] and not plain.hidden
    assert n_more >= 2


def test_what_no_hidden_variable_bears_on_is_nowhere_its_child_and_nothing_bears_on_it_unless_it_may():
    for seed in range(6):
        score = random_score(seed)
        exogenous = np.arange(len(score)) % 2 == 0
        found = HiddenColumns(score, 3.0, exogenous=exogenous, caused=False).beside(best_of(score, 2))
        p = len(score)
        assert not found.dag.parents[:p, p:][exogenous].any() and not found.dag.parents[p:].any()


@pytest.mark.parametrize(("errors", "curvature", "asked"), [("normal", 0.0, True), ("student", 0.0, True), ("normal", 0.5, False)])
def test_where_relations_bend_no_stand_ins_are_looked_for(errors, curvature, asked, monkeypatch):
    """What bends looks like a hidden variable: the square of a cause, which its children share."""
    table = simulate.additive_noise(BETWEEN, 4 * ROWS, 3, errors=errors, curvature=curvature).drop(columns=["H"])
    seen, plain = [], HiddenColumns._with_stand_ins

    def listening(self, found):
        seen.append(self.score)
        return plain(self, found)

    monkeypatch.setattr(HiddenColumns, "_with_stand_ins", listening)
    discover(FisherZ(table), mode="balanced")
    assert bool(seen) == asked


def test_relations_bend_where_a_square_tells_more_than_a_line_whichever_way_it_is_read():
    rng = np.random.default_rng(4)
    dag, n_bent = simulate.er_dag(20, 3, seed=1), 0
    for seed in range(10):
        straight = simulate.linear_gaussian(dag, ROWS, seed).to_numpy()
        assert not relations_bend(straight)
        with_gaps = np.where(rng.random(straight.shape) < 0.1, np.nan, straight)
        assert not relations_bend(with_gaps)
        n_bent += relations_bend(simulate.additive_noise(dag, ROWS, seed, curvature=0.2).to_numpy())
    assert n_bent >= 8
    assert not relations_bend(rng.normal(size=(ROWS, 5)))  # no pair is correlated
    assert not relations_bend(np.column_stack([np.ones(ROWS), rng.normal(size=(ROWS, 2))]))


def test_with_correlations_alone_relations_count_as_straight(monkeypatch):
    table, seen = simulate.linear_gaussian(BETWEEN, ROWS, 3).drop(columns=["H"]), []
    monkeypatch.setattr(HiddenColumns, "_with_stand_ins", lambda self, found: seen.append(self.score) or found)
    discover(FisherZ.from_covariance(table.corr(), ROWS), mode="balanced")
    assert seen
