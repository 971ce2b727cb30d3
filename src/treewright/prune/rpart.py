"""The table of nested trees that rpart prints. What a split saves is rpart's figure (``src/core/prune/rpart.cpp``)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.model.node_columns import NodeColumns
from treewright.prune.path import step_sums, steps_of

Floats = NDArray[np.float64]


class CpRow(NamedTuple):
    """One tree of a complexity table: it is the best from this complexity on, up to that of the row before."""

    cp: float  # as a share of the root's risk
    n_splits: int
    relative_error: float  # risk of the leaves over that of the root


class JudgedCpRow(NamedTuple):
    """One tree of a complexity table with its error in cross-validation, as a share of the root's risk, under rpart's names."""

    cp: float
    n_splits: int
    relative_error: float
    xerror: float
    xstd: float  # the standard error of xerror


def capped_complexity(core: _core.Tree, risk: Floats, cp: float, class_factor: list[float]) -> Floats:
    """What the split of every node saves per split of its subtree, no more than above it; nodes end where it is less than cp."""
    nodes = NodeColumns.of(core)
    complexity = np.asarray(_core.rpart_complexity(core, risk, cp, class_factor))
    for node in np.flatnonzero(~nodes.is_leaf)[1:].tolist():  # parents come first
        complexity[node] = min(complexity[node], complexity[nodes.parent[node]])
    return complexity


def rpart_table(core: _core.Tree, risk: Floats, cp: float, class_factor: list[float]) -> list[CpRow]:
    """Return the table that rpart prints of a tree, the smallest tree first.

    ``risk`` of every node as a leaf; ``class_factor``: what a row of each class counts where splits are compared, beyond its
    weight in the node (empty: one each).
    """
    nodes = NodeColumns.of(core)
    complexity = capped_complexity(core, risk, cp, class_factor)
    inner = np.flatnonzero(~nodes.is_leaf)
    parent = nodes.parent
    share = complexity / risk[0] if risk[0] > 0 else complexity
    values = steps_of(share[inner], 1e-9)
    # Step i: nodes whose splits save no more than the i-th value have ended; before the first, none has.
    step = np.zeros(len(share), np.int64)
    step[inner] = np.searchsorted(values, share[inner]) + 1
    splits = step_sums(step, parent, np.ones(len(share)), len(values) + 1) - 1
    error = step_sums(step, parent, risk, len(values) + 1) / risk[0] if risk[0] > 0 else np.ones(len(values) + 1)
    table = zip([cp, *values.tolist()], splits.tolist(), error.tolist(), strict=True)
    return [CpRow(value, round(count), relative) for value, count, relative in table][::-1]
