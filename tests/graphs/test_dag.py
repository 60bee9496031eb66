"""DAGs: what is refused, what is answered, what hiding leaves."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest

from dicola.errors import DicolaError, InvalidGraph
from dicola.graphs.dag import DAG
from tests.reference_models import ARROW, PathSeparation, ancestors, as_text, bits, mask, names, random_dag, subsets


@pytest.fixture
def diamond() -> DAG:
    return DAG.from_edges([("A", "B"), ("A", "C"), ("B", "D"), ("C", "D")])


def test_nodes_come_in_the_order_of_first_mention():
    assert DAG.from_edges([("B", "A"), ("C", "B")]).names == ("B", "A", "C")


def test_nodes_fix_the_order_and_add_isolated_ones():
    dag = DAG.from_edges([("B", "A")], nodes=["Z", "A", "B"])
    assert dag.names == ("Z", "A", "B")
    assert dag.parents("A") == ("B",) and dag.parents("Z") == ()


def test_edges_and_nodes_may_come_from_generators():
    dag = DAG.from_edges((arc for arc in [("A", "B")]), nodes=(n for n in "AB"))
    assert dag.arcs() == [("A", "B")]


def test_an_arc_given_twice_is_one_arc():
    assert DAG.from_edges([("A", "B"), ("A", "B")]).n_edges == 1


def test_arcs_read_back_as_the_same_dag():
    rng = np.random.default_rng(1)
    for _ in range(20):
        dag = DAG.from_matrix(random_dag(rng, 7, 0.4), names(7))
        assert DAG.from_edges(dag.arcs(), nodes=dag.names) == dag


def test_parents_and_children_are_inverse_of_each_other():
    dag = DAG.from_matrix(random_dag(np.random.default_rng(2), 8, 0.4), names(8))
    assert sorted(dag.arcs()) == sorted((u, v) for v in dag.names for u in dag.parents(v))
    assert sorted(dag.arcs()) == sorted((u, v) for u in dag.names for v in dag.children(u))


def test_every_parent_stands_before_its_children_in_a_topological_order():
    rng = np.random.default_rng(3)
    for _ in range(20):
        dag = DAG.from_matrix(random_dag(rng, 9, 0.3), names(9))
        order = dag.topological_order()
        assert sorted(order) == list(range(9))
        place = {dag.names[v]: i for i, v in enumerate(order)}
        assert all(place[u] < place[v] for u, v in dag.arcs())


def assert_prints_a_cycle(message: str, arcs: list[tuple[str, str]]) -> list[str]:
    """The message shows a closed walk along arcs that exist."""
    shown = re.search(r"cycle: (.+?)\. Remove", message)
    assert shown, message
    walk = shown[1].split(" -> ")
    assert walk[0] == walk[-1] and len(set(walk[:-1])) == len(walk) - 1
    assert all(step in arcs for step in pairwise(walk)), message
    return walk


def test_a_cycle_is_printed_vertex_by_vertex():
    arcs = [("S", "A"), ("A", "B"), ("B", "C"), ("C", "A"), ("C", "T")]
    with pytest.raises(InvalidGraph) as error:
        DAG.from_edges(arcs)
    assert len(assert_prints_a_cycle(str(error.value), arcs)) == 4


def test_a_self_loop_is_printed_as_a_cycle():
    with pytest.raises(InvalidGraph) as error:
        DAG.from_edges([("A", "B"), ("B", "B")])
    assert assert_prints_a_cycle(str(error.value), [("B", "B")]) == ["B", "B"]


def test_two_opposite_arcs_are_printed_as_a_cycle():
    arcs = [("A", "B"), ("B", "A")]
    with pytest.raises(InvalidGraph) as error:
        DAG.from_edges(arcs)
    assert len(assert_prints_a_cycle(str(error.value), arcs)) == 3


def test_the_cycle_printed_for_a_random_digraph_is_a_cycle_of_it():
    rng = np.random.default_rng(4)
    cyclic = 0
    for _ in range(60):
        n = int(rng.integers(3, 9))
        arcs = [(f"V{a}", f"V{b}") if rng.random() < 0.5 else (f"V{b}", f"V{a}") for a in range(n) for b in range(a) if rng.random() < 0.4]
        try:
            DAG.from_edges(arcs)
        except InvalidGraph as error:
            assert_prints_a_cycle(str(error), arcs)
            cyclic += 1
        else:
            order = {v: i for i, v in enumerate(DAG.from_edges(arcs).topological_order())}
            index = DAG.from_edges(arcs).index
            assert all(order[index(u)] < order[index(v)] for u, v in arcs)
    assert cyclic > 10


def test_a_very_long_cycle_is_found_without_recursion():
    n = 1500
    with pytest.raises(InvalidGraph, match="cycle"):
        DAG.from_edges([(i, (i + 1) % n) for i in range(n)])


def test_an_arc_with_an_unknown_node_names_arc_and_node():
    with pytest.raises(InvalidGraph, match=r"'A' -> 'Q'.*'Q'"):
        DAG.from_edges([("A", "Q")], nodes=["A", "B"])


@pytest.mark.parametrize("edge", [("A",), ("A", "B", "C"), "AB", "A", (), 7, None])
def test_what_is_not_a_pair_is_no_arc(edge):
    with pytest.raises(InvalidGraph, match="pair"):
        DAG.from_edges([("A", "B"), edge])


def test_nodes_given_twice_are_refused():
    with pytest.raises(InvalidGraph, match="'A' appears more than once"):
        DAG.from_edges([("A", "B")], nodes=["A", "B", "A"])


@pytest.mark.parametrize("text", ["A <-> B", "A --- B", "A o-o B", "A o-> B", "A --o B"])
def test_a_dag_has_directed_edges_only(text):
    with pytest.raises(InvalidGraph, match="not directed"):
        DAG.from_text(f"{text}; B --> C")


def test_a_cyclic_matrix_is_refused_too():
    with pytest.raises(InvalidGraph, match="cycle"):
        DAG.from_matrix([[0, 2, 3], [3, 0, 2], [2, 3, 0]])


def test_every_refusal_is_an_error_of_the_library():
    assert issubclass(InvalidGraph, DicolaError)


def test_textbook_separations_of_chain_fork_and_collider():
    chain, fork, collider = (DAG.from_text(t) for t in ("A --> B; B --> C", "B --> A; B --> C", "A --> B; C --> B; B --> D"))
    for dag in (chain, fork):
        assert not dag.d_separated("A", "C") and dag.d_separated("A", "C", ["B"])
    assert collider.d_separated("A", "C")
    assert not collider.d_separated("A", "C", ["B"]) and not collider.d_separated("A", "C", "D")


def test_d_separation_agrees_with_all_paths_for_all_sets():
    rng = np.random.default_rng(5)
    for _ in range(25):
        marks = random_dag(rng, 6, float(rng.uniform(0.2, 0.6)))
        dag, paths = DAG.from_matrix(marks, names(6)), PathSeparation(marks)
        for x in range(6):
            for y in range(6):
                for z in subsets(0b111111 & ~(1 << x | 1 << y)) if x != y else ():
                    found = dag.d_separated(f"V{x}", f"V{y}", [f"V{v}" for v in bits(z)])
                    assert found == paths.separated(x, y, z), (as_text(marks), x, y, bits(z))


@pytest.mark.parametrize(("x", "y", "z"), [("A", "A", []), ("A", "B", ["A"]), ("A", "B", ["C", "B"])])
def test_separation_is_asked_about_different_variables(diamond, x, y, z):
    with pytest.raises(InvalidGraph, match="different"):
        diamond.d_separated(x, y, z)


def test_separation_of_an_unknown_variable_is_refused(diamond):
    for args in (("Q", "A", []), ("A", "Q", []), ("A", "B", ["Q"])):
        with pytest.raises(InvalidGraph, match="'Q'"):
            diamond.d_separated(*args)


def test_observed_are_those_neither_hidden_nor_selected(diamond):
    assert diamond.observed(latents=["A"], selection=["D"]) == (1, 2)
    assert diamond.observed() == (0, 1, 2, 3)


def test_a_variable_cannot_be_hidden_and_selected_at_once(diamond):
    for method in (diamond.observed, diamond.true_mag, diamond.true_pag):
        with pytest.raises(InvalidGraph, match="'C'"):
            method(latents=["A", "C"], selection=["C"])


def test_hiding_or_selecting_an_unknown_variable_is_refused(diamond):
    for method in (diamond.observed, diamond.true_mag, diamond.true_pag):
        with pytest.raises(InvalidGraph, match="'Q'"):
            method(["Q"])
        with pytest.raises(InvalidGraph, match="'Q'"):
            method([], ["Q"])


def test_hidden_variables_may_be_one_name_a_list_a_set_or_a_generator(diamond):
    want = diamond.true_pag(["A"])
    assert diamond.true_pag("A") == want
    assert diamond.true_pag({"A"}) == want
    assert diamond.true_pag(name for name in ["A"]) == want
    assert diamond.true_pag(("A", "A")) == want


def test_nothing_hidden_leaves_the_dag_itself_as_the_mag():
    rng = np.random.default_rng(6)
    for _ in range(20):
        dag = DAG.from_matrix(random_dag(rng, 7, 0.4), names(7))
        assert np.array_equal(dag.true_mag().to_matrix(), dag.to_matrix())


def test_everything_hidden_leaves_nothing():
    dag = DAG.from_edges([("A", "B")])
    assert len(dag.true_pag(["A", "B"])) == 0 and str(dag.true_mag(["A", "B"])) == ""


def test_names_keep_their_order_when_some_are_hidden():
    dag = DAG.from_edges([("L", "C"), ("L", "A"), ("B", "A")], nodes=["C", "L", "B", "A"])
    assert dag.true_mag(["L"]).names == ("C", "B", "A") == dag.true_pag(["L"]).names


def test_a_hidden_child_without_other_ties_leaves_no_trace():
    dag = DAG.from_edges([("A", "B"), ("A", "H"), ("B", "H")])
    assert str(dag.true_mag(["H"])) == "A --> B"


def test_orientation_is_by_ancestry_and_not_by_a_directed_edge():
    """A -> L -> B with L hidden, and C -> A: A stays a cause of B although no arc joins them."""
    dag = DAG.from_edges([("A", "L"), ("L", "B"), ("C", "A")])
    assert str(dag.true_mag(["L"])) == "A --> B\nC --> A"


def test_a_latent_confounder_of_cause_and_effect_leaves_the_directed_edge():
    dag = DAG.from_edges([("A", "B"), ("L", "A"), ("L", "B")])
    assert str(dag.true_mag(["L"])) == "A --> B"


def test_a_latent_with_three_children_joins_them_all():
    dag = DAG.from_edges([("L", "A"), ("L", "B"), ("L", "C")])
    assert str(dag.true_mag("L")) == "A <-> B\nA <-> C\nB <-> C"
    assert str(dag.true_pag("L")) == "A o-o B\nA o-o C\nB o-o C"


def test_the_reference_ancestors_agree_with_arcs():
    """The twin used throughout is itself pinned on a graph one can read."""
    marks = [[0, 2, 0], [3, 0, 2], [0, 3, 0]]
    assert ancestors(marks) == [mask([0]), mask([0, 1]), mask([0, 1, 2])]
    assert marks[0][1] == ARROW
