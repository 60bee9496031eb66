"""The pictures of README.md and docs/: drawings, and screenshots of the report in headless Chromium. ``make pictures`` makes them again."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import decision_figure
from selenium import webdriver
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from sklearn.datasets import load_diabetes

from dicola import DiCoLa, Discovery, FisherZ, Oracle, discover, simulate

IMAGES = Path(__file__).parents[1] / "docs" / "images"
_MIDDLE = """
const group = [...document.querySelectorAll('.world .edge')].find((g) => g.querySelector('title').textContent.startsWith(arguments[0]));
const line = group.querySelector('.line'), half = line.getPointAtLength(line.getTotalLength() / 2);
const point = new DOMPoint(half.x, half.y).matrixTransform(line.getScreenCTM());
return [Math.round(point.x), Math.round(point.y)];
"""


def mildew() -> Discovery:
    """What ``dicola demo`` learns."""
    dag = simulate.network("mildew")
    table = simulate.linear_gaussian(dag, 2000, seed=1).drop(columns=list(simulate.hide(dag, 3, seed=1, pool="root")))
    return DiCoLa().fit(table).discovery_


def diabetes() -> Discovery:
    """What the tour learns."""
    names = {"s1": "chol", "s2": "ldl", "s3": "hdl", "s4": "chol_hdl", "s5": "log_trig", "s6": "glucose", "target": "progress"}
    table = load_diabetes(as_frame=True, scaled=False).frame.rename(columns=names)
    return DiCoLa(mode="paper", alpha=0.01, stop="paper").fit(table).discovery_


def drawn_again() -> Discovery:
    """What "How sure is it?" learns."""
    columns = ["age", "bmi", "bp", "s1", "s3", "s5", "s6", "target"]
    return DiCoLa(bootstrap=100).fit(load_diabetes(as_frame=True, scaled=False).frame[columns]).discovery_


def asia() -> Discovery:
    """Eight variables."""
    return discover(FisherZ(simulate.linear_gaussian(simulate.network("asia"), 2000, seed=1), alpha=0.01))


def andes() -> Discovery:
    """213 variables, ten hidden ones beside them."""
    dag = simulate.network("andes")
    table = simulate.linear_gaussian(dag, 2000, seed=1).drop(columns=list(simulate.hide(dag, 10, seed=1, pool="root")))
    return discover(FisherZ(table, alpha=0.01))


def thousand() -> Discovery:
    """A thousand variables in modules."""
    return discover(Oracle(simulate.modular_dag(modules=25, size=40, degree=2.4, links=40, seed=1)))


class Camera:
    """A browser that looks at one report after another."""

    def __init__(self, folder: Path) -> None:
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
            options.add_argument(argument)
        options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
        self.browser = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.folder = folder

    def open(self, found: Discovery, *, dark: bool = False, width: int = 1280) -> None:
        """Show a report in a window of that width."""
        page = self.folder / "report.html"
        page.write_text(found.report(), encoding="utf-8")
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        window = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", window)
        self.browser.get(page.as_uri())

    def one(self, selector: str) -> Any:
        """The element that the selector names."""
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def choose_edge(self, start: str) -> None:
        """Click the edge whose title starts so."""
        x, y = self.browser.execute_script(_MIDDLE, start)
        actions = ActionChains(self.browser)
        actions.w3c_actions.pointer_action.move_to_location(x, y)
        actions.click().perform()

    def shoot(self, name: str) -> None:
        """Keep what is on the screen, once it has come to rest."""
        time.sleep(1)
        self.browser.save_screenshot(str(IMAGES / f"report-{name}.png"))


def main() -> None:
    """Make every picture."""
    small, large = mildew(), andes()
    (IMAGES / "mildew.svg").write_text(small.pag.draw(), encoding="utf-8")
    (IMAGES / "which-test.svg").write_text(decision_figure.drawn(), encoding="utf-8")
    (IMAGES / "diabetes.svg").write_text(diabetes().pag.draw(), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        camera = Camera(Path(folder))
        try:
            for name, found in (("8", asia()), ("213", large), ("1000", thousand())):
                camera.open(found)
                camera.shoot(name)
            camera.open(drawn_again())
            camera.choose_edge("target --> bmi")
            camera.shoot("bootstrap")
            camera.open(large, dark=True)
            camera.shoot("213-dark")
            camera.open(large)
            camera.one("#search").send_keys("NEED36" + Keys.ENTER)
            camera.shoot("neighbourhood")
            for name, width in (("edge", 1280), ("phone", 390)):
                camera.open(small, width=width)
                camera.choose_edge("foto_1 <-> mikro_1")
                camera.shoot(name)
            camera.open(small)
            camera.one("#tab-matrix").click()
            camera.shoot("matrix")
            camera.one("#tab-tables").click()
            camera.one(".place input").send_keys("mikro")
            camera.shoot("tables")
            camera.open(small)
            camera.one("#tab-tree").click()
            camera.one("[data-node='0'] .what").click()
            camera.shoot("decomposition")
        finally:
            camera.browser.quit()


if __name__ == "__main__":
    main()
