"""The path searches against all simple paths."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np

from dicola.graphs.marks import ARROW, CIRCLE, TAIL
from dicola.orient.partial import PartialGraph
from dicola.orient.paths import discriminating_path, uncovered_circle_path, uncovered_reach
from tests.orient.drawn import Drawn


def random_partial_graph(rng: np.random.Generator, n: int, weights: tuple[float, float, float]) -> PartialGraph:
    """Random marks; ``weights`` are those of circle, arrowhead and tail."""
    pairs = [(a, b) for a in range(n) for b in range(a + 1, n) if rng.random() < 0.55]
    graph = PartialGraph(n, pairs)
    for a, b in [*pairs, *[(b, a) for a, b in pairs]]:
        mark = int(rng.choice([CIRCLE, ARROW, TAIL], p=weights))
        if mark != CIRCLE:
            graph.put(a, b, mark, "given", (a, b))
    return graph


def simple_paths(graph: PartialGraph, start: int, goal: int) -> list[tuple[int, ...]]:
    inner = [v for v in range(len(graph)) if v not in (start, goal)]
    found = []
    for k in range(len(inner) + 1):
        for middle in permutations(inner, k):
            path = (start, *middle, goal)
            if all(graph.adjacent(u, v) for u, v in pairwise(path)):
                found.append(path)
    return found


def is_uncovered(graph: PartialGraph, path: tuple[int, ...]) -> bool:
    return not any(graph.adjacent(u, w) for u, w in zip(path, path[2:], strict=False))


def discriminates(graph: PartialGraph, path: tuple[int, ...]) -> bool:
    """(d, q1, …, a, b, c): d and c apart, every vertex between d and b a collider and a parent of c."""
    d, *colliders, b, c = path
    return (
        bool(colliders)
        and not graph.adjacent(d, c)
        and graph.adjacent(b, c)
        and all(graph.is_parent(q, c) for q in colliders)
        and all(graph.is_arrow(u, v) and graph.is_arrow(w, v) for u, v, w in zip(path, path[1:], path[2:-1], strict=False))
    )


def test_a_discriminating_path_is_found_exactly_where_one_exists_and_it_is_a_shortest():
    rng = np.random.default_rng(1)
    found = longer = 0
    for _ in range(400):
        graph = random_partial_graph(rng, 6, (0.05, 0.65, 0.3))
        for a, b, c in permutations(range(6), 3):
            if not (graph.is_parent(a, c) and graph.is_arrow(b, a) and graph.adjacent(b, c)):
                continue
            all_paths = [(*p, b, c) for d in range(6) if d not in (a, b, c) for p in simple_paths(graph, d, a) if not {b, c} & set(p)]
            lengths = [len(p) for p in all_paths if discriminates(graph, p)]
            path = discriminating_path(graph, a, b, c)
            assert (path is None) == (not lengths)
            if path is not None:
                assert discriminates(graph, path) and path[-3:] == (a, b, c) and len(path) == min(lengths)
                found, longer = found + 1, longer + (len(path) > 4)
    assert found > 100 and longer > 5, (found, longer)


def test_a_limit_on_discriminating_paths_counts_vertices():
    drawn = Drawn("d o-> p; p <-> q; q <-> a; p --> c; q --> c; a --> c; b o-> a; b o-o c")
    a, b, c = drawn.at("a b c")
    assert discriminating_path(drawn.graph, a, b, c, 5) is None
    assert discriminating_path(drawn.graph, a, b, c, 6) == tuple(drawn.at("d p q a b c"))


def test_the_reach_of_a_first_step_is_where_uncovered_possibly_directed_paths_lead():
    rng = np.random.default_rng(2)
    longer = 0
    for _ in range(250):
        graph = random_partial_graph(rng, 6, (0.6, 0.25, 0.15))
        a, target = (int(v) for v in rng.choice(6, 2, replace=False))
        first = {m for m in graph.around[a] if graph.may_point(a, m)}
        want = {
            path[1]
            for path in simple_paths(graph, a, target)
            if is_uncovered(graph, path) and all(graph.may_point(u, v) for u, v in pairwise(path))
        }
        found = {m for m in first if target in uncovered_reach(graph, a, m)}
        assert want <= found and all(a not in uncovered_reach(graph, a, m) for m in first)
        longer += bool(want - {target})
    assert longer > 50


def test_an_uncovered_circle_path_is_found_where_one_exists_and_what_is_found_is_one_but_for_repeated_vertices():
    rng = np.random.default_rng(3)
    found = simple = 0
    for _ in range(600):
        graph = random_partial_graph(rng, 7, (0.9, 0.07, 0.03))
        for a, b in [(0, 1), (4, 2)]:
            if not (graph.is_circle(a, b) and graph.is_circle(b, a)):
                continue
            want = [p for p in simple_paths(graph, a, b) if is_circle_cycle(graph, p)]
            path = uncovered_circle_path(graph, a, b)
            if path is None:
                assert not want
                continue
            assert is_circle_cycle(graph, path) and (path[0], path[-1]) == (a, b) and path.count(a) == path.count(b) == 1
            assert not want or len(path) <= min(map(len, want))
            found, simple = found + 1, simple + bool(want)
    assert found >= simple > 40


def test_many_circle_paths_cost_no_more_than_their_edges():
    rungs = [(2 * i, 2 * i + 1) for i in range(40)]
    rails = [(v, v + 2) for v in range(78)] + [(v, 2 * (v // 2) + 3 - v % 2) for v in range(78)]  # 2**39 ways from one end to the other
    ladder = PartialGraph(81, [*rungs, *rails, (0, 80)])
    assert uncovered_circle_path(ladder, 0, 80) is None


def is_circle_cycle(graph: PartialGraph, path: tuple[int, ...]) -> bool:
    """(a, c, …, d, b) uncovered, all o-o, with a, d and c, b apart."""
    return (
        len(path) >= 4
        and is_uncovered(graph, path)
        and not graph.adjacent(path[0], path[-2])
        and not graph.adjacent(path[1], path[-1])
        and all(graph.is_circle(u, v) and graph.is_circle(v, u) for u, v in pairwise(path))
    )
