from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from dicola.graphs.pag import PAG
from dicola.report.page import PageContent, page

TIMING = re.compile(r"<!-- timing:begin -->.*?<!-- timing:end -->", re.DOTALL)
VOID = {"meta", "input", "br"}


@pytest.fixture(scope="module")
def content(make_pag) -> PageContent:
    return PageContent(
        title="Example",
        pag=make_pag(10, latents=2),
        settings={"alpha": 0.01, "learner": "fci", "max_depth": None, "decompose": True},
        tests={"blankets": 45, "leaves": 1200, "orientation": 0, "total": 1245},
        seconds={"leaves": 0.25, "total": 0.5},
        warnings=["few rows"],
        conflicts=[],
        legality=(),
        tree_summary={"leaves": 3, "largest_leaf": 5},
        dicola_version="0.1.0",
    )


class Balance(HTMLParser):
    """Fails on a tag that is closed out of turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_page_is_well_formed(content: PageContent) -> None:
    parser = Balance()
    parser.feed(page(content))
    assert parser.open == []


def test_seconds_stand_in_one_block_and_nothing_else_does_change(content: PageContent) -> None:
    first = page(content)
    second = page(replace(content, seconds={"leaves": 7.125, "orientation": 1.0, "total": 9.75}))
    assert first.count("<!-- timing:begin -->") == first.count("<!-- timing:end -->") == 1
    assert first != second
    assert TIMING.sub("", first) == TIMING.sub("", second)
    assert "0.250" in TIMING.findall(first)[0]


def test_same_content_gives_the_same_bytes_in_any_order_of_vertices(content: PageContent) -> None:
    assert page(content) == page(replace(content, pag=content.pag.reordered(content.pag.names[::-1])))


def test_page_reaches_for_nothing(content: PageContent) -> None:
    text = page(content).replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"https?:|//[a-z]|url\(|@import|<script|<link|<img", text)


def test_page_lists_every_edge_with_its_words(content: PageContent) -> None:
    text = page(content)
    assert all(sentence in text for sentence in content.pag.in_words())
    assert text.count('<th scope="row"><code>') == content.pag.n_edges


def test_page_tells_settings_tests_and_warnings(content: PageContent) -> None:
    text = page(content)
    for piece in ("max depth", "not set", "0.01", "blankets", "1\u202f245", "few rows", "largest leaf", "dicola 0.1.0"):
        assert piece in text


def test_page_says_whether_the_graph_is_legal(content: PageContent) -> None:
    assert "is a legal PAG" in page(content)
    illegal = page(replace(content, legality=("the edge 'A' - 'B' is wrong",)))
    assert "is not a legal PAG" in illegal
    assert "the edge &#x27;A&#x27; - &#x27;B&#x27; is wrong" in illegal


def test_everything_from_outside_is_escaped(content: PageContent) -> None:
    bad = "<script>alert('&')</script><!-- timing:begin -->"
    pag = PAG.from_matrix([[0, 2], [1, 0]], [bad, "B"])
    text = page(
        PageContent(bad, pag, {bad: bad}, {bad: 1}, {bad: 1.0}, [bad], [bad], [bad], {bad: {bad: [bad, {bad}]}}, bad),
    )
    assert "<script" not in text
    assert text.count("<!-- timing:begin -->") == 1


def test_empty_graph_and_empty_facts_make_a_page() -> None:
    text = page(PageContent("Nothing", PAG(np.zeros((2, 2)), ["A", "B"]), {}, {}, {}, (), (), (), {}, "0"))
    assert "No edges" in text
    assert len(TIMING.findall(text)) == 1
