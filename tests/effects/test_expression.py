from __future__ import annotations

import numpy as np
import pytest

from dicola.effects.expression import ONE, Distribution, Expression, P, Product, Quotient, Sum, joined, product, quotient, sum_over
from dicola.errors import InvalidSetting

FRONT_DOOR = Sum(("M",), Product((P(("M",), ("X",)), Sum(("X",), Product((P(("Y",), ("M", "X")), P(("X",))))))))


def random_joint(seed: int, names: str = "XMYZ") -> Distribution:
    rng = np.random.default_rng(seed)
    shape = rng.integers(2, 4, size=len(names))
    return Distribution(tuple(names), rng.dirichlet(np.ones(int(shape.prod()))).reshape(shape))


def same_values(first: Expression, second: Expression, joint: Distribution) -> bool:
    return np.allclose(*np.broadcast_arrays(first.values(joint), second.values(joint)), rtol=1e-12)


def test_a_summed_variable_that_also_stands_outside_has_a_prime():
    assert str(FRONT_DOOR) == "Σ_{M} P(M | X) Σ_{X'} P(Y | M, X') P(X')"


def test_latex_escapes_names_and_keeps_primes():
    expression = Sum(("air_temp",), Product((P(("Y1",), ("air_temp",)), P(("air_temp",)))))
    assert expression.latex() == r"\sum_{\text{air\_temp}} P(Y_{1} \mid \text{air\_temp})\, P(\text{air\_temp})"
    assert FRONT_DOOR.latex() == r"\sum_{M} P(M \mid X)\, \sum_{X'} P(Y \mid M, X')\, P(X')"
    assert Quotient(P(("A",)), P(("B",))).latex() == r"\frac{P(A)}{P(B)}"


def test_a_sum_before_other_factors_has_brackets():
    assert str(Product((Sum(("A",), P(("Y",), ("A",))), P(("B",))))) == "(Σ_{A} P(Y | A)) P(B)"


def test_the_front_door_formula_is_worked_out_with_each_x_in_its_scope():
    joint = random_joint(1, "XMY")
    p = joint.values
    p_x = p.sum((1, 2))
    m_x = p.sum(2) / p_x[:, None]
    y_xm = p / p.sum(2, keepdims=True)
    found = FRONT_DOOR.evaluate(joint)
    assert found.names == ("X", "Y")
    np.testing.assert_allclose(found.values, np.einsum("xm,amy,a->xy", m_x, y_xm, p_x))
    np.testing.assert_allclose(FRONT_DOOR.evaluate(joint, at={"X": 1}).values, found.values[1])


def test_what_has_no_weight_is_not_needed_and_what_is_needed_and_unknown_is_not_a_number():
    table = np.array([[[0.2, 0.1], [0.0, 0.0]], [[0.3, 0.2], [0.1, 0.1]]])
    joint = Distribution(("Z", "X", "Y"), table)
    adjusted = sum_over({"Z"}, product([P(("Z",)), P(("Y",), ("X", "Z"))]))
    found = adjusted.evaluate(joint).values
    assert np.isnan(found[1]).all() and not np.isnan(found[0]).any()
    without = Distribution(("Z", "X", "Y"), np.stack([np.zeros((2, 2)), table[1] / table[1].sum()]))
    assert not np.isnan(adjusted.evaluate(without).values).any()


@pytest.mark.parametrize("seed", range(40))
def test_simplified_sums_products_and_quotients_have_the_values_of_plain_ones(seed):
    rng = np.random.default_rng(seed)
    names = list("XMYZ")

    def some_p() -> P:
        order = rng.permutation(names).tolist()
        cut, end = int(rng.integers(1, 3)), int(rng.integers(2, 5))
        return P(tuple(order[:cut]), tuple(order[cut:end]))

    plain, simple = some_p(), ONE
    plain_e: Expression = plain
    simple = plain
    for _ in range(4):
        kind, other = rng.integers(3), some_p()
        over = tuple(rng.permutation(names)[: int(rng.integers(1, 3))].tolist())
        if kind == 0:
            plain_e, simple = Product((plain_e, other)), product([simple, other])
        elif kind == 1:
            plain_e, simple = Sum(over, plain_e), sum_over(over, simple)
        else:
            plain_e, simple = Quotient(plain_e, other), quotient(simple, other)
    assert same_values(plain_e, simple, random_joint(seed)), (str(plain_e), str(simple))


def test_factors_of_a_chain_are_joined_by_sight_or_by_independence():
    first, second = P(("M",), ("X",)), P(("Y",), ("M",))
    assert joined(first, second) is None
    assert joined(first, second, lambda a, b, given: (a, b, given) == ({"X"}, {"Y"}, {"M"})) == P(("M", "Y"), ("X",))
    assert joined(first, P(("Y",), ("X", "M"))) == P(("M", "Y"), ("X",))
    assert joined(first, P(("X",), ("M",))) is None


def test_equal_factors_cancel():
    a, b, c = P(("A",)), P(("B",), ("A",)), P(("C",))
    assert quotient(product([a, b, c]), product([c, a])) == b
    assert quotient(a, a) == ONE
    assert str(ONE) == "1"
    assert quotient(Quotient(a, b), Quotient(c, b)) == Quotient(a, c)


def test_a_distribution_that_lacks_a_variable_is_refused_by_name():
    with pytest.raises(InvalidSetting, match="lacks Z"):
        P(("Z",)).evaluate(random_joint(0, "XY"))
    with pytest.raises(InvalidSetting, match="one axis per name"):
        Distribution(("X", "X"), np.ones((2, 2)))
    with pytest.raises(InvalidSetting, match="'Q' is not a variable"):
        random_joint(0, "XY").at({"Q": 0})


def test_axes_can_be_put_in_another_order():
    joint = random_joint(2, "XY")
    np.testing.assert_array_equal(joint.over(["Y", "X"]).values, joint.values.T)
