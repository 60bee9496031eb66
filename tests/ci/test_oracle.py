"""The oracle answers from the graph: the same as enumerating paths."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from dicola import DAG, MAG, PAG, InvalidGraph, InvalidSetting, Oracle
from dicola.ci import oracle as module
from dicola.ci.questions import FindSeparator
from tests.asking import counted, given_rest
from tests.reference_models import (
    PathSeparation,
    bits,
    collider_connected,
    mag_by_definition,
    mask,
    names,
    random_hidden_dag,
    random_mag,
    random_selection_mag,
)


def subsets_of(pool: list[int]) -> list[tuple[int, ...]]:
    return [z for size in range(len(pool) + 1) for z in combinations(pool, size)]


def test_verdicts_over_a_dag_are_those_of_path_enumeration():
    for seed in range(25):
        rng = np.random.default_rng([31, seed])
        marks, hidden = random_hidden_dag(rng, 4, 2, float(rng.uniform(0.3, 0.7)))
        labels = names(len(marks))
        oracle, paths = Oracle(DAG.from_matrix(marks, labels), [labels[v] for v in hidden]), PathSeparation(marks)
        for x, y in combinations(range(4), 2):
            for z in subsets_of([v for v in range(4) if v not in (x, y)]):
                at = [labels.index(oracle.labels[v]) for v in (x, y, *z)]
                assert oracle.verdict(x, y, z).independent == paths.separated(at[0], at[1], mask(at[2:]))


def test_verdicts_over_a_mag_are_those_of_path_enumeration():
    for seed in range(25):
        marks = random_mag(np.random.default_rng([37, seed]), 5)
        oracle, paths = Oracle(MAG.from_matrix(marks, names(5))), PathSeparation(marks)
        for x, y in combinations(range(5), 2):
            for z in subsets_of([v for v in range(5) if v not in (x, y)]):
                assert oracle.verdict(x, y, z).independent == paths.separated(x, y, mask(z))


def test_selected_variables_are_given_throughout():
    for seed in range(25):
        _, marks, observed, selected = random_selection_mag(np.random.default_rng([41, seed]), 4)
        labels = names(len(marks))
        chosen = [labels[v] for v in bits(selected)]
        hidden = [name for v, name in enumerate(labels) if v not in observed and name not in chosen]
        oracle, paths = Oracle(DAG.from_matrix(marks, labels), hidden, chosen), PathSeparation(marks)
        assert set(oracle.names) == {labels[v] for v in observed}
        for x, y in combinations(range(4), 2):
            for z in subsets_of([v for v in range(4) if v not in (x, y)]):
                at = [labels.index(oracle.labels[v]) for v in (x, y, *z)]
                assert oracle.verdict(x, y, z).independent == paths.separated(at[0], at[1], mask(at[2:]) | selected)


def test_total_conditioning_gives_the_pairs_that_collider_paths_join():
    for seed in range(60):
        rng = np.random.default_rng([43, seed])
        marks, hidden = random_hidden_dag(rng, int(rng.integers(2, 8)), 2, float(rng.uniform(0.2, 0.6)))
        labels = names(len(marks))
        observed = [v for v in range(len(marks)) if v not in hidden]
        oracle = Oracle(DAG.from_matrix(marks, labels), [labels[v] for v in hidden])
        joined = np.array(collider_connected(mag_by_definition(marks, observed)))
        np.fill_diagonal(joined, False)
        order = [oracle.names.index(label) for label in oracle.labels]
        assert np.array_equal(given_rest(oracle), joined[np.ix_(order, order)])


def test_a_search_among_many_candidates_does_not_ask_one_by_one():
    spread = DAG.from_edges([("A", f"M{i}") for i in range(40)] + [(f"M{i}", "B") for i in range(40)])
    oracle = Oracle(spread)
    x, y = oracle.labels.index("A"), oracle.labels.index("B")
    pool = [v for v in range(42) if v not in (x, y)]
    assert counted(oracle, FindSeparator(x, y, pool, (20,))) == (None, 137846528820)
    assert counted(oracle, FindSeparator(x, y, pool, (40,))) == (tuple(pool), 1)


def test_forgetting_answers_changes_none(monkeypatch):
    dag = DAG.from_edges([("A", "B"), ("B", "C"), ("A", "C"), ("D", "C")])
    remembered = [Oracle(dag).verdict(0, 3, z).independent for z in ((), (1,), (2,), (1, 2))]
    monkeypatch.setattr(module, "_REMEMBERED", 1)
    forgetful = Oracle(dag)
    assert [forgetful.verdict(0, 3, z).independent for z in ((), (1,), (2,), (1, 2))] == remembered == [True, True, False, False]


def test_observed_variables_keep_the_users_order_and_are_worked_on_in_the_fixed_one():
    oracle = Oracle(DAG.from_edges([("X10", "X9"), ("L", "X2")]), latents="L")
    assert oracle.names == ("X10", "X9", "X2") and oracle.labels == ("X2", "X9", "X10")
    assert oracle.alpha is None and oracle.n_samples is None


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda dag: Oracle(dag, ["Q"]), "'Q' is not a vertex"),
        (lambda dag: Oracle(dag, ["A", "B", "C"]), "every variable is hidden"),
        (lambda dag: Oracle(dag, ["A"], ["A"]), "'A' is named both"),
        (lambda dag: Oracle(MAG.from_text("A --> B"), selection=["A"]), "selection variables belong to a DAG"),
        (lambda dag: Oracle(MAG.from_text("A --> B; B --> C; C --> A")), "no maximal ancestral graph"),
        (lambda dag: Oracle(MAG.from_text("A <-> B; B <-> C; C <-> D; B --> D; C --> A")), "no maximal ancestral graph"),
    ],
)
def test_an_impossible_oracle_is_refused(build, says):
    with pytest.raises(InvalidGraph, match=says):
        build(DAG.from_edges([("A", "B"), ("B", "C")]))


def test_hidden_vertices_of_a_mag_are_hidden():
    oracle = Oracle(MAG.from_text("A --> B; B --> C"), latents=["B"])
    assert oracle.names == ("A", "C") and not oracle("A", "C").independent


@pytest.mark.parametrize("graph", [PAG.from_text("A o-> B"), "A -> B", None, [("A", "B")]], ids=lambda graph: type(graph).__name__)
def test_an_oracle_needs_a_true_graph(graph):
    with pytest.raises(InvalidSetting, match=f"a DAG or a MAG, not a {type(graph).__name__}"):
        Oracle(graph)
