"""Where shares of classes tie, everything says the same: predict, predict_proba, rules, programs, and rows given twice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.learn import settings

CRITERIA = ["gini", "info_gain", "gain_ratio"]
SPLITS: list[dict[str, Any]] = [{"nominal": "multiway"}, {}, {"numeric": "ternary", "nominal": "one_vs_rest"}]


def table(seed: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, pd.DataFrame]:
    """A small table with many missing cells, which make thirds and fifths of rows; classes, weights, and rows to ask about."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 16))
    numbers = np.where(rng.random(n) < 0.25, np.nan, rng.integers(0, 4, n).astype(float))
    X = pd.DataFrame({"a": rng.choice(["u", "v", "w", None], n), "b": rng.choice(["u", "v", None], n), "c": numbers})
    y = rng.choice(["p", "q", "r"][: 2 + seed % 2], n)
    rows = X.sample(3 * n, replace=True, random_state=seed).reset_index(drop=True)
    for name in rows:
        rows.loc[rng.random(len(rows)) < 0.4, name] = None
    rows["c"] = rows["c"].astype(float)
    return X, y, rng.integers(1, 4, n), rows


# Found among 700: each of them was told in two ways once.
SEEDS = [3, 9, 18, 43, 45, 53, 70, 77, 85, 98, 187, 421]


@pytest.mark.filterwarnings("ignore::treewright.UnseenLevelWarning")
@pytest.mark.parametrize("missing", ["fraction", "spread"])
@pytest.mark.parametrize("seed", SEEDS)
def test_ties_are_told_alike(seed: int, missing: str) -> None:
    X, y, weights, rows = table(seed)
    est = tw.TreeClassifier(criterion=CRITERIA[seed % 3], missing=missing, **SPLITS[seed % 3]).fit(X, y, weights)
    said, shares = est.predict(rows), est.predict_proba(rows)
    assert est.classes_[shares.argmax(axis=1)].tolist() == said.tolist()
    rules = est.tree_.to_rules()
    assert rules.predict(rows).tolist() == said.tolist()
    told = rules.predict_proba(rows)
    assert np.asarray(rules.target.classes)[told.argmax(axis=1)].tolist() == said.tolist()
    assert told == pytest.approx(shares, abs=1e-7)
    # Programs add up as the tree does, to the last bit.
    program: dict[str, Any] = {}
    exec(est.to_python(), program)
    cells = [[None if pd.isna(cell) else cell for cell in row] for row in rows.itertuples(index=False)]
    assert [program["predict"](row) for row in cells] == said.tolist()
    assert [program["predict_proba"](row) for row in cells] == shares.tolist()
    twice = np.repeat(np.arange(len(X)), weights)
    again = tw.TreeClassifier(criterion=CRITERIA[seed % 3], missing=missing, **SPLITS[seed % 3]).fit(
        X.loc[twice].reset_index(drop=True), y[twice]
    )
    assert again.tree_.n_nodes == est.tree_.n_nodes
    assert again.predict(rows).tolist() == said.tolist()
    assert again.predict_proba(rows) == pytest.approx(shares, abs=1e-7)


@pytest.mark.parametrize("make", [tw.CARTClassifier, tw.C45RulesClassifier, tw.RipperClassifier])
def test_the_class_that_was_declared_first_is_said(make: Any) -> None:
    X = pd.DataFrame({"x": [1.0, 1.0]})
    for order in (["b", "a"], ["a", "b"], ["c", "b", "a"]):
        est = make().fit(X, pd.Series(pd.Categorical(["a", "b"], order)))
        held = est.tree_ if hasattr(est, "tree_") else est.ruleset_
        assert held.classes == tuple(order)
        assert est.classes_.tolist() == ["a", "b"]
        assert held.predict(X)[0] == est.predict(X)[0]
        shares = held.predict_proba(X)[0]
        assert held.classes[int(shares.argmax())] == est.predict(X)[0]
        assert est.predict_proba(X)[0].tolist() == [shares[order.index("a")], shares[order.index("b")]]
        if make is not tw.RipperClassifier:  # which says the class that is learned last
            assert est.predict(X)[0] == next(label for label in order if label != "c")
    assert make().fit(X, ["b", "a"]).predict(X)[0] == "a" or make is tw.RipperClassifier  # nothing is declared: sorted
    assert tw.CARTRegressor().fit(X, [1.0, 2.0]).tree_.classes is None


@pytest.mark.parametrize("engine", ["plain", "sorted"])
@pytest.mark.parametrize("criterion", ["gini", "info_gain", "gain_ratio"])
def test_of_two_homes_of_missing_rows_as_good_the_lower_cut_is_taken(
    engine: str, criterion: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below 2.5 the missing row is as good as above 1.5: both leave a pure row beside three others."""
    monkeypatch.setattr(settings, "ENGINE", engine)
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, np.nan]})
    tree = tw.TreeClassifier(criterion=criterion, missing="learned", max_depth=1).fit(X, ["a", "b", "a", "b"]).tree_
    assert list(tree.splits.division(0).at) == [1.5]
    assert tree.apply(pd.DataFrame({"x": [np.nan]})).tolist() == [2]
