"""DAGs with selected vertices: undirected edges, R5-R7, and separation given the selection."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from dicola.graphs.dag import DAG
from dicola.graphs.mag import MAG
from dicola.graphs.pag import PAG
from dicola.orient.equivalence import legality, mag_to_pag, markov_equivalent, member_mag
from tests.reference_models import (
    TAIL,
    Marks,
    PathSeparation,
    as_text,
    bits,
    common_marks,
    edge_count,
    equivalence_class,
    mag_by_definition,
    mask,
    names,
    random_selection_mag,
    subsets,
)

SQUARE = [("A", "S1"), ("B", "S1"), ("B", "S2"), ("C", "S2"), ("C", "S3"), ("D", "S3"), ("D", "S4"), ("A", "S4")]
SELECTED = ["S1", "S2", "S3", "S4"]


def parts(dag: Marks, observed: list[int], selected: int) -> tuple[DAG, list[str], list[str]]:
    """The DAG of the library with the names of its hidden and of its selected vertices."""
    hidden = [f"V{v}" for v in range(len(dag)) if v not in observed and not selected >> v & 1]
    return DAG.from_matrix(dag, names(len(dag))), hidden, [f"V{v}" for v in bits(selected)]


def has_undirected(marks: Marks) -> bool:
    return any(marks[a][b] == TAIL == marks[b][a] for a, b in combinations(range(len(marks)), 2))


@pytest.mark.parametrize("seed", range(5))
def test_mag_of_a_dag_with_selection_is_that_of_the_definition_and_valid(seed):
    rng = np.random.default_rng([1, seed])
    undirected = 0
    for _ in range(25):
        want, marks, observed, selected = random_selection_mag(
            rng, int(rng.integers(3, 7)), int(rng.integers(1, 4)), int(rng.integers(0, 3))
        )
        dag, hidden, chosen = parts(marks, observed, selected)
        mag = dag.true_mag(hidden, chosen)
        assert mag.to_matrix().tolist() == want, as_text(marks)
        assert mag.invalid() is None
        undirected += has_undirected(want)
    assert undirected > 5


@pytest.mark.parametrize("seed", range(3))
def test_separation_in_the_mag_is_d_separation_given_the_selection_as_well(seed):
    rng = np.random.default_rng([2, seed])
    for _ in range(15):
        _, marks, observed, selected = random_selection_mag(rng, 5, 2, 1)
        dag, hidden, chosen = parts(marks, observed, selected)
        mag, paths = dag.true_mag(hidden, chosen), PathSeparation(marks)
        for x, y in combinations(observed, 2):
            for z in subsets(mask(observed) & ~(1 << x | 1 << y)):
                given = [f"V{v}" for v in bits(z)]
                assert mag.m_separated(f"V{x}", f"V{y}", given) == paths.separated(x, y, z | selected), (as_text(marks), x, y, z)
                assert mag.m_separated(f"V{x}", f"V{y}", given) == dag.d_separated(f"V{x}", f"V{y}", given + chosen)


@pytest.mark.parametrize("seed", range(6))
def test_pag_under_selection_has_the_marks_common_to_the_class_with_undirected_members(seed):
    rng = np.random.default_rng([3, seed])
    checked = 0
    while checked < 12:
        n = 4 + checked % 2
        marks, *_ = random_selection_mag(rng, n, int(rng.integers(2, 5)), 1)
        if not has_undirected(marks) or edge_count(marks) > 8:
            continue
        mag = MAG.from_matrix(marks, names(n))
        pag = mag_to_pag(mag)
        assert pag.to_matrix().tolist() == common_marks(equivalence_class(marks, undirected=True)), as_text(marks)
        assert legality(pag) and markov_equivalent(member_mag(pag), mag)
        checked += 1


def test_an_undirected_square_comes_from_selection_on_four_common_effects():
    dag = DAG.from_edges(SQUARE)
    mag = dag.true_mag(selection=SELECTED)
    assert str(mag.reordered("ABCD")) == "A --- B\nA --- D\nB --- C\nC --- D"
    assert mag.m_separated("A", "C", ["B", "D"]) and not mag.m_separated("A", "C", ["B"])
    pag = dag.true_pag(selection=SELECTED)
    assert str(pag.reordered("ABCD")) == "A --- B\nA --- D\nB --- C\nC --- D"
    assert legality(pag)


def test_an_edge_out_of_the_undirected_square_is_a_tail_there():
    pag = DAG.from_edges([*SQUARE, ("A", "E")]).true_pag(selection=SELECTED)
    assert "A --o E" in str(pag).splitlines()
    assert legality(pag)


def test_tails_spread_along_a_chain_out_of_the_undirected_square():
    pag = DAG.from_edges([*SQUARE, ("A", "E"), ("E", "F")]).true_pag(selection=SELECTED)
    assert {"A --o E", "E --o F"} <= set(str(pag).splitlines())
    marks = DAG.from_edges([*SQUARE, ("A", "E"), ("E", "F")]).true_mag(selection=SELECTED).to_matrix().tolist()
    assert pag.to_matrix().tolist() == common_marks(equivalence_class(marks, undirected=True))


def test_selection_on_one_common_effect_joins_its_causes_without_telling_how():
    dag = DAG.from_edges([("A", "S"), ("B", "S")])
    assert str(dag.true_mag(selection="S")) == "A --- B"
    assert str(dag.true_pag(selection="S")) == "A o-o B"


def test_selection_on_a_mere_effect_leaves_tails():
    dag = DAG.from_edges([("A", "B"), ("B", "S")])
    assert str(dag.true_mag(selection="S")) == "A --- B"


def test_selection_on_a_common_cause_separates_its_effects():
    dag = DAG.from_edges([("S", "A"), ("S", "B")])
    assert dag.true_mag(selection="S").n_edges == 0
    assert str(dag.true_mag(latents="S")) == "A <-> B"


def test_selection_on_an_unrelated_variable_changes_nothing():
    dag = DAG.from_edges([("A", "B"), ("C", "B"), ("B", "D")], nodes="ABCDS")
    assert dag.true_pag(selection=["S"]) == dag.true_pag(latents=["S"])


def test_hidden_variables_stay_hidden_beside_selection():
    """A <- L -> B and B -> S <- C: L gives A o-o B, S ties B and C."""
    dag = DAG.from_edges([("L", "A"), ("L", "B"), ("B", "S"), ("C", "S")])
    mag = dag.true_mag(["L"], ["S"])
    want = mag_by_definition(dag.to_matrix().tolist(), [dag.index(v) for v in mag.names], 1 << dag.index("S"))
    assert mag.to_matrix().tolist() == want
    assert mag.invalid() is None


def test_an_undirected_edge_reads_as_selection_in_words():
    (sentence,) = PAG.from_text("A --- B").in_words()
    assert "selection" in sentence
