"""Tree estimators for numbers, with quantiles of the targets of their leaves."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from treewright import _core
from treewright.errors import TreewrightWarning, outside, real
from treewright.estimators.settings import flag
from treewright.estimators.training import Training
from treewright.estimators.tree import TreeEstimator
from treewright.estimators.vectors import node_means, set_vectors, takes_several
from treewright.model import Tree
from treewright.model.leaves import Vectors
from treewright.model.targets import LeafTargets, leaf_targets
from treewright.prune.cut import nodes_left
from treewright.store.damage import need
from treewright.table import TargetSchema
from treewright.table.target import read_numbers, read_vectors, several_numbers


class RegressionTree(RegressorMixin, TreeEstimator):
    """Tree estimators for numbers."""

    _stored: ClassVar[dict[str, str]] = {**TreeEstimator._stored, "leaf_targets_": "leaf_targets", "beyond_bound_": "value"}

    leaf_targets_: LeafTargets
    beyond_bound_: int
    # Whether the target may be several numbers a row.
    _several: ClassVar[bool] = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self._several and takes_several(self._parameters())
        return tags

    def _check_stored(self) -> None:
        super()._check_stored()
        need(self, self.tree_.target.classes is None, "its tree predicts classes")

    def _read_target(self, y: Any, keep: Any) -> tuple[TargetSchema, NDArray[Any]]:
        return read_vectors(y, keep) if self._several and several_numbers(y) else read_numbers(y, keep)

    def _settings(self, training: Training, params: dict[str, Any], rows: NDArray[np.int64] | None = None) -> _core.GrowSettings:
        settings = super()._settings(training, params, rows)
        kept = self._keeps()
        if training.target.outputs:
            set_vectors(settings, kept)
        return settings

    def _look_back(self, training: Training, settings: _core.GrowSettings) -> None:
        core = self.tree_._core
        if training.target.outputs:
            tree = self.tree_
            means = node_means(core, training.arrays, training.codes, training.weights)
            self.tree_ = Tree(core, tree.schema, tree.target, Vectors(core, tree.schema, tree.target, means))
            return
        if settings.criterion == "worst_case":
            self.beyond_bound_ = 0
        if not self._looks_back(settings):
            return
        routes: Any = core.route(training.arrays, len(training.codes), 1)
        leaf = np.asarray(routes[0])
        if self._keeps():
            self.leaf_targets_ = leaf_targets(leaf, training.codes, training.weights, self.tree_.n_nodes)
        if settings.criterion == "worst_case" and settings.min_impurity is not None:
            off = np.abs(training.codes - self.tree_.node_columns.value[leaf])
            beyond = off > settings.min_impurity * (1 + 1e-12)
            self.beyond_bound_ = int(np.count_nonzero(beyond))
            _warn_of_rows_beyond(self.beyond_bound_, settings.min_impurity, float(off.max()))

    def _looks_back(self, settings: _core.GrowSettings) -> bool:
        bounded = settings.criterion == "worst_case" and settings.min_impurity is not None
        return self._keeps() or bounded

    def _keeps(self) -> bool:
        return flag("keep_targets", getattr(self, "keep_targets", False))

    def _with_tree(self, tree: Tree) -> Self:
        out = super()._with_tree(tree)
        kept = getattr(self, "leaf_targets_", None)
        if kept is not None:
            out.leaf_targets_ = kept.moved(nodes_left(self.tree_, tree), tree.n_nodes)
        if tree.n_nodes < self.tree_.n_nodes and getattr(self, "min_impurity", None) is not None:
            out.__dict__.pop("beyond_bound_", None)  # the bound was that of the tree as it was grown
        return out

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
        kept = getattr(self, "leaf_targets_", None)
        if kept is None and not hasattr(self, "keep_targets"):
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
        """Predict the mean of the leaf of every row; a column a number where the target had several."""
        X = self._checked(X)
        return self.tree_.predict(X, self._threads())


def _warn_of_rows_beyond(count: int, bound: float, worst: float) -> None:
    """Say how many rows are off by more than the bound of the worst case."""
    if count:
        warnings.warn(
            f"{count} training {'row is' if count == 1 else 'rows are'} off by more than min_impurity={bound:g}, "
            f"by up to {worst:.6g}: "
            "rows of their leaves are equal in all columns, missing cells keep them together, "
            "or a limit such as max_depth stopped the growth",
            TreewrightWarning,
            stacklevel=outside(),
        )
