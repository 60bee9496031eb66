"""Small graphs in words are split as graphs of any size are."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from dicola._kernels import splits, undirected, words
from dicola.graphs.bits import mask_of, members
from dicola.graphs.undirected import UndirectedGraph


def graphs_with_vertices_left_out(seed: int, count: int):
    """Graphs of up to 64 vertices, rows in words with vertices in between that do not count, and the same graph without these."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n = int(rng.integers(1, 65))
        half = np.triu(rng.random((n, n)) < rng.choice([1.0, 3.0, 8.0]) / n, 1)
        matrix = half | half.T
        kept = np.flatnonzero(rng.random(n) < rng.choice([0.6, 1.1]))
        if len(kept):
            inside = mask_of(kept.tolist())
            rows = np.array([mask_of(np.flatnonzero(row).tolist()) & inside for row in matrix], dtype=np.uint64)
            yield rows, np.uint64(inside), kept, UndirectedGraph.from_matrix(matrix[np.ix_(kept, kept)])


def test_sets_are_counted_ordered_and_read_from_the_smallest_on():
    rng = np.random.default_rng(0)
    sets = [int(rng.integers(0, 1 << 63)) >> int(rng.integers(0, 60)) for _ in range(200)] + [1, 1 << 63, (1 << 64) - 1]
    for each in filter(None, sets):
        assert words.count(np.uint64(each)) == each.bit_count()
        assert words.first(np.uint64(each)) == members(each)[0]
    threes = list(combinations((0, 1, 5, 31, 32, 63), 3))
    for one, other in product(threes, threes):
        assert words.comes_before(np.uint64(mask_of(one)), np.uint64(mask_of(other))) == (one < other)


@pytest.mark.parametrize(("share", "largest"), [(-np.inf, 3), (0.05, 3), (0.3, 2), (0.9, 4)])
def test_the_split_is_that_of_a_graph_of_any_size(share, largest):
    works = words.work_by_degree(largest)
    found = 0
    for rows, inside, kept, graph in graphs_with_vertices_left_out(1, 400):
        wanted = splits.find_split(graph.starts, graph.indices, share, largest)
        one, other = words.find_split(rows, inside, share, works)
        if len(wanted) == 0:
            assert other == 0
            continue
        found += 1
        assert members(int(one)) == kept[wanted == 1].tolist()
        assert members(int(other)) == kept[wanted == 2].tolist()
    assert found > 100


def test_separators_are_those_of_a_graph_of_any_size_in_the_same_order():
    connected = 0
    for rows, inside, kept, graph in graphs_with_vertices_left_out(2, 300):
        if words.sides(rows, inside)[1]:
            continue
        connected += 1
        begins, vertices = undirected.separators(graph.starts, graph.indices)
        wanted = [kept[vertices[begins[i] : begins[i + 1]]].tolist() for i in range(len(begins) - 1)]
        assert [members(int(each)) for each in words.separators(rows, inside)] == wanted
    assert connected > 50


def test_work_is_that_of_a_graph_of_any_size():
    for rows, inside, _, graph in graphs_with_vertices_left_out(3, 50):
        assert words.work_of(rows, inside, words.work_by_degree(3)) == splits.work_of(graph.starts, 3)
