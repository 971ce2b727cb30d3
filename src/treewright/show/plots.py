"""Pictures on matplotlib axes: trees, decision regions, piecewise-constant fits, impurity curves. Needs the ``plot`` extra."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.errors import visible
from treewright.model.rules import cells_of
from treewright.show.curves import impurity_curves, vote_errors
from treewright.show.draw import tree_picture
from treewright.show.figure import draw
from treewright.show.picture import CLASSES, GREY, INK, class_color
from treewright.show.regions import RegionBox, chosen_columns, region_boxes
from treewright.show.scene import node_fill
from treewright.show.words import Words

if TYPE_CHECKING:
    from treewright.model.tree import Tree
    from treewright.table import ColumnSchema

_MARKERS = "osD^vPX*"


def pyplot() -> Any:
    """Matplotlib, or an error that says how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'treewright[plot]' (Tree.to_svg needs nothing)") from error
    return plt


def _check_axes(ax: Any) -> None:
    if ax is not None and not hasattr(ax, "plot"):
        raise TypeError(f"ax={ax!r} is no matplotlib Axes: give one, such as ax=plt.gca(), or leave it out")


def axes(ax: Any) -> Any:
    """The axes that were given, or those of a new figure."""
    _check_axes(ax)
    return pyplot().figure().add_subplot() if ax is None else ax


def tree_of(model: Any) -> Tree:
    """The tree of a fitted estimator, or the tree itself."""
    tree = getattr(model, "tree_", model)
    if not hasattr(tree, "to_rules"):
        raise TypeError(f"{type(model).__name__} holds no tree: give a fitted tree estimator or a tw.Tree")
    found: Tree = tree
    return found


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
        Where to; without it a figure of the picture's size is made.
    kind, max_depth, X, y, row, align_leaves, exact
        As in ``Tree.to_svg``.

    Returns
    -------
    matplotlib Axes
    """
    tree = tree_of(model)
    picture = tree_picture(tree, kind=kind, max_depth=max_depth, X=X, y=y, row=row, align_leaves=align_leaves, exact=exact)
    _check_axes(ax)
    if ax is None:
        plt = pyplot()
        figure = plt.figure(figsize=(picture.width / 72, picture.height / 72))
        ax = figure.add_axes((0, 0, 1, 1))
    draw(picture, ax)
    return ax


# -- regions -------------------------------------------------------------------------------------------------------------


def plot_regions(
    model: Any, X: Any = None, y: Any = None, columns: Sequence[str] | None = None, *, row: Any = None, ax: Any = None
) -> Any:
    """Draw which leaf answers where, for one to three columns: exact boxes, read from the tree.

    Parameters
    ----------
    model : fitted estimator or Tree
        What to draw.
    X, y : table and target, optional
        Rows drawn as points, by class with their own marker; they also set the limits of the axes.
    columns : sequence of str, optional
        One to three columns; those the tree tests, unless given.
    row : table of one row, optional
        Where the tree tests other columns too: the values at which these are held.
    ax : matplotlib Axes, optional
        Where to draw; three columns need axes with ``projection="3d"``.

    Returns
    -------
    matplotlib Axes
    """
    tree = tree_of(model)
    axes = chosen_columns(tree, columns)
    boxes = region_boxes(tree, columns, row)
    cells = None if X is None else [cells_of(X, tree.schema)[j] for j in axes]
    limits = [limits_of(boxes, i, tree.columns[j], None if cells is None else cells[i]) for i, j in enumerate(axes)]
    _check_axes(ax)
    if ax is None:
        plt = pyplot()
        ax = plt.figure().add_subplot(projection="3d" if len(axes) == 3 else None)
    words = Words(tree)
    low, high = min(words.value, default=0.0), max(words.value, default=0.0)
    fills = [node_fill(words, box.leaf, low, high) for box in boxes]
    cut = [tuple(_within(span, limit) for span, limit in zip(box.spans, limits, strict=True)) for box in boxes]
    if len(axes) == 3:
        _solid(ax, cut, fills)
    else:
        _flat(ax, cut, fills)
    if cells is not None:
        _points(ax, tree, cells, y)
    for i, j in enumerate(axes):
        name_axis(ax, "xyz"[i], tree.columns[j], limits[i])
    if len(axes) == 1:
        ax.set_yticks([])
    _class_legend(ax, words)
    return ax


def limits_of(boxes: Sequence[RegionBox], i: int, column: ColumnSchema, cells: Any) -> tuple[float, float]:
    """From where to where a column is drawn: past all ends of boxes, and all cells."""
    if column.nominal:
        return -0.5, len(column.levels) - 0.5
    ends = [end for box in boxes for end in box.spans[i] if math.isfinite(end)]
    if cells is not None:
        known = np.asarray(cells, np.float64)
        ends += [float(value) for value in known[np.isfinite(known)]]
    if not ends:
        return 0.0, 1.0
    margin = (max(ends) - min(ends)) * 0.08 or 1.0
    return min(ends) - margin, max(ends) + margin


def _within(span: tuple[float, float], limit: tuple[float, float]) -> tuple[float, float]:
    return max(span[0], limit[0]), min(span[1], limit[1])


def _flat(ax: Any, boxes: Sequence[tuple[tuple[float, float], ...]], fills: Sequence[str]) -> None:
    from matplotlib.collections import PolyCollection

    corners = []
    for spans in boxes:
        (left, right), (bottom, top) = spans[0], spans[1] if len(spans) > 1 else (0.0, 1.0)
        corners.append([(left, bottom), (right, bottom), (right, top), (left, top)])
    ax.add_collection(PolyCollection(corners, facecolors=fills, edgecolors=GREY, linewidths=0.8), autolim=False)
    if boxes and len(boxes[0]) == 1:
        ax.set_ylim(0, 1)


def _solid(ax: Any, boxes: Sequence[tuple[tuple[float, float], ...]], fills: Sequence[str]) -> None:
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    faces, colors = [], []
    for spans, fill in zip(boxes, fills, strict=True):
        for fixed in range(3):
            others = [k for k in range(3) if k != fixed]
            for end in spans[fixed]:
                face = []
                for a, b in ((0, 0), (1, 0), (1, 1), (0, 1)):
                    point = [0.0, 0.0, 0.0]
                    point[fixed], point[others[0]], point[others[1]] = end, spans[others[0]][a], spans[others[1]][b]
                    face.append(point)
                faces.append(face)
                colors.append(fill)
    ax.add_collection3d(Poly3DCollection(faces, facecolors=colors, edgecolors=GREY, linewidths=0.5, alpha=0.25))


def _points(ax: Any, tree: Tree, cells: Sequence[Any], y: Any) -> None:
    places = [np.asarray(column, np.float64) for column in cells]
    for j, column in enumerate(cells):
        if column.dtype.kind in "iu" and column.min(initial=0) < 0:
            places[j] = np.where(column < 0, np.nan, places[j])
    if len(places) == 1:
        places.append(np.full(len(places[0]), 0.5))
    classes = tree.target.classes
    if y is None or classes is None:
        ax.scatter(*places, s=14, color=INK, linewidths=0)
        return
    labels = np.asarray(y, dtype=object)
    for k, label in enumerate(classes):
        mine = np.array([value == label for value in labels], bool)
        if mine.any():
            color, marker = class_color(k), _MARKERS[k % len(_MARKERS)]
            ax.scatter(*(place[mine] for place in places), s=18, color=color, marker=marker, edgecolors=INK, linewidths=0.4)


def name_axis(ax: Any, which: str, column: ColumnSchema, limit: tuple[float, float]) -> None:
    """Name an axis after a column, and write its ticks as the column's values."""
    getattr(ax, f"set_{which}lim")(*limit)
    getattr(ax, f"set_{which}label")(visible(column.label), parse_math=False)
    axis = getattr(ax, f"{which}axis")
    if column.nominal:
        axis.set_ticks(range(len(column.levels)), [visible(column.level_text(code)) for code in range(len(column.levels))])
    elif column.kind == "bool":
        axis.set_ticks([0, 1], ["False", "True"])
    elif column.kind in ("date", "duration", "ordered"):
        axis.set_major_formatter(lambda value, _: visible(_tick(column, value)))


def _tick(column: ColumnSchema, value: float) -> str:
    if column.kind == "ordered":
        return str(column.levels[int(value)]) if value == int(value) and 0 <= value < len(column.levels) else ""
    return column.cut_text(value, -math.inf, math.inf, False)


def _class_legend(ax: Any, words: Words) -> None:
    from matplotlib.lines import Line2D

    if words.classes is None:
        return
    occurring = [k for k, _ in words.mix(0)][: len(CLASSES)]
    marks = [Line2D([], [], linestyle="", color=class_color(k), marker=_MARKERS[k % len(_MARKERS)]) for k in occurring]
    legend = ax.legend(marks, [str(words.classes[k]) for k in occurring], loc="best", fontsize="small")
    for text, k in zip(legend.get_texts(), occurring, strict=True):
        text.set_parse_math(False)
        text.set_text(visible(str(words.classes[k])))


# -- curves --------------------------------------------------------------------------------------------------------------


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
