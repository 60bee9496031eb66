"""PAGs: counting marks and reading edges as sentences."""

from __future__ import annotations

from itertools import product

import pytest

from dicola.graphs.marks import Mark
from dicola.graphs.pag import PAG


def test_marks_are_counted_by_edge_ends():
    pag = PAG.from_text("A o-> B; C o-o B; B --> D; D <-> E")
    assert [pag.count(mark) for mark in (Mark.CIRCLE, Mark.ARROW, Mark.TAIL)] == [3, 4, 1]


@pytest.mark.parametrize(("mark_a", "mark_b"), list(product((1, 2, 3), repeat=2)))
def test_every_edge_has_a_sentence_that_names_both_ends(mark_a, mark_b):
    pag = PAG.from_matrix([[0, mark_b], [mark_a, 0]], ["Alpha", "Beta"])
    (sentence,) = pag.in_words()
    assert "Alpha" in sentence and "Beta" in sentence and sentence.endswith(".")


def test_the_sentence_does_not_depend_on_the_order_of_the_vertices():
    pag = PAG.from_text("A --> B; C o-> B; C --o D")
    assert sorted(pag.in_words()) == sorted(pag.reordered("DCBA").in_words())


def test_the_cause_is_named_as_the_cause():
    assert PAG.from_text("B <-- A", nodes="BA").in_words()[0].startswith("A is a cause of B")


def test_an_arrowhead_denies_that_its_end_is_a_cause():
    assert PAG.from_text("A o-> B").in_words()[0].startswith("B is not a cause of A")


@pytest.mark.parametrize("name", ["{u}", "{v}", "{}", "%s", "{0}"])
def test_names_with_braces_appear_as_they_are(name):
    (sentence,) = PAG.from_matrix([[0, 2], [3, 0]], [name, "B"]).in_words()
    assert sentence.startswith(f"{name} is a cause of B")
