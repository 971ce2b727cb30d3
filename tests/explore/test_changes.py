"""What would change an answer, and the regions of answers, in a real browser."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.explore.conftest import Open
from tests.explore.rows import numbered, well
from treewright.explore.modules import script


def test_a_row_is_followed_and_what_would_change_it_does(opened: Open, iris: Any) -> None:
    model, data = iris
    page = opened(model, data.X, data.y)
    page.get_by_role("tab", name="Row").click()
    page.get_by_role("button", name="a typical row").click()
    length = page.get_by_role("spinbutton", name="petal length (cm), exactly")
    for value, answer in (("1.4", "setosa"), ("6.5", "virginica")):
        length.fill(value)
        length.press("Enter")
        assert f"species = {answer}" in page.get_by_role("tabpanel").inner_text()
    assert "was setosa before your change" in page.get_by_role("tabpanel").inner_text()
    changes = page.evaluate("treewright.tools.whatIf(treewright.app.store.state.row, 0).map(f => [f.column, f.value, f.says])")
    row = [page.evaluate("treewright.app.store.state.row")]
    assert changes
    for column, value, answer in changes:
        changed = [[value if j == column else x for j, x in enumerate(row[0])]]
        whole = [[0.0 if x is None else x for x in changed[0]]]
        assert model.predict(pd.DataFrame(whole, columns=data.X.columns))[0] == answer != "virginica"
    page.get_by_role("list").filter(has_text="(is ").get_by_role("button").first.click()
    assert page.evaluate("treewright.app.store.state.follow.says") == changes[0][2]
    page.get_by_role("treeitem").first.focus()
    page.keyboard.press("Escape")
    assert page.evaluate("treewright.app.store.state.row") is None
    page.keyboard.press("r")
    assert page.evaluate("treewright.app.store.state.follow.ends.length") == 1
    well(page)


def test_regions_are_the_leaves_of_every_point(opened: Open, iris: Any) -> None:
    model, data = iris
    page = opened(model, data.X, data.y)
    page.get_by_role("tab", name="Regions").click()
    fixed = [5.8, 3.0, 4.3, 1.3]
    run = "fixed => { const $=treewright; return BOXES(fixed, [2, 3]); }"
    inline = "((fixed, axes) => {" + script("boxes") + "; return $boxes.boxesOf(treewright.model.programAt(0), fixed, axes).boxes"
    inline += ".map(b => [b.leaf, b.spans.map(s => s.map(x => Number.isFinite(x) ? x : Math.sign(x) * 1e300))]); })"
    boxes = page.evaluate(run.replace("BOXES", inline), fixed)
    rng = np.random.default_rng(0)
    points = np.column_stack([np.full(500, 5.8), np.full(500, 3.0), rng.uniform(0, 8, 500), rng.uniform(-1, 4, 500)])
    leaves = model.tree_.apply(pd.DataFrame(points, columns=data.X.columns))
    for point, leaf in zip(points, leaves, strict=True):
        inside = [b for b, ((a, c), (d, e)) in boxes if a < point[2] <= c and d < point[3] <= e]
        assert inside == [leaf]
    well(page)


def _answer(ranges: list[dict[str, Any]], x: float) -> Any:
    """The answer in the range that holds a number."""
    for each in ranges:
        at, above = each["high"] or (math.inf, 1)
        if x < float(at) or (x == float(at) and above):
            return each["says"]
    raise AssertionError(x)


def _tried(edges: list[float]) -> np.ndarray:
    """Numbers at and beside edges.

    Where scores are all but equal, rounding may let the answer waver for a few numbers: at the edge it is that of its range,
    at the next number above it that of the other.
    """
    at = np.array(edges)
    room = 2**-30 * np.maximum(1, np.abs(at))
    return np.unique([*np.linspace(-4, 4, 161), *at, *np.nextafter(at, np.inf), *(at - room), *(at + room)])


@pytest.mark.parametrize("seed", [0, 1, 4])
@pytest.mark.parametrize("declared", [["high", "low", "middle"], ["absent", "high", "low", "middle"]])
def test_changes_are_found_inside_leaves_with_scores(opened: Open, declared: list[str], seed: int) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(600, 3)), columns=list("abc")).assign(d=rng.choice(["u", "v", "w"], 600))
    score = np.where(X.c > 0, 2 * X.a - X.b, X.b + (X.d == "u"))
    y = pd.Categorical(np.where(score > 1, "high", np.where(score < -0.5, "low", "middle")), declared)
    X = X.mask(rng.random(X.shape) < 0.05)
    model = tw.LogisticTreeClassifier(random_state=seed).fit(X, y)
    assert model.tree_.n_leaves > 1
    page = opened(model, X, y)
    schema = model.tree_.schema
    cuts = set(model.tree_.state()["cut_at"].tolist())
    within = 0
    for at in range(12):
        row = numbered(X.iloc[[at]], schema)[0]
        for j, name in enumerate("abc"):
            ranges = page.evaluate("([row, j]) => treewright.tools.ranges(row, 0, j)", [row, j])
            edges = [each["high"][0] for each in ranges[:-1]]
            tried = _tried(edges)
            rows = X.iloc[[at] * len(tried)].assign(**{name: tried})
            assert model.predict(rows).tolist() == [_answer(ranges, x) for x in tried]
            within += len(set(edges) - cuts)
        changes = page.evaluate("row => treewright.tools.whatIf(row, 0)", row)
        assert [change["far"] for change in changes] == sorted(change["far"] for change in changes)
        for change in changes:
            changed = [change["value"] if j == change["column"] else x for j, x in enumerate(row)]
            answer = page.evaluate("row => treewright.tools.follow(row, 0).says", changed)
            assert answer == change["says"] != page.evaluate("row => treewright.tools.follow(row, 0).says", row)
    assert within > 20
    page.get_by_role("tab", name="Row").click()
    page.get_by_role("button", name="a typical row").click()
    page.get_by_role("list").filter(has_text="(is ").get_by_role("button").first.click()
    page.get_by_role("tab", name="Regions").click()
    well(page)


def test_changes_are_found_where_scores_meet_at_0(opened: Open) -> None:
    rng = np.random.default_rng(0)
    half = rng.normal(0, 1000, 200).round(2)
    X = pd.DataFrame({"balance": np.concatenate([half, -half])})
    gains = half + rng.normal(0, 100, 200) > 0
    y = np.where(np.concatenate([gains, ~gains]), "gain", "loss")
    model = tw.LogisticTreeClassifier(min_samples_split=1000).fit(X, y)
    page = opened(model, X, y)
    ranges = page.evaluate("treewright.tools.ranges([-500], 0, 0)")
    assert [each["says"] for each in ranges] == ["loss", "gain"] and abs(ranges[0]["high"][0]) < 1e-3
    for x, other in ((-500.0, "gain"), (500.0, "loss")):
        change = page.evaluate("row => treewright.tools.whatIf(row, 0)", [x])[0]
        assert change["says"] == other == model.predict(pd.DataFrame({"balance": [float(change["value"])]}))[0]


def test_thresholds_far_beyond_the_rows_of_the_page(opened: Open) -> None:
    far = pd.DataFrame({"x": [1e20, 1.1e20, 3e20, 3.1e20]})
    model = tw.CARTClassifier(min_samples_split=2).fit(far, list("ppqq"))
    page = opened(model, pd.DataFrame({"x": [1.0, 2.0]}), ["p", "p"])
    assert [each["says"] for each in page.evaluate("treewright.tools.ranges([1], 0, 0)")] == ["p", "q"]
    assert page.evaluate("treewright.tools.whatIf([3e20], 0)")[0]["says"] == "p"


@pytest.mark.parametrize("kind", ["none", "m5", "blend", "rules"])
def test_what_one_column_can_make_of_equations(opened: Open, kind: str) -> None:
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(400, 3)), columns=list("abc")).assign(d=rng.choice(["u", "v", "w"], 400))
    y = np.where(X.a > 0, 3 * X.b + 5 * (X.d == "u"), X.c) + rng.normal(0, 0.1, 400)
    X.loc[rng.random(400) < 0.05, "b"] = np.nan
    model = tw.M5RulesRegressor().fit(X, y) if kind == "rules" else tw.M5Regressor(smoothing=kind).fit(X, y)
    page = opened(model, X, y)
    learned = getattr(model, "tree_", None) or model.ruleset_
    for at in range(6):
        row = numbered(X.iloc[[at]], learned.schema)[0]
        found = page.evaluate("row => treewright.tools.reach(row, 0)", row)
        assert found
        for each in found:
            name = X.columns[each["column"]]
            low, high = page.evaluate(
                "j => [treewright.app.model.columns[j].low, treewright.app.model.columns[j].high]", each["column"]
            )
            tried = np.linspace(low, high, 400) if name != "d" else np.array(["u", "v", "w"])
            said = model.predict(X.iloc[[at] * len(tried)].assign(**{name: tried}))
            span = each["high"] - each["low"]
            assert each["low"] == pytest.approx(said.min(), abs=0.02 * span)
            assert each["high"] == pytest.approx(said.max(), abs=0.02 * span)
            if kind != "blend":
                assert each["low"] <= said.min() + 1e-9 * span and each["high"] >= said.max() - 1e-9 * span
    page.get_by_role("tab", name="Row").click()
    page.get_by_role("button", name="a typical row").click()
    assert "RANGE REACHABLE BY CHANGING ONE COLUMN" in page.get_by_role("tabpanel").inner_text()
    page.get_by_role("tab", name="Regions").click()
    well(page)
