from collections import Counter

import numpy as np
import pytest

from dicola.errors import InvalidSetting
from dicola.graphs.dag import DAG
from dicola.graphs.marks import ARROW
from dicola.simulate import er_dag, hide, hub_dag, modular_dag, scale_free_dag


@pytest.mark.parametrize(("n", "degree"), [(1, 0), (2, 1), (10, 0), (10, 9), (30, 3), (31, 3.5), (50, 5)])
def test_er_dag_has_exactly_half_n_times_degree_arcs(n, degree):
    dag = er_dag(n, degree, seed=7)
    assert dag.n_edges == round(n * degree / 2)
    assert dag.names == tuple(f"X{i + 1}" for i in range(n))


def test_er_dag_of_the_same_seed_is_the_same_and_of_another_seed_another():
    assert er_dag(20, 3, seed=5) == er_dag(20, 3, seed=5)
    assert er_dag(20, 3, seed=5) != er_dag(20, 3, seed=6)


def test_er_dag_takes_a_generator_and_moves_it_on():
    rng = np.random.default_rng(3)
    first, second = er_dag(20, 3, rng), er_dag(20, 3, rng)
    assert first != second
    assert first == er_dag(20, 3, np.random.default_rng(3))


def test_er_dag_names_are_not_in_causal_order():
    marks = er_dag(200, 4, seed=1).marks
    forward = np.count_nonzero(np.triu(marks) == ARROW)
    assert 150 < forward < 250


def test_er_dag_draws_every_arc_equally_often():
    counts = Counter(arc for seed in range(1200) for arc in er_dag(4, 1, seed).arcs())
    assert len(counts) == 12
    assert all(150 < count < 250 for count in counts.values())


def test_er_dag_leaves_the_global_random_state_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    er_dag(10, 2, seed=1)
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002


@pytest.mark.parametrize(
    ("n", "degree", "message"),
    [
        (0, 0, "n must be at least 1"),
        (2.5, 1, "whole number"),
        (5, -1, "degree must be a number of at least 0"),
        (5, float("nan"), "degree must be a number of at least 0"),
        (5, float("inf"), "degree must be a number of at least 0"),
        (5, 6, "15 arcs, but 5 vertices have room for 10"),
    ],
)
def test_er_dag_refuses_what_no_graph_can_have(n, degree, message):
    with pytest.raises(InvalidSetting, match=message):
        er_dag(n, degree, seed=1)


@pytest.mark.parametrize("seed", [-1, None, "1", 1.5])
def test_a_seed_is_a_whole_number_or_a_generator(seed):
    with pytest.raises(InvalidSetting, match="seed"):
        er_dag(5, 1, seed)


def module_of(name: str, size: int) -> int:
    return (int(name[1:]) - 1) // size


def test_modular_dag_has_er_modules_and_the_given_number_of_links():
    dag = modular_dag(modules=6, size=10, degree=3, links=8, seed=2)
    inside = Counter(module_of(a, 10) for a, b in dag.arcs() if module_of(a, 10) == module_of(b, 10))
    assert dag.names == tuple(f"X{i + 1}" for i in range(60))
    assert inside == dict.fromkeys(range(6), 15)
    assert dag.n_edges == 6 * 15 + 8


def test_modular_dag_can_fill_every_place_between_modules():
    dag = modular_dag(modules=3, size=4, degree=3, links=48, seed=0)
    assert dag.n_edges == 12 * 11 // 2


def test_modular_dag_of_one_module_needs_no_links():
    assert modular_dag(modules=1, size=12, degree=2, links=0, seed=4).n_edges == 12


def test_modular_dag_modules_differ():
    dag = modular_dag(modules=2, size=12, degree=2, links=0, seed=4)
    assert not np.array_equal(dag.marks[:12, :12], dag.marks[12:, 12:])


def test_modular_dag_links_go_between_all_pairs_of_modules():
    dag = modular_dag(modules=4, size=20, degree=0, links=600, seed=9)
    between = Counter(tuple(sorted((module_of(a, 20), module_of(b, 20)))) for a, b in dag.arcs())
    assert len(between) == 6
    assert all(60 < count < 140 for count in between.values())


def test_modular_dag_is_reproducible():
    assert modular_dag(5, 8, 3, 6, seed=1) == modular_dag(5, 8, 3, 6, seed=1)


def test_modular_dag_refuses_more_links_than_places():
    with pytest.raises(InvalidSetting, match="have 12 pairs between them"):
        modular_dag(modules=3, size=2, degree=1, links=13, seed=1)


# A and C have two children, and only A has no parent; D has one child.
FORKS = DAG.from_edges([("A", "B"), ("A", "C"), ("C", "D"), ("C", "E"), ("D", "E")])


def test_hide_draws_among_vertices_with_two_children():
    assert hide(FORKS, 2, seed=1) == ("A", "C")
    assert {hide(FORKS, 1, seed) for seed in range(20)} == {("A",), ("C",)}


def test_hide_from_roots_draws_among_parentless_vertices_with_two_children():
    assert {hide(FORKS, 1, seed, pool="root") for seed in range(20)} == {("A",)}


def test_hide_draws_distinct_names_equally_often():
    dag = DAG.from_edges([(cause, effect) for cause in "ABCD" for effect in "XY"])
    counts = Counter(name for seed in range(1000) for name in hide(dag, 2, seed))
    assert all(len(set(hide(dag, 3, seed))) == 3 for seed in range(20))
    assert all(430 < counts[name] < 570 for name in "ABCD")


def test_hide_nothing_is_the_empty_tuple():
    assert hide(FORKS, 0, seed=1) == ()


@pytest.mark.parametrize(
    ("n_latents", "pool", "message"),
    [
        (3, "any", "only 2 vertices have two children or more"),
        (2, "root", "only 1 parentless vertex has two children or more"),
        (1, "leaf", "pool='leaf' is unknown"),
        (-1, "any", "n_latents must be at least 0"),
    ],
)
def test_hide_refuses_a_pool_that_is_too_small_or_unknown(n_latents, pool, message):
    with pytest.raises(InvalidSetting, match=message):
        hide(FORKS, n_latents, seed=1, pool=pool)


def neighbours(dag):
    return sorted((len(dag.parents(name)) + len(dag.children(name)) for name in dag.names), reverse=True)


@pytest.mark.parametrize(("n", "degree"), [(60, 3), (40, 2), (12, 5), (7, 6), (5, 0), (1, 0)])
def test_scale_free_graphs_have_as_many_arcs_as_asked(n, degree):
    for order in ("random", "growth"):
        dag = scale_free_dag(n, degree, seed=2, order=order)
        assert len(dag) == n and dag.n_edges == round(n * degree / 2)


def test_scale_free_graphs_have_larger_hubs_than_uniform_ones_and_names_tell_no_order():
    free, uniform = ([neighbours(draw(100, 3, seed))[0] for seed in range(20)] for draw in (scale_free_dag, er_dag))
    assert np.mean(free) > 1.7 * np.mean(uniform)
    grown = [scale_free_dag(50, 3, seed, order="growth") for seed in range(8)]
    assert len({max(dag.names, key=lambda name, dag=dag: len(dag.children(name))) for dag in grown}) > 3


def test_grown_hubs_are_causes_and_those_of_a_random_order_are_both():
    def share_of_causes(order):
        graphs = [scale_free_dag(60, 3, seed, order=order) for seed in range(20)]
        hubs = [max(dag.names, key=lambda name, dag=dag: len(dag.parents(name)) + len(dag.children(name))) for dag in graphs]
        shares = [len(dag.children(hub)) / (len(dag.parents(hub)) + len(dag.children(hub))) for dag, hub in zip(graphs, hubs, strict=True)]
        return np.mean(shares)

    assert share_of_causes("growth") > 0.9 and 0.3 < share_of_causes("random") < 0.7
    with pytest.raises(InvalidSetting, match="order is 'age'"):
        scale_free_dag(10, 2, seed=1, order="age")


def test_hubs_have_their_spokes_both_ways():
    dag = hub_dag(50, 2, hubs=3, spokes=15, seed=3)
    assert all(len(dag.parents(hub)) + len(dag.children(hub)) >= 15 for hub in ("X1", "X2", "X3"))
    assert 50 <= dag.n_edges <= 50 + 45
    assert any(dag.parents(hub) for hub in ("X1", "X2", "X3")) and any(dag.children(hub) for hub in ("X1", "X2", "X3"))
    assert hub_dag(50, 2, 3, 15, seed=3) == dag != hub_dag(50, 2, 3, 15, seed=4)


def test_hubs_without_spokes_are_a_uniform_graph():
    assert hub_dag(20, 3, hubs=0, spokes=0, seed=1).n_edges == 30


def test_hubs_that_have_no_room_are_refused():
    with pytest.raises(InvalidSetting, match="hubs=2 and spokes=5 are too many for 5 vertices"):
        hub_dag(5, 1, hubs=2, spokes=5, seed=1)
