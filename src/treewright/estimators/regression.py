"""Tree estimators for numbers, with quantiles of the targets of their leaves."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from treewright.errors import real
from treewright.estimators.tree import TreeEstimator
from treewright.learn.number_tree import NumberTreeLearner
from treewright.model.targets import LeafTargets


class RegressionTree(RegressorMixin, TreeEstimator):
    """Tree estimators for numbers."""

    _learner_class: ClassVar[type[NumberTreeLearner[Any]]]

    leaf_targets_: LeafTargets
    beyond_bound_: int

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self._learner_class(self).takes_several
        return tags

    def predict_quantiles(self, X: Any, q: Any = (0.05, 0.5, 0.95)) -> NDArray[np.float64]:
        """Quantiles of the training targets in the leaf of every row; fit with ``keep_targets=True``.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
            Rows with the columns of the training table.
        q : float or list of float, default (0.05, 0.5, 0.95)
            Shares from 0 to 1. A quantile is the lowest target at which the cumulated weight of the leaf reaches that share.

        Returns
        -------
        array of shape (n_rows,) or (n_rows, number of shares)
        """
        X = self._checked(X)
        if self.tree_.leaf_model.outputs:
            raise ValueError("quantiles are of one number a row, this tree tells several: fit an estimator for each of them")
        kept = vars(self).get("leaf_targets_")
        if kept is None and "keep_targets" not in self._learner.given:
            name = type(self).__name__
            raise ValueError(f"{name} does not keep the targets of its leaves: use CARTRegressor with keep_targets=True")
        if kept is None:
            raise ValueError("the targets of the leaves were not kept: fit with keep_targets=True")
        return kept.quantiles(self.tree_.apply(X, self._threads()), q)

    def predict_interval(self, X: Any, coverage: float = 0.9) -> NDArray[np.float64]:
        """Interval that holds this share of the training targets in the leaf of every row, as many below as above it.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
            Rows with the columns of the training table.
        coverage : float, default 0.9
            Share of the leaf's weight inside.

        Returns
        -------
        array of shape (n_rows, 2)
            Lower and upper end.
        """
        rest = (1 - real("coverage", coverage, 0.0, 1.0)) / 2
        return self.predict_quantiles(X, (rest, 1 - rest))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the mean of the leaf of every row; a column per number where the target had several."""
        X = self._checked(X)
        return self.tree_.predict(X, self._threads())
