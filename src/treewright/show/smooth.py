"""What regression and model trees say along one column, as stairs and lines, with the trees beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import shown, visible
from treewright.model.rules import cells_of
from treewright.show.areas import limits_of, name_axis
from treewright.show.axes import axes, pyplot, tree_of
from treewright.show.cells import cut_to
from treewright.show.picture import GREY, class_color
from treewright.show.plots import plot_tree
from treewright.show.regions import RegionBox, chosen_columns, region_boxes

if TYPE_CHECKING:
    from treewright.model.tree import Tree

Floats = NDArray[np.float64]
_NAME = 40  # characters of a name in a legend or beside an axis
_POINTS = 400  # along a curve


def plot_smooth(
    models: Any,
    X: Any = None,
    y: Any = None,
    column: str | None = None,
    *,
    row: Any = None,
    ax: Any = None,
    with_trees: bool = False,
) -> Any:
    """Draw what regression trees say along one column: a constant per leaf, or the line of its equation.

    Parameters
    ----------
    models : fitted estimator, Tree, or a sequence or dict of them
        What to draw; the keys of a dict are used as names.
    X, y : table and target, optional
        Rows drawn as points. Those whose cell or target is missing are left out.
    column : str, optional
        The column along which: a number, date or ordered one; the one the tree tests, unless given.
    row : table of one row, optional
        Where answers depend on other columns too: the values at which these are held.
    ax : matplotlib Axes, optional
        Where to draw.
    with_trees : bool, default False
        Make a figure with the trees beside the smooths, one above the other.

    Returns
    -------
    matplotlib Axes
        Those of the smooths.
    """
    if with_trees and ax is not None:
        raise ValueError("with_trees=True makes a figure of several axes: leave ax out")
    trees, names = _named(models)
    # A tree of one leaf tests nothing: the column is that of the first that does.
    first = next((tree for tree in trees if tree.used_columns), trees[0])
    if column is None and len(first.used_columns) > 1:
        remedy = f"choose one with column=, such as column={first.used_columns[0]!r}, and hold the others with row=X.iloc[[0]]"
        raise ValueError(f"the tree tests {len(first.used_columns)} columns, and a smooth is drawn along one: {remedy}")
    index = chosen_columns(first, None if column is None else [column])[0]
    schema = first.columns[index]
    if schema.nominal:
        raise ValueError(
            f"column {shown(schema.name)} holds levels, and a smooth runs along numbers: choose another with column="
        )
    cells = None if X is None else np.asarray(cells_of(X, first.schema)[index], np.float64)
    points = _points(cells, y)
    cuts = np.unique(np.concatenate([_cuts(tree, index) for tree in trees]))
    limit = limits_of([RegionBox(0, ((float(cut), float(cut)),)) for cut in cuts], 0, schema, cells)
    drawn = [_line(tree, index, limit, row) if tree.leaf_model.computed else smooth(tree, schema.name, row) for tree in trees]
    ax = _beside_trees(trees, names) if with_trees else axes(ax)
    if points is not None:
        ax.scatter(*points, s=12, color=GREY, linewidths=0)
    for k, (tree, name, found) in enumerate(zip(trees, names, drawn, strict=True)):
        look: dict[str, Any] = {"color": class_color(k), "linewidth": 1.8, "label": cut_to(visible(name), _NAME)}
        if tree.leaf_model.computed:
            ax.plot(*found, **look)
        else:
            edges = [limit[0], *(low for low, _, _ in found[1:]), limit[1]]
            ax.stairs([value for _, _, value in found], edges, baseline=None, **look)
    name_axis(ax, "x", schema, limit)
    ax.set_xlabel(cut_to(visible(schema.label), _NAME), parse_math=False)
    ax.set_ylabel(cut_to(visible(first.target.name), _NAME), parse_math=False)
    if schema.kind in ("date", "duration"):
        ax.xaxis.set_major_locator(pyplot().MaxNLocator(4))
    for text in ax.legend(fontsize="small").get_texts():
        text.set_parse_math(False)
    return ax


def _named(models: Any) -> tuple[list[Tree], list[str]]:
    """The trees that can be drawn together, and their names."""
    named = dict(models) if isinstance(models, dict) else None
    several = list(named.values()) if named is not None else list(models) if isinstance(models, (list, tuple)) else [models]
    trees = [tree_of(model) for model in several]
    if not trees:
        raise ValueError("there is no tree to draw: give a fitted estimator, or several")
    if any(tree.target.classes is not None for tree in trees):
        raise ValueError("plot_smooth draws trees for numbers; for classes there is plot_regions")
    if any(tree.target.outputs for tree in trees):
        raise ValueError("plot_smooth draws trees for one number a row, these say several: fit a tree for each")
    if any(tree.schema.names != trees[0].schema.names for tree in trees):
        raise ValueError("the trees were fitted to different columns: draw each on axes of its own")
    if named is not None:
        return trees, list(map(str, named))
    return trees, [f"{tree.n_leaves} {'leaf' if tree.n_leaves == 1 else 'leaves'}" for tree in trees]


def _points(cells: Floats | None, y: Any) -> tuple[Floats, Floats] | None:
    """Where rows are drawn; those without a number are not."""
    if y is None:
        return None
    if cells is None:
        raise ValueError("y belongs to rows: pass X as well")
    try:
        target = np.asarray(y, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"y={shown(y)} must hold numbers") from None
    if target.shape != cells.shape:
        raise ValueError(f"X has {len(cells)} rows and y has the shape {target.shape}: pass a number for each of the rows")
    there = np.isfinite(cells) & np.isfinite(target)
    return cells[there], target[there]


def _cuts(tree: Tree, index: int) -> Floats:
    return tree.splits.thresholds(index, surrogates=False).at


def _beside_trees(trees: Sequence[Tree], names: Sequence[str]) -> Any:
    """Axes at the left of a new figure; at its right the trees, under their names and in the colours of their smooths."""
    # As large as cards need to be read, up to what a screen shows at a few glances.
    wide = min(24.0, max(7.0, 0.9 * max(tree.n_leaves for tree in trees)))
    high = [min(9.0, max(3.2, 0.9 * (tree.depth + 1))) for tree in trees]
    figure = pyplot().figure(figsize=(6 + wide, max(4.0, sum(high))), layout="constrained")
    grid = figure.add_gridspec(len(trees), 2, width_ratios=(6, wide), height_ratios=high)
    for k, (tree, name) in enumerate(zip(trees, names, strict=True)):
        beside = figure.add_subplot(grid[k, 1])
        plot_tree(tree, beside)
        beside.set_title(cut_to(visible(name), 2 * _NAME), color=class_color(k), fontsize="medium", parse_math=False)
    ax = figure.add_subplot(grid[:, 0])
    ax.set_box_aspect(min(1.0, max(4.0, sum(high)) / 6))
    return ax


def _line(tree: Tree, index: int, limit: tuple[float, float], row: Any) -> tuple[Floats, Floats]:
    """What a tree with equations says along one column; thresholds are passed on both sides, so that jumps are upright."""
    others = {*tree.splits.tested(surrogates=False), *tree.leaf_model.used_columns} - {index}
    if others and row is None:
        raise ValueError("the tree has other columns too: say with row= where they are held, such as row=X.iloc[[0]]")
    cuts = _cuts(tree, index)
    at = np.unique(np.concatenate([np.linspace(*limit, _POINTS), cuts, np.nextafter(cuts, np.inf)]))
    if row is None:
        fixed = [np.array([-1], np.int64) if each.nominal else np.array([np.nan]) for each in tree.columns]
    else:
        fixed = [np.ascontiguousarray(column) for column in cells_of(row, tree.schema)]
        if len(fixed[0]) != 1:
            raise ValueError(f"row= has {len(fixed[0])} rows: give one, such as row=X.iloc[[0]]")
    arrays = [at if j == index else np.repeat(fixed[j], len(at)) for j in range(len(tree.columns))]
    return at, tree.leaf_model.answers(arrays, len(at))


def smooth(model: Any, column: str | None = None, row: Any = None) -> list[tuple[float, float, float]]:
    """Return the pieces of a regression tree along one column, ascending: low end, high end, value."""
    tree = tree_of(model)
    boxes = region_boxes(tree, None if column is None else [column], row)
    return sorted((*box.spans[0], float(tree.node(box.leaf).prediction)) for box in boxes)
