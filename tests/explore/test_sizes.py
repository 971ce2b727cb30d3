"""The page at the sizes of the pruning path: what the slider draws, and what smaller trees say, in a real browser."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.explore.conftest import Open
from tests.explore.rows import numbered, weather, well


def test_smaller_trees_say_their_numbers(opened: Open) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 3)), columns=list("abc"))
    y = 3 * (X.a > 0) + X.b + rng.normal(0, 0.2, 300)
    model = tw.CARTRegressor(max_leaf_nodes=12).fit(X, y)
    page = opened(model, X, y)
    path = model.pruning_path()
    rows = numbered(X[:60], model.tree_.schema)
    for step in range(len(path)):
        said = page.evaluate("([rows, size]) => rows.map(row => treewright.tools.follow(row, size).says)", [rows, step])
        np.testing.assert_array_equal(said, path.tree_at(step).predict(X[:60]))
    well(page)


def test_smaller_trees_say_their_shares(opened: Open) -> None:
    X, y = weather()
    model = tw.C45Classifier(pruned=False).fit(X, y)
    page = opened(model, X, y)
    path = model.pruning_path()
    rows = numbered(X[:60], model.tree_.schema)
    for step in range(len(path)):
        found = page.evaluate("([rows, size]) => rows.map(row => treewright.tools.follow(row, size).shares)", [rows, step])
        np.testing.assert_allclose(found, path.tree_at(step).predict_proba(X[:60]), rtol=0, atol=1e-12)


def test_the_best_tree_and_that_within_one_standard_error(opened: Open) -> None:
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(240, 4)), columns=list("abcd"))
    y = np.where(X.a + 0.6 * X.b + rng.normal(0, 0.7, 240) > 0, "p", "q")
    model = tw.CARTClassifier().fit(X, y)
    path = model.pruning_path(X, y, folds=5)
    best, simpler = path.choose("best"), path.choose("1se")
    assert best != simpler
    page = opened(model, X, y, folds=5)
    slider = page.get_by_role("slider", name="size of the tree")
    for name, step in (("1 se", simpler), ("best", best)):
        page.get_by_role("button", name=name, exact=True).click()
        assert slider.get_attribute("aria-valuenow") == str(path.n_leaves[step])
    # The curve is drawn where the errors are: at the smallest tree, whose error is the largest, it is far above the floor.
    dark = page.evaluate(
        """() => { const c = document.querySelector('.track canvas'), g = c.getContext('2d');
        const column = x => { const d = g.getImageData(x, 0, 1, c.height).data;
          for (let i = 0; i < c.height; i += 1) if (d[4 * i + 3] > 60) return i / c.height; return 1; };
        const from = Math.round(c.width * 0.12); return column(from); }"""
    )
    assert dark < 0.5


def test_search_finds_what_is_there_at_a_size(opened: Open, iris: Any) -> None:
    model, data = iris
    page = opened(model, data.X, data.y)

    def hits() -> list[int]:
        box = page.get_by_role("combobox", name="search nodes")
        box.fill("")
        box.fill("virginica")  # what nodes below a leaf would answer
        return page.evaluate("[...treewright.app.store.state.found]")

    whole = hits()
    steps = page.evaluate("treewright.app.model.doc.path.leaves.length")
    page.evaluate("step => treewright.app.resize(step)", steps - 3)
    fewer = hits()
    there = page.evaluate(
        """ids => { const {model, store} = treewright.app;
        return ids.every(id => id === 0 || model.count(model.parent[id], store.state.size) > 0); }""",
        fewer,
    )
    assert there and 0 < len(fewer) < len(whole)


def test_regions_of_rules_that_vote_are_what_they_say(opened: Open, iris: Any) -> None:
    _, data = iris
    model = tw.CARTClassifier(max_depth=3).fit(data.X, data.y).tree_.to_rules().drop(0, X=data.X, y=data.y)
    model = model.add("if petal length (cm) > 4.5 then species = virginica", X=data.X, y=data.y)
    page = opened(model, data.X, data.y)
    held = numbered(data.X[60:61], model.schema)[0]
    boxes = page.evaluate(
        """held => treewright.tools.regions(held, 0, [2, 3]).boxes.map(b => [b.found.says,
        b.spans.map(s => s.map(x => Number.isFinite(x) ? x : Math.sign(x) * 1e9))])""",
        held,
    )
    rng = np.random.default_rng(0)
    points = np.column_stack([np.full(400, held[0]), np.full(400, held[1]), rng.uniform(0, 8, 400), rng.uniform(-1, 4, 400)])
    said = model.predict(pd.DataFrame(points, columns=data.X.columns))
    assert len({one for one, _ in boxes}) > 1
    for point, answer in zip(points, said, strict=True):
        assert [one for one, ((a, b), (c, d)) in boxes if a < point[2] <= b and c < point[3] <= d] == [answer]


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_the_band_reaches_a_standard_error_up_and_down(opened: Open, kind: str) -> None:
    """Of squared errors the roots are shown, and the ends of the band are the roots of its ends."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(90, 3)), columns=list("abc"))
    y: Any = X.a + 0.6 * X.b + rng.normal(0, 0.7, 90)
    model: Any = tw.CARTRegressor(min_samples_leaf=3) if kind == "numbers" else tw.CARTClassifier()
    y = y if kind == "numbers" else np.where(y > 0, "p", "q")
    path = model.fit(X, y).pruning_path(X, y, folds=5)
    page = opened(model, X, y, folds=5)
    shapes = page.evaluate(
        """async () => { const found = [], to = CanvasRenderingContext2D.prototype;
        const was = Object.getOwnPropertyDescriptors(to);
        let points = [];
        to.beginPath = function () { points = []; return was.beginPath.value.call(this); };
        for (const name of ['moveTo', 'lineTo']) {
          to[name] = function (x, y) { points.push([x, y]); return was[name].value.call(this, x, y); };
        }
        for (const name of ['fill', 'stroke']) {
          to[name] = function (...rest) { found.push([name, points]); return was[name].value.apply(this, rest); };
        }
        treewright.app.resize(1);
        await new Promise((done) => setTimeout(done, 300));
        for (const name of ['beginPath', 'moveTo', 'lineTo', 'fill', 'stroke']) Object.defineProperty(to, name, was[name]);
        return found; }"""
    )
    at = next(k for k, (how, points) in enumerate(shapes) if how == "fill" and len(points) > 3)  # marks have three corners
    band, drawn = shapes[at][1], next(points for how, points in shapes[at:] if how == "stroke")
    assert path.cv is not None and len(band) == 2 * len(drawn) > 8
    if kind == "numbers":
        error, up = np.sqrt(path.cv.error), np.sqrt(path.cv.error + path.cv.se)
    else:
        error, up = path.cv.error, path.cv.error + path.cv.se
    low = np.maximum(path.cv.error - path.cv.se, 0)
    down = np.sqrt(low) if kind == "numbers" else low
    half = len(band) // 2
    upper, lower, middle = ([y for _, y in points] for points in (band[:half], band[half:][::-1], drawn))
    steps = [int(np.argmin([abs(x - at) for x in _places(path.n_leaves, drawn)])) for at, _ in drawn]
    scale, offset = np.polyfit(error[steps], middle, 1)
    np.testing.assert_allclose(middle, scale * error[steps] + offset, atol=0.01)
    np.testing.assert_allclose(upper, scale * up[steps] + offset, atol=0.01)
    np.testing.assert_allclose(lower, np.minimum(scale * down[steps] + offset, max(lower)), atol=0.01)
    well(page)


def _places(leaves: Any, drawn: list[list[float]]) -> Any:
    """Where the steps lie across, between the first point that was drawn and the last: by the logarithm of their leaves."""
    right, left = drawn[0][0], drawn[-1][0]
    return left + (right - left) * np.log(leaves) / np.log(leaves[0])


def test_keys_move_along_the_path_and_not_beyond_it(opened: Open) -> None:
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(240, 3)), columns=list("abc"))
    page = opened(tw.CARTClassifier().fit(X, np.where(X.a + rng.normal(0, 0.7, 240) > 0, "p", "q")))
    slider = page.get_by_role("slider", name="size of the tree")
    last = page.evaluate("treewright.model.steps") - 1
    jump = max(1, round((last + 1) / 10))
    assert last > 4
    for key, to in [("End", 0), ("ArrowRight", 0), ("ArrowLeft", 1), ("ArrowDown", 2), ("ArrowUp", 1), ("PageDown", 1 + jump),
                    ("PageUp", 1), ("PageUp", max(0, 1 - jump)), ("Home", last), ("ArrowLeft", last), ("PageDown", last),
                    ("ArrowRight", last - 1)]:  # fmt: skip
        slider.press(key)
        at = page.evaluate("treewright.app.store.state.size")
        assert at == to, key
        leaves = page.evaluate("size => treewright.model.doc.path.leaves[size]", at)
        assert slider.get_attribute("aria-valuenow") == str(leaves)
    well(page)


def test_the_least_error_is_seen(opened: Open) -> None:
    """The curve once was flat: one leaf errs six times as much as all larger trees."""
    rng = np.random.default_rng(0)
    X = rng.random((600, 4))
    y = np.where(X[:, 0] > 0.5, "p", "q")
    y = np.where(rng.random(600) < 0.06, "p", y)
    model = tw.CARTClassifier().fit(X, y)
    path = model.pruning_path(X, y, folds=5)
    errors = path.cv.error
    page = opened(model, X, y, folds=5)
    seen = page.evaluate(
        """() => { const own = CanvasRenderingContext2D.prototype.lineTo, out = [];
        CanvasRenderingContext2D.prototype.lineTo = function (x, y) {
          if (this.canvas.closest('.track')) out.push([x, y]);
          return own.apply(this, arguments);
        };
        treewright.app.resize(1);
        const high = document.querySelector('.track').clientHeight;
        return new Promise(done => setTimeout(() => done([out, high]), 200)); }"""
    )
    points, high = seen
    first = min(x for x, _ in points)
    inside = [y for x, y in points if x > first + 1 and 0 <= y <= high]  # of all trees but the smallest
    assert max(errors) > 3 * float(np.median(errors))
    assert max(inside) - min(inside) > 0.4 * high
    (above,) = [text for text in _texts(page) if text.startswith("↑ ")]
    assert float(above[2:-2]) == pytest.approx(100 * max(path.cv.error + path.cv.se), abs=0.1)


def _texts(page: Any) -> list[str]:
    return page.evaluate(
        """() => new Promise(done => { const own = CanvasRenderingContext2D.prototype.fillText, out = [];
        CanvasRenderingContext2D.prototype.fillText = function (text) { out.push(text); return own.apply(this, arguments); };
        treewright.app.resize(0); setTimeout(() => done(out), 200); })"""
    )
