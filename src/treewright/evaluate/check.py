"""What the functions of this room ask of a learner."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from treewright.errors import shown
from treewright.estimators.tree import TreeEstimator


def tree_learner(est: Any) -> Any:
    """An unfitted copy of a tree estimator."""
    if not isinstance(est, TreeEstimator):
        raise TypeError(
            f"{shown(est)} is no tree estimator of treewright: for others scikit-learn has GridSearchCV and learning_curve"
        )
    if (reason := est._learner.not_by_nodes) is not None:
        raise TypeError(f"{type(est).__name__} with {reason} is measured by scikit-learn's GridSearchCV and learning_curve")
    return clone(est)
