"""Hard trees that are given gates: the limit of steep ones, training on, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treewright as tw
from tests.oblique.tables import circle, mixed
from treewright.model.gates import SigmoidGate


def loss(tree: Any, X: Any, y: Any) -> float:
    place = {c: k for k, c in enumerate(tree.target.classes)}
    shares = tree.predict_proba(X)
    return float(-np.log(np.maximum(shares[np.arange(len(y)), [place[c] for c in y]], 1e-6)).mean())


@pytest.mark.parametrize("hard", [tw.CARTClassifier(max_depth=3, missing="majority"), tw.ObliqueTreeClassifier(restarts=1)])
def test_a_hard_tree_is_trained_on(hard: Any) -> None:
    X, y = mixed()
    tree = hard.fit(X, y).tree_
    soft = tree.soften(X, y)
    assert len(soft.gates) == soft.n_nodes - soft.n_leaves and soft.n_leaves == tree.n_leaves
    assert loss(soft, X, y) < loss(tree.soften(X, y, iterations=0), X, y)
    every = tree.soften(X, y, columns="all")
    assert set(tree.used_columns) == set(soft.used_columns) <= set(every.used_columns)
    assert soft == tree.soften(X, y)


def test_levels_become_gates() -> None:
    table = tw.datasets.load_play_tennis()
    tree = tw.CARTClassifier(min_samples_split=2).fit(table.X, table.y).tree_
    soft = tree.soften(table.X, table.y, iterations=0)
    assert soft.predict(table.X).tolist() == tree.predict(table.X).tolist()
    assert soft.to_hard().predict(table.X).tolist() == tree.predict(table.X).tolist()


def test_numbers_and_soft_trees_themselves() -> None:
    X, _ = circle()
    target = X[:, 0] ** 2 + np.abs(X[:, 1])
    tree = tw.CARTRegressor(max_depth=3).fit(X, target).tree_
    soft = tree.soften(X, target, columns="all", iterations=300, ridge=0.01)
    assert np.mean((soft.predict(X) - target) ** 2) < np.mean((tree.predict(X) - target) ** 2)
    more = soft.soften(X, target, ridge=0.01)
    assert np.mean((more.predict(X) - target) ** 2) < np.mean((tree.predict(X) - target) ** 2)
    assert all(isinstance(gate, SigmoidGate) for gate in more.gates.values())


def test_refusals_name_the_node() -> None:
    X, y = mixed()
    for est, says in (
        (tw.ID3Classifier(missing="majority"), "branches"),
        (tw.LogisticTreeClassifier(iterations=2), "computes what it says"),
        (tw.ObliqueTreeClassifier(node="quadratic", max_depth=2), "products"),
    ):
        tree = est.fit(X, y).tree_
        with pytest.raises(ValueError, match=says):
            tree.soften(X, y)
    tree = tw.CARTClassifier(missing="majority").fit(X, y).tree_
    for given, says in (
        ({"columns": "some"}, "columns"),
        ({"ridge": -1}, "ridge=-1"),
        ({"holdout": 1}, "holdout=1"),
        ({"iterations": -1}, "iterations=-1"),
    ):
        with pytest.raises(ValueError, match=says):
            tree.soften(X, y, **given)
    with pytest.raises(ValueError, match="X has 400 rows and y has 10"):
        tree.soften(X, y[:10])
