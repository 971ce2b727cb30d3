"""What rpart makes of a complexity parameter: which nodes it divides, and its table of nested trees.

It bounds what a subtree can save while it grows, left branch first, and knows of every node what its split saves.

The bound passed to a branch is a little too tight, so that rpart may leave a node alone that cost-complexity pruning at the same
value would keep; and what a split saves is told looking at its two branches only, not at all ways to cut back below it (Therneau
and Atkinson, rpart 4.1). The recipe "rpart" follows it; ``pruning_path`` is exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.prune.path import step_sums, steps_of


@dataclass(slots=True)
class _Open:
    """A node whose branches are being settled."""

    node: int
    bound: float  # what its subtree can save per split, at most
    stage: int = 0
    left_risk: float = 0.0
    left_splits: int = 0


class CpRow(NamedTuple):
    """One tree of a complexity table: it is the best from this complexity on, up to that of the row before."""

    cp: float  # as a share of the root's risk
    n_splits: int
    relative_error: float  # risk of the leaves over that of the root


def rpart_table(
    state: Mapping[str, Any], risk: NDArray[np.float64], cp: float, class_factor: NDArray[np.float64] | None
) -> list[CpRow]:
    """Return the table that rpart prints of a tree, the smallest tree first."""
    _, complexity = rpart_ends(state, risk, cp, class_factor)
    inner = np.flatnonzero(state["n_children"])
    parent = state["parent"]
    for node in inner[1:].tolist():  # parents come first
        complexity[node] = min(complexity[node], complexity[parent[node]])
    share = complexity / risk[0] if risk[0] > 0 else complexity
    values = steps_of(share[inner], 1e-9)
    # Step i: what is worth no more than the i-th value has ended; before the first, everything stands.
    step = np.zeros(len(share), np.int64)
    step[inner] = np.searchsorted(values, share[inner]) + 1
    splits = step_sums(step, parent, np.ones(len(share)), len(values) + 1) - 1
    error = step_sums(step, parent, risk, len(values) + 1) / risk[0] if risk[0] > 0 else np.ones(len(values) + 1)
    table = zip([cp, *values.tolist()], splits.tolist(), error.tolist(), strict=True)
    return [CpRow(value, round(count), part) for value, count, part in table][::-1]


def rpart_ends(
    state: Mapping[str, Any], risk: NDArray[np.float64], cp: float, class_factor: NDArray[np.float64] | None
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Return the nodes that rpart would not divide, and of all others what their splits save each.

    ``risk`` of every node as a leaf; ``class_factor``: what a row of each class counts where splits are compared, beyond its
    weight in the node.
    """
    lower = _lower(state, class_factor).tolist()
    first, count, own = state["first_child"].tolist(), state["n_children"].tolist(), risk.tolist()
    alpha = cp * own[0]
    complexity = [alpha] * len(own)
    ends = np.ones(len(own), np.uint8)
    open_ = [_Open(0, own[0])]
    answer = (0.0, 0)  # risk and splits of the subtree settled last
    while open_:
        at = open_[-1]
        node = at.node
        left, right = first[node] + lower[node], first[node] + 1 - lower[node]
        if at.stage == 0:
            worth = min(own[node], at.bound)
            if count[node] == 0 or worth <= alpha:
                complexity[node] = alpha
                answer = (own[node], 0)
                open_.pop()
                continue
            at.stage = 1
            open_.append(_Open(left, worth - alpha))
            continue
        if at.stage == 1:
            at.left_risk, at.left_splits = answer
            at.stage = 2
            worth = max((own[node] - at.left_risk) / (at.left_splits + 1), own[node] - own[left])
            open_.append(_Open(right, min(worth, at.bound) - alpha))
            continue
        open_.pop()
        answer = _joined(own[node], (at.left_risk, at.left_splits), answer, (left, right), complexity, own)
        complexity[node] = (own[node] - answer[0]) / answer[1]
        if complexity[node] > alpha:
            ends[node] = 0
        else:
            answer = (own[node], 0)
    return ends, np.array(complexity)


def _joined(
    risk: float,
    left: tuple[float, int],
    right: tuple[float, int],
    children: tuple[int, int],
    complexity: list[float],
    own: list[float],
) -> tuple[float, int]:
    """Risk and splits below a node after those branches that are worth less than the node's own split have collapsed."""
    sides = [left, right]
    # The weaker branch first; of equals the right one.
    order = (0, 1) if complexity[children[1]] > complexity[children[0]] else (1, 0)
    for side in order:
        saved = (risk - sides[0][0] - sides[1][0]) / (sides[0][1] + sides[1][1] + 1)
        if saved <= complexity[children[side]] * (1 + 1e-12):
            break
        sides[side] = (own[children[side]], 0)
    return sides[0][0] + sides[1][0], sides[0][1] + sides[1][1] + 1


def _lower(state: Mapping[str, Any], class_factor: NDArray[np.float64] | None) -> NDArray[np.int64]:
    """By node: which of its two branches rpart calls the left one, that of the lower mean (of class numbers, for classes)."""
    if len(state["n_children"]) == 1:
        return np.zeros(1, np.int64)
    if len(state["value"]):
        mean = state["value"]
    else:
        weight = state["class_weight"] * (1.0 if class_factor is None else class_factor[state["class_id"]])
        begin = state["class_begin"][:-1].astype(np.int64)
        mean = np.add.reduceat(weight * state["class_id"], begin) / np.add.reduceat(weight, begin)
    child = np.minimum(state["first_child"], len(mean) - 2).astype(np.int64)
    return np.where(mean[child] < mean[child + 1], 0, 1)
