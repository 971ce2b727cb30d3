"""How soft trees are trained: derivatives against differences, the loss against plain NumPy, growth by rows held out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treewright import _core

# Node 0 splits into 1 and 2, node 2 into 3 and 4; parameters of 0, then of the others in their order.
FIRST = np.array([1, 0, 3, 0, 0], np.uint32)


def shape(d: int, outputs: int, seed: int) -> dict[str, Any]:
    runs = [d + 1 if first else outputs for first in FIRST]
    values = np.random.default_rng(seed).normal(size=sum(runs))
    return {"first": FIRST, "at": np.cumsum([0, *runs[:-1]]).astype(np.int64), "values": values}


def table(n: int, d: int, classes: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = np.asfortranarray(rng.normal(size=(n, d)))
    y = rng.integers(0, classes, n).astype(float) if classes else rng.normal(size=n)
    return X, y, rng.integers(1, 4, n).astype(float)


def by_numpy(tree: dict[str, Any], X: np.ndarray, y: np.ndarray, w: np.ndarray, classes: int, penalty: float) -> float:
    """The loss from the definition, node by node and row by row."""
    at, v, d, k = tree["at"], tree["values"], X.shape[1], max(1, classes if classes > 2 else 1)
    cost = 0.0
    for row, target, weight in zip(X, y, w, strict=True):

        def said(node: int, row: np.ndarray = row) -> np.ndarray:
            if not FIRST[node]:
                return v[at[node] : at[node] + k]
            share = 1 / (1 + np.exp(-(row @ v[at[node] : at[node] + d] + v[at[node] + d])))
            left = int(FIRST[node])
            return share * said(left) + (1 - share) * said(left + 1)

        answer = said(0)
        if classes == 0:
            cost += weight * (answer[0] - target) ** 2 / 2
            continue
        scores = np.array([0.0, answer[0]]) if classes == 2 else answer
        cost -= weight * np.log(np.exp(scores) / np.exp(scores).sum())[int(target)]
    squares = sum(float(np.sum(v[at[i] : at[i] + (d if FIRST[i] else k)] ** 2)) for i in range(len(FIRST)))
    return cost / w.sum() + penalty / w.sum() * squares / 2


@pytest.mark.parametrize("classes", [0, 2, 4])
def test_loss_and_derivatives(classes: int) -> None:
    X, y, w = table(300, 3, classes, 1)
    tree = shape(3, classes if classes > 2 else 1, 2)
    rows = _core.SoftRows(X, y, w, w, np.zeros(300), classes)
    loss, slope = _core.soft_loss(rows, tree, 2.0)
    assert loss == pytest.approx(by_numpy(tree, X, y, w, classes, 2.0), rel=1e-12)
    step = 1e-5
    for p in range(len(slope)):
        ends = [{**tree, "values": tree["values"] + side * step * np.eye(len(slope))[p]} for side in (1, -1)]
        up, down = (_core.soft_loss(rows, end, 2.0)[0] for end in ends)
        assert slope[p] == pytest.approx((up - down) / (2 * step), abs=1e-8)


def grown(X: np.ndarray, y: np.ndarray, held: np.ndarray, classes: int, **how: Any) -> dict[str, Any]:
    settings = _core.SoftSettings()
    for name, value in how.items():
        setattr(settings, name, value)
    rows = _core.SoftRows(X, y, np.ones(len(y)), 1 - held, held, classes)
    told: dict[str, Any] = _core.grow_soft(rows, settings, False)[0]
    return told


def test_threads_change_nothing() -> None:
    X, y, _ = table(40_000, 6, 0, 3)
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
    held = (np.arange(len(y)) % 4 == 0).astype(float)
    one, two = (grown(X, y, held, 0, threads=threads, restarts=1, iterations=8, max_depth=2) for threads in (1, 3))
    assert len(one["first"]) > 3
    assert np.array_equal(one["values"], two["values"]) and np.array_equal(one["first"], two["first"])


def test_only_the_new_parameters_are_trained() -> None:
    """A tree of one level more keeps the gates of the one before, and the leaves that stay leaves."""
    X, _, _ = table(600, 2, 0, 4)
    y = ((X[:, 0] > 0) * 2 + (X[:, 1] > 0)).astype(float)
    held = (np.arange(len(y)) % 4 == 0).astype(float)
    low, high = (grown(X, y, held, 0, max_depth=depth) for depth in (1, 2))
    assert len(low["first"]) == 3 and len(high["first"]) == 7
    gate = slice(high["at"][0], high["at"][0] + 3)
    assert np.array_equal(high["values"][gate], low["values"][low["at"][0] : low["at"][0] + 3])


def test_noise_does_not_grow() -> None:
    X, y, _ = table(400, 3, 0, 5)
    held = (np.arange(len(y)) % 4 == 0).astype(float)
    assert len(grown(X, y, held, 0, least_improvement=0.01)["first"]) == 1
    assert len(grown(X, y, np.zeros(400), 0, max_depth=1)["first"]) == 3  # without rows held out nothing ends growth


def test_what_does_not_fit_is_refused() -> None:
    X, y, w = table(10, 2, 2, 6)
    with pytest.raises(ValueError, match="one target and one weight"):
        _core.SoftRows(X, y[:5], w, w, w, 2)
    with pytest.raises(ValueError, match="a class is out of range"):
        _core.SoftRows(X, y + 5, w, w, w, 2)
    with pytest.raises(ValueError, match="no rows to learn from"):
        _core.SoftRows(X, y, w, 0 * w, w, 2)
    rows = _core.SoftRows(X, y, w, w, 0 * w, 2)
    with pytest.raises(ValueError, match="damaged: node 0"):
        _core.soft_loss(rows, {**shape(2, 1, 0), "first": np.array([7, 0, 0, 0, 0], np.uint32)}, 1.0)
