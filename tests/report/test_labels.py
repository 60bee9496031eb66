from __future__ import annotations

import pytest

from dicola.report.labels import LONGEST_LABEL, escaped, in_natural_order, short_label, text_width


def test_names_sort_by_their_numbers() -> None:
    assert in_natural_order(["V10", "V2", "V", "A1", "10", "9"]) == ["9", "10", "A1", "V", "V2", "V10"]


def test_names_that_read_alike_keep_one_order() -> None:
    assert in_natural_order(["V01", "V1"]) == in_natural_order(["V1", "V01"])


def test_numbers_of_any_length_sort() -> None:
    assert in_natural_order(["9" * 5000, "1" * 5001]) == ["9" * 5000, "1" * 5001]


def test_long_name_keeps_its_two_ends() -> None:
    label = short_label("a" * 50 + "_last")
    assert len(label) == LONGEST_LABEL
    assert label.startswith("aaa")
    assert label.endswith("_last")


@pytest.mark.parametrize("name", ["", "  ", "\n"])
def test_name_without_ink_gets_a_stand_in(name: str) -> None:
    assert short_label(name) == "(no name)"


def test_escaped_text_has_no_markup_and_no_forbidden_characters() -> None:
    assert escaped("<a href=\"x\" b='y'>&\x00\ud800") == "&lt;a href=&quot;x&quot; b=&#x27;y&#x27;&gt;&amp;\ufffd\ufffd"


def test_wide_scripts_take_more_room_and_combining_marks_none() -> None:
    assert text_width("漢字") > text_width("ab")
    assert text_width("e\u0301") == text_width("e")
