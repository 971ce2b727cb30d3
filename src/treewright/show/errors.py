"""Plots of errors: along a pruning path by the number of leaves, and by the number of rows to learn from."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.model.tree import Tree
from treewright.show.axes import axes
from treewright.show.picture import CLASSES, GREY, INK

# Training rows, then those by which sizes are chosen or judged.
STYLES = {
    "training": (GREY, "--", "training rows"),
    "pruning": (CLASSES[1], "-", "pruning rows"),
    "validation": (CLASSES[2], "-", "validation rows"),
    "cv": (CLASSES[0], "-", "cross-validation"),
}


def plot_pruning(model: Any, *, ax: Any = None) -> Any:
    """Draw the errors of a pruning path by the number of leaves, with standard errors; chosen trees are marked.

    Parameters
    ----------
    model : PruningPath, or fitted estimator
        The path, or an estimator that was pruned along one; of others the path of its own tree, with training errors only.
    ax : matplotlib Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib Axes
        The data are those of ``path.as_dict()``.
    """
    path = model if hasattr(model, "node_steps") else getattr(model, "pruning_path_", None)
    if path is None:
        if not isinstance(getattr(model, "_model", None), Tree):
            raise TypeError(f"{type(model).__name__} has no pruning path: give a fitted tree estimator or a PruningPath")
        path = model.pruning_path()
    ax = axes(ax)
    _draw(ax, "training", path.n_leaves, path.training_error, None)
    for name in ("pruning", "validation", "cv"):
        curve = getattr(path, name)
        if curve is not None:
            _draw(ax, name, path.n_leaves, curve.error, curve.se)
    for step, marker, label in _marks(path):
        curve = getattr(path, path.chooser)
        size = int(path.n_leaves[step])
        phrase = f"{label}: {size} {'leaf' if size == 1 else 'leaves'}"
        ax.plot([size], [curve.error[step]], marker, color=INK, markersize=8, fillstyle="none", markeredgewidth=1.6, label=phrase)
    if path.n_leaves[0] > 20:
        ax.set_xscale("log")
    ax.set_xlabel("leaves")
    _finish(ax, path.tree)
    return ax


def _marks(path: Any) -> list[tuple[int, str, str]]:
    if all(getattr(path, name) is None for name in ("cv", "pruning", "validation")):
        return []
    marks = [(path.choose("best"), "o", "least error"), (path.choose("1se"), "s", "within 1 SE")]
    if path.chosen is not None:
        marks.append((path.chosen, "x", "chosen"))
    return marks


def plot_learning(curve: Any, X: Any = None, y: Any = None, *, ax: Any = None, **options: Any) -> Any:
    """Draw errors by the number of rows a tree is grown from, with standard errors.

    Parameters
    ----------
    curve : LearningCurve, or tree estimator
        The curve; of an estimator it is measured first, which needs X and y.
    X, y : table and target, optional
        The rows to measure on.
    ax : matplotlib Axes, optional
        Where to draw.
    **options
        As in :func:`learning_curve`.

    Returns
    -------
    matplotlib Axes
        The data are those of ``curve.as_dict()``.
    """
    if not hasattr(curve, "n_rows"):
        if X is None or y is None:
            raise ValueError("to measure a learning curve, pass X and y; or give a LearningCurve")
        from treewright import parts

        curve = parts.writer("learning")(curve, X, y, **options)
    ax = axes(ax)
    _draw(ax, "training", curve.n_rows, curve.training.error, curve.training.se)
    _draw(ax, "cv", curve.n_rows, curve.cv.error, curve.cv.se)
    ax.set_xlabel("rows to learn from")
    _finish(ax)
    return ax


def _draw(ax: Any, name: str, x: Any, error: Any, se: Any) -> None:
    color, style, label = STYLES[name]
    # A path may have thousands of steps; a line through a few hundred of them looks the same.
    kept = np.unique(np.round(np.linspace(0, len(x) - 1, min(len(x), 2000))).astype(int))
    ax.plot(x[kept], error[kept], style, color=color, label=label)
    if se is not None:
        ax.fill_between(x[kept], (error - se)[kept], (error + se)[kept], color=color, alpha=0.15, linewidth=0)


def _finish(ax: Any, tree: Any = None) -> None:
    ax.set_ylabel("error" if tree is None else tree.target.error_name)
    ax.set_ylim(bottom=0)
    ax.legend(fontsize="small")
