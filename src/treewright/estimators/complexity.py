"""Cost-complexity pruning by scikit-learn's names and in its unit: ``ccp_alpha`` is weighed against the impurity."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import Bunch

from treewright import _core
from treewright.estimators.tree import TreeEstimator
from treewright.prune.path import step_sums


class ComplexityPath(TreeEstimator):
    """Estimators with the parameter ``ccp_alpha``."""

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Grow the whole tree and return the values of ``ccp_alpha`` at which it loses nodes.

        :meth:`pruning_path` says more of a fitted tree: sizes, errors, and errors on other rows.

        Parameters
        ----------
        X, y, sample_weight : table, target and weights
            As in :meth:`fit`. This estimator stays as it is.

        Returns
        -------
        Bunch
            ``ccp_alphas``, ascending: what ``ccp_alpha`` must reach for the tree of a step, and ``impurities``, those of its
            leaves by their share of the rows. A tree that several nodes leave at once is one step.
        """
        whole = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight)
        path = whole.pruning_path(method="cost_complexity", risk="impurity")
        tree = whole.tree_
        risk = np.asarray(_core.own_risk(tree._core, "impurity", _core.Costs([], [], "variance")))
        impurities = step_sums(path.node_steps, tree.node_columns.parent, risk, len(path)) / tree.root.weight
        return Bunch(ccp_alphas=path.alpha, impurities=impurities)
