"""Grow-shrink and IAMB: exact with an oracle, cautious with data, and able to work with few rows."""

from __future__ import annotations

import numpy as np
import pytest

from dicola import DAG, MAG, BasisFunction, ConditionalGaussian, FisherZ, GSquare, InvalidSetting, Oracle, simulate
from dicola.blankets.grow_shrink import IAMB, Growing, GrownBlankets, GrowShrink, most_to_condition_on
from dicola.blankets.registry import BLANKETS, blanket_learner
from dicola.blankets.total_conditioning import TotalConditioning
from dicola.ci.base import CITest
from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import Verdict
from tests.exactness.run import hidden_dag

BOTH = pytest.mark.parametrize("learner", [GrowShrink(), IAMB()], ids=lambda learner: learner.name)


@BOTH
def test_with_an_oracle_blankets_are_those_of_the_true_mag(learner):
    for number in range(120):
        dag, latents = hidden_dag(67, number)
        oracle, mag = Oracle(dag, latents), dag.true_mag(latents)
        for v, name in enumerate(oracle.labels):
            assert {oracle.labels[w] for w in learner.blanket(oracle, v)} == set(mag.blanket(name)), f"graph 67/{number}, {name}"
        assert np.array_equal(learner.learn(oracle), TotalConditioning().learn(oracle))


@BOTH
def test_a_vertex_behind_two_colliders_is_in_the_blanket(learner):
    oracle = Oracle(MAG.from_text("T --> A; A <-> B; X --> B"))
    assert {oracle.labels[v] for v in learner.blanket(oracle, oracle.labels.index("T"))} == {"A", "B", "X"}


class OneSided(CITest):
    """Calls 0 and 1 dependent only when 0 is asked about its blanket first, that is, never symmetrically."""

    labels = names = ("A", "B", "C")

    def verdict(self, x, y, z):
        return Verdict((x, y) != (0, 1) or z != ())


@BOTH
def test_a_pair_is_kept_when_either_end_claims_it(learner):
    claimed = learner.learn(OneSided())
    assert claimed[0, 1] and claimed[1, 0] and claimed.sum() == 2


@BOTH
def test_a_block_is_asked_relative_to_all_variables(learner):
    dag = DAG.from_edges([("A", "B"), ("B", "C"), ("C", "D"), ("E", "D")])
    oracle = Oracle(dag)
    whole = learner.learn(oracle)
    assert np.array_equal(learner.learn(oracle, [4, 2, 0]), whole[np.ix_([4, 2, 0], [4, 2, 0])])
    assert learner.learn(oracle, [1]).tolist() == [[False]]


@BOTH
def test_a_level_of_its_own_overrides_that_of_the_test(learner):
    r = 0.25
    test = FisherZ.from_covariance([[1, r], [r, 1]], 100, alpha=0.01)
    p_value = test(0, 1).p_value
    assert 0.01 < p_value < 0.05
    assert not learner.learn(test).any()
    assert type(learner)(alpha=0.05).learn(test).any()


@BOTH
def test_fewer_rows_than_variables_are_enough(learner):
    rng = np.random.default_rng(5)
    values = rng.normal(size=(25, 40))
    values[:, 7] = values[:, 3] + 0.1 * rng.normal(size=25)
    related = learner.learn(FisherZ(values, alpha=0.001))
    assert related[3, 7] and related.sum() < 100


class Ranked(CITest):
    """Everything depends on variable 0 given nothing; the strongest, 3, explains all the rest."""

    labels = names = tuple("ABCDE")

    def __init__(self, p_values: bool) -> None:
        self.has_p_values, self.asked = p_values, []

    def verdict(self, x, y, z):
        self.asked.append((x, y, z))
        independent = (x, y) != (0, 3) and (3 in z or x != 0)
        return Verdict(independent, *([0.9 if independent else 0.0] if self.has_p_values else []))

    def log_p_values(self, x, y, sets):
        return np.full(len(sets), -2.0 if y == 3 else -1.0)


@pytest.mark.parametrize("p_values", [True, False])
def test_iamb_takes_the_strongest_first_also_where_p_values_tie(p_values):
    test = Ranked(p_values)
    assert IAMB().blanket(test, 0) == (3,)
    assert max(len(z) for _, _, z in test.asked) == 1, "the blanket never grew beyond its true member"
    assert GrowShrink().blanket(test, 0) == (3,), "grow-shrink takes what it should not and drops it again"
    assert max(len(z) for _, _, z in test.asked) > 1


@pytest.mark.parametrize("alpha", [0, 1, 2, float("nan"), "x"])
@pytest.mark.parametrize("kind", [GrowShrink, IAMB])
def test_a_level_outside_the_open_interval_is_refused(kind, alpha):
    with pytest.raises(InvalidSetting, match="strictly between 0 and 1"):
        kind(alpha=alpha)


def test_blanket_learners_are_found_by_name_and_take_the_level():
    assert blanket_learner("iamb", 0.05) == IAMB(0.05)
    assert blanket_learner("Grow-Shrink") == GrowShrink() and blanket_learner("total_conditioning") == TotalConditioning()
    mine = IAMB(0.1)
    assert blanket_learner(mine) is mine


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(InvalidSetting) as caught:
        blanket_learner("cfs_mi")
    assert "'cfs_mi'" in str(caught.value) and all(name in str(caught.value) for name in BLANKETS)


def test_the_level_is_given_in_one_place_only():
    with pytest.raises(InvalidSetting, match="not both"):
        blanket_learner(IAMB(0.1), 0.05)


@pytest.mark.parametrize(("n", "most"), [(5, 0), (12, 0), (14, 1), (30, 9), (1000, 58)])
def test_conditioning_sets_leave_half_of_the_rows(n, most):
    assert most_to_condition_on(Inquiry(FisherZ.from_covariance(np.eye(60), n))) == most


def test_an_oracle_may_condition_on_everything():
    assert most_to_condition_on(Inquiry(Oracle(DAG.from_edges([("A", "B"), ("B", "C"), ("C", "D")])))) == 2


@BOTH
def test_no_test_conditions_on_more_than_the_rows_allow(learner):
    asked = []

    class Recorded(FisherZ):
        def verdict(self, x, y, z):
            asked.append(len(z))
            return super().verdict(x, y, z)

    rng = np.random.default_rng(6)
    values = rng.normal(size=(20, 12)) + rng.normal(size=(20, 1))
    learner.learn(Recorded(values, alpha=0.3))
    assert max(asked) == 4


@pytest.mark.parametrize("kind", [GSquare, BasisFunction, ConditionalGaussian])
@pytest.mark.parametrize(("alpha", "first_alpha", "rows"), [(None, None, 300), (0.003, 1e-4, 90)])
def test_what_is_measured_at_once_is_what_single_verdicts_say(kind, alpha, first_alpha, rows):
    frame = simulate.linear_gaussian(simulate.er_dag(9, 3, seed=4), rows, seed=4)
    for name in frame if kind is GSquare else frame.columns[::2]:
        frame[name] = np.array(list("abc"))[np.searchsorted(frame[name].quantile([0.3, 0.7]), frame[name])]
    plain, test = Inquiry(kind(frame, alpha=0.05)), kind(frame, alpha=0.05)
    rule = Growing(alpha, first_alpha, True, most_to_condition_on(plain))
    question = GrownBlankets(range(9), rule, [(), (2, 3), *[()] * 7])
    fast = question.by_evidence(test)
    assert fast is not None and np.array_equal(question.plain(plain), fast[0])
    assert plain.counts["total"] == fast[1] and plain.untested == test.take_untested()
