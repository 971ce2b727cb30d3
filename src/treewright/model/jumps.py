"""How far the prediction of a model tree jumps where a row passes a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.model.linear import LinearModels
from treewright.model.rules import cells_of
from treewright.model.tree import Tree


@dataclass(frozen=True, slots=True)
class Jumps:
    """The largest jumps of a prediction at thresholds.

    Attributes
    ----------
    before, after : float
        Without smoothing, and with it.
    column : str or None
        Where the largest jump before smoothing is; None if no threshold has any.
    threshold : float or None
        The threshold there.
    """

    before: float
    after: float
    column: str | None = None
    threshold: float | None = None


def find_jumps(tree: Tree, X: Any, threads: int = 1) -> Jumps:
    """Compare what is said on both sides of every threshold of numbers, at the rows of its node that lie next to it."""
    models = tree.models
    if models is None:
        raise ValueError("jumps are of trees with linear models, this one says a constant in every leaf")
    cells = [np.ascontiguousarray(column) for column in cells_of(X, tree.schema)]
    plain = models.without_smoothing()
    at = tree.decision_path(X, threads).tocsc()
    found = Jumps(0.0, 0.0)
    for node in tree.nodes():
        split = node.split
        rows = at.indices[at.indptr[node.id] : at.indptr[node.id + 1]]
        if split is None or split.family != "threshold" or len(rows) == 0:
            continue
        index = int(tree._state["column"][node.id])
        if tree.columns[index].kind in ("bool", "ordered"):
            continue  # nothing lies between two levels
        rows = _nearest(cells[index], rows, split.cuts[0])
        before = _jump(plain, cells, rows, index, split.cuts[0], threads)
        after = _jump(models, cells, rows, index, split.cuts[0], threads)
        after = max(found.after, after)
        found = Jumps(before, after, split.column, split.cuts[0]) if before > found.before else _with(found, after)
    return found


def _nearest(column: NDArray[Any], rows: NDArray[Any], threshold: float) -> NDArray[Any]:
    """The rows next to the threshold on both sides: farther ones never pass it."""
    value = column[rows].astype(np.float64)
    below, above = value[value <= threshold], value[value > threshold]
    low = below.max() if len(below) else threshold
    high = above.min() if len(above) else threshold
    return rows[(value >= low) & (value <= high) | np.isnan(value)]


def _with(found: Jumps, after: float) -> Jumps:
    return Jumps(found.before, after, found.column, found.threshold)


def _jump(
    models: LinearModels, cells: list[NDArray[Any]], rows: NDArray[Any], index: int, threshold: float, threads: int
) -> float:
    said = []
    for moved in (threshold, np.nextafter(threshold, np.inf)):
        here = [np.full(len(rows), moved) if j == index else column[rows] for j, column in enumerate(cells)]
        said.append(models.answers(here, len(rows), threads))
    return float(np.max(np.abs(said[1] - said[0])))
