"""The order of the rows, units, where a scale begins and float32 say nothing, so they change no mark."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.invariance import WAYS, differing, numbers
from dicola.score.base import to_precision


@pytest.mark.parametrize("seed", [1, 7, 16])  # before scores had a precision, answers differed on the last two
def test_what_says_nothing_changes_no_mark(seed):
    cases = list(differing(numbers(seed), seed, WAYS, "fisher_z"))
    assert len(cases) == 5 * len(WAYS)
    assert [case[:2] for case in cases if case[2]] == []


def test_scores_are_compared_to_a_millionth():
    assert to_precision(0.1 + 0.2) == to_precision(0.3)
    assert to_precision(-5.0) == -5.0 and to_precision(-5.000002) < to_precision(-5.0)
    assert to_precision(np.inf) == np.inf
