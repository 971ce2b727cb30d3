"""A criterion that is a Python function: the same trees as the core's own, and nothing it does harms anybody."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import treewright as tw


def entropy(weights: np.ndarray) -> np.ndarray:
    total = weights.sum(axis=-1, keepdims=True)
    p = weights / total
    return -(p * np.log2(np.where(p > 0, p, 1))).sum(axis=-1)


def info_gain(node: np.ndarray, branches: np.ndarray) -> float:
    return float(entropy(node) - (branches.sum(axis=1) / node.sum() * entropy(branches)).sum())


def gini_gain(node: np.ndarray, branches: np.ndarray) -> float:
    def gini(weights: np.ndarray) -> np.ndarray:
        return 1 - ((weights / weights.sum(axis=-1, keepdims=True)) ** 2).sum(axis=-1)

    return float(gini(node) - (branches.sum(axis=1) / node.sum() * gini(branches)).sum())


def table(seed: int, holes: bool = True) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    n = 120
    number, text = rng.normal(size=n).round(2), rng.choice(["u", "v", "w", "x"], n).astype(object)
    y = np.array(["no", "perhaps", "yes"])[(np.digitize(number, [-0.5, 0.7]) + (text == "v") + (rng.random(n) < 0.2)) % 3]
    if holes:
        number[rng.random(n) < 0.1] = np.nan
        text[rng.random(n) < 0.1] = None
    return pd.DataFrame({"number": number, "text": pd.Series(text, dtype="str"), "noise": rng.normal(size=n)}), y


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("nominal", ["multiway", "subset", "one_vs_rest"])
@pytest.mark.parametrize("missing", ["learned", "fraction", "majority", "most_common", "surrogate"])
def test_the_core_s_own_criteria_written_in_python_grow_the_same_tree(seed: int, nominal: str, missing: str) -> None:
    X, y = table(seed)
    if missing == "surrogate" and nominal == "multiway":
        nominal = "subset"  # two ways only
    params: dict[str, Any] = {"nominal": nominal, "missing": missing, "min_samples_leaf": 3}
    for name, function in (("info_gain", info_gain), ("gini", gini_gain)):
        own = tw.TreeClassifier(criterion=name, **params).fit(X, y).tree_
        asked = tw.TreeClassifier(criterion=function, n_jobs=2, **params).fit(X, y).tree_
        for column in ("column", "n_children", "cut_at", "level", "level_branch", "missing_to"):
            assert np.array_equal(own.state()[column], asked.state()[column]), (name, column)


def test_weights_are_of_the_classes_in_their_order_and_of_all_branches() -> None:
    X, y = table(0, holes=False)
    labels = pd.Categorical(y, ["yes", "unheard", "perhaps", "no"])
    seen = []

    def look(node: np.ndarray, branches: np.ndarray) -> float:
        seen.append((node.copy(), branches.copy()))
        return info_gain(node, branches)

    est = tw.TreeClassifier(criterion=look, nominal="multiway", max_depth=1).fit(X, labels, sample_weight=np.full(len(X), 0.5))
    assert list(est.classes_) == ["no", "perhaps", "yes"]
    counts = [np.sum(y == label) / 2 for label in est.classes_]
    assert all(np.array_equal(node, counts) for node, _ in seen)
    assert all(np.array_equal(branches.sum(axis=0), node) for node, branches in seen)
    assert {len(branches) for _, branches in seen} == {2, 4}


def test_what_it_raises_comes_out_as_it_is() -> None:
    X, y = table(1)

    def fails(node: np.ndarray, branches: np.ndarray) -> float:
        raise LookupError("no idea")

    def interrupted(node: np.ndarray, branches: np.ndarray) -> float:
        raise KeyboardInterrupt

    with pytest.raises(LookupError, match="no idea"):
        tw.TreeClassifier(criterion=fails, n_jobs=2).fit(X, y)
    with pytest.raises(KeyboardInterrupt):
        tw.TreeClassifier(criterion=interrupted).fit(X, y)
    with pytest.raises(TypeError, match="criterion <lambda> returned 'good'; it must return a number, or None to refuse"):
        tw.TreeClassifier(criterion=lambda node, branches: "good").fit(X, y)  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize("refusal", [None, float("nan"), float("-inf")])
def test_what_is_refused_everywhere_makes_a_leaf(refusal: Any) -> None:
    X, y = table(2)
    assert tw.TreeClassifier(criterion=lambda node, branches: refusal).fit(X, y).tree_.n_nodes == 1


def test_scores_below_zero_are_compared_as_well() -> None:
    X, y = table(3, holes=False)
    plain = tw.TreeClassifier(criterion="info_gain", max_depth=3).fit(X, y).tree_

    def impurity_left(node: np.ndarray, branches: np.ndarray) -> float:
        return info_gain(node, branches) - float(entropy(node))

    asked = tw.TreeClassifier(criterion=impurity_left, max_depth=3).fit(X, y).tree_
    assert asked.to_rules() == plain.to_rules()


def test_what_cannot_ask_says_so() -> None:
    X, y = table(4)
    with pytest.raises(ValueError, match="criterion info_gain is a function of class weights, the target is numeric"):
        tw.TreeRegressor(criterion=info_gain).fit(X, np.arange(len(X)))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="criterion info_gain is a function, which 'ternary' splits cannot ask"):
        tw.TreeClassifier(criterion=info_gain, numeric="ternary").fit(X, y)
    with pytest.raises(ValueError, match="missing='surrogate' sends a row one of two ways; 'multiway' splits have more"):
        tw.TreeClassifier(criterion=info_gain, nominal="multiway", missing="surrogate").fit(X, y)
    for costs in ({"priors": [0.2, 0.3, 0.5]}, {"class_weight": "balanced"}, {"loss": 1 - np.eye(3)}):
        with pytest.raises(
            ValueError, match=f"criterion is a function, which knows no {next(iter(costs))}: weigh the classes in it"
        ):
            tw.TreeClassifier(criterion=info_gain, **costs).fit(X, y)


def test_it_is_cloned_with_the_estimator_and_pickled_models_answer() -> None:
    X, y = table(5)
    est = clone(tw.TreeClassifier(criterion=info_gain, max_depth=2)).fit(X, y)
    assert est.criterion is info_gain
    again = pickle.loads(pickle.dumps(est))
    assert np.array_equal(again.predict(X), est.predict(X))
