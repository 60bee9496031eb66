"""Bit masks as sets of vertices."""

from __future__ import annotations

import numpy as np

from dicola.graphs.bits import mask_of, members


def test_members_of_a_mask_are_its_vertices_in_ascending_order():
    assert list(members(mask_of([7, 0, 3]))) == [0, 3, 7]


def test_the_empty_set_is_zero_and_has_no_members():
    assert mask_of([]) == 0
    assert list(members(0)) == []


def test_a_vertex_named_twice_counts_once():
    assert mask_of([2, 2, 2]) == 0b100


def test_masks_hold_vertices_beyond_a_machine_word():
    vertices = sorted({int(v) for v in np.random.default_rng(1).integers(0, 3000, 200)})
    assert list(members(mask_of(vertices))) == vertices
