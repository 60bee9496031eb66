"""The mark matrix: reading, writing, refusing."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from dicola.errors import DicolaError, InvalidGraph
from dicola.graphs.dag import DAG
from dicola.graphs.mag import MAG
from dicola.graphs.marks import ARROW, CIRCLE, NONE, TAIL, Edge, Mark, MixedGraph
from dicola.graphs.pag import PAG
from tests.reference_models import random_hidden_dag

ALL_KINDS = "A --> B; B o-> C; C <-> D; D --- E; E --o F; F o-o G; H"
KINDS = ["A --> B", "B o-> C", "C <-> D", "D --- E", "E --o F", "F o-o G"]


def random_pag_matrix(rng: np.random.Generator, n: int) -> np.ndarray:
    upper = rng.integers(1, 4, (n, n)) * (rng.random((n, n)) < 0.5)
    lower = rng.integers(1, 4, (n, n))
    matrix = np.triu(upper, 1)
    return (matrix + np.tril(lower, -1) * (matrix.T != 0)).astype(np.int8)


def test_an_entry_of_the_matrix_is_the_mark_at_the_columns_end():
    graph = MixedGraph.from_text("A --> B; A o-> C", nodes=["A", "B", "C"])
    assert graph.to_matrix().tolist() == [[0, 2, 2], [3, 0, 0], [1, 0, 0]]


def test_mark_codes_are_those_of_pcalg():
    assert (NONE, CIRCLE, ARROW, TAIL) == (0, 1, 2, 3)
    assert [int(m) for m in (Mark.NONE, Mark.CIRCLE, Mark.ARROW, Mark.TAIL)] == [0, 1, 2, 3]


def test_marks_print_as_circle_arrowhead_and_dash():
    assert [str(m) for m in (Mark.CIRCLE, Mark.ARROW, Mark.TAIL)] == ["o", ">", "-"]


def test_matrix_is_int8_and_a_fresh_copy_each_time():
    graph = MixedGraph.from_text("A o-> B")
    matrix = graph.to_matrix()
    assert matrix.dtype == np.int8
    matrix[0, 1] = 3
    assert graph.to_matrix()[0, 1] == ARROW


def test_the_inner_matrix_cannot_be_written_to():
    graph = MixedGraph.from_text("A o-> B")
    with pytest.raises(ValueError):
        graph.marks[0, 1] = TAIL


def test_changing_the_matrix_given_does_not_change_the_graph():
    matrix = np.array([[0, 2], [3, 0]], dtype=np.int8)
    graph = MixedGraph.from_matrix(matrix)
    matrix[:] = 0
    assert graph.n_edges == 1


def test_unnamed_vertices_are_called_by_position_from_one():
    assert MixedGraph.from_matrix([[0, 1], [1, 0]]).names == ("X1", "X2")


@pytest.mark.parametrize("line", KINDS)
def test_each_kind_of_edge_is_printed_as_it_is_written(line):
    assert str(MixedGraph.from_text(line)) == line


def test_an_edge_written_backwards_is_the_same_edge():
    forward = MixedGraph.from_text("A --> B; B o-> C; D --o C", nodes="ABCD")
    backward = MixedGraph.from_text("B <-- A; C <-o B; C o-- D", nodes="ABCD")
    assert forward == backward


@pytest.mark.parametrize("seed", range(5))
def test_text_of_a_random_graph_reads_back_as_the_same_graph(seed):
    rng = np.random.default_rng(seed)
    for _ in range(20):
        matrix = random_pag_matrix(rng, int(rng.integers(1, 9)))
        graph = PAG.from_matrix(matrix)
        assert PAG.from_text(str(graph), nodes=graph.names) == graph
        assert np.array_equal(PAG.from_text(str(graph), nodes=graph.names).to_matrix(), matrix)


def test_lines_may_be_separated_by_semicolons_newlines_and_blanks():
    assert MixedGraph.from_text("\n A --> B ;; \n\n  B --> C ; ") == MixedGraph.from_text("A --> B\nB --> C")


def test_text_without_edges_is_the_graph_without_edges():
    assert str(MixedGraph.from_text("", nodes=["A", "B"])) == ""
    assert len(MixedGraph.from_text("", nodes=["A", "B"])) == 2
    assert len(MixedGraph.from_text("")) == 0


@pytest.mark.parametrize("text", ["A -> B", "A-->B", "A >-> B", "A --< B", "A --> ", "A B", "--> B", "A o B"])
def test_text_that_is_no_edge_is_quoted_in_the_error(text):
    with pytest.raises(InvalidGraph, match="is not an edge") as error:
        MixedGraph.from_text(f"X --> Y; {text}")
    assert repr(text.strip()) in str(error.value)


def test_text_that_names_a_vertex_outside_the_nodes_is_refused():
    with pytest.raises(InvalidGraph, match="'C'"):
        MixedGraph.from_text("A --> C", nodes=["A", "B"])


def test_text_with_an_edge_from_a_vertex_to_itself_is_refused():
    with pytest.raises(InvalidGraph, match="itself"):
        MixedGraph.from_text("A o-o A")


@pytest.mark.parametrize("text", ["A --> B; A <-> B", "A --> B; B --> A", "A o-o B; A o-> B"])
def test_text_with_two_different_edges_for_one_pair_is_refused(text):
    with pytest.raises(InvalidGraph, match=r"'A'.*'B'|'B'.*'A'"):
        MixedGraph.from_text(text)


ODD_NAMES = [
    "two words",
    "ü ñ 漢",
    "o-o",
    "->",
    "o",
    "-",
    "<",
    "--",
    "a,b",
    '"quoted"',
    "it's",
    "x\ty",
    "100%",
    "{u}",
    "\\n",
    "&amp",
]


def test_names_with_odd_characters_survive_the_text_form():
    matrix = random_pag_matrix(np.random.default_rng(7), len(ODD_NAMES))
    graph = PAG.from_matrix(matrix, ODD_NAMES)
    assert PAG.from_text(str(graph), nodes=ODD_NAMES) == graph


def test_names_with_odd_characters_survive_pickling_and_reordering():
    names = [*ODD_NAMES, "", " ", "a;b", "a\nb", "A --> B"]
    graph = PAG.from_matrix(random_pag_matrix(np.random.default_rng(8), len(names)), names)
    assert pickle.loads(pickle.dumps(graph)).names == tuple(names)
    assert graph.reordered(names[::-1]) == graph


def test_names_that_are_not_strings_become_strings():
    graph = MixedGraph.from_matrix([[0, 2], [3, 0]], [10, 2.5])
    assert graph.names == ("10", "2.5")
    assert graph.index(10) == 0


def test_a_matrix_with_a_mark_at_one_end_only_is_refused_by_name():
    with pytest.raises(InvalidGraph, match="one end only") as error:
        MixedGraph.from_matrix([[0, 0, 0], [0, 0, 2], [0, 0, 0]], ["A", "B", "C"])
    assert "'B'" in str(error.value) and "'C'" in str(error.value)


def test_a_matrix_with_a_self_loop_is_refused_by_name():
    with pytest.raises(InvalidGraph, match=r"'B'.*itself"):
        MixedGraph.from_matrix([[0, 0], [0, 3]], ["A", "B"])


@pytest.mark.parametrize("code", [-1, 4, 127, 258, -254, 1.5])
def test_a_matrix_with_an_unknown_code_is_refused(code):
    with pytest.raises(InvalidGraph, match=r"0 .*1 .*2 .*3"):
        MixedGraph.from_matrix([[0, code], [1, 0]])


@pytest.mark.parametrize("cell", [float("nan"), float("inf"), "x", None], ids=str)
def test_a_matrix_with_a_cell_that_is_no_code_is_refused_with_an_error_of_the_library(cell):
    with pytest.raises(DicolaError):
        MixedGraph.from_matrix([[0, cell], [1, 0]])


@pytest.mark.parametrize("shape", [(2, 3), (4,), (2, 2, 2), ()])
def test_a_matrix_that_is_not_square_is_refused(shape):
    with pytest.raises(InvalidGraph, match="square"):
        MixedGraph.from_matrix(np.zeros(shape, dtype=np.int8))


def test_a_matrix_with_rows_of_different_lengths_is_refused_with_an_error_of_the_library():
    with pytest.raises(DicolaError):
        MixedGraph.from_matrix([[0, 1], [1]])


@pytest.mark.parametrize("names", [["A"], ["A", "B", "C"], []])
def test_as_many_names_as_vertices_are_wanted(names):
    with pytest.raises(InvalidGraph, match="given for a matrix of 2 vertices"):
        MixedGraph.from_matrix([[0, 1], [1, 0]], names)


def test_names_given_twice_are_refused_and_named():
    with pytest.raises(InvalidGraph, match="'A' appears more than once"):
        MixedGraph.from_matrix(np.zeros((3, 3)), ["A", "B", "A"])


def test_names_that_become_equal_as_strings_are_refused():
    with pytest.raises(InvalidGraph, match="'1' appears more than once"):
        MixedGraph.from_matrix(np.zeros((2, 2)), [1, "1"])


def test_floats_and_booleans_that_hold_codes_are_accepted():
    assert MixedGraph.from_matrix([[0.0, 2.0], [3.0, 0.0]]) == MixedGraph.from_matrix([[0, 2], [3, 0]])
    assert str(MixedGraph.from_matrix(np.array([[False, True], [True, False]]))) == "X1 o-o X2"


def test_an_unknown_vertex_is_named_together_with_those_that_exist():
    with pytest.raises(InvalidGraph, match=r"'Z' .*'A', 'B'"):
        MixedGraph.from_text("A --> B").index("Z")


def test_edges_read_from_tail_over_circle_to_arrowhead_whatever_the_vertex_order():
    for nodes in ("ABCDEFGH", "HGFEDCBA", "DBFHACGE"):
        graph = MixedGraph.from_text(ALL_KINDS[:-3], nodes=nodes)
        pictures = {(str(e.mark_u), str(e.mark_v)) for e in graph.edges()}
        assert pictures == {("-", ">"), ("o", ">"), (">", ">"), ("-", "-"), ("-", "o"), ("o", "o")}
        assert {str(e) for e in graph.edges()} >= {"A --> B", "B o-> C", "E --o F"}


def test_each_edge_is_listed_once_in_the_order_of_the_vertices():
    graph = MixedGraph.from_text("B --> A; C o-o A; C <-> B", nodes="ABC")
    assert [str(edge) for edge in graph.edges()] == ["B --> A", "A o-o C", "B <-> C"]


def test_an_edge_tells_its_ends_and_the_marks_at_them():
    (edge,) = MixedGraph.from_text("B <-o A").edges()
    assert edge == Edge("A", "B", Mark.CIRCLE, Mark.ARROW)


def test_equality_does_not_depend_on_the_order_of_the_vertices():
    rng = np.random.default_rng(3)
    for _ in range(30):
        matrix = random_pag_matrix(rng, 6)
        graph = PAG.from_matrix(matrix, "ABCDEF")
        order = rng.permutation(6)
        other = PAG.from_matrix(matrix[np.ix_(order, order)], ["ABCDEF"[i] for i in order])
        assert graph == other and hash(graph) == hash(other)


def test_one_different_mark_makes_graphs_unequal():
    rng = np.random.default_rng(4)
    for _ in range(30):
        matrix = random_pag_matrix(rng, 5)
        graph = PAG.from_matrix(matrix)
        for a, b in np.argwhere(matrix):
            other = matrix.copy()
            other[a, b] = matrix[a, b] % 3 + 1
            assert PAG.from_matrix(other) != graph


def test_the_transposed_matrix_is_another_graph():
    graph = PAG.from_text("A o-> B; B --> C")
    assert PAG.from_matrix(graph.to_matrix().T, graph.names) != graph


def test_graphs_with_other_names_or_more_vertices_are_unequal():
    assert PAG.from_text("A --> B") != PAG.from_text("A --> C")
    assert PAG.from_text("A --> B") != PAG.from_text("A --> B", nodes="ABC")


def test_a_mag_and_a_pag_with_the_same_marks_are_different_things():
    assert MAG.from_text("A --> B") != PAG.from_text("A --> B")


def test_a_graph_is_not_equal_to_its_text():
    assert PAG.from_text("A --> B") != "A --> B"


@pytest.mark.parametrize("kind", [MixedGraph, DAG, MAG, PAG])
def test_pickling_keeps_kind_names_and_marks(kind):
    graph = kind.from_text("B --> A; C --> A", nodes="ABCD")
    _ = graph.around  # a cached reading must not get in the way
    copy = pickle.loads(pickle.dumps(graph))
    assert type(copy) is kind and copy == graph and copy.names == graph.names


def test_pickling_keeps_a_graph_whose_separations_were_already_asked():
    mag = MAG.from_text("T --> A; A <-> B; X --> B")
    assert mag.m_separated("T", "X")
    assert pickle.loads(pickle.dumps(mag)).m_separated("T", "X")


def test_reordering_back_and_forth_is_the_identity():
    marks, _ = random_hidden_dag(np.random.default_rng(5), 6, 0, 0.5)
    graph = DAG.from_matrix(marks, "ABCDEF")
    back = graph.reordered("FADBEC").reordered("ABCDEF")
    assert np.array_equal(back.to_matrix(), graph.to_matrix())


@pytest.mark.parametrize("order", ["AB", "ABCD", "ABD", "ABB"])
def test_a_new_order_must_be_a_permutation_of_the_names(order):
    with pytest.raises(InvalidGraph):
        MixedGraph.from_text("A --> B; B --> C").reordered(order)


def test_sparse_reading_matrix_and_counts_agree():
    rng = np.random.default_rng(6)
    for _ in range(20):
        matrix = random_pag_matrix(rng, 7)
        graph = MixedGraph.from_matrix(matrix)
        assert {(a, b): m for a, row in enumerate(graph.around) for b, m in row.items()} == {
            (int(a), int(b)): int(matrix[a, b]) for a, b in np.argwhere(matrix)
        }
        assert graph.n_edges == len(graph.pairs()) == len(graph.edges()) == np.count_nonzero(matrix) // 2
        assert graph.pairs() == sorted((int(a), int(b)) for a, b in np.argwhere(np.triu(matrix)))


def test_repr_tells_kind_and_size():
    assert repr(PAG.from_text("A --> B", nodes="ABC")) == "<PAG: 3 vertices, 1 edge>"
