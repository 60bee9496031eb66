"""Tests by name."""

from __future__ import annotations

import pytest

from dicola import FisherZ, InvalidSetting
from dicola.ci.registry import TESTS


@pytest.mark.parametrize("name", ["fisher_z", "fisher-z", "Fisher_Z"])
def test_a_test_is_found_by_its_name(name):
    assert TESTS.named(name) is FisherZ


@pytest.mark.parametrize("name", ["fisher", "", None, 3])
def test_an_unknown_name_lists_the_known_ones(name):
    with pytest.raises(InvalidSetting) as caught:
        TESTS.named(name)
    assert repr(name) in str(caught.value) and all(known in str(caught.value) for known in TESTS)
