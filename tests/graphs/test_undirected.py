"""Undirected graphs as masks: components, and the separators of a minimal triangulation."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from dicola.graphs.bits import mask_of, members
from dicola.graphs.undirected import UndirectedGraph
from tests.graphs.parts import complete, components, from_masks, induced, separators


def random_graph(seed: int, most: int = 12) -> tuple[UndirectedGraph, nx.Graph]:
    rng = np.random.default_rng([53, seed])
    n = int(rng.integers(1, most))
    matrix = np.triu(rng.random((n, n)) < rng.uniform(0.1, 0.8), k=1)
    matrix |= matrix.T
    return UndirectedGraph.from_matrix(matrix), nx.from_numpy_array(matrix)


def connected_graph(seed: int) -> tuple[UndirectedGraph, nx.Graph]:
    """A random tree with some more edges."""
    rng = np.random.default_rng([59, seed])
    n = int(rng.integers(3, 14))
    matrix = np.triu(rng.random((n, n)) < rng.choice([0.0, 0.1, 0.3, 0.6]), k=1)
    for v in range(1, n):
        matrix[int(rng.integers(v)), v] = True
    order = rng.permutation(n)
    matrix = (matrix | matrix.T)[np.ix_(order, order)]
    return UndirectedGraph.from_matrix(matrix), nx.from_numpy_array(matrix)


def full_components(graph: nx.Graph, separator: set[int]) -> list[set[int]]:
    """Components of what is left in which every vertex of the separator has a neighbour."""
    rest = graph.subgraph(set(graph) - separator)
    return [c for c in nx.connected_components(rest) if all(c & set(graph[v]) for v in separator)]


def test_components_are_those_of_networkx_in_the_order_of_their_smallest_vertex():
    for seed in range(100):
        graph, other = random_graph(seed)
        removed = [v for v in range(len(graph)) if (seed + v) % 3 == 0]
        for without in ([], removed):
            expected = sorted((sorted(c) for c in nx.connected_components(other.subgraph(set(other) - set(without)))), key=min)
            assert [list(members(c)) for c in components(graph, mask_of(without))] == expected


def test_matrix_and_masks_say_the_same():
    for seed in range(30):
        graph, other = random_graph(seed)
        assert np.array_equal(UndirectedGraph.from_matrix(graph.to_matrix()).to_matrix(), graph.to_matrix())
        assert len(graph.indices) == 2 * other.number_of_edges() and len(graph) == len(other)
        assert graph.is_complete == (other.number_of_edges() == len(other) * (len(other) - 1) // 2)


def test_the_complete_graph_has_every_pair():
    assert len(complete(4).indices) == 12 and complete(4).is_complete
    assert complete(1).is_complete and complete(0).is_complete
    assert complete(2) == from_masks((2, 1))


def test_an_induced_graph_is_numbered_in_ascending_order():
    graph = UndirectedGraph.from_matrix(np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]], dtype=bool))
    assert induced(graph, [3, 2, 0]).to_matrix().astype(int).tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 0]]


def test_every_separator_is_a_minimal_separator_of_the_graph_itself():
    seen = 0
    for seed in range(200):
        graph, other = connected_graph(seed)
        for separator in separators(graph):
            assert len(full_components(other, set(members(separator)))) >= 2, f"graph {seed}"
            seen += 1
    assert seen > 500


def test_filling_the_separators_makes_the_graph_chordal_and_no_two_of_them_cross():
    for seed in range(200):
        graph, other = connected_graph(seed)
        found = [set(members(mask)) for mask in separators(graph)]
        filled = other.copy()
        for separator in found:
            filled.add_edges_from(combinations(sorted(separator), 2))
        assert nx.is_chordal(filled) if len(filled) > 3 else True, f"graph {seed}"
        for one, two in combinations(found, 2):
            pieces = list(nx.connected_components(other.subgraph(set(other) - one)))
            assert sum(bool(two & piece) for piece in pieces) <= 1, f"graph {seed}: {one} and {two} cross"


def test_the_separators_of_a_chordal_graph_are_the_intersections_of_its_clique_tree():
    for seed in range(100):
        _, other = connected_graph(seed)
        chordal, _ = nx.complete_to_chordal_graph(other)
        found = separators(UndirectedGraph.from_matrix(nx.to_numpy_array(chordal, nodelist=range(len(chordal))).astype(bool)))
        cliques = nx.Graph()
        cliques.add_nodes_from(frozenset(c) for c in nx.find_cliques(chordal))
        cliques.add_edges_from((a, b, {"weight": len(a & b)}) for a, b in combinations(cliques, 2) if a & b)
        tree = nx.maximum_spanning_tree(cliques)
        assert {frozenset(members(mask)) for mask in found} == {a & b for a, b in tree.edges}, f"graph {seed}"
        assert len(found) == len(set(found))


@pytest.mark.parametrize(
    ("edges", "n", "expected"),
    [
        ([(0, 1), (1, 2)], 3, {(1,)}),
        ([(0, 1), (0, 2), (0, 3), (0, 4)], 5, {(0,)}),
        ([(0, 1), (1, 2), (2, 0)], 3, set()),
        ([(0, 1), (0, 2), (1, 3), (2, 3), (1, 2)], 4, {(1, 2)}),
    ],
    ids=["chain", "star", "triangle", "two triangles"],
)
def test_textbook_separators(edges, n, expected):
    masks = [0] * n
    for a, b in edges:
        masks[a] |= 1 << b
        masks[b] |= 1 << a
    assert {tuple(members(mask)) for mask in separators(from_masks(masks))} == expected


def test_a_square_is_cut_by_one_of_its_two_diagonals():
    square = from_masks((0b1010, 0b0101, 0b1010, 0b0101))
    assert [tuple(members(mask)) for mask in separators(square)] in ([(0, 2)], [(1, 3)])


def test_a_connected_graph_has_a_separator_unless_it_is_complete():
    for seed in range(200):
        graph, _ = connected_graph(seed)
        assert bool(separators(graph)) != graph.is_complete
