"""Only the order of a column's values matters: a table and the table of their ranks, made by NumPy, give the same tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.learn import settings

Make = Callable[[np.random.Generator, int], np.ndarray]


@pytest.fixture(autouse=True)
def _restore() -> Iterator[None]:
    yield
    settings.ENGINE = "automatic"


def steps(rng: np.random.Generator, n: int) -> np.ndarray:
    """Doubles that differ in the last bits only: thousands of rows agree in the upper half of their bits."""
    return np.asarray(1.0 + rng.integers(0, 3000, n) * 2.0**-50)


def moments(rng: np.random.Generator, n: int) -> np.ndarray:
    """Microseconds since 1970 within a few hours."""
    return np.asarray(1.7e15 + rng.integers(0, 10**10, n))


def zeros(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.asarray(rng.choice([0.0, -0.0, 5e-324, -5e-324, 1e308, -1e308, 1.5], n))


COLUMNS: dict[str, Make] = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "single": lambda rng, n: rng.standard_normal(n).astype(np.float32).astype(np.float64),
    "tenths": lambda rng, n: np.round(rng.standard_normal(n), 1),
    "hundredths": lambda rng, n: np.round(rng.standard_normal(n), 2),
    "steps": steps,
    "few steps": lambda rng, n: 1.0 + rng.integers(0, 30, n) * 2.0**-50,
    "moments": moments,
    "zeros": zeros,
    "tiny": lambda rng, n: rng.standard_normal(n) * 1e-310,
    "64 values": lambda rng, n: rng.permutation(np.arange(n) % 64) - 32.0,
    "65 values": lambda rng, n: rng.permutation(np.arange(n) % 65) - 32.0,
    "constant": lambda rng, n: np.full(n, -3.0),
    "nothing": lambda rng, n: np.full(n, np.nan),
    "whole": lambda rng, n: rng.integers(-(2**40), 2**40, n).astype(np.float64),
}


def ranks(X: np.ndarray) -> np.ndarray:
    out = np.full(X.shape, np.nan)
    for j, cells in enumerate(np.asarray(X, np.float64).T):
        known = ~np.isnan(cells)
        out[known, j] = np.unique(cells[known], return_inverse=True)[1]
    return out


def assert_same_tree(X: np.ndarray, y: np.ndarray, engine: str, **chosen: Any) -> None:
    settings.ENGINE = engine
    # Observed thresholds: a midpoint of values and one of ranks may lie on different sides of a third value.
    one = tw.TreeClassifier(threshold_at="observed", **chosen).fit(X, y).tree_
    two = tw.TreeClassifier(threshold_at="observed", **chosen).fit(ranks(X), y).tree_
    for name in ("parent", "column", "family", "missing_to", "weight", "impurity", "gain", "class_weight"):
        assert np.array_equal(one.state()[name], two.state()[name]), (engine, chosen, name)
    assert np.array_equal(one.apply(X), two.apply(ranks(X)))


@pytest.mark.parametrize("engine", ["plain", "sorted"])
@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("rows", [2, 200, 1500])
def test_only_the_order_of_values_matters(name: str, rows: int, engine: str) -> None:
    rng = np.random.default_rng(len(name) + rows)
    column = COLUMNS[name](rng, rows)
    X = np.column_stack([column, rng.standard_normal(rows), np.where(rng.random(rows) < 0.1, np.nan, column)])
    y = rng.integers(0, 3, rows)
    assert_same_tree(X, y, engine, max_depth=6)
    assert_same_tree(np.asfortranarray(X), y, engine, max_depth=6, n_jobs=3)
    # Listed for the sorted engine, then ranked for the plain one: it alone divides rows.
    assert_same_tree(X, y, "automatic", max_depth=4, missing="fraction")
    with np.errstate(over="ignore", under="ignore"):
        single = X.astype(np.float32)
    if np.isfinite(single[~np.isnan(single)]).all():
        assert_same_tree(single, y, engine, max_depth=6)


@pytest.mark.parametrize("engine", ["plain", "sorted"])
@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
@pytest.mark.parametrize("distinct", [3, 64, 65, 200])
def test_whole_numbers_of_every_width(kind: str, distinct: int, engine: str) -> None:
    rng = np.random.default_rng(distinct)
    limits = np.iinfo(kind)
    low, high = max(limits.min, -(2**52)), min(limits.max, 2**52)
    values = np.unique(np.linspace(low, high, distinct).astype(kind))
    X = np.column_stack([rng.choice(values, 900), np.full(900, limits.max if limits.bits < 64 else high, kind)])
    assert_same_tree(X, rng.integers(0, 2, 900), engine, max_depth=5)


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_that_tells_all_is_learned(name: str) -> None:
    rng = np.random.default_rng(1)
    X = COLUMNS[name](rng, 1200)[:, None]
    y = np.nan_to_num(ranks(X)[:, 0]).astype(int) % 2
    for engine in ("plain", "sorted"):
        settings.ENGINE = engine
        assert np.array_equal(tw.CARTClassifier().fit(X, y).predict(X), y)


def test_the_first_infinite_cell_is_named() -> None:
    X = np.zeros((1000, 3))
    X[700, 1], X[300, 1], X[5, 2] = np.inf, -np.inf, np.inf
    with pytest.raises(ValueError, match="column 'x1' holds infinity in row 300"):
        tw.CARTClassifier().fit(X, np.arange(1000) % 2)


@pytest.mark.parametrize(
    "y",
    [
        np.array([True, False, True]),
        np.array([-128, 127, 0], np.int8),
        np.array([2**64 - 1, 2**64 - 5, 2**64 - 5], np.uint64),
        np.array([-(2**63), 2**63 - 1, 0]),
        np.array([7, -3, 7], ">i4"),
        np.array([100, 2000, 50_000]),
    ],
)
def test_whole_classes_are_found_whatever_their_width(y: np.ndarray) -> None:
    est = tw.CARTClassifier().fit([[0.0], [1.0], [2.0]], y)
    assert est.classes_.tolist() == sorted(set(y.tolist()))
    assert est.classes_.dtype == y.dtype
    assert est.predict([[0.0], [1.0], [2.0]]).tolist() == y.tolist()
