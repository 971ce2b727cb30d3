"""Targets and weights that no regression can be of: one clear error from every learner, and the edges that are none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.table.schema import WIDEST
from treewright.table.target import check_heavy_squares, check_squares

LEARNERS: dict[str, Any] = {
    "cart": tw.CARTRegressor,
    "absolute": lambda: tw.CARTRegressor(criterion="absolute_error"),
    "worst": lambda: tw.CARTRegressor(criterion="worst_case", min_impurity=0.1),
    "poisson": lambda: tw.CARTRegressor(criterion="poisson"),
    "several": lambda: tw.TreeRegressor(max_depth=3),
    "m5": tw.M5Regressor,
    "m5rules": tw.M5RulesRegressor,
    "reptree": tw.REPTreeRegressor,
}
X = np.random.default_rng(0).normal(size=(30, 2))
Y = np.abs(np.random.default_rng(1).normal(size=30)) + 0.1
DAYS = pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(30), "D"))
MANY = [name for name in LEARNERS if name not in ("cart", "several")]


def test_how_far_apart_targets_may_lie() -> None:
    """Up to where the square of their distance is a float; weights that sum to more than 1 count, smaller ones do not."""
    within = np.array([-WIDEST / 2, 0.0, np.nextafter(WIDEST / 2, 0)])
    check_squares(within, "it")
    with pytest.raises(ValueError, match=r"y reaches from .*, and it computes with squares"):
        check_squares(np.array([-WIDEST / 2, 0.0, WIDEST / 2]), "it")
    check_heavy_squares(within, np.full(3, 0.25), "it")
    check_heavy_squares(within / 10, np.full(3, 30.0), "it")
    for values, weights in ((within / 9, np.full(3, 27.0)), (within * 0, np.full(3, 5e99))):
        with pytest.raises(ValueError, match=r"sample_weight sums to .*, and it computes with squares times weights"):
            check_heavy_squares(values, weights, "it")
    check_heavy_squares(within * 0, np.full(3, 3e99), "it")


def put(value: float, at: int = 3) -> Any:
    return np.where(np.arange(30) == at, value, Y)


REFUSED: list[tuple[str, list[str] | None, Any, Any, str]] = [
    ("negative counts", ["poisson"], put(-0.5), None, r"criterion 'poisson' needs targets from 0 up, y\[3\]=-0.5"),
    ("no counts", ["poisson"], Y * 0, None, "criterion 'poisson' needs a target above 0, all are 0"),
    ("NaN", None, put(np.nan), None, r"Input y contains NaN \(row 3\)"),
    ("None", None, [None, *Y[1:]], None, r"Input y contains NaN \(row 0\)"),
    ("infinity", None, put(np.inf), None, r"Input y contains infinity \(row 3\)"),
    ("minus infinity", None, put(-np.inf, 7), None, r"Input y contains infinity \(row 7\)"),
    ("text", None, ["a"] * 30, None, "y must be numeric for regression, got"),
    ("dates", None, DAYS, None, "y holds dates, and regression predicts numbers"),
    ("complex", None, Y + 1j, None, "Complex data not supported"),
    ("too few", None, Y[:20], None, "X has 30 rows and y has 20"),
    ("beyond floats", None, [10**400] * 30, None, "which is no 64-bit float"),
    ("several", MANY, np.column_stack([Y, Y]), None, "one number a row"),
    ("squares", ["m5", "m5rules", "reptree"], put(-1e200), None, "computes with squares, .*: divide y by 1e"),
    ("heavy squares", ["m5", "m5rules"], Y, np.full(30, 1e200), "squares times weights, .*: divide the weights by 1e"),
    ("no weight", None, Y, np.zeros(30), "all entries of sample_weight are zero"),
    ("weights of others", None, Y, np.ones(29), "sample_weight has 29 entries, X has 30 rows"),
    ("negative weights", None, Y, -np.ones(30), r"sample_weight\[0\]=-1.0 is not allowed"),
    ("NaN weights", None, Y, np.full(30, np.nan), r"sample_weight\[0\]=nan is not allowed"),
    ("infinite weights", None, Y, np.full(30, np.inf), r"sample_weight\[0\]=inf is not allowed"),
    ("weights beyond floats", None, Y, np.full(30, 1e307), "the sum of sample_weight overflows"),
    ("text for weights", None, Y, ["a"] * 30, "weights must be finite numbers"),
    ("a table of weights", None, Y, np.ones((30, 1)), "1D array"),
]


@pytest.mark.parametrize(("names", "y", "weight", "message"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_refused_by_name(names: list[str] | None, y: Any, weight: Any, message: str) -> None:
    for name in names or LEARNERS:
        with pytest.raises(ValueError, match=message):
            LEARNERS[name]().fit(X, y, sample_weight=weight)


@pytest.mark.parametrize("name", LEARNERS)
def test_rows_of_no_weight_may_hold_anything(name: str) -> None:
    y, weight = put(np.nan), np.where(np.arange(30) == 3, 0.0, 1.0)
    kept = np.arange(30) != 3
    said = LEARNERS[name]().fit(X, y, sample_weight=weight).predict(X)
    np.testing.assert_array_equal(said, LEARNERS[name]().fit(X[kept], y[kept]).predict(X))


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.filterwarnings("ignore:the table has")
def test_tables_of_no_rows_and_of_one(name: str) -> None:
    with pytest.raises(ValueError, match="X has no rows to learn from"):
        LEARNERS[name]().fit(X[:0], Y[:0])
    assert LEARNERS[name]().fit(X[:1], Y[:1]).predict(X[:2]).tolist() == [Y[0], Y[0]]


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("scale", [1e-310, 1e-100, 1e-4, 1e150])
def test_targets_of_any_size_are_learned(name: str, scale: float) -> None:
    y = np.where(X[:, 0] > 0, 5.0, 1.0) * scale
    how: dict[str, dict[str, Any]] = {"worst": {"min_impurity": scale}, "m5": {"smoothing": "none"}}
    how |= {"m5rules": how["m5"], "reptree": {"pruned": False}}
    est = LEARNERS[name]().set_params(**how.get(name, {})).fit(X, y)
    said = est.predict(X)
    if name == "reptree" and scale < 1e-300:  # squares of such targets are 0, and so is the variance that WEKA's limit needs
        assert est.tree_.n_leaves == 1
        np.testing.assert_allclose(said / scale, y.mean() / scale, rtol=1e-6)
        return
    np.testing.assert_allclose(said / scale, y / scale, rtol=1e-6)
