"""Regions that are no boxes: which leaf answers where, asked point by point, with the borders between leaves as lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.model.rules import cells_of
from treewright.show.picture import GREY

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treewright.model.tree import Tree

_POINTS = 480  # along an axis


def has_scores(tree: Tree) -> bool:
    """Whether a test looks at several columns at once."""
    return len(tree.node_columns.term_column) > 0


def leaves_at(
    tree: Tree, axes: Sequence[int], limits: Sequence[tuple[float, float]], row: Any
) -> tuple[list[NDArray[np.float64]], NDArray[np.int64]]:
    """The places along one or two columns, and the leaf at each of them, the first column along the last axis."""
    others = [j for j, name in enumerate(tree.schema.names) if name in tree.used_columns and j not in axes]
    if others and row is None:
        names = ", ".join(repr(tree.schema.names[j]) for j in others)
        raise ValueError(f"the tree also tests {names}: give the values to hold them at as row=, such as X.iloc[[0]]")
    fixed = cells_of(row, tree.schema) if others else []
    ticks: list[NDArray[np.float64]] = []
    for j, (begin, end) in zip(axes, limits, strict=True):
        n = len(tree.columns[j].levels) if tree.columns[j].nominal else _POINTS
        ticks.append(np.asarray(begin + (np.arange(n) + 0.5) * ((end - begin) / n), np.float64))
    grid = np.meshgrid(*ticks, indexing="xy")
    n = grid[0].size
    arrays: list[NDArray[Any]] = []
    for j, column in enumerate(tree.columns):
        kind = np.int32 if column.nominal else np.float64
        if j in axes:
            arrays.append(grid[list(axes).index(j)].ravel().astype(kind))
        else:
            arrays.append(np.repeat(fixed[j][:1], n) if j in others else np.zeros(n, kind))
    routes: Any = tree._core.route(arrays, n, 1)
    leaves: NDArray[np.int64] = np.asarray(routes[0], np.int64).reshape(len(ticks[1]) if len(ticks) > 1 else 1, len(ticks[0]))
    return ticks, leaves


def paint(
    ax: Any, ticks: Sequence[NDArray[np.float64]], leaves: NDArray[np.int64], colors: NDArray[np.uint8], extent: Any
) -> None:
    """Paint every place in the color of its leaf (by number), and draw the borders between leaves."""
    ax.imshow(colors[leaves], extent=extent, origin="lower", aspect="auto", interpolation="nearest", zorder=0)
    if len(ticks) == 1:
        for at in np.flatnonzero(np.diff(leaves[0])):
            ax.axvline((ticks[0][at] + ticks[0][at + 1]) / 2, color=GREY, linewidth=0.8)
        return
    for leaf in np.unique(leaves)[1:]:  # of each leaf against all others; the first has no border of its own
        ax.contour(*ticks, (leaves == leaf).astype(float), levels=[0.5], colors=GREY, linewidths=0.8)
