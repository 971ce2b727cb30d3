"""What is drawn on the page can be read: levels and numbers in cards, texts at any scale, colours explained, nothing hidden."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import confusion_matrix

import treewright as tw
from tests.explore.conftest import Open
from tests.explore.rows import weather, well
from treewright.explore.write import model_document

SCHOOLS = ["HS-grad", "Some-college", "Bachelors", "Masters", "Assoc", "11th", "10th", "9th", "7th", "Doctorate", "Prof", "5th"]
HIGH = {"Bachelors", "Masters", "Doctorate", "Prof"}


@pytest.fixture(scope="module")
def schools() -> Any:
    rng = np.random.default_rng(0)
    weight = np.arange(len(SCHOOLS), 0, -1) ** 1.5
    X = pd.DataFrame({"education": rng.choice(SCHOOLS, 1200, p=weight / weight.sum()), "age": rng.integers(17, 80, 1200)})
    chance = 0.1 + 0.6 * X.education.isin(HIGH) + 0.2 * (X.age > 45)
    y = np.where(rng.random(1200) < chance, "more", "less")
    return tw.CARTClassifier(min_samples_leaf=20).fit(X, pd.Series(y, name="income")), X, y


@pytest.fixture(scope="module")
def numbers() -> Any:
    data = tw.datasets.load_diabetes()
    return tw.CARTRegressor(min_samples_leaf=5).fit(data.X, data.y), data


# Every text that is drawn, with its size on the screen and where it stands there.
WATCHED = """(() => {
  const own = CanvasRenderingContext2D.prototype.fillText;
  window.drawn = [];
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    const at = this.getTransform(), points = parseFloat(this.font.match(/([\\d.]+)px/)[1]);
    const wide = this.measureText(text).width * at.a, left = at.a * x + at.e;
    const from = { center: left - wide / 2, end: left - wide }[this.textAlign] ?? left;
    const box = [from, at.d * y + at.f - points * at.d * 0.8, from + wide, at.d * y + at.f];
    window.drawn.push({ text, pixels: points * at.d, box, card: this.canvas.parentElement?.className ?? "" });
    return own.apply(this, arguments);
  };
})()"""


def drawn(page: Any, at: str) -> list[dict[str, Any]]:
    """The texts of one frame of the close-up, after something was done."""
    page.evaluate(WATCHED) if page.evaluate("window.drawn === undefined") else None
    page.evaluate("window.drawn = []")
    page.evaluate(at)
    page.wait_for_timeout(120)
    found: list[dict[str, Any]] = page.evaluate("window.drawn.filter(one => one.card.startsWith('close'))")
    return found


def test_levels_say_which_way_they_go(opened: Open, schools: Any) -> None:
    model, X, y = schools
    page = opened(model, X, y)
    split = model.tree_.root.split
    assert split.column == "education"
    yes = [name for name, branch in split.levels.items() if branch == 0]
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", page.evaluate("treewright.app.closeUp.svg()"))
    assert f"education: {len(yes)} of {len(SCHOOLS)} levels?" in texts
    counts = X.education.value_counts()
    for word, own in (("yes", yes), ("no", [name for name in SCHOOLS if name not in yes])):
        tall = sorted(own, key=lambda name: -counts[name])
        (line,) = (text for text in texts if text.startswith(f"{word}: "))
        shown = line.removeprefix(f"{word}: ").split(" + ")[0].split(", ")
        assert shown == tall[: len(shown)]  # the tallest bars first
        assert len(shown) == len(own) or line.endswith(f" + {len(own) - len(shown)}")
    well(page)


def test_bars_of_levels_stand_by_branch(opened: Open, schools: Any) -> None:
    """The bars of either branch side by side, with a full and a hollow line below."""
    model, X, y = schools
    page = opened(model, X, y)
    svg = page.evaluate("treewright.app.closeUp.svg()")
    ink = page.evaluate("treewright.app.theme.ink")
    lines = re.findall(
        rf'<rect x="([\d.-]+)" y="([\d.-]+)" width="([\d.-]+)" height="(3.5|2.5)"[^>]*fill="([^"]+)"( stroke="{ink}")?', svg
    )
    (x0, y0, w0, _, full, _), (x1, y1, _, _, hollow, _) = lines[:2]
    assert full == ink and hollow != ink and abs(float(y0) - float(y1)) <= 0.5
    n = len([1 for branch in model.tree_.root.split.levels.values() if branch == 0])
    wide = float(w0) / n
    assert float(x1) >= float(x0) + n * wide  # the second line begins behind the first


def test_numbers_are_drawn_against_their_column(opened: Open, numbers: Any) -> None:
    model, data = numbers
    document = model_document(model, data.X, data.y)
    low, high, groups, counts, least, most = document["histograms"][0]
    root = model.tree_.root
    x, target = np.asarray(data.X[root.split.column], float), np.asarray(data.y, float)
    assert groups == 8 and least <= target.min() and most >= target.max()
    bins = len(counts) // groups
    wanted, *_ = np.histogram2d(x, target, [bins, groups], [[low, high], [least, most]])
    assert np.asarray(counts).reshape(bins, groups).sum() == len(x)
    assert np.abs(np.asarray(counts).reshape(bins, groups) - wanted).sum() <= 8  # cells on an edge
    page = opened(model, data.X, data.y)
    ink = page.evaluate("treewright.app.theme.ink")
    svg = page.evaluate("treewright.app.closeUp.svg()")
    means = re.findall(rf'<rect x="([\d.-]+)" y="([\d.-]+)" width="[\d.]+" height="2" rx="0" fill="{ink}"/>', svg)
    (_, left), (_, right) = [(float(a), float(b)) for a, b in means[:2]]  # of the root's branches
    lower, upper = (child.value for child in root.children)
    assert (left - right) / 38 == pytest.approx((upper - lower) / (most - least), abs=0.001)
    well(page)


def test_the_scale_of_colours_has_three_numbers(opened: Open, numbers: Any) -> None:
    model, data = numbers
    page = opened(model, data.X, data.y)
    values = [node.value for node in model.tree_.nodes()]
    told = [float(text) for text in page.locator(".ramp .ends span").all_inner_texts()]
    assert told == pytest.approx([min(values), (min(values) + max(values)) / 2, max(values)], rel=0.01)
    assert f">{page.locator('.ramp .ends span').last.inner_text()}</text>" in page.evaluate("treewright.app.closeUp.svg()")


@pytest.mark.parametrize("scale", [1.15, 0.95, 0.9, 0.8, 0.7, 0.55, 0.4, 0.2, 0.08])
def test_no_text_is_smaller_than_eleven_pixels(opened: Open, scale: float) -> None:
    X, y = weather(1500)
    model = tw.CARTClassifier().fit(X, y)
    page = opened(model, X.iloc[::2], y[::2], folds=None)
    page.evaluate("treewright.app.openAll(0)")
    texts = drawn(page, f"treewright.app.closeUp.zoom({scale} / treewright.app.closeUp.view().k)")
    assert texts and min(one["pixels"] for one in texts) >= 10.99
    if scale < 0.45:  # labels as on a map
        assert len(texts) > 3
        for one, other in itertools.combinations(texts, 2):
            a, b = one["box"], other["box"]
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    well(page)


def test_thousands_of_nodes_can_be_opened(opened: Open) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((6000, 4))
    model = tw.CARTClassifier().fit(X, (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5) ^ (rng.random(6000) < 0.2))
    assert model.tree_.n_nodes > 2000
    page = opened(model)
    texts = drawn(page, "treewright.app.openAll(0)")
    assert 10 < len(texts) <= 80 and min(one["pixels"] for one in texts) >= 10.99
    assert page.evaluate("treewright.model.question(0)").split(" ")[0] in " ".join(one["text"] for one in texts)
    wide = page.evaluate("document.querySelector('.close').clientWidth")
    assert all(one["box"][0] >= 0 and one["box"][2] <= wide for one in texts)
    well(page)


def test_the_saved_picture_has_its_legend_and_no_buttons(opened: Open, schools: Any) -> None:
    model, X, y = schools
    page = opened(model, X, y)
    knobs = drawn(page, "treewright.app.closeUp.fit()")
    assert knobs
    svg = page.evaluate("treewright.app.closeUp.svg()")
    texts = re.findall(r'<text x="[\d.-]+" y="([\d.-]+)"[^>]*>([^<]*)</text>', svg)
    top = min(float(y) for y, _ in texts)
    assert [text for y, text in texts if float(y) == top][:3] == ["income", "less", "more"]
    assert 'r="7.5"' not in svg and 'r="6.5"' not in svg
    box = [float(v) for v in re.search(r'viewBox="([^"]+)"', svg)[1].split()]
    assert box[1] < top - 8


def test_marks_of_worse_leaves_stand_beside_their_text(opened: Open, schools: Any) -> None:
    model, X, y = schools
    swapped = np.where(y == "more", "less", "more")  # every leaf does worse on these
    page = opened(model, X, swapped)
    page.evaluate("treewright.app.resize(0)")
    page.evaluate("treewright.app.openAll(0)")
    mark = page.evaluate("treewright.app.theme.mark")
    wide = "text => { const c = document.createElement('canvas').getContext('2d'); c.font = `12px ${treewright.app.theme.font}`;"
    wide += "return c.measureText(text).width; }"
    svg = page.evaluate("treewright.app.closeUp.svg()")
    tests = [
        (float(x), float(y), text) for x, y, text in re.findall(r'<text x="([\d.-]+)" y="([\d.-]+)"[^>]*>(test: [^<]*)<', svg)
    ]
    strokes = [
        (float(x), float(y)) for x, y in re.findall(rf'<path d="M([\d.-]+) ([\d.-]+)L[^"]*" fill="none" stroke="{mark}"', svg)
    ]
    assert len(tests) > 3 and len(strokes) > 3
    for x, y_, text in tests:
        end = x + page.evaluate(wide, text)
        beside = [a for a, b in strokes if abs(b - y_) < 6 and x < a < x + 250]
        assert not beside or min(beside) >= end


def test_hints_hide_nothing_they_are_about(opened: Open, schools: Any) -> None:
    model, X, y = schools
    page = opened(model, X, y)
    hint = page.locator(".hint")
    close, whole = (page.locator(f"{name}").bounding_box() for name in (".close", ".icicle"))
    for id in range(3):
        place = page.evaluate(
            f"(() => {{ const {{ x, y, k }} = treewright.app.closeUp.view(), p = treewright.app.closeUp.placeOf({id});"
            "const at = (a, b) => [a * k + x, b * k + y], half = p.card.width / 2;"
            "return [...at(p.x - half, p.y), ...at(p.x + half, p.y + p.card.height)]; })()"
        )
        page.mouse.move(close["x"] + (place[0] + place[2]) / 2, close["y"] + (place[1] + place[3]) / 2 - 3)
        hint.wait_for(state="visible")
        box = hint.bounding_box()
        assert box["y"] >= close["y"] + place[3] or box["y"] + box["height"] <= close["y"] + place[1]
    page.mouse.move(whole["x"] + 30, whole["y"] + 33)
    hint.wait_for(state="hidden")
    hint.wait_for(state="visible")
    box = hint.bounding_box()
    assert box["y"] + box["height"] <= whole["y"] + 24  # what is below the node is seen
    well(page)


def test_confusions_and_importances_follow_the_size(opened: Open, schools: Any) -> None:
    model, X, y = schools
    half = model.fit(X[:600], pd.Series(y[:600], name="income"))
    for rows, name in (((X[600:], y[600:]), "test rows"), ((X[:600], y[:600]), "training rows")):
        page = opened(half, *rows)
        page.get_by_role("tab", name="Model").click()
        path = half.pruning_path(validation=rows if name == "test rows" else None)
        for step in (0, len(path) // 2, len(path) - 2):
            page.evaluate(f"treewright.app.resize({step})")
            tree = path.tree_at(step)
            wanted = confusion_matrix(rows[1], tree.predict(rows[0]), labels=list(half.classes_))
            cells = page.get_by_role("table", name="confusion matrix").locator("td").all_inner_texts()
            assert [int(cell) for cell in cells] == wanted.ravel().tolist()
            assert f"Confusion matrix ({name})".lower() in page.locator(".model").inner_text().lower()
            told = page.get_by_role("table", name="column importance").locator("tr").all_inner_texts()
            ranked = sorted(zip(tree.feature_importances, X.columns, strict=True), reverse=True)
            for line, (share, column) in zip(told, ranked, strict=False):
                assert line.startswith(column) and abs(float(re.search(r"([\d.]+) %", line)[1]) - 100 * share) <= 0.6
        well(page)
    page.evaluate(f"treewright.app.resize({len(path) - 1})")
    assert page.get_by_role("table", name="column importance").count() == 0  # a leaf asks about nothing


def test_regions_are_of_the_columns_that_matter_most(opened: Open) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((500, 4)), columns=["noise", "second", "first", "third"])
    y = np.where(X["first"] > 0.5, "a", np.where(X.second > 0.5, "b", "c"))
    y = np.where(rng.random(500) < 0.1, "b", y)
    model = tw.CARTClassifier().fit(X, y)
    page = opened(model, X, y)
    page.get_by_role("tab", name="Regions").click()
    axes = [page.get_by_role("combobox", name=name) for name in ("across", "upwards")]
    chosen = "e => e.selectedOptions[0].textContent"
    leaves = page.evaluate("treewright.model.doc.path.leaves")
    page.evaluate(f"treewright.app.resize({leaves.index(3)})")
    assert [axis.evaluate(chosen) for axis in axes] == ["first", "second"]
    page.evaluate(f"treewright.app.resize({leaves.index(2)})")
    assert [axis.evaluate(chosen) for axis in axes] == ["first", "first"]  # no other is left
    page.evaluate(f"treewright.app.resize({leaves.index(3)})")
    axes[0].select_option(label="third")
    page.evaluate("treewright.app.resize(0)")
    assert [axis.evaluate(chosen) for axis in axes] == ["third", "second"]  # what was chosen stays
    well(page)


@pytest.mark.parametrize("width", [320, 375])
def test_a_telephone_clips_nothing(opened: Open, numbers: Any, width: int) -> None:
    model, data = numbers
    page = opened(model, data.X, data.y, folds=3, size=(width, 640))
    assert page.evaluate("document.documentElement.scrollWidth") == width
    for tab in page.get_by_role("tab").all():
        tab.click()
        assert page.evaluate("document.querySelector('aside').scrollWidth - document.querySelector('aside').clientWidth") == 0
        for box in [tab.bounding_box() for tab in page.get_by_role("tab").all()]:
            assert box["x"] >= 20 and box["x"] + box["width"] <= width - 20
    well(page)
