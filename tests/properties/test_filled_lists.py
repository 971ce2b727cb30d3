"""Missing cells that are filled: nodes that inherit ordered lists have the splits of nodes that sort their rows anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treewright as tw


def table(rng: np.random.Generator, rows: int) -> np.ndarray:
    X = np.column_stack([rng.normal(size=rows), rng.integers(0, 9, rows), np.round(rng.normal(size=rows), 1), rng.random(rows)])
    X[rng.random(X.shape) < 0.3] = np.nan
    X[: rows // 8, 0] = np.nan
    return X


@pytest.mark.parametrize("policy", ["most_common", "most_common_in_class"])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "twoing"])
@pytest.mark.parametrize("weighted", [False, True])
def test_classes(policy: str, criterion: str, weighted: bool) -> None:
    rng = np.random.default_rng(len(policy) + len(criterion) + weighted)
    X = table(rng, 400)
    y = (np.nan_to_num(X[:, 0]) > 0.3).astype(int) + rng.integers(0, 2, 400)
    _same(
        tw.CARTClassifier,
        {"missing": policy, "criterion": criterion},
        X,
        y,
        rng.integers(1, 4, 400).astype(float) if weighted else None,
    )


@pytest.mark.parametrize("criterion", ["variance", "absolute_error"])
@pytest.mark.parametrize("outputs", [1, 2])
def test_numbers(criterion: str, outputs: int) -> None:
    if criterion == "absolute_error" and outputs == 2:
        pytest.skip("absolute_error is for one number a row")
    rng = np.random.default_rng(outputs)
    X = table(rng, 300)
    y = rng.normal(size=(300, outputs)) + np.nan_to_num(X[:, :1])
    _same(tw.CARTRegressor, {"missing": "most_common", "criterion": criterion}, X, y if outputs > 1 else y[:, 0], None)


def _same(learner: Any, settings: dict[str, Any], X: np.ndarray, y: np.ndarray, weights: np.ndarray | None) -> None:
    """Depth first nodes hand their lists down; best first, with leaves enough for all, none do."""
    deep = learner(**settings).fit(X, y, sample_weight=weights).tree_
    wide = learner(**settings, max_leaf_nodes=1000).fit(X, y, sample_weight=weights).tree_
    assert deep.n_leaves > 40
    assert deep.to_text() == wide.to_text()
    assert np.array_equal(np.sort(deep.node_columns.gain), np.sort(wide.node_columns.gain), equal_nan=True)
