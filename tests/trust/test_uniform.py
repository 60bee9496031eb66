"""P-values are uniform under the null model of each test; ``make trust`` asks the same with more tables."""

from __future__ import annotations

import pytest

from tests.trust.nulls import TESTS, Cell, cells, fit_of, p_values

ASKED = [cell for cell in cells() if cell.size in (0, 2) and cell.test != "rcit"]


@pytest.mark.parametrize("cell", ASKED, ids=lambda cell: " ".join(map(str, cell)))
def test_p_values_are_uniform_under_the_null_model(cell: Cell):
    assert fit_of(p_values(cell, 120, 400, seed=3)) > 0.01 / len(ASKED)


def test_every_test_is_asked_about():
    assert {cell.test for cell in cells()} == set(TESTS)
