"""Targets of several numbers a row: the engine of sorted lists gives the plain engine's tree, node by node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright import _core
from treewright.learn import settings

LEVELS = range(_core.kernel_levels()[1] + 1)


@pytest.fixture(autouse=True)
def _restore() -> Iterator[None]:
    yield
    settings.ENGINE = "automatic"
    _core.use_kernel_level(_core.kernel_levels()[1])


def assert_twins(est: Any, X: np.ndarray, y: np.ndarray) -> tw.Tree:
    states = []
    for engine in ("plain", "vectors"):
        settings.ENGINE = engine
        states.append(est.fit(X, y).tree_.state())
    for name, column in states[0].items():
        assert np.array_equal(column, states[1][name], equal_nan=True), (est, name)
    return est.tree_


def columns(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Numbers with and without ties, side by side."""
    made = [rng.integers(0, rng.integers(2, 40), rows) if rng.random() < 0.5 else rng.normal(size=rows) for _ in range(4)]
    return np.column_stack([*made, made[0]]).astype(float)  # the last is as good as the first


def targets(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Numbers of any scale: tied, constant, with an outlier."""
    y = rng.normal(size=(rows, int(rng.integers(2, 17)))) * 10.0 ** rng.integers(-3, 4)
    kind = rng.choice(["plain", "whole", "constant", "outlier", "one"], p=[0.5, 0.2, 0.1, 0.1, 0.1])
    if kind == "whole":
        y = np.round(y)
    elif kind == "constant":
        y[:] = 1
    elif kind == "outlier":
        y[0] = 1e12
    elif kind == "one":
        y[:, 1:] = 0
    return y


@pytest.mark.parametrize("seed", range(40))
def test_the_trees_of_the_plain_engine(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.choice([2, 3, 5, 30, 300]))
    X, y = columns(rng, n), targets(rng, n)
    limits: list[dict[str, Any]] = [{}, {"min_samples_leaf": 3}, {"max_depth": 4}, {"min_impurity_decrease": 0.01}]
    _core.use_kernel_level(int(rng.choice(LEVELS)))
    assert_twins(tw.CARTRegressor(**limits[seed % 4 if n >= 30 else 0]), X, y)


def test_sums_of_many_rows_are_rounded_and_their_trees_are_not() -> None:
    rng = np.random.default_rng(3)
    X, y = columns(rng, 20_000), rng.normal(size=(20_000, 3)) + 1e6
    assert assert_twins(tw.CARTRegressor(max_depth=9), X, y).n_leaves > 20


def test_near_ties_of_columns_are_ties() -> None:
    rng = np.random.default_rng(5)
    x = rng.permutation(64).astype(float)
    X = np.column_stack([-x, x, x**3])
    tree = assert_twins(tw.CARTRegressor(), X, np.column_stack([x, x]))
    assert tree.used_columns == ["x0"]


@pytest.mark.parametrize("seed", range(3))
def test_where_it_does_not_apply_the_plain_engine_grows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = columns(rng, 60), rng.normal(size=(60, 2))
    X[3, 1] = np.nan if seed else 0
    weights = None if seed else rng.integers(1, 3, 60).astype(float)
    settings.ENGINE = "vectors"
    with pytest.raises(ValueError, match="the vectors engine does not apply"):
        tw.CARTRegressor(max_leaf_nodes=5 if seed == 2 else None).fit(X, y, sample_weight=weights)
    settings.ENGINE = "automatic"
    assert tw.CARTRegressor().fit(X, y, sample_weight=weights).tree_.n_leaves > 1
