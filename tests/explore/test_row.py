"""What the page says of the row that is followed: bounds that hold as written, reasons that its cells do not contradict."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

import treewright as tw
from tests.explore.conftest import Open
from tests.explore.rows import numbered, well

NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"


def bounds(text: str, name: str) -> list[tuple[str, float]]:
    """The bounds of a column in the text of a change, as comparisons and numbers."""
    said = text.split(" (is ")[0]
    turned = {"≤": "≥", "<": ">"}
    before = re.findall(rf"({NUMBER}) ([≤<]) {name}", said)
    behind = re.findall(rf"{name} ([≤<≥>=]) ({NUMBER})", said)
    return [*((turned[sign], float(x)) for x, sign in before), *((sign, float(x)) for sign, x in behind)]


def test_the_text_of_a_change_holds_when_it_is_typed(opened: Open) -> None:
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"a": np.round(rng.uniform(5, 15, 400), 2), "b": rng.normal(size=400)})
    y = np.where((X.a > 11) ^ (X.b > 0.3), "p", np.where(X.a > 7, "q", "r"))
    model = tw.CARTClassifier(recipe="rpart", min_samples_leaf=1, cp=0.0).fit(X, y)  # x < t, thresholds between cells
    cuts = model.tree_.state()["cut_at"]
    assert any(len(repr(float(cut))) > 10 for cut in cuts)
    page = opened(model, X, y)
    rows = X.iloc[:60]
    found = page.evaluate(
        "rows => rows.map(row => treewright.tools.whatIf(row, 0).map(f => [f.column, f.text]))",
        numbered(rows, model.tree_.schema),
    )
    now = model.predict(rows)
    checked = 0
    for at, changes in enumerate(found):
        for column, text in changes:
            name = X.columns[column]
            for sign, x in bounds(text, name):
                inside = x if sign in "≤≥=" else x * (1 - 1e-9) if sign == "<" else x * (1 + 1e-9)
                assert model.predict(rows.iloc[[at]].assign(**{name: inside}))[0] != now[at], (text, inside)
                checked += 1
            assert max(len(number) for number in re.findall(NUMBER, text.split(" (is ")[0])) <= 10
    assert checked > 60
    well(page)


def test_a_bound_is_rounded_to_a_number_that_still_changes_the_answer(opened: Open) -> None:
    X = pd.DataFrame({"g2": [11.0, 11.84, 11.85, 12.5] * 5})
    model = tw.CARTClassifier(recipe="rpart").fit(X, ["p", "p", "q", "q"] * 5)
    assert model.tree_.state()["cut_at"][0] == 11.844999999999999 and model.predict(pd.DataFrame({"g2": [11.845]}))[0] == "q"
    page = opened(model, X)
    said = page.evaluate("[[12], [11]].map(row => treewright.tools.whatIf(row, 0)[0].text)")
    assert said == ["g2 < 11.845 (is 12)", "g2 ≥ 11.845 (is 11)"]


def test_scores_change_inside_the_range_of_the_rows(opened: Open) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": np.round(rng.uniform(30, 60, 300), 1), "b": np.round(rng.uniform(170, 230, 300), 1)})
    y = np.where(X.a + 0.01 * X.b + rng.normal(0, 1, 300) > 47, "p", "q")
    page = opened(tw.LogisticTreeClassifier().fit(X, y), X, y)
    run = "rows => rows.flatMap(row => treewright.tools.whatIf(row, 0).map(f => f.text))"
    found = page.evaluate(run, X.iloc[:40].values.tolist())
    assert found and all(30 <= x <= 230 for text in found for name in "ab" for _, x in bounds(text, name))
    assert all(re.fullmatch(r"\d+(\.\d)?", number) for text in found for number in re.findall(NUMBER, text.split(" (is ")[0]))


def test_a_threshold_is_written_so_that_the_cell_lies_where_it_went(opened: Open) -> None:
    X = pd.DataFrame({"length": [42.0, 42.3, 42.4, 43.0] * 5})
    model = tw.CARTClassifier().fit(X, ["p", "p", "q", "q"] * 5)
    assert model.tree_.to_text().count("42.35") and model.predict(pd.DataFrame({"length": [42.35]}))[0] == "q"
    page = opened(model, X, fragment="#row=42.35")
    assert "length ≥ 42.35 (42.35)" in re.sub(r"\s+", " ", page.get_by_role("tabpanel").inner_text())
    assert ">length &#60; 42.35?<" in page.evaluate("treewright.app.closeUp.svg()")
    asked = [page.evaluate("x => treewright.model.question(0, x)", x) for x in (42.3, 42.35, 42.349999999999994)]
    assert asked == ["length ≤ 42.35?", "length < 42.35?", "length ≤ 42.35?"]
    well(page)


def test_digits_that_a_cell_needs_stay_inside_the_card(opened: Open) -> None:
    X = pd.DataFrame({"length": [42.0, 42.3, 42.40000002, 43.0] * 5})
    page = opened(tw.CARTClassifier().fit(X, ["p", "p", "q", "q"] * 5), X, fragment="#row=42")
    cell = 42.350000005  # which is on another side of the threshold than of its short text
    said = [page.evaluate("x => treewright.model.question(0, x)", x) for x in (42, cell)]
    assert said == ["length ≤ 42.35?", "length ≤ 42.35000001?"]
    wide, room, told = page.evaluate(
        """x => { treewright.app.follow([x]);
        const svg = new DOMParser().parseFromString(treewright.app.closeUp.svg(), 'text/xml');
        const told = [...svg.querySelectorAll('text')].find(t => t.textContent.endsWith('?'));
        const pen = document.createElement('canvas').getContext('2d');
        pen.font = `600 13px ${treewright.app.theme.font}`;
        return [pen.measureText(told.textContent).width, treewright.app.closeUp.placeOf(0).card.width, told.textContent]; }""",
        cell,
    )
    assert wide <= room - 22, told
    well(page)


def test_the_surrogate_for_a_missing_cell_is_named(opened: Open) -> None:
    rng = np.random.default_rng(1)
    a = rng.uniform(0, 10, 200)
    X = pd.DataFrame({"a": a, "b": a + rng.normal(0, 0.5, 200)})
    y = np.where(a > 5, "p", "q")
    model = tw.CARTClassifier(missing="surrogate", max_depth=1).fit(X.mask(rng.random(X.shape) < 0.1), y)
    page = opened(model, X, y, fragment="#row=,2")
    first = model.tree_.root.surrogates[0]
    assert (
        f"a is missing; {first.when[0].present_text().replace('<=', '≤')} stands in" in page.get_by_role("tabpanel").inner_text()
    )
    page.evaluate("treewright.app.follow([null, 8])")
    said = page.get_by_role("tabpanel").inner_text()
    assert f"a is missing; {first.when[1].present_text().replace('>=', '≥')} stands in" in said
    page.get_by_role("tab", name="Node").click()
    page.evaluate("treewright.app.select(0)")
    list_ = page.locator(".node ol")
    assert float(list_.evaluate("box => parseFloat(getComputedStyle(box).paddingLeft)")) >= 18  # numbers inside the panel
    well(page)


def live(page: Any) -> str:
    return str(page.evaluate("document.querySelector('[role=status].hidden').textContent"))


def test_readers_of_the_screen_are_told_where_the_row_goes(opened: Open, iris: Any) -> None:
    model, data = iris
    page = opened(model, data.X, data.y, fragment="#row=1.4,0.2,3,5")
    leaf = model.tree_.leaves()[0]
    assert live(page) == f"the row goes yes at petal length (cm) ≤ 2.45, leaf {leaf.id}: setosa 50 of 50"
    names = page.locator(".whatif button").evaluate_all("all => all.map(e => e.getAttribute('aria-label') ?? e.textContent)")
    assert len(names) > 1 and len(set(names)) == len(names) and all("(is " in name for name in names)
    well(page)


def test_buttons_do_not_cover_the_cards(opened: Open, iris: Any) -> None:
    model, data = iris
    for size in ((1280, 800), (700, 760), (390, 844)):
        page = opened(model, data.X, data.y, size=size)
        right, bottom = page.evaluate(
            "(() => { const v = treewright.app.closeUp.view(), box = document.querySelector('.close').getBoundingClientRect();"
            "return [box.left + v.bounds[2] * v.k + v.x, box.top + v.bounds[3] * v.k + v.y]; })()"
        )
        assert page.locator(".keys dt").first.evaluate("key => getComputedStyle(key).whiteSpace") == "nowrap"
        buttons = page.locator(".zoom").bounding_box()
        assert right <= buttons["x"] or bottom <= buttons["y"]
