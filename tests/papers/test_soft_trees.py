"""Soft decision trees (Irsoy, Yildiz and Alpaydin 2012; Alpaydin, Introduction to Machine Learning, 9.7): rows 109 and 152."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import treewright as tw
from treewright.model import Tree
from treewright.model.gates import gated_mixture


def sine(n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    x = np.random.default_rng(0).uniform(0, 2 * np.pi, n)
    return x[:, None], np.sin(x) + 0.1 * np.random.default_rng(1).normal(size=n)


def steeper(tree: Tree, times: float) -> Tree:
    return tree.with_gates({id: replace(gate, slope=gate.slope * times) for id, gate in tree.gates.items()})


def jumps(tree: Tree, tight: float) -> float:
    """The largest change between two values that lie this far apart, across every threshold."""
    ats = np.array([tree.splits.threshold(id)[0] for id in range(tree.n_nodes) if not tree.node(id).is_leaf])
    below, above = tree.predict((ats - tight)[:, None]), tree.predict((ats + tight)[:, None])
    return float(np.abs(above - below).max())


def test_row_109_a_soft_tree_is_continuous() -> None:
    X, y = sine()
    soft = tw.SoftTreeRegressor(ridge=0.1).fit(X, y).tree_
    hard = tw.CARTRegressor(max_leaf_nodes=soft.n_leaves).fit(X, y).tree_
    assert soft.n_leaves > 2
    # The closer, the smaller: ten times as close is a tenth of the change; the hard tree jumps as far as ever.
    far, near = jumps(soft, 1e-4), jumps(soft, 1e-5)
    assert near == pytest.approx(far / 10, rel=0.05) and near < 1e-3
    assert jumps(hard, 1e-9) > 0.2 > 100 * near
    assert np.mean((soft.predict(X) - y) ** 2) < np.mean((hard.predict(X) - y) ** 2)


def test_row_152_shares_of_leaves_sum_to_one_and_weigh_their_answers() -> None:
    X, y = sine()
    tree = tw.SoftTreeRegressor(ridge=0.1).fit(X, y).tree_
    leaves = [node.id for node in map(tree.node, range(tree.n_nodes)) if node.is_leaf]
    entry = {id: np.eye(len(leaves))[k] for k, id in enumerate(leaves)}
    share = gated_mixture(tree, [X[:, 0]], np.arange(len(X)), 0, tree.gates, lambda id: entry.get(id, np.zeros(len(leaves))))
    assert share.sum(axis=1) == pytest.approx(1) and (share > 0).all()
    said = np.array([tree.node(id).prediction for id in leaves])
    assert tree.predict(X) == pytest.approx(share @ said)


@pytest.mark.parametrize("classes", [False, True])
def test_row_152_the_limit_of_steep_gates_is_the_hard_tree(classes: bool) -> None:
    X, y = sine()
    target = np.where(y > 0.5, "high", np.where(y < -0.5, "low", "middle")) if classes else y
    tree = (tw.SoftTreeClassifier(ridge=0.1) if classes else tw.SoftTreeRegressor(ridge=0.1)).fit(X, target).tree_
    steep, hard = steeper(tree, 1e9), tree.to_hard()
    if classes:
        assert steep.predict(X).tolist() == hard.predict(X).tolist() != tree.predict_proba(X).tolist()
        assert steep.predict_proba(X) == pytest.approx(hard.predict_proba(X))
    else:
        assert steep.predict(X) == pytest.approx(hard.predict(X))
        assert np.abs(steep.predict(X) - tree.predict(X)).max() > 0.05
    less = steeper(tree, 10)
    assert np.abs(numbers(less, X) - numbers(hard, X)).max() > 1e-3


def numbers(tree: Tree, X: np.ndarray) -> np.ndarray:
    """Shares of classes, or what is predicted."""
    return np.asarray(tree.predict(X) if tree.target.classes is None else tree.predict_proba(X))
