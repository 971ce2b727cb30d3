"""Pictures on matplotlib axes: trees, impurity curves, votes. Needs the ``plot`` extra."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.show.axes import axes, check_axes, pyplot, tree_of
from treewright.show.curves import impurity_curves, vote_errors
from treewright.show.draw import tree_picture
from treewright.show.figure import draw, room_in
from treewright.show.picture import class_color


def plot_tree(
    model: Any,
    ax: Any = None,
    *,
    kind: str = "auto",
    max_depth: int | None = None,
    X: Any = None,
    y: Any = None,
    row: Any = None,
    align_leaves: bool = False,
    exact: bool = False,
) -> Any:
    """Draw a tree on matplotlib axes: the picture of ``Tree.to_svg``.

    Parameters
    ----------
    model : fitted estimator or Tree
        What to draw.
    ax : matplotlib Axes, optional
        Where to; without it a figure of the picture's size is made. Levels that do not fit with text of 6 points are left out.
    kind, max_depth, X, y, row, align_leaves, exact
        As in ``Tree.to_svg``.

    Returns
    -------
    matplotlib Axes
    """
    tree = tree_of(model)
    check_axes(ax)
    size = (None, None) if ax is None else room_in(ax)
    options = {"X": X, "y": y, "row": row, "align_leaves": align_leaves, "exact": exact}
    picture = tree_picture(tree, kind=kind, max_depth=max_depth, room=size[0], tall=size[1], **options)
    if ax is None:
        plt = pyplot()
        figure = plt.figure(figsize=(picture.width / 72, picture.height / 72))
        ax = figure.add_axes((0, 0, 1, 1))
    draw(picture, ax)
    return ax


def plot_impurity(ax: Any = None) -> Any:
    """Draw the impurity of two classes by the share of one: entropy, Gini (and doubled, to compare shapes), error.

    Returns
    -------
    matplotlib Axes
    """
    ax = axes(ax)
    curves = impurity_curves()
    styles = (
        ("entropy", 1, "-", "entropy (bits)"),
        ("gini", 1, "--", "Gini"),
        ("gini", 2, ":", "2 × Gini"),
        ("error", 1, "-.", "error"),
    )
    for k, (name, times, style, label) in enumerate(styles):
        ax.plot(curves["p"], times * curves[name], style, color=class_color(k), label=label)
    ax.set_xlabel("share of the first class")
    ax.set_ylabel("impurity")
    ax.legend(fontsize="small")
    return ax


def plot_votes(members: int, error: float, ax: Any = None) -> Any:
    """Draw how many of independent members err; the bars at which the majority is wrong are hatched and named.

    Returns
    -------
    matplotlib Axes
    """
    ax = axes(ax)
    chances = vote_errors(members, error)
    wrong = np.arange(members + 1) > members / 2
    ax.bar(np.arange(members + 1)[~wrong], chances[~wrong], color=class_color(0))
    share = float(chances[wrong].sum())
    ax.bar(np.arange(members + 1)[wrong], chances[wrong], color=class_color(1), hatch="///", label=f"majority wrong: {share:.3f}")
    ax.set_xlabel(f"members that err, of {members}")
    ax.set_ylabel("probability")
    ax.legend(fontsize="small")
    return ax
