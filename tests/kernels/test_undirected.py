"""The kernels on compressed rows against their readable twin on bit masks."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from dicola._kernels import undirected as kernel
from dicola._kernels.splits import in_turn
from dicola.decompose.split import find_split
from dicola.graphs.bits import mask_of
from dicola.graphs.undirected import UndirectedGraph
from tests.decompose.readable_split import MaskGraph
from tests.decompose.readable_split import find_split as readable_split
from tests.graphs.parts import components, induced, separators


def random_graphs(seed: int, count: int, largest: int = 30):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n = int(rng.integers(1, largest))
        half = np.triu(rng.random((n, n)) < rng.uniform(0.02, 0.95), 1)
        yield rng, half | half.T


@pytest.mark.parametrize("seed", range(4))
def test_the_split_is_that_of_the_readable_twin(seed):
    for _, matrix in random_graphs(seed, 150):
        assert find_split(UndirectedGraph.from_matrix(matrix)) == readable_split(MaskGraph.from_matrix(matrix))


def test_separators_and_components_are_those_of_the_readable_twin():
    for rng, matrix in random_graphs(10, 200):
        graph, twin = UndirectedGraph.from_matrix(matrix), MaskGraph.from_matrix(matrix)
        without = int(rng.integers(0, 1 << len(graph)))
        assert components(graph, without) == twin.components(without)
        assert graph.neighbours == twin.neighbours
        if len(twin.components()) == 1:
            assert set(separators(graph)) == set(twin.separators())


def test_a_separator_cuts_off_so_many_as_the_clique_tree_has_beyond_it():
    seen = 0
    for _, matrix in random_graphs(13, 300):
        graph = UndirectedGraph.from_matrix(matrix)
        if len(components(graph)) > 1:
            continue
        begins, members, beyond = kernel.separators(graph.starts, graph.indices)
        for i, count in enumerate(beyond.tolist()):
            parts = components(graph, mask_of(members[begins[i] : begins[i + 1]].tolist()))
            reachable = {0}
            for part in parts:
                reachable |= {size + part.bit_count() for size in reachable}
            assert count in reachable and 0 < count < sum(part.bit_count() for part in parts)
            seen += 1
    assert seen > 500


def test_separators_take_turns_by_their_balance():
    path = np.eye(9, k=1, dtype=bool)
    graph = UndirectedGraph.from_matrix(path | path.T)
    begins, members = in_turn(graph.starts, graph.indices, 9)
    assert members[:3].tolist() == [4, 3, 5] or members[:3].tolist() == [4, 5, 3], "the middle first"
    for _, matrix in random_graphs(14, 100):
        graph = UndirectedGraph.from_matrix(matrix)
        if len(components(graph)) > 1:
            continue
        begins, members = in_turn(graph.starts, graph.indices, 3)
        found = {mask_of(members[a:b].tolist()) for a, b in pairwise(begins)}
        assert found == {mask for mask in separators(graph) if mask.bit_count() <= 3}


def test_an_induced_graph_is_that_of_the_readable_twin():
    for rng, matrix in random_graphs(11, 200):
        kept = np.nonzero(rng.random(len(matrix)) < 0.6)[0].tolist()
        assert induced(UndirectedGraph.from_matrix(matrix), kept).neighbours == MaskGraph.from_matrix(matrix).induced(kept).neighbours


def test_with_a_block_only_the_pairs_inside_it_change():
    for rng, matrix in random_graphs(12, 200):
        block = np.nonzero(rng.random(len(matrix)) < 0.5)[0].tolist()
        half = np.triu(rng.random((len(block), len(block))) < 0.5, 1)
        expected = matrix.copy()
        expected[np.ix_(block, block)] = half | half.T
        graph, inside = UndirectedGraph.from_matrix(matrix), np.array(block, dtype=np.int64)
        found = kernel.induced_with_block(graph.starts, graph.indices, np.arange(len(matrix)), inside, half | half.T)
        assert np.array_equal(UndirectedGraph(*found).to_matrix(), expected)
