"""Hidden variables with several children get columns of their own, where that pays."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from scipy.optimize import minimize

from dicola import DAG, MAG, DiCoLa, Discovery, FisherZ, Knowledge, bootstrap, discover, mag_to_pag, simulate
from dicola._kernels import mag_score as kernel
from dicola._kernels.child_sets import Stakes, grown_sets, nothing_remembered
from dicola._kernels.hidden_columns import expect
from dicola._kernels.mag_factor import one_factor_misfit
from dicola.ci.inquiry import Inquiry
from dicola.metrics import compare
from dicola.score.base import to_precision
from dicola.score.gaussian_bic import GaussianBIC, district_arrays, fitted_district
from dicola.score.hidden_columns import LARGE, HiddenColumns, HiddenVariable, Supposed
from dicola.score.order_search import best_of
from dicola.score.search import BestMag, order_of

CYCLE = ("AB", "BC", "CD", "DA")


def best_factor(covariance: np.ndarray) -> float:
    """The misfit of one factor by a general optimiser."""
    k = len(covariance)

    def loss(values: np.ndarray) -> float:
        fitted = np.outer(values[:k], values[:k]) + np.diag(np.exp(values[k:]))
        return float(np.linalg.slogdet(fitted)[1] + np.trace(np.linalg.solve(fitted, covariance)))

    value, vector = (each[..., -1] for each in np.linalg.eigh(covariance))
    start = np.concatenate([0.7 * np.sqrt(value) * vector, np.log(np.diag(covariance) / 2)])
    return minimize(loss, start, method="BFGS").fun - np.linalg.slogdet(covariance)[1] - k


def score_of(dag: DAG, hidden: str, rows: int, seed: int) -> GaussianBIC:
    return GaussianBIC.of(FisherZ(simulate.linear_gaussian(dag, rows, seed).drop(columns=list(hidden))))


def children_in(hidden: tuple[HiddenVariable, ...]) -> set[tuple[str, ...]]:
    return {each.children for each in hidden}


def supposed(score: GaussianBIC) -> Supposed:
    return HiddenColumns(score, 3.0).beside(best_of(score, 3))


def packed(parents: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lists of parents as the kernel takes them."""
    lists = np.zeros((len(parents), max(1, parents.sum(axis=1).max())), dtype=np.int64)
    for v, row in enumerate(parents):
        lists[v, : row.sum()] = np.flatnonzero(row)
    return lists, parents.sum(axis=1)


def model_of(expected: np.ndarray, parents: np.ndarray) -> np.ndarray:
    """The covariance that a DAG implies, each variable regressed on its parents."""
    n = len(expected)
    slopes, left = np.zeros((n, n)), np.ones(n)
    for v in range(n):
        above = np.flatnonzero(parents[v])
        slopes[v, above] = np.linalg.solve(expected[np.ix_(above, above)], expected[above, v])
        left[v] = expected[v, v] - slopes[v, above] @ expected[above, v]
    inverse = np.linalg.inv(np.eye(n) - slopes)
    return inverse @ np.diag(left) @ inverse.T


def expected_by_definition(observed: np.ndarray, expected: np.ndarray, parents: np.ndarray, rounds: int) -> tuple[float, np.ndarray]:
    """Expectation and maximisation from the textbook: regress the hidden on the observed in the model that regressions give."""
    p, fit = len(observed), np.nan
    for _ in range(rounds):
        model = model_of(expected, parents)
        seen, across = model[:p, :p], model[:p, p:]
        fit = np.linalg.slogdet(seen)[1] + np.trace(np.linalg.solve(seen, observed)) - p
        weights = np.linalg.solve(seen, across).T
        own = weights @ observed @ weights.T + model[p:, p:] - weights @ across
        whole = np.block([[observed, (weights @ observed).T], [weights @ observed, own]])
        scale = np.append(np.ones(p), np.sqrt(own.diagonal()))
        expected = whole / np.outer(scale, scale)
    return fit, expected


@pytest.mark.parametrize("seed", range(6))
def test_the_kernel_expects_what_the_textbook_does(seed):
    rng = np.random.default_rng(seed)
    p, m = 8, 1 + seed % 3
    whole = np.corrcoef(rng.normal(size=(p + m, 300)) + np.outer(rng.uniform(-1, 1, p + m), rng.normal(size=300)))
    parents = np.tril(rng.random((p, p)) < 0.3, -1)
    parents = np.block([[parents, rng.random((p, m)) < 0.6], [np.zeros((m, p + m), dtype=bool)]])
    observed, start = np.ascontiguousarray(whole[:p, :p]), whole.copy()
    fit = expect(len(observed), start, *packed(parents), False, 7, -np.inf)
    by_definition, expected = expected_by_definition(observed, whole, parents, 7)
    assert fit == pytest.approx(by_definition, abs=1e-9) and start == pytest.approx(expected, abs=1e-9)
    assert np.array_equal(start[:p, :p], observed), "what was measured stays"


def test_each_round_fits_better_and_the_last_as_one_factor_does():
    rng = np.random.default_rng(3)
    load = rng.uniform(0.4, 0.9, 6)
    observed = np.corrcoef(np.outer(load, rng.normal(size=500)) + rng.normal(size=(6, 500)) * np.sqrt(1 - load[:, None] ** 2))
    parents = np.zeros((7, 7), dtype=bool)
    parents[:6, 6] = True
    start = np.eye(7)
    start[:6, :6] = observed
    start[6, :6] = start[:6, 6] = 0.5
    fits = [expect(len(observed), start.copy(), *packed(parents), False, rounds, -np.inf) for rounds in (1, 2, 5, 20, 500)]
    assert fits == sorted(fits, reverse=True) and fits[0] > fits[-1] + 0.01
    assert fits[-1] - np.linalg.slogdet(observed)[1] == pytest.approx(one_factor_misfit(observed), abs=1e-6)


def test_the_kernel_fits_one_factor_as_a_general_optimiser_does():
    rng = np.random.default_rng(1)
    for k in (4, 5, 7):
        for noise in (0.0, 0.05, 0.3):
            load = rng.uniform(0.3, 0.9, k) * rng.choice([-1, 1], k)
            other = rng.normal(size=(k, k)) * np.sqrt(noise / k)
            covariance = np.outer(load, load) + np.diag(rng.uniform(0.5, 2, k)) + other @ other.T
            assert one_factor_misfit(covariance) == pytest.approx(best_factor(covariance), abs=1e-4)


def worth_by_definition(expected: np.ndarray, parents: np.ndarray, children: tuple[int, ...], stakes: Stakes) -> float:
    """What one factor in place of all edges between the children saves, less what it leaves of them beside their other parents."""
    rows = np.zeros((len(children), len(expected)))
    for row, v in zip(rows, children, strict=True):
        above = [u for u in np.flatnonzero(parents[v]) if u not in children]
        row[v], row[above] = 1.0, -np.linalg.solve(expected[np.ix_(above, above)], expected[above, v])
    pairs, misfit = len(children) * (len(children) - 1) // 2, one_factor_misfit(rows @ expected @ rows.T)
    return to_precision(stakes.price * (pairs - len(children)) + stakes.surcharge * (pairs - 1) - stakes.n_samples * misfit)


def sets_by_definition(expected: np.ndarray, near: np.ndarray, parents: np.ndarray, stakes: Stakes) -> dict[tuple[int, ...], float]:
    """Every three that are next to each other, with those that are next to half of the set as long as it is worth more."""
    found = {}
    for core in combinations(range(len(near)), 3):
        children, best = core, worth_by_definition(expected, parents, core, stakes)
        if not all(near[pair] for pair in combinations(core, 2)) or best < -stakes.price:
            continue
        while True:
            beside = [v for v in range(len(near)) if v not in children and 2 * near[v, list(children)].sum() >= len(children)]
            others = {each: worth_by_definition(expected, parents, each, stakes) for v in beside if (each := tuple(sorted((*children, v))))}
            better = max(others, key=lambda each: (others[each], each), default=children)
            if others.get(better, -np.inf) <= best:
                break
            children, best = better, others[better]
        if best > 0 and (len(children) > 3 or (np.delete(near, core, axis=0)[:, list(core)].sum(axis=1) > 1).any()):
            found[children] = best
    return found


@pytest.mark.parametrize("seed", range(6))
def test_sets_of_children_are_grown_as_the_definition_says(seed):
    """Some columns count as hidden, so that what is remembered must not outlive a look."""
    rng, p, n = np.random.default_rng(seed), 8, 10
    known, stakes = nothing_remembered(n), Stakes(8.0, 3.0, 400.0)
    for _ in range(4):
        load = rng.uniform(0.2, 0.9, n) * (rng.random((2, n)) < 0.6)
        expected = np.corrcoef(rng.normal(size=(60, 2)) @ load + rng.normal(size=(60, n)), rowvar=False)
        parents = np.tril(rng.random((n, n)) < 0.4, -1)
        near = np.array((parents | parents.T)[:p, :p], order="C")
        flat, begins, worths = grown_sets(expected, near, *packed(parents), stakes, known)
        found = {tuple(flat[begin:end].tolist()): worth for (begin, end), worth in zip(pairwise(begins.tolist()), worths, strict=True)}
        truth = sets_by_definition(expected, near, parents, stakes)
        assert found.keys() == truth.keys() and list(found.values()) == pytest.approx([truth[each] for each in found], abs=1e-5)


def test_a_hidden_variable_with_many_children_costs_its_edges():
    dag = DAG.from_edges([("H", child) for child in "ABCDE"])
    score = score_of(dag, "H", 1000, 1)
    found, without = supposed(score), best_of(score, 3)
    assert children_in(found.hidden) == {tuple("ABCDE")} and found.dag.parents.sum() == 5
    assert found.total < without.score and found.total == pytest.approx(found.misfit + 5 * score.price + 3.0)
    assert found.score_at(score.price) == pytest.approx(found.total - 3.0)


def test_arrows_among_the_children_are_told_from_what_they_share():
    dag = DAG.from_edges([*(("H", child) for child in "ABCDE"), ("A", "B"), ("C", "D"), ("F", "A"), ("G", "E"), ("E", "I")])
    for seed in (0, 3):
        score = score_of(dag, "H", 4000, seed)
        found = supposed(score)
        assert len(found.hidden) == 1 and set("ABDE") <= set(found.hidden[0].children)
        arrows = {(score.names[u], score.names[v]) for v, u in np.argwhere(found.dag.parents[:8, :8]).tolist()}
        assert {frozenset(each) for each in arrows} == {frozenset(each) for each in ("AB", "CD", "FA", "GE", "EI")}


def test_two_hidden_variables_with_a_common_child_are_two():
    dag = DAG.from_edges([*(("H", child) for child in "ABCD"), *(("G", child) for child in "DEFI")])
    score = score_of(dag, "GH", 5000, 2)
    assert children_in(supposed(score).hidden) == {tuple("ABCD"), tuple("DEFI")}
    table = simulate.linear_gaussian(dag, 5000, 2).drop(columns=["G", "H"])
    assert discover(FisherZ(table), mode="balanced").pag == dag.true_pag(["G", "H"])


def test_a_chordless_four_cycle_is_no_clique():
    """At 10^5 rows a discount for cliques took the clique in 20 of 20 tries: both cost four edges then."""
    cycle = [("H", "AB"), ("I", "BC"), ("J", "CD"), ("K", "DA")]
    dag = DAG.from_edges([(hidden, child) for hidden, children in cycle for child in children])
    for seed in range(20):
        score = score_of(dag, "HIJK", 100_000, seed)
        assert supposed(score).n_hidden == 0
        true, clique = (
            MAG.from_text("; ".join(f"{a} <-> {b}" for a, b in pairs), score.names) for pairs in (CYCLE, combinations("ABCD", 2))
        )
        assert score.mag(true) < score.mag(clique)


def test_nothing_is_supposed_where_nothing_is_hidden():
    for seed in range(8):
        dag = simulate.er_dag(15, 2, seed)
        assert not discover(FisherZ(simulate.linear_gaussian(dag, 2000, seed)), mode="balanced").hidden


def test_marks_come_out_right_where_hidden_variables_are_strong():
    shares = []
    for seed in range(6):
        dag, hidden = simulate.confounded(simulate.er_dag(25, 2, seed), 3, 6, seed)
        table = simulate.linear_gaussian(dag, 1000, seed).drop(columns=list(hidden))
        shares.append(compare(discover(FisherZ(table), mode="balanced").pag, dag.true_pag(hidden)).marks.f1)
    assert np.mean(shares) > 0.85, "without columns for them it is .7"


def test_exogenous_variables_have_no_hidden_cause_and_claims_are_obeyed():
    dag = DAG.from_edges([*(("H", child) for child in "ABCDE"), ("A", "B"), ("F", "A")])
    table = simulate.linear_gaussian(dag, 3000, 6).drop(columns="H")
    free = discover(FisherZ(table), mode="balanced")
    assert children_in(free.hidden) == {tuple("ABCDE")}
    for known in (Knowledge(exogenous=["C"]), Knowledge(unconfounded=[("A", "C")]), Knowledge(forbidden_adjacent=[("D", "E")])):
        found = discover(FisherZ(table), mode="balanced", knowledge=known)
        assert all(statement.status != "denied" for statement in found.statements), known
        assert not any("C" in each.children for each in found.hidden) or not known.exogenous
    tiers = discover(FisherZ(table), mode="balanced", knowledge=Knowledge(tiers=[["F"], ["A", "B", "C", "D", "E"]]))
    assert children_in(tiers.hidden) == {tuple("ABCDE")} and all(each.status == "obeyed" for each in tiers.statements)


def test_names_of_hidden_variables_are_none_of_the_table():
    dag = DAG.from_edges([("H", child) for child in "ABCDE"])
    table = simulate.linear_gaussian(dag, 1000, 1).drop(columns="H")
    renamed = table.set_axis(["hidden 1", "hidden 2", "hidden 1 of 6", "D", "E"], axis=1)
    found, other = (discover(FisherZ(each), mode="balanced") for each in (table, renamed))
    assert np.array_equal(found.pag.to_matrix(), other.pag.to_matrix()) and len(other.hidden) == 1
    assert set(other.hidden[0].children) == set(renamed.columns)


def test_a_result_tells_and_keeps_what_it_supposes(tmp_path):
    dag = DAG.from_edges([("H", child) for child in "ABCDE"])
    found = DiCoLa().fit(simulate.linear_gaussian(dag, 1000, 1).drop(columns="H")).discovery_
    assert "A hidden variable is supposed behind A, B, C, D and E." in found.how_sure()
    assert Discovery.read(found.write(tmp_path)).hidden == found.hidden and children_in(found.hidden) == {tuple("ABCDE")}
    assert all(0.3 < abs(each) < 1 for each in found.hidden[0].correlations)
    edges = found.to_pandas()
    assert edges["score_without"].isna().all(), "the edges are those of the hidden variable"
    assert found.near_best().top(1)[0].pag == found.pag


def test_drawn_tables_suppose_what_the_whole_does():
    dag = DAG.from_edges([*(("H", child) for child in "ABCDE"), ("A", "B"), ("F", "A")])
    table = simulate.linear_gaussian(dag, 3000, 6).drop(columns="H")
    found = discover(FisherZ(table), mode="balanced")
    labels = found.skeleton.labels
    again = BestMag().again(Inquiry(FisherZ(table)), order_of(found.pag.reordered(labels).marks), found.hidden)
    assert mag_to_pag(again) == found.pag == dag.true_pag(["H"])
    drawn = bootstrap(table, 20, mode="balanced").to_pandas().set_index(["u", "v"])["adjacent"]
    assert all(drawn.get(pair, drawn.get(pair[::-1], 0.0)) > 0.9 for pair in combinations("ABCDE", 2))


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


def test_a_hidden_variable_may_have_causes_that_were_measured():
    """Its causes are independent; as its children they would be joined."""
    dag = DAG.from_edges([*[(cause, "H") for cause in "PQR"], *[("H", child) for child in "ABCDE"]])
    truth = dag.true_pag(["H"])
    for seed in range(6):
        score = score_of(dag, "H", 4000, seed)
        found = supposed(score)
        roots = HiddenColumns(score, 3.0, caused=False).beside(best_of(score, 3))
        assert any(len(set(each.children) & set("ABCDE")) >= 4 for each in found.hidden)
        assert found.total <= roots.total
        table = simulate.linear_gaussian(dag, 4000, seed).drop(columns=["H"])
        assert compare(DiCoLa().fit(table).pag_, truth).skeleton.f1 == 1.0
        assert not roots.dag.parents[len(score) :].any()


def test_with_claims_nothing_bears_on_hidden_variables():
    """What bears on one bears on its children, which a claim about the two may forbid."""
    dag = DAG.from_edges([*[(cause, "H") for cause in "PQR"], *[("H", child) for child in "ABCDE"]])
    table = simulate.linear_gaussian(dag, 4000, 1).drop(columns=["H"])
    test, claim = FisherZ(table), Knowledge(forbidden=[("P", "A")])
    found = discover(test, mode="balanced", knowledge=claim)
    assert [each.status for each in found.statements] == ["obeyed"]


def test_hidden_variables_that_hang_together_are_fitted_as_one_part():
    """Fitted apart, parts come to what all of them together do; within a part nothing changes."""
    rng = np.random.default_rng(8)
    p, m = 12, 4
    whole = np.corrcoef(rng.normal(size=(p + m, 400)) + np.outer(rng.uniform(-1, 1, p + m), rng.normal(size=400)))
    parents = np.zeros((p + m, p + m), dtype=bool)
    for hidden, children in enumerate(((0, 1, 2, 3), (3, 4, 5), (6, 7, 8, 9), (9, 10, 11))):
        parents[list(children), p + hidden] = True
    parents[p + 3, 6] = True  # bears on the last: it hangs together with the third by child 9 alone
    together, apart = whole.copy(), whole.copy()
    fits = [expect(p, each, *packed(parents), is_apart, 400, -np.inf) for each, is_apart in ((together, False), (apart, True))]
    assert fits[0] == pytest.approx(fits[1], abs=1e-9) and apart == pytest.approx(together, abs=1e-6)
    parents[3, p] = False  # now the first two are apart as well, and nobody shares a child with the second
    alone = expect(p, apart, *packed(parents), True, 400, -np.inf)
    assert alone == pytest.approx(expect(p, together, *packed(parents), False, 400, -np.inf), abs=1e-9)


def test_hidden_variables_of_a_large_table_are_found():
    """Less is tried there, and what was found is compared with what is found without."""
    groups = {f"H{g}": [f"G{g}.{i}" for i in range(4 + g % 3)] for g in range(6)}
    arrows = [("G0.0", "G0.1"), ("G1.0", "X0"), ("X1", "G2.0"), *((f"X{i}", f"X{i + 1}") for i in range(10, 500, 2))]
    dag = DAG.from_edges([*((hidden, child) for hidden, children in groups.items() for child in children), *arrows])
    table = simulate.linear_gaussian(dag, 1500, seed=4, coefficients=(0.8, 1.0)).drop(columns=list(groups))
    assert table.shape[1] > LARGE
    found = discover(FisherZ(table), mode="balanced")
    assert children_in(found.hidden) >= {tuple(children) for hidden, children in groups.items() if hidden != "H0"}
    assert compare(found.pag, dag.true_pag(list(groups))).marks.f1 > 0.93
    labels = found.skeleton.labels
    again = BestMag().again(Inquiry(FisherZ(table)), order_of(found.pag.reordered(labels).marks), found.hidden)
    assert compare(mag_to_pag(again), found.pag).marks.f1 > 0.97
