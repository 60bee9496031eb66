"""Ways to tell a collider: one answer where the test is perfect, several where the data contradict themselves."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from dicola import DAG, FCI, CallableTest, FisherZ, Inquiry, InvalidSetting, Ledger, NeedsData, Oracle, discover, simulate
from dicola.graphs.skeleton import RecordedSets, Skeleton
from dicola.learners.collider_policies import POLICIES, FreerWithout, collider_policy
from dicola.learners.registry import LEARNERS
from dicola.orient.colliders import unshielded_triples
from dicola.orient.partial import PartialGraph
from tests.exactness.learners import COMPLETE, edges_too_many, insufficient_truth, plain_dag, random_truth
from tests.exactness.run import hidden_dag

ASKING = ("conservative", "majority", "max_p")
BY_TESTS = ("sepset", *ASKING, "compare")


def test_there_are_five_by_tests_and_one_by_score():
    assert tuple(POLICIES) == (*BY_TESTS, "order")


@pytest.mark.parametrize("policy", BY_TESTS)
@pytest.mark.parametrize("learner", COMPLETE)
def test_with_a_perfect_test_every_policy_gives_the_true_pag(learner, policy):
    for number in range(100):
        truth = random_truth(3, number)
        found = discover(truth.oracle(), learner, decompose=number % 3 != 0, colliders=policy)
        assert found.pag == truth.pag and not found.warnings and not found.conflicts, truth.label


@pytest.mark.parametrize("policy", BY_TESTS)
def test_rfci_gives_it_wherever_it_has_no_edge_too_many(policy):
    for number in range(100):
        truth = insufficient_truth(3, number) if number % 4 == 0 else random_truth(3, number)
        found = discover(truth.oracle(), "rfci", decompose=number % 3 != 0, colliders=policy)
        assert found.pag == truth.pag or edges_too_many(found.pag, truth.mag), truth.label


@pytest.mark.parametrize("policy", BY_TESTS)
def test_pc_gives_the_class_of_a_dag_with_every_policy(policy):
    for number in range(100):
        dag, truth = plain_dag(3, number)
        found = discover(Oracle(dag), "pc", decompose=number % 2 == 0, colliders=policy)
        assert found.pag == truth and not found.warnings


def three(given_nothing: float, given_b: float) -> CallableTest:
    """A - B - C, with the two p-values of A and C."""

    def p_value(x, y, z):
        if {x, y} != {"A", "C"}:
            return 0.0
        return given_b if z else given_nothing

    return CallableTest(p_value, names="ABC", alpha=0.05)


def answer(test: CallableTest, policy: str, decompose: bool = False):
    return discover(test, "fci", decompose=decompose, colliders=policy)


COLLIDER, OPEN = "A o-> B\nC o-> B", "A o-o B\nB o-o C"


def test_the_recorded_set_decides_by_default():
    assert str(answer(three(0.3, 0.6), "sepset").pag) == COLLIDER
    assert str(answer(three(0.01, 0.6), "sepset").pag) == OPEN
    assert answer(three(0.3, 0.6), "sepset").tests["orientation"] == 0


@pytest.mark.parametrize("decompose", [False, True])
@pytest.mark.parametrize(
    ("given_nothing", "given_b", "found"), [(0.07, 0.8, OPEN), (0.8, 0.07, COLLIDER), (0.01, 0.06, OPEN), (0.06, 0.01, COLLIDER)]
)
def test_to_compare_is_to_take_a_far_larger_p_value_with_b_or_without(given_nothing, given_b, found, decompose):
    answered = answer(three(given_nothing, given_b), "compare", decompose)
    assert str(answered.pag) == found and not answered.warnings


@pytest.mark.parametrize(("given_nothing", "given_b"), [(0.3, 0.6), (0.6, 0.3), (0.07, 0.6)])
def test_to_compare_leaves_close_calls_open_and_says_so(given_nothing, given_b):
    found = answer(three(given_nothing, given_b), "compare")
    assert str(found.pag) == OPEN
    assert found.warnings == ("1 unshielded triple could be a collider or not; no rule used it.",)


def test_a_set_that_holds_b_for_want_of_power_is_corrected():
    """X and Y are independent causes of Z, and the set recorded for them holds Z."""
    frame = simulate.linear_gaussian(DAG.from_edges([("X", "Z"), ("Y", "Z")]), 500, seed=1)
    skeleton = Skeleton((0, 1, 2), (0, 1, 2), frozenset({(0, 1), (1, 2)}), RecordedSets({(0, 2): (1,)}), ("X", "Z", "Y"))
    test = FisherZ(frame[["X", "Z", "Y"]])
    assert collider_policy("compare", test, skeleton)(0, 1, 2) is True
    assert collider_policy("sepset", test, skeleton)(0, 1, 2) is False


@pytest.mark.parametrize("rows", [9, 60, 500])
def test_the_kernel_compares_as_single_verdicts_do(rows):
    both = set()
    for seed in range(6):
        frame = simulate.linear_gaussian(simulate.er_dag(14, 3, seed=seed), rows, seed=seed)
        skeleton = discover(FisherZ(frame, alpha=0.2), "pc", decompose=False).skeleton
        triples = list(unshielded_triples(PartialGraph(14, skeleton.edges)))
        question = FreerWithout(triples, [skeleton.sets[a, c] for a, _, c in triples])
        test = FisherZ(frame, alpha=0.05)
        inquiry, fast = Inquiry(test), question.by_correlations(test) if triples else None
        if fast is None:
            continue
        assert question.plain(inquiry) == fast[0] and inquiry.counts["total"] == fast[1]
        both |= set(fast[0])
    assert both == {True, False, None}


def test_where_rows_run_out_single_verdicts_are_asked():
    test = FisherZ(simulate.linear_gaussian(simulate.er_dag(8, 1, seed=0), 8, seed=0))
    assert FreerWithout([(0, 1, 2)], [(3, 4, 5, 6)]).by_correlations(test) is None


@pytest.mark.parametrize("policy", ["conservative", "majority"])
@pytest.mark.parametrize("decompose", [False, True])
def test_one_set_with_b_and_one_without_is_left_undecided_and_said_so(policy, decompose):
    found = answer(three(0.3, 0.6), policy, decompose)
    assert str(found.pag) == OPEN
    assert found.warnings == ("1 unshielded triple could be a collider or not; no rule used it.",)


@pytest.mark.parametrize("policy", ASKING)
def test_sets_that_agree_decide(policy):
    assert str(answer(three(0.3, 0.01), policy).pag) == COLLIDER and not answer(three(0.3, 0.01), policy).warnings
    assert str(answer(three(0.01, 0.3), policy).pag) == OPEN and not answer(three(0.01, 0.3), policy).warnings


def test_max_p_goes_with_the_larger_p_value_and_in_a_tie_with_the_smaller_set():
    assert str(answer(three(0.3, 0.6), "max_p").pag) == OPEN
    assert str(answer(three(0.6, 0.3), "max_p").pag) == COLLIDER
    assert str(answer(three(0.4, 0.4), "max_p").pag) == COLLIDER
    assert not answer(three(0.3, 0.6), "max_p").warnings


def test_max_p_without_p_values_goes_with_the_smallest_set():
    test = CallableTest(lambda x, y, z: {x, y} == {"A", "C"}, names="ABC")
    assert str(answer(test, "max_p").pag) == COLLIDER
    assert str(answer(test, "conservative").pag) == OPEN


def four(separating: set[str]) -> CallableTest:
    """D - A - B - C, in which the sets named separate A and C; D goes with A and C alone."""

    def independent(x, y, z):
        pair = {x, y}
        if pair == {"A", "C"}:
            return "".join(z) in separating
        return pair in ({"D", "B"}, {"D", "C"}) and "A" in z

    return CallableTest(independent, names="ABCD")


@pytest.mark.parametrize(
    ("separating", "is_collider"),
    [
        ({"", "D", "B"}, True),  # B in one of three
        ({"", "B", "BD"}, False),  # B in two of three
        ({"", "D"}, True),
        ({"B", "BD"}, False),
        ({"", "D", "B", "BD"}, None),
        ({"", "B"}, None),
    ],
)
def test_majority_counts_the_sets(separating, is_collider):
    test = four(separating)
    found = discover(test, "fci", decompose=False, colliders="majority")
    b, a, c = (found.pag.index(v) for v in "BAC")
    head = bool(found.pag.marks[a, b] == 2 and found.pag.marks[c, b] == 2)
    assert head == (is_collider is True)
    assert (is_collider is None) == any("no rule used" in warning for warning in found.warnings)


@pytest.mark.parametrize("separating", [{"", "D", "B"}, {"", "B", "BD"}, {"", "D", "B", "BD"}])
def test_conservative_wants_them_all_to_agree(separating):
    found = discover(four(separating), "fci", decompose=False, colliders="conservative")
    assert any("no rule used" in warning for warning in found.warnings)


def test_no_arrowhead_passes_through_a_triple_left_undecided():
    def independent(x, y, z):
        pair = {x, y}
        return (pair == {"A", "B"} and "C" not in z) or pair in ({"A", "D"}, {"B", "D"})  # with D: whatever is given

    test = CallableTest(independent, names="ABCD")
    trusting, careful = (discover(test, "fci", decompose=False, colliders=policy) for policy in ("sepset", "conservative"))
    assert str(trusting.pag) == "A o-> C\nB o-> C\nD o-> C"
    assert str(careful.pag) == "A o-> C\nB o-> C\nC o-o D"
    assert careful.warnings == ("2 unshielded triples could be colliders or not; no rule used them.",)


@pytest.mark.parametrize("policy", ASKING)
def test_asking_again_is_booked_under_orientation(policy):
    chain = Oracle(DAG.from_edges([("A", "B"), ("B", "C")]))
    found = discover(chain, decompose=False, colliders=policy)
    assert found.tests["orientation"] == 2, "nothing and B, once each, though both ends have the neighbour B"
    assert discover(chain, decompose=False).tests["orientation"] == 0


def test_each_pair_is_asked_about_once_however_many_triples_it_ends():
    ring = Oracle(DAG.from_edges([("A", "B"), ("A", "D"), ("B", "C"), ("D", "C")]))
    skeleton = FCI().learn_skeleton(ring)
    ledger = Ledger(ring)
    decide = collider_policy("conservative", ledger, skeleton)
    a, b, c, d = (ring.labels.index(v) for v in "ABCD")
    assert (decide(a, b, c), decide(c, d, a), decide(b, a, d), decide(b, c, d)) == (False, False, False, True)
    assert ledger.counts["total"] == 8


def test_a_limit_bounds_the_sets_asked_about():
    fan = Oracle(DAG.from_edges([("A", "B"), ("A", "C"), ("A", "D"), ("B", "E"), ("C", "E"), ("D", "E")]))
    skeleton = FCI().learn_skeleton(fan)
    a, b, e = (fan.labels.index(v) for v in "ABE")
    counts = []
    for limit in (0, 1, 2, 3, None):
        ledger = Ledger(fan)
        assert collider_policy("conservative", ledger, skeleton, limit)(a, b, e) is False
        counts.append(ledger.counts["total"])
    assert counts == [2, 5, 8, 8, 8], "the recorded set {B, C, D} takes part in any case"


def test_the_limit_of_the_learner_is_that_limit():
    star = Oracle(DAG.from_edges([("A", "B"), ("C", "B"), ("D", "B")]))
    for limit, tests in ((0, 3), (1, 6), (None, 6)):  # three pairs; nothing, then also B
        found = discover(star, FCI(max_condition_size=limit), decompose=False, colliders="majority")
        assert found.tests["orientation"] == tests


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("policy", POLICIES)
def test_the_order_of_the_columns_changes_nothing(policy, learner):
    for seed in range(4):
        dag, latents = hidden_dag(47, seed)
        frame = simulate.linear_gaussian(dag, 250, seed=seed).drop(columns=list(latents))
        turned = frame[list(np.random.default_rng(seed).permutation(list(frame)))]
        for decompose in (False, True):
            one, other = (discover(FisherZ(f, alpha=0.05), learner, decompose=decompose, colliders=policy) for f in (frame, turned))
            assert one.pag == other.pag and one.warnings == other.warnings and one.tests == other.tests


def test_data_leave_triples_undecided_and_max_p_none():
    undecided = dict.fromkeys(POLICIES, 0)
    for seed in range(12):
        dag, latents = hidden_dag(53, seed)
        test = FisherZ(simulate.linear_gaussian(dag, 150, seed=seed).drop(columns=list(latents)), alpha=0.05)
        for policy in POLICIES:
            undecided[policy] += any("no rule used" in warning for warning in discover(test, colliders=policy).warnings)
    assert undecided["sepset"] == undecided["max_p"] == 0 < undecided["majority"] <= undecided["conservative"]


def test_an_undecided_triple_has_no_collider_put_by_it():
    for seed in range(12):
        dag, latents = hidden_dag(53, seed)
        test = FisherZ(simulate.linear_gaussian(dag, 150, seed=seed).drop(columns=list(latents)), alpha=0.05)
        found = discover(test, decompose=False, colliders="conservative")
        decide = collider_policy("conservative", test, found.skeleton)
        edges = found.skeleton.edges
        for reason in found.reasons.values():
            if reason.rule == "R0":
                assert decide(*reason.witness) is True
            if reason.rule == "R1":
                assert decide(*reason.witness) is False
        assert all((min(a, b), max(a, b)) in edges for a, b in found.reasons)


@pytest.mark.parametrize("learner", LEARNERS)
def test_an_unknown_policy_is_refused_by_name(learner):
    with pytest.raises(InvalidSetting, match="'sepset', 'conservative', 'majority', 'max_p'"):
        discover(three(0.3, 0.6), learner, colliders="vote")


def test_an_unknown_policy_is_refused_before_the_first_test():
    asked = []

    def record(x, y, z):
        asked.append((x, y, z))
        return 0.5

    with pytest.raises(InvalidSetting):
        discover(CallableTest(record, names="ABC"), colliders="vote")
    assert asked == []


def test_the_recorded_set_takes_part_even_where_it_holds_no_neighbour():
    """EX5-like graphs: the only separating set of a pair may lie outside both neighbourhoods."""
    for number in range(40):
        truth = insufficient_truth(5, number)
        found = discover(truth.oracle(), "fci", decompose=False, colliders="conservative")
        assert found.pag == truth.pag and not found.warnings, truth.label
        assert len(found.skeleton.separating_sets()) + found.skeleton.n_edges == len(list(combinations(found.pag.names, 2)))


def weak_collider(rows: int = 400) -> FisherZ:
    """A -> B <- C, with a path A -> D -> C that hides how far the two ends depend: the recorded set of A and C can go wrong."""
    rng = np.random.default_rng(1)
    a, d, c, b = rng.normal(size=(4, rows))
    d = d + a
    c = c + d
    b = b + a - c
    return FisherZ(pd.DataFrame({"A": a, "B": b, "C": c, "D": d}), alpha=0.01)


def test_the_best_dag_decides_where_it_has_the_triple():
    ci = weak_collider()
    skeleton = Skeleton(
        ci.labels, (0, 1, 2, 3), frozenset({(0, 1), (1, 2), (0, 3), (2, 3)}), RecordedSets({(0, 2): (1,), (1, 3): ()}), ci.names
    )
    by_order, by_set = (collider_policy(name, ci, skeleton) for name in ("order", "sepset"))
    assert by_order(0, 1, 2) is True and by_set(0, 1, 2) is False  # A -> B <- C in the data
    assert by_order(0, 3, 2) is False and by_set(0, 3, 2) is True  # A -> D -> C


def test_the_recorded_set_decides_triples_that_the_best_dag_lacks():
    ci = weak_collider()
    skeleton = Skeleton(
        ci.labels, (0, 1, 2, 3), frozenset({(0, 1), (1, 3)}), RecordedSets({(0, 3): (), (0, 2): (), (2, 3): (), (1, 2): ()}), ci.names
    )
    assert collider_policy("order", ci, skeleton)(0, 1, 3) is True  # no edge B - D there
    assert collider_policy("order", ci, skeleton)(0, 1, 2) is True  # not a triple of the skeleton: a question of R4


def test_searches_of_the_order_are_booked_and_no_tests():
    ledger = Ledger(weak_collider())
    skeleton = FCI().learn_skeleton(ledger)
    tests = ledger.counts
    collider_policy("order", ledger, skeleton)
    assert ledger.counts == tests
    assert list(ledger.evaluations) == ["parent searches"] and ledger.evaluations["parent searches"] > 0


def test_an_oracle_has_no_data_to_score():
    with pytest.raises(NeedsData, match="correlations"):
        discover(Oracle(DAG.from_edges([("A", "B")])), colliders="order")
