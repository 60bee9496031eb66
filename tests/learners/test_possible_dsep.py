"""Possible-D-Sep against its definition by paths, and the search inside it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from dicola import DAG, MAG, Oracle
from dicola.ci.questions import FindSeparator
from dicola.graphs.bits import mask_of, members
from dicola.graphs.skeleton import RecordedSets
from dicola.learners.adjacency import separate_by_neighbours, starting_point
from dicola.learners.possible_dsep import PdsPaths, separate_by_possible_dsep
from dicola.learners.possible_dsep import possible_dsep as possible_dseps
from dicola.orient.colliders import by_separating_set, r0
from dicola.orient.partial import PartialGraph
from tests.exactness.run import hidden_dag

EX5 = MAG.from_text("3 --> 0; 0 --> 4; 3 --> 2; 2 --> 1; 0 <-> 1; 2 <-> 4", nodes="01234")
EX6 = MAG.from_text("0 --> 1; 2 --> 0; 2 --> 1; 4 --> 3; 3 --> 5; 4 --> 5; 0 <-> 5; 1 <-> 3; 2 <-> 3", nodes="012345")


def collider_graph(adjacency, sets) -> PartialGraph:
    """The adjacencies with the unshielded colliders the separating sets imply."""
    graph = PartialGraph(len(adjacency), [(int(i), int(j)) for i, j in np.argwhere(np.triu(adjacency))])
    r0(graph, by_separating_set(sets))
    return graph


def possible_dsep(graph: PartialGraph, x: int) -> int:
    return PdsPaths(graph).within(len(graph) ** 2)[x]


def pools(adjacency, sets) -> np.ndarray:
    """Possible-D-Sep of every vertex, as the rows of a matrix, from the readable search."""
    graph = collider_graph(adjacency, sets)
    matrix = np.zeros_like(adjacency)
    for x in range(len(adjacency)):
        matrix[x, sorted(by_walks(graph, x))] = True
    return matrix


def by_walks(graph: PartialGraph, x: int) -> set[int]:
    """The definition: extend every walk from x whose inner triples are colliders or triangles, ordered edge by ordered edge."""
    found, reached = set(graph.around[x]), {(x, v) for v in graph.around[x]}
    grown = True
    while grown:
        grown = False
        for u, v in list(reached):
            for w in graph.around[v]:
                if w in (u, x) or (v, w) in reached:
                    continue
                if graph.adjacent(u, w) or (graph.is_arrow(u, v) and graph.is_arrow(w, v)):
                    reached.add((v, w))
                    found.add(w)
                    grown = True
    return found


def by_simple_paths(graph: PartialGraph, x: int) -> set[int]:
    found: set[int] = set()

    def extend(path: list[int]) -> None:
        for w in graph.around[path[-1]]:
            if w in path:
                continue
            if len(path) > 1:
                u, v = path[-2], path[-1]
                if not (graph.adjacent(u, w) or (graph.is_arrow(u, v) and graph.is_arrow(w, v))):
                    continue
            found.add(w)
            extend([*path, w])

    extend([x])
    return found


def after_first_phase(oracle: Oracle) -> tuple[np.ndarray, RecordedSets]:
    adjacency, sets = starting_point(len(oracle), None)
    separate_by_neighbours(oracle, adjacency, sets, None)
    return adjacency, sets


def test_it_is_what_the_definition_reaches():
    beyond = 0
    for number in range(60):
        oracle = Oracle(*hidden_dag(103, number, most_observed=7))
        graph = collider_graph(*after_first_phase(oracle))
        for x in range(len(oracle)):
            found = set(members(possible_dsep(graph, x)))
            assert PdsPaths(graph).reached(x, -1) == mask_of(found)
            assert found == by_walks(graph, x) and found >= by_simple_paths(graph, x) and x not in found
            beyond += found != set(graph.around[x])
    assert beyond > 50


def test_it_holds_every_true_d_sep_set():
    """D-SEP(x, y): vertices with a path of colliders from x, each an ancestor of x or y; it separates whenever anything does."""
    for number in range(40):
        dag, latents = hidden_dag(107, number)
        oracle = Oracle(dag, latents)
        mag = dag.true_mag(latents).reordered(oracle.labels)
        graph = collider_graph(*after_first_phase(oracle))
        for x, y in combinations(range(len(mag)), 2):
            if y in mag.around[x]:
                continue
            for end, other in ((x, y), (y, x)):
                inside = mask_of([end, other]) | mag.canonical_separator(end, other)
                reached = mag.separation.walk(end, inside & ~(1 << end), inside) & inside
                within = [v for v in members(reached) if v != other]
                assert mag.separation.separated(x, y, mask_of(within))
                assert set(within) <= set(members(possible_dsep(graph, end))), f"graph 107/{number}"


def test_colliders_of_the_first_phase_are_those_that_no_separating_set_holds():
    oracle = Oracle(DAG.from_edges([("A", "B"), ("C", "B"), ("B", "D")]))
    graph = collider_graph(*after_first_phase(oracle))
    a, b, c, d = range(4)
    assert graph.is_arrow(a, b) and graph.is_arrow(c, b) and not graph.is_arrow(d, b) and not graph.is_arrow(b, d)
    assert possible_dsep(graph, a) == mask_of([b, c]) and possible_dsep(graph, d) == mask_of([b])


@pytest.mark.parametrize(("mag", "pair", "only"), [(EX5, (1, 4), (0, 2, 3)), (EX6, (1, 5), (0, 2, 3, 4))], ids=["EX5", "EX6"])
def test_the_search_removes_the_one_edge_that_is_left(mag, pair, only):
    oracle = Oracle(mag)
    adjacency, sets = after_first_phase(oracle)
    assert adjacency[pair] and sets.get(*pair) is None
    assert separate_by_possible_dsep(oracle, adjacency, sets, pools(adjacency, sets), None, None)
    assert not adjacency[pair] and not adjacency[pair[::-1]] and sets[pair] == only
    assert {(int(a), int(b)) for a, b in np.argwhere(np.triu(adjacency))} == set(mag.pairs())


def test_a_limit_leaves_the_edge_and_says_so():
    oracle = Oracle(EX6)
    adjacency, sets = after_first_phase(oracle)
    assert not separate_by_possible_dsep(oracle, adjacency, sets, pools(adjacency, sets), None, 3)
    assert adjacency[1, 5] and sets.get(1, 5) is None


def test_sets_of_neighbours_are_not_tried_again_up_to_the_size_already_searched():
    asked = []
    oracle = Oracle(EX5)

    class Asked(type(oracle)):
        def answer(self, question):
            if isinstance(question, FindSeparator):
                asked.append((question.sizes, tuple(map(frozenset, question.tried))))
            return super().answer(question)

    for searched in (None, 1):
        asked.clear()
        adjacency, sets = after_first_phase(oracle)
        test = Asked(EX5)
        separate_by_possible_dsep(test, adjacency, sets, pools(adjacency, sets), searched, None)
        for (size,), tried in asked:
            neighbours = 2 if searched is None or size <= searched else 0
            assert len(tried) in (neighbours, neighbours + 1)


def test_the_kernel_finds_what_the_readable_search_finds():
    differ = 0
    for number in range(120):
        dag, hidden = hidden_dag(77, number)
        local = Oracle(dag, hidden)
        adjacency, sets = starting_point(len(local), None)
        separate_by_neighbours(local, adjacency, sets, number % 3)
        found = possible_dseps(adjacency, sets)
        assert np.array_equal(found, pools(adjacency, sets))
        differ += not np.array_equal(found, adjacency)
    assert differ > 20


def by_steps(graph: PartialGraph, x: int, steps: int) -> set[int]:
    """Where walks of at most so many steps lead, all walks of one length before any longer one."""
    found, last = set(), {(x, v) for v in graph.around[x]}
    for _ in range(steps):
        found |= {v for _, v in last}
        last = {
            (v, w)
            for u, v in last
            for w in graph.around[v]
            if w not in (u, x) and (graph.adjacent(u, w) or (graph.is_arrow(u, v) and graph.is_arrow(w, v)))
        }
    return found


@pytest.mark.parametrize("n", [9, 70])  # one word a set, and two
def test_paths_of_so_many_steps_lead_where_walks_do(n):
    rng = np.random.default_rng(n)
    longer = 0
    for _ in range(12):
        graph = PartialGraph(n, [(int(a), int(b)) for a, b in np.argwhere(np.triu(rng.random((n, n)) < 2.2 / n, 1))])
        for a, row in enumerate(graph.around):
            for b in row:
                if rng.random() < 0.7:
                    graph.put(a, b, 2, "drawn", (a, b))
        paths = PdsPaths(graph)
        for steps in (0, 1, 2, 3, n):
            assert paths.within(steps) == [mask_of(by_steps(graph, x, steps)) for x in range(n)]
        longer += paths.within(3) != paths.within(2)
    assert longer
