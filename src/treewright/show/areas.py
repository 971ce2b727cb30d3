"""Decision regions on matplotlib axes: the exact boxes of leaves, and shades of what equations say inside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.errors import visible
from treewright.model.rules import cells_of
from treewright.show.axes import check_axes, pyplot, tree_of
from treewright.show.borders import has_scores, leaves_at, paint
from treewright.show.cells import cut_to
from treewright.show.node_text import NodeText
from treewright.show.picture import CLASSES, GREY, INK, class_color
from treewright.show.regions import RegionBox, chosen_columns, region_boxes
from treewright.show.scene import class_fill, node_fill, number_fill

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treewright.model.tree import Tree
    from treewright.table import ColumnSchema

_MARKERS = "osD^vPX*"
_POINTS = 240  # along an axis, where shades are painted
_FIXED = 4  # columns that are named
_TITLE = 90  # characters


def plot_regions(
    model: Any, X: Any = None, y: Any = None, columns: Sequence[str] | None = None, *, row: Any = None, ax: Any = None
) -> Any:
    """Draw which leaf answers where, for one to three columns: exact boxes, read from the tree.

    Where leaves hold equations, or gates are smooth, what is said is painted point by point, for one or two columns. Where tests
    look at several columns at once regions are no boxes: the leaf is asked for point by point, among the rows of ``X``.

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
    shaded = tree.leaf_model.computed or tree.smooth
    if shaded and len(axes) == 3:
        raise ValueError("what changes from place to place is drawn along one or two columns: choose them with columns=[...]")
    curved = has_scores(tree)
    if curved and (X is None or len(axes) == 3):
        raise ValueError("tests of several columns are drawn along one or two columns, where rows lie: pass X, and columns=[...]")
    boxes = [] if curved else region_boxes(tree, columns, row)
    cells = None if X is None else [cells_of(X, tree.schema)[j] for j in axes]
    limits = [limits_of(boxes, i, tree.columns[j], None if cells is None else cells[i]) for i, j in enumerate(axes)]
    check_axes(ax)
    if ax is None:
        plt = pyplot()
        ax = plt.figure().add_subplot(projection="3d" if len(axes) == 3 else None)
    nodes = NodeText(tree)
    low, high = min(nodes.value, default=0.0), max(nodes.value, default=0.0)
    fills = [node_fill(nodes, box.leaf, low, high) for box in boxes]
    cut = [tuple(_within(span, limit) for span, limit in zip(box.spans, limits, strict=True)) for box in boxes]
    if shaded:
        low, high = _shade(ax, tree, axes, limits, row)
        fills = ["none"] * len(fills)
    if curved:
        ticks, leaves = leaves_at(tree, axes, limits, row)
        if not shaded:
            colors = _colors([node_fill(nodes, id, low, high) for id in range(tree.n_nodes)])
            extent = (*limits[0], *(limits[1] if len(limits) > 1 else (0.0, 1.0)))
            paint(ax, ticks, leaves, colors, extent)
    elif len(axes) == 3:
        _solid(ax, cut, fills)
    else:
        _flat(ax, cut, fills)
    if cells is not None:
        _points(ax, tree, cells, y)
    for i, j in enumerate(axes):
        name_axis(ax, "xyz"[i], tree.columns[j], limits[i])
    if len(axes) == 1:
        ax.set_yticks([])
    _class_legend(ax, nodes, len(axes) == 3)
    if nodes.classes is None and not tree.target.outputs and low < high:
        _scale(ax, tree.target.name, low, high)
    _say_held(ax, tree, axes, row)
    return ax


def _shade(ax: Any, tree: Tree, axes: Sequence[int], limits: Sequence[tuple[float, float]], row: Any) -> tuple[float, float]:
    """Paint what equations say, point by point; return the least and the largest number."""
    used = tree.schema.names if tree.leaf_model.computed else tree.used_columns
    others = [j for j, name in enumerate(tree.schema.names) if j not in axes and name in used]
    if others and row is None:
        raise ValueError("the equations have other columns too: say with row= where they are held, such as row=X.iloc[[0]]")
    fixed = cells_of(row, tree.schema) if others else []
    ticks = []
    for j, (begin, end) in zip(axes, limits, strict=True):
        n = len(tree.columns[j].levels) if tree.columns[j].nominal else _POINTS
        ticks.append(begin + (np.arange(n) + 0.5) * ((end - begin) / n))
    grid = np.meshgrid(*ticks, indexing="xy")
    n = grid[0].size
    kinds = [np.int32 if column.nominal else np.float64 for column in tree.columns]
    arrays = [np.repeat(fixed[j][:1], n) if j in others else np.zeros(n, kind) for j, kind in enumerate(kinds)]
    for j, points in zip(axes, grid, strict=True):
        arrays[j] = points.ravel().astype(np.int32 if tree.columns[j].nominal else np.float64)
    predicted = _said(tree, arrays, n)
    shape = (len(ticks[1]) if len(ticks) > 1 else 1, len(ticks[0]))
    low, high = float(predicted.min()), float(predicted.max())
    if tree.target.classes is None:
        image = _colors([number_fill(at, 0.0, 1.0) for at in np.linspace(0, 1, 256)])[
            np.round(255 * (predicted - low) / (high - low if high > low else 1.0)).astype(np.int64)
        ]
    else:
        best = predicted.argmax(axis=1)
        share = np.round(100 * predicted[np.arange(n), best]).astype(np.int64)
        k = len(tree.target.classes)
        image = _colors([class_fill(c, at / 100, k) for c in range(k) for at in range(101)])[best * 101 + share]
    extent = (*limits[0], *(limits[1] if len(limits) > 1 else (0.0, 1.0)))
    ax.imshow(image.reshape(*shape, 3), extent=extent, origin="lower", aspect="auto", interpolation="nearest", zorder=0)
    return low, high


def _said(tree: Tree, cells: list[NDArray[Any]], n: int) -> NDArray[np.float64]:
    """Shares of classes, or numbers, of rows given by their cells: a column each."""
    if tree.leaf_model.computed:
        return tree.leaf_model.answers(cells, n)
    if tree.target.classes is not None:
        return tree.shares_of_cells((cells, n))
    return np.asarray(tree.predict_cells((cells, n)), np.float64).reshape(n, -1)


def _colors(names: Sequence[str]) -> NDArray[np.uint8]:
    return np.array([[int(name[at : at + 2], 16) for at in (1, 3, 5)] for name in names], np.uint8)


def _scale(ax: Any, name: str, low: float, high: float) -> None:
    """Say beside the axes what the lightness means."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, Normalize

    shades = ListedColormap([number_fill(at, 0.0, 1.0) for at in np.linspace(0, 1, 256)])
    bar = ax.figure.colorbar(ScalarMappable(Normalize(low, high), shades), ax=ax)
    bar.set_label(visible(name), parse_math=False)


def _say_held(ax: Any, tree: Tree, axes: Sequence[int], row: Any) -> None:
    """Say above the axes at which values other columns are held."""
    used = tree.schema.names if tree.leaf_model.computed else tree.used_columns
    fixed = [j for j, name in enumerate(tree.schema.names) if name in used and j not in axes]
    if not fixed:
        return
    cells = cells_of(row, tree.schema)
    texts = [tree.columns[j].cell_text(float(cells[j][0])) for j in fixed[:_FIXED]]
    phrases = [
        f"{tree.columns[j].label} {'missing' if text is None else f'= {text}'}" for j, text in zip(fixed, texts, strict=False)
    ]
    phrases += [f"{len(fixed) - _FIXED} more"] * (len(fixed) > _FIXED)
    ax.set_title(cut_to(visible(f"held: {', '.join(phrases)}"), _TITLE), fontsize="small", parse_math=False)


def limits_of(boxes: Sequence[RegionBox], i: int, column: ColumnSchema, cells: Any) -> tuple[float, float]:
    """From where to where a column is drawn: past all ends of boxes, and all cells."""
    if column.nominal:
        return -0.5, len(column.levels) - 0.5
    ends = [end for box in boxes for end in box.spans[i] if math.isfinite(end)]
    if cells is not None:
        numbers = np.asarray(cells, np.float64)
        ends += [float(value) for value in numbers[np.isfinite(numbers)]]
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


def _class_legend(ax: Any, nodes: NodeText, solid: bool) -> None:
    from matplotlib.lines import Line2D

    if nodes.classes is None:
        return
    occurring = [k for k, _ in nodes.mix(0)][: len(CLASSES)]
    marks = [Line2D([], [], linestyle="", color=class_color(k), marker=_MARKERS[k % len(_MARKERS)]) for k in occurring]
    # The corners of a cube's picture are free at the top; below stand its axes.
    where = {"loc": "upper left", "bbox_to_anchor": (-0.1, 1.05)} if solid else {"loc": "best"}
    legend = ax.legend(marks, [str(nodes.classes[k]) for k in occurring], fontsize="small", **where)
    for text, k in zip(legend.get_texts(), occurring, strict=True):
        text.set_parse_math(False)
        text.set_text(visible(str(nodes.classes[k])))
