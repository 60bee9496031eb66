from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from dicola.graphs.pag import PAG
from dicola.report.layout import Box, layout


def overlapping(boxes: dict[str, Box], margin: float = 4.0) -> list[tuple[str, str]]:
    return [
        (u, v)
        for (u, a), (v, b) in combinations(boxes.items(), 2)
        if abs(a.x - b.x) < (a.width + b.width) / 2 + margin and abs(a.y - b.y) < (a.height + b.height) / 2 + margin
    ]


@pytest.mark.parametrize("observed", [5, 12, 32, 60, 150, 260])
def test_boxes_do_not_overlap(make_pag, observed: int) -> None:
    assert overlapping(layout(make_pag(observed))) == []


def test_boxes_with_long_names_do_not_overlap(medium_pag: PAG) -> None:
    named = PAG(medium_pag.marks, [f"{name}_{'wide' * (i % 8)}" for i, name in enumerate(medium_pag.names)])
    assert overlapping(layout(named)) == []


@pytest.mark.parametrize("mark", [1, 2, 3])
def test_boxes_of_a_complete_graph_and_of_a_star_do_not_overlap(mark: int) -> None:
    complete = mark * (1 - np.eye(9, dtype=np.int8))
    star = np.zeros((20, 20), dtype=np.int8)
    star[0, 1:] = star[1:, 0] = mark
    assert overlapping(layout(PAG(complete))) == []
    assert overlapping(layout(PAG(star))) == []


def test_order_of_the_vertices_does_not_move_them(medium_pag: PAG) -> None:
    shuffled = np.random.default_rng(1).permutation(medium_pag.names).tolist()
    assert list(layout(medium_pag).items()) == list(layout(medium_pag.reordered(shuffled)).items())


def test_arrows_of_a_chain_point_down() -> None:
    boxes = layout(PAG.from_text("A o-> B; C o-> B; B --> D; D --> E"))
    assert max(boxes["A"].y, boxes["C"].y) < boxes["B"].y < boxes["D"].y < boxes["E"].y


def test_isolated_vertices_stand_in_a_row_below_the_rest() -> None:
    boxes = layout(PAG.from_text("A o-> B", nodes=["A", "B", "S1", "S2", "S10"]))
    assert boxes["S1"].y == boxes["S2"].y == boxes["S10"].y > boxes["B"].y
    assert boxes["S1"].x < boxes["S2"].x < boxes["S10"].x


def test_drawing_starts_at_the_corner(medium_pag: PAG) -> None:
    boxes = layout(medium_pag).values()
    assert min(box.x - box.width / 2 for box in boxes) == pytest.approx(0, abs=0.1)
    assert min(box.y - box.height / 2 for box in boxes) == pytest.approx(0, abs=0.1)


def test_graph_without_vertices_has_no_boxes() -> None:
    assert layout(PAG(np.zeros((0, 0)), [])) == {}
