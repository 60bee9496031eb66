from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter

import numpy as np
import pytest

from dicola.graphs.marks import Edge, Mark
from dicola.graphs.pag import PAG, edge_in_words
from dicola.report.drawing import draw, draw_key, edge_kind

SVG = "{http://www.w3.org/2000/svg}"
ODD_NAMES = ["<script>alert(1)</script>", "a & b", '"it\'s"', "größe_漢字_🌱", "", "x" * 200, "tab\there", "]]>", "\x01"]


def classes(svg: str) -> Counter[str]:
    return Counter(element.get("class", "") for element in ET.fromstring(svg).iter())


def test_every_end_carries_its_mark(medium_pag: PAG) -> None:
    found = classes(draw(medium_pag))
    assert found["circle"] == medium_pag.count(Mark.CIRCLE) > 0
    assert found["arrow"] == medium_pag.count(Mark.ARROW) > 0
    assert found["line"] == medium_pag.n_edges
    assert found["node"] == len(medium_pag)


@pytest.mark.parametrize("text", ["A --> B", "A o-> B", "A o-o B", "A <-> B", "A --o B", "A --- B"])
def test_marks_of_one_edge_stand_at_the_right_boxes(text: str) -> None:
    pag = PAG.from_text(text)
    root = ET.fromstring(draw(pag))
    centre = {node.get("data-name"): float(node.find(f"{SVG}rect").get("y")) + 14 for node in root.iter(f"{SVG}g") if node.get("data-name")}
    height = {"circle": [], "arrow": []}
    for shape in root.iter():
        if shape.get("class") == "circle":
            height["circle"].append(float(shape.get("cy")))
        if shape.get("class") == "arrow":
            height["arrow"].append(float(shape.get("d")[1:].split("L")[0].split(",")[1]))
    (edge,) = pag.edges()
    for kind, mark in (("circle", Mark.CIRCLE), ("arrow", Mark.ARROW)):
        wanted = [name for name, end in ((edge.u, edge.mark_u), (edge.v, edge.mark_v)) if end is mark]
        nearest = [min(centre, key=lambda name, y=y: abs(centre[name] - y)) for y in height[kind]]
        assert sorted(nearest) == sorted(wanted)


def test_edge_tells_its_text_and_its_words(medium_pag: PAG) -> None:
    titles = {group.find(f"{SVG}title").text for group in ET.fromstring(draw(medium_pag)).iter(f"{SVG}g") if group.get("data-u")}
    assert titles == {f"{edge}\n{edge_in_words(edge)}" for edge in medium_pag.reordered(sorted(medium_pag.names, key=_number)).edges()}


def _number(name: str) -> int:
    return int(name[1:])


def test_names_of_any_characters_are_escaped() -> None:
    marks = np.zeros((len(ODD_NAMES), len(ODD_NAMES)), dtype=np.int8)
    for v in range(1, len(ODD_NAMES)):
        marks[0, v], marks[v, 0] = 2, 1
    svg = draw(PAG(marks, ODD_NAMES))
    assert "<script" not in svg
    shown = {node.find(f"{SVG}title").text or "" for node in ET.fromstring(svg).iter(f"{SVG}g") if node.get("data-name") is not None}
    assert shown == {*ODD_NAMES[:-1], "\ufffd"}


@pytest.mark.parametrize("names", [[], ["alone"], ["A", "B", "C"]])
def test_graph_without_edges_is_drawn(names: list[str]) -> None:
    found = classes(draw(PAG(np.zeros((len(names), len(names))), names)))
    assert found["node"] == len(names)
    assert found["line"] == 0


def test_same_graph_gives_the_same_bytes_in_any_order_of_vertices(medium_pag: PAG) -> None:
    shuffled = np.random.default_rng(2).permutation(medium_pag.names).tolist()
    assert draw(medium_pag) == draw(medium_pag) == draw(medium_pag.reordered(shuffled))


def test_everything_lies_inside_the_view(medium_pag: PAG) -> None:
    root = ET.fromstring(draw(medium_pag))
    left, top, width, height = (float(part) for part in root.get("viewBox").split())
    for rect in root.iter(f"{SVG}rect"):
        assert left <= float(rect.get("x")) <= left + width
        assert top <= float(rect.get("y")) <= top + height


def test_drawing_has_a_role_a_title_and_a_description(medium_pag: PAG) -> None:
    root = ET.fromstring(draw(medium_pag))
    assert root.get("role") == "img"
    assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    assert f"{medium_pag.n_edges} edges" in root.find(f"{SVG}desc").text


def test_kinds_of_edge_are_told_apart() -> None:
    kinds = [edge_kind(edge) for edge in PAG.from_text("A --> B; B <-> C; C o-> D; D --- E; E --o F").edges()]
    assert kinds == ["directed", "bidirected", "circle", "selection", "circle"]


def test_key_shows_the_marks_of_its_edge() -> None:
    assert classes(draw_key(Edge("A", "B", Mark.CIRCLE, Mark.ARROW)))["circle"] == 1
    assert classes(draw_key(Edge("A", "B", Mark.ARROW, Mark.ARROW)))["arrow"] == 2


def test_every_mark_of_a_large_graph_is_drawn() -> None:
    rng = np.random.default_rng(0)
    marks = np.zeros((300, 300), dtype=np.int8)
    for v in range(1, 300):
        for u in rng.integers(0, v, 1 + v % 5 // 4):
            marks[u, v], marks[v, u] = 2, 1
    found, pag = classes(draw(PAG(marks))), PAG(marks)
    assert found["circle"] == pag.count(Mark.CIRCLE) and found["arrow"] == pag.count(Mark.ARROW) and found["node"] == 300
