"""FindDecomposition: a valid cut, the best among the separators at hand, as balanced as its pieces allow."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from dicola.decompose.split import Split, balance, find_split, split_of
from dicola.graphs.bits import mask_of, members
from dicola.graphs.undirected import UndirectedGraph
from tests.decompose.drawn import small_mag, uig_over
from tests.graphs.parts import components, separators


def graph_of(n: int, edges: list[tuple[int, int]]) -> UndirectedGraph:
    matrix = np.zeros((n, n), dtype=bool)
    for a, b in edges:
        matrix[a, b] = matrix[b, a] = True
    return UndirectedGraph.from_matrix(matrix)


def random_graph(seed: int) -> UndirectedGraph:
    rng = np.random.default_rng([73, seed])
    n = int(rng.integers(2, 13))
    upper = np.triu(rng.random((n, n)) < rng.choice([0.05, 0.15, 0.3, 0.5, 0.8, 1.0]), k=1)
    return UndirectedGraph.from_matrix(upper | upper.T)


GRAPHS = [random_graph(seed) for seed in range(300)] + [
    uig_over(mag, tuple(range(len(mag)))) for mag in (small_mag(seed, most=7) for seed in range(100))
]


def test_the_parts_partition_the_vertices_and_no_edge_crosses():
    for graph in GRAPHS:
        split = find_split(graph)
        if split is not None:
            assert sorted(split.left + split.right + split.separator) == list(range(len(graph)))
            assert split.left and split.right
            assert not any(graph.neighbours[a] >> b & 1 for a in split.left for b in split.right)
            assert all(part == tuple(sorted(part)) for part in (split.left, split.right, split.separator))


def test_there_is_no_split_iff_the_graph_is_complete():
    assert {graph.is_complete for graph in GRAPHS} == {True, False}
    for graph in GRAPHS:
        assert (find_split(graph) is None) == graph.is_complete


def test_a_disconnected_graph_is_split_without_a_separator():
    seen = 0
    for graph in GRAPHS:
        if len(components(graph)) > 1:
            assert find_split(graph).separator == ()
            seen += 1
        elif not graph.is_complete:
            assert find_split(graph).separator != ()
    assert seen > 50


def test_the_separator_is_minimal():
    for graph in GRAPHS:
        split = find_split(graph)
        if split is not None and split.separator:
            pieces = components(graph, mask_of(split.separator))
            full = [piece for piece in pieces if all(graph.neighbours[v] & piece for v in split.separator)]
            assert len(full) >= 2


def most_balanced(sizes: list[int]) -> int:
    """The least size of the larger side over all ways to group the pieces into two sides, neither empty."""
    return min(max(sum(chosen), sum(sizes) - sum(chosen)) for count in range(1, len(sizes)) for chosen in combinations(sizes, count))


def test_components_are_grouped_as_evenly_as_brute_force():
    for graph in GRAPHS:
        split = find_split(graph)
        if split is not None:
            sizes = [piece.bit_count() for piece in components(graph, mask_of(split.separator))]
            assert max(len(split.left), len(split.right)) == most_balanced(sizes)


@pytest.mark.parametrize("sizes", [(5, 4, 3, 3, 3), (7, 1, 1, 1), (4, 4, 4), (6, 5, 5, 4, 4), (1,) * 9, (9, 8, 7, 6, 5, 4, 3), (2, 2)])
def test_many_components_are_grouped_as_evenly_as_brute_force(sizes):
    edges, start = [], 0
    for size in sizes:
        edges += [(v, v + 1) for v in range(start, start + size - 1)]
        start += size
    split = find_split(graph_of(start, edges))
    assert max(len(split.left), len(split.right)) == most_balanced(list(sizes))


def test_the_best_of_the_separators_is_taken():
    for graph in GRAPHS:
        if graph.is_complete or len(components(graph)) > 1:
            continue
        ranks = []
        for separator in separators(graph):
            sizes = [piece.bit_count() for piece in components(graph, separator)]
            larger = most_balanced(sizes)
            score = Fraction(separator.bit_count(), sum(sizes) - larger + separator.bit_count())
            ranks.append((score, separator.bit_count(), larger, tuple(members(separator))))
        split = find_split(graph)
        assert split.separator == min(ranks)[3] and split.score == pytest.approx(float(min(ranks)[0]))


def test_both_denominators_rank_alike_ties_included():
    sizes = [(a, c) for a, c in product(range(1, 16), range(16))]
    ours = {(a, c): balance(a, a + 3, c) for a, c in sizes}
    assert all(ours[a, c] == float(Fraction(c, a + c)) for a, c in sizes)
    for (a, c), (b, d) in combinations(sizes, 2):
        released = Fraction(c, a) - Fraction(d, b)
        assert (ours[a, c] > ours[b, d]) == (released > 0) and (ours[a, c] == ours[b, d]) == (released == 0)


def test_the_score_is_the_share_of_the_separator_in_the_smaller_side():
    assert Split((0,), (1, 2), (3, 4)).score == balance(1, 2, 2) == 2 / 3
    assert Split((0,), (1,), ()).score == 0.0


def test_a_chain_is_cut_in_its_middle_and_a_star_at_its_centre():
    assert find_split(graph_of(5, [(i, i + 1) for i in range(4)])) == Split((0, 1), (3, 4), (2,))
    assert find_split(graph_of(5, [(2, v) for v in (0, 1, 3, 4)])).separator == (2,)


def test_two_vertices_apart_are_split():
    assert find_split(graph_of(2, [])) == Split((0,), (1,), ())
    assert find_split(graph_of(2, [(0, 1)])) is None and find_split(graph_of(1, [])) is None


def test_the_side_with_the_smallest_vertex_comes_first():
    for graph in GRAPHS:
        split = find_split(graph)
        assert split is None or split.left[0] < split.right[0]


def test_equal_graphs_are_split_equally():
    for graph in GRAPHS[::5]:
        assert find_split(graph) == find_split(UndirectedGraph.from_matrix(graph.to_matrix()))


def test_a_split_is_read_from_the_side_of_each_variable():
    assert split_of(np.array([1, 0, 1, 2], dtype=np.int8), np.array([10, 11, 12, 13])) == Split((10, 12), (13,), (11,))
