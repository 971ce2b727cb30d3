"""Columns in which most cells are one value, and branches of few rows.

The sorted engine lists the other cells alone, and takes few rows out of its lists; the plain engine looks at every cell, and
their trees are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright import _core
from treewright.learn import settings

LEVELS = range(_core.kernel_levels()[1] + 1)

# The cells that differ from the common one.
OTHERS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "around": lambda rng, n: rng.standard_normal(n),
    "above": lambda rng, n: rng.random(n) + 0.1,
    "below": lambda rng, n: -rng.random(n) - 0.1,
    "tied": lambda rng, n: np.round(rng.standard_normal(n) * 40),
    "counts": lambda rng, n: rng.integers(1, 6, n).astype(float),
    "few": lambda rng, n: rng.choice([-2.0, -1.0, 3.0], n),
}


@pytest.fixture(autouse=True)
def _restore() -> Iterator[None]:
    yield
    settings.ENGINE = "automatic"
    _core.use_kernel_level(_core.kernel_levels()[1])


def assert_twins(est: Any, X: Any, y: Any, weights: np.ndarray | None = None) -> tw.Tree:
    states = []
    for engine in ("plain", "sorted"):
        settings.ENGINE = engine
        states.append(est.fit(X, y, sample_weight=weights).tree_.state())
    for name, column in states[0].items():
        assert np.array_equal(column, states[1][name], equal_nan=True), (est, name)
    return est.tree_


def table(rng: np.random.Generator, rows: int) -> pd.DataFrame:
    """Mostly sparse columns, of different common values, beside columns of other kinds."""
    columns: dict[str, Any] = {}
    for j in range(int(rng.integers(1, 6))):
        cells = np.full(rows, rng.choice([0.0, -0.0, 2.0, -1.0]))
        some = rng.random(rows) < rng.choice([0.002, 0.05, 0.12, 0.24, 0.5])
        cells[some] += OTHERS[rng.choice(list(OTHERS))](rng, int(some.sum()))
        columns[f"s{j}"] = cells.astype(rng.choice([np.float32, np.float64]))
    if rng.random() < 0.5:
        columns["dense"] = rng.standard_normal(rows)
    if rng.random() < 0.3:
        columns["few"] = rng.integers(0, 4, rows).astype(float)
    if rng.random() < 0.3:
        columns["two"] = rng.integers(0, 2, rows)
    if rng.random() < 0.3:
        columns["level"] = pd.Categorical.from_codes(rng.integers(0, 5, rows), list("abcde"))
    X = pd.DataFrame(columns)
    X = X[list(rng.permutation(X.columns))]
    if rng.random() < 0.3:
        name = X.columns[0]
        X[name] = X[name].where(rng.random(rows) > 0.1)
    return X


def target(rng: np.random.Generator, X: pd.DataFrame) -> np.ndarray:
    numbers = X.select_dtypes("number").fillna(0).to_numpy(float)
    return numbers @ rng.standard_normal(numbers.shape[1]) + rng.standard_normal(len(X)) * rng.choice([0, 0.3])


@pytest.mark.parametrize("seed", range(48))
def test_sparse_engines_agree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = int(rng.choice([256, 300, 700, 1500, 3000]))
    X = table(rng, rows)
    numbers = target(rng, X)
    k = int(rng.choice([2, 2, 3, 6]))
    classes = np.unique(np.digitize(numbers, np.quantile(numbers, np.linspace(0, 1, k + 1)[1:-1])), return_inverse=True)[1]
    weights = [None, None, rng.random(rows) + 1e-3, rng.integers(1, 4, rows).astype(float)][rng.integers(0, 4)]
    chosen: dict[str, Any] = {
        "min_samples_leaf": int(rng.choice([1, 1, 4])),
        "missing": str(rng.choice(["learned", "majority", "surrogate"])),
        "max_features": [None, None, 2][rng.integers(0, 3)],
        "max_leaf_nodes": [None, None, None, 12][rng.integers(0, 4)],
        "max_depth": [None, None, 6][rng.integers(0, 3)],
        "n_jobs": int(rng.choice([1, 2])),
    }
    _core.use_kernel_level(int(rng.choice(LEVELS)))
    criteria = [part["name"] for part in _core.criteria() if part["sorted"] and part["classes"]]
    assert_twins(tw.TreeClassifier(criterion=criteria[seed % len(criteria)], **chosen), X, classes, weights)
    assert_twins(tw.TreeRegressor(**chosen), X, numbers, weights)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("k", [2, 3, "numbers"])
def test_sparse_engines_agree_on_large_nodes(k: Any, level: int) -> None:
    """More rows than a small frame holds, all columns sparse: there is no list of all rows but the one in table order."""
    rng = np.random.default_rng(level)
    rows = 40_000
    X = np.where(rng.random((rows, 8)) < 0.02, rng.standard_normal((rows, 8)), 0.0).astype(np.float32)
    X[:, 1] = np.round(X[:, 1] * 3)
    numbers = X[:, :4].sum(axis=1) + 0.1 * rng.standard_normal(rows)
    _core.use_kernel_level(level)
    if k == "numbers":
        assert_twins(tw.CARTRegressor(max_depth=9, n_jobs=2), X, numbers)
        assert_twins(tw.CARTRegressor(max_depth=6), X, numbers, rng.random(rows))
        return
    y = np.digitize(numbers, np.quantile(numbers, np.linspace(0, 1, k + 1)[1:-1]))
    assert_twins(tw.CARTClassifier(max_depth=12, n_jobs=2), X, y)
    assert_twins(tw.CARTClassifier(max_depth=6), X, y, rng.random(rows))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("rows", [700, 6000, 40_000])
def test_branches_of_few_rows_are_taken_out_of_the_lists(rows: int, level: int) -> None:
    """A chain: every split sends a few rows away, whose equal and missing cells have to be found again."""
    rng = np.random.default_rng(rows + level)
    X = np.column_stack([rng.permutation(rows), np.round(rng.standard_normal(rows) * 9), rng.standard_normal(rows)]).astype(float)
    X[rng.random(rows) < 0.1, 2] = np.nan
    X = np.column_stack([X, rng.integers(0, 3, rows)])
    stairs = np.where(X[:, 0] < 60, X[:, 0] // 3 % 2, np.where(X[:, 0] > rows - 60, 2 + X[:, 0] // 4 % 2, 0)).astype(int)
    _core.use_kernel_level(level)
    for given in ({}, {"n_jobs": 2}, {"max_leaf_nodes": 30}):
        assert assert_twins(tw.CARTClassifier(max_depth=25, **given), X, stairs).depth > 8
        assert_twins(tw.CARTRegressor(max_depth=25, **given), X, stairs * 1.5)
    assert_twins(tw.CARTClassifier(max_depth=12), X, (stairs > 0).astype(int), rng.integers(1, 3, rows).astype(float))


COSTS: list[dict[str, Any]] = [
    {"criterion": "error"},
    {"criterion": "risk"},
    {"criterion": "risk", "loss": [[0, 1], [3, 0]]},
    {"criterion": "risk", "loss": [[0, 0.1], [0.7, 0]]},
    {"criterion": "risk", "priors": [0.3, 0.7]},
    {"criterion": "risk", "loss": [[0, 5], [1, 0]], "priors": [0.5, 0.5]},
]


@pytest.mark.parametrize("weighted", [None, "whole", "float"])
@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("rows", [90, 1200])
def test_costs_of_answers_agree(rows: int, costs: dict[str, Any], weighted: str | None) -> None:
    """Blocks of rows are passed over where no pair of answers can cost less."""
    rng = np.random.default_rng(rows)
    X = rng.standard_normal((rows, 4))
    X[:, 1] = np.round(X[:, 1] * 30)
    X[:, 2] = np.round(X[:, 2])
    weights = {"whole": rng.integers(1, 6, rows).astype(float), "float": rng.random(rows)}.get(weighted or "")
    for share in (0.2, 0.5):
        y = (X[:, 0] + rng.standard_normal(rows) > np.quantile(X[:, 0], 1 - share)).astype(int)
        for missing in ("learned", "fraction"):
            for leaf in (1, 4):
                est = tw.TreeClassifier(min_samples_leaf=leaf, missing=missing, max_depth=40, **costs)
                assert_twins(est, X, y, weights)
        holes = np.where(rng.random(X.shape) < 0.1, np.nan, X)
        assert_twins(tw.TreeClassifier(max_depth=40, **costs), holes, y, weights)


@pytest.mark.parametrize("k", [3, 9, 40])
def test_errors_of_many_classes_agree(k: int) -> None:
    rng = np.random.default_rng(k)
    X = rng.standard_normal((1500, 4))
    X[:, 3] = np.round(X[:, 3] * 20)
    y = np.digitize(X[:, 0] + 0.5 * X[:, 1] + 0.5 * rng.standard_normal(1500), np.linspace(-2, 2, k - 1))
    y = np.unique(y, return_inverse=True)[1]
    for weights in (None, rng.integers(1, 4, 1500).astype(float)):
        assert_twins(tw.TreeClassifier(criterion="error", max_depth=40), X, y, weights)
        assert_twins(tw.TreeClassifier(criterion="risk", max_depth=10), X, y, weights)
