"""How far the prediction of a model tree jumps where a row passes a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.model.leaves import Equations
from treewright.model.rules import cells_of
from treewright.model.splits import Cuts
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
    """Compare what is said on both sides of every threshold of numbers, at the rows of its node that lie next to it.

    All thresholds are asked about at once: a row as often as it lies next to one on its way, so at most rows times depth.
    """
    models = tree.leaf_model
    if not isinstance(models, Equations):
        raise ValueError("jumps are of trees with linear models, this one says a constant in every leaf")
    cells = [np.ascontiguousarray(column) for column in cells_of(X, tree.schema)]
    at = tree.decision_path(X, threads).tocsc()
    places, rows = [], []
    for node in np.flatnonzero(~tree.node_columns.is_leaf).tolist():
        here = at.indices[at.indptr[node] : at.indptr[node + 1]]
        source, division = tree.splits.source(node), tree.splits.division(node)
        # Nothing lies between two levels.
        if len(here) == 0 or not isinstance(division, Cuts) or source.column.kind in ("bool", "ordered"):
            continue
        places.append((source.index, division.at[0]))
        rows.append(_nearest(cells[source.index], here, division.at[0]))
    if not places:
        return Jumps(0.0, 0.0)
    before, after = (_largest(each, cells, places, rows, threads) for each in (models.without_smoothing(), models))
    worst = int(np.argmax(before))
    if before[worst] == 0:
        return Jumps(0.0, float(after.max()))
    index, threshold = places[worst]
    return Jumps(float(before[worst]), float(after.max()), tree.columns[index].name, threshold)


def _nearest(column: NDArray[Any], rows: NDArray[Any], threshold: float) -> NDArray[Any]:
    """The rows next to the threshold on both sides: farther ones never pass it."""
    value = column[rows].astype(np.float64)
    below, above = value[value <= threshold], value[value > threshold]
    low = below.max() if len(below) else threshold
    high = above.min() if len(above) else threshold
    return rows[(value >= low) & (value <= high) | np.isnan(value)]


def _largest(
    models: Equations, cells: list[NDArray[Any]], places: list[tuple[int, float]], rows: list[NDArray[Any]], threads: int
) -> NDArray[np.float64]:
    """By place the largest jump of its rows, moved to the threshold and just beyond it."""
    counts = [len(each) for each in rows]
    every, place = np.concatenate(rows), np.repeat(np.arange(len(rows)), counts)
    index, threshold = (np.array(each)[place] for each in zip(*places, strict=True))
    predicted = []
    for moved in (threshold, np.nextafter(threshold, np.inf)):
        here = [column[every] for column in cells]
        for j in np.unique(index):
            here[j] = np.where(index == j, moved, here[j])
        predicted.append(models.answers(here, len(every), threads))
    begin = np.cumsum([0, *counts[:-1]])
    out: NDArray[np.float64] = np.maximum.reduceat(np.abs(predicted[1] - predicted[0]), begin)
    return out
