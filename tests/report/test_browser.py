"""The report as a person meets it: in a browser, from a file, with mouse and keyboard."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dicola import DAG, Discovery, FisherZ, Oracle, discover, simulate
from dicola.edge_table import edge_table
from dicola.graphs.marks import Edge
from dicola.report.page import page as report_page

webdriver = pytest.importorskip("selenium.webdriver", reason="the browser tests need selenium (extra test)")
from selenium.webdriver import ActionChains, Keys  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
DRIVER = shutil.which("chromedriver")
NO_BROWSER = "no Chromium with its driver on the path (on Debian: apt-get install chromium chromium-driver)"
pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason=NO_BROWSER)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,860"):
        options.add_argument(argument)
    options.binary_location = CHROMIUM
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


class Page:
    """A report in the browser, and what one does with it."""

    def __init__(self, browser: Any, folder: Path, found: Discovery, text: str | None = None) -> None:
        self.browser, self.found = browser, found
        file = folder / "report.html"
        file.write_text(found.report() if text is None else text, encoding="utf-8", newline="")
        self.bytes = file.stat().st_size
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride", {"width": 1280, "height": 860, "deviceScaleFactor": 1, "mobile": False}
        )
        self.colours("light")
        browser.get_log("browser")
        browser.get(file.as_uri())

    def resize(self, width: int, height: int) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def colours(self, scheme: str, media: str = "screen") -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}]
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})

    def all(self, selector: str) -> list[Any]:
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> Any:
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def run(self, script: str, *arguments: object) -> Any:
        return self.browser.execute_script(script, *arguments)

    def wait(self, is_so) -> None:
        WebDriverWait(self.browser, 10, poll_frequency=0.05).until(lambda _: is_so())

    def view(self, name: str) -> None:
        self.one(f"#tab-{name}").click()

    def side(self) -> str:
        return self.one(".side:not(.wide)").text

    def click(self, x: float, y: float) -> None:
        actions = ActionChains(self.browser)
        actions.w3c_actions.pointer_action.move_to_location(round(x), round(y))
        actions.click().perform()

    def middle(self, selector: str) -> tuple[float, float]:
        box = self.run("return document.querySelector(arguments[0]).getBoundingClientRect().toJSON()", selector)
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def search(self, name: str) -> None:
        self.one("#search").send_keys(name + Keys.ENTER)

    def rows(self) -> list[list[str]]:
        return self.run("return [...document.querySelectorAll('.place tbody tr')].map((r) => [...r.cells].map((c) => c.textContent))")

    def drawn_edges(self) -> list[str]:
        return self.run("return [...document.querySelectorAll('.world .edge > title')].map((title) => title.textContent)")

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self.browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]


def andes() -> Discovery:
    dag = simulate.network("andes")
    table = simulate.linear_gaussian(dag, 2000, seed=1).drop(columns=list(simulate.hide(dag, 10, seed=1, pool="root")))
    return discover(FisherZ(table, alpha=0.01))


def asia() -> Discovery:
    return discover(FisherZ(simulate.linear_gaussian(simulate.network("asia"), 2000, seed=1), alpha=0.01))


def thousand() -> Discovery:
    return discover(Oracle(simulate.modular_dag(modules=25, size=40, degree=2.4, links=40, seed=1)))


def scored() -> Discovery:
    dag = simulate.network("mildew")
    table = simulate.linear_gaussian(dag, 1000, seed=1).drop(columns=list(simulate.hide(dag, 3, seed=1)))
    return discover(FisherZ(table), mode="balanced")


@pytest.mark.parametrize("make", [asia, andes, thousand, scored], ids=["8", "213", "1000", "scored"])
def test_a_tour_of_the_report(make, browser, tmp_path) -> None:
    page = Page(browser, tmp_path, make())
    assert page.run("return document.documentElement.classList.contains('live')")
    assert page.bytes < 8_000_000
    for step in (edge_in_words, neighbourhood, mark_matrix, decomposition, tables, separating_sets, dark_and_light, keyboard, phone):
        step(page)
        assert page.complaints() == [], step.__name__


def test_a_set_from_both_sides_of_a_merge_is_told_as_the_library_tells_it(browser, tmp_path) -> None:
    ring = [(v, s) for s, pair in (("S1", "AB"), ("S2", "BC"), ("S3", "CD"), ("S4", "DA")) for v in pair]
    found = discover(Oracle(DAG.from_edges(ring), selection=["S1", "S2", "S3", "S4"]), stop="paper", selection=True)
    page = Page(browser, tmp_path, found)
    page.view("tables")
    page.view("pairs")
    page.wait(lambda: len(page.rows()) == 2)
    for x, y, size, names, _ in page.rows():
        z = found.skeleton.separating_set(x, y)
        assert (int(size), names) == (2, ", ".join(z))
    separator = [found.skeleton.labels[v] for v in found.tree.branches[0].split.separator]
    place = next(place for place, (x, y, *_) in enumerate(page.rows()) if [x, y] == separator)
    page.all(".place tbody .plain")[place].click()
    assert found.explain(*separator).separation.found in page.side() and page.complaints() == []


def test_the_way_back_lies_over_no_variable(browser, tmp_path) -> None:
    dag = simulate.network("mildew")
    table = simulate.linear_gaussian(dag, 2000, seed=1).drop(columns=list(simulate.hide(dag, 3, seed=1, pool="root")))
    page = Page(browser, tmp_path, discover(FisherZ(table, alpha=0.01)))
    page.resize(1280, 800)
    page.view("tree")
    page.one(".outline li.split .what").click()
    page.wait(lambda: not covered(page))


def covered(page: Page) -> bool:
    """Does the way back lie over a variable?"""
    return page.run(
        """const way = document.querySelector('.trail').getBoundingClientRect();
        return [...document.querySelectorAll('.world .node')].map((node) => node.getBoundingClientRect())
          .some((box) => box.top < way.bottom && box.left < way.right && box.bottom > way.top && box.right > way.left);"""
    )


def shown(edge: Edge) -> str:
    return f"{edge.u} {str(edge).removeprefix(edge.u).removesuffix(edge.v).strip()} {edge.v}"


def edge_in_words(page: Page) -> None:
    """A click on an edge tells it in words, with its evidence."""
    edge = next(edge for edge in page.found.pag.edges() if shown(edge) in page.drawn_edges())
    point = page.run(
        """const group = [...document.querySelectorAll('.world .edge')].find((g) => g.querySelector('title').textContent === arguments[0]);
        const line = group.querySelector('.line'), half = line.getPointAtLength(line.getTotalLength() / 2);
        const p = half.matrixTransform(line.getScreenCTM());
        const top = document.elementFromPoint(p.x, p.y).closest('.edge');
        return [p.x, p.y, top && top.querySelector('title').textContent]""",
        shown(edge),
    )
    page.click(*point[:2])
    words = " ".join(page.side().split())
    assert "EVIDENCE" in words.upper() and point[2].split(" ")[0] in words
    explained = page.found.explain(*point[2].split(" ")[::2])
    assert explained.words in words
    for end in explained.ends:
        assert end.meaning in words and end.because in words
        assert end.separation is None or str(end.separation) in words
    page.one(".side .close").click()
    assert "How to read it" in page.side() or "HOW TO READ IT" in page.side()


def neighbourhood(page: Page) -> None:
    """A search for a variable shows it with its neighbours alone; there is a way back."""
    pag = page.found.pag
    before = len(page.all(".world [data-item]"))
    name = max(pag.names, key=lambda name: (len(pag.around[pag.index(name)]), name))
    page.search(name)
    assert name in page.one(".trail").text
    neighbours = {pag.names[v] for v in pag.around[pag.index(name)]}
    on_stage = set(page.run("return [...document.querySelectorAll('.world .node > title')].map((t) => t.textContent)"))
    assert on_stage == neighbours | {name}
    page.one(".trail .back").click()
    assert len(page.all(".world [data-item]")) == before


def mark_matrix(page: Page) -> None:
    """The matrix shows as many squares as there are edge ends, and a square tells its edge."""
    page.view("matrix")
    squares = page.run("return [...document.querySelectorAll('path.square')].map((p) => (p.getAttribute('d').match(/M/g) || []).length)")
    assert sum(squares) == 2 * page.found.pag.n_edges
    labels = page.found.skeleton.labels
    edge = page.found.pag.reordered(labels).edges()[0]
    x, y, k = page.run("const m = document.querySelector('.canvas:not(:has(.trail)) .world').getScreenCTM(); return [m.e, m.f, m.a]")
    page.click(x + k * 22 * (labels.index(edge.v) + 0.5), y + k * 22 * (labels.index(edge.u) + 0.5))
    if len(labels) < 300:  # beyond, a cell is smaller than a pixel until one zooms in
        assert page.side().splitlines()[1:3] and edge.u in page.side() and edge.v in page.side()
    browser_keys(page, Keys.ESCAPE)


def decomposition(page: Page) -> None:
    """A leaf lights up in the graph, a split shows its separator."""
    page.view("tree")
    row = page.one(".outline li.split")
    separator = page.found.tree.branches[0].split.separator
    assert all(page.found.skeleton.labels[v] in row.text for v in separator[:5])
    row.click()
    if len(page.found.pag) < 100:
        assert len(page.all(".node.separator")) == len(separator)
    leaf = page.one(".outline li.leaf") if page.all(".outline li.leaf") else None
    if leaf is not None:
        number = int(leaf.get_attribute("data-node"))
        leaf.click()
        lit = page.run("return [...document.querySelectorAll('.node.lit > title')].map((t) => t.textContent)")
        assert set(lit) == {page.found.skeleton.labels[v] for v in page.found.tree.nodes[number].variables}
        assert f"Leaf {number}" in page.one(".trail").text
    page.one(".trail .back").click()
    assert page.all(".node.lit") == []


def tables(page: Page) -> None:
    """Edges filter by name, variables sort by their edges."""
    page.view("tables")
    pag = page.found.pag
    name = page.found.pag.edges()[-1].v  # not "either" of ASIA, which is in the words about other edges too
    page.one(".sheet input").send_keys(name)
    wanted = sum(name.lower() in f"{edge.u} {edge.v}".lower() for edge in pag.edges())
    page.wait(lambda: page.one(".sheet .tally").text.startswith(f"{wanted} of") or wanted == pag.n_edges)
    assert page.rows() and all(any(name.lower() in cell.lower() for cell in row) for row in page.rows())
    page.view("variables")
    page.all(".tables thead button")[1].click()
    assert page.all(".tables thead th")[1].get_attribute("aria-sort") == "descending"
    most = max(len(pag.around[v]) for v in range(len(pag)))
    assert page.rows()[0][1] == str(most)


@pytest.mark.parametrize(
    ("table", "told"),
    [("edges", "EVIDENCE"), ("variables", "DECOMPOSITION"), ("pairs", "ARE INDEPENDENT")],
    ids=["edges", "variables", "pairs"],
)
def test_a_whole_row_of_a_table_opens_what_it_is_about(table, told, browser, tmp_path) -> None:
    page = Page(browser, tmp_path, asia())
    page.view("tables")
    page.view(table)
    row = page.rows()[1]
    box = page.run("return document.querySelectorAll('.place tbody tr')[1].getBoundingClientRect().toJSON()")
    page.click(box["right"] - 3, box["y"] + box["height"] / 2)  # in the last cell, beside what stands in it
    assert told in page.side().upper() and row[0] in page.side()
    page.view("tables")
    page.run("document.querySelector('.place tbody tr').focus()")
    browser_keys(page, Keys.ARROW_DOWN)
    assert page.run("return [...document.querySelectorAll('.place tbody tr')].indexOf(document.activeElement)") == 1
    assert page.run("return [...document.querySelectorAll('.place tbody tr')].filter((tr) => tr.tabIndex === 0).length") == 1
    browser_keys(page, Keys.ENTER)
    assert told in page.side().upper() and row[0] in page.side()
    assert page.run("return document.documentElement.dataset.view") == "graph"
    assert page.complaints() == []


def test_a_button_in_a_row_still_does_its_own(browser, tmp_path) -> None:
    page = Page(browser, tmp_path, asia())
    page.view("tables")
    other = page.rows()[0][2]
    page.all(".place tbody tr:first-child .name")[1].click()
    assert page.one(".side:not(.wide) h2").text == other
    page.view("tables")
    page.run("document.querySelector('.place tbody tr:first-child .open').focus()")
    browser_keys(page, Keys.ENTER)
    assert "EVIDENCE" in page.side().upper() and page.complaints() == []


def test_text_marked_in_a_row_does_not_open_it(browser, tmp_path) -> None:
    page = Page(browser, tmp_path, asia())
    page.view("tables")
    x, y = page.middle(".place tbody tr td:last-child")
    actions = ActionChains(browser)
    actions.w3c_actions.pointer_action.move_to_location(round(x) - 60, round(y) - 2)
    actions.click_and_hold().move_by_offset(40, 0).release().perform()
    assert page.run("return getSelection().toString()")
    assert page.run("return document.documentElement.dataset.view") == "tables"


def test_the_table_of_edges_tells_the_weakest_test_of_each(browser, tmp_path) -> None:
    frame = simulate.linear_gaussian(simulate.network("asia"), 2000, seed=1)
    ci = FisherZ(frame, alpha=0.01)
    found = discover(ci)
    table = edge_table(found.pag, found.skeleton, ci)
    page = Page(browser, tmp_path, found, report_page(found, table))
    page.view("tables")
    heads = [head.text for head in page.all(".tables thead th")]
    assert heads == ["From", "Edge", "To", "p-value", "Given", "Partial correlation", "Rules", "In words"]
    page.all(".tables thead button")[3].click()
    weakest = table.sort_values("p_value", ascending=False).iloc[0]
    first = page.rows()[0]
    assert {first[0], first[2]} == {weakest["u"], weakest["v"]}
    assert float(first[3]) == pytest.approx(weakest["p_value"], rel=0.06) and first[4] == (weakest["given"] or "nothing")
    assert float(first[5].replace("\u2212", "-")) == pytest.approx(weakest["partial_correlation"], abs=6e-4)
    page.all(".place tbody .open")[0].click()
    assert f"p = {first[3]} given {first[4]}, partial correlation {first[5]}." in page.side()
    assert page.complaints() == []


def test_a_scored_edge_tells_what_it_and_its_marks_are_worth(browser, tmp_path) -> None:
    found = discover(FisherZ(simulate.linear_gaussian(simulate.er_dag(10, 2.5, seed=2), 300, seed=2)), mode="balanced")
    page = Page(browser, tmp_path, found)
    page.view("tables")
    told = []
    for number in range(len(found.pag.edges())):
        page.all(".place tbody .open")[number].click()
        told.append(page.side())
        page.view("tables")
    assert any("Without the edge the graph scores 266.8 worse." in side for side in told)
    assert any("all other edges as they are, the graph scores 147.9 worse." in side for side in told)
    assert any("no other mark can stand here" in side for side in told) and page.complaints() == []


def test_without_a_test_the_table_of_edges_tells_none(browser, tmp_path) -> None:
    found = asia()
    page = Page(browser, tmp_path, found, report_page(found, edge_table(found.pag, found.skeleton)))
    page.view("tables")
    assert [head.text for head in page.all(".tables thead th")] == ["From", "Edge", "To", "Rules", "In words"]
    page.all(".place tbody .open")[0].click()
    assert "Weakest test" not in page.side() and page.complaints() == []


def separating_sets(page: Page) -> None:
    """The page answers like the library which set separates two variables."""
    page.view("pairs")
    name = page.found.skeleton.labels[-1]
    page.one(".sheet input").send_keys(name)
    page.wait(lambda: page.rows() and all(name in "".join(row) for row in page.rows()))
    rows = page.rows()
    for x, y, size, names, _ in rows:
        z = page.found.skeleton.separating_set(x, y)
        assert (int(size), names) == (len(z), ", ".join(z) or "nothing")
    page.one(".place tbody .plain").click()
    assert "are independent" in page.side() and page.all(".node.lit, .community.lit")
    browser_keys(page, Keys.ESCAPE)


def dark_and_light(page: Page) -> None:
    """The page follows the system, and the button turns it over."""

    def ground() -> str:
        return page.run("return getComputedStyle(document.body).backgroundColor")

    light = ground()
    page.one("#theme").click()
    dark = ground()
    assert light != dark and page.one("#theme").get_attribute("aria-label") == "Light colours"
    page.one("#theme").click()
    page.run("delete document.documentElement.dataset.theme")
    page.colours("dark")
    assert ground() == dark
    page.colours("light")


def browser_keys(page: Page, *keys: str) -> None:
    ActionChains(page.browser).send_keys(*keys).perform()


def keyboard(page: Page) -> None:
    """Everything can be reached without a mouse."""
    page.view("graph")
    browser_keys(page, "/")
    assert page.run("return document.activeElement.id") == "search"
    browser_keys(page, Keys.ESCAPE, Keys.TAB, Keys.TAB, Keys.TAB)
    reached = [page.run("return document.activeElement.getAttribute('role')") for _ in range(6) if browser_keys(page, Keys.TAB) is None]
    page.run("document.querySelector('.surface').focus()")
    browser_keys(page, Keys.ARROW_RIGHT)
    first = page.run("return document.querySelector('.cursor').dataset.item")
    for direction in (Keys.ARROW_DOWN, Keys.ARROW_UP, Keys.ARROW_LEFT, Keys.ARROW_RIGHT):
        browser_keys(page, direction)
    assert page.run("return document.querySelector('.cursor') !== null") and first
    assert page.one("p.unseen").get_attribute("textContent")
    before = page.run("return document.querySelector('.world').getAttribute('transform')")
    browser_keys(page, "+")
    assert page.run("return document.querySelector('.world').getAttribute('transform')") != before
    browser_keys(page, "0", Keys.ENTER)
    assert page.all(".trail .back") or page.all(".ground")
    browser_keys(page, Keys.ESCAPE)
    assert page.one(".trail").text == "" and reached
    page.one("#tab-graph").click()
    browser_keys(page, Keys.ARROW_RIGHT)
    assert page.run("return document.activeElement.id") == "tab-matrix"
    page.view("tree")
    page.run("document.querySelector('.outline [tabindex=\"0\"]').focus()")
    browser_keys(page, Keys.ARROW_DOWN, Keys.ENTER)
    assert page.run("return document.querySelector('.outline [aria-selected=true]') !== null")
    browser_keys(page, Keys.ESCAPE)


def phone(page: Page) -> None:
    """On a phone nothing sticks out at the side."""
    page.browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    )
    for view in ("graph", "matrix", "tree", "tables", "summary"):
        page.view(view)
        assert page.run("return document.documentElement.scrollWidth") <= 390


def test_boxes_can_be_dragged_and_the_stage_panned_and_zoomed(browser, tmp_path) -> None:
    page = Page(browser, tmp_path, asia())
    stage = "return document.querySelector('.world').getAttribute('transform')"
    box = "return document.querySelector('[data-item=v0]').getAttribute('transform')"
    lines = "return [...document.querySelectorAll('.world .line')].map((line) => line.getAttribute('d')).join()"
    before = page.run(stage), page.run(box), page.run(lines)
    ActionChains(browser).drag_and_drop_by_offset(page.one("[data-item=v0] rect"), 60, 40).perform()
    assert page.run(stage) == before[0] and page.run(box) != before[1] and page.run(lines) != before[2]
    assert page.one(".trail").text == ""
    x, y = page.middle(".surface")
    actions = ActionChains(browser)
    actions.w3c_actions.pointer_action.move_to_location(20, 800)
    actions.click_and_hold().move_by_offset(50, -30).release().perform()
    panned = page.run(stage)
    assert panned != before[0]
    origin = webdriver.common.actions.wheel_input.ScrollOrigin.from_viewport(round(x), round(y))
    ActionChains(browser).scroll_from_origin(origin, 0, -200).perform()
    page.wait(lambda: page.run(stage) != panned)
    assert page.complaints() == []


def test_a_run_without_edges_or_decomposition_has_every_view(browser, tmp_path) -> None:
    page = Page(browser, tmp_path, discover(Oracle(DAG.from_edges([], nodes=["A", "B"])), decompose=False))
    assert "every pair of variables can be separated" in page.side()
    for view in ("matrix", "tree", "tables", "summary"):
        page.view(view)
        text = page.run("return document.body.innerText")
        assert "null" not in text and "undefined" not in text and "NaN" not in text
    page.view("tree")
    assert "Not divided" in page.one(".side.wide").text
    assert page.complaints() == []


def test_communities_of_a_large_graph_fold_and_unfold(browser, tmp_path) -> None:
    page = Page(browser, tmp_path, discover(Oracle(simulate.modular_dag(modules=6, size=25, degree=2.4, links=8, seed=1))))
    folded, boxes = len(page.all(".community")), len(page.all(".world [data-item]"))
    assert folded and boxes <= 80
    page.click(*page.middle(".community rect"))
    assert len(page.all(".community")) == folded - 1 and len(page.all(".world [data-item]")) > boxes
    page.run("document.querySelector('.tools button[title^=Unfold]').click()")
    assert page.all(".community") == [] and len(page.all(".world .node")) == 150
    page.run("document.querySelector('.tools button[title^=Fold]').click()")
    assert len(page.all(".community")) >= folded
    assert page.complaints() == []


ODD = ["<script>alert(1)</script>", '"', "&", "a;b", "\u2028x", "🌱", "x" * 200, "变量", "<img src=x onerror=alert(2)>"]
ODD += ["{u}", "__proto__", " "]


def test_names_of_any_characters_are_shown_and_none_is_run(browser, tmp_path) -> None:
    found = discover(Oracle(DAG.from_edges([(name, ODD[(i + 3) % len(ODD)]) for i, name in enumerate(ODD[:-3])], nodes=ODD)))
    page = Page(browser, tmp_path, found)
    titles = set(page.run("return [...document.querySelectorAll('.world .node > title')].map((t) => t.textContent)"))
    assert titles == {name if name.strip() else "(no name)" for name in ODD}
    for name in (ODD[0], "变量", ODD[8], "x" * 30, "a;b", "&"):
        page.search(name)
        assert (name if len(name) < 30 else name[:20]) in page.one(".side:not(.wide) h2").text
    page.view("matrix")
    page.view("tree")
    page.view("tables")
    for edge in page.all(".place tbody .open")[:3]:
        edge.click()
        assert "EVIDENCE" in page.side().upper()
        page.view("tables")
    for table in ("variables", "pairs"):
        page.view(table)
    page.view("summary")
    assert page.run("return [document.scripts.length, document.images.length, document.querySelectorAll('iframe').length]") == [2, 0, 0]
    assert page.complaints() == []  # an alert would also fail the next command


def test_on_paper_stand_the_drawing_and_the_edges(browser, tmp_path) -> None:
    page = Page(browser, tmp_path, asia())
    assert not page.one("main svg.pag").is_displayed()
    page.colours("light", media="print")
    assert page.one("main svg.pag").is_displayed() and not page.one("header.app").is_displayed()
    page.colours("light")


def test_without_scripts_the_page_is_plain_and_whole(browser, tmp_path) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        Page(browser, tmp_path, asia())
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert browser.find_elements(By.CSS_SELECTOR, "header.app") == []
    assert browser.find_element(By.CSS_SELECTOR, "main svg.pag").is_displayed()


LIGHT, DARK = "rgb(255, 255, 255)", "rgb(20, 24, 30)"


@pytest.mark.parametrize(
    ("page_says", "system", "ground"),
    [
        ('<body data-jp-theme-light="false" style="--jp-content-font-color1: #ddd">', "light", DARK),
        ('<body data-jp-theme-light="true" style="--jp-content-font-color1: #222">', "dark", LIGHT),
        ('<body class="vscode-dark" style="--vscode-editor-foreground: #ddd">', "light", DARK),
        ('<body class="vscode-light" style="--vscode-editor-foreground: #222">', "dark", LIGHT),
        ('<body class="vscode-high-contrast vscode-high-contrast-light" style="color: #222">', "dark", LIGHT),
        ('<html theme="dark"><body style="color: #ddd">', "light", DARK),
        ("<body>", "light", LIGHT),
        ("<body>", "dark", DARK),
    ],
)
def test_a_card_has_the_colours_of_its_notebook_else_of_the_system(page_says, system, ground, browser, tmp_path) -> None:
    file = tmp_path / "notebook.html"
    file.write_text(f"<!doctype html>{page_says}{asia()._repr_html_()}", encoding="utf-8")
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"media": "screen", "features": [{"name": "prefers-color-scheme", "value": system}]}
    )
    browser.get(file.as_uri())
    look = "const seen = getComputedStyle(document.querySelector(arguments[0])); return seen[arguments[1]]"
    boxes, names, text = (
        browser.execute_script(look, *what) for what in ((".node rect", "fill"), (".node text", "fill"), (".dicola-card", "color"))
    )
    assert browser.execute_script(look, ".ground", "fill") == ground
    assert (brightness(boxes) < brightness(names)) == (ground == DARK)
    if page_says != "<body>":
        assert (brightness(text) > 128) == (ground == DARK)


def brightness(colour: str) -> float:
    red, green, blue = (float(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(","))
    return (red + green + blue) / 3
