"""Soft thresholds (Quinlan 1993, chapter 8): from where to where a threshold is unsure, by the errors of training rows."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.model.branches import branch_conditions
from treewright.model.gates import Rows, SoftThreshold, gated_mixture
from treewright.model.node import Node
from treewright.model.rules import by_column
from treewright.model.tree import Tree


def soften(
    tree: Tree, arrays: Sequence[NDArray[Any]], codes: NDArray[np.int64], weights: NDArray[Any] | None
) -> dict[int, SoftThreshold]:
    """The soft thresholds of a tree, from its training rows: which rows each branch would get wrong decides."""
    cells = by_column(arrays)
    weight = np.ones(len(codes)) if weights is None else np.asarray(weights, np.float64)
    out: dict[int, SoftThreshold] = {}

    def hard_shares(rows: Rows, start: int) -> NDArray[np.float64]:
        return gated_mixture(tree, cells, rows, start, {}, tree.leaf_model.mixed_entry)

    open_: list[tuple[Node, Rows]] = [(tree.root, np.arange(len(codes)))]
    while open_:
        node, rows = open_.pop()
        split = node.split
        if split is None or not len(rows):
            continue
        values = tree.splits.source(node.id).cells(cells, rows)
        masks = [condition.mask(values) for condition in branch_conditions(node)]
        present = np.any(masks, axis=0)
        if split.family == "threshold" and np.any(present):
            here = rows[present]
            wrong = [
                np.where(np.argmax(hard_shares(here, child.id), axis=1) != codes[here], weight[here], 0.0)
                for child in node.children
            ]
            total = math.fsum(weight[here])
            lower, upper = _bounds(values[present].astype(np.float64), wrong[0], wrong[1], total, split.cuts[0])
            out[node.id] = SoftThreshold(node.id, split.column, lower, split.cuts[0], upper)
        open_ += [(child, rows[mask]) for child, mask in zip(node.children, masks, strict=True)]
    return out


def _bounds(
    values: NDArray[np.float64], below: NDArray[np.float64], above: NDArray[np.float64], n: float, cut: float
) -> tuple[float, float]:
    """Where the errors of a moved threshold reach those of the cut and one standard error, between values by interpolation.

    ``below``, ``above``: the weight each row adds to the errors if it goes there; ``n``: the weight of all.
    """
    order = np.argsort(values, kind="stable")
    values, below, above = values[order], below[order], above[order]
    base = math.fsum(np.where(values <= cut, below, above))
    limit = base + math.sqrt((base + 0.5) * (n - base + 0.5) / (n + 1))
    last = np.flatnonzero(np.append(values[1:] != values[:-1], True))
    at = values[last]
    errors = (math.fsum(above) + np.cumsum(below - above))[last]
    lower, upper = min(cut, float(at[0])), max(cut, float(at[-1]))
    found = False
    for i in range(1, len(at)):
        if not found and errors[i - 1] > limit >= errors[i] and at[i] <= cut:
            lower = _between(at[i], at[i - 1], (limit - errors[i]) / (errors[i - 1] - errors[i]))
            found = True
        elif errors[i - 1] <= limit < errors[i] and at[i] > cut:
            upper = max(_between(at[i - 1], at[i], (limit - errors[i - 1]) / (errors[i] - errors[i - 1])), cut)
    # A width that overflows gives a hard threshold.
    return max(lower, float(cut - sys.float_info.max)), min(upper, float(cut + sys.float_info.max))


def _between(a: float, b: float, share: float) -> float:
    """A number that lies this part of the way from a to b; their difference may overflow."""
    at = float(a) * (1 - float(share)) + float(b) * float(share)
    return float(min(max(at, min(a, b)), max(a, b)))
