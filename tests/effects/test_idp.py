from __future__ import annotations

import numpy as np
import pytest

from dicola import DAG, PAG
from dicola.effects.expression import Distribution, P, Product, Sum
from dicola.effects.idp import Identification, identify
from dicola.errors import InvalidGraph, InvalidSetting
from tests.effects.identification import all_questions, judge, random_question

ADJUSTED = PAG.from_text("A o-> X; B o-> X; X --> Y; B --> Y")
TWO_DOSES = DAG.from_edges(
    [("A", "X1"), ("B", "X1"), ("X1", "L"), ("U", "L"), ("U", "Y"), ("L", "X2"), ("C", "X2"), ("X2", "Y")],
    nodes=["A", "B", "C", "X1", "L", "X2", "Y", "U"],
).true_pag("U")


@pytest.mark.parametrize(
    ("x", "y", "given", "expected"),
    [
        ("X", "Y", (), "Σ_{B} P(B) P(Y | B, X)"),
        ("X", "Y", "B", "P(Y | B, X)"),
        ("X", ["Y", "B"], (), "P(B) P(Y | B, X)"),
        ("Y", "X", (), "P(X)"),
        ((), "Y", "X", "P(Y | X)"),
    ],
)
def test_effects_that_adjustment_finds_too(x, y, given, expected):
    assert str(identify(ADJUSTED, x, y, given).expression) == expected


def test_two_doses_with_a_variable_between_them_need_more_than_adjustment():
    found = identify(TWO_DOSES, ["X1", "X2"], "Y")
    assert str(found.expression) == "Σ_{L} P(L | X1) P(Y | L, X1, X2)"
    assert found.sentence.startswith("P(Y | do(X1, X2)) = Σ_{L} P(L | X1)")
    assert found.arbitrary == () and found.warning is None


@pytest.mark.parametrize(
    ("pag", "x", "y", "given", "reason"),
    [
        (PAG.from_text("A o-o B"), "A", "B", (), "A o-o B leaves open which of the two causes the other"),
        (PAG.from_text("A o-o B; B o-o C"), "A", "C", (), "and B may act on C: B o-o C."),
        (ADJUSTED, "B", "X", (), "B o-> X leaves open whether B causes X or a hidden cause drives both."),
        (ADJUSTED, "B", "X", "A", "B o-> X leaves open"),
        (ADJUSTED, "A", "Y", "X", "A o-> X leaves open whether A causes X or a hidden cause drives both."),
        (TWO_DOSES, "L", "Y", (), "L --> Y is not visible: a hidden common cause of the two may stand behind it."),
        (PAG.from_text("A o-o B; B o-o C; A o-o C"), "A", "B", "C", "A o-o B leaves open"),
    ],
)
def test_what_is_not_identified_comes_with_the_obstacle(pag, x, y, given, reason):
    found = identify(pag, x, y, given)
    assert not found.identified and found.expression is None
    assert reason in found.reason
    assert found.sentence.startswith("P(") and "is not identified" in found.sentence


def test_observing_in_place_of_setting_saves_an_effect_in_a_bucket_of_its_own():
    # A o-o B leaves the direction open, yet given B it makes no difference whether A is set or seen.
    pag = PAG.from_text("A o-o B; B o-o C")
    found = identify(pag, "A", "C", "B")
    assert str(found.expression) == "P(C | B)"


def test_names_and_sets_of_names_are_taken_alike():
    assert identify(ADJUSTED, "X", "Y", "B") == identify(ADJUSTED, ["X"], ("Y",), {"B"})


def test_edges_of_selection_are_refused():
    with pytest.raises(InvalidGraph, match="A --- B tells of selection"):
        identify(PAG.from_text("A --- B; B --- C"), "A", "B")
    with pytest.raises(InvalidGraph, match="selection"):
        identify(PAG.from_text("A --o B"), "A", "B")


@pytest.mark.parametrize(("x", "y", "given"), [("X", "X", ()), ("X", "Y", "Y"), (["X", "X"], "Y", ()), ("X", (), ())])
def test_questions_that_make_no_sense_are_refused(x, y, given):
    with pytest.raises(InvalidSetting):
        identify(ADJUSTED, x, y, given)


def test_an_unknown_name_is_refused():
    with pytest.raises(InvalidGraph, match="'Q' is not a vertex"):
        identify(ADJUSTED, "Q", "Y")


def test_a_graph_that_is_no_pag_brings_a_warning_or_no_answer():
    circle_too_many = PAG.from_text("A o-> X; B o-> X; X --> Y; B o-> Y")
    found = identify(circle_too_many, "X", "Y")
    assert found.warning is not None and found.warning in found.sentence
    cyclic = identify(PAG.from_text("A --> B; B --> C; C --> A"), "A", "B")
    assert not cyclic.identified and "directed cycle" in cyclic.reason


@pytest.mark.parametrize(("n", "count"), [(2, 4), (3, 90), (4, 2750)])
def test_every_question_about_two_to_four_variables_agrees_with_brute_force_over_the_class(n, count):
    rng = np.random.default_rng(3)
    faults = [judge(question, rng, most=3)[1] for question in all_questions(n)]
    assert len(faults) == count
    assert not [fault for fault in faults if fault]


@pytest.mark.parametrize("seed", range(24))
def test_random_questions_about_five_variables_agree_with_brute_force_over_a_sample_of_the_class(seed):
    rng = np.random.default_rng([2, seed])
    _, fault = judge(random_question(rng, 5), rng, most=6)
    assert fault is None


def test_an_expression_is_a_distribution_of_y_for_every_value_of_x_on_any_joint():
    rng = np.random.default_rng(0)
    found = identify(TWO_DOSES, ["X1", "X2"], "Y").expression
    assert found is not None
    table = rng.dirichlet(np.ones(2 ** len(TWO_DOSES))).reshape((2,) * len(TWO_DOSES))
    result = found.evaluate(Distribution(TWO_DOSES.names, table))
    assert result.names == ("X1", "X2", "Y")
    np.testing.assert_allclose(result.values.sum(axis=-1), 1.0)


def test_the_sentence_marks_what_is_summed_over_and_names_what_may_take_any_value():
    summed = Sum(("X",), Product((P(("Y",), ("W", "X")), P(("X",)))))
    found = Identification(("X",), ("Y",), (), summed, "So it is.")
    assert found.arbitrary == ("W",)
    assert found.sentence == "P(Y | do(X)) = Σ_{X'} P(Y | W, X') P(X'), whatever the value of W. So it is."


def test_an_effect_along_a_chain_of_many_variables_is_found():
    n = 150
    chain = [f"V{i} --> V{i + 1}" for i in range(1, n)]
    pag = PAG.from_text("; ".join(["A o-> V1", "B o-> V1", *chain]))
    assert str(identify(pag, "V1", f"V{n}").expression) == f"P(V{n} | V1)"
