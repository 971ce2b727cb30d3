"""Tree estimators for classes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from treewright import _core
from treewright.estimators.costs import class_factors, set_class_costs
from treewright.estimators.training import Training
from treewright.estimators.tree import TreeEstimator
from treewright.store.damage import need
from treewright.table import TargetSchema
from treewright.table.target import read_classes


class ClassifyingTree(ClassifierMixin, TreeEstimator):
    """Tree estimators for classes."""

    _stored: ClassVar[dict[str, str]] = {**TreeEstimator._stored, "classes_": "value"}

    classes_: NDArray[Any]

    def _check_stored(self) -> None:
        super()._check_stored()
        classes, declared = vars(self).get("classes_"), self.tree_.target.classes
        need(declared, declared is not None, "its tree predicts numbers")
        fits = isinstance(classes, np.ndarray) and classes.ndim == 1 and len(classes) > 0
        labels = classes.tolist() if isinstance(classes, np.ndarray) and fits else []
        need(
            labels,
            fits and len(set(labels)) == len(labels) and set(labels) <= set(declared or ()),
            "classes_ are not its classes",
        )

    def _training(self, X: Any, y: Any, sample_weight: Any, params: dict[str, Any]) -> Training:
        training = super()._training(X, y, sample_weight, params)
        if not self._weighs_rows(params):
            return training
        costs = _core.GrowSettings()
        set_class_costs(costs, params, "gini", training.target.classes, self._occurring())
        factors = class_factors(costs, training)
        assert factors is not None
        weights = factors[training.codes] * (1.0 if training.weights is None else training.weights)
        return replace(training, weights=weights, factors=factors)

    def _settings(self, training: Training, params: dict[str, Any], rows: NDArray[np.int64] | None = None) -> _core.GrowSettings:
        return super()._settings(training, {**params, "class_weight": None} if self._weighs_rows(params) else params, rows)

    @staticmethod
    def _weighs_rows(params: dict[str, Any]) -> bool:
        """Whether class weights are made weights of rows: where a limit counts them."""
        return params.get("class_weight") is not None and params.get("min_weight_fraction_leaf", 0.0) != 0.0

    def _judged(self, training: Training, settings: _core.GrowSettings) -> TargetSchema:
        factors = class_factors(settings, training) if training.factors is None else training.factors
        return replace(training.target, factors=() if factors is None else tuple(factors.tolist()), losses=tuple(settings.loss))

    def _read_target(self, y: Any, keep: Any) -> tuple[TargetSchema, NDArray[Any]]:
        target, codes, self.classes_ = read_classes(y, keep)
        return target, codes

    def _occurring(self) -> list[Any]:
        return list(self.classes_.tolist())

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of every row."""
        X = self._checked(X)
        return self.tree_.predict(X, self._threads()).astype(self.classes_.dtype, copy=False)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of every class among the training rows of the leaf, in the order of ``classes_``."""
        X = self._checked(X)
        return self._in_order(self.tree_.predict_proba(X, self._threads()))

    def _in_order(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Shares of the declared classes in the order of ``classes_``."""
        declared = self.tree_.target.classes
        assert declared is not None
        if list(declared) == self.classes_.tolist():
            return shares
        place = {label: i for i, label in enumerate(declared)}
        return shares[:, [place[label] for label in self.classes_.tolist()]]
