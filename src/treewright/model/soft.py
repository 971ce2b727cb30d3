"""Soft thresholds (Quinlan 1993, chapter 8): near a threshold a value goes down both branches, in parts."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.model.branches import branch_conditions
from treewright.model.node import Node
from treewright.model.rules import by_column
from treewright.model.tree import Tree

Cells = list[NDArray[Any]]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SoftThreshold:
    """A test ``column <= cut`` that is sure up to ``lower`` and from ``upper`` on, and even at the cut.

    Attributes
    ----------
    node : int
        The node that tests.
    column : str
        What it tests.
    lower, cut, upper : float
        Below ``lower`` and above ``upper`` a row goes one way only. With the threshold at either of them, the errors on the
        training rows of the node would be one standard error higher than they are.
    """

    node: int
    column: str
    lower: float
    cut: float
    upper: float

    @property
    def ramp(self) -> tuple[list[float], list[float]]:
        """Values, ascending, and the part of a row that goes to the lower branch at each; linear in between."""
        return _ramp(self.lower, self.cut, self.upper)

    def share_below(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The part of each row that goes to the lower branch."""
        return np.interp(values, *self.ramp)


def _ramp(lower: float, cut: float, upper: float) -> tuple[list[float], list[float]]:
    """Points of the share: 1 up to lower, one half at the cut, 0 from upper on; a step at the cut where a side has no room."""
    above = math.nextafter(cut, math.inf)
    left = [(lower, 1.0), (cut, 0.5)] if lower < cut else [(cut, 1.0)]
    right = [(above, 0.5), (upper, 0.0)] if upper > above else [(above, 0.0)]
    points = left + right
    return [x for x, _ in points], [share for _, share in points]


def soft_shares(
    tree: Tree, arrays: Sequence[NDArray[Any]], rows: Rows, start: int, soft: dict[int, SoftThreshold]
) -> NDArray[np.float64]:
    """Share of every class for these rows, sent down from a node; thresholds that are not listed are hard."""
    cells = by_column(arrays)
    out = np.zeros((len(rows), len(tree.target.classes or ())))
    open_: list[tuple[int, NDArray[np.int64], NDArray[np.float64]]] = [(start, np.arange(len(rows)), np.ones(len(rows)))]
    while open_:
        id, at, share = open_.pop()
        node = Node(tree, id)
        if node.is_leaf:
            np.add.at(out, at, share[:, None] * tree.node_shares(id))
            continue
        values = cells[node._get("column")][rows[at]]
        for child, part in zip(node.children, _parts(node, values, soft.get(id)), strict=True):
            taken = part > 0
            if np.any(taken):
                open_.append((child.id, at[taken], (share * part)[taken]))
    return out


def _parts(node: Node, values: NDArray[Any], soft: SoftThreshold | None) -> list[NDArray[np.float64]]:
    """Which part of each row takes each branch."""
    masks = [condition.mask(values).astype(np.float64) for condition in branch_conditions(node)]
    nowhere = np.sum(masks, axis=0) == 0
    if soft is not None:
        gone = np.isnan(values.astype(np.float64))
        below = soft.share_below(np.where(gone, soft.cut, values).astype(np.float64))
        masks[:2] = [np.where(gone, mask, part) for mask, part in zip(masks, (below, 1 - below), strict=False)]
    weights = np.array([child.weight for child in node.children])
    total = weights.sum()
    shares = weights / total if total > 0 else np.full(len(weights), 1 / len(weights))
    return [np.where(nowhere, share, mask) for mask, share in zip(masks, shares, strict=True)]


def soften(
    tree: Tree, arrays: Sequence[NDArray[Any]], codes: NDArray[np.int64], weights: NDArray[Any] | None
) -> dict[int, SoftThreshold]:
    """The soft thresholds of a tree, from its training rows: which rows each branch would get wrong decides."""
    cells = by_column(arrays)
    weight = np.ones(len(codes)) if weights is None else np.asarray(weights, np.float64)
    out: dict[int, SoftThreshold] = {}
    open_: list[tuple[Node, Rows]] = [(tree.root, np.arange(len(codes)))]
    while open_:
        node, rows = open_.pop()
        split = node.split
        if split is None or not len(rows):
            continue
        values = cells[node._get("column")][rows]
        masks = [condition.mask(values) for condition in branch_conditions(node)]
        known = np.any(masks, axis=0)
        if split.family == "threshold" and np.any(known):
            here = rows[known]
            wrong = [
                np.where(np.argmax(soft_shares(tree, arrays, here, child.id, {}), axis=1) != codes[here], weight[here], 0.0)
                for child in node.children
            ]
            total = math.fsum(weight[here])
            lower, upper = _bounds(values[known].astype(np.float64), wrong[0], wrong[1], total, split.cuts[0])
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
    # What lies further away than numbers reach has no slope.
    return max(lower, float(cut - sys.float_info.max)), min(upper, float(cut + sys.float_info.max))


def _between(a: float, b: float, part: float) -> float:
    """A number that lies this part of the way from a to b; their difference may be beyond all numbers."""
    at = float(a) * (1 - float(part)) + float(b) * float(part)
    return float(min(max(at, min(a, b)), max(a, b)))
