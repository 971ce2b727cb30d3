"""Draw the pictures of README.md: the tree as its code draws it, and the explorer's page as Chromium shows it."""

import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

import treewright as tw

docs = Path(__file__).parent.parent / "docs"
iris = tw.datasets.load_iris()
four = tw.CARTClassifier(max_leaf_nodes=4).fit(iris.X, iris.y)
(docs / "iris.svg").write_text(four.tree_.to_svg(X=iris.X, y=iris.y), encoding="utf-8")

whole = tw.CARTClassifier(keep_candidates=True).fit(iris.X, iris.y)
with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
    page_file = Path(folder) / "iris.html"
    whole.explore(page_file, iris.X, iris.y, folds=10)
    browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"])
    page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    page.goto(page_file.as_uri())
    page.wait_for_selector("[data-ready]")
    page.keyboard.press("]")  # one leaf more than the best size has
    page.get_by_role("tab", name="Row").click()
    page.get_by_role("button", name="a typical row").click()
    length = page.get_by_role("spinbutton", name="petal length (cm), exactly")
    length.fill("4.9")
    length.press("Enter")
    width = page.get_by_role("spinbutton", name="petal width (cm), exactly")
    width.fill("1.7")
    width.press("Enter")
    page.get_by_role("heading", level=1).click()
    page.wait_for_timeout(300)
    page.screenshot(path=docs / "explorer.png")
    browser.close()
Image.open(docs / "explorer.png").convert("RGB").quantize(200, dither=Image.Dither.NONE).save(
    docs / "explorer.png", optimize=True
)
