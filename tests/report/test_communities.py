from __future__ import annotations

import numpy as np

from dicola.report.communities import communities, folded_at_start


def cliques(*sizes: int, links: list[tuple[int, int]] = ()) -> np.ndarray:
    adjacent = np.zeros((sum(sizes), sum(sizes)), dtype=bool)
    start = 0
    for size in sizes:
        adjacent[start : start + size, start : start + size] = True
        start += size
    for a, b in links:
        adjacent[a, b] = adjacent[b, a] = True
    np.fill_diagonal(adjacent, False)
    return adjacent


def test_cliques_joined_by_single_edges_are_communities() -> None:
    found = communities(cliques(5, 6, 4, links=[(0, 5), (6, 11)]))
    assert found == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9, 10], [11, 12, 13, 14]]


def test_communities_part_the_vertices_and_are_connected() -> None:
    rng = np.random.default_rng(3)
    adjacent = np.triu(rng.random((80, 80)) < 0.03, 1)
    adjacent |= adjacent.T
    found = communities(adjacent)
    assert sorted(v for group in found for v in group) == list(range(80))
    for group in found:
        reached, waiting = {group[0]}, [group[0]]
        while waiting:
            v = waiting.pop()
            fresh = [w for w in group if adjacent[v, w] and w not in reached]
            reached.update(fresh)
            waiting += fresh
        assert reached == set(group)


def test_no_edges_leave_every_vertex_alone() -> None:
    assert communities(np.zeros((3, 3), dtype=bool)) == [[0], [1], [2]]
    assert communities(np.zeros((0, 0), dtype=bool)) == []


def test_the_densest_are_folded_first_and_only_as_many_as_need_be() -> None:
    ring = np.roll(np.eye(60, dtype=bool), 1, axis=1)
    adjacent = cliques(60, 30)
    adjacent[:60, :60] = ring | ring.T
    groups = [list(range(60)), list(range(60, 90))]
    assert folded_at_start(groups, adjacent) == [1]
    assert folded_at_start([list(range(30))], adjacent[60:, 60:]) == []
