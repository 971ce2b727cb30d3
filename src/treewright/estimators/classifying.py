"""Tree estimators for classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from treewright.estimators.tree import TreeEstimator
from treewright.learn.learner import class_order


class ClassifyingTree(ClassifierMixin, TreeEstimator):
    """Tree estimators for classes."""

    classes_: NDArray[Any]

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of every row."""
        X = self._checked(X)
        return self.tree_.predict(X, self._threads()).astype(self.classes_.dtype, copy=False)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of every class among the training rows of the leaf, or leaves, of every row, in the order of ``classes_``."""
        X = self._checked(X)
        return self._in_order(self.tree_.predict_proba(X, self._threads()))

    def _class_order(self) -> list[int]:
        return class_order(self.classes_, self.tree_.target)

    def _in_order(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Shares of the declared classes in the order of ``classes_``."""
        if list(self.tree_.target.classes or ()) == self.classes_.tolist():
            return shares
        return shares[:, self._class_order()]
