"""Whatever stands in a table or a file, the page shows it literally, asks for nothing and opens."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import treewright as tw
from tests.explore.conftest import Open
from tests.explore.rows import well
from tests.show.names import HOSTILE
from treewright.errors import visible
from treewright.explore.modules import script
from treewright.explore.write import model_document
from treewright.explore.write import page as page_of


def hostile() -> tuple[Any, pd.DataFrame, list[str]]:
    names = HOSTILE[:10]
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.choice(HOSTILE[1:5], 300) if i % 2 else rng.normal(size=300) for i, name in enumerate(names)})
    y = np.array(HOSTILE[:4], object)[((X.iloc[:, 0] > 0).astype(int) + 2 * (X.iloc[:, 1] == HOSTILE[2]).astype(int)).to_numpy()]
    return tw.C45Classifier().fit(X, pd.Series(y, name=HOSTILE[0])), X, names


def test_X1_hostile_names_are_shown_literally(opened: Open) -> None:
    model, X, names = hostile()
    page = opened(model, X, title="</title><script>window.PWN=1</script>")
    for tab in ("Row", "Rules", "Regions", "Model", "Node"):
        page.get_by_role("tab", name=tab).click()
        page.wait_for_timeout(50)
    page.get_by_role("tab", name="Row").click()
    page.keyboard.press("r")
    page.get_by_role("button", name="a typical row").click()
    assert page.evaluate("window.PWN") is None
    assert page.title() == "</title><script>window.PWN=1</script>"
    text = page.evaluate("document.getElementById('explorer').textContent")
    used = [name for name in names if name in model.tree_.used_columns]
    assert used
    for name in (*used, *map(str, model.classes_)):
        assert visible(name) in text
    assert page.locator("img, iframe, object, svg").count() == 0
    well(page)


def test_X1_other_pages_show_them_literally_too(chromium: Any, tmp_path: Any) -> None:
    model, X, _ = hostile()
    (tmp_path / "tree.svg").write_text(model.tree_.to_svg(), encoding="utf-8")
    bundle = model.tree_._repr_mimebundle_()["text/html"] + model.explain(X.iloc[[0]])._repr_mimebundle_()["text/html"]
    (tmp_path / "notebook.html").write_text(f"<!doctype html><meta charset=utf-8>{bundle}", encoding="utf-8")
    page = chromium.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    for name in ("tree.svg", "notebook.html"):
        page.goto((tmp_path / name).as_uri())
        assert page.evaluate("window.PWN") is None
        assert "window.PWN" in page.evaluate("document.documentElement.textContent")
    assert len(asked) == 2
    page.close()


def test_X3_the_page_asks_for_nothing(chromium: Any, iris: Any) -> None:
    """Offline, and inside a sandboxed frame without an origin, as a notebook or a mail shows it."""
    model, data = iris
    content = page_of(model_document(model, data.X, data.y)).decode()
    assert "default-src 'none'; script-src 'sha256-" in content and "unsafe" not in content.split("<style>")[0]
    context = chromium.new_context(offline=True)
    page = context.new_page()
    asked, failed = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.set_content('<iframe sandbox="allow-scripts" style="width:1200px;height:700px"></iframe>')
    page.evaluate("content => { document.querySelector('iframe').srcdoc = content; }", content)
    page.frame_locator("iframe").get_by_role("treeitem").first.wait_for(state="attached")
    frame = page.frames[1]
    assert frame.evaluate("fetch('https://example.org/x').then(() => 'let through', () => 'refused')") == "refused"
    inject = "const s = document.createElement('script'); s.textContent = 'window.PWN = 1'; document.body.append(s);"
    assert frame.evaluate(f"(() => {{ {inject} return window.PWN ?? 0; }})()") == 0
    assert asked == [] or all(url.startswith("about:") for url in asked)
    assert failed == []
    context.close()


def test_X8_large_trees_open(opened: Open) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((34_000, 6))
    y = ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)) ^ (rng.random(len(X)) < 0.15)
    model = tw.CARTClassifier().fit(X, y)
    assert model.tree_.n_nodes > 10_000
    content = page_of(model_document(model, X, y))
    assert len(content) * 10_000 / model.tree_.n_nodes < 600_000
    page = opened(content)
    assert page.get_by_role("treeitem").count() <= 31
    page.evaluate("treewright.app.openAll(0)")
    assert 31 < page.get_by_role("treeitem").count() <= 600
    well(page)


def test_a_damaged_page_says_so(opened: Open, iris: Any) -> None:
    content = page_of(model_document(iris[0])).decode()
    begin = content.index('id="document">') + len('id="document">')
    page = opened((content[: begin + 40] + content[begin + 80 :]).encode())
    assert "damaged" in page.get_by_role("alert").inner_text()


def test_signs_are_escaped_as_everywhere(opened: Open) -> None:
    model, X, _ = hostile()
    page = opened(model, X)
    signs = "a\x1b\x07\r\n\t\u061c\u2060\u00ad\u206e\u180e\ufff9\u200b\u202e\u2028\ue000\U000e0041 é\u00a0\U0001f600"
    written = page.evaluate("text => {" + script("words") + "; return $words.visible(text); }", signs)
    assert written == visible(signs)
    assert page.evaluate("() => {" + script("words") + '; return $words.cut("😀".repeat(9), 5); }') == "😀😀😀…😀"
