"""Weighted rows and classes: the sorted engine estimates and bounds, the plain one scores every cut; their trees are the same."""

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

WEIGHTS: dict[str, Callable[[np.random.Generator, int], np.ndarray | None]] = {
    "none": lambda rng, n: None,
    "float": lambda rng, n: rng.random(n) + 1e-3,
    "whole": lambda rng, n: rng.integers(1, 6, n).astype(float),
    "bootstrap": lambda rng, n: np.bincount(rng.integers(0, n, n), minlength=n).astype(float),
    "equal": lambda rng, n: np.full(n, 3.0),
    "spread": lambda rng, n: np.exp(rng.normal(size=n) * 8),
    "few heavy": lambda rng, n: np.where(rng.random(n) < 0.1, 1e9, 1.0),
    "denormal": lambda rng, n: rng.random(n) * 1e-310 + 1e-320,
    "huge": lambda rng, n: (rng.random(n) + 0.1) * 1e300,
}


@pytest.fixture(autouse=True)
def _restore() -> Iterator[None]:
    yield
    settings.ENGINE = "automatic"
    _core.use_kernel_level(_core.kernel_levels()[1])


def assert_twins(est: Any, X: Any, y: Any, weights: np.ndarray | None) -> None:
    states = []
    for engine in ("plain", "sorted"):
        settings.ENGINE = engine
        states.append(est.fit(X, y, sample_weight=weights).tree_.state())
    for name, column in states[0].items():
        assert np.array_equal(column, states[1][name], equal_nan=True), (est, name)


def table(rng: np.random.Generator, rows: int, holes: float) -> pd.DataFrame:
    """Columns of many values, with and without ties, and of few; one of levels."""
    columns = {
        "many": rng.standard_normal(rows),
        "tied": np.round(rng.standard_normal(rows) * 40),
        "again": rng.standard_normal(rows).astype(np.float32),
        "few": rng.integers(0, 9, rows).astype(float),
        "two": rng.integers(0, 2, rows).astype(float),
    }
    X = pd.DataFrame(columns)
    X["level"] = pd.Categorical.from_codes(rng.integers(0, 7, rows), list("abcdefg"))
    X = X[rng.choice(list(X.columns), int(rng.integers(1, 7)), replace=False)]
    return X.mask(rng.random(X.shape) < holes)


def target(rng: np.random.Generator, X: pd.DataFrame) -> np.ndarray:
    numbers = X.select_dtypes("number").fillna(0).to_numpy(float)
    return numbers.sum(axis=1) / (np.abs(numbers).max(initial=0) + 1) + rng.standard_normal(len(X)) * rng.choice([0.1, 1])


def in_classes(numbers: np.ndarray, k: int) -> np.ndarray:
    return np.digitize(numbers, np.quantile(numbers, np.linspace(0, 1, k + 1)[1:-1]))


def costs(rng: np.random.Generator, k: int) -> dict[str, Any]:
    """What classes count: priors, some of them next to nothing, weights of classes, losses, or nothing of the kind."""
    kind = int(rng.integers(0, 5))
    if kind == 0:
        priors = rng.random(k) ** rng.choice([1, 9]) + 1e-9
        return {"priors": priors / priors.sum()}
    if kind == 1:
        return {"class_weight": dict(enumerate(rng.random(k) * 3 + 0.1))}
    if kind == 2:
        return {"loss": (1 - np.eye(k)) * rng.integers(1, 5, (k, k))}
    return {}


@pytest.mark.filterwarnings("ignore::treewright.errors.TreewrightWarning")  # tables too light for a split, weights too far apart
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", WEIGHTS)
def test_weighted_engines_agree(kind: str, seed: int) -> None:
    rng = np.random.default_rng([seed, list(WEIGHTS).index(kind)])
    rows = int(rng.choice([5, 30, 130, 400, 2000]))
    X = table(rng, rows, float(rng.choice([0, 0, 0.1])))
    weights = WEIGHTS[kind](rng, rows)
    numbers = target(rng, X)
    y = in_classes(numbers, int(rng.choice([2, 2, 3, 7, 20])))
    y = np.unique(y, return_inverse=True)[1]
    chosen: dict[str, Any] = {
        "min_samples_leaf": int(rng.choice([1, 1, 3])),
        "missing": str(rng.choice(["learned", "majority", "surrogate"])),
        "n_jobs": int(rng.choice([1, 2])),
    }
    _core.use_kernel_level(int(rng.choice(LEVELS)))
    kept = np.ones(rows, bool) if weights is None else weights > 0
    k = len(np.unique(y[kept]))
    if k == len(np.unique(y)) and k > 1:  # a class all of whose rows weigh nothing has no prior
        given = {} if kind == "denormal" else costs(rng, k)  # over such weights no prior is a number
        assert_twins(tw.CARTClassifier(**chosen, **given), X, y, weights)
    assert_twins(tw.CARTRegressor(**chosen), X, numbers * rng.choice([1, 1e200, 1e-200]), weights)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", ["none", "float", "few heavy"])
def test_weighted_engines_agree_on_large_nodes(kind: str, level: int) -> None:
    """Entries of large frames carry weights that fit 32 bits; the heavy ones do not."""
    rng = np.random.default_rng(level)
    rows = 40_000
    X = np.column_stack([rng.standard_normal(rows), np.round(rng.standard_normal(rows) * 20), rng.integers(0, 5, rows)])
    X[rng.random(X.shape) < 0.02] = np.nan
    numbers = np.nan_to_num(X[:, 0] + 0.05 * X[:, 1]) + 0.3 * rng.standard_normal(rows)
    weights = WEIGHTS[kind](rng, rows)
    _core.use_kernel_level(level)
    for k in (2, 4):
        y = in_classes(numbers, k)
        assert_twins(tw.CARTClassifier(min_samples_leaf=2, n_jobs=2), X, y, weights)
        assert_twins(tw.CARTClassifier(class_weight={0: 1.7, 1: 0.6}, max_leaf_nodes=300), X, y, weights)
    assert_twins(tw.CARTRegressor(min_samples_leaf=5), X, numbers, weights)


def test_of_equal_cuts_the_lowest_is_taken_whatever_was_looked_at_first() -> None:
    """A row outweighs all others: scores of most cuts differ by rounding alone, and many are equal."""
    rng = np.random.default_rng(5)
    for k in (2, 3, 6):
        X, y = rng.standard_normal((700, 2)), rng.integers(0, k, 700)
        weights = np.where(np.arange(700) == 350, 1e12, 1.0)
        assert_twins(tw.CARTClassifier(), X, y, weights)
        assert_twins(tw.CARTRegressor(), X, y.astype(float), weights)


def test_leaves_of_pairs_weigh_what_their_rows_weigh() -> None:
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
    weights = np.array([1.0, 2.0, 3.0, 5.0])
    for est in (tw.CARTClassifier(), tw.CARTRegressor(), tw.CARTClassifier(class_weight={0: 2.0, 1: 1.0})):
        assert_twins(est, X, y, weights)
        tree = est.tree_.state()
        assert sorted(tree["weight"][tree["n_children"] == 0]) == [1, 2, 3, 5]
