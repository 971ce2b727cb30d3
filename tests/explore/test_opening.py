"""How the page opens: at the best size, in plain words, with a row on its way that is composed, or one of the table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.explore.conftest import Open
from tests.explore.rows import well
from treewright.explore.write import model_document


@pytest.fixture(scope="module")
def skewed() -> Any:
    """Gains are rare and large: their median is 0, and no row has them with a short week."""
    rng = np.random.default_rng(3)
    gain = np.where(rng.random(400) < 0.1, rng.integers(5000, 9000, 400), 0)
    X = pd.DataFrame(
        {"gain": gain, "hours": np.where(gain > 0, 60, rng.integers(20, 45, 400)), "town": rng.choice(["Ulm", "Bonn"], 400)}
    )
    y = np.where((gain > 0) ^ (rng.random(400) < 0.08), "rich", "poor")
    return tw.CARTClassifier().fit(X, y), X, y


def test_it_opens_at_the_best_size_with_a_row_on_its_way(opened: Open, skewed: Any) -> None:
    model, X, y = skewed
    page = opened(model, X, y, folds=10)
    best = model.pruning_path(X, y, folds=10).cv.step("best")
    assert best > 0 and page.evaluate("treewright.app.store.state.size") == best
    path = model.pruning_path(X, y, folds=10)
    assert page.locator(".chosen").first.inner_text().startswith(f"chosen: {path.n_leaves[best]} leaves, ")
    assert page.locator(".summary").inner_text() == "target is predicted from 1 of 3 columns: gain."
    assert page.evaluate("treewright.app.store.state.row") is not None
    page.keyboard.press("]")
    assert "columns" in page.locator(".summary").inner_text()
    well(page)


def test_the_typical_row_is_composed_of_the_heaviest_leaf(opened: Open, skewed: Any) -> None:
    model, X, y = skewed
    page = opened(model, X, y)
    page.get_by_role("tab", name="Row").click()
    page.get_by_role("button", name="a typical row").click()
    leaves = model.apply(X)
    inside = X[leaves == np.bincount(leaves).argmax()]
    row = page.evaluate("treewright.tools.typical()")
    assert row[0] == inside["gain"].median() == 0
    assert row[1] is None or abs(row[1] - inside["hours"].median()) <= 3
    said = page.locator(".answer").inner_text()
    assert "a composed row: medians and most common levels of the leaf that holds most rows" in said
    hours = page.get_by_role("spinbutton", name="gain, exactly")
    hours.fill("6000")
    hours.press("Enter")
    assert "no row of the data is in the page" in page.locator(".answer").inner_text()
    well(page)


def test_medians_that_many_rows_share_are_told() -> None:
    """Most gains are 0, but their median once was the middle of the first bin. Of few rows it is that of the bins."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"gain": np.where(rng.random(400) < 0.7, 0, rng.integers(100, 9000, 400)), "hours": rng.random(400)})
    y = np.where(X.hours > 0.4, "many", "few")
    model = tw.CARTClassifier(max_depth=1).fit(X, y)
    assert model_document(model, X, y)["typical"][0] == 0
    some = X[X.hours > 0.4].iloc[:12].assign(gain=[7] * 7 + [5000, 6000, 7000, 8000, 9000])
    assert model_document(model, some)["typical"][0] != 7


def test_rows_of_the_page_are_real(opened: Open, skewed: Any) -> None:
    model, X, y = skewed
    pruned = model.prune(X=X, y=y, folds=10, rule="1se")
    page = opened(pruned, X, y, include_rows=True)
    page.get_by_role("tab", name="Row").click()
    real = {tuple(row) for row in X[["gain", "hours"]].to_numpy().tolist()}
    for button in ("a typical row", "a random row (r)", "a random row (r)"):
        page.get_by_role("button", name=button, exact=True).click()
        assert tuple(page.evaluate("treewright.app.store.state.row.slice(0, 2)")) in real
        assert " of the table, actual " in page.locator(".answer").inner_text()
    wrong = np.flatnonzero(pruned.predict(X) != y) + 1
    assert len(wrong) > 5
    listed = page.locator(".mistakes button")
    assert listed.all_inner_texts() == [str(n) for n in wrong]
    listed.first.click()
    assert f"row {wrong[0]} of the table, actual {y[wrong[0] - 1]}" in page.locator(".answer").inner_text()
    well(page)


def test_rows_of_numbers_are_listed_by_how_far_they_are_off(opened: Open) -> None:
    data = tw.datasets.load_diabetes()
    X, y = data.X.iloc[:120], np.asarray(data.y[:120], float)
    model = tw.CARTRegressor(max_leaf_nodes=6).fit(X, y)
    page = opened(model, X, y, include_rows=True)
    page.get_by_role("tab", name="Row").click()
    off = np.abs(model.predict(X) - y)
    listed = [int(text) - 1 for text in page.locator(".mistakes button").all_inner_texts()]
    assert len(listed) == 20 and off[listed].tolist() == sorted(off, reverse=True)[:20]
    page.locator(".mistakes button").first.click()
    assert f"row {listed[0] + 1} of the table, actual {y[listed[0]]:g}" in page.locator(".answer").inner_text()
    well(page)


def test_links_open_what_they_say(opened: Open, skewed: Any) -> None:
    model, X, y = skewed
    page = opened(model, X, y, folds=10, fragment="#node=0")
    assert page.evaluate("treewright.app.store.state.size") == 0
    assert page.evaluate("treewright.app.store.state.row") is None


def test_impurities_have_their_names(opened: Open, skewed: Any) -> None:
    model, X, y = skewed
    assert "Gini " in opened(model, X, y).locator("aside").inner_text()
    entropy = tw.ID3Classifier().fit(X, y)
    assert "entropy " in opened(entropy, X, y).locator("aside").inner_text()
