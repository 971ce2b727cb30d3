"""Cost-complexity pruning by rows that were held out: what learners do that prune as they learn."""

from __future__ import annotations

import numpy as np

from treewright import _core
from treewright.model.node_columns import NodeColumns
from treewright.prune.path import Curve, step_sums, steps_of
from treewright.prune.rows import Losses


def cut_by_losses(core: _core.Tree, losses: Losses, costs: _core.Costs) -> _core.Tree:
    """The tree of the cost-complexity path that loses least on these rows, the smallest of equals (Breiman et al. 1984)."""
    nodes = NodeColumns.of(core)
    keys = np.asarray(_core.prune_keys("cost_complexity", core, {}, costs))
    inner = ~nodes.is_leaf
    values = steps_of(keys[inner], 1e-12)
    step = np.where(inner, np.searchsorted(values, keys) + 1, 0)
    loss, square = (step_sums(step, nodes.parent, each, len(values) + 1) for each in (losses.loss, losses.square))
    best = Curve.of(loss, square, float(losses.weight[0]), losses.row_weight).step("best")
    return core.cut_back((step <= best).astype(np.uint8))
