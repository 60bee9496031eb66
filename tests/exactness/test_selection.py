"""Selection of the sample: exact without decomposition, refused with it."""

from __future__ import annotations

import numpy as np
import pytest

from dicola import DAG, FCI, InvalidSetting, Oracle, discover
from tests.exactness.run import Tally, check
from tests.reference_models import bits, common_marks, equivalence_class, names, random_selection_mag


def selected_dag(seed: int, n_observed: int) -> tuple[DAG, list[str], list[str], list[list[int]]]:
    """A DAG, its hidden and its selected vertices, and the MAG they leave."""
    rng = np.random.default_rng([23, seed])
    mag, marks, observed, selected = random_selection_mag(rng, n_observed, int(rng.integers(1, 3)), int(rng.integers(0, 3)))
    labels = names(len(marks))
    chosen = [labels[v] for v in bits(selected)]
    hidden = [name for v, name in enumerate(labels) if v not in observed and name not in chosen]
    return DAG.from_matrix(marks, labels), hidden, chosen, mag


@pytest.mark.parametrize("n", [4, 5, 6])
def test_the_true_pag_is_found_where_the_sample_was_selected(n):
    undirected = 0
    for seed in range(50):
        dag, hidden, selected, mag = selected_dag(seed, n)
        truth = dag.true_pag(hidden, selected)
        undirected += any(mag[a][b] == 3 == mag[b][a] for a in range(n) for b in range(n))
        for learner in (FCI(), FCI(possible_dsep="textbook")):
            settings = {"decompose": False, "selection": True, "learner": learner}
            assert check(Oracle(dag, hidden, selected), truth, settings) == Tally(1), f"graph {n}/{seed}"
    assert undirected >= 20


def test_it_is_what_all_members_of_the_enumerated_class_share():
    for seed in range(100, 140):
        dag, hidden, selected, mag = selected_dag(seed, 4)
        found = discover(Oracle(dag, hidden, selected), decompose=False, selection=True).pag
        assert found.to_matrix().tolist() == common_marks(equivalence_class(mag, undirected=True)), f"graph 4/{seed}"


def test_a_ring_tied_by_selection_alone_is_undirected():
    arcs = [(v, s) for s, pair in (("S1", "AB"), ("S2", "BC"), ("S3", "CD"), ("S4", "DA")) for v in pair]
    found = discover(Oracle(DAG.from_edges(arcs), selection=["S1", "S2", "S3", "S4"]), decompose=False, selection=True)
    assert str(found.pag) == "A --- B\nA --- D\nB --- C\nC --- D"


def test_decomposition_with_selection_is_refused_and_told_how_to_go_on():
    oracle = Oracle(DAG.from_edges([("A", "S"), ("B", "S")]), selection="S")
    with pytest.raises(InvalidSetting, match="decompose=False"):
        discover(oracle, selection=True)
