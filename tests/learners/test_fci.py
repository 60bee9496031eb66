"""FCI as a learner of skeletons: warm and cold, whole and in part, limited and not."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from itertools import combinations

import numpy as np
import pytest

from dicola import DAG, FCI, MAG, FisherZ, InvalidSetting, Learner, Oracle, discover, simulate
from dicola.blankets.grow_shrink import IAMB
from dicola.ci.base import Among
from dicola.graphs.undirected import UndirectedGraph
from dicola.learners.base import Context
from dicola.learners.registry import LEARNERS, learner_named
from tests.asking import given_rest
from tests.exactness.run import hidden_dag

EX6 = MAG.from_text("0 --> 1; 2 --> 0; 2 --> 1; 4 --> 3; 3 --> 5; 4 --> 5; 0 <-> 5; 1 <-> 3; 2 <-> 3", nodes="012345")
VARIANTS = [FCI(), FCI(possible_dsep="textbook")]


def graph_of(oracle: Oracle) -> UndirectedGraph:
    return UndirectedGraph.from_matrix(given_rest(oracle))


@pytest.mark.parametrize("learner", VARIANTS, ids=lambda learner: learner.possible_dsep)
def test_warm_and_cold_starts_end_in_the_true_skeleton_of_every_part(learner):
    for number in range(60):
        dag, latents = hidden_dag(109, number)
        oracle = Oracle(dag, latents)
        mag = dag.true_mag(latents)
        rng = np.random.default_rng(number)
        variables = tuple(sorted(rng.choice(len(oracle), int(rng.integers(2, len(oracle) + 1)), replace=False).tolist()))
        uig = graph_of(oracle.among(variables))
        part = mag.marginal([oracle.labels[v] for v in variables])
        truth = {frozenset((part.names[a], part.names[b])) for a, b in part.pairs()}
        for context in (None, Context(uig=uig), Context(uig=uig, warm=True), Context(blankets=IAMB())):
            found = learner.learn_skeleton(oracle, variables, context)
            assert found.named_edges() == truth, f"graph 109/{number}, {context}"
            assert found.variables == variables
            for x, y in combinations(variables, 2):
                z = found.sets.get(x, y)
                assert (z is None) == ((x, y) in found.edges)
                assert z is None or (set(z) <= set(variables) - {x, y} and oracle.verdict(x, y, z).independent)


@pytest.mark.parametrize("learner", VARIANTS, ids=lambda learner: learner.possible_dsep)
def test_the_answer_stands_in_the_numbers_of_the_whole_whatever_order_was_asked(learner):
    oracle = Oracle(EX6)
    assert learner.learn_skeleton(oracle, [5, 0, 3, 1]) == learner.learn_skeleton(oracle, [0, 1, 3, 5])
    assert learner.learn_skeleton(oracle) == learner.learn_skeleton(oracle, range(6))


def test_candidates_inside_a_blanket_lose_nothing_with_data():
    for seed in range(10):
        dag = simulate.er_dag(12, 3, seed=seed)
        frame = simulate.linear_gaussian(dag, 20_000, seed=seed).drop(columns=list(simulate.hide(dag, 2, seed=seed)))
        found = [discover(FisherZ(frame, alpha=1e-4), learner, decompose=False).skeleton for learner in VARIANTS]
        assert len(found[0].named_edges() ^ found[1].named_edges()) <= 1


def test_a_bound_on_neighbours_gives_a_supergraph_and_a_warning():
    bounded = FCI(max_condition_size=0, max_possible_dsep_size=0)
    for number in range(30):
        dag, latents = hidden_dag(113, number)
        oracle = Oracle(dag, latents)
        found = bounded.learn_skeleton(oracle)
        truth = FCI().learn_skeleton(oracle)
        assert found.named_edges() >= truth.named_edges()
        if found.named_edges() != truth.named_edges():
            assert any("max_condition_size" in warning for warning in found.warnings)
        assert all(oracle.verdict(x, y, z).independent for (x, y), z in found.sets.items())


@pytest.mark.parametrize(("limit", "edge_left"), [(3, True), (4, False)])
def test_a_bound_on_possible_dsep_leaves_the_edge_that_needs_more(limit, edge_left):
    found = FCI(max_possible_dsep_size=limit).learn_skeleton(Oracle(EX6))
    assert found.adjacent("1", "5") == edge_left
    assert bool(found.warnings) == edge_left and all(f"up to {limit} variables" in warning for warning in found.warnings)


def test_no_bound_gives_no_warning():
    for number in range(20):
        assert FCI().learn_skeleton(Oracle(*hidden_dag(113, number))).warnings == ()


def test_a_bound_is_kept():
    sizes = []

    class Watched(Among):
        def verdict(self, x, y, z):
            sizes.append(len(z))
            return super().verdict(x, y, z)

    for number in range(10):
        oracle = Oracle(*hidden_dag(113, number))
        watched = Watched(oracle, tuple(range(len(oracle))))
        FCI(max_condition_size=1, max_possible_dsep_size=2, possible_dsep="textbook").learn_skeleton(watched)
    assert max(sizes) == 2


@pytest.mark.parametrize("value", [-1, 1.5, "2", True])
@pytest.mark.parametrize("name", ["max_condition_size", "max_possible_dsep_size"])
def test_a_bad_bound_is_refused_by_name(name, value):
    with pytest.raises(InvalidSetting, match=f"{name} is {value!r}"):
        FCI(**{name: value})


def test_a_bad_pool_is_refused():
    with pytest.raises(InvalidSetting, match=r"'markov'.*'blanket' or 'textbook'"):
        FCI(possible_dsep="markov")


def test_settings_are_frozen_and_compared_by_value():
    assert FCI() == FCI() != FCI(max_condition_size=3)
    with pytest.raises(FrozenInstanceError):
        FCI().max_condition_size = 3


def test_learners_are_found_by_name_and_taken_as_they_are():
    assert learner_named("FCI") == FCI() and isinstance(learner_named("fci"), Learner)
    mine = FCI(max_condition_size=2)
    assert learner_named(mine) is mine


@pytest.mark.parametrize("name", ["foo", "", None, 7])
def test_an_unknown_learner_lists_the_known_ones(name):
    with pytest.raises(InvalidSetting) as caught:
        learner_named(name)
    assert repr(name) in str(caught.value) and all(known in str(caught.value) for known in LEARNERS)


def test_every_known_learner_says_what_it_is():
    for name, learner in LEARNERS.items():
        assert learner.name == name and learner.title and learner.reference and learner.guarantee
        assert isinstance(learner.complete, bool)


def test_a_learner_of_ones_own_is_one_method():
    class Everything(Learner):
        name, title, reference, guarantee, complete = "all", "All", "none", "none", False

        def learn_skeleton(self, ci, variables=None, context=None):
            return FCI().learn_skeleton(ci, variables, context)

    dag = DAG.from_edges([("A", "B"), ("C", "B"), ("B", "D")])
    found = discover(Oracle(dag), Everything())
    assert found.pag == dag.true_pag() and found.settings["learner"] == {"name": "all"}
