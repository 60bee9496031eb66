"""Hidden variables with several children are found as one, and a clique that no factor explains gains nothing."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize

from dicola import DAG, MAG, FisherZ, discover, mag_to_pag, simulate
from dicola._kernels import mag_score as kernel
from dicola._kernels.mag_factor import one_factor_misfit
from dicola.graphs.bits import mask_of
from dicola.graphs.marks import ARROW, TAIL
from dicola.score.factors import FactorSearch, cliques, joined_below
from dicola.score.gaussian_bic import GaussianBIC, district_arrays, fitted_district
from tests.score.drawn import models


def best_factor(covariance: np.ndarray) -> float:
    """The misfit of one factor by a general optimiser."""
    k = len(covariance)

    def loss(values: np.ndarray) -> float:
        fitted = np.outer(values[:k], values[:k]) + np.diag(np.exp(values[k:]))
        return float(np.linalg.slogdet(fitted)[1] + np.trace(np.linalg.solve(fitted, covariance)))

    value, vector = (each[..., -1] for each in np.linalg.eigh(covariance))
    start = np.concatenate([0.7 * np.sqrt(value) * vector, np.log(np.diag(covariance) / 2)])
    return minimize(loss, start, method="BFGS").fun - np.linalg.slogdet(covariance)[1] - k


def joined(score: GaussianBIC, *cliques_: str) -> np.ndarray:
    edges = {f"{a} <-> {b}" for clique in cliques_ for a, b in combinations(clique, 2)}
    return MAG.from_text("; ".join(sorted(edges)), score.names).to_matrix()


def test_the_kernel_fits_one_factor_as_a_general_optimiser_does():
    rng = np.random.default_rng(1)
    for k in (4, 5, 7):
        for noise in (0.0, 0.05, 0.3):
            load = rng.uniform(0.3, 0.9, k) * rng.choice([-1, 1], k)
            other = rng.normal(size=(k, k)) * np.sqrt(noise / k)
            covariance = np.outer(load, load) + np.diag(rng.uniform(0.5, 2, k)) + other @ other.T
            assert one_factor_misfit(covariance) == pytest.approx(best_factor(covariance), abs=1e-4)


def test_cliques_are_the_maximal_ones():
    rng = np.random.default_rng(2)
    for _ in range(30):
        near = np.triu(rng.random((8, 8)) < 0.6, 1)
        near |= near.T
        complete = [
            set(some) for k in range(1, 9) for some in combinations(range(8), k) if all(near[pair] for pair in combinations(some, 2))
        ]
        maximal = sorted(tuple(sorted(some)) for some in complete if len(some) > 2 and not any(some < other for other in complete))
        assert sorted(cliques([mask_of(np.flatnonzero(row).tolist()) for row in near], 3)) == maximal


def test_a_hidden_variable_with_many_children_costs_one_factor():
    dag = DAG.from_edges([("H", child) for child in "ABCDE"])
    score = GaussianBIC.of(FisherZ(simulate.linear_gaussian(dag, 1000, 1).drop(columns="H")))
    search, clique = FactorSearch(score.kernel_terms()), joined(score, "ABCDE")
    saved = score.mag(MAG(clique, score.names)) - search.total(clique)
    assert 4 * score.price < saved <= 5 * score.price, "ten edges for the price of five, less what noise leaves unexplained"


def test_two_hidden_variables_with_a_common_child_are_two_factors():
    dag = DAG.from_edges([*(("H", child) for child in "ABCD"), *(("G", child) for child in "DEFI")])
    score = GaussianBIC.of(FisherZ(simulate.linear_gaussian(dag, 5000, 2).drop(columns=["G", "H"])))
    chains = [f"{a} --> {b}; {b} --> {c}; {a} --> {c}; {b} --> D; {c} --> D" for a, b, c in ("ABC", "EFI")]  # as a climb may leave them
    found = FactorSearch(score.kernel_terms(), 3.0).improved(MAG.from_text("; ".join(chains), score.names).to_matrix())
    assert mag_to_pag(MAG(found, score.names)) == dag.true_pag(["G", "H"])


def test_a_chordless_four_cycle_is_no_clique():
    """At 10^5 rows the plain discount took the clique in 20 of 20 tries: both cost four edges then."""
    cycle = [("H", "AB"), ("I", "BC"), ("J", "CD"), ("K", "DA")]
    dag = DAG.from_edges([(hidden, child) for hidden, children in cycle for child in children])
    for seed in range(20):
        score = GaussianBIC.of(FisherZ(simulate.linear_gaussian(dag, 100_000, seed).drop(columns=list("HIJK"))))
        search, true = FactorSearch(score.kernel_terms()), joined(score, "AB", "BC", "CD", "DA")
        assert search.total(true) < search.total(joined(score, "ABCD"))
        assert np.array_equal(search.improved(true), true)


def test_the_search_ends_in_an_ancestral_graph_with_a_better_score():
    changed = 0
    for mag, score in models(3, 60, n=14, hidden=4, degree=4):
        search, start = FactorSearch(score.kernel_terms(), 3.0), mag.to_matrix()
        found = search.improved(start)
        reason = MAG(found, score.names).invalid()
        assert reason is None or "no set separates" in reason
        different = not np.array_equal(found, start)
        changed += different
        assert search.total(found) < search.total(start) if different else search.total(found) == search.total(start)
    assert changed > 3


def test_without_cliques_the_score_is_the_plain_one():
    for mag, score in models(4, 20):
        if max(len(each) for each in cliques([mask_of(np.flatnonzero(row).tolist()) for row in mag.marks], 1)) < 4:
            assert FactorSearch(score.kernel_terms()).total(mag.to_matrix()) == pytest.approx(score.mag(mag))


def test_each_step_says_what_it_gains():
    n_steps = 0
    for mag, score in models(4, 30):
        search, before = FactorSearch(score.kernel_terms(), 3.0), mag.to_matrix()
        for marks, gain in search.steps(before):
            assert gain == pytest.approx(search.total(before) - search.total(marks), abs=1e-6)
            assert gain > 0
            before, n_steps = marks, n_steps + 1
    assert n_steps


def test_large_complete_districts_are_fitted_as_edge_by_edge():
    rng = np.random.default_rng(5)
    for d, n_parents in ((21, 0), (22, 3), (24, 6)):
        n = d + n_parents
        correlation = np.corrcoef(rng.normal(size=(n, 400)) + 0.7 * rng.normal(size=400))
        arrows = [(d + u, v) for u in range(n_parents) for v in sorted(rng.choice(d, 4, replace=False).tolist())]
        both = list(combinations(range(d), 2))
        _, block, arrays = district_arrays(correlation, range(d), arrows, both)
        by_edges = kernel.misfit(block, 400.0, *arrays)
        at_once = fitted_district(correlation, 400.0, range(d), arrows, both)
        assert 400 * at_once.misfit == pytest.approx(400 * by_edges, abs=1e-2)
        assert at_once.residual == pytest.approx(arrays.room.small[kernel.RESIDUAL], abs=1e-2)


@pytest.mark.parametrize(("factors", "items"), [(2, 25), (1, 40), (3, 12)])
def test_many_children_of_a_hidden_variable_are_all_joined(factors, items):
    dag, hidden = simulate.factor_dag(factors, items)
    table = simulate.linear_gaussian(dag, 500, seed=3, coefficients=(2.0, 2.0)).drop(columns=list(hidden))
    found = discover(FisherZ(table), mode="balanced").pag
    block = {name: i // items for i, name in enumerate(table.columns)}
    joined = {frozenset((edge.u, edge.v)) for edge in found.edges()}
    assert joined == {frozenset(pair) for pair in combinations(table.columns, 2) if block[pair[0]] == block[pair[1]]}


def test_an_effect_of_a_child_is_no_child():
    names = [f"A{i}" for i in range(24)]
    dag = DAG.from_edges([*(("H", name) for name in names), ("A0", "B"), ("B", "C")])
    table = simulate.linear_gaussian(dag, 2000, seed=1, coefficients=(1.0, 1.0)).drop(columns="H")
    found = discover(FisherZ(table), mode="balanced").pag
    assert {name for name in found.names if found.marks[found.index("B"), found.index(name)]} == {"A0", "C"}
    assert all(found.marks[found.index(a), found.index(b)] for a, b in combinations(names, 2))


def test_a_wide_set_keeps_the_graph_ancestral_and_no_child_causes_another():
    rng = np.random.default_rng(6)
    for _ in range(40):
        n = 12
        order = rng.permutation(n)
        marks = np.zeros((n, n), dtype=np.int8)
        for i, j in combinations(range(n), 2):
            u, v = order[i], order[j]
            if rng.random() < 0.3:
                marks[u, v], marks[v, u] = ARROW, TAIL
        children = sorted(rng.choice(n, 5, replace=False).tolist())
        joined = joined_below(marks, children)
        graph = MAG(joined, [f"X{i}" for i in range(n)])
        assert all(joined[u, v] == joined[v, u] == ARROW for u, v in combinations(children, 2))
        reason = graph.invalid()
        assert reason is None or "not maximal" in reason
