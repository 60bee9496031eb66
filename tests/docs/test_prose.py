"""Prose of the pages is at most 100 columns wide, and what wraps it changes no word, no code and no table."""

from __future__ import annotations

import pytest

from tests.docs.prose import WRITTEN, is_too_wide, paragraphs, wrapped
from tests.docs.snippets import ROOT


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_line_of_prose_is_wider_than_100_columns(page):
    text = page.read_text(encoding="utf-8")
    wide = [line for is_prose, group in paragraphs(text) if is_prose for line in group if is_too_wide(line)]
    assert not wide, f"run python -m tests.docs.prose: {wide[0]}"


def test_wide_paragraphs_are_broken_and_the_rest_is_left_alone():
    word = "word " * 25
    page = (
        f"# {word}\n\n{word}`a code span`\n\n- {word}\n  more\n- short\n\n1. {word}\n\n> {word}\n> end\n\n"
        f"| {word} |\n\n```text\n{word}\n```\n"
    )
    after = wrapped(page)
    kept = [line for line in page.split("\n") if line.startswith(("#", "|", "```"))]
    assert [line for line in after.split("\n") if line.startswith(("#", "|", "```"))] == kept
    assert after.replace(">", "").split() == page.replace(">", "").split()
    assert f"```text\n{word}\n```" in after
    assert all("`a code span`" in line for line in after.split("\n") if "`" in line and "```" not in line)
    prose = [line for is_prose, group in paragraphs(after) if is_prose for line in group]
    assert all(len(line) <= 100 for line in prose) and "\n  word" in after and "\n- short\n" in after
    assert wrapped(after) == after


def test_no_line_begins_with_what_would_start_a_list():
    page = "x " * 49 + "y - and then\n"
    assert wrapped(page) == "x " * 48 + "x\ny - and then\n"
