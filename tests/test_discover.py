"""The whole run: its settings, its small cases, its order, and what it finds in data."""

from __future__ import annotations

from itertools import combinations
from math import sqrt
from statistics import mean

import numpy as np
import pandas as pd
import pytest

from dicola import DAG, FCI, FisherZ, InvalidData, InvalidSetting, Oracle, discover, metrics, simulate
from dicola.ci.base import Among
from dicola.graphs.bits import mask_of
from dicola.graphs.separation import MSeparation
from tests.exactness.run import hidden_dag, wrong_sets


def table(seed: int, n: int = 300, p: int = 14, degree: float = 2.5) -> pd.DataFrame:
    dag = simulate.er_dag(p, degree, seed=seed)
    return simulate.linear_gaussian(dag, n, seed=seed).drop(columns=list(simulate.hide(dag, 2, seed=seed)))


RUNS = [{}, {"decompose": False}, {"stop": "reference"}, {"blankets": "iamb"}, {"max_depth": 1, "leaf_start": "complete"}]


@pytest.mark.parametrize("settings", RUNS, ids=str)
def test_permuting_the_columns_of_a_named_table_changes_nothing(settings):
    for seed in range(6):
        frame = table(seed)
        base = discover(FisherZ(frame, alpha=0.05), **settings)
        rng = np.random.default_rng(seed)
        for _ in range(2):
            turned = frame[[frame.columns[i] for i in rng.permutation(frame.shape[1])]]
            other = discover(FisherZ(turned, alpha=0.05), **settings)
            assert other.pag == base.pag and other.tests == base.tests and other.tree == base.tree
            assert other.pag.names == tuple(turned.columns) == other.skeleton.names
            sets = {frozenset(pair): frozenset(z) for pair, z in base.skeleton.separating_sets().items()}
            assert {frozenset(pair): frozenset(z) for pair, z in other.skeleton.separating_sets().items()} == sets
            assert other == base


def test_permuting_the_rows_changes_no_edge():
    for seed in range(4):
        frame = table(seed, n=2000)
        turned = frame.sample(frac=1, random_state=seed)
        assert discover(FisherZ(turned)).pag == discover(FisherZ(frame)).pag


@pytest.mark.parametrize("settings", RUNS, ids=str)
def test_with_data_every_pair_apart_has_one_set_and_no_adjacent_pair_has_any(settings):
    for seed in range(6):
        test = FisherZ(table(seed, n=150), alpha=0.1)
        found = discover(test, **settings)
        assert [fault for fault in wrong_sets(found, test) if "is not separated by" not in fault] == []


def test_alone_every_recorded_set_was_accepted_by_the_test():
    for seed in range(6):
        test = FisherZ(table(seed, n=150), alpha=0.1)
        assert wrong_sets(discover(test, decompose=False), test) == []


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_the_number_of_workers_changes_nothing(n_jobs):
    for seed in range(4):
        test = FisherZ(table(seed))
        one, many = discover(test), discover(test, n_jobs=n_jobs)
        assert one == many and one.reasons == many.reasons and one.skeleton.separating_sets() == many.skeleton.separating_sets()


def test_the_fast_answers_give_the_same_run_as_the_plain_ones():
    for seed in range(4):
        test = FisherZ(table(seed), alpha=0.05)
        plain = Among(test, tuple(range(len(test))))
        for settings in RUNS:
            fast, slow = discover(test, **settings), discover(plain, **settings)
            assert (fast.pag, fast.tests, fast.skeleton, fast.tree) == (slow.pag, slow.tests, slow.skeleton, slow.tree)


def test_with_full_recursion_the_start_of_the_leaves_does_not_matter():
    for seed in range(6):
        test = FisherZ(table(seed))
        assert discover(test, stop="paper", leaf_start="uig").pag == discover(test, stop="paper", leaf_start="complete").pag


def test_two_variables():
    rng = np.random.default_rng(1)
    a = rng.normal(size=100)
    tied = discover(FisherZ(np.column_stack([a, a + rng.normal(size=100)])))
    assert str(tied.pag) == "X1 o-o X2" and tied.tests["total"] >= 1
    apart = discover(FisherZ(rng.normal(size=(100, 2)), alpha=0.001))
    assert str(apart.pag) == "" and apart.skeleton.separating_set("X1", "X2") == ()


@pytest.mark.parametrize("decompose", [True, False])
def test_one_variable(decompose):
    found = discover(Oracle(DAG.from_edges([("L", "A")]), latents="L"), decompose=decompose)
    assert found.pag.names == ("A",) and found.pag.n_edges == 0 and found.tests["total"] == 0


@pytest.mark.parametrize("decompose", [True, False])
def test_an_empty_graph_a_complete_one_a_star_and_two_islands(decompose):
    names = "ABCDEF"
    graphs = {
        "empty": [],
        "complete": [(a, b) for a, b in combinations(names, 2)],
        "star out": [("A", b) for b in names[1:]],
        "star in": [(b, "A") for b in names[1:]],
        "islands": [("A", "B"), ("B", "C"), ("D", "E"), ("F", "E")],
    }
    for arcs in graphs.values():
        dag = DAG.from_edges(arcs, nodes=names)
        assert discover(Oracle(dag), decompose=decompose).pag == dag.true_pag()
    assert str(discover(Oracle(DAG.from_edges(graphs["star in"])), decompose=decompose).pag) == "\n".join(f"{b} o-> A" for b in names[1:])
    assert discover(Oracle(DAG.from_edges(graphs["complete"])), decompose=decompose).pag.n_edges == 15


@pytest.mark.parametrize("decompose", [True, False])
def test_the_same_graphs_from_data(decompose):
    names = "ABCDE"
    for arcs in ([], [("A", b) for b in names[1:]], [(b, "A") for b in names[1:]], [("A", "B"), ("C", "D")]):
        dag = DAG.from_edges(arcs, nodes=names)
        frame = simulate.linear_gaussian(dag, 20_000, seed=4)
        assert discover(FisherZ(frame, alpha=1e-4), decompose=decompose, uig_alpha=1e-4 if decompose else None).pag == dag.true_pag()


def test_copies_and_sums_of_columns_are_refused_before_any_run():
    frame = table(1)
    first, second = frame.columns[:2]
    for spoilt, says in (
        (frame.assign(copy=frame[first]), rf"'{first}' and 'copy'|'copy' and '{first}'"),
        (frame.assign(copy=-3 * frame[first] + 7), rf"'{first}' and 'copy'|'copy' and '{first}'"),
        (frame.assign(sum=frame[first] + frame[second]), "perfectly collinear"),
        (frame.assign(flat=3.0), "'flat' is constant"),
    ):
        with pytest.raises(InvalidData, match=says):
            discover(FisherZ(spoilt))


@pytest.mark.parametrize(("n", "p"), [(15, 20), (20, 20), (23, 20)])
def test_with_too_few_rows_the_error_names_the_way_out_and_it_works(n, p):
    rng = np.random.default_rng(3)
    values = rng.normal(size=(n, p))
    values[:, 1] = values[:, 0] + 0.05 * rng.normal(size=n)
    test = FisherZ(values, alpha=0.001)
    with pytest.raises(InvalidData, match=rf"{p} variables.*there are {n}.*blankets='iamb' or blankets='grow_shrink'"):
        discover(test, blankets="total_conditioning")
    for blankets in ("auto", "iamb", "grow_shrink"):
        found = discover(test, blankets=blankets)
        assert found.skeleton.adjacent("X1", "X2") and found.pag.n_edges < 10


def test_little_power_is_warned_of():
    test = FisherZ(np.random.default_rng(5).normal(size=(60, 20)))
    assert any("60 rows for 20 variables" in warning for warning in discover(test, mode="paper").warnings)
    for found in (discover(test, decompose=False), discover(test, blankets="iamb")):
        assert not any("rows for" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"learner": "foo"}, "'foo' is not a learner. Known: fci"),
        ({"learner": 3}, "3 is not a learner"),
        ({"mode": "quick"}, "mode is 'quick'"),
        ({"stop": "never"}, "stop is 'never'"),
        ({"uig": "copy"}, "uig is 'copy'"),
        ({"leaf_start": "warm"}, "leaf_start is 'warm'"),
        ({"blankets": "mb"}, "'mb' is not a blanket learner"),
        ({"uig_alpha": 0}, "alpha is 0"),
        ({"uig_alpha": 1.5}, "alpha is 1.5"),
        ({"n_jobs": 0}, "n_jobs is 0"),
        ({"n_jobs": 1.5}, "n_jobs is 1.5"),
        ({"n_jobs": True}, "n_jobs is True"),
        ({"max_depth": -1}, "max_depth is -1"),
        ({"min_leaf_size": "x"}, "min_leaf_size is 'x'"),
        ({"max_nodes": 2.5}, "max_nodes is 2.5"),
        ({"max_path_length": -1}, "max_path_length is -1"),
        ({"max_path_length": "x"}, "max_path_length is 'x'"),
        ({"selection": True, "learner": "lfci"}, "lFCI assumes that nothing was selected"),
    ],
    ids=str,
)
def test_a_bad_setting_is_refused_by_name(settings, says):
    with pytest.raises(InvalidSetting, match=says):
        discover(Oracle(DAG.from_edges([("A", "B"), ("B", "C")])), **settings)


def test_a_table_instead_of_a_test_is_refused_with_what_to_write():
    with pytest.raises(InvalidSetting, match=r"not a DataFrame; wrap a table as FisherZ\(table"):
        discover(table(1))


def test_the_door_is_the_function_however_it_is_imported():
    import dicola
    import dicola.pipeline.discover
    import dicola.pipeline.local

    assert callable(dicola.discover) and dicola.discover is discover is dicola.pipeline.discover.discover
    assert callable(dicola.local) and dicola.local is dicola.pipeline.local.local


def test_settings_are_kept_with_the_result():
    found = discover(Oracle(DAG.from_edges([("A", "B")])), FCI(max_condition_size=3), max_depth=2, blankets="iamb", uig_alpha=0.05)
    settings = found.settings
    assert settings["learner"]["name"] == "fci" and settings["learner"]["max_condition_size"] == 3
    assert settings["blankets"] == {"name": "iamb", "alpha": 0.05, "first_alpha": None} and settings["max_depth"] == 2
    assert settings["test"] == {"name": "Oracle", "alpha": None, "n_samples": None} and settings["decompose"] is True
    assert "n_jobs" not in settings, "the number of workers is no part of the result"


@pytest.mark.parametrize("level", ["0.05", np.float32(0.05), np.float64(0.05)], ids=repr)
@pytest.mark.parametrize("blankets", ["total_conditioning", "iamb"])
def test_a_blanket_level_of_any_numeric_kind_works_and_can_be_written(blankets, level, tmp_path):
    test = FisherZ(table(1), alpha=0.05)
    found = discover(test, blankets=blankets, uig_alpha=level)
    assert found.settings["blankets"]["alpha"] == pytest.approx(0.05)
    assert found.pag == discover(test, blankets=blankets, uig_alpha=float(level)).pag
    assert found.write(tmp_path).is_dir()


def test_the_leaf_start_that_was_taken_is_told():
    oracle = Oracle(DAG.from_edges([("A", "B")]))
    assert discover(oracle).settings["leaf_start"] == "uig"
    assert discover(oracle, stop="reference").settings["leaf_start"] == "complete"
    assert discover(oracle, stop="reference", leaf_start="uig").settings["leaf_start"] == "uig"


def test_a_smaller_share_of_tests_is_taken_with_parts_on_sparse_graphs():
    fewer = 0
    for seed in range(5):
        dag = simulate.er_dag(30, 2.5, seed=seed)
        oracle = Oracle(dag, simulate.hide(dag, 3, seed=seed))
        found = discover(oracle)
        fewer += found.tests["total"] < 30**4
        assert found.tree.n_leaves > 5 and found.tree.largest_leaf < len(oracle)
    assert fewer == 5


def test_progress_goes_through_the_phases_to_their_ends():
    told: list[tuple[str, int, int]] = []
    found = discover(FisherZ(table(2)), n_jobs=2, progress=lambda *step: told.append(step))
    leaves = [(done, total) for phase, done, total in told if phase == "leaves"]
    assert leaves == sorted(set(leaves)) and leaves[-1] == (found.tree.n_leaves, found.tree.n_leaves)
    assert {total for _, total in leaves} == {found.tree.n_leaves}
    assert told[-1] == ("orient", 1, 1) and told[0][0] == "decompose"


def sem(seed: int) -> tuple[DAG, list[str], np.ndarray]:
    """A small DAG, its hidden names, and the covariance of the observed variables of a linear Gaussian model on it."""
    dag, latents = hidden_dag(137, seed, most_observed=6)
    rng = np.random.default_rng([139, seed])
    weights = np.zeros((len(dag), len(dag)))
    for parent, child in dag.arcs():
        weights[dag.index(child), dag.index(parent)] = rng.uniform(0.5, 1) * rng.choice([-1, 1])
    mixing = np.linalg.inv(np.eye(len(dag)) - weights)
    observed = [v for v, name in enumerate(dag.names) if name not in latents]
    return dag, latents, (mixing @ mixing.T)[np.ix_(observed, observed)]


def sample_covariance(covariance: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """The covariance matrix of n Gaussian rows, drawn without drawing the rows (Bartlett's decomposition)."""
    p = len(covariance)
    triangle = np.tril(rng.normal(size=(p, p)), k=-1) + np.diag(np.sqrt(rng.chisquare(n - 1 - np.arange(p))))
    factor = np.linalg.cholesky(covariance) @ triangle
    return factor @ factor.T / (n - 1)


def weakest_dependence(dag: DAG, latents: list[str], covariance: np.ndarray) -> float:
    """The smallest partial correlation among all that the graph says are not zero."""
    observed = [v for v, name in enumerate(dag.names) if name not in latents]
    separation, least = MSeparation(dag), 1.0
    for i, j in combinations(range(len(observed)), 2):
        others = [k for k in range(len(observed)) if k not in (i, j)]
        for size in range(len(others) + 1):
            for z in combinations(others, size):
                if not separation.separated(observed[i], observed[j], mask_of(observed[k] for k in z)):
                    precision = np.linalg.inv(covariance[np.ix_([i, j, *z], [i, j, *z])])
                    least = min(least, abs(precision[0, 1]) / sqrt(precision[0, 0] * precision[1, 1]))
    return least


def test_many_rows_give_the_true_pag_where_no_dependence_is_faint():
    right = tried = 0
    for seed in range(200):
        dag, latents, covariance = sem(seed)
        if weakest_dependence(dag, latents, covariance) <= 0.05:
            continue
        truth = dag.true_pag(latents)
        sampled = sample_covariance(covariance, 200_000, np.random.default_rng([149, seed]))
        test = FisherZ.from_covariance(sampled, 200_000, names=truth.names, alpha=1e-4)
        right += discover(test).pag == truth == discover(test, decompose=False).pag
        tried += 1
    assert tried >= 50 and right / tried >= 0.95, f"{right} of {tried}"


def test_rows_and_their_covariance_matrix_give_the_same_answer():
    for seed in range(3):
        frame = table(seed, n=200_000, p=8)
        by_matrix = FisherZ.from_covariance(frame.cov(), 200_000, names=frame.columns, alpha=1e-4)
        assert discover(FisherZ(frame, alpha=1e-4)).pag == discover(by_matrix).pag


@pytest.mark.parametrize("decompose", [True, False])
def test_more_rows_find_more_of_the_truth(decompose):
    scores: dict[int, list[tuple[float, float]]] = {100: [], 1000: [], 10_000: []}
    for seed in range(15):
        dag = simulate.er_dag(15, 2.5, seed=seed)
        latents = simulate.hide(dag, 2, seed=seed)
        frame = simulate.linear_gaussian(dag, 10_000, seed=seed).drop(columns=list(latents))
        for n, found in scores.items():
            result = metrics.compare(discover(FisherZ(frame.iloc[:n]), decompose=decompose).pag, dag.true_pag(latents))
            found.append((result.skeleton.f1, result.marks.f1))
    skeleton, marks = ([mean(pair[i] for pair in found) for found in scores.values()] for i in (0, 1))
    assert skeleton == sorted(skeleton) and marks == sorted(marks)
    assert skeleton[-1] > 0.85 and skeleton[-1] - skeleton[0] > 0.1
