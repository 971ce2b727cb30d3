"""What is seen at first, and after moving, searching, resizing: readable, in view, as open as before; changes that hold."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.explore.conftest import Open
from tests.explore.rows import numbered, weather, well
from treewright.explore.modules import script


@pytest.fixture(scope="module")
def iris() -> Any:
    data = tw.datasets.load_iris()
    return tw.CARTClassifier().fit(data.X, data.y), data


def until(page: Any, holds: str) -> None:
    """Waits for what the page's policy lets nobody wait for inside it."""
    for _ in range(500):
        if page.evaluate(holds):
            return
        page.wait_for_timeout(20)
    raise AssertionError(holds)


def in_view(page: Any) -> float:
    """The scale of the close-up, all of which must be seen."""
    k, corners, size = page.evaluate(
        "(() => { const v = treewright.app.closeUp.view(), [a, b, c, d] = v.bounds, box = document.querySelector('.close');"
        "return [v.k, [a * v.k + v.x, b * v.k + v.y, c * v.k + v.x, d * v.k + v.y], [box.clientWidth, box.clientHeight]]; })()"
    )
    assert min(corners[:2]) >= 0 and corners[2] <= size[0] and corners[3] <= size[1]
    return float(k)


@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080), (375, 720)])
def test_the_first_look_can_be_read(opened: Open, iris: Any, size: tuple[int, int]) -> None:
    model, data = iris
    page = opened(model, data.X, data.y, size=size)
    assert in_view(page) >= 0.7
    assert page.get_by_role("treeitem").count() >= 3
    wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] == wide[1]
    well(page)


def test_the_close_up_is_fitted_anew(opened: Open, iris: Any) -> None:
    """It once stayed where it was, so that a smaller tree was small in a corner."""
    model, data = iris
    page = opened(model, data.X, data.y)
    page.get_by_role("button", name="zoom in").click()
    page.get_by_role("button", name="zoom in").click()
    page.get_by_role("treeitem").first.focus()
    page.keyboard.press("[")
    assert in_view(page) >= 0.7
    first = page.get_by_role("treeitem").count()
    page.set_viewport_size({"width": 1800, "height": 1300})
    until(page, "innerWidth === 1800 && document.querySelector('.close canvas').width > 1100")
    assert in_view(page) >= 0.7
    assert page.get_by_role("treeitem").count() > first  # there is more room
    page.set_viewport_size({"width": 900, "height": 700})
    until(page, "document.querySelector('.close canvas').width < 900")
    assert in_view(page) >= 0.7
    well(page)


def test_opening_a_node_leaves_it_where_it_is(opened: Open) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    model = tw.CARTClassifier().fit(X, (X[:, 0] * X[:, 1] > X[:, 2]) ^ (rng.random(600) < 0.1))
    page = opened(model, X)
    page.get_by_role("button", name="zoom in").click()
    where = "(() => { const { x, y, k } = treewright.app.closeUp.view(), p = treewright.app.closeUp.placeOf(ID);"
    where += "return [p.x * k + x, p.y * k + y]; })()"
    find = "Array.from({ length: treewright.model.n }, (_, id) => id).find(id => treewright.app.closeUp.placeOf(id)"
    closed = page.evaluate(find + "&& treewright.model.branches[id] > 0 && !treewright.app.store.state.open[id])")
    ask = where.replace("ID", str(closed))
    before = page.evaluate(ask)
    page.evaluate(f"treewright.app.toggle({closed})")
    assert page.evaluate(ask) == pytest.approx(before)
    well(page)


def test_the_list_of_what_was_found_stays_closed(opened: Open, iris: Any) -> None:
    model, data = iris
    page = opened(model, data.X, data.y)
    box = page.get_by_role("combobox", name="search nodes")
    found = page.get_by_role("list", name="nodes that were found")
    page.keyboard.press("/")
    page.keyboard.type("petal")
    assert found.is_visible() and box.get_attribute("aria-expanded") == "true"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")  # from inside the list
    assert not found.is_visible() and box.input_value() == "petal"
    page.keyboard.press("ArrowDown")
    assert found.is_visible()
    page.keyboard.press("Enter")
    assert not found.is_visible() and page.evaluate("treewright.app.store.state.selected") >= 0
    page.keyboard.press("[")  # another size finds other nodes, but the list stays closed
    assert not found.is_visible()
    box.focus()
    assert not found.is_visible()
    page.keyboard.press("End")
    page.keyboard.type(" ")
    assert found.is_visible()
    page.get_by_role("slider", name="size of the tree").focus()  # elsewhere
    assert not found.is_visible()
    box.focus()
    page.keyboard.press("Escape")
    assert box.input_value() == "" and page.evaluate("treewright.app.store.state.found") is None
    page.keyboard.press("]")
    assert not found.is_visible()
    well(page)


@pytest.mark.parametrize("recipe", ["cart", "c45", "soft", "surrogate"])
def test_changes_are_the_nearest_and_hold(opened: Open, recipe: str) -> None:
    """Shown bounds once were rounded and taken from one box of several that say the same."""
    X, y = weather(500)
    X["length"] = np.random.default_rng(5).normal(0, 3, 500)  # of many digits
    y = np.where(X.length > 1.5, "stay", y)
    models = {
        "cart": tw.CARTClassifier(min_samples_leaf=3),
        "c45": tw.C45Classifier(),
        "soft": tw.C45Classifier(soft=True),
        "surrogate": tw.CARTClassifier(missing="surrogate", min_samples_leaf=3),
    }
    model = models[recipe].fit(X, y)
    page = opened(model, X, y)
    rows = numbered(X.iloc[:40], model.tree_.schema)
    names = list(X.columns)
    found = page.evaluate(
        "rows => rows.map(row => treewright.tools.whatIf(row, 0).map(f => [f.column, f.value, f.says, f.text]))", rows
    )
    now = model.predict(X.iloc[:40])
    assert sum(map(len, found)) > 40
    for at, changes in enumerate(found):
        for column, value, says, text in changes:
            kind = X.dtypes.iloc[column].kind
            if kind != "f":
                continue
            tried = X.iloc[[at] * 801].copy()
            x = X.iloc[at, column]
            here = float(np.nan_to_num(x, nan=value))
            # Everything nearer than the change has the answer of now, or another one that is listed nearer still.
            tried[names[column]] = np.concatenate([[value], np.linspace(here, value, 801)[:-1]])
            answers = model.predict(tried)
            assert answers[0] == says != now[at]
            if not math.isnan(x):
                near = abs(value - here) * (1 - 1 / 800) - 0.002 * 60
                assert not any(answers[k + 1] == says for k in range(800) if abs(tried[names[column]].iloc[k + 1] - here) < near)
            assert names[column] in text
    well(page)


def test_ranges_of_an_answer_are_as_large_as_they_are(opened: Open) -> None:
    X = pd.DataFrame({"a": np.arange(60.0), "b": np.tile([0.0, 1.0], 30)})
    y = np.where(X.a < 20, "low", np.where((X.a < 40) & (X.b > 0), "middle", "high"))
    model = tw.CARTClassifier().fit(X, y)
    page = opened(model)  # without rows the unit is read from what lies beside the thresholds
    said = page.evaluate(
        "[[5, 1], [5, 0]].map(row => treewright.tools.whatIf(row, 0).filter(f => !f.column).map(f => [f.text, f.value, f.says]))"
    )
    assert said == [
        [["20 ≤ a ≤ 39 (is 5)", 20, "middle"], ["a ≥ 40 (is 5)", 40, "high"]],
        [["a ≥ 20 (is 5)", 20, "high"]],
    ]
    well(page)


def test_texts_of_axes_keep_apart(chromium: Any) -> None:
    page = chromium.new_page()
    run = "given => {" + script("regionscale") + "; const [axis, wide, from, to] = given;"
    run += "const at = v => from + (to - from) * (v - axis.low) / (axis.high - axis.low);"
    run += "return $regionscale.apart($regionscale.ticks(axis), at, t => t.length * wide, 12, 8); }"
    levels = [f"a level of number {k}" for k in range(25)]
    nominal = {"column": {"levels": levels, "kind": "nominal"}, "low": -0.5, "high": 24.5, "levels": 25}
    day = 86400e6
    dates = {"column": {"kind": "date"}, "low": 17897 * day, "high": 19723 * day, "levels": 0}
    for axis, wide in ((nominal, 6), (dates, 6), ({"column": {"kind": "number"}, "low": 0, "high": 1e9, "levels": 0}, 9)):
        placed = page.evaluate(run, [axis, wide, 40, 340])
        assert len(placed) >= 2
        for (p, text), (q, other) in pairwise(placed):
            assert q - p >= wide * (len(text) + len(other)) / 2 + 8
    texts = [text for _, text in page.evaluate(run, [dates, 1, 0, 2000])]
    assert all(text.endswith("-01") for text in texts) and texts[0] == "2019-01-01"
    page.close()


@pytest.mark.parametrize("tab", ["Node", "Row", "Rules", "Regions"])
def test_nothing_is_wider_than_a_telephone(opened: Open, tab: str) -> None:
    rng = np.random.default_rng(1)
    wide = "a column whose name is rather long, as those of exported questionnaires are"
    X = pd.DataFrame(
        {wide: rng.normal(size=300), "Donaudampfschifffahrtsgesellschaftskapitän" * 2: rng.choice(list("abcdefgh"), 300)}
    )
    y = np.where(X[wide] > 0, "an answer that is long enough to be cut somewhere", X.iloc[:, 1])
    model = tw.CARTClassifier(keep_candidates=True, min_samples_leaf=5).fit(X, y)
    page = opened(model, X, y, size=(375, 720), folds=3)
    page.get_by_role("tab", name=tab).click()
    if tab == "Row":
        page.get_by_role("button", name="a typical row").click()
    assert page.evaluate("[document.documentElement.scrollWidth, document.body.scrollWidth]") == [375, 375]
    for name in ("best", "1 se", "all", "zoom in", "keys"):
        button = page.get_by_role("button", name=name, exact=True).first
        assert button.is_visible()
        place = button.bounding_box()
        assert place["x"] >= 0 and place["x"] + place["width"] <= 375
    page.get_by_role("combobox", name="search nodes").fill("a")
    place = page.get_by_role("list", name="nodes that were found").bounding_box()
    assert place["x"] >= 0 and place["x"] + place["width"] <= 375
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    well(page)


def test_words_from_right_to_left_keep_to_themselves(opened: Open) -> None:
    X = pd.DataFrame({"עיר": ["תל אביב", "חיפה", "אילת"] * 8, "b": np.arange(24.0)})
    model = tw.CARTClassifier().fit(X, np.where((X.b > 11) ^ (X["עיר"] == "חיפה"), "כן", "לא"))
    page = opened(model, X)
    said = " ".join(page.get_by_role("treeitem").all_text_contents())
    page.get_by_role("tab", name="Rules").click()
    said += page.get_by_role("list", name="rules").inner_text()
    alone = re.sub("\u2068[^\u2068\u2069]*\u2069", "", said)
    assert re.search("[\u0590-\u05ff]", said) and not re.search("[\u0590-\u05ff]", alone)
    well(page)


def test_the_icicle_has_the_colours_of_the_nodes(opened: Open, iris: Any) -> None:
    model, data = iris
    page = opened(model, data.X, data.y)
    pixel = (
        "(share, level) => { const c = document.querySelector('.icicle canvas'), levels = Math.floor(c.height / 22);"
        "return Array.from(c.getContext('2d').getImageData(share * c.width, (level + 0.5) * 22 + 8, 1, 1).data); }"
    )
    shares = {"setosa": (0.2, 1), "virginica": (0.97, 3)}
    colours = {"setosa": (0x00, 0x72, 0xB2), "virginica": (0x00, 0x9E, 0x73)}
    until(page, "document.querySelector('.icicle canvas').width > 100")
    for name, (share, level) in shares.items():
        seen = page.evaluate(f"({pixel})({share}, {level})")
        assert seen[:3] == pytest.approx([255 + (c - 255) * 0.7 for c in colours[name]], abs=6)
    assert page.evaluate(f"({pixel})(0.2, 3)")[3] == 0  # below a leaf is nothing
    well(page)
