"""The reference itself: the ID algorithm in known graphs against interventions in models."""

from __future__ import annotations

import numpy as np
import pytest

from tests.effects.causal_graphs import CausalGraph, Model, all_members, effect_in_graph, far_members, sampled_members
from tests.effects.identification import random_graph

FRONT_DOOR = CausalGraph(3, frozenset({(0, 1), (1, 2)}), frozenset({(0, 2)}))
BOW = CausalGraph(2, frozenset({(0, 1)}), frozenset({(0, 1)}))
NAPKIN = CausalGraph(4, frozenset({(0, 1), (1, 2), (2, 3)}), frozenset({(0, 2), (0, 3)}))


def effect_of_model(model: Model, x: frozenset[int], y: frozenset[int], given: frozenset[int] = frozenset()) -> np.ndarray:
    rest = frozenset(range(model.graph.n)) - x - y - given
    both = model.set_to_all(x).sum(axis=tuple(rest), keepdims=True)
    return both / both.sum(axis=tuple(y), keepdims=True)


@pytest.mark.parametrize(("graph", "x", "y"), [(FRONT_DOOR, {0}, {2}), (NAPKIN, {2}, {3})])
def test_textbook_effects_are_identified(graph, x, y):
    model = Model.random(graph, np.random.default_rng(0))
    found = effect_in_graph(graph, model.set_to_all(frozenset()), frozenset(x), frozenset(y))
    assert found is not None
    assert np.abs(found - effect_of_model(model, frozenset(x), frozenset(y))).max() < 1e-10


def test_a_cause_with_a_hidden_common_cause_is_not_identified():
    joint = Model.random(BOW, np.random.default_rng(0)).set_to_all(frozenset())
    assert effect_in_graph(BOW, joint, frozenset({0}), frozenset({1})) is None


@pytest.mark.parametrize("seed", range(60))
def test_what_is_identified_in_a_graph_is_what_an_intervention_does(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 4)
    a, b, c, _ = rng.permutation(4).tolist()
    asked = frozenset({a}), frozenset({b}), frozenset({c} if seed % 2 else ())
    model = Model.random(graph, rng)
    found = effect_in_graph(graph, model.set_to_all(frozenset()), *asked)
    assert found is None or np.abs(found - effect_of_model(model, *asked)).max() < 1e-10


def test_members_of_a_class_have_its_pag():
    pag = FRONT_DOOR.pag()
    members = all_members(pag)
    assert FRONT_DOOR in members and len(members) == len(set(members))
    assert all(graph.pag() == pag for graph in members)
    walk = list(sampled_members(FRONT_DOOR, np.random.default_rng(0), steps=60))
    assert len(walk) > 5 and set(walk) <= set(members)


def test_walks_from_several_mags_reach_both_directions_of_an_open_edge():
    chain = CausalGraph(4, frozenset({(0, 1), (1, 2), (2, 3)}), frozenset())
    found = set(far_members(chain.pag(), np.random.default_rng(0), walks=12, steps=0))
    assert found <= set(all_members(chain.pag()))
    assert any((1, 0) in graph.arcs for graph in found) and any((0, 1) in graph.arcs for graph in found)
