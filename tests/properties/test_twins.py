"""What is computed in two ways gives the same bytes: whole weights and none, bits and general codes, at every kernel level."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import treewright as tw
from treewright import _core
from treewright.learn import settings

LEVELS = range(_core.kernel_levels()[1] + 1)
SHAPE = (
    "first_child",
    "n_children",
    "family",
    "column",
    "missing_to",
    "cut_at",
    "cut_below",
    "cut_above",
    "level",
    "level_branch",
)


@pytest.fixture(autouse=True)
def _restore() -> Iterator[None]:
    yield
    settings.ENGINE = "automatic"
    _core.use_kernel_level(_core.kernel_levels()[1])


def table(seed: int, rows: int = 1500) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=rows), rng.integers(0, 2, rows), rng.integers(0, 40, rows), rng.integers(0, 90, rows)])
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) * np.nan_to_num(X[:, 2]) / 20 + 0.3 * rng.normal(size=rows)


@pytest.mark.parametrize("engine", ["plain", "sorted"])
@pytest.mark.parametrize("level", LEVELS)
def test_rows_of_weight_two_are_rows_of_weight_one_but_for_their_weight(engine: str, level: int) -> None:
    X, y = table(0)
    settings.ENGINE = engine
    _core.use_kernel_level(level)
    for make, target in (
        (lambda jobs: tw.CARTClassifier(n_jobs=jobs, max_depth=9), np.digitize(y, [-0.5, 0.5])),
        (lambda jobs: tw.CARTClassifier(n_jobs=jobs), y > 0),
        (lambda jobs: tw.CARTRegressor(n_jobs=jobs, max_depth=9), y),
    ):
        unit = make(1).fit(X, target).tree_.state()
        for jobs in (1, 3):
            twice = make(jobs).fit(X, target, sample_weight=np.full(len(y), 2.0)).tree_.state()
            assert all(np.array_equal(unit[name], twice[name]) for name in SHAPE)
            assert np.array_equal(2 * unit["weight"], twice["weight"])
            assert np.array_equal(2 * unit["class_weight"], twice["class_weight"])


@pytest.mark.parametrize("columns", [1, 63, 64, 65, 130])
def test_bits_and_general_codes(columns: int) -> None:
    """Columns of two values are bits, 64 to a word, in the sorted engine; in the plain engine they are codes like others."""
    rng = np.random.default_rng(columns)
    X = rng.integers(0, 2, (800, columns)).astype(float)
    y = (X[:, 0] + X[:, -1] + (rng.random(800) < 0.3)) % 2
    z = X @ rng.normal(size=columns) + rng.normal(size=800)
    for est, target in ((tw.CARTClassifier(), y), (tw.CARTRegressor(min_samples_leaf=5), z)):
        trees = []
        for engine, level in [("plain", 0), *(("sorted", level) for level in LEVELS)]:
            settings.ENGINE = engine
            _core.use_kernel_level(level)
            trees.append(est.fit(X, target).tree_)
        assert all(tree == trees[0] for tree in trees[1:])
