"""Plots of errors: lines are the tables behind them, chosen trees are marked, and wrong models are told what is needed."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib as mpl
import numpy as np
import pytest

import treewright as tw

mpl.use("agg")


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def noisy(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + rng.normal(size=n) > 0).astype(int)


def test_plot_pruning_draws_the_path() -> None:
    X, y = noisy(300)
    est = tw.CARTClassifier().fit(X, y).prune("cost_complexity", X, y, folds=5, rule="1se", validation=noisy(80, 1))
    path = est.pruning_path_
    ax = tw.plot_pruning(est)
    lines = {line.get_label(): line for line in ax.get_lines()}
    table = path.as_dict()
    for label, name in [
        ("training rows", "training_error"),
        ("validation rows", "validation_error"),
        ("cross-validation", "cv_error"),
    ]:
        np.testing.assert_array_equal(lines[label].get_xdata(), table["n_leaves"])
        np.testing.assert_array_equal(lines[label].get_ydata(), table[name])
    for rule, label in [("best", "least error"), ("1se", "within 1 SE"), ("1se", "chosen")]:
        step = path.choose(rule)
        size = path.n_leaves[step]
        mark = lines[f"{label}: {size} {'leaf' if size == 1 else 'leaves'}"]
        assert (mark.get_xdata()[0], mark.get_ydata()[0]) == (size, path.cv.error[step])
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xscale()) == ("leaves", "error", "log")
    assert len(ax.collections) == 2  # bands of standard errors
    assert ax is tw.plot_pruning(path, ax=ax)


def test_plot_pruning_without_rows_draws_training_errors() -> None:
    X, y = noisy(40)
    ax = tw.plot_pruning(tw.CARTRegressor(max_depth=2).fit(X, X[:, 1] + y))
    assert [line.get_label() for line in ax.get_lines()] == ["training rows"]
    assert (ax.get_ylabel(), ax.get_xscale()) == ("mean squared error", "linear")
    with pytest.raises(TypeError, match="has no pruning path"):
        tw.plot_pruning(3)


def test_plot_learning_draws_the_curve() -> None:
    X, y = noisy(120)
    curve = tw.learning_curve(tw.CARTClassifier(max_depth=3), X, y, folds=3)
    ax = tw.plot_learning(curve)
    lines = {line.get_label(): line for line in ax.get_lines()}
    np.testing.assert_array_equal(lines["training rows"].get_ydata(), curve.as_dict()["training_error"])
    np.testing.assert_array_equal(lines["cross-validation"].get_ydata(), curve.as_dict()["cv_error"])
    assert ax.get_xlabel() == "rows to learn from"
    again = tw.plot_learning(tw.CARTClassifier(max_depth=3), X, y, folds=3)
    np.testing.assert_array_equal(again.get_lines()[1].get_ydata(), curve.cv.error)
    with pytest.raises(ValueError, match="pass X and y"):
        tw.plot_learning(tw.CARTClassifier())


@pytest.mark.parametrize(("leaves", "scale"), [(20, "linear"), (21, "log")])
def test_plot_pruning_of_many_leaves_has_a_logarithmic_axis(leaves: int, scale: str) -> None:
    X = np.arange(64.0)[:, None]
    est = tw.CARTRegressor(max_leaf_nodes=leaves).fit(X, np.random.default_rng(0).normal(size=64))
    assert est.pruning_path().n_leaves[0] == leaves
    assert tw.plot_pruning(est).get_xscale() == scale
