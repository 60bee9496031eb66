"""m-separation against the definition, path by path."""

from __future__ import annotations

import numpy as np
import pytest

from dicola.errors import InvalidGraph
from dicola.graphs.dag import DAG
from dicola.graphs.mag import MAG
from dicola.graphs.marks import MixedGraph
from dicola.graphs.separation import MSeparation
from tests.reference_models import (
    Marks,
    PathSeparation,
    anterior,
    as_text,
    bits,
    mag_by_definition,
    mask,
    names,
    random_ancestral_graph,
    random_hidden_dag,
    random_selection_mag,
    separated_by_augmentation,
    subsets,
)


def assert_same_separations(marks: Marks) -> None:
    n = len(marks)
    fast, slow = MSeparation(MixedGraph.from_matrix(marks)), PathSeparation(marks)
    for x in range(n):
        for given in subsets((1 << n) - 1 & ~(1 << x)):
            want = mask(y for y in range(n) if y != x and not given >> y & 1 and not slow.separated(x, y, given))
            assert fast.connected(x, given) == want, f"{as_text(marks)}: from {x} given {bits(given)}"
            for y in bits((1 << n) - 1 & ~given & ~(1 << x)):
                assert fast.separated(x, y, given) == fast.separated(y, x, given) == (not want >> y & 1)


@pytest.mark.parametrize("seed", range(10))
def test_reach_equals_path_enumeration_on_ancestral_graphs_rich_in_bidirected_edges(seed):
    rng = np.random.default_rng([1, seed])
    for _ in range(12):
        n = int(rng.integers(3, 7))
        assert_same_separations(random_ancestral_graph(rng, n, float(rng.uniform(0.1, 0.5)), float(rng.uniform(0.2, 0.9))))


@pytest.mark.parametrize("seed", range(4))
def test_reach_equals_path_enumeration_on_mags_of_dags_with_hidden_variables(seed):
    rng = np.random.default_rng([2, seed])
    for _ in range(12):
        dag, hidden = random_hidden_dag(rng, int(rng.integers(4, 7)), int(rng.integers(1, 4)), float(rng.uniform(0.2, 0.5)))
        assert_same_separations(mag_by_definition(dag, [v for v in range(len(dag)) if v not in hidden]))


@pytest.mark.parametrize("seed", range(4))
def test_reach_equals_path_enumeration_on_mags_with_undirected_edges(seed):
    rng = np.random.default_rng([3, seed])
    for _ in range(12):
        mag, *_ = random_selection_mag(rng, int(rng.integers(4, 7)))
        assert_same_separations(mag)


def test_reach_equals_the_augmentation_criterion_on_larger_graphs():
    rng = np.random.default_rng(4)
    for _ in range(30):
        dag, _ = random_hidden_dag(rng, 9, 4, float(rng.uniform(0.15, 0.5)))
        fast = DAG.from_matrix(dag, names(13)).separation
        for _ in range(40):
            x, y = (int(v) for v in rng.choice(13, 2, replace=False))
            given = mask(v for v in range(13) if v not in (x, y) and rng.random() < 0.3)
            assert fast.separated(x, y, given) == separated_by_augmentation(dag, x, y, given), (as_text(dag), x, y, bits(given))


def test_the_two_slow_twins_agree_with_each_other():
    rng = np.random.default_rng(5)
    for _ in range(40):
        marks = random_ancestral_graph(rng, 5, 0.35, 0.6)
        paths = PathSeparation(marks)
        for x in range(5):
            for y in range(x):
                for z in subsets(0b11111 & ~(1 << x | 1 << y)):
                    assert paths.separated(x, y, z) == separated_by_augmentation(marks, x, y, z)


def test_a_collider_opens_through_a_distant_descendant_only():
    mag = MAG.from_text("A --> C; B --> C; C --> D; D --> E; B --> F")
    assert mag.m_separated("A", "B")
    assert mag.m_separated("A", "B", ["F"])
    for opened in ("C", "D", "E"):
        assert not mag.m_separated("A", "B", [opened])


def test_a_vertex_can_be_passed_as_collider_and_as_chain_in_one_search():
    """Entering M by its arrowhead and by its tail are two states; forgetting one loses a path."""
    mag = MAG.from_text("X --> M; M --> P; M <-> Q; P --> Q2", nodes=["X", "M", "P", "Q", "Q2"])
    assert not mag.m_separated("X", "Q", ["M"]) and mag.m_separated("X", "P", ["M"])
    assert mag.m_separated("X", "Q") and not mag.m_separated("X", "P")


def test_a_conditioned_vertex_still_serves_as_a_collider():
    mag = MAG.from_text("T --> A; A <-> B; X --> B")
    assert mag.m_separated("T", "X", ["A"]) and mag.m_separated("T", "X", ["B"])
    assert not mag.m_separated("T", "X", ["A", "B"])


def test_adjacent_vertices_are_never_separated():
    rng = np.random.default_rng(6)
    for _ in range(10):
        mag, *_ = random_selection_mag(rng, 5)
        fast = MSeparation(MixedGraph.from_matrix(mag))
        for x in range(5):
            for y in range(5):
                if mag[x][y]:
                    assert not any(fast.separated(x, y, z) for z in subsets(0b11111 & ~(1 << x | 1 << y)))


def test_ancestors_count_undirected_steps_as_well():
    rng = np.random.default_rng(7)
    for _ in range(30):
        mag, *_ = random_selection_mag(rng, 6)
        assert MSeparation(MixedGraph.from_matrix(mag)).ancestors == anterior(mag)


def test_ancestors_of_a_set_are_the_union_of_those_of_its_members():
    separation = MSeparation(MixedGraph.from_text("A --> B; C --> D", nodes="ABCD"))
    assert separation.ancestors_of(0) == 0
    assert separation.ancestors_of(mask([1, 3])) == 0b1111
    assert separation.ancestors_of(mask([1])) == mask([0, 1])


@pytest.mark.parametrize(("x", "y", "z"), [("A", "A", []), ("A", "B", ["A"]), ("A", "B", ["B"])])
def test_m_separation_is_asked_about_different_variables(x, y, z):
    with pytest.raises(InvalidGraph, match="different"):
        MAG.from_text("A --> B; B <-> C").m_separated(x, y, z)


def test_one_name_alone_is_a_set_of_one():
    mag = MAG.from_text("Aa --> Bb; Bb --> Cc")
    assert mag.m_separated("Aa", "Cc", "Bb")
    assert mag.m_separated("Aa", "Cc", (name for name in ["Bb"]))
