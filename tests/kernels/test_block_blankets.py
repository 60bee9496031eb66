"""Blankets of blocks grown by a kernel: against question by question, also where p-values underflow."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dicola import BasisFunction, DegenerateGaussian
from dicola._kernels.block_blankets import log_tail
from dicola._kernels.compiled import kernel
from dicola.blankets.grow_shrink import Growing, GrownBlankets, _AtOnce
from dicola.ci.by_evidence import log_survival


@kernel
def tail(freedom, statistic):
    return log_tail(freedom, statistic)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7, 12, 25, 400, 401])
def test_the_tail_is_that_of_the_distribution(freedom):
    for statistic in (0.0, 1e-3, 0.7, 4.0, 30.0, 500.0, 1300.0, 20_000.0):
        assert tail(freedom, statistic) == pytest.approx(log_survival(np.array([freedom]), np.array([statistic]))[0], rel=1e-9, abs=1e-12)


def strong(seed: int) -> pd.DataFrame:
    """Numbers and letters, some of them so closely related that their p-values are 0."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(2000, 8))
    for v in range(1, 8):
        values[:, v] += rng.choice([0.0, 0.5, 5.0]) * values[:, int(rng.integers(v))]
    letters = {v: np.array(list("abcd"))[np.digitize(values[:, v], np.quantile(values[:, v], [0.2, 0.5, 0.8]))] for v in (2, 5, 6)}
    return pd.DataFrame({f"V{v}": letters.get(v, values[:, v]) for v in range(8)})


@pytest.mark.parametrize("kind", [DegenerateGaussian, BasisFunction])
def test_blankets_are_those_of_single_questions(kind):
    for seed in range(6):
        test, rule = kind(strong(seed)), Growing(0.01, 1e-4, strongest_first=True, most=6)
        found, tests = GrownBlankets(range(8), rule).by_evidence(test)
        growing = _AtOnce(test, rule)
        assert [tuple(np.flatnonzero(row).tolist()) for row in found] == [growing.blanket(v, ()) for v in range(8)]
        assert tests == growing.tests and found.any()
