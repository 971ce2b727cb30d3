"""Tree estimators for classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.estimators.classes import Classifier
from treewright.estimators.tree import TreeEstimator
from treewright.learn.learner import class_order
from treewright.model import Tree


class ClassifyingTree(Classifier, TreeEstimator):
    """Tree estimators for classes."""

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of every row."""
        X, own = self._checked(X), vars(self)
        tree: Tree = own["tree_"]
        return tree.predict(X, self._threads()).astype(own["classes_"].dtype, copy=False)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of every class among the training rows of the leaf, or leaves, of every row, in the order of ``classes_``."""
        X, own = self._checked(X), vars(self)
        tree: Tree = own["tree_"]
        shares = tree.predict_proba(X, self._threads())
        if list(tree.target.classes or ()) == own["classes_"].tolist():
            return shares
        return shares[:, class_order(own["classes_"], tree.target)]

    def _class_order(self) -> list[int]:
        return class_order(self.classes_, self.tree_.target)
