from __future__ import annotations

import numpy as np
import pytest

from dicola.report.layout import Box
from dicola.report.routing import routes


def test_route_is_straight_from_border_to_border() -> None:
    (route,) = routes([("A", "B")], {"A": Box(0, 0, 40, 28), "B": Box(0, 100, 40, 28)})
    assert not route.bent
    assert route.start == pytest.approx([0, 14], abs=1e-6)
    assert route.end == pytest.approx([0, 86], abs=1e-6)


def test_route_bends_around_a_box_in_its_way() -> None:
    boxes = {"A": Box(0, 0, 40, 28), "M": Box(0, 100, 40, 28), "B": Box(0, 200, 40, 28)}
    (route,) = routes([("A", "B")], boxes)
    middle = (route.start + route.end) / 4 + route.control / 2
    assert route.bent
    assert abs(middle[0]) > 20


def test_route_ends_on_the_rounded_corner() -> None:
    (route,) = routes([("A", "B")], {"A": Box(0, 0, 40, 40), "B": Box(200, 200, 40, 40)})
    assert np.hypot(*(route.start - 12)) == pytest.approx(8, abs=1e-6)


def test_no_edges_have_no_routes() -> None:
    assert routes([], {"A": Box(0, 0, 40, 28)}) == []
