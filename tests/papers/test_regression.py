"""Rows 104 to 110 and 112 of the acceptance table: regression trees, model trees, smoothing."""

from __future__ import annotations

import numpy as np
import pytest

import treewright as tw


def bent(n: int = 100) -> tuple[np.ndarray, np.ndarray]:
    """Two straight lines, with a step between them."""
    x = np.linspace(0, 10, n)
    return x.reshape(-1, 1), np.where(x < 4, 1 + 2 * x, 30 - x)


def test_row_108_a_line_in_every_leaf_fits_bent_data_with_one_split() -> None:
    X, y = bent()
    model = tw.M5Regressor(smoothing="none").fit(X, y)
    assert model.tree_.n_leaves == 2
    assert np.abs(model.predict(X) - y).max() < 1e-9
    constant = tw.CARTRegressor().fit(X, y)
    assert constant.tree_.n_leaves > 50
    assert model.tree_.root.split.cuts[0] == pytest.approx(4, abs=0.1)


def test_row_109_smoothing_makes_the_largest_jump_smaller_and_blending_removes_it() -> None:
    rng = np.random.default_rng(5)
    X = rng.uniform(-2, 2, (300, 2))
    y = np.sin(2 * X[:, 0]) * 5 + X[:, 1] ** 2 + 0.2 * rng.normal(size=300)
    smoothed = tw.M5Regressor(smoothing="m5").fit(X, y).jumps(X)
    assert 0 < smoothed.after < smoothed.before
    blended = tw.M5Regressor(smoothing="blend", band=0.2).fit(X, y).jumps(X)
    assert blended.before == smoothed.before
    assert blended.after < 1e-9
    plain = tw.M5Regressor(smoothing="none").fit(X, y).jumps(X)
    assert plain.after == plain.before == smoothed.before


def test_row_109_a_blended_tree_is_linear_across_its_band_and_itself_outside() -> None:
    X, y = bent()
    plain = tw.M5Regressor(smoothing="none").fit(X, y)
    blended = tw.M5Regressor(smoothing="blend", band=0.1).fit(X, y)
    cut, half = plain.tree_.root.split.cuts[0], 0.1 * X.std()
    left, right = (leaf.equation for leaf in plain.tree_.leaves())
    assert left is not None
    assert right is not None
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = cut - half + 2 * half * share
        ends = [e.intercept + sum(t.coefficient for t in e.terms) * x for e in (left, right)]
        assert blended.predict([[x]])[0] == pytest.approx((1 - share) * ends[0] + share * ends[1], rel=1e-9)
    outside = np.abs(X[:, 0] - cut) > half
    assert np.array_equal(blended.predict(X)[outside], plain.predict(X)[outside])
