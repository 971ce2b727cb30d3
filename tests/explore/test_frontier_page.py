"""The page of the frontier in a browser: it loads nothing, breaks no policy, and its picture tells what it shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import treewright as tw


def test_the_page_of_the_frontier(chromium: Any, tmp_path: Path) -> None:
    iris = tw.datasets.load_iris()
    found = tw.frontier(iris.X, iris.y, learners=["CART", "Ripper", "LogisticTree"], folds=3)
    path = tmp_path / "frontier.html"
    found.to_html(path)
    page = chromium.new_page(viewport={"width": 700, "height": 800})
    requests: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.goto(path.as_uri())
    assert requests == [path.as_uri()] and said == []
    assert page.locator("h1").inner_text() == "Accuracy against size"
    assert found.chosen.name in page.locator("p strong").inner_text()
    assert page.get_by_role("img").count() == 1 and page.locator("tr").count() == len(found.points) + 2
    assert page.locator("svg g > title").count() == len(found.points) + 2  # and the ceiling, and the steps
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    inside = page.evaluate(
        """() => { const s = document.querySelector('svg').getBoundingClientRect();
        return [...document.querySelectorAll('svg text')].every(t => { const b = t.getBoundingClientRect();
        return b.left >= s.left - 1 && b.right <= s.right + 1 && b.top >= s.top - 1 && b.bottom <= s.bottom + 1 }) }"""
    )
    assert inside
    page.close()
