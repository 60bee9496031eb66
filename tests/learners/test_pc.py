"""PC: the class of a DAG with nothing hidden, as enumeration finds it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from dicola import DAG, PC, FisherZ, InvalidSetting, Oracle, discover, simulate
from tests.exactness.learners import Tally, check_pc, common_arcs, dag_class
from tests.reference_models import independence_model, random_dag


@pytest.mark.parametrize("chunk", range(5))
@pytest.mark.parametrize("decompose", [False, True], ids=["alone", "DiCoLa"])
def test_what_all_dags_of_the_enumerated_class_share_is_found(decompose, chunk):
    for number in range(chunk * 100, (chunk + 1) * 100):
        assert check_pc(decompose, 1, number) == Tally(1)


def test_the_enumerated_class_is_right_for_all_dags_of_three_vertices():
    seen: dict = {}
    for number in range(300):
        marks = random_dag(np.random.default_rng(number), 3, 0.6)
        seen.setdefault(independence_model(marks), set()).add(tuple(map(tuple, marks)))
    assert len(seen) == 11, "25 DAGs in 11 classes"
    for members in seen.values():
        assert {tuple(map(tuple, other)) for other in dag_class([list(row) for row in next(iter(members))])} == members


def test_common_arcs_of_a_chain_and_of_a_collider():
    chain = [[0, 2, 0], [3, 0, 2], [0, 3, 0]]
    assert common_arcs(chain) == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    collider = [[0, 2, 0], [3, 0, 3], [0, 2, 0]]
    assert common_arcs(collider) == collider


@pytest.mark.parametrize("decompose", [False, True], ids=["alone", "DiCoLa"])
def test_on_larger_dags_the_skeleton_is_the_dags_and_every_arc_is_one_of_its_arcs(decompose):
    for seed in range(15):
        dag = simulate.er_dag(20, 3, seed=seed)
        found = discover(Oracle(dag), "pc", decompose=decompose)
        arcs = set(dag.arcs())
        assert found.skeleton.named_edges() == {frozenset(arc) for arc in arcs}
        pag = found.pag
        for a, b in pag.pairs():
            x, y, marks = pag.names[a], pag.names[b], (int(pag.marks[a, b]), int(pag.marks[b, a]))
            assert marks in ((1, 1), (2, 3), (3, 2))
            assert marks == (1, 1) or (((x, y) if marks == (2, 3) else (y, x)) in arcs)


def test_alone_and_under_dicola_give_one_answer_on_larger_dags():
    for seed in range(15, 30):
        dag = simulate.er_dag(25, 3, seed=seed)
        assert discover(Oracle(dag), "pc").pag == discover(Oracle(dag), "pc", decompose=False).pag


def test_the_classical_pictures():
    assert str(discover(Oracle(DAG.from_edges([("A", "B"), ("B", "C")])), "pc").pag) == "A o-o B\nB o-o C"
    assert str(discover(Oracle(DAG.from_edges([("A", "C"), ("B", "C"), ("C", "D")])), "pc").pag) == "A --> C\nB --> C\nC --> D"


@pytest.mark.parametrize("decompose", [False, True], ids=["alone", "DiCoLa"])
def test_with_data_every_edge_is_an_arc_or_open(decompose):
    for seed in range(12):
        dag = simulate.er_dag(12, 3, seed=seed)
        found = discover(FisherZ(simulate.linear_gaussian(dag, 200, seed=seed), alpha=0.05), "pc", decompose=decompose)
        marks = found.pag.marks
        kinds = {(int(marks[a, b]), int(marks[b, a])) for a, b in combinations(range(len(found.pag)), 2)}
        assert kinds <= {(0, 0), (1, 1), (2, 3), (3, 2)}


def test_it_refuses_selection():
    with pytest.raises(InvalidSetting, match="selection"):
        discover(Oracle(DAG.from_edges([("A", "B")])), PC(), decompose=False, selection=True)


def test_it_does_not_claim_to_be_complete_with_hidden_variables():
    assert not PC.complete and "not a method for hidden variables" in PC.guarantee
