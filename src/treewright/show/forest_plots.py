"""Forests on matplotlib axes: members, importances, votes of a row, the error out of bag. Needs the ``plot`` extra."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from treewright.errors import counted, shown, visible
from treewright.model.forest import Forest
from treewright.show.axes import axes, check_axes, pyplot
from treewright.show.cells import cut_to
from treewright.show.figure import draw
from treewright.show.forests import importances_of
from treewright.show.picture import CLASSES, GREY, NUMBERS, class_color
from treewright.show.strip import strip_picture
from treewright.table.schema import value_text

_NAME = 30


def forest_of(model: Any) -> Forest:
    """The forest of a fitted estimator, or the forest that was given."""
    found = getattr(model, "_model", None)
    if not isinstance(found, Forest):
        raise TypeError(f"{type(model).__name__} holds no forest: give a fitted ensemble or a tw.Forest")
    return found


def plot_members(
    model: Any,
    ax: Any = None,
    *,
    members: int | Sequence[int] = 12,
    row: Any = None,
    columns: int = 4,
    max_depth: int | None = None,
) -> Any:
    """Draw trees of a forest side by side, each as a small icicle: the picture of ``Forest.to_svg``.

    Parameters
    ----------
    model : fitted ensemble or Forest
        What to draw.
    ax : matplotlib Axes, optional
        Where to; without it a figure of the picture's size is made.
    members, row, columns, max_depth
        As in ``Forest.to_svg``.

    Returns
    -------
    matplotlib Axes
    """
    forest = forest_of(model)
    check_axes(ax)
    picture = strip_picture(forest, members, row, columns, max_depth)
    if ax is None:
        figure = pyplot().figure(figsize=(picture.width / 72, picture.height / 72))
        ax = figure.add_axes((0, 0, 1, 1))
    draw(picture, ax)
    return ax


def plot_importances(
    model: Any,
    ax: Any = None,
    *,
    max_columns: int = 20,
    method: str = "impurity",
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
) -> Any:
    """Draw the importance of columns in a forest of trees as bars; that by impurity with its spread over the members.

    Parameters
    ----------
    model : fitted ensemble or Forest
        The forest.
    ax : matplotlib Axes, optional
        Where to draw.
    max_columns : int, default 20
        How many columns are drawn, the most important ones.
    method, X, y, sample_weight
        As in ``importances`` of a fitted forest: "impurity", or "corrected" or "permutation", which need the training table.

    Returns
    -------
    matplotlib Axes
        The data are those of ``Forest.feature_importances``, and lines go from the lower to the upper quartile of the members; or
        those of ``importances``.
    """
    forest = forest_of(model)
    check_axes(ax)
    if method != "impurity":
        return _plot_other_importances(model, ax, max_columns, method, (X, y, sample_weight))
    each = np.array([tree.feature_importances for tree in forest.trees])
    found = importances_of(forest)[:max_columns][::-1]
    ax = _bar_axes(ax, len(found))
    at = [forest.schema.names.index(name) for name, _ in found]
    low, high = np.quantile(each[:, at], (0.25, 0.75), axis=0)
    places = np.arange(len(found))
    ax.barh(places, [share for _, share in found], color=NUMBERS, alpha=0.75)
    ax.hlines(places, low, high, color=GREY, linewidth=1.5)
    ax.set_yticks(places, [cut_to(visible(name), _NAME) for name, _ in found], parse_math=False)
    ax.set_xlabel(f"share in the fall of impurity, {counted(len(forest), 'tree')} (line: half of them)")
    return ax


def _bar_axes(ax: Any, n: int) -> Any:
    """The axes that were given, or those of a new figure in which a bar each and all names have room."""
    return pyplot().figure(figsize=(6.4, 1.1 + 0.28 * n), layout="constrained").add_subplot() if ax is None else ax


_MEANS = {
    "corrected": "fall of impurity less that of shadows (0: tells nothing)",
    "permutation": "rise of the error out of bag once cells are permuted",
}


def _plot_other_importances(model: Any, ax: Any, most: int, method: str, table: tuple[Any, Any, Any]) -> Any:
    if not hasattr(model, "importances"):
        raise TypeError(
            f"method={shown(method)} needs the fitted forest, which knows its samples: give it instead of its forest_"
        )
    found = model.importances(method, *table)
    ranked = sorted(found.items(), key=lambda pair: -pair[1])[:most][::-1]
    ax = _bar_axes(ax, len(ranked))
    places = np.arange(len(ranked))
    ax.barh(places, [size for _, size in ranked], color=NUMBERS, alpha=0.75)
    ax.axvline(0, color=GREY, linewidth=0.75)
    ax.set_yticks(places, [cut_to(visible(name), _NAME) for name, _ in ranked], parse_math=False)
    ax.set_xlabel(_MEANS[method])
    return ax


def plot_member_votes(model: Any, row: Any, ax: Any = None) -> Any:
    """Draw what the members of a forest say of one row: bars of classes, or how their numbers lie around the answer.

    Parameters
    ----------
    model : fitted ensemble or Forest
        The forest.
    row : table of one row, Series or dict
        The row.
    ax : matplotlib Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib Axes
        The data are those of ``model.explain(row)``.
    """
    forest = forest_of(model)
    found = model.explain(row)
    many = counted(len(forest), "member")
    ax = axes(ax)
    if found.votes is not None:
        classes = list(found.votes)
        places = range(len(classes))
        colors = [class_color(k) for k in places]
        ax.bar(places, [found.votes[label] for label in classes], color=colors, label="votes of members")
        ax.plot(places, [found.shares[label] for label in classes], "D", color="#1a1a1a", label="share that is answered")
        ax.set_xticks(places, [cut_to(visible(str(label)), _NAME) for label in classes], parse_math=False)
        ax.set_ylabel(f"share, {many}")
        ax.set_ylim(0, 1.02)
    elif forest.target.outputs:
        raise ValueError("votes are drawn for classes or one number a row, this forest predicts several numbers")
    elif found.scores:
        raise ValueError(
            "members of this forest add up scores, which are no votes: explain(row) and contributions(X) tell of them"
        )
    else:
        bins = max(5, min(30, round(2 * len(forest) ** 0.5)))
        ax.hist(np.array(found.answers, float), bins=bins, weights=np.array(found.weights), color=CLASSES[0], alpha=0.75)
        ax.axvline(found.says, color="#1a1a1a", label=f"answer: {value_text(found.says)}")
        ax.set_xlabel(cut_to(visible(found.target), _NAME), parse_math=False)
        ax.set_ylabel("members" if len({*found.weights}) == 1 else "weight of members")
    ax.legend(fontsize="small")
    return ax


def plot_oob_errors(model: Any, ax: Any = None) -> Any:
    """Draw the error on rows out of bag by the number of members.

    Parameters
    ----------
    model : fitted ensemble
        An ensemble that was fitted with ``oob_score=True``.
    ax : matplotlib Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib Axes
        The data are those of ``oob_errors_``.
    """
    forest = forest_of(model)
    errors = getattr(model, "oob_errors_", None)
    if errors is None:
        raise ValueError("errors out of bag are not known: fit with oob_score=True")
    ax = axes(ax)
    ax.plot(np.arange(1, len(errors) + 1), errors, color=NUMBERS)
    ax.set_xlabel("members")
    ax.set_ylabel(f"{forest.target.error_name}, rows out of bag")
    ax.set_ylim(bottom=0)
    return ax
