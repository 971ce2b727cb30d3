"""What the page says of rules: of which rows, which text is copied; and how good it says a model is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.explore.conftest import Open
from tests.explore.rows import weather, well
from treewright.explore.write import model_document


def panel(page: Any) -> str:
    return str(page.get_by_role("tabpanel").inner_text())


def copied(page: Any, button: str) -> str:
    page.get_by_role("button", name=button).click()
    return str(page.evaluate("navigator.clipboard.readText()"))


@pytest.fixture(scope="module")
def lines() -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.uniform(0, 10, (400, 3)), columns=list("abc"))
    return X, np.where(X.a > 5, 20 + 3 * X.b, np.where(X.c > 5, 7.0, 2 * X.c)) + rng.normal(0, 0.3, 400)


def test_means_of_rules_are_those_of_the_rows_they_decide(lines: Any) -> None:
    X, y = lines
    model = tw.M5RulesRegressor().fit(X, y)
    who = model.apply(X)
    nodes = model_document(model, X, y)["nodes"]
    assert len(model.ruleset_) > 1
    for r in range(len(model.ruleset_)):
        for id, rows in ((2 * r, (who >= r) | (who < 0)), (2 * r + 1, who == r)):
            assert nodes["value"][id] == pytest.approx(y[rows].mean())
            assert nodes["spread"][id] == pytest.approx(y[rows].std(), rel=1e-4)
    assert nodes["value"][-1] == pytest.approx(y[who < 0].mean())
    without = model_document(model)["nodes"]  # nobody knows
    assert set(without["value"]) == {None}
    other = model_document(model, X[:100], y[:100])
    assert other["quality"]["training"] is False and set(other["nodes"]["value"]) == {None}


def test_rules_of_numbers_tell_means_without_rows() -> None:
    X = pd.DataFrame({"a": np.arange(40.0)})
    y = np.repeat([1.0, 5.0, 30.0, 34.0], 10) + np.tile([-0.5, 0.5], 20)
    rules = tw.CARTRegressor(max_leaf_nodes=4).fit(X, y).tree_.to_rules()
    own, given = model_document(rules)["nodes"], model_document(rules, X, y)["nodes"]
    assert own["value"] == pytest.approx(given["value"]) and own["spread"] == pytest.approx(given["spread"], rel=1e-5)
    assert own["value"][0] == pytest.approx(y.mean()) and own["spread"][0] == pytest.approx(y.std(), rel=1e-5)


def test_a_rule_is_shown_and_copied_as_it_is(opened: Open) -> None:
    iris = tw.datasets.load_iris()
    model = tw.RipperClassifier().fit(iris.X, iris.y)
    rules = model.ruleset_.to_text().replace("<=", "≤").replace(">=", "≥").split("\n")
    page = opened(model, iris.X, iris.y, fragment="#node=0")
    assert "Rule 0" in panel(page) and "leaves" not in panel(page) and "depth" not in panel(page)
    assert copied(page, "copy the rule of this node") == rules[0]
    page.evaluate("treewright.app.select(2)")
    first, second = (int(rule.weight) for rule in model.ruleset_.rules[:2])
    assert f"decides {second} of the {150 - first} rows that come to it" in panel(page)
    assert copied(page, "copy the rule of this node") == rules[1] and rules[1].startswith("else if ")
    edges = page.evaluate("[...document.querySelectorAll('.chips li')].map(e => getComputedStyle(e).borderTopStyle)")
    assert edges and set(edges) == {"solid"}  # conditions stand apart
    page.evaluate("treewright.app.select(3)")
    assert "no earlier rule applies" in panel(page)
    assert copied(page, "copy the rule of this node") == rules[1]
    page.get_by_role("tab", name="Rules").click()
    assert "else if " in panel(page)
    assert copied(page, "copy these rules as text").split("\n") == rules
    numbers = [f"rule {r}" for r in range(len(rules) - 1)] + ["default"]
    shown = page.locator(".rules .says > .quiet:first-child")
    assert [text.strip() for text in shown.all_text_contents()] == numbers
    page.get_by_label("sort rules").select_option("rows")
    held = page.evaluate("[...document.querySelectorAll('.rules .says')].map(e => Number(/(\\d+) rows/.exec(e.textContent)[1]))")
    assert held == sorted(held, reverse=True) and {text.strip() for text in shown.all_text_contents()} == set(numbers)
    assert set(copied(page, "copy these rules as text").split("\n")) == {
        f"rule {r}: {rule}" if r < len(rules) - 1 else f"default: {rule}" for r, rule in enumerate(rules)
    }
    well(page)


def test_copied_rules_say_their_equations(opened: Open, lines: Any) -> None:
    X, y = lines
    model = tw.M5Regressor().fit(X, y)
    page = opened(model, X, y)
    page.get_by_role("tab", name="Rules").click()
    texts = copied(page, "copy these rules as text").split("\n")
    assert len(texts) == model.tree_.n_leaves > 1
    assert all(" * " in text and "LM" not in text for text in texts if "± 0" not in text)
    signs = np.where(2 * X.a - X.b > 5, "p", np.where(X.c > 4, "q", "r"))
    scores = tw.LogisticTreeClassifier().fit(X, signs)
    page = opened(scores, X, signs, fragment="#node=0")
    leaf = scores.tree_.leaves()[0].id
    page.evaluate("id => treewright.app.select(id)", leaf)
    assert "target by score of p = " in copied(page, "copy the rule of this node")
    ends = scores.tree_.apply(X) == leaf
    right = float(np.mean(scores.predict(X)[ends] == signs[ends]))
    assert page.evaluate("id => treewright.model.right(id)", leaf) == pytest.approx(right)
    page = opened(scores)  # without rows it is not known how many are right
    assert page.evaluate("id => treewright.model.right(id)", leaf) is None
    well(page)


def facts(page: Any) -> str:
    return str(page.locator(".facts").inner_text())


def test_the_head_counts_what_predict_says(opened: Open, lines: Any) -> None:
    X, y = weather(300)
    model = tw.C45Classifier().fit(X, y)
    right = int(np.sum(model.predict(X) == y))
    page = opened(model, X, y)
    assert f"training rows: {right} of 300 right" in facts(page)
    assert page.evaluate("treewright.model.hasFractions()") and "missing cells in parts" in page.locator(".size").inner_text()
    spoken = page.get_by_role("slider", name="size of the tree")
    drawn = page.evaluate("treewright.model.doc.path.training.slice(0, 2).map(x => (100 * x).toFixed(1))")
    said = f"error on training rows {100 * (1 - right / 300):.1f} %, {drawn[0]} % with missing cells in parts"
    assert str(spoken.get_attribute("aria-valuetext")).endswith(said)
    page.evaluate("treewright.app.resize(1)")
    assert "missing cells in parts" in facts(page)
    assert str(spoken.get_attribute("aria-valuetext")).endswith(f"training rows {drawn[1]} % with missing cells in parts")
    other = tw.PartClassifier().fit(X[:200], y[:200])
    assert f"test rows: {int(np.sum(other.predict(X[200:]) == y[200:]))} of 100 right" in facts(opened(other, X[200:], y[200:]))
    X, y = lines
    numbers = tw.CARTRegressor(max_leaf_nodes=8).fit(X, 1e6 * y)
    off = np.sqrt(np.mean((numbers.predict(X) - 1e6 * y) ** 2))
    said = f"{float(f'{off:.4g}'):,.0f}".replace(",", "\u2009")
    assert f"training rows: root mean square error {said}" in facts(opened(numbers, X, 1e6 * y))
    both = np.column_stack([y, 2 * y])
    several = tw.CARTRegressor(max_leaf_nodes=8).fit(X, both)
    assert "root mean square error y0 " in facts(opened(several, X, both))


def test_only_all_is_a_hundred_percent(opened: Open) -> None:
    X = pd.DataFrame({"a": np.repeat([0.0, 1.0], 25_000)})
    y = np.repeat(["p", "q"], 25_000)
    y[:2] = "q"
    page = opened(tw.CARTClassifier().fit(X, y), X, y)
    assert "training rows: 49\u2009998 of 50\u2009000 right (99.996 %)" in facts(page)
