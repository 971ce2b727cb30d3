"""What notebooks show: the box of scikit-learn, below it the tree: small, static, no scripts of ours, every name harmless."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
import sklearn

import treewright as tw
from tests.show.names import HOSTILE
from treewright.errors import visible


class Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def read(page: str) -> Elements:
    elements = Elements()
    elements.feed(page)
    return elements


def test_a_tree_shows_picture_line_and_rules() -> None:
    data = tw.datasets.load_iris()
    tree = tw.CARTClassifier(max_depth=2).fit(data.X, data.y).tree_
    bundle = tree._repr_mimebundle_()
    assert list(bundle) == ["text/plain", "text/html", "image/svg+xml"]
    assert bundle["text/plain"].splitlines()[0] == "5 nodes · 3 leaves · depth 2"
    assert bundle["image/svg+xml"] in bundle["text/html"]
    page = read(bundle["text/html"])
    assert {"svg", "details", "summary", "pre"} <= set(page.tags)
    assert "script" not in page.tags
    assert "".join(page.words).count("then species =") == 3


def test_an_estimator_shows_its_box_and_its_tree() -> None:
    data = tw.datasets.load_iris()
    model = tw.CARTClassifier()
    before = model._repr_mimebundle_()["text/html"]
    assert "Decision tree for" not in before
    after = model.fit(data.X, data.y)._repr_mimebundle_()
    assert "Decision tree for species" in after["text/html"]
    assert after["text/plain"].startswith("CARTClassifier()\n17 nodes · 9 leaves · depth 5\npetal length")
    with sklearn.config_context(display="text"):
        assert list(model._repr_mimebundle_()) == ["text/plain"]


@pytest.mark.parametrize("leaves", [2, 15, 16, 5000])
def test_bundles_are_small(leaves: int) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((12_000, 30)), columns=[f"measured quantity number {i}" for i in range(30)])
    model = tw.CARTClassifier(max_leaf_nodes=leaves).fit(X, rng.integers(0, 2, 12_000))
    for bundle in (model._repr_mimebundle_(), model.tree_._repr_mimebundle_()):
        assert sum(len(form.encode()) for form in bundle.values()) < 60_000
    page = model.tree_._repr_mimebundle_()["text/html"]
    if leaves > 30:
        assert re.search(r"… \d+ more rules", page)
    cards = page.count("<g><title>")
    assert cards <= 2 * 15 - 1


def test_rules_are_a_table() -> None:
    data = tw.datasets.load_play_tennis()
    rules = tw.ID3Classifier().fit(data.X, data.y).tree_.to_rules()
    bundle = rules._repr_mimebundle_()
    assert bundle["text/plain"] == rules.to_text()
    page = read(bundle["text/html"])
    assert page.tags.count("tr") == 6
    cells = [word for word in page.words if word.strip()]
    assert cells[5:10] == ["0", "outlook = sunny and humidity = high", "play = no", "3", "100%"]
    numbers = tw.datasets.load_diabetes()
    many = tw.CARTRegressor().fit(numbers.X, numbers.y).tree_.to_rules()._repr_mimebundle_()
    assert re.search(r"… \d+ more rules", many["text/html"])
    assert "± " in many["text/html"]
    assert sum(len(form.encode()) for form in many.values()) < 60_000


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_x1_names_are_shown_literally(name: str) -> None:
    X = pd.DataFrame({name: [1.0, 2.0, 3.0, 4.0], "c": [name, "z", "z", "y"]})
    tree = tw.ID3Classifier().fit(X, pd.Series([name, "b", "b", "a"], name=name)).tree_
    bundle = tree._repr_mimebundle_()
    page = read(bundle["text/html"])
    assert set(page.tags) <= {"div", "style", "svg", "title", "desc", "rect", "g", "text", "path", "details", "summary", "pre"}
    assert not any(attribute.startswith("on") for attribute in page.attributes)
    assert visible(name)[:100] in "".join(page.words)
    assert all(line.isprintable() for line in bundle["text/plain"].split("\n"))
    assert sum(len(form.encode()) for form in bundle.values()) < 60_000
    table = tree.to_rules()._repr_mimebundle_()
    page = read(table["text/html"])
    assert set(page.tags) <= {"table", "tr", "th", "td"}
    assert visible(name)[:100] in "".join(page.words)
    assert all(line.isprintable() for line in table["text/plain"].split("\n"))


def test_an_explanation_by_rules_is_a_card() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({HOSTILE[0]: rng.normal(size=200), "b": rng.choice([HOSTILE[1], "v"], 200)})
    y = np.where((X.iloc[:, 0] > 0) & (X.b == HOSTILE[1]), HOSTILE[2], "no")
    model = tw.RipperClassifier(random_state=0).fit(X, y)
    for row in (X[y == "no"].iloc[[0]], X[y != "no"].iloc[[0]]):
        bundle = model.explain(row)._repr_mimebundle_()
        card = ET.fromstring(bundle["text/html"])  # well-formed, so that no name became markup
        text = "".join(card.itertext())
        assert bundle["text/plain"] == model.explain(row).to_text()
        assert visible(str(model.predict(row)[0])) in text
        assert ("no rule holds" in text) == (model.apply(row)[0] < 0)
        assert {element.tag for element in card.iter()} <= {"div", "span", "b", "ul", "li"}


def test_rule_learners_show_their_rules_and_small_trees_are_whole() -> None:
    data = tw.datasets.load_iris()
    model = tw.RipperClassifier().fit(data.X, data.y)
    bundle = model._repr_mimebundle_()
    assert bundle["text/plain"] == f"RipperClassifier()\n{model.ruleset_.to_text()}"
    assert "then" in "".join(read(bundle["text/html"]).words) and bundle["text/html"].endswith("</table>")
    assert "then" not in tw.RipperClassifier()._repr_mimebundle_()["text/plain"]
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((500, 5)), columns=["bill_length_mm", "bill_depth_mm", "flipper_length", "body_mass_g", "x"])
    tree = tw.CARTClassifier(max_leaf_nodes=15).fit(X, rng.choice(["Adelie", "Gentoo", "Chinstrap"], 500))
    assert tree.tree_._repr_mimebundle_()["text/html"].count("<g><title>answer") == 15


def _diff() -> Any:
    data = tw.datasets.load_iris()
    one, other = (tw.CARTClassifier(max_depth=depth).fit(data.X, data.y) for depth in (1, 2))
    return tw.diff(one, other, data.X, data.y)


def _shown(name: str) -> Any:
    data = tw.datasets.load_iris()
    if name == "diff":
        return _diff()
    if name == "forest":
        return tw.RandomForestClassifier(3, random_state=0).fit(data.X, data.y).forest_
    model = tw.CARTClassifier(max_depth=2).fit(data.X, data.y)
    return {"tree": model.tree_, "estimator": model, "trace": model.tree_.trace()}[name]


@pytest.mark.parametrize("name", ["tree", "estimator", "forest", "diff", "trace"])
def test_pictures_are_dark_where_notebooks_are(name: str) -> None:
    """By the attributes of JupyterLab and VS Code, else as the browser is set; the picture itself is drawn and saved once."""
    page = _shown(name)._repr_mimebundle_()["text/html"]
    (scope,) = set(re.findall(r'class="(tw-\w+)"', page))
    style = "".join(re.findall(r"<style>(.*?)</style>", page, re.S))
    assert f'body[data-jp-theme-light="false"] .{scope} svg,body.vscode-dark .{scope} svg {{ filter: ' in style
    perhaps = style.split("@media (prefers-color-scheme: dark)")[1]
    assert f'body:not([data-jp-theme-light="true"]):not(.vscode-light) .{scope} svg {{ filter: ' in perhaps
    assert "<svg" in page and ("<script" not in page or name == "estimator")  # scikit-learn's box has one


def test_what_a_browser_makes_of_the_dark_theme(chromium: Any) -> None:
    """A white ground becomes nearly black, and blue stays blue."""
    page_of = "<!doctype html><meta charset=utf-8><body data-jp-theme-light='{}' style='margin:0'>{}".format
    found = {}
    for light in ("true", "false"):
        page = chromium.new_page(color_scheme="dark")
        page.set_content(page_of(light, _shown("tree")._repr_mimebundle_()["text/html"]))
        shot = page.locator("svg").screenshot()
        found[light] = page.evaluate(
            "async text => { const i = new Image(); i.src = 'data:image/png;base64,' + text; await i.decode();"
            "const c = document.createElement('canvas'), g = c.getContext('2d'); c.width = i.width; c.height = i.height;"
            "g.drawImage(i, 0, 0); return [[2, 2], [17, 18]].map(([x, y]) => Array.from(g.getImageData(x, y, 1, 1).data)); }",
            base64.b64encode(shot).decode(),
        )
        page.close()
    (ground, blue), (dark, blue_too) = found["true"], found["false"]
    assert min(ground[:3]) == 255 and max(dark[:3]) < 40
    for red, green, third in (blue[:3], blue_too[:3]):
        assert third == max(red, green, third) and third > red + 60


def test_a_saved_notebook_keeps_a_picture_of_the_widget() -> None:
    pytest.importorskip("anywidget")
    data = tw.datasets.load_iris()
    model = tw.CARTClassifier(max_depth=2).fit(data.X, data.y)
    bundle, _ = model.explore(X=data.X, y=data.y)._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    own = model.tree_._repr_mimebundle_()
    assert (bundle["text/html"], bundle["image/svg+xml"]) == (own["text/html"], own["image/svg+xml"])
    rules = tw.RipperClassifier().fit(data.X, data.y)
    bundle, _ = rules.explore()._repr_mimebundle_()
    assert bundle["text/html"] == rules.ruleset_._repr_mimebundle_()["text/html"]
