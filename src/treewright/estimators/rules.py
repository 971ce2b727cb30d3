"""What estimators that learn rules share: the answers of their list."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from treewright import parts
from treewright.estimators.classes import Classifier
from treewright.estimators.columns import match_columns
from treewright.estimators.contributing import Contributing
from treewright.estimators.stored import Fits
from treewright.inspect import one_row
from treewright.learn.learner import class_order
from treewright.model.exports import Programs
from treewright.model.rules import RuleSet


class RuleEstimator(Contributing, Programs, Fits):
    """What estimators that learn rules share."""

    ruleset_: RuleSet

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self, "ruleset_")
        return match_columns(self, X)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return parts.writer("beside_rules")(super()._repr_mimebundle_(**kwargs), vars(self).get("ruleset_"))

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Position of the rule that decides every row, -1 for the default."""
        X = self._checked(X)
        return self.ruleset_.apply(X)

    def explain(self, X: Any) -> Any:
        """Explain what the rules say of one row: a table of one row, a Series or a dict."""
        check_is_fitted(self, "ruleset_")
        X = self._checked(one_row(X, self.ruleset_.schema.names))
        return self.ruleset_.explain(X)


class RuleClassifier(Classifier, RuleEstimator):
    """Estimators that learn rules for classes."""

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of every row: what the first rule that holds says, or the default."""
        X = self._checked(X)
        return self.ruleset_.predict(X).astype(self.classes_.dtype, copy=False)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of every class among the training rows that the deciding rule decides, in the order of ``classes_``."""
        X = self._checked(X)
        return self.ruleset_.predict_proba(X)[:, self._class_order()]

    def _class_order(self) -> list[int]:
        return class_order(self.classes_, self.ruleset_.target)
