"""Levels that only rows held out have: these rows are counted where they are sent, before and after."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw


def table(seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Many levels of one row each, a tenth of which is held out whatever is drawn."""
    rng = np.random.default_rng(seed)
    rows = 160
    level = np.where(np.arange(rows) % 4 == 0, [f"once {i}" for i in range(rows)], rng.choice(["p", "q", "r"], rows))
    X = pd.DataFrame({"a": rng.normal(size=rows), "b": rng.normal(size=rows), "level": level})
    return X, X["a"] + X["b"] + (X["level"] == "p") + 0.3 * rng.normal(size=rows)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("method", ["cart-lc", "oc1", "ldt", "quest", "fact", "lmdt"])
def test_oblique_trees_send_held_out_rows_where_they_were_counted(method: str, seed: int) -> None:
    X, numbers = table(seed)
    estimators: list[tuple[Any, Any]] = [(tw.ObliqueTreeClassifier(method=method, holdout=0.3, max_depth=3), numbers > 0)]
    if method in ("cart-lc", "oc1"):
        estimators.append((tw.ObliqueTreeRegressor(method=method, holdout=0.3, max_depth=3), numbers))
    for est, y in estimators:
        assert_counted(est.fit(X, y), X)


def test_omnivariate_and_reptrees_do_so_too() -> None:
    X, numbers = table(9)
    assert_counted(tw.OmnivariateTreeClassifier(random_state=1).fit(X, numbers > 0), X)
    assert_counted(tw.REPTreeClassifier().fit(X, numbers > 0), X)


def assert_counted(est: Any, X: pd.DataFrame) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", tw.UnseenLevelWarning)  # training had them all
        leaf = est.apply(X)
    weight = est.tree_.node_columns.weight
    assert np.array_equal(
        np.bincount(leaf, minlength=len(weight))[est.tree_.node_columns.is_leaf], weight[est.tree_.node_columns.is_leaf]
    )
