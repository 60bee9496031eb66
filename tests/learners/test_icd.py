"""ICD: near sets first, sizes that never fall, a sound answer after any round."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

from dicola import ICD, CallableTest, FisherZ, Oracle, discover, mag_to_pag, simulate
from dicola.ci.base import CITest
from dicola.ci.questions import Verdict
from dicola.errors import counted
from dicola.learners.icd import Hanging, marked_graph
from dicola.learners.possible_dsep import PdsPaths
from dicola.orient.partial import PartialGraph
from tests.exactness.learners import EX4, EX5, EX6, edges_missed, insufficient_truth, random_truth
from tests.exactness.run import hidden_dag, wrong_sets
from tests.reference_models import bits, mask, subsets


class Recording(CITest):
    """Passes every question on to an oracle and writes it down."""

    def __init__(self, oracle: Oracle) -> None:
        self.oracle, self.labels, self.names = oracle, oracle.labels, oracle.names
        self.questions: list[tuple[int, int, tuple[int, ...]]] = []

    def among(self, variables) -> CITest:
        assert tuple(variables) == tuple(range(len(self))), "these tests run on all variables"
        return self

    def verdict(self, x: int, y: int, z: tuple[int, ...]) -> Verdict:
        self.questions.append((x, y, z))
        return self.oracle.verdict(x, y, z)


def asked_by(learner: ICD, oracle: Oracle) -> list[tuple[int, int, tuple[int, ...]]]:
    test = Recording(oracle)
    learner.learn_skeleton(test)
    return test.questions


@pytest.mark.parametrize("learner", [ICD(), ICD(possible_ancestors=True)], ids=str)
def test_ex6_loses_its_last_edge_in_round_four_with_the_only_set_there_is(learner):
    last = [(x, y, z) for x, y, z in asked_by(learner, Oracle(EX6)) if (x, y) == (1, 5)][-1]
    assert last == (1, 5, (0, 2, 3, 4))
    assert discover(Oracle(EX6), learner, decompose=False).skeleton.separating_set("1", "5") == ("0", "2", "3", "4")


@pytest.mark.parametrize("possible_ancestors", [False, True])
def test_stopped_before_round_four_it_keeps_that_edge_and_says_so(possible_ancestors):
    for most in range(4):
        found = discover(Oracle(EX6), ICD(most, possible_ancestors), decompose=False)
        assert found.skeleton.adjacent("1", "5") and found.warnings == (
            f"sets of up to {counted(most, 'variable')} were tried only (max_condition_size).",
        )
    found = discover(Oracle(EX6), ICD(4, possible_ancestors), decompose=False)
    assert found.pag == mag_to_pag(EX6) and found.warnings == ()


def test_ex4_is_settled_by_marginal_tests_and_possible_ancestors_leave_no_candidate_in_round_two():
    assert {len(z) for _, _, z in asked_by(ICD(possible_ancestors=True), Oracle(EX4))} <= {0, 1}
    first = discover(Oracle(EX4), ICD(0), decompose=False)
    assert first.skeleton.named_edges() == discover(Oracle(EX4), ICD()).skeleton.named_edges() and first.warnings


@pytest.mark.parametrize("possible_ancestors", [False, True])
def test_sizes_never_fall_and_no_question_comes_twice(possible_ancestors):
    for number in range(150):
        truth = insufficient_truth(7, number) if number % 3 == 0 else random_truth(7, number)
        questions = asked_by(ICD(possible_ancestors=possible_ancestors), truth.oracle())
        sizes = [len(z) for _, _, z in questions]
        assert sizes == sorted(sizes), truth.label
        assert len(set(questions)) == len(questions), truth.label


def test_candidates_are_made_as_they_are_asked_for_small_sets_first_and_each_once():
    n, seen = 22, []

    class Enough(Exception):
        pass

    def dependent(x, y, z):
        if len(z) == 3:
            raise Enough
        seen.append((x, y, z))
        return False

    with pytest.raises(Enough):
        discover(CallableTest(dependent, names=[f"V{i}" for i in range(n)]), "icd", decompose=False)
    assert len(seen) == len(set(seen)) == 231 * (1 + 20 + 190)


def test_a_set_that_separates_ends_the_search_for_its_pair():
    asked = []

    def independent_given_one(x, y, z):
        asked.append(z)
        return len(z) == 1

    found = discover(CallableTest(independent_given_one, names=[f"V{i:02}" for i in range(30)]), "icd", decompose=False)
    assert found.pag.n_edges == 0 and len(asked) == 2 * 435


@pytest.mark.parametrize("chunk", range(3))
def test_pruning_by_possible_ancestors_changes_neither_pag_nor_truth_and_asks_no_more(chunk):
    pruned = full = 0
    for number in range(chunk * 50, (chunk + 1) * 50):
        truth = insufficient_truth(8, number) if number % 2 else random_truth(8, number)
        for decompose in (False, True):
            with_it, without = (discover(truth.oracle(), ICD(possible_ancestors=flag), decompose=decompose) for flag in (True, False))
            assert with_it.pag == without.pag == truth.pag, truth.label
            pruned, full = pruned + with_it.tests["leaves"], full + without.tests["leaves"]
    assert pruned <= full


@pytest.mark.parametrize("most", range(4))
def test_stopped_after_any_round_it_has_every_true_edge_and_valid_sets_only(most):
    short = 0
    for number in range(120):
        truth = insufficient_truth(9, number) if number % 4 == 0 else random_truth(9, number)
        for decompose in (False, True):
            found = discover(truth.oracle(), ICD(most), decompose=decompose)
            assert edges_missed(found.pag, truth.mag) == [] and wrong_sets(found, truth.oracle()) == [], truth.label
            if found.skeleton.n_edges > len(list(truth.mag.pairs())):
                short += 1
                assert any("max_condition_size" in warning for warning in found.warnings), truth.label
    assert short > 0


def test_each_round_leaves_no_more_edges_than_the_one_before():
    for number in range(60):
        truth = random_truth(10, number)
        edges = [discover(truth.oracle(), ICD(most), decompose=False).skeleton.named_edges() for most in range(6)]
        assert all(later <= earlier for earlier, later in pairwise(edges)), truth.label


def naive_reach(graph: PartialGraph, root: int, inside: int) -> int:
    """What Possible-D-Sep paths from the root reach whose vertices all lie inside, by following every ordered edge once."""
    edges = {(root, v) for v in graph.around[root] if inside >> v & 1}
    while (
        more := {
            (v, w)
            for u, v in edges
            for w in graph.around[v]
            if inside >> w & 1 and w not in (u, root) and (graph.adjacent(u, w) or (graph.is_arrow(u, v) and graph.is_arrow(w, v)))
        }
        - edges
    ):
        edges |= more
    return mask(v for _, v in edges)


def test_the_family_of_an_end_is_every_set_that_hangs_on_it_once():
    counted = 0
    for number in range(40):
        oracle = random_truth(11, number).oracle()
        skeleton = ICD(1).learn_skeleton(oracle)
        adjacency = np.zeros((len(oracle), len(oracle)), dtype=bool)
        for a, b in skeleton.edges:
            adjacency[a, b] = adjacency[b, a] = True
        graph = marked_graph(adjacency, skeleton.sets)
        rng = np.random.default_rng(number)
        for root in range(len(graph)):
            pool = mask(v for v in range(len(graph)) if v != root and rng.random() < 0.8)
            family = Hanging(PdsPaths(graph), root, pool)
            wanted = {tuple(bits(z)) for z in subsets(pool) if naive_reach(graph, root, z) == z}
            for size in range(pool.bit_count() + 1):
                made = list(family.of_size(size))
                assert len(made) == len(set(made)) and set(made) == {z for z in wanted if len(z) == size}
                assert all(z in family for z in made)
            counted += len(wanted)
            assert not any(tuple(bits(z)) in family for z in subsets(pool) if tuple(bits(z)) not in wanted)
    assert counted > 1000


def test_with_data_pruning_by_possible_ancestors_keeps_edges():
    edges = {False: 0, True: 0}
    for seed in range(6):
        dag, latents = hidden_dag(41, seed)
        test = FisherZ(simulate.linear_gaussian(dag, 300, seed=seed).drop(columns=list(latents)), alpha=0.05)
        for flag in edges:
            edges[flag] += discover(test, ICD(possible_ancestors=flag), decompose=False).skeleton.n_edges
    assert edges[True] >= edges[False]


def test_ex5_loses_its_last_edge_in_round_three():
    questions = asked_by(ICD(), Oracle(EX5))
    assert [z for x, y, z in questions if (x, y) == (1, 4)][-1] == (0, 2, 3)
    assert [(x, y) for x, y, z in questions if not z] == list(combinations(range(5), 2))
