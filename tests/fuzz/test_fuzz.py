"""Five hundred cases of every run of the suite; ``make fuzz N=20000`` tries more."""

from __future__ import annotations

import pytest

from tests.fuzz.properties import PROPERTIES, place
from tests.fuzz.run import fuzz, shares

SUITE = shares(500)


@pytest.mark.parametrize("holds", PROPERTIES, ids=lambda holds: holds.__name__)
def test_nothing_but_our_own_errors_comes_out(holds, monkeypatch):
    monkeypatch.chdir(place())
    tried, report = fuzz(holds, SUITE[holds], start=0)
    assert report == "" and tried >= SUITE[holds] // 2


def test_what_escapes_is_reported():
    def holds(draw):
        raise TypeError("raw")

    assert "TypeError: raw" in fuzz(holds, 3, start=0)[1]
