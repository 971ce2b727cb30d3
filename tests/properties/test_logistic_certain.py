"""Boosting of logistic model trees where nearly every row is certain: what is chosen, and when it ends, as in LMT's floats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw

Numbers = np.ndarray[Any, Any]


class Tie(Exception):
    """The last digits of floats decide which of two columns is better."""


def regression(X: Numbers, z: Numbers, w: Numbers) -> tuple[int, float, float] | None:
    """The column of the least squared error with its slope and intercept; the weighted means are rounded as they come out."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        w = w * (len(w) / w.sum())
        mean, middle = (w @ X) / w.sum(), (w @ z) / w.sum()
        spread, cross = w @ (X - mean) ** 2, (w * (z - middle)) @ (X - mean)
        squares = w @ (z - middle) ** 2
        left = squares - cross / spread * cross
    left[~(spread > 0)] = np.inf
    if not np.isfinite(left).any():
        return None
    best, second = np.argsort(left, kind="stable")[:2].tolist()
    if left[second] - left[best] < 1e-14 * squares and left[best] < 0.5 * squares:
        raise Tie
    return best, cross[best] / spread[best], middle - cross[best] / spread[best] * mean[best]


def boosted(X: Numbers, y: Numbers, n_classes: int, steps: int, F: Numbers) -> tuple[Numbers, int]:
    """Scores after so many steps, and how many were made."""
    F = F.copy()
    for step in range(steps):
        with np.errstate(under="ignore"):
            p = np.exp(F - F.max(axis=1, keepdims=True))
            p /= p.sum(axis=1, keepdims=True)
        added = np.empty_like(F)
        for k in range(n_classes):
            q, is_k = p[:, k], y == k
            with np.errstate(divide="ignore", over="ignore", under="ignore"):
                z = np.where(is_k, np.minimum(1 / q, 3), np.maximum(-1 / (1 - q), -3))
                found = regression(X, z, (is_k - q) / z)
            if found is None:
                return F, step
            column, slope, intercept = found
            added[:, k] = intercept + slope * X[:, column]
        F += (added - added.mean(axis=1, keepdims=True)) * (n_classes - 1) / n_classes
    return F, steps


def shares(F: Numbers) -> Numbers:
    p = np.exp(F - F.max(axis=1, keepdims=True))
    return np.asarray(p / p.sum(axis=1, keepdims=True))


def scores(est: tw.LogisticTreeClassifier, X: Numbers) -> Numbers:
    """Scores of the root's model, their mean taken away."""
    columns = []
    for _, equation in est.tree_.root.scores.of:
        columns.append(equation.intercept + sum(term.coefficient * X[:, int(term.name[1:])] for term in equation.terms))
    return np.asarray(np.transpose(columns) - np.mean(columns, axis=0)[:, None])


@pytest.mark.parametrize("gap", [3, 12, 40])
def test_classes_that_lie_apart_are_boosted_as_in_floats(gap: float) -> None:
    compared = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 4, 90)
        X = np.round(rng.normal(size=(90, 4)) + 0.6 * y[:, None], 2)
        X[:, 1] += np.where(y == 0, gap, 0)
        X[:, 2] -= np.where(y == 1, gap, 0)
        try:
            expected, made = boosted(X, y, 4, 200, np.zeros((90, 4)))
        except Tie:
            continue
        assert made == 200
        compared += 1
        est = tw.LogisticTreeClassifier(iterations=200, max_depth=0).fit(X, y)
        assert scores(est, X) == pytest.approx(expected, rel=1e-4, abs=1e-4)
    assert compared >= 4


@pytest.mark.parametrize("gap", [3, 40])
def test_two_classes_that_lie_apart_stay_as_they_are(gap: float) -> None:
    """Once the shares of one class round to 1, both classes take the same constant away, and nothing moves any more."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 30)
    X = np.round(rng.normal(size=(60, 2)) + np.outer(y, [gap, 0]), 2)
    for steps in (40, 400):
        expected, _ = boosted(X, y, 2, steps, np.zeros((60, 2)))
        est = tw.LogisticTreeClassifier(iterations=steps, max_depth=0).fit(X, y)
        assert scores(est, X) == pytest.approx(expected, rel=1e-5)


def test_a_class_whose_weights_vanish_ends_the_boosting_of_a_node() -> None:
    rng = np.random.default_rng(2)
    g = np.repeat(["s", "u", "v"], 60)
    b = np.round(rng.normal(size=180), 3)
    y = np.where(g == "s", 0, np.where((b > 0) == (g == "u"), 1, 2))
    X = pd.DataFrame({"g": g, "b": b})
    few = tw.LogisticTreeClassifier(iterations=40, max_depth=1, pruned=False).fit(X, y)
    assert np.mean(few.predict(X) == y) > 0.95
    many = tw.LogisticTreeClassifier(iterations=1500, max_depth=1, pruned=False).fit(X, y)
    assert few.tree_.n_leaves == many.tree_.n_leaves == 3
    Z = np.column_stack([*(g == level for level in "suv"), b]).astype(float)
    root, made = boosted(Z, y, 3, 1500, np.zeros((180, 3)))
    assert (
        500 < made < 1500
    )  # here, too: by then the share of the first class is nowhere above e to the power of -709 where it is not 1
    for level in "uv":
        here = g == level
        assert boosted(Z[here], y[here], 3, 1500, root[here])[1] == 0
        assert many.predict_proba(X)[here] == pytest.approx(shares(root[here]), rel=1e-5, abs=1e-9)
