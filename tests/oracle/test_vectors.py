"""Trees for targets of several numbers a row, against a search of all divisions."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeRegressor

import treewright as tw
from treewright.model.leaves import Vectors

Numbers = np.ndarray[Any, Any]


def a_table(seed: int, n: int = 60) -> tuple[pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.integers(0, 12, n).astype(float), "b": rng.normal(size=n), "c": rng.choice(list("uvw"), n)})
    up = np.where(X["a"] > 5, 4.0, 0.0) + (X["c"] == "v")
    y = pd.DataFrame({"up": up + rng.normal(size=n), "down": -up + X["b"] + rng.normal(size=n), "flat": rng.normal(size=n)})
    return X, y


def error(y: Numbers, weight: Numbers) -> float:
    """The weighted sum of squares around the mean, over all numbers."""
    return float((weight[:, None] * (y - np.average(y, axis=0, weights=weight)) ** 2).sum())


def least_error(X: pd.DataFrame, y: Numbers, weight: Numbers) -> float:
    """The least error of any division in two: by a threshold, or by two sets of levels ordered by the sum of their numbers."""
    sides = [X[name].to_numpy() <= cut for name in ("a", "b") for cut in np.unique(X[name])[:-1]]
    mean = {level: np.average(y[X["c"] == level].sum(axis=1), weights=weight[X["c"] == level]) for level in X["c"].unique()}
    ordered = sorted(mean, key=lambda level: mean[level])
    sides += [X["c"].isin(ordered[:cut]).to_numpy() for cut in range(1, len(ordered))]
    return min(error(y[side], weight[side]) + error(y[~side], weight[~side]) for side in sides)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("weighted", [False, True])
def test_every_split_leaves_the_least_error(seed: int, weighted: bool) -> None:
    X, y = a_table(seed)
    weight = np.random.default_rng(seed).integers(1, 4, len(y)).astype(float) if weighted else np.ones(len(y))
    est = tw.TreeRegressor(max_depth=3).fit(X, y, sample_weight=weight if weighted else None)
    path = est.decision_path(X).toarray().astype(bool)
    values = y.to_numpy()
    for node in est.tree_.nodes():
        here = path[:, node.id]
        mine, w = values[here], weight[here]
        assert node.weight == pytest.approx(w.sum())
        assert node.prediction == pytest.approx(np.average(mine, axis=0, weights=w))
        assert node.impurity == pytest.approx(error(mine, w) / w.sum())
        if node.split is not None:
            after = sum(error(values[path[:, c.id]], weight[path[:, c.id]]) for c in node.children)
            assert after == pytest.approx(least_error(X[here], mine, w), rel=1e-9)
            assert node.gain == pytest.approx((error(mine, w) - after) / w.sum(), rel=1e-6)


def test_the_trees_of_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(300, 4)), rng.normal(size=(300, 3))
    y[:, 0] += 3 * (X[:, 1] > 0.3)
    mine = tw.CARTRegressor(max_depth=4).fit(X, y)
    theirs = DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, y)
    assert mine.predict(X).shape == (300, 3)
    assert mine.predict(X) == pytest.approx(theirs.predict(X))
    assert mine.score(X, y) == pytest.approx(theirs.score(X, y))


def test_one_number_twice_is_the_tree_of_the_number() -> None:
    X, y = a_table(7)
    one = tw.CARTRegressor(max_leaf_nodes=6).fit(X, y["up"])
    two = tw.CARTRegressor(max_leaf_nodes=6).fit(X, np.column_stack([y["up"], y["up"]]))
    assert [node.split for node in one.tree_.nodes()] == [node.split for node in two.tree_.nodes()]
    assert two.predict(X) == pytest.approx(np.column_stack([one.predict(X)] * 2))


def test_missing_cells_and_weights() -> None:
    X, y = a_table(8)
    X.loc[::7, "a"] = np.nan
    weight = np.random.default_rng(9).integers(0, 3, len(y))
    again = np.repeat(np.arange(len(y)), weight)
    weighted = tw.CARTRegressor(min_samples_leaf=3).fit(X, y, sample_weight=weight)
    repeated = tw.CARTRegressor(min_samples_leaf=3).fit(X.iloc[again], y.iloc[again])
    assert weighted.tree_.n_leaves == repeated.tree_.n_leaves > 3
    assert weighted.predict(X) == pytest.approx(repeated.predict(X))


def test_files_text_rules_and_refusals(tmp_path: Path) -> None:
    X, y = a_table(10)
    est = tw.CARTRegressor(max_depth=2).fit(X, y)
    est.save(tmp_path / "model.json")
    for again in (pickle.loads(pickle.dumps(est)), tw.load(tmp_path / "model.json")):
        assert again.tree_ == est.tree_
        assert np.array_equal(again.predict(X), est.predict(X))
        assert again.tree_.target.outputs == ("up", "down", "flat")
    leaf = est.tree_.leaves()[0]
    said = ", ".join(f"{number:.6g}" for number in leaf.prediction)
    assert f"({said})" in est.tree_.to_text()
    assert f"(up, down, flat) = ({said})" in str(est.tree_.to_rules())
    assert est.explain(X.iloc[[0]]).says == pytest.approx(est.predict(X.iloc[[0]])[0])
    assert isinstance(str(est.explain(X.iloc[[0]])), str)
    for wrong in (est.tree_.merge_leaves, lambda: est.tree_.prune("cost_complexity", alpha=0.1)):
        with pytest.raises(ValueError, match="several numbers"):
            wrong()
    rules = est.tree_.to_rules()
    for wrong in (lambda: rules.predict(X), lambda: rules.save(tmp_path / "rules.json")):
        with pytest.raises(ValueError, match="several numbers"):
            wrong()
    for options in ({"criterion": "absolute_error"}, {"missing": "surrogate"}, {"keep_targets": True}):
        with pytest.raises(ValueError, match="y has several"):
            tw.CARTRegressor(**options).fit(X, y)
    with pytest.raises(ValueError, match="1d"):
        tw.M5Regressor().fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        tw.CARTRegressor().fit(X, y.replace(y.iloc[3, 1], np.nan))


def test_damaged_vectors_are_refused(tmp_path: Path) -> None:
    X, y = a_table(11)
    tw.CARTRegressor(max_depth=1).fit(X, y).save(tmp_path / "model.json")
    text = (tmp_path / "model.json").read_text()
    fewer = re.sub(r'("outputs":.*?"down"), *\s*"flat"', r"\1", text, flags=re.DOTALL)
    assert fewer != text
    (tmp_path / "model.json").write_text(fewer)
    with pytest.raises(tw.ModelFormatError, match="vectors"):
        tw.load(tmp_path / "model.json")


@pytest.mark.parametrize("wrong", [lambda v: v[:-1], lambda v: v[:, :1], lambda v: v * np.nan])
def test_vectors_that_do_not_fit_are_found(wrong: Any) -> None:
    tree = tw.CARTRegressor(max_depth=2).fit(np.arange(9.0).reshape(-1, 1), np.arange(18.0).reshape(9, 2)).tree_
    assert tree.validate() is tree and tree.vectors is not None
    held = (tree._core, tree.schema, tree.target)
    with pytest.raises(ValueError, match="what its nodes say are not 2 finite numbers for each of"):
        tw.Tree(*held, Vectors(*held, wrong(tree.vectors))).validate()
