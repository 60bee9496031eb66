"""Hidden variables with several children are found as one, and a clique that no factor explains gains nothing."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize

from dicola import DAG, MAG, FisherZ, mag_to_pag, simulate
from dicola._kernels.mag_factor import one_factor_misfit
from dicola.graphs.bits import mask_of
from dicola.score.factors import FactorSearch, cliques
from dicola.score.gaussian_bic import GaussianBIC
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
