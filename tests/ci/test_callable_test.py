"""Any function of names serves as a test."""

from __future__ import annotations

import numpy as np
import pytest

from dicola import CallableTest, FisherZ, InvalidData, InvalidSetting, Oracle, discover, simulate
from tests.exactness.run import hidden_dag


def test_a_function_that_returns_a_bool_is_taken_at_its_word():
    for number in range(10):
        dag, latents = hidden_dag(19, number)
        oracle = Oracle(dag, latents)
        for convert in (bool, np.bool_):
            test = CallableTest(lambda x, y, z, yes=oracle, to=convert: to(yes(x, y, z).independent), names=oracle.names)
            assert discover(test).pag == dag.true_pag(latents)
            assert np.isnan(test(0, 1).p_value)


def test_a_function_that_returns_p_values_is_read_at_alpha():
    dag = simulate.er_dag(8, 2, seed=5)
    frame = simulate.linear_gaussian(dag, 500, seed=5)
    fisher = FisherZ(frame, alpha=0.05)
    test = CallableTest(lambda x, y, z: fisher(x, y, z).p_value, names=frame.columns, alpha=0.05)
    one, other = discover(test), discover(fisher)
    assert one.pag == other.pag and one.skeleton == other.skeleton and one.tree == other.tree


def test_it_is_called_with_two_names_and_a_tuple_of_names_in_the_fixed_order():
    seen = []

    def record(x, y, z):
        seen.append((x, y, z))
        return 0.5

    CallableTest(record, names=["X10", "X9", "b", "a"])("a", "X10", ["b", "X9"])
    assert seen == [("X10", "a", ("X9", "b"))] and isinstance(seen[0][2], tuple)


def test_p_equal_to_alpha_is_dependence():
    verdicts = [CallableTest(lambda x, y, z, p=p: p, names="AB", alpha=0.05)(0, 1).independent for p in (0.05, 0.0500001, 0, 1)]
    assert verdicts == [False, True, False, True]


@pytest.mark.parametrize("answer", [1.5, -0.1, float("nan"), None, "yes", [0.5, 0.5], 2, {}], ids=repr)
def test_an_answer_that_is_neither_is_refused_with_the_question(answer):
    test = CallableTest(lambda x, y, z: answer, names=["A", "B", "C"])
    with pytest.raises(InvalidSetting, match=r"for \('A', 'C', \('B',\)\).*p-value between 0 and 1, or a bool"):
        test("C", "A", ["B"])


def test_numbers_of_any_library_serve_as_p_values():
    for answer in (np.float32(0.5), np.array(0.5), 1, 0):
        assert CallableTest(lambda x, y, z, a=answer: a, names="AB")(0, 1).p_value == float(answer)


def test_an_error_inside_the_function_comes_through():
    def broken(x, y, z):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        discover(CallableTest(broken, names="ABC"))


def test_bad_arguments_are_refused():
    with pytest.raises(InvalidSetting, match="wraps a function"):
        CallableTest(0.5, names="AB")
    with pytest.raises(InvalidData, match="'A' appears more than once"):
        CallableTest(lambda x, y, z: 0.5, names="AA")
    with pytest.raises(InvalidSetting, match="alpha is 2"):
        CallableTest(lambda x, y, z: 0.5, names="AB", alpha=2)
