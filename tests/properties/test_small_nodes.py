"""Nodes of few rows, whose counted columns are put in order all at once, and columns without ties, whose cuts nobody counts.

Both are of the sorted engine; the plain engine looks at every cell, and their trees are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.learn import settings


@pytest.fixture(autouse=True)
def _restore() -> Iterator[None]:
    yield
    settings.ENGINE = "automatic"


def assert_twins(est: Any, X: Any, y: Any, weights: np.ndarray | None = None) -> tw.Tree:
    states = []
    for engine in ("plain", "sorted"):
        settings.ENGINE = engine
        states.append(est.fit(X, y, sample_weight=weights).tree_.state())
    for name, column in states[0].items():
        assert np.array_equal(column, states[1][name], equal_nan=True), (est, name)
    return est.tree_


def counted(rng: np.random.Generator, rows: int, width: int, missing: float) -> pd.DataFrame:
    """Columns of few values and columns of levels, of which some have more than are put in order."""
    columns: dict[str, Any] = {}
    for j in range(width):
        kind = rng.choice(["few", "more", "levels", "many"], p=[0.4, 0.3, 0.2, 0.1])
        if kind in ("few", "more"):
            cells = rng.integers(0, rng.integers(3, 10 if kind == "few" else 60), rows).astype(float)
            cells[rng.random(rows) < missing] = np.nan
            columns[f"c{j}"] = cells
        else:
            levels = 6 if kind == "levels" else 1500
            codes = np.where(rng.random(rows) < missing, -1, rng.integers(0, levels, rows))
            columns[f"c{j}"] = pd.Categorical.from_codes(codes, [f"v{k}" for k in range(levels)])
    return pd.DataFrame(columns)


@pytest.mark.parametrize("width", [1, 7, 8, 9, 20])
@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("target", ["two", "three", "number"])
def test_small_nodes_of_counted_columns(width: int, missing: float, target: str) -> None:
    rng = np.random.default_rng(width * 7 + len(target) + int(missing > 0))
    for weighted in (False, True):
        n = int(rng.integers(40, 120))
        X = counted(rng, n, width, missing)
        weights = rng.integers(1, 4, n).astype(float) if weighted else None
        if target == "number":
            assert_twins(tw.CARTRegressor(missing="learned"), X, rng.normal(size=n), weights)
        else:
            y = rng.integers(0, 2 if target == "two" else 3, n)
            assert_twins(tw.CARTClassifier(missing="learned", criterion=rng.choice(["gini", "entropy"])), X, y, weights)


@pytest.mark.parametrize("rows", [2, 3, 4, 5, 8, 9, 16, 17, 31, 32, 33])
def test_every_size_of_a_small_node(rows: int) -> None:
    rng = np.random.default_rng(rows)
    for _ in range(6):
        X = pd.DataFrame(rng.integers(0, 9, (rows, 12)).astype(float), columns=[f"x{j}" for j in range(12)])
        y = rng.permutation(np.arange(rows) % 2)
        assert_twins(tw.CARTClassifier(), X, y)
        assert_twins(tw.CARTRegressor(), X, rng.normal(size=rows))


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("least", [1, 4])
@pytest.mark.parametrize("policy", ["learned", "majority"])
def test_the_cuts_of_kept_candidates_are_counted_alike(missing: float, least: int, policy: str) -> None:
    rng = np.random.default_rng(least + int(missing > 0))
    n = 300
    X = np.column_stack([rng.permutation(n), rng.normal(size=n), np.round(rng.normal(size=n), 2), rng.integers(0, 90, n)]).astype(
        float
    )
    X[rng.random(X.shape) < missing] = np.nan
    y = rng.integers(0, 2, n)
    tree = assert_twins(tw.CARTClassifier(keep_candidates=True, min_samples_leaf=least, missing=policy, max_depth=6), X, y)
    assert tree.n_leaves > 8
    assert_twins(
        tw.CARTRegressor(keep_candidates=True, min_samples_leaf=least, missing=policy, max_depth=6), X, rng.normal(size=n)
    )
