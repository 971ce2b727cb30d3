"""Draw the pictures of docs/workbench.md: the page as Chromium shows it, driven as a person would."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

import treewright as tw

docs = Path(__file__).parent.parent / "docs"
iris = tw.datasets.load_iris()


def window(browser: Any, bench: Any, width: int, height: int, scheme: str = "light") -> Any:
    """The page in a window of this size."""
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce")
    page.goto(bench.url)
    page.wait_for_selector("[data-loaded] [data-ready]")
    return page


def select(page: Any, node: int) -> None:
    """Select a node and wait for what there is to choose."""
    page.evaluate("id => workbench.inside().app.select(id)", node)
    page.locator(".alternatives ol").wait_for()


def edited(page: Any, bench: Any, press: str) -> None:
    """Press a button, and wait for the tree that comes of it."""
    version = bench.session.version
    page.get_by_role("button", name=press, exact=True).first.click()
    while page.evaluate("workbench.state.version") == version:
        page.wait_for_timeout(50)


def keep(page: Any, name: str) -> None:
    """Save what the page shows."""
    page.wait_for_timeout(600)
    page.screenshot(path=docs / name)
    Image.open(docs / name).convert("RGB").quantize(160, dither=Image.Dither.NONE).save(docs / name, optimize=True)


with (
    sync_playwright() as driver,
    tw.CARTClassifier(max_depth=2).fit(iris.X, iris.y).workbench(iris.X, iris.y, folds=5, random_state=0, browser=False) as bench,
):
    browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"])
    page = window(browser, bench, 1280, 800)
    page.get_by_role("tab", name="Versions").click()
    page.get_by_label("name of the version").fill("as it was grown")
    page.get_by_role("button", name="Keep", exact=True).click()
    page.get_by_role("table", name="versions").wait_for()
    page.get_by_role("tab", name="Edit").click()
    select(page, 3)
    page.get_by_role("button", name="sepal length (cm) at").first.click()
    page.get_by_role("slider", name="threshold of sepal length (cm)").wait_for()
    page.keyboard.press("ArrowLeft")
    keep(page, "workbench.png")
    page.get_by_label("threshold of sepal length (cm), exactly").fill("5.95")
    page.keyboard.press("Enter")
    edited(page, bench, "Split here")
    edited(page, bench, "Grow a level")
    select(page, 6)
    edited(page, bench, "Cut")
    page.get_by_role("tab", name="Versions").click()
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_role("table", name="errors by fold").wait_for()
    keep(page, "workbench_versions.png")
    dark = window(browser, bench, 820, 1180, "dark")
    dark.get_by_role("tab", name="Log").click()
    keep(dark, "workbench_log.png")
    hand = window(browser, bench, 390, 844)
    select(hand, 2)
    hand.locator(".candidate").first.click()
    hand.get_by_role("slider", name="threshold of").wait_for()
    hand.locator(".cutter").scroll_into_view_if_needed()
    keep(hand, "workbench_telephone.png")
    browser.close()
