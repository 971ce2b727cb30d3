"""What the page says in a real browser is what the model says."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.explore.conftest import Open
from tests.explore.rows import cells, numbered, weather, well


def test_what_if_answers_as_predict_does_on_10000_rows(opened: Open) -> None:
    X, y = weather(600)
    many, _ = weather(10_000, seed=1)
    models = [
        tw.C45Classifier().fit(X, y),  # missing cells go several ways
        tw.CARTClassifier(missing="surrogate").fit(X, y),  # surrogates
        tw.CARTRegressor(min_samples_leaf=5).fit(X.drop(columns="temperature"), X.temperature.fillna(0).to_numpy()),
        tw.RipperClassifier(random_state=0).fit(X, y),
    ]
    for model in models:
        page = opened(model)
        rows = many if "temperature" in model.feature_names_in_ else many.drop(columns="temperature")
        given = json.dumps(cells(rows))
        said = page.evaluate("rows => JSON.stringify(treewright.predict(JSON.parse(rows)))", given)
        assert json.loads(said) == model.predict(rows).tolist()
        if hasattr(model, "tree_"):
            leaves = page.evaluate("rows => JSON.stringify(treewright.leaf(JSON.parse(rows)))", given)
            assert json.loads(leaves) == model.apply(rows).tolist()
        well(page)


@pytest.mark.parametrize("smoothing", ["m5", "blend", "none"])
def test_linear_leaves_compute_what_the_model_says(opened: Open, smoothing: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.where(np.nan_to_num(X[:, 0]) > 0, 3 * np.nan_to_num(X[:, 1]), np.nan_to_num(X[:, 2])) + rng.normal(0, 0.1, 500)
    model = tw.M5Regressor(smoothing=smoothing).fit(X, y)
    page = opened(model, X, y)
    rows = [[None if math.isnan(x) else x for x in row] for row in X.tolist()]
    np.testing.assert_allclose(page.evaluate("rows => treewright.predict(rows)", rows), model.predict(X), rtol=1e-9, atol=1e-9)
    leaf = model.tree_.leaves()[0]
    off = f"± {float(f'{leaf.deviation:.2g}'):g}"
    assert off in page.evaluate("treewright.app.closeUp.svg()")
    page.evaluate("id => treewright.app.select(id)", leaf.id)
    said = page.get_by_role("tabpanel").inner_text()
    assert str(leaf.equation.text(4)) in said and f"{off} from this equation" in said
    well(page)


@pytest.mark.parametrize("learner", [tw.M5Regressor, lambda: tw.CARTRegressor(max_leaf_nodes=4)])
def test_leaves_that_err_more_of_other_rows_are_marked(opened: Open, learner: Any) -> None:
    rng = np.random.default_rng(1)
    X = rng.uniform(-2, 2, (400, 1))
    y = np.where(X[:, 0] > 0, 4 * X[:, 0], 0.0) + rng.normal(0, 0.3, 400)
    model = learner().fit(X[:200], y[:200])
    strange = y[200:] + np.where(X[200:, 0] > 0.5, 9.0, 0.0)
    page = opened(model, validation=(X[200:], strange))
    leaf, marked = model.apply(X[200:]), set()
    for node in model.tree_.leaves():
        off = np.sqrt(np.mean((model.predict(X[200:]) - strange)[leaf == node.id] ** 2))
        page.evaluate("id => treewright.app.select(id)", node.id)
        said = page.get_by_role("tabpanel").inner_text()
        assert f"test: {np.sum(leaf == node.id)} rows, off by {float(f'{off:.2g}'):g}" in said
        marked.add(": more than twice as far as in training" in said)
        assert (": more than twice as far as in training" in said) == (off > 2 * node.deviation)
    assert marked == {True, False}
    well(page)


def test_scores_of_classes_compute_the_shares(opened: Open) -> None:
    X, y = weather(500)
    model = tw.LogisticTreeClassifier().fit(X, y)
    page = opened(model, X, y)
    run = "rows => rows.map(row => { const { says, shares } = treewright.tools.follow(row, 0); return [says, shares]; })"
    said = page.evaluate(run, numbered(X, model.tree_.schema))
    assert [label for label, _ in said] == model.predict(X).tolist()
    assert [shares for _, shares in said] == model.predict_proba(X).tolist()
    well(page)


def test_rules_with_equations_compute_what_they_say(opened: Open) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 3)), columns=list("abc")).assign(d=rng.choice(["u", "v", "w"], 400))
    y = np.where(X.a > 0, 3 * X.b + 5 * (X.d == "u"), X.c) + rng.normal(0, 0.1, 400)
    X.loc[rng.random(400) < 0.05, "b"] = np.nan
    model = tw.M5RulesRegressor().fit(X, y)
    page = opened(model, X, y)
    rows = numbered(X, model.ruleset_.schema)  # what is followed are numbers, and numbers of levels
    np.testing.assert_allclose(page.evaluate("rows => treewright.predict(rows)", rows), model.predict(X), rtol=1e-9, atol=1e-9)
    drawn = page.evaluate("treewright.app.closeUp.svg()")
    assert "LM 1: " in drawn and "±" in drawn
    well(page)


def unordered(X: pd.DataFrame, y: Any) -> tw.RuleSet:
    """Rules that overlap and vote; some rows have none."""
    rules = tw.CARTClassifier(max_depth=3).fit(X, y).tree_.to_rules()
    more = rules.add("if windy = True then target = stay", X=X, y=y).add("if temperature > 20 then target = go", X=X, y=y)
    return more.drop(0, X=X, y=y)


@pytest.mark.parametrize("kind", ["part", "vote", "tree", "c45"])
def test_rules_that_vote_or_take_parts_of_rows(opened: Open, kind: str) -> None:
    X, y = weather(600)
    learned = {
        "part": lambda: tw.PartClassifier().fit(X, y),
        "vote": lambda: unordered(X, y),
        "tree": lambda: tw.CARTRegressor(min_samples_leaf=20).fit(X, np.arange(600) % 7 + (y == "go")).tree_.to_rules(),
        "c45": lambda: tw.C45Classifier().fit(X, y).tree_.to_rules(),
    }
    model = learned[kind]()
    rules = getattr(model, "ruleset_", model)
    many, _ = weather(3000, seed=2)
    page = opened(model, X) if kind == "tree" else opened(model, X, y)
    said = page.evaluate("rows => rows.map(row => treewright.tools.follow(row, 0).says)", numbered(many, rules.schema))
    if kind == "tree":
        np.testing.assert_allclose(said, model.predict(many), rtol=1e-12)
    else:
        assert said == model.predict(many).tolist()
    items = page.get_by_role("treeitem")
    assert items.count() == 2 * len(rules) + 1
    head = page.get_by_role("banner").inner_text()
    assert ("all that hold vote" in head) == (not rules.ordered)
    page.get_by_role("tab", name="Row").click()
    page.get_by_role("button", name="a typical row").click()
    page.get_by_role("button", name="outlook missing").click()
    page.get_by_role("tab", name="Regions").click()
    assert (
        page.evaluate(
            "treewright.tools.regions(treewright.app.store.state.row, 0, treewright.tools.used.slice(0, 2)).boxes.length"
        )
        > 1
    )
    well(page)


def test_rules_with_surrogates_for_missing_cells(opened: Open) -> None:
    X, y = weather(1500)
    rng = np.random.default_rng(4)
    clouds = X.outlook.map({"sunny": "none", "overcast": "many", "rain": "many", "snow": "some"}) + rng.choice(
        [*"abcdef"], len(X)
    )
    X = X.assign(
        warmth=np.nan_to_num(X.temperature, nan=15) + rng.normal(0, 2, len(X)), clouds=clouds.where(rng.random(len(X)) < 0.9)
    )
    rules = tw.CARTClassifier(missing="surrogate").fit(X, y).tree_.to_rules()
    asked = [condition for rule in rules for condition in rule.when if condition.if_missing]
    assert {condition.column.name for condition in asked} >= {"outlook", "temperature", "warmth"}
    assert max(len(condition.if_missing) for condition in asked) > 1
    rows = pd.DataFrame({name: X[name].sample(frac=1, random_state=j).array for j, name in enumerate(X)})
    rows = rows.mask(rng.random(X.shape) < 0.4)
    page = opened(rules, X, y)
    said = page.evaluate("rows => rows.map(row => treewright.tools.follow(row, 0).says)", numbered(rows, rules.schema))
    assert said == rules.predict(rows).tolist()
    assert "or if missing:" in page.get_by_role("tree").inner_text()
    well(page)


def test_trees_that_say_several_numbers(opened: Open) -> None:
    X, _ = weather(500)
    rng = np.random.default_rng(3)
    y = np.column_stack([np.nan_to_num(X.temperature) + rng.normal(size=500), X.windy * 3.0, rng.normal(size=500)])
    model = tw.CARTRegressor(min_samples_leaf=20).fit(X, y)
    page = opened(model, X, y)
    said = page.evaluate("rows => rows.map(row => treewright.tools.follow(row, 0).says)", numbered(X, model.tree_.schema))
    np.testing.assert_allclose(said, model.predict(X), rtol=1e-12)
    first = page.get_by_role("treeitem").first
    first.focus()
    page.keyboard.press("End")
    means = model.tree_.vectors[page.evaluate("treewright.app.store.state.selected")]
    told = page.get_by_role("table", name="numbers").get_by_role("row").all_inner_texts()
    assert [line.split("\t")[0] for line in told] == ["y0", "y1", "y2"]
    np.testing.assert_allclose([float(line.split("\t")[1]) for line in told], means, rtol=1e-5)
    page.get_by_role("tab", name="Row").click()
    page.get_by_role("button", name="a typical row").click()
    assert re.search(r"= \([-\d.]+, [-\d.]+, [-\d.]+\)", page.get_by_role("tabpanel").inner_text())
    for name in ("Rules", "Regions"):
        page.get_by_role("tab", name=name).click()
    well(page)


def test_missing_cells_go_several_ways(opened: Open) -> None:
    X, y = weather()
    model = tw.C45Classifier().fit(X, y)
    page = opened(model, X, y)
    page.get_by_role("tab", name="Row").click()
    page.get_by_role("button", name="a typical row").click()
    page.get_by_role("button", name="outlook missing").click()
    row = X.iloc[[0]].assign(outlook=None)
    ends = page.evaluate("treewright.app.store.state.follow.ends")
    assert len(ends) == len(model.tree_.root.children)
    assert math.isclose(sum(share for _, share in ends), 1)
    assert len({id for id, _ in ends}) == len(ends) <= model.decision_path(row).sum()
    assert "of the row" in page.get_by_role("tabpanel").inner_text()
    well(page)
