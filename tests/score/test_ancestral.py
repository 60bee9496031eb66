"""Ancestral graphs to start from, whatever the marks were."""

from __future__ import annotations

import numpy as np

from dicola import MAG, PAG, mag_to_pag
from dicola.graphs.marks import ARROW, TAIL
from dicola.score.ancestral import ancestral_marks, marks_of_dag
from dicola.score.search import linear_extension
from tests.score.drawn import models


def is_ancestral(marks: np.ndarray) -> bool:
    reason = MAG(marks).invalid()
    return reason is None or "not maximal" in reason


def test_a_graph_of_any_marks_becomes_an_ancestral_one_with_the_same_edges():
    rng = np.random.default_rng(0)
    for _ in range(300):
        n = int(rng.integers(2, 9))
        edges = np.triu(rng.random((n, n)) < rng.uniform(0.2, 1), 1)
        marks = np.where(edges | edges.T, rng.integers(1, 4, (n, n)), 0).astype(np.int8)
        found = ancestral_marks(marks)
        assert np.array_equal(found != 0, marks != 0)
        assert is_ancestral(found)


def test_of_a_pag_it_keeps_every_mark_that_is_not_a_circle():
    for mag, _ in models(1, 100, n_samples=10):
        pag = mag_to_pag(mag)
        found = ancestral_marks(pag.to_matrix())
        sure = (pag.marks == ARROW) | (pag.marks == TAIL)
        assert np.array_equal(found[sure], pag.marks[sure])
        assert mag_to_pag(MAG(found, pag.names)) == pag


def test_a_cycle_is_broken_at_the_last_edge():
    found = MAG(ancestral_marks(PAG.from_text("A --> B; B --> C; C --> A", "ABC").to_matrix()), "ABC")
    assert sum(edge.mark_u == TAIL for edge in found.edges()) == 3 and found.invalid() is None


def test_the_marks_of_a_dag_and_an_order_of_it():
    parents = np.array([[0, 0, 1], [1, 0, 0], [0, 0, 0]], dtype=np.bool_)
    marks = marks_of_dag(parents)
    assert str(MAG(marks, "ABC")) == "A --> B\nC --> A"
    assert linear_extension(marks) == [2, 0, 1]
