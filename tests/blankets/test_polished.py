"""MMMB, HITON-MB, STMB and EAMB: right where nothing is hidden by their own steps, and by the polish where something is."""

from __future__ import annotations

import numpy as np
import pytest

from dicola import DAG, DegenerateGaussian, FisherZ, GSquare, InvalidSetting, Oracle, discover, simulate
from dicola.blankets.base import BlanketLearner
from dicola.blankets.by_neighbours import MMMB, STMB, HitonMB
from dicola.blankets.eamb import EAMB
from dicola.blankets.registry import BLANKETS
from dicola.blankets.total_conditioning import TotalConditioning
from dicola.ci.base import CITest
from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import Verdict
from tests.exactness.blankets import SAFE, Tally, check, check_chunk, main, truth_of
from tests.exactness.learners import EX4, plain_dag

NEIGHBOURS = (MMMB, HitonMB, STMB)
EACH = pytest.mark.parametrize("kind", [*NEIGHBOURS, EAMB], ids=lambda kind: kind.name)


@pytest.mark.parametrize("name", SAFE)
def test_a_latent_safe_learner_finds_the_blankets_of_random_mags(name):
    found = check_chunk(1, 0, 300, [name])
    assert found[name].targets > 1500 and not found[name].wrong


def test_all_learners_there_are_say_whether_they_are_safe():
    assert set(SAFE) == set(BLANKETS)
    assert all(facts["latent_safe"] is True for facts in BLANKETS.facts())

    class Own(BlanketLearner):
        name = "own"

        def learn(self, ci, block=None):
            return np.zeros((len(ci), len(ci)), dtype=np.bool_)

    assert not Own.latent_safe
    assert check(Own(), truth_of(1, 0)).wrong, "the check can fail"


def test_the_check_from_the_command_line():
    written = []
    assert main(["3"], written.append) == 0 and len(written) == len(SAFE) and "3 graphs" in written[0]
    assert main(["0"], written.append) == 1
    assert Tally(2, ("a",)) + Tally(1, ("b",)) == Tally(3, ("a", "b"))


@pytest.mark.parametrize("kind", NEIGHBOURS, ids=lambda kind: kind.name)
def test_without_the_polish_a_vertex_behind_two_colliders_is_missed(kind):
    oracle = Oracle(EX4)

    def found(learner: BlanketLearner) -> set[str]:
        return {oracle.labels[v] for v in learner.blanket(oracle, oracle.labels.index("T"))}

    assert found(kind()) == {"A", "B", "X"}
    assert "X" not in found(kind(polish=False))
    (warning,) = kind(polish=False).warnings(oracle)
    assert kind.name in warning and "polish" in warning and kind().warnings(oracle) == ()


@pytest.mark.parametrize("kind", NEIGHBOURS, ids=lambda kind: kind.name)
def test_where_nothing_is_hidden_their_own_steps_are_enough(kind):
    for number in range(150):
        oracle = Oracle(plain_dag(3, number)[0])
        assert np.array_equal(kind(polish=False, max_condition_size=None).learn(oracle), TotalConditioning().learn(oracle)), number


def test_eamb_recalls_what_it_discarded_from_the_other_side():
    class Forgetful(CITest):
        """C belongs to the blanket of A, and does not seem so once B is known, unless C is asked."""

        labels = names = tuple("ABC")
        alpha = 0.05

        def verdict(self, x, y, z):
            p_value = {((0, 1), ()): 1e-9, ((0, 2), ()): 1e-4, ((0, 2), (1,)): 0.2}.get(((x, y), z), 1e-3 if (x, y) == (0, 1) else 0.5)
            return Verdict(p_value > 0.05, p_value)

    assert EAMB(polish=False, recall=0.0).blanket(Forgetful(), 0) == (1,)
    assert EAMB(polish=False, recall=1.0).blanket(Forgetful(), 0) == (1, 2)


@EACH
def test_dicola_with_these_blankets_finds_the_true_pag(kind):
    for number in range(100):
        truth = truth_of(4, number)
        assert discover(truth.oracle(), blankets=kind.name, stop="paper").pag == truth.pag, truth.label


@EACH
def test_a_block_is_asked_relative_to_all_variables(kind):
    oracle = Oracle(DAG.from_edges([("A", "B"), ("B", "C"), ("C", "D"), ("E", "D")]))
    whole = kind().learn(oracle)
    assert np.array_equal(kind().learn(oracle, [4, 2, 0]), whole[np.ix_([4, 2, 0], [4, 2, 0])])
    assert kind().learn(oracle, [1]).tolist() == [[False]] and kind().blanket(oracle, 2, among=[0, 1]) == (1,)


@EACH
def test_a_level_of_its_own_overrides_that_of_the_test(kind):
    test = FisherZ.from_covariance([[1, 0.25], [0.25, 1]], 100, alpha=0.01)
    assert not kind().learn(test).any() and kind(alpha=0.05).learn(test).any()


@EACH
def test_every_kind_of_test_is_asked_and_the_strong_links_are_found(kind):
    rng = np.random.default_rng(3)
    values = rng.normal(size=(800, 6))
    values[:, 1] += 2 * values[:, 0]
    values[:, 2] += 2 * values[:, 1]
    values[:, 4] += values[:, 3] + values[:, 2]
    for test in (FisherZ(values), GSquare((values > 0).astype(int)), DegenerateGaussian(values), FisherZ(1e-3 * values[:40])):
        found = kind().learn(test)
        assert found[0, 1] and found[1, 2] and np.array_equal(found, found.T)
    assert kind().learn(FisherZ(values))[3, 2], "two causes of one effect"


@EACH
def test_no_test_conditions_on_more_than_the_rows_allow(kind):
    asked = []

    class Recorded(FisherZ):
        def verdict(self, x, y, z):
            asked.append(len(z))
            return super().verdict(x, y, z)

    rng = np.random.default_rng(6)
    kind().learn(Recorded(rng.normal(size=(20, 12)) + rng.normal(size=(20, 1)), alpha=0.3))
    assert 0 < max(asked) <= 4


@EACH
def test_blankets_of_a_table_are_the_same_with_the_kernel_and_without_and_counted(kind):
    table = simulate.linear_gaussian(simulate.er_dag(15, 3, seed=2), 400, seed=2)
    test = FisherZ(table)

    class Plain(FisherZ):
        def verdict(self, x, y, z):
            return super().verdict(x, y, z)

    fast, slow = Inquiry(test), Inquiry(Plain(table))
    assert np.array_equal(kind().learn(fast), kind().learn(slow)) and fast.counts == slow.counts
    truth = TotalConditioning().learn(Oracle(simulate.er_dag(15, 3, seed=2)))
    assert (kind().learn(test) & truth).sum() > 0.8 * truth.sum()


@pytest.mark.parametrize(
    ("kind", "settings", "told"),
    [
        *((kind, {"alpha": 2}, "strictly between 0 and 1") for kind in (*NEIGHBOURS, EAMB)),
        *((kind, {"max_condition_size": size}, "whole number") for kind in NEIGHBOURS for size in (-1, 1.5, True)),
        *((EAMB, {"recall": share}, "from 0 to 1") for share in (-0.1, 1.1, "all")),
    ],
)
def test_settings_that_mean_nothing_are_refused(kind, settings, told):
    with pytest.raises(InvalidSetting, match=told):
        kind(**settings)
