from __future__ import annotations

from dataclasses import replace

import numpy as np

from dicola import DAG, PAG, Oracle, discover


def test_a_pag_shows_itself_as_its_drawing() -> None:
    pag = PAG.from_text("A o-> B")
    assert pag._repr_svg_() == pag.draw() and pag.draw().startswith("<svg")


def test_where_html_is_shown_the_drawing_stands_in_a_frame_that_knows_the_theme() -> None:
    pag = PAG.from_text("A o-> B")
    shown = pag._repr_html_()
    assert pag.draw() in shown and "vscode-dark" in shown
    assert shown.count("{") == shown.count("}") > 40  # the colours are cut out of a style and put together anew


def test_a_graph_too_large_to_read_in_a_notebook_is_not_drawn_there() -> None:
    pag = PAG(np.zeros((200, 200)))
    assert pag._repr_svg_() is None and pag._repr_html_() is None


def test_a_discovery_shows_a_card_with_the_drawing_and_no_script() -> None:
    found = replace(discover(Oracle(DAG.from_edges([("A", "C"), ("B", "C")]))), warnings=("<b>bold</b>",))
    card = found._repr_html_()
    assert "<svg" in card and "3 variables" in card and "&lt;b&gt;" in card
    assert "<script" not in card and "<iframe" not in card
