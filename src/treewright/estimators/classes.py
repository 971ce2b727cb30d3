"""What all classifiers tell of their classes, by scikit-learn's names."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted


class Classifier(ClassifierMixin):
    """A classifier that gives shares of classes."""

    classes_: NDArray[Any]

    @property
    def n_classes_(self) -> int:
        """Number of classes that occur."""
        check_is_fitted(self, "classes_")
        return len(self.classes_)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of every class, in the order of ``classes_``."""
        raise NotImplementedError  # pragma: no cover

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Natural logarithm of the shares of ``predict_proba``; minus infinity where a class has none."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
