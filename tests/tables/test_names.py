"""The fixed order of names."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dicola.tables.names import name_order


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["X10", "X2", "X1"], ["X1", "X2", "X10"]),
        (["b", "a", "B"], ["B", "a", "b"]),
        (["10", "9", "a"], ["9", "10", "a"]),
        (["a1b10", "a01b3", "a1b2"], ["a1b2", "a01b3", "a1b10"]),
        (["x²", "x1", "²", "x10²"], None),
        (["٣", "٢"], ["٢", "٣"]),
        (["é", "日本", "a b", "a,b"], None),
        (["1" * 5000, "2"], ["2", "1" * 5000]),
    ],
    ids=lambda names: ascii(names)[:30],
)
def test_the_fixed_order_reads_numbers_as_numbers_and_takes_any_name(names, expected):
    ordered = [names[i] for i in name_order(names)]
    assert sorted(ordered) == sorted(names) and ordered == (expected or ordered)
    for turned in (names[::-1], sorted(names)):
        assert [turned[i] for i in name_order(turned)] == ordered, "whatever order they come in"


def test_the_names_are_light_to_import():
    code = "import sys, dicola.tables.names; print([name for name in ('pandas', 'numpy', 'scipy') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
