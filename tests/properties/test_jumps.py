"""The largest jump of a model tree's prediction, against asking at every threshold by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treewright as tw

Numbers = np.ndarray[Any, Any]


def jump_by_hand(est: Any, X: Numbers) -> list[tuple[float, str, float]]:
    """By threshold: how far the answers of the rows next to it move when they pass it."""
    mean, out = np.nanmean(X, axis=0), []
    open_ = [(est.tree_.root, np.arange(len(X)))]
    while open_:
        node, rows = open_.pop()
        if (split := node.split) is None:
            continue
        j, at = int(split.column[1:]), split.cuts[0]
        cell = X[rows, j]
        read = np.where(np.isnan(cell), mean[j], cell)
        next_to = np.isnan(cell)
        for side in (cell <= at, cell > at):
            if side.any():
                next_to |= side & (np.abs(cell - at) == np.abs(cell[side] - at).min())
        largest = 0.0
        for row in rows[next_to]:
            low, high = X[[row]].copy(), X[[row]].copy()
            low[0, j], high[0, j] = at, np.nextafter(at, np.inf)
            largest = max(largest, abs(float(est.predict(high)[0] - est.predict(low)[0])))
        out.append((largest, split.column, at))
        open_ += [(node.children[0], rows[read <= at]), (node.children[1], rows[read > at])]
    return out


@pytest.mark.parametrize("smoothing", ["m5", "blend", "none"])
def test_jumps_by_hand(smoothing: str) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.uniform(-2, 2, (120, 2)).round(1)
        y = 5 * np.sin(2 * X[:, 0]) + np.where(X[:, 1] > 0.5, 4 - X[:, 0], X[:, 1]) + 0.1 * rng.normal(size=120)
        X[rng.random(X.shape) < 0.05] = np.nan
        est = tw.M5Regressor(smoothing=smoothing, band=0.2).fit(X, y)
        before = jump_by_hand(tw.M5Regressor(smoothing="none").fit(X, y), X)
        after = max(jump_by_hand(est, X))[0]
        found = est.jumps(X)
        assert est.tree_.n_leaves > 2
        assert found.before == pytest.approx(max(before)[0], rel=1e-9)
        assert (found.column, found.threshold) == max(before)[1:]
        assert found.after == pytest.approx(after, rel=1e-9, abs=1e-9)
        assert (found.after < 1e-9) == (smoothing == "blend")


def test_a_tree_without_thresholds_has_no_jumps() -> None:
    X = np.arange(20.0).reshape(-1, 1)
    found = tw.M5Regressor().fit(X, 2 * X[:, 0]).jumps(X)
    assert (found.before, found.after, found.column, found.threshold) == (0, 0, None, None)
