"""The question every learner asks, and how it may be put."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest

from dicola import CITest, FisherZ, InvalidData, InvalidSetting, Ledger, Oracle
from dicola.ci.base import Among, checked_alpha
from dicola.ci.questions import FindSeparator, GivenRest, Separation, SweepLevel, Verdict
from dicola.graphs.dag import DAG
from dicola.learners.l_marvel import SeparatorsInPool
from tests.asking import counted, given_rest

CHAIN = DAG.from_edges([("A", "B"), ("B", "C"), ("C", "D")])


class Recorder(CITest):
    """Says "independent" for chosen questions and remembers what it was asked."""

    def __init__(self, n: int, yes: set[tuple[int, int, tuple[int, ...]]] = frozenset()) -> None:
        self.labels = self.names = tuple(f"V{i}" for i in range(n))
        self.yes, self.asked = yes, []

    def verdict(self, x, y, z):
        self.asked.append((x, y, z))
        return Verdict((x, y, z) in self.yes)


def complete(n: int) -> np.ndarray:
    return ~np.eye(n, dtype=bool)


def test_a_question_may_name_variables_or_give_positions_in_any_order():
    oracle = Oracle(CHAIN)
    assert oracle("A", "C", ["B"]).independent and not oracle("A", "C").independent
    assert oracle("C", 0, (1,)) == oracle(0, 2, ["B"]) == oracle("A", "C", {"B"})


def test_a_question_reaches_the_test_sorted_and_without_repeats():
    test = Recorder(5)
    test(4, 1, [3, 0, 3])
    assert test.asked == [(1, 4, (0, 3))]


@pytest.mark.parametrize(("x", "y", "z"), [("A", "A", []), ("A", "B", ["A"]), ("A", "B", ["C", "B"]), (0, 0, [])])
def test_x_y_and_z_must_be_different(x, y, z):
    with pytest.raises(InvalidSetting, match="different"):
        Oracle(CHAIN)(x, y, z)


def test_an_unknown_variable_is_named_with_the_known_ones():
    with pytest.raises(InvalidData, match=r"'Q' is not a variable of this test.*'A', 'B', 'C', 'D'"):
        Oracle(CHAIN)("A", "Q")
    for position in (4, -1):
        with pytest.raises(InvalidData, match=f"{position} is not a position among 4"):
            Oracle(CHAIN)(0, position)


def test_another_level_is_read_off_the_p_value_where_there_is_one():
    assert Verdict(True, 0.03).independent_at(0.05) is False
    assert Verdict(False, 0.03).independent_at(0.01) is True
    assert Verdict(False, 0.03).independent_at(None) is False
    assert Verdict(True, nan).independent_at(0.05) is True
    assert Verdict(True, 0.05).independent_at(0.05) is False, "p must exceed alpha"


def test_a_level_tries_the_sets_beside_i_and_then_those_beside_j_that_are_new():
    adjacency = complete(4)
    adjacency[0, 3] = adjacency[3, 0] = False
    test = Recorder(4)
    fallen, tests = counted(test, SweepLevel(adjacency, 1))
    assert fallen == [] and tests == len(test.asked)
    assert [z for x, y, z in test.asked if (x, y) == (0, 1)] == [(2,), (3,)]
    assert [z for x, y, z in test.asked if (x, y) == (1, 2)] == [(0,), (3,)], "the same sets from the other end are not asked again"


def test_a_level_reports_the_first_set_and_stops_there_for_that_edge():
    test = Recorder(4, {(0, 1, (3,)), (0, 1, (2,)), (1, 3, (0,))})
    assert test.sweep_level(complete(4), 1) == [Separation(0, 1, (2,)), Separation(1, 3, (0,))]
    assert [z for x, y, z in test.asked if (x, y) == (0, 1)] == [(2,)]


def test_a_level_looks_at_the_frozen_adjacency_only():
    test = Recorder(4, {(0, 1, ()), (2, 3, ())})
    adjacency = complete(4)
    assert len(test.sweep_level(adjacency, 0)) == 2 and adjacency.sum() == 12 and len(test.asked) == 6


def test_a_search_goes_by_size_then_lexicographically_past_tried_sets():
    test = Recorder(6, {(0, 1, (2, 5)), (0, 1, (3, 5))})
    assert counted(test, FindSeparator(1, 0, [5, 3, 2], (0, 1, 2), [{2, 5}, {3}])) == ((3, 5), 2)
    assert test.asked == [(0, 1, (2, 3)), (0, 1, (3, 5))], "the empty set, the singletons and {2, 5} lie in tried sets"


def test_where_nothing_separates_the_search_says_so_after_all_sets():
    assert counted(Recorder(5), FindSeparator(0, 1, [2, 3, 4], range(4))) == (None, 8)


def test_total_conditioning_asks_each_pair_of_the_block_once_given_all_others():
    test = Recorder(4, {(0, 2, (1, 3))})
    dependent, tests = counted(test, GivenRest(block=[2, 0, 3]))
    assert tests == 3 and sorted(test.asked) == [(0, 2, (1, 3)), (0, 3, (1, 2)), (2, 3, (0, 1))]
    assert dependent.tolist() == [[False, False, True], [False, False, True], [True, True, False]]


def test_a_choice_of_variables_is_renumbered_and_may_be_chosen_from_again():
    test = Recorder(6)
    part = Among(test, (5, 1, 3))
    assert part.labels == ("V5", "V1", "V3") and part.names == ("V1", "V3", "V5") and len(part) == 3
    part.verdict(0, 2, (1,))
    part.among([0, 1]).verdict(0, 1, ())
    assert test.asked == [(3, 5, (1,)), (1, 5, ())]


def test_a_test_of_ones_own_needs_one_method():
    found = Oracle(CHAIN)

    class Mine(CITest):
        labels = names = found.labels

        def verdict(self, x, y, z):
            return found.verdict(x, y, z)

    assert np.array_equal(given_rest(Mine()), given_rest(found))


def test_only_levels_between_zero_and_one_pass():
    assert checked_alpha("0.05") == 0.05 and checked_alpha(np.float32(0.5)) == 0.5
    for alpha in (0, 1, -0.1, nan, "x", None):
        with pytest.raises(InvalidSetting):
            checked_alpha(alpha)


def test_the_length_of_a_test_is_its_number_of_variables():
    assert len(FisherZ.from_covariance(np.eye(3), 10)) == 3


def test_the_sets_of_pair_after_pair_end_where_only_a_set_with_the_variable_beside_separates():
    test = Recorder(5, {(0, 1, (2,)), (0, 3, (2, 4))})
    assert Ledger(test).ask(SeparatorsInPool([(0, 1), (3, 0), (1, 2)], [1, 2, 3], 1, beside=4)) == [(2,)]
    assert test.asked[2:] == [(0, 3, z) for z in ((), (1,), (2,), (4,), (1, 4), (2, 4))]
    ledger = Ledger(test)
    assert ledger.ask(SeparatorsInPool([(0, 1), (3, 0), (1, 2)], [1, 2, 3], 1)) == [(2,), None, None] and ledger.counts["total"] == 7
