"""The weakest link that is found four times out of five is found so often."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from dicola import BasisFunction, DegenerateGaussian, FisherZ, GSquare, Oracle, Table, discover, simulate
from dicola.blankets.total_conditioning import TotalConditioning
from dicola.ci.power import Power

REPEATS = 2000
MARGIN = 3.5 * sqrt(0.8 * 0.2 / REPEATS)  # of the share found, and a little for Fisher's approximation


def samples(correlation: float, given: int, rows: int, seed: int):
    """Tables in which the first two columns have this partial correlation given the others, which drive both."""
    rng = np.random.default_rng(seed)
    for _ in range(REPEATS):
        z = rng.normal(size=(rows, given))
        x = rng.normal(size=rows)
        y = correlation * x + sqrt(1 - correlation**2) * rng.normal(size=rows)
        yield np.column_stack([x + z.sum(axis=1), y - 0.5 * z.sum(axis=1), z])


@pytest.mark.parametrize(("rows", "given", "alpha"), [(60, 0, 0.01), (118, 3, 0.01), (118, 30, 0.05), (400, 2, 0.001)])
def test_a_link_of_that_size_is_found_in_four_samples_of_five(rows, given, alpha):
    correlation = FisherZ(np.random.default_rng(0).normal(size=(rows, given + 2)), alpha=alpha).detectable(given)
    held = tuple(range(2, given + 2))
    found = sum(not FisherZ(table, alpha=alpha).verdict(0, 1, held).independent for table in samples(correlation, given, rows, seed=1))
    assert abs(found / REPEATS - 0.8) < MARGIN


def test_the_power_of_total_conditioning_is_that_of_its_own_level():
    rows, k, blankets = 118, 12, TotalConditioning()
    whole = FisherZ(np.random.default_rng(0).normal(size=(rows, k)))
    correlation = whole.detectable(k - 2, blankets.level(k))
    found = sum(bool(blankets.learn(FisherZ(table))[0, 1]) for table in samples(correlation, k - 2, rows, seed=2))
    assert abs(found / REPEATS - 0.8) < MARGIN
    assert correlation > whole.detectable(k - 2) > whole.detectable(0)


def test_fewer_rows_and_more_held_fixed_show_less():
    rng = np.random.default_rng(0)
    found = [FisherZ(rng.normal(size=(rows, 4))).detectable(size) for rows in (5000, 500, 50, 10) for size in (0, 2)]
    assert found == sorted(found) and found[0] > 0 and found[-1] < 1


def test_too_few_rows_an_oracle_and_a_test_of_ones_own_have_no_such_number():
    class Own(FisherZ):
        def p_values(self, x, y, sets):
            return np.full(len(sets), 0.5)

    values = np.random.default_rng(0).normal(size=(10, 9))
    assert FisherZ(values).detectable(6) is not None and FisherZ(values).detectable(7) is None
    assert FisherZ(values).among([0, 1, 2]).detectable(1) == FisherZ(values).detectable(1)
    assert Own(values).detectable(0) is None
    assert Oracle(simulate.er_dag(4, 2, seed=0)).detectable(0) is None
    assert FisherZ(values, alpha=1e-300).detectable(6) == pytest.approx(1)


def test_the_sentence_names_rows_and_sizes():
    assert str(Power(118, 3, 0.3121)) == (
        "with 118 rows a partial correlation of .31 or more is found 4 times out of 5; weaker links are easily missed."
    )
    assert "5,000 rows a correlation of .048 or more" in str(Power(5000, 0, 0.0479))
    assert "of .31 (.45 given all other variables) or more" in str(Power(118, 3, 0.3121, 0.4466))
    assert "of .31 or more" in str(Power(118, 3, 0.3121, 0.3)), "tests that are less strict lose nothing"
    assert "of .99 or more" in str(Power(6, 1, 0.9999))


FEWER = 600
WIDER = 3.5 * sqrt(0.8 * 0.2 / FEWER)
THIRDS = np.array([-1, 0, 1]) * sqrt(1.5)  # three equally likely numbers of mean 0 and variance 1


def classes(rng: np.random.Generator, correlation: float, rows: int) -> list[np.ndarray]:
    """Two columns of three levels whose canonical correlations are this one and 0."""
    chances = (1 + correlation * np.outer(THIRDS, THIRDS)) / 9
    return list(np.divmod(rng.choice(9, size=rows, p=chances.ravel()), 3))


def as_table(columns: list[np.ndarray], kinds: str) -> Table:
    names = [f"V{i}" for i in range(len(columns))]
    nominal = {name: "nominal" for name, kind in zip(names, kinds, strict=True) if kind == "n"}
    return Table.from_array(np.column_stack(columns), names).understood(nominal)


def group_and_number(rng: np.random.Generator, correlation: float, rows: int) -> list[np.ndarray]:
    group = rng.integers(3, size=rows)
    return [group, correlation * THIRDS[group] + sqrt(1 - correlation**2) * rng.normal(size=rows)]


def two_numbers(rng: np.random.Generator, correlation: float, rows: int) -> list[np.ndarray]:
    x, noise = rng.normal(size=(2, rows))
    return [x, correlation * x + sqrt(1 - correlation**2) * noise]


@pytest.mark.parametrize(
    ("test", "pair", "kinds", "given", "freedom", "rows"),
    [
        (DegenerateGaussian, two_numbers, "cc", "", 1, 150),
        (DegenerateGaussian, group_and_number, "nc", "", 2, 200),
        (DegenerateGaussian, classes, "nn", "", 4, 300),
        (DegenerateGaussian, classes, "nn", "nn", 4, 300),
        (BasisFunction, two_numbers, "cc", "", 5, 300),
        (GSquare, classes, "nn", "", 4, 400),
        (GSquare, classes, "nn", "n", 12, 600),
    ],
)
def test_a_link_between_blocks_or_categories_of_that_size_is_found_in_four_samples_of_five(test, pair, kinds, given, freedom, rows):
    rng = np.random.default_rng(5)

    def drawn(strength: float) -> Table:
        columns = pair(rng, strength, rows)
        return as_table([*columns, *(rng.integers(3, size=rows) for _ in given)], kinds + given)

    whole = test(drawn(0.0))
    smallest, held = whole.detectable(len(given)), tuple(range(2, 2 + len(given)))
    assert whole.usual_freedom(len(given)) == freedom
    strength = smallest * sqrt(2) if test is GSquare else smallest  # Cramér's V of three levels by three
    found = sum(not test(drawn(strength)).verdict(0, 1, held).independent for _ in range(FEWER))
    assert abs(found / FEWER - 0.8) < WIDER


def test_blocks_and_categories_have_a_sentence_of_their_own():
    assert "200 rows a link between two usual columns (4 degrees of freedom) that explains 4.1 % of the variance or more is found" in str(
        Power(200, 2, 0.2025, None, "share", 4)
    )
    assert "a partial correlation of .2 or more" in str(Power(200, 2, 0.2, None, "share", 1)).replace(".20", ".2")
    assert "a link between two usual columns (1 degree of freedom) with a Cramér's V of .12 or more" in str(
        Power(900, 0, 0.12, None, "cramer", 1)
    )
    assert "explains 4 % of the variance (9 % of the variance given all other variables)" in str(Power(9, 1, 0.2, 0.3, "share", 2))


def test_where_rows_are_too_few_the_line_tells_what_is_found_given_fewer():
    rng = np.random.default_rng(2)
    values = rng.integers(3, size=(100, 1)) * np.ones((1, 5), dtype=int)
    values = np.where(rng.random(values.shape) < 0.3, rng.integers(3, size=values.shape), values)
    test = GSquare(values)
    assert test.detectable(1) is not None and test.detectable(3) is None
    power = discover(test, learner="pc", decompose=False).power
    assert power is not None and power.strength == "cramer" and power.freedom == test.usual_freedom(power.given)
