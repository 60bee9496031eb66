"""What the report shows of a bootstrap, in a browser: shades, the slider, tables and panels."""

from __future__ import annotations

import pytest

from dicola import DiCoLa, Discovery, simulate
from tests.report.test_browser import CHROMIUM, DRIVER, NO_BROWSER, Page, browser, shown  # noqa: F401  # a fixture

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason=NO_BROWSER)


def drawn(bootstrap: int = 20, **settings: object) -> Discovery:
    dag = simulate.er_dag(12, 2.5, seed=3)
    frame = simulate.linear_gaussian(dag, 400, seed=3).drop(columns=list(simulate.hide(dag, 1, seed=3)))
    return DiCoLa(mode="exact", bootstrap=bootstrap, **settings).fit(frame).discovery_


def test_the_report_of_a_bootstrap(browser, tmp_path) -> None:  # noqa: F811
    page = Page(browser, tmp_path, drawn())
    share = {shown(edge): page.found.bootstrap.of_edge(edge).adjacent for edge in page.found.pag.edges()}
    assert set(page.drawn_edges()) == set(share) and min(share.values()) < 0.9 <= max(share.values())
    for step in (shades, slider, table_of_edges, table_of_pairs, panel):
        step(page, share)
        assert page.complaints() == [], step.__name__


def shades(page: Page, share: dict[str, float]) -> None:
    """The more often an edge came, the thicker and darker it is."""
    widths = page.run(
        """return [...document.querySelectorAll('.world .edge')].map((edge) => {
          const { strokeWidth, strokeOpacity } = getComputedStyle(edge.querySelector('.line'));
          return [edge.querySelector('title').textContent, parseFloat(strokeWidth), Number(strokeOpacity)];
        });"""
    )
    by_share = sorted((share[title], width, opacity) for title, width, opacity in widths)
    assert [width for _, width, _ in by_share] == sorted(width for _, width, _ in by_share)
    assert [opacity for *_, opacity in by_share] == sorted(opacity for *_, opacity in by_share)
    assert by_share[0][1] < by_share[-1][1] and by_share[0][2] < by_share[-1][2]


def slider(page: Page, share: dict[str, float]) -> None:
    """Edges below the chosen frequency are not drawn, and come back."""
    move = "const s = document.querySelector('#floor'); s.value = arguments[0]; s.dispatchEvent(new Event('input'));"
    for floor in (90, 0):
        page.run(move, floor)
        assert set(page.drawn_edges()) == {edge for edge, often in share.items() if often >= floor / 100}
        left = sum(often >= floor / 100 for often in share.values())
        assert f"{left} of {len(share)} edges" in page.one(".floor output").text


def table_of_edges(page: Page, share: dict[str, float]) -> None:
    page.view("tables")
    heads = [head.text for head in page.all(".place thead th")]
    told = {(row[0], row[2]): row[heads.index("Adjacent")] for row in page.rows()}
    for edge in page.found.pag.edges():
        assert told[edge.u, edge.v] == f"{round(100 * share[shown(edge)])} %"
    assert {"Same marks", "Sure"} <= set(heads) and "Sure is the probability" in page.one(".place").text


def test_without_a_calibration_the_report_says_so(browser, tmp_path) -> None:  # noqa: F811
    page = Page(browser, tmp_path, drawn(2, alpha=0.05))
    page.view("tables")
    assert "Sure" not in [head.text for head in page.all(".place thead th")]
    assert "Sure is" not in page.one(".place").text and "none were calibrated for such a run" in page.one(".place").text
    assert page.complaints() == []


def table_of_pairs(page: Page, share: dict[str, float]) -> None:
    page.one("#tab-pairs").click()
    heads = [head.text for head in page.all(".place thead th")]
    for row in page.rows():
        assert row[heads.index("Adjacent")] == f"{round(100 * page.found.bootstrap.adjacent(row[0], row[1]))} %"


def panel(page: Page, share: dict[str, float]) -> None:
    page.view("tables")
    page.one("#tab-edges").click()
    page.one(".place tbody tr .open").click()
    page.wait(lambda: "bootstrap tables" in page.side())
    assert "with exactly these marks in" in page.side() and page.side().count("This mark came in") == 2
