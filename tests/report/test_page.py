from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from dicola import DAG, PAG, Discovery, FisherZ, Oracle, discover, simulate
from dicola.report.page import page

TIMING = re.compile(r"<!-- timing:begin -->.*?<!-- timing:end -->", re.DOTALL)
FACTS = re.compile(r'<script type="application/json" id="facts">(.*?)</script>', re.DOTALL)
VOID = {"meta", "input", "br"}


@pytest.fixture(scope="module")
def found() -> Discovery:
    dag = simulate.er_dag(12, 2.6, seed=4)
    table = simulate.linear_gaussian(dag, 500, seed=4).drop(columns=list(simulate.hide(dag, 2, seed=4)))
    return discover(FisherZ(table, alpha=0.05))


@pytest.fixture(scope="module")
def text(found) -> str:
    return page(found)


class Balance(HTMLParser):
    """Fails on a tag that is closed out of turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not any(name.startswith("on") or name == "style" for name, _ in attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_page_is_well_formed_and_has_no_handlers_or_styles_in_its_tags(text) -> None:
    parser = Balance()
    parser.feed(text)
    assert parser.open == []


def test_seconds_stand_in_one_block_and_nothing_else_does_change(found, text) -> None:
    second = page(replace(found, seconds={"leaves": 7.125, "orientation": 1.0, "total": 9.75}))
    assert text.count("<!-- timing:begin -->") == text.count("<!-- timing:end -->") == 1
    assert text != second
    assert TIMING.sub("", text) == TIMING.sub("", second)
    assert "7.125" in TIMING.findall(second)[0]


def test_same_result_gives_the_same_bytes_in_any_order_of_vertices(found, text) -> None:
    assert text == page(replace(found, pag=found.pag.reordered(found.pag.names[::-1])))


def test_page_reaches_for_nothing(text) -> None:
    without_names_of_standards = text.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|url\(|@import|<link|<img|<iframe|fetch\(|XMLHttpRequest|innerHTML|eval\(", without_names_of_standards)


def test_policy_allows_the_script_and_the_styles_of_the_page_alone(text) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    assert policy.startswith("default-src 'none'; ") and "unsafe" not in policy
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    for piece in (script, *re.findall(r"<style>(.*?)</style>", text, re.DOTALL)):
        assert base64.b64encode(hashlib.sha256(piece.encode()).digest()).decode() in policy


def test_page_lists_every_edge_with_its_words_for_readers_without_scripts(found, text) -> None:
    from html import escape

    assert all(escape(sentence) in text for sentence in found.pag.in_words())
    assert text.count('<th scope="row"><code>') == found.pag.n_edges
    assert "<svg" in text


def test_page_tells_settings_tests_and_warnings(found) -> None:
    text = page(replace(found, warnings=("few rows",), tests={**found.tests, "total": 1245}))
    for piece in ("max depth", "not set", "0.05", "blankets", "1\u202f245", "few rows", "largest leaf", "dicola 0."):
        assert piece in text


def test_page_says_whether_the_graph_is_legal() -> None:
    dag = DAG.from_edges([("A", "C"), ("B", "C"), ("C", "D")])
    legal = discover(Oracle(dag))
    assert "is a legal PAG" in page(legal)
    illegal = replace(legal, pag=PAG.from_text("A --> C; C --> D; D --> A; B o-> C"))
    assert "is not a legal PAG" in page(illegal)


def test_facts_hold_the_graph_the_reasons_and_the_separating_sets(found, text) -> None:
    facts = json.loads(FACTS.search(text)[1])
    names = facts["names"]
    marks = np.zeros((len(names), len(names)), dtype=int)
    for u, v, mark_u, mark_v, _ in facts["edges"]:
        marks[v, u], marks[u, v] = mark_u, mark_v
    assert PAG.from_matrix(marks, names) == found.pag
    for (u, v, mark_u, mark_v, _), (why_u, why_v) in zip(facts["edges"], facts["why"], strict=True):
        assert (why_u == 0) == (mark_u == 1) and (why_v == 0) == (mark_v == 1)
        if why_v:
            reason = found.reasons[u, v]
            assert why_v == [reason.rule, *reason.witness]
    recorded = {(x, y): tuple(z) for sets in facts["sets"].values() for x, y, *z in sets}
    assert recorded and all(found.skeleton.sets.get(x, y) is not None or (x, y) in found.skeleton.edges for x, y in recorded)


def test_facts_hold_the_weakest_test_of_each_edge_where_it_is_told(found, text) -> None:
    rows = found.pag.to_pandas().assign(p_value=0.0012345, given="B, C", sign="-", partial_correlation=-0.25)
    rows.loc[0, ["p_value", "partial_correlation"]] = np.nan
    rows.loc[1, ["sign", "partial_correlation"]] = [None, np.nan]
    facts = json.loads(FACTS.search(page(found, rows.sample(frac=1.0, random_state=1)))[1])
    told = {frozenset(facts["names"][end] for end in edge[:2]): test for edge, test in zip(facts["edges"], facts["evidence"], strict=True)}
    wanted = [None, [0.001234, "B, C", None, None], *[[0.001234, "B, C", "-", -0.25]] * (len(rows) - 2)]
    assert told == {frozenset((row.u, row.v)): test for row, test in zip(rows.itertuples(), wanted, strict=True)}
    assert json.loads(FACTS.search(text)[1])["evidence"] is None
    assert page(found, rows.assign(p_value=np.nan)) == text


def test_sets_that_are_too_many_stay_out_of_the_page(found, monkeypatch) -> None:
    monkeypatch.setattr("dicola.report.payload._ROOM_FOR_SETS", 3)
    assert json.loads(FACTS.search(page(found))[1])["sets"] is None


ODD = ["<script>alert(1)</script>", "</script><!-- timing:begin -->"]
ODD += ['"', "&", "a;b", "\u2028", "🌱", "x" * 200, "变量", "", "{u}", "__proto__"]


def test_everything_from_outside_is_escaped() -> None:
    edges = [(ODD[i], ODD[(i + 1) % len(ODD)]) for i in range(0, len(ODD) - 1)]
    found = replace(discover(Oracle(DAG.from_edges(edges))), warnings=(ODD[1],), settings={ODD[0]: {ODD[1]: [ODD[0]]}})
    text = page(found)
    assert "<script>alert" not in text and text.count("</script>") == 2 and text.count("<!-- timing:begin -->") == 1
    assert set(json.loads(FACTS.search(text)[1])["names"]) == set(ODD)
    parser = Balance()
    parser.feed(text)
    assert parser.open == []


def test_graph_without_edges_makes_a_page() -> None:
    text = page(discover(Oracle(DAG.from_edges([], nodes=["A", "B"]))))
    assert "No edges" in text
    assert len(TIMING.findall(text)) == 1


def test_a_large_graph_starts_with_communities_folded_until_one_look_takes_in_the_rest() -> None:
    dag = simulate.modular_dag(modules=6, size=25, degree=2.4, links=8, seed=1)
    facts = json.loads(FACTS.search(page(discover(Oracle(dag))))[1])
    members = [v for group in facts["communities"] for v in group]
    assert len(members) == len(set(members)) and facts["folded"]
    hidden = sum(len(facts["communities"][i]) - 1 for i in facts["folded"])
    assert len(facts["names"]) - hidden <= 80 < len(facts["names"])
