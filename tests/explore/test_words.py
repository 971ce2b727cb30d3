"""Words of the page: what figures are, levels without quotes, ranges that are named, marks of what is hidden."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.explore.conftest import Open
from tests.explore.rows import well
from treewright.explore.modules import script
from treewright.explore.write import model_document


@pytest.fixture(scope="module")
def credit() -> Any:
    rng = np.random.default_rng(4)
    X = pd.DataFrame(
        {
            "status": rng.choice(["<0", "0<=X<200", "none"], 400),
            "use": rng.choice(["radio/tv", "used car"], 400),
            "months": rng.integers(4, 60, 400),
            "fee": rng.random(400) < 0.5,
        }
    )
    odd = rng.random(400) < 0.05
    return X, np.where((X.months > 40) | (X.status == "<0") | (X.fee & (X.use == "radio/tv")) ^ odd, "bad", "good")


def test_figures_of_candidates_have_names(opened: Open, credit: Any) -> None:
    X, y = credit
    page = opened(tw.C45Classifier(keep_candidates=True).fit(X, y), X, y)
    table = page.get_by_role("table", name="candidates")
    assert table.locator("thead th").all_text_contents()[:3] == ["column", "reduced by", "gain ratio"]
    texts = [text.strip("◀\u00a0") for text in table.locator("tbody th").all_text_contents()]
    assert {"fee", "status, 3 ways"} <= set(texts) and any(text.startswith("months ≤ ") for text in texts)
    well(page)
    assert model_document(tw.CARTClassifier(keep_candidates=True).fit(X, y))["merit"] is None


def test_levels_that_stand_alone_have_no_quotes(opened: Open, credit: Any) -> None:
    X, y = credit
    model = tw.C45Classifier().fit(X, y)
    page = opened(model, X, y, fragment="#row=")
    options = page.get_by_role("combobox", name="status").locator("option").all_text_contents()
    assert sorted(options) == ["0<=X<200", "<0", "missing", "none"]
    said = page.evaluate(
        "(() => { const { parent, first, branch } = treewright.model;"
        "return Array.from(parent).slice(1).map((up, k) => branch(up, k + 1 - first[up])); })()"
    )
    assert "<0" in said and not any("'" in text for text in said)
    rules = page.evaluate("Array.from(treewright.model.parent).flatMap((_, id) => treewright.model.rule(id))")
    assert "status = '<0'" in rules  # which can be read back
    well(page)


def test_a_range_over_which_an_equation_moves_is_named(opened: Open) -> None:
    X = pd.DataFrame({"weight": np.linspace(1510, 5490, 80)})
    y = 60 - 0.01 * X.weight
    page = opened(tw.M5Regressor().fit(X, y), X, y, fragment="#row=3000")
    assert "by weight from 1500 to 5500" in page.get_by_role("tabpanel").inner_text()
    least, most, lowest = page.evaluate("[treewright.model.least, treewright.model.most, treewright.model.lowest]")
    assert least < lowest and most - least > y.std()  # bars with their spreads lie inside


def test_random_rows_lie_about_the_thresholds() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((500, 2)), columns=["a", "b"])
    model = tw.CARTClassifier().fit(X, (X.a > 0.3) ^ (X.b > 0.6) ^ (rng.random(500) < 0.2))
    for column in model_document(model)["columns"]:
        assert -0.15 <= column["low"] <= 0.1 and 0.9 <= column["high"] <= 1.15


def test_what_is_found_below_a_closed_node_is_told(opened: Open, credit: Any) -> None:
    X, y = credit
    model = tw.CARTClassifier().fit(X, y)
    page = opened(model, X, y)
    page.evaluate("treewright.app.toggle(0)")
    page.get_by_role("combobox", name="search nodes").fill("months")
    asked = sum(node.split is not None and node.split.column == "months" for node in model.tree_.nodes())
    root = int(model.tree_.root.split.column == "months")
    assert f">{asked - root} found below<" in page.evaluate("treewright.app.closeUp.svg()")
    well(page)


def test_the_leaf_of_a_followed_row_is_in_view(opened: Open, credit: Any) -> None:
    X, y = credit
    page = opened(tw.C45Classifier().fit(X, y), X, y, size=(390, 844))
    for code in range(3):
        page.evaluate("code => treewright.app.follow([code, 1, 30, 0])", code)
        left, right, width = page.evaluate(
            "(() => { const { closeUp: c, store } = treewright.app, v = c.view(), p = c.placeOf(store.state.follow.ends[0][0]);"
            "return [(p.x - p.card.width / 2) * v.k + v.x, (p.x + p.card.width / 2) * v.k + v.x, c.canvas.clientWidth]; })()"
        )
        assert left >= 0 and right <= width


def test_small_print_can_be_read_on_a_telephone(opened: Open) -> None:
    X = pd.DataFrame({"status": np.repeat([f"a customer of kind {k}" for k in range(6)], 20)})
    page = opened(tw.C45Classifier().fit(X, np.repeat(["bad", "good"] * 3, 20)), size=(390, 844))
    seen = "(() => { const { k, bounds } = treewright.app.closeUp.view(); return [k, k * (bounds[2] - bounds[0])]; })()"
    k, wide = page.evaluate(seen)
    assert k >= 0.75 and wide > 390  # a part is seen; the rest can be moved into view
    page.evaluate("treewright.app.closeUp.fit()")
    assert page.evaluate(seen)[1] < 390
    well(page)


def test_of_several_numbers_each_is_told_how_far_it_moves(opened: Open) -> None:
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.uniform(0, 10, (300, 2)), columns=["a", "b"])
    y = pd.DataFrame({"speed": np.where(X.a > 5, 30.0, 10.0), "height": np.where(X.b > 5, 3.0, 1.0)})
    page = opened(tw.CARTRegressor(max_leaf_nodes=6).fit(X, y), X, y, fragment="#row=2,2")
    said = page.get_by_role("tabpanel").inner_text()
    assert "speed to 10 … 30 by a" in said and "height to 1 … 3 by b" in said
    assert "together" in " ".join(page.evaluate("treewright.model.children(0).map(id => treewright.model.deviationText(id))"))
    well(page)


def test_bars_beside_a_very_tall_one_are_seen(chromium: Any) -> None:
    page = chromium.new_page()
    run = "counts => {" + script("bins") + "; return $bins.heights(counts); }"
    assert page.evaluate(run, [9900, 100, *[0] * 6]) == pytest.approx([1, (100 / 9900) ** 0.5, *[0] * 6])
    assert page.evaluate(run, [99, 1]) == pytest.approx([1, 1 / 99])  # levels
    assert page.evaluate(run, [60, 40]) == pytest.approx([1, 40 / 60])
    page.close()
