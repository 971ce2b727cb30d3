"""Cost-complexity paths by impurity against scikit-learn's own of the same trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treewright as tw


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("theirs", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_same_path_and_trees(theirs: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] + rng.normal(size=200)
    if theirs is DecisionTreeClassifier:
        y = (y > 0).astype(int) + (y > 1)
    peer = theirs(random_state=0).fit(X, y)
    tree = tw.from_sklearn(peer)
    mine, their = tree.pruning_path(risk="impurity"), peer.cost_complexity_pruning_path(X, y)
    # scikit-learn takes links that are equally weak one after another.
    distinct = [
        their.ccp_alphas[0],
        *(b for a, b in zip(their.ccp_alphas[:-1], their.ccp_alphas[1:], strict=True) if b > a + 1e-12),
    ]
    np.testing.assert_allclose(mine.alpha, distinct, atol=1e-12)
    for step in range(0, len(mine), max(1, len(mine) // 12)):
        alpha = float(mine.alpha[step]) + 1e-12  # both cut at this price
        pruned = theirs(random_state=0, ccp_alpha=alpha).fit(X, y)
        assert tree.prune("cost_complexity", alpha=alpha, risk="impurity").n_leaves == pruned.get_n_leaves()
