"""MAGs: projection of DAGs, validity, marginals, local skeletons, blankets."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from dicola.errors import InvalidGraph
from dicola.graphs.dag import DAG
from dicola.graphs.mag import MAG, require_valid
from tests.reference_models import (
    Marks,
    PathSeparation,
    all_mixed_graphs,
    ancestors,
    as_text,
    bits,
    collider_connected,
    dependent_given_the_rest,
    faults,
    mag_by_definition,
    mask,
    names,
    permuted,
    random_ancestral_graph,
    random_hidden_dag,
    random_mag,
    random_selection_mag,
    separated_by_augmentation,
    subsets,
)


def hidden_dags(seed: int, count: int, most_observed: int = 6):
    """DAGs with hidden vertices: (marks, hidden, observed)."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        marks, hidden = random_hidden_dag(
            rng, int(rng.integers(4, most_observed + 1)), int(rng.integers(1, 4)), float(rng.uniform(0.2, 0.5))
        )
        yield marks, hidden, [v for v in range(len(marks)) if v not in hidden]


def library_dag(marks: Marks) -> DAG:
    return DAG.from_matrix(marks, names(len(marks)))


def called(vertices: list[int]) -> list[str]:
    return [f"V{v}" for v in vertices]


@pytest.mark.parametrize("seed", range(8))
def test_mag_of_a_dag_has_the_edges_that_no_set_separates_and_the_marks_of_ancestry(seed):
    for marks, hidden, observed in hidden_dags(100 + seed, 12):
        mag = library_dag(marks).true_mag(called(hidden))
        assert mag.to_matrix().tolist() == mag_by_definition(marks, observed), as_text(marks)


@pytest.mark.parametrize("seed", range(6))
def test_mag_of_a_dag_is_valid_and_separates_what_the_dag_separates(seed):
    for marks, hidden, observed in hidden_dags(200 + seed, 8):
        mag, paths = library_dag(marks).true_mag(called(hidden)), PathSeparation(marks)
        assert mag.invalid() is None
        for i, j in combinations(range(len(observed)), 2):
            x, y = observed[i], observed[j]
            for z in subsets(mask(observed) & ~(1 << x | 1 << y)):
                inside = mask(observed.index(v) for v in bits(z))
                assert mag.separation.separated(i, j, inside) == paths.separated(x, y, z), (as_text(marks), hidden, x, y, bits(z))


def test_mag_of_a_larger_dag_separates_what_the_dag_separates():
    rng = np.random.default_rng(300)
    for _ in range(15):
        marks, hidden = random_hidden_dag(rng, 9, 4, float(rng.uniform(0.2, 0.45)))
        observed = [v for v in range(13) if v not in hidden]
        mag = library_dag(marks).true_mag(called(hidden))
        assert mag.invalid() is None
        for _ in range(40):
            i, j = (int(v) for v in rng.choice(9, 2, replace=False))
            z = [v for v in range(9) if v not in (i, j) and rng.random() < 0.4]
            given = mask(observed[v] for v in z)
            want = separated_by_augmentation(marks, observed[i], observed[j], given)
            assert mag.separation.separated(i, j, mask(z)) == want, (as_text(marks), hidden, i, j, z)


def test_hiding_leaves_no_undirected_edge():
    for marks, hidden, _ in hidden_dags(400, 40):
        mag = library_dag(marks).true_mag(called(hidden))
        assert not any(str(edge.mark_u) == "-" == str(edge.mark_v) for edge in mag.edges())


def test_order_of_the_nodes_changes_neither_mag_nor_pag():
    rng = np.random.default_rng(500)
    for marks, hidden, _ in hidden_dags(500, 25, most_observed=8):
        dag = library_dag(marks)
        shuffled = dag.reordered([dag.names[i] for i in rng.permutation(len(dag))])
        assert shuffled.true_mag(called(hidden)) == dag.true_mag(called(hidden))
        assert shuffled.true_pag(called(hidden)) == dag.true_pag(called(hidden)), as_text(marks)


def test_the_canonical_separator_separates_every_separable_pair():
    for marks, hidden, _ in hidden_dags(600, 30):
        mag = library_dag(marks).true_mag(called(hidden))
        before = ancestors(mag.to_matrix().tolist())
        for a, b in combinations(range(len(mag)), 2):
            separator = mag.canonical_separator(a, b)
            assert separator == (before[a] | before[b]) & ~(1 << a | 1 << b)
            assert mag.separation.separated(a, b, separator) == (not mag.marks[a, b])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A --> B; B --> C; C --> A", "directed cycle"),
        ("A --> B; B --> C; C --> D; D --> A", "directed cycle"),
        ("A --> B; B --> C; A <-> C", "almost directed cycle"),
        ("A --> B; B --> C; C --> D; D <-> A", "almost directed cycle"),
        ("A --- B; C --> B", "undirected edge"),
        ("A --- B; C <-> B", "undirected edge"),
        ("B --- A; C --> B; C --> D", "undirected edge"),
        ("A <-> B; B <-> C; C <-> D; B --> D; C --> A", "not maximal"),
        ("A o-o B", "circle"),
        ("A --> B; B o-> C", "circle"),
    ],
)
def test_what_is_no_mag_is_told_with_its_reason(text, words):
    mag = MAG.from_text(text)
    reason = mag.invalid()
    assert reason is not None and words in reason
    with pytest.raises(InvalidGraph, match=words):
        require_valid(mag)


def test_a_directed_cycle_is_not_called_almost_directed():
    reason = MAG.from_text("A --> B; B --> C; C --> A").invalid()
    assert reason is not None and "almost" not in reason


@pytest.mark.parametrize(
    "text",
    [
        "A --> B",
        "A --- B; B --- C",
        "A --- B; B --> C; A --> C",
        "T --> A; A <-> B; X --> B",
        "A <-> B; B <-> C; C <-> D; B --> D; C --> A; A <-> D",
        "A --- B; B --- C; C --- D; D --- A",
        "",
    ],
)
def test_a_mag_is_valid_and_returned_as_it_is(text):
    mag = MAG.from_text(text)
    assert mag.invalid() is None
    assert require_valid(mag) is mag


WORDS = {
    "directed cycle": "closes a directed cycle",
    "almost directed cycle": "almost directed cycle",
    "undirected": "undirected edge",
    "maximal": "not maximal",
}


@pytest.mark.parametrize("n", [2, 3, 4])
def test_every_small_graph_is_valid_or_refused_for_a_reason_that_holds(n):
    """All 15,625 graphs on four vertices, undirected edges included."""
    for marks in all_mixed_graphs(n):
        wrong = faults(marks)
        reason = MAG.from_matrix(marks, names(n)).invalid()
        assert (reason is None) == (not wrong), (as_text(marks), wrong, reason)
        if reason is not None:
            assert any(WORDS[fault] in reason for fault in wrong), (as_text(marks), wrong, reason)


@pytest.mark.parametrize("seed", range(3))
def test_maximality_of_random_ancestral_graphs_is_that_of_the_definition(seed):
    rng = np.random.default_rng([7, seed])
    seen = set()
    for _ in range(60):
        marks = random_ancestral_graph(rng, int(rng.integers(4, 7)), 0.35, 0.8)
        wrong = faults(marks)
        seen |= wrong or {"none"}
        reason = MAG.from_matrix(marks).invalid()
        assert (reason is None) == (not wrong), (as_text(marks), reason)
    assert seen == {"none", "maximal"}


@pytest.mark.parametrize("seed", range(4))
def test_marginal_of_a_mag_is_the_mag_of_the_dag_with_more_hidden(seed):
    rng = np.random.default_rng([8, seed])
    for marks, hidden, observed in hidden_dags(800 + seed, 20, most_observed=8):
        dag = library_dag(marks)
        more = [int(v) for v in rng.choice(observed, int(rng.integers(1, len(observed))), replace=False)]
        kept = [v for v in observed if v not in more]
        assert dag.true_mag(called(hidden)).marginal(called(kept)) == dag.true_mag(called(hidden + more)), (
            as_text(marks),
            hidden,
            more,
        )


def test_marginal_keeps_the_order_asked_for():
    mag = MAG.from_text("A --> B; B --> C; C --> D")
    assert mag.marginal(["D", "A", "C"]).names == ("D", "A", "C")
    assert mag.marginal(["D", "A", "C"]) == mag.marginal(["A", "C", "D"])


def test_marginal_over_everything_is_the_mag_itself():
    rng = np.random.default_rng(9)
    for _ in range(20):
        mag = MAG.from_matrix(random_mag(rng, 6), names(6))
        assert mag.marginal(mag.names) == mag


def test_marginal_of_a_marginal_does_not_depend_on_the_way():
    rng = np.random.default_rng(10)
    for _ in range(40):
        mag = MAG.from_matrix(random_mag(rng, 7), names(7))
        assert mag.marginal(mag.names[:6]).marginal(mag.names[:4]) == mag.marginal(mag.names[:4])


@pytest.mark.parametrize("seed", range(3))
def test_marginal_of_a_mag_with_undirected_edges_is_that_of_its_dag(seed):
    rng = np.random.default_rng([11, seed])
    for _ in range(25):
        mag, dag, observed, selected = random_selection_mag(rng, 6)
        kept = observed[: int(rng.integers(2, 6))]
        found = MAG.from_matrix(mag, called(observed)).marginal(called(kept))
        assert found.to_matrix().tolist() == mag_by_definition(dag, kept, selected), as_text(dag)


def test_local_skeleton_is_the_skeleton_of_the_marginal_mag():
    rng = np.random.default_rng(12)
    for _ in range(60):
        marks = random_mag(rng, 6)
        paths = PathSeparation(marks)
        kept = sorted(int(v) for v in rng.choice(6, int(rng.integers(2, 6)), replace=False))
        marginal = MAG.from_matrix(marks, names(6)).marginal(called(kept))
        for i, j in combinations(range(len(kept)), 2):
            separable = bool(paths.separators(kept[i], kept[j], among=mask(kept)))
            assert bool(marginal.marks[i, j]) == (not separable), (as_text(marks), kept)


def test_hiding_more_only_adds_edges_among_the_rest():
    rng = np.random.default_rng(13)
    for _ in range(60):
        mag = MAG.from_matrix(random_mag(rng, 7), names(7))
        outer = sorted(int(v) for v in rng.choice(7, int(rng.integers(3, 8)), replace=False))
        inner = sorted(int(v) for v in rng.choice(outer, int(rng.integers(2, len(outer) + 1)), replace=False))
        wide, narrow = mag.marginal(called(outer)), mag.marginal(called(inner))
        for x, y in combinations(called(inner), 2):
            assert not wide.marks[wide.index(x), wide.index(y)] or narrow.marks[narrow.index(x), narrow.index(y)]


def test_a_marginal_cannot_name_an_unknown_vertex_or_one_twice():
    mag = MAG.from_text("A --> B")
    for wrong in (["A", "Q"], ["A", "A"]):
        with pytest.raises(InvalidGraph):
            mag.marginal(wrong)


def assert_blankets_by_definition(marks: Marks) -> None:
    n = len(marks)
    mag = MAG.from_matrix(marks, names(n))
    augmented = mag.augmented()
    assert augmented.tolist() == dependent_given_the_rest(marks) == collider_connected(marks), as_text(marks)
    assert np.array_equal(augmented, augmented.T)
    for x in range(n):
        assert mag.blanket(f"V{x}") == tuple(f"V{v}" for v in range(n) if augmented[x, v])


@pytest.mark.parametrize("seed", range(4))
def test_augmented_graph_joins_exactly_those_dependent_given_all_the_rest(seed):
    rng = np.random.default_rng([14, seed])
    for _ in range(40):
        assert_blankets_by_definition(random_mag(rng, int(rng.integers(2, 8)), float(rng.uniform(0.1, 0.4)), float(rng.uniform(0.2, 0.9))))


def test_augmented_graph_of_a_mag_with_undirected_edges_is_that_of_the_definition():
    rng = np.random.default_rng(15)
    for _ in range(60):
        assert_blankets_by_definition(random_selection_mag(rng, int(rng.integers(3, 7)))[0])


def test_augmented_graph_of_a_marginal_is_total_conditioning_within_the_subset():
    rng = np.random.default_rng(16)
    for _ in range(40):
        marks = random_mag(rng, 6)
        kept = sorted(int(v) for v in rng.choice(6, 4, replace=False))
        paths = PathSeparation(marks)
        found = MAG.from_matrix(marks, names(6)).marginal(called(kept)).augmented()
        for i, j in combinations(range(4), 2):
            rest = mask(kept) & ~(1 << kept[i] | 1 << kept[j])
            assert found[i, j] == (not paths.separated(kept[i], kept[j], rest)), (as_text(marks), kept)


def test_blanket_shields_a_vertex_from_all_the_rest():
    rng = np.random.default_rng(17)
    for _ in range(30):
        mag = MAG.from_matrix(random_mag(rng, 7), names(7))
        for x in mag.names:
            blanket = mag.blanket(x)
            assert all(mag.m_separated(x, y, blanket) for y in mag.names if y != x and y not in blanket)


def test_blanket_is_made_of_parents_children_districts_and_their_parents():
    mag = MAG.from_text("P --> T; T --> C; C <-> D; D <-> E; Q --> E; T <-> S; R --> S; U --> R; E --> W")
    assert set(mag.blanket("T")) == {"P", "C", "D", "E", "Q", "S", "R"}


def test_an_isolated_vertex_has_an_empty_blanket():
    assert MAG.from_text("A --> B", nodes="ABC").blanket("C") == ()


def test_district_follows_bidirected_edges_only():
    mag = MAG.from_text("A <-> B; B <-> C; C --> D; D <-> E", nodes="ABCDEF")
    assert mag.district("A") == mag.district("C") == ("A", "B", "C")
    assert mag.district("E") == ("D", "E") and mag.district("F") == ("F",)


def test_ancestors_include_the_vertex_itself():
    mag = MAG.from_text("A --> B; B --> C; D <-> C")
    assert mag.ancestors("C") == ("A", "B", "C") and mag.ancestors("D") == ("D",)


def test_answers_do_not_depend_on_the_order_of_the_vertices():
    rng = np.random.default_rng(18)
    for _ in range(20):
        marks = random_mag(rng, 6)
        order = [int(v) for v in rng.permutation(6)]
        mag, other = MAG.from_matrix(marks, names(6)), MAG.from_matrix(permuted(marks, order), [f"V{v}" for v in order])
        for x in mag.names:
            assert set(mag.blanket(x)) == set(other.blanket(x))
            assert set(mag.district(x)) == set(other.district(x))
            assert set(mag.ancestors(x)) == set(other.ancestors(x))


@pytest.mark.parametrize("seed", range(2))
def test_the_maximal_graph_of_an_ancestral_one_is_that_of_the_definition(seed):
    rng = np.random.default_rng(700 + seed)
    added = 0
    for _ in range(80):
        marks = random_ancestral_graph(rng, int(rng.integers(5, 8)), 0.3, 0.8)
        graph = MAG.from_matrix(marks)
        assert graph.maximal().to_matrix().tolist() == mag_by_definition(marks, range(len(marks)))
        added += graph.maximal().n_edges - graph.n_edges
    assert added > 0
